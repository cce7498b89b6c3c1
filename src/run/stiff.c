/* Stiffness: steps are short not because the motion changes, but because an explicit method would
 * be unstable otherwise.
 *
 * The last stage of a step and its end are two points at the same time, close to each other. The
 * difference of their slopes, divided by their distance, estimates the largest rate of decay or
 * oscillation there (Hairer and Wanner's test). If that rate times the step length stays at the
 * limit of stability of the method, stability determines the steps. */
#include "run/advance.h"

#include <math.h>

#include "run/outcome.h"

enum {
    SURE = 15,     /* checks at the limit after which stiffness is certain */
    FORGOTTEN = 6, /* checks in a row below it after which counting begins anew */
    LONG = 2000    /* steps of a run that is long enough for a warning */
};

/* The rate of decay or oscillation at the end of the step, times the step length. *which: the
 * component that contributes most. */
static double rate_of(const saltus_run *run, int *which)
{
    const sal_step *step = &run->motion.step;
    const int       end = step->tableau->end_stage, last = end - 1, n = run->system->n;
    const double   *x1 = sal_step_x(step, end), *k1 = sal_step_k(step, end);
    const double   *v = sal_step_x(step, last), *k = sal_step_k(step, last);
    const double   *q = sal_motion_positions(&run->motion, last);
    double          slopes = 0.0, apart = 0.0, most = 0.0;
    for (int i = 0; i < step->nx; i++) {
        const double weight = 1.0 / (step->atol[i] + step->ends.rtol * fabs(x1[i]));
        const double dk = (k1[i] - k[i]) * weight, dx = (x1[i] - (i < n ? q : v)[i]) * weight;
        slopes += dk * dk;
        apart += dx * dx;
        if (!(fabs(dk) > most)) continue;
        most = fabs(dk);
        *which = i;
    }
    return apart > 0.0 ? step->h * sqrt(slopes / apart) : 0.0;
}

void sal_stiff_watch(saltus_run *run)
{
    sal_stiff   *stiff = &run->stiff;
    int          which = 0;
    const double limit = run->motion.step.tableau->stability;
    if (run->history.recomputing || limit == 0.0) return;
    const double rate = rate_of(run, &which);
    const bool   at_limit = rate > limit;
    stiff->looks++;
    stiff->calm = at_limit ? 0 : stiff->calm + 1;
    if (stiff->calm == FORGOTTEN) stiff->row = 0;
    if (at_limit) {
        stiff->row++;
        stiff->which = which;
        stiff->time = run->motion.step.h / rate;
    }
    if (stiff->row >= SURE) stiff->found++;
}

static bool mostly(const sal_stiff *stiff) { return 2 * stiff->found > stiff->looks; }

bool sal_stiff_found(const saltus_run *run)
{
    return run->stiff.row >= SURE || mostly(&run->stiff);
}

static const char *responsible(const saltus_run *run)
{
    return run->system->model->coordinates.data[run->stiff.which % run->system->n].label.name;
}

void sal_stiff_finish(saltus_run *run, saltus_outcome outcome, const char *what)
{
    sal_run_finish(
        run, outcome,
        "%s: the model is stiff. Something at '%s' decays or oscillates within about "
        "%.2g, and an explicit method needs steps that short all the time; tolerances do "
        "not matter. Soften that spring or damper, replace it by a constraint, or raise "
        "--max-steps",
        what, responsible(run), run->stiff.time);
}

void sal_stiff_warn(saltus_run *run)
{
    const sal_stiff *stiff = &run->stiff;
    if (run->cursor.step < LONG || !mostly(stiff) || !sal_run_is_complete(run)) return;
    sal_run_warn(
        run,
        "the model is stiff: something at '%s' decays or oscillates within about %.2g, which "
        "makes most of the %lld steps short; soften that spring or damper, or replace it "
        "by a constraint",
        responsible(run), stiff->time, run->cursor.step);
}
