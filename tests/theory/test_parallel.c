/* Finite differences by several threads, and the method that is chosen: the same numbers whoever
 * computes them. */
#define _POSIX_C_SOURCE 200809L
#include <stdatomic.h>
#include <time.h>

#include "scripted.h"

enum { PARAMS = 12, EVENTS = 64 };

/* Twelve parameters, modes entered on the way, a kink, impacts. */
static const char many[] =
    "model 'many'\n"
    "local k = {}\n"
    "for i = 1, 12 do k[i] = param('k' .. i, 1 + i / 10) end\n"
    "local x = coordinate('x', {start = -1, speed = k[1]})\n"
    "local y = coordinate('y', {start = 0.4 * k[2]})\n"
    "mass(x, k[3]) mass(y, k[4])\n"
    "local free, held = mode 'free', mode 'held'\n"
    "potential(2 * k[5] * x^2 + 9.81 * k[6] * y)\n"
    "potential(2 * k[7] * (x - 0.3)^2, {mode = held})\n"
    "force(x, -0.05 * k[8] * sign(dot(x)))\n"
    "event('engage', {from = free, to = held, when = x - 0.3 * k[9], direction = 'rising'})\n"
    "event('release', {from = held, to = free, when = x - 0.3 * k[9], direction = 'falling'})\n"
    "event('floor', {when = y, direction = 'falling', restitution = 0.4 * k[10]})\n"
    "cost('a', {integral = k[11] * x^2}) cost('b', {final = y + k[12] * x})\n"
    "horizon(0, 1.5)\n";

static const struct timespec a_moment = {0, 200000};

typedef struct caller {
    atomic_int inside, most, calls, stop_at;
} caller;

static int note_call(void *context, double t, double t_end)
{
    caller   *c = context;
    const int inside = atomic_fetch_add(&c->inside, 1) + 1;
    (void)t, (void)t_end;
    if (inside > atomic_load(&c->most)) atomic_store(&c->most, inside);
    nanosleep(&a_moment, NULL); /* so that all threads are there, even on one core */
    atomic_fetch_sub(&c->inside, 1);
    return atomic_fetch_add(&c->calls, 1) >= atomic_load(&c->stop_at);
}

typedef struct differences {
    double       cost[2 * PARAMS], time[EVENTS * PARAMS], end[PARAMS];
    saltus_error err;
} differences;

/* Of two costs, all parameters, and the times. */
static void compute(scripted *s, saltus_method method, int threads, differences *out)
{
    const saltus_request request = {.method = method};
    saltus_options       options = s->options;
    memset(out, 0, sizeof *out);
    options.threads = threads;
    saltus_run *run = saltus_run_new(s->system, &options, &out->err);
    saltus_run_simulate(run, NULL, &out->err);
    if (!out->err.status) assert_in_range(saltus_run_get_info(run)->events, 3, EVENTS);
    saltus_run_gradients(run, &request, out->cost, out->time, out->end, &out->err);
    saltus_run_free(run);
}

TEST(differences_have_the_same_digits_with_any_number_of_threads)
{
    static differences one, several;
    for (int threads = 2; threads <= 64; threads *= 2) {
        scripted fresh =
            load(many); /* its modes are compiled by the thread that enters them first */
        caller c = {.stop_at = 1000000};
        fresh.options.progress = note_call;
        fresh.options.progress_context = &c;
        compute(&fresh, SALTUS_FD, threads, &several);
        compute(&fresh, SALTUS_FD, threads == 2 ? 0 : 1, &one);
        if (several.err.status) fail_msg("%d threads: %s", threads, several.err.message);
        EXPECT(memcmp(&one, &several, sizeof one) == 0);
        release(&fresh);
    }
    /* the first event is an impact of y, whose time k1 does not move, and k2 does */
    EXPECT(one.cost[0] != 0.0 && one.cost[2 * PARAMS - 1] != 0.0 && one.time[1] != 0.0);
}

/* Differences by the third and by the last parameter meet another sequence of events. */
TEST(of_several_failures_that_of_the_first_parameter_is_told)
{
    static const char script[] =
        "model 'failing'\n"
        "local k = {}\n"
        "for i = 1, 12 do k[i] = param('k' .. i, 1) end\n"
        "local x, sum = coordinate('x', {start = -1, speed = 1}), 0\n"
        "mass(x, 1)\n"
        "for i = 1, 12 do sum = sum + k[i] end\n"
        "event('one', {when = x, direction = 'rising', where = 1 + 1e-12 - k[3]})\n"
        "event('two', {when = x - 0.5, direction = 'rising', where = 1 + 1e-12 - k[12]})\n"
        "cost('c', {final = x * sum}) horizon(0, 2)\n";
    scripted           s = load(script);
    const saltus_error none = {0};
    for (int threads = 1; threads <= 16; threads++) {
        double               gradient[PARAMS];
        saltus_error         err = none;
        saltus_options       options = s.options;
        const saltus_request request = {.method = SALTUS_FD};
        for (int i = 0; i < PARAMS; i++) gradient[i] = -7.0;
        caller c = {.stop_at = 1000000};
        options.threads = threads;
        options.progress = note_call;
        options.progress_context = &c;
        saltus_run *run = saltus_run_new(s.system, &options, &err);
        saltus_run_simulate(run, NULL, &err);
        saltus_run_gradients(run, &request, gradient, NULL, NULL, &err);
        EXPECT(err.status == SALTUS_ERR_NO_GRADIENT);
        if (!strstr(err.message, "by 'k3'")) fail_msg("%d threads: %s", threads, err.message);
        EXPECT(gradient[0] == -7.0);
        saltus_run_free(run);
    }
    release(&s);
}

TEST(progress_is_called_by_one_thread_at_a_time_and_can_stop_all)
{
    static differences out;
    for (int stop = 0; stop < 2; stop++) {
        caller   c = {0};
        scripted s = load(many);
        atomic_store(&c.stop_at, 1000000);
        s.options.progress = note_call;
        s.options.progress_context = &c;
        compute(&s, SALTUS_DIRECT, 1, &out);
        EXPECT(!out.err.status);
        atomic_store(&c.stop_at, stop ? 2 * atomic_load(&c.calls) + 5 : 1000000);
        compute(&s, SALTUS_FD, 8, &out);
        EXPECT(out.err.status == (stop ? SALTUS_ERR_INTERRUPTED : SALTUS_OK));
        EXPECT(atomic_load(&c.calls) > 5 && atomic_load(&c.most) == 1);
        release(&s);
    }
}

TEST(a_negative_number_of_threads_is_refused)
{
    scripted s = load(many);
    s.options.threads = -1;
    EXPECT(!saltus_run_new(s.system, &s.options, &s.err));
    EXPECT(s.err.status == SALTUS_ERR_ARGUMENT && strstr(s.err.message, "threads"));
    release(&s);
}

/* ---- the method that is chosen -------------------------------------------------------------- */

TEST(auto_is_direct_for_few_parameters_and_discrete_for_many)
{
    static differences by[3];
    scripted           s = load(many);
    const int          first[1] = {0}, both[2] = {0, 1};
    saltus_run        *run = saltus_run_new(s.system, &s.options, &s.err);
    saltus_run_simulate(run, NULL, &s.err);
    const saltus_request one_param = {SALTUS_AUTO, both, 2, first, 1};
    const saltus_request one_cost = {SALTUS_AUTO, first, 1, NULL, 0};
    EXPECT(saltus_run_method(run, &one_param, 0) == SALTUS_DIRECT);
    EXPECT(saltus_run_method(run, &one_cost, 0) == SALTUS_DISCRETE);
    const saltus_request named = {SALTUS_ADJOINT, both, 2, first, 1};
    EXPECT(saltus_run_method(run, &named, 1) == SALTUS_ADJOINT);
    /* as many as there are events and costs, and the end: the direct method has them all at once */
    const int            some[2] = {0, 1};
    const saltus_request times = {SALTUS_AUTO, first, 1, some, 2};
    EXPECT(saltus_run_method(run, &times, 0) == SALTUS_DISCRETE);
    EXPECT(saltus_run_method(run, &times, 1) == SALTUS_DIRECT);
    saltus_run_free(run);
    compute(&s, SALTUS_AUTO, 1, &by[0]);
    compute(&s, SALTUS_DISCRETE, 1, &by[1]);
    EXPECT(!by[0].err.status && memcmp(by[0].cost, by[1].cost, sizeof by[0].cost) == 0);
    EXPECT(strcmp(saltus_method_name(SALTUS_AUTO), "auto") == 0);
    release(&s);
}

TEST_MAIN(RUN(differences_have_the_same_digits_with_any_number_of_threads),
          RUN(of_several_failures_that_of_the_first_parameter_is_told),
          RUN(progress_is_called_by_one_thread_at_a_time_and_can_stop_all),
          RUN(a_negative_number_of_threads_is_refused),
          RUN(auto_is_direct_for_few_parameters_and_discrete_for_many))
