/* One Runge-Kutta step with dense output: see step.h. */
#include "flow/step.h"

#include <math.h>
#include <string.h>

bool sal_step_init(sal_step *step, const sal_tableau *tableau, int nx, int ng, sal_arena *arena)
{
    const int S = tableau->stages_dense;
    *step = (sal_step){.tableau = tableau, .nx = nx, .ng = ng};
    step->x0 = ARENA_NEW(arena, nx, double);
    step->x1 = ARENA_NEW(arena, nx, double);
    step->z0 = ARENA_NEW(arena, ng, double);
    step->dz = ARENA_NEW(arena, ng, double);
    step->stage = ARENA_NEW(arena, (size_t)S * (size_t)nx, double);
    step->k = ARENA_NEW(arena, (size_t)S * (size_t)nx, double);
    step->g = ARENA_NEW(arena, (size_t)S * (size_t)ng, double);
    step->beta = ARENA_NEW(arena, S, double);
    return !arena->failed;
}

/* y = x + h * sum_j weight[j] * k[j], j < count. */
static void combine(int n, const double *x, double h, const double *weight, int count,
                    const double *k, double *y)
{
    for (int i = 0; i < n; i++) y[i] = 0.0;
    for (int j = 0; j < count; j++) {
        if (weight[j] == 0.0) continue;
        const double *kj = k + (size_t)j * (size_t)n;
        for (int i = 0; i < n; i++) y[i] += weight[j] * kj[i];
    }
    for (int i = 0; i < n; i++) y[i] = (x ? x[i] : 0.0) + h * y[i];
}

static int evaluate(sal_step *step, int i)
{
    const sal_tableau *tableau = step->tableau;
    double            *x = step->stage + (size_t)i * (size_t)step->nx;
    combine(step->nx, step->x0, step->h, tableau->A + i * tableau->stages_dense, i, step->k, x);
    const int bad =
        step->rhs(step->context, i, step->t + tableau->c[i] * step->h, x,
                  step->k + (size_t)i * (size_t)step->nx, step->g + (size_t)i * (size_t)step->ng);
    if (!bad) step->computed = i + 1;
    return bad;
}

int sal_step_first(sal_step *step, double t)
{
    step->t = t;
    step->h = 0.0;
    return evaluate(step, 0);
}

int sal_step_take(sal_step *step, double h)
{
    const sal_tableau *tableau = step->tableau;
    step->h = h;
    step->computed = 1;
    for (int i = 1; i < tableau->stages; i++) {
        const int bad = evaluate(step, i);
        if (bad) return bad;
    }
    combine(step->nx, step->x0, h, tableau->b, tableau->stages, step->k, step->x1);
    combine(step->ng, NULL, h, tableau->b, tableau->stages, step->g, step->dz);
    return 0;
}

/* Sum of squares (mean: divided by n; else the largest square) of h * sum e_j k_j over the scales.
 */
static double norm(int n, const double *e, int stages, const double *k, double h, const double *x0,
                   const double *x1, const double *dx, double rtol, double atol, bool mean)
{
    double sum = 0.0, most = 0.0;
    for (int i = 0; i < n; i++) {
        double error = 0.0;
        for (int j = 0; j < stages; j++) error += e[j] * k[(size_t)j * (size_t)n + (size_t)i];
        const double end = x1 ? x1[i] : x0[i] + dx[i];
        const double scale = atol + rtol * fmax(fabs(x0[i]), fabs(end));
        const double ratio = h * error / scale;
        sum += ratio * ratio;
        most = fmax(most, ratio * ratio);
    }
    return mean && n > 0 ? sum / n : most;
}

static double squared(const sal_step *step, const double *e, double rtol, double atol)
{
    const int    s = step->tableau->stages;
    const double x =
        norm(step->nx, e, s, step->k, step->h, step->x0, step->x1, NULL, rtol, atol, true);
    const double z =
        norm(step->ng, e, s, step->g, step->h, step->z0, NULL, step->dz, rtol, atol, false);
    return x + z != x + z ? NAN : fmax(x, z);
}

double sal_step_error(const sal_step *step, double rtol, double atol)
{
    const sal_tableau *tableau = step->tableau;
    const double       main = squared(step, tableau->e_main, rtol, atol);
    if (!tableau->e_second || main == 0.0) return sqrt(main);
    const double second = squared(step, tableau->e_second, rtol, atol);
    return main / sqrt(main + 0.01 * second);
}

int sal_step_end(sal_step *step)
{
    const int end = step->tableau->end_stage;
    if (end < step->computed) return 0;
    return evaluate(step, end);
}

int sal_step_dense(sal_step *step)
{
    for (int i = step->computed; i < step->tableau->stages_dense; i++) {
        const int bad = evaluate(step, i);
        if (bad) return bad;
    }
    return 0;
}

void sal_step_at(const sal_step *step, double theta, double *x, double *dz)
{
    const int S = step->tableau->stages_dense;
    sal_tableau_dense(step->tableau, theta, step->beta);
    combine(step->nx, step->x0, step->h, step->beta, S, step->k, x);
    if (dz) combine(step->ng, NULL, step->h, step->beta, S, step->g, dz);
}

void sal_step_rate_at(const sal_step *step, double theta, double *rate)
{
    sal_tableau_dense_rate(step->tableau, theta, step->beta);
    combine(step->nx, NULL, 1.0, step->beta, step->tableau->stages_dense, step->k, rate);
}

void sal_step_advance(sal_step *step)
{
    const int    end = step->tableau->end_stage;
    const size_t nx = (size_t)step->nx, ng = (size_t)step->ng;
    step->t += step->h;
    memcpy(step->x0, step->x1, nx * sizeof(double));
    memcpy(step->stage, step->x1, nx * sizeof(double));
    memmove(step->k, step->k + (size_t)end * nx, nx * sizeof(double));
    memmove(step->g, step->g + (size_t)end * ng, ng * sizeof(double));
    for (size_t i = 0; i < ng; i++) step->z0[i] += step->dz[i];
    step->computed = 1;
}
