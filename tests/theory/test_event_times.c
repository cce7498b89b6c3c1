/* Derivatives of event times: the same by walks in both directions, and not more walks than needed.
 * How often a gradient goes through the motion is counted by its calls of options.progress. */
#include <stdbool.h>

#include "scripted.h"

/* A ball without losses: the k-th impact is at (2 k - 1) sqrt(2 h / g). */
#define BALL(bounces)                                                                              \
    "model 'ball' local g, h = param('g', 9.81), param('h', 1)\n"                                  \
    "local y = coordinate('y', {start = h})\n"                                                     \
    "mass(y, 1) force(y, -g)\n"                                                                    \
    "event('floor', {when = y, direction = 'falling', restitution = 1})\n"                         \
    "cost('y', {final = y})\n"                                                                     \
    "horizon(0, (2 * " #bounces ") * math.sqrt(2 / 9.81))\n"

/* An oscillator that is kicked each time it passes the middle, with as many parameters as wanted.
 */
#define KICKED(params, stop)                                                                       \
    "model 'kicked' local sum, w = 0, param('w', 20)\n"                                            \
    "for i = 1, " #params " do sum = sum + param('k' .. i, 0.1 + 0.01 * i) / " #params " end\n"    \
    "local x = coordinate('x', {start = 1, speed = 0.3})\n"                                        \
    "mass(x, 1) force(x, -w^2 * x - sum * dot(x) / 10)\n"                                          \
    "event('middle', {when = x, set = {[dot(x)] = 0.99 * dot(x)}" stop "})\n"                      \
    "cost('x', {integral = x^2})\n"                                                                \
    "horizon(0, 10)\n"

static int count_call(void *context, double t, double t_end)
{
    (void)t, (void)t_end;
    ++*(int *)context;
    return 0;
}

typedef struct result {
    int     rows, columns; /* times: those of events, of the end */
    double *times, cost[64];
    double  walks; /* through the whole motion */
} result;

/* Room for all events, and the derivatives of their times by this method. */
static result differentiate(scripted *s, saltus_method method, bool with_times)
{
    const int            events = s->info->events, columns = s->size.params;
    const saltus_request request = {.method = method};
    int                 *calls = s->options.progress_context;
    result               r = {events + 1, columns, NULL, {0}, 0.0};
    r.times = calloc((size_t)(r.rows * columns), sizeof(double));
    assert_true(r.times && columns <= 64);
    *calls = 0;
    saltus_run_gradients(s->run, &request, r.cost, with_times ? r.times : NULL,
                         with_times ? r.times + events * columns : NULL, &s->err);
    if (s->err.status) fail_msg("%s", s->err.message);
    r.walks = *calls * 16.0 / (double)s->info->steps; /* one call in 16 steps */
    return r;
}

static scripted counted(const char *script, int *calls)
{
    scripted      s = {0};
    saltus_model *model =
        saltus_model_load_text("script.lua", script, strlen(script), NULL, &s.err);
    s.system = saltus_system_compile(model, &s.err);
    saltus_model_free(model);
    if (s.err.status) fail_msg("%s\nin the script:\n%s", s.err.message, script);
    s.size = saltus_system_size(s.system);
    s.options = saltus_system_options(s.system);
    s.options.rtol = s.options.atol = 1e-11;
    s.options.progress = count_call;
    s.options.progress_context = calls;
    s.options.backend = SALTUS_INTERP; /* waiting for a compiler asks, too */
    simulate(&s, NULL);
    return s;
}

/* The largest difference of two rows, relative to the largest entry. */
static double apart(const result *a, const result *b)
{
    double worst = 0.0, scale = 0.0;
    for (int i = 0; i < a->rows * a->columns; i++) {
        worst = fmax(worst, fabs(a->times[i] - b->times[i]));
        scale = fmax(scale, fabs(b->times[i]));
    }
    return worst / scale;
}

/* One walk forward finds all of them, whichever method is requested. */
TEST(ten_thousand_events_take_a_few_walks)
{
    static const saltus_method asked[] = {SALTUS_AUTO, SALTUS_DISCRETE, SALTUS_ADJOINT,
                                          SALTUS_DIRECT, SALTUS_TANGENT};
    int                        calls = 0;
    scripted                   s = counted(BALL(10000), &calls);
    expect_outcome(&s, SALTUS_END);
    assert_int_equal(s.info->events, 10000);
    for (size_t m = 0; m < sizeof asked / sizeof *asked; m++) {
        result with = differentiate(&s, asked[m], true);
        result without = differentiate(&s, asked[m], false);
        EXPECT(without.walks > 0.9 && without.walks < 1.1);
        EXPECT(with.walks < 2.2);
        for (int i = 0; i < s.info->events; i++) /* tau is proportional to sqrt(h) */
            EXPECT_NEAR(with.times[i * 2 + 1] / (0.5 * saltus_run_event(s.run, i).t), 1.0, 1e-7);
        for (int k = 0; k < 2; k++) EXPECT_NEAR(with.times[20000 + k], 0.0, 0.0);
        free(with.times);
        free(without.times);
    }
    release(&s);
}

/* With many parameters walks backward are fewer, and those for events alone are short. */
TEST(many_parameters_take_walks_backward)
{
    int      calls = 0;
    scripted s = counted(KICKED(60, ""), &calls);
    expect_outcome(&s, SALTUS_END);
    const int events = s.info->events, blocks = (events + 1 + 15) / 16;
    EXPECT(events > 50 && events < 80);
    result forward = differentiate(&s, SALTUS_TANGENT, true);
    result discrete = differentiate(&s, SALTUS_DISCRETE, true);
    result adjoint = differentiate(&s, SALTUS_ADJOINT, true);
    result chosen = differentiate(&s, SALTUS_AUTO, true);
    EXPECT_NEAR(forward.walks, 4.0, 0.5); /* 61 parameters */
    EXPECT(discrete.walks < 1.0 + 0.7 * (blocks - 1) && discrete.walks > 1.5);
    EXPECT_NEAR(chosen.walks, discrete.walks, 0.0);
    EXPECT_NEAR(apart(&discrete, &forward), 0.0, 1e-12);
    EXPECT_NEAR(apart(&chosen, &discrete), 0.0, 0.0);
    EXPECT_NEAR(apart(&adjoint, &forward), 0.0, 1e-8);
    free(forward.times);
    free(discrete.times);
    free(adjoint.times);
    free(chosen.times);
    release(&s);
}

/* An event ends the run: its time and the end are one. */
TEST(the_end_is_the_event_that_stops_the_run)
{
    int calls = 0;
    for (int many = 0; many < 2; many++) {
        scripted s = counted(many ? KICKED(60, ", stop = 40") : KICKED(2, ", stop = 40"), &calls);
        expect_outcome(&s, SALTUS_TERMINAL_EVENT);
        result forward = differentiate(&s, SALTUS_TANGENT, true);
        for (int m = 0; m < METHODS; m++) {
            result r = differentiate(&s, all_methods[m], true);
            EXPECT_NEAR(apart(&r, &forward), 0.0, 1e-8);
            for (int k = 0; k < r.columns; k++)
                EXPECT_NEAR(r.times[40 * r.columns + k], r.times[39 * r.columns + k], 1e-12);
            free(r.times);
        }
        free(forward.times);
        release(&s);
    }
}

/* The gradient of the costs does not depend on what else is asked for; few parameters, so the times
 * come from the tangent of the steps. */
TEST(event_times_leave_the_gradient_of_costs_as_it_is)
{
    int      calls = 0;
    scripted s = counted(KICKED(2, ""), &calls);
    result   with = differentiate(&s, SALTUS_DISCRETE, true);
    result   without = differentiate(&s, SALTUS_DISCRETE, false);
    result   forward = differentiate(&s, SALTUS_TANGENT, true);
    EXPECT_NEAR(apart(&with, &forward), 0.0, 0.0);
    assert_memory_equal(with.cost, without.cost, sizeof with.cost);
    EXPECT(with.cost[0] != 0.0);
    free(forward.times);
    free(with.times);
    free(without.times);
    release(&s);
}

/* Without room for costs only times are computed, by each method. */
TEST(times_alone_are_those_with_costs)
{
    scripted s =
        run_to("model 'ball' local h, e = param('h', 1), param('e', 0.8)\n"
               "local y = coordinate('y', {start = h}) mass(y, 1) force(y, -9.81)\n"
               "event('floor', {when = y, direction = 'falling', restitution = e, stop = 2})\n"
               "cost('c', {integral = y^2}) horizon(0, 5)\n",
               SALTUS_TERMINAL_EVENT);
    for (int m = 0; m < METHODS; m++) {
        const saltus_request request = {.method = all_methods[m]};
        double               cost[2], time[4], end[2], alone[4] = {0}, its_end[2] = {0};
        assert_int_equal(saltus_run_gradients(s.run, &request, cost, time, end, &s.err), 0);
        assert_int_equal(saltus_run_gradients(s.run, &request, NULL, alone, NULL, &s.err), 0);
        assert_int_equal(saltus_run_gradients(s.run, &request, NULL, NULL, its_end, &s.err), 0);
        for (int k = 0; k < 4; k++) EXPECT_NEAR(alone[k], time[k], 1e-11);
        for (int k = 0; k < 2; k++) EXPECT_NEAR(its_end[k], end[k], 1e-11);
        EXPECT_NEAR(its_end[1], 2.0 * sqrt(2.0 / 9.81), 1e-9);
    }
    release(&s);
}

TEST_MAIN(RUN(times_alone_are_those_with_costs), RUN(ten_thousand_events_take_a_few_walks),
          RUN(many_parameters_take_walks_backward), RUN(the_end_is_the_event_that_stops_the_run),
          RUN(event_times_leave_the_gradient_of_costs_as_it_is))
