/* Guards along a recorded motion: where they are zero, and where they turn.
 *
 * The steps are looked at on their dense output, at several places each, with the rates that the
 * equations of motion give there. A feature between two places that shows in neither is missed. */
#ifndef SAL_SENS_FOLLOW_H
#define SAL_SENS_FOLLOW_H

#include "sens/sens.h"

/* A place of the motion where a guard is zero or turns. */
typedef struct sal_guard_place {
    int    event;
    bool   turns; /* its rate is zero, not the guard itself */
    double t;
    double r, rate; /* of the guard there; of one that turns, rate is 0 */
    double way;     /* of one that turns: the sign of its rate after that */
    int    after;   /* the last occurrence before it, or -1 */
    bool   allowed; /* the event's conditions are met there */
} sal_guard_place;

typedef SAL_ARRAY(sal_guard_place) sal_guard_places;

/* Appends all places of the run's last motion, step by step. A guard that moves away from zero at
 * the start, so that it might have been on the other side, turns there. */
saltus_status sal_follow_guards(saltus_run *run, sal_guard_places *places, saltus_error *err);

/* What is read off while tangents are carried through the motion. */
typedef struct sal_read_off {
    const sal_guard_place *places; /* by time */
    int                    count;
    double *slope;  /* [place * params + param]: of the guard at that time; NaN: not met */
    double *before; /* [(occurrence * states + state) * params + param], or NULL */
    double *end;    /* [state * params + param]: of the state at the end, or NULL */
} sal_read_off;

/* Derivatives by parameters at fixed times, by the direct method. start: those of a start that is
 * given, [state * count + param], or NULL. States are q, v and all memories. */
saltus_status sal_follow_tangents(saltus_run *run, const int *params, int count,
                                  const double *start, const sal_read_off *out, saltus_error *err);

/* The number of states that sal_follow_tangents reads off. */
static inline size_t sal_follow_states(const saltus_system *system)
{
    return 2 * (size_t)system->n + (size_t)system->nm;
}

#endif
