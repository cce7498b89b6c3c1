/* Decides whether samples, periods and delays have possible values before a run, and whether all
 * samples were taken after it. */
#include "run/instant.h"

#include <math.h>
#include <string.h>

#include "jump/table_reads.h"
#include "run/outcome.h"

static saltus_status check_row(saltus_run *run, const sal_samples *samples, saltus_error *err)
{
    const sal_place place = samples->label.place;
    const int       count = run->system->table[samples->times].count;
    sal_field      *field = &run->motion.field;
    double          before = -INFINITY;
    for (int k = 0; k < count; k++) {
        const double t = sal_table_value(run->system, samples->times, k, field->u, field->work);
        if (!(t >= run->t0 || run->from.is_interval) || !isfinite(t))
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

static saltus_status check_timer(saltus_run *run, const sal_timer *timer, saltus_error *err)
{
    const sal_event *event = &run->system->model->events.data[timer->event];
    sal_field       *field = &run->motion.field;
    const double     time = sal_table_value(run->system, timer->table, 0, field->u, field->work);
    if (time > 0.0 && isfinite(time)) return SALTUS_OK;
    return sal_fail_at(err, SALTUS_ERR_MODEL, event->label.place.file, event->label.place.line,
                       "event '%s': its %s is %g, and must be positive", event->label.name,
                       timer->after ? "delay" : "period (every=)", time);
}

bool sal_delays_overlap(saltus_run *run, int event)
{
    const saltus_model *model = run->system->model;
    const sal_event    *source = &model->events.data[run->system->event[event].user];
    for (int i = 0; i < model->timers.count; i++) {
        const sal_timer *timer = &model->timers.data[i];
        const double     due = run->cursor.c[timer->memory];
        if (!timer->after || strcmp(timer->after, source->label.name) != 0) continue;
        if (!(due > run->cursor.t)) continue;
        sal_run_finish(run, SALTUS_EVENT_LIMIT,
                       "event '%s' happens at t = %.10g, but event '%s', which follows it after a "
                       "delay, is still due at t = %.10g from the time before; delays of one event "
                       "must not overlap: make the delay shorter",
                       source->label.name, run->cursor.t,
                       model->events.data[timer->event].label.name, due);
        return true;
    }
    return false;
}

saltus_status sal_samples_check(saltus_run *run, saltus_error *err)
{
    const saltus_model *model = run->system->model;
    for (int i = 0; i < model->timers.count; i++)
        TRY(check_timer(run, &model->timers.data[i], err));
    for (int i = 0; i < model->samples.count; i++)
        TRY(check_row(run, &model->samples.data[i], err));
    return SALTUS_OK;
}

void sal_samples_warn(saltus_run *run)
{
    const saltus_model *model = run->system->model;
    if (!sal_run_is_complete(run)) return;
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
