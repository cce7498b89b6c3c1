/* Symbolic derivatives. A structural zero is the null node, so sums and products with it are never
 * built. */
#ifndef SAL_EXPR_DERIVE_H
#define SAL_EXPR_DERIVE_H

#include "expr/graph.h"

/* Directional derivatives: out[i] = d roots[i] along the direction that seed gives for each leaf
 * (null: does not move). */
void sal_derive_along(sal_graph *graph, const sal_node *roots, int count,
                      sal_node (*seed)(void *context, sal_graph *graph, int kind, int index),
                      void *context, sal_node *out);

/* Reverse: the gradient of sum_i weight[i] * roots[i] (weight NULL: all 1) by every leaf it rests
 * on; found is called for each leaf whose derivative is not structurally zero. */
void sal_derive_back(sal_graph *graph, const sal_node *roots, const sal_node *weights, int count,
                     void (*found)(void *context, int kind, int index, sal_node derivative),
                     void *context);

/* d/dt along the motion: t moves by 1, q by v, v by a; the rest stands still. */
sal_node sal_derive_time(sal_graph *graph, sal_node root);
/* The time derivatives of several roots, with common subexpressions shared. out may not be roots.
 */
void sal_derive_times(sal_graph *graph, const sal_node *roots, int count, sal_node *out);

#endif
