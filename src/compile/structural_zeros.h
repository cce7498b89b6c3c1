/* Arithmetic on the graph in which the null node is a structural zero. */
#ifndef SAL_COMPILE_STRUCTURAL_ZEROS_H
#define SAL_COMPILE_STRUCTURAL_ZEROS_H

#include "expr/graph.h"

static inline sal_node sal_zeros_mul(sal_graph *graph, sal_node a, sal_node b)
{
    return a && b ? sal_mul(graph, a, b) : 0;
}

/* a - b */
static inline sal_node sal_zeros_sub(sal_graph *graph, sal_node a, sal_node b)
{
    if (!b) return a;
    return a ? sal_sub(graph, a, b) : sal_neg(graph, b);
}

static inline sal_node sal_zeros_reciprocal(sal_graph *graph, sal_node a)
{
    return sal_apply(graph, SAL_OP_DIV, sal_const(graph, 1.0), a, 0);
}

#endif
