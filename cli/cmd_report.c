/* saltus report: writes one HTML file with all results for a model. */
#include <stdio.h>

#include "json_result.h"
#include "library.h"
#include "report.h"
#include "text.h"
#include "watch.h"

static void write_report(cli_session *s, const cli_certificate *c, json_t *other)
{
    const char     *name = saltus_system_name(s->system);
    json_t         *data = cli_report_data(s, c, other);
    CLI_OWNED char *about = cli_script_comment(s->script);
    cli_report_write(s->output, *name ? name : s->arguments->model, about, data, s->files != NULL);
    json_decref(data);
    const long bytes = s->output == stdout ? 0 : ftell(s->output);
    const int  kept = cli_session_keep(s);
    cli_json_add(s->result, "report:s", kept ? s->kept : NULL);
    if (kept && cli_session_prints(s))
        cli_print(s->arguments->out, "%s (%.2f MB): open it in a browser\n", s->kept,
                  (double)bytes / 1e6);
    if (kept && s->arguments->open) cli_browse(s->kept, &s->error);
}

static void warn_of_failures(cli_session *s, const cli_findings *findings)
{
    const int failed = cli_findings_count(findings, CLI_FAIL);
    const int passed = cli_findings_count(findings, CLI_PASS);
    if (failed)
        cli_session_warn(
            s, "%d of %d checks failed: 'saltus check %s' with the same options shows them", failed,
            failed + passed, s->arguments->model);
}

static void report(cli_session *s, json_t *other)
{
    cli_certificate c = {.by = {{.method = SALTUS_DISCRETE}}};
    if (cli_session_simulate(s)) cli_check_all(s, &c);
    if (s->cost && s->error.status != SALTUS_ERR_INTERRUPTED) {
        const cli_gradients *best = &c.by[CLI_CHECK_DISCRETE];
        s->check_failed = 0; /* the report shows the failure, and is written all the same */
        warn_of_failures(s, &c.findings);
        cli_result_run(s, s->result, best->cost && !best->error.status ? best : NULL,
                       cli_jumps_are_small(s));
        cli_json_add(s->result, "checks:j", cli_findings_json(&c.findings));
        write_report(s, &c, json_incref(other));
    }
    cli_certificate_free(&c);
}

int cli_command_report(const cli_arguments *arguments)
{
    if (arguments->watch) return cli_watch(arguments);
    cli_session session;
    int         others = 0;
    json_t     *other = cli_report_page_size ? cli_report_other(arguments, &others) : json_null();
    if (!other) return others;
    if (cli_session_open(&session, arguments)) {
        if (cli_report_page_size == 0)
            cli_misuse(&session.error,
                       "this saltus was built without the report: install esbuild and "
                       "libjs-dygraphs and build it again");
        else report(&session, other);
    }
    json_decref(other);
    const int status = cli_session_close(&session);
    return status ? status : others;
}
