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
    expect_dip("(t - 0.5)^2 - 1e-6", "rising", 0.501, 1e-12);
    expect_dip("(t - 0.5)^2 - 1e-6", "falling", 0.499, 1e-12);
    expect_dip("1e-6 - (t - 0.5)^2", "falling", 0.501, 1e-12);
    expect_dip("1 - 5e-7 - cos(t - 0.5)", "rising", 0.5 + acos(1.0 - 5e-7), 1e-10);
    expect_dip("1 - 5e-7 - cos(t - 0.5)", "falling", 0.5 - acos(1.0 - 5e-7), 1e-10);
}

/* A quotient may dip however smoothly its parts move. */
TEST(a_quotient_that_dips_inside_of_a_step_is_followed)
{
    for (double at = 0.15; at < 0.95; at += 0.04) {
        char script[256];
        snprintf(script, sizeof script,
                 "local x = coordinate('x', {speed = 1}) mass(x, 1)\n"
                 "event('dip', {when = 1 - 2e-4 / ((x - %.17g)^2 + 1e-4)})\n"
                 "cost('x', {final = x}) horizon(0, 1)\n",
                 at);
        scripted s = run_to(script, SALTUS_END);
        expect_event_count(&s, 2);
        expect_event(&s, 0, "dip", at - 0.01, 1e-11);
        expect_event(&s, 1, "dip", at + 0.01, 1e-11);
        release(&s);
    }
}

/* Its time has gone by, also if its condition is met later. */
TEST(a_clock_whose_condition_is_not_met_does_not_strike_later)
{
    scripted s = run_to("local x = coordinate('x', {speed = 1}) mass(x, 1)\n"
                        "event('clock', {when = t - 0.3, where = x - 0.5})\n"
                        "event('there', {when = x - 0.7})\n"
                        "cost('x', {final = x}) horizon(0, 1)\n",
                        SALTUS_END);
    expect_event_count(&s, 1);
    expect_event(&s, 0, "there", 0.7, 1e-12);
    release(&s);
}

/* A guard that leaves zero at an event and comes back within the next step: the ball that bounces
 * so low is met again. */
TEST(a_low_hop_behind_an_event_is_met_again)
{
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

/* Two crossings next to each other: where the dense output has them in another order than the steps
 * that are taken onto them, none is lost. y is the time, so that its crossing may be put anywhere.
 */
TEST(crossings_that_the_dense_output_has_in_the_wrong_order_all_happen)
{
    double first = NAN;
    for (int i = -1; i < 40; i++) {
        const double there = i < 0 ? 0.9 : first + (i % 2 ? 1e-4 : -1e-4) * pow(2.0, -i / 2);
        char         script[512];
        snprintf(script, sizeof script,
                 "local x, y = coordinate('x', {start = 1}), coordinate('y', {speed = 1})\n"
                 "mass(x, 1) mass(y, 1) force(x, -25 * x - 10 * x^3)\n"
                 "event('swing', {when = x, direction = 'falling'})\n"
                 "event('clock', {when = y - %.17g, direction = 'rising'})\n"
                 "cost('x', {final = x}) horizon(0, 1)\n",
                 there);
        scripted s = load(script);
        s.options.rtol = s.options.atol = 1e-4;
        simulate(&s, NULL);
        expect_event_count(&s, 2);
        if (i < 0) first = saltus_run_event(s.run, 0).t;
        else EXPECT(saltus_run_event(s.run, 0).t <= saltus_run_event(s.run, 1).t);
        release(&s);
    }
}

/* A guard goes through zero by less than the tolerance, and its step ends before it turns back. */
TEST(a_crossing_that_is_close_to_grazing_is_warned_of_where_its_step_shows_nothing_else)
{
    scripted s = load("local y = coordinate('y', {start = 0.25 - 1e-5, speed = -1})\n"
                      "mass(y, 1) force(y, 2)\n"
                      "event('low', {when = y, direction = 'falling'})\n"
                      "cost('y', {final = y}) horizon(0, 1)\n");
    s.options.rtol = s.options.atol = 1e-4;
    s.options.first_step = s.options.max_step = 0.1;
    simulate(&s, NULL);
    expect_event_count(&s, 1);
    expect_warning(&s, "is close to grazing");
    release(&s);
}

/* A guard that goes through zero by a millionth and turns back: whether that is grazing is an
 * option. */
TEST(what_turns_back_within_the_part_of_the_horizon_asked_for_has_no_gradient)
{
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

/* Of two conditions both must be met, whichever comes last. */
TEST(all_conditions_of_an_event_must_be_met)
{
    const char *const conditions[] = {"1, -1", "-1, 1", "1, 1"};
    for (int i = 0; i < 3; i++) {
        char script[256];
        snprintf(script, sizeof script,
                 "local x = coordinate('x', {speed = 1}) mass(x, 1)\n"
                 "local a, b = %s\n"
                 "event('there', {when = x - 0.5, where = {a + 0 * x, b + 0 * x}})\n"
                 "cost('x', {final = x}) horizon(0, 1)\n",
                 conditions[i]);
        scripted s = run_to(script, SALTUS_END);
        expect_event_count(&s, i == 2);
        release(&s);
    }
}

/* ---- impacts -------------------------------------------------------------------------------- */

/* A light foot under a heavy mass, on a rod: together they fall and bounce, whatever the masses. */
TEST(a_light_foot_under_a_heavy_mass_bounces)
{
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

/* Both ends of a plate land at one instant. The first impact lifts the other end, so that it does
 * not hit: p along (1, -1) makes (-2 + p, -p / 4) of the velocities. */
TEST(an_end_that_the_impact_of_the_other_lifts_does_not_hit)
{
    scripted s =
        run_to("local y, turn = coordinate('y', {start = 1}), coordinate('turn')\n"
               "mass(y, 1) mass(turn, 4) force(y, -2)\n"
               "event('left', {when = y - turn, direction = 'falling', restitution = 1})\n"
               "event('right', {when = y + turn, direction = 'falling', restitution = 1})\n"
               "cost('y', {final = dot(y)}) cost('turn', {final = dot(turn)})\n"
               "horizon(0, 1.1)\n",
               SALTUS_END);
    expect_event_count(&s, 1);
    expect_event(&s, 0, "left", 1.0, 1e-12);
    EXPECT_NEAR(cost_value(&s, "y"), 1.2 - 0.2, 1e-10);
    EXPECT_NEAR(cost_value(&s, "turn"), -0.8, 1e-10);
    release(&s);
}

/* What two drives hold cannot bounce, also where rounding leaves something of the contact's
 * freedom. */
TEST(an_impact_against_what_is_driven_has_no_solution)
{
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

/* A parallelogram that is flat: one of its rods depends on the others there, and nowhere else. */
TEST(a_flat_start_is_singular_and_not_redundant)
{
    scripted s =
        load("local P, Q = point('P', {x = 1, y = 0}), point('Q', {x = 3, y = 0})\n"
             "mass(P, 1) mass(Q, 1) rod {P, Q, length = 2}\n"
             "rod {ground_point(0, 0), P, length = 1} rod {ground_point(2, 0), Q, length = 1}\n"
             "cost('x', {final = P.x}) horizon(0, 1)\n");
    s.run = saltus_run_new(s.system, &s.options, &s.err);
    EXPECT(saltus_run_simulate(s.run, NULL, &s.err) != SALTUS_OK);
    EXPECT(strstr(s.err.message, "the start is a singular position"));
    release(&s);
}

/* ---- derivatives through events ------------------------------------------------------------- */

/* y is a function of time, whenever x is kicked: what the kick leaves of its velocity follows the
 * time of the kick. */
TEST(velocities_that_follow_a_moving_constraint_depend_on_the_time_of_the_event)
{
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

/* m is multiplied by the speed after the bounce: what is set last is made of its old value. */
TEST(a_memory_that_is_set_after_the_law_is_made_of_its_old_value)
{
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

/* A reset that throws x to the other side changes the inner branch, and with the old one the outer
 * would seem to change, too. */
TEST(a_branch_inside_another_is_settled_first)
{
    scripted s = run_to("local a = param('a', 1)\n"
                        "local x = coordinate('x', {start = a}) mass(x, 1)\n"
                        "event('throw', {when = t - 0.5, set = {[x] = -x}})\n"
                        "cost('c', {integral = abs(abs(x) - 0.25)}) horizon(0, 1)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "c"), 0.75, 1e-12);
    expect_gradient(&s, "c", "a", 1.0, 1e-10);
    release(&s);
}

/* Two forces with a common product, k x, and another addend each, compiled together with their
 * tangents: y = x + (b - a) t^2 / 2. */
TEST(sums_with_a_common_product_stay_apart_where_tangents_go_along)
{
    scripted s =
        load("local k, a, b = param('k', -4, {fixed = true}), param('a', 1), param('b', 2)\n"
             "local x, y = coordinate('x', {start = 1}), coordinate('y', {start = 1})\n"
             "mass(x, 1) mass(y, 1) force(x, k * x + a) force(y, k * x + b)\n"
             "cost('x', {final = x}) cost('y', {final = y}) horizon(0, 1)\n");
    const double turned = (1.0 - cos(2.0)) / 4.0;
    s.options.backend = SALTUS_NATIVE;
    for (int i = 0; i < 3; i++) { /* from the second time on they go along */
        const saltus_request request = {.method = SALTUS_DIRECT};
        double               found[4];
        simulate(&s, NULL);
        EXPECT(saltus_run_gradients(s.run, &request, found, NULL, NULL, &s.err) == SALTUS_OK);
        EXPECT_NEAR(found[0], turned, 1e-9);
        EXPECT_NEAR(found[1], 0.0, 1e-9);
        EXPECT_NEAR(found[2], turned - 0.5, 1e-9);
        EXPECT_NEAR(found[3], 0.5, 1e-9);
    }
    release(&s);
}

/* ---- steps that suit the motion and not its derivatives -------------------------------------- */

/* It goes along with the place where its spring is relaxed: if that place moves, it swings. */
TEST(tangents_of_an_even_motion_are_as_exact_as_those_of_any_other)
{
    scripted     s = load("local p = param('p', 1)\n"
                              "local x = coordinate('x', {start = 1, speed = 0.5}) mass(x, 1)\n"
                              "force(x, -2500 * (x - p - 0.5 * t)) cost('x', {final = x}) horizon(0, 1)\n");
    const double right = 1.0 - cos(50.0);
    s.options.rtol = s.options.atol = 1e-5;
    simulate(&s, NULL);
    EXPECT(fabs(gradient(&s, SALTUS_DISCRETE, "x", "p") - right) >
           0.1); /* the steps are that long */
    EXPECT_NEAR(gradient(&s, SALTUS_DIRECT, "x", "p"), right, 0.01);
    EXPECT_NEAR(gradient(&s, SALTUS_ADJOINT, "x", "p"), right, 0.01);
    release(&s);
}

/* Two forces that oscillate and cancel each other: the adjoint is a straight line, and only what
 * each of them does to the cost needs short steps. */
TEST(forces_that_cancel_have_exact_derivatives)
{
    scripted s = load("local a, b, c = param('a', 1), param('b', -3), param('c', 2)\n"
                      "local x = coordinate('x', {start = 1, speed = 0.5}) mass(x, 1)\n"
                      "force(x, (a + b + c) * cos(50 * t)) cost('x', {final = x}) horizon(0, 1)\n");
    double   value, found[3];
    s.options.rtol = s.options.atol = 1e-8;
    simulate(&s, NULL);
    assert_int_equal(saltus_run_cost_gradient(s.run, "x", &value, found, &s.err), SALTUS_OK);
    assert_int_equal(saltus_run_method_used(s.run), SALTUS_ADJOINT);
    for (int i = 0; i < 3; i++) EXPECT_NEAR(found[i], (1.0 - cos(50.0)) / 2500.0, 1e-7);
    release(&s);
}

/* ---- steps taken again ---------------------------------------------------------------------- */

/* A force that events change: where a small record begins to take steps again, it is the force of
 * that time. */
TEST(steps_are_taken_again_with_the_memories_of_their_time)
{
    double found[2];
    for (int small = 0; small < 2; small++) {
        scripted s = load("local k = param('k', 40)\n"
                          "local x = coordinate('x', {start = 1}) mass(x, 1)\n"
                          "local f = memory('f', 1)\n"
                          "force(x, f - k * x)\n"
                          "event('turn', {when = dot(x), set = {[f] = -0.9 * f}})\n"
                          "cost('x', {final = x}) horizon(0, 10)\n");
        s.options.record_memory = small ? 2048 : (size_t)1 << 24;
        simulate(&s, NULL);
        found[small] = gradient(&s, SALTUS_DISCRETE, "x", "k");
        EXPECT((s.info->replayed > 0) == (small == 1));
        release(&s);
    }
    EXPECT_NEAR(found[1], found[0], 0.0);
}

/* ---- charges -------------------------------------------------------------------------------- */

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
          RUN(all_conditions_of_an_event_must_be_met),
          RUN(tangents_of_an_even_motion_are_as_exact_as_those_of_any_other),
          RUN(forces_that_cancel_have_exact_derivatives),
          RUN(an_end_that_the_impact_of_the_other_lifts_does_not_hit),
          RUN(crossings_that_the_dense_output_has_in_the_wrong_order_all_happen),
          RUN(steps_are_taken_again_with_the_memories_of_their_time),
          RUN(a_branch_inside_another_is_settled_first),
          RUN(sums_with_a_common_product_stay_apart_where_tangents_go_along),
          RUN(a_quotient_that_dips_inside_of_a_step_is_followed),
          RUN(a_clock_whose_condition_is_not_met_does_not_strike_later),
          RUN(a_crossing_that_is_close_to_grazing_is_warned_of_where_its_step_shows_nothing_else),
          RUN(a_flat_start_is_singular_and_not_redundant),
          RUN(velocities_that_follow_a_moving_constraint_depend_on_the_time_of_the_event),
          RUN(accelerations_and_multipliers_on_both_sides_of_an_event_may_be_charged))
