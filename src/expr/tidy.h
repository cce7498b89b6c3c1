/* The last form of derived expressions before they become a program: sums and products are gathered
 * and written again so that few operations remain once products are fused into sums. Literal
 * factors go where they cost nothing, what is constant during a run is multiplied together, and
 * what is known late is added last. Rounds differently, like loose.h. */
#ifndef SAL_EXPR_TIDY_H
#define SAL_EXPR_TIDY_H

#include "expr/graph.h"

/* The roots (null ones stay null) in that form. constant: the kinds of leaves (bits) that do not
 * change during a run. False when out of memory. */
bool sal_tidy(sal_graph *graph, const sal_node *roots, int count, unsigned constant, sal_node *out);

#endif
