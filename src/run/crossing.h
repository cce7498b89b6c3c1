/* Crossings of guards in the step just taken: finds the first one and makes the step end there. */
#ifndef SAL_RUN_CROSSING_H
#define SAL_RUN_CROSSING_H

#include "run/run.h"

/* Called before a step: writes the time when the next clock strikes to run->stepping.due, which
 * must be INFINITY before. True: events happen at once (at the start of the run, or a clock strikes
 * now) and are pending. */
bool sal_crossing_at_once(saltus_run *run);

/* Called after a step within the tolerances: evaluates its end stage and looks at its guards. If
 * the step must be searched (run->stepping.searched), evaluates its dense stages. Nonzero: the
 * field failed. */
int sal_crossing_find(saltus_run *run);

/* Fires the events in the step, or accepts the step if there are none. last: the run ends with it.
 */
saltus_status sal_crossing_meet(saltus_run *run, bool last, saltus_error *err);

/* ---- step_onto.c ----------------------------------------------------------------------------- */

/* Shortens the step just taken so that it ends at the crossing, or at another pending crossing that
 * turns out to be earlier and then replaces it. False: the true motion only touches zero there; the
 * step then ends close to it. */
bool sal_step_onto(saltus_run *run, sal_crossing *crossing);

/* Extends the step just taken, whose end stage has been evaluated, until the guard is zero. delta:
 * about how far. False: no zero is found there. */
bool sal_step_onto_again(saltus_run *run, const sal_crossing *crossing, double delta);
/* The value of the guard at the end of the step. */
double sal_step_onto_guard(saltus_run *run, int event);

/* The rounding error of the event's guard at the end of the step. */
double sal_step_onto_noise(saltus_run *run, int event);

/* ---- grazing.c ------------------------------------------------------------------------------- */

typedef enum sal_crossing_kind {
    SAL_CROSSING_CLEAN,
    SAL_CROSSING_CLOSE,  /* close to grazing: derivatives are large, and less certain */
    SAL_CROSSING_GRAZING /* there is no derivative */
} sal_crossing_kind;

/* How the guard of the event, with this rate, crosses zero at the present state. */
sal_crossing_kind sal_grazing_judge(saltus_run *run, int event, double rate);
/* Warns if a crossing of that kind is close to grazing, or grazes. */
void sal_grazing_warn(saltus_run *run, int event, double rate, sal_crossing_kind kind);

/* Whether the motion is the same on both sides of the event just computed, as for a kink whose
 * branches agree, or a contact that opens when nothing presses it any more. Then neither the time
 * of the event nor how its guard crosses matters. */
bool sal_grazing_is_harmless(saltus_run *run, const sal_compiled_event *event);

/* Called after a search in a step: warns if a guard changes too fast to be followed. */
void sal_grazing_warn_unresolved(saltus_run *run);
/* Notes guards that were only touched, and conditions that were nearly zero. */
void sal_grazing_note_near_misses(saltus_run *run);
/* Warns if a condition (where=) of the crossing is nearly zero. */
void sal_grazing_warn_condition(saltus_run *run, const sal_crossing *crossing);

#endif
