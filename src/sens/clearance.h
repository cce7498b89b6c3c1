/* Clearances: how far a motion is from having other events. */
#ifndef SAL_SENS_CLEARANCE_H
#define SAL_SENS_CLEARANCE_H

#include "sens/follow.h"

/* Whether a clearance of this kind changes no sequence of events: only a cost has a kink or jumps
 * where it is zero. */
static inline bool sal_clearance_is_soft(saltus_clearance_kind kind)
{
    return kind == SALTUS_CLEAR_SAMPLE || kind == SALTUS_CLEAR_NODE || kind == SALTUS_CLEAR_PEAK;
}

typedef struct sal_clearance {
    saltus_clearance_kind kind;
    int                   event;         /* index of the event whose guard it uses */
    int                   first, second; /* occurrences, or -1 */
    int                   cost;          /* index of the cost whose peaks are compared; else -1 */
    double                other;         /* for peaks: the time of the less extreme one */
    double                t, value;
    double               *gradient; /* by parameter */
} sal_clearance;

typedef struct sal_clearances {
    sal_arena arena; /* memory of gradients */
    SAL_ARRAY(sal_clearance) list;
} sal_clearances;

/* Finds all clearances of the last simulation, which must have gradients. The caller releases them,
 * also after a failure. */
saltus_status sal_clearances_find(saltus_run *run, const int *params, int count,
                                  sal_clearances *out, saltus_error *err);
void          sal_clearances_release(saltus_run *run, sal_clearances *clearances);

#endif
