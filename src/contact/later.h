/* Ties between sets of modes, decided by what comes next.
 *
 * At a threshold several sets have the same rates: a block at its limit of friction sticks, or
 * slides with a slip whose rate is zero. The one whose conditions also hold a moment later is the
 * one that the motion takes (theory/contacts.md, "Ties"). */
#ifndef SAL_CONTACT_LATER_H
#define SAL_CONTACT_LATER_H

#include "contact/set.h"

/* What is known of the modes that were found. */
typedef enum sal_contact_next {
    SAL_NEXT_HOLDS,   /* they hold later, too, without equalities: they are right */
    SAL_NEXT_TIES,    /* they hold later, with equalities: look further ahead */
    SAL_NEXT_CHANGED, /* others hold now and later: these are in `best` */
    SAL_NEXT_NONE     /* no set holds at both: `best` stays */
} sal_contact_next;

/* `now` is the problem whose answer is in set->best, `later` the same contacts a moment later;
 * `narrow` has room for as many contacts. Afterwards set->best is an answer of `now`. */
sal_contact_next sal_contact_decide(sal_contact_set *set, const sal_contact_problem *now,
                                    const sal_contact_problem *later, sal_contact_touch *narrow);

#endif
