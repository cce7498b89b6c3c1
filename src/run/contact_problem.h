/* The problem of all contacts that touch at an instant (contact/set.h): how its rows and responses
 * are set up, and what becomes of the run if it has no solution or several. */
#ifndef SAL_RUN_CONTACT_PROBLEM_H
#define SAL_RUN_CONTACT_PROBLEM_H

#include "contact/trial.h"
#include "run/run.h"

/* Rounding errors of rates, relative to the terms of which they are sums. */
#define SAL_CONTACT_ROUNDING 1e-9

/* The regime `to` with the modes that were found for the first `found` of the contacts that touch;
 * the others are open. */
const sal_regime *sal_contact_regime(saltus_run *run, const sal_regime *to, int found);
/* Finds which constraints of the field's regime are needed, at the state in the field, unless
 * that is known. Ends the run if out of memory. False: they depend on each other in this position
 * only. */
bool sal_contact_know_rank(saltus_run *run, sal_field *field);
/* Puts the field of contacts into the regime in which no contact acts, at this state. False: the
 * run has ended. */
bool sal_contact_enter_free(saltus_run *run, const sal_regime *to, double t, const double *x,
                            const double *c);
/* Finds the rates, which should be zero, that active constraints have before the event
 * (contacts.drift): the drift of closed contacts is no motion after the event either. jumped:
 * velocities jump; else there is no drift to find. False: the run has ended. */
bool sal_contact_find_drift(saltus_run *run, const sal_regime *to, bool jumped);
/* Adds contact i to the list of those that touch. */
sal_contact_touch *sal_contact_add_touch(saltus_run *run, int i, bool impact);
/* The size of the terms of the rate w v, plus a thousandth of their size if all coordinates were as
 * fast as the fastest one, now or before: impacts and accelerations mix coordinates. */
double sal_contact_mixed_size(const double *w, const double *v, const double *before, int n);
/* Computes D = W A W^T, where A is the response of the mechanism without these contacts to forces
 * on the coordinates; in an impact the law of the event itself is included. moving: velocities, or
 * accelerations, that the free rates are sums of. False: singular. */
bool sal_contact_find_response(saltus_run *run, bool impact, const double *moving);
/* The problem, as contact/set.h takes it, from what has been found so far. */
sal_contact_problem sal_contact_problem_of(const sal_contacts *c, bool impact);
/* Solves the problem; the answer is in run->contacts.set. */
sal_contact_status sal_contact_attempt(saltus_run *run, bool impact);
/* Takes the answer: notes a contact at a threshold, or ends the run if there is no unique answer,
 * unless the law of a single contact will report that. False: there is no answer. */
bool sal_contact_conclude(saltus_run *run, const sal_event *of, double t, bool impact,
                          sal_contact_status status);

/* Finds the regime after the event (-1: of the start) that leads to `to`, at this state. impact:
 * the regime in which contacts collided, or NULL. NULL: the run has ended. In contact_after.c. */
const sal_regime *sal_contact_find_modes(saltus_run *run, int event, const sal_regime *to,
                                         const sal_regime *impact, double t, const double *x,
                                         const double *memories);

/* ---- contact_evaluate.c ---------------------------------------------------------------------- */

/* Contact i of those whose modes the run finds. */
const sal_contact *sal_contact_at(const saltus_run *run, int i);
/* Which of the modes of a contact (SAL_OPEN, ...) is active in the regime. */
int sal_contact_mode_in(const sal_contact *contact, const sal_regime *regime);
/* A mode of a contact (SAL_OPEN, ...) in terms of contact/set.h. */
sal_contact_mode sal_contact_set_mode(const sal_contact *contact, int mode);
/* A mode of contact/set.h as a mode of a contact (SAL_OPEN, ...). */
int sal_contact_mode_of_set(sal_contact_mode mode);
/* The event of the script, if it belongs to a contact whose modes the run finds; else NULL. */
const sal_event *sal_contact_event(const saltus_run *run, int event);
/* Whether the event, which may be NULL, belongs to this contact. */
bool sal_contact_is_of(const sal_event *event, int contact);
/* The event of a contact with this role that may happen in the regime (NULL: in any); -1: there is
 * none. */
int sal_contact_event_with(const saltus_run *run, int contact, sal_contact_role role,
                           const sal_regime *regime);
/* The event at which a contact touches. */
int sal_contact_touch_event(const saltus_run *run, int contact);
/* The event that happens to contact i at this instant: the event that fires, if it belongs to the
 * contact; else an event of the contact whose guard is joined with that of the event that fires
 * (shared friction), or that is pending; else the event that fires. */
const sal_event *sal_contact_event_of(const saltus_run *run, int i, int event);
/* Whether the contact exists in the modes of the regime. */
bool sal_contact_exists(const saltus_run *run, int i, const sal_regime *to);
/* Whether an open contact touches, at the state in the field. One that was released, or that others
 * hold, touches until it is seen beyond its drift. */
bool sal_contact_is_touching(saltus_run *run, int i, double t, const double *x);
/* Whether the gap of a contact, without its drift, is zero to rounding. */
bool sal_contact_is_at_zero(saltus_run *run, int i, double t, const double *x);
/* Whether a contact that is open in the regime has been held closed, so that it has not been seen
 * to open. */
bool sal_contact_was_held(const saltus_run *run, int i, const sal_regime *to);
/* Whether the slip of a contact cannot be told from zero, because it has just begun to slide or is
 * held by others. */
bool sal_contact_slip_is_unseen(const saltus_run *run, int i, double slip);
/* Evaluates values and rates of all constraints and the coefficients of contacts, at the state in
 * the field, and empties the list of contacts that touch. */
void sal_contacts_evaluate(saltus_run *run);
/* Whether the event sets positions or velocities. */
bool sal_contact_sets_motion(const saltus_run *run, int event);

#endif
