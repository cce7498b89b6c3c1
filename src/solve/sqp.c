/* Each step d minimises
 *
 *     g.d + d.B d / 2    with    c + A d = 0 or >= 0,    fence + Q d >= fence / 10,
 *                                bounds,    |d| <= radius
 *
 * where B approximates the Hessian of the Lagrangian. If the constraints cannot be met within the
 * radius, their violation is minimised together with f. The merit of a point is f plus the weighted
 * sum of its violations. Unknowns are divided by their scales, so that all are about one. */
#include "solve/sqp.h"

#include <string.h>

#include "solve/sqp_search.h"

enum { ITERATIONS = 500 };
static const double TOLERANCE = 1e-8, NOISE = 1e-14;
static const double FIRST_RADIUS = 1.0;
/* A step that gains less than this part of the predicted reduction gets a second-order correction,
 * if the curvature of constraints is the reason. */
static const double BENT = 0.7;

/* ---- the search ----------------------------------------------------------------------------- */

static void move(const sal_sqp_search *s, const double *d)
{
    for (int i = 0; i < s->n; i++)
        s->z_trial[i] = fmin(fmax(s->z[i] + d[i], s->lower[i]), s->upper[i]);
}

/* Keeps the present point if it is the best so far: feasible points are better than others, and
 * lower ones among feasible points. A point that fulfils the conditions is kept anyway. */
static void remember(sal_sqp_search *s)
{
    int          worst;
    const double most = sal_sqp_violation(s, &s->here, &worst), enough = s->problem->tolerance;
    const bool   is_lower = s->best_violation > enough || s->here.f <= s->best_f;
    const bool   is_better = most <= enough ? is_lower : most <= s->best_violation;
    if (!is_better && !(s->result->kkt <= enough)) return;
    memcpy(s->best, s->z, (size_t)s->n * sizeof(double));
    s->best_f = s->here.f;
    s->best_violation = most;
    s->best_worst = worst;
    s->best_kkt = s->result->kkt;
}

static void exchange(sal_sqp_search *s)
{
    const sal_sqp_point kept = s->here;
    if (s->problem->accept) s->problem->accept(s->problem->context);
    s->part = fmin(2.0 * s->part, 1.0);
    s->here = s->there;
    s->there = kept;
    memcpy(s->z, s->z_trial, (size_t)s->n * sizeof(double));
}

static double noise_of(const sal_sqp_search *s)
{
    return (s->problem->noise > 0.0 ? s->problem->noise : NOISE) * s->f_scale;
}

typedef enum outcome { ACCEPTED, REJECTED, NOWHERE, STOPPED } outcome;

/* Evaluates the trial point and decides whether it is accepted. gain: the reduction of the merit,
 * relative to the predicted one. */
static outcome judge(sal_sqp_search *s, double promise, double *gain)
{
    const sal_evaluation got = sal_sqp_evaluate(s, s->z_trial, s->part, false, &s->there);
    if (got == SAL_STOP) return STOPPED;
    if (got == SAL_NO_VALUE) return NOWHERE;
    const double fall = sal_sqp_merit(s, &s->here) - sal_sqp_merit(s, &s->there);
    const bool   is_other_piece = s->there.piece != s->here.piece;
    const bool   is_other = is_other_piece || s->there.order != s->here.order;
    *gain = fall / promise;
    if (!is_other_piece && promise < 10.0 * noise_of(s) && fall > -10.0 * noise_of(s)) {
        *gain = 0.5; /* below the noise of the values: gradients decide */
        return ACCEPTED;
    }
    return *gain > (is_other ? 0.1 : 1e-4) ? ACCEPTED : REJECTED;
}

/* Second-order correction: the step is found again so that it meets the constraints, which are
 * curved, at its end. The outcome is that of the corrected step. */
static outcome correct(sal_sqp_search *s, double promise, double *gain)
{
    double *c = s->Bs; /* scratch of at least m numbers */
    for (int k = 0; k < s->m; k++) {
        c[k] = s->there.c[k];
        /* by_gap at the trial point is not known: the values at the start of the step are used */
        for (int i = 0; i < s->gaps; i++)
            c[k] += s->here.by_gap[(k + 1) * s->gaps + i] * s->there.gap[i];
        for (int i = 0; i < s->n; i++) c[k] -= s->here.jacobian[k * s->n + i] * s->d[i];
    }
    sal_sqp_find_step(s, c, s->d_second);
    if (sal_largest(s->n, s->d_second) == 0.0) return REJECTED;
    move(s, s->d_second);
    s->there.corrects = true;
    const outcome result = judge(s, promise, gain);
    s->there.corrects = false;
    return result;
}

/* Whether the curvature of constraints is the reason why a step gains less than predicted. */
static bool is_bent(const sal_sqp_search *s, outcome result, double gain, double promise)
{
    if (s->m + s->gaps == 0 || s->there.piece != s->here.piece) return false;
    const double added = (sal_sqp_merit(s, &s->there) - s->there.f);
    return (result == REJECTED || (result == ACCEPTED && gain < BENT)) && added > 0.1 * promise;
}

/* Computes the derivatives at the accepted point; a point without them is rejected after all. */
static outcome differentiate(sal_sqp_search *s)
{
    const sal_evaluation got = sal_sqp_evaluate(s, s->z_trial, s->part, true, &s->there);
    return got == SAL_STOP ? STOPPED : got == SAL_EVALUATED ? ACCEPTED : NOWHERE;
}

static void resize_radius(sal_sqp_search *s, outcome result, double gain, double length)
{
    if (result == NOWHERE) s->radius = 0.25 * length;
    else if (result == REJECTED)
        s->radius = 0.5 * fmin(length, s->radius) * (gain < -1.0 ? 0.5 : 1.0);
    else if (gain >= 0.5 && length > 0.7 * s->radius) s->radius *= 2.0;
    else if (gain < 0.1) s->radius = 0.5 * length;
}

/* Returns whether a step into another order was rejected, so that it is to be tried again with
 * fences between orders. If the point does not have these fences yet, it is evaluated again. */
static bool holds_back(sal_sqp_search *s, outcome *result)
{
    const bool is_same = s->there.piece == s->here.piece && s->there.order == s->here.order;
    if (*result != REJECTED || s->holds || s->max_fences == 0 || is_same) return false;
    s->holds = true;
    if (s->problem->fence_orders && !s->orders_fenced) {
        s->problem->fence_orders(s->problem->context);
        s->orders_fenced = true;
        if (sal_sqp_evaluate(s, s->z, 0.0, true, &s->here) != SAL_EVALUATED) *result = STOPPED;
    }
    return true;
}

/* One iteration: tries shorter and shorter steps until one is accepted. Returns REJECTED if none
 * is; then *is_relaxed is set if the constraints could not be met. */
static outcome advance(sal_sqp_search *s, bool *is_relaxed)
{
    s->holds = false;
    for (;; s->part *= 0.5) {
        sal_sqp_choose_part(s);
        *is_relaxed = sal_sqp_find_step(s, s->c_goal, s->d);
        const double length = sal_largest(s->n, s->d);
        sal_sqp_take_multipliers(s);
        if (length < SAL_SQP_SMALLEST_RADIUS &&
            (s->gaps == 0 || sal_sqp_violation(s, &s->here, NULL) <= s->problem->tolerance))
            return REJECTED;
        const double promise = sal_sqp_promised(s, s->d);
        if (!(promise > 0.0)) return REJECTED;
        double gain = 0.0;
        move(s, s->d);
        outcome result = judge(s, promise, &gain);
        if (is_bent(s, result, gain, promise)) result = correct(s, promise, &gain);
        if (result == ACCEPTED) result = differentiate(s);
        if (holds_back(s, &result) && result == REJECTED) continue;
        if (result == STOPPED) return result;
        resize_radius(s, result, gain, length);
        if (result == ACCEPTED) return result;
        if (s->radius < SAL_SQP_SMALLEST_RADIUS) return REJECTED;
    }
}

static bool report(sal_sqp_search *s)
{
    for (int i = 0; i < s->n; i++) s->x[i] = s->z[i] * s->scale[i];
    const sal_sqp_progress progress = {.iteration = s->result->iterations,
                                       .x = s->x,
                                       .f = s->here.f,
                                       .violation = sal_sqp_violation(s, &s->here, NULL),
                                       .kkt = s->result->kkt};
    return !s->problem->progress ||
           s->problem->progress(s->problem->progress_context, &progress) == 0;
}

/* Whether the search has gone far away from the start and far below it. This is tested before the
 * conditions of an optimum, which are relative to f. */
static bool is_unbounded(const sal_sqp_search *s)
{
    return sal_largest(s->n, s->z) > 1e6 && s->here.f < -1e7 * s->f_first;
}

/* The status when no step helps: the constraints contradict each other, or rounding ends the
 * search. */
static sal_solve_status give_up(const sal_sqp_search *s, bool is_relaxed)
{
    const bool is_feasible = sal_sqp_violation(s, &s->here, NULL) <= s->problem->tolerance;
    return is_relaxed && !is_feasible ? SAL_INFEASIBLE : SAL_STALLED;
}

static sal_solve_status iterate(sal_sqp_search *s)
{
    sal_evaluation got = sal_sqp_evaluate(s, s->z, 0.0, true, &s->here);
    if (got != SAL_EVALUATED) return got == SAL_STOP ? SAL_STOPPED : SAL_NO_START;
    if (s->problem->accept) s->problem->accept(s->problem->context);
    bool is_fresh = true; /* B has not been used for a step since it was reset */
    sal_sqp_measure(s);
    s->f_first = s->f_largest > 0.0 ? s->f_largest : 1.0;
    sal_sqp_forget(s);
    for (;; s->result->iterations++) {
        bool is_relaxed = false;
        s->result->kkt = sal_sqp_conditions(s);
        remember(s);
        if (!report(s)) return SAL_STOPPED;
        if (is_unbounded(s)) return SAL_UNBOUNDED;
        if (s->result->kkt <= s->problem->tolerance) return SAL_CONVERGED;
        if (s->result->iterations == s->problem->max_iterations) return SAL_LIMIT;
        if (sal_sqp_wants_differences(s) && !sal_sqp_look_around(s, &got)) {
            if (got == SAL_STOP) return SAL_STOPPED;
            sal_sqp_forget(s);
        }
        const outcome result = advance(s, &is_relaxed);
        if (result == STOPPED) return SAL_STOPPED;
        if (result != ACCEPTED) {
            s->result->kkt = sal_sqp_conditions(s); /* uses the last multipliers */
            remember(s);
            if (s->result->kkt <= s->problem->tolerance) return SAL_CONVERGED;
            if (is_fresh || s->problem->hessian == SAL_SQP_DIFFERENCES)
                return give_up(s, is_relaxed);
            sal_sqp_forget(s);
            s->radius = FIRST_RADIUS;
            s->part = 1.0;
            is_fresh = true;
            continue;
        }
        const bool is_other = s->there.piece != s->here.piece;
        if (!is_other) sal_sqp_update(s);
        exchange(s);
        sal_sqp_measure(s);
        if (is_other) sal_sqp_forget(s);
        is_fresh = is_other;
    }
}

/* ---- beginning and ending ------------------------------------------------------------------- */

void sal_sqp_new_point(sal_sqp_point *p, sal_arena *arena, int n, int m, int fences, int gaps)
{
    p->c = ARENA_NEW(arena, m, double);
    p->gradient = ARENA_NEW(arena, n, double);
    p->jacobian = ARENA_NEW(arena, n * m, double);
    p->fence = ARENA_NEW(arena, fences, double);
    p->fence_gradient = ARENA_NEW(arena, n * fences, double);
    p->fence_is_soft = ARENA_NEW(arena, fences, bool);
    p->gap = ARENA_NEW(arena, gaps, double);
    p->by_gap = ARENA_NEW(arena, (m + 1) * gaps, double);
}

static void new_search(sal_sqp_search *s, sal_arena *arena)
{
    const int n = s->n, m = s->m, width = n + m + s->me, rows = m + s->max_fences;
    ARENA_VECTORS(arena, n, &s->scale, &s->z, &s->z_trial, &s->x, &s->lower, &s->upper, &s->d,
                  &s->d_second, &s->s, &s->y_change, &s->best);
    ARENA_VECTORS(arena, m, &s->weight, &s->slope, &s->c_scale, &s->c_closed, &s->c_goal);
    ARENA_VECTORS(arena, width, &s->g, &s->q_lower, &s->q_upper, &s->q_x, &s->q_bound);
    ARENA_VECTORS(arena, rows, &s->b, &s->q_y);
    s->B = ARENA_NEW(arena, n * n, double);
    s->Bs = ARENA_NEW(arena, n + m, double);
    s->gap_weight = ARENA_NEW(arena, s->gaps, double);
    s->G = ARENA_NEW(arena, width * width, double);
    s->A = ARENA_NEW(arena, rows * width, double);
    sal_sqp_new_point(&s->here, arena, n, m, s->max_fences, s->gaps);
    sal_sqp_new_point(&s->there, arena, n, m, s->max_fences, s->gaps);
}

/* A typical change of an unknown: its size at the start, but no more than its range. */
static double choose_scale(double start, double lower, double upper)
{
    const double range = upper - lower;
    double       scale = start != 0.0 ? fabs(start) : isfinite(range) ? 0.25 * range : 1.0;
    if (isfinite(range) && range > 0.0) scale = fmin(scale, 0.5 * range);
    return scale > 0.0 ? scale : 1.0;
}

static void begin(sal_sqp_search *s, double *x)
{
    const sal_sqp_problem *p = s->problem;
    for (int i = 0; i < s->n; i++) {
        const double lower = p->lower ? p->lower[i] : -INFINITY,
                     upper = p->upper ? p->upper[i] : INFINITY;
        x[i] = fmin(fmax(x[i], lower), upper);
        s->scale[i] = p->scale ? p->scale[i] : choose_scale(x[i], lower, upper);
        s->lower[i] = lower / s->scale[i];
        s->upper[i] = upper / s->scale[i];
        s->z[i] = s->best[i] = x[i] / s->scale[i];
    }
}

static void finish(sal_sqp_search *s, double *x)
{
    for (int i = 0; i < s->n; i++) {
        x[i] = s->best[i] * s->scale[i];
        if (s->problem->lower) x[i] = fmax(x[i], s->problem->lower[i]);
        if (s->problem->upper) x[i] = fmin(x[i], s->problem->upper[i]);
    }
    s->result->f = s->best_f;
    s->result->size = s->f_largest;
    s->result->kkt = s->best_kkt;
    if (s->best_violation < INFINITY) s->result->violation = s->best_violation;
    s->result->worst = s->best_worst;
}

sal_solve_status sal_sqp(const sal_sqp_problem *problem, const saltus_allocator *allocator,
                         double *x, double *y, double *y_fence, sal_sqp_result *result)
{
    sal_sqp_problem own = *problem;
    if (!(own.tolerance > 0.0)) own.tolerance = TOLERANCE;
    if (own.max_iterations <= 0) own.max_iterations = ITERATIONS;
    *result = (sal_sqp_result){.f = NAN, .kkt = INFINITY, .worst = -1};
    sal_sqp_search s = {.problem = &own,
                        .result = result,
                        .allocator = allocator,
                        .n = own.unknowns,
                        .m = own.constraints,
                        .me = own.equations,
                        .max_fences = own.max_fences,
                        .gaps = own.max_gaps,
                        .part = 1.0,
                        .y = y,
                        .y_fence = y_fence,
                        .radius = FIRST_RADIUS,
                        .f_largest = own.size,
                        .best_f = NAN,
                        .best_violation = INFINITY,
                        .best_worst = -1,
                        .best_kkt = INFINITY};
    WORK_ARENA(arena, allocator);
    new_search(&s, &arena);
    if (arena.failed) return SAL_OUT_OF_MEMORY;
    begin(&s, x);
    if (s.m && !own.has_multipliers) memset(y, 0, (size_t)s.m * sizeof(double));
    if (s.max_fences) memset(y_fence, 0, (size_t)s.max_fences * sizeof(double));
    const sal_solve_status status = iterate(&s);
    finish(&s, x);
    return status;
}
