/* Redundant constraints: those that follow from the others in a regime.
 *
 * Such a constraint makes the matrix of the equations of motion singular, although the motion is
 * well defined; only the distribution of the load is not. It is left out: its multiplier is zero.
 * The redundant constraints are determined when a run first enters the regime and kept until the
 * next run, so that a step that is repeated gives the same result. */
#ifndef SAL_MOTION_REDUNDANCY_H
#define SAL_MOTION_REDUNDANCY_H

#include "motion/field.h"

typedef struct sal_redundant {
    const sal_regime *regime;
    unsigned char    *skip; /* by constraint; NULL: none is redundant */
    int *join; /* by event: another event whose guard is added to its guard, or -1; NULL: all -1 */
} sal_redundant;

struct sal_redundancy {
    saltus_allocator allocator;
    int              constraints, events;
    SAL_ARRAY(sal_redundant) known;
};

void sal_redundancy_clear(sal_redundancy *redundancy);
void sal_redundancy_release(sal_redundancy *redundancy);
/* Returns which constraints are redundant in the regime, by constraint; NULL: none, or not yet
 * known. */
const unsigned char *sal_redundancy_mask(const sal_redundancy *redundancy,
                                         const sal_regime     *regime);
/* Returns whether the redundant constraints of the regime were determined. */
bool sal_redundancy_known(const sal_redundancy *redundancy, const sal_regime *regime);
/* Notes which constraints of a regime are redundant, by constraint; skip NULL: none is. False when
 * out of memory. */
bool sal_redundancy_note(sal_redundancy *redundancy, const sal_regime *regime,
                         const unsigned char *skip);

/* Notes which guards are added to others, by event, in a regime whose redundant constraints are
 * known. False when out of memory. Sticking contacts whose constraints depend on each other share
 * their friction: one of them carries all of it, and slips when the sum of their limits is reached.
 */
bool sal_redundancy_join(sal_redundancy *redundancy, const sal_regime *regime, const int *join);
/* Returns the guards that are added to others in the regime, by event; NULL: none. */
const int *sal_redundancy_joins(const sal_redundancy *redundancy, const sal_regime *regime);

#endif
