/* Memory: an allocation that fails, at every single point of a whole study, leaves a clean error
 * and no leak; and a second simulation on the same run allocates nothing. */
#include "counting.h"
#include "saltus/saltus.h"
#include "test.h"

/* Two modes, a kink, a restitution, a memory, a charge, constraints: something of everything. */
static const char script[] =
    "model 'everything'\n"
    "local k, e, d = param('k', 4), param('e', 0.8), param('d', 0.3)\n"
    "local x = coordinate('x', {start = -1, speed = k / 8})\n"
    "local y = coordinate('y', {start = 0.4})\n"
    "local n = memory('n', 0)\n"
    "local free, held = mode 'free', mode 'held'\n"
    "kinetic(0.5 * dot(x)^2 + 0.5 * dot(y + 0.1 * sin(x))^2)\n"
    "local P = point('P', {guess = {0.6, -0.8}})\n"
    "mass(P, e) gravity(0, -9.81) rod {ground_point(0, 0), P, length = 1, name = 'rod'}\n"
    "constraint('drive', P.x - 0.6 + 0.1 * sin(t))\n"
    "potential(0.5 * k * x^2 + 9.81 * y)\n"
    "potential(2 * (x - d)^2, {mode = held})\n"
    "force(x, -0.05 * sign(dot(x)) * (1 + 0.01 * n))\n"
    "event('engage', {from = free, to = held, when = x - d, direction = 'rising'})\n"
    "event('release', {from = held, to = free, when = x - d, direction = 'falling'})\n"
    "event('floor', {when = y, direction = 'falling', restitution = e, set = {[n] = n + 1},\n"
    "                charge = {loss = before(dot(y)^2) - after(dot(y)^2)}})\n"
    "cost('loss', {integral = ddot(x)^2, final = x + n})\n"
    "output('sum', x + y)\n"
    "horizon(0, 1.2)\n";

/* Redundant constraints that change with the mode, a law that is given inside them, an impact of
 * constraints that appear, a chain large enough for a sparse matrix. */
static const char sparse_script[] =
    "model 'links'\n"
    "local l, e = param('l', 0.1), param('e', 0.8)\n"
    "local swing, held = mode 'swing', mode 'held'\n"
    "gravity(0, -9.81)\n"
    "local last, P = ground_point(0, 0), {}\n"
    "for i = 1, 12 do\n"
    "  P[i] = point('P' .. i, {x = 0.9 * i * l, guess = {0.9 * i * l, -0.4 * i * l}})\n"
    "  mass(P[i], 0.1 * i) rod {last, P[i], length = l, name = 'rod' .. i} last = P[i]\n"
    "end\n"
    "local d = P[1].x^2 + P[1].y^2 - l^2\n"
    "constraint('again', 3 * d)\n"
    "constraint('third', -d, {mode = held})\n"
    "event('kick', {when = t - 0.002, set = {[dot(P[12].x)] = -e * dot(P[12].x)}})\n"
    "event('hold', {when = t - 0.004, from = swing, to = held})\n"
    "event('hit', {when = P[12].y + 0.53, direction = 'falling', restitution = e})\n"
    "cost('x', {final = P[12].x})\n"
    "horizon(0, 0.05)\n";

static int ignore_row(void *context, const saltus_row *row)
{
    (void)context;
    (void)row;
    return 0;
}

/* A whole study with that allocator; true if it succeeded. */
static bool study(const char *text, counter *c, saltus_error *err)
{
    const saltus_allocator allocator = {count_and_resize, c};
    saltus_script_options  options = saltus_script_options_default();
    options.allocator = &allocator;
    double         gradient[3], times[300], every[3] = {0.1, 0.5, 1.0};
    saltus_model  *model = saltus_model_load_text("e.lua", text, strlen(text), &options, err);
    saltus_system *system = saltus_system_compile(model, err);
    saltus_options run_options = saltus_options_default();
    run_options.record_memory = 4000; /* checkpoints too */
    saltus_run *run = saltus_run_new(system, &run_options, err);
    if (run) {
        const saltus_method methods[] = {SALTUS_DIRECT, SALTUS_ADJOINT, SALTUS_DISCRETE, SALTUS_FD};
        for (int again = 0; again < 2; again++) { /* tangents go along with the second one */
            const saltus_request request = {.method = SALTUS_DIRECT};
            saltus_run_simulate(run, NULL, err);
            saltus_run_gradients(run, &request, gradient, times, NULL, err);
        }
        for (int m = 0; m < 4; m++) {
            const saltus_request request = {.method = methods[m]};
            saltus_run_gradients(run, &request, gradient, times, NULL, err);
        }
        saltus_run_trajectory(run, every, 3, ignore_row, NULL, err);
    }
    saltus_run_free(run);
    saltus_system_free(system);
    saltus_model_free(model);
    return err->status == SALTUS_OK;
}

/* Every request in turn fails; where memory stays exhausted, and in instrumented programs, every
 * few of them: they are slow, and neighbours fail alike. */
static void fail_everywhere(const char *text, bool for_good)
{
#if defined(__SANITIZE_ADDRESS__)
    const int stride = 7;
#else
    const int stride = for_good ? 5 : 1;
#endif
    long long points = 0;
    for (long long n = 1;; n += stride) {
        counter      c = {.fail_at = n, .for_good = for_good};
        saltus_error err = {0};
        const bool   ok = study(text, &c, &err);
        if (c.bytes != 0) fail_msg("failing request %lld leaks %lld bytes", n, c.bytes);
        if (ok && c.requests < n) break;
        if (!ok && err.status != SALTUS_ERR_MEMORY)
            fail_msg("failing request %lld gives %s: %s", n, saltus_status_name(err.status),
                     err.message);
        points++;
    }
    print_message("%lld points of failure\n", points);
    EXPECT(points > 100);
}

TEST(one_failed_allocation_anywhere_is_a_clean_error)
{
    fail_everywhere(script, false);
    fail_everywhere(sparse_script, false);
}

TEST(memory_that_stays_exhausted_is_a_clean_error)
{
    fail_everywhere(script, true);
    fail_everywhere(sparse_script, true);
}

typedef struct simulated {
    saltus_model  *model;
    saltus_system *system;
    saltus_run    *run;
    saltus_error   err;
} simulated;

static simulated simulate_counted(counter *c)
{
    const saltus_allocator allocator = {count_and_resize, c};
    saltus_script_options  options = saltus_script_options_default();
    simulated              s = {0};
    options.allocator = &allocator;
    s.model = saltus_model_load_text("e.lua", script, strlen(script), &options, &s.err);
    s.system = saltus_system_compile(s.model, &s.err);
    s.run = saltus_run_new(s.system, NULL, &s.err);
    saltus_run_simulate(s.run, NULL, &s.err);
    return s;
}

static void release(simulated *s)
{
    saltus_run_free(s->run);
    saltus_system_free(s->system);
    saltus_model_free(s->model);
}

TEST(a_second_simulation_allocates_nothing)
{
    counter   c = {0};
    simulated s = simulate_counted(&c);
    EXPECT(saltus_run_get_info(s.run)->events >= 4);
    const long long before = c.requests;
    saltus_run_simulate(s.run, NULL, &s.err);
    EXPECT(!s.err.status && c.requests == before);
    release(&s);
    EXPECT(c.bytes == 0);
}

TEST(the_method_does_not_depend_on_memory)
{
    counter   c = {0};
    simulated s = simulate_counted(&c);
    EXPECT(!s.err.status);
    const int            first = 0;
    const saltus_request direct = {.method = SALTUS_DIRECT};
    const saltus_request one = {
        .method = SALTUS_AUTO, .params = &first, .param_count = 1, .costs = NULL};
    const saltus_method chosen = saltus_run_method(s.run, &one, 1);
    EXPECT(chosen == SALTUS_DIRECT);
    c.fail_at = c.requests + 1;
    c.for_good = true;
    EXPECT(saltus_run_method(s.run, &direct, 0) == SALTUS_DIRECT);
    EXPECT(saltus_run_method(s.run, &one, 1) == chosen);
    release(&s);
}

TEST_MAIN(RUN(a_second_simulation_allocates_nothing),
          RUN(one_failed_allocation_anywhere_is_a_clean_error),
          RUN(the_method_does_not_depend_on_memory),
          RUN(memory_that_stays_exhausted_is_a_clean_error))
