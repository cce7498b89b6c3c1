/* Crossings of guards in the step just taken: the first one is found and met. */
#ifndef SAL_RUN_CROSSING_H
#define SAL_RUN_CROSSING_H

#include "run/run.h"

/* Before a step: when the next clock strikes, into run->stepping.due, which is INFINITY so far.
 * True: events happen at once (at the start of the run, or a clock that strikes now) and are
 * pending. */
bool sal_crossing_at_once(saltus_run *run);

/* After a step within the tolerances: its end stage, the screen of its guards
 * (run->stepping.screen) and, if that is not enough, the dense output. Nonzero: it cannot be
 * evaluated. */
int sal_crossing_screen(saltus_run *run);

/* Meets the events in the step, or accepts the step if there are none; last: it ends the run. If
 * the screen is clear and there are no clocks, there are none. */
saltus_status sal_crossing_meet(saltus_run *run, bool last, saltus_error *err);

/* ---- step_onto.c ----------------------------------------------------------------------------- */

/* Shortens the step just taken so that it ends at the crossing; or at another pending one that
 * turns out to be earlier, which then replaces it. False: the true motion only touches zero there;
 * the step ends close to it all the same. */
bool sal_step_onto(saltus_run *run, sal_crossing *crossing);

/* Extends the step just taken, its end stage there, until the guard is zero; delta: about how far.
 * False: it is not found there. */
bool sal_step_onto_again(saltus_run *run, const sal_crossing *crossing, double delta);
/* The guard at the end of the step. */
double sal_step_onto_guard(saltus_run *run, int event);

/* What rounding makes of the event's guard at the end of the step. */
double sal_step_onto_noise(saltus_run *run, int event);

/* ---- grazing.c ------------------------------------------------------------------------------- */

typedef enum sal_crossing_kind {
    SAL_CROSSING_CLEAN,
    SAL_CROSSING_CLOSE,  /* close to grazing: derivatives are large, and less certain */
    SAL_CROSSING_GRAZING /* there is no derivative */
} sal_crossing_kind;

/* How the guard of the event crosses zero at the present state, with that rate. */
sal_crossing_kind sal_grazing_judge(saltus_run *run, int event, double rate);
void              sal_grazing_warn(saltus_run *run, int event, double rate, sal_crossing_kind kind);

/* Whether the motion is the same on both sides of the event just computed (a kink whose sides
 * agree, a contact that opens where nothing presses it any more). Then it does not matter when the
 * event happens, nor how its guard crosses. */
bool sal_grazing_is_harmless(saltus_run *run, const sal_event_system *event);

/* After a search in a step: warns of what the locator noted in it. */
void sal_grazing_warn_unresolved(saltus_run *run);
void sal_grazing_note_near_misses(saltus_run *run);
/* Warns if a condition (where=) of the crossing is nearly zero. */
void sal_grazing_warn_condition(saltus_run *run, const sal_crossing *crossing);

#endif
