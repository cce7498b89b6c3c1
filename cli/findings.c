/* What checks found: a list, a table, JSON. */
#include "check.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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
    if (verdict == CLI_PASS && isinf(allowed)) { /* which any number would pass */
        verdict = CLI_FAIL;
        snprintf(text, sizeof text, "what is allowed is not finite, so this says nothing");
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
    if (c->value == 0.0) return 0.0;
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
    CLI_OWNED char *cost = count > 1 ? cli_format("%s (of %d)", c->cost, count) : cli_copy(c->cost);
    cli_table_row(table, "sskk", c->check, cost, c->value, c->allowed);
    const char *result = c->verdict == CLI_INFORMATION ? "info" : verdicts[c->verdict].name;
    cli_table_cell_colour(table, result, verdicts[c->verdict].colour);
    cli_table_cell(table, c->note);
}

/* One row for all that pass a check (--verbose: each), one for each that does not. */
void cli_findings_print(const cli_session *s, const cli_findings *f)
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

void cli_findings_summary(const cli_session *s, const cli_findings *f)
{
    const int failed = cli_findings_count(f, CLI_FAIL), passed = cli_findings_count(f, CLI_PASS);
    if (failed) fprintf(s->arguments->out, "%d of %d checks failed\n", failed, failed + passed);
    else fprintf(s->arguments->out, "%d checks passed\n", passed);
}
