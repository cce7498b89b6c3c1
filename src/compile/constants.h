/* Run constants: what rests on nothing but parameters and numbers of the formulation is computed
 * once per run and read from the uniform vector (leaves RUN). Nothing is differentiated afterwards:
 * derive first, then hoist. */
#ifndef SAL_COMPILE_CONSTANTS_H
#define SAL_COMPILE_CONSTANTS_H

#include "expr/graph.h"

typedef struct sal_constants {
    sal_graph *graph;
    int        count, limit;
    sal_node  *definition; /* of each run constant, none of them in it */
} sal_constants;

/* False when out of memory. */
bool sal_constants_init(sal_constants *hoist, sal_graph *graph, int limit, sal_arena *arena);

/* The kinds of leaves (bits) that do not change during a run. */
unsigned sal_constants_kinds(void);

/* The nodes with run constants in place of the largest expressions that are constant. In
 * a graph that is not loose nothing else changes. */
void sal_constants_take(sal_constants *hoist, sal_node *nodes, int count);

#endif
