/* Memory that runs out while an optimum, peaks, clearances or second derivatives are looked for: a
 * clean error at every point, and no leak. */
#include "counting.h"
#include "saltus/saltus.h"
#include "test.h"

/* Events, samples, nodes of a control, a kink, and two peaks that tie at the optimum. */
static const char script[] =
    "model 'answers'\n"
    "local p, e = param('p', 0.4, {lower = 0, upper = 2}), param('e', 0.8)\n"
    "local y = coordinate('y', {start = 1})\n"
    "local x = coordinate('x', {speed = 1})\n"
    "mass(y, 1) force(y, -9.81) mass(x, 1) force(x, 0.001 * control('u', {nodes = 2}))\n"
    "event('floor', {when = y, direction = 'falling', restitution = e})\n"
    "cost('peak', {max = exp(-40 * (x - 0.3)^2) * p + exp(-40 * (x - 0.7)^2) * (2 - p)})\n"
    "cost('reach', {at = {0.5, 0.8}, of = y})\n"
    "horizon(0, 1)\n"
    "optimise {minimise = 'peak', over = 'p', subject_to = {{'reach', max = 3}}}\n";

static void optimise(const saltus_system *system, saltus_error *err)
{
    saltus_options options = saltus_system_options(system);
    options.threads = 1;
    saltus_optimum *optimum = saltus_optimise(system, &options, NULL, NULL, NULL, err);
    saltus_optimum_free(optimum);
}

static int ignore_clearance(void *context, const saltus_clearance *clearance)
{
    (void)context;
    (void)clearance;
    return 0;
}

/* What the optimiser is made of, on one run. */
static void look_around(const saltus_system *system, saltus_error *err)
{
    double               gradient[16], product[16], along[8] = {1.0};
    saltus_trust         trust[8];
    const int            first = 0;
    const saltus_request request = {.method = SALTUS_AUTO};
    saltus_run          *run = saltus_run_new(system, NULL, err);
    saltus_run_simulate(run, NULL, err);
    saltus_run_gradients(run, &request, gradient, NULL, NULL, err);
    saltus_run_clearances(run, NULL, 0, ignore_clearance, NULL, err);
    saltus_run_hessian_product(run, &request, along, product, err);
    saltus_run_trust(run, &first, 1, trust, err);
    saltus_run_free(run);
}

/* Every request in turn fails, or every few of them. The first call of all fills what the system
 * keeps. */
static void fail_everywhere(void (*work)(const saltus_system *, saltus_error *), int stride)
{
    counter                c = {0};
    const saltus_allocator allocator = {count_and_resize, &c};
    saltus_script_options  options = saltus_script_options_default();
    saltus_error           err = {0};
    long long              points = 0;
    options.allocator = &allocator;
    saltus_model  *model = saltus_model_load_text("a.lua", script, strlen(script), &options, &err);
    saltus_system *system = saltus_system_compile(model, &err);
    saltus_model_free(model);
    work(system, &err);
    if (err.status) fail_msg("%s", err.message);
    const long long held = c.bytes;
    for (bool done = false; !done; points++) {
        err = (saltus_error){0};
        c.fail_at = c.requests + 1 + points * stride;
        work(system, &err);
        done = c.requests < c.fail_at;
        if (c.bytes != held)
            fail_msg("failing request %lld leaks %lld bytes", points * stride, c.bytes - held);
        if (err.status && err.status != SALTUS_ERR_MEMORY)
            fail_msg("failing request %lld gives %s: %s", points * stride,
                     saltus_status_name(err.status), err.message);
    }
    print_message("%lld points of failure\n", points);
    EXPECT(points > 20);
    saltus_system_free(system);
    EXPECT(c.bytes == 0);
}

TEST(memory_may_run_out_while_an_optimum_is_sought) { fail_everywhere(optimise, 3); }

TEST(memory_may_run_out_while_a_motion_is_looked_around) { fail_everywhere(look_around, 3); }

TEST_MAIN(RUN(memory_may_run_out_while_an_optimum_is_sought),
          RUN(memory_may_run_out_while_a_motion_is_looked_around))
