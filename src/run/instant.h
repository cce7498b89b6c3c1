/* One instant: an event, and others that happen together with it or because of it. Then, file by
 * file, the parts that an event consists of. */
#ifndef SAL_RUN_INSTANT_H
#define SAL_RUN_INSTANT_H

#include "run/run.h"

/* At the start of a run: chooses the branches of kinks and the modes of contacts, checks velocities
 * and arms guards. */
void sal_instant_start(saltus_run *run);

/* Fires the events at the end of the step in run->motion, which ends at this crossing.
 * run->instant.pending marks the events that may happen with it. */
saltus_status sal_instant_run(saltus_run *run, const sal_crossing *crossing, saltus_error *err);

/* Fires pending events at the present state, without a step before them: the one of this crossing
 * and those that cross with it, or (NULL) all of them. */
saltus_status sal_instant_now(saltus_run *run, const sal_crossing *crossing, saltus_error *err);

/* ---- transition.c ---------------------------------------------------------------------------- */

/* The regime that an event leads to; NULL: it could not be compiled. */
const sal_regime *sal_transition_regime(saltus_run *run, int event, saltus_error *err);

/* Computes the state after the event into run->after, and the rates there into run->jump; the state
 * before it is in the field of the motion. o->to is the regime that the event leads to. If the run
 * finds the modes of contacts, it becomes the regime found, and o->impact is set. False: the run
 * has ended. */
bool sal_transition_compute(saltus_run *run, sal_occurrence *o);

/* Makes run->after the present state, in the regime `to`. */
saltus_status sal_transition_take(saltus_run *run, const sal_regime *to, saltus_error *err);

/* ---- branches.c ------------------------------------------------------------------------------ */

/* Sets the branches of kinks in the memories c, at (t, x) in the regime of the locator's field. A
 * known branch stays unless its argument is on the other side by more than rounding. flipped: the
 * kink whose event has just changed its branch, or -1. fresh: no branch is known yet, and a kink
 * whose argument is zero takes the branch it moves into. Ends the run if the motion sticks to a
 * kink. */
void sal_branches_set(saltus_run *run, double t, const double *x, double *c, int flipped,
                      bool fresh);

/* ---- violation.c ----------------------------------------------------------------------------- */

/* Checks the velocities at the start, on the branches of kinks chosen there. False: the run has
 * ended. */
bool sal_violation_check_start(saltus_run *run);
/* Checks the state after an event, run->after, in the regime `to` that it leads to. False: the run
 * has ended. */
bool sal_violation_check_event(saltus_run *run, const sal_compiled_event *event,
                               const sal_regime *to);
/* Checks that constraints that were left out, because they followed from the others, still hold;
 * else ends the run. */
void sal_violation_check_left_out(saltus_run *run);

/* Writes the values of all constraints at the present positions to phi. Returns the entries of the
 * matrix there (sal_field_matrix of the locator's field). */
const double *sal_violation_of_positions(saltus_run *run, double *phi);

/* ---- zeno.c ---------------------------------------------------------------------------------- */

/* Notes an occurrence of the event, whose guard had that rate; ends the run if its occurrences
 * accumulate. */
void sal_zeno_note(saltus_run *run, int event, double rate);
/* Ends the run if an event is about to happen again at once although its guard moves away from
 * zero: since its last occurrence it has hopped too low to be told from rounding. Returns whether
 * the run has ended. */
bool sal_zeno_ends_hops(saltus_run *run, int event, double rate);
/* Counts the events at one instant, or within a very short time; ends the run if there are too
 * many. */
void sal_zeno_note_instant(saltus_run *run, int event);
/* Ends the run because occurrences of the event accumulate at the time `at`. */
void sal_zeno_finish(saltus_run *run, int event, double at);

/* ---- samples.c ------------------------------------------------------------------------------- */

/* Checks that times of samples ascend and are not before the start, and that periods and delays are
 * positive; the parameters are in the field of the motion. */
saltus_status sal_samples_check(saltus_run *run, saltus_error *err);
/* Ends the run if an event that follows this one after a delay is still due. Returns whether the
 * run has ended. */
bool sal_delays_overlap(saltus_run *run, int event);
/* Warns about samples that were not taken because they are after the end. */
void sal_samples_warn(saltus_run *run);

#endif
