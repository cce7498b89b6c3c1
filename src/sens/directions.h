/* Derivatives by some parameters, or along some directions, that are carried forward through the
 * motion: what is needed at its start, at its events and at its end. tangent.c walks over the
 * record with them, fast/simultaneous.c carries them along with the simulation. */
#ifndef SAL_SENS_DIRECTIONS_H
#define SAL_SENS_DIRECTIONS_H

#include "run/fields.h"
#include "sens/accuracy.h"

/* Tangents, in lanes, that are carried through the motion: derivatives by parameters or along
 * directions. */
typedef struct sal_directions {
    int          count;
    int          params[SAL_RUN_LANES];
    double       value[SAL_RUN_LANES]; /* by lane: the value of its parameter */
    sal_tangent  tangent;
    sal_accuracy accuracy; /* accuracy of the present walk */
    sal_accuracy before;   /* accuracy of the previous walk over the same motion */
    double      *end;      /* tangents of the end of the horizon */
    /* Directions of the initial state (q, v, c) and of all parameters, [row * columns + lane], used
     * instead of `params`; or NULL. */
    const double *start, *param_directions;
    int           columns;
} sal_directions;

void sal_directions_init(sal_directions *way, const saltus_system *system, sal_arena *arena);

/* Chooses the parameters, in `lanes` lanes (sal_sens_lanes). */
void sal_directions_choose(sal_directions *way, const int *params, int count, int lanes);
/* Sets the tangents to those of the start of the motion. */
void sal_directions_begin(saltus_run *run, sal_directions *way);
/* The direct method at an event, whose jump is in run->jump with its rates: adds the tangent of the
 * event's time, unless the event shares the time of the previous event or of the start. */
void sal_directions_delay(saltus_run *run, const sal_occurrence *o, sal_directions *way);
/* Whether the steps of the motion were short enough for the tangents. */
bool sal_directions_suffice(const saltus_run *run, const sal_directions *way);

#endif
