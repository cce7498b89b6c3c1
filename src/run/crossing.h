/* Crossings of guards in the step just taken: finding the first one, and stepping onto it. */
#ifndef SAL_RUN_CROSSING_H
#define SAL_RUN_CROSSING_H

#include "run/run.h"

/* Before a step: when the next clock strikes, into run->due, which is INFINITY so far. True: events
 * happen at once (at the start of the run, or a clock that strikes now) and are pending. */
bool sal_crossing_at_once(saltus_run *run);

/* Behind a step within the tolerances: its end stage, a survey of the guards and, where that is not
 * enough, the dense output. Nonzero: it cannot be evaluated. */
int sal_crossing_screen(saltus_run *run);

/* The events in the step, or the step if there are none; last: it ends the run. Where the survey is
 * clear and there are no clocks, there are none. */
saltus_status sal_crossing_meet(saltus_run *run, bool last, saltus_error *err);

#endif
