/* Samples: their values and derivatives, from the record of a run. */
#include <math.h>
#include <string.h>

#include "base/host.h"
#include "gradient/output_rows.h"
#include "sens/sens.h"

/* ---- which samples -------------------------------------------------------------------------- */

/* The index in the model of the index-th samples that are kept (saltus_samples); -1: none. */
static int find(const saltus_system *system, int index)
{
    const saltus_model *model = system->model;
    for (int i = 0; i < model->samples.count && index >= 0; i++)
        if (!model->samples.data[i].charged && index-- == 0) return i;
    return -1;
}

int sal_samples_kept(const saltus_model *model)
{
    int count = 0;
    for (int i = 0; i < model->samples.count; i++) count += !model->samples.data[i].charged;
    return count;
}

saltus_samples_info saltus_system_samples(const saltus_system *system, int index)
{
    const int at = system ? find(system, index) : -1;
    if (at < 0) return (saltus_samples_info){"", 0, 0};
    const sal_samples *samples = &system->model->samples.data[at];
    return (saltus_samples_info){samples->label.name, samples->count, samples->label.place.line};
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Copies rows of the walks, one for each different time, to rows of the caller, one for each
 * sample.
 */
static void spread(const saltus_system *system, int index, const double *rows, int columns,
                   double *out)
{
    const saltus_model *model = system->model;
    for (int i = 0; i < model->samples.count; i++) {
        const sal_samples *samples = &model->samples.data[i];
        if (samples->charged || (index >= 0 && i != find(system, index))) continue;
        const int first = sal_sampled_row(system, i, NULL);
        for (int k = 0; k < samples->count; k++, out += columns)
            memcpy(out, rows + (size_t)(first + samples->number_of[k]) * (size_t)columns,
                   (size_t)columns * sizeof *out);
    }
}

/* The number of rows of the walks. */
static int count_rows(const saltus_system *system)
{
    return sal_sampled_row(system, system->model->samples.count, NULL);
}

static saltus_status check(const saltus_run *run, int index, const void *room, saltus_error *err)
{
    TRY(sal_run_ready(run, err));
    if (index < -1 || (index >= 0 && find(run->system, index) < 0))
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "the model has no samples number %d (of %d)",
                        index, sal_samples_kept(run->system->model));
    if (!room) return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no room for samples");
    return SALTUS_OK;
}

/* Fills in times and values of all samples that were taken. */
static saltus_status read_values(saltus_run *run, double *times, double *values, saltus_error *err)
{
    const saltus_system *system = run->system;
    for (int i = 0; i < run->history.occurrences.count; i++) {
        const sal_occurrence     *o = &run->history.occurrences.data[i];
        const sal_compiled_event *event = &system->event[o->event];
        if (event->sampled.outputs == 0) continue;
        TRY(sal_run_load_jump(run, i, false, err));
        const int row = sal_sampled_row(system, event->samples, sal_run_sides(run, i).c_minus);
        times[row] = o->t;
        sal_map_value(&event->sampled, run->motion.field.u, &values[row], run->motion.field.work);
    }
    return SALTUS_OK;
}

saltus_status saltus_run_samples(saltus_run *run, int index, double *times, double *values,
                                 saltus_error *err)
{
    HOLD_HOST;
    sal_arena scratch;
    TRY(check(run, index, values, err));
    sal_arena_init(&scratch, &run->arena.allocator);
    const int     rows = count_rows(run->system);
    double       *t = ARENA_NEW(&scratch, rows, double), *m = ARENA_NEW(&scratch, rows, double);
    saltus_status status = scratch.failed ? sal_fail_memory(err) : SALTUS_OK;
    for (int i = 0; i < rows && status == SALTUS_OK; i++) t[i] = m[i] = NAN;
    if (status == SALTUS_OK) status = read_values(run, t, m, err);
    if (status == SALTUS_OK) spread(run->system, index, m, 1, values);
    if (status == SALTUS_OK && times) spread(run->system, index, t, 1, times);
    sal_arena_free(&scratch);
    return status;
}

saltus_status saltus_run_sample_gradients(saltus_run *run, int index, saltus_method method,
                                          const int *params, int param_count, double *gradient,
                                          saltus_error *err)
{
    HOLD_HOST;
    sal_arena scratch;
    TRY(check(run, index, gradient, err));
    if (method != SALTUS_DIRECT && method != SALTUS_TANGENT)
        return sal_fail(err, SALTUS_ERR_ARGUMENT,
                        "derivatives of samples are computed by the methods direct and tangent");
    if (param_count < 0 || (param_count > 0 && !params))
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "a list of %d parameters", param_count);
    for (int i = 0; i < param_count; i++)
        if (params[i] < 0 || params[i] >= run->system->np)
            return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no parameter number %d (of %d)",
                            params[i], run->system->np);
    TRY(sal_sens_check(run, err));
    sal_arena_init(&scratch, &run->arena.allocator);
    const size_t     size = (size_t)count_rows(run->system) * (size_t)param_count;
    double          *rows = ARENA_NEW(&scratch, size, double);
    const sal_wanted wanted = {params, NULL, param_count, 0};
    for (size_t i = 0; i < size && rows; i++) rows[i] = NAN;
    saltus_status status =
        rows ? sal_sens_forward(run, &wanted, method == SALTUS_TANGENT,
                                &(sal_gradients){.sampled = rows, .columns = param_count}, err)
             : sal_fail_memory(err);
    if (status == SALTUS_OK) spread(run->system, index, rows, param_count, gradient);
    sal_arena_free(&scratch);
    return status;
}
