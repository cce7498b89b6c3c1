/* Peaks that tie: whether the gradient is one-sided there.
 *
 * A cost that is the largest value along the motion is the highest of its peaks. If two of them
 * tie, each has a gradient of its own; if these differ, the cost has a kink. */
#include <math.h>

#include "gradient/gradients.h"
#include "run/outcome.h"

/* Gradients that agree to this part of their size are the same. */
static const double SAME = 1e-6;

/* Whether two gradients differ, in units of the parameters. */
static bool differ(const saltus_run *run, const sal_wanted *wanted, double size, const double *a,
                   const double *b)
{
    for (int k = 0; k < wanted->param_count; k++) {
        const double value = run->params[wanted->params[k]];
        const double unit = value != 0.0 ? fabs(value) : 1.0;
        if (fabs(a[k] - b[k]) * unit > SAME * (size + unit * (fabs(a[k]) + fabs(b[k]))))
            return true;
    }
    return false;
}

static void warn(saltus_run *run, int i, int rival)
{
    const sal_compiled_peak *peak = &run->system->peak[i];
    const sal_peaks         *all = &run->peaks[i];
    sal_run_warn(run,
                 "cost '%s' has its %s value twice, at t = %.10g and t = %.10g: the gradient is "
                 "one-sided there, the other peak has a different one; --one-sided prints both",
                 run->system->model->costs.data[peak->cost].label.name,
                 peak->sign > 0.0 ? "largest" : "smallest", all->best.t, all->rival[rival].t);
}

static void swap(sal_peaks *all, int rival)
{
    const sal_peak best = all->best;
    all->best = all->rival[rival];
    all->rival[rival] = best;
}

/* Compares the gradient of the cost with the gradient at a rival peak. */
static saltus_status compare(saltus_run *run, const sal_wanted *wanted, int i, int rival,
                             const double *gradient, double *other, bool *told, saltus_error *err)
{
    const saltus_method  method = run->method;
    const saltus_request request = {method == SALTUS_FD ? SALTUS_DISCRETE : method,
                                    &run->system->peak[i].cost, 1, wanted->params,
                                    wanted->param_count};
    swap(&run->peaks[i], rival);
    const saltus_status status = sal_gradients_compute(run, &request, other, NULL, NULL, err);
    swap(&run->peaks[i], rival);
    run->method = method;
    TRY(status);
    *told = differ(run, wanted, run->peaks[i].size, gradient, other);
    if (*told) warn(run, i, rival);
    return SALTUS_OK;
}

saltus_status sal_judge_peaks(saltus_run *run, const sal_wanted *wanted, const double *gradient,
                              saltus_error *err)
{
    sal_arena     scratch;
    saltus_status status = SALTUS_OK;
    if (run->system->peaks == 0 || run->outcome.peaks_judged || wanted->param_count == 0 ||
        wanted->cost_count == 0)
        return SALTUS_OK;
    run->outcome.peaks_judged = true;
    sal_arena_init(&scratch, &run->arena.allocator);
    double *other = ARENA_NEW(&scratch, wanted->param_count, double);
    if (!other) status = sal_fail_memory(err);
    for (int k = 0; k < wanted->cost_count; k++)
        for (int i = 0; i < run->system->peaks; i++) {
            bool told = run->system->peak[i].cost != wanted->costs[k];
            for (int r = 0; r < run->peaks[i].rivals && !told && status == SALTUS_OK; r++)
                if (sal_peaks_tie(run, i, r))
                    status = compare(run, wanted, i, r,
                                     gradient + (size_t)k * (size_t)wanted->param_count, other,
                                     &told, err);
        }
    run->outcome.info.warnings = run->outcome.warnings;
    sal_arena_free(&scratch);
    return status;
}
