/* Sensitivities: walks over the record of a run.
 *
 *     directions.c   what walks carry forward: its start, and the direct method at events
 *     tangent.c      walks forward: the direct method, and the tangent of the computed steps
 *     discrete.c     walks backward over the computed steps: their exact adjoint
 *     continuous.c   integrates the continuous adjoint backward on the dense output
 *     sens.c         what all walks need: memory, lanes, the ends of a walk
 *     accuracy.c     estimates the errors of tangents and adjoints
 *     follow.c       finds where guards are zero or turn along a recorded motion
 *     clearance.c    measures how far a motion is from having other events
 *     explain.c      finds the operation that makes a derivative infinite
 *
 * fast/simultaneous.c computes tangents during the simulation, so that no walk is needed.
 * Steps, jumps and guards have their own tangents and adjoints; the walks only chain them. */
#ifndef SAL_SENS_SENS_H
#define SAL_SENS_SENS_H

#include "run/peaks.h"
#include "sens/directions.h"

/* Tangents that are computed with the simulation: fast/simultaneous.h. */
typedef struct sal_simultaneous sal_simultaneous;

/* The weights of results in the only lane of a backward walk: by cost, by sample, by state at the
 * end, and by listed event for event times; NULL: zero. */
typedef struct sal_result_weights {
    const double *cost, *sampled, *state, *time;
} sal_result_weights;

/* The workspace of walks. Lanes are parameters (forward), or costs and events (backward). */
typedef struct sal_sens {
    sal_directions    walking; /* tangents of walks over the record */
    sal_simultaneous *simultaneous;
    sal_tangent       delta; /* in one lane, see sal_sens_delta */
    sal_adjoint       adjoint;
    sal_accuracy      accuracy;                  /* accuracy of adjoints of the computed steps */
    bool              checks_accuracy;           /* estimate the errors of adjoints */
    bool              suffices;                  /* the accuracy was good enough */
    sal_adjoint       errors;                    /* scratch for the error estimates */
    double           *dh, *dr, *tau_bar, *h_bar; /* by lane */
    double           *initial;      /* tangents or adjoints of the initial map, in lanes */
    double           *final;        /* tangents or adjoints of the final map, in lanes */
    double           *peak;         /* tangents of peaks, in lanes */
    double           *out;          /* tangents or adjoints of the map of peaks, in lanes */
    sal_adjoint       part_adjoint; /* the adjoint of a peak or a sample, before it is added */
    double           *rows;         /* the arrays of public rows */
    double           *kinks;        /* arguments of kinks at an instant */
    /* the continuous adjoint */
    sal_step step;      /* backward: x = (lambda_q, lambda_v), z = (lambda_c, lambda_rho), lanes */
    double  *x, *k, *z; /* state, slope and integrals of the motion at one instant */
    double  *u_bar, *seed;   /* seed: a_bar, zeros for multipliers, g_bar */
    double  *scale;          /* by lane: the largest adjoint so far */
    double   suggested;      /* length of the next step */
    sal_field_result result; /* result of the last evaluation */
    saltus_run      *run;
} sal_sens;

/* Gets the workspace of the run, which is made at the first call. */
saltus_status sal_sens_get(saltus_run *run, sal_sens **sens, saltus_error *err);

/* Fails if there are no gradients: the run must have reached its end, no event may graze, and no
 * kink may be met exactly. */
saltus_status sal_sens_check(saltus_run *run, saltus_error *err);

/* Finds out whether a guard that is zero at the start would be nonzero with other parameters. */
saltus_status sal_sens_moved_at_start(saltus_run *run, int event, bool *moved, saltus_error *err);

/* Results of a walk, by [row * columns + column]; NULL: not requested. */
typedef struct sal_gradients {
    double *cost, *time, *end;
    double *each;    /* times by occurrence, hidden ones included; forward walks only */
    double *sampled; /* by row of samples (sal_sampled_row); forward walks only */
    double *state;   /* by state at the end (q, v, c of the script); forward walks only */
    int     columns; /* number of columns: requested parameters or directions */
} sal_gradients;

/* Indices of the requested parameters and costs. */
typedef struct sal_wanted {
    const int *params, *costs;
    int        param_count, cost_count;
} sal_wanted;

/* Notes a request after a simulation. The same request is expected after the next simulation: if it
 * is only for derivatives by a few parameters with the direct method, that simulation computes them
 * at the same time. direct NULL: the request is for something else. */
void sal_sens_note_request(saltus_run *run, const sal_wanted *direct);

/* Computes derivatives forward: by the tangent of the computed steps if discrete is set, else by
 * the direct method. */
saltus_status sal_sens_forward(saltus_run *run, const sal_wanted *wanted, bool discrete,
                               const sal_gradients *out, saltus_error *err);
/* Computes derivatives backward, by the adjoint of the computed steps. Writes to good, if it is not
 * NULL, whether the steps are short enough for the adjoint (accuracy.h). */
saltus_status sal_sens_discrete(saltus_run *run, const sal_wanted *wanted, const sal_gradients *out,
                                bool *good, saltus_error *err);
saltus_status sal_sens_continuous(saltus_run *run, const sal_wanted *wanted,
                                  const sal_gradients *out, saltus_error *err);

/* Derivatives along directions of parameters and of the state at the start (sal_directions), by the
 * tangent of the steps; columns of out: lanes. */
saltus_status sal_sens_products(saltus_run *run, int lanes, const double *along,
                                const double *start, const sal_gradients *out, saltus_error *err);
/* The derivatives of a sum of results by all parameters and by the state at the start (may be
 * NULL), by the adjoint of the steps. */
saltus_status sal_sens_weighted(saltus_run *run, const sal_result_weights *weights,
                                double *by_params, double *by_start, saltus_error *err);

/* Returns the row of a sample among all samples that are kept. samples: index of the list in the
 * model; c: the memories when it is taken, of which one counts the samples. c NULL: the row of the
 * first sample of the list. */
int sal_sampled_row(const saltus_system *system, int samples, const double *c);

/* A request for sensitivities at given times and at events. row is called with the workspace of the
 * run (sens->rows) filled in; frame is NULL at an event, else occurrence is -1. */
typedef struct sal_sampler {
    const double *times;
    int           count;
    saltus_status (*row)(void *context, const sal_frame *frame, double t, int occurrence,
                         bool after, saltus_error *err);
    void *context;
} sal_sampler;
saltus_status sal_sens_sample_forward(saltus_run *run, const int *params, int count,
                                      const sal_sampler *sampler, saltus_error *err);
/* Writes the derivatives of the end of the horizon, whether or not the run reached it. */
saltus_status sal_sens_horizon(saltus_run *run, const int *params, int count, double *gradient,
                               saltus_error *err);
saltus_status sal_sens_sample_backward(saltus_run *run, int cost, const sal_sampler *sampler,
                                       saltus_error *err);

/* The lanes of a backward walk: costs, then events from `first_event` on, then the end. */
typedef struct sal_lane_plan {
    const int *costs;
    int        cost_count;
    int        first_event, event_count; /* indices among the events that users see */
    bool       end;                      /* one more lane: the end of the run */
    int        lanes;                    /* all lanes, with empty ones to fill vectors */
    const sal_result_weights *weights;   /* NULL, or the weights in the only lane */
    long long steps; /* number of steps that the results depend on: the walk begins with the last */
} sal_lane_plan;
/* Returns the number of lanes that are not empty. */
int sal_lane_plan_count(const sal_lane_plan *plan);
/* Returns the lane of an occurrence, or -1. */
int sal_lane_plan_of_event(const sal_lane_plan *plan, const sal_occurrence *o);
/* Writes the adjoint at the end of the run, from the final costs and the end time, and tau_bar, the
 * derivative by the end time along the motion. */
saltus_status sal_sens_end(saltus_run *run, const sal_lane_plan *plan, sal_adjoint *adjoint,
                           double *tau_bar, saltus_error *err);
/* Adds the contribution of the end of the horizon, an expression of rho, to rho_bar. */
void sal_sens_end_of_horizon(saltus_run *run, const sal_adjoint *adjoint, const double *end_bar);
/* Adds the contribution of the start values, which depend on rho, to rho_bar. */
void sal_sens_start(saltus_run *run, const sal_adjoint *adjoint);

/* Writes to sens->delta the derivative of the end of the step in run->motion by its extension delta
 * (sal_step_extend), and returns the derivative of the guard. Leaves the state at the end in the
 * field, evaluated there. */
double sal_sens_delta(saltus_run *run, const sal_compiled_event *event);

/* The most extreme value of the i-th peak expression; place SAL_PEAK_NONE: there is none. */
static inline const sal_peak *sal_sens_peak(const saltus_run *run, int i)
{
    return &run->peaks[i].best;
}
/* Writes to sens->part_adjoint the adjoint of a map with outputs weighted by out_bar, at the state
 * that was evaluated in a field. needs_a: the map contains accelerations or multipliers. */
void sal_sens_map_adjoint(saltus_run *run, sal_field *field, const sal_map *map, bool needs_a,
                          const double *out_bar, int lanes);
/* Writes to sens->part_adjoint the adjoint of peak i, with costs weighted by z_bar of the adjoint.
 */
void sal_sens_peak_adjoint(saltus_run *run, sal_field *field, int i, const sal_adjoint *adjoint);
/* Adds sens->part_adjoint to an adjoint. */
void sal_sens_add_part(const saltus_run *run, sal_adjoint *adjoint);
/* Adds the adjoint of peak i to sens->adjoint. */
void sal_sens_add_peak(saltus_run *run, sal_field *field, int i);
/* Returns whether peak i is just before the event; if so, evaluates the field of the motion there.
 */
bool sal_sens_peak_before(saltus_run *run, int i, int occurrence);
/* Adds the adjoints of all peaks just before the event to sens->adjoint. */
void sal_sens_add_peaks_before(saltus_run *run, int occurrence);
/* Writes to sens->peak the tangent of peak i at the state that was evaluated in the field of the
 * motion. du must have the tangents of t, q, v, c, rho. */
void sal_sens_peak_tangent(saltus_run *run, int i, double *du, int lanes);

/* Calls options.progress now and then with the time of the walk; fails if it requests to stop. */
saltus_status sal_sens_poll_progress(saltus_run *run, long long step, const sal_frame *frame,
                                     saltus_error *err);

/* Explains a derivative that is not finite: always fails, with a message that names the operation
 * whose slope is not finite along the motion, if one is found. */
saltus_status sal_sens_explain(saltus_run *run, saltus_error *err);

/* Returns how many of `left` directions the next walk takes. */
static inline int sal_sens_block(int left) { return left < SAL_RUN_LANES ? left : SAL_RUN_LANES; }
/* Returns the number of lanes to use for `count` directions: padded to whole vectors, unless there
 * is only one. */
int sal_sens_lanes(int count);

/* Computes all results of a backward method, in blocks of lanes. vectors: pad blocks with empty
 * lanes to whole vectors. */
typedef saltus_status (*sal_backward_walk)(saltus_run *run, const sal_lane_plan *plan,
                                           saltus_error *err);
saltus_status sal_sens_backward(saltus_run *run, const sal_wanted *wanted, const sal_gradients *out,
                                sal_backward_walk walk, bool vectors, saltus_error *err);

#endif
