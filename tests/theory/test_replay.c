/* Replays of recorded steps, and second derivatives by differences on them. */
#include "scripted.h"

static const char *const ball =
    "model 'ball' local h, e, g = param('h', 1), param('e', 0.8), param('g', 9.81)\n"
    "local y = coordinate('y', {start = h}) mass(y, 1) force(y, -g)\n"
    "event('floor', {when = y, direction = 'falling', set = {[dot(y)] = -e * dot(y)}, stop = 5})\n"
    "cost('t', {final = t}) horizon(0, 20)\n";

/* A pendulum with drag that is bounced by a wall that moves, and a free end. */
static const char *const pendulum =
    "model 'p' local l, u, d = param('l', 1.1), param('u', 2.5), param('d', 0.5)\n"
    "local a = coordinate('a', {start = 0.4, speed = u}) mass(a, l^2)\n"
    "local m = memory('m', 0.9)\n"
    "force(a, -9.81 * l * sin(a) + 0.5 * cos(2 * t) - 0.05 * dot(a))\n"
    "event('wall', {when = a - d - 0.02 * sin(7 * t), direction = 'rising',\n"
    "  set = {[dot(a)] = -m * dot(a), [m] = 0.95 * m}})\n"
    "cost('c', {integral = a^2}) cost('f', {final = a + dot(a)^2 + m}) horizon(0, 3 + u / 10)\n";

static void replay(scripted *s, const double *params)
{
    if (saltus_run_replay(s->run, params, &s->err)) fail_msg("%s", s->err.message);
    s->info = saltus_run_get_info(s->run);
}

TEST(a_replay_without_a_change_is_the_simulation)
{
    scripted     s = run_to(pendulum, SALTUS_END);
    const double c = cost_value(&s, "c"), f = cost_value(&s, "f");
    const double by_u = gradient(&s, SALTUS_DISCRETE, "f", "u");
    const int    events = s.info->events;
    EXPECT(events > 1);
    for (int i = 0; i < 3; i++) {
        replay(&s, NULL);
        expect_outcome(&s, SALTUS_END);
        expect_event_count(&s, events);
        EXPECT_NEAR(cost_value(&s, "c"), c, 1e-14);
        EXPECT_NEAR(cost_value(&s, "f"), f, 1e-13);
        EXPECT_NEAR(gradient(&s, SALTUS_DISCRETE, "f", "u"), by_u, 1e-12 * fabs(by_u));
    }
    release(&s);
}

/* However loose the tolerance: differences of replays are the discrete gradient. */
TEST(the_discrete_gradient_is_that_of_the_replay)
{
    scripted s = load(pendulum);
    s.options.rtol = s.options.atol = 1e-3;
    simulate(&s, NULL);
    const char *const names[] = {"l", "u", "d"};
    for (int j = 0; j < 3; j++) {
        double       p[] = {1.1, 2.5, 0.5}, value[4];
        const double exact = (simulate(&s, NULL), gradient(&s, SALTUS_DISCRETE, "f", names[j]));
        const double h = 1e-3;
        for (int i = 0; i < 4; i++) {
            p[j] += h * (i == 0 ? 1.0 : i == 1 ? -2.0 : i == 2 ? 3.0 : -4.0); /* 1, -1, 2, -2 */
            replay(&s, p);
            value[i] = cost_value(&s, "f");
        }
        const double slope = (8.0 * (value[0] - value[1]) - (value[2] - value[3])) / (12.0 * h);
        EXPECT_NEAR(slope, exact, 1e-8 * (1.0 + fabs(exact)));
    }
    release(&s);
}

TEST(a_replay_says_when_the_events_are_others)
{
    scripted     s = run_to("model 'ball' local h = param('h', 1)\n"
                                "local y = coordinate('y', {start = h}) mass(y, 1) force(y, -9.81)\n"
                                "event('floor', {when = y, direction = 'falling',\n"
                                "  set = {[dot(y)] = -0.8 * dot(y)}})\n"
                                "cost('c', {final = y}) horizon(0, 2)\n",
                            SALTUS_END);
    const double high = 1.31, low = 0.81, near[] = {1.05, 0.95};
    const double c = cost_value(&s, "c");
    saltus_error err = {0};
    saltus_run_replay(s.run, &high, &err);
    EXPECT(err.status == SALTUS_ERR_UNFINISHED && strstr(err.message, "events differ"));
    EXPECT(saltus_run_get_info(s.run)->outcome == SALTUS_NOT_SIMULATED);
    err = (saltus_error){0};
    saltus_run_replay(s.run, &low, &err);
    EXPECT(err.status == SALTUS_ERR_UNFINISHED);
    for (int i = 0; i < 2; i++) { /* the step is of order 8, what is added to it of order 2 */
        scripted other = load("model 'ball' local h = param('h', 1)\n"
                              "local y = coordinate('y', {start = h}) mass(y, 1) force(y, -9.81)\n"
                              "event('floor', {when = y, direction = 'falling',\n"
                              "  set = {[dot(y)] = -0.8 * dot(y)}})\n"
                              "cost('c', {final = y}) horizon(0, 2)\n");
        simulate(&other, &near[i]);
        replay(&s, &near[i]);
        EXPECT_NEAR(cost_value(&s, "c"), cost_value(&other, "c"), 1e-9);
        release(&other);
    }
    replay(&s, NULL);
    EXPECT_NEAR(cost_value(&s, "c"), c, 1e-13);
    release(&s);
}

/* ---- second derivatives --------------------------------------------------------------------- */

static void product(scripted *s, int cost_index, const double *direction, double *out)
{
    const saltus_request request = {.costs = &cost_index, .cost_count = 1};
    if (saltus_run_hessian_product(s->run, &request, direction, out, &s->err))
        fail_msg("%s", s->err.message);
}

/* The fifth bounce is at fall (1 + 2 e + ... + 2 e^4). */
TEST(bounces_have_their_second_derivatives)
{
    scripted     s = run_to(ball, SALTUS_TERMINAL_EVENT);
    const double e = 0.8, fall = sqrt(2.0 / 9.81), t = cost_value(&s, "t");
    const double by_e = fall * (2.0 + 4.0 * e + 6.0 * e * e + 8.0 * e * e * e);
    const double by_ee = fall * (4.0 + 12.0 * e + 24.0 * e * e);
    const double g = 9.81;
    const double exact[3][3] = {{-t / 4.0, by_e / 2.0, -t / (4.0 * g)},
                                {by_e / 2.0, by_ee, -by_e / (2.0 * g)},
                                {-t / (4.0 * g), -by_e / (2.0 * g), 3.0 * t / (4.0 * g * g)}};
    EXPECT_NEAR(t, fall * (1.0 + 2.0 * (e + e * e + pow(e, 3) + pow(e, 4))), 1e-12);
    for (int i = 0; i < 3; i++) {
        double along[3] = {0}, row[3];
        along[i] = 1.0;
        product(&s, 0, along, row);
        for (int j = 0; j < 3; j++)
            EXPECT_NEAR(row[j], exact[i][j], 2e-9 * (1.0 + fabs(exact[i][j])));
    }
    EXPECT(cost_value(&s, "t") == t);
    release(&s);
}

/* x = A cos(w T): all second derivatives, along any direction. */
TEST(springs_have_their_second_derivatives)
{
    scripted s = run_to("model 's' local A, w, T = param('A', 1.2), param('w', 3), param('T', 2)\n"
                        "local x = coordinate('x', {start = A}) mass(x, 1) force(x, -w^2 * x)\n"
                        "cost('x', {final = x}) horizon(0, T)\n",
                        SALTUS_END);
    const double A = 1.2, w = 3.0, T = 2.0, c = cos(w * T), n = sin(w * T);
    const double d[] = {0.3, -0.2, 0.5};
    const double H[3][3] = {{0.0, -T * n, -w * n},
                            {-T * n, -A * T * T * c, -A * n - A * w * T * c},
                            {-w * n, -A * n - A * w * T * c, -A * w * w * c}};
    double       row[3];
    product(&s, 0, d, row);
    for (int j = 0; j < 3; j++)
        EXPECT_NEAR(row[j], H[j][0] * d[0] + H[j][1] * d[1] + H[j][2] * d[2], 1e-9);
    release(&s);
}

/* Through events, a memory and a free end: symmetric, and equal to differences of simulations. */
TEST(second_derivatives_through_events_are_symmetric)
{
    scripted s = run_to(pendulum, SALTUS_END);
    double   H[3][3], p[] = {1.1, 2.5, 0.5};
    for (int i = 0; i < 3; i++) {
        double along[3] = {0};
        along[i] = 1.0;
        product(&s, 1, along, H[i]);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++) EXPECT_NEAR(H[i][j], H[j][i], 1e-7 * (1.0 + fabs(H[i][j])));
    for (int i = 0; i < 3; i++) {
        double       value[2];
        const double h = 1e-5, middle = p[i];
        for (int side = 0; side < 2; side++) {
            p[i] = side ? middle + h : middle - h;
            simulate(&s, p);
            value[side] = gradient(&s, SALTUS_DIRECT, "f", "u");
        }
        p[i] = middle;
        const double slope = (value[1] - value[0]) / (2.0 * h);
        EXPECT_NEAR(H[i][1], slope, 1e-5 * (1.0 + fabs(slope)));
    }
    release(&s);
}

TEST_MAIN(RUN(a_replay_without_a_change_is_the_simulation),
          RUN(the_discrete_gradient_is_that_of_the_replay),
          RUN(a_replay_says_when_the_events_are_others), RUN(bounces_have_their_second_derivatives),
          RUN(springs_have_their_second_derivatives),
          RUN(second_derivatives_through_events_are_symmetric))
