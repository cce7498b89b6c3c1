/* saltus report: one HTML file with everything there is to see of a model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "differences.h"
#include "json_result.h"
#include "jumps.h"
#include "library.h"
#include "report.h"
#include "text.h"
#include "watch.h"

json_t *cli_report_lasting(const json_t *result)
{
    static const char *const kept[] = {"steps", "rejected", "evaluations", "replayed"};
    json_t                  *copy = json_copy((json_t *)(size_t)result), *stats = json_object();
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        json_t *value = json_object_get(json_object_get(result, "stats"), kept[i]);
        if (value) json_object_set(stats, kept[i], value);
    }
    json_object_set_new(copy, "stats", stats);
    return copy;
}

/* other: the second motion, which is taken over. */
static json_t *collect(cli_session *s, const cli_certificate *c, json_t *other)
{
    const cli_gradients *adjoint = &c->by[CLI_CHECK_ADJOINT];
    const saltus_error   before = s->error;
    s->error = (saltus_error){0}; /* what there is can still be read */
    json_t *motion = cli_report_motion(s, adjoint->cost && !before.status ? adjoint : NULL);
    if (before.status) s->error = before;
    cli_result_tail(s);
    json_t *comparison = json_is_object(other)
                             ? cli_differences(s->result, json_object_get(other, "result"))
                             : json_null();
    return cli_json_add(
        json_object(),
        "format:i result:j model:j methods:j checks:j trust:j taylor:j truth:j drawing:j motion:j "
        "other:j comparison:j",
        1, cli_report_lasting(s->result), cli_report_model(s), cli_report_methods(s, c->by),
        cli_findings_json(&c->findings), cli_trust_json(s, c->trust),
        cli_report_taylor(s, &c->taylor), cli_report_truth(s), cli_report_drawing(s), motion, other,
        comparison);
}

static void write_report(cli_session *s, const cli_certificate *c, json_t *other)
{
    const char *name = saltus_system_name(s->system);
    json_t     *data = collect(s, c, other);
    char       *about = cli_script_comment(s->script);
    cli_report_write(s->output, *name ? name : s->arguments->model, about, data);
    free(about);
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
        s->check_failed = 0; /* it is said, and shown: the report is written all the same */
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
