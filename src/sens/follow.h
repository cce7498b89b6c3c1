/* Guards along a recorded motion: where they are zero, and where they turn (their rate is zero).
 *
 * Guards and their rates are evaluated at several places of each step, on its dense output.
 * Features between two places that change no sign at either are missed. */
#ifndef SAL_SENS_FOLLOW_H
#define SAL_SENS_FOLLOW_H

#include "sens/sens.h"

/* A place of the motion where a guard is zero or turns. */
typedef struct sal_guard_place {
    int    event;
    bool   turns; /* its rate is zero, not the guard itself */
    double t;
    double r, rate; /* the guard and its rate there; rate is 0 if it turns */
    double way;     /* if it turns: the sign of its rate afterwards */
    int    after;   /* the last occurrence before this place, or -1 */
    bool   allowed; /* the event's conditions are met there */
} sal_guard_place;

typedef SAL_ARRAY(sal_guard_place) sal_guard_places;

/* Appends all places of the run's last motion, step by step. A guard that moves away from zero at
 * the start is listed as turning there, since it might have started on the other side. */
saltus_status sal_follow_guards(saltus_run *run, sal_guard_places *places, saltus_error *err);

/* Derivatives that are written while tangents are carried through the motion. */
typedef struct sal_read_off {
    const sal_guard_place *places; /* in the order of time */
    int                    count;
    double *slope;  /* [place * params + param]: derivative of the guard; NaN: not reached */
    double *before; /* [(occurrence * states + state) * params + param]: derivative of the state
                     * before the occurrence; or NULL */
    double *end;    /* [state * params + param]: derivative of the state at the end; or NULL */
} sal_read_off;

/* Computes derivatives by parameters, at fixed times, by the direct method. start: derivatives of a
 * given initial state, [state * count + param], or NULL. States are q, v and all memories. */
saltus_status sal_follow_tangents(saltus_run *run, const int *params, int count,
                                  const double *start, const sal_read_off *out, saltus_error *err);

/* The number of states in sal_read_off. */
static inline size_t sal_follow_states(const saltus_system *system)
{
    return 2 * (size_t)system->n + (size_t)system->nm;
}

#endif
