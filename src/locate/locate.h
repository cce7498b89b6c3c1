/* Finding events inside a step.
 *
 * Each guard has a known side, which is part of the state of a run. An event is: its guard is seen
 * on the other side, beyond what rounding makes of it there. Nothing else changes the known side:
 * not that the guard is zero, nearly or exactly, for an instant or for a while.
 *
 * Inside a step the guard is followed on the dense output and resolved (resolve.h): all its sign
 * changes are found, in order. Guards that are as smooth as the motion are mostly excluded before
 * that (screen.c), and those that are linear in time and contain nothing else that moves (clocks)
 * need neither: their time is known. */
#ifndef SAL_LOCATE_LOCATE_H
#define SAL_LOCATE_LOCATE_H

#include "locate/resolve.h"
#include "motion/motion.h"

typedef struct sal_guard_state {
    int    side;    /* +1 or -1; 0: not known, the first one that is seen is taken */
    double offset;  /* taken from the guard: the drift of a constraint that was just let go */
    double band;    /* beyond this the guard is seen, if that is more than rounding */
    double firm;    /* the part of the band that has nothing to do with the errors of steps */
    double scale;   /* the size that the guard has had lately */
    double largest; /* the largest size that the guard has ever had */
    bool   thrown;  /* it is beyond zero at the start, and its event happens there */
    bool   passed;  /* a barrier: it went past zero, and its event has not happened */
} sal_guard_state;

/* The band of a guard in a step that errs by no more than this share of the tolerance. */
static inline double sal_watch_band(const sal_guard_state *watch, double share)
{
    const double least = watch->firm > share * watch->band ? watch->firm : share * watch->band;
    return least < watch->band ? least : watch->band;
}

typedef struct sal_crossing {
    int    event;
    double theta;   /* in [0, 1] of the step */
    double nearest; /* the smallest |condition| of where=, INFINITY without */
    int    side;    /* the sign of the guard before it */
    bool   jumps;   /* over zero: of kinks at a pole */
} sal_crossing;

/* A guard that touched zero without crossing it. */
typedef struct sal_touch {
    int    event; /* -1: none */
    double theta;
} sal_touch;

/* A guard at some place of a step. */
typedef struct sal_guard_sample {
    double r, slope; /* slope by time */
    double r_ddot;   /* r'' by time, of linear guards at the ends of a step */
} sal_guard_sample;

/* SAL_LOOKS: the places where every guard is looked at in a step that must be searched, since the
 * resolver begins there. SAL_PLACES: these, and those that it may ask for next. */
enum { SAL_LOOKS = SAL_RESOLVE_DEGREE / 2 + 3, SAL_PLACES = SAL_LOOKS + SAL_RESOLVE_DEGREE / 2 };
/* Places between the ends of a step that the screen looks at, and the numbers that the motion there
 * is made of. */
enum { SAL_SCREEN_PLACES = 2, SAL_SCREEN_TERMS = 6 };

/* Coordinates, or velocities, by number. */
typedef struct sal_needed {
    int            count, *index;
    unsigned char *noted; /* by number */
} sal_needed;

typedef struct sal_locator {
    sal_field              field; /* a second one, so that probing leaves the step's stages alone */
    const sal_guard_state *watch; /* by event; belongs to the run */
    double                 rtol;  /* relative tolerance of the run */
    const double          *atol;  /* absolute tolerances, by position and velocity */
    sal_bases              bases;
    double                 place[SAL_PLACES]; /* where guards are looked at, as parts of the step */
    double                *weights;           /* of the dense output at these places */
    double                *looks;             /* by event: values at the first SAL_LOOKS places */
    double                *kept;              /* layout.size: a copy of u of the field */
    sal_guard_sample      *now;   /* by event: what sal_locator_values finds, slopes by time */
    sal_guard_sample      *start; /* by event: the guard at the start of the step */
    double *cubic_error;          /* by event: a bound on the error of the cubic of the screen */
    double *guess;                /* by event: about where the guard crosses, or -1 */
    double *low;                  /* by event: a place before that, where it has not crossed yet */
    int    *side;                 /* by event: its side at the end of the step, by the search */
    double *passed;               /* by event: where it first changed sides without an event, or
                                     INFINITY */
    bool             *slipped;    /* by event: it changed sides where there is something to touch */
    bool              start_known; /* start is that of this step */
    bool              end_known;   /* now has values and slopes of the end of the step */
    bool              end_seen;    /* now has values of the end of the step */
    double            quintic[SAL_SCREEN_PLACES][SAL_SCREEN_TERMS]; /* see screen.c */
    double            quintic_rate[SAL_SCREEN_PLACES][SAL_SCREEN_TERMS];
    double            cubic[SAL_SCREEN_PLACES][4];
    sal_needed        q;          /* coordinates that the guards of `needed_in` contain */
    sal_needed        v;          /* velocities that they contain */
    const sal_regime *needed_in;  /* the regime for which q, v and curved were found */
    bool              curved;     /* some guard of that regime is not linear */
    double           *x, *k;      /* 2n */
    double           *x_noise;    /* 2n: a state at which rounding is looked at */
    double           *du;         /* layout.size */
    double           *conditions; /* values of where= of one event */
    double            share;      /* the most that the step errs by, as a share of the tolerance */
    sal_touch         touch;
    int               unresolved;   /* a guard that changes too fast to be followed, or -1 */
    sal_crossing      missed;       /* one that a condition near zero prevented; event -1: none */
    int               undefined;    /* an event whose guard is not a number in the step, or -1 */
    double            undefined_at; /* where that guard is not a number */
} sal_locator;

/* max_lanes: of the tangents and adjoints that are asked of its field. */
saltus_status sal_locator_init(sal_locator *locator, const saltus_system *system,
                               const sal_step *step, int max_lanes, sal_arena *arena,
                               saltus_error *err);
void          sal_locator_release(sal_locator *locator);

/* What the guards of the field's regime do in the step just taken, its end stage there; screen.c.
 */
typedef enum sal_screen_result {
    SAL_SCREEN_UNSURE, /* dense output and a search must tell */
    SAL_SCREEN_CLEAR,  /* none crosses */
    SAL_SCREEN_SIMPLE  /* some do, none more than once, and none has conditions (where=) */
} sal_screen_result;
void              sal_locator_prepare_screen(sal_locator *locator); /* once */
sal_screen_result sal_locator_screen(sal_locator *locator, const sal_step *step);
/* After a screen that is simple: whether the event happens in the step, and about where (SIMPLE);
 * unless it is not as simple as it seemed (UNSURE). */
sal_screen_result sal_locate_near(sal_locator *locator, const sal_step *step, int event,
                                  sal_crossing *crossing);
/* A bound of the second derivative, in the step, of a guard that a simple screen looked at. */
double sal_locator_r_ddot(const sal_locator *locator, const sal_step *step, int event);
/* The step was accepted: its end is the start of the next one. */
void sal_locator_moved(sal_locator *locator);
/* What comes next has nothing to do with the step before. */
void sal_locator_forget(sal_locator *locator);

/* Looks at all guards of the field's regime in the step just taken, dense stages there. */
void sal_locator_sample(sal_locator *locator, const sal_step *step);

/* The first crossing of the event's guard, in its direction and with its conditions met, in the
 * step just looked at. False: there is none. Nothing is said of crossings after `enough`. */
bool sal_locate(sal_locator *locator, const sal_step *step, int event, double enough,
                sal_crossing *crossing);

/* The side of the event's guard at theta, or before the event if that is earlier. */
int sal_locate_side(sal_locator *locator, const sal_step *step, int event, double theta);

/* When the guard of a clock will be zero, from what it is at time t; INFINITY if it moves away. */
double sal_locator_clock(sal_locator *locator, int event, double t);

/* The guard and its rate at (t, x) with accelerations a (NULL: evaluated here). */
double sal_locator_guard(sal_locator *locator, int event, double t, const double *x,
                         const double *a, double *rate);
/* All guards of the field's regime at (t, x), into `now`, except the one of the event `known` (-1:
 * none), which is there already. */
void sal_locator_values(sal_locator *locator, double t, const double *x, int known);
/* All guards of the field's regime with their rates, which need accelerations a, into `now`. */
void sal_locator_rates(sal_locator *locator, double t, const double *x, const double *a);

/* What rounding makes of a guard and of its rate at (t, x): found by changing everything it is
 * computed from in its last digits. A time has last digits, too. */
typedef struct sal_noise {
    double r, rate;
} sal_noise;
sal_noise sal_locator_noise(sal_locator *locator, int event, double t, const double *x);
/* What rounding makes of the guard within some time: accelerations are rounded too, and velocities
 * are their integrals. */
double sal_locator_noise_after(sal_locator *locator, int event, double t, const double *x,
                               double time);
/* What rounding makes of the guard at (t, x), without its rate, which takes less work. */
double sal_locator_rounding(sal_locator *locator, int event, double t, const double *x);

/* What the tolerance leaves open of a guard at (t, x): how it answers to the errors that one step
 * may make. */
double sal_locator_tolerance(sal_locator *locator, int event, double t, const double *x);

/* The widest absolute tolerance of a position, or of a velocity. */
double sal_locator_widest(const sal_locator *locator, bool rate);
/* What the tolerance leaves open of a guard of positions at (t, x), or of its rate, with the widest
 * absolute tolerance for all coordinates. */
double sal_locator_allowance(sal_locator *locator, int event, double t, const double *x, bool rate);

/* The way the guard goes from where it is: the sign of its rate at (t, x) or, if that is nothing
 * but rounding, of its second derivative; 0 if neither is more than rounding. The second derivative
 * is found by a difference over a small part of `time`. */
int sal_locator_way(sal_locator *locator, int event, double t, const double *x, double time);

/* The second derivative of the guard along the motion, by a difference over a small part of
 * time_scale. */
double sal_locator_curvature(sal_locator *locator, int event, double t, const double *x,
                             double time_scale);
/* The second derivative of the guard along the motion, or 0 if it is nothing but rounding. */
double sal_locator_pull(sal_locator *locator, int event, double t, const double *x, double time);

/* Whether all conditions (where=) of the event are positive at (t, x). nearest: the smallest
 * |condition|, INFINITY without. */
bool sal_locator_conditions(sal_locator *locator, int event, double t, const double *x,
                            double *nearest);

/* After sal_locator_conditions: whether all conditions but those of speed are positive. */
bool sal_locator_surface_exists(const sal_locator *locator, int event);

/* Whether a guard that comes from this side crosses in the declared direction. */
static inline bool sal_event_fires(const sal_event_system *event, int side)
{
    return event->direction == SALTUS_ANY || (event->direction == SALTUS_FALLING) == (side > 0);
}

#endif
