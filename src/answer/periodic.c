/* Periodic motions: fixed points of the map x -> P(x, rho), their multipliers and derivatives.
 *
 *     (P_x - I) dx = x - P                             Newton's method
 *     dx/drho = (I - P_x)^-1 P_rho                     the fixed point
 *     d psi/drho = psi_rho + psi_x dx/drho             costs and the period, on the motion
 *     P_x v = lambda v, w^T P_x = lambda w^T, w^T v = 1
 *     h(x, rho) = w^T P_x(x, rho) v,   dlambda/drho = h_rho + h_x dx/drho
 *
 * The gradient of h is a sum of derivatives of P_x and P_rho along unknowns, which are extrapolated
 * differences of gradients. */
#include "answer/periodic.h"

#include <math.h>
#include <string.h>

#include "base/host.h"
#include "base/status.h"
#include "gradient/requests.h"
#include "linalg/lu.h"
#include "model/model.h"
#include "solve/differences.h"
#include "solve/eigen.h"
#include "solve/newton.h"

static const double STEP_TOLERANCE = 1e-12; /* where Newton's method stops, in scales */
static const double ONE = 1e-6;             /* multipliers this near to 1 count as 1 */
static const double WORST_CONDITION = 1e7;  /* limit for derivatives of multipliers */
static const double DISTANCE = 0.02;        /* step of the first differences, in scales */
enum { ITERATIONS = 100, SETTLING = 60 };

/* ---- objects -------------------------------------------------------------------------------- */

saltus_periodic *saltus_periodic_new(const saltus_model *model, const saltus_options *options,
                                     const saltus_request *request, saltus_error *err)
{
    HOLD_HOST;
    saltus_error failure = {0};
    if (err && err->status) return NULL;
    if (!model) {
        sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no model to find periodic motions of");
        return NULL;
    }
    saltus_periodic *p = sal_resize(&model->arena.allocator, NULL, 0, sizeof *p);
    if (!p) {
        sal_fail_memory(err);
        return NULL;
    }
    *p = (saltus_periodic){.result = {.end = SALTUS_PERIODIC_NOT_SOUGHT, .message = ""}};
    const saltus_status status = sal_return_map_init(&p->map, model, options, request, &failure);
    sal_arena_init(&p->kept, &p->map.allocator);
    if (status == SALTUS_OK) return p;
    if (err) *err = failure;
    saltus_periodic_free(p);
    return NULL;
}

void saltus_periodic_free(saltus_periodic *p)
{
    if (!p) return;
    const saltus_allocator allocator = p->map.allocator;
    sal_arena_free(&p->kept);
    sal_return_map_free(&p->map);
    sal_resize(&allocator, p, sizeof *p, 0);
}

const saltus_system *saltus_periodic_system(const saltus_periodic *p)
{
    return p ? p->map.system : NULL;
}

const saltus_periodic_result *saltus_periodic_get_result(const saltus_periodic *p)
{
    static const saltus_periodic_result none = {.end = SALTUS_PERIODIC_NOT_SOUGHT, .message = ""};
    return p ? &p->result : &none;
}

/* ---- the fixed point ------------------------------------------------------------------------ */

void sal_periodic_scales(const sal_return_map *map, double *scale)
{
    double largest = 0.0;
    for (int i = 0; i < map->n; i++) largest = fmax(largest, fabs(map->params[map->column[i]]));
    for (int i = 0; i < map->n; i++) {
        const double value = fabs(map->params[map->column[i]]);
        scale[i] = value > 1e-6 * largest ? value : largest > 0.0 ? largest : 1.0;
    }
}

saltus_status sal_periodic_give_up(const sal_return_map *map, saltus_error *err)
{
    if (err && !err->status) *err = map->why;
    return map->why.status ? map->why.status : sal_fail_memory(err);
}

static sal_evaluation distance_of_map(void *context, const double *x, double *f, double *J)
{
    sal_return_map *map = context;
    const int       n = map->n;
    for (int i = 0; i < n; i++) map->params[map->column[i]] = x[i];
    sal_evaluation e = sal_return_map_simulate(map);
    if (e == SAL_EVALUATED) e = sal_return_map_derive(map, false, false, J, NULL);
    for (int i = 0; i < n && e == SAL_EVALUATED; i++) {
        f[i] = sal_return_map_final(map)[i] - x[i];
        J[i * n + i] -= 1.0;
    }
    return e;
}

static const char *unfound(saltus_periodic *p, sal_solve_status status, double step)
{
    const sal_return_map *map = &p->map;
    sal_arena            *kept = &p->kept;
    switch (status) {
    case SAL_NO_START:
        p->result.end = SALTUS_PERIODIC_NO_START;
        return sal_arena_format(kept, "the motion cannot be computed from the given values: %s",
                                map->why.message);
    case SAL_LIMIT:
        p->result.end = SALTUS_PERIODIC_LIMIT;
        return sal_arena_format(
            kept,
            "no periodic motion after %d iterations; the last step changed the start values "
            "by %.2g of their size: begin nearer to one",
            ITERATIONS, step);
    default:
        p->result.end = SALTUS_PERIODIC_STUCK;
        return sal_arena_format(
            kept,
            "no periodic motion was found: the final values come no closer to the start "
            "values than %.3g. Start closer to one, or check whether one exists%s",
            p->result.residual,
            map->has_section ? ""
                             : "; without an event that ends the period (stop = 1) the horizon "
                               "must be the period");
    }
}

/* Follows the motion for some periods: a stable periodic motion attracts it. */
static sal_evaluation settle(sal_return_map *map, const double *from, double *x)
{
    const size_t bytes = (size_t)map->n * sizeof *x;
    memcpy(x, from, bytes);
    for (int period = 0; period < SETTLING; period++) {
        for (int i = 0; i < map->n; i++) map->params[map->column[i]] = x[i];
        const sal_evaluation e = sal_return_map_simulate(map);
        if (e != SAL_EVALUATED) return e;
        memcpy(x, sal_return_map_final(map), bytes);
    }
    return SAL_EVALUATED;
}

/* Newton's method; if it stalls, it is tried once more from where the motion itself leads. The best
 * point is left in x. */
static sal_solve_status solve(sal_newton *newton, double *x, sal_arena *work)
{
    sal_return_map *map = newton->context;
    const size_t    bytes = (size_t)map->n * sizeof *x;
    double *first = sal_arena_copy(work, x, map->n), *other = ARENA_NEW(work, map->n, double);
    if (work->failed) return SAL_OUT_OF_MEMORY;
    const sal_solve_status status = sal_newton_solve(newton, x, work);
    if (status != SAL_STALLED && status != SAL_LIMIT) return status;
    sal_newton           again = *newton;
    const sal_evaluation e = settle(map, first, other);
    if (e == SAL_STOP) return SAL_STOPPED;
    if (e != SAL_EVALUATED) return status;
    const sal_solve_status second = sal_newton_solve(&again, other, work);
    if (second == SAL_STOPPED || second == SAL_OUT_OF_MEMORY) return second;
    if (second != SAL_CONVERGED && !(again.residual < newton->residual)) return status;
    memcpy(x, other, bytes);
    again.iterations += newton->iterations;
    *newton = again;
    return second;
}

/* Searches for the fixed point, then evaluates the map there. */
static saltus_status find(saltus_periodic *p, sal_arena *work, saltus_error *err)
{
    sal_return_map *map = &p->map;
    double         *x, *scale;
    if (!ARENA_VECTORS(work, map->n, &x, &scale)) return sal_fail_memory(err);
    for (int i = 0; i < map->n; i++) x[i] = map->params[map->column[i]];
    sal_periodic_scales(map, scale);
    sal_newton             newton = {.n = map->n,
                                     .evaluate = distance_of_map,
                                     .context = map,
                                     .scale = scale,
                                     .weight = scale,
                                     .tolerance = STEP_TOLERANCE,
                                     .limit = ITERATIONS};
    const sal_solve_status status = solve(&newton, x, work);
    p->result.iterations = newton.iterations;
    if (status == SAL_STOPPED || status == SAL_OUT_OF_MEMORY) return sal_periodic_give_up(map, err);
    for (int i = 0; i < map->n; i++) map->params[map->column[i]] = x[i];
    if (status == SAL_NO_START) {
        p->result.message = unfound(p, status, NAN);
        return p->result.message ? SALTUS_OK : sal_fail_memory(err);
    }
    if (sal_return_map_simulate(map) != SAL_EVALUATED) return sal_periodic_give_up(map, err);
    p->result.residual = 0.0;
    for (int i = 0; i < map->n; i++)
        p->result.residual = fmax(p->result.residual, fabs(sal_return_map_final(map)[i] - x[i]));
    p->result.end = SALTUS_PERIODIC_FOUND;
    if (status != SAL_CONVERGED) p->result.message = unfound(p, status, newton.step);
    return p->result.message ? SALTUS_OK : sal_fail_memory(err);
}

/* ---- derivatives at the fixed point --------------------------------------------------------- */

/* Derivatives at the fixed point; columns are the unknowns x, then the other parameters. */
typedef struct derivatives {
    int     n, by, columns;
    double *map;   /* gradients of P (n rows), then those of the user's costs */
    double *end;   /* gradient of the end time */
    double *by_x;  /* derivatives of P_x and P_rho along each unknown: [unknown][row][column] */
    double *point; /* dx/drho, n * by */
} derivatives;

bool sal_periodic_multipliers(const double *gradient, int n, int columns, double *re, double *im,
                              sal_arena *work)
{
    double         *A = ARENA_NEW(work, n * n, double);
    double complex *value = ARENA_NEW(work, n, double complex);
    if (work->failed) return false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) A[i * n + j] = gradient[i * columns + j];
    if (!sal_eigenvalues(n, A, value, work)) return false;
    for (int i = 0; i < n; i++) {
        re[i] = creal(value[i]);
        im[i] = cimag(value[i]);
    }
    return true;
}

/* Computes dx/drho. Returns false if I - P_x is singular. */
static bool derive_point(derivatives *d, sal_arena *work)
{
    const int n = d->n, columns = d->columns;
    double   *A = ARENA_NEW(work, n * n, double);
    int      *exchanged = ARENA_NEW(work, n, int);
    if (work->failed) return false;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) A[i * n + j] = (i == j) - d->map[i * columns + j];
        for (int k = 0; k < d->by; k++) d->point[i * d->by + k] = d->map[i * columns + n + k];
    }
    if (!sal_lu_factor(n, A, exchanged)) return false;
    sal_lu_solve(n, A, exchanged, false, d->by, d->point);
    return true;
}

/* Total derivatives by the other parameters, along the fixed point, from partial derivatives. */
static void along_point(const derivatives *d, const double *partial, double *total)
{
    for (int k = 0; k < d->by; k++) {
        total[k] = partial[d->n + k];
        for (int j = 0; j < d->n; j++) total[k] += partial[j] * d->point[j * d->by + k];
    }
}

/* The context of derive_nearby: the fixed point, and the unknown that is varied. */
typedef struct nearby {
    sal_return_map *map;
    int             unknown;
    double          at;
    const int      *events; /* the events at the fixed point */
    int             count;
} nearby;

static bool has_same_events(const nearby *near)
{
    const sal_return_map *map = near->map;
    if (map->events.count != near->count) return false;
    return near->count == 0 ||
           memcmp(map->events.data, near->events, (size_t)near->count * sizeof(int)) == 0;
}

static sal_evaluation derive_nearby(void *context, double distance, double *value)
{
    nearby         *near = context;
    sal_return_map *map = near->map;
    double         *x = &map->params[map->column[near->unknown]];
    *x = near->at + distance;
    sal_evaluation e = sal_return_map_simulate(map);
    if (e == SAL_EVALUATED && !has_same_events(near)) e = SAL_NO_VALUE;
    if (e == SAL_EVALUATED) e = sal_return_map_derive(map, true, false, value, NULL);
    *x = near->at;
    return e;
}

/* Computes the derivatives of P_x and P_rho along each unknown. `ok` is false where there are no
 * values nearby. */
static saltus_status derive_map(sal_return_map *map, derivatives *d, bool *ok, sal_arena *work,
                                saltus_error *err)
{
    const int    count = map->events.count;
    const size_t size = (size_t)(d->n * d->columns);
    int         *events = ARENA_NEW(work, count, int);
    double      *scale = ARENA_NEW(work, d->n, double), error;
    if (work->failed) return sal_fail_memory(err);
    if (count) memcpy(events, map->events.data, (size_t)count * sizeof *events);
    sal_periodic_scales(map, scale);
    *ok = true;
    for (int j = 0; j < d->n && *ok; j++) {
        nearby                 near = {map, j, map->params[map->column[j]], events, count};
        const sal_solve_status status =
            sal_differences_extrapolated(derive_nearby, &near, (int)size, DISTANCE * scale[j],
                                         d->by_x + (size_t)j * size, &error, work);
        if (status == SAL_STOPPED || status == SAL_OUT_OF_MEMORY)
            return sal_periodic_give_up(map, err);
        *ok = status == SAL_CONVERGED;
    }
    return SALTUS_OK;
}

/* Computes the derivatives of one multiplier: the gradient of h, then its total derivatives.
 * Returns false if the multiplier is too sensitive. */
static bool derive_multiplier(const derivatives *d, const double *P_x, double complex value,
                              double *re, double *im, sal_arena *work)
{
    const int       n = d->n;
    double complex *v = ARENA_NEW(work, n, double complex);
    double complex *w = ARENA_NEW(work, n, double complex);
    double         *h = ARENA_NEW(work, 2 * d->columns, double);
    if (work->failed) return false;
    if (!(sal_eigenvectors(n, P_x, value, v, w, work) < WORST_CONDITION)) return false;
    for (int c = 0; c < d->columns; c++) {
        double complex sum = 0.0;
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) sum += w[i] * v[j] * d->by_x[(j * n + i) * d->columns + c];
        h[c] = creal(sum);
        h[d->columns + c] = cimag(sum);
    }
    along_point(d, h, re);
    along_point(d, h + d->columns, im);
    return true;
}

static saltus_status derive_multipliers(saltus_periodic *p, const derivatives *d, bool known,
                                        sal_arena *work, saltus_error *err)
{
    saltus_periodic_result *r = &p->result;
    double                 *re, *im;
    if (!ARENA_VECTORS(&p->kept, d->n * d->by, &re, &im)) return sal_fail_memory(err);
    for (int i = 0; i < d->n; i++) {
        const double complex value = CMPLX(r->re[i], r->im[i]);
        if (!known || sal_eigenvalue_coincides(r->unknowns, r->re, r->im, i, 1e-9) ||
            !derive_multiplier(d, r->map, value, re + i * d->by, im + i * d->by, work))
            for (int k = 0; k < d->by; k++) re[i * d->by + k] = im[i * d->by + k] = NAN;
    }
    if (work->failed) return sal_fail_memory(err);
    r->re_gradient = re;
    r->im_gradient = im;
    return SALTUS_OK;
}

static saltus_status keep_derivatives(saltus_periodic *p, const derivatives *d, saltus_error *err)
{
    saltus_periodic_result *r = &p->result;
    double                 *costs = ARENA_NEW(&p->kept, r->costs * d->by, double);
    double                 *period = ARENA_NEW(&p->kept, d->by, double);
    if (p->kept.failed) return sal_fail_memory(err);
    for (int i = 0; i < r->costs; i++)
        along_point(d, d->map + (d->n + i) * d->columns, costs + i * d->by);
    along_point(d, d->end, period);
    r->gradient = d->point;
    r->cost_gradient = costs;
    r->period_gradient = period;
    return SALTUS_OK;
}

/* ---- the result ----------------------------------------------------------------------------- */

static saltus_status keep_values(saltus_periodic *p, saltus_error *err)
{
    sal_return_map         *map = &p->map;
    saltus_periodic_result *r = &p->result;
    r->params = sal_arena_copy(&p->kept, map->params, map->np);
    if (r->end != SALTUS_PERIODIC_NO_START) {
        r->period = sal_return_map_period(map);
        r->cost = sal_arena_copy(&p->kept, map->value, map->nc);
    }
    return p->kept.failed ? sal_fail_memory(err) : SALTUS_OK;
}

static const char *singular_text(const sal_return_map *map)
{
    return map->has_section
               ? "a multiplier is 1: this motion is one of a family, or at a fold, and has no "
                 "derivatives by parameters"
               : "a multiplier is 1: every point of the motion repeats itself after the period. "
                 "End "
                 "each period at a section instead, with an event that has stop = 1, and leave "
                 "out of periodic{} what is known there";
}

static bool has_multiplier_one(const saltus_periodic_result *r)
{
    for (int i = 0; i < r->unknowns; i++)
        if (hypot(r->re[i] - 1.0, r->im[i]) < ONE) return true;
    return false;
}

/* Stores P_x and its eigenvalues, and finds out whether the fixed point has derivatives. */
static saltus_status keep_multipliers(saltus_periodic *p, derivatives *d, sal_arena *work,
                                      saltus_error *err)
{
    saltus_periodic_result *r = &p->result;
    const int               n = d->n;
    double                 *A = ARENA_NEW(&p->kept, n * n, double), *re, *im;
    if (!ARENA_VECTORS(&p->kept, n, &re, &im)) return sal_fail_memory(err);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) A[i * n + j] = d->map[i * d->columns + j];
    if (!sal_periodic_multipliers(d->map, n, d->columns, re, im, work))
        return work->failed ? sal_fail_memory(err)
                            : sal_fail(err, SALTUS_ERR_NOT_FINITE,
                                       "the multipliers of the periodic motion cannot be computed");
    r->map = A;
    r->re = re;
    r->im = im;
    if (!has_multiplier_one(r) && derive_point(d, work)) return SALTUS_OK;
    r->end = SALTUS_PERIODIC_SINGULAR;
    r->message = singular_text(&p->map);
    return SALTUS_OK;
}

static saltus_status derive(saltus_periodic *p, sal_arena *work, saltus_error *err)
{
    sal_return_map *map = &p->map;
    const int       n = map->n, columns = n + map->by;
    bool            known;
    derivatives d = {n, map->by, columns, .map = ARENA_NEW(work, (n + map->nc) * columns, double)};
    d.end = ARENA_NEW(work, columns, double);
    d.by_x = ARENA_NEW(work, n * n * columns, double);
    d.point = ARENA_NEW(&p->kept, n * map->by, double);
    if (work->failed || p->kept.failed) return sal_fail_memory(err);
    if (sal_return_map_derive(map, true, true, d.map, d.end) != SAL_EVALUATED)
        return sal_periodic_give_up(map, err);
    TRY(keep_multipliers(p, &d, work, err));
    if (p->result.end == SALTUS_PERIODIC_SINGULAR) return SALTUS_OK;
    TRY(keep_derivatives(p, &d, err));
    TRY(derive_map(map, &d, &known, work, err));
    return derive_multipliers(p, &d, known, work, err);
}

static saltus_status search(saltus_periodic *p, bool derives, saltus_error *err)
{
    WORK_ARENA(work, &p->map.allocator);
    TRY(find(p, &work, err));
    TRY(keep_values(p, err));
    return derives && p->result.end == SALTUS_PERIODIC_FOUND ? derive(p, &work, err) : SALTUS_OK;
}

saltus_status sal_periodic_find(saltus_periodic *p, const double *params, int param, double value,
                                bool derives, saltus_error *err)
{
    sal_return_map *map = &p->map;
    sal_arena_free(&p->kept);
    map->runs = map->gradients = 0;
    p->result = (saltus_periodic_result){.end = SALTUS_PERIODIC_NOT_SOUGHT,
                                         .message = "",
                                         .period = NAN,
                                         .residual = NAN,
                                         .unknowns = map->n,
                                         .params_by = map->by,
                                         .costs = map->nc,
                                         .unknown = map->column,
                                         .by = map->column + map->n};
    TRY(sal_params_check(map->system, params, err));
    for (int i = 0; i < map->np; i++)
        map->params[i] = params ? params[i] : saltus_system_param(map->system, i).value;
    if (param >= 0) map->params[param] = value;
    const saltus_status status = search(p, derives, err);
    p->result.runs = map->runs;
    p->result.gradients = map->gradients;
    return status;
}

saltus_status saltus_periodic_find(saltus_periodic *p, const double *params, saltus_error *err)
{
    HOLD_HOST;
    if (err && err->status) return err->status;
    if (!p) return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no search for periodic motions");
    return sal_periodic_find(p, params, -1, NAN, true, err);
}
