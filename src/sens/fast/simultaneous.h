/* Tangents that are computed during the simulation, by an observer of the run: they need no data
 * from the record. The directions are those that were requested after the previous simulation. */
#ifndef SAL_SENS_FAST_SIMULTANEOUS_H
#define SAL_SENS_FAST_SIMULTANEOUS_H

#include "sens/sens.h"

struct sal_simultaneous {
    sal_directions way;
    int            next[SAL_RUN_LANES], next_count; /* parameters for the next simulation */
};

/* NULL: out of memory. */
sal_simultaneous *sal_simultaneous_new(const saltus_system *system, sal_arena *arena);

/* Returns the tangents at the end of the simulation; run->history.observed has the derivatives of
 * the times of all its events. NULL: they do not match the request, or are not accurate enough. */
sal_directions *sal_simultaneous_get(saltus_run *run, const sal_wanted *wanted);

#endif
