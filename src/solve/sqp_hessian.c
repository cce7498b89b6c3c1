/* The Hessian of the Lagrangian: updates, and differences of gradients. */
#include <string.h>

#include "linalg/ldl.h"
#include "solve/sqp_search.h"

enum { MAX_DIFFERENCES = 100, FEW = 4 };

void sal_sqp_forget(sal_sqp_search *s)
{
    const double size = fmax(sal_largest(s->n, s->here.gradient), 1e-3 * s->f_scale);
    for (int i = 0; i < s->n * s->n; i++) s->B[i] = i % (s->n + 1) == 0 ? size : 0.0;
    s->is_first = true;
}

/* Computes B s, s.y and s.B s for the last step s and the change y of the slope. */
static void multiply(sal_sqp_search *s, double *sy, double *sBs)
{
    *sy = *sBs = 0.0;
    for (int i = 0; i < s->n; i++) {
        s->Bs[i] = 0.0;
        for (int j = 0; j < s->n; j++) s->Bs[i] += s->B[i * s->n + j] * s->s[j];
        *sy += s->s[i] * s->y_change[i];
        *sBs += s->s[i] * s->Bs[i];
    }
}

/* BFGS update, damped as by Powell so that B stays positive definite. */
void sal_sqp_update(sal_sqp_search *s)
{
    const int n = s->n;
    double    sy, sBs, ss = 0.0, yy = 0.0;
    for (int i = 0; i < n; i++) {
        s->s[i] = s->z_trial[i] - s->z[i];
        s->y_change[i] =
            sal_sqp_slope(s, &s->there, i, false) - sal_sqp_slope(s, &s->here, i, false);
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

bool sal_sqp_wants_differences(const sal_sqp_search *s)
{
    const sal_sqp_hessian hessian = s->problem->hessian;
    return hessian == SAL_SQP_DIFFERENCES ||
           (hessian == SAL_SQP_UPDATES && s->result->iterations == 0 && s->n <= MAX_DIFFERENCES);
}

/* Adds to the diagonal until B is positive definite, as updates require. */
static void make_definite(sal_sqp_search *s)
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

/* Estimates the Hessian of f from one gradient, at a point in a direction in which all unknowns
 * change. If the change of the gradient is nearly parallel to the step, as it is for an integral of
 * squared controls, B becomes the corresponding multiple of the identity. Returns false
 * otherwise. */
static bool probe(sal_sqp_search *s, sal_evaluation *got)
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
    *got = sal_sqp_evaluate(s, s->z_trial, 0.0, true, &s->there);
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

/* Computes B by one-sided differences of the slope, symmetrised. Returns false if a neighbouring
 * point has no value or is on another piece. */
static bool difference(sal_sqp_search *s, sal_evaluation *got)
{
    const int    n = s->n;
    const double h = 1e-6;
    for (int i = 0; i < n; i++) s->Bs[i] = sal_sqp_slope(s, &s->here, i, false);
    for (int j = 0; j < n; j++) {
        double step = h;
        bool   is_found = false;
        for (int side = 0; side < 2 && !is_found; side++, step = -step) {
            if (s->z[j] + step < s->lower[j] || s->z[j] + step > s->upper[j]) continue;
            memcpy(s->z_trial, s->z, (size_t)n * sizeof(double));
            s->z_trial[j] += step;
            *got = sal_sqp_evaluate(s, s->z_trial, 0.0, true, &s->there);
            if (*got == SAL_STOP) return false;
            if (*got != SAL_EVALUATED || s->there.piece != s->here.piece) continue;
            for (int i = 0; i < n; i++)
                s->B[i * n + j] =
                    (sal_sqp_slope(s, &s->there, i, false) - s->Bs[i]) / (s->z_trial[j] - s->z[j]);
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

bool sal_sqp_look_around(sal_sqp_search *s, sal_evaluation *got)
{
    const bool may_probe = s->problem->hessian == SAL_SQP_UPDATES && s->n > FEW;
    if (may_probe && probe(s, got)) return true;
    return *got != SAL_STOP && difference(s, got);
}
