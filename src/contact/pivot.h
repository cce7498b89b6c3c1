/* Modes of many contacts by a pivoting method, where there are too many sets to try them all. */
#ifndef SAL_CONTACT_PIVOT_H
#define SAL_CONTACT_PIVOT_H

#include "contact/set.h"

/* Unknowns of the complementarity problem by contact: N, T+, T- and the speed of slip. */
enum { SAL_PIVOT_UNKNOWNS = 4 };

/* Finds a set of modes that fulfils all conditions. FOUND: it is in set->best, and is the preferred
 * one if that fulfils them. */
sal_contact_status sal_contact_pivot(sal_contact_set *set, const sal_contact_problem *problem);

#endif
