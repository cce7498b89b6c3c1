/* saltus check: audits the motion and simulates it another way, computes the gradients by all
 * methods, and compares them. The result is a list of findings, and how many digits of each
 * gradient to trust. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "json_result.h"
#include "text.h"

static const struct {
    const char *name;
    cli_colour  colour;
} verdicts[] = {
    [CLI_PASS] = {"pass", CLI_GREEN},
    [CLI_FAIL] = {"FAIL", CLI_RED},
    [CLI_INFORMATION] = {"information", CLI_PLAIN},
    [CLI_NOT_APPLICABLE] = {"not applicable", CLI_PLAIN},
};

void cli_findings_add(cli_findings *f, const char *check, const char *cost, double value,
                      double allowed, cli_verdict verdict, const char *note, ...)
{
    char    text[512];
    va_list list;
    va_start(list, note);
    vsnprintf(text, sizeof text, note, list);
    va_end(list);
    if (verdict == CLI_PASS && isinf(allowed)) { /* any number would pass */
        verdict = CLI_FAIL;
        snprintf(text, sizeof text, "the permitted error is not finite: no conclusion");
    }
    *CLI_PUSH(f->finding, f->count) = (cli_finding){.check = cli_copy(check),
                                                    .cost = cli_copy(cost),
                                                    .value = value,
                                                    .allowed = allowed,
                                                    .verdict = verdict,
                                                    .note = cli_copy(text)};
}

void cli_findings_compare(cli_findings *f, const char *check, const char *cost, double value,
                          double allowed, const char *note)
{
    cli_findings_add(f, check, cost, value, allowed, value <= allowed ? CLI_PASS : CLI_FAIL, "%s",
                     note);
}

int cli_findings_count(const cli_findings *f, cli_verdict verdict)
{
    int count = 0;
    for (int i = 0; i < f->count; i++) count += f->finding[i].verdict == verdict;
    return count;
}

/* ---- output --------------------------------------------------------------------------------- */

json_t *cli_findings_json(const cli_findings *f)
{
    json_t *array = json_array();
    for (int i = 0; i < f->count; i++) {
        const cli_finding *c = &f->finding[i];
        const char        *result = c->verdict == CLI_FAIL ? "fail" : verdicts[c->verdict].name;
        cli_json_push(array, "check:s cost:e value:n allowed:n result:s note:s", c->check, c->cost,
                      c->value, c->allowed, result, c->note);
    }
    return array;
}

/* Returns the end of the findings that belong to the check of the first one. */
static int group_end(const cli_findings *f, int first)
{
    int end = first;
    while (end < f->count && strcmp(f->finding[end].check, f->finding[first].check) == 0) end++;
    return end;
}

/* How close a passing finding is to failing, at most 1: for a difference, value / allowed; for a
 * slope the inverse. */
static double closeness(const cli_finding *c)
{
    if (c->value == 0.0) return 0.0;
    return c->value <= c->allowed ? c->value / c->allowed : c->allowed / c->value;
}

/* Returns the finding that is closest to failing among those that pass a check; -1 if none does. */
static int worst_of(const cli_findings *f, int first, int end, int *passing)
{
    int worst = -1;
    *passing = 0;
    for (int i = first; i < end; i++) {
        if (f->finding[i].verdict != CLI_PASS) continue;
        if (worst < 0 || closeness(&f->finding[i]) > closeness(&f->finding[worst])) worst = i;
        ++*passing;
    }
    return worst;
}

static void print_finding(cli_table *table, const cli_finding *c, int count)
{
    CLI_OWNED char *cost = count > 1 ? cli_format("%s (of %d)", c->cost, count) : cli_copy(c->cost);
    cli_table_row(table, "sskk", c->check, cost, c->value, c->allowed);
    const char *result = c->verdict == CLI_INFORMATION ? "info" : verdicts[c->verdict].name;
    cli_table_cell_colour(table, result, verdicts[c->verdict].colour);
    cli_table_cell(table, c->note);
}

/* Prints one row for all findings that pass a check (with --verbose: a row for each), and one for
 * each that does not. */
static void print_findings(const cli_session *s, const cli_findings *f)
{
    cli_table *table = cli_table_of("checks", 2, "check|cost|>value|>allowed|result|note");
    for (int first = 0, end; first < f->count; first = end) {
        int passing = 0;
        end = group_end(f, first);
        const int worst = worst_of(f, first, end, &passing);
        if (worst >= 0 && !s->arguments->verbose) print_finding(table, &f->finding[worst], passing);
        for (int i = first; i < end; i++)
            if (f->finding[i].verdict != CLI_PASS || s->arguments->verbose)
                print_finding(table, &f->finding[i], 1);
    }
    cli_session_table(s, table);
}

/* Prints how many findings passed and failed. */
static void print_summary(const cli_session *s, const cli_findings *f)
{
    const int failed = cli_findings_count(f, CLI_FAIL), passed = cli_findings_count(f, CLI_PASS);
    if (failed) fprintf(s->arguments->out, "%d of %d checks failed\n", failed, failed + passed);
    else fprintf(s->arguments->out, "%d checks passed\n", passed);
}

/* ---- trust ---------------------------------------------------------------------------------- */

enum { MAX_DIGITS = 12 };

static int digits_of(double error)
{
    if (!(error > 0.0)) return MAX_DIGITS;
    return (int)fmax(0.0, fmin(MAX_DIGITS, floor(-log10(error))));
}

/* Whether a check failed that is about this cost or about all costs. */
static int is_doubtful(const cli_findings *f, const char *cost)
{
    for (int i = 0; i < f->count; i++)
        if (f->finding[i].verdict == CLI_FAIL &&
            (!*f->finding[i].cost || strcmp(f->finding[i].cost, cost) == 0))
            return 1;
    return 0;
}

static int is_zero(const cli_evidence *e, int cost, const double *row)
{
    for (int k = 0; k < e->session->params.count; k++)
        if (fabs(row[k]) > cli_evidence_allows(e, cost, k)) return 0;
    return 1;
}

/* The change of a row from the coarse to the fine level. */
static double moved(const cli_evidence *e, int method, int cost)
{
    const int            at = cost * e->session->params.count;
    const cli_gradients *coarse = e->coarse.asked ? &e->by[method] : &e->coarse.by[method];
    return cli_row_error(e->session, coarse->cost + at, e->fine.by[method].cost + at);
}

/* Judges the gradient of a cost. The method that changed least from the coarse to the fine level is
 * taken as the closest to the truth. */
static cli_trust judge(const cli_evidence *e, int cost)
{
    const cli_session *s = e->session;
    const int          at = cost * s->params.count;
    const double       by_steps = moved(e, CLI_CHECK_DISCRETE, cost);
    const double       by_adjoint = moved(e, CLI_CHECK_ADJOINT, cost);
    const int          best = by_adjoint < by_steps ? CLI_CHECK_ADJOINT : CLI_CHECK_DISCRETE;
    const double      *truth = e->fine.by[best].cost + at;
    const double       bounces = e->left_out ? e->left_out[cost] : 0.0;
    const double       doubt = fmin(by_steps, by_adjoint) / CLI_SHRINK + bounces;
    const double       usual = cli_row_error(s, e->by_default.cost + at, truth) + doubt;
    const double adjoint = cli_row_error(s, e->by[CLI_CHECK_ADJOINT].cost + at, truth) + doubt;
    const int    prefer = adjoint < 0.1 * usual;
    return (cli_trust){.known = 1,
                       .zero = is_zero(e, cost, truth),
                       .error = usual,
                       .digits = digits_of(usual),
                       .method = saltus_method_name(prefer ? SALTUS_ADJOINT : e->by_default.method),
                       .best = digits_of(prefer ? adjoint : usual)};
}

/* Judges the gradients of all costs, from the evidence and the findings. */
static cli_trust *find_trust(const cli_evidence *e, const cli_findings *findings)
{
    const cli_session *s = e->session;
    cli_trust         *trust = cli_alloc((size_t)s->size.costs, sizeof *trust);
    for (int i = 0; i < s->size.costs; i++)
        if (e->levels && !s->error.status && !is_doubtful(findings, cli_cost_name(s, i)))
            trust[i] = judge(e, i);
    return trust;
}

/* ---- output --------------------------------------------------------------------------------- */

/* The names of all costs with this many digits, "a, b and c"; NULL: there are none. */
static char *costs_with(const cli_session *s, const cli_trust *trust, int digits)
{
    char *names = NULL;
    for (int i = 0; i < s->size.costs; i++) {
        const int here = !trust[i].known ? -1 : trust[i].zero ? -2 : trust[i].digits;
        if (here != digits) continue;
        names = cli_append(names, "%s%s", names ? ", " : "", cli_cost_name(s, i));
    }
    return names;
}

static void print_digits(const cli_session *s, const cli_trust *trust)
{
    FILE *out = s->arguments->out;
    int   parts = 0;
    for (int digits = MAX_DIGITS; digits >= -2; digits--) {
        CLI_OWNED char *names = costs_with(s, trust, digits);
        if (!names) continue;
        fprintf(out, "%s", parts++ ? "; " : "trust ");
        if (digits == -1) cli_print(out, "no digit of %s", names);
        else if (digits == -2) cli_print(out, "that it is zero: %s", names);
        else
            cli_print(out, "%d %s of the gradient of %s", digits, digits == 1 ? "digit" : "digits",
                      names);
    }
    fprintf(out, "\n");
}

/* Recommends the adjoint for costs for which it has clearly more digits. */
static void print_better(const cli_session *s, const cli_trust *trust)
{
    for (int i = 0; i < s->size.costs; i++)
        if (trust[i].known && !trust[i].zero && trust[i].best > trust[i].digits + 1) {
            cli_print(s->arguments->out,
                      "use the adjoint (--method adjoint): it has %d digits of %s\n", trust[i].best,
                      cli_cost_name(s, i));
            return;
        }
}

static int has_result(const cli_findings *f, const char *check)
{
    for (int i = 0; i < f->count; i++)
        if (strcmp(f->finding[i].check, check) == 0 &&
            (f->finding[i].verdict == CLI_PASS || f->finding[i].verdict == CLI_FAIL))
            return 1;
    return 0;
}

static void print_trust(const cli_session *s, const cli_certificate *c)
{
    if (!c->trust || s->params.count == 0 || s->size.costs == 0) return;
    print_digits(s, c->trust);
    print_better(s, c->trust);
    if (!has_result(&c->findings, "discrete = fd") && !has_result(&c->findings, "Taylor test"))
        fprintf(s->arguments->out,
                "no neighbouring motion has the same events: only formulas were compared\n");
}

json_t *cli_trust_json(const cli_session *s, const cli_trust *trust)
{
    json_t *array = json_array();
    for (int i = 0; trust && i < s->size.costs; i++) {
        const cli_trust *t = &trust[i];
        const int        counts = t->known && !t->zero;
        cli_json_push(array, "cost:s digits:j zero:b error:n method:s method_digits:j",
                      cli_cost_name(s, i), counts ? json_integer(t->digits) : json_null(),
                      t->known && t->zero, t->known ? t->error : NAN, t->known ? t->method : NULL,
                      counts ? json_integer(t->best) : json_null());
    }
    return array;
}

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

/* The passes through the motion that a stage takes, as counted on the shipped models. */
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

/* ---- all of it ------------------------------------------------------------------------------ */

void cli_check_all(cli_session *s, cli_certificate *c)
{
    const double start = cli_seconds();
    cli_evidence e = {.session = s, .by = c->by};
    double       units = 0.0;
    if (s->params.count == 0)
        cli_session_warn(s, "the model has no parameter that is not fixed: there are no gradients "
                            "to check");
    for (int i = 0; i < CLI_STAGES; i++) units += passes_of(s, (cli_check_stages)i);
    cli_progress_plan(&s->progress, "checking", units);
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
    if (s->params.count > 0) c->trust = find_trust(&e, &c->findings);
    cli_evidence_free(&e);
    s->check_failed = cli_findings_count(&c->findings, CLI_FAIL) > 0;
    cli_json_add(s->stats, "seconds:n", cli_seconds() - start);
}

void cli_certificate_free(cli_certificate *c)
{
    for (int m = 0; m < CLI_CHECK_METHODS; m++) cli_gradients_free(&c->by[m]);
    for (int i = 0; i < c->findings.count; i++) {
        free(c->findings.finding[i].check);
        free(c->findings.finding[i].cost);
        free(c->findings.finding[i].note);
    }
    free(c->findings.finding);
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
        if (c.findings.count) print_findings(s, &c.findings);
        print_trust(s, &c);
        if (c.findings.count) print_summary(s, &c.findings);
    }
    cli_certificate_free(&c);
    return cli_session_close(s);
}
