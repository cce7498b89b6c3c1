/* Barriers: guards that nothing may pass, those of impacts and of contacts that close.
 *
 * A barrier that is touched and not left fires at once, or the body sinks and the run ends; one
 * that neither moves nor is pressed rests, and its motion within the tolerance is ignored. */
#ifndef SAL_RUN_BARRIER_H
#define SAL_RUN_BARRIER_H

#include "run/run.h"

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
