/* Standard deviations, correlations, intervals and bands of the estimates of a fit.
 *
 *     C = s^2 (J^T J)^-1,    s^2 = rss / (m - n), or 1 where standard deviations are given
 *
 * from the singular values of J, whose columns are scaled to length one, so that units do not
 * matter: J D^-1 = U diag(w) V^T, C = s^2 D^-1 V diag(w^-2) V^T D^-1. Where w is zero up to
 * rounding, the column of D^-1 V is a change of the parameters that changes no residual. A profile
 * varies one parameter and fits all others. */
#include "answer/fit.h"

#include <math.h>
#include <string.h>

#include "base/host.h"
#include "base/status.h"
#include "solve/student.h"
#include "solve/svd.h"

/* Singular values below this part of the largest one count as zero; their errors are about
 * 1e-12. */
static const double NOTHING = 1e-10;
/* A parameter takes part in a combination if its share is larger. */
static const double SHARE = 1e-6;

typedef struct covariance {
    saltus_fit *fit;
    int         free;  /* number of estimates that no bound holds */
    int        *which; /* the estimates that no bound holds */
    double     *U, *w, *V, *length;
} covariance;

/* ---- combinations ---------------------------------------------------------------------------- */

static bool is_nothing(const covariance *c, int k)
{
    return !(c->w[k] > NOTHING * c->w[0]) || c->w[0] == 0.0;
}

/* Writes the changes of the estimates that change no residual, scaled to a largest part of one. */
static bool keep_combinations(covariance *c)
{
    saltus_fit *fit = c->fit;
    int         count = 0;
    for (int k = 0; k < c->free; k++) count += is_nothing(c, k);
    double *rows = ARENA_NEW(&fit->kept, count * fit->n, double), *row = rows;
    if (fit->kept.failed) return false;
    memset(rows, 0, (size_t)(count * fit->n) * sizeof *rows);
    for (int k = 0; k < c->free; k++) {
        double largest = 0.0;
        if (!is_nothing(c, k)) continue;
        for (int i = 0; i < c->free; i++) {
            const double share = c->V[i * c->free + k];
            const double part = fabs(share) > SHARE ? share / c->length[i] : 0.0;
            row[c->which[i]] = part;
            if (fabs(part) > fabs(largest)) largest = part;
        }
        for (int i = 0; i < fit->n; i++) row[i] /= largest;
        row += fit->n;
    }
    fit->result.unidentified = count;
    fit->result.combination = rows;
    return true;
}

/* ---- variances ------------------------------------------------------------------------------- */

/* Whether the estimate takes part in a combination that the data do not determine. */
static bool is_lost(const covariance *c, int i)
{
    for (int k = 0; k < c->free; k++)
        if (is_nothing(c, k) && fabs(c->V[i * c->free + k]) > SHARE) return true;
    return false;
}

/* The entry of C / s^2 for two estimates. */
static double shared(const covariance *c, int i, int j)
{
    double sum = 0.0;
    for (int k = 0; k < c->free; k++)
        if (!is_nothing(c, k))
            sum += c->V[i * c->free + k] * c->V[j * c->free + k] / (c->w[k] * c->w[k]);
    return sum / (c->length[i] * c->length[j]);
}

/* Half the width of the confidence interval, in standard deviations. */
static double quantile(const saltus_fit *fit)
{
    return sal_student_quantile(fit->level, fit->weighted ? INFINITY : (double)fit->result.freedom);
}

static bool keep_variances(covariance *c)
{
    saltus_fit        *fit = c->fit;
    saltus_fit_result *result = &fit->result;
    const int          n = fit->n;
    double            *sd, *lower, *upper, *correlation = ARENA_NEW(&fit->kept, n * n, double);
    if (!ARENA_VECTORS(&fit->kept, n, &sd, &lower, &upper)) return false;
    const double s = sqrt(result->variance), t = quantile(fit);
    for (int i = 0; i < n; i++) sd[i] = lower[i] = upper[i] = NAN;
    for (int i = 0; i < n * n; i++) correlation[i] = i % (n + 1) == 0 ? 1.0 : NAN;
    for (int i = 0; i < c->free; i++) {
        const int    at = c->which[i];
        const double value = result->params[fit->param[at]];
        if (is_lost(c, i)) continue;
        sd[at] = s * sqrt(shared(c, i, i));
        lower[at] = value - t * sd[at];
        upper[at] = value + t * sd[at];
        for (int j = 0; j < c->free; j++)
            if (j != i && !is_lost(c, j))
                correlation[at * n + c->which[j]] =
                    shared(c, i, j) / sqrt(shared(c, i, i) * shared(c, j, j));
    }
    result->sd = sd;
    result->lower = lower;
    result->upper = upper;
    result->correlation = correlation;
    return true;
}

/* Writes the half width of the confidence band at each measured value. m_rho C m_rho^T is the
 * squared length of a row of s U, without the columns of zero singular values. */
static bool keep_bands(covariance *c)
{
    saltus_fit  *fit = c->fit;
    double      *band = ARENA_NEW(&fit->kept, fit->m, double);
    const double s = sqrt(fit->result.variance), t = quantile(fit);
    if (fit->kept.failed) return false;
    for (int k = 0, row = 0; k < fit->measurements; k++)
        for (int i = 0; i < fit->measured[k].count; i++, row++) {
            double sum = 0.0;
            for (int j = 0; j < c->free; j++)
                if (!is_nothing(c, j)) sum = hypot(sum, c->U[row * c->free + j]);
            band[row] = t * s * fit->measured[k].sigma[i] * sum;
        }
    fit->result.band = band;
    return true;
}

/* ---- at the minimum -------------------------------------------------------------------------- */

/* Whether the estimate is at a bound beyond which the sum of squares would fall. */
static bool is_unloaded(const saltus_fit *fit, const double *J, int i)
{
    const saltus_param_info info = saltus_system_param(fit->system, fit->param[i]);
    const double            value = fit->result.params[fit->param[i]];
    double                  slope = 0.0;
    if (value > info.lower && value < info.upper) return false;
    for (int k = 0; k < fit->m; k++) slope += J[k * fit->n + i] * fit->result.residual[k];
    return value <= info.lower ? slope > 0.0 : slope < 0.0;
}

static bool choose_free(covariance *c, const double *J)
{
    saltus_fit    *fit = c->fit;
    unsigned char *held = ARENA_NEW(&fit->kept, fit->n, unsigned char);
    if (fit->kept.failed) return false;
    for (int i = 0; i < fit->n; i++) {
        held[i] = is_unloaded(fit, J, i);
        if (!held[i]) c->which[c->free++] = i;
    }
    fit->result.held = held;
    return true;
}

static void scale_columns(covariance *c, const double *J)
{
    const int n = c->fit->n, m = c->fit->m;
    for (int i = 0; i < c->free; i++) {
        double sum = 0.0;
        for (int k = 0; k < m; k++) sum = hypot(sum, J[k * n + c->which[i]]);
        c->length[i] = sum > 0.0 ? sum : 1.0;
        for (int k = 0; k < m; k++) c->U[k * c->free + i] = J[k * n + c->which[i]] / c->length[i];
    }
}

saltus_status sal_fit_confidence(saltus_fit *fit, const double *J, saltus_error *err)
{
    covariance         c = {.fit = fit};
    saltus_fit_result *result = &fit->result;
    WORK_ARENA(work, &fit->allocator);
    c.which = ARENA_NEW(&work, fit->n, int);
    c.U = ARENA_NEW(&work, (size_t)fit->m * (size_t)fit->n, double);
    c.V = ARENA_NEW(&work, fit->n * fit->n, double);
    if (!ARENA_VECTORS(&work, fit->n, &c.w, &c.length) || !choose_free(&c, J))
        return sal_fail_memory(err);
    scale_columns(&c, J);
    if (c.free > 0) sal_svd(fit->m, c.free, c.U, c.w, c.V);
    result->freedom = fit->m;
    for (int k = 0; k < c.free; k++) result->freedom -= !is_nothing(&c, k);
    result->variance = fit->weighted         ? 1.0
                       : result->freedom > 0 ? result->rss / result->freedom
                                             : NAN;
    return keep_combinations(&c) && keep_variances(&c) && keep_bands(&c) ? SALTUS_OK
                                                                         : sal_fail_memory(err);
}

/* ---- profiles -------------------------------------------------------------------------------- */

enum { GROWTHS = 60, REFINEMENTS = 60 };
static const double FAR = 1e6; /* in standard deviations: an interval that is longer has no end */

/* A profile: one estimate of a fit is held at a value, and all others are fitted. */
typedef struct profile {
    saltus_fit *fit;
    int         estimate;
    double      base, scale; /* rss at the minimum, and its rise at the ends of the interval */
    double     *x, *r, *J;   /* unknowns of the other estimates; residuals and their derivatives */
    bool        is_stopped;
} profile;

/* The distance from the minimum: 0 there, 1 at the ends of the interval, where rss has risen by
 * `scale`; NaN where there is no value. */
static double distance_at(profile *p, double value)
{
    saltus_fit   *fit = p->fit;
    sal_lm_result found = {0};
    fit->params[fit->param[p->estimate]] = value;
    fit->simulated = false;
    sal_evaluation e = SAL_EVALUATED;
    if (fit->actives > 0) {
        const sal_solve_status status = sal_fit_search(fit, p->x, p->r, p->J, &found);
        p->is_stopped = status == SAL_STOPPED || status == SAL_OUT_OF_MEMORY;
        if (p->is_stopped || status == SAL_NO_START) return NAN;
    } else {
        e = sal_fit_evaluate(fit, p->x, p->r, NULL);
        p->is_stopped = e == SAL_STOP;
        if (e != SAL_EVALUATED) return NAN;
        for (int i = 0; i < fit->m; i++) found.rss += p->r[i] * p->r[i];
    }
    return sqrt(fmax(0.0, found.rss - p->base) / p->scale);
}

/* Finds the value at distance one, between a at distance fa < 1 and b at distance fb >= 1. The
 * distance is nearly linear. */
static double refine(profile *p, double a, double fa, double b, double fb)
{
    for (int i = 0; i < REFINEMENTS && fabs(b - a) > 1e-10 * (fabs(a) + fabs(b)); i++) {
        const double straight = a + (b - a) * (1.0 - fa) / (fb - fa);
        const double middle = i % 3 == 2 ? 0.5 * (a + b) : straight;
        const double f = distance_at(p, middle);
        if (!isfinite(f)) return NAN;
        if (fabs(f - 1.0) < 1e-9) return middle;
        if (f < 1.0) a = middle, fa = f;
        else b = middle, fb = f;
    }
    return 0.5 * (a + b);
}

/* Finds the end of the interval in the direction of step. is_open: the interval reaches a bound, or
 * the last value that can be simulated. */
static double end_towards(profile *p, double step, double bound, int *is_open)
{
    const double start = p->fit->result.params[p->fit->param[p->estimate]];
    const double least = fabs(step) * 1e-6;
    double       a = start, fa = 0.0, length = fabs(step);
    const double sign = step < 0.0 ? -1.0 : 1.0;
    *is_open = 0;
    for (int i = 0; i < GROWTHS && !p->is_stopped; i++) {
        double b = a + sign * length;
        if (sign * (b - bound) > 0.0) b = bound;
        const double f = distance_at(p, b);
        if (isfinite(f) && f >= 1.0) return refine(p, a, fa, b, f);
        if (!isfinite(f)) { /* no motion, or no value, that far away */
            length *= 0.5;
            if (length > least) continue;
            *is_open = 1;
            return a;
        }
        if (b == bound) {
            *is_open = 1;
            return b;
        }
        if (sign * (b - start) > FAR * fabs(step)) break;
        length = fmin(2.0 * fabs(b - start),
                      fmax(0.25 * length, 1.1 * (1.0 - f) * fabs(b - start) / fmax(f, 1e-3)));
        a = b;
        fa = f;
    }
    return sign * INFINITY;
}

static void start_others(profile *p)
{
    const saltus_fit *fit = p->fit;
    for (int i = 0; i < fit->actives; i++) p->x[i] = fit->result.params[fit->param[fit->active[i]]];
}

static saltus_status find_ends(profile *p, saltus_fit_profile_interval *interval, saltus_error *err)
{
    saltus_fit             *fit = p->fit;
    const saltus_param_info info = saltus_system_param(fit->system, fit->param[p->estimate]);
    const double            value = fit->result.params[fit->param[p->estimate]];
    const double            half = fit->result.upper[p->estimate] - value;
    const double step = isfinite(half) && half > 0.0 ? half : 0.1 * fmax(fabs(value), 1e-3);
    sal_fit_activate(fit, p->estimate);
    memcpy(fit->params, fit->result.params, (size_t)fit->np * sizeof *fit->params);
    start_others(p);
    interval->lower = end_towards(p, -step, info.lower, &interval->lower_is_open);
    start_others(p);
    if (!p->is_stopped)
        interval->upper = end_towards(p, step, info.upper, &interval->upper_is_open);
    sal_fit_activate(fit, -1);
    memcpy(fit->params, fit->result.params, (size_t)fit->np * sizeof *fit->params);
    fit->simulated = false;
    fit->result.runs = fit->runs;
    fit->result.gradients = fit->gradients;
    if (!p->is_stopped) return SALTUS_OK;
    return fit->why.status == SALTUS_ERR_INTERRUPTED
               ? sal_fail(err, SALTUS_ERR_INTERRUPTED, "interrupted")
               : sal_fail_memory(err);
}

saltus_status saltus_fit_profile(saltus_fit *fit, int estimate,
                                 saltus_fit_profile_interval *interval, saltus_error *err)
{
    HOLD_HOST;
    profile p = {.fit = fit, .estimate = estimate};
    if (err && err->status) return err->status;
    if (!fit) return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no fit");
    if (!interval) return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no room for the interval");
    if (fit->result.end == SALTUS_FIT_NOT_SOUGHT)
        return sal_fail(err, SALTUS_ERR_ARGUMENT,
                        "a profile needs a fit that converged: call saltus_fit_find first");
    if (fit->result.end != SALTUS_FIT_CONVERGED)
        return sal_fail(err, SALTUS_ERR_ARGUMENT,
                        "a profile needs a fit that converged, and the last one did not: %s",
                        fit->result.message);
    if (estimate < 0 || estimate >= fit->n)
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no estimate number %d (of %d)",
                        estimate, fit->n);
    const double t = quantile(fit);
    p.base = fit->result.rss;
    p.scale = t * t * fit->result.variance;
    if (!(p.scale > 0.0))
        return sal_fail(err, SALTUS_ERR_NO_GRADIENT,
                        "there is no profile: as many parameters as values, or no residual left");
    *interval = (saltus_fit_profile_interval){NAN, NAN, 0, 0};
    WORK_ARENA(work, &fit->allocator);
    p.x = ARENA_NEW(&work, fit->n, double);
    p.r = ARENA_NEW(&work, fit->m, double);
    p.J = ARENA_NEW(&work, (size_t)fit->m * (size_t)fit->n, double);
    return work.failed ? sal_fail_memory(err) : find_ends(&p, interval, err);
}
