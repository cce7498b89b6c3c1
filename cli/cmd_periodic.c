/* saltus periodic: a motion that repeats itself, its multipliers, and their derivatives. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "periodic.h"
#include "summary.h"
#include "text.h"

typedef cli_orbit work;

static const struct {
    const char   *name;   /* "status" in JSON */
    saltus_status status; /* that the program fails with */
} ends[] = {
    [SALTUS_PERIODIC_FOUND] = {"converged", SALTUS_OK},
    [SALTUS_PERIODIC_SINGULAR] = {"singular", SALTUS_ERR_NO_GRADIENT},
    [SALTUS_PERIODIC_STUCK] = {"stalled", SALTUS_ERR_UNFINISHED},
    [SALTUS_PERIODIC_LIMIT] = {"limit", SALTUS_ERR_LIMIT},
    [SALTUS_PERIODIC_NO_START] = {"no start", SALTUS_ERR_UNFINISHED},
    [SALTUS_PERIODIC_NOT_SOUGHT] = {"not sought", SALTUS_ERR_UNFINISHED},
};

/* ---- computing ------------------------------------------------------------------------------ */

const char *cli_orbit_param(const cli_orbit *orbit, int param)
{
    return saltus_system_param(orbit->session.system, param).name;
}

static const char *name_of(const work *w, int param) { return cli_orbit_param(w, param); }

/* The costs asked for, as numbers of the model. */
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

/* The values found become those of the session: its run is then on the periodic motion. */
static void take_values(work *w)
{
    cli_session *s = &w->session;
    const size_t bytes = (size_t)s->size.params * sizeof *s->values;
    if (!w->result->params) return;
    free(s->values);
    s->values = cli_bytes(bytes + 1);
    memcpy(s->values, w->result->params, bytes);
}

static void search(work *w)
{
    cli_session *s = &w->session;
    cli_session_progress(s, "searching");
    saltus_periodic_find(w->periodic, NULL, &s->error);
    cli_progress_end(&s->progress);
    w->result = saltus_periodic_get_result(w->periodic);
    take_values(w);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* {param: x} over the parameters that derivatives are by. */
static json_t *by_json(const work *w, const double *gradient)
{
    json_t *object = json_object();
    for (int k = 0; k < w->result->params_by; k++)
        cli_json_set(object, name_of(w, w->result->by[k]), cli_json_number(gradient[k]));
    return object;
}

static json_t *multiplier_json(const work *w, int i)
{
    const saltus_periodic_result *r = w->result;
    json_t                       *object =
        cli_json_object("re:n im:n abs:n", r->re[i], r->im[i], hypot(r->re[i], r->im[i]));
    json_t *gradient = json_object();
    for (int k = 0; r->re_gradient && k < r->params_by; k++) {
        const int entry = i * r->params_by + k;
        cli_json_set(gradient, name_of(w, r->by[k]),
                     cli_json_object("re:n im:n", r->re_gradient[entry], r->im_gradient[entry]));
    }
    return cli_json_add(object, "gradient:j", gradient);
}

static json_t *multipliers_json(const work *w)
{
    json_t *list = json_array();
    for (int i = 0; w->result->re && i < w->result->unknowns; i++)
        json_array_append_new(list, multiplier_json(w, i));
    return list;
}

json_t *cli_orbit_point_json(const cli_orbit *orbit, const double *params)
{
    const saltus_periodic_result *r = orbit->result;
    json_t                       *object = json_object();
    for (int i = 0; params && i < r->unknowns; i++)
        cli_json_set(object, cli_orbit_param(orbit, r->unknown[i]),
                     cli_json_number(params[r->unknown[i]]));
    return object;
}

/* {parameter: {start parameter: x}} */
static json_t *gradient_json(const work *w)
{
    const saltus_periodic_result *r = w->result;
    json_t                       *object = json_object();
    for (int k = 0; r->gradient && k < r->params_by; k++) {
        json_t *row = json_object();
        for (int i = 0; i < r->unknowns; i++)
            cli_json_set(row, name_of(w, r->unknown[i]),
                         cli_json_number(r->gradient[i * r->params_by + k]));
        cli_json_set(object, name_of(w, r->by[k]), row);
    }
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
    cli_json_add(s->result, "fixed_point:j period:n residual:n", cli_orbit_point_json(w, r->params),
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
        CLI_OWNED char         *name = cli_with_unit(info.name, info.unit);
        cli_table_row(table, "sn", name, r->params[r->unknown[i]]);
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

/* Of a pair the modulus is shown once. */
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

/* ---- the command ---------------------------------------------------------------------------- */

/* The file is complete even if there is no such motion: the best point is worth keeping. */
static void write_result(work *w)
{
    cli_session *s = &w->session;
    if (!s->output || s->error.status) return;
    cli_json_print(json_incref(s->result), s->output, 2);
    cli_session_keep(s);
}

void cli_orbit_fail(cli_orbit *orbit)
{
    const saltus_periodic_result *r = orbit->result;
    if (r && ends[r->end].status)
        cli_fail(&orbit->session.error, ends[r->end].status, "%s", r->message);
}

static void find_one(work *w)
{
    cli_session *s = &w->session;
    search(w);
    if (w->result && w->result->end == SALTUS_PERIODIC_FOUND) cli_session_simulate(s);
    note_result(w);
    if (cli_session_prints(s)) print_tables(w);
    write_result(w);
    cli_orbit_fail(w);
}

int cli_command_periodic(const cli_arguments *arguments)
{
    work         w = {.result = NULL};
    cli_session *s = &w.session;
    cli_session_open(s, arguments);
    if (arguments->output && !s->result) s->result = json_object(), cli_result_head(s);
    if (!s->error.status) make_search(&w);
    if (!s->error.status && cli_argument(arguments, CLI_OPTION_ALONG)) cli_orbit_follow(&w);
    else if (!s->error.status) find_one(&w);
    saltus_periodic_free(w.periodic);
    return cli_session_close(s);
}
