/* Checks whether the output of a compiler may be loaded. */
#ifndef SAL_NATIVE_OBJECT_H
#define SAL_NATIVE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a shared object has everything that its headers describe. Loading a truncated object
 * would kill the process: the missing part would be mapped, and reading it raises SIGBUS. */
bool sal_object_is_whole(const unsigned char *bytes, size_t count);

#endif
