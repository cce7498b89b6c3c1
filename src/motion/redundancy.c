/* Remembers by regime which constraints are redundant, once constraints/partition.c has found them:
 * see redundancy.h. */
#include "motion/redundancy.h"

#include <string.h>

static void drop(const sal_redundancy *redundancy, const sal_redundant *known)
{
    sal_resize(&redundancy->allocator, known->skip, (size_t)redundancy->constraints, 0);
    sal_resize(&redundancy->allocator, known->join,
               (size_t)redundancy->events * sizeof *known->join, 0);
}

void sal_redundancy_clear(sal_redundancy *redundancy)
{
    for (int i = 0; i < redundancy->known.count; i++) drop(redundancy, &redundancy->known.data[i]);
    redundancy->known.count = 0;
}

void sal_redundancy_release(sal_redundancy *redundancy)
{
    sal_redundancy_clear(redundancy);
    ARRAY_RELEASE(&redundancy->allocator, &redundancy->known);
}

static sal_redundant *find(const sal_redundancy *redundancy, const sal_regime *regime)
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

bool sal_redundancy_note(sal_redundancy *redundancy, const sal_regime *regime,
                         const unsigned char *skip)
{
    sal_redundant known = {regime, NULL, NULL};
    const size_t  bytes = (size_t)redundancy->constraints;
    if (skip) {
        known.skip = sal_resize(&redundancy->allocator, NULL, 0, bytes);
        if (!known.skip) return false;
        memcpy(known.skip, skip, bytes);
    }
    if (ARRAY_PUSH(&redundancy->allocator, &redundancy->known, known)) return true;
    drop(redundancy, &known);
    return false;
}

bool sal_redundancy_join(sal_redundancy *redundancy, const sal_regime *regime, const int *join)
{
    sal_redundant *known = find(redundancy, regime);
    const size_t   bytes = (size_t)redundancy->events * sizeof *join;
    if (!known || known->join) return true;
    known->join = sal_resize(&redundancy->allocator, NULL, 0, bytes);
    if (!known->join) return false;
    memcpy(known->join, join, bytes);
    return true;
}

const int *sal_redundancy_joins(const sal_redundancy *redundancy, const sal_regime *regime)
{
    const sal_redundant *known = find(redundancy, regime);
    return known ? known->join : NULL;
}
