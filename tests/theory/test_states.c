/* First-order states: closed forms of their values and derivatives, through events and modes, with
 * constraints and impacts beside them. */
#include "scripted.h"

static const double TIGHT = 2e-10;

/* A filter s of a constant u: s = u + (s0 - u) exp(-t / T), kicked by k at t1. */
TEST(a_filter_that_is_kicked_follows_its_closed_form)
{
    scripted s =
        run_to("local T, s0, u = param('T', 0.5), param('s0', 2), param('u', 0.7)\n"
               "local k, t1 = param('k', 0.3), param('t1', 0.8)\n"
               "local s = state('s', {start = s0, rate = function(s) return (u - s) / T end})\n"
               "event('kick', {when = t - t1, set = {[s] = s + k * s^2}})\n"
               "cost('end', {final = s}) cost('rate', {final = dot(s)})\n"
               "cost('area', {integral = s}) horizon(0, 2)\n",
               SALTUS_END);
    const double T = 0.5, s0 = 2.0, u = 0.7, k = 0.3, t1 = 0.8, rest = 1.2;
    const double a = exp(-t1 / T), b = exp(-rest / T);
    const double minus = u + (s0 - u) * a, plus = minus + k * minus * minus;
    const double end = u + (plus - u) * b, gain = 1.0 + 2.0 * k * minus;
    EXPECT_NEAR(cost_value(&s, "end"), end, TIGHT);
    EXPECT_NEAR(cost_value(&s, "rate"), (u - end) / T, 10 * TIGHT);
    EXPECT_NEAR(cost_value(&s, "area"),
                2.0 * u + T * ((s0 - u) * (1.0 - a) + (plus - u) * (1.0 - b)), TIGHT);
    expect_gradient(&s, "end", "s0", b * gain * a, TIGHT);
    expect_gradient(&s, "end", "u", 1.0 - b + b * gain * (1.0 - a), TIGHT);
    expect_gradient(&s, "end", "k", b * minus * minus, TIGHT);
    /* a later kick: the filter runs longer before it and shorter after it */
    expect_gradient(&s, "end", "t1", b * (gain * (u - minus) / T + (plus - u) / T), 10 * TIGHT);
    expect_gradient(&s, "end", "T", b * (gain * (s0 - u) * a * t1 + (plus - u) * rest) / (T * T),
                    10 * TIGHT);
    release(&s);
}

/* Two states that turn into each other: a circle, whose rates are given after both are there. */
TEST(states_may_depend_on_each_other)
{
    scripted s = run_to("local w = param('w', 3)\n"
                        "local x, y = state('x', {start = 1}), state('y')\n"
                        "rate(x, -w * y) rate(y, w * x)\n"
                        "event('up', {when = x, direction = 'rising'})\n"
                        "cost('x', {final = x}) cost('r', {final = x^2 + y^2}) horizon(0, 2)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "x"), cos(6.0), TIGHT);
    EXPECT_NEAR(cost_value(&s, "r"), 1.0, TIGHT);
    expect_gradient(&s, "x", "w", -2.0 * sin(6.0), 10 * TIGHT);
    expect_event_count(&s, 1);
    expect_event(&s, 0, "up", 0.5 * acos(-1.0), TIGHT);
    release(&s);
}

/* A tank that fills at rate a until it holds h, then empties at rate b: the guard is the state. */
TEST(rates_of_modes_change_at_an_event_of_the_state)
{
    scripted     s = run_to("local a, b, h = param('a', 2), param('b', 3), param('h', 1)\n"
                                "local fill, drain = mode('fill'), mode('drain')\n"
                                "local V = state('V')\n"
                                "rate(V, a, {mode = fill}) rate(V, -b * V, {mode = drain})\n"
                                "event('full', {when = V - h, from = fill, to = drain})\n"
                                "cost('V', {final = V}) cost('rate', {final = dot(V)}) horizon(0, 1)\n",
                            SALTUS_END);
    const double tau = 0.5, V = exp(-1.5);
    expect_event(&s, 0, "full", tau, TIGHT);
    EXPECT_NEAR(cost_value(&s, "V"), V, TIGHT);
    EXPECT_NEAR(cost_value(&s, "rate"), -3.0 * V, 10 * TIGHT);
    expect_gradient(&s, "V", "a", V * 3.0 * (-1.0 / 4.0), TIGHT);
    expect_gradient(&s, "V", "b", -tau * V, TIGHT);
    expect_gradient(&s, "V", "h", V * (1.0 + 3.0 / 2.0), TIGHT);
    release(&s);
}

/* The integral of a controller beside a ball that bounces and a rod that constrains: states are
 * moved neither by impacts nor by constraints, and have no kinetic energy. */
TEST(impacts_and_constraints_leave_states_alone)
{
    scripted         s = run_to("local e, h0 = param('e', 0.8), param('h0', 1)\n"
                                        "local y = coordinate('y', {start = h0}) mass(y, 2) force(y, -2 * 9.81)\n"
                                        "local P = point('P', {x = 1}) mass(P, 1) gravity(0, -9.81)\n"
                                        "rod {ground_point(0, 0), P, length = 1}\n"
                                        "local I = state('I', {start = 5, rate = dot(y)})\n"
                                        "event('floor', {when = y, direction = 'falling', restitution = e})\n"
                                        "cost('I', {final = I}) horizon(0, 1)\n",
                                SALTUS_END);
    const double     tau = sqrt(2.0 / 9.81), v = 0.8 * 9.81 * tau, rest = 1.0 - tau;
    const double     I = 5.0 - 1.0 + v * rest - 0.5 * 9.81 * rest * rest;
    const saltus_row row = final_row(&s);
    EXPECT_NEAR(cost_value(&s, "I"), I, TIGHT);
    expect_gradient(&s, "I", "e", 9.81 * tau * rest, TIGHT);
    const double ydot = v - 9.81 * rest;
    EXPECT_NEAR(row.kinetic - 0.5 * (row.v[1] * row.v[1] + row.v[2] * row.v[2]), ydot * ydot, 1e-8);
    for (int i = 0; i < s.size.coordinates; i++)
        EXPECT(saltus_system_is_state(s.system, i) == (i == 3));
    release(&s);
}

/* A state that grows large has a position that nobody asks for: it must not cost steps. */
TEST(the_integral_of_a_state_takes_no_part_in_the_control_of_errors)
{
    scripted s = run_to("local s = state('s', {start = 1e-6, rate = function(s) return -s end})\n"
                        "cost('s', {final = s}) horizon(0, 1)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "s"), 1e-6 * exp(-1.0), 1e-16);
    expect_no_warning(&s);
    release(&s);
}

static void expect_mistake(const char *script, const char *part)
{
    saltus_error   err = {0};
    saltus_model  *model = saltus_model_load_text("s.lua", script, strlen(script), NULL, &err);
    saltus_system *system = saltus_system_compile(model, &err);
    if (!err.status || !strstr(err.message, part))
        fail_msg("'%s' is not in the message '%s' of\n%s", part, err.message, script);
    saltus_system_free(system);
    saltus_model_free(model);
}

TEST(states_where_they_do_not_belong_are_refused)
{
#define STATE "local s = state('s', {rate = 1}) local x = coordinate('x') mass(x, 1) horizon(0, 1) "
    expect_mistake(STATE "potential(s * x)", "states");
    expect_mistake(STATE "kinetic(0.5 * s * dot(x)^2)", "state 's'");
    expect_mistake(STATE "dissipation(0.5 * s * dot(x)^2)", "state 's'");
    expect_mistake(STATE "rolling('r', dot(x) - s)", "state 's'");
    expect_mistake(STATE "rate(s, 2)", "has a rate already");
    expect_mistake(STATE "rate(x, 2)", "belongs to a state");
    expect_mistake(STATE "state('s', {rate = 1})", "are called 's'");
    expect_mistake(STATE "state('r', {rate = ddot(x)})", "accelerations");
    expect_mistake(STATE "state('r')", "has no rate");
    expect_mistake(STATE "state('r', {start = t, rate = 1})", "start=");
    expect_mistake(STATE "state('r', {rate = function() end})", "rate");
    expect_mistake(STATE "state('r', {rate = function() error('no') end})", "no");
#undef STATE
}

TEST_MAIN(RUN(a_filter_that_is_kicked_follows_its_closed_form),
          RUN(states_may_depend_on_each_other), RUN(rates_of_modes_change_at_an_event_of_the_state),
          RUN(impacts_and_constraints_leave_states_alone),
          RUN(the_integral_of_a_state_takes_no_part_in_the_control_of_errors),
          RUN(states_where_they_do_not_belong_are_refused))
