/* The problem of all contacts that touch at an instant (contact/set.h): its rows and responses, and
 * what becomes of the run if it has no solution or several. */
#ifndef SAL_RUN_CONTACT_PROBLEM_H
#define SAL_RUN_CONTACT_PROBLEM_H

#include "contact/trial.h"
#include "run/run.h"

/* Errors of rates, relative to what they are sums of. */
#define SAL_CONTACT_ROUNDING 1e-9

/* The regime `to` with the modes that were found for the first `found` of the contacts that touch;
 * the others are open. */
const sal_regime *sal_contact_regime(saltus_run *run, const sal_regime *to, int found);
/* Enters the regime in which none of the contacts acts, at this state. */
bool sal_contact_enter_free(saltus_run *run, const sal_regime *to, double t, const double *x,
                            const double *c);
/* The rates that constraints have before the event at whose state contacts are looked at, although
 * they should be zero: what contacts that are closed have drifted is no motion after it either. */
bool sal_contact_find_drift(saltus_run *run, const sal_regime *to, bool jumped);
/* Adds a contact to those that touch. */
sal_contact_touch *sal_contact_add_touch(saltus_run *run, int i, bool impact);
/* What the rate along w is the sum of; and a thousandth of what it would be if all coordinates were
 * as fast as the fastest, now or before: impacts and accelerations mix them. */
double sal_contact_mixed_size(const double *w, const double *v, const double *before, int n);
/* D = W A W^T, where A is what forces on the coordinates do to the mechanism without these
 * contacts: in an impact with the law of the event itself. moving: velocities, or accelerations;
 * free rates are sums of terms of that size. */
bool sal_contact_find_response(saltus_run *run, bool impact, const double *moving);
/* What was found so far, as contact/set.h takes it. */
sal_contact_problem sal_contact_problem_of(const sal_contacts *c, bool impact);
/* Solves the problem. */
sal_contact_status sal_contact_attempt(saltus_run *run, bool impact);
/* Takes the answer. False: there is none, and the run has ended. */
bool sal_contact_conclude(saltus_run *run, const sal_event *of, double t, bool impact,
                          sal_contact_status status);

/* The regime after the event (-1: of the start) that leads to `to`, at this state; impact: that in
 * which contacts collided, or NULL. NULL: the run has ended. In contact_after.c. */
const sal_regime *sal_contact_find_modes(saltus_run *run, int event, const sal_regime *to,
                                         const sal_regime *impact, double t, const double *x,
                                         const double *memories);

/* ---- contact_look.c -------------------------------------------------------------------------- */

/* Contact i of those whose modes the run finds. */
const sal_contact *sal_contact_at(const saltus_run *run, int i);
/* Which of the modes of a contact (SAL_OPEN, ...) is active in the regime. */
int sal_contact_mode_in(const sal_contact *contact, const sal_regime *regime);
/* That mode as the set of contacts (contact/set.h) calls it, and back. */
sal_contact_mode sal_contact_set_mode(const sal_contact *contact, int mode);
int              sal_contact_mode_of_set(sal_contact_mode mode);
/* The event as one of a contact; NULL: it is none. */
const sal_event *sal_contact_event(const saltus_run *run, int event);
/* Whether the event, which may be NULL, is one of this contact. */
bool sal_contact_is_of(const sal_event *event, int contact);
/* The event of a contact with this role, that may happen in the regime (NULL: in any). */
int sal_contact_event_with(const saltus_run *run, int contact, sal_contact_role role,
                           const sal_regime *regime);
/* The event at which it touches. */
int sal_contact_touch_event(const saltus_run *run, int contact);
/* What happens to contact i at this instant: the event that fires, one that shares its guard with
 * it because both contacts share their friction, or another that is pending. */
const sal_event *sal_contact_event_of(const saltus_run *run, int i, int event);
/* Whether the contact is there in the modes of the regime. */
bool sal_contact_exists(const saltus_run *run, int i, const sal_regime *to);
/* Whether a contact that is open touches, at the state in the field. One that was released, or that
 * others hold, does so as long as it is not seen beyond what it has drifted. */
bool sal_contact_is_touching(saltus_run *run, int i, double t, const double *x);
/* Whether its gap, less what it had drifted, is zero to rounding. */
bool sal_contact_is_at_zero(saltus_run *run, int i, double t, const double *x);
/* Whether a contact that is open in the regime has not been seen to open. */
bool sal_contact_was_held(const saltus_run *run, int i, const sal_regime *to);
/* Whether the slip of a contact cannot be told from zero: it has just begun to slide, or it is held
 * by others. */
bool sal_contact_slip_is_unseen(const saltus_run *run, int i, double slip);
/* Values and rates of all constraints, and the numbers of contacts, at the state in the field. */
void sal_contact_look(saltus_run *run);
/* Whether the event sets positions or velocities. */
bool sal_contact_sets_motion(const saltus_run *run, int event);

#endif
