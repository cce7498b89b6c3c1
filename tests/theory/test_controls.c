/* Controls, clocks and delays: against closed forms, and against the same motions written with
 * memories and one event for each node. */
#include "scripted.h"

/* ---- against memories ----------------------------------------------------------------------- */

/* Both scripts have parameters T and u0, u1, ... (or u[0], ...) in the same order, and the same
 * costs. */
static void expect_same(const char *control, const char *memories, double tolerance)
{
    scripted a = run_to(control, SALTUS_END), b = run_to(memories, SALTUS_END);
    double   x[MAX_COSTS], y[MAX_COSTS], g[MAX_COSTS * MAX_PARAMS], h[MAX_COSTS * MAX_PARAMS];
    assert_int_equal(a.size.params, b.size.params);
    assert_int_equal(a.size.costs, b.size.costs);
    saltus_run_costs(a.run, x, &a.err);
    saltus_run_costs(b.run, y, &b.err);
    for (int i = 0; i < a.size.costs; i++) EXPECT_NEAR(x[i], y[i], tolerance * (1.0 + fabs(y[i])));
    for (int m = 0; m < METHODS; m++) {
        const saltus_request request = {.method = all_methods[m]};
        saltus_run_gradients(a.run, &request, g, NULL, NULL, &a.err);
        saltus_run_gradients(b.run, &request, h, NULL, NULL, &b.err);
        if (a.err.status || b.err.status) fail_msg("%s%s", a.err.message, b.err.message);
        for (int i = 0; i < a.size.costs * a.size.params; i++)
            EXPECT_NEAR(g[i], h[i], 100.0 * tolerance * (1.0 + fabs(h[i])));
    }
    expect_no_warning(&a);
    release(&a);
    release(&b);
}

#define CART                                                                                       \
    "model 'cart'\n"                                                                               \
    "local N, T = 5, param('T', 2)\n"                                                              \
    "local x, q = coordinate('x'), coordinate('q')\n"                                              \
    "kinetic(0.65 * dot(x)^2 + 0.15 * cos(q) * dot(x) * dot(q) + 0.0375 * dot(q)^2)\n"             \
    "potential(-1.4715 * cos(q))\n"                                                                \
    "local v = {}\n"                                                                               \
    "for k = 1, N + 1 do v[k] = 3 * math.sin(7 * k) end\n"
#define CART_COSTS                                                                                 \
    "force(x, u)\n"                                                                                \
    "cost('J', {integral = u^2}) cost('x', {final = x}) cost('q', {final = q})\n"                  \
    "horizon(0, T)\n"

TEST(a_linear_control_is_what_memories_are)
{
    expect_same(CART
                "local u = control('u', {kind = 'linear', nodes = N, values = v})\n" CART_COSTS,
                CART "local p, h = {}, T / N\n"
                     "for k = 1, N + 1 do p[k] = param('u' .. k, v[k]) end\n"
                     "local c, s = memory('c', p[1]), memory('s', (p[2] - p[1]) / h)\n"
                     "local b = memory('b', 0)\n"
                     "local u = c + s * (t - b)\n"
                     "for k = 2, N do\n"
                     "  event('node ' .. k, {when = t - (k - 1) * h, direction = 'rising',\n"
                     "    set = {[c] = p[k], [s] = (p[k + 1] - p[k]) / h, [b] = t}})\n"
                     "end\n" CART_COSTS,
                1e-10);
}

#define KONG                                                                                       \
    "model 'ball'\n"                                                                               \
    "local N = 6\n"                                                                                \
    "local y = coordinate('y', {start = 4})\n"                                                     \
    "mass(y, 1)\n"                                                                                 \
    "local v = {}\n"                                                                               \
    "for k = 1, N do v[k] = 5 * math.sin(3 * k) end\n"
#define KONG_COSTS                                                                                 \
    "force(y, u - 9.8)\n"                                                                          \
    "event('floor', {when = y, direction = 'falling', restitution = 0.75})\n"                      \
    "cost('J', {integral = 0.25 * u^2, final = 40 * ((y - 3)^2 + dot(y)^2)})\n"                    \
    "horizon(0, 1)\n"

/* The ball hits the floor in the middle of a piece. */
TEST(a_held_control_goes_through_an_impact)
{
    expect_same(KONG "local u = control('u', {nodes = N, values = v})\n" KONG_COSTS,
                KONG "local p = {}\n"
                     "for k = 1, N do p[k] = param('u' .. k, v[k]) end\n"
                     "local u = memory('u', p[1])\n"
                     "for k = 2, N do\n"
                     "  event('node ' .. k, {when = t - (k - 1) / N, direction = 'rising',\n"
                     "    set = {[u] = p[k]}})\n"
                     "end\n" KONG_COSTS,
                1e-11);
}

/* ---- closed forms --------------------------------------------------------------------------- */

#define POINT                                                                                      \
    "model 'point'\n"                                                                              \
    "local T, v0 = param('T', 2), param('v0', 1)\n"                                                \
    "local x = coordinate('x', {speed = v0})\n"                                                    \
    "mass(x, 1)\n"

/* x(T) = v0 T + sum u_k h (T - (k + 1/2) h), h = T / N: quadratic in T. */
TEST(a_held_force_has_a_closed_form)
{
    static const double u[] = {1.0, -2.0, 0.5, 3.0};
    const double        h = 0.5;
    double              x = 2.0, v = 1.0;
    scripted s = run_to(POINT "force(x, control('u', {nodes = 4, values = {1, -2, 0.5, 3}}))\n"
                              "cost('x', {final = x}) cost('v', {final = dot(x)})\n"
                              "horizon(0, T)\n",
                        SALTUS_END);
    for (int k = 0; k < 4; k++) {
        x += u[k] * h * (2.0 - (k + 0.5) * h);
        v += u[k] * h;
    }
    EXPECT_NEAR(cost_value(&s, "x"), x, 1e-12);
    EXPECT_NEAR(cost_value(&s, "v"), v, 1e-12);
    for (int k = 0; k < 4; k++) {
        char name[8];
        snprintf(name, sizeof name, "u[%d]", k);
        expect_gradient(&s, "x", name, h * (2.0 - (k + 0.5) * h), 1e-11);
        expect_gradient(&s, "v", name, h, 1e-11);
    }
    expect_gradient(&s, "x", "T", 1.0 + 2.0 * (x - 2.0) / 2.0, 1e-11);
    expect_gradient(&s, "v", "T", (v - 1.0) / 2.0, 1e-11);
    expect_event_count(&s, 0);
    assert_int_equal(s.size.memories, 0);
    assert_string_equal(saltus_system_output(s.system, 0).name, "u");
    release(&s);
}

/* A cubic through the values of a parabola is that parabola, also in its first and last piece. */
TEST(a_cubic_control_follows_a_parabola)
{
    scripted s = run_to(POINT "local v = {}\n"
                              "for k = 0, 4 do v[k + 1] = 1 - k * 0.5 + 2 * (k * 0.5)^2 end\n"
                              "local u = control('u', {kind = 'cubic', nodes = 4, values = v})\n"
                              "force(x, u)\n"
                              "cost('v', {final = dot(x)})\n"
                              "cost('off', {integral = (u - (1 - t + 2 * t^2))^2})\n"
                              "cost('slope', {at = {0.25, 1.1, 1.9}, of = dot(u)})\n"
                              "horizon(0, T)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "v"), 1.0 + 2.0 - 2.0 + 16.0 / 3.0, 1e-11);
    EXPECT_NEAR(cost_value(&s, "off"), 0.0, 1e-20);
    EXPECT_NEAR(cost_value(&s, "slope"), -3.0 + 4.0 * (0.25 + 1.1 + 1.9), 1e-11);
    /* all values times T */
    expect_gradient(&s, "v", "T", (2.0 - 2.0 + 16.0 / 3.0) / 2.0, 1e-10);
    /* of all values together, the integral of 1 */
    double sum = 0.0;
    for (int k = 0; k <= 4; k++) {
        char name[8];
        snprintf(name, sizeof name, "u[%d]", k);
        sum += gradient(&s, SALTUS_DISCRETE, "v", name);
    }
    EXPECT_NEAR(sum, 2.0, 1e-11);
    release(&s);
}

/* A control that begins with an event, is zero before it and after its duration. */
TEST(a_control_may_begin_with_an_event)
{
    scripted s = run_to("model 'push'\n"
                        "local v0, d = param('v0', 2), param('d', 0.4)\n"
                        "local x = coordinate('x', {speed = v0})\n"
                        "mass(x, 1)\n"
                        "local u = control('u', {kind = 'linear', nodes = 2, values = {1, 3, 2},\n"
                        "  from = 'gate', duration = d})\n"
                        "force(x, u)\n"
                        "event('gate', {when = x - 1, direction = 'rising'})\n"
                        "cost('v', {final = dot(x)}) cost('x', {final = x})\n"
                        "horizon(0, 2)\n",
                        SALTUS_END);
    /* v = v0 + d (1 + 2 * 3 + 2) / 4 after the push, whose impulse has its centre at c d */
    const double impulse = 0.4 * 2.25, tau = 0.5;
    double       moment = 0.0; /* of the force about the gate, by Simpson's rule on quarters */
    for (int i = 0; i < 2; i++) {
        const double a = i ? 3.0 : 1.0, b = i ? 2.0 : 3.0, l = 0.2 * i, h = 0.2;
        moment += h * (a * l + 4.0 * 0.5 * (a + b) * (l + 0.5 * h) + b * (l + h)) / 6.0;
    }
    EXPECT_NEAR(cost_value(&s, "v"), 2.0 + impulse, 1e-11);
    EXPECT_NEAR(cost_value(&s, "x"), 4.0 + impulse * (2.0 - tau) - moment, 1e-11);
    expect_gradient(&s, "v", "d", 2.25, 1e-10);
    expect_gradient(&s, "v", "v0", 1.0, 1e-10);
    expect_gradient(&s, "v", "u[1]", 0.2, 1e-10);
    expect_gradient(&s, "x", "v0", 2.0 + impulse * 0.25, 1e-10); /* dtau/dv0 = -1 / v0^2 */
    expect_gradient(&s, "x", "d", 2.25 * (2.0 - tau) - 2.0 * moment / 0.4, 1e-10);
    expect_event_count(&s, 1);
    release(&s);
}

/* An event exactly at a node. */
TEST(a_node_at_an_event_is_no_trouble)
{
    scripted s = run_to("model 'wall'\n"
                        "local x = coordinate('x', {speed = 2})\n"
                        "mass(x, 1)\n"
                        "local u = control('u', {nodes = 4, values = {0, 0, 1, -1}})\n"
                        "force(x, u)\n"
                        "event('wall', {when = x - 1, direction = 'rising', restitution = 0.5})\n"
                        "cost('v', {final = dot(x)})\n"
                        "horizon(0, 1)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "v"), -1.0, 1e-12);
    expect_event_count(&s, 1);
    release(&s);
}

/* A control in a mechanism with constraints: nodes are no impacts. A bead on a rod that is turned
 * by a torque: phi'' = u / (m l^2). */
TEST(nodes_inside_constraints_change_no_velocity)
{
    scripted s = run_to("model 'rod'\n"
                        "local x = coordinate('x', {start = 1})\n"
                        "local y = coordinate('y')\n"
                        "mass(x, 2) mass(y, 2)\n"
                        "constraint('rod', x^2 + y^2 - 1)\n"
                        "local u = control('u', {nodes = 4, values = {1, -2, 4, 0.5}})\n"
                        "force(x, -u * y) force(y, u * x)\n"
                        "cost('w', {final = x * dot(y) - y * dot(x)})\n"
                        "horizon(0, 2)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "w"), 0.5 * 0.5 * 3.5, 1e-10);
    expect_gradient(&s, "w", "u[2]", 0.25, 1e-9);
    release(&s);
}

/* ---- clocks --------------------------------------------------------------------------------- */

TEST(a_clock_strikes_at_its_times)
{
    scripted s = run_to("model 'clock'\n"
                        "local T, p = param('T', 0.3), param('p', 0.1)\n"
                        "local x = coordinate('x', {speed = 1})\n"
                        "mass(x, 1)\n"
                        "local n, last = memory('n', 0), memory('last', 0)\n"
                        "event('tick', {every = T, phase = p, set = {[n] = n + 1, [last] = x}})\n"
                        "event('tock', {every = 0.5})\n"
                        "cost('n', {final = n}) cost('last', {final = last})\n"
                        "horizon(0, 1.2)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "n"), 4.0, 0.0);
    EXPECT_NEAR(cost_value(&s, "last"), 1.0, 1e-13);
    expect_gradient(&s, "last", "T", 3.0, 1e-11);
    expect_gradient(&s, "last", "p", 1.0, 1e-11);
    expect_event_count(&s, 6);
    expect_event(&s, 0, "tick", 0.1, 1e-15);
    expect_event(&s, 2, "tock", 0.5, 1e-15);
    release(&s);
}

/* Where its event is not possible, or its condition not met, the clock goes on. */
TEST(a_clock_goes_on_where_its_event_does_not_happen)
{
    scripted s =
        run_to("model 'clock'\n"
               "local up, down = mode('up'), mode('down', {initial = true})\n"
               "local x = coordinate('x', {speed = 1})\n"
               "mass(x, 1)\n"
               "local n, m = memory('n', 0), memory('m', 0)\n"
               "event('tick', {every = 0.1, from = up, set = {[n] = n + 1}})\n"
               "event('tack', {every = 0.1, phase = 0, where = 0.55 - x, set = {[m] = m + 1}})\n"
               "event('rise', {when = x - 0.55, direction = 'rising', from = down, to = up})\n"
               "cost('n', {final = n}) cost('m', {final = m})\n"
               "horizon(0, 1.05)\n",
               SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "n"), 5.0, 0.0); /* 0.6 to 1.0 */
    EXPECT_NEAR(cost_value(&s, "m"), 6.0, 0.0); /* 0.0 to 0.5 */
    release(&s);
}

TEST(an_event_follows_another_after_a_delay)
{
    scripted s = run_to("model 'delay'\n"
                        "local v0, d = param('v0', 2), param('d', 0.25)\n"
                        "local x = coordinate('x', {speed = v0})\n"
                        "mass(x, 1)\n"
                        "event('stop', {after = 'gate', delay = d, set = {[dot(x)] = 0}})\n"
                        "event('gate', {when = x - 1, direction = 'rising'})\n"
                        "cost('x', {final = x})\n"
                        "horizon(0, 2)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "x"), 1.5, 1e-12);
    expect_gradient(&s, "x", "d", 2.0, 1e-11);
    expect_gradient(&s, "x", "v0", 0.25, 1e-11);
    expect_event_count(&s, 2);
    expect_event(&s, 1, "stop", 0.75, 1e-13);
    expect_no_warning(&s);
    release(&s);
}

TEST(delays_that_overlap_are_refused)
{
    scripted s = run_to("model 'delay'\n"
                        "local x = coordinate('x', {speed = 1})\n"
                        "mass(x, 1)\n"
                        "event('beat', {every = 0.2})\n"
                        "event('echo', {after = 'beat', delay = 0.3})\n"
                        "cost('x', {final = x})\n"
                        "horizon(0, 2)\n",
                        SALTUS_EVENT_LIMIT);
    expect_message(&s, "must not overlap");
    release(&s);
}

/* ---- mistakes ------------------------------------------------------------------------------- */

static void expect_mistake(const char *script, const char *part)
{
    saltus_error   err = {0};
    saltus_model  *model = saltus_model_load_text("script.lua", script, strlen(script), NULL, &err);
    saltus_system *system = saltus_system_compile(model, &err);
    saltus_run    *run = saltus_run_new(system, NULL, &err);
    saltus_run_simulate(run, NULL, &err);
    if (!err.status) fail_msg("no mistake in\n%s", script);
    if (!strstr(err.message, part)) fail_msg("'%s' is not in '%s'", part, err.message);
    saltus_run_free(run);
    saltus_system_free(system);
    saltus_model_free(model);
}

#define WITH(line) POINT line "\ncost('x', {final = x})\nhorizon(0, 2)\n"

TEST(mistakes_are_named)
{
    expect_mistake(WITH("control('u')"), "needs a table");
    expect_mistake(WITH("control('u', {})"), "nodes is missing");
    expect_mistake(WITH("control('u', {nodes = 0})"), "nodes must be");
    expect_mistake(WITH("control('u', {nodes = 2, kind = 'round'})"), "kind must be");
    expect_mistake(WITH("control('u', {nodes = 1, kind = 'cubic'})"), "a cubic one needs two");
    expect_mistake(WITH("control('u', {nodes = 2, values = {1}})"), "values has 1 entries");
    expect_mistake(WITH("control('u', {nodes = 2, from = 'here'})"), "needs from= and duration=");
    expect_mistake(WITH("control('u', {nodes = 2, from = 'here', duration = 1})"),
                   "begins with the event 'here'");
    expect_mistake(WITH("event('e', {every = 0})"), "event 'e': every= is 0, and must be positive");
    expect_mistake(WITH("event('e', {every = v0 - 1})"), "must be positive");
    expect_mistake(WITH("event('e', {every = x})"), "every=");
    expect_mistake(WITH("event('e', {every = 1, when = x})"), "has a time already");
    expect_mistake(WITH("event('e', {after = 'f'})"), "belong together");
    expect_mistake(WITH("event('e', {after = 'f', delay = 1})"), "begins with the event 'f'");
    expect_mistake(WITH("event('e', {phase = 1, when = x})"), "phase belongs to every");
    expect_mistake(WITH("mode('a', {initial = true}) mode('b', {initial = true})"),
                   "two modes of one group");
}

TEST_MAIN(RUN(a_linear_control_is_what_memories_are), RUN(a_held_control_goes_through_an_impact),
          RUN(a_held_force_has_a_closed_form), RUN(a_cubic_control_follows_a_parabola),
          RUN(a_control_may_begin_with_an_event), RUN(a_node_at_an_event_is_no_trouble),
          RUN(nodes_inside_constraints_change_no_velocity), RUN(a_clock_strikes_at_its_times),
          RUN(a_clock_goes_on_where_its_event_does_not_happen),
          RUN(an_event_follows_another_after_a_delay), RUN(delays_that_overlap_are_refused),
          RUN(mistakes_are_named))
