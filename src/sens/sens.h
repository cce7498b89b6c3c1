/* Sensitivities: walks over the record of a run.
 *
 * tangent.c walks forward (direct method, and the tangent of the computed steps), discrete.c
 * backward over the computed steps, continuous.c backward in time on the dense output (continuous
 * adjoint). Steps, jumps and guards have their own tangents and adjoints; here they are only
 * chained. */
#ifndef SAL_SENS_SENS_H
#define SAL_SENS_SENS_H

#include "run/fields.h"
#include "run/peaks.h"
#include "sens/accuracy.h"

/* Derivatives by some parameters, in lanes, that are carried through the motion. */
typedef struct sal_directions {
    int          count;
    int          params[SAL_RUN_LANES];
    double       value[SAL_RUN_LANES]; /* of these parameters */
    sal_tangent  tangent;
    sal_accuracy accuracy; /* of the present walk */
    sal_accuracy before;   /* of the walk before it over the same motion */
    double      *end;      /* tangents of the end of the horizon */
    /* Directions instead of parameters, [row * columns + lane], or NULL: of the state at the start
     * (q, v, c), and of all parameters. */
    const double *start, *param_directions;
    int           columns;
} sal_directions;

/* How much of each result a backward walk is about, in its only lane; NULL: nothing. */
typedef struct sal_portions {
    const double *cost, *sampled, *state,
        *time; /* by cost, sample, state at the end, event shown */
} sal_portions;

/* Lanes of a walk: parameters (forward), or costs and events (backward). */
typedef struct sal_sens {
    sal_directions walking;                         /* of a walk over the record */
    sal_directions simultaneous;                    /* computed with the simulation */
    int            next[SAL_RUN_LANES], next_count; /* parameters of the next simulation's */
    sal_tangent    delta;                           /* in one lane, see sal_sens_delta */
    sal_adjoint    adjoint;
    sal_accuracy   accuracy; /* of adjoints of the computed steps, if checks_accuracy is set */
    bool           checks_accuracy; /* estimate the error of adjoints */
    bool           suffices;        /* the accuracy was good enough */
    sal_adjoint    errors;          /* scratch of the checks */
    double        *dh, *dr, *tau_bar, *h_bar;
    double        *initial; /* tangents or adjoints of the initial map, in lanes */
    double        *final;   /* tangents or adjoints of the final map, in lanes */
    double        *peak;    /* tangents of peaks, in lanes */
    double        *out;     /* of the map of peaks, in lanes */
    sal_adjoint    aside;   /* the adjoint of a peak or a sample, before it is added */
    double        *rows;    /* the arrays of public rows */
    double        *kinks;   /* arguments of kinks at an instant */
    /* the continuous adjoint */
    sal_step step;      /* backward: x = (lambda_q, lambda_v), z = (lambda_c, lambda_rho), lanes */
    double  *x, *k, *z; /* of the motion at one instant */
    double  *u_bar, *seed;   /* seed: a_bar, zeros for multipliers, g_bar */
    double  *scale;          /* the largest each lane has been */
    double   suggested;      /* step length */
    sal_field_result result; /* of the last evaluation */
    saltus_run      *run;
    int              lanes;
} sal_sens;

/* The workspace of the run, made if there is none yet. */
saltus_status sal_sens_get(saltus_run *run, sal_sens **sens, saltus_error *err);

/* Whether gradients exist: the run ended as it should, nothing grazed, no kink was met exactly. */
saltus_status sal_sens_check(saltus_run *run, saltus_error *err);

/* Whether a guard that is zero at the start would not be so with other parameters. */
saltus_status sal_sens_moved_at_start(saltus_run *run, int event, bool *moved, saltus_error *err);

/* Results of a walk, by [row * columns + column]; NULL: not requested. */
typedef struct sal_gradients {
    double *cost, *time, *end;
    double *each;    /* times by occurrence, hidden ones too; forward walks only */
    double *sampled; /* by sample that is kept (sal_sampled_row); forward walks only */
    double *state;   /* by state at the end (q, v, c of the script); forward walks only */
    int     columns; /* requested parameters */
} sal_gradients;

/* Indices of the requested parameters and costs. */
typedef struct sal_wanted {
    const int *params, *costs;
    int        param_count, cost_count;
} sal_wanted;

/* Notes a request after a simulation: the next one is expected to be followed by the same. If it is
 * only for derivatives by these few parameters with the direct method (NULL: something else), the
 * next simulation computes them at the same time. */
void sal_sens_note_request(saltus_run *run, const sal_wanted *direct);

saltus_status sal_sens_forward(saltus_run *run, const sal_wanted *wanted, bool discrete,
                               const sal_gradients *out, saltus_error *err);
/* good, if not NULL, is set to whether the steps are short enough for the adjoint (accuracy.h). */
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
saltus_status sal_sens_weighted(saltus_run *run, const sal_portions *portions, double *by_params,
                                double *by_start, saltus_error *err);

/* The row of a sample that is kept, among all of those; c: the memories when it is taken. Without
 * memories: that of the first one of these samples. */
int sal_sampled_row(const saltus_system *system, int samples, const double *c);

/* Sensitivities at given times, lanes params; the callback gets t, the state x and tangents. */
typedef struct sal_sampler {
    const double *times;
    int           count;
    saltus_status (*row)(void *context, const sal_frame *frame, double t, int occurrence,
                         bool after, saltus_error *err);
    void *context;
} sal_sampler;
saltus_status sal_sens_sample_forward(saltus_run *run, const int *params, int count,
                                      const sal_sampler *sampler, saltus_error *err);
/* The derivatives of the end of the horizon, whether or not the run reached it. */
saltus_status sal_sens_horizon(saltus_run *run, const int *params, int count, double *gradient,
                               saltus_error *err);
saltus_status sal_sens_sample_backward(saltus_run *run, int cost, const sal_sampler *sampler,
                                       saltus_error *err);

/* The lanes of a backward walk: costs, then events from `first_event` on, then the end. */
typedef struct sal_lane_plan {
    const int          *costs;
    int                 cost_count;
    int                 first_event, event_count; /* by their numbers among those that users see */
    bool                end;                      /* one more lane: the end of the run */
    int                 lanes;                    /* including empty ones, up to whole vectors */
    const sal_portions *portions;                 /* NULL, or what the only lane is about */
    long long steps; /* steps that the results depend on: the walk begins with the last of them */
} sal_lane_plan;
/* Lanes that are not empty. */
int sal_plan_lanes(const sal_lane_plan *plan);
/* The lane of an occurrence, or -1. */
int sal_plan_event_lane(const sal_lane_plan *plan, const sal_occurrence *o);
/* The adjoint at the end of the run: final costs, and where the end itself depends on rho. Writes
 * tau_bar, the derivative by the end time along the motion. */
saltus_status sal_sens_end(saltus_run *run, const sal_lane_plan *plan, sal_adjoint *adjoint,
                           double *tau_bar, saltus_error *err);
/* Adds the contribution of the end of the horizon, an expression of rho, to rho_bar. */
void sal_sens_end_of_horizon(saltus_run *run, const sal_adjoint *adjoint, const double *end_bar);
/* The gradient from the adjoint at the start: start values add to rho_bar. */
void sal_sens_start(saltus_run *run, const sal_adjoint *adjoint);

/* Writes the derivative of the end of the step in run->motion by its extension delta
 * (sal_step_extend) into sens->delta, and returns that of the guard. Leaves the state at the end in
 * the field, evaluated there. */
double sal_sens_delta(saltus_run *run, const sal_event_system *event);

/* The peak that the cost of the i-th peak has; place NONE: it is not looked at. */
static inline const sal_peak *sal_sens_peak(const saltus_run *run, int i)
{
    return &run->peaks[i].best;
}
/* The adjoint of a map, whose outputs count as out_bar says, at the state that was evaluated in a
 * field becomes sens->aside; needs_a: the map contains accelerations or multipliers. */
void sal_sens_map_adjoint(saltus_run *run, sal_field *field, const sal_map *map, bool needs_a,
                          const double *out_bar, int lanes);
/* That of peak i: costs count as z_bar of the adjoint says, and nothing else does. */
void sal_sens_peak_adjoint(saltus_run *run, sal_field *field, int i, const sal_adjoint *adjoint);
/* Adds sens->aside to an adjoint. */
void sal_sens_add_aside(const saltus_run *run, sal_adjoint *adjoint);
/* Both, for sens->adjoint. */
void sal_sens_add_peak(saltus_run *run, sal_field *field, int i);
/* Whether peak i is just before the event; then the field of the motion is evaluated there. */
bool sal_sens_peak_before(saltus_run *run, int i, int occurrence);
/* Adds all peaks just before the event to sens->adjoint. */
void sal_sens_add_peaks_before(saltus_run *run, int occurrence);
/* The tangent of peak i at the state that was evaluated in the field of the motion, du being
 * complete up to accelerations, into sens->peak. */
void sal_sens_peak_tangent(saltus_run *run, int i, double *du, int lanes);

/* Calls options.progress now and then with the time of the walk; fails if it asks to stop. */
saltus_status sal_sens_poll_progress(const saltus_run *run, long long step, const sal_frame *frame,
                                     saltus_error *err);

/* Fails, naming the operation whose slope is not finite along the motion, if one is found. */
saltus_status sal_sens_explain(saltus_run *run, saltus_error *err);

/* The number of lanes for `count` of them: whole vectors, padded with lanes of zeros. */
int sal_sens_lanes(int count);

/* Walks all lanes of a backward method in blocks. vectors: blocks may be padded with empty lanes.
 */
typedef saltus_status (*sal_backward_walk)(saltus_run *run, const sal_lane_plan *plan,
                                           saltus_error *err);
saltus_status sal_sens_backward(saltus_run *run, const sal_wanted *wanted, const sal_gradients *out,
                                sal_backward_walk walk, bool vectors, saltus_error *err);

#endif
