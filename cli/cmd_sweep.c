/* saltus sweep: costs and gradients at many points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_result.h"
#include "report.h"
#include "sweep.h"
#include "team.h"
#include "text.h"

/* ---- what came of it ------------------------------------------------------------------------ */

static void print_summary(const cli_sweep *sweep)
{
    const cli_session *s = &sweep->session;
    const char        *file = s->arguments->output;
    cli_print(s->arguments->out, "%d point%s, %d done%s%s, %d failed\n", sweep->points,
              sweep->points == 1 ? "" : "s", sweep->done, file ? " in " : "", file ? file : "",
              sweep->failed);
    if (sweep->computed)
        cli_print(s->arguments->out, "%d computed in %.3g s, %.3g per second\n", sweep->computed,
                  sweep->seconds, sweep->computed / fmax(sweep->seconds, 1e-9));
}

static void note_result(cli_sweep *sweep)
{
    cli_session *s = &sweep->session;
    cli_json_add(s->result, "database:s points:i done:i failed:i", s->arguments->output,
                 sweep->points, sweep->done, sweep->failed);
    cli_json_add(s->stats, "computed:i sweep_seconds:n", sweep->computed, sweep->seconds);
}

/* ---- the command ---------------------------------------------------------------------------- */

/* Each file is another one, and can be written: that is not found out after hours of work. */
static int check_files(cli_session *s)
{
    static const cli_option_id options[] = {CLI_OPTION_CSV, CLI_OPTION_NPZ, CLI_OPTION_REPORT};
    const cli_arguments       *a = s->arguments;
    for (int i = 0; i < 3; i++) {
        const char *file = cli_argument(a, options[i]);
        if (file && a->output && cli_output_is_same(file, a->output))
            return cli_misuse(&s->error, "'%s' is the database of -o: write to another file", file);
        if (file && i && strcmp(file, "-") == 0)
            return cli_misuse(&s->error, "--%s needs the name of a file",
                              cli_options[options[i]].name);
        for (int k = 0; file && k < i; k++) {
            const char *other = cli_argument(a, options[k]);
            if (other && (strcmp(file, other) == 0 || cli_output_is_same(file, other)))
                return cli_misuse(&s->error, "'%s' is named twice: write to another file", file);
        }
        if (file && strcmp(file, "-") != 0 && !cli_team_rank() &&
            !cli_output_may_open(file, &s->error))
            return 0;
    }
    return 1;
}

static int check_report(cli_session *s)
{
    const char *file = cli_argument(s->arguments, CLI_OPTION_REPORT);
    if (file && cli_sweep_page_size == 0)
        return cli_misuse(&s->error, "this saltus was built without reports: install esbuild and "
                                     "libjs-dygraphs and build it again");
    return !file || cli_report_may_replace(file) ||
           cli_misuse(&s->error, "'%s' is no report of saltus: choose another name, or remove it",
                      file);
}

static int check_usage(cli_sweep *sweep)
{
    cli_session         *s = &sweep->session;
    const cli_arguments *a = s->arguments;
    const char          *csv = cli_argument(a, CLI_OPTION_CSV);
    if (a->resume && !a->output && !cli_team_rank())
        return cli_misuse(&s->error, "--resume continues a database: name it with -o FILE.db");
    if (a->method_count > 1)
        return cli_misuse(&s->error, "a sweep has gradients by one method: name one of them");
    if (csv && strcmp(csv, "-") == 0 && a->json)
        return cli_misuse(&s->error, "--json and --csv - both want standard output");
    return check_files(s) && check_report(s) &&
           (!a->output || cli_session_may_write(s, a->output, &s->error));
}

static void finish(cli_sweep *sweep)
{
    cli_session *s = &sweep->session;
    const char  *csv = cli_argument(s->arguments, CLI_OPTION_CSV), *file = s->arguments->output;
    saltus_error before = s->error;
    s->error = (saltus_error){0}; /* what is there is counted, and written, whatever happened */
    const int counted = cli_store_count(sweep);
    if (before.status) s->error = before;
    if (counted && !s->error.status && cli_interrupted())
        cli_fail(&s->error, SALTUS_ERR_INTERRUPTED, "interrupted: %d of %d points are done%s%s%s%s",
                 sweep->done, sweep->points, file ? "; --resume continues " : "", file ? "'" : "",
                 file ? file : "", file ? "'" : "");
    if (counted && !s->error.status && sweep->done && sweep->done == sweep->failed)
        cli_fail(&s->error, SALTUS_ERR_UNFINISHED, "no point could be simulated: see the messages");
    if (!counted) return;
    note_result(sweep);
    const int print = cli_session_prints(s) && !(csv && strcmp(csv, "-") == 0);
    if (print) cli_session_title(s);
    before = s->error;
    s->error = (saltus_error){0};
    cli_sweep_statistics(sweep, print);
    if (before.status) s->error = before;
    cli_sweep_export(sweep);
    if (print) print_summary(sweep);
}

/* Process 0 has the database; the others compute for it. */
static void do_sweep(cli_sweep *sweep)
{
    cli_session *s = &sweep->session;
    cli_columns_make(sweep);
    if (!s->error.status) cli_sweep_identify(sweep);
    if (!s->error.status && !cli_team_rank()) cli_store_open(sweep, s->arguments->output);
    if (!s->error.status) {
        cli_sweep_compute(sweep);
        if (!cli_team_rank()) finish(sweep);
    }
    cli_store_close(sweep);
    cli_columns_free(&sweep->columns);
}

int cli_command_sweep(const cli_arguments *arguments)
{
    cli_sweep    sweep = {.with_gradients = arguments->gradients};
    cli_session *s = &sweep.session;
    cli_session_open(s, arguments);
    if (!s->result) s->result = json_object(), cli_result_head(s);
    if (!s->error.status && check_usage(&sweep) && cli_plan_read(&sweep.plan, s)) do_sweep(&sweep);
    for (int i = 0; i < CLI_IDENTITIES; i++) free(sweep.identity[i].text);
    cli_plan_free(&sweep.plan);
    return cli_session_close(s);
}
