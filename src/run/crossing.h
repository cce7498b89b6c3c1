/* Crossings of guards in the step just taken: the first one is found and met. */
#ifndef SAL_RUN_CROSSING_H
#define SAL_RUN_CROSSING_H

#include "run/run.h"

/* Before a step: when the next clock strikes, into run->due, which is INFINITY so far. True: events
 * happen at once (at the start of the run, or a clock that strikes now) and are pending. */
bool sal_crossing_at_once(saltus_run *run);

/* After a step within the tolerances: its end stage, the screen of its guards (run->screen) and, if
 * that is not enough, the dense output. Nonzero: it cannot be evaluated. */
int sal_crossing_screen(saltus_run *run);

/* Meets the events in the step, or accepts the step if there are none; last: it ends the run. If
 * the screen is clear and there are no clocks, there are none. */
saltus_status sal_crossing_meet(saltus_run *run, bool last, saltus_error *err);

#endif
