/* Studies that take many runs: costs and gradients at many points, periodic motions, equilibria,
 * optimisation, and parameters fitted to measurements.
 *
 * Each call simulates and differentiates a system as often as it needs to, on runs of its own. */
#ifndef SALTUS_ANSWER_H
#define SALTUS_ANSWER_H

#include "saltus/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- many points ---------------------------------------------------------------------------- */

/* The result of one point. */
typedef struct saltus_map_result {
    saltus_status  status;  /* SALTUS_OK; else values that could not be computed are NaN */
    saltus_outcome outcome; /* how the motion ended */
    int            events;  /* number of events that happened, kinks included */
    double         t;       /* the time reached */
} saltus_map_result;

/* Simulates the system with many sets of parameters and, unless gradient is NULL, differentiates
 * each motion. points[point * params + param] has all parameters of the system.
 * cost[point * costs + cost] and gradient[(point * costs + cost) * params + param] receive the
 * costs and derivatives of the request (NULL: all of them); result[point] may be NULL. options
 * NULL: those of the system. options.threads share the work; the digits do not depend on their
 * number. Only the calling thread calls options.progress. The call does not fail if a point does:
 * the values of this point are NaN, its result gives the status, and saltus_run_simulate with its
 * parameters gives the message. The call fails if it could not do its work (no memory,
 * interrupted); then only points with the status SALTUS_OK have values. If it is refused, because
 * an argument is wrong, no point has values, and all results have its status and the outcome
 * SALTUS_NOT_SIMULATED. */
SALTUS_API saltus_status saltus_map(const saltus_system *system, const saltus_options *options,
                                    const saltus_request *request, const double *points, int count,
                                    double *cost, double *gradient, saltus_map_result *result,
                                    saltus_error *err);

/* ---- periodic motions ----------------------------------------------------------------------- */

/* A search for a periodic motion: P(x, rho) = x, with x the parameters and P(x, rho) the final
 * values of saltus_repeats. Multipliers are the eigenvalues of the derivative P_x. */
typedef struct saltus_periodic saltus_periodic;

typedef enum saltus_periodic_end {
    SALTUS_PERIODIC_FOUND,
    SALTUS_PERIODIC_SINGULAR,  /* found, but a multiplier is 1: one of a family, no derivatives */
    SALTUS_PERIODIC_STUCK,     /* no change of x reduces |P - x| */
    SALTUS_PERIODIC_LIMIT,     /* too many iterations */
    SALTUS_PERIODIC_NO_START,  /* the motion cannot be computed at the start of the search */
    SALTUS_PERIODIC_NOT_SOUGHT /* there was no search yet */
} saltus_periodic_end;

/* The result of a search. Arrays are borrowed until the next search, and NULL if the search failed.
 * Derivatives are by the parameters of the request that are not in x. */
typedef struct saltus_periodic_result {
    saltus_periodic_end end;
    const char         *message;   /* why no motion was found, or a remark; "" if there is none */
    const double       *params;    /* all of the system, with x as found; else the best point */
    double              period;    /* from the start to the end of the run */
    double              residual;  /* the largest |P - x|; NaN: not known */
    int                 unknowns;  /* number of x, and of multipliers */
    int                 params_by; /* number of parameters by which derivatives are taken */
    int                 costs;
    const int          *unknown;         /* the parameters x: indices in the system */
    const int          *by;              /* the parameters of derivatives: indices in the system */
    const double       *re, *im;         /* multipliers, the largest modulus first */
    const double       *map;             /* P_x[row * unknowns + column] */
    const double       *gradient;        /* derivatives of x: [unknown * params_by + param] */
    const double       *period_gradient; /* derivatives of the period, by param */
    const double *re_gradient, *im_gradient; /* [multiplier * params_by + param]; NaN where two
                                                multipliers coincide and have no derivatives */
    const double *cost;                      /* values on the periodic motion */
    const double *cost_gradient; /* [cost * params_by + param], total derivatives: x changes with
                                    the parameters */
    int iterations, runs, gradients;
} saltus_periodic_result;

/* Compiles the model with the final values of saltus_repeats for searches. The runs use the options
 * (NULL: the model's) with tolerances of at most 1e-13, since derivatives of multipliers are
 * differences of gradients. The request (NULL: everything) has indices of costs in the model, and
 * parameters as in saltus_run_gradients. Returns NULL on failure: SALTUS_ERR_MODEL if the model
 * does not call saltus_repeats, or calls it for a parameter that is in no start value. */
SALTUS_API saltus_periodic *saltus_periodic_new(const saltus_model   *model,
                                                const saltus_options *options,
                                                const saltus_request *request, saltus_error *err);
SALTUS_API void             saltus_periodic_free(saltus_periodic *periodic); /* NULL is fine */
/* Returns the system that is simulated; its parameters are those of the model. */
SALTUS_API const saltus_system *saltus_periodic_system(const saltus_periodic *periodic);
/* Searches from these parameters (NULL: the model's). Fails only if the search could not do its
 * work (no memory, interrupted); the result says how the search ended. If a parameter is not
 * finite, it fails with SALTUS_ERR_ARGUMENT, and the result is SALTUS_PERIODIC_NOT_SOUGHT. */
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

/* A point of a family of periodic motions. Its arrays and texts are borrowed until the callback
 * returns. */
typedef struct saltus_family_point {
    saltus_family_kind kind;
    const char        *text;   /* what happens here; "" if the point is not special */
    const double      *params; /* all of the system */
    double             arc;    /* arc length along the family from its first point, signed */
    double             period;
    int                multipliers;
    const double      *re, *im; /* the largest modulus first */
    int                stable;  /* 1: all multipliers are inside the unit circle */
} saltus_family_point;

/* Follows a periodic motion while one parameter changes between `from` and `to`, with changes of
 * the parameter of at most `step`. The family is followed by arc length, also around folds, until
 * the parameter leaves the interval or the family ends. It begins with the search of
 * saltus_periodic_find, at the given value of the parameter, or at `from` if that is outside of the
 * interval; if the search fails, no point is visited, and the result says why. From there the
 * family is visited first towards `to`, with increasing `arc`, then in the other direction, with
 * `arc` falling from zero. Special points are located and visited in their place. Return nonzero
 * from visit to stop. ended_well (may be NULL) is 0 if the family could not be followed for an
 * unknown reason. */
typedef int (*saltus_family_function)(void *context, const saltus_family_point *point);
SALTUS_API saltus_status saltus_periodic_follow(saltus_periodic *periodic, const double *params,
                                                int param, double from, double to, double step,
                                                saltus_family_function visit, void *context,
                                                int *ended_well, saltus_error *err);

/* ---- equilibria ----------------------------------------------------------------------------- */

/* A search for a state of rest, in the starting modes of the model, at its start time: all
 * velocities and accelerations are zero, states (saltus_state) are constant, and constraints hold.
 */
typedef struct saltus_equilibrium saltus_equilibrium;

typedef enum saltus_equilibrium_end {
    SALTUS_EQUILIBRIUM_FOUND,
    SALTUS_EQUILIBRIUM_STUCK,     /* no change of positions reduces the accelerations */
    SALTUS_EQUILIBRIUM_LIMIT,     /* too many iterations */
    SALTUS_EQUILIBRIUM_NO_START,  /* accelerations cannot be computed at the start of the search */
    SALTUS_EQUILIBRIUM_NOT_SOUGHT /* there was no search yet */
} saltus_equilibrium_end;

/* The result of a search. Arrays are borrowed until the next search, and NULL if the search failed.
 * Eigenvalues are those of the linearised motion, s(t) = s* + v exp(lambda t). */
typedef struct saltus_equilibrium_result {
    saltus_equilibrium_end end;
    const char            *message; /* why there is none, or a remark; "" if there is none */
    const char            *mode;    /* NULL without modes; borrowed from the system */
    double                 t;       /* the start time */
    int                    coordinates, constraints, eigenvalues, params_by;
    const int             *by;       /* the parameters by which derivatives are taken */
    const double          *position; /* by coordinate; for a state, its value */
    const double *acceleration;      /* by coordinate: zero, or the remainder at the best point */
    const double *multiplier;        /* by constraint: forces at rest */
    const double *re, *im;           /* eigenvalues, the largest real part first */
    int           stable; /* 1: all real parts are negative; 0: one is positive; -1: the largest is
                             zero, and linearisation does not decide */
    const double *gradient; /* of positions: [coordinate * params_by + param]; NaN if the state of
                               rest belongs to a family */
    const double *re_gradient, *im_gradient; /* [eigenvalue * params_by + param]; NaN where two
                                                eigenvalues coincide */
    int iterations;
} saltus_equilibrium_result;

/* Creates a search, which borrows the system. Derivatives are by params (NULL: all that are not
 * fixed). Returns NULL on failure. */
SALTUS_API saltus_equilibrium *saltus_equilibrium_new(const saltus_system  *system,
                                                      const saltus_options *options,
                                                      const int *params, int param_count,
                                                      saltus_error *err);
SALTUS_API void saltus_equilibrium_free(saltus_equilibrium *equilibrium); /* NULL is fine */
/* Searches from the model's start, with these parameters (NULL: the model's). Fails if the start
 * cannot be assembled; the result says how the search ended. If a parameter is not finite, it fails
 * with SALTUS_ERR_ARGUMENT, and the result is SALTUS_EQUILIBRIUM_NOT_SOUGHT. */
SALTUS_API saltus_status saltus_equilibrium_find(saltus_equilibrium *equilibrium,
                                                 const double *params, saltus_error *err);
SALTUS_API const saltus_equilibrium_result *
saltus_equilibrium_get_result(const saltus_equilibrium *equilibrium);
/* ---- optimising ----------------------------------------------------------------------------- */

typedef enum saltus_optimum_status {
    SALTUS_OPTIMUM_CONVERGED,  /* an optimum at which the sequence of events does not change */
    SALTUS_OPTIMUM_BORDER,     /* the cost falls up to a border, where the sequence of events
                                  changes; multipliers say how much crossing it would gain */
    SALTUS_OPTIMUM_KINK,       /* an optimum on such a border: the cost rises on both sides */
    SALTUS_OPTIMUM_LIMIT,      /* no optimum was found: the best point so far */
    SALTUS_OPTIMUM_INFEASIBLE, /* the limits contradict each other, at least locally */
    SALTUS_OPTIMUM_INTERRUPTED /* stopped by options.progress: the best point so far */
} saltus_optimum_status;

/* Returns "converged", "border", "kink", "limit", "infeasible" or "interrupted". */
SALTUS_API const char *saltus_optimum_status_name(saltus_optimum_status status);

/* Returns the goal of the model; its minimise is NULL if there is none. Borrowed until the system
 * is freed. */
SALTUS_API saltus_goal saltus_system_goal(const saltus_system *system);

/* Checks whether an engine is available. Fails with a message that says what is missing if it is
 * not. */
SALTUS_API saltus_status saltus_engine_find(saltus_engine engine, saltus_error *err);

/* The state of a search after an iteration. params (all of the system) are borrowed during the
 * call. */
typedef struct saltus_optimise_progress {
    int           start, starts; /* number of this search, counted from 0, and of all searches */
    int           iteration;
    long long     runs, gradients; /* numbers of runs and gradients of this search */
    double        value;           /* value of the cost */
    double        violation;       /* largest violation of a limit, relative */
    double        kkt;             /* residual of the optimality (KKT) conditions */
    const double *params;
} saltus_optimise_progress;

/* A list of pieces of work, for saltus_optimise_options.share. Pieces may be performed in any
 * order, at the same time, and by other processes that make the same call with the same values. */
typedef struct saltus_job {
    void *context;
    int   count;   /* number of pieces */
    int   threads; /* how many threads may call perform at the same time */
    /* Performs a piece. thread is from 0 to threads - 1; calls at the same time have different
     * ones. */
    void (*perform)(void *context, int thread, int index);
    /* The result of a piece, as bytes that another process of the same program can load: their
     * number, writing them, and reading them. load returns 0 if they do not fit. */
    size_t (*size)(void *context, int index);
    void (*save)(void *context, int index, void *bytes);
    int (*load)(void *context, int index, const void *bytes, size_t size);
} saltus_job;

typedef struct saltus_optimise_options {
    size_t             size;      /* size of this struct, in the version that filled it in */
    double             tolerance; /* relative tolerance of the optimality conditions */
    int                max_iterations;
    unsigned long long seed; /* seed of the starts that are spread over the bounds */
    /* Called after each step of a search, by one thread at a time; return nonzero to stop. May be
     * NULL. */
    int (*progress)(void *context, const saltus_optimise_progress *progress);
    void *progress_context;
    /* Performs the job, or shares it with other processes. On return, this process must have the
     * result of each piece, performed or loaded. Returns nonzero on failure, which ends the call as
     * interrupted. NULL: the threads of the run options perform it. */
    int (*share)(void *context, const saltus_job *job);
    void *share_context;
} saltus_optimise_options;
SALTUS_API saltus_optimise_options saltus_optimise_options_default(void);

typedef struct saltus_optimum saltus_optimum;

/* Minimises a cost over parameters within their bounds, subject to limits on other costs. The
 * search starts from the given values of all parameters (NULL: the model's) and, with goal.starts,
 * from further points. goal NULL: that of the model; options NULL: the defaults; run_options NULL:
 * those of the system, whose threads search from several starts at once. A step to a motion that
 * cannot be simulated is rejected. Returns NULL and fails with SALTUS_ERR_ARGUMENT if a name of the
 * goal does not exist (SALTUS_ERR_MODEL if the script has set the goal), with the status of the run
 * if the motion at the start cannot be simulated, and if memory runs out. Otherwise the status of
 * the result says how the search ended. Free the result with saltus_optimum_free, before the
 * system. */
SALTUS_API saltus_optimum *saltus_optimise(const saltus_system  *system,
                                           const saltus_options *run_options,
                                           const saltus_goal *goal, const double *params,
                                           const saltus_optimise_options *options,
                                           saltus_error                  *err);
SALTUS_API void            saltus_optimum_free(saltus_optimum *optimum); /* NULL is fine */

typedef struct saltus_optimum_info {
    saltus_optimum_status status;
    const char           *message; /* why it ended and what to do; "" if it converged. Never NULL */
    double                value;   /* value of the cost */
    double                start_value;
    double                violation, kkt;
    int                   iterations;      /* iterations of the search that found it */
    long long             runs, gradients; /* numbers of runs and gradients of all searches */
    int                   searches, params, costs, events, borders, optima;
} saltus_optimum_info;
SALTUS_API saltus_optimum_info saltus_optimum_get_info(const saltus_optimum *optimum);

/* Return all parameters at the optimum, and all costs; NULL without an optimum. These arrays, and
 * all texts and arrays below, are borrowed until the optimum is freed. */
SALTUS_API const double *saltus_optimum_params(const saltus_optimum *optimum);
SALTUS_API const double *saltus_optimum_costs(const saltus_optimum *optimum);
/* Returns whether the cost was minimised over this parameter. */
SALTUS_API int saltus_optimum_is_over(const saltus_optimum *optimum, int param);
/* Returns the name of an event of the optimal motion. Events are in order of time, without clocks
 * and kinks of functions. */
SALTUS_API const char *saltus_optimum_event(const saltus_optimum *optimum, int index);

/* A change of the sequence of events near the optimum, described by a clearance
 * (saltus_run_clearances). */
typedef struct saltus_border {
    const char *kind;           /* "swap", "leave", "enter", "miss", "vanish", ... */
    const char *first, *second; /* events; second is "" if there is only one */
    double      distance;       /* value of the clearance */
    double      multiplier;     /* decrease of the cost per unit of distance beyond the border; 0:
                                   the border is not active */
} saltus_border;
SALTUS_API saltus_border saltus_optimum_border(const saltus_optimum *optimum, int index);

/* Returns the derivative of the smallest cost by a limit of the goal: 0 if the limit is not active.
 */
SALTUS_API double saltus_optimum_multiplier(const saltus_optimum *optimum, int limit);

/* The optimum of one sequence of events (SALTUS_SEARCH_SEQUENCES). Rows are sorted, the lowest cost
 * first. */
typedef struct saltus_optimum_row {
    saltus_optimum_status status;
    double                value;
    const double         *params; /* all of the system */
    int                   events; /* number of events */
    const int            *event;  /* indices of the events in the system */
} saltus_optimum_row;
SALTUS_API saltus_optimum_row saltus_optimum_get_row(const saltus_optimum *optimum, int index);

/* ---- fits ----------------------------------------------------------------------------------- */

/* A fit of parameters to measurements (saltus_measurement) by least squares. The residuals are
 * r = (motion - value) / sigma, for values of expressions and times of events together. A step to a
 * point that cannot be simulated is rejected. */
typedef struct saltus_fit saltus_fit;

typedef enum saltus_fit_end {
    SALTUS_FIT_CONVERGED,
    SALTUS_FIT_STALLED,     /* no shorter step helps, but the point is no minimum */
    SALTUS_FIT_LIMIT,       /* too many iterations */
    SALTUS_FIT_NO_START,    /* the residuals cannot be computed at the start of the search */
    SALTUS_FIT_INTERRUPTED, /* stopped by options.progress: the best point so far */
    SALTUS_FIT_NOT_SOUGHT   /* there was no search yet */
} saltus_fit_end;

/* The result of a fit. Arrays are borrowed until the next search, and NULL if the search failed.
 * Estimates are in the order of the request. */
typedef struct saltus_fit_result {
    saltus_fit_end end;
    const char    *message;   /* why it did not converge, or a remark; "" if there is none */
    const double  *params;    /* all of the system, at the best point */
    int            estimates; /* number of parameters that were fitted */
    const int     *param;     /* indices of these parameters in the system */
    const double  *sd; /* standard deviations; NaN: not determined by the data, or at a bound */
    const double  *lower, *upper;      /* intervals by Student's distribution */
    const double  *correlation;        /* [estimate * estimates + estimate] */
    const unsigned char *held;         /* 1: the parameter is at one of its bounds */
    int                  unidentified; /* number of combinations that the data do not determine */
    const double        *combination;  /* [combination * estimates + estimate]: changes of the
                                          parameters that change no residual */
    double rss;                        /* sum of the squares of r */
    double variance;           /* of r: 1 if standard deviations are given, else rss / freedom */
    double level;              /* probability of the intervals */
    int    residuals, freedom; /* number of residuals, and this number minus that of the
                                  parameters that the data determine */
    const double *residual;    /* r, by measurement and value */
    const double *predicted;   /* the model's prediction of each value */
    const double *band; /* half the width of the interval of each prediction; NULL: unknown */
    int           iterations, runs, gradients;
} saltus_fit_result;

/* Compiles the model with its measurements for fits. The runs use the options (NULL: the model's)
 * with tolerances of at most 1e-13, since standard deviations follow from derivatives. params are
 * the parameters to fit, each once (NULL: all that are not fixed); level is the probability of the
 * intervals, 0: 0.95. Returns NULL on failure: SALTUS_ERR_MODEL if the model has no measurements,
 * has too few values, or measures an event that does not exist. */
SALTUS_API saltus_fit *saltus_fit_new(const saltus_model *model, const saltus_options *options,
                                      const int *params, int param_count, double level,
                                      saltus_error *err);
SALTUS_API void        saltus_fit_free(saltus_fit *fit); /* NULL is fine */
/* Returns the system that is simulated; its parameters are those of the model. */
SALTUS_API const saltus_system *saltus_fit_system(const saltus_fit *fit);
/* Searches from these parameters (NULL: the model's). Fails only if the search could not do its
 * work (no memory, interrupted); the result says how the search ended. If a parameter is not
 * finite, it fails with SALTUS_ERR_ARGUMENT, and the result is SALTUS_FIT_NOT_SOUGHT. */
SALTUS_API saltus_status saltus_fit_find(saltus_fit *fit, const double *params, saltus_error *err);
SALTUS_API const saltus_fit_result *saltus_fit_get_result(const saltus_fit *fit);

/* The profile-likelihood interval of an estimate: outside of it, the sum of squares, minimised over
 * the other parameters, exceeds rss + t^2 variance, with t from Student's distribution. An infinite
 * end: the data give no bound on that side. is_open is 1 if the interval ends at a bound of the
 * parameter, or where the motion cannot be simulated any more. */
typedef struct saltus_fit_profile_interval {
    double lower, upper;
    int    lower_is_open, upper_is_open;
} saltus_fit_profile_interval;
/* Computes the interval of the estimate with this index, after a search that converged. */
SALTUS_API saltus_status saltus_fit_profile(saltus_fit *fit, int estimate,
                                            saltus_fit_profile_interval *interval,
                                            saltus_error                *err);

#ifdef __cplusplus
}
#endif
#endif
