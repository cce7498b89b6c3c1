/* Expressions as text. */
#ifndef SAL_EXPR_PRINT_H
#define SAL_EXPR_PRINT_H

#include "expr/graph.h"

/* Names a leaf into a buffer of 128 bytes. NULL: symbols like q[3]. */
typedef void (*sal_leaf_name)(void *context, int kind, int index, char *buffer);

/* Writes at most size bytes, always terminated, and returns the length of the whole text. Very long
 * expressions are cut with "...". */
size_t sal_print(const sal_graph *graph, sal_node root, sal_leaf_name name, void *context,
                 char *text, size_t size);

#endif
