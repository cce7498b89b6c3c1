/* Names: the nearest one to a wrong one, patterns, and a hash table. */
#ifndef SAL_BASE_NAMES_H
#define SAL_BASE_NAMES_H

#include "base/memory.h"

/* The name closest to `name` by edit distance, or NULL if none is close enough to suggest. */
const char *sal_nearest(const char *name, const char *const *names, int count);

/* Whether the text matches the pattern, in which * stands for any run of characters. */
bool sal_name_matches(const char *pattern, const char *text);

/* The first byte that is not UTF-8, or NULL. */
const unsigned char *sal_not_utf8(const char *text);

/* A hash table from names to numbers; names are borrowed. */
typedef struct sal_name_table {
    const char **name; /* open addressing, NULL is empty */
    int         *number;
    int          count, size;
} sal_name_table;

/* The number of a name, or -1. */
int sal_name_find(const sal_name_table *table, const char *name);
/* Adds a name that is not there yet; false when out of memory. */
bool sal_name_add(sal_name_table *table, const saltus_allocator *allocator, const char *name,
                  int number);
void sal_name_release(sal_name_table *table, const saltus_allocator *allocator);

#endif
