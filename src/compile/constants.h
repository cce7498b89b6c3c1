/* Run constants: expressions that depend only on parameters and numbers of the formulation are
 * computed once per run and read from the uniform vector (leaves RUN). Expressions with run
 * constants must not be differentiated: derive first, then hoist. */
#ifndef SAL_COMPILE_CONSTANTS_H
#define SAL_COMPILE_CONSTANTS_H

#include "expr/graph.h"

typedef struct sal_constants {
    sal_graph *graph;
    int        count, limit;
    sal_node  *definition; /* by run constant: its expression, without other run constants */
} sal_constants;

/* False when out of memory. */
bool sal_constants_init(sal_constants *hoist, sal_graph *graph, int limit, sal_arena *arena);

/* Returns the kinds of leaves (bits) that do not change during a run. */
unsigned sal_constants_kinds(void);

/* Replaces the largest constant subexpressions of the nodes by run constants, as long as there is
 * room. In a graph that may not reround nothing else changes. */
void sal_constants_take(sal_constants *hoist, sal_node *nodes, int count);

#endif
