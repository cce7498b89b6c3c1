/* One set of modes: its forces, its rates, and whether they fulfil the conditions of set.h. */
#ifndef SAL_CONTACT_TRIAL_H
#define SAL_CONTACT_TRIAL_H

#include "contact/set.h"

/* The coefficient of friction for contacts that begin to slide. */
typedef enum sal_contact_onset { SAL_ONSET_KINETIC, SAL_ONSET_STATIC } sal_contact_onset;

/* The direction of a slide, +1 or -1; 0 if the mode is no slide. */
int sal_contact_direction(sal_contact_mode mode);
/* Whether a contact takes part: dry friction on a coordinate does not in impacts. */
bool sal_contact_takes_part(const sal_contact_problem *problem, int c);
/* The rate that the normal row of a closed contact must have. */
double sal_contact_target(const sal_contact_problem *problem, int c);
/* The modes that are possible for a contact and allowed. */
unsigned sal_contact_candidates(const sal_contact_problem *problem, int c);

/* Solves for the forces and rates of the modes in set->mode. Returns whether set->trial fulfils all
 * conditions. */
bool sal_contact_try(sal_contact_set *set, const sal_contact_problem *problem,
                     sal_contact_onset onset);

/* Returns +1 or -1 if two rows of D = W A W' have the same motion, up to this sign; else 0. The
 * test is on the square of their difference, (w_a - w_b) A (w_a - w_b)', as the test of pivots for
 * dependent rows is, so that contacts that have drifted apart by the tolerance still pass. */
int sal_contact_same_motion(const double *D, int rows, int a, int b, double rounding);

/* Whether two sets lead to the same motion. */
bool sal_contact_same_rates(const sal_contact_problem *problem, const sal_contact_answer *a,
                            const sal_contact_answer *b);
/* Whether set a is preferable to set b, which has equal rates. */
bool sal_contact_is_better(const sal_contact_answer *a, const sal_contact_answer *b);
/* Exchanges two answers, with their memory. */
void sal_contact_exchange(sal_contact_answer *a, sal_contact_answer *b);

#endif
