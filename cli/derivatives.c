/* Further results of `saltus gradient`: second derivatives, one-sided derivatives, and the range of
 * parameters in which the gradient holds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gradients.h"
#include "json_result.h"
#include "text.h"

/* ---- second derivatives --------------------------------------------------------------------- */

/* Second derivatives: for each cost, a square matrix over the requested parameters. */
typedef struct hessian {
    double *value;     /* [(cost * params + row) * params + column], symmetric */
    double *asymmetry; /* by cost: the largest difference of entries that should be equal */
} hessian;

static double *entry(const cli_session *s, const hessian *h, int cost, int row, int column)
{
    const size_t np = (size_t)s->params.count;
    return h->value + ((size_t)cost * np + (size_t)row) * np + (size_t)column;
}

/* Makes the matrices symmetric. Rows are differences of gradients, and their asymmetry shows their
 * error. */
static void make_symmetric(const cli_session *s, const hessian *h)
{
    for (int k = 0; k < s->size.costs; k++)
        for (int i = 0; i < s->params.count; i++)
            for (int j = 0; j < i; j++) {
                double *a = entry(s, h, k, i, j), *b = entry(s, h, k, j, i);
                h->asymmetry[k] = fmax(h->asymmetry[k], fabs(*a - *b));
                *a = *b = 0.5 * (*a + *b);
            }
}

static void find_hessian(cli_session *s, const hessian *h)
{
    const size_t         np = (size_t)s->params.count, nc = (size_t)s->size.costs;
    const saltus_request request = cli_gradients_request(s, SALTUS_DISCRETE);
    CLI_OWNED double    *direction = cli_alloc((size_t)s->size.params, sizeof *direction);
    CLI_OWNED double    *rows = cli_alloc(nc * np, sizeof *rows);
    for (int i = 0; i < s->params.count && !s->error.status; i++) {
        direction[s->params.index[i]] = 1.0;
        saltus_run_hessian_product(s->run, &request, direction, rows, &s->error);
        direction[s->params.index[i]] = 0.0;
        for (int k = 0; k < s->size.costs; k++)
            memcpy(entry(s, h, k, i, 0), rows + (size_t)k * np, np * sizeof *rows);
    }
}

/* {cost: {"matrix": {parameter: {parameter: x}}, "asymmetry": x}} */
static json_t *hessian_json(const cli_session *s, const hessian *h)
{
    json_t *all = json_object();
    for (int k = 0; k < s->size.costs; k++) {
        json_t *matrix = json_object();
        for (int i = 0; i < s->params.count; i++)
            cli_json_set(
                matrix, cli_param_name(s, i),
                cli_json_by_param(s, s->params.index, s->params.count, entry(s, h, k, i, 0), 1));
        cli_json_set(all, cli_cost_name(s, k),
                     cli_json_object("matrix:j asymmetry:n", matrix, h->asymmetry[k]));
    }
    return all;
}

static void print_hessian(const cli_session *s, const hessian *h, int cost)
{
    CLI_OWNED char *title = cli_format("second derivatives of %s (rows and columns agree to %.1e)",
                                       cli_cost_name(s, cost), h->asymmetry[cost]);
    cli_table      *table = cli_table_of(title, 1, "by");
    for (int j = 0; j < s->params.count; j++) cli_table_column(table, cli_param_name(s, j), 1);
    for (int i = 0; i < s->params.count; i++) {
        cli_table_cell(table, cli_param_name(s, i));
        cli_table_numbers(table, entry(s, h, cost, i, 0), s->params.count);
    }
    cli_session_table(s, table);
}

void cli_hessian(cli_session *s)
{
    const size_t      np = (size_t)s->params.count, nc = (size_t)s->size.costs;
    CLI_OWNED double *value = cli_alloc(nc * np * np, sizeof *value);
    CLI_OWNED double *asymmetry = cli_alloc(nc, sizeof *asymmetry);
    const hessian     h = {value, asymmetry};
    cli_progress_begin(&s->progress, "second derivatives");
    find_hessian(s, &h);
    if (s->error.status) return;
    make_symmetric(s, &h);
    if (s->result) cli_json_add(s->result, "hessian:j", hessian_json(s, &h));
    for (int k = 0; k < s->size.costs && np > 0 && cli_session_prints(s); k++)
        print_hessian(s, &h, k);
}

/* ---- both sides ----------------------------------------------------------------------------- */

typedef struct both {
    cli_session *session;
    cli_table   *sides, *orders;
    json_t      *list;
} both;

static const char *const verdicts[] = {"agree", "differ", "unknown", "jump"};

/* ---- orders of events ----------------------------------------------------------------------- */

enum { NAMES_SHOWN = 8 };

static json_t *names_json(const saltus_side *side, int first, int count)
{
    json_t *list = json_array();
    for (int i = first; i < first + count; i++)
        json_array_append_new(list, cli_json_text(side->event[i]));
    return list;
}

/* The names as a text, which the caller frees. */
static char *names_text(const saltus_side *side, int first, int count)
{
    char *text = cli_copy(count ? "" : "-");
    for (int i = 0; i < count && i <= NAMES_SHOWN; i++) {
        char *longer = cli_format("%s%s%s", text, i ? ", " : "",
                                  i < NAMES_SHOWN ? side->event[first + i] : "...");
        free(text);
        text = longer;
    }
    return text;
}

static void add_order(both *b, const saltus_sides *s)
{
    if (s->different_below == 0 && s->different_above == 0) return;
    CLI_OWNED char *below = names_text(&s->below, s->first_different, s->different_below);
    CLI_OWNED char *above = names_text(&s->above, s->first_different, s->different_above);
    cli_table_row(b->orders, "sss", saltus_system_param(b->session->system, s->param).name, below,
                  above);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static double at(const double *values, int index) { return values ? values[index] : NAN; }

/* A remark about the derivatives of a cost; the caller frees. */
static char *remark(const saltus_sides *s, int cost)
{
    switch (s->verdict[cost]) {
    case SALTUS_SIDES_DIFFER: return cli_copy("one-sided");
    case SALTUS_SIDES_JUMP:
        return cli_format("jumps from %.10g to %.10g", s->below.cost[cost], s->above.cost[cost]);
    case SALTUS_SIDES_UNKNOWN:
        return cli_format("%s: %s", s->below.found ? "above" : "below",
                          s->below.found ? s->above.message : s->below.message);
    default: return cli_copy("");
    }
}

static json_t *side_json(const saltus_sides *s, const saltus_side *side, int cost, int different)
{
    json_t *object = json_object();
    if (!side->found) return cli_json_add(object, "found:b message:s", 0, side->message);
    return cli_json_add(object, "found:b value:n gradient:n error:n events:j", 1, side->cost[cost],
                        side->gradient[cost], side->gradient_error[cost],
                        names_json(side, s->first_different, different));
}

static int take(void *context, const saltus_sides *s)
{
    both        *b = context;
    cli_session *session = b->session;
    const char  *by = saltus_system_param(session->system, s->param).name;
    for (int i = 0; i < session->size.costs; i++) {
        CLI_OWNED char *note = remark(s, i);
        cli_table_row(b->sides, "ssnns", cli_cost_name(session, i), by, at(s->below.gradient, i),
                      at(s->above.gradient, i), note);
        cli_json_push(b->list, "cost:s parameter:s verdict:s below:j above:j",
                      cli_cost_name(session, i), by, verdicts[s->verdict[i]],
                      side_json(s, &s->below, i, s->different_below),
                      side_json(s, &s->above, i, s->different_above));
    }
    add_order(b, s);
    return cli_interrupted();
}

void cli_one_sided(cli_session *s)
{
    both b = {.session = s,
              .sides = cli_table_of("one-sided gradient", 2, "cost|by|>below|>above|"),
              .orders = cli_table_of("events that differ", 1, "by|below|above"),
              .list = json_array()};
    if (s->params.count > 0) {
        const saltus_request request = cli_gradients_request(s, s->arguments->method[0]);
        cli_progress_begin(&s->progress, "one-sided gradient");
        saltus_run_one_sided(s->run, &request, take, &b, &s->error);
        cli_progress_end(&s->progress);
    }
    if (cli_interrupted()) cli_fail(&s->error, SALTUS_ERR_INTERRUPTED, "interrupted");
    cli_session_tell(s, b.sides, "one_sided:j", b.list);
    cli_session_tell(s, b.orders, NULL, NULL);
}

/* ---- reach ---------------------------------------------------------------------------------- */

void cli_reach(cli_session *s)
{
    const int               np = s->params.count;
    CLI_OWNED saltus_trust *trust = cli_alloc((size_t)np, sizeof *trust);
    cli_progress_begin(&s->progress, "reach");
    if (saltus_run_trust(s->run, s->params.index, np, trust, &s->error) != SALTUS_OK) return;
    cli_table *table = cli_table_of("the same events", 2, "by|>value|>from|>to|below|above");
    json_t    *all = json_object();
    for (int k = 0; k < np; k++) {
        const saltus_trust     *of = &trust[k];
        const saltus_param_info info = saltus_system_param(s->system, s->params.index[k]);
        json_t *ends = cli_json_object("lower:e upper:e", of->lower_end, of->upper_end);
        cli_json_set(all, info.name,
                     cli_json_object("lower:n upper:n ends:j", of->lower, of->upper, ends));
        cli_table_row(table, "snooss", info.name, info.value, of->lower, of->upper, of->lower_end,
                      of->upper_end);
    }
    cli_session_tell(s, table, "trust:j", all);
}
