/* Costs that are not requested are not computed: a system compiled with some of a model's costs is,
 * to the last bit, that of a model which has no others. */
#include "scripted.h"

/* A ball on a spring that bounces. Of its costs one has a kink, one is charged at events with the
 * impulse, one contains accelerations. */
static const char *const motion =
    "model 'ball' local g, e = param('g', 9.81), param('e', 0.8)\n"
    "local y = coordinate('y', {start = 1})\n"
    "local x = coordinate('x', {start = 0.3, speed = 1})\n"
    "mass(y, 1) mass(x, 2) force(y, -g) force(x, -5 * x - y * x)\n"
    "event('floor', {when = y, direction = 'falling', restitution = e%s})\n"
    "horizon(0, 2)\n";
static const char *const charged = ", charge = {hits = impulse('floor')^2}";
static const char *const costs[] = {"cost('square', {integral = x^2})\n",
                                    "cost('away', {integral = abs(x)})\n", "cost('hits', {})\n",
                                    "cost('push', {integral = ddot(x)^2})\n",
                                    "cost('last', {final = x * y, integral = e * dot(y)^2})\n"};
static const char *const names[] = {"square", "away", "hits", "push", "last"};
enum { COSTS = 5, TEXT = 2000 };

static saltus_model *model_of(unsigned which)
{
    char         text[TEXT];
    saltus_error err = {0};
    int          n = snprintf(text, sizeof text, motion, which & 4u ? charged : "");
    for (int i = 0; i < COSTS; i++)
        if (which & 1u << i) n += snprintf(text + n, sizeof text - (size_t)n, "%s", costs[i]);
    saltus_model *model = saltus_model_load_text("script.lua", text, strlen(text), NULL, &err);
    if (!model) fail_msg("%s\nin the script:\n%s", err.message, text);
    return model;
}

static scripted prepare(saltus_system *system, const saltus_error *err)
{
    if (!system) fail_msg("%s", err->message);
    scripted s = {.system = system, .size = saltus_system_size(system)};
    s.options = saltus_system_options(system);
    simulate(&s, NULL);
    expect_outcome(&s, SALTUS_END);
    return s;
}

/* All costs of the model but only these compiled; or a model with these alone. */
static scripted chosen(unsigned which)
{
    saltus_error  err = {0};
    const char   *list[COSTS];
    int           count = 0;
    saltus_model *model = model_of((1u << COSTS) - 1);
    for (int i = COSTS - 1; i >= 0; i--) /* backward: the order is the model's */
        if (which & 1u << i) list[count++] = names[i];
    saltus_system *system = saltus_system_compile_costs(model, list, count, &err);
    saltus_model_free(model);
    return prepare(system, &err);
}

static scripted alone(unsigned which)
{
    saltus_error   err = {0};
    saltus_model  *model = model_of(which);
    saltus_system *system = saltus_system_compile(model, &err);
    saltus_model_free(model);
    return prepare(system, &err);
}

static void expect_same_gradients(scripted *a, scripted *b)
{
    const int rows = a->size.costs, columns = a->size.params;
    for (int m = 0; m < METHODS && rows > 0; m++) {
        const saltus_request request = {.method = all_methods[m]};
        double               d[MAX_COSTS * MAX_PARAMS], other[MAX_COSTS * MAX_PARAMS];
        saltus_run_gradients(a->run, &request, d, NULL, NULL, &a->err);
        saltus_run_gradients(b->run, &request, other, NULL, NULL, &b->err);
        if (a->err.status || b->err.status) fail_msg("%s%s", a->err.message, b->err.message);
        assert_memory_equal(d, other, (size_t)(rows * columns) * sizeof *d);
    }
}

static void expect_same(scripted *a, scripted *b)
{
    double x[MAX_COSTS], y[MAX_COSTS];
    assert_int_equal(a->size.costs, b->size.costs);
    assert_int_equal(a->size.events, b->size.events); /* no kink of a cost left out */
    assert_int_equal(a->info->events, b->info->events);
    assert_int_equal(a->info->steps, b->info->steps);
    assert_int_equal(a->info->evaluations, b->info->evaluations);
    for (int i = 0; i < a->size.costs; i++)
        assert_string_equal(saltus_system_cost(a->system, i).name,
                            saltus_system_cost(b->system, i).name);
    saltus_run_costs(a->run, x, &a->err);
    saltus_run_costs(b->run, y, &b->err);
    assert_memory_equal(x, y, (size_t)a->size.costs * sizeof *x);
    expect_same_gradients(a, b);
}

TEST(some_costs_are_as_good_as_no_others)
{
    for (unsigned which = 0; which < 1u << COSTS; which++) {
        scripted a = chosen(which), b = alone(which);
        expect_same(&a, &b);
        release(&a);
        release(&b);
    }
}

/* The kernels too: what the compiler sees is the same text. */
static void append(void *context, const char *text)
{
    char *all = context;
    strncat(all, text, 20000 - strlen(all) - 1);
}

TEST(kernels_have_nothing_of_other_costs)
{
    static char a[20000], b[20000];
    scripted    some = chosen(8u), only = alone(8u);
    for (int i = 0; i < 2; i++) {
        const char *const pass = i == 0 ? "derive" : "program";
        a[0] = b[0] = '\0';
        saltus_system_dump(some.system, pass, append, a, &some.err);
        saltus_system_dump(only.system, pass, append, b, &only.err);
        assert_true(strlen(a) > 100);
        assert_string_equal(a, b);
    }
    release(&some);
    release(&only);
}

TEST(a_wrong_name_is_refused)
{
    saltus_model     *model = model_of((1u << COSTS) - 1);
    saltus_error      err = {0};
    const char *const list[] = {"away", "squares"};
    assert_null(saltus_system_compile_costs(model, list, 2, &err));
    assert_int_equal(err.status, SALTUS_ERR_ARGUMENT);
    assert_string_equal(err.message, "the model has no cost 'squares'; did you mean 'square'?");
    assert_int_equal(saltus_model_cost_count(model), COSTS);
    assert_string_equal(saltus_model_cost_name(model, 3), "push");
    err = (saltus_error){0};
    assert_null(saltus_system_compile_costs(model, NULL, 1, &err));
    assert_int_equal(err.status, SALTUS_ERR_ARGUMENT);
    saltus_model_free(model);
}

/* What the motion is does not depend on what is measured, but for the steps. */
TEST(shipped_models_with_one_cost)
{
    for (const char *const *name = all_models(); *name; name++) {
        char          path[512];
        scripted      all = load_model(*name);
        saltus_model *model;
        if (all.size.costs < 2) {
            release(&all);
            continue;
        }
        snprintf(path, sizeof path, "%s/models/%s.lua", SALTUS_SOURCE_DIR, *name);
        model = saltus_model_load(path, &all.err);
        simulate(&all, NULL);
        double value[MAX_COSTS];
        saltus_run_costs(all.run, value, &all.err);
        for (int i = 0; i < all.size.costs; i++) {
            const char *const cost = saltus_system_cost(all.system, i).name;
            scripted          one = {.options = all.options};
            double            single;
            one.system = saltus_system_compile_costs(model, &cost, 1, &one.err);
            simulate(&one, NULL);
            saltus_run_costs(one.run, &single, &one.err);
            if (!(fabs(single - value[i]) <= 1e-8 * fmax(1.0, fabs(value[i]))))
                fail_msg("%s, %s: %.17g alone, %.17g among others", *name, cost, single, value[i]);
            release(&one);
        }
        saltus_model_free(model);
        release(&all);
    }
}

TEST_MAIN(RUN(some_costs_are_as_good_as_no_others), RUN(kernels_have_nothing_of_other_costs),
          RUN(a_wrong_name_is_refused), RUN(shipped_models_with_one_cost))
