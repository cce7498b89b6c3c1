/* Measures the error of a step in tolerances, from which step control decides whether the step is
 * accepted: steps.md (1) and the text there, with the estimates of tableau.h. */
#include <math.h>

#include "base/fast_log2.h"
#include "motion/step.h"

void sal_step_tolerate(sal_step *step, double rtol, double atol)
{
    for (int i = 0; i < step->nx + step->ng; i++) step->atol[i] = atol;
    sal_step_tolerate_each(step, rtol);
}

void sal_step_tolerate_each(sal_step *step, double rtol)
{
    step->sized = false;
    step->ends.rtol = rtol;
}

/* The larger one, or NaN if one is NaN. */
static double larger(double a, double b) { return b <= a || a != a ? a : b; }

/* Raises `most` to the largest squares of the errors of z, as multiples of the tolerance. */
static void integrand_errors(const sal_step *step, double most[2])
{
    for (int i = 0; i < step->ng; i++) {
        const double z0 = fabs(step->z0[i]), z1 = fabs(step->z0[i] + step->dz[i]);
        const double scale =
            step->h / (step->atol[step->nx + i] + step->ends.rtol * (z0 > z1 ? z0 : z1));
        const double first = scale * step->errors[i], second = scale * step->errors[step->ng + i];
        most[0] = larger(most[0], first * first);
        most[1] = larger(most[1], second * second);
    }
}

double sal_step_error(sal_step *step)
{
    if (!step->sized)
        step->sums->sizes(step->nx, &step->ends, sal_step_k(step, 0), step->x0, step->x1,
                          step->sizes);
    step->sized = true;
    const double mean = step->nx > 0 ? step->h * step->h / step->nx : 0.0;
    const double one = step->h * step->h / (SAL_MAX_SHARE_OF_ONE * SAL_MAX_SHARE_OF_ONE);
    double       most[2];
    for (int k = 0; k < 2; k++) most[k] = larger(mean * step->sizes[k], one * step->sizes[2 + k]);
    integrand_errors(step, most);
    step->error[0] = most[0];
    step->error[1] = step->tableau->e_second ? most[0] + 0.01 * most[1] : most[0];
    return step->error[1] == 0.0 ? 0.0 : step->error[0] / sqrt(step->error[1]);
}

double sal_step_log_error(const sal_step *step)
{
    return sal_fast_log2(step->error[0]) - 0.5 * sal_fast_log2(step->error[1]);
}
