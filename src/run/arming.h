/* Arming guards: on which side each one is known to be, from the start to the end of a run.
 *
 * The known side changes where the guard is seen on the other one, beyond rounding. Inside a step
 * the locator finds that; at the end of a step it is noted here. What an event does to guards, its
 * own and others, is decided here as well:
 *
 *     its own guard     is on the side it moves to from zero: back, if the event is an impact
 *     the same guard    of another event: on the same side as its own
 *     still at zero     keeps its side
 *     thrown across     fires at the same instant if it is to (enter), else a warning is given
 *     a mode's own      that was not armed before: the side it is on; at zero, the side it moves
 *                       to, or that from which it fires
 *     a constraint's    that was held at zero and is released: the side from which it fires, and
 *                       what it has drifted counts as zero */
#ifndef SAL_RUN_ARMING_H
#define SAL_RUN_ARMING_H

#include "run/run.h"

/* What run->instant.caused says of an event that another one made happen. */
enum {
    SAL_CAUSED = 1, /* its own guard is zero and moves */
    SAL_JOINED = 2, /* it shares the time of the other, whatever its guard is */
    SAL_THROWN = 3  /* it shares the time of the other, which threw its guard across zero */
};

/* Arms all guards at the start. Events that happen there at once become pending. */
void sal_arm_at_start(saltus_run *run);
/* Arms all guards after an event, which came from the regime `before` and whose guard had that
 * rate. Events that happen because of it become pending. */
void sal_arm_after_event(saltus_run *run, int fired, const sal_regime *before, double rate);

/* Evaluates all guards at the end of a step, unless that was done; known: one whose value is there
 * already, or -1. */
void sal_arm_evaluate(saltus_run *run, int known);
/* Notes the sides that guards, just evaluated, are on at the end of a step. */
void sal_arm_at_step_end(saltus_run *run);
/* Notes what the guards are before an event fires. */
void sal_arm_before_event(saltus_run *run);

/* Whether two events have the same guard; other: -1 if there is none. */
bool sal_events_share_guard(const saltus_system *system, int event, int other);

/* ---- barrier.c ------------------------------------------------------------------------------- */

/* Whether the event has this role in a contact. */
bool sal_contact_has_role(const saltus_system *system, int event, sal_contact_role role);
/* Whether it closes a contact, other than by an impact law. */
bool sal_contact_closes(const saltus_system *system, int event);
/* Whether the contact of the event has just been left by the event `last` (-1: none). */
bool sal_contact_just_left(const saltus_system *system, int event, int last);
bool sal_is_barrier(const saltus_system *system, int event);

/* A barrier whose guard is zero at the present state, with that rate: it becomes pending if it may
 * fire now; or the run ends. */
void sal_barrier_touch(saltus_run *run, int event, double rate, bool may_fire);
/* A guard, now r, is seen on its other side at the end of the step, without its event: notes
 * whether it is a barrier that was passed although there is something to touch. */
void sal_barrier_pass(saltus_run *run, int event, double r);
/* A barrier that was passed has come back, is past zero by no more than the tolerance, or the run
 * ends: what should have happened was missed. */
void sal_barrier_watch(saltus_run *run, int event, double r);
/* Whether an impact that is crossed at (t, x) rests there: it neither moves nor is pressed. */
bool sal_barrier_rests(saltus_run *run, int event, double t, const double *x);

#endif
