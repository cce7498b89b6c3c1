/* All that can be done with a model, within limits: compile, dump, simulate, audit, differentiate
 * by every method, read along the motion, jump matrices, emission. Whatever the model is, each call
 * must end soon and either do its work or say why not. */
#ifndef DRIVE_H
#define DRIVE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "saltus/saltus.h"

enum { DRIVE_STEPS = 40, DRIVE_EVENTS = 12, DRIVE_NUMBERS = 4096, DRIVE_CALLS = 400 };

/* A failure has a message, and success has none. */
static inline int drive_went_well(saltus_status status, const saltus_error *err)
{
    if (status != err->status) abort();
    if ((status != SALTUS_OK) != (err->message[0] != '\0')) abort();
    if (strlen(err->message) >= sizeof err->message) abort();
    return status == SALTUS_OK;
}

static inline void drive_text(void *context, const char *text)
{
    *(size_t *)context += strlen(text);
}
static inline int drive_file(void *context, const char *file, const char *text)
{
    *(size_t *)context += strlen(file) + strlen(text);
    return 0;
}
static inline int drive_row(void *context, const saltus_row *row)
{
    (void)row;
    return ++*(int *)context > DRIVE_CALLS;
}
static inline int drive_tangent(void *context, const saltus_tangent_row *row)
{
    return drive_row(context, &row->at);
}
static inline int drive_adjoint(void *context, const saltus_adjoint_row *row)
{
    return drive_row(context, &row->at);
}
static inline int drive_finding(void *context, const saltus_audit_finding *finding)
{
    (void)context;
    if (finding->text[0] == '\0') abort();
    return 0;
}

/* Steps of gradients count, too: some divide those of the motion. */
static inline int drive_progress(void *context, double t, double t_end)
{
    (void)t, (void)t_end;
    return ++*(int *)context > DRIVE_CALLS;
}

static inline void drive_gradients(saltus_run *run, const saltus_size *size, int events)
{
    static const saltus_method methods[] = {SALTUS_DIRECT, SALTUS_ADJOINT, SALTUS_DISCRETE,
                                            SALTUS_TANGENT, SALTUS_AUTO};
    double                     cost[DRIVE_NUMBERS], time[DRIVE_NUMBERS], end[DRIVE_NUMBERS];
    if (size->params > 64 || size->costs * size->params > DRIVE_NUMBERS ||
        events * size->params > DRIVE_NUMBERS)
        return;
    for (int m = 0; m < 5; m++) {
        const saltus_request request = {.method = methods[m]};
        saltus_error         err = {0};
        drive_went_well(saltus_run_gradients(run, &request, cost, time, end, &err), &err);
    }
}

static inline void drive_along(saltus_run *run, const saltus_size *size)
{
    const double times[] = {0.0, 0.01, 0.1, 0.3, 0.7, 1.0};
    const int    first = 0;
    int          calls = 0;
    saltus_error err[3] = {{0}};
    drive_went_well(saltus_run_trajectory(run, times, 6, drive_row, &calls, &err[0]), &err[0]);
    calls = 0;
    if (size->params > 0)
        drive_went_well(
            saltus_run_tangents(run, &first, 1, times, 6, drive_tangent, &calls, &err[1]), &err[1]);
    calls = 0;
    if (size->costs > 0)
        drive_went_well(saltus_run_adjoints(run, 0, times, 6, drive_adjoint, &calls, &err[2]),
                        &err[2]);
}

static inline void drive_jumps(saltus_run *run, int events)
{
    for (int i = 0; i < events && i < 3; i++) {
        saltus_error err = {0};
        double       matrix[DRIVE_NUMBERS];
        int          rows, columns;
        if (!drive_went_well(saltus_run_jump_matrix(run, i, &rows, &columns, NULL, &err), &err))
            return;
        if (rows * columns > DRIVE_NUMBERS) return;
        drive_went_well(saltus_run_jump_matrix(run, i, &rows, &columns, matrix, &err), &err);
    }
}

static inline void drive_run(saltus_run *run, const saltus_system *system, int *calls)
{
    const saltus_size size = saltus_system_size(system);
    size_t            written = 0;
    for (int round = 0; round < 2; round++) { /* the second one knows what is asked for */
        saltus_error err = {0}, audit_err = {0};
        *calls = 0;
        if (!drive_went_well(saltus_run_simulate(run, NULL, &err), &err)) return;
        const saltus_run_info *info = saltus_run_get_info(run);
        if (info->events > DRIVE_EVENTS || info->steps > DRIVE_STEPS + 2 * DRIVE_EVENTS) abort();
        drive_went_well(saltus_run_audit(run, drive_finding, NULL, NULL, &audit_err), &audit_err);
        *calls = 0;
        drive_gradients(run, &size, info->events);
        *calls = 0;
        drive_along(run, &size);
        drive_jumps(run, info->events);
    }
    saltus_error err = {0};
    drive_went_well(saltus_run_emit(run, drive_file, &written, &err), &err);
}

static inline void drive_model(const saltus_model *model)
{
    saltus_error   err = {0};
    int            calls = 0;
    size_t         written = 0;
    saltus_system *system = saltus_system_compile(model, &err);
    if (!drive_went_well(err.status, &err) != !system) abort();
    if (!system) return;
    saltus_options options = saltus_system_options(system);
    options.max_steps = options.max_steps < DRIVE_STEPS ? options.max_steps : DRIVE_STEPS;
    options.max_events = options.max_events < DRIVE_EVENTS ? options.max_events : DRIVE_EVENTS;
    options.record_memory = 4096; /* steps are taken again */
    options.threads = 1;
    options.backend = SALTUS_INTERP;
    options.progress = drive_progress;
    options.progress_context = &calls;
    drive_went_well(saltus_system_dump(system, NULL, drive_text, &written, &err), &err);
    memset(&err, 0, sizeof err);
    saltus_run *run = saltus_run_new(system, &options, &err);
    if (!drive_went_well(err.status, &err) != !run) abort();
    if (run) drive_run(run, system, &calls);
    saltus_run_free(run);
    saltus_system_free(system);
}
#endif
