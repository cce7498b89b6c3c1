/* The reference problems: costs, event times and gradients known to 14 digits or more from an
 * independent quadruple-precision computation (tests/reference), by every method. */
#include <jansson.h>
#include <saltus/saltus.h>

#include "test.h"

enum { MAX = 64 };

static const struct {
    const char *model, *reference;
    double      seconds; /* value of the setting of that name, 0: none */
} problems[] = {
    {"bouncing_ball", "bouncing_ball", 0},
    {"event_height", "event_height", 0},
    {"piecewise_stiffness", "piecewise_stiffness", 0},
    {"coulomb", "coulomb", 0},
    {"coulomb_modes", "coulomb", 0},
    {"terminal_acceleration", "terminal_acceleration", 0},
    {"event_horizon_drag", "event_horizon_drag", 0},
    {"cartesian_pendulum", "cartesian_pendulum", 0},
    {"string_taut", "string_taut", 0},
    {"five_bar", "fivebar_2s", 2},
    {"five_bar", "fivebar_5s", 5},
};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

typedef struct results {
    saltus_system *system;
    saltus_run    *run;
    double         cost[MAX], gradient[MAX * MAX], time_gradient[MAX * MAX];
    int            params;
} results;

static void compute(results *r, int problem, double tol, saltus_method method,
                    saltus_integrator integrator)
{
    char         path[512];
    saltus_error err = {0};
    snprintf(path, sizeof path, "%s/models/%s.lua", SALTUS_SOURCE_DIR, problems[problem].model);
    const saltus_override seconds = {"seconds", problems[problem].seconds, NULL};
    saltus_script_options script = saltus_script_options_default();
    script.overrides = &seconds;
    script.override_count = problems[problem].seconds > 0.0 ? 1 : 0;
    saltus_model *model = saltus_model_load_with(path, &script, &err);
    r->system = saltus_system_compile(model, &err);
    saltus_model_free(model);
    saltus_options options = saltus_options_default();
    options.rtol = options.atol = tol;
    options.integrator = integrator;
    r->run = saltus_run_new(r->system, &options, &err);
    saltus_run_simulate(r->run, NULL, &err);
    const saltus_request request = {.method = method};
    if (!err.status) {
        saltus_run_costs(r->run, r->cost, &err);
        saltus_run_gradients(r->run, &request, r->gradient, r->time_gradient, NULL, &err);
        r->params = saltus_system_size(r->system).params;
    }
    if (err.status) fail_msg("%s: %s", path, err.message);
}

static void release(results *r)
{
    saltus_run_free(r->run);
    saltus_system_free(r->system);
}

static json_t *load_reference(int problem)
{
    char         path[512];
    json_error_t error;
    snprintf(path, sizeof path, "%s/tests/reference/%s.json", SALTUS_SOURCE_DIR,
             problems[problem].reference);
    json_t *root = json_load_file(path, 0, &error);
    if (!root) fail_msg("%s: %s", path, error.text);
    return root;
}

/* The worst error of a row of derivatives, relative to its largest entry. */
static double row_error(const results *r, const double *row, const json_t *gradient)
{
    double worst = 0.0, largest = 0.0;
    for (int j = 0; j < r->params; j++) {
        const char   *name = saltus_system_param(r->system, j).name;
        const json_t *entry = json_object_get(gradient, name);
        if (!entry) fail_msg("the reference has no parameter %s", name);
        largest = fmax(largest, fabs(json_real_value(entry)));
        worst = fmax(worst, fabs(row[j] - json_real_value(entry)));
    }
    return largest > 0.0 ? worst / largest : worst;
}

typedef struct errors {
    double cost, gradient, time, time_gradient;
} errors;

static errors compare(const results *r, const json_t *root)
{
    const json_t *outputs = json_object_get(root, "outputs"),
                 *events = json_object_get(root, "events");
    errors    e = {0.0, 0.0, 0.0, 0.0};
    const int count = saltus_run_get_info(r->run)->events;
    assert_int_equal(count, (int)json_array_size(events));
    for (int k = 0; k < saltus_system_size(r->system).costs; k++) {
        const char   *name = saltus_system_cost(r->system, k).name;
        const json_t *output = json_object_get(outputs, name);
        if (!output) fail_msg("the reference has no output %s", name);
        const double value = json_real_value(json_object_get(output, "value"));
        e.cost = fmax(e.cost, fabs(r->cost[k] - value) / fmax(1.0, fabs(value)));
        e.gradient = fmax(e.gradient, row_error(r, r->gradient + k * r->params,
                                                json_object_get(output, "gradient")));
    }
    for (int i = 0; i < count; i++) {
        char                    name[32];
        const json_t           *event = json_array_get(events, (size_t)i);
        const saltus_occurrence o = saltus_run_event(r->run, i);
        snprintf(name, sizeof name, "t_event_%d", i + 1);
        const json_t *output = json_object_get(outputs, name);
        e.time = fmax(e.time, fabs(o.t - json_real_value(json_object_get(event, "time"))));
        EXPECT_NEAR(o.rate, json_real_value(json_object_get(event, "rate")), 1e-2);
        e.time_gradient = fmax(e.time_gradient, row_error(r, r->time_gradient + i * r->params,
                                                          json_object_get(output, "gradient")));
    }
    return e;
}

static errors errors_of(int problem, double tol, saltus_method method, saltus_integrator integrator)
{
    static results r;
    json_t        *root = load_reference(problem);
    compute(&r, problem, tol, method, integrator);
    const errors e = compare(&r, root);
    release(&r);
    json_decref(root);
    return e;
}

static const saltus_method methods[] = {SALTUS_DIRECT, SALTUS_ADJOINT, SALTUS_DISCRETE};

TEST(every_problem_is_met_to_ten_digits_at_1e_12)
{
    for (int p = 0; p < PROBLEMS; p++)
        for (int m = 0; m < 3; m++) {
            const errors e = errors_of(p, 1e-12, methods[m], SALTUS_DOP853);
            print_message("%-22s %-8s cost %.1e gradient %.1e time %.1e its gradient %.1e\n",
                          problems[p].model, saltus_method_name(methods[m]), e.cost, e.gradient,
                          e.time, e.time_gradient);
            EXPECT_NEAR(e.cost, 0.0, 1e-10);
            EXPECT_NEAR(e.gradient, 0.0, 1e-9);
            EXPECT_NEAR(e.time, 0.0, 1e-11);
            EXPECT_NEAR(e.time_gradient, 0.0, 1e-9);
        }
}

TEST(errors_fall_with_the_tolerance_and_stay_within_100_times_of_it)
{
    static const saltus_integrator integrators[] = {SALTUS_DOP853, SALTUS_DOPRI5};
    for (int i = 0; i < 2; i++)
        for (int p = 0; p < PROBLEMS; p++)
            for (int m = 0; m < 3; m++)
                for (double tol = 1e-4; tol > (i ? 0.5e-10 : 0.5e-12); tol *= 0.1) {
                    const errors e = errors_of(p, tol, methods[m], integrators[i]);
                    const double worst =
                        fmax(fmax(e.cost, e.gradient), fmax(e.time, e.time_gradient));
                    if (!(worst <= 100.0 * tol))
                        fail_msg("%s %s at %.0e: %.1e (cost %.1e, gradient %.1e, time %.1e, its "
                                 "gradient %.1e)",
                                 problems[p].model, saltus_method_name(methods[m]), tol, worst,
                                 e.cost, e.gradient, e.time, e.time_gradient);
                }
}

TEST_MAIN(RUN(every_problem_is_met_to_ten_digits_at_1e_12),
          RUN(errors_fall_with_the_tolerance_and_stay_within_100_times_of_it))
