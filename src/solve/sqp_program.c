/* Steps of a search: the quadratic program and its predicted reduction. */
#include <float.h>
#include <string.h>

#include "solve/qp.h"
#include "solve/sqp_search.h"

static const double SMALLEST_PART = 1e-4; /* part of the gaps below which constraints are relaxed */
static const double KEEP = 0.1;      /* part of the distance to a fence that a step has to leave */
static const double HEAVIEST = 1e3;  /* largest multiplier, in units of slope of f / slope of c */
static const double FLATTEST = 1e-8; /* least slope of a constraint, relative to its steepest */
static const double SLACK = 1e-7;    /* curvature of violations in the relaxed program */

static void bound_step(sal_sqp_search *s)
{
    for (int i = 0; i < s->n; i++) {
        s->q_lower[i] = fmax(-s->radius, fmin(s->lower[i] - s->z[i], 0.0));
        s->q_upper[i] = fmin(s->radius, fmax(s->upper[i] - s->z[i], 0.0));
    }
}

static int write_rows(sal_sqp_search *s, const double *c, int width)
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
        if (s->here.fence_is_soft[k] && !s->holds) continue; /* 0 >= b, always true */
        memcpy(&s->A[row * width], &s->here.fence_gradient[k * n], (size_t)n * sizeof(double));
    }
    return rows;
}

/* Makes the violations unknowns of their own, with their weights as cost. Small curvatures keep
 * rounding from deciding where B has none. */
static void relax(sal_sqp_search *s, int width)
{
    int    next = s->n;
    double most = 0.0;
    for (int k = 0; k < s->m; k++) {
        const double size = s->c_scale[k];
        s->A[k * width + next] = size;
        s->g[next++] = s->weight[k] * size;
        if (k >= s->me) continue;
        s->A[k * width + next] = -size;
        s->g[next++] = s->weight[k] * size;
    }
    for (int i = s->n; i < width; i++) {
        s->G[i * width + i] = SLACK * s->g[i];
        s->q_lower[i] = 0.0;
        s->q_upper[i] = INFINITY;
        most = fmax(most, s->g[i]);
    }
    const double reach = fmax(s->radius, 1.0);
    for (int i = 0; i < s->n; i++) s->G[i * width + i] += SLACK * most / (reach * reach);
}

static void write_matrix(sal_sqp_search *s, int width)
{
    memset(s->G, 0, (size_t)width * (size_t)width * sizeof(double));
    for (int i = 0; i < s->n; i++) {
        s->g[i] = s->here.gradient[i];
        memcpy(&s->G[i * width], &s->B[i * s->n], (size_t)s->n * sizeof(double));
    }
}

/* Adds sigma A^T A of the equations to the Hessian: A d is given by the linearised equations, so
 * the step does not change. The result is often positive definite where B is so only along the
 * constraints. */
static void add_equations(sal_sqp_search *s, const double *c, int width, double sigma)
{
    if (s->gaps == 0) c = s->here.c;
    for (int k = 0; k < s->me; k++)
        for (int i = 0; i < s->n; i++) {
            const double *row = &s->here.jacobian[k * s->n];
            s->g[i] += sigma * c[k] * row[i];
            for (int j = 0; j < s->n; j++) s->G[i * width + j] += sigma * row[i] * row[j];
        }
}

static sal_qp_status try_program(sal_sqp_search *s, const double *c, bool is_relaxed, double sigma,
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

/* Solves the program. If it is not convex, it is made convex: first by adding the equations, then
 * by larger and larger diagonals. */
static sal_qp_status solve_program(sal_sqp_search *s, const double *c, bool is_relaxed)
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

bool sal_sqp_find_step(sal_sqp_search *s, const double *c, double *d)
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

/* Closing gaps shifts the constraints, perhaps farther than the radius allows to correct. This
 * halves the part of both that the step aims at until all constraints can be met; a part of zero
 * always can. */
void sal_sqp_choose_part(sal_sqp_search *s)
{
    memcpy(s->c_closed, s->here.c, (size_t)s->m * sizeof(double));
    memcpy(s->c_goal, s->here.c, (size_t)s->m * sizeof(double));
    for (; s->gaps; s->part *= 0.5) {
        for (int k = 0; k < s->m; k++) {
            const double moved = sal_sqp_by_closing(s, &s->here, k + 1), c = s->here.c[k];
            s->c_closed[k] = c + s->part * moved;
            s->c_goal[k] = k < s->me || c < 0.0 ? s->part * (c + moved) : s->c_closed[k];
        }
        if (s->part < SMALLEST_PART || solve_program(s, s->c_goal, false) == SAL_QP_SOLVED) return;
    }
}

void sal_sqp_take_multipliers(sal_sqp_search *s)
{
    const double steep = fmax(s->f_scale, sal_largest(s->n, s->here.gradient));
    for (int k = 0; k < s->m; k++) {
        /* Constraints that can only just be met have arbitrarily large multipliers, so these are
         * limited. The limit is higher for a constraint that is flat here, such as the square of
         * something small, where a large multiplier is right. */
        const double slope = sal_largest(s->n, s->here.jacobian + k * s->n);
        const double most = HEAVIEST * steep / fmax(slope, FLATTEST * s->c_scale[k]);
        s->y[k] = fmin(fmax(s->q_y[k], -most), most);
        /* Weights are larger than multipliers, and decay after large ones. */
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

/* The reduction of f that the program predicts. */
static double promised_for_f(const sal_sqp_search *s, const double *d)
{
    double sum = s->gaps ? -s->part * sal_sqp_by_closing(s, &s->here, 0) : 0.0;
    for (int i = 0; i < s->n; i++) {
        double Bd = 0.0;
        for (int j = 0; j < s->n; j++) Bd += s->B[i * s->n + j] * d[j];
        sum -= d[i] * (s->here.gradient[i] + 0.5 * Bd);
    }
    return sum;
}

static double promised_for_violation(const sal_sqp_search *s, const double *d)
{
    double sum = 0.0;
    for (int k = 0; k < s->m; k++) {
        double linear = s->c_closed[k];
        for (int i = 0; i < s->n; i++) linear += s->here.jacobian[k * s->n + i] * d[i];
        const double left = k < s->me ? fabs(linear) : fmax(-linear, 0.0);
        sum += s->weight[k] * (sal_sqp_violation_of(s, s->here.c, k) - left);
    }
    for (int i = 0; i < s->gaps; i++) sum += s->part * s->gap_weight[i] * fabs(s->here.gap[i]);
    return sum;
}

/* Returns the predicted reduction of the merit. Where f has to rise to meet the constraints, raises
 * the weights until the merit falls. */
double sal_sqp_promised(sal_sqp_search *s, const double *d)
{
    const double f = promised_for_f(s, d), gain = promised_for_violation(s, d);
    if (gain <= 0.0 || f + gain >= 0.1 * gain) return f + gain;
    const double factor = -f / (0.7 * gain);
    for (int k = 0; k < s->m; k++) s->weight[k] *= factor;
    for (int i = 0; i < s->gaps; i++) s->gap_weight[i] *= factor;
    return f + factor * gain;
}
