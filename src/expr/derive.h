/* Symbolic derivatives. A structural zero is the null node, so sums and products with it are never
 * built. */
#ifndef SAL_EXPR_DERIVE_H
#define SAL_EXPR_DERIVE_H

#include "expr/graph.h"

/* Derives the roots along a direction: out[i] is the derivative of roots[i]. seed returns the
 * component of the direction for a leaf; null: the leaf does not move. */
void sal_derive_along(sal_graph *graph, const sal_node *roots, int count,
                      sal_node (*seed)(void *context, sal_graph *graph, int kind, int index),
                      void *context, sal_node *out);

/* Derives sum_i weights[i] * roots[i] (weights NULL: all 1) by all leaves, in reverse mode. found
 * is called for each leaf whose derivative is not structurally zero. */
void sal_derive_back(sal_graph *graph, const sal_node *roots, const sal_node *weights, int count,
                     void (*found)(void *context, int kind, int index, sal_node derivative),
                     void *context);

/* Derives a root by time along the motion: t moves by 1, q by v, v by a; all else is constant. */
sal_node sal_derive_time(sal_graph *graph, sal_node root);
/* Derives several roots by time, in one walk over the graph. out must not be roots. */
void sal_derive_times(sal_graph *graph, const sal_node *roots, int count, sal_node *out);

#endif
