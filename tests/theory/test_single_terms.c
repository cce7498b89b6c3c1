/* Models whose answer hangs on one thing: one term of a derivative, one crossing, one threshold.
 * Each has a closed form, and goes wrong if that thing is missing (scripts/mutate takes it away).
 */
#include "scripted.h"

/* ---- crossings ------------------------------------------------------------------------------ */

/* A guard that is below zero for two milliseconds inside of one long step. */
static void expect_dip(const char *guard, const char *direction, double t, double tolerance)
{
    char script[512];
    snprintf(script, sizeof script,
             "local x = coordinate('x', {start = 1}) mass(x, 1)\n"
             "local n = memory('n', 0)\n"
             "event('dip', {when = %s, direction = '%s', set = {[n] = n + 1}})\n"
             "cost('count', {final = n}) horizon(0, 1)\n",
             guard, direction);
    scripted s = run_to(script, SALTUS_END);
    expect_event_count(&s, 1);
    expect_event(&s, 0, "dip", t, tolerance);
    EXPECT_NEAR(cost_value(&s, "count"), 1.0, 0.0);
    release(&s);
}

TEST(both_ways_through_zero_of_a_short_dip_are_found)
{
    UNUSED_STATE;
    expect_dip("(t - 0.5)^2 - 1e-6", "rising", 0.501, 1e-12);
    expect_dip("(t - 0.5)^2 - 1e-6", "falling", 0.499, 1e-12);
    expect_dip("1e-6 - (t - 0.5)^2", "falling", 0.501, 1e-12);
    expect_dip("1 - 5e-7 - cos(t - 0.5)", "rising", 0.5 + acos(1.0 - 5e-7), 1e-10);
    expect_dip("1 - 5e-7 - cos(t - 0.5)", "falling", 0.5 - acos(1.0 - 5e-7), 1e-10);
}

/* A guard that leaves zero at an event and comes back within the next step: the ball that bounces
 * so low is met again. */
TEST(a_low_hop_behind_an_event_is_met_again)
{
    UNUSED_STATE;
    for (double e = 0.3; e > 1e-4; e *= 0.2) {
        char script[512];
        snprintf(script, sizeof script,
                 "local y = coordinate('y', {start = 1}) mass(y, 1) force(y, -2)\n"
                 "event('floor', {when = y, direction = 'falling', stop = 2,\n"
                 "                set = {[dot(y)] = -%.17g * dot(y)}})\n"
                 "cost('y', {final = y}) horizon(0, 4)\n",
                 e);
        scripted s = run_to(script, SALTUS_TERMINAL_EVENT);
        expect_event(&s, 0, "floor", 1.0, 1e-12);
        expect_event(&s, 1, "floor", 1.0 + 2.0 * e, 1e-11);
        release(&s);
    }
}

/* A guard that goes through zero by a millionth and turns back: whether that is grazing is an
 * option. */
TEST(what_turns_back_within_the_part_of_the_horizon_asked_for_has_no_gradient)
{
    UNUSED_STATE;
    for (int grazes = 0; grazes < 2; grazes++) {
        scripted s = load("local p = param('p', 0.249999)\n"
                          "local y = coordinate('y', {speed = 1}) mass(y, 1) force(y, -2)\n"
                          "local n = memory('n', 0)\n"
                          "event('high', {when = y - p, direction = 'rising', set = {[n] = t}})\n"
                          "cost('when', {final = n}) horizon(0, 1)\n");
        s.options.rtol = s.options.atol = 1e-4;
        s.options.event_rate_min = grazes ? 1e-2 : 1e-8;
        simulate(&s, NULL);
        expect_outcome(&s, SALTUS_END);
        expect_event(&s, 0, "high", 0.499, 1e-7);
        if (grazes) expect_no_gradient(&s, SALTUS_ERR_GRAZING, "is grazing");
        else expect_gradient(&s, "when", "p", 500.0, 0.1);
        release(&s);
    }
}

/* ---- impacts -------------------------------------------------------------------------------- */

/* A light foot under a heavy mass, on a rod: together they fall and bounce, whatever the masses. */
TEST(a_light_foot_under_a_heavy_mass_bounces)
{
    UNUSED_STATE;
    static const double heavy[] = {1.0, 1e3, 1e6, 1e8};
    for (int i = 0; i < 4; i++) {
        char script[512];
        snprintf(script, sizeof script,
                 "gravity(0, -9.81)\n"
                 "local e = param('e', 0.5)\n"
                 "local P = point('P', {x = 0, y = 0.2}) mass(P, 1)\n"
                 "local Q = point('Q', {x = 0, y = 1.2}) mass(Q, %g)\n"
                 "rod {P, Q, length = 1}\n"
                 "event('ground', {when = P.y, direction = 'falling', restitution = e})\n"
                 "cost('height', {final = Q.y}) horizon(0, 0.35)\n",
                 heavy[i]);
        scripted     s = run_to(script, SALTUS_END);
        const double g = 9.81, hit = sqrt(0.4 / g), left = 0.35 - hit, speed = g * hit;
        expect_event_count(&s, 1);
        expect_event(&s, 0, "ground", hit, 1e-11);
        EXPECT_NEAR(cost_value(&s, "height"), 1.0 + 0.5 * speed * left - g * left * left / 2, 1e-9);
        expect_gradient(&s, "height", "e", speed * left, 1e-8);
        release(&s);
    }
}

/* What two drives hold cannot bounce, also where rounding leaves something of the contact's
 * freedom. */
TEST(an_impact_against_what_is_driven_has_no_solution)
{
    UNUSED_STATE;
    for (int i = 1; i <= 8; i++) {
        char script[512];
        snprintf(script, sizeof script,
                 "local x, y, z = coordinate('x'), coordinate('y'), coordinate('z')\n"
                 "mass(x, 1.3) mass(y, 0.7) mass(z, 2.1)\n"
                 "local a, b = %d / 7, 1.1 / %d\n"
                 "constraint('first', a * x + b * y - t)\n"
                 "constraint('second', 0.3 * y - 0.9 * z - t)\n"
                 "event('hit', {when = a * x + (b + 0.03) * y - 0.09 * z - 0.5,\n"
                 "              direction = 'rising', restitution = 0.5})\n"
                 "cost('x', {final = x}) horizon(0, 1)\n",
                 i, i);
        scripted s = run_to(script, SALTUS_SINGULAR);
        expect_message(&s, "the impact law has no solution");
        release(&s);
    }
}

/* ---- derivatives through events ------------------------------------------------------------- */

/* y is a function of time, whenever x is kicked: what the kick leaves of its velocity follows the
 * time of the kick. */
TEST(velocities_that_follow_a_moving_constraint_depend_on_the_time_of_the_event)
{
    UNUSED_STATE;
    scripted s = run_to("local a = param('a', 0.8)\n"
                        "local x = coordinate('x', {speed = a}) mass(x, 1)\n"
                        "local y = coordinate('y') mass(y, 1)\n"
                        "constraint('driven', y - t^3)\n"
                        "event('kick', {when = x - 0.5, direction = 'rising',\n"
                        "               set = {[dot(x)] = 2 * dot(x)}})\n"
                        "cost('x', {final = x}) cost('y', {final = y})\n"
                        "cost('vy', {final = dot(y)}) horizon(0, 1)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "x"), 1.1, 1e-11);
    expect_gradient(&s, "x", "a", 2.0, 1e-9);
    expect_gradient(&s, "y", "a", 0.0, 1e-9);
    expect_gradient(&s, "vy", "a", 0.0, 1e-9);
    release(&s);
}

/* Of two bodies that are tied together, the one that is kicked keeps what it is given. */
TEST(a_velocity_that_is_set_is_not_found_from_the_others)
{
    UNUSED_STATE;
    for (int i = 0; i < 2; i++) {
        char script[512];
        snprintf(script, sizeof script,
                 "local a = param('a', 0.8)\n"
                 "local x, y = coordinate('x', {speed = a}), coordinate('y', {speed = a})\n"
                 "mass(x, 1) mass(y, 1) constraint('tie', x - y)\n"
                 "event('kick', {when = x + y - 1, direction = 'rising',\n"
                 "               set = {[dot(%s)] = 2 * dot(x)}})\n"
                 "cost('x', {final = x}) cost('y', {final = y}) horizon(0, 1)\n",
                 i ? "x" : "y");
        scripted s = run_to(script, SALTUS_END);
        EXPECT_NEAR(cost_value(&s, "x"), 1.1, 1e-11);
        expect_gradient(&s, "x", "a", 2.0, 1e-9);
        expect_gradient(&s, "y", "a", 2.0, 1e-9);
        release(&s);
    }
}

/* The same with a constraint that is scaled by a position, which the event sets last of all: the
 * law was at its old value. */
TEST(a_position_that_is_set_after_the_law_does_not_change_the_law)
{
    UNUSED_STATE;
    scripted s = run_to("local a = param('a', 0.8)\n"
                        "local x = coordinate('x', {speed = a}) mass(x, 1)\n"
                        "local y, z = coordinate('y'), coordinate('z', {start = 1})\n"
                        "mass(y, 1) mass(z, 1)\n"
                        "constraint('driven', (1 + z^2) * (y - t^3))\n"
                        "event('kick', {when = x - 0.5, direction = 'rising',\n"
                        "               set = {[dot(x)] = 2 * dot(x), [z] = z + after(dot(x))}})\n"
                        "cost('y', {final = y}) cost('vy', {final = dot(y)})\n"
                        "cost('z', {final = z}) horizon(0, 1)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "z"), 2.6, 1e-10);
    expect_gradient(&s, "y", "a", 0.0, 1e-9);
    expect_gradient(&s, "vy", "a", 0.0, 1e-9);
    expect_gradient(&s, "z", "a", 2.0, 1e-9);
    release(&s);
}

/* m is multiplied by the speed behind the bounce: what is set last is made of its old value. */
TEST(a_memory_that_is_set_after_the_law_is_made_of_its_old_value)
{
    UNUSED_STATE;
    scripted s = run_to("local e, m0 = param('e', 0.6), param('m0', 3)\n"
                        "local y = coordinate('y', {start = 1}) mass(y, 1) force(y, -2)\n"
                        "local m = memory('m', m0)\n"
                        "event('floor', {when = y, direction = 'falling', restitution = e,\n"
                        "                set = {[m] = after(m) * after(dot(y))}})\n"
                        "cost('m', {final = m}) horizon(0, 1.5)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "m"), 3.0 * 1.2, 1e-10);
    expect_gradient(&s, "m", "e", 6.0, 1e-9);
    expect_gradient(&s, "m", "m0", 1.2, 1e-9);
    release(&s);
}

/* An oscillator x = x0 cos(w t) that is slowed down at t = p, and a body that is held against a
 * force made of its position and velocity: accelerations and the multiplier on both sides, in
 * charges. */
static const char charged[] =
    "local x0, p = param('x0', 1.3), param('p', 0.4)\n"
    "local w, b, d = 2, 3, 0.7\n"
    "local x = coordinate('x', {start = x0}) mass(x, 1) force(x, -w^2 * x)\n"
    "local y = coordinate('y') mass(y, 1) force(y, -b * x - d * dot(x))\n"
    "local free, braked = mode 'free', mode 'braked'\n"
    "force(x, -d * dot(x), {mode = braked})\n"
    "constraint('hold', y)\n"
    "cost('a_before') cost('a_after') cost('mu_before') cost('mu_after')\n"
    "event('brake', {from = free, to = braked, when = t - p, set = {[dot(x)] = 0.25 * dot(x)},\n"
    "  charge = {a_before = ddot(x), a_after = after(ddot(x)),\n"
    "            mu_before = multiplier('hold'), mu_after = after(multiplier('hold'))}})\n"
    "horizon(0, 1)\n";

TEST(accelerations_and_multipliers_on_both_sides_of_an_event_may_be_charged)
{
    UNUSED_STATE;
    scripted     s = run_to(charged, SALTUS_END);
    const double w = 2.0, b = 3.0, d = 0.7, x0 = 1.3, p = 0.4, e = 0.25;
    const double c = cos(w * p), n = sin(w * p);
    EXPECT_NEAR(cost_value(&s, "a_before"), -w * w * x0 * c, 1e-10);
    EXPECT_NEAR(cost_value(&s, "a_after"), -w * w * x0 * c + d * e * w * x0 * n, 1e-10);
    EXPECT_NEAR(cost_value(&s, "mu_before"), -b * x0 * c + d * w * x0 * n, 1e-10);
    EXPECT_NEAR(cost_value(&s, "mu_after"), -b * x0 * c + d * e * w * x0 * n, 1e-10);
    expect_gradient(&s, "a_before", "x0", -w * w * c, 1e-9);
    expect_gradient(&s, "a_after", "x0", -w * w * c + d * e * w * n, 1e-9);
    expect_gradient(&s, "mu_before", "x0", -b * c + d * w * n, 1e-9);
    expect_gradient(&s, "mu_after", "x0", -b * c + d * e * w * n, 1e-9);
    expect_gradient(&s, "a_before", "p", w * w * w * x0 * n, 1e-9);
    expect_gradient(&s, "a_after", "p", w * w * w * x0 * n + d * e * w * w * x0 * c, 1e-9);
    expect_gradient(&s, "mu_before", "p", b * w * x0 * n + d * w * w * x0 * c, 1e-9);
    expect_gradient(&s, "mu_after", "p", b * w * x0 * n + d * e * w * w * x0 * c, 1e-9);
    release(&s);
}

TEST_MAIN(RUN(both_ways_through_zero_of_a_short_dip_are_found),
          RUN(a_low_hop_behind_an_event_is_met_again), RUN(a_light_foot_under_a_heavy_mass_bounces),
          RUN(an_impact_against_what_is_driven_has_no_solution),
          RUN(a_position_that_is_set_after_the_law_does_not_change_the_law),
          RUN(a_memory_that_is_set_after_the_law_is_made_of_its_old_value),
          RUN(a_velocity_that_is_set_is_not_found_from_the_others),
          RUN(what_turns_back_within_the_part_of_the_horizon_asked_for_has_no_gradient),
          RUN(velocities_that_follow_a_moving_constraint_depend_on_the_time_of_the_event),
          RUN(accelerations_and_multipliers_on_both_sides_of_an_event_may_be_charged))
