/* Ties between sets of modes, decided by what holds a moment later.
 *
 * At a threshold several sets have the same rates: a block at its limit of friction sticks, or
 * slides with a slip whose rate is zero. The motion takes the set whose conditions also hold a
 * moment later (theory/contacts.md, "Ties"). */
#ifndef SAL_CONTACT_LATER_H
#define SAL_CONTACT_LATER_H

#include "contact/set.h"

/* Whether the modes in set->best also hold a moment later. */
typedef enum sal_contact_next {
    SAL_NEXT_HOLDS,   /* yes, without equalities: they are right */
    SAL_NEXT_TIES,    /* yes, with equalities: look further ahead */
    SAL_NEXT_CHANGED, /* no, but other modes hold now and later: these are in `best` */
    SAL_NEXT_NONE     /* no set of modes holds at both times: `best` stays */
} sal_contact_next;

/* Decides whether the modes in set->best, the answer to the problem `now`, also hold for `later`,
 * the problem of these contacts a moment later, and replaces them if others hold at both times.
 * `narrow` has room for as many contacts. On return, set->best is an answer to `now`. */
sal_contact_next sal_contact_decide(sal_contact_set *set, const sal_contact_problem *now,
                                    const sal_contact_problem *later, sal_contact_touch *narrow);

#endif
