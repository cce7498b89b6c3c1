/* Answers that take many runs: costs and gradients at many points, an optimum, parameters that
 * explain measurements, a motion that repeats itself.
 *
 * Each call simulates and differentiates a system as often as it needs to, on runs of its own. */
#ifndef SALTUS_ANSWER_H
#define SALTUS_ANSWER_H

#include "saltus/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- many points ---------------------------------------------------------------------------- */

/* What became of one point. */
typedef struct saltus_map_result {
    saltus_status  status;  /* SALTUS_OK; else the values that could not be computed are NaN */
    saltus_outcome outcome; /* how the motion ended */
    int            events;  /* events that happened, kinks too */
    double         t;       /* the time reached */
} saltus_map_result;

/* Simulates the system with many sets of parameters and, unless gradient is NULL, differentiates
 * each motion: points[point * params + param] has all parameters of the system;
 * cost[point * costs + cost] and gradient[(point * costs + cost) * params + param] are those of the
 * request (NULL: everything). result, by point, may be NULL. options NULL: those of the system; its
 * threads share the work, and the digits do not depend on their number. progress of the options is
 * called by the calling thread only.
 * A point that fails is no failure of the call: its values are NaN, its result says why, and
 * saltus_run_simulate with its parameters says more. Fails if the work could not be done (no
 * memory, interrupted); then only points whose result says SALTUS_OK have values. */
SALTUS_API saltus_status saltus_map(const saltus_system *system, const saltus_options *options,
                                    const saltus_request *request, const double *points, int count,
                                    double *cost, double *gradient, saltus_map_result *result,
                                    saltus_error *err);

/* ---- periodic motions ----------------------------------------------------------------------- */

/* The search for a motion that repeats itself. With x the parameters and P(x, rho) the final values
 * of saltus_repeats, P(x, rho) = x; multipliers are the eigenvalues of the derivative P_x. */
typedef struct saltus_periodic saltus_periodic;

typedef enum saltus_periodic_end {
    SALTUS_PERIODIC_FOUND,
    SALTUS_PERIODIC_SINGULAR, /* found, but a multiplier is 1: one of a family, no derivatives */
    SALTUS_PERIODIC_STUCK,    /* no change of x brings P nearer to x */
    SALTUS_PERIODIC_LIMIT,    /* too many iterations */
    SALTUS_PERIODIC_NO_START, /* the motion cannot be computed at the start of the search */
    SALTUS_PERIODIC_NOT_SOUGHT
} saltus_periodic_end;

/* What was found. Arrays are borrowed until the next search. Lists of parameters are those of the
 * request without x; NULL: there is nothing, because the search failed. */
typedef struct saltus_periodic_result {
    saltus_periodic_end end;
    const char         *message;   /* why it was not found, or what to know; "": nothing to say */
    const double       *params;    /* all of the system, with x as found; else the best point */
    double              period;    /* from the start to the end of the run */
    double              residual;  /* the largest |P - x|, NaN: not known */
    int                 unknowns;  /* number of x, and of multipliers */
    int                 params_by; /* number of parameters derivatives are by */
    int                 costs;
    const int          *unknown;  /* the parameters x, as indices of the system */
    const int          *by;       /* the parameters that derivatives are by, likewise */
    const double       *re, *im;  /* multipliers, the largest modulus first */
    const double       *map;      /* P_x[row * unknowns + column] */
    const double       *gradient; /* of x: [unknown * params_by + param] */
    const double       *period_gradient;
    const double *re_gradient, *im_gradient; /* [multiplier * params_by + param]; NaN where two
                                                multipliers coincide and have no derivatives */
    const double *cost;                      /* values on the periodic motion */
    const double *cost_gradient;             /* [cost * params_by + param]: with x moving along */
    int           iterations, runs, gradients;
} saltus_periodic_result;

/* Compiles the model with the final values of saltus_repeats. The options (NULL: the model's) are
 * those of the runs, with tolerances of at most 1e-13: derivatives of multipliers are differences
 * of gradients. The request (NULL: everything) has costs as numbers of the model, and parameters as
 * in saltus_run_gradients. NULL on failure: SALTUS_ERR_MODEL if the model has no such statement, or
 * names a parameter that no start value contains. */
SALTUS_API saltus_periodic *saltus_periodic_new(const saltus_model   *model,
                                                const saltus_options *options,
                                                const saltus_request *request, saltus_error *err);
SALTUS_API void             saltus_periodic_free(saltus_periodic *periodic); /* NULL is fine */
/* The system that is run: its parameters are those of the model. */
SALTUS_API const saltus_system *saltus_periodic_system(const saltus_periodic *periodic);
/* Searches from these parameters (NULL: the model's). Fails only if the search could not be made
 * (no memory, interrupted); how it ended is in the result. */
SALTUS_API saltus_status saltus_periodic_find(saltus_periodic *periodic, const double *params,
                                              saltus_error *err);
SALTUS_API const saltus_periodic_result *
saltus_periodic_get_result(const saltus_periodic *periodic);

/* What is special about a point of a family of periodic motions. */
typedef enum saltus_family_kind {
    SALTUS_FAMILY_POINT,    /* nothing */
    SALTUS_FAMILY_FOLD,     /* the family turns back: a multiplier is 1 */
    SALTUS_FAMILY_FLIP,     /* the period doubles: a multiplier is -1 */
    SALTUS_FAMILY_TORUS,    /* Neimark-Sacker: two conjugate multipliers have modulus 1 */
    SALTUS_FAMILY_BRANCH,   /* another family crosses this one: a multiplier is 1 */
    SALTUS_FAMILY_GRAZING,  /* an event appears or vanishes by grazing */
    SALTUS_FAMILY_SEQUENCE, /* the sequence of events changes in another way */
    SALTUS_FAMILY_END       /* the family could not be followed any further */
} saltus_family_kind;

SALTUS_API const char *saltus_family_kind_name(saltus_family_kind kind); /* "fold", "flip", ... */

/* A point of a family. What is handed out is borrowed until the function returns. */
typedef struct saltus_family_point {
    saltus_family_kind kind;
    const char        *text;   /* what happens here, "" at points with nothing special */
    const double      *params; /* all of the system */
    double             arc;    /* its place in the family: points come in this order along it */
    double             period;
    int                multipliers;
    const double      *re, *im; /* the largest modulus first */
    int                stable;  /* 1: all multipliers are inside the unit circle */
} saltus_family_point;

/* Follows the periodic motion while one parameter changes between two values, by steps of at most
 * this length: by arc length, so that it goes on around folds, until the parameter leaves the
 * interval or the family ends. Begins with the search of saltus_periodic_find, at the value that
 * the parameter has, or at `from` if that is outside; if the search fails, no point is visited, and
 * the result says why. From there the family is visited in the direction of `to`, and then in the
 * other: `arc` goes on increasing, then falls from zero. Points where something changes are located
 * and come between the others. Return nonzero from visit to stop. ended_well is 0 if the family
 * could not be followed and nothing explains why; may be NULL. */
typedef int (*saltus_family_function)(void *context, const saltus_family_point *point);
SALTUS_API saltus_status saltus_periodic_follow(saltus_periodic *periodic, const double *params,
                                                int param, double from, double to, double step,
                                                saltus_family_function visit, void *context,
                                                int *ended_well, saltus_error *err);

/* ---- equilibria ----------------------------------------------------------------------------- */

/* The search for a state of rest, in the modes in which the model starts, at its start time: all
 * velocities and accelerations are zero, states (saltus_state) are constant, constraints are met.
 */
typedef struct saltus_equilibrium saltus_equilibrium;

typedef enum saltus_equilibrium_end {
    SALTUS_EQUILIBRIUM_FOUND,
    SALTUS_EQUILIBRIUM_STUCK,    /* no change of positions brings accelerations nearer to zero */
    SALTUS_EQUILIBRIUM_LIMIT,    /* too many iterations */
    SALTUS_EQUILIBRIUM_NO_START, /* accelerations cannot be computed at the start of the search */
    SALTUS_EQUILIBRIUM_NOT_SOUGHT
} saltus_equilibrium_end;

/* What was found. Arrays are borrowed until the next search; NULL: there is nothing, because the
 * search failed. Eigenvalues are those of the linearised motion, s(t) = s* + v exp(lambda t). */
typedef struct saltus_equilibrium_result {
    saltus_equilibrium_end end;
    const char            *message; /* why there is none, or what to know; "": nothing to say */
    const char            *mode;    /* NULL without modes; borrowed from the system */
    double                 t;       /* the time of the start */
    int                    coordinates, constraints, eigenvalues, params_by;
    const int             *by;       /* the parameters that derivatives are by */
    const double          *position; /* by coordinate; of a state: its value */
    const double *acceleration;      /* by coordinate: zero, or what is left at the best point */
    const double *multiplier;        /* by constraint: forces at rest */
    const double *re, *im;           /* eigenvalues, the largest real part first */
    int           stable;            /* 1: all real parts are negative, 0: one is positive, -1: the
                                        largest is zero, and linearisation does not tell */
    const double *gradient; /* of positions: [coordinate * params_by + param]; NaN where the
                               rest is one of a family */
    const double *re_gradient, *im_gradient; /* [eigenvalue * params_by + param]; NaN where two
                                                coincide */
    int iterations;
} saltus_equilibrium_result;

/* The search borrows the system. params (NULL: all that are not fixed) are those that derivatives
 * are by. */
SALTUS_API saltus_equilibrium *saltus_equilibrium_new(const saltus_system  *system,
                                                      const saltus_options *options,
                                                      const int *params, int param_count,
                                                      saltus_error *err);
SALTUS_API void saltus_equilibrium_free(saltus_equilibrium *equilibrium); /* NULL is fine */
/* Searches from the model's start, with these parameters (NULL: the model's). Fails if the start
 * cannot be assembled; how the search ended is in the result. */
SALTUS_API saltus_status saltus_equilibrium_find(saltus_equilibrium *equilibrium,
                                                 const double *params, saltus_error *err);
SALTUS_API const saltus_equilibrium_result *
saltus_equilibrium_get_result(const saltus_equilibrium *equilibrium);
/* ---- optimising ----------------------------------------------------------------------------- */

typedef enum saltus_optimum_status {
    SALTUS_OPTIMUM_CONVERGED,  /* inside of its sequence of events */
    SALTUS_OPTIMUM_BORDER,     /* the cost falls on to where the sequence changes; multipliers tell
                                  what crossing would be worth */
    SALTUS_OPTIMUM_KINK,       /* at such a border, and certified: it rises on both sides */
    SALTUS_OPTIMUM_LIMIT,      /* not found: the best point so far */
    SALTUS_OPTIMUM_INFEASIBLE, /* the limits contradict each other, at least near by */
    SALTUS_OPTIMUM_INTERRUPTED /* by options.progress: the best point so far */
} saltus_optimum_status;

/* "converged", "border", "kink", "limit", "infeasible", "interrupted". */
SALTUS_API const char *saltus_optimum_status_name(saltus_optimum_status status);

/* The goal of the model; minimise is NULL if it has none. Borrowed until the system is freed. */
SALTUS_API saltus_goal saltus_system_goal(const saltus_system *system);

/* Whether searches can use this engine here; if not, fails with a text that says what is missing.
 */
SALTUS_API saltus_status saltus_engine_find(saltus_engine engine, saltus_error *err);

/* How a search stands; params (all of the system) are borrowed during the call. */
typedef struct saltus_optimise_progress {
    int           start, starts; /* which of the searches, from 0 */
    int           iteration;
    long long     runs, gradients; /* of this search */
    double        value;           /* of the cost */
    double        violation;       /* of limits: the largest, relative */
    double        kkt;             /* how far the conditions of an optimum are from being met */
    const double *params;
} saltus_optimise_progress;

/* Pieces of work that may be done in any order, at the same time, and by other processes that make
 * the same call with the same values. */
typedef struct saltus_job {
    void *context;
    int   count;   /* of pieces */
    int   threads; /* that may call perform at a time, each with a number of its own below this */
    void (*perform)(void *context, int thread, int index);
    /* The result of a piece, as bytes that another process of the same program can load. */
    size_t (*size)(void *context, int index);
    void (*save)(void *context, int index, void *bytes);
    int (*load)(void *context, int index, const void *bytes, size_t size); /* 0: it does not fit */
} saltus_job;

typedef struct saltus_optimise_options {
    size_t             size;      /* of this struct, in the version that filled it in */
    double             tolerance; /* of the conditions of an optimum, relative */
    int                max_iterations;
    unsigned long long seed; /* of the starts that are spread over the bounds */
    /* Called after each step of a search, by one thread at a time; nonzero stops. May be NULL. */
    int (*progress)(void *context, const saltus_optimise_progress *progress);
    void *progress_context;
    /* Performs the job, or shares it with other processes: on return, this one must have the result
     * of each piece, performed or loaded. NULL: the threads of the run options perform it. Returns
     * nonzero if it did not succeed, which ends the call as interrupted. */
    int (*share)(void *context, const saltus_job *job);
    void *share_context;
} saltus_optimise_options;
SALTUS_API saltus_optimise_options saltus_optimise_options_default(void);

typedef struct saltus_optimum saltus_optimum;

/* Minimises a cost over parameters within their bounds, subject to limits on other costs, from the
 * given values of all parameters (NULL: the model's) and, with goal.starts, from others. goal NULL:
 * that of the model; options NULL: the defaults. run_options NULL: those of the system; its threads
 * search from several starts at once.
 * Motions that cannot be simulated are steps that are not taken. Returns NULL and fails with
 * SALTUS_ERR_ARGUMENT for names that are not there (SALTUS_ERR_MODEL if the script has them), with
 * the status of the run if there is no motion at the start, and if memory runs out. Every other end
 * is a result: see its status. Free it with saltus_optimum_free, before the system. */
SALTUS_API saltus_optimum *saltus_optimise(const saltus_system  *system,
                                           const saltus_options *run_options,
                                           const saltus_goal *goal, const double *params,
                                           const saltus_optimise_options *options,
                                           saltus_error                  *err);
SALTUS_API void            saltus_optimum_free(saltus_optimum *optimum); /* NULL is fine */

typedef struct saltus_optimum_info {
    saltus_optimum_status status;
    const char *message; /* what ended it and what to do; "" if it converged. Never NULL */
    double      value;   /* of the cost */
    double      start_value;
    double      violation, kkt;
    int         iterations;      /* of the search that found it */
    long long   runs, gradients; /* of all searches */
    int         searches, params, costs, events, borders, optima;
} saltus_optimum_info;
SALTUS_API saltus_optimum_info saltus_optimum_get_info(const saltus_optimum *optimum);

/* All parameters at the optimum, and all costs; NULL without an optimum. Borrowed until it is
 * freed, as all that follows. */
SALTUS_API const double *saltus_optimum_params(const saltus_optimum *optimum);
SALTUS_API const double *saltus_optimum_costs(const saltus_optimum *optimum);
/* Whether the optimum was searched over this parameter. */
SALTUS_API int saltus_optimum_is_over(const saltus_optimum *optimum, int param);
/* The names of the events, in order; clocks and kinks of functions are left out. */
SALTUS_API const char *saltus_optimum_event(const saltus_optimum *optimum, int index);

/* What changes the sequence of events near the optimum: a clearance (saltus_run_clearances). */
typedef struct saltus_border {
    const char *kind;           /* "swap", "leave", "enter", "miss", "vanish", ... */
    const char *first, *second; /* events; second is "" if there is only one */
    double      distance;       /* the value of the clearance */
    double      multiplier;     /* by how much the cost would fall per unit of distance; 0: the
                                   border does not hold the optimum back */
} saltus_border;
SALTUS_API saltus_border saltus_optimum_border(const saltus_optimum *optimum, int index);

/* The derivative of the smallest cost by a limit of the goal: 0 if the limit does not hold it back.
 */
SALTUS_API double saltus_optimum_multiplier(const saltus_optimum *optimum, int limit);

/* One optimum per sequence (SALTUS_SEARCH_SEQUENCES), the lowest first. */
typedef struct saltus_optimum_row {
    saltus_optimum_status status;
    double                value;
    const double         *params; /* all of the system */
    int                   events; /* the number of events */
    const int            *event;  /* their numbers in the system */
} saltus_optimum_row;
SALTUS_API saltus_optimum_row saltus_optimum_get_row(const saltus_optimum *optimum, int index);

/* ---- fits ----------------------------------------------------------------------------------- */

/* The search for parameters that explain measurements (saltus_measurement): the smallest sum of the
 * squares of r = (motion - value) / sigma, over expressions at times and times of events together.
 * A point that cannot be simulated is a rejected step. */
typedef struct saltus_fit saltus_fit;

typedef enum saltus_fit_end {
    SALTUS_FIT_CONVERGED,
    SALTUS_FIT_STALLED,     /* no shorter step helps, but the point is no minimum */
    SALTUS_FIT_LIMIT,       /* too many iterations */
    SALTUS_FIT_NO_START,    /* the motion cannot be compared at the start of the search */
    SALTUS_FIT_INTERRUPTED, /* the best point so far is kept */
    SALTUS_FIT_NOT_SOUGHT
} saltus_fit_end;

/* What was found. Arrays are borrowed until the next search; NULL: there is nothing, because the
 * search failed. Lists of estimates are in the order of the request. */
typedef struct saltus_fit_result {
    saltus_fit_end       end;
    const char          *message; /* why it did not converge, or what to know; "": nothing to say */
    const double        *params;  /* all of the system; the best point */
    int                  estimates; /* number of parameters that were fitted */
    const int           *param;     /* their indices in the system */
    const double        *sd; /* standard deviations; NaN: the data say nothing, or a bound holds */
    const double        *lower, *upper; /* the interval by Student's distribution */
    const double        *correlation;   /* [estimate * estimates + estimate] */
    const unsigned char *held;          /* 1: a bound of the parameter holds it */
    int                  unidentified;  /* combinations that the data cannot tell apart */
    const double        *combination;   /* [combination * estimates + estimate]: changes of the
                                           parameters that change no residual */
    double        rss;                  /* the sum of squares of r */
    double        variance; /* of r: 1 where standard deviations are given, else rss / freedom */
    double        level;    /* probability of the intervals */
    int           residuals, freedom; /* their number, and less what the data tell */
    const double *residual;           /* r, measurement after measurement, in their order */
    const double *predicted;          /* what the motion has in place of each value */
    const double *band;               /* half of the interval that predicted is known to; NULL */
    int           iterations, runs, gradients;
} saltus_fit_result;

/* Compiles the model with its measurements. The options (NULL: the model's) are those of the runs,
 * with tolerances of at most 1e-13, since standard deviations follow from derivatives. params are
 * those to fit (NULL: all that are not fixed); level is the probability of the intervals, 0: 0.95.
 * NULL on failure: SALTUS_ERR_MODEL if the model has no measurements, too few values, or measures
 * an event that it does not have. */
SALTUS_API saltus_fit *saltus_fit_new(const saltus_model *model, const saltus_options *options,
                                      const int *params, int param_count, double level,
                                      saltus_error *err);
SALTUS_API void        saltus_fit_free(saltus_fit *fit); /* NULL is fine */
/* The system that is run: its parameters are those of the model. */
SALTUS_API const saltus_system *saltus_fit_system(const saltus_fit *fit);
/* Searches from these parameters (NULL: the model's). Fails only if the search could not be made
 * (no memory, interrupted); how it ended is in the result. */
SALTUS_API saltus_status saltus_fit_find(saltus_fit *fit, const double *params, saltus_error *err);
SALTUS_API const saltus_fit_result *saltus_fit_get_result(const saltus_fit *fit);

/* The interval of an estimate by the profile of the sum of squares: outside of it, no values of the
 * others make rss smaller than rss + t^2 variance, t as in the interval of Student. -INFINITY and
 * INFINITY: it has no end on that side; is_open is 1 where a bound of the parameter, or of what can
 * be simulated, ends it. */
typedef struct saltus_fit_profile_interval {
    double lower, upper;
    int    lower_is_open, upper_is_open;
} saltus_fit_profile_interval;
/* Of the estimate with that number, after a search that converged. */
SALTUS_API saltus_status saltus_fit_profile(saltus_fit *fit, int estimate,
                                            saltus_fit_profile_interval *interval,
                                            saltus_error                *err);

#ifdef __cplusplus
}
#endif
#endif
