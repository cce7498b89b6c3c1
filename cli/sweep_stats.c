/* What the results of a sweep have in common: how costs are distributed, which sequences of events
 * there are, why runs failed. */
#include <math.h>
#include <stdlib.h>

#include "json_result.h"
#include "sweep.h"
#include "text.h"

enum { GROUPS_SHOWN = 12 };

/* ---- distributions -------------------------------------------------------------------------- */

typedef struct numbers {
    double *value;
    int     count;
} numbers;

static int take_number(void *context, const cli_field *field, int count)
{
    numbers *n = context;
    (void)count;
    *CLI_PUSH(n->value, n->count) = field[0].number;
    return 1;
}

/* Between the neighbours in the sorted list, as the median is. */
static double quantile(const numbers *n, double part)
{
    if (!n->count) return NAN;
    const double at = part * (double)(n->count - 1);
    const int    below = (int)at, above = below + 1 < n->count ? below + 1 : below;
    return n->value[below] + (at - below) * (n->value[above] - n->value[below]);
}

typedef struct moments {
    int    count;
    double mean, sd, quantile[5];
} moments;

static const double parts[5] = {0.0, 0.05, 0.5, 0.95, 1.0};

static moments moments_of(cli_sweep *sweep, const char *column)
{
    numbers         n = {0};
    CLI_OWNED char *quoted = cli_quoted_name(column);
    char           *query =
        cli_format("SELECT %s FROM results WHERE %s IS NOT NULL ORDER BY 1", quoted, quoted);
    cli_store_rows(sweep, query, take_number, &n);
    moments m = {.count = n.count, .mean = NAN, .sd = NAN};
    double  sum = 0.0, squares = 0.0;
    for (int i = 0; i < n.count; i++) sum += n.value[i];
    if (n.count) m.mean = sum / n.count;
    for (int i = 0; i < n.count; i++) squares += (n.value[i] - m.mean) * (n.value[i] - m.mean);
    if (n.count > 1) m.sd = sqrt(squares / (n.count - 1));
    for (int i = 0; i < 5; i++) m.quantile[i] = quantile(&n, parts[i]);
    free(n.value);
    free(query);
    return m;
}

/* Costs and final values. */
static void add_moments(cli_sweep *sweep, cli_table *table, json_t *object)
{
    const cli_columns *c = &sweep->columns;
    const int          first = c->params + c->events, last = first + c->costs + c->finals;
    for (int i = first; i < last && !sweep->session.error.status; i++) {
        const moments m = moments_of(sweep, c->name[i]);
        const double *q = m.quantile;
        if (table)
            cli_table_row(table, "snnnnnnn", c->name[i], m.mean, m.sd, q[0], q[1], q[2], q[3],
                          q[4]);
        cli_json_set(object, c->name[i],
                     cli_json_object("count:i mean:n sd:n min:n q05:n median:n q95:n max:n",
                                     m.count, m.mean, m.sd, q[0], q[1], q[2], q[3], q[4]));
    }
}

/* ---- groups --------------------------------------------------------------------------------- */

typedef struct groups {
    cli_table  *table;
    json_t     *list;
    const char *member;
    int         count;
} groups;

static int take_group(void *context, const cli_field *field, int count)
{
    groups     *g = context;
    const char *text = field[0].kind == CLI_FIELD_TEXT ? field[0].text : "";
    (void)count;
    json_t *entry = cli_json_object("points:i first:i", (int)field[1].number, (int)field[2].number);
    cli_json_set(entry, g->member, cli_json_text(text));
    json_array_append_new(g->list, entry);
    if (g->count++ < GROUPS_SHOWN && g->table)
        cli_table_row(g->table, "sii", *text ? text : "none", (int)field[1].number,
                      (int)field[2].number);
    return 1;
}

static void add_groups(cli_sweep *sweep, groups *g, const char *query)
{
    g->list = json_array();
    cli_store_rows(sweep, query, take_group, g);
    if (g->count > GROUPS_SHOWN && g->table) {
        CLI_OWNED char *more = cli_format("and %d more", g->count - GROUPS_SHOWN);
        cli_table_row(g->table, "sss", more, "", "");
    }
}

/* ---- all of it ------------------------------------------------------------------------------ */

void cli_sweep_statistics(cli_sweep *sweep, int print)
{
    cli_session *s = &sweep->session;
    json_t      *object = json_object();
    cli_table   *table = NULL;
    groups       sequences = {.member = "sequence"}, failures = {.member = "error"};
    if (print) {
        table = cli_table_of("results", 1, "name|>mean|>sd|>min|>5 %|>median|>95 %|>max");
        sequences.table = cli_table_of("sequences of events", 1, "sequence|>points|>first");
        failures.table = cli_table_of("failures", 1, "error|>points|>first");
    }
    add_moments(sweep, table, object);
    add_groups(sweep, &sequences,
               "SELECT sequence, count(*), min(point) FROM results WHERE error IS NULL "
               "GROUP BY sequence ORDER BY 2 DESC, 3");
    add_groups(sweep, &failures,
               "SELECT coalesce(end || ': ', '') || error, count(*), min(point) FROM results "
               "WHERE error IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 3");
    cli_json_add(s->result, "statistics:j sequences:j failures:j", object, sequences.list,
                 failures.list);
    if (!print) return;
    cli_table_print(table, s->arguments->out, s->style);
    cli_table_print(sequences.table, s->arguments->out, s->style);
    cli_table_print(failures.table, s->arguments->out, s->style);
}
