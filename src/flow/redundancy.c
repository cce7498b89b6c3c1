/* Constraints that follow from the others: see redundancy.h. */
#include "flow/redundancy.h"

#include <math.h>
#include <string.h>

static void drop(const sal_redundancy *redundancy, unsigned char *skip)
{
    sal_resize(&redundancy->allocator, skip, (size_t)redundancy->constraints, 0);
}

void sal_redundancy_clear(sal_redundancy *redundancy)
{
    for (int i = 0; i < redundancy->known.count; i++)
        drop(redundancy, redundancy->known.data[i].skip);
    redundancy->known.count = 0;
}

void sal_redundancy_release(sal_redundancy *redundancy)
{
    sal_redundancy_clear(redundancy);
    ARRAY_RELEASE(&redundancy->allocator, &redundancy->known);
}

static const sal_redundant *find(const sal_redundancy *redundancy, const sal_regime *regime)
{
    for (int i = 0; i < redundancy->known.count; i++)
        if (redundancy->known.data[i].regime == regime) return &redundancy->known.data[i];
    return NULL;
}

const unsigned char *sal_redundancy_mask(const sal_redundancy *redundancy, const sal_regime *regime)
{
    const sal_redundant *known = find(redundancy, regime);
    return known ? known->skip : NULL;
}

bool sal_redundancy_known(const sal_redundancy *redundancy, const sal_regime *regime)
{
    return find(redundancy, regime) != NULL;
}

/* Moves the independent coordinates by about that part of the largest one, lets the others follow,
 * and sees whether the constraints left out are off by less than a move of this size would make
 * them, if it mattered: it would in the second order. noise: by what they are off anyway. */
static bool hold_beside(sal_partition *p, sal_field *field, double move, double noise)
{
    const int n = p->system->n;
    double   *q = p->trial, *at_q = sal_u(field, SAL_LEAF_Q), size = 0.0, residual;
    memcpy(p->trial + n, at_q, (size_t)n * sizeof *q);
    for (int i = 0; i < n; i++) size = fmax(size, fabs(at_q[i]));
    memcpy(q, at_q, (size_t)n * sizeof *q);
    for (int i = 0, independent = 0; i < n; i++)
        if (p->dependent[i] < 0)
            q[i] += move * (size > 0.0 ? size : 1.0) * sin(1.0 + 2.7 * independent++);
    bool hold = sal_partition_positions(p, field, q, &residual) < 0;
    hold = hold && sal_partition_misfit(p, field, true).part <= 1e-3 * move * move + noise;
    memcpy(at_q, p->trial + n, (size_t)n * sizeof *q);
    return hold;
}

/* Whether the constraints left out follow from the others, and not in this position only. The
 * field's positions stay as they are. A mechanism far from the origin is small beside its
 * coordinates, and a move may be too large for it: then a smaller one tells. */
static bool hold_nearby(sal_partition *p, sal_field *field)
{
    if (p->active == p->system->n) return true; /* nothing moves */
    const double noise = 1e-14 + 10.0 * sal_partition_misfit(p, field, true).part;
    for (double move = 1e-3; move > 0.5e-5; move *= 0.1)
        if (hold_beside(p, field, move, noise)) return true;
    return false;
}

sal_rank sal_redundancy_find(sal_redundancy *redundancy, sal_partition *p, sal_field *field,
                             const int *rank, int *constraint)
{
    sal_redundant known = {field->regime, NULL};
    const int     count = sal_partition_choose(p, field, rank, SAL_PARTITION_FAIR);
    if (count < 0) return SAL_RANK_MEMORY;
    if (count > 0) {
        *constraint = 0;
        while (!p->redundant[*constraint]) ++*constraint;
        if (!hold_nearby(p, field)) return SAL_RANK_SINGULAR;
        known.skip = sal_resize(&redundancy->allocator, NULL, 0, (size_t)redundancy->constraints);
        if (!known.skip) return SAL_RANK_MEMORY;
        memcpy(known.skip, p->redundant, (size_t)redundancy->constraints);
    }
    if (!ARRAY_PUSH(&redundancy->allocator, &redundancy->known, known)) {
        drop(redundancy, known.skip);
        return SAL_RANK_MEMORY;
    }
    if (known.skip || field->skip) sal_field_switch(field, field->regime);
    return count > 0 ? SAL_RANK_REDUNDANT : SAL_RANK_FULL;
}
