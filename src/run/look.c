/* A second look at long steps: see look.h. */
#include "run/look.h"

#include <math.h>

/* What a slope may be wrong by during the time between two looks, as a multiple of the tolerance:
 * the dense output is less exact than the step. In smooth motions it is hardly ever more, and then
 * steps are only shorter than they need be. */
static const double ALLOWED = 20.0;

/* The longest part of a step without a stage. */
static double widest_gap(const sal_tableau *tableau)
{
    double widest = 0.0;
    for (int i = 0; i < tableau->stages; i++) {
        double next = 1.0;
        for (int j = 0; j < tableau->stages; j++)
            if (tableau->c[j] > tableau->c[i]) next = fmin(next, tableau->c[j]);
        widest = fmax(widest, next - tableau->c[i]);
    }
    return widest;
}

/* The slope of an integral as the dense output has it, with weights of its rate. */
static double rate_of(const sal_step *step, int i)
{
    double sum = 0.0;
    for (int j = 0; j < step->tableau->stages_dense; j++)
        sum += step->beta[j] * sal_step_g(step, j)[i];
    return sum;
}

/* Whether what is there at theta contradicts the step. span: the time between two looks. */
static bool contradicts(saltus_run *run, double theta, double span)
{
    const sal_step *step = &run->motion.step;
    const int       n = run->system->n, nx = step->nx;
    const double    rtol = run->options.rtol;
    double         *x = run->x, *rate = run->look, *slope = run->slope, *g = run->z;
    sal_step_at(step, theta, x, NULL);
    sal_step_rate_at(step, theta, rate);
    if (sal_field_eval(&run->locator.field, step->t + theta * step->h, x, slope, g) != SAL_FIELD_OK)
        return true;
    for (int i = n; i < nx; i++)
        if (!(span * fabs(slope[i] - rate[i]) <=
              ALLOWED * (step->atol[i] + rtol * fmax(fabs(x[i]), span * fabs(rate[i])))))
            return true;
    for (int i = 0; i < step->ng; i++) {
        const double there = rate_of(step, i);
        const double size = fmax(fabs(step->z0[i]), fabs(step->z0[i] + step->dz[i]));
        if (!(span * fabs(g[i] - there) <=
              ALLOWED * (step->atol[nx + i] + rtol * fmax(size, span * fabs(there)))))
            return true;
    }
    return false;
}

double sal_look_into(saltus_run *run)
{
    sal_step    *step = &run->motion.step;
    const double span = (run->t_end - run->t0) / SAL_LOOKS_PER_HORIZON;
    if (!run->cursor.regime->narrow || step->h * widest_gap(step->tableau) <= span) return 1.0;
    if (sal_step_end(step) || sal_step_dense(step)) return 0.0;
    const int places = (int)ceil(step->h / span);
    for (int i = 1; i < places; i++) {
        const double theta = (double)i / places;
        if (contradicts(run, theta, span)) return theta;
    }
    return 1.0;
}
