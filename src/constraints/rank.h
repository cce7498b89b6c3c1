/* Whether the constraints of a regime are independent, redundant (some follow from the others
 * wherever the mechanism is) or singular in a position. */
#ifndef SAL_CONSTRAINTS_RANK_H
#define SAL_CONSTRAINTS_RANK_H

#include "constraints/partition.h"
#include "motion/redundancy.h"

typedef enum sal_rank {
    SAL_RANK_FULL,
    SAL_RANK_REDUNDANT, /* some follow from the others; the redundancy knows them now */
    SAL_RANK_SINGULAR,  /* they depend on each other in this position only */
    SAL_RANK_MEMORY
} sal_rank;

/* Looks at the constraints of the field's regime, at its state, where they hold; p is overwritten.
 * rank: see sal_partition_choose. constraint: one that depends on others, unless SAL_RANK_FULL. */
sal_rank sal_rank_find(sal_redundancy *redundancy, sal_partition *p, sal_field *field,
                       const int *rank, int *constraint);

#endif
