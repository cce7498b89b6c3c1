/* The object that the page reads. */
#include "differences.h"
#include "json_result.h"
#include "report.h"

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

/* What there is of the motion can be read even if it failed. */
static json_t *motion_of(cli_session *s, const cli_gradients *gradients, int with_differences)
{
    const saltus_error before = s->error;
    s->error = (saltus_error){0};
    json_t *motion = cli_report_motion(s, gradients->cost && !before.status ? gradients : NULL,
                                       with_differences);
    if (before.status) s->error = before;
    return motion;
}

json_t *cli_report_data(cli_session *s, const cli_certificate *c, json_t *other)
{
    json_t *motion = motion_of(s, &c->by[CLI_CHECK_ADJOINT], 1);
    cli_result_tail(s);
    json_t *comparison = json_is_object(other)
                             ? cli_differences(s->result, json_object_get(other, "result"))
                             : json_null();
    return cli_json_object(
        "format:i result:j model:j methods:j checks:j trust:j taylor:j truth:j drawing:j motion:j "
        "other:j comparison:j live:j",
        1, cli_report_lasting(s->result), cli_report_model(s), cli_report_methods(s, c->by),
        cli_findings_json(&c->findings), cli_trust_json(s, c->trust),
        cli_report_taylor(s, &c->taylor), cli_report_truth(s), cli_report_drawing(s), motion, other,
        comparison, cli_report_live(s));
}

json_t *cli_report_again(cli_session *s, const cli_certificate *c)
{
    json_t *motion = motion_of(s, &c->by[CLI_CHECK_DISCRETE], 0);
    cli_result_tail(s);
    return cli_json_object("result:j methods:j motion:j", cli_report_lasting(s->result),
                           cli_report_methods(s, c->by), motion);
}
