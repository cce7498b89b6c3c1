/* saltus gradient: derivatives of costs, of the end time and, if requested, of event times, by one
 * method or several. */
#include <math.h>
#include <stdlib.h>

#include "gradients.h"
#include "json_result.h"
#include "session.h"
#include "summary.h"
#include "text.h"
#include "time_series.h"

typedef struct work {
    cli_session   session;
    cli_gradients by[CLI_METHODS];
    int           count; /* methods computed so far */
} work;

/* ---- computing ------------------------------------------------------------------------------ */

static void forget(work *w)
{
    for (int i = 0; i < w->count; i++) cli_gradients_free(&w->by[i]);
    w->count = 0;
}

/* The method requested at this place. For a file, auto becomes a fixed method, as its contents
 * should not depend on the number of parameters. */
static saltus_method asked(const work *w, int place)
{
    const cli_arguments *a = w->session.arguments;
    return a->method[place] == SALTUS_AUTO && a->output ? SALTUS_DISCRETE : a->method[place];
}

/* Whether the method, with auto resolved, was named before: it is computed once. */
static int is_named_before(const work *w, int place)
{
    const saltus_method method = cli_gradients_method(&w->session, asked(w, place));
    for (int i = 0; i < place; i++)
        if (cli_gradients_method(&w->session, asked(w, i)) == method) return 1;
    return 0;
}

/* Keeps a gradient, unless auto turned out to be a method that was named, too. */
static void keep_once(work *w, cli_gradients found)
{
    for (int i = 0; i < w->count; i++)
        if (w->by[i].method == found.method) {
            cli_gradients_free(&found);
            return;
        }
    w->by[w->count++] = found;
}

/* Computes the gradient by every method, also if one fails. */
static void ask_methods(work *w, int with_end)
{
    cli_session    *s = &w->session;
    const cli_times times = s->arguments->event_times ? CLI_ALL_TIMES
                            : with_end                ? CLI_END_TIME
                                                      : CLI_NO_TIMES;
    forget(w);
    for (int i = 0; i < s->arguments->method_count && !cli_interrupted(); i++)
        if (!is_named_before(w, i)) keep_once(w, cli_gradients_compute(s, asked(w, i), times));
    for (int i = 0; i < w->count; i++)
        if (!s->error.status) s->error = w->by[i].error;
    if (cli_interrupted()) cli_fail(&s->error, SALTUS_ERR_INTERRUPTED, "interrupted");
}

/* Times the simulation and the gradient together, for each method. */
static void note_times(work *w, const cli_timing *complete)
{
    json_t *by_method = json_object();
    for (int i = 0; i < w->count; i++)
        cli_json_set(by_method, saltus_method_name(w->by[i].method),
                     cli_json_number(cli_timing_median(&complete[i])));
    cli_json_add(w->session.stats, "gradient_seconds:n method_seconds:j",
                 cli_timing_median(&complete[0]), by_method);
}

/* Times forward runs alone. A run whose gradient was computed keeps more in its record and is
 * slower. */
static void time_forward(cli_session *s, cli_timing *forward)
{
    for (long long i = 0; i < s->arguments->repeat && !s->error.status; i++)
        if (cli_session_simulate(s)) cli_timing_add(forward, s->forward);
}

/* With --repeat, times the gradient of the costs, as an optimiser uses it. Derivatives of event
 * times, which are only printed, are computed once, outside of the measured time. */
static void repeat(work *w)
{
    cli_session *s = &w->session;
    cli_timing   whole = {0}, forward = {0}, complete[CLI_METHODS] = {{0}};
    if (s->params.count == 0)
        cli_session_warn(s, "the model has no parameter that is not fixed: there is nothing to "
                            "differentiate by");
    const int apart = s->arguments->timing && s->params.count > 0;
    if (apart) time_forward(s, &forward);
    for (long long i = 0; i < s->arguments->repeat && !s->error.status; i++) {
        const double start = cli_seconds();
        if (cli_session_simulate(s)) ask_methods(w, !s->arguments->timing);
        cli_timing_add(&whole, cli_seconds() - start);
        if (!apart) cli_timing_add(&forward, s->forward);
        for (int m = 0; m < w->count; m++)
            cli_timing_add(&complete[m], s->forward + w->by[m].seconds);
    }
    cli_timing_note(s, &whole, &forward);
    note_times(w, complete);
    if (s->arguments->timing && !s->arguments->event_times && w->count) ask_methods(w, 1);
    for (int m = 0; m < CLI_METHODS; m++) cli_timing_free(&complete[m]);
    cli_timing_free(&whole);
    cli_timing_free(&forward);
}

/* ---- several methods ------------------------------------------------------------------------ */

/* The largest difference between two methods, relative to the scale of its cost's gradient. */
typedef struct disagreement {
    double value;
    int    cost, param, first, second;
} disagreement;

static double row_scale(const work *w, int cost)
{
    const int    np = w->session.params.count;
    const double value = w->session.cost[cost];
    double       scale = 0.0;
    for (int m = 0; m < w->count; m++)
        if (!w->by[m].error.status)
            scale = fmax(scale, cli_gradient_scale(&w->session, w->by[m].cost + cost * np, value));
    return scale;
}

static double difference(const work *w, int first, int second, int entry, double scale)
{
    if (w->by[first].error.status || w->by[second].error.status) return 0.0;
    const double d = fabs(w->by[first].cost[entry] - w->by[second].cost[entry]);
    return scale > 0.0 ? d / scale : d;
}

static disagreement find_disagreement(const work *w)
{
    const int    np = w->session.params.count;
    disagreement worst = {0};
    for (int i = 0; i < w->session.size.costs; i++) {
        const double scale = row_scale(w, i);
        for (int k = 0; k < np; k++)
            for (int a = 0; a < w->count; a++)
                for (int b = a + 1; b < w->count; b++) {
                    const double d = difference(w, a, b, i * np + k, scale);
                    if (d > worst.value || isnan(d)) worst = (disagreement){d, i, k, a, b};
                }
    }
    return worst;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *disagreement_json(const work *w)
{
    const disagreement d = find_disagreement(w);
    json_t            *object = cli_json_object("value:n", d.value);
    if (!(d.value > 0.0)) return cli_json_add(object, "methods:j", json_array());
    return cli_json_add(object, "cost:s parameter:s methods:j", cli_cost_name(&w->session, d.cost),
                        cli_param_name(&w->session, d.param),
                        json_pack("[ss]", saltus_method_name(w->by[d.first].method),
                                  saltus_method_name(w->by[d.second].method)));
}

/* Adds the results. Each of several methods has an object with all results that it has alone. */
static void note_results(work *w)
{
    cli_session  *s = &w->session;
    saltus_method used[CLI_METHODS];
    if (!s->result) return;
    for (int i = 0; i < w->count; i++) used[i] = w->by[i].method;
    if (w->count) cli_result_method(s, used, w->count);
    if (s->arguments->method_count == 1) {
        cli_result_run(s, s->result, w->count ? &w->by[0] : NULL, 0);
        return;
    }
    json_t *methods = json_object();
    for (int i = 0; i < w->count; i++) {
        const char *name = saltus_method_name(w->by[i].method);
        json_t     *object = json_copy(s->result);
        cli_json_add(object, "method:s", name);
        cli_result_run(s, object, &w->by[i], 0);
        if (w->by[i].error.status) cli_json_add(object, "error:j", cli_json_error(&w->by[i].error));
        cli_json_set(methods, name, object);
    }
    cli_result_run(s, s->result, NULL, 0);
    cli_json_add(s->result, "methods:j disagreement:j", methods, disagreement_json(w));
}

/* ---- tables --------------------------------------------------------------------------------- */

/* The effect of a relative change of a parameter, as a part of the largest such effect. */
static double part_of(const cli_session *s, const double *row, int k)
{
    double most = 0.0;
    for (int j = 0; j < s->params.count; j++)
        most = fmax(most, fabs(row[j]) * cli_param_size(s, j));
    return most > 0.0 ? fabs(row[k]) * cli_param_size(s, k) / most : 0.0;
}

static void derivative_cell(const cli_session *s, cli_table *table, const double *row, int k)
{
    cli_table_signed(table, row[k], part_of(s, row, k));
}

/* One method: a row per parameter, a column per cost. */
static void print_gradient(const work *w, const cli_gradients *g)
{
    const cli_session *s = &w->session;
    const int          np = s->params.count;
    CLI_OWNED char    *title = cli_format("gradient (%s)", saltus_method_name(g->method));
    cli_table         *table = cli_table_of(title, 1, "by|>value");
    for (int i = 0; i < s->size.costs; i++) cli_table_column(table, cli_cost_name(s, i), 1);
    for (int k = 0; k < np; k++) {
        const saltus_param_info info = saltus_system_param(s->system, s->params.index[k]);
        cli_table_row(table, "un", info.name, info.unit, info.value);
        for (int i = 0; i < s->size.costs; i++) derivative_cell(s, table, g->cost + i * np, k);
    }
    cli_session_table(s, table);
}

static int end_moves(const work *w, const cli_gradients *g)
{
    int moves = 0;
    for (int k = 0; k < w->session.params.count; k++) moves |= g->end[k] != 0.0;
    return moves;
}

static void row_of_end(const work *w, cli_table *table, const cli_gradients *g)
{
    cli_table_row(table, "sn", "(end)", saltus_run_get_info(w->session.run)->t);
    for (int k = 0; k < w->session.params.count; k++)
        derivative_cell(&w->session, table, g->end, k);
}

static void param_columns(const work *w, cli_table *table)
{
    for (int k = 0; k < w->session.params.count; k++)
        cli_table_column(table, cli_param_name(&w->session, k), 1);
}

static void print_end(const work *w, const cli_gradients *g)
{
    if (!end_moves(w, g)) return;
    cli_table *table = cli_table_of("gradient of the end time", 2, "event|>time");
    param_columns(w, table);
    row_of_end(w, table, g);
    cli_session_table(&w->session, table);
}

/* A row per event; with a gradient, a column per parameter, and the end too, if it moves. */
static void print_times(const work *w, const cli_gradients *g)
{
    const cli_session *s = &w->session;
    const int          np = g ? s->params.count : 0;
    cli_table         *table =
        cli_table_of(g ? "gradient of the event times" : "events", 3, ">#|event|>time");
    if (g) param_columns(w, table);
    for (int i = 0; i < s->events && (np > 0 || !g); i++) {
        if (cli_summary_skips(s, i, s->events)) continue;
        const saltus_occurrence at = saltus_run_event(s->run, i);
        cli_table_row(table, "isn", i + 1, at.name, at.t);
        for (int k = 0; k < np; k++) derivative_cell(s, table, g->time + i * np, k);
    }
    if (g && end_moves(w, g)) {
        cli_table_cell(table, "");
        row_of_end(w, table, g);
    }
    cli_session_table(s, table);
    cli_summary_left_out(s, s->events);
}

/* Several methods: a row per cost, or per event, and parameter; a column per method, "-" where it
 * failed. */
static void print_methods(const work *w, int times)
{
    const cli_session *s = &w->session;
    const int          np = s->params.count, rows = times ? s->events : s->size.costs;
    cli_table         *table = times ? cli_table_of("gradient of the event times", 3, ">#|event|by")
                                     : cli_table_of("gradient", 2, "cost|by");
    for (int m = 0; m < w->count; m++)
        cli_table_column(table, saltus_method_name(w->by[m].method), 1);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < np && !(times && cli_summary_skips(s, i, rows)); k++) {
            if (times) cli_table_row(table, "is", i + 1, saltus_run_event(s->run, i).name);
            else cli_table_cell(table, cli_cost_name(s, i));
            cli_table_cell(table, cli_param_name(s, k));
            for (int m = 0; m < w->count; m++) {
                const cli_gradients *g = &w->by[m];
                if (g->error.status) cli_table_number(table, NAN);
                else derivative_cell(s, table, (times ? g->time : g->cost) + i * np, k);
            }
        }
    cli_session_table(s, table);
    if (times) cli_summary_left_out(s, rows);
}

static int succeeded(const work *w)
{
    int count = 0;
    for (int m = 0; m < w->count; m++) count += !w->by[m].error.status;
    return count;
}

static void print_disagreement(const work *w)
{
    const disagreement d = find_disagreement(w);
    if (succeeded(w) < 2 || w->session.params.count == 0) return;
    if (d.value == 0.0) {
        fprintf(w->session.arguments->out, "the methods give the same digits\n\n");
        return;
    }
    cli_print(w->session.arguments->out,
              "largest disagreement: %.2g of the gradient's scale (%s by %s, %s and %s)\n\n",
              d.value, cli_cost_name(&w->session, d.cost), cli_param_name(&w->session, d.param),
              saltus_method_name(w->by[d.first].method),
              saltus_method_name(w->by[d.second].method));
}

static void print_tables(work *w)
{
    cli_session *s = &w->session;
    cli_session_title(s);
    cli_summary_costs(s);
    if (s->arguments->verbose) cli_summary_state(s);
    if (s->arguments->method_count > 1 && w->count > 0) {
        print_methods(w, 0);
        print_disagreement(w);
        if (s->arguments->event_times) print_methods(w, 1);
        else print_times(w, NULL);
    } else if (w->count > 0 && !w->by[0].error.status) {
        print_gradient(w, &w->by[0]);
        print_times(w, s->arguments->event_times ? &w->by[0] : NULL);
        if (!s->arguments->event_times) print_end(w, &w->by[0]);
    }
}

/* ---- over time ------------------------------------------------------------------------------ */

/* The method for -o: the first one with results over time. */
static saltus_method method_over_time(const cli_arguments *a)
{
    for (int i = 0; i < a->method_count; i++)
        if (a->method[i] != SALTUS_FD) return a->method[i];
    return SALTUS_FD;
}

static void write_sensitivities(cli_session *s)
{
    if (!s->output || s->error.status) return;
    cli_time_series   series = {0};
    int               count = 0;
    CLI_OWNED double *times = cli_time_series_times(s, &count);
    const int         read = method_over_time(s->arguments) == SALTUS_DIRECT
                                 ? cli_tangents_read(s, &series)
                                 : cli_adjoints_read(s, &series, 0, times, count);
    if (read) cli_time_series_write(s, &series);
    cli_time_series_free(&series);
}

/* Answers --one-sided. Nothing else is computed, as the gradient itself may not exist. */
static void answer_one_sided(cli_session *s)
{
    const cli_arguments *a = s->arguments;
    if (a->output || a->jsonl || a->timing || a->event_times)
        cli_misuse(&s->error,
                   "--one-sided gives the limits of gradients only: leave -o, --jsonl, --repeat "
                   "and --event-times out");
    if (!cli_session_simulate(s)) return;
    if (s->result) cli_result_run(s, s->result, NULL, 0);
    if (cli_session_prints(s)) {
        cli_session_title(s);
        cli_summary_costs(s);
    }
    cli_one_sided(s);
}

int cli_command_gradient(const cli_arguments *arguments)
{
    work         w = {.count = 0};
    cli_session *s = &w.session;
    cli_session_open(s, arguments);
    if (arguments->output && method_over_time(arguments) == SALTUS_FD)
        cli_misuse(&s->error,
                   "fd has no sensitivities over time: for -o take --method direct or adjoint");
    if (!s->error.status && cli_is_given(arguments, CLI_OPTION_ONE_SIDED)) {
        answer_one_sided(s);
    } else if (!s->error.status && arguments->jsonl) {
        cli_lines_answer(s, 1);
    } else if (!s->error.status) {
        repeat(&w);
        note_results(&w);
        if (cli_session_prints(s)) print_tables(&w);
        if (cli_is_given(arguments, CLI_OPTION_HESSIAN) && !s->error.status) cli_hessian(s);
        if (cli_is_given(arguments, CLI_OPTION_TRUST) && !s->error.status) cli_reach(s);
        if (cli_session_prints(s)) cli_summary_work(s);
        write_sensitivities(s);
    }
    forget(&w);
    return cli_session_close(s);
}
