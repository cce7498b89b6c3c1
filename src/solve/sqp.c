/* Each step d minimises
 *
 *     g.d + d.B d / 2    with    c + A d = 0 or >= 0,    fence + Q d >= fence / 10,    bounds, |d|
 * <= radius
 *
 * where B approximates the Hessian of the Lagrangian. If the constraints cannot be met within the
 * radius, their violation is minimised together with f. The merit of a point is f + sum w
 * |violation|. Unknowns are divided by their scales, so that all of them are about one. */
#include "solve/sqp.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/ldl.h"
#include "solve/qp.h"

enum { ITERATIONS = 500, MOST_DIFFERENCES = 100, FEW = 4 };
static const double TOLERANCE = 1e-8, NOISE = 1e-14;
static const double FIRST_RADIUS = 1.0;
static const double SMALLEST_RADIUS = 1e-13;
static const double SMALLEST_PART = 1e-4; /* of gaps, before constraints are relaxed instead */
static const double KEEP = 0.1;           /* part of its distance to a fence that a step leaves */
static const double SLACK = 1e-7;         /* curvature of violations in the relaxed program */
static const double SMALL_COST =
    1e-2; /* costs count as small only below this part of the largest one so far */

typedef struct search {
    const sal_sqp_problem  *problem;
    sal_sqp_result         *result;
    const saltus_allocator *allocator;
    int                     n, m, me, max_fences, gaps;
    double                 *scale;
    double                 *z, *z_trial, *x; /* scaled unknowns; x in the caller's units */
    double                 *lower, *upper;   /* scaled */
    sal_sqp_point           here, there;
    double                 *B;
    double                 *y, *y_fence;
    double                 *weight; /* of violations in the merit */
    double                 *slope,
        *c_scale; /* of constraints: the steepest so far, and what they are measured by */
    double  f_scale, f_largest, f_first;
    double  radius;
    bool    is_first; /* B has not been updated yet */
    double *d, *d_second, *s, *y_change, *Bs;
    double  part;       /* of the gaps that steps close */
    double *gap_weight; /* of gaps in the merit */
    double *c_closed;   /* constraints when that part is closed, linearly */
    double *c_goal;     /* c_closed, less what a step may leave of the constraints */
    /* The best point. */
    double *best;
    double  best_f, best_violation, best_kkt;
    /* The quadratic program: unknowns d and violations. */
    double *G, *g, *A, *b, *q_lower, *q_upper, *q_x, *q_y, *q_bound;
} search;

/* ---- evaluating ----------------------------------------------------------------------------- */

static bool is_finite(int count, const double *v)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(v[i])) return false;
    return true;
}

static void scale_gradients(const search *s, sal_sqp_point *p)
{
    for (int i = 0; i < s->n; i++) {
        p->gradient[i] *= s->scale[i];
        for (int k = 0; k < s->m; k++) p->jacobian[k * s->n + i] *= s->scale[i];
        for (int k = 0; k < p->fences; k++) p->fence_gradient[k * s->n + i] *= s->scale[i];
    }
}

static sal_evaluation evaluate(search *s, const double *z, double part, bool with_gradients,
                               sal_sqp_point *p)
{
    for (int i = 0; i < s->n; i++) s->x[i] = z[i] * s->scale[i];
    /* Products with the scale may round past a bound. */
    for (int i = 0; i < s->n; i++) {
        if (s->problem->lower) s->x[i] = fmax(s->x[i], s->problem->lower[i]);
        if (s->problem->upper) s->x[i] = fmin(s->x[i], s->problem->upper[i]);
    }
    if (with_gradients) s->result->gradients++;
    else s->result->values++;
    p->fences = 0;
    p->part = part;
    const sal_evaluation got = s->problem->evaluate(s->problem->context, s->x, with_gradients, p);
    if (got != SAL_EVALUATED) return got;
    if (!isfinite(p->f) || !is_finite(s->m, p->c) || !is_finite(s->gaps, p->gap))
        return SAL_NO_VALUE;
    if (!with_gradients) return SAL_EVALUATED;
    if (p->fences > s->max_fences) p->fences = s->max_fences;
    scale_gradients(s, p);
    const bool ok = is_finite(s->n, p->gradient) && is_finite(s->n * s->m, p->jacobian) &&
                    is_finite(p->fences, p->fence) && is_finite((s->m + 1) * s->gaps, p->by_gap) &&
                    is_finite(s->n * p->fences, p->fence_gradient);
    return ok ? SAL_EVALUATED : SAL_NO_VALUE;
}

static double violation_of(const search *s, const double *c, int k)
{
    return k < s->me ? fabs(c[k]) : fmax(-c[k], 0.0);
}

/* The largest violation, relative to the slopes of the constraints, or gap. */
static double violation(const search *s, const sal_sqp_point *p, int *worst)
{
    double most = 0.0;
    if (worst) *worst = -1;
    for (int k = 0; k < s->m; k++) {
        const double now = violation_of(s, p->c, k) / s->c_scale[k];
        if (now > most && worst) *worst = k;
        most = fmax(most, now);
    }
    for (int i = 0; i < s->gaps; i++) most = fmax(most, fabs(p->gap[i]));
    return most;
}

static double merit(const search *s, const sal_sqp_point *p)
{
    double sum = p->f;
    for (int k = 0; k < s->m; k++) sum += s->weight[k] * violation_of(s, p->c, k);
    for (int i = 0; i < s->gaps; i++) sum += s->gap_weight[i] * fabs(p->gap[i]);
    return sum;
}

/* What closing all gaps adds to f (row 0) or to a constraint, linearly. */
static double by_closing(const search *s, const sal_sqp_point *p, int row)
{
    double sum = 0.0;
    for (int i = 0; i < s->gaps; i++) sum += p->by_gap[row * s->gaps + i] * p->gap[i];
    return sum;
}

/* What f and constraints are measured by. */
static void measure(search *s)
{
    double slope = 0.0;
    for (int i = 0; i < s->n; i++) slope = fmax(slope, fabs(s->here.gradient[i]));
    s->f_largest = fmax(s->f_largest, fmax(fabs(s->here.f), slope));
    s->f_scale = fmax(fabs(s->here.f), SMALL_COST * s->f_largest);
    if (s->f_scale == 0.0) s->f_scale = 1.0;
    for (int k = 0; k < s->m; k++) {
        for (int i = 0; i < s->n; i++)
            s->slope[k] = fmax(s->slope[k], fabs(s->here.jacobian[k * s->n + i]));
        s->c_scale[k] = s->slope[k] > 0.0 ? s->slope[k] : 1.0;
    }
}

/* ---- the conditions of an optimum ----------------------------------------------------------- */

/* The gradient of the Lagrangian at a point. */
static double slope_of(const search *s, const sal_sqp_point *p, int i, bool with_fences)
{
    double sum = p->gradient[i];
    for (int k = 0; k < s->m; k++) sum -= s->y[k] * p->jacobian[k * s->n + i];
    for (int k = 0; with_fences && k < p->fences; k++)
        sum -= s->y_fence[k] * p->fence_gradient[k * s->n + i];
    return sum;
}

/* How far an unknown would move along the slope, within its bounds. */
static double projected(const search *s, int i, double slope)
{
    const double to = fmin(fmax(s->z[i] - slope, s->lower[i]), s->upper[i]);
    return fabs(s->z[i] - to);
}

/* A constraint that is not active should have no multiplier, and none a negative one. */
static double complementarity(double value, double multiplier)
{
    return fmax(fmin(fabs(value), fabs(multiplier)), -multiplier);
}

static double conditions(const search *s)
{
    const sal_sqp_point *p = &s->here;
    double               most = violation(s, p, NULL);
    for (int i = 0; i < s->n; i++)
        most = fmax(most, projected(s, i, slope_of(s, p, i, true) / s->f_scale));
    for (int k = s->me; k < s->m; k++)
        most = fmax(most,
                    complementarity(p->c[k] / s->c_scale[k], s->y[k] * s->c_scale[k] / s->f_scale));
    for (int k = 0; k < p->fences; k++) {
        double size = DBL_MIN;
        for (int i = 0; i < s->n; i++) size = fmax(size, fabs(p->fence_gradient[k * s->n + i]));
        most = fmax(most, complementarity(p->fence[k] / size, s->y_fence[k] * size / s->f_scale));
    }
    return most;
}

/* ---- the quadratic program ------------------------------------------------------------------ */

static void bound_step(search *s)
{
    for (int i = 0; i < s->n; i++) {
        s->q_lower[i] = fmax(-s->radius, fmin(s->lower[i] - s->z[i], 0.0));
        s->q_upper[i] = fmin(s->radius, fmax(s->upper[i] - s->z[i], 0.0));
    }
}

static int write_rows(search *s, const double *c, int width)
{
    const int n = s->n, rows = s->m + s->here.fences;
    memset(s->A, 0, (size_t)rows * (size_t)width * sizeof(double));
    for (int k = 0; k < s->m; k++) {
        s->b[k] = -c[k];
        memcpy(&s->A[k * width], &s->here.jacobian[k * n], (size_t)n * sizeof(double));
    }
    for (int k = 0; k < s->here.fences; k++) {
        const int row = s->m + k;
        s->b[row] = -(1.0 - KEEP) * s->here.fence[k];
        memcpy(&s->A[row * width], &s->here.fence_gradient[k * n], (size_t)n * sizeof(double));
    }
    return rows;
}

/* Violations are unknowns of their own, which cost their weights. */
static int relax(search *s, int width)
{
    int next = s->n;
    for (int k = 0; k < s->m; k++) {
        const double size = s->c_scale[k];
        s->A[k * width + next] = size;
        s->g[next++] = s->weight[k] * size;
        if (k >= s->me) continue;
        s->A[k * width + next] = -size;
        s->g[next++] = s->weight[k] * size;
    }
    for (int i = s->n; i < width; i++) {
        s->G[i * width + i] = SLACK * s->f_scale;
        s->q_lower[i] = 0.0;
        s->q_upper[i] = INFINITY;
    }
    return next;
}

static void write_matrix(search *s, int width)
{
    memset(s->G, 0, (size_t)width * (size_t)width * sizeof(double));
    for (int i = 0; i < s->n; i++) {
        s->g[i] = s->here.gradient[i];
        memcpy(&s->G[i * width], &s->B[i * s->n], (size_t)s->n * sizeof(double));
    }
}

/* On linearised equations, A d is known, so A^T A may be added to the Hessian without a change of
 * the step. That makes many a matrix definite that is so only along the constraints. */
static void add_equations(search *s, const double *c, int width, double sigma)
{
    if (s->gaps == 0) c = s->here.c;
    for (int k = 0; k < s->me; k++)
        for (int i = 0; i < s->n; i++) {
            const double *row = &s->here.jacobian[k * s->n];
            s->g[i] += sigma * c[k] * row[i];
            for (int j = 0; j < s->n; j++) s->G[i * width + j] += sigma * row[i] * row[j];
        }
}

static sal_qp_status try_program(search *s, const double *c, bool is_relaxed, double sigma,
                                 double shift)
{
    const int width = is_relaxed ? s->n + s->m + s->me : s->n;
    write_matrix(s, width);
    const int rows = write_rows(s, c, width);
    bound_step(s);
    if (is_relaxed) relax(s, width);
    else if (sigma > 0.0) add_equations(s, c, width, sigma);
    for (int i = 0; i < s->n; i++) s->G[i * width + i] += shift;
    const sal_qp qp = {.n = width,
                       .G = s->G,
                       .g = s->g,
                       .rows = rows,
                       .equations = s->me,
                       .A = s->A,
                       .b = s->b,
                       .lower = s->q_lower,
                       .upper = s->q_upper};
    return sal_qp_solve(&qp, s->allocator, s->q_x, s->q_y, s->q_bound);
}

/* Convex or made so: first by the equations, then by ever larger diagonals. */
static sal_qp_status solve_program(search *s, const double *c, bool is_relaxed)
{
    double size = 1e-2 * s->f_scale;
    for (int i = 0; i < s->n; i++) size = fmax(size, fabs(s->B[i * s->n + i]));
    double steep = DBL_MIN;
    for (int k = 0; k < s->me; k++) steep = fmax(steep, s->c_scale[k]);
    sal_qp_status status = try_program(s, c, is_relaxed, 0.0, 0.0);
    for (double sigma = 1.0; status == SAL_QP_NOT_CONVEX && !is_relaxed && s->me && sigma < 1e6;
         sigma *= 100.0)
        status = try_program(s, c, is_relaxed, sigma * size / (steep * steep), 0.0);
    for (double shift = 1e-6 * size; status == SAL_QP_NOT_CONVEX && shift < 1e6 * size;
         shift *= 10.0)
        status = try_program(s, c, is_relaxed, 0.0, shift);
    return status;
}

/* The step for constraints with these values. Returns whether constraints had to be relaxed; no
 * step: d is zero. */
static bool find_step(search *s, const double *c, double *d)
{
    bool          is_relaxed = false;
    sal_qp_status status = solve_program(s, c, false);
    if (status != SAL_QP_SOLVED && s->m > 0) {
        is_relaxed = true;
        for (int k = 0; k < s->m; k++)
            s->weight[k] = fmax(s->weight[k], 100.0 * s->f_scale / s->c_scale[k]);
        status = solve_program(s, c, true);
    }
    if (status == SAL_QP_SOLVED) memcpy(d, s->q_x, (size_t)s->n * sizeof(double));
    else memset(d, 0, (size_t)s->n * sizeof(double));
    return is_relaxed;
}

/* Closing gaps moves constraints away from what the radius allows to meet: only such a part of both
 * is aimed at that all can be met. A part of zero can. */
static void choose_part(search *s)
{
    memcpy(s->c_closed, s->here.c, (size_t)s->m * sizeof(double));
    memcpy(s->c_goal, s->here.c, (size_t)s->m * sizeof(double));
    for (; s->gaps; s->part *= 0.5) {
        for (int k = 0; k < s->m; k++) {
            const double moved = by_closing(s, &s->here, k + 1), c = s->here.c[k];
            s->c_closed[k] = c + s->part * moved;
            s->c_goal[k] = k < s->me || c < 0.0 ? s->part * (c + moved) : s->c_closed[k];
        }
        if (s->part < SMALLEST_PART || solve_program(s, s->c_goal, false) == SAL_QP_SOLVED) return;
    }
}

static void take_multipliers(search *s)
{
    for (int k = 0; k < s->m; k++) {
        s->y[k] = s->q_y[k];
        /* Weights are larger than multipliers, and forget large ones. */
        s->weight[k] = fmax(1.05 * fabs(s->y[k]), 0.5 * (s->weight[k] + fabs(s->y[k])));
    }
    for (int k = 0; k < s->max_fences; k++)
        s->y_fence[k] = k < s->here.fences ? s->q_y[s->m + k] : 0.0;
    for (int i = 0; i < s->gaps; i++) {
        double y = s->here.by_gap[i];
        for (int k = 0; k < s->m; k++) y -= s->y[k] * s->here.by_gap[(k + 1) * s->gaps + i];
        s->gap_weight[i] = fmax(1.05 * fabs(y), 0.5 * (s->gap_weight[i] + fabs(y)));
    }
}

/* What the program promises for f, and for the weighted violation. */
static double promised_for_f(const search *s, const double *d)
{
    double sum = s->gaps ? -s->part * by_closing(s, &s->here, 0) : 0.0;
    for (int i = 0; i < s->n; i++) {
        double Bd = 0.0;
        for (int j = 0; j < s->n; j++) Bd += s->B[i * s->n + j] * d[j];
        sum -= d[i] * (s->here.gradient[i] + 0.5 * Bd);
    }
    return sum;
}

static double promised_for_violation(const search *s, const double *d)
{
    double sum = 0.0;
    for (int k = 0; k < s->m; k++) {
        double linear = s->c_closed[k];
        for (int i = 0; i < s->n; i++) linear += s->here.jacobian[k * s->n + i] * d[i];
        const double left = k < s->me ? fabs(linear) : fmax(-linear, 0.0);
        sum += s->weight[k] * (violation_of(s, s->here.c, k) - left);
    }
    for (int i = 0; i < s->gaps; i++) sum += s->part * s->gap_weight[i] * fabs(s->here.gap[i]);
    return sum;
}

/* What the program promises for the merit. Where f has to rise for the constraints, weights become
 * so large that this is worth it. */
static double promised(search *s, const double *d)
{
    const double f = promised_for_f(s, d), gain = promised_for_violation(s, d);
    if (gain <= 0.0 || f + gain >= 0.1 * gain) return f + gain;
    const double factor = -f / (0.7 * gain);
    for (int k = 0; k < s->m; k++) s->weight[k] *= factor;
    for (int i = 0; i < s->gaps; i++) s->gap_weight[i] *= factor;
    return f + factor * gain;
}

static double length_of(int n, const double *d)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(d[i]));
    return most;
}

static void move(const search *s, const double *d)
{
    for (int i = 0; i < s->n; i++)
        s->z_trial[i] = fmin(fmax(s->z[i] + d[i], s->lower[i]), s->upper[i]);
}

/* ---- the Hessian of the Lagrangian ---------------------------------------------------------- */

static void forget(search *s)
{
    const double size = fmax(length_of(s->n, s->here.gradient), 1e-3 * s->f_scale);
    for (int i = 0; i < s->n * s->n; i++) s->B[i] = i % (s->n + 1) == 0 ? size : 0.0;
    s->is_first = true;
}

/* B s, s.y and s.B s for the last step s and the change y of the slope. */
static void multiply(search *s, double *sy, double *sBs)
{
    *sy = *sBs = 0.0;
    for (int i = 0; i < s->n; i++) {
        s->Bs[i] = 0.0;
        for (int j = 0; j < s->n; j++) s->Bs[i] += s->B[i * s->n + j] * s->s[j];
        *sy += s->s[i] * s->y_change[i];
        *sBs += s->s[i] * s->Bs[i];
    }
}

/* The update of Broyden, Fletcher, Goldfarb and Shanno, damped as by Powell so that B stays
 * positive definite. */
static void update(search *s)
{
    const int n = s->n;
    double    sy, sBs, ss = 0.0, yy = 0.0;
    for (int i = 0; i < n; i++) {
        s->s[i] = s->z_trial[i] - s->z[i];
        s->y_change[i] = slope_of(s, &s->there, i, false) - slope_of(s, &s->here, i, false);
        ss += s->s[i] * s->s[i];
        yy += s->y_change[i] * s->y_change[i];
    }
    multiply(s, &sy, &sBs);
    if (ss == 0.0 || !(sBs > 0.0)) return;
    if (s->is_first && sy > 1e-8 * sqrt(ss * yy)) {
        for (int i = 0; i < n * n; i++) s->B[i] = i % (n + 1) == 0 ? yy / sy : 0.0;
        multiply(s, &sy, &sBs);
    }
    s->is_first = false;
    if (sy < 0.2 * sBs) {
        const double part = 0.8 * sBs / (sBs - sy);
        for (int i = 0; i < n; i++)
            s->y_change[i] = part * s->y_change[i] + (1.0 - part) * s->Bs[i];
        sy = 0.2 * sBs;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s->B[i * n + j] += s->y_change[i] * s->y_change[j] / sy - s->Bs[i] * s->Bs[j] / sBs;
}

static bool wants_differences(const search *s)
{
    const sal_sqp_hessian hessian = s->problem->hessian;
    return hessian == SAL_SQP_DIFFERENCES ||
           (hessian == SAL_SQP_UPDATES && s->result->iterations == 0 && s->n <= MOST_DIFFERENCES);
}

/* Adds to the diagonal until the matrix is positive definite, as updates need it. */
static void make_definite(search *s)
{
    const int    n = s->n;
    const size_t bytes = (size_t)n * (size_t)n * sizeof(double);
    double       size = 0.0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(s->B[i * n + i]));
    if (size == 0.0) size = s->f_scale;
    for (double shift = 1e-8 * size, added = 0.0; shift < 1e6 * size; shift *= 4.0) {
        memcpy(s->G, s->B, bytes);
        if (sal_ldl_factor(n, s->G, s->Bs) == 0) return;
        for (int i = 0; i < n; i++) s->B[i * n + i] += shift - added;
        added = shift;
    }
}

/* A first look at the Hessian of f, along a direction in which all unknowns change: if it is close
 * to a multiple of the identity there, as that of an integral of squared controls is, that multiple
 * is taken for it, for the price of one gradient. */
static bool probe(search *s, sal_evaluation *got)
{
    const int          n = s->n;
    const double       h = 1e-6;
    double             ss = 0.0, sy = 0.0, yy = 0.0;
    unsigned long long state = 1;
    for (int i = 0; i < n; i++) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        double step = state >> 63 ? h : -h;
        if (s->z[i] + step < s->lower[i] || s->z[i] + step > s->upper[i]) step = -step;
        if (s->z[i] + step < s->lower[i] || s->z[i] + step > s->upper[i]) return false;
        s->z_trial[i] = s->z[i] + step;
    }
    *got = evaluate(s, s->z_trial, 0.0, true, &s->there);
    if (*got != SAL_EVALUATED || s->there.piece != s->here.piece) return false;
    for (int i = 0; i < n; i++) {
        const double step = s->z_trial[i] - s->z[i];
        const double change = s->there.gradient[i] - s->here.gradient[i];
        ss += step * step;
        sy += step * change;
        yy += change * change;
    }
    if (!(sy > 0.0) || sy * sy < 0.7 * ss * yy) return false;
    for (int i = 0; i < n * n; i++) s->B[i] = i % (n + 1) == 0 ? sy / ss : 0.0;
    s->is_first = false;
    return true;
}

/* Forward differences of the slope, symmetrised. False: a point next to this one has no value, or
 * is of another piece. */
static bool difference(search *s, sal_evaluation *got)
{
    const int    n = s->n;
    const double h = 1e-6;
    for (int i = 0; i < n; i++) s->Bs[i] = slope_of(s, &s->here, i, false);
    for (int j = 0; j < n; j++) {
        double step = h;
        bool   is_found = false;
        for (int side = 0; side < 2 && !is_found; side++, step = -step) {
            if (s->z[j] + step < s->lower[j] || s->z[j] + step > s->upper[j]) continue;
            memcpy(s->z_trial, s->z, (size_t)n * sizeof(double));
            s->z_trial[j] += step;
            *got = evaluate(s, s->z_trial, 0.0, true, &s->there);
            if (*got == SAL_STOP) return false;
            if (*got != SAL_EVALUATED || s->there.piece != s->here.piece) continue;
            for (int i = 0; i < n; i++)
                s->B[i * n + j] =
                    (slope_of(s, &s->there, i, false) - s->Bs[i]) / (s->z_trial[j] - s->z[j]);
            is_found = true;
        }
        if (!is_found) return false;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            s->B[i * n + j] = s->B[j * n + i] = 0.5 * (s->B[i * n + j] + s->B[j * n + i]);
    if (s->problem->hessian == SAL_SQP_UPDATES) make_definite(s);
    s->is_first = false;
    return true;
}

/* Second derivatives from gradients near by. */
static bool look_around(search *s, sal_evaluation *got)
{
    const bool may_probe = s->problem->hessian == SAL_SQP_UPDATES && s->n > FEW;
    if (may_probe && probe(s, got)) return true;
    return *got != SAL_STOP && difference(s, got);
}

/* ---- the search ----------------------------------------------------------------------------- */

/* Feasible points are better than others, then lower ones. */
static void remember(search *s)
{
    const double most = violation(s, &s->here, NULL), enough = s->problem->tolerance;
    const bool   is_lower = s->best_violation > enough || s->here.f <= s->best_f;
    const bool   is_better = most <= enough ? is_lower : most <= s->best_violation;
    if (!is_better && !(s->result->kkt <= enough)) return;
    memcpy(s->best, s->z, (size_t)s->n * sizeof(double));
    s->best_f = s->here.f;
    s->best_violation = most;
    s->best_kkt = s->result->kkt;
}

static void exchange(search *s)
{
    const sal_sqp_point kept = s->here;
    if (s->problem->accept) s->problem->accept(s->problem->context);
    s->part = fmin(2.0 * s->part, 1.0);
    s->here = s->there;
    s->there = kept;
    memcpy(s->z, s->z_trial, (size_t)s->n * sizeof(double));
}

static double noise_of(const search *s)
{
    return (s->problem->noise > 0.0 ? s->problem->noise : NOISE) * s->f_scale;
}

typedef enum outcome { ACCEPTED, REJECTED, NOWHERE, STOPPED } outcome;

/* Evaluates the trial point and judges it. gain: the part of the promise that was kept. */
static outcome judge(search *s, double promise, double *gain)
{
    const sal_evaluation got = evaluate(s, s->z_trial, s->part, false, &s->there);
    if (got == SAL_STOP) return STOPPED;
    if (got == SAL_NO_VALUE) return NOWHERE;
    const double fall = merit(s, &s->here) - merit(s, &s->there);
    const bool   is_other = s->there.piece != s->here.piece;
    *gain = fall / promise;
    if (!is_other && promise < 10.0 * noise_of(s) && fall > -10.0 * noise_of(s)) {
        *gain = 0.5; /* values cannot tell, slopes must */
        return ACCEPTED;
    }
    return *gain > (is_other ? 0.1 : 1e-4) ? ACCEPTED : REJECTED;
}

/* Constraints bend: the step is corrected so that it meets them at its end. */
static outcome correct(search *s, double promise, double *gain)
{
    double *c = s->Bs; /* scratch of at least m numbers */
    for (int k = 0; k < s->m; k++) {
        c[k] = s->there.c[k];
        /* the slopes of the last point are not known: those at the start of the step serve */
        for (int i = 0; i < s->gaps; i++)
            c[k] += s->here.by_gap[(k + 1) * s->gaps + i] * s->there.gap[i];
        for (int i = 0; i < s->n; i++) c[k] -= s->here.jacobian[k * s->n + i] * s->d[i];
    }
    find_step(s, c, s->d_second);
    if (length_of(s->n, s->d_second) == 0.0) return REJECTED;
    move(s, s->d_second);
    s->there.corrects = true;
    const outcome result = judge(s, promise, gain);
    s->there.corrects = false;
    return result;
}

/* Derivatives at the accepted point; one that has none is rejected after all. */
static outcome differentiate(search *s)
{
    const sal_evaluation got = evaluate(s, s->z_trial, s->part, true, &s->there);
    return got == SAL_STOP ? STOPPED : got == SAL_EVALUATED ? ACCEPTED : NOWHERE;
}

static void resize_radius(search *s, outcome result, double gain, double length)
{
    if (result == NOWHERE) s->radius = 0.25 * length;
    else if (result == REJECTED)
        s->radius = 0.5 * fmin(length, s->radius) * (gain < -1.0 ? 0.5 : 1.0);
    else if (gain > 0.5 && length > 0.7 * s->radius) s->radius *= 2.0;
    else if (gain < 0.1) s->radius = 0.5 * length;
}

/* One step: shorter and shorter ones until one is good. REJECTED: there is none; *is_relaxed:
 * because constraints cannot be met. */
static outcome advance(search *s, bool *is_relaxed)
{
    for (;; s->part *= 0.5) {
        choose_part(s);
        *is_relaxed = find_step(s, s->c_goal, s->d);
        const double length = length_of(s->n, s->d);
        take_multipliers(s);
        if (length < SMALLEST_RADIUS &&
            (s->gaps == 0 || violation(s, &s->here, NULL) <= s->problem->tolerance))
            return REJECTED;
        const double promise = promised(s, s->d);
        if (!(promise > 0.0)) return REJECTED;
        double gain = 0.0;
        move(s, s->d);
        outcome result = judge(s, promise, &gain);
        if (result == REJECTED && s->m + s->gaps > 0 && s->there.piece == s->here.piece &&
            violation(s, &s->there, NULL) > s->problem->tolerance)
            result = correct(s, promise, &gain);
        if (result == ACCEPTED) result = differentiate(s);
        if (result == STOPPED) return result;
        resize_radius(s, result, gain, length);
        if (result == ACCEPTED) return result;
        if (s->radius < SMALLEST_RADIUS) return REJECTED;
    }
}

static bool report(search *s)
{
    for (int i = 0; i < s->n; i++) s->x[i] = s->z[i] * s->scale[i];
    const sal_sqp_progress progress = {.iteration = s->result->iterations,
                                       .values = s->result->values,
                                       .gradients = s->result->gradients,
                                       .x = s->x,
                                       .f = s->here.f,
                                       .violation = violation(s, &s->here, NULL),
                                       .kkt = s->result->kkt};
    return !s->problem->progress || s->problem->progress(s->problem->context, &progress) == 0;
}

/* Far away and far below the start. It is asked before the conditions, which are relative to f. */
static bool is_unbounded(const search *s)
{
    return length_of(s->n, s->z) > 1e6 && s->here.f < -1e7 * s->f_first;
}

/* No step helps: the constraints contradict each other, or rounding ends it. */
static sal_solve_status give_up(const search *s, bool is_relaxed)
{
    const bool is_feasible = violation(s, &s->here, NULL) <= s->problem->tolerance;
    return is_relaxed && !is_feasible ? SAL_INFEASIBLE : SAL_STALLED;
}

static sal_solve_status iterate(search *s)
{
    sal_evaluation got = evaluate(s, s->z, 0.0, true, &s->here);
    if (got != SAL_EVALUATED) return got == SAL_STOP ? SAL_STOPPED : SAL_NO_START;
    if (s->problem->accept) s->problem->accept(s->problem->context);
    bool is_fresh = true; /* B has not been used for a step since it was forgotten */
    measure(s);
    s->f_first = s->f_largest > 0.0 ? s->f_largest : 1.0;
    forget(s);
    for (;; s->result->iterations++) {
        bool is_relaxed = false;
        s->result->kkt = conditions(s);
        remember(s);
        if (!report(s)) return SAL_STOPPED;
        if (is_unbounded(s)) return SAL_UNBOUNDED;
        if (s->result->kkt <= s->problem->tolerance) return SAL_CONVERGED;
        if (s->result->iterations == s->problem->max_iterations) return SAL_LIMIT;
        if (wants_differences(s) && !look_around(s, &got)) {
            if (got == SAL_STOP) return SAL_STOPPED;
            forget(s);
        }
        const outcome result = advance(s, &is_relaxed);
        if (result == STOPPED) return SAL_STOPPED;
        if (result != ACCEPTED) {
            s->result->kkt = conditions(s); /* with the last multipliers */
            remember(s);
            if (s->result->kkt <= s->problem->tolerance) return SAL_CONVERGED;
            if (is_fresh || s->problem->hessian == SAL_SQP_DIFFERENCES)
                return give_up(s, is_relaxed);
            forget(s);
            s->radius = FIRST_RADIUS;
            s->part = 1.0;
            is_fresh = true;
            continue;
        }
        const bool is_other = s->there.piece != s->here.piece;
        if (!is_other) update(s);
        exchange(s);
        measure(s);
        if (is_other) forget(s);
        is_fresh = is_other;
    }
}

/* ---- beginning and ending ------------------------------------------------------------------- */

static void new_point(search *s, sal_arena *arena, sal_sqp_point *p)
{
    p->c = ARENA_NEW(arena, s->m, double);
    p->gradient = ARENA_NEW(arena, s->n, double);
    p->jacobian = ARENA_NEW(arena, s->n * s->m, double);
    p->fence = ARENA_NEW(arena, s->max_fences, double);
    p->fence_gradient = ARENA_NEW(arena, s->n * s->max_fences, double);
    p->gap = ARENA_NEW(arena, s->gaps, double);
    p->by_gap = ARENA_NEW(arena, (s->m + 1) * s->gaps, double);
}

static void new_search(search *s, sal_arena *arena)
{
    const int n = s->n, m = s->m, width = n + m + s->me, rows = m + s->max_fences;
    double  **vectors[] = {&s->scale, &s->z,        &s->z_trial, &s->x,        &s->lower, &s->upper,
                           &s->d,     &s->d_second, &s->s,       &s->y_change, &s->best};
    double  **wide[] = {&s->g, &s->q_lower, &s->q_upper, &s->q_x, &s->q_bound};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = ARENA_NEW(arena, n, double);
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        *wide[i] = ARENA_NEW(arena, width, double);
    new_point(s, arena, &s->here);
    new_point(s, arena, &s->there);
    s->B = ARENA_NEW(arena, n * n, double);
    s->Bs = ARENA_NEW(arena, n + m, double);
    s->weight = ARENA_NEW(arena, m, double);
    s->slope = ARENA_NEW(arena, m, double);
    s->c_scale = ARENA_NEW(arena, m, double);
    s->c_closed = ARENA_NEW(arena, m, double);
    s->c_goal = ARENA_NEW(arena, m, double);
    s->gap_weight = ARENA_NEW(arena, s->gaps, double);
    s->G = ARENA_NEW(arena, width * width, double);
    s->A = ARENA_NEW(arena, rows * width, double);
    s->b = ARENA_NEW(arena, rows, double);
    s->q_y = ARENA_NEW(arena, rows, double);
}

/* A typical change of an unknown: its size at the start, but no more than its range. */
static double choose_scale(double start, double lower, double upper)
{
    const double range = upper - lower;
    double       scale = start != 0.0 ? fabs(start) : isfinite(range) ? 0.25 * range : 1.0;
    if (isfinite(range) && range > 0.0) scale = fmin(scale, 0.5 * range);
    return scale > 0.0 ? scale : 1.0;
}

static void begin(search *s, double *x)
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

static void finish(search *s, double *x)
{
    for (int i = 0; i < s->n; i++) {
        x[i] = s->best[i] * s->scale[i];
        if (s->problem->lower) x[i] = fmax(x[i], s->problem->lower[i]);
        if (s->problem->upper) x[i] = fmin(x[i], s->problem->upper[i]);
    }
    s->result->f = s->best_f;
    s->result->kkt = s->best_kkt;
    s->result->violation = violation(s, &s->here, &s->result->worst);
    s->result->fences = s->here.fences;
}

sal_solve_status sal_sqp(const sal_sqp_problem *problem, const saltus_allocator *allocator,
                         double *x, double *y, double *y_fence, sal_sqp_result *result)
{
    sal_sqp_problem own = *problem;
    if (!(own.tolerance > 0.0)) own.tolerance = TOLERANCE;
    if (own.max_iterations <= 0) own.max_iterations = ITERATIONS;
    sal_arena arena;
    sal_arena_init(&arena, allocator);
    *result = (sal_sqp_result){.f = NAN, .kkt = INFINITY, .worst = -1};
    search s = {.problem = &own,
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
                .best_f = NAN,
                .best_violation = INFINITY,
                .best_kkt = INFINITY};
    new_search(&s, &arena);
    sal_solve_status status = SAL_OUT_OF_MEMORY;
    if (!arena.failed) {
        begin(&s, x);
        if (s.m && !own.is_warm) memset(y, 0, (size_t)s.m * sizeof(double));
        if (s.max_fences) memset(y_fence, 0, (size_t)s.max_fences * sizeof(double));
        status = iterate(&s);
        finish(&s, x);
    }
    sal_arena_free(&arena);
    return status;
}
