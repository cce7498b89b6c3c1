/* saltus periodic: a motion that repeats itself, its multipliers, and their derivatives; with
 * --along, a family of such motions, as a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_result.h"
#include "summary.h"
#include "text.h"

typedef struct work {
    cli_session                   session;
    saltus_periodic              *periodic;
    const saltus_periodic_result *result;
} work;

static const cli_end ends[] = {
    [SALTUS_PERIODIC_FOUND] = {"converged", SALTUS_OK},
    [SALTUS_PERIODIC_SINGULAR] = {"singular", SALTUS_ERR_NO_GRADIENT},
    [SALTUS_PERIODIC_STUCK] = {"stalled", SALTUS_ERR_UNFINISHED},
    [SALTUS_PERIODIC_LIMIT] = {"limit", SALTUS_ERR_LIMIT},
    [SALTUS_PERIODIC_NO_START] = {"no start", SALTUS_ERR_UNFINISHED},
    [SALTUS_PERIODIC_NOT_SOUGHT] = {"not sought", SALTUS_ERR_UNFINISHED},
};

/* ---- computing ------------------------------------------------------------------------------ */

static const char *name_of(const work *w, int param)
{
    return saltus_system_param(w->session.system, param).name;
}

/* The requested costs, by their numbers in the model. */
static int *costs_of(const cli_session *s)
{
    int *costs = cli_alloc((size_t)s->size.costs, sizeof *costs);
    for (int i = 0; i < s->size.costs; i++)
        while (strcmp(saltus_model_cost_name(s->model, costs[i]), cli_cost_name(s, i)) != 0)
            costs[i]++;
    return costs;
}

static void make_search(work *w)
{
    cli_session         *s = &w->session;
    CLI_OWNED int       *costs = costs_of(s);
    const saltus_request request = {.method = SALTUS_AUTO,
                                    .costs = costs,
                                    .cost_count = s->size.costs,
                                    .params = s->params.index,
                                    .param_count = s->params.count};
    w->periodic = saltus_periodic_new(s->model, &s->options, &request, &s->error);
}

static void search(work *w)
{
    cli_session *s = &w->session;
    cli_progress_begin(&s->progress, "searching");
    saltus_periodic_find(w->periodic, NULL, &s->error);
    cli_progress_end(&s->progress);
    w->result = saltus_periodic_get_result(w->periodic);
    cli_session_take_values(s, w->result->params); /* the session's run becomes periodic */
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* {param: x} over the parameters of derivatives. */
static json_t *by_json(const work *w, const double *gradient)
{
    return cli_json_by_param(&w->session, w->result->by, w->result->params_by, gradient, 1);
}

static json_t *multiplier_json(const work *w, int i)
{
    const saltus_periodic_result *r = w->result;
    json_t                       *object =
        cli_json_object("re:n im:n abs:n", r->re[i], r->im[i], hypot(r->re[i], r->im[i]));
    const int first = i * r->params_by;
    return cli_json_add(object, "gradient:j",
                        r->re_gradient
                            ? cli_json_complex(&w->session, r->by, r->params_by,
                                               r->re_gradient + first, r->im_gradient + first)
                            : json_object());
}

static json_t *multipliers_json(const work *w)
{
    json_t *list = json_array();
    for (int i = 0; w->result->re && i < w->result->unknowns; i++)
        json_array_append_new(list, multiplier_json(w, i));
    return list;
}

/* {start parameter: x} of the values of all parameters. */
static json_t *point_json(const work *w, const double *params)
{
    const saltus_periodic_result *r = w->result;
    json_t                       *object = json_object();
    for (int i = 0; params && i < r->unknowns; i++)
        cli_json_set(object, name_of(w, r->unknown[i]), cli_json_number(params[r->unknown[i]]));
    return object;
}

/* {parameter: {start parameter: x}} */
static json_t *gradient_json(const work *w)
{
    const saltus_periodic_result *r = w->result;
    json_t                       *object = json_object();
    for (int k = 0; r->gradient && k < r->params_by; k++)
        cli_json_set(
            object, name_of(w, r->by[k]),
            cli_json_by_param(&w->session, r->unknown, r->unknowns, r->gradient + k, r->params_by));
    return object;
}

static json_t *costs_json(const work *w)
{
    const saltus_periodic_result *r = w->result;
    json_t                       *object = json_object();
    for (int i = 0; r->cost && i < r->costs; i++) {
        json_t *cost = cli_json_object("value:n", r->cost[i]);
        if (r->cost_gradient)
            cli_json_add(cost, "gradient:j", by_json(w, r->cost_gradient + i * r->params_by));
        cli_json_set(object, cli_cost_name(&w->session, i), cost);
    }
    return object;
}

static void note_result(work *w)
{
    cli_session                  *s = &w->session;
    const saltus_periodic_result *r = w->result;
    if (!s->result || !r) return;
    cli_json_add(s->result, "parameters:j status:s", cli_result_parameters(s), ends[r->end].name);
    if (*r->message) cli_json_add(s->result, "message:s", r->message);
    cli_json_add(s->result, "fixed_point:j period:n residual:n", point_json(w, r->params),
                 r->period, r->residual);
    cli_json_add(s->result, "multipliers:j gradient:j", multipliers_json(w), gradient_json(w));
    if (r->period_gradient)
        cli_json_add(s->result, "period_gradient:j", by_json(w, r->period_gradient));
    if (r->map) cli_json_add(s->result, "map:j", cli_json_matrix(r->map, r->unknowns, r->unknowns));
    if (s->run && !s->error.status) cli_result_run(s, s->result, NULL, 0);
    cli_json_add(
        s->result, "costs:j counts:j", costs_json(w),
        cli_json_object("iterations:i runs:i gradients:i", r->iterations, r->runs, r->gradients));
}

/* ---- tables --------------------------------------------------------------------------------- */

static void print_point(const work *w)
{
    const saltus_periodic_result *r = w->result;
    cli_table                    *table = cli_table_of(
                           r->end == SALTUS_PERIODIC_FOUND || r->end == SALTUS_PERIODIC_SINGULAR ? "fixed point"
                                                                                                 : "best point",
        1, "parameter|>value");
    for (int i = 0; i < r->unknowns; i++) {
        const saltus_param_info info = saltus_system_param(w->session.system, r->unknown[i]);
        cli_table_row(table, "un", info.name, info.unit, r->params[r->unknown[i]]);
    }
    if (isfinite(r->period)) cli_table_row(table, "sn", "(period)", r->period);
    cli_session_table(&w->session, table);
}

static void print_multipliers(const work *w)
{
    const saltus_periodic_result *r = w->result;
    if (!r->re) return;
    cli_table *table = cli_table_of("multipliers", 1, ">#|>real|>imaginary|>modulus");
    for (int i = 0; i < r->unknowns; i++)
        cli_table_row(table, "innn", i + 1, r->re[i], r->im[i], hypot(r->re[i], r->im[i]));
    cli_session_table(&w->session, table);
    const double most = hypot(r->re[0], r->im[0]);
    cli_print(w->session.arguments->out, "%s: small deviations %s by %.10g per period\n\n",
              most < 1.0 ? "stable" : "unstable", most < 1.0 ? "shrink" : "grow", most);
}

/* Whether a multiplier has a row; a conjugate pair has one. */
static int is_shown(const saltus_periodic_result *r, int i) { return r->im[i] >= 0.0; }

static double modulus_gradient(const saltus_periodic_result *r, int i, int k)
{
    const int    entry = i * r->params_by + k;
    const double modulus = hypot(r->re[i], r->im[i]);
    return (r->re[i] * r->re_gradient[entry] + r->im[i] * r->im_gradient[entry]) / modulus;
}

static void print_gradients(const work *w)
{
    const saltus_periodic_result *r = w->result;
    if (!r->gradient || !r->re_gradient || !r->params_by) return;
    cli_table *table = cli_table_of("gradient on the periodic motion", 1, "by");
    for (int i = 0; i < r->unknowns; i++) cli_table_column(table, name_of(w, r->unknown[i]), 1);
    cli_table_column(table, "period", 1);
    for (int i = 0; i < r->unknowns; i++) {
        CLI_OWNED char *name = cli_format("|multiplier %d|", i + 1);
        if (is_shown(r, i)) cli_table_column(table, name, 1);
    }
    for (int i = 0; i < r->costs; i++) cli_table_column(table, cli_cost_name(&w->session, i), 1);
    for (int k = 0; k < r->params_by; k++) {
        cli_table_cell(table, name_of(w, r->by[k]));
        for (int i = 0; i < r->unknowns; i++)
            cli_table_number(table, r->gradient[i * r->params_by + k]);
        cli_table_number(table, r->period_gradient[k]);
        for (int i = 0; i < r->unknowns; i++)
            if (is_shown(r, i)) cli_table_number(table, modulus_gradient(r, i, k));
        for (int i = 0; i < r->costs; i++)
            cli_table_number(table, r->cost_gradient[i * r->params_by + k]);
    }
    cli_session_table(&w->session, table);
}

static void print_tables(work *w)
{
    cli_session                  *s = &w->session;
    const saltus_periodic_result *r = w->result;
    if (!r || !r->params) return;
    cli_session_title(s);
    print_point(w);
    print_multipliers(w);
    if (s->run && s->cost) cli_summary_costs(s);
    print_gradients(w);
    if (s->arguments->verbose)
        cli_print(s->arguments->out, "%d iterations, %d runs, %d gradients\n\n", r->iterations,
                  r->runs, r->gradients);
}

/* Makes the session fail if the search found nothing. */
static void fail_unless_found(work *w)
{
    if (w->result) cli_session_ends(&w->session, ends[w->result->end], w->result->message);
}

/* ---- --along: the motion while a parameter changes ------------------------------------------ */

/* --along NAME=FROM:TO:STEP */
typedef struct range {
    int    param;
    double from, to, step;
} range;

typedef struct member {
    saltus_family_kind kind;
    char              *text;
    double            *params, *re, *im;
    double             arc, period;
    int                stable;
} member;

typedef struct family {
    work   *work;
    range   range;
    member *list;
    int     count;
    int     multipliers;
} family;

static int read_numbers(const char *text, double number[3])
{
    char *copy = cli_copy(text), *next = copy;
    int   count = 0, ok = 1;
    while (ok && next && count < 3) {
        char *end = strchr(next, ':');
        if (end) *end++ = '\0';
        ok = cli_parse_real(next, &number[count++]);
        next = end;
    }
    ok = ok && !next && count == 3;
    free(copy);
    return ok;
}

static int read_range(cli_session *s, range *out)
{
    const char *text = cli_argument(s->arguments, CLI_OPTION_ALONG);
    const char *equal = strchr(text, '=');
    double      number[3];
    if (!equal || !read_numbers(equal + 1, number))
        return cli_misuse(
            &s->error, "--along '%s': write NAME=FROM:TO:STEP, as in --along k=10:11:0.05", text);
    CLI_OWNED char        *name = cli_trimmed(text, (size_t)(equal - text));
    const int              count = s->size.params;
    CLI_OWNED const char **names = cli_alloc((size_t)count, sizeof *names);
    CLI_OWNED char        *chosen = cli_alloc((size_t)count + 1, 1);
    for (int i = 0; i < count; i++) names[i] = saltus_system_param(s->system, i).name;
    int        ok = cli_choose(name, names, count, chosen, "parameter", "--along", &s->error);
    cli_choice choice = cli_choice_of(chosen, count);
    if (ok && choice.count != 1)
        ok =
            cli_misuse(&s->error, "--along follows one parameter, '%s' are %d", name, choice.count);
    *out = (range){ok ? choice.index[0] : -1, number[0], number[1], number[2]};
    free(choice.index);
    return ok;
}

/* ---- collecting ----------------------------------------------------------------------------- */

static double *copy_of(const double *values, int count)
{
    double *copy = cli_alloc((size_t)count + 1, sizeof *copy);
    memcpy(copy, values, (size_t)count * sizeof *copy);
    return copy;
}

/* Shows the part of the interval that has been followed, first one way and then the other. */
static void show_reach(const family *f)
{
    const range *r = &f->range;
    const double first = f->list[0].params[r->param], now = f->list[f->count - 1].params[r->param];
    double       low = first, high = first;
    for (int i = 0; i < f->count; i++) {
        low = fmin(low, f->list[i].params[r->param]);
        high = fmax(high, f->list[i].params[r->param]);
    }
    cli_progress_reach(&f->work->session.progress, (high - low) / fabs(r->to - r->from),
                       "point %d, %s = %.6g", f->count, name_of(f->work, r->param), now);
}

static int keep(void *context, const saltus_family_point *at)
{
    family *f = context;
    f->multipliers = at->multipliers;
    *CLI_PUSH(f->list, f->count) =
        (member){.kind = at->kind,
                 .text = cli_copy(at->text),
                 .params = copy_of(at->params, f->work->session.size.params),
                 .re = copy_of(at->re, at->multipliers),
                 .im = copy_of(at->im, at->multipliers),
                 .arc = at->arc,
                 .period = at->period,
                 .stable = at->stable};
    show_reach(f);
    return 0;
}

static int compare(const void *a, const void *b)
{
    const double x = ((const member *)a)->arc, y = ((const member *)b)->arc;
    return (x > y) - (x < y);
}

static void forget(family *f)
{
    for (int i = 0; i < f->count; i++) {
        free(f->list[i].text);
        free(f->list[i].params);
        free(f->list[i].re);
        free(f->list[i].im);
    }
    free(f->list);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *member_json(const family *f, const member *m)
{
    json_t *multipliers = json_array();
    for (int i = 0; i < f->multipliers; i++)
        cli_json_push(multipliers, "re:n im:n abs:n", m->re[i], m->im[i],
                      hypot(m->re[i], m->im[i]));
    json_t *object = cli_json_object("kind:s", saltus_family_kind_name(m->kind));
    cli_json_set(object, "value", cli_json_number(m->params[f->range.param]));
    if (*m->text) cli_json_add(object, "text:s", m->text);
    return cli_json_add(object, "fixed_point:j period:n multipliers:j stable:b",
                        point_json(f->work, m->params), m->period, multipliers, m->stable);
}

static void note_family(family *f, int complete)
{
    cli_session *s = &f->work->session;
    if (!s->result) return;
    json_t *points = json_array(), *changes = json_array();
    for (int i = 0; i < f->count; i++) {
        json_t *point = member_json(f, &f->list[i]);
        if (f->list[i].kind != SALTUS_FAMILY_POINT) json_array_append(changes, point);
        json_array_append_new(points, point);
    }
    cli_json_add(s->result, "status:s along:j changes:j points:j",
                 !f->count  ? "no start"
                 : complete ? "converged"
                            : "stalled",
                 cli_json_object("parameter:s from:n to:n step:n", name_of(f->work, f->range.param),
                                 f->range.from, f->range.to, f->range.step),
                 changes, points);
    const saltus_periodic_result *r = f->work->result;
    cli_json_add(s->result, "counts:j",
                 cli_json_object("points:i runs:i gradients:i", f->count, r->runs, r->gradients));
}

/* ---- tables --------------------------------------------------------------------------------- */

static void print_family(const family *f)
{
    const work                   *w = f->work;
    const saltus_periodic_result *r = w->result;
    cli_table                    *table = cli_table_of("periodic motions", 2, "change");
    cli_table_column(table, name_of(w, f->range.param), 1);
    for (int i = 0; i < r->unknowns; i++) cli_table_column(table, name_of(w, r->unknown[i]), 1);
    cli_table_column(table, "period", 1);
    cli_table_column(table, "|multiplier|", 1);
    cli_table_column(table, "stable", 0);
    for (int k = 0; k < f->count; k++) {
        const member *m = &f->list[k];
        const int     special = m->kind != SALTUS_FAMILY_POINT;
        cli_table_row(table, "sn", special ? saltus_family_kind_name(m->kind) : "",
                      m->params[f->range.param]);
        for (int i = 0; i < r->unknowns; i++) cli_table_number(table, m->params[r->unknown[i]]);
        cli_table_row(table, "nns", m->period, hypot(m->re[0], m->im[0]), m->stable ? "yes" : "no");
    }
    cli_session_table(&w->session, table);
    for (int k = 0; k < f->count; k++)
        if (f->list[k].kind != SALTUS_FAMILY_POINT)
            cli_print(w->session.arguments->out, "%s at %s = %.12g: %s\n",
                      saltus_family_kind_name(f->list[k].kind), name_of(w, f->range.param),
                      f->list[k].params[f->range.param], f->list[k].text);
}

/* Names of a script in CSV: quoted, with quotes doubled. */
static void print_quoted(FILE *stream, const char *text)
{
    CLI_OWNED char *quoted = cli_quoted(text, "\"", "\"\"");
    fputs(quoted, stream);
}

static void write_number(FILE *stream, double value)
{
    char text[32];
    fprintf(stream, ",%s", cli_number_text(value, text));
}

static void write_csv(const family *f, FILE *stream)
{
    const saltus_periodic_result *r = f->work->result;
    fputs("kind,", stream);
    print_quoted(stream, name_of(f->work, f->range.param));
    for (int i = 0; i < r->unknowns; i++) {
        fputc(',', stream);
        print_quoted(stream, name_of(f->work, r->unknown[i]));
    }
    fputs(",period,stable", stream);
    for (int i = 0; i < f->multipliers; i++) fprintf(stream, ",re%d,im%d", i + 1, i + 1);
    fputc('\n', stream);
    for (int k = 0; k < f->count; k++) {
        const member *m = &f->list[k];
        fputs(saltus_family_kind_name(m->kind), stream);
        write_number(stream, m->params[f->range.param]);
        for (int i = 0; i < r->unknowns; i++) write_number(stream, m->params[r->unknown[i]]);
        write_number(stream, m->period);
        fprintf(stream, ",%d", m->stable);
        for (int i = 0; i < f->multipliers; i++) {
            write_number(stream, m->re[i]);
            write_number(stream, m->im[i]);
        }
        fputc('\n', stream);
    }
}

static void write_family(const family *f)
{
    cli_session *s = &f->work->session;
    if (!s->output) return;
    if (cli_ends_with(s->arguments->output, ".json")) {
        cli_session_write_result(s);
        return;
    }
    write_csv(f, s->output);
    cli_session_keep(s);
}

static void follow(work *w)
{
    cli_session *s = &w->session;
    family       f = {.work = w};
    int          complete = 0;
    if (!read_range(s, &f.range)) return;
    cli_progress_plan(&s->progress, "following", 1.0);
    saltus_periodic_follow(w->periodic, NULL, f.range.param, f.range.from, f.range.to, f.range.step,
                           keep, &f, &complete, &s->error);
    cli_progress_done(&s->progress);
    w->result = saltus_periodic_get_result(w->periodic);
    if (f.count) qsort(f.list, (size_t)f.count, sizeof *f.list, compare);
    note_family(&f, complete);
    if (cli_session_prints(s) && f.count) {
        cli_session_title(s);
        print_family(&f);
    }
    write_family(&f);
    if (!f.count) fail_unless_found(w);
    else if (!complete)
        cli_fail(&s->error, SALTUS_ERR_UNFINISHED,
                 "the family of periodic motions could not be followed beyond %s = %.9g: try "
                 "shorter steps",
                 name_of(w, f.range.param), f.list[f.count - 1].params[f.range.param]);
    forget(&f);
}

/* ---- the command ---------------------------------------------------------------------------- */

static void find_one(work *w)
{
    cli_session *s = &w->session;
    search(w);
    if (w->result && w->result->end == SALTUS_PERIODIC_FOUND) cli_session_simulate(s);
    note_result(w);
    if (cli_session_prints(s)) print_tables(w);
    if (!s->error.status) cli_session_write_result(s);
    fail_unless_found(w);
}

int cli_command_periodic(const cli_arguments *arguments)
{
    work         w = {.result = NULL};
    cli_session *s = &w.session;
    cli_session_open(s, arguments);
    if (!s->error.status) make_search(&w);
    if (!s->error.status && cli_argument(arguments, CLI_OPTION_ALONG)) follow(&w);
    else if (!s->error.status) find_one(&w);
    saltus_periodic_free(w.periodic);
    return cli_session_close(s);
}
