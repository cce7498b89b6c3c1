/* Costs that are long sums, over all masses of a chain, say: addends of equal shape share a
 * program, like the terms of the equations of motion. */
#ifndef SAL_COMPILE_LONG_SUMS_H
#define SAL_COMPILE_LONG_SUMS_H

#include "compile/system.h"

/* Of these integrands (by cost), takes those that are long sums with few shapes of addends: they
 * become null, and are in system->addends. False when out of memory. */
bool sal_long_sums_take(saltus_system *system, sal_node *integral, sal_arena *scratch);

/* Adds what was taken to the map of integrands. */
bool sal_long_sums_add(saltus_system *system, sal_map *map);

#endif
