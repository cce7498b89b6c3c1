/* Whether what a compiler wrote may be loaded. */
#ifndef SAL_NATIVE_OBJECT_H
#define SAL_NATIVE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether everything that the headers of a shared object describe is inside the file. Loading a
 * truncated one would end the process: what is missing is mapped, and reading it raises SIGBUS. */
bool sal_object_is_whole(const unsigned char *bytes, size_t count);

#endif
