/* saltus sweep: computes costs and gradients at many points, with statistics of the results. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <sha256.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "json_result.h"
#include "report.h"
#include "share.h"
#include "sweep.h"
#include "team.h"
#include "text.h"

/* ---- the columns of the database ------------------------------------------------------------ */

/* Names in use: columns that every sweep has, and arrays of their texts. */
static const char *const taken[] = {"point",  "key",      "end",      "error",    "message",
                                    "t_end",  "steps",    "events",   "sequence", "ends",
                                    "errors", "messages", "sequences"};

/* Whether a name is in use; SQLite ignores the case of ASCII letters. */
static int is_taken(const cli_columns *c, const char *name)
{
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcasecmp(taken[i], name) == 0) return 1;
    for (int i = 0; i < c->count; i++)
        if (strcasecmp(c->name[i], name) == 0) return 1;
    return 0;
}

/* Adds a column with this name or, if it is in use, "kind(name)", or one with a number at its end.
 * Takes the name over. */
static void add(cli_columns *c, const char *kind, char *script_name)
{
    char *name = cli_valid_utf8(script_name);
    char *tried = is_taken(c, name) ? cli_format("%s(%s)", kind, name) : cli_copy(name);
    for (int i = 2; is_taken(c, tried); i++) {
        free(tried);
        tried = cli_format("%s(%s) %d", kind, name, i);
    }
    free(name);
    free(script_name);
    *CLI_PUSH(c->name, c->count) = tried;
}

/* Adds columns for events; automatic ones, such as kinks, have none. */
static void add_events(cli_columns *c, const cli_session *s)
{
    c->event = cli_alloc((size_t)s->size.events + 1, sizeof *c->event);
    for (int i = 0; i < s->size.events; i++) {
        const saltus_event_info event = saltus_system_event(s->system, i);
        if (event.automatic) continue;
        c->event[c->events++] = i;
        add(c, "event", cli_format("count(%s)", event.name));
    }
}

/* Adds columns for positions, velocities, memories and outputs that --final names. */
static void add_finals(cli_columns *c, cli_session *s)
{
    const saltus_size    size = s->size;
    const cli_arguments *a = s->arguments;
    const int            count = 2 * size.coordinates + size.memories + size.outputs;
    char               **names = cli_alloc((size_t)count + 1, sizeof *names);
    CLI_OWNED char      *chosen = cli_alloc((size_t)count + 1, 1);
    int                  n = 0;
    for (int order = 0; order < 2; order++)
        for (int i = 0; i < size.coordinates; i++) names[n++] = cli_motion_name(s, i, order);
    for (int i = 0; i < size.memories; i++) names[n++] = cli_column_name(s, CLI_MEMORY, i);
    for (int i = 0; i < size.outputs; i++) names[n++] = cli_column_name(s, CLI_OUTPUT, i);
    for (int i = 0; i < a->count && !s->error.status; i++)
        if (a->given[i].option == CLI_OPTION_FINAL)
            cli_choose(a->given[i].value, (const char *const *)names, count, chosen, "value",
                       "--final", &s->error);
    const cli_choice choice = cli_choice_of(chosen, count);
    c->final = choice.index;
    c->finals = choice.count;
    for (int i = 0; i < c->finals; i++) add(c, "final", cli_copy(names[c->final[i]]));
    cli_names_free(names, count);
}

static void make_columns(cli_sweep *sweep)
{
    cli_columns *c = &sweep->columns;
    cli_session *s = &sweep->session;
    c->params = sweep->plan.params;
    for (int i = 0; i < c->params; i++)
        add(c, "param", cli_copy(saltus_system_param(s->system, sweep->plan.param[i]).name));
    add_events(c, s);
    c->costs = s->size.costs;
    for (int i = 0; i < c->costs; i++) add(c, "cost", cli_copy(cli_cost_name(s, i)));
    add_finals(c, s);
    if (!sweep->with_gradients) return;
    c->derivatives = c->costs * s->params.count;
    for (int i = 0; i < c->costs; i++)
        for (int k = 0; k < s->params.count; k++)
            add(c, "derivative",
                cli_format("d(%s)/d(%s)", cli_cost_name(s, i), cli_param_name(s, k)));
}

/* ---- what results depend on besides the points: a database, and other processes, must agree ----
 */

static char *json_line(json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);
    if (!text) cli_out_of_memory();
    json_decref(value);
    return text;
}

/* The options that can change digits of results, as a text. */
static char *options_text(const cli_sweep *sweep)
{
    const cli_session *s = &sweep->session;
    json_t            *options = json_copy(json_object_get(s->result, "options"));
    json_object_del(options, "backend");
    json_object_del(options, "seed"); /* the seed is a part of the model */
    cli_json_add(options, "version:s gradients:b", saltus_version(), sweep->with_gradients);
    cli_json_add(options, "settings:j", json_incref(json_object_get(s->result, "settings")));
    if (sweep->with_gradients)
        cli_json_add(options, "method:s", saltus_method_name(s->arguments->method[0]));
    return json_line(options);
}

static char *values_text(const cli_sweep *sweep)
{
    json_t *values = cli_result_parameters(&sweep->session);
    for (int i = 0; i < sweep->plan.params; i++)
        json_object_del(values,
                        saltus_system_param(sweep->session.system, sweep->plan.param[i]).name);
    return json_line(values);
}

static char *names_text(const cli_sweep *sweep, int first, int last)
{
    return json_line(cli_json_texts(sweep->columns.name + first, last - first));
}

static void identify(cli_sweep *sweep)
{
    const cli_columns *c = &sweep->columns;
    const cli_identity about[CLI_IDENTITIES] = {
        {"script", "another script", cli_copy(sweep->session.sha256)},
        {"options", "other options or settings", options_text(sweep)},
        {"compiled", "other files that the script reads", cli_model_hash(&sweep->session)},
        {"over", "other parameters to sweep over", names_text(sweep, 0, c->params)},
        {"values", "other values of the parameters that stay", values_text(sweep)},
        {"results", "other results", names_text(sweep, c->params, c->count)},
    };
    SHA2_CTX hash;
    SHA256Init(&hash);
    memcpy(sweep->identity, about, sizeof about);
    for (int i = 0; i < CLI_IDENTITIES; i++)
        SHA256Update(&hash, (const uint8_t *)about[i].text, strlen(about[i].text) + 1);
    SHA256End(&hash, sweep->identity_hash);
}

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

/* A quantile, interpolated between neighbours in the sorted list, as the median is. */
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
    CLI_OWNED char *quoted = CLI_SQL_NAME(column);
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

/* Adds statistics to the JSON object of the session, and prints them as tables if requested:
 * distributions of costs, sequences of events, failures. */
static void add_statistics(cli_sweep *sweep, int print)
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

/* ---- the outcome ---------------------------------------------------------------------------- */

static void print_summary(const cli_sweep *sweep)
{
    const cli_session *s = &sweep->session;
    const char        *file = s->arguments->output;
    cli_print(s->arguments->out, "%d point%s, %d done%s%s, %d failed\n", sweep->points,
              sweep->points == 1 ? "" : "s", sweep->done, file ? " in " : "", file ? file : "",
              sweep->failed);
    if (sweep->computed)
        cli_print(s->arguments->out, "%d computed in %.3g s, %.3g per second\n", sweep->computed,
                  sweep->seconds, sweep->computed / fmax(sweep->seconds, 1e-9));
}

/* ---- the command ---------------------------------------------------------------------------- */

/* Checks that the files differ and can be written, before hours of work. */
static int check_files(cli_session *s)
{
    static const cli_option_id options[] = {CLI_OPTION_CSV, CLI_OPTION_NPZ, CLI_OPTION_REPORT};
    const cli_arguments       *a = s->arguments;
    for (int i = 0; i < 3; i++) {
        const char *file = cli_argument(a, options[i]);
        if (file && a->output && cli_output_is_same(file, a->output))
            return cli_misuse(&s->error, "'%s' is the database of -o: write to another file", file);
        if (file && i && strcmp(file, "-") == 0)
            return cli_misuse(&s->error, "--%s needs the name of a file",
                              cli_options[options[i]].name);
        for (int k = 0; file && k < i; k++) {
            const char *other = cli_argument(a, options[k]);
            if (other && (strcmp(file, other) == 0 || cli_output_is_same(file, other)))
                return cli_misuse(&s->error, "'%s' is named twice: write to another file", file);
        }
        if (file && strcmp(file, "-") != 0 && !cli_team_rank() &&
            !cli_output_may_open(file, &s->error))
            return 0;
    }
    return 1;
}

static int check_report(cli_session *s)
{
    const char *file = cli_argument(s->arguments, CLI_OPTION_REPORT);
    if (file && cli_sweep_page_size == 0)
        return cli_misuse(&s->error, "this saltus was built without reports: install esbuild and "
                                     "libjs-dygraphs and build it again");
    return !file || cli_report_may_replace(file) ||
           cli_misuse(&s->error,
                      "'%s' is not a report of saltus: choose another name, or remove it", file);
}

static int check_usage(cli_sweep *sweep)
{
    cli_session         *s = &sweep->session;
    const cli_arguments *a = s->arguments;
    const char          *csv = cli_argument(a, CLI_OPTION_CSV);
    if (cli_is_given(a, CLI_OPTION_RESUME) && !a->output && !cli_team_rank())
        return cli_misuse(&s->error, "--resume continues a database: name it with -o FILE.db");
    if (a->method_count > 1)
        return cli_misuse(&s->error, "a sweep has gradients by one method: name one of them");
    if (csv && strcmp(csv, "-") == 0 && a->json)
        return cli_misuse(&s->error, "--json and --csv - both write to standard output");
    return check_files(s) && check_report(s) &&
           (!a->output || cli_session_may_write(s, a->output, &s->error));
}

static void finish(cli_sweep *sweep)
{
    cli_session *s = &sweep->session;
    const char  *csv = cli_argument(s->arguments, CLI_OPTION_CSV), *file = s->arguments->output;
    saltus_error before = s->error;
    s->error = (saltus_error){0}; /* existing results are counted and written in any case */
    const int counted = cli_store_count(sweep);
    if (before.status) s->error = before;
    if (counted && !s->error.status && cli_interrupted())
        cli_fail(&s->error, SALTUS_ERR_INTERRUPTED, "interrupted: %d of %d points are done%s%s%s%s",
                 sweep->done, sweep->points, file ? "; --resume continues " : "", file ? "'" : "",
                 file ? file : "", file ? "'" : "");
    if (counted && !s->error.status && sweep->done && sweep->done == sweep->failed)
        cli_fail(&s->error, SALTUS_ERR_UNFINISHED, "no point could be simulated: see the messages");
    if (!counted) return;
    cli_json_add(s->result, "database:s points:i done:i failed:i", file, sweep->points, sweep->done,
                 sweep->failed);
    cli_json_add(s->stats, "computed:i sweep_seconds:n", sweep->computed, sweep->seconds);
    const int print = cli_session_prints(s) && !(csv && strcmp(csv, "-") == 0);
    if (print) cli_session_title(s);
    before = s->error;
    s->error = (saltus_error){0};
    add_statistics(sweep, print);
    if (before.status) s->error = before;
    cli_sweep_export(sweep);
    if (print) print_summary(sweep);
}

/* Performs the sweep. Process 0 has the database; the others compute for it. */
static void do_sweep(cli_sweep *sweep)
{
    cli_session *s = &sweep->session;
    make_columns(sweep);
    if (!s->error.status) identify(sweep);
    if (!s->error.status && !cli_team_rank()) cli_store_open(sweep, s->arguments->output);
    if (!s->error.status) {
        cli_sweep_compute(sweep);
        if (!cli_team_rank()) finish(sweep);
    }
    cli_store_close(sweep);
    cli_names_free(sweep->columns.name, sweep->columns.count);
    free(sweep->columns.event);
    free(sweep->columns.final);
}

int cli_command_sweep(const cli_arguments *arguments)
{
    cli_sweep    sweep = {.with_gradients = cli_is_given(arguments, CLI_OPTION_GRADIENTS)};
    cli_session *s = &sweep.session;
    cli_session_open(s, arguments);
    if (!s->error.status && check_usage(&sweep) && cli_plan_read(&sweep.plan, s)) do_sweep(&sweep);
    for (int i = 0; i < CLI_IDENTITIES; i++) free(sweep.identity[i].text);
    cli_plan_free(&sweep.plan);
    return cli_session_close(s);
}
