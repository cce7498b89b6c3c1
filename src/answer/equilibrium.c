/* Equilibria: a(q, 0) = 0 by Newton's method, and the eigenvalues of the linearised motion.
 *
 * Constraints are stabilised (Baumgarte), Phi_q a = -2 xi omega Phi_q v - omega^2 Phi, so that they
 * are met where accelerations are zero, and there are as many equations as coordinates. The unknown
 * of a first-order state, which is kept as a velocity, is that velocity. The linearised motion of
 * y = (q, v), without the positions of states, is
 *
 *     d/dt dq = dv,   d/dt dv = a_q dq + a_v dv
 *
 * Its eigenvalues are those of the mechanism and, for each constraint, the two of the
 * stabilisation, which are known and left out. Derivatives by parameters are extrapolated
 * differences of the position of rest, found again for each value, and of this matrix:
 * dlambda = w^T dA v. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "api/options.h"
#include "base/host.h"
#include "base/status.h"
#include "gradient/requests.h"
#include "motion/guard.h"
#include "run/fields.h"
#include "saltus/saltus.h"
#include "solve/differences.h"
#include "solve/eigen.h"
#include "solve/newton.h"

static const double STEP_TOLERANCE = 1e-13;
/* The stabilisation of constraints: its eigenvalues should be unlike those of models. */
static const double OMEGA = 1.37, XI = 0.6;
static const double WORST_CONDITION = 1e7;
static const double DISTANCE = 0.02; /* step of the first differences, relative to the parameter */
enum { ITERATIONS = 200, FLIPS = 8 };

struct saltus_equilibrium {
    const saltus_system *system;
    saltus_run          *run;
    sal_arena            arena, kept;
    int                  n, unknowns; /* coordinates; rows of the linearised motion */
    int                 *by, by_count;
    int         *place; /* places of the unknowns in u: positions, and velocities of states */
    double      *params;
    double      *x, *k; /* (q, v), and its rate */
    double      *y;     /* unknowns of the search: q, and v of states */
    double      *scale, *weight;
    double      *du;
    double       t;
    saltus_error why; /* the failure that ended the search */
    saltus_equilibrium_result result;
};

/* ---- objects -------------------------------------------------------------------------------- */

static bool is_state(const saltus_equilibrium *e, int i)
{
    return e->system->model->coordinates.data[i].state;
}

static saltus_status choose_params(saltus_equilibrium *e, const int *params, int count,
                                   saltus_error *err)
{
    const saltus_system *system = e->system;
    TRY(sal_request_indices(params, count, system->np, "parameter", err));
    e->by = ARENA_NEW(&e->arena, params ? count : system->np, int);
    if (!e->by) return sal_fail_memory(err);
    for (int i = 0; i < (params ? count : system->np); i++) {
        const int param = params ? params[i] : i;
        if (params || !system->model->params.data[param].fixed) e->by[e->by_count++] = param;
    }
    return SALTUS_OK;
}

/* Makes a run that only starts: the search uses its modes, memories and branches. */
static saltus_status make_run(saltus_equilibrium *e, const saltus_options *given, saltus_error *err)
{
    saltus_options options = given ? *given : saltus_system_options(e->system);
    TRY(sal_check_options(&options, err));
    saltus_system_horizon(e->system, &e->t, NULL);
    options.t_end = e->t + 1e-9 * fmax(1.0, fabs(e->t));
    options.formulation = SALTUS_INDEX1;
    options.omega = OMEGA;
    options.xi = XI;
    e->run = saltus_run_new(e->system, &options, err);
    return e->run ? SALTUS_OK : err ? err->status : SALTUS_ERR_MEMORY;
}

static saltus_status init(saltus_equilibrium *e, const saltus_options *options, const int *params,
                          int count, saltus_error *err)
{
    const saltus_system *system = e->system;
    const int            n = e->n = system->n;
    TRY(choose_params(e, params, count, err));
    TRY(make_run(e, options, err));
    for (int i = 0; i < n; i++) e->unknowns += is_state(e, i) ? 1 : 2;
    e->params = ARENA_NEW(&e->arena, system->np, double);
    ARENA_VECTORS(&e->arena, 2 * n, &e->x, &e->k);
    ARENA_VECTORS(&e->arena, n, &e->y, &e->scale, &e->weight);
    e->du = ARENA_NEW(&e->arena, system->layout.size * SAL_RUN_LANES, double);
    e->place = ARENA_NEW(&e->arena, n, int);
    if (e->arena.failed) return sal_fail_memory(err);
    for (int i = 0; i < n; i++)
        e->place[i] = system->layout.at[is_state(e, i) ? SAL_LEAF_V : SAL_LEAF_Q] + i;
    return SALTUS_OK;
}

saltus_equilibrium *saltus_equilibrium_new(const saltus_system  *system,
                                           const saltus_options *options, const int *params,
                                           int param_count, saltus_error *err)
{
    HOLD_HOST;
    saltus_error failure = {0};
    if (err && err->status) return NULL;
    if (!system) {
        sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no system to find equilibria of");
        return NULL;
    }
    saltus_equilibrium *e = sal_resize(&system->allocator, NULL, 0, sizeof *e);
    if (!e) {
        sal_fail_memory(err);
        return NULL;
    }
    *e = (saltus_equilibrium){.system = system,
                              .result = {.end = SALTUS_EQUILIBRIUM_NOT_SOUGHT, .message = ""}};
    sal_arena_init(&e->arena, &system->allocator);
    sal_arena_init(&e->kept, &system->allocator);
    if (init(e, options, params, param_count, &failure) == SALTUS_OK) return e;
    if (err) *err = failure;
    saltus_equilibrium_free(e);
    return NULL;
}

void saltus_equilibrium_free(saltus_equilibrium *e)
{
    if (!e) return;
    const saltus_allocator allocator = e->system->allocator;
    saltus_run_free(e->run);
    sal_arena_free(&e->kept);
    sal_arena_free(&e->arena);
    sal_resize(&allocator, e, sizeof *e, 0);
}

const saltus_equilibrium_result *saltus_equilibrium_get_result(const saltus_equilibrium *e)
{
    static const saltus_equilibrium_result none = {.end = SALTUS_EQUILIBRIUM_NOT_SOUGHT,
                                                   .message = ""};
    return e ? &e->result : &none;
}

/* ---- the field at rest ---------------------------------------------------------------------- */

static sal_field *field_of(saltus_equilibrium *e) { return &e->run->motion.field; }

/* Enters the modes in which the model starts with the present parameters. */
static saltus_status enter(saltus_equilibrium *e, saltus_error *err)
{
    saltus_run *run = e->run;
    TRY(saltus_run_simulate(run, e->params, err));
    const saltus_run_info *info = saltus_run_get_info(run);
    if (info->outcome == SALTUS_INTERRUPTED)
        return sal_fail(err, SALTUS_ERR_INTERRUPTED, "interrupted");
    sal_run_put_params(run);
    sal_run_put_memories(run, run->end.c);
    return sal_run_enter(run, run->end.regime, err);
}

/* Evaluates the accelerations for the unknowns y; all velocities are zero except those of
 * states. */
static sal_field_result evaluate(saltus_equilibrium *e, const double *y)
{
    for (int i = 0; i < e->n; i++) {
        e->x[i] = is_state(e, i) ? 0.0 : y[i];
        e->x[e->n + i] = is_state(e, i) ? y[i] : 0.0;
    }
    return sal_field_eval(field_of(e), e->t, e->x, e->k, NULL);
}

/* Derivatives of all accelerations by some places of u: out[coordinate * count + which]. */
static void derive_accelerations(saltus_equilibrium *e, const int *place, int count, double *out)
{
    const int at_a = e->system->layout.at[SAL_LEAF_A];
    for (int first = 0; first < count; first += SAL_RUN_LANES) {
        const int lanes = count - first < SAL_RUN_LANES ? count - first : SAL_RUN_LANES;
        memset(e->du, 0, (size_t)(e->system->layout.size * lanes) * sizeof *e->du);
        for (int l = 0; l < lanes; l++) e->du[place[first + l] * lanes + l] = 1.0;
        sal_field_tangent(field_of(e), e->du, lanes, NULL);
        for (int i = 0; i < e->n; i++)
            for (int l = 0; l < lanes; l++)
                out[i * count + first + l] = e->du[(at_a + i) * lanes + l];
    }
}

static sal_evaluation accelerations(void *context, const double *y, double *f, double *J)
{
    saltus_equilibrium *e = context;
    switch (evaluate(e, y)) {
    case SAL_FIELD_OK: break;
    case SAL_FIELD_MEMORY: sal_fail_memory(&e->why); return SAL_STOP;
    case SAL_FIELD_SINGULAR:
    case SAL_FIELD_NOT_FINITE: return SAL_NO_VALUE;
    }
    memcpy(f, e->k + e->n, (size_t)e->n * sizeof *f);
    derive_accelerations(e, e->place, e->n, J);
    return SAL_EVALUATED;
}

/* Changes the branches of kinks that are on the wrong side at the last evaluation. Returns whether
 * there were any. */
static bool flip_branches(saltus_equilibrium *e, sal_arena *work)
{
    const saltus_system *system = e->system;
    double              *argument = ARENA_NEW(work, system->kinks, double);
    double              *branch = e->run->end.c + system->nm_user;
    bool                 flipped = false;
    if (!argument || system->kinks == 0) return false;
    sal_map_value(&system->kink_map, field_of(e)->u, argument, field_of(e)->work);
    for (int i = 0; i < system->kinks; i++)
        if (argument[i] * branch[i] < -1e-12 * fabs(argument[i])) {
            branch[i] = -branch[i];
            flipped = true;
        }
    if (flipped) sal_run_put_memories(e->run, e->run->end.c);
    return flipped;
}

/* Newton's method from e->y, repeated until all kinks are on the right side. */
static sal_solve_status solve(saltus_equilibrium *e, int *iterations, sal_arena *work)
{
    sal_newton newton = {.n = e->n,
                         .evaluate = accelerations,
                         .context = e,
                         .scale = e->scale,
                         .weight = e->weight,
                         .tolerance = STEP_TOLERANCE,
                         .limit = ITERATIONS};
    *iterations = 0;
    for (int flips = 0;; flips++) {
        const sal_solve_status status = sal_newton_solve(&newton, e->y, work);
        *iterations += newton.iterations;
        if (status == SAL_NO_START || status == SAL_STOPPED || status == SAL_OUT_OF_MEMORY)
            return status;
        if (evaluate(e, e->y) != SAL_FIELD_OK) return SAL_STALLED;
        if (flips == FLIPS || !flip_branches(e, work)) return status;
    }
}

/* Takes the start from the run, which has moved for a moment. A position that is no farther from
 * zero than it can move in that time is taken as zero, and does not count for the scales. */
static void begin_at_start(saltus_equilibrium *e)
{
    const double *x = e->run->end.x, moment = fabs(e->run->end.t - e->t);
    double        size = 0.0;
    for (int i = 0; i < e->n; i++) {
        e->y[i] = x[is_state(e, i) ? e->n + i : i];
        if (!is_state(e, i) && fabs(e->y[i]) <= moment * fabs(x[e->n + i])) e->y[i] = 0.0;
        size = fmax(size, fabs(e->y[i]));
    }
    for (int i = 0; i < e->n; i++) {
        e->scale[i] = fmax(fabs(e->y[i]), size > 0.0 ? 0.1 * size : 1.0);
        e->weight[i] = 1.0;
    }
}

/* ---- the linearised motion ------------------------------------------------------------------ */

/* Writes A of d/dt y = A y at the state of the last evaluation. Rows and columns: positions of
 * coordinates that are not states, then all velocities. */
static bool linearise(saltus_equilibrium *e, double *A, sal_arena *work)
{
    const sal_layout *layout = &e->system->layout;
    const int         N = e->unknowns, first = N - e->n;
    int              *place = ARENA_NEW(work, N, int), count = 0;
    double           *rows = ARENA_NEW(work, e->n * N, double);
    if (work->failed) return false;
    memset(A, 0, (size_t)(N * N) * sizeof *A);
    for (int i = 0; i < e->n; i++) {
        place[first + i] = layout->at[SAL_LEAF_V] + i;
        if (is_state(e, i)) continue;
        A[count * N + first + i] = 1.0;
        place[count++] = layout->at[SAL_LEAF_Q] + i;
    }
    derive_accelerations(e, place, N, rows);
    memcpy(A + first * N, rows, (size_t)(e->n * N) * sizeof *A);
    return true;
}

/* Removes the eigenvalue that is nearest to the known one, if it is near enough. */
static void leave_out(double complex *value, int *count, double complex known)
{
    int best = -1;
    for (int i = 0; i < *count; i++)
        if (best < 0 || cabs(value[i] - known) < cabs(value[best] - known)) best = i;
    if (best < 0 || cabs(value[best] - known) > 1e-3) return;
    memmove(value + best, value + best + 1, (size_t)(--*count - best) * sizeof *value);
}

/* Removes the eigenvalues of the stabilisation: a pair for a constraint of positions, one for a
 * constraint of velocities. */
static void leave_out_stabilisation(saltus_equilibrium *e, double complex *value, int *count)
{
    const sal_field     *field = field_of(e);
    const double complex root = CMPLX(-XI * OMEGA, OMEGA * sqrt(1.0 - XI * XI));
    for (int j = 0; j < e->system->nmu; j++) {
        if (!field->regime->on[j] || (field->skip && field->skip[j])) continue;
        if (e->system->model->constraints.data[j].velocity) {
            leave_out(value, count, -2.0 * XI * OMEGA);
            continue;
        }
        leave_out(value, count, root);
        leave_out(value, count, conj(root));
    }
}

/* Sorts by falling real part; conjugate pairs stay together. */
static void sort_by_real_part(double complex *value, int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && creal(value[k]) > creal(value[k - 1]); k--) {
            const double complex swap = value[k];
            value[k] = value[k - 1];
            value[k - 1] = swap;
        }
}

static int judge(const double complex *value, int count)
{
    double size = 0.0, most = -INFINITY;
    for (int i = 0; i < count; i++) {
        size = fmax(size, cabs(value[i]));
        most = fmax(most, creal(value[i]));
    }
    /* A double eigenvalue has only half the digits. */
    if (fabs(most) <= 1e-7 * size || size == 0.0) return -1;
    return most < 0.0;
}

/* ---- derivatives by parameters -------------------------------------------------------------- */

typedef struct nearby {
    saltus_equilibrium *e;
    const double       *rest; /* the position of rest at the given parameters */
    int                 param;
    double              at;
    const sal_regime   *regime;
} nearby;

/* Finds the position of rest and the matrix with one parameter changed. */
static sal_evaluation rest_nearby(void *context, double distance, double *value)
{
    nearby             *near = context;
    saltus_equilibrium *e = near->e;
    saltus_error        why = {0};
    int                 iterations;
    sal_evaluation      result = SAL_NO_VALUE;
    WORK_ARENA(work, &e->system->allocator);
    e->params[near->param] = near->at + distance;
    if (enter(e, &why) == SALTUS_OK && e->run->end.regime == near->regime) {
        memcpy(e->y, near->rest, (size_t)e->n * sizeof *e->y);
        if (solve(e, &iterations, &work) == SAL_CONVERGED && linearise(e, value + e->n, &work)) {
            memcpy(value, e->y, (size_t)e->n * sizeof *value);
            result = SAL_EVALUATED;
        }
    }
    e->params[near->param] = near->at;
    if (sal_evaluation_of(why.status) != SAL_STOP) return result;
    e->why = why;
    return SAL_STOP;
}

/* A part of a complex number; zero if it is only a rounding error of the whole. */
static double part_of(double part, double complex whole)
{
    return fabs(part) <= 1e-14 * cabs(whole) ? 0.0 : part;
}

/* Writes the derivatives of all eigenvalues, w^T dA v, by the parameter of this column. */
static void derive_eigenvalues(saltus_equilibrium *e, const double *A, const double *dA, int column,
                               double *re, double *im, sal_arena *work)
{
    const int       N = e->unknowns;
    double complex *v = ARENA_NEW(work, N, double complex), *w = ARENA_NEW(work, N, double complex);
    if (work->failed) return;
    for (int i = 0; i < e->result.eigenvalues; i++) {
        const double complex value = CMPLX(e->result.re[i], e->result.im[i]);
        double complex       sum = 0.0;
        if (!(sal_eigenvectors(N, A, value, v, w, work) < WORST_CONDITION)) continue;
        for (int a = 0; a < N; a++)
            for (int b = 0; b < N; b++) sum += w[a] * dA[a * N + b] * v[b];
        re[i * e->by_count + column] = part_of(creal(sum), sum);
        im[i * e->by_count + column] = part_of(cimag(sum), sum);
    }
}

static void forget_coinciding(saltus_equilibrium *e, double *re, double *im)
{
    const saltus_equilibrium_result *r = &e->result;
    for (int i = 0; i < r->eigenvalues; i++)
        for (int k = 0;
             sal_eigenvalue_coincides(r->eigenvalues, r->re, r->im, i, 1e-7) && k < e->by_count;
             k++)
            re[i * e->by_count + k] = im[i * e->by_count + k] = NAN;
}

static double *unknown_numbers(sal_arena *arena, int count)
{
    double *x = ARENA_NEW(arena, count, double);
    for (int i = 0; x && i < count; i++) x[i] = NAN;
    return x;
}

static saltus_status derive(saltus_equilibrium *e, const double *A, bool family, sal_arena *work,
                            saltus_error *err)
{
    const int N = e->unknowns, by = e->by_count, size = e->n + N * N;
    double   *position = unknown_numbers(&e->kept, e->n * by);
    double   *re = unknown_numbers(&e->kept, e->result.eigenvalues * by);
    double   *im = unknown_numbers(&e->kept, e->result.eigenvalues * by);
    double   *change = ARENA_NEW(work, size, double), error;
    if (e->kept.failed || work->failed) return sal_fail_memory(err);
    for (int k = 0; k < by && !family; k++) {
        const double at = e->params[e->by[k]];
        nearby       near = {e, e->result.position, e->by[k], at, e->run->end.regime};
        WORK_ARENA(scratch, &e->system->allocator);
        const sal_solve_status status = sal_differences_extrapolated(
            rest_nearby, &near, size, DISTANCE * (at != 0.0 ? fabs(at) : 1.0), change, &error,
            &scratch);
        if (status == SAL_CONVERGED) {
            for (int i = 0; i < e->n; i++) position[i * by + k] = change[i];
            derive_eigenvalues(e, A, change + e->n, k, re, im, &scratch);
        }
        if (scratch.failed || status == SAL_OUT_OF_MEMORY) return sal_fail_memory(err);
        if (status != SAL_STOPPED) continue;
        if (err && !err->status) *err = e->why;
        return e->why.status ? e->why.status : sal_fail_memory(err);
    }
    forget_coinciding(e, re, im);
    e->result.gradient = position;
    e->result.re_gradient = re;
    e->result.im_gradient = im;
    return SALTUS_OK;
}

/* ---- the result ----------------------------------------------------------------------------- */

/* Returns the name of an event whose guard is past zero at rest, or NULL. It would have happened,
 * so that the mechanism is not at rest in these modes. */
static const char *event_past(saltus_equilibrium *e, sal_arena *work)
{
    sal_field        *field = field_of(e);
    const sal_regime *regime = field->regime;
    double           *du = ARENA_NEW(work, e->system->layout.size, double);
    for (int i = 0; du && i < regime->events; i++) {
        const sal_compiled_event *event = &e->system->event[regime->event[i]];
        if (event->kink >= 0 || event->wheres || event->guard_is_clock) continue;
        const double r = sal_guard_value(field, event, field->u, NULL, du);
        if (event->direction == SALTUS_FALLING ? r < -1e-9
                                               : event->direction == SALTUS_RISING && r > 1e-9)
            return event->name;
    }
    return NULL;
}

/* Whether accelerations at rest depend on the time. */
static bool moves_with_time(saltus_equilibrium *e, sal_arena *work)
{
    const int place = e->system->layout.at[SAL_LEAF_T];
    double   *rate = ARENA_NEW(work, e->n, double);
    if (!rate) return false;
    derive_accelerations(e, &place, 1, rate);
    for (int i = 0; i < e->n; i++)
        if (fabs(rate[i]) > 1e-9) return true;
    return false;
}

static bool is_one_of_a_family(const double complex *value, int count)
{
    double size = 0.0;
    bool   zero = false;
    for (int i = 0; i < count; i++) size = fmax(size, cabs(value[i]));
    for (int i = 0; i < count; i++) zero |= cabs(value[i]) <= 1e-7 * size;
    return zero || (size == 0.0 && count > 0);
}

static const char *remark(saltus_equilibrium *e, bool family, sal_arena *work)
{
    const char *event = event_past(e, work);
    if (event)
        return sal_arena_format(
            &e->kept,
            "at this equilibrium the guard of event '%s' is past zero: the mechanism "
            "would leave the modes in which it starts%s%s%s",
            event, e->result.mode ? " (" : "", e->result.mode ? e->result.mode : "",
            e->result.mode ? ")" : "");
    if (moves_with_time(e, work))
        return sal_arena_format(
            &e->kept,
            "forces or constraints depend on the time: this equilibrium holds at "
            "t = %.10g only",
            e->t);
    if (family)
        return "an eigenvalue is zero: this equilibrium is one of a family, or about to lose its "
               "stability";
    return "";
}

static const char *unfound(saltus_equilibrium *e, sal_solve_status status)
{
    int worst = 0;
    if (status == SAL_NO_START) {
        e->result.end = SALTUS_EQUILIBRIUM_NO_START;
        return "the accelerations at the start cannot be computed: a singular matrix, or a value "
               "that is not finite";
    }
    for (int i = 1; i < e->n; i++)
        if (fabs(e->k[e->n + i]) > fabs(e->k[e->n + worst])) worst = i;
    e->result.end = status == SAL_LIMIT ? SALTUS_EQUILIBRIUM_LIMIT : SALTUS_EQUILIBRIUM_STUCK;
    return sal_arena_format(
        &e->kept,
        "no equilibrium was found in the modes in which the model starts%s%s%s: at the best point "
        "the acceleration of '%s' is still %.4g. Start closer to one, or check whether one exists",
        e->result.mode ? " (" : "", e->result.mode ? e->result.mode : "", e->result.mode ? ")" : "",
        e->system->model->coordinates.data[worst].label.name, e->k[e->n + worst]);
}

static saltus_status keep_values(saltus_equilibrium *e, saltus_error *err)
{
    const double *mu = sal_u(field_of(e), SAL_LEAF_MU);
    e->result.position = sal_arena_copy(&e->kept, e->y, e->n);
    e->result.acceleration = sal_arena_copy(&e->kept, e->k + e->n, e->n);
    e->result.multiplier = sal_arena_copy(&e->kept, mu, e->system->nmu);
    return e->kept.failed ? sal_fail_memory(err) : SALTUS_OK;
}

static saltus_status keep_eigenvalues(saltus_equilibrium *e, double *A, sal_arena *work,
                                      bool *family, saltus_error *err)
{
    int             count = e->unknowns;
    double complex *value = ARENA_NEW(work, count, double complex);
    double         *re, *im;
    if (!ARENA_VECTORS(&e->kept, count, &re, &im) || work->failed || !linearise(e, A, work))
        return sal_fail_memory(err);
    if (!sal_eigenvalues(count, A, value, work))
        return work->failed ? sal_fail_memory(err)
                            : sal_fail(err, SALTUS_ERR_NOT_FINITE,
                                       "the motion about the rest has no linearisation: a "
                                       "derivative there is not finite");
    leave_out_stabilisation(e, value, &count);
    sort_by_real_part(value, count);
    for (int i = 0; i < count; i++) {
        re[i] = part_of(creal(value[i]), value[i]);
        im[i] = cimag(value[i]);
    }
    e->result.re = re;
    e->result.im = im;
    e->result.eigenvalues = count;
    e->result.stable = judge(value, count);
    *family = is_one_of_a_family(value, count);
    return SALTUS_OK;
}

static saltus_status find(saltus_equilibrium *e, saltus_error *err)
{
    WORK_ARENA(work, &e->system->allocator);
    double *A = ARENA_NEW(&work, e->unknowns * e->unknowns, double);
    bool    family = false;
    if (work.failed) return sal_fail_memory(err);
    TRY(enter(e, err));
    e->result.mode = e->run->end.regime->name;
    begin_at_start(e);
    const sal_solve_status status = solve(e, &e->result.iterations, &work);
    if (status == SAL_STOPPED || status == SAL_OUT_OF_MEMORY) return sal_fail_memory(err);
    if (status != SAL_CONVERGED) e->result.message = unfound(e, status);
    if (!e->result.message) return sal_fail_memory(err);
    if (status != SAL_NO_START) TRY(keep_values(e, err));
    if (status != SAL_CONVERGED) return SALTUS_OK;
    e->result.end = SALTUS_EQUILIBRIUM_FOUND;
    TRY(keep_eigenvalues(e, A, &work, &family, err));
    e->result.message = remark(e, family, &work);
    if (!e->result.message || work.failed) return sal_fail_memory(err);
    return derive(e, A, family, &work, err);
}

saltus_status saltus_equilibrium_find(saltus_equilibrium *e, const double *params,
                                      saltus_error *err)
{
    HOLD_HOST;
    if (err && err->status) return err->status;
    if (!e) return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no search for equilibria");
    sal_arena_free(&e->kept);
    e->why = (saltus_error){0};
    e->result = (saltus_equilibrium_result){.end = SALTUS_EQUILIBRIUM_NOT_SOUGHT,
                                            .message = "",
                                            .t = e->t,
                                            .coordinates = e->n,
                                            .constraints = e->system->nmu,
                                            .params_by = e->by_count,
                                            .by = e->by,
                                            .stable = -1};
    TRY(sal_params_check(e->system, params, err));
    for (int i = 0; i < e->system->np; i++)
        e->params[i] = params ? params[i] : e->system->model->params.data[i].value;
    return find(e, err);
}
