/* Whether what a compiler wrote may be loaded. */
#ifndef SAL_NATIVE_OBJECT_H
#define SAL_NATIVE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether all that the headers of a shared object speak of is inside of the file. To load a cut one
 * ends the process: what is missing is mapped, and reading it raises SIGBUS. */
bool sal_object_is_whole(const unsigned char *bytes, size_t count);

#endif
