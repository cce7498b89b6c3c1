/* One instant: an event, and others that happen with it or because of it; and what belongs to an
 * event, each in its file. */
#ifndef SAL_RUN_INSTANT_H
#define SAL_RUN_INSTANT_H

#include "run/run.h"

/* The start of a run: branches of kinks are chosen and guards armed. */
void sal_instant_start(saltus_run *run);

/* The step in run->motion ends at this crossing; run->instant.pending marks events that may cross
 * with it.
 */
saltus_status sal_instant_run(saltus_run *run, const sal_crossing *crossing, saltus_error *err);

/* Pending events happen now, without a step before them: this crossing and what crosses with it, or
 * (NULL) all of them. */
saltus_status sal_instant_now(saltus_run *run, const sal_crossing *crossing, saltus_error *err);

/* ---- transition.c ---------------------------------------------------------------------------- */

/* The regime after an event; NULL: it could not be compiled. */
const sal_regime *sal_transition_regime(saltus_run *run, int event, saltus_error *err);

/* Computes the state after the event into run->after, with the rates there in run->jump; the state
 * before it is in the field of the motion. o->to is the regime it leads to; where the run finds the
 * modes of contacts, that changes to the regime found, and o->impact is set. False: the run has
 * ended. */
bool sal_transition_compute(saltus_run *run, sal_occurrence *o);

/* The present state becomes run->after, in that regime. */
saltus_status sal_transition_take(saltus_run *run, const sal_regime *to, saltus_error *err);

/* ---- branches.c ------------------------------------------------------------------------------ */

/* Sets the branches at (t, x), in the regime of the locator's field, in the memories c. A branch
 * that is known stays, unless its argument is on the other side beyond rounding. flipped: the kink
 * whose event has just turned its branch around, or -1. fresh: nothing is known yet, and an
 * argument that is zero takes the branch it moves into. The run ends where the motion sticks to a
 * kink. */
void sal_branches_set(saltus_run *run, double t, const double *x, double *c, int flipped,
                      bool fresh);

/* ---- violation.c ----------------------------------------------------------------------------- */

/* The velocities at the start, on the branches of kinks chosen there. False: the run has ended. */
bool sal_violation_check_start(saltus_run *run);
/* The state after an event, in run->after, in the regime it leads to. False: the run has ended. */
bool sal_violation_check_event(saltus_run *run, const sal_event_system *event,
                               const sal_regime *to);
/* A constraint that was left out, because it followed from the others, must still hold. */
void sal_violation_check_left_out(saltus_run *run);

/* By how much the present positions are off the constraints, into phi. Returns the entries of the
 * matrix there (sal_field_matrix of the locator's field). */
const double *sal_violation_of_positions(saltus_run *run, double *phi);

/* ---- zeno.c ---------------------------------------------------------------------------------- */

/* Notes an occurrence of the event, whose guard had that rate; ends the run if they accumulate. */
void sal_zeno_note(saltus_run *run, int event, double rate);
/* An event is about to happen again at once, although its guard moves away from zero: since the
 * last time it has hopped too low to be told from rounding. Ends the run then, and returns true. */
bool sal_zeno_ends_hops(saltus_run *run, int event, double rate);
/* Counts the events of one instant, or nearly one; ends the run if there are too many. */
void sal_zeno_note_instant(saltus_run *run, int event);
/* Ends the run, as occurrences of the event accumulate at that time. */
void sal_zeno_finish(saltus_run *run, int event, double at);

/* ---- samples.c ------------------------------------------------------------------------------- */

/* Whether the times of samples ascend from the start on, and periods and delays are positive; the
 * parameters are in the field. */
saltus_status sal_samples_check(saltus_run *run, saltus_error *err);
/* Whether an event that follows this one after a delay is still to come: then the run ends. */
bool sal_delays_overlap(saltus_run *run, int event);
/* Warns of samples that were not taken, because they lie after the end. */
void sal_samples_warn(saltus_run *run);

#endif
