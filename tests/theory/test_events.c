/* Events: found, ordered, named, and told apart from what looks like one. Closed forms throughout;
 * what each script must do follows from docs/theory/events.md and docs/reference/language.md. */
#include "motions.h"
#include "scripted.h"

/* ---- finding -------------------------------------------------------------------------------- */

TEST(two_crossings_inside_one_step_are_both_found)
{
    static const double below_apex[] = {1e-1, 1e-3, 1e-5, 1e-7};
    for (int i = 0; i < 4; i++) {
        scripted s = load("local d = param('d', 0.1)\n" FALL(
            "0", "10", "10") "event('line', {when = y - 5 + d})\n"
                             "cost('y', {final = y})\n"
                             "horizon(0, 2.5)\n");
        s.options.first_step = 2.5;
        simulate(&s, &below_apex[i]);
        expect_outcome(&s, SALTUS_END);
        expect_event_count(&s, 2);
        const double half = sqrt(2.0 * below_apex[i] / 10.0);
        expect_event(&s, 0, "line", 1.0 - half, 1e-12 / half);
        expect_event(&s, 1, "line", 1.0 + half, 1e-12 / half);
        EXPECT(saltus_run_event(s.run, 0).rate > 0.0);
        EXPECT(saltus_run_event(s.run, 1).rate < 0.0);
        release(&s);
    }
}

TEST(many_crossings_inside_one_step_are_all_found)
{
    scripted s = load(FALL("1", "0", "0") "event('tick', {when = y * sin(10 * t)})\n"
                                          "horizon(0.1, 12)\n");
    s.options.first_step = 11.9;
    simulate(&s, NULL);
    expect_outcome(&s, SALTUS_END);
    expect_event_count(&s, 38);
    for (int i = 0; i < 38; i++) expect_event(&s, i, "tick", (i + 1) * pi / 10.0, 1e-12);
    release(&s);
}

TEST(no_tick_of_a_fast_clock_is_lost)
{
    scripted s = run_to(SINE "event('tick', {when = sin(3000 * t)})\nhorizon(0, 2)\n", SALTUS_END);
    expect_event_count(&s, 1909);
    for (int i = 0; i < 1909; i++) expect_event(&s, i, "tick", (i + 1) * pi / 3000.0, 1e-12);
    release(&s);
}

/* The guard of the next test along the exact motion y = cos t. */
static double fast_guard(double t) { return cos(t) - 0.3 * sin(200.0 * t); }

/* All zeros in (0, end) by sampling a hundred thousand times finer than the motion and bisection.
 */
static int fast_zeros(double end, double *zero, int most)
{
    const double h = 1e-6;
    int          count = 0;
    for (long i = 0; (double)(i + 1) * h < end; i++) {
        double       a = (double)i * h, b = (double)(i + 1) * h;
        const double fa = fast_guard(a);
        if ((fa > 0.0) == (fast_guard(b) > 0.0)) continue;
        for (int k = 0; k < 60; k++) {
            const double m = 0.5 * (a + b);
            if ((fast_guard(m) > 0.0) == (fa > 0.0)) a = m;
            else b = m;
        }
        if (count < most) zero[count] = a;
        count++;
    }
    return count;
}

TEST(no_crossing_of_a_guard_much_faster_than_the_motion_is_lost)
{
    static double                  zero[1024];
    static const saltus_integrator integrators[] = {SALTUS_DOP853, SALTUS_DOPRI5};
    const int                      count = fast_zeros(6.0, zero, 1024);
    EXPECT(count > 50);
    for (int i = 0; i < 2; i++)
        for (double tol = 1e-6; tol > 1e-13; tol *= 1e-3) {
            scripted s = load("local y = coordinate('y', {start = 1})\n"
                              "mass(y, 1)\n"
                              "force(y, -y)\n"
                              "event('shake', {when = y - 0.3 * sin(200 * t)})\n"
                              "horizon(0, 6)\n");
            s.options.rtol = s.options.atol = tol;
            s.options.integrator = integrators[i];
            simulate(&s, NULL);
            expect_outcome(&s, SALTUS_END);
            expect_event_count(&s, count);
            for (int k = 0; k < count; k++)
                expect_event(&s, k, "shake", zero[k],
                             1e-13 + 20.0 * tol / fabs(saltus_run_event(s.run, k).rate));
            release(&s);
        }
}

TEST(an_event_fires_once_where_an_ulp_of_time_moves_the_guard_by_more_than_its_rounding)
{
    for (double tol = 1e-4; tol > 1e-13; tol *= 1e-2) {
        scripted s = load(SINE "event('tick', {when = sin(430 * t + 0.3)})\nhorizon(0, 6)\n");
        s.options.rtol = s.options.atol = tol;
        s.options.max_events = 2000;
        simulate(&s, NULL);
        expect_outcome(&s, SALTUS_END);
        expect_event_count(&s, 821);
        for (int i = 0; i < 821; i++)
            expect_event(&s, i, "tick", ((i + 1) * pi - 0.3) / 430.0, 1e-13);
        release(&s);
    }
}

TEST(a_slow_clock_counts_right_for_a_long_time)
{
    for (double tol = 1e-4; tol > 1e-13; tol *= 1e-4) {
        scripted s = load(SINE "local n = memory('n', 0)\n"
                               "event('tick', {when = sin(10 * t + 0.3), direction = 'rising',"
                               " set = {[n] = n + 1}})\n"
                               "horizon(0, 1000)\n");
        s.options.rtol = s.options.atol = tol;
        s.options.max_events = 5000;
        simulate(&s, NULL);
        expect_outcome(&s, SALTUS_END);
        expect_event_count(&s, 1591);
        EXPECT(final_row(&s).c[0] == 1591.0);
        release(&s);
    }
}

TEST(a_guard_that_becomes_faster_fires_once_at_each_zero_and_is_not_zeno)
{
    for (double tol = 1e-4; tol > 1e-13; tol *= 1e-2) {
        scripted s = load(SINE "event('chirp', {when = sin(40 * t^2 + 0.2)})\nhorizon(0, 6)\n");
        s.options.rtol = s.options.atol = tol;
        simulate(&s, NULL);
        expect_outcome(&s, SALTUS_END);
        expect_event_count(&s, 458);
        for (int i = 0; i < 458; i++)
            expect_event(&s, i, "chirp", sqrt(((i + 1) * pi - 0.2) / 40.0), 1e-12);
        release(&s);
    }
}

TEST(each_direction_sees_its_own_crossings)
{
    scripted s = run_to(SINE "event('any', {when = y, direction = 'any'})\n"
                             "event('default', {when = y})\n"
                             "event('rising', {when = y, direction = 'rising'})\n"
                             "event('falling', {when = y, direction = 'falling'})\n"
                             "horizon(0, 10)\n",
                        SALTUS_END);

    static const char *const names[] = {"any",    "default", "falling", "any",    "default",
                                        "rising", "any",     "default", "falling"};
    expect_event_count(&s, 9);
    for (int i = 0; i < 9; i++) expect_event(&s, i, names[i], (i / 3 + 1) * pi, 1e-11);
    EXPECT_NEAR(saltus_run_event(s.run, 0).rate, -1.0, 1e-11);
    EXPECT_NEAR(saltus_run_event(s.run, 3).rate, 1.0, 1e-11);
    release(&s);
}

/* ---- zero at the start, at the end, at an output -------------------------------------------- */

TEST(a_guard_that_is_zero_at_the_start_fires_only_when_it_comes_back)
{
    static const double speed[] = {1.0, -1.0};
    for (int i = 0; i < 2; i++) {
        scripted s = load("local s = param('s', 1)\n"
                          "local y = coordinate('y', {start = 0, speed = s})\n"
                          "mass(y, 1)\n"
                          "force(y, -y)\n"
                          "event('zero', {when = y})\n"
                          "horizon(0, 7)\n");
        simulate(&s, &speed[i]);
        expect_outcome(&s, SALTUS_END);
        expect_event_count(&s, 2);
        expect_event(&s, 0, "zero", pi, 1e-11);
        expect_event(&s, 1, "zero", 2.0 * pi, 1e-11);
        release(&s);
    }
}

TEST(a_guard_that_leaves_zero_with_no_speed_does_not_fire_at_the_start)
{
    scripted s = run_to(FALL("0", "0", "10") "event('zero', {when = y})\n"
                                             "event('down', {when = y, direction = 'falling'})\n"
                                             "horizon(0, 2)\n",
                        SALTUS_END);
    expect_event_count(&s, 0);
    EXPECT_NEAR(final_row(&s).q[0], -20.0, 1e-10);
    release(&s);
}

TEST(an_event_at_the_initial_time_does_not_happen)
{
    scripted s = run_to(FALL("1", "0", "1") "event('now', {when = t - 3, set = {[dot(y)] = 7}})\n"
                                            "horizon(3, 5)\n",
                        SALTUS_END);
    expect_event_count(&s, 0);
    EXPECT_NEAR(final_row(&s).q[0], -1.0, 1e-12);
    release(&s);
}

TEST(an_event_at_the_end_of_the_horizon_does_not_happen_and_a_warning_says_so)
{
    scripted s = run_to(FALL("1", "0", "1") "event('late', {when = t - 2, set = {[dot(y)] = 7}})\n"
                                            "cost('v', {final = dot(y)})\n"
                                            "horizon(0, 2)\n",
                        SALTUS_END);
    expect_event_count(&s, 0);
    EXPECT_NEAR(cost_value(&s, "v"), -2.0, 1e-12);
    expect_warning(&s, "late");
    release(&s);
}

TEST(an_event_at_an_output_time_gives_a_row_before_and_a_row_after_and_no_third)
{
    scripted s = run_to(FALL("1", "-1", "0") "event('turn', {when = t - 1, set = {[dot(y)] = 2}})\n"
                                             "event('wall', {when = y - 1.3, direction = 'rising',"
                                             " restitution = 1})\n"
                                             "horizon(0, 2)\n",
                        SALTUS_END);
    expect_event_count(&s, 2);
    const double        wall = saltus_run_event(s.run, 1).t;
    const double        times[] = {0.0, 0.5, 1.0, 1.5, wall, 2.0};
    const trajectory   *all = trajectory_at(&s, times, 6);
    static const int    event[] = {-1, -1, 0, 0, -1, 1, 1, -1}, after[] = {0, 0, 0, 1, 0, 0, 1, 0};
    static const double v[] = {-1, -1, -1, 2, 2, 2, -2, -2};
    const double        t[] = {0.0, 0.5, 1.0, 1.0, 1.5, wall, wall, 2.0};
    assert_int_equal(all->count, 8);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(all->row[i].event, event[i]);
        assert_int_equal(all->row[i].after, after[i]);
        EXPECT(all->row[i].t == t[i]);
        EXPECT_NEAR(all->row[i].v[0], v[i], 1e-13);
    }
    release(&s);
}

/* ---- several events at one instant ---------------------------------------------------------- */

#define CRADLE_BALLS                                                                               \
    "local a = coordinate('a', {start = -1, speed = 1})\n"                                         \
    "local b = coordinate('b', {start = 0})\n"                                                     \
    "local c = coordinate('c', {start = 0})\n"                                                     \
    "mass(a, 2) mass(b, 2) mass(c, 2)\n"
#define CRADLE_AB "event('ab', {when = b - a, direction = 'falling', restitution = 1})\n"
#define CRADLE_BC "event('bc', {when = c - b, direction = 'falling', restitution = 1})\n"

TEST(momentum_passes_through_touching_balls_in_one_instant_one_row_each)
{
    static const char *const scripts[] = {CRADLE_BALLS CRADLE_AB CRADLE_BC "horizon(0, 3)\n",
                                          CRADLE_BALLS CRADLE_BC CRADLE_AB "horizon(0, 3)\n"};
    for (int i = 0; i < 2; i++) {
        scripted s = run_to(scripts[i], SALTUS_END);
        expect_event_count(&s, 2);
        expect_event(&s, 0, "ab", 1.0, 1e-14);
        expect_event(&s, 1, "bc", 1.0, 1e-14);
        EXPECT(saltus_run_event(s.run, 0).t == saltus_run_event(s.run, 1).t);
        EXPECT_NEAR(saltus_run_event(s.run, 0).impulse, 2.0, 1e-13);
        EXPECT_NEAR(saltus_run_event(s.run, 1).impulse, 2.0, 1e-13);
        EXPECT_NEAR(saltus_run_event(s.run, 0).v_plus[1], 1.0, 1e-14);
        EXPECT_NEAR(saltus_run_event(s.run, 1).v_plus[2], 1.0, 1e-14);
        const trajectory *all = trajectory_at(&s, NULL, 0);
        assert_int_equal(all->count, 4);
        const saltus_row end = final_row(&s);
        EXPECT_NEAR(end.v[0], 0.0, 1e-14);
        EXPECT_NEAR(end.v[1], 0.0, 1e-14);
        EXPECT_NEAR(end.v[2], 1.0, 1e-14);
        EXPECT_NEAR(end.q[2], 2.0, 1e-13);
        release(&s);
    }
}

/* Two balls go on together, side by side and with the same acceleration: neither presses the other,
 * whatever rounding makes of it. */
TEST(balls_that_swing_on_together_do_not_press_each_other_at_any_tolerance)
{
    static const double tolerances[] = {1e-6, 1e-9, 1e-12, 1.1e-13, 9.999999999999999e-14, 9e-14};
    for (int i = 0; i < 12; i++) {
        scripted s = load("local L, e, angle = param('L', 0.3), param('e', 1), {}\n"
                          "for i = 1, 5 do\n"
                          "  angle[i] = coordinate('angle' .. i, {start = i <= 2 and -0.5 or 0})\n"
                          "  mass(angle[i], 0.1 * L^2)\n"
                          "  potential(-0.1 * 9.81 * L * cos(angle[i]))\n"
                          "end\n"
                          "local function x(i) return 0.04 * i + L * sin(angle[i]) end\n"
                          "for i = 1, 4 do\n"
                          "  event('hit' .. i, {when = x(i + 1) - x(i) - 0.04,\n"
                          "                     direction = 'falling', restitution = e})\n"
                          "end\n"
                          "horizon(0, 0.7)\n");
        s.options.rtol = s.options.atol = tolerances[i / 2];
        s.options.integrator = i % 2 ? SALTUS_DOPRI5 : SALTUS_DOP853;
        simulate(&s, NULL);
        assert_int_equal(s.info->outcome, SALTUS_END);
        expect_event_count(&s, 6);
        release(&s);
    }
}

TEST(a_ball_between_another_one_and_a_wall_passes_the_impact_to_the_wall_and_back)
{
    scripted s = run_to("local a = coordinate('a', {start = 1, speed = -1})\n"
                        "local b = coordinate('b')\n"
                        "mass(a, 1) mass(b, 1)\n"
                        "event('ab', {when = a - b, direction = 'falling', restitution = 1})\n"
                        "event('wall', {when = b, direction = 'falling', restitution = 1})\n"
                        "horizon(0, 2)\n",
                        SALTUS_END);

    static const char *const names[] = {"ab", "wall", "ab"};
    expect_event_count(&s, 3);
    for (int i = 0; i < 3; i++) expect_event(&s, i, names[i], 1.0, 1e-14);
    EXPECT_NEAR(final_row(&s).v[0], 1.0, 1e-14);
    EXPECT_NEAR(final_row(&s).v[1], 0.0, 1e-14);
    EXPECT_NEAR(final_row(&s).q[0], 1.0, 1e-13);
    release(&s);
}

TEST(an_endless_chain_of_impacts_at_one_instant_is_named)
{
    scripted s = load("local a = coordinate('a', {start = 1, speed = -1})\n"
                      "local b = coordinate('b')\n"
                      "mass(a, 1000) mass(b, 1)\n"
                      "event('ab', {when = a - b, direction = 'falling', restitution = 0.1})\n"
                      "event('wall', {when = b, direction = 'falling', restitution = 0.1})\n"
                      "horizon(0, 2)\n");
    s.options.max_events = 10000;
    simulate(&s, NULL);
    if (s.info->outcome != SALTUS_ZENO && s.info->outcome != SALTUS_SINKING)
        fail_msg("outcome %d after %d events at %.17g: %s", (int)s.info->outcome, s.info->events,
                 s.info->t, s.info->message);
    EXPECT_NEAR(s.info->t, 1.0, 1e-9);
    EXPECT(strstr(s.info->message, "ab") || strstr(s.info->message, "wall"));
    release(&s);
}

TEST(a_corner_is_two_walls_hit_at_the_same_instant)
{
    scripted s = run_to("local e, x0, y0 = param('e', 0.5), param('x0', 1), param('y0', 1)\n"
                        "local x = coordinate('x', {start = x0, speed = -1})\n"
                        "local y = coordinate('y', {start = y0, speed = -1})\n"
                        "mass(x, 1) mass(y, 3)\n"
                        "event('left', {when = x, direction = 'falling', restitution = e})\n"
                        "event('floor', {when = y, direction = 'falling', restitution = e})\n"
                        "cost('x', {final = x})\n"
                        "cost('y', {final = y})\n"
                        "horizon(0, 3)\n",
                        SALTUS_END);
    expect_event_count(&s, 2);
    expect_event(&s, 0, "left", 1.0, 1e-14);
    expect_event(&s, 1, "floor", 1.0, 1e-14);
    EXPECT_NEAR(final_row(&s).v[0], 0.5, 1e-14);
    EXPECT_NEAR(final_row(&s).v[1], 0.5, 1e-14);
    expect_gradient(&s, "x", "x0", -0.5, 1e-12);
    expect_gradient(&s, "x", "y0", 0.0, 1e-12);
    expect_gradient(&s, "y", "y0", -0.5, 1e-12);
    expect_gradient(&s, "y", "e", 2.0, 1e-12);
    release(&s);
}

TEST(a_corner_where_the_order_of_the_walls_matters_is_named)
{
    /* The walls are not at right angles: floor first or slope first, the ball leaves differently,
     * and there is no derivative. */
    scripted s = run_to("local x0 = param('x0', 1)\n"
                        "local x = coordinate('x', {start = x0, speed = -1})\n"
                        "local y = coordinate('y', {start = 1, speed = -1})\n"
                        "mass(x, 1) mass(y, 1)\n"
                        "event('floor', {when = y, direction = 'falling', restitution = 1})\n"
                        "event('slope', {when = x + 0.5 * y, direction = 'falling',"
                        " restitution = 1})\n"
                        "cost('x', {final = x})\n"
                        "horizon(0, 2)\n",
                        SALTUS_END);
    expect_event_count(&s, 2);
    expect_event(&s, 0, "floor", 1.0, 1e-14);
    expect_event(&s, 1, "slope", 1.0, 1e-14);
    gradient(&s, SALTUS_DIRECT, "x", "x0");
    expect_warning(&s, "slope");
    expect_warning(&s, "the motion itself jumps");
    release(&s);
}

TEST(events_that_share_a_guard_all_fire_in_the_order_of_the_script)
{
    static const char *const scripts[] = {
        "local n = memory('n', 0)\n" FALL(
            "5", "0",
            "10") "event('count', {when = y, direction = 'falling', set = {[n] = n + 1}})\n"
                  "event('bounce', {when = y, direction = 'falling', restitution = 1})\n"
                  "horizon(0, 6)\n",
        "local n = memory('n', 0)\n" FALL(
            "5", "0",
            "10") "event('bounce', {when = y, direction = 'falling', restitution = 1})\n"
                  "event('count', {when = y, direction = 'falling', set = {[n] = n + 1}})\n"
                  "horizon(0, 6)\n"};
    for (int i = 0; i < 2; i++) {
        scripted s = run_to(scripts[i], SALTUS_END);
        expect_event_count(&s, 6);
        for (int k = 0; k < 6; k++)
            expect_event(&s, k, (k + i) % 2 ? "bounce" : "count", 1.0 + 2.0 * (k / 2), 1e-10);
        EXPECT(final_row(&s).c[0] == 3.0);
        EXPECT_NEAR(final_row(&s).q[0], 5.0, 1e-10);
        release(&s);
    }
}

TEST(conditions_are_taken_at_the_crossing_before_any_jump)
{
    /* Impacts at speeds 10, 4, 1.6, 0.64, 0.256. After each bounce the ball moves upward, and
     * 'settle' would fire as well if its condition saw that. */
    scripted s = run_to("local air, rest = mode 'air', mode 'rest'\n"
                        "local y = coordinate('y', {start = 5})\n"
                        "mass(y, 1)\n"
                        "force(y, -10, {mode = air})\n"
                        "event('bounce', {from = air, when = y, direction = 'falling',"
                        " restitution = 0.4, where = -dot(y) - 0.5})\n"
                        "event('settle', {from = air, to = rest, when = y, direction = 'falling',"
                        " set = {[dot(y)] = 0}, where = dot(y) + 0.5})\n"
                        "horizon(0, 5)\n",
                        SALTUS_END);

    static const char *const names[] = {"bounce", "bounce", "bounce", "bounce", "settle"};
    double                   t = 1.0, v = 10.0;
    expect_event_count(&s, 5);
    for (int i = 0; i < 5; i++) {
        expect_event(&s, i, names[i], t, 1e-9);
        v *= 0.4;
        t += 2.0 * v / 10.0;
    }
    EXPECT_TEXT(final_row(&s).mode, "rest");
    EXPECT_NEAR(final_row(&s).q[0], 0.0, 1e-12);
    EXPECT(final_row(&s).v[0] == 0.0);
    EXPECT_TEXT(saltus_run_event(s.run, 4).from, "air");
    EXPECT_TEXT(saltus_run_event(s.run, 4).to, "rest");
    release(&s);
}

TEST(a_reset_that_ends_close_to_its_guard_fires_again_as_soon_as_it_is_reached)
{
    scripted s = run_to("local x = coordinate('x', {start = 0, speed = 1})\n"
                        "mass(x, 1)\n"
                        "event('step', {when = x - 1, direction = 'rising', set = {[x] = 0.999,"
                        " [dot(x)] = dot(x)}})\n"
                        "horizon(0, 1.0105)\n",
                        SALTUS_END);
    expect_event_count(&s, 11);
    for (int i = 0; i < 11; i++) expect_event(&s, i, "step", 1.0 + 0.001 * i, 1e-12);
    EXPECT_NEAR(final_row(&s).q[0], 0.9995, 1e-12);
    release(&s);
}

TEST(an_event_that_changes_nothing_fires_once_at_each_crossing)
{
    scripted s = run_to(SINE "event('through', {when = y})\n"
                             "event('again', {when = y, set = {[dot(y)] = dot(y)}})\n"
                             "horizon(0, 100)\n",
                        SALTUS_END);
    expect_event_count(&s, 62);
    for (int i = 0; i < 62; i++)
        expect_event(&s, i, i % 2 ? "again" : "through", (i / 2 + 1) * pi, 1e-9);
    release(&s);
}

TEST(an_event_that_turns_back_from_its_own_guard_does_not_fire_twice)
{
    /* After the reset the guard stands at zero and falls: with direction 'any' that is no event. */
    scripted s = run_to(FALL("-1", "1", "0") "event('turn', {when = y, set = {[dot(y)] ="
                                             " -dot(y)}})\n"
                                             "horizon(0, 3)\n",
                        SALTUS_END);
    expect_event_count(&s, 1);
    EXPECT_NEAR(final_row(&s).q[0], -2.0, 1e-13);
    release(&s);
}

/* Speeds whose difference is rounding are equal: no impact follows from it. */
static void two_touching_balls_that_hit_two_others_make_four_impacts(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        char text[700];
        snprintf(text, sizeof text,
                 "local v = %.17g\n"
                 "local x = {}\n"
                 "for i = 0, 3 do\n"
                 "  x[i] = coordinate('x' .. i, {start = i < 2 and 0 or %.17g,\n"
                 "                               speed = i < 2 and v or 0})\n"
                 "  mass(x[i], 2.5)\n"
                 "end\n"
                 "for i = 0, 2 do\n"
                 "  event('c' .. i, {when = x[i + 1] - x[i], direction = 'falling',\n"
                 "                   restitution = 1})\n"
                 "end\n"
                 "cost('x0', {final = x[0]}) cost('x3', {final = x[3]}) horizon(0, 2)\n",
                 2.0 + 0.0538871351723698 * i, 0.3888099539051455 + 0.01 * i);
        scripted s = run_to(text, SALTUS_END);
        assert_int_equal(s.info->events, 4);
        release(&s);
    }
}

/* What the script says of it is not asked for again. */
static void an_event_that_waits_where_it_is_thrown_is_not_warned_of(void **state)
{
    static const char thrown[] = "local x = coordinate('x', {start = 1, speed = 1}) mass(x, 1)\n"
                                 "event('throw', {when = t - 0.5, direction = 'rising',\n"
                                 "                set = {[x] = -1}})\n"
                                 "event('low', {when = x, direction = 'falling', enter = 'wait',\n"
                                 "              set = {[dot(x)] = 0}})\n"
                                 "cost('x', {final = x}) horizon(0, 1)\n";
    scripted          s = run_to(thrown, SALTUS_END);
    (void)state;
    assert_int_equal(s.info->events, 1);
    expect_no_warning(&s);
    release(&s);
}

/* The sign of a guard that jumps at a pole turns there at once, however steep it is. */
static void a_kink_at_a_pole_does_not_graze(void **state)
{
    scripted s = load("local w = param('w', 3)\n"
                      "local x = coordinate('x') mass(x, 1)\n"
                      "cost('c', {integral = sign(tan(w * (t - 1e6) + 0.1))})\n"
                      "horizon(1e6, 1e6 + 2)\n");
    (void)state;
    simulate(&s, NULL);
    /* sign changes at w s + 0.1 = k pi / 2: for the last one k = 3, an odd number of them */
    const double right = 2.0 / 3.0 * ((0.5 - 1.0 + 1.5) * acos(-1.0) - 0.1) / 3.0;
    const double found = gradient(&s, SALTUS_DISCRETE, "c", "w");
    if (fabs(found + right) > 1e-8) fail_msg("%.12g instead of %.12g", found, -right);
    release(&s);
}

TEST_MAIN(RUN(two_crossings_inside_one_step_are_both_found),
          RUN(many_crossings_inside_one_step_are_all_found), RUN(no_tick_of_a_fast_clock_is_lost),
          RUN(no_crossing_of_a_guard_much_faster_than_the_motion_is_lost),
          RUN(an_event_fires_once_where_an_ulp_of_time_moves_the_guard_by_more_than_its_rounding),
          RUN(a_slow_clock_counts_right_for_a_long_time),
          RUN(a_guard_that_becomes_faster_fires_once_at_each_zero_and_is_not_zeno),
          RUN(each_direction_sees_its_own_crossings),
          RUN(a_guard_that_is_zero_at_the_start_fires_only_when_it_comes_back),
          RUN(a_guard_that_leaves_zero_with_no_speed_does_not_fire_at_the_start),
          RUN(an_event_at_the_initial_time_does_not_happen),
          RUN(an_event_at_the_end_of_the_horizon_does_not_happen_and_a_warning_says_so),
          RUN(an_event_at_an_output_time_gives_a_row_before_and_a_row_after_and_no_third),
          RUN(momentum_passes_through_touching_balls_in_one_instant_one_row_each),
          RUN(balls_that_swing_on_together_do_not_press_each_other_at_any_tolerance),
          RUN(a_ball_between_another_one_and_a_wall_passes_the_impact_to_the_wall_and_back),
          RUN(an_endless_chain_of_impacts_at_one_instant_is_named),
          RUN(a_corner_is_two_walls_hit_at_the_same_instant),
          RUN(a_corner_where_the_order_of_the_walls_matters_is_named),
          RUN(events_that_share_a_guard_all_fire_in_the_order_of_the_script),
          RUN(conditions_are_taken_at_the_crossing_before_any_jump),
          RUN(a_reset_that_ends_close_to_its_guard_fires_again_as_soon_as_it_is_reached),
          RUN(an_event_that_changes_nothing_fires_once_at_each_crossing),
          RUN(an_event_that_turns_back_from_its_own_guard_does_not_fire_twice),
          RUN(two_touching_balls_that_hit_two_others_make_four_impacts),
          RUN(an_event_that_waits_where_it_is_thrown_is_not_warned_of),
          RUN(a_kink_at_a_pole_does_not_graze))
