/* Ties, decided by what comes next: see later.h. */
#include "contact/later.h"

#include <string.h>

/* Solves the problem with each contact restricted to its mode in set->best. */
static sal_contact_status solve_with(sal_contact_set *set, const sal_contact_problem *problem,
                                     sal_contact_touch *narrow)
{
    sal_contact_problem same = *problem;
    for (int k = 0; k < problem->contacts; k++) {
        narrow[k] = problem->contact[k];
        narrow[k].allowed &= (unsigned)set->best.mode[k];
    }
    same.contact = narrow;
    return sal_contact_set_solve(set, &same);
}

sal_contact_next sal_contact_decide(sal_contact_set *set, const sal_contact_problem *now,
                                    const sal_contact_problem *later, sal_contact_touch *narrow)
{
    sal_contact_next next = SAL_NEXT_NONE;
    if (solve_with(set, later, narrow) == SAL_CONTACT_FOUND)
        next = set->best.ties == 0 ? SAL_NEXT_HOLDS : SAL_NEXT_TIES;
    else if (sal_contact_set_solve(set, later) == SAL_CONTACT_FOUND &&
             solve_with(set, now, narrow) == SAL_CONTACT_FOUND)
        return SAL_NEXT_CHANGED;
    sal_contact_set_solve(set, now);
    return next;
}
