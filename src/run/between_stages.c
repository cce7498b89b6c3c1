/* Decides whether a long step has missed something between its stages: steps.md, "Narrow features".
 *
 * A step evaluates forces and integrands at its stages only. If these are nearly constant but for a
 * short pulse, in time or where a position or velocity passes some value, a pulse between two
 * stages or after the last one may be missed, and the error estimate does not show it. Regimes that
 * can have such pulses are marked (narrow; is_narrow in compile/regime.c). There, if a gap between
 * stages is longer than a small part of the horizon, the equations of motion are also evaluated
 * inside it, on the dense output, and must agree with its slope. */
#include "run/advance.h"

#include <math.h>

/* The error allowed for a slope during the time between two places, as a multiple of the tolerance:
 * the dense output is less accurate than the step. In smooth motions the error is hardly ever
 * larger; if it is, steps only become shorter than necessary. */
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

/* The slope of integral i of the dense output, by weights of its rate. */
static double rate_of(const sal_step *step, int i)
{
    double sum = 0.0;
    for (int j = 0; j < step->tableau->stages_dense; j++)
        sum += step->beta[j] * sal_step_g(step, j)[i];
    return sum;
}

/* Whether the equations of motion at theta contradict the dense output. span: the time between two
 * places. */
static bool contradicts(saltus_run *run, double theta, double span, double *x, double *rate,
                        double *slope, double *g)
{
    const sal_step *step = &run->motion.step;
    const int       n = run->system->n, nx = step->nx;
    const double    rtol = run->options.rtol;
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

double sal_between_stages(saltus_run *run)
{
    sal_step    *step = &run->motion.step;
    const double span = (run->t_end - run->t0) / SAL_PLACES_PER_HORIZON;
    if (!run->cursor.regime->narrow || step->h * widest_gap(step->tableau) <= span) return 1.0;
    if (sal_step_end(step) || sal_step_dense(step)) return 0.0;
    const int places = (int)ceil(step->h / span);
    double    good = 1.0, *x = SCRATCH_NEW(&run->scratch, step->nx, double);
    double   *rate = SCRATCH_NEW(&run->scratch, step->nx, double);
    double   *slope = SCRATCH_NEW(&run->scratch, step->nx, double);
    double   *g = SCRATCH_NEW(&run->scratch, step->ng, double);
    for (int i = 1; i < places && good == 1.0; i++)
        if (contradicts(run, (double)i / places, span, x, rate, slope, g))
            good = (double)i / places;
    sal_scratch_release(&run->scratch, x);
    return good;
}
