/* saltus check: the motion audited and simulated another way, the gradients by all methods, and
 * what must hold of them. */
#include <stdlib.h>

#include "check.h"
#include "json_result.h"
#include "text.h"

/* ---- progress ------------------------------------------------------------------------------- */

static const char *const stage_names[CLI_STAGES] = {
    [CLI_STAGE_EVENTS] = "events",
    [CLI_STAGE_LEVELS] = "finer tolerances",
    [CLI_STAGE_GRADIENTS] = "gradients",
    [CLI_STAGE_DIFFERENCES] = "finite differences",
    [CLI_STAGE_DUALITY] = "duality",
    [CLI_STAGE_TAYLOR] = "Taylor test",
    [CLI_STAGE_MOTION] = "the motion another way",
};

/* Times through the motion, as they were counted on the models that we ship. */
static double passes_of(const cli_session *s, cli_check_stages stage)
{
    switch (stage) {
    case CLI_STAGE_EVENTS: return 1.0;
    case CLI_STAGE_LEVELS: return 2.0;
    case CLI_STAGE_GRADIENTS: /* by four methods, at two tolerances */
        return 6.0 + 4.0 * (cli_gradients_passes(s, SALTUS_DIRECT, CLI_ALL_TIMES) +
                            cli_gradients_passes(s, SALTUS_ADJOINT, CLI_ALL_TIMES));
    case CLI_STAGE_DIFFERENCES: return cli_gradients_passes(s, SALTUS_FD, CLI_ALL_TIMES);
    case CLI_STAGE_DUALITY: return 2.0 + 2.0 * s->size.costs;
    case CLI_STAGE_TAYLOR: return 13.0;
    default: return 2.0;
    }
}

void cli_check_stage(cli_session *s, cli_check_stages stage)
{
    const double passes = passes_of(s, stage);
    cli_progress_stage(&s->progress, stage_names[stage], passes, passes);
}

static void plan(cli_session *s)
{
    double units = 0.0;
    for (int i = 0; i < CLI_STAGES; i++) units += passes_of(s, (cli_check_stages)i);
    cli_session_plan(s, "checking", units);
}

/* ---- all of it ------------------------------------------------------------------------------ */

void cli_check_all(cli_session *s, cli_certificate *c)
{
    const double start = cli_seconds();
    cli_evidence e = {.session = s, .by = c->by};
    if (s->params.count == 0)
        cli_session_warn(s, "the model has no parameter that is not fixed: there are no gradients "
                            "to check");
    plan(s);
    cli_check_events(s, &c->findings);
    cli_evidence_collect(&e);
    cli_evidence_measure(&e);
    cli_check_duality(&e, &c->findings);
    if ((!s->error.status || cli_interrupted()) && s->params.count > 0)
        cli_check_methods(&e, &c->findings);
    cli_check_taylor(&e, &c->findings, &c->taylor);
    cli_check_motion(&e, &c->findings);
    cli_check_constraints(&e, &c->findings);
    cli_check_energy(&e, &c->findings);
    cli_progress_done(&s->progress);
    if (cli_interrupted()) cli_fail(&s->error, SALTUS_ERR_INTERRUPTED, "interrupted");
    if (s->params.count > 0) c->trust = cli_trust_find(&e, &c->findings);
    cli_evidence_free(&e);
    s->check_failed = cli_findings_count(&c->findings, CLI_FAIL) > 0;
    cli_json_add(s->stats, "seconds:n", cli_seconds() - start);
}

void cli_certificate_free(cli_certificate *c)
{
    for (int m = 0; m < CLI_CHECK_METHODS; m++) cli_gradients_free(&c->by[m]);
    cli_findings_free(&c->findings);
    cli_taylor_free(&c->taylor);
    free(c->trust);
}

int cli_command_check(const cli_arguments *arguments)
{
    cli_session     session, *s = &session;
    cli_certificate c = {.by = {{.method = SALTUS_DISCRETE}}};
    cli_session_open(s, arguments);
    if (cli_session_simulate(s)) cli_check_all(s, &c);
    const cli_gradients *best = &c.by[CLI_CHECK_DISCRETE];
    cli_result_run(s, s->result, best->cost ? best : NULL, 0);
    if (s->result)
        cli_json_add(s->result, "checks:j trust:j passed:b", cli_findings_json(&c.findings),
                     cli_trust_json(s, c.trust), !s->error.status && !s->check_failed);
    if (s->system && cli_session_prints(s)) {
        cli_session_title(s);
        if (c.findings.count) cli_findings_print(s, &c.findings);
        cli_trust_print(s, &c);
        if (c.findings.count) cli_findings_summary(s, &c.findings);
    }
    cli_certificate_free(&c);
    return cli_session_close(s);
}
