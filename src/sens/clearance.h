/* Clearances: how far a motion is from having other events. */
#ifndef SAL_SENS_CLEARANCE_H
#define SAL_SENS_CLEARANCE_H

#include "sens/follow.h"

/* Kinds that change no sequence of events: a cost has a kink there, or jumps. */
static inline bool sal_clearance_is_soft(saltus_clearance_kind kind)
{
    return kind == SALTUS_CLEAR_SAMPLE || kind == SALTUS_CLEAR_NODE || kind == SALTUS_CLEAR_PEAK;
}

typedef struct sal_clearance {
    saltus_clearance_kind kind;
    int                   event;         /* of the system: the one whose guard it is */
    int                   first, second; /* occurrences, or -1 */
    int                   cost;          /* of the system: whose peaks it is about; else -1 */
    double                other;         /* of peaks: the time of the lower one */
    double                t, value;
    double               *gradient; /* by parameter */
} sal_clearance;

typedef struct sal_clearances {
    sal_arena arena; /* of gradients */
    SAL_ARRAY(sal_clearance) list;
} sal_clearances;

/* All clearances of the last simulation, whose gradients exist. The caller releases them, also
 * after a failure. */
saltus_status sal_clearances_find(saltus_run *run, const int *params, int count,
                                  sal_clearances *out, saltus_error *err);
void          sal_clearances_release(saltus_run *run, sal_clearances *clearances);

#endif
