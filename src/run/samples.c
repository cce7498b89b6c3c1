/* Samples before and after a run: see samples.h. */
#include "run/samples.h"

#include <math.h>

#include "jump/picks.h"
#include "run/outcome.h"

static saltus_status check_row(saltus_run *run, const sal_samples *samples, saltus_error *err)
{
    const sal_place place = samples->label.place;
    const int       count = run->system->table[samples->times].count;
    sal_field      *field = &run->motion.field;
    double          before = -INFINITY;
    for (int k = 0; k < count; k++) {
        const double t = sal_table_value(run->system, samples->times, k, field->u, field->work);
        if (!(t >= run->t0) || !isfinite(t))
            return sal_fail_at(err, SALTUS_ERR_MODEL, place.file, place.line,
                               "'%s': the sample at t = %.10g is not in the horizon, which begins "
                               "at %.10g",
                               samples->label.name, t, run->t0);
        if (!(t > before))
            return sal_fail_at(err, SALTUS_ERR_MODEL, place.file, place.line,
                               "'%s': times of samples that depend on parameters must ascend, but "
                               "t = %.10g comes after %.10g",
                               samples->label.name, t, before);
        before = t;
    }
    return SALTUS_OK;
}

saltus_status sal_samples_check(saltus_run *run, saltus_error *err)
{
    const saltus_model *model = run->system->model;
    for (int i = 0; i < model->samples.count; i++)
        TRY(check_row(run, &model->samples.data[i], err));
    return SALTUS_OK;
}

void sal_samples_warn(saltus_run *run)
{
    const saltus_model *model = run->system->model;
    if (run->info.outcome != SALTUS_END && run->info.outcome != SALTUS_TERMINAL_EVENT) return;
    for (int i = 0; i < model->samples.count; i++) {
        const sal_samples *samples = &model->samples.data[i];
        const int          count = run->system->table[samples->times].count;
        const int          left = count - (int)lround(run->cursor.c[samples->number]);
        if (left > 0)
            sal_run_warn(run,
                         "'%s': %d of %d samples lie after the end of the run, t = %.10g, and "
                         "%s",
                         samples->label.name, left, count, run->cursor.t,
                         samples->charged ? "add nothing to the cost" : "have no value");
    }
}
