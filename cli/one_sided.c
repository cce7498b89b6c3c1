/* Both sides: see one_sided.h. */
#include "one_sided.h"

#include <math.h>
#include <stdlib.h>

#include "gradients.h"
#include "json_result.h"
#include "text.h"

typedef struct both {
    cli_session *session;
    cli_table   *sides, *orders; /* NULL: nothing is printed */
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

/* What there is to say of a cost; the caller frees. */
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

static void add_row(both *b, const saltus_sides *s, const char *by, int cost)
{
    CLI_OWNED char *note = remark(s, cost);
    cli_table_row(b->sides, "ssnns", cli_cost_name(b->session, cost), by,
                  at(s->below.gradient, cost), at(s->above.gradient, cost), note);
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
        if (b->sides) add_row(b, s, by, i);
        cli_json_push(b->list, "cost:s parameter:s verdict:s below:j above:j",
                      cli_cost_name(session, i), by, verdicts[s->verdict[i]],
                      side_json(s, &s->below, i, s->different_below),
                      side_json(s, &s->above, i, s->different_above));
    }
    if (b->orders) add_order(b, s);
    return cli_interrupted();
}

void cli_one_sided(cli_session *s)
{
    both b = {.session = s, .list = json_array()};
    if (cli_session_prints(s)) {
        b.sides = cli_table_of("one-sided gradient", 2, "cost|by|>below|>above|");
        b.orders = cli_table_of("events that differ", 1, "by|below|above");
    }
    if (s->params.count > 0) {
        const saltus_request request = cli_gradients_request(s, s->arguments->method[0]);
        cli_session_progress(s, "one-sided gradient");
        saltus_run_one_sided(s->run, &request, take, &b, &s->error);
        cli_progress_end(&s->progress);
    }
    if (cli_interrupted()) cli_fail(&s->error, SALTUS_ERR_INTERRUPTED, "interrupted");
    if (b.sides) cli_session_table(s, b.sides);
    if (b.orders) cli_session_table(s, b.orders);
    if (s->result) cli_json_add(s->result, "one_sided:j", b.list);
    else json_decref(b.list);
}
