/* Arming guards: on which side each one is known to be, from the start to the end of a run.
 *
 * The known side changes where the guard is seen on the other side by more than rounding. Inside a
 * step the locator finds that; at the end of a step it is done here. What an event does to the
 * known sides of guards is decided here, too:
 *
 *     the event's guard          on the side to which it moves from zero: back after an impact
 *     an equal guard             of another event: on the same side
 *     a guard still at zero      on its old side
 *     a guard thrown past zero   fires at the same instant if it is to (enter), else a warning is
 *                                given
 *     a guard of a new mode      on the side where it is; at zero, on the side to which it moves,
 *                                or on that from which it fires
 *     a released constraint      on the side from which it fires; its drift counts as zero */
#ifndef SAL_RUN_ARMING_H
#define SAL_RUN_ARMING_H

#include "run/run.h"

/* Values of run->instant.caused: how another event made an event happen. */
enum {
    SAL_CAUSED = 1, /* its own guard is at zero and moves */
    SAL_JOINED = 2, /* it shares the time of the other event, whatever its guard is */
    SAL_THROWN = 3  /* it shares the time of the other event, which threw its guard across zero */
};

/* Arms all guards at the start. Events that happen at once become pending. */
void sal_arm_at_start(saltus_run *run);
/* Arms all guards after the event `fired`, which left the regime `before`; rate: the rate of its
 * guard before it. Events that it causes become pending. */
void sal_arm_after_event(saltus_run *run, int fired, const sal_regime *before, double rate);

/* Evaluates all guards at the end of the step into the locator, if that has not been done. known:
 * an event whose guard is there already, or -1. */
void sal_arm_evaluate(saltus_run *run, int known);
/* Updates the known sides of guards, which have been evaluated at the end of the step. */
void sal_arm_at_step_end(saltus_run *run);
/* Stores the values of guards before an event fires, in run->instant.r_before. */
void sal_arm_before_event(saltus_run *run);

/* Whether two events have the same guard. other: -1 if there is no other event. */
bool sal_events_share_guard(const saltus_system *system, int event, int other);

/* ---- barrier.c ------------------------------------------------------------------------------- */

/* Whether the event has this role in a contact. */
bool sal_contact_has_role(const saltus_system *system, int event, sal_contact_role role);
/* Whether the event is the touch of a contact that can close, not only bounce. */
bool sal_contact_closes(const saltus_system *system, int event);
/* Whether the contact of the event has just been left by the event `last` (-1: none). */
bool sal_contact_just_left(const saltus_system *system, int event, int last);
/* Whether the guard of the event is a barrier: it has a restitution, or is the touch of a contact.
 */
bool sal_is_barrier(const saltus_system *system, int event);

/* Handles a barrier that touches at the present state; rate: the rate of its guard. If it moves or
 * is pressed into what it touches, its event becomes pending (may_fire), or the run ends. */
void sal_barrier_touch(saltus_run *run, int event, double rate, bool may_fire);
/* Called when a guard, whose value is r, is seen on its other side at the end of the step without
 * its event: notes if a barrier was passed although there is something to touch. */
void sal_barrier_pass(saltus_run *run, int event, double r);
/* Watches a barrier that was passed: it has come back, is past zero by no more than the tolerance,
 * or the run ends because an event was missed. */
void sal_barrier_watch(saltus_run *run, int event, double r);
/* Whether an impact whose guard crosses zero at (t, x) is at rest there: it neither moves nor is
 * pressed. */
bool sal_barrier_rests(saltus_run *run, int event, double t, const double *x);

#endif
