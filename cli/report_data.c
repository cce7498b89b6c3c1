/* The object that the page reads, except its members about the model and the motion. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_result.h"
#include "pool.h"
#include "report.h"
#include "text.h"

/* An object with those of the named members that another object has; names are separated by
 * blanks. */
static json_t *pick(const json_t *from, const char *members)
{
    json_t *object = json_object();
    while (members) {
        CLI_OWNED char *name = cli_next_part(&members, " ");
        json_t         *value = json_object_get(from, name);
        if (value) json_object_set(object, name, value);
    }
    return object;
}

/* The members that the page shows of a search, from the result that `optimise` or `fit` wrote; null
 * for other results. */
static json_t *answer_json(const json_t *saved)
{
    if (json_is_array(json_object_get(saved, "history")))
        return pick(saved, "status message minimise kkt limits counts borders optima history");
    if (json_is_array(json_object_get(saved, "measurements")))
        return pick(saved, "status message parameters rss dof level unidentified counts "
                           "measurements");
    return json_null();
}

/* Whether an option is passed to the engine: those that change the motion or its results. Values of
 * --set and --params are written one by one, as there are no files in a page. */
static int is_asked_again(cli_option_id option)
{
    static const cli_option_id kept[] = {CLI_OPTION_EVERY, CLI_OPTION_WRT,         CLI_OPTION_COST,
                                         CLI_OPTION_TOL,   CLI_OPTION_FORMULATION, CLI_OPTION_UNTIL,
                                         CLI_OPTION_SEED};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (option == kept[i]) return 1;
    return option >= CLI_OPTION_SOLVER;
}

/* Takes over the text. */
static void add_word(json_t *words, char *word)
{
    json_array_append_new(words, cli_json_text(word));
    free(word);
}

static void add_values(json_t *words, const cli_arguments *a)
{
    cli_values   values = {0};
    saltus_error err = {0};
    cli_arguments_values(a, &values, &err); /* cannot fail, as it has succeeded before */
    for (int i = 0; i < values.count; i++) {
        const saltus_override *value = &values.value[i];
        add_word(words, cli_copy("--set"));
        add_word(words, value->text ? cli_format("%s=\"%s\"", value->name, value->text)
                                    : cli_format("%s=%.17g", value->name, value->value));
    }
    cli_values_free(&values);
}

static const char *name_of(const char *path)
{
    return strcmp(path, "-") == 0 ? "model.lua" : cli_base_name(path);
}

/* A comparison of two motions has no engine. */
int cli_report_is_live(const cli_arguments *a)
{
    return cli_live_engine_size > 0 && cli_is(a, CLI_REPORT) && a->model_count < 2 &&
           !cli_argument(a, CLI_OPTION_STATIC);
}

/* {"file", "arguments": the words that open the model in the engine, "files": what the model read},
 * or null. */
static json_t *live_json(const cli_session *s)
{
    const cli_arguments *a = s->arguments;
    if (!s->files) return json_null();
    json_t *words = json_array();
    add_word(words, cli_copy("report"));
    add_word(words, cli_copy(name_of(a->model)));
    for (int i = 0; i < a->count; i++) {
        const cli_option_id option = a->given[i].option;
        if (!is_asked_again(option)) continue;
        add_word(words, cli_format("--%s", cli_option_spelling(option)));
        if (*cli_options[option].argument) add_word(words, cli_copy(a->given[i].value));
    }
    add_values(words, a);
    return cli_json_object("file:s arguments:j files:j", name_of(a->model), words,
                           json_incref(s->files));
}

enum { PLACES = 6 };
/* REACH: the range of a slider, as a part of its parameter; PLACE: places on it, as parts of the
 * range. */
static const double REACH = 0.05, PLACE[PLACES] = {-1.0, -0.5, -0.25, 0.25, 0.5, 1.0};
/* Limit on the steps for all places; slower models are not simulated again. */
static const double MAX_STEPS = 2e6;

typedef struct truth {
    const cli_session *session;
    saltus_run       **run;  /* by worker: its run */
    double            *cost; /* [param][place][cost]; NaN: there is no motion */
    char              *same; /* [param][place]: the events are those of the report */
} truth;

/* The change of a parameter at a place of its slider; less where its bounds are near. */
static double change_at(const saltus_param_info *p, double place)
{
    const double size = REACH * (p->value != 0.0 ? fabs(p->value) : 1.0);
    const double room = place > 0.0 ? p->upper - p->value : p->value - p->lower;
    return place * fmin(size, fmax(room, 0.0));
}

static void simulate_at(void *context, int worker, int index)
{
    truth                  *t = context;
    const cli_session      *s = t->session;
    const int               param = s->params.index[index / PLACES];
    const saltus_param_info info = saltus_system_param(s->system, param);
    double                 *cost = t->cost + (size_t)index * (size_t)s->size.costs;
    CLI_OWNED double       *values = cli_alloc((size_t)s->size.params, sizeof *values);
    saltus_error            err = {0};
    for (int i = 0; i < s->size.costs; i++) cost[i] = NAN;
    for (int i = 0; i < s->size.params; i++) values[i] = saltus_system_param(s->system, i).value;
    values[param] += change_at(&info, PLACE[index % PLACES]);
    if (!t->run[worker] && !cli_interrupted()) {
        saltus_options options = s->options;
        options.progress = NULL;
        t->run[worker] = saltus_run_new(s->system, &options, &err);
    }
    if (t->run[worker] && !cli_interrupted()) {
        saltus_run_simulate(t->run[worker], values, &err);
        cli_need_memory(&err);
        if (err.status == SALTUS_OK && cli_run_finished(t->run[worker])) {
            saltus_run_costs(t->run[worker], cost, &err);
            t->same[index] = cli_first_other_event(t->run[worker], s->run) < 0;
        }
    }
    cli_need_memory(&err);
}

static json_t *place_json(const truth *t, int k, int place)
{
    const cli_session      *s = t->session;
    const int               index = k * PLACES + place;
    const saltus_param_info info = saltus_system_param(s->system, s->params.index[k]);
    const double           *cost = t->cost + (size_t)index * (size_t)s->size.costs;
    json_t                 *costs = json_array();
    for (int i = 0; i < s->size.costs; i++)
        json_array_append_new(costs, isfinite(cost[i]) ? json_real(cost[i]) : json_null());
    return cli_json_object("place:n change:n same:b costs:j", PLACE[place],
                           change_at(&info, PLACE[place]), t->same[index], costs);
}

/* For each parameter, at places of its slider: the change of the parameter, the true costs (null:
 * there is no motion), and whether the events are the same. null: the model is too slow, or has no
 * sliders. */
static json_t *truth_json(cli_session *s)
{
    const int    np = s->params.count, threads = s->arguments->threads;
    const double steps = (double)saltus_run_get_info(s->run)->steps;
    json_t      *params = json_array();
    if (np == 0 || s->size.costs == 0 || !cli_run_finished(s->run) ||
        steps * np * PLACES > MAX_STEPS) {
        json_decref(params);
        return json_null();
    }
    truth t = {.session = s,
               .run = cli_alloc((size_t)threads, sizeof *t.run),
               .cost = cli_alloc((size_t)(np * PLACES) * (size_t)s->size.costs, sizeof *t.cost),
               .same = cli_alloc((size_t)(np * PLACES), 1)};
    cli_progress_begin(&s->progress, "true costs for the sliders");
    cli_pool_run(threads, np * PLACES, simulate_at, &t);
    cli_progress_end(&s->progress);
    for (int k = 0; k < np; k++) {
        json_t *places = json_array();
        for (int i = 0; i < PLACES; i++) json_array_append_new(places, place_json(&t, k, i));
        json_array_append_new(params, places);
    }
    for (int i = 0; i < threads; i++) saltus_run_free(t.run[i]);
    free(t.same);
    free(t.cost);
    free(t.run);
    return params;
}

/* A copy of the result without members that differ between equal runs, so that these make equal
 * files. */
static json_t *lasting(const json_t *result)
{
    json_t *copy = json_copy((json_t *)(size_t)result);
    json_object_set_new(
        copy, "stats",
        pick(json_object_get(result, "stats"), "steps rejected evaluations replayed"));
    return copy;
}

/* The member "motion", also of a run that failed: the part before can be read. */
static json_t *motion_of(cli_session *s, const cli_gradients *gradients, int with_differences)
{
    const saltus_error before = s->error;
    s->error = (saltus_error){0};
    json_t *motion = cli_report_motion(s, gradients->cost && !before.status ? gradients : NULL,
                                       with_differences);
    if (before.status) s->error = before;
    return motion;
}

json_t *cli_report_data(cli_session *s, const cli_certificate *c, json_t *other)
{
    json_t *motion = motion_of(s, &c->by[CLI_CHECK_ADJOINT], 1);
    cli_result_tail(s);
    json_t *comparison = json_is_object(other)
                             ? cli_differences(s->result, json_object_get(other, "result"))
                             : json_null();
    return cli_json_object(
        "format:i result:j model:j methods:j checks:j trust:j taylor:j truth:j drawing:j motion:j "
        "other:j comparison:j live:j",
        1, lasting(s->result), cli_report_model(s), cli_report_methods(s, c->by),
        cli_findings_json(&c->findings), cli_trust_json(s, c->trust),
        cli_report_taylor(s, &c->taylor), truth_json(s), cli_report_drawing(s), motion, other,
        comparison, live_json(s));
}

json_t *cli_report_again(cli_session *s, const cli_certificate *c)
{
    json_t *motion = motion_of(s, &c->by[CLI_CHECK_DISCRETE], 0);
    cli_result_tail(s);
    return cli_json_object("result:j methods:j motion:j", lasting(s->result),
                           cli_report_methods(s, c->by), motion);
}

/* The arguments of the second motion, and what they own. */
typedef struct second {
    cli_arguments arguments;
    cli_given    *given;
    json_t       *saved; /* the saved result; NULL: a model was given */
} second;

/* If the file is a saved result, the object in it; else NULL. */
static json_t *saved_result(const char *path)
{
    saltus_error    err = {0};
    size_t          length = 0;
    CLI_OWNED char *text = strcmp(path, "-") == 0 ? NULL : cli_read_file(path, &length, &err);
    return text ? json_loadb(text, length, 0, NULL) : NULL;
}

/* Uses a saved result as the second motion: it names the script, and serves as --params. */
static void use_saved(second *s, const char *path)
{
    cli_arguments *a = &s->arguments;
    const char    *file =
        json_string_value(json_object_get(json_object_get(s->saved, "script"), "file"));
    if (!file) return; /* it is then read as a model, with an error message */
    s->given = cli_alloc((size_t)a->count + 1, sizeof *s->given);
    s->given[0] = (cli_given){CLI_OPTION_PARAMS, path};
    if (a->count) memcpy(s->given + 1, a->given, (size_t)a->count * sizeof *s->given);
    a->given = s->given;
    a->count++;
    a->model = file;
}

static json_t *collect(cli_session *s)
{
    const int     simulated = cli_session_simulate(s);
    cli_gradients gradients = {0};
    if (!s->cost) return NULL;
    if (simulated) gradients = cli_gradients_compute(s, SALTUS_DISCRETE, CLI_ALL_TIMES);
    const saltus_error before = s->error;
    s->error = (saltus_error){0}; /* the part before the failure can be read */
    cli_result_run(s, s->result, gradients.cost && !gradients.error.status ? &gradients : NULL, 0);
    json_t *data = cli_json_object("model:j drawing:j motion:j", cli_report_model(s),
                                   cli_report_drawing(s), cli_report_motion(s, NULL, 0));
    s->error = before;
    cli_result_tail(s);
    cli_json_set(data, "result", lasting(s->result));
    cli_gradients_free(&gradients);
    return data;
}

json_t *cli_report_other(const cli_arguments *arguments, int *status)
{
    second s = {.arguments = *arguments};
    if (arguments->model_count < 2) return json_null();
    s.arguments.model = arguments->models[1];
    s.arguments.output = NULL;
    s.arguments.json = 0; /* only the object of the first motion is printed */
    s.saved = saved_result(s.arguments.model);
    if (s.saved) use_saved(&s, s.arguments.model);
    cli_session session;
    json_t     *data = cli_session_open(&session, &s.arguments) ? collect(&session) : NULL;
    if (data) cli_json_set(data, "answer", answer_json(s.saved));
    *status = cli_session_close(&session);
    json_decref(s.saved);
    free(s.given);
    return data;
}
