/* Newton's method within a trust region: see newton.h. All vectors here are in scales and weights:
 * unknowns are divided by their scales, equations by their weights. */
#include "solve/newton.h"

#include <string.h>

#include "linalg/lu.h"
#include "solve/vectors.h"

/* Length, in scales, below which a step that does not reduce f is attributed to rounding. */
static const double SMALL_STEP = 1e-7;
static const double SHORTEST_RADIUS = 1e-13;
/* |f| below which a point where J is singular is a root, relative to |f| at the start and to J. */
static const double ALL_BUT_ZERO = 1e-6;

typedef struct search {
    sal_newton *newton;
    int         n;
    double     *x, *trial; /* the present point and a trial point, in the caller's units */
    double     *f, *J;     /* at x */
    double     *f_new, *J_new;
    double     *factor; /* J, factored */
    int        *exchanged;
    double     *full, *descent, *step, *change; /* change: J step */
    double      radius;
    double      first;    /* |f| at the start */
    bool        singular; /* the full step is a regularised one */
} search;

static void multiply(int n, const double *J, const double *x, double *y)
{
    for (int i = 0; i < n; i++) y[i] = sal_dot(n, J + i * n, x);
}

static void multiply_transposed(int n, const double *J, const double *x, double *y)
{
    memset(y, 0, (size_t)n * sizeof *y);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) y[j] += J[i * n + j] * x[i];
}

static sal_evaluation evaluate(search *s, const double *x, double *f, double *J)
{
    const sal_newton    *newton = s->newton;
    const int            n = s->n;
    const sal_evaluation value = newton->evaluate(newton->context, x, f, J);
    if (value != SAL_EVALUATED) return value;
    for (int i = 0; i < n; i++) {
        f[i] /= newton->weight[i];
        if (!isfinite(f[i])) return SAL_NO_VALUE;
        for (int j = 0; j < n; j++) J[i * n + j] *= newton->scale[j] / newton->weight[i];
    }
    return SAL_EVALUATED;
}

/* ---- the step ------------------------------------------------------------------------------- */

/* The step where J is singular: nearly the shortest of the steps that minimise the linear model. */
static bool regularised_step(search *s)
{
    const int n = s->n;
    double   *A = s->factor, trace = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i * n + j] = 0.0;
            for (int k = 0; k < n; k++) A[i * n + j] += s->J[k * n + i] * s->J[k * n + j];
        }
    for (int i = 0; i < n; i++) trace += A[i * n + i];
    for (int i = 0; i < n; i++) A[i * n + i] += 1e-10 * trace;
    multiply_transposed(n, s->J, s->f, s->full);
    if (!sal_lu_factor(n, A, s->exchanged)) return false;
    sal_lu_solve(n, A, s->exchanged, false, 1, s->full);
    return true;
}

/* The full step of Newton's method. */
static bool full_step(search *s)
{
    const int n = s->n;
    memcpy(s->factor, s->J, (size_t)(n * n) * sizeof *s->factor);
    memcpy(s->full, s->f, (size_t)n * sizeof *s->full);
    s->singular = !sal_lu_factor(n, s->factor, s->exchanged);
    if (!s->singular) sal_lu_solve(n, s->factor, s->exchanged, false, 1, s->full);
    else if (!regularised_step(s)) return false;
    for (int i = 0; i < n; i++) s->full[i] = -s->full[i];
    return isfinite(sal_length(n, s->full));
}

/* The step to the minimum of the linear model along the direction of steepest descent. */
static void descent_step(search *s)
{
    const int n = s->n;
    multiply_transposed(n, s->J, s->f, s->descent);
    multiply(n, s->J, s->descent, s->change);
    const double curvature = sal_dot(n, s->change, s->change);
    const double along = curvature > 0.0 ? -sal_dot(n, s->descent, s->descent) / curvature : 0.0;
    for (int i = 0; i < n; i++) s->descent[i] *= along;
}

/* Returns the factor s >= 0 for which a + s b has the length `radius`. */
static double until_radius(int n, const double *a, const double *b, double radius)
{
    const double bb = sal_dot(n, b, b), ab = sal_dot(n, a, b),
                 aa = sal_dot(n, a, a) - radius * radius;
    if (!(bb > 0.0)) return 0.0;
    return (-ab + sqrt(fmax(ab * ab - bb * aa, 0.0))) / bb;
}

static void bend_step(search *s)
{
    const int n = s->n;
    memcpy(s->step, s->full, (size_t)n * sizeof *s->step);
    if (sal_length(n, s->full) <= s->radius) return;
    descent_step(s);
    const double length = sal_length(n, s->descent);
    if (length >= s->radius) {
        for (int i = 0; i < n; i++) s->step[i] = s->descent[i] * (s->radius / length);
        return;
    }
    for (int i = 0; i < n; i++) s->change[i] = s->full[i] - s->descent[i];
    const double part = until_radius(n, s->descent, s->change, s->radius);
    for (int i = 0; i < n; i++) s->step[i] = s->descent[i] + part * s->change[i];
}

/* The reduction of |f|^2 that the linear model predicts. */
static double promised(search *s)
{
    const int n = s->n;
    multiply(n, s->J, s->step, s->change);
    for (int i = 0; i < n; i++) s->change[i] += s->f[i];
    return sal_dot(n, s->f, s->f) - sal_dot(n, s->change, s->change);
}

/* ---- the search ----------------------------------------------------------------------------- */

static void accept(search *s)
{
    const size_t n = (size_t)s->n;
    memcpy(s->x, s->trial, n * sizeof *s->x);
    memcpy(s->f, s->f_new, n * sizeof *s->f);
    memcpy(s->J, s->J_new, n * n * sizeof *s->J);
    s->newton->residual = sal_length(s->n, s->f);
}

/* Takes the step, or shrinks the region. The ratio of achieved and predicted reduction shows how
 * far the linear model can be trusted. */
static sal_evaluation try_step(search *s, bool *accepted)
{
    const int    n = s->n;
    const double length = sal_length(n, s->step), promise = promised(s);
    *accepted = false;
    for (int i = 0; i < n; i++) s->trial[i] = s->x[i] + s->newton->scale[i] * s->step[i];
    const sal_evaluation value = evaluate(s, s->trial, s->f_new, s->J_new);
    if (value == SAL_STOP) return value;
    double ratio = -1.0;
    if (value == SAL_EVALUATED)
        ratio = (sal_dot(n, s->f, s->f) - sal_dot(n, s->f_new, s->f_new)) / fmax(promise, 1e-300);
    if (ratio < 0.25) s->radius = 0.25 * length;
    else if (ratio > 0.75) s->radius = fmax(s->radius, 2.0 * length);
    if (!(ratio > 1e-4)) return value;
    *accepted = true;
    s->newton->step = length;
    accept(s);
    return value;
}

/* Whether a point from which only short steps lead on is a root. Where J is singular, it may also
 * be a minimum of |f|. */
static bool is_root(const search *s)
{
    const double size = fmax(s->first, sal_length(s->n * s->n, s->J));
    return !s->singular || s->newton->residual <= ALL_BUT_ZERO * size;
}

static sal_solve_status iterate(search *s)
{
    sal_newton *newton = s->newton;
    for (newton->iterations = 0; newton->iterations < newton->limit; newton->iterations++) {
        bool accepted;
        if (newton->residual == 0.0) return SAL_CONVERGED;
        if (!full_step(s)) return SAL_STALLED;
        bend_step(s);
        const double length = sal_length(s->n, s->full);
        if (try_step(s, &accepted) == SAL_STOP) return SAL_STOPPED;
        /* A short full step that does not reduce f: rounding of f has been reached. */
        if (accepted ? length <= newton->tolerance : length <= SMALL_STEP) {
            if (!accepted) newton->step = length;
            return is_root(s) ? SAL_CONVERGED : SAL_STALLED;
        }
        if (s->radius < SHORTEST_RADIUS) return SAL_STALLED;
    }
    return SAL_LIMIT;
}

sal_solve_status sal_newton_solve(sal_newton *newton, double *x, sal_arena *work)
{
    const int n = newton->n;
    search    s = {.newton = newton, .n = n, .x = x, .radius = 1.0};
    ARENA_VECTORS(work, n, &s.trial, &s.f, &s.f_new, &s.full, &s.descent, &s.step, &s.change);
    ARENA_VECTORS(work, n * n, &s.J, &s.J_new, &s.factor);
    s.exchanged = ARENA_NEW(work, n, int);
    newton->iterations = 0;
    newton->residual = newton->step = NAN;
    if (work->failed) return SAL_OUT_OF_MEMORY;
    const sal_evaluation value = evaluate(&s, x, s.f, s.J);
    if (value != SAL_EVALUATED) return value == SAL_NO_VALUE ? SAL_NO_START : SAL_STOPPED;
    newton->residual = s.first = sal_length(n, s.f);
    return iterate(&s);
}
