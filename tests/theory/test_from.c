/* Simulations from any state, and products with derivatives: forward along directions, backward
 * with weights. */
#include <saltus/expr.h>

#include "scripted.h"

enum { MAX = 64 };

/* A ball on a spring over a table that moves, with a memory that counts down its restitution, two
 * modes, a sample row and costs of all kinds. */
static const char *const rich =
    "model 'm' local g, e, k = param('g', 9.81), param('e', 0.8), param('k', 3)\n"
    "local h, T = param('h', 1.1), param('T', 1.9)\n"
    "local soft, hard = mode 'soft', mode 'hard'\n"
    "local y = coordinate('y', {start = h, speed = 0.3 * k})\n"
    "local x = coordinate('x', {start = 0.2, speed = 1.5})\n"
    "local m = memory('m', e * 1.1)\n"
    "mass(y, 1 + 0.1 * x^2) mass(x, 2) force(y, -g) force(x, -k * x - 0.2 * y * x)\n"
    "force(x, -2 * k * x, {mode = hard})\n"
    "event('floor', {when = y - 0.05 * sin(3 * t), direction = 'falling',\n"
    "  set = {[dot(y)] = -m * dot(y), [m] = 0.9 * m}, charge = {hits = dot(y)^2}})\n"
    "event('stiff', {when = x - 0.4, from = soft, to = hard})\n"
    "event('loose', {when = x + 0.1, direction = 'falling', from = hard, to = soft})\n"
    "cost('square', {integral = x^2 + y^2}) cost('hits', {}) cost('last', {final = x * y + m})\n"
    "horizon(0, T)\n";

static double random_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1.0;
}

static void random_numbers(unsigned *seed, double *x, int count)
{
    for (int i = 0; i < count; i++) x[i] = random_number(seed);
}

static double dot(const double *a, const double *b, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

/* What all results are along a direction, weighted, forward; and backward. */
static void expect_duality(scripted *s, unsigned seed)
{
    const int states = saltus_system_states(s->system), events = s->info->events;
    const int np = s->size.params, nc = s->size.costs;
    double    dp[MAX], ds[MAX], w_cost[MAX], w_end[MAX], w_time[MAX], by_p[MAX], by_s[MAX];
    double    d_cost[MAX], d_end[MAX], d_time[MAX];
    random_numbers(&seed, dp, np);
    random_numbers(&seed, ds, states);
    random_numbers(&seed, w_cost, nc);
    random_numbers(&seed, w_end, states);
    random_numbers(&seed, w_time, events);
    saltus_run_jvp(s->run, 1, dp, ds, d_cost, NULL, d_end, d_time, &s->err);
    saltus_run_vjp(s->run, w_cost, NULL, w_end, w_time, by_p, by_s, &s->err);
    if (s->err.status) fail_msg("%s", s->err.message);
    const double forward =
        dot(w_cost, d_cost, nc) + dot(w_end, d_end, states) + dot(w_time, d_time, events);
    const double backward = dot(by_p, dp, np) + dot(by_s, ds, states);
    EXPECT_NEAR(forward, backward, 2e-12 * (1.0 + fabs(forward)));
}

TEST(products_are_transposes_of_each_other_and_contain_gradients)
{
    scripted s = run_to(rich, SALTUS_END);
    EXPECT(s.info->events > 2);
    for (unsigned seed = 1; seed < 8; seed++) expect_duality(&s, seed);
    /* a weight of one is a gradient, a direction of one parameter a column */
    double by[MAX], d_cost[MAX * MAX], unit[MAX * MAX] = {0};
    for (int j = 0; j < s.size.params; j++) unit[j * s.size.params + j] = 1.0;
    saltus_run_jvp(s.run, s.size.params, unit, NULL, d_cost, NULL, NULL, NULL, &s.err);
    for (int k = 0; k < s.size.costs; k++) {
        double w[MAX] = {0};
        w[k] = 1.0;
        if (saltus_run_vjp(s.run, w, NULL, NULL, NULL, by, NULL, &s.err))
            fail_msg("%s", s.err.message);
        for (int j = 0; j < s.size.params; j++) {
            const double expected =
                gradient(&s, SALTUS_DISCRETE, saltus_system_cost(s.system, k).name,
                         saltus_system_param(s.system, j).name);
            EXPECT_NEAR(by[j], expected, 1e-12 * (1.0 + fabs(expected)));
            EXPECT_NEAR(d_cost[k * s.size.params + j], expected, 1e-11 * (1.0 + fabs(expected)));
        }
    }
    release(&s);
}

/* ---- samples -------------------------------------------------------------------------------- */

/* A ball that bounces, sampled in its height and in an acceleration, the latter at times that move.
 */
static scripted sampled_ball(void)
{
    scripted           s = {0};
    saltus_model      *m = saltus_model_new(NULL, &s.err);
    const saltus_expr  h = saltus_param(m, "h", 1.0, NULL), e = saltus_param(m, "e", 0.8, NULL);
    const saltus_expr  y = saltus_coordinate(m, "y", &(saltus_coordinate_def){.start = h});
    const saltus_expr  drag = saltus_mul(m, saltus_number(m, -0.3), saltus_dot(m, y));
    const saltus_expr  at[] = {saltus_number(m, 0.2), saltus_number(m, 0.9), saltus_number(m, 1.2)};
    const saltus_expr  late[] = {saltus_mul(m, saltus_number(m, 0.7), h), saltus_number(m, 1.2)};
    const saltus_modes all = {NULL, 0};
    saltus_mass(m, y, saltus_number(m, 1.0), all);
    saltus_force(m, y, saltus_sub(m, drag, saltus_number(m, 9.81)), all);
    saltus_event_restitution(m, saltus_event_new(m, "floor", y, SALTUS_FALLING, all, all), e);
    saltus_cost(m, "c", saltus_mul(m, y, y), (saltus_expr){0}, NULL, NULL);
    saltus_samples(m, "height", y, at, 3);
    saltus_samples(m, "pull", saltus_dot(m, saltus_dot(m, y)), late, 2);
    saltus_horizon(m, 0.0, saltus_number(m, 1.2));
    s.system = saltus_system_compile(m, &s.err);
    saltus_model_free(m);
    if (s.err.status) fail_msg("%s", s.err.message);
    s.size = saltus_system_size(s.system);
    s.options = saltus_system_options(s.system);
    simulate(&s, NULL);
    return s;
}

TEST(weights_on_samples_are_rows_of_their_gradients)
{
    enum { ROWS = 5 };
    scripted     s = sampled_ball();
    const int    params[] = {0, 1};
    double       rows[2 * ROWS], forward[2 * ROWS], by[2];
    const double unit[] = {1.0, 0.0, 0.0, 1.0};
    saltus_run_sample_gradients(s.run, -1, SALTUS_TANGENT, params, 2, rows, &s.err);
    saltus_run_jvp(s.run, 2, unit, NULL, NULL, forward, NULL, NULL, &s.err);
    for (int k = 0; k < ROWS && !s.err.status; k++) {
        double w[ROWS] = {0};
        w[k] = 1.0;
        saltus_run_vjp(s.run, NULL, w, NULL, NULL, by, NULL, &s.err);
        for (int j = 0; j < 2; j++) {
            EXPECT_NEAR(by[j], rows[2 * k + j], 1e-12 * (1.0 + fabs(rows[2 * k + j])));
            EXPECT(forward[2 * k + j] == rows[2 * k + j]);
        }
    }
    if (s.err.status) fail_msg("%s", s.err.message);
    release(&s);
}

/* ---- from a state --------------------------------------------------------------------------- */

typedef struct any_state {
    int    modes[8];
    double q[MAX_STATES], v[MAX_STATES], c[MAX_STATES];
} any_state;

static void read_state(scripted *s, int event, int after, any_state *to)
{
    if (saltus_run_state(s->run, event, after, to->modes, to->q, to->v, to->c, &s->err))
        fail_msg("%s", s->err.message);
}

static void simulate_from(scripted *s, const any_state *from, double t0, double t1,
                          const double *params)
{
    const saltus_start_state state = {from->modes, from->q, from->v, from->c, 0};
    if (saltus_run_simulate_from(s->run, &state, t0, t1, params, &s->err))
        fail_msg("%s", s->err.message);
    expect_outcome(s, SALTUS_END);
}

/* Begun again after any of its events, a motion goes on as it did; integrals are of the rest. */
TEST(a_motion_begun_again_after_an_event_goes_on)
{
    scripted  s = run_to(rich, SALTUS_END);
    const int events = s.info->events;
    any_state after[16], end, again;
    double    t[16];
    read_state(&s, -1, 0, &end);
    for (int i = 0; i < events; i++) {
        read_state(&s, i, 1, &after[i]);
        t[i] = saltus_run_event(s.run, i).t;
    }
    for (int i = 0; i < events; i++) {
        simulate_from(&s, &after[i], t[i], 1.9, NULL);
        EXPECT(s.info->events == events - 1 - i);
        for (int k = 0; k < s.info->events; k++)
            EXPECT_NEAR(saltus_run_event(s.run, k).t, t[i + 1 + k], 1e-10);
        read_state(&s, -1, 0, &again);
        for (int k = 0; k < 2; k++) EXPECT_NEAR(again.q[k], end.q[k], 1e-9);
        for (int k = 0; k < 2; k++) EXPECT_NEAR(again.v[k], end.v[k], 1e-9);
        EXPECT_NEAR(again.c[0], end.c[0], 1e-12);
        EXPECT(again.modes[0] == end.modes[0]);
        expect_duality(&s, 77u + (unsigned)i);
    }
    simulate(&s, NULL); /* and the model's start is the model's again */
    expect_event_count(&s, events);
    release(&s);
}

/* Derivatives by the state that is given, and by parameters with it fixed, against differences. */
TEST(derivatives_by_the_state_given_agree_with_differences)
{
    scripted  s = run_to(rich, SALTUS_END);
    any_state base;
    double    by_p[MAX], by_s[MAX], p[MAX], value[2][MAX];
    const int n = 2, states = saltus_system_states(s.system);
    read_state(&s, 0, 1, &base);
    const double t0 = saltus_run_event(s.run, 0).t, w[] = {1.0, 0.5, 2.0};
    for (int j = 0; j < s.size.params; j++) p[j] = saltus_system_param(s.system, j).value;
    base.q[0] += 0.01; /* off the table */
    simulate_from(&s, &base, t0, 1.9, p);
    if (saltus_run_vjp(s.run, w, NULL, NULL, NULL, by_p, by_s, &s.err))
        fail_msg("%s", s.err.message);
    for (int i = 0; i < states + s.size.params; i++) {
        for (int side = 0; side < 2; side++) {
            any_state    moved = base;
            double       q[MAX];
            const double h = side ? 1e-5 : -1e-5;
            memcpy(q, p, sizeof q);
            *(i < n        ? &moved.q[i]
              : i < 2 * n  ? &moved.v[i - n]
              : i < states ? &moved.c[i - 2 * n]
                           : &q[i - states]) += h;
            simulate_from(&s, &moved, t0, 1.9, q);
            saltus_run_costs(s.run, value[side], &s.err);
        }
        const double slope = (dot(w, value[1], 3) - dot(w, value[0], 3)) / 2e-5;
        EXPECT_NEAR(i < states ? by_s[i] : by_p[i - states], slope, 2e-6 * (1.0 + fabs(slope)));
    }
    release(&s);
}

/* A pendulum as a point on a rod: velocities that do not fit are assembled, with derivatives. */
TEST(a_state_may_be_assembled)
{
    scripted                 s = run_to("model 'p' local l, g = param('l', 1), param('g', 9.81)\n"
                                                        "local x = coordinate('x', {start = 0.6})\n"
                                                        "local y = coordinate('y', {guess = -0.8})\n"
                                                        "mass(x, 1) mass(y, 1) force(y, -g)\n"
                                                        "constraint('rod', x^2 + y^2 - l^2)\n"
                                                        "cost('c', {final = x + 2 * y, integral = y}) horizon(0, 1)\n",
                                        SALTUS_END);
    const double             q[] = {0.5, -0.7}, v[] = {0.4, 0.0};
    const saltus_start_state state = {NULL, q, v, NULL, 1};
    double                   by_p[2], by_s[4], x[2];
    if (saltus_run_simulate_from(s.run, &state, 0.0, 1.0, NULL, &s.err))
        fail_msg("%s", s.err.message);
    expect_outcome(&s, SALTUS_END);
    saltus_run_state(s.run, -1, 0, NULL, x, NULL, NULL, &s.err);
    EXPECT_NEAR(hypot(x[0], x[1]), 1.0, 1e-9);
    for (unsigned seed = 3; seed < 6; seed++) expect_duality(&s, seed);
    const double w = 1.0;
    saltus_run_vjp(s.run, &w, NULL, NULL, NULL, by_p, by_s, &s.err);
    for (int i = 0; i < 4; i++) {
        double value[2];
        for (int side = 0; side < 2; side++) {
            double moved[] = {q[0], q[1], v[0], v[1]};
            moved[i] += side ? 1e-5 : -1e-5;
            const saltus_start_state there = {NULL, moved, moved + 2, NULL, 1};
            saltus_run_simulate_from(s.run, &there, 0.0, 1.0, NULL, &s.err);
            saltus_run_costs(s.run, &value[side], &s.err);
        }
        if (s.err.status) fail_msg("%s", s.err.message);
        EXPECT_NEAR(by_s[i], (value[1] - value[0]) / 2e-5, 1e-7);
    }
    release(&s);
}

/* All other methods and finite differences work on such a run. */
TEST(gradients_of_a_run_from_a_state_agree_by_all_methods)
{
    scripted  s = run_to(rich, SALTUS_END);
    any_state base;
    read_state(&s, 0, 1, &base);
    simulate_from(&s, &base, saltus_run_event(s.run, 0).t, 1.9, NULL);
    const double expected = gradient(&s, SALTUS_DISCRETE, "square", "g");
    expect_gradient(&s, "square", "g", expected, 1e-8);
    EXPECT_NEAR(gradient(&s, SALTUS_FD, "square", "g"), expected, 1e-7);
    release(&s);
}

TEST_MAIN(RUN(products_are_transposes_of_each_other_and_contain_gradients),
          RUN(weights_on_samples_are_rows_of_their_gradients),
          RUN(a_motion_begun_again_after_an_event_goes_on),
          RUN(derivatives_by_the_state_given_agree_with_differences), RUN(a_state_may_be_assembled),
          RUN(gradients_of_a_run_from_a_state_agree_by_all_methods))
