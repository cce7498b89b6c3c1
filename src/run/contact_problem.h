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

#endif
