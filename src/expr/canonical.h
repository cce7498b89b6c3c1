/* Builders of derived expressions, as opposed to those that users wrote: they may change the
 * rounding of an expression if more expressions can then share nodes. Literal factors and signs
 * move outward, so that x - y and 2 y - 2 x share a node, and each denominator has one reciprocal.
 * Values that are not finite remain so. */
#ifndef SAL_EXPR_CANONICAL_H
#define SAL_EXPR_CANONICAL_H

#include "expr/graph.h"

/* Builds an operation (NEG, ADD, SUB, MUL or DIV) on arguments that are not all literals. */
sal_node sal_canonical_apply(sal_graph *graph, int op, sal_node a, sal_node b);

#endif
