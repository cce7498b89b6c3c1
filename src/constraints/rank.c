/* The rank of constraints: see rank.h. */
#include "constraints/rank.h"

#include <math.h>

/* Moves the independent coordinates by about that part of the largest one, lets the others follow,
 * and sees whether the constraints left out are off by less than a move of this size would make
 * them, if it mattered: it would in the second order. noise: by what they are off anyway. */
static bool hold_beside(sal_partition *p, sal_field *field, double move, double noise)
{
    const int n = p->system->n;
    double   *q = p->trial, *at_q = sal_u(field, SAL_LEAF_Q), size = 0.0, residual;
    sal_copy(p->trial + n, at_q, n);
    for (int i = 0; i < n; i++) size = fmax(size, fabs(at_q[i]));
    sal_copy(q, at_q, n);
    for (int i = 0, independent = 0; i < n; i++)
        if (p->dependent[i] < 0)
            q[i] += move * (size > 0.0 ? size : 1.0) * sin(1.0 + 2.7 * independent++);
    bool hold = sal_partition_positions(p, field, q, &residual) < 0;
    hold = hold && sal_partition_misfit(p, field, true).part <= 1e-3 * move * move + noise;
    sal_copy(at_q, p->trial + n, n);
    return hold;
}

/* Whether all that is left out is friction of contacts that stick: no equation of positions, and
 * the contacts are looked at again at every event. */
static bool only_friction(const sal_partition *p, const sal_regime *regime)
{
    for (int j = 0; j < p->system->nmu; j++) {
        const sal_constraint *constraint = &p->system->model->constraints.data[j];
        if (regime->on[j] && p->redundant[j] && !(constraint->velocity && constraint->found))
            return false;
    }
    return true;
}

/* Whether the constraints left out follow from the others, and not in this position only. The
 * field's positions stay as they are. A mechanism far from the origin is small beside its
 * coordinates, and a move may be too large for it: then a smaller one tells. */
static bool hold_nearby(sal_partition *p, sal_field *field)
{
    if (p->active == p->system->n || only_friction(p, field->regime)) return true;
    const double noise = 1e-14 + 10.0 * sal_partition_misfit(p, field, true).part;
    for (double move = 1e-3; move > 0.5e-5; move *= 0.1)
        if (hold_beside(p, field, move, noise)) return true;
    return false;
}

sal_rank sal_rank_find(sal_redundancy *redundancy, sal_partition *p, sal_field *field,
                       const int *rank, int *constraint)
{
    const int count = sal_partition_choose(p, field, rank, SAL_PARTITION_FAIR);
    if (count < 0) return SAL_RANK_MEMORY;
    if (count > 0) {
        *constraint = 0;
        while (!p->redundant[*constraint]) ++*constraint;
        if (!hold_nearby(p, field)) return SAL_RANK_SINGULAR;
    }
    if (!sal_redundancy_note(redundancy, field->regime, count > 0 ? p->redundant : NULL))
        return SAL_RANK_MEMORY;
    if (count > 0 || field->skip) sal_field_switch(field, field->regime);
    return count > 0 ? SAL_RANK_REDUNDANT : SAL_RANK_FULL;
}
