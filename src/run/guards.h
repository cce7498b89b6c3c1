/* Guards at the present state of a run. */
#ifndef SAL_RUN_GUARDS_H
#define SAL_RUN_GUARDS_H

#include <math.h>

#include "run/run.h"

static inline int sal_sign(double r) { return (r > 0.0) - (r < 0.0); }

/* The event of the script that an event comes from; an empty one for kinks. */
static inline const sal_event *sal_event_source(const saltus_system *system, int event)
{
    static const sal_event none = {0};
    const int              user = system->event[event].user;
    return user < 0 ? &none : &system->model->events.data[user];
}

/* A time that is short for the motion. */
static inline double sal_run_short_time(const saltus_run *run)
{
    const double horizon = run->t_end - run->t0;
    return run->cursor.h > 0.0 ? fmin(run->cursor.h, horizon) : 1e-3 * horizon;
}

/* The direction in which the guard of an event fires: -1 falling, +1 rising, 0 either. */
static inline int sal_event_direction(const sal_compiled_event *event)
{
    return event->direction == SALTUS_ANY ? 0 : event->direction == SALTUS_RISING ? 1 : -1;
}

/* Whether the conditions (where=) of the event are met. */
static inline bool sal_event_conditions(saltus_run *run, int event)
{
    double nearest;
    return sal_locator_conditions(&run->locator, event, run->cursor.t, run->cursor.x, &nearest);
}

/* The error of the event's guard that the tolerance allows, at the present state. */
static inline double sal_guard_tolerance(saltus_run *run, int event)
{
    return sal_locator_tolerance(&run->locator, event, run->cursor.t, run->cursor.x);
}

/* The rounding error of the event's guard at the present state. */
static inline double sal_guard_rounding(saltus_run *run, int event)
{
    return sal_locator_rounding(&run->locator, event, run->cursor.t, run->cursor.x);
}

/* The drift allowed for the guard of a barrier that a constraint or other contacts hold: errors of
 * velocities add up over steps. The widest tolerance of a coordinate is used, since that of a
 * coordinate held at zero was narrowed. */
static inline double sal_guard_drift(saltus_run *run, int event)
{
    return sal_locator_allowance(&run->locator, event, run->cursor.t, run->cursor.x, false);
}

/* The drift allowed for the rate of a barrier's guard at (t, x). */
static inline double sal_guard_rate_drift(saltus_run *run, int event, double t, const double *x)
{
    return 1e2 * sal_locator_allowance(&run->locator, event, t, x, true);
}

/* The guard of the event at the present state; writes its rate if that is not NULL. */
static inline double sal_guard_now(saltus_run *run, int event, double *rate)
{
    return sal_locator_guard(&run->locator, event, run->cursor.t, run->cursor.x, NULL, rate);
}

/* The rounding error of the rate of the guard. */
static inline double sal_guard_rate_noise(saltus_run *run, int event)
{
    return sal_locator_noise(&run->locator, event, run->cursor.t, run->cursor.x).rate;
}

#endif
