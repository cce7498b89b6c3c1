/* The tape: what a forward evaluation has computed and tangents and adjoints need again is kept in
 * the row of a stage and read from there (leaves TAPE), unless a few operations give it back. */
#ifndef SAL_SYSTEM_TAPE_H
#define SAL_SYSTEM_TAPE_H

#include "expr/graph.h"

typedef struct sal_tape {
    sal_graph *graph;
    int        count, limit;
    sal_node  *definition; /* by number, none of them in it */
} sal_tape;

/* False when out of memory. */
bool sal_tape_init(sal_tape *tape, sal_graph *graph, int limit, sal_arena *arena);

/* The nodes, some of which depend on the lane, with leaves in place of what does not. False when
 * out of memory. */
bool sal_tape_nodes(sal_tape *tape, sal_node *nodes, int count, sal_arena *scratch);

#endif
