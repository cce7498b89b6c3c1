/* Finding events inside a step.
 *
 * Each guard has a known side, positive or negative, which is part of the state of a run. An event
 * is found where its guard is seen on the other side by more than rounding. Nothing else changes
 * the known side; a guard may well be zero, nearly or exactly, for an instant or for a while.
 *
 * Inside a step the guard is evaluated on the dense output, and the root finder (roots.h) finds all
 * its sign changes in order. Most guards that are as smooth as the motion are excluded before that
 * (fast/screen.c). Guards that are linear in time and contain nothing else that changes (clocks)
 * need neither: their time is known.
 *
 * The dense output is only an approximation, so a crossing found here is where the search for the
 * event begins: run/step_onto.c takes true steps until the guard is zero to rounding. */
#ifndef SAL_LOCATE_LOCATE_H
#define SAL_LOCATE_LOCATE_H

#include "locate/roots.h"
#include "motion/motion.h"

/* The known side of a guard, and what else is remembered about it. Part of the state of a run. */
typedef struct sal_guard_state {
    int    side;    /* the known side, +1 or -1; 0: unknown, the first side seen is taken */
    double offset;  /* subtracted from the guard: the drift of a constraint just released */
    double band;    /* a side is seen only beyond this, or beyond rounding if larger */
    double firm;    /* the part of `band` that does not come from errors of steps */
    double scale;   /* the recent size of the guard: the largest, halved after each step */
    double largest; /* the largest size of the guard so far */
    bool   thrown;  /* the guard is past zero at the start of the run, where its event fires */
    bool   passed;  /* the guard of a barrier went past zero, and its event has not happened */
} sal_guard_state;

/* The band of a guard in a step whose error is at most this share of the tolerance. */
static inline double sal_watch_band(const sal_guard_state *watch, double share)
{
    const double least = watch->firm > share * watch->band ? watch->firm : share * watch->band;
    return least < watch->band ? least : watch->band;
}

/* A zero crossing of a guard inside a step. */
typedef struct sal_crossing {
    int    event;
    double theta;   /* where it is in the step, from 0 to 1 */
    double nearest; /* the smallest |condition| (where=); INFINITY: it has none */
    int    side;    /* the sign of the guard before the crossing */
    bool   jumps;   /* the guard of a kink jumps over zero, as at a pole */
} sal_crossing;

/* A guard that touched zero without crossing it. */
typedef struct sal_touch {
    int    event; /* -1: none */
    double theta;
} sal_touch;

/* The value of a guard at some place of a step, with its derivatives by time. */
typedef struct sal_guard_sample {
    double r, slope; /* its value and its rate */
    double r_ddot;   /* its second derivative: only of linear guards at the ends of a step */
} sal_guard_sample;

/* SAL_SAMPLE_PLACES: the places where every guard is evaluated if the step must be searched; the
 * root finder starts with these. SAL_PLACES: those, and the places that the root finder may
 * evaluate next. */
enum {
    SAL_SAMPLE_PLACES = SAL_ROOTS_DEGREE / 2 + 3,
    SAL_PLACES = SAL_SAMPLE_PLACES + SAL_ROOTS_DEGREE / 2
};
/* A quick look at guards, which makes most searches unnecessary: locate/fast/screen.h. */
typedef struct sal_screen sal_screen;

typedef struct sal_locator {
    sal_field              field; /* a field of its own: stages of the step do not change */
    const sal_guard_state *watch; /* by event: the state of its guard; owned by the run */
    double                 rtol;  /* relative tolerance of the run */
    const double          *atol;  /* absolute tolerances, by position and velocity */
    sal_bases              bases;
    double                 place[SAL_PLACES]; /* places where guards are evaluated, from 0 to 1 */
    double                *weights;           /* weights of the dense output at these places */
    double                *samples; /* by event: its guard at the first SAL_SAMPLE_PLACES places */
    double                *kept;    /* layout.size: u of the field, unperturbed */
    sal_guard_sample      *now;     /* by event: the guard at the state evaluated last */
    int                   *side;    /* by event: the side at the end of the step, by the search */
    /* By event: where its guard first changed sides without an event, or INFINITY. */
    double *passed;
    /* By event: its guard changed sides while only conditions on speeds were not met. */
    bool        *slipped;
    bool         end_seen; /* `now` holds values at the end of the step */
    sal_screen  *screen;
    double      *x, *k;        /* 2n */
    double      *x_noise;      /* 2n: a state at which rounding errors are estimated */
    double      *du;           /* layout.size */
    double      *conditions;   /* values of the conditions (where=) of one event */
    double       share;        /* a bound on the error of the dense output, in tolerances */
    sal_touch    touch;        /* the first touch found in the step */
    int          unresolved;   /* an event whose guard changes too fast, or -1 */
    sal_crossing missed;       /* a crossing whose condition is nearly zero; event -1: none */
    int          undefined;    /* an event whose guard is not a number in the step, or -1 */
    double       undefined_at; /* where that guard is not a number */
} sal_locator;

/* Allocates the locator. max_lanes: the most lanes that tangents and adjoints of its field will
 * have. */
saltus_status sal_locator_init(sal_locator *locator, const saltus_system *system,
                               const sal_step *step, int max_lanes, sal_arena *arena,
                               saltus_error *err);
void          sal_locator_release(sal_locator *locator);

/* Begins with a step just taken: nothing is known at its end. */
void sal_locator_begin(sal_locator *locator);
/* Begins a search: nothing was found in the step. */
void sal_locator_begin_search(sal_locator *locator);
/* Makes the end of an accepted step the start of the next one. */
void sal_locator_moved(sal_locator *locator);
/* Forgets values at the ends of the step: the next step does not continue it. */
void sal_locator_forget(sal_locator *locator);

/* Evaluates all guards of the field's regime at the first SAL_SAMPLE_PLACES places of the step just
 * taken, whose dense stages have been evaluated. */
void sal_locator_sample(sal_locator *locator, const sal_step *step);

/* Finds the first crossing of the event's guard in its direction and with its conditions met, in
 * the step that was sampled. Crossings after `enough` need not be found. False: there is none. */
bool sal_locate(sal_locator *locator, const sal_step *step, int event, double enough,
                sal_crossing *crossing);

/* The side of the event's guard at theta, or just before its event if that comes earlier. */
int sal_locate_side(sal_locator *locator, const sal_step *step, int event, double theta);

/* The time when the guard of a clock will be zero, from its value and rate at time t; INFINITY: it
 * moves away from zero. */
double sal_locator_clock(sal_locator *locator, int event, double t);

/* The guard and its rate at (t, x) with accelerations a (NULL: evaluated here). */
double sal_locator_guard(sal_locator *locator, int event, double t, const double *x,
                         const double *a, double *rate);
/* Evaluates all guards of the field's regime at (t, x) into `now`, except that of the event `known`
 * (-1: none), which is there already. */
void sal_locator_values(sal_locator *locator, double t, const double *x, int known);
/* Evaluates all guards of the field's regime at the end of the step into `now`, unless that was
 * done already, except that of the event `known` (-1: none). */
void sal_locator_see_end(sal_locator *locator, const sal_step *step, int known);
/* Evaluates all guards of the field's regime and their rates into `now`, at (t, x) with
 * accelerations a. */
void sal_locator_rates(sal_locator *locator, double t, const double *x, const double *a);

/* Rounding errors of a guard and of its rate at (t, x), estimated by perturbing everything they are
 * computed from, time included, in the last digits. */
typedef struct sal_noise {
    double r, rate;
} sal_noise;
sal_noise sal_locator_noise(sal_locator *locator, int event, double t, const double *x);
/* The rounding error of the guard after some time: accelerations are rounded, and velocities are
 * their integrals. */
double sal_locator_noise_after(sal_locator *locator, int event, double t, const double *x,
                               double time);
/* The rounding error of the guard at (t, x) alone: cheaper than sal_locator_noise. */
double sal_locator_rounding(sal_locator *locator, int event, double t, const double *x);

/* The error of a guard at (t, x) that the tolerance allows: the effect of the errors that one step
 * may make. */
double sal_locator_tolerance(sal_locator *locator, int event, double t, const double *x);

/* The widest absolute tolerance of a position, or of a velocity. */
double sal_locator_widest(const sal_locator *locator, bool rate);
/* The error that the tolerance allows for a guard of positions at (t, x), or for its rate, if all
 * coordinates have the widest absolute tolerance. */
double sal_locator_allowance(sal_locator *locator, int event, double t, const double *x, bool rate);

/* The direction in which the guard moves at (t, x): the sign of its rate or, if that is only
 * rounding, of its second derivative; 0: neither is more than rounding. The second derivative is a
 * difference over a small part of `time`. */
int sal_locator_direction(sal_locator *locator, int event, double t, const double *x, double time);

/* The second derivative of the guard along the motion, as a difference over a small part of
 * time_scale. */
double sal_locator_curvature(sal_locator *locator, int event, double t, const double *x,
                             double time_scale);
/* The second derivative of the guard along the motion, or 0 if it is only rounding. */
double sal_locator_seen_curvature(sal_locator *locator, int event, double t, const double *x,
                                  double time);

/* Whether all conditions (where=) of the event are positive at (t, x). nearest: the smallest
 * |condition|; INFINITY: there are no conditions. */
bool sal_locator_conditions(sal_locator *locator, int event, double t, const double *x,
                            double *nearest);

/* After sal_locator_conditions: whether all conditions other than those on speeds are positive. */
bool sal_locator_surface_exists(const sal_locator *locator, int event);

/* Whether a guard that comes from this side crosses in the declared direction. */
static inline bool sal_event_fires(const sal_compiled_event *event, int side)
{
    return event->direction == SALTUS_ANY || (event->direction == SALTUS_FALLING) == (side > 0);
}

#endif
