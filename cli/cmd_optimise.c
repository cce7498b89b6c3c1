/* saltus optimise: the parameters for which a cost is smallest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_result.h"
#include "session.h"
#include "share.h"
#include "summary.h"
#include "team.h"
#include "text.h"

/* The progress of a search. */
typedef struct search_state {
    double first; /* residual of the conditions of an optimum at the start */
    double part;  /* part of the search that is done */
} search_state;

typedef struct work {
    cli_session         session;
    saltus_goal         goal;  /* goal in force */
    char              **names; /* names that the goal borrows */
    int                 name_count;
    const char        **over;
    saltus_limit       *limits;
    int                 limit_count;
    saltus_optimum     *optimum;
    saltus_optimum_info info;
    double             *start; /* parameters of the start */
    json_t             *history;
    search_state       *search; /* progress, by search */
    int                 search_count;
} work;

/* ---- the goal ------------------------------------------------------------------------------- */

static const char *keep_name(work *w, char *name)
{
    return *CLI_PUSH(w->names, w->name_count) = name;
}

/* Reads all of --over a,b --over 'u*'. */
static void read_over(work *w)
{
    const cli_arguments *a = w->session.arguments;
    for (int i = 0; i < a->count; i++) {
        if (a->given[i].option != CLI_OPTION_OVER) continue;
        if (!w->over) w->goal.over_count = 0;
        for (const char *list = a->given[i].value; list;)
            *CLI_PUSH(w->over, w->goal.over_count) = keep_name(w, cli_next_part(&list, ","));
    }
    if (w->over) w->goal.over = w->over;
}

/* 'name = 1', 'name <= 1', 'name >= 1'. */
static int read_limit(work *w, const char *text)
{
    const size_t    length = strcspn(text, "<>=");
    const char      sign = text[length];
    const char     *number = text + length + (sign && text[length + 1] == '=' ? 2 : 1);
    double          bound = 0.0;
    CLI_OWNED char *value = cli_trimmed(sign ? number : "", sign ? strlen(number) : 0);
    const int       ok = sign && cli_parse_real(value, &bound);
    if (!ok)
        return cli_misuse(&w->session.error,
                          "--subject '%s': must be like 'x_end = 1', 'peak <= 250' or 'gap >= 0'",
                          text);
    *CLI_PUSH(w->limits, w->limit_count) =
        (saltus_limit){keep_name(w, cli_trimmed(text, length)), sign == '<' ? -INFINITY : bound,
                       sign == '>' ? INFINITY : bound};
    return 1;
}

static void read_limits(work *w)
{
    const cli_arguments *a = w->session.arguments;
    int                  given = 0;
    for (int i = 0; i < a->count; i++)
        if (a->given[i].option == CLI_OPTION_SUBJECT) {
            given = 1;
            if (!read_limit(w, a->given[i].value)) return;
        }
    if (!given) return;
    w->goal.limits = w->limits;
    w->goal.limit_count = w->limit_count;
}

static void read_goal(work *w)
{
    const cli_arguments *a = w->session.arguments;
    const char          *minimise = cli_argument(a, CLI_OPTION_MINIMISE);
    w->goal = saltus_system_goal(w->session.system);
    if (minimise) w->goal.minimise = minimise;
    if (a->starts) w->goal.starts = a->starts;
    if (a->shooting) w->goal.shooting = a->shooting;
    if (a->sequences >= 0) w->goal.sequences = (saltus_sequences)a->sequences;
    if (a->engine >= 0) w->goal.engine = (saltus_engine)a->engine;
    read_over(w);
    read_limits(w);
}

/* ---- searching ------------------------------------------------------------------------------ */

/* The part of a search that is done, by the decades that its conditions still have to fall, or by
 * the number of steps that it may take. */
static double part_of_search(const search_state *search, const saltus_optimise_progress *p)
{
    const saltus_optimise_options options = saltus_optimise_options_default();
    const double                  steps = (double)p->iteration / options.max_iterations;
    const double error = fmax(p->kkt, p->violation), all = log(search->first / options.tolerance);
    const double fallen = log(search->first / fmax(error, options.tolerance));
    return fmax(steps, all > 0.0 && isfinite(fallen) ? fmin(fallen / all, 0.95) : 0.0);
}

/* The part of all searches that is done. They begin in order, as many at a time as there are
 * threads. */
static double reached(work *w, const saltus_optimise_progress *p)
{
    const int threads = w->session.arguments->threads;
    double    sum = 0.0;
    while (w->search_count <= p->start) *CLI_PUSH(w->search, w->search_count) = (search_state){0};
    search_state *now = &w->search[p->start];
    if (now->first == 0.0) now->first = fmax(p->kkt, p->violation);
    now->part = fmax(now->part, part_of_search(now, p));
    for (int i = 0; i < w->search_count; i++)
        sum += i + threads <= p->start ? 1.0 : w->search[i].part;
    return sum / (p->starts > 1 ? p->starts : 1);
}

static int show_progress(void *context, const saltus_optimise_progress *p)
{
    work        *w = context;
    cli_session *s = &w->session;
    char         start[40] = "";
    if (cli_team_size() == 1) /* otherwise each process has only a part */
        cli_json_push(w->history, "search:i step:i cost:n violation:n kkt:n", p->start,
                      p->iteration, p->value, p->violation, p->kkt);
    if (p->starts > 1) snprintf(start, sizeof start, "search %d of %d, ", p->start + 1, p->starts);
    cli_progress_reach(&s->progress, reached(w, p), "%sstep %d, cost %.4g", start, p->iteration,
                       p->value);
    return cli_interrupted();
}

static void search(work *w)
{
    cli_session            *s = &w->session;
    saltus_optimise_options options = saltus_optimise_options_default();
    options.seed = (unsigned long long)s->arguments->seed;
    options.progress = show_progress;
    options.progress_context = w;
    w->history = json_array();
    cli_sharing     sharing = {.identity = NULL};
    CLI_OWNED char *identity = NULL;
    if (cli_team_size() > 1) {
        if (w->goal.starts < 2 && w->goal.sequences != SALTUS_SEARCH_SEQUENCES)
            cli_session_warn(s, "there is one search, and nothing for other processes to do: add "
                                "--starts N");
        sharing.identity = identity = cli_session_identity(s);
        options.share = cli_share;
        options.share_context = &sharing;
    }
    cli_progress_plan(&s->progress, "optimising", 1.0);
    cli_progress_reach(&s->progress, 0.0, "first run");
    w->optimum = saltus_optimise(s->system, &s->options, &w->goal, s->values, &options, &s->error);
    cli_progress_done(&s->progress);
    if (sharing.error.status) s->error = sharing.error;
    w->info = saltus_optimum_get_info(w->optimum);
}

static void take_values(work *w)
{
    cli_session *s = &w->session;
    w->start = cli_alloc((size_t)s->size.params, sizeof *w->start);
    for (int i = 0; i < s->size.params; i++)
        w->start[i] = s->values ? s->values[i] : saltus_system_param(s->system, i).value;
    cli_session_take_values(s, saltus_optimum_params(w->optimum));
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *costs_json(const work *w)
{
    const double *value = saltus_optimum_costs(w->optimum);
    json_t       *object = json_object();
    for (int i = 0; i < w->info.costs; i++)
        cli_json_set(object, cli_cost_name(&w->session, i), cli_json_object("value:n", value[i]));
    return object;
}

static json_t *limits_json(const work *w)
{
    json_t *list = json_array();
    for (int i = 0; i < w->goal.limit_count; i++)
        cli_json_push(list, "cost:s min:n max:n multiplier:n", w->goal.limits[i].cost,
                      w->goal.limits[i].lower, w->goal.limits[i].upper,
                      saltus_optimum_multiplier(w->optimum, i));
    return list;
}

static json_t *borders_json(const work *w)
{
    json_t *list = json_array();
    for (int i = 0; i < w->info.borders; i++) {
        const saltus_border border = saltus_optimum_border(w->optimum, i);
        json_t             *events = json_array();
        json_array_append_new(events, cli_json_text(border.first));
        if (*border.second) json_array_append_new(events, cli_json_text(border.second));
        cli_json_push(list, "kind:s events:j distance:n multiplier:n", border.kind, events,
                      border.distance, border.multiplier);
    }
    return list;
}

static json_t *sequence_json(const work *w)
{
    json_t *list = json_array();
    for (int i = 0; i < w->info.events; i++)
        json_array_append_new(list, cli_json_text(saltus_optimum_event(w->optimum, i)));
    return list;
}

static json_t *parameters_json(const work *w, const double *values)
{
    return cli_json_by_param(&w->session, NULL, w->info.params, values, 1);
}

static json_t *row_json(const work *w, int index)
{
    const saltus_optimum_row row = saltus_optimum_get_row(w->optimum, index);
    json_t                  *events = json_array();
    for (int i = 0; i < row.events; i++)
        json_array_append_new(
            events, cli_json_text(saltus_system_event(w->session.system, row.event[i]).name));
    return cli_json_object("status:s sequence:j cost:n parameters:j",
                           saltus_optimum_status_name(row.status), events, row.value,
                           parameters_json(w, row.params));
}

static void note_result(work *w)
{
    cli_session *s = &w->session;
    if (!s->result || !w->optimum) return;
    cli_json_add(s->result, "parameters:j status:s", parameters_json(w, s->values),
                 saltus_optimum_status_name(w->info.status));
    if (*w->info.message) cli_json_add(s->result, "message:s", w->info.message);
    cli_json_add(s->result, "minimise:s start:j costs:j", w->goal.minimise,
                 parameters_json(w, w->start), costs_json(w));
    cli_json_add(s->result, "kkt:n violation:n limits:j", w->info.kkt, w->info.violation,
                 limits_json(w));
    cli_json_add(s->result, "sequence:j borders:j", sequence_json(w), borders_json(w));
    cli_json_add(s->result, "history:j", json_incref(w->history));
    cli_json_add(s->result, "counts:j",
                 cli_json_object("searches:i iterations:i runs:l gradients:l", w->info.searches,
                                 w->info.iterations, w->info.runs, w->info.gradients));
    if (w->goal.sequences != SALTUS_SEARCH_SEQUENCES) return;
    json_t *list = json_array();
    for (int i = 0; i < w->info.optima; i++) json_array_append_new(list, row_json(w, i));
    cli_json_add(s->result, "optima:j", list);
}

/* ---- tables --------------------------------------------------------------------------------- */

static int is_at(double value, double bound) { return value == bound; }

static void print_parameters(const work *w)
{
    const cli_session *s = &w->session;
    cli_table         *table = cli_table_of("parameters", 1, "parameter|>start|>optimum|bound");
    int                count = 0, place = 0;
    for (int i = 0; i < w->info.params; i++) count += saltus_optimum_is_over(w->optimum, i);
    for (int i = 0; i < w->info.params; i++) {
        if (!saltus_optimum_is_over(w->optimum, i)) continue;
        if (cli_summary_skips(s, place++, count)) continue;
        const saltus_param_info info = saltus_system_param(s->system, i);
        cli_table_row(table, "unns", info.name, info.unit, w->start[i], s->values[i],
                      is_at(s->values[i], info.lower)   ? "lower"
                      : is_at(s->values[i], info.upper) ? "upper"
                                                        : NULL);
    }
    cli_session_table(s, table);
    cli_summary_left_out(s, count);
}

/* "= 1", "<= 250", "from 0 to 1"; the caller frees. */
static char *limit_text(const saltus_limit *limit)
{
    if (limit->lower == limit->upper) return cli_format("= %.10g", limit->lower);
    if (isinf(limit->lower)) return cli_format("<= %.10g", limit->upper);
    if (isinf(limit->upper)) return cli_format(">= %.10g", limit->lower);
    return cli_format("from %.10g to %.10g", limit->lower, limit->upper);
}

static const saltus_limit *limit_of(const work *w, const char *cost, int *index)
{
    for (*index = 0; *index < w->goal.limit_count; ++*index)
        if (strcmp(w->goal.limits[*index].cost, cost) == 0) return &w->goal.limits[*index];
    return NULL;
}

static void print_costs(const work *w)
{
    const double *value = saltus_optimum_costs(w->optimum);
    cli_table    *table = cli_table_of("costs", 1, "cost|>value|should be|>d(minimum)/d(limit)");
    for (int i = 0; i < w->info.costs; i++) {
        int                 index;
        const char         *name = cli_cost_name(&w->session, i);
        const saltus_limit *limit = limit_of(w, name, &index);
        CLI_OWNED char     *text = limit ? limit_text(limit) : NULL;
        cli_table_row(table, "snso", name, value[i],
                      strcmp(name, w->goal.minimise) == 0 ? "smallest" : text,
                      limit ? saltus_optimum_multiplier(w->optimum, index) : NAN);
    }
    cli_session_table(&w->session, table);
}

/* "floor x 3, stop"; the caller frees. */
static char *sequence_text(const work *w, const int *event, int count)
{
    char *text = NULL;
    for (int i = 0; i < count;) {
        int same = 1;
        while (i + same < count && event[i + same] == event[i]) same++;
        text = cli_append(text, "%s%s", text ? ", " : "",
                          saltus_system_event(w->session.system, event[i]).name);
        if (same > 1) text = cli_append(text, " x %d", same);
        i += same;
    }
    return text ? text : cli_copy("no event");
}

static void print_borders(const work *w)
{
    const cli_session *s = &w->session;
    cli_table         *table = cli_table_of("borders of the sequence of events", 1,
                                            "border|events|>distance|>gain by crossing");
    for (int i = 0; i < w->info.borders; i++) {
        const saltus_border border = saltus_optimum_border(w->optimum, i);
        if (!s->arguments->verbose && !(border.multiplier > 0.0)) continue;
        CLI_OWNED char *events =
            cli_format(*border.second ? "%s, %s" : "%s", border.first, border.second);
        cli_table_row(table, "ssnn", border.kind, events, border.distance, border.multiplier);
    }
    cli_session_table(s, table);
}

static void print_optima(const work *w)
{
    cli_table *table =
        cli_table_of("one optimum per sequence of events", 1, ">#|>cost|status|events");
    for (int i = 0; i < w->info.optima; i++) {
        if (cli_summary_skips(&w->session, i, w->info.optima)) continue;
        const saltus_optimum_row row = saltus_optimum_get_row(w->optimum, i);
        CLI_OWNED char          *events = sequence_text(w, row.event, row.events);
        cli_table_row(table, "inss", i + 1, row.value, saltus_optimum_status_name(row.status),
                      events);
    }
    cli_session_table(&w->session, table);
    cli_summary_left_out(&w->session, w->info.optima);
}

static const char *const verdicts[] = {
    [SALTUS_OPTIMUM_CONVERGED] = "an optimum inside of its sequence of events",
    [SALTUS_OPTIMUM_BORDER] =
        "at the border of its sequence of events, beyond which the cost may fall",
    [SALTUS_OPTIMUM_KINK] = "at the border of its sequence of events; the cost rises on both sides",
    [SALTUS_OPTIMUM_LIMIT] = "not an optimum",
    [SALTUS_OPTIMUM_INFEASIBLE] = "the limits are not met",
    [SALTUS_OPTIMUM_INTERRUPTED] = "interrupted",
};

/* Describes the result. The optimum may be held back by another peak of a cost. */
static const char *verdict(const work *w)
{
    saltus_border most = {.multiplier = 0.0, .kind = ""};
    for (int i = 0; i < w->info.borders; i++) {
        const saltus_border border = saltus_optimum_border(w->optimum, i);
        if (border.multiplier > most.multiplier) most = border;
    }
    if (w->info.status == SALTUS_OPTIMUM_KINK && strcmp(most.kind, "peak") == 0)
        return "where two peaks of a cost are equally high; it rises on both sides";
    return verdicts[w->info.status];
}

static void print_tables(work *w)
{
    cli_session *s = &w->session;
    if (!w->optimum) return;
    cli_session_title(s);
    print_parameters(w);
    print_costs(w);
    print_borders(w);
    print_optima(w);
    cli_print(s->arguments->out, "%s: %s, conditions to %.1e\n",
              saltus_optimum_status_name(w->info.status), verdict(w), w->info.kkt);
    cli_print(s->arguments->out, "%d event%s, %d step%s, %lld runs, %lld gradients\n\n",
              w->info.events, w->info.events == 1 ? "" : "s", w->info.iterations,
              w->info.iterations == 1 ? "" : "s", w->info.runs, w->info.gradients);
}

/* ---- the command ---------------------------------------------------------------------------- */

static void fail_unless_found(work *w)
{
    const saltus_optimum_status status = w->info.status;
    if (w->session.error.status || !w->optimum || status <= SALTUS_OPTIMUM_KINK) return;
    cli_fail(&w->session.error,
             status == SALTUS_OPTIMUM_INTERRUPTED ? SALTUS_ERR_INTERRUPTED : SALTUS_ERR_LIMIT, "%s",
             *w->info.message ? w->info.message : "no optimum was found");
}

static void free_work(work *w)
{
    for (int i = 0; i < w->name_count; i++) free(w->names[i]);
    free(w->names);
    free(w->over);
    free(w->limits);
    free(w->start);
    free(w->search);
    json_decref(w->history);
    saltus_optimum_free(w->optimum);
}

int cli_command_optimise(const cli_arguments *arguments)
{
    work         w = {.optimum = NULL};
    cli_session *s = &w.session;
    cli_session_open(s, arguments);
    if (!s->error.status) read_goal(&w);
    if (!s->error.status) {
        search(&w);
        if (w.optimum) take_values(&w);
        note_result(&w);
        if (cli_session_prints(s)) print_tables(&w);
        if (w.optimum && !s->error.status) cli_session_write_result(s);
        fail_unless_found(&w);
    }
    free_work(&w);
    return cli_session_close(s);
}
