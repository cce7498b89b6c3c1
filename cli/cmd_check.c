/* saltus check: the gradients by all methods, and what must hold of them. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "pool.h"
#include "result.h"
#include "text.h"

/* ---- findings ------------------------------------------------------------------------------- */

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
    f->finding = cli_grow(f->finding, f->count, &f->capacity, sizeof *f->finding);
    f->finding[f->count++] = (cli_finding){.check = cli_copy(check),
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

void cli_findings_free(cli_findings *f)
{
    for (int i = 0; i < f->count; i++) {
        free(f->finding[i].check);
        free(f->finding[i].cost);
        free(f->finding[i].note);
    }
    free(f->finding);
}

int cli_findings_count(const cli_findings *f, cli_verdict verdict)
{
    int count = 0;
    for (int i = 0; i < f->count; i++) count += f->finding[i].verdict == verdict;
    return count;
}

/* ---- tolerances ----------------------------------------------------------------------------- */

static double fd_tolerance(const cli_session *s)
{
    return fmax(1e-5, 10.0 * pow(fmax(s->options.rtol, s->options.atol), 2.0 / 3.0));
}

const char *cli_check_note(const cli_session *s, const double *row, int cost)
{
    return cli_gradient_is_zero(s, row, s->cost[s->costs.index[cost]])
               ? "the gradient is zero to the tolerance"
               : "";
}

/* ---- the methods ---------------------------------------------------------------------------- */

static const struct {
    saltus_method method;
    const char   *check;
} methods[CLI_CHECK_METHODS] = {
    [CLI_CHECK_DISCRETE] = {SALTUS_DISCRETE, ""},
    [CLI_CHECK_TANGENT] = {SALTUS_TANGENT, "discrete adjoint = tangent"},
    [CLI_CHECK_DIRECT] = {SALTUS_DIRECT, "discrete = direct"},
    [CLI_CHECK_ADJOINT] = {SALTUS_ADJOINT, "discrete = adjoint"},
    [CLI_CHECK_FD] = {SALTUS_FD, "discrete = fd"},
};

static double allowed_for(const cli_session *s, int method)
{
    /* The tangent is of the very same steps: only rounding may differ. */
    return method == CLI_CHECK_TANGENT ? 1e-11
           : method == CLI_CHECK_FD    ? fd_tolerance(s)
                                       : cli_gradient_tolerance(s);
}

/* Of two gradients of a quantity with this value. */
static double row_difference(const cli_session *s, const double *a, const double *b, double value)
{
    double worst = 0.0;
    for (int k = 0; k < s->params.count; k++) {
        const double d = fabs(a[k] - b[k]);
        if (!(d <= worst)) worst = d; /* NaN stays */
    }
    return worst / cli_gradient_scale(s, a, value);
}

/* Two methods, and what comparing them is called. */
typedef struct pair {
    const cli_gradients *a, *b;
    const char          *check;
    double               allowed;
} pair;

static void compare_costs(const cli_session *s, const pair *p, cli_findings *findings)
{
    const int np = s->params.count;
    for (int i = 0; i < s->costs.count; i++) {
        const double *a = p->a->cost + i * np, *b = p->b->cost + i * np;
        cli_findings_compare(findings, p->check, cli_cost_name(s, i),
                             row_difference(s, a, b, s->cost[s->costs.index[i]]), p->allowed,
                             cli_check_note(s, a, i));
    }
}

static void compare_times(const cli_session *s, const pair *p, cli_findings *findings)
{
    const int np = s->params.count;
    double    worst = row_difference(s, p->a->end, p->b->end, saltus_run_get_info(s->run)->t);
    if (s->events == 0) return;
    for (int i = 0; i < s->events; i++) {
        const double d = row_difference(s, p->a->time + i * np, p->b->time + i * np,
                                        saltus_run_event(s->run, i).t);
        if (!(d <= worst)) worst = d;
    }
    cli_findings_compare(findings, p->check, "(event times)", worst, p->allowed, "");
}

static int is_done(const cli_gradients *g) { return !g->error.status && g->cost; }

/* All with the discrete one; of an interrupted check, with the first that was done. */
static void compare_methods(cli_session *s, const cli_gradients *g, cli_findings *findings)
{
    int first = CLI_CHECK_DISCRETE;
    while (first < CLI_CHECK_METHODS && !is_done(&g[first])) first++;
    for (int m = first + 1; m < CLI_CHECK_METHODS; m++) {
        if (g[m].error.status == SALTUS_ERR_INTERRUPTED) continue;
        if (!is_done(&g[m])) { /* only differences may fail: a neighbour may behave otherwise */
            cli_findings_add(findings, methods[m].check, "", NAN, NAN, CLI_NOT_APPLICABLE, "%s",
                             g[m].error.message);
            continue;
        }
        char      *check = first == CLI_CHECK_DISCRETE
                               ? cli_copy(methods[m].check)
                               : cli_format("%s = %s", saltus_method_name(methods[first].method),
                                            saltus_method_name(methods[m].method));
        const pair p = {&g[first], &g[m], check, allowed_for(s, m)};
        compare_costs(s, &p, findings);
        compare_times(s, &p, findings);
        free(check);
    }
}

typedef struct walks {
    cli_session   *session;
    cli_gradients *gradients;
} walks;

/* The first worker has the session's run; the others repeat the simulation, digit for digit. */
static void walk(void *context, int worker, int method)
{
    const walks       *w = context;
    const cli_session *s = w->session;
    saltus_error       err = {0};
    saltus_run        *run = s->run;
    if (worker > 0) {
        run = saltus_run_new(s->system, &s->options, &err);
        saltus_run_simulate(run, NULL, &err);
        if (err.status) { /* no memory, most likely */
            w->gradients[method] = (cli_gradients){.method = methods[method].method, .error = err};
            saltus_run_free(run);
            return;
        }
    }
    w->gradients[method] = cli_gradients_on(s, run, methods[method].method, 1);
    if (worker > 0) saltus_run_free(run);
}

/* All methods but differences side by side; those share their parameters among the threads. */
static void compute_methods(cli_session *s, cli_gradients *g)
{
    walks w = {s, g};
    cli_session_progress(s, "gradients");
    cli_pool_run(s->arguments->threads, CLI_CHECK_FD, walk, &w);
    cli_progress_end(&s->progress);
    g[CLI_CHECK_FD] = cli_gradients_compute(s, SALTUS_FD, 1);
    for (int m = 0; m < CLI_CHECK_METHODS; m++) {
        const int essential = m != CLI_CHECK_FD || g[m].error.status == SALTUS_ERR_INTERRUPTED;
        if (essential && !s->error.status) s->error = g[m].error;
    }
    if (!cli_interrupted()) return;
    s->error = (saltus_error){0}; /* a run that was stopped half-way is no failure of its own */
    cli_fail(&s->error, SALTUS_ERR_INTERRUPTED, "interrupted while the gradients were computed");
}

/* ---- telling -------------------------------------------------------------------------------- */

json_t *cli_findings_json(const cli_findings *f)
{
    json_t *array = json_array();
    for (int i = 0; i < f->count; i++) {
        const cli_finding *c = &f->finding[i];
        json_t            *object = json_object();
        cli_json_set(object, "check", cli_json_text(c->check));
        cli_json_set(object, "cost", cli_json_text(*c->cost ? c->cost : NULL));
        cli_json_set(object, "value", cli_json_number(c->value));
        cli_json_set(object, "allowed", cli_json_number(c->allowed));
        cli_json_set(object, "result",
                     cli_json_text(c->verdict == CLI_FAIL ? "fail" : verdicts[c->verdict].name));
        cli_json_set(object, "note", cli_json_text(c->note));
        json_array_append_new(array, object);
    }
    return array;
}

/* The end of the run of findings that belong to the same check. */
static int group_end(const cli_findings *f, int first)
{
    int end = first;
    while (end < f->count && strcmp(f->finding[end].check, f->finding[first].check) == 0) end++;
    return end;
}

/* How close a passing finding is to failing, at most 1: a difference must be small, a slope large.
 */
static double closeness(const cli_finding *c)
{
    return c->value <= c->allowed ? c->value / c->allowed : c->allowed / c->value;
}

/* Of the costs that pass a check, the one that passes least well; -1 if none does. */
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
    char *cost = count > 1 ? cli_format("%s (worst of %d)", c->cost, count) : cli_copy(c->cost);
    cli_table_cell(table, c->check);
    cli_table_cell(table, cost);
    cli_table_short(table, c->value);
    cli_table_short(table, c->allowed);
    cli_table_cell_colour(table, verdicts[c->verdict].name, verdicts[c->verdict].colour);
    cli_table_cell(table, c->note);
    free(cost);
}

/* One row for all that pass a check (--verbose: each), one for each that does not. */
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
    const int failed = cli_findings_count(f, CLI_FAIL), passed = cli_findings_count(f, CLI_PASS);
    if (failed) fprintf(s->arguments->out, "%d of %d checks failed\n", failed, failed + passed);
    else fprintf(s->arguments->out, "%d checks passed\n", passed);
}

void cli_check_all(cli_session *s, cli_gradients *g, cli_findings *findings, cli_taylor *taylor)
{
    const double start = cli_seconds();
    if (s->params.count == 0)
        cli_session_warn(s, "the model has no parameter that is not fixed: there are no gradients "
                            "to check");
    compute_methods(s, g);
    if ((!s->error.status || cli_interrupted()) && s->params.count > 0)
        compare_methods(s, g, findings);
    cli_check_duality(s, &g[CLI_CHECK_ADJOINT], findings);
    cli_check_taylor(s, findings, taylor);
    cli_check_constraints(s, findings);
    cli_check_energy(s, findings);
    if (cli_interrupted()) cli_fail(&s->error, SALTUS_ERR_INTERRUPTED, "interrupted");
    s->check_failed = cli_findings_count(findings, CLI_FAIL) > 0;
    cli_json_set(s->stats, "seconds", cli_json_number(cli_seconds() - start));
}

int cli_command_check(const cli_arguments *arguments)
{
    cli_session   session, *s = &session;
    cli_gradients g[CLI_CHECK_METHODS] = {{.method = SALTUS_DISCRETE}};
    cli_findings  findings = {0};
    cli_session_open(s, arguments);
    if (cli_session_simulate(s)) cli_check_all(s, g, &findings, NULL);
    cli_result_run(s, s->result, g[CLI_CHECK_DISCRETE].cost ? &g[CLI_CHECK_DISCRETE] : NULL, 0);
    if (s->result) {
        cli_json_set(s->result, "checks", cli_findings_json(&findings));
        cli_json_set(s->result, "passed", json_boolean(!s->error.status && !s->check_failed));
    }
    if (s->system && cli_session_prints(s)) {
        cli_session_title(s);
        if (findings.count) print_findings(s, &findings);
    }
    for (int m = 0; m < CLI_CHECK_METHODS; m++) cli_gradients_free(&g[m]);
    cli_findings_free(&findings);
    return cli_session_close(s);
}
