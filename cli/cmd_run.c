/* saltus run: simulate, print a summary, write the motion. */

#include "json_result.h"
#include "session.h"
#include "summary.h"
#include "text.h"
#include "time_series.h"

/* ---- the motion ----------------------------------------------------------------------------- */

typedef struct writer {
    const cli_session *session;
    cli_time_series    series;
} writer;

static void name_columns(const cli_session *s, cli_time_series *series)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < s->size.coordinates; i++)
            if (k > 0 || !saltus_system_is_state(s->system, i))
                cli_time_series_column(series, cli_motion_name(s, i, k));
    for (int i = 0; i < s->size.constraints; i++)
        cli_time_series_column(
            series, cli_format("multiplier(%s)", saltus_system_constraint(s->system, i).name));
    for (int i = 0; i < s->size.memories; i++)
        cli_time_series_column(series, cli_column_name(s, CLI_MEMORY, i));
    for (int i = 0; i < s->size.costs; i++)
        cli_time_series_column(series, cli_column_name(s, CLI_COST, i));
    for (int i = 0; i < s->size.outputs; i++)
        cli_time_series_column(series, cli_column_name(s, CLI_OUTPUT, i));
}

static int write_row(void *context, const saltus_row *row)
{
    writer            *w = context;
    const cli_session *s = w->session;
    const saltus_size  n = s->size;
    double            *out = cli_time_series_row(&w->series, row->t, row->mode);
    for (int i = 0; i < n.coordinates; i++)
        if (!saltus_system_is_state(s->system, i)) *out++ = row->q[i];
    for (int i = 0; i < n.coordinates; i++) *out++ = row->v[i];
    for (int i = 0; i < n.coordinates; i++) *out++ = row->a[i];
    for (int i = 0; i < n.constraints; i++) *out++ = row->mu[i];
    for (int i = 0; i < n.memories; i++) *out++ = row->c[i];
    for (int i = 0; i < n.costs; i++) *out++ = row->z[i];
    for (int i = 0; i < n.outputs; i++) *out++ = row->output[i];
    return 0;
}

/* Writes the motion, also of a run that failed: the part before the failure is useful. */
static void write_motion(cli_session *s)
{
    if (!s->output || !s->cost) return;
    writer            w = {.session = s};
    int               count = 0;
    CLI_OWNED double *times = cli_time_series_times(s, &count);
    name_columns(s, &w.series);
    if (times) {
        saltus_error err = {0};
        saltus_run_trajectory(s->run, times, count, write_row, &w, &err);
        if (err.status && !s->error.status) s->error = err;
        cli_time_series_write(s, &w.series);
    }
    cli_time_series_free(&w.series);
}

/* ---- the command ---------------------------------------------------------------------------- */

static void repeat(cli_session *s)
{
    cli_timing whole = {0}, forward = {0};
    for (long long i = 0; i < s->arguments->repeat && !s->error.status; i++) {
        const double start = cli_seconds();
        cli_session_simulate(s);
        cli_timing_add(&whole, cli_seconds() - start);
        cli_timing_add(&forward, s->forward);
    }
    cli_timing_note(s, &whole, &forward);
    cli_timing_free(&whole);
    cli_timing_free(&forward);
}

int cli_command_run(const cli_arguments *arguments)
{
    cli_session session;
    if (cli_session_open(&session, arguments) && arguments->jsonl) {
        cli_lines_answer(&session, 0);
    } else if (!session.error.status) {
        repeat(&session);
        const int jumps = cli_is_given(arguments, CLI_OPTION_JUMPS);
        cli_result_run(&session, session.result, NULL, jumps);
        if (cli_session_prints(&session)) {
            cli_session_title(&session);
            cli_summary_costs(&session);
            cli_summary_state(&session);
            cli_summary_events(&session);
            if (jumps) cli_summary_jumps(&session);
            cli_summary_work(&session);
        }
        write_motion(&session);
    }
    return cli_session_close(&session);
}
