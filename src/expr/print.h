/* Expressions as text. */
#ifndef SAL_EXPR_PRINT_H
#define SAL_EXPR_PRINT_H

#include "expr/graph.h"

/* Writes the name of a leaf into a buffer of 128 bytes; an empty name stands for a symbol like
 * q[3]. */
typedef void (*sal_leaf_name)(void *context, int kind, int index, char *buffer);

/* Writes an expression as text of at most size bytes, including the terminating null, and returns
 * the length of the whole text. name NULL: leaves are symbols like q[3]. Very long expressions are
 * abbreviated with "...". */
size_t sal_print(const sal_graph *graph, sal_node root, sal_leaf_name name, void *context,
                 char *text, size_t size);

#endif
