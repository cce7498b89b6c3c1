/* Contacts with closed forms: values, event times and gradients, known to 15 digits or more
 * (tests/contact/problems.json), by every method. The models are in tests/contact/models. */
#include <jansson.h>
#include <saltus/saltus.h>
#include <unistd.h>

#include "test.h"

/* A number of a problem: a final or integral cost of the model, or the time of an event. */
typedef struct quantity {
    const char *problem, *name;
    const char *event; /* NULL: it is the cost of that name */
    int         occurrence;
    double      tolerance;
} quantity;

static const quantity quantities[] = {
    {"incline_stick", "t_stop", "c.stop", 0, 1e-8},
    {"incline_stick", "x_end", NULL, 0, 1e-8},
    {"coulomb_rest", "x_rest", NULL, 0, 1e-8},
    {"coulomb_rest", "t_rest", "pad.stop", 3, 1e-8},
    {"bowling", "t_roll", "floor.stop", 0, 1e-8},
    {"bowling", "x_end", NULL, 0, 1e-8},
    {"bowling", "v_roll", NULL, 0, 1e-8},
    {"bowling", "spin", NULL, 0, 1e-8},
    {"zeno", "t_zeno", "floor.rest", 0, 1e-6},
    {"zeno", "int_y", NULL, 0, 1e-6},
    {"zeno", "int_v2", NULL, 0, 1e-6},
    {"zeno", "impulse", NULL, 0, 1e-6},
    {"pencil", "t_slip", "foot.slip", 0, 1e-8},
    {"housner", "t1", "left", 0, 1e-8},
    {"housner", "t2", "right", 0, 1e-8},
    {"housner", "t3", "left", 1, 1e-8},
    {"cradle_sequential", "u1", NULL, 0, 1e-8},
    {"cradle_sequential", "w2", NULL, 0, 1e-8},
    {"cradle_sequential", "w3", NULL, 0, 1e-8},
    {"cradle_moreau", "u1", NULL, 0, 1e-8},
    {"cradle_moreau", "w2", NULL, 0, 1e-8},
    {"cradle_moreau", "w3", NULL, 0, 1e-8},
    {"oblique_stick", "u", NULL, 0, 1e-8},
    {"oblique_stick", "v", NULL, 0, 1e-8},
    {"oblique_stick", "w", NULL, 0, 1e-8},
    {"sleigh", "u", NULL, 0, 1e-8},
    {"sleigh", "w", NULL, 0, 1e-8},
    {"sleigh", "theta", NULL, 0, 1e-8},
};
enum { QUANTITIES = sizeof quantities / sizeof *quantities, MAX = 4096 };

typedef struct result {
    saltus_system *system;
    saltus_run    *run;
    double         gradient[MAX], times[MAX];
    int            params;
} result;

static void compute(result *r, const char *problem, saltus_method method)
{
    char         path[512];
    saltus_error err = {0};
    const char  *folder = strcmp(problem, "sleigh") == 0 ? "models" : "tests/contact/models";
    snprintf(path, sizeof path, "%s/tests/contact/more/%s.lua", SALTUS_SOURCE_DIR, problem);
    if (access(path, R_OK) != 0)
        snprintf(path, sizeof path, "%s/%s/%s.lua", SALTUS_SOURCE_DIR, folder, problem);
    saltus_model *model = saltus_model_load(path, &err);
    r->system = saltus_system_compile(model, &err);
    saltus_model_free(model);
    saltus_options options = saltus_system_options(r->system);
    options.rtol = options.atol = 1e-11;
    r->run = saltus_run_new(r->system, &options, &err);
    saltus_run_simulate(r->run, NULL, &err);
    const saltus_request request = {.method = method};
    saltus_run_gradients(r->run, &request, r->gradient, r->times, NULL, &err);
    if (err.status) fail_msg("%s: %s", path, err.message);
    r->params = saltus_system_size(r->system).params;
}

static void release(result *r)
{
    saltus_run_free(r->run);
    saltus_system_free(r->system);
}

/* Which of the events with that name. */
static int event_number(const result *r, const quantity *q)
{
    const int count = saltus_run_get_info(r->run)->events;
    int       left = q->occurrence;
    for (int i = 0; i < count; i++) {
        const int e = saltus_run_event(r->run, i).event;
        if (strcmp(saltus_system_event(r->system, e).name, q->event) == 0 && left-- == 0) return i;
    }
    fail_msg("%s: event %s does not happen %d times", q->problem, q->event, q->occurrence + 1);
    return 0;
}

static int cost_number(const result *r, const char *name)
{
    for (int i = 0; i < saltus_system_size(r->system).costs; i++)
        if (strcmp(saltus_system_cost(r->system, i).name, name) == 0) return i;
    fail_msg("there is no cost %s", name);
    return 0;
}

static double number_in(const json_t *object, const char *key)
{
    return strtod(json_string_value(json_object_get(object, key)), NULL);
}

static const json_t *problem_in(const json_t *problems, const char *id)
{
    size_t  i;
    json_t *problem;
    json_array_foreach(problems, i,
                       problem) if (strcmp(json_string_value(json_object_get(problem, "id")), id) ==
                                    0) return problem;
    fail_msg("there is no problem %s", id);
    return NULL;
}

static void check(const result *r, const quantity *q, const json_t *problem)
{
    saltus_error  err = {0};
    double        costs[64], value;
    const double *row;
    saltus_run_costs(r->run, costs, &err);
    if (q->event) {
        const int i = event_number(r, q);
        value = saltus_run_event(r->run, i).t;
        row = r->times + i * r->params;
    } else {
        value = costs[cost_number(r, q->name)];
        row = r->gradient + cost_number(r, q->name) * r->params;
    }
    const double expected = number_in(json_object_get(problem, "value"), q->name);
    EXPECT_NEAR(value, expected, q->tolerance * fmax(1.0, fabs(expected)));
    const json_t *gradient = json_object_get(json_object_get(problem, "gradient"), q->name);
    for (int p = 0; p < r->params; p++) {
        const char *name = saltus_system_param(r->system, p).name;
        if (!json_object_get(gradient, name)) continue;
        const double slope = number_in(gradient, name);
        EXPECT_NEAR(row[p], slope, q->tolerance * fmax(1.0, fabs(slope)));
    }
}

TEST(values_and_gradients_are_the_closed_forms_by_every_method)
{
    static const saltus_method methods[] = {SALTUS_DIRECT, SALTUS_ADJOINT, SALTUS_DISCRETE};
    char                       path[512];
    snprintf(path, sizeof path, "%s/tests/contact/problems.json", SALTUS_SOURCE_DIR);
    json_t *problems = json_load_file(path, 0, NULL);
    assert_non_null(problems);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (int i = 0; i < QUANTITIES; i++) {
            static result r;
            compute(&r, quantities[i].problem, methods[m]);
            check(&r, &quantities[i], problem_in(problems, quantities[i].problem));
            release(&r);
        }
    json_decref(problems);
}

/* Problems of tests/contact/more.json and events.json: a key is a cost, or "@event#occurrence", the
 * time of one. */
static void check_all(const json_t *problem, saltus_method method)
{
    static result r;
    const char   *id = json_string_value(json_object_get(problem, "id")), *key;
    const double  tolerance = json_number_value(json_object_get(problem, "tolerance"));
    json_t       *value;
    char          event[64];
    compute(&r, id, method);
    json_object_foreach(json_object_get(problem, "value"), key, value)
    {
        quantity q = {id, key, NULL, 0, tolerance};
        if (sscanf(key, "@%63[^#]#%d", event, &q.occurrence) == 2) q.event = event;
        check(&r, &q, problem);
    }
    release(&r);
}

/* A row of derivatives by the parameters that a periodic motion leaves free. */
static void check_row(const saltus_periodic *search, const double *row, const json_t *expected,
                      double tolerance)
{
    const saltus_periodic_result *r = saltus_periodic_get_result(search);
    for (int k = 0; k < r->params_by; k++) {
        const char *name = saltus_system_param(saltus_periodic_system(search), r->by[k]).name;
        assert_non_null(json_object_get(expected, name));
        const double slope = number_in(expected, name);
        EXPECT_NEAR(row[k], slope, tolerance * fmax(1.0, fabs(slope)));
    }
}

/* A motion that repeats itself: the fixed point, the period, the largest multiplier. */
static void check_cycle(const json_t *problem)
{
    char         path[512];
    saltus_error err = {0};
    const double tolerance = json_number_value(json_object_get(problem, "tolerance"));
    snprintf(path, sizeof path, "%s/tests/contact/more/%s.lua", SALTUS_SOURCE_DIR,
             json_string_value(json_object_get(problem, "id")));
    saltus_model    *model = saltus_model_load(path, &err);
    saltus_periodic *search = saltus_periodic_new(model, NULL, NULL, &err);
    saltus_periodic_find(search, NULL, &err);
    if (err.status) fail_msg("%s: %s", path, err.message);
    const saltus_periodic_result *r = saltus_periodic_get_result(search);
    assert_int_equal(r->end, SALTUS_PERIODIC_FOUND);
    EXPECT_NEAR(r->period, number_in(problem, "period"), tolerance);
    EXPECT_NEAR(r->re[0], number_in(problem, "multiplier"), tolerance);
    check_row(search, r->period_gradient, json_object_get(problem, "period_gradient"), tolerance);
    for (int i = 0; i < r->unknowns; i++) {
        const char *name = saltus_system_param(saltus_periodic_system(search), r->unknown[i]).name;
        EXPECT_NEAR(r->params[r->unknown[i]], number_in(json_object_get(problem, "start"), name),
                    tolerance);
        check_row(search, r->gradient + i * r->params_by,
                  json_object_get(json_object_get(problem, "start_gradient"), name), tolerance);
    }
    saltus_periodic_free(search);
    saltus_model_free(model);
}

static void check_file(const char *file)
{
    static const saltus_method methods[] = {SALTUS_DIRECT, SALTUS_ADJOINT, SALTUS_DISCRETE};
    char                       path[512];
    size_t                     i;
    json_t                    *problem;
    snprintf(path, sizeof path, "%s/tests/contact/%s", SALTUS_SOURCE_DIR, file);
    json_t *problems = json_load_file(path, 0, NULL);
    assert_non_null(problems);
    json_array_foreach(problems, i, problem)
    {
        if (json_object_get(problem, "period")) check_cycle(problem);
        for (int m = 0; m < 3 && !json_object_get(problem, "period"); m++)
            check_all(problem, methods[m]);
    }
    json_decref(problems);
}

TEST(references_of_more_digits_are_met_by_every_method) { check_file("more.json"); }

TEST(motions_from_event_to_event_are_met_by_every_method) { check_file("events.json"); }

TEST_MAIN(RUN(values_and_gradients_are_the_closed_forms_by_every_method),
          RUN(references_of_more_digits_are_met_by_every_method),
          RUN(motions_from_event_to_event_are_met_by_every_method))
