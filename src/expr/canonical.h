/* Builders of expressions that are derived, not written by a user: they may round differently where
 * that lets more expressions be one node. Literal factors and signs move outward, so that x - y and
 * 2 y - 2 x share a node, and there is one reciprocal per denominator. Non-finite values stay so.
 */
#ifndef SAL_EXPR_CANONICAL_H
#define SAL_EXPR_CANONICAL_H

#include "expr/graph.h"

/* The operation (NEG, ADD, SUB, MUL or DIV) on arguments that are not all literals. */
sal_node sal_canonical_apply(sal_graph *graph, int op, sal_node a, sal_node b);

#endif
