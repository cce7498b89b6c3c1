/* One set of modes: its forces, its rates, and whether they fulfil the conditions of set.h. */
#ifndef SAL_CONTACT_TRIAL_H
#define SAL_CONTACT_TRIAL_H

#include "contact/set.h"

/* Friction of contacts that begin to slide: usually the kinetic one. */
typedef enum sal_contact_onset { SAL_ONSET_KINETIC, SAL_ONSET_STATIC } sal_contact_onset;

/* +1, -1, or 0 if the mode is no slide. */
int sal_contact_direction(sal_contact_mode mode);
/* Dry friction on a coordinate takes no part in impacts. */
bool sal_contact_takes_part(const sal_contact_problem *problem, int c);
/* What the rate of a closed normal row is. */
double sal_contact_target(const sal_contact_problem *problem, int c);
/* The modes it can have at all and may have. */
unsigned sal_contact_candidates(const sal_contact_problem *problem, int c);

/* Solves with the modes in set->mode. True: set->trial fulfils all conditions. */
bool sal_contact_try(sal_contact_set *set, const sal_contact_problem *problem,
                     sal_contact_onset onset);

/* +1 or -1 where two rows of D = W A W' move the same, in the same or in opposite directions; else
 * 0. What is small is the square of their difference, (w_a - w_b) A (w_a - w_b)', as a pivot of D
 * is where rows depend on each other: contacts that drift by the tolerance still do. */
int sal_contact_same_motion(const double *D, int rows, int a, int b, double rounding);

/* Whether two sets lead to the same motion. */
bool sal_contact_same_rates(const sal_contact_problem *problem, const sal_contact_answer *a,
                            const sal_contact_answer *b);
/* Of two sets with equal rates: whether a is to be preferred. */
bool sal_contact_is_better(const sal_contact_answer *a, const sal_contact_answer *b);
/* Answers keep their memory and change places. */
void sal_contact_exchange(sal_contact_answer *a, sal_contact_answer *b);

#endif
