/* Modes of many contacts by a pivoting method, where there are too many sets to try them all. */
#ifndef SAL_CONTACT_PIVOT_H
#define SAL_CONTACT_PIVOT_H

#include "contact/set.h"

/* Unknowns of the complementarity problem by contact: N, T+, T- and the speed of slip. */
enum { SAL_PIVOT_UNKNOWNS = 4 };

/* FOUND: set->best is a set of modes that fulfils all conditions; the preferred one, if it does. */
sal_contact_status sal_contact_pivot(sal_contact_set *set, const sal_contact_problem *problem);

#endif
