/* Constraints that follow from the others in some regime.
 *
 * Such a constraint makes the matrix of the equations of motion singular, although the motion is
 * well defined; only how the load is shared is not. It is left out: its multiplier is zero. Which
 * ones they are is found when a run first enters the regime, and kept until the next run, so that
 * whatever is computed again is computed alike. */
#ifndef SAL_MOTION_REDUNDANCY_H
#define SAL_MOTION_REDUNDANCY_H

#include "motion/field.h"

typedef struct sal_redundant {
    const sal_regime *regime;
    unsigned char    *skip; /* by constraint; NULL: none is redundant */
    int *join; /* by event: another whose guard is added to that of this one, or -1; NULL: no event
                  has one */
} sal_redundant;

struct sal_redundancy {
    saltus_allocator allocator;
    int              constraints, events;
    SAL_ARRAY(sal_redundant) known;
};

void sal_redundancy_clear(sal_redundancy *redundancy);
void sal_redundancy_release(sal_redundancy *redundancy);
/* NULL: none, or not yet looked for. */
const unsigned char *sal_redundancy_mask(const sal_redundancy *redundancy,
                                         const sal_regime     *regime);
bool sal_redundancy_known(const sal_redundancy *redundancy, const sal_regime *regime);
/* Notes which constraints of a regime are redundant, by constraint; skip NULL: none is. False when
 * out of memory. */
bool sal_redundancy_note(sal_redundancy *redundancy, const sal_regime *regime,
                         const unsigned char *skip);

/* Notes which guards are added to others in a regime that is known, by event. False when out of
 * memory. Contacts that stick and depend on each other share their friction: one of them carries
 * all of it, and slips when all have reached their limits together. */
bool sal_redundancy_join(sal_redundancy *redundancy, const sal_regime *regime, const int *join);
/* The guards that are added to others in the regime; NULL: none are. */
const int *sal_redundancy_joins(const sal_redundancy *redundancy, const sal_regime *regime);

#endif
