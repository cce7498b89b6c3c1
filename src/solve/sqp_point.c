/* Points of a search: their values, merit and slopes, and the conditions of an optimum. */
#include <float.h>

#include "solve/sqp_search.h"

static const double SMALL_COST =
    1e-2; /* f is scaled by itself, but by at least this part of its largest value so far */

static void scale_gradients(const sal_sqp_search *s, sal_sqp_point *p)
{
    for (int i = 0; i < s->n; i++) {
        p->gradient[i] *= s->scale[i];
        for (int k = 0; k < s->m; k++) p->jacobian[k * s->n + i] *= s->scale[i];
        for (int k = 0; k < p->fences; k++) p->fence_gradient[k * s->n + i] *= s->scale[i];
    }
}

sal_evaluation sal_sqp_evaluate(sal_sqp_search *s, const double *z, double part,
                                bool with_gradients, sal_sqp_point *p)
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
    if (!isfinite(p->f) || !sal_is_finite(s->m, p->c) || !sal_is_finite(s->gaps, p->gap))
        return SAL_NO_VALUE;
    if (!with_gradients) return SAL_EVALUATED;
    if (p->fences > s->max_fences) p->fences = s->max_fences;
    scale_gradients(s, p);
    const bool ok = sal_is_finite(s->n, p->gradient) && sal_is_finite(s->n * s->m, p->jacobian) &&
                    sal_is_finite(p->fences, p->fence) &&
                    sal_is_finite((s->m + 1) * s->gaps, p->by_gap) &&
                    sal_is_finite(s->n * p->fences, p->fence_gradient);
    return ok ? SAL_EVALUATED : SAL_NO_VALUE;
}

double sal_sqp_violation_of(const sal_sqp_search *s, const double *c, int k)
{
    return k < s->me ? fabs(c[k]) : fmax(-c[k], 0.0);
}

double sal_sqp_violation(const sal_sqp_search *s, const sal_sqp_point *p, int *worst)
{
    double most = 0.0;
    if (worst) *worst = -1;
    for (int k = 0; k < s->m; k++) {
        const double now = sal_sqp_violation_of(s, p->c, k) / s->c_scale[k];
        if (now > most && worst) *worst = k;
        most = fmax(most, now);
    }
    for (int i = 0; i < s->gaps; i++) most = fmax(most, fabs(p->gap[i]));
    return most;
}

double sal_sqp_merit(const sal_sqp_search *s, const sal_sqp_point *p)
{
    double sum = p->f;
    for (int k = 0; k < s->m; k++) sum += s->weight[k] * sal_sqp_violation_of(s, p->c, k);
    for (int i = 0; i < s->gaps; i++) sum += s->gap_weight[i] * fabs(p->gap[i]);
    return sum;
}

double sal_sqp_by_closing(const sal_sqp_search *s, const sal_sqp_point *p, int row)
{
    double sum = 0.0;
    for (int i = 0; i < s->gaps; i++) sum += p->by_gap[row * s->gaps + i] * p->gap[i];
    return sum;
}

void sal_sqp_measure(sal_sqp_search *s)
{
    const double slope = sal_largest(s->n, s->here.gradient);
    s->f_largest = fmax(s->f_largest, fmax(fabs(s->here.f), slope));
    s->f_scale = fmax(fabs(s->here.f), SMALL_COST * s->f_largest);
    if (s->f_scale == 0.0) s->f_scale = 1.0;
    for (int k = 0; k < s->m; k++) {
        s->slope[k] = fmax(s->slope[k], sal_largest(s->n, &s->here.jacobian[k * s->n]));
        s->c_scale[k] = s->slope[k] > 0.0 ? s->slope[k] : 1.0;
    }
}

/* ---- the conditions of an optimum ----------------------------------------------------------- */

double sal_sqp_slope(const sal_sqp_search *s, const sal_sqp_point *p, int i, bool with_fences)
{
    double sum = p->gradient[i];
    for (int k = 0; k < s->m; k++) sum -= s->y[k] * p->jacobian[k * s->n + i];
    for (int k = 0; with_fences && k < p->fences; k++)
        sum -= s->y_fence[k] * p->fence_gradient[k * s->n + i];
    return sum;
}

/* The length of a unit step against the slope, cut at the bounds. */
static double projected(const sal_sqp_search *s, int i, double slope)
{
    const double to = fmin(fmax(s->z[i] - slope, s->lower[i]), s->upper[i]);
    return fabs(s->z[i] - to);
}

/* The residual of complementarity: one of the two should be zero, and no multiplier negative. */
static double complementarity(double value, double multiplier)
{
    return fmax(fmin(fabs(value), fabs(multiplier)), -multiplier);
}

double sal_sqp_conditions(const sal_sqp_search *s)
{
    const sal_sqp_point *p = &s->here;
    double               most = sal_sqp_violation(s, p, NULL);
    for (int i = 0; i < s->n; i++)
        most = fmax(most, projected(s, i, sal_sqp_slope(s, p, i, true) / s->f_scale));
    for (int k = s->me; k < s->m; k++)
        most = fmax(most,
                    complementarity(p->c[k] / s->c_scale[k], s->y[k] * s->c_scale[k] / s->f_scale));
    for (int k = 0; k < p->fences; k++) {
        const double size = fmax(DBL_MIN, sal_largest(s->n, &p->fence_gradient[k * s->n]));
        most = fmax(most, complementarity(p->fence[k] / size, s->y_fence[k] * size / s->f_scale));
    }
    return most;
}
