#include "answer/engine.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

/* ---- values --------------------------------------------------------------------------------- */

static void write_x(sal_engine *e, const double *z)
{
    const sal_sqp_problem *p = e->problem;
    for (int i = 0; i < e->n; i++)
        e->x[i] = fmin(fmax(z[i] * p->scale[i], p->lower[i]), p->upper[i]);
}

/* Writes the fences as distances in z, with their gradients. */
static void write_fences(sal_engine *e)
{
    const int n = e->n, m = e->problem->constraints;
    for (int k = 0; k + m < e->rows; k++) {
        double *row = &e->jacobian[(m + k) * n], length = 0.0;
        e->c[m + k] = 1.0;
        memset(row, 0, (size_t)n * sizeof *row);
        if (k >= e->point.fences) continue;
        for (int i = 0; i < n; i++)
            length = hypot(length, e->point.fence_gradient[k * n + i] * e->problem->scale[i]);
        if (!(length > 0.0)) continue;
        e->c[m + k] = e->point.fence[k] / length;
        for (int i = 0; i < n; i++)
            row[i] = e->point.fence_gradient[k * n + i] * e->problem->scale[i] / length;
    }
}

static int entries_of(const sal_engine *e)
{
    return e->pattern ? e->pattern->entries : e->n * e->rows;
}

static bool is_finite(const sal_engine *e, bool with_gradients)
{
    bool is = isfinite(e->f);
    for (int k = 0; k < e->rows; k++) is = is && isfinite(e->c[k]);
    for (int i = 0; with_gradients && i < e->n; i++) is = is && isfinite(e->gradient[i]);
    for (int i = 0; with_gradients && i < entries_of(e); i++) is = is && isfinite(e->jacobian[i]);
    return is;
}

static void scale_gradients(sal_engine *e)
{
    const int n = e->n, m = e->problem->constraints;
    for (int i = 0; e->pattern && i < e->pattern->entries; i++)
        e->jacobian[i] = e->point.jacobian[i] * e->problem->scale[e->pattern->column[i]];
    for (int i = 0; i < n; i++) {
        e->gradient[i] = e->point.gradient[i] * e->problem->scale[i];
        for (int k = 0; k < m && !e->pattern; k++)
            e->jacobian[k * n + i] = e->point.jacobian[k * n + i] * e->problem->scale[i];
    }
    if (!e->pattern) write_fences(e);
}

/* The largest violation of a constraint; fences do not count. */
static double violation_of(const sal_engine *e)
{
    double most = 0.0;
    for (int k = 0; k < e->problem->constraints; k++)
        most = fmax(most, k < e->equations ? fabs(e->c[k]) : -e->c[k]);
    return most;
}

/* Keeps the point as the last one with a value and, if so, as the best one: feasible points are
 * better than others, and among them lower ones are better. */
static void remember(sal_engine *e)
{
    const double violation = violation_of(e), enough = e->problem->tolerance;
    const bool   is_feasible = violation <= enough, was = e->best_violation <= enough;
    const bool   is_better =
        is_feasible ? !was || e->f < e->best_f : !was && violation < e->best_violation;
    memcpy(e->good, e->at, (size_t)e->n * sizeof(double));
    e->good_f = e->f;
    if (!is_better) return;
    memcpy(e->best, e->at, (size_t)e->n * sizeof(double));
    e->best_f = e->f;
    e->best_violation = violation;
}

sal_evaluation sal_engine_at(sal_engine *e, const double *z, bool with_gradients)
{
    const size_t bytes = (size_t)e->n * sizeof(double);
    const bool   is_same = e->is_at && memcmp(e->at, z, bytes) == 0;
    if (is_same && (e->has_gradients || !with_gradients)) return SAL_EVALUATED;
    e->is_at = false;
    write_x(e, z);
    if (with_gradients) e->gradients++;
    else e->values++;
    e->point.fences = 0;
    const sal_evaluation got =
        e->problem->evaluate(e->problem->context, e->x, with_gradients, &e->point);
    if (got == SAL_STOP) e->is_stopped = true;
    if (got != SAL_EVALUATED) return got;
    e->f = e->point.f;
    memcpy(e->c, e->point.c, (size_t)e->problem->constraints * sizeof(double));
    if (with_gradients) scale_gradients(e);
    if (!is_finite(e, with_gradients)) return SAL_NO_VALUE;
    memcpy(e->at, z, bytes);
    e->is_at = true;
    e->has_gradients = with_gradients;
    remember(e);
    return SAL_EVALUATED;
}

void sal_engine_lead_back(sal_engine *e, const double *z)
{
    const double size = fmax(fabs(e->good_f), fmax(fabs(e->best_f), 1e-10));
    double       far = 0.0;
    for (int i = 0; i < e->n; i++) {
        const double d = z[i] - e->good[i];
        far += d * d;
        e->gradient[i] = 20.0 * size * d;
    }
    e->f = e->good_f + size * (1.0 + 10.0 * far);
    e->is_at = false;
}

bool sal_engine_report(sal_engine *e)
{
    const sal_sqp_problem *p = e->problem;
    write_x(e, e->best);
    const sal_sqp_progress progress = {.iteration = e->iterations++,
                                       .x = e->x,
                                       .f = e->best_f,
                                       .violation = e->best_violation,
                                       .kkt = INFINITY};
    if (p->progress && p->progress(p->progress_context, &progress)) e->is_stopped = true;
    return !e->is_stopped;
}

/* ---- the library ---------------------------------------------------------------------------- */

/* The library stays loaded: loading it again only counts references. */
saltus_status sal_engine_load(const char *engine, const char *file, const char *package,
                              const sal_engine_call *calls, int count, saltus_error *err)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return sal_fail(err, SALTUS_ERR_ARGUMENT,
                        "optimise: the engine \"%s\" needs %s, which is not installed (Debian: "
                        "%s); leave engine out, and the search is done without it",
                        engine, file, package);
    for (int i = 0; i < count; i++) {
        void *address = dlsym(library, calls[i].name);
        if (!address)
            return sal_fail(err, SALTUS_ERR_ARGUMENT,
                            "optimise: %s has no function '%s': this version cannot be used", file,
                            calls[i].name);
        memcpy(calls[i].address, &address, sizeof address);
    }
    return SALTUS_OK;
}

/* ---- the search ----------------------------------------------------------------------------- */

static void new_engine(sal_engine *e, sal_arena *arena)
{
    const sal_sqp_problem *p = e->problem;
    ARENA_VECTORS(arena, e->n, &e->z, &e->lower, &e->upper, &e->gradient, &e->x, &e->at, &e->good,
                  &e->best, &e->point.gradient);
    e->c = ARENA_NEW(arena, e->rows, double);
    e->limits = ARENA_NEW(arena, 2 * e->rows, double);
    e->jacobian = ARENA_NEW(arena, entries_of(e), double);
    e->point.c = ARENA_NEW(arena, p->constraints, double);
    e->point.jacobian =
        ARENA_NEW(arena, e->pattern ? entries_of(e) : p->constraints * e->n, double);
    e->point.fence = ARENA_NEW(arena, p->max_fences, double);
    e->point.fence_gradient = ARENA_NEW(arena, p->max_fences * e->n, double);
    e->point.fence_is_soft = ARENA_NEW(arena, p->max_fences, bool);
}

static void begin(sal_engine *e, const double *x)
{
    const sal_sqp_problem *p = e->problem;
    for (int i = 0; i < e->n; i++) {
        e->lower[i] = p->lower[i] / p->scale[i];
        e->upper[i] = p->upper[i] / p->scale[i];
        e->z[i] = e->best[i] = e->good[i] = x[i] / p->scale[i];
    }
}

saltus_status sal_engine_search(saltus_engine which, const sal_sqp_problem *problem,
                                const sal_engine_pattern *pattern,
                                const saltus_allocator *allocator, double *x, double *f,
                                saltus_error *err)
{
    sal_engine e = {.problem = problem,
                    .pattern = pattern,
                    .n = problem->unknowns,
                    .rows = problem->constraints + problem->max_fences,
                    .equations = problem->equations,
                    .best_f = INFINITY,
                    .best_violation = INFINITY};
    WORK_ARENA(arena, allocator);
    new_engine(&e, &arena);
    if (arena.failed) return sal_fail_memory(err);
    begin(&e, x);
    const saltus_status status = which == SALTUS_ENGINE_NLOPT ? sal_engine_run_nlopt(&e, err)
                                                              : sal_engine_run_ipopt(&e, err);
    write_x(&e, e.best);
    memcpy(x, e.x, (size_t)e.n * sizeof *x);
    *f = e.best_f;
    return status;
}
