/* Singular positions that the motion passes: see singular.h. */
#include "run/singular.h"

#include <math.h>

enum { PARTS = 8, REFINEMENTS = 60 };
/* Binary logarithms: below the one, the step is looked into; below the other, it is zero. */
static const double SMALL = -3.0, ZERO = -20.0;

/* log2 |det K| at a place of the step, minus infinity if it cannot be factored. */
static double size_at(saltus_run *run, double theta)
{
    const sal_step  *step = &run->flow.step;
    sal_field       *field = &run->locator.field;
    const sal_whole *whole = field->whole;
    field->whole = NULL; /* this must be factored */
    sal_step_at(step, theta, run->locator.x, NULL);
    const sal_field_result result =
        sal_field_eval(field, step->t + theta * step->h, run->locator.x, run->locator.k, NULL);
    field->whole = whole;
    return result == SAL_FIELD_OK ? sal_factor_log_det(field->factor, &field->regime->shape)
                                  : -INFINITY;
}

/* The place of the smallest size between two places, by golden section, and that size. */
static double smallest_between(saltus_run *run, double low, double high, double *size)
{
    const double part = 0.3819660112501051;
    double       a = low + part * (high - low), b = high - part * (high - low);
    double       size_a = size_at(run, a), size_b = size_at(run, b);
    for (int i = 0; i < REFINEMENTS && high - low > 1e-14; i++) {
        if (size_a < size_b) {
            high = b;
            b = a;
            size_b = size_a;
            a = low + part * (high - low);
            size_a = size_at(run, a);
        } else {
            low = a;
            a = b;
            size_a = size_b;
            b = high - part * (high - low);
            size_b = size_at(run, b);
        }
    }
    *size = fmin(size_a, size_b);
    return size_a < size_b ? a : b;
}

static void finish(saltus_run *run, double t)
{
    sal_run_finish(run, SALTUS_SINGULAR,
                   "the motion passes a singular position at t = %.10g: constraints depend on each "
                   "other there (links in one line, a dead point), and where it goes from there "
                   "the model does not say; keep away from it, or use --formulation penalty",
                   t);
}

/* Looks for a dip between the ends of the step. */
static void look_inside(saltus_run *run)
{
    sal_step *step = &run->flow.step;
    double    least = INFINITY;
    int       at = -1;
    if (sal_step_dense(step)) return;
    for (int i = 0; i <= PARTS; i++) {
        const double size = size_at(run, (double)i / PARTS);
        run->largest_det = fmax(run->largest_det, size);
        if (!(size < least)) continue;
        least = size;
        at = i;
    }
    if (at < 0) return;
    const double low = fmax(0.0, (at - 1.0) / PARTS), high = fmin(1.0, (at + 1.0) / PARTS);
    const double theta = smallest_between(run, low, high, &least);
    if (least < run->largest_det + ZERO) finish(run, step->t + theta * step->h);
}

/* How small the determinant is in some stage of the step, compared with the largest met so far;
 * kernels with the solve written in tell its square root, up to a factor that changes little. */
static double smallest_of_stages(saltus_run *run)
{
    const sal_tableau *tableau = run->flow.step.tableau;
    const double       smallest = run->flow.field.least;
    double             least = 0.0;
    if (run->flow.field.plainly > 0 && run->largest_det == -INFINITY)
        run->largest_det = size_at(run, 0.0);
    /* the first stage is the end of the step before */
    for (int i = 1; i < tableau->stages && run->flow.field.plainly > 0; i++) {
        const sal_factor *factor = &run->flow.factors[i];
        if (factor->written) continue;
        const double size = sal_factor_log_det(factor, &run->cursor.regime->shape);
        run->largest_det = fmax(run->largest_det, size);
        least = fmin(least, size - run->largest_det);
    }
    run->largest_volume = fmax(run->largest_volume, run->flow.field.most);
    /* a logarithm only where it matters */
    if (smallest < 0.36 * run->largest_volume)
        least = fmin(least, 2.0 * log2(smallest / run->largest_volume));
    return least;
}

void sal_singular_watch(saltus_run *run)
{
    const sal_regime *regime = run->cursor.regime;
    if (!regime->constrained || run->replaying || run->flow.field.soft) return;
    if (run->det_regime != regime) {
        run->largest_volume = 0.0;
        run->largest_det = -INFINITY;
    }
    run->det_regime = regime;
    if (smallest_of_stages(run) < SMALL) look_inside(run);
}
