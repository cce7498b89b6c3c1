/* Builders of expressions that are derived, not written by a user: they may round differently where
 * that lets more expressions be one node. Literal factors and signs float up, so that x - y and
 * 2 y - 2 x share, and there is one reciprocal per denominator. What is not finite stays so. */
#ifndef SAL_EXPR_CANONICAL_H
#define SAL_EXPR_CANONICAL_H

#include "expr/graph.h"

/* The operation (NEG, ADD, SUB, MUL or DIV) on arguments that are not all literals. */
sal_node sal_canonical_apply(sal_graph *graph, int op, sal_node a, sal_node b);

#endif
