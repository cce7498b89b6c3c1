/* Names that people type. */
#ifndef SAL_BASE_NAMES_H
#define SAL_BASE_NAMES_H

/* The name nearest to `name` by edit distance, or NULL if none is near enough to offer. */
const char *sal_nearest(const char *name, const char *const *names, int count);

#endif
