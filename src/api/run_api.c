/* Runs: simulating and reading results. */
#include <math.h>
#include <string.h>

#include "api/options.h"
#include "base/host.h"
#include "gradient/output_rows.h"
#include "gradient/requests.h"
#include "run/history.h"
#include "run/peaks.h"
#include "saltus/saltus.h"

/* ---- making and simulating ------------------------------------------------------------------ */

saltus_run *saltus_run_new(const saltus_system *system, const saltus_options *options,
                           saltus_error *err)
{
    HOLD_HOST;
    saltus_error mine = {0};
    if (!err) err = &mine;
    if (err->status) return NULL;
    if (!system) {
        sal_fail(err, SALTUS_ERR_ARGUMENT, "a run needs a system");
        return NULL;
    }
    const saltus_options own = saltus_system_options(system);
    if (!options) options = &own;
    if (sal_check_options(options, err) != SALTUS_OK) return NULL;
    return sal_run_make(system, options, err);
}

void saltus_run_free(saltus_run *run) { sal_run_free(run); }

saltus_status saltus_run_simulate(saltus_run *run, const double *params, saltus_error *err)
{
    HOLD_HOST;
    TRY(sal_run_idle(run, err));
    sal_run_forget(run);
    run->from.given = false;
    TRY(sal_params_take(run, params, err));
    return sal_run_work(run, err);
}

const saltus_run_info *saltus_run_get_info(const saltus_run *run)
{
    static const saltus_run_info nothing = {.outcome = SALTUS_NOT_SIMULATED,
                                            .message = "",
                                            .t = NAN,
                                            .zeno_time = NAN,
                                            .last_event = -1};
    return run ? &run->outcome.info : &nothing;
}

const char *saltus_run_warning(const saltus_run *run, int index)
{
    return run && index >= 0 && index < run->outcome.warnings ? run->outcome.warning[index] : "";
}

/* ---- reading back --------------------------------------------------------------------------- */

saltus_status saltus_run_final(saltus_run *run, saltus_row *row, saltus_error *err)
{
    HOLD_HOST;
    TRY(sal_run_ready(run, err));
    if (!row) return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no room for the last row");
    return sal_row_fill(run, run->end.regime, run->end.t, run->end.x, run->end.c, run->end.z, row,
                        err);
}

saltus_status saltus_run_costs(saltus_run *run, double *value, saltus_error *err)
{
    HOLD_HOST;
    saltus_row row;
    TRY(saltus_run_final(run, &row, err));
    if (!value) return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no room for the costs");
    sal_map_value(&run->system->final, run->locator.field.u, value, run->locator.field.work);
    for (int i = 0; i < run->system->nc; i++)
        value[i] = sal_run_is_complete(run) ? value[i] + row.z[i] : NAN;
    for (int i = 0; i < run->system->peaks; i++)
        value[run->system->peak[i].cost] += run->peaks[i].best.value;
    return SALTUS_OK;
}

const char *saltus_peak_place_name(saltus_peak_place place)
{
    static const char *const names[] = {"none", "inside", "start", "before", "after", "end"};
    return (int)place >= 0 && (int)place < 6 ? names[place] : "";
}

saltus_peak saltus_run_peak(const saltus_run *run, int cost)
{
    static const saltus_peak_place places[] = {
        SALTUS_NO_PEAK, SALTUS_PEAK_INSIDE, SALTUS_PEAK_AFTER, SALTUS_PEAK_BEFORE, SALTUS_PEAK_END};
    saltus_peak out = {SALTUS_NO_PEAK, NAN, NAN, -1};
    for (int i = 0; run && run->outcome.simulated && i < run->system->peaks; i++) {
        const sal_peak *best = &run->peaks[i].best;
        if (run->system->peak[i].cost != cost || best->place == SAL_PEAK_NONE) continue;
        out = (saltus_peak){places[best->place], best->t, best->value, -1};
        if (best->occurrence >= 0)
            out.event = run->history.occurrences.data[best->occurrence].shown;
        if (best->place == SAL_PEAK_START && best->occurrence < 0) out.place = SALTUS_PEAK_START;
    }
    return out;
}

static bool has_event(const saltus_run *run, int index)
{
    return run && run->outcome.simulated && index >= 0 && index < run->history.shown.count;
}

saltus_occurrence saltus_run_event(const saltus_run *run, int index)
{
    HOLD_HOST;
    if (!has_event(run, index))
        return (saltus_occurrence){.event = -1,
                                   .name = "",
                                   .t = NAN,
                                   .rate = NAN,
                                   .impulse = NAN,
                                   .energy_before = NAN,
                                   .energy_after = NAN};
    const int             occurrence = run->history.shown.data[index];
    const sal_occurrence *o = &run->history.occurrences.data[occurrence];
    const sal_sides       s = sal_run_sides(run, occurrence);
    double                before, after;
    sal_run_energies(run, occurrence, &before, &after);
    return (saltus_occurrence){.event = o->event,
                               .name = run->system->event[o->event].name,
                               .t = o->t,
                               .rate = o->rate,
                               .from = (o->told_from ? o->told_from : o->from)->name,
                               .to = o->to->name,
                               .grazing = o->grazing,
                               .impulse = o->impulse,
                               .energy_before = before,
                               .energy_after = after,
                               .q = s.x_plus,
                               .v_minus = s.x_minus + run->system->n,
                               .v_plus = s.x_plus + run->system->n};
}

int saltus_run_impulses(const saltus_run *run, int index, double *impulse)
{
    const sal_occurrence *o = has_event(run, index)
                                  ? &run->history.occurrences.data[run->history.shown.data[index]]
                                  : NULL;
    const bool            has = o && o->impulses >= 0;
    int                   next = has ? o->impulses : 0;
    if (!run || !impulse) return 0;
    for (int j = 0; j < run->system->nmu; j++)
        impulse[j] = !has                               ? NAN
                     : sal_occurrence_law(o)->loaded[j] ? run->history.impulses.data[next++]
                                                        : 0.0;
    return has;
}

/* A request for rows: the times, and the function that takes the rows. */
typedef struct reading {
    saltus_run         *run;
    const double       *times;
    int                 count, next; /* next: the first time without a row */
    saltus_row_function row;
    void               *context;
    bool                stop;
} reading;

static void give_row(reading *r, const saltus_row *row)
{
    sal_run_lend(r->run);
    r->stop = r->row(r->context, row) != 0;
    sal_run_take_back(r->run);
}

/* Hands out the rows at the requested times in a step. The end of a step belongs to the next step
 * or to an event, except for the last step. */
static saltus_status rows_of_step(reading *r, const sal_frame *frame, bool last, saltus_error *err)
{
    const double end = frame->t + (frame->h + frame->delta);
    bool         taken = false;
    while (r->next < r->count && r->times[r->next] < frame->t) r->next++;
    while (r->next < r->count && !r->stop &&
           (r->times[r->next] < end || (last && r->times[r->next] <= r->run->end.t))) {
        saltus_row here;
        if (!taken) {
            TRY(sal_run_load_all_stages(r->run, frame, err));
            if (sal_step_dense(&r->run->motion.step))
                return sal_fail(err, SALTUS_ERR_NOT_FINITE, "no dense output at t = %.10g",
                                frame->t);
            taken = true;
        }
        TRY(sal_row_between(r->run, frame, r->times[r->next++], &here, err));
        give_row(r, &here);
    }
    return SALTUS_OK;
}

static saltus_status rows_of_event(reading *r, int occurrence, saltus_error *err)
{
    const sal_occurrence *o = &r->run->history.occurrences.data[occurrence];
    if (o->shown < 0) return SALTUS_OK;
    for (int side = 0; side < (o->terminal ? 1 : 2) && !r->stop; side++) {
        saltus_row here;
        TRY(sal_row_event(r->run, occurrence, side == 1, &here, err));
        give_row(r, &here);
    }
    while (r->next < r->count && r->times[r->next] <= o->t) r->next++; /* events have rows */
    return SALTUS_OK;
}

saltus_status saltus_run_trajectory(saltus_run *run, const double *times, int count,
                                    saltus_row_function row, void *context, saltus_error *err)
{
    HOLD_HOST;
    reading r = {.run = run, .times = times, .count = count, .row = row, .context = context};
    TRY(sal_run_ready(run, err));
    if (!row) return sal_fail(err, SALTUS_ERR_ARGUMENT, "rows need a function that takes them");
    TRY(sal_rows_check_times(times, count, err));
    for (long long step = 0; step < run->end.step && !r.stop; step++) {
        sal_frame frame;
        TRY(sal_run_frame(run, step, &frame, err));
        TRY(rows_of_step(&r, &frame, step == run->end.step - 1 && frame.occurrence < 0, err));
        if (frame.occurrence >= 0 && !r.stop) TRY(rows_of_event(&r, frame.occurrence, err));
    }
    return SALTUS_OK;
}

saltus_status saltus_run_steps(saltus_run *run, saltus_step_function step, void *context,
                               saltus_error *err)
{
    HOLD_HOST;
    TRY(sal_run_ready(run, err));
    if (!step) return sal_fail(err, SALTUS_ERR_ARGUMENT, "steps need a function that takes them");
    for (long long i = 0; i < run->end.step; i++) {
        sal_frame frame;
        TRY(sal_run_frame(run, i, &frame, err));
        const int event =
            frame.occurrence < 0 ? -1 : run->history.occurrences.data[frame.occurrence].shown;
        const saltus_run_step here = {frame.t, frame.h + frame.delta, frame.regime->name, event};
        sal_run_lend(run);
        const int stop = step(context, &here);
        sal_run_take_back(run);
        if (stop) break;
    }
    return SALTUS_OK;
}
