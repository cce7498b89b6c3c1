/* Events: found, ordered, named, and told apart from what looks like one. Closed forms throughout;
 * what each script must do follows from design sections 4 and 6 and theory section 5. */
#include "scripted.h"

/* A point mass in a constant field, the motion most tests need: y = h + s t - g t^2 / 2. */
#define FALL(h, s, g)                                                                              \
    "local y = coordinate('y', {start = " h ", speed = " s "})\n"                                  \
    "mass(y, 1)\n"                                                                                 \
    "force(y, -(" g "))\n"
/* y = sin t, v = cos t. */
#define SINE                                                                                       \
    "local y = coordinate('y', {start = 0, speed = 1})\n"                                          \
    "mass(y, 1)\n"                                                                                 \
    "force(y, -y)\n"

static const double pi = 3.14159265358979323846;

/* ---- finding --------------------------------------------------------------------------------- */

TEST(two_crossings_inside_one_step_are_both_found)
{
    UNUSED_STATE;
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
    UNUSED_STATE;
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
    UNUSED_STATE;
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
    UNUSED_STATE;
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
    UNUSED_STATE;
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
    UNUSED_STATE;
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
    UNUSED_STATE;
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
    UNUSED_STATE;
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

/* ---- zero at the start, at the end, at an output --------------------------------------------- */

TEST(a_guard_that_is_zero_at_the_start_fires_only_when_it_comes_back)
{
    UNUSED_STATE;
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
    UNUSED_STATE;
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
    UNUSED_STATE;
    scripted s = run_to(FALL("1", "0", "1") "event('now', {when = t - 3, set = {[dot(y)] = 7}})\n"
                                            "horizon(3, 5)\n",
                        SALTUS_END);
    expect_event_count(&s, 0);
    EXPECT_NEAR(final_row(&s).q[0], -1.0, 1e-12);
    release(&s);
}

TEST(an_event_at_the_end_of_the_horizon_does_not_happen_and_a_warning_says_so)
{
    UNUSED_STATE;
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
    UNUSED_STATE;
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

/* ---- contacts without an impact -------------------------------------------------------------- */

static void expect_sinking(const char *script, double t, double lowest)
{
    scripted s = load(script);
    simulate(&s, NULL);
    expect_outcome(&s, SALTUS_SINKING);
    expect_message(&s, "floor");
    EXPECT_NEAR(s.info->t, t, 1e-9);
    EXPECT(final_row(&s).q[0] >= lowest - 1e-9);
    release(&s);
}

TEST(starting_on_a_contact_and_moving_into_it_is_sinking)
{
    UNUSED_STATE;
    expect_sinking(FALL("0", "-1", "10") "event('floor', {when = y, direction = 'falling',"
                                         " restitution = 0.5})\n"
                                         "horizon(0, 2)\n",
                   0.0, 0.0);
}

TEST(starting_at_rest_on_a_contact_that_carries_weight_is_sinking)
{
    UNUSED_STATE;
    expect_sinking(FALL("0", "0", "10") "event('floor', {when = y, direction = 'falling',"
                                        " restitution = 0.5})\n"
                                        "horizon(0, 2)\n",
                   0.0, 0.0);
}

TEST(starting_on_a_floor_that_rises_is_sinking)
{
    UNUSED_STATE;
    expect_sinking(FALL("0", "0", "10") "event('floor', {when = y - 0.1 * sin(t), direction ="
                                        " 'falling', restitution = 0.5})\n"
                                        "horizon(0, 2)\n",
                   0.0, 0.0);
}

TEST(landing_without_restitution_is_sinking)
{
    UNUSED_STATE;
    expect_sinking(FALL("5", "0", "10") "event('floor', {when = y, direction = 'falling',"
                                        " restitution = 0})\n"
                                        "horizon(0, 2)\n",
                   1.0, 0.0);
}

TEST(starting_on_a_contact_and_leaving_it_is_an_ordinary_flight)
{
    UNUSED_STATE;
    scripted s = run_to(FALL("0", "5", "10") "event('floor', {when = y, direction = 'falling',"
                                             " restitution = 0.5})\n"
                                             "horizon(0, 1.25)\n",
                        SALTUS_END);
    expect_event_count(&s, 1);
    expect_event(&s, 0, "floor", 1.0, 1e-12);
    EXPECT_NEAR(final_row(&s).q[0], 2.5 * 0.25 - 5.0 * 0.0625, 1e-12);
    release(&s);
}

TEST(touching_without_force_is_no_event)
{
    UNUSED_STATE;
    scripted s = run_to(FALL("0", "0", "0") "event('floor', {when = y, direction = 'falling',"
                                            " restitution = 0.5})\n"
                                            "horizon(0, 2)\n",
                        SALTUS_END);
    expect_event_count(&s, 0);
    EXPECT(final_row(&s).q[0] == 0.0);
    release(&s);
}

TEST(landing_without_restitution_on_a_floor_that_falls_away_flies_on)
{
    UNUSED_STATE;
    /* The floor decelerates by 40 sin(20 t) > 10 where it is met: the ball leaves it at once. */
    scripted s = run_to("local y = coordinate('y', {start = 0.09})\n"
                        "mass(y, 1)\n"
                        "force(y, -10)\n"
                        "event('floor', {when = y - 0.1 * sin(20 * t), direction = 'falling',"
                        " restitution = 0})\n"
                        "horizon(0, 0.1)\n",
                        SALTUS_END);
    expect_event_count(&s, 1);
    const double t = saltus_run_event(s.run, 0).t, r = 0.1 - t;
    EXPECT_NEAR(0.09 - 5.0 * t * t, 0.1 * sin(20.0 * t), 1e-14);
    EXPECT_NEAR(saltus_run_event(s.run, 0).v_plus[0], 2.0 * cos(20.0 * t), 1e-12);
    EXPECT_NEAR(final_row(&s).q[0], 0.1 * sin(20.0 * t) + 2.0 * cos(20.0 * t) * r - 5.0 * r * r,
                1e-12);
    release(&s);
}

TEST(a_start_a_hair_above_a_contact_never_ends_below_it)
{
    UNUSED_STATE;
    for (double h = 1e-6; h > 1e-18; h *= 0.1) {
        scripted s = load("local h = param('h', 1)\n"
                          "local y = coordinate('y', {start = h, speed = -1})\n"
                          "mass(y, 1)\n"
                          "force(y, -10)\n"
                          "event('floor', {when = y, direction = 'falling', restitution = 0.5})\n"
                          "horizon(0, 0.05)\n");
        simulate(&s, &h);
        if (s.info->outcome != SALTUS_END && s.info->outcome != SALTUS_SINKING)
            fail_msg("h = %.3g: outcome %d, %s", h, (int)s.info->outcome, s.info->message);
        if (h > 1e-13) expect_outcome(&s, SALTUS_END);
        EXPECT(final_row(&s).q[0] > -1e-12);
        release(&s);
    }
}

TEST(a_mode_entered_on_the_wrong_side_of_a_contact_is_warned_of)
{
    UNUSED_STATE;
    scripted s =
        run_to("local a, b = mode 'a', mode 'b'\n" FALL(
                   "1", "0", "10") "event('switch', {from = a, to = b, when = t - 1})\n"
                                   "event('floor', {from = b, when = y, direction = 'falling',"
                                   " restitution = 0.5})\n"
                                   "horizon(0, 2)\n",
               SALTUS_END);
    expect_event_count(&s, 1);
    expect_warning(&s, "floor");
    release(&s);
}

/* ---- several events at one instant ----------------------------------------------------------- */

#define CRADLE_BALLS                                                                               \
    "local a = coordinate('a', {start = -1, speed = 1})\n"                                         \
    "local b = coordinate('b', {start = 0})\n"                                                     \
    "local c = coordinate('c', {start = 0})\n"                                                     \
    "mass(a, 2) mass(b, 2) mass(c, 2)\n"
#define CRADLE_AB "event('ab', {when = b - a, direction = 'falling', restitution = 1})\n"
#define CRADLE_BC "event('bc', {when = c - b, direction = 'falling', restitution = 1})\n"

TEST(momentum_passes_through_touching_balls_in_one_instant_one_row_each)
{
    UNUSED_STATE;
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

TEST(a_ball_between_another_one_and_a_wall_passes_the_impact_to_the_wall_and_back)
{
    UNUSED_STATE;
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
    UNUSED_STATE;
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
    UNUSED_STATE;
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
    UNUSED_STATE;
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
    expect_warning(&s, "slope");
    release(&s);
}

TEST(events_that_share_a_guard_all_fire_in_the_order_of_the_script)
{
    UNUSED_STATE;
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
    UNUSED_STATE;
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
    UNUSED_STATE;
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
    UNUSED_STATE;
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
    UNUSED_STATE;
    /* After the reset the guard stands at zero and falls: with direction 'any' that is no event. */
    scripted s = run_to(FALL("-1", "1", "0") "event('turn', {when = y, set = {[dot(y)] ="
                                             " -dot(y)}})\n"
                                             "horizon(0, 3)\n",
                        SALTUS_END);
    expect_event_count(&s, 1);
    EXPECT_NEAR(final_row(&s).q[0], -2.0, 1e-13);
    release(&s);
}

/* ---- grazing --------------------------------------------------------------------------------- */

#define CEILING(law)                                                                               \
    "local s = param('s', 2)\n"                                                                    \
    "local y = coordinate('y', {start = 0, speed = s})\n"                                          \
    "mass(y, 1)\n"                                                                                 \
    "force(y, -2)\n"                                                                               \
    "event('ceiling', {when = y - 1, direction = 'rising'" law "})\n"                              \
    "cost('y', {final = y})\n"                                                                     \
    "horizon(0, 1.5)\n"

TEST(a_grazing_touch_lets_the_simulation_go_on_and_refuses_the_gradient)
{
    UNUSED_STATE;
    static const char *const scripts[] = {CEILING(", restitution = 0.5"), CEILING("")};
    for (int i = 0; i < 2; i++) {
        scripted s = run_to(scripts[i], SALTUS_END);
        EXPECT_NEAR(cost_value(&s, "y"), 0.75, 1e-6);
        expect_no_gradient(&s, SALTUS_ERR_GRAZING, "ceiling");
        saltus_error  err = {0};
        double        value;
        const double  unset = 12345.0;
        double        all[1] = {unset};
        saltus_status status = saltus_run_gradient(s.run, "y", &value, all, &err);
        assert_int_equal(status, SALTUS_ERR_GRAZING);
        EXPECT(all[0] == unset);
        const char *time = strstr(err.message, "t=");
        if (!time) time = strstr(err.message, "t = ");
        if (!time) fail_msg("no time in '%s'", err.message);
        EXPECT_NEAR(strtod(strchr(time, '=') + 1, NULL), 1.0, 1e-3);
        release(&s);
    }
}

TEST(near_misses_on_both_sides_of_grazing_have_their_gradients)
{
    UNUSED_STATE;
    for (double miss = 1e-2; miss > 1e-5; miss *= 0.1) {
        const double below = 2.0 - miss, above = 2.0 + miss;
        scripted     s = load(CEILING(", restitution = 0.5"));
        simulate(&s, &below);
        expect_outcome(&s, SALTUS_END);
        expect_event_count(&s, 0);
        EXPECT_NEAR(cost_value(&s, "y"), 1.5 * below - 2.25, 1e-11);
        expect_gradient(&s, "y", "s", 1.5, 1e-10);
        /* Impact at t1 with speed u = sqrt(s^2 - 4), then down with u / 2. */
        simulate(&s, &above);
        expect_event_count(&s, 1);
        const double u = sqrt(above * above - 4.0), t1 = (above - u) / 2.0, r = 1.5 - t1;
        const double du = above / u, dt1 = (1.0 - du) / 2.0;
        expect_event(&s, 0, "ceiling", t1, 1e-11 / u);
        EXPECT_NEAR(cost_value(&s, "y"), 1.0 - u * r / 2.0 - r * r, 1e-10);
        expect_gradient(&s, "y", "s", -du * r / 2.0 + (u / 2.0 + 2.0 * r) * dt1,
                        1e-10 / (u * u * u));
        release(&s);
    }
}

/* ---- too many -------------------------------------------------------------------------------- */

TEST(a_ball_that_bounces_infinitely_often_is_zeno_with_the_time_it_accumulates_at)
{
    UNUSED_STATE;
    static const char *const scripts[] = {
        FALL("1", "0", "9.81") "event('floor', {when = y, direction = 'falling',"
                               " restitution = 0.5})\n"
                               "cost('y', {final = y})\n"
                               "horizon(0, 5)\n",
        FALL("1", "0", "9.81") "event('floor', {when = y, direction = 'falling',"
                               " set = {[dot(y)] = -0.5 * dot(y)}})\n"
                               "cost('y', {final = y})\n"
                               "horizon(0, 5)\n"};
    for (int i = 0; i < 2; i++) {
        scripted s = run_to(scripts[i], SALTUS_ZENO);
        EXPECT_NEAR(s.info->zeno_time, 3.0 * sqrt(2.0 / 9.81), 1e-6);
        EXPECT(s.info->t <= s.info->zeno_time + 1e-9);
        expect_message(&s, "floor");
        print_message("%s\n", s.info->message);
        EXPECT(isnan(cost_value(&s, "y")));
        EXPECT(final_row(&s).q[0] > -1e-9);
        release(&s);
    }
    scripted s = run_to(
        "local e = param('e', 0.5)\n" FALL(
            "1", "0", "9.81") "event('floor', {when = y, direction = 'falling', restitution = e})\n"
                              "cost('y', {final = y})\n"
                              "horizon(0, 5)\n",
        SALTUS_ZENO);
    expect_no_gradient(&s, SALTUS_ERR_UNFINISHED, "");
    release(&s);
}

TEST(a_horizon_just_before_the_accumulation_is_reached_too)
{
    UNUSED_STATE;
    scripted s = load(FALL("1", "0", "9.81") "event('floor', {when = y, direction = 'falling',"
                                             " restitution = 0.5})\n"
                                             "horizon(0, 1)\n");
    s.options.t_end = 3.0 * sqrt(2.0 / 9.81) - 1e-7;
    simulate(&s, NULL);
    expect_outcome(&s, SALTUS_END);
    release(&s);
}

TEST(two_balls_that_bounce_alike_are_zeno_too)
{
    UNUSED_STATE;
    scripted s = run_to(
        "local x = coordinate('x', {start = 2})\n"
        "mass(x, 1)\n"
        "force(x, -9.81)\n" FALL(
            "1", "0",
            "9.81") "event('floor y', {when = y, direction = 'falling', restitution = 0.5})\n"
                    "event('floor x', {when = x, direction = 'falling', restitution = 0.5})\n"
                    "event('clock', {when = sin(50 * t)})\n"
                    "horizon(0, 5)\n",
        SALTUS_ZENO);
    EXPECT_NEAR(s.info->zeno_time, 3.0 * sqrt(2.0 / 9.81), 1e-6);
    expect_message(&s, "floor y");
    release(&s);
}

TEST(a_chirp_is_not_zeno)
{
    UNUSED_STATE;
    scripted s = load(FALL("1", "0", "0") "event('tick', {when = sin(exp(t))})\nhorizon(0, 6.5)\n");
    s.options.max_step = 1e-3;
    simulate(&s, NULL);
    expect_outcome(&s, SALTUS_END);
    expect_event_count(&s, 211);
    for (int i = 0; i < 211; i++) expect_event(&s, i, "tick", log((i + 1) * pi), 1e-12);
    release(&s);
}

TEST(a_horizon_before_the_accumulation_is_reached)
{
    UNUSED_STATE;
    scripted s = run_to(FALL("1", "0", "9.81") "event('floor', {when = y, direction = 'falling',"
                                               " restitution = 0.5})\n"
                                               "horizon(0, 1.35)\n",
                        SALTUS_END);
    const double first = sqrt(2.0 / 9.81);
    double       t = first, flight = first;
    int          count = 0;
    for (; t < 1.35; t += flight) {
        expect_event(&s, count++, "floor", t, 1e-9);
        flight *= count == 1 ? 1.0 : 0.5;
    }
    expect_event_count(&s, count);
    EXPECT(isnan(s.info->zeno_time));
    release(&s);
}

TEST(frequent_events_that_do_not_accumulate_are_not_zeno)
{
    UNUSED_STATE;
    scripted s = load(SINE "event('tick', {when = sin(3000 * t)})\nhorizon(0, 2)\n");
    s.options.max_step = 1e-3;
    simulate(&s, NULL);
    expect_outcome(&s, SALTUS_END);
    expect_event_count(&s, 1909);
    release(&s);
}

TEST(the_event_limit_ends_the_run_and_keeps_what_was_computed)
{
    UNUSED_STATE;
    scripted s = load(SINE "event('zero', {when = y})\ncost('v', {final = y})\nhorizon(0, 100)\n");
    s.options.max_events = 5;
    simulate(&s, NULL);
    expect_outcome(&s, SALTUS_EVENT_LIMIT);
    expect_event_count(&s, 5);
    expect_message(&s, "max-events");
    expect_event(&s, 4, "zero", 5.0 * pi, 1e-10);
    EXPECT(s.info->t >= 5.0 * pi - 1e-9 && s.info->t <= 6.0 * pi);
    release(&s);
}

TEST(the_step_limit_ends_the_run_and_keeps_what_was_computed)
{
    UNUSED_STATE;
    scripted s = load(SINE "local a = param('a', 1)\n"
                           "cost('v', {final = a * y})\nhorizon(0, 100)\n");
    s.options.max_steps = 5;
    s.options.max_step = 0.25;
    simulate(&s, NULL);
    expect_outcome(&s, SALTUS_STEP_LIMIT);
    expect_message(&s, "max-steps");
    assert_int_equal(s.info->steps, 5);
    EXPECT(s.info->t > 0.0 && s.info->t <= 1.25);
    EXPECT_NEAR(final_row(&s).q[0], sin(s.info->t), 1e-11);
    EXPECT(isnan(cost_value(&s, "v")));
    expect_no_gradient(&s, SALTUS_ERR_UNFINISHED, "");
    release(&s);
}

/* ---- kinks ----------------------------------------------------------------------------------- */

/* q'' = -k sign(q) from rest at h: down to 0 at t1, then a parabola to -h and back. */
static void expect_well(const char *script, const char *kink)
{
    scripted     s = run_to(script, SALTUS_END);
    const double h = 0.7, k = 1.3, t1 = sqrt(2.0 * h / k), r = 2.0 - t1, u = sqrt(2.0 * h * k);
    const double dt_h = 1.0 / u, dt_k = -t1 / (2.0 * k);
    expect_event_count(&s, 1);
    expect_event(&s, 0, kink, t1, 1e-11);
    const saltus_event_info info = saltus_system_event(s.system, saltus_run_event(s.run, 0).event);
    EXPECT(info.automatic == 1);
    EXPECT_TEXT(info.law, "kink");
    EXPECT_NEAR(cost_value(&s, "q"), -u * r + k * r * r / 2.0, 1e-11);
    expect_gradient(&s, "q", "h", -k / u * r + (u - k * r) * dt_h, 1e-10);
    expect_gradient(&s, "q", "k", -h / u * r + r * r / 2.0 + (u - k * r) * dt_k, 1e-10);
    release(&s);
}

#define WELL                                                                                       \
    "local h, k = param('h', 0.7), param('k', 1.3)\n"                                              \
    "local q = coordinate('q', {start = h})\n"                                                     \
    "cost('q', {final = q})\n"                                                                     \
    "horizon(0, 2)\n"                                                                              \
    "mass(q, 1)\n"

TEST(the_kink_of_a_sign_is_listed_and_its_gradient_is_the_closed_form)
{
    UNUSED_STATE;
    expect_well(WELL "force(q, -k * sign(q))\n", "sign@6");
}

TEST(the_kink_of_an_abs_is_listed_and_its_gradient_is_the_closed_form)
{
    UNUSED_STATE;
    expect_well(WELL "\npotential(k * abs(q))\n", "abs@7");
}

TEST(the_kink_of_a_max_is_listed_and_its_gradient_is_the_closed_form)
{
    UNUSED_STATE;
    expect_well(WELL "\n\npotential(k * max(q, -q))\n", "max@8");
}

TEST(the_kink_of_a_min_is_listed_and_its_gradient_is_the_closed_form)
{
    UNUSED_STATE;
    expect_well(WELL "potential(-k * min(q, -q))\n", "min@6");
}

TEST(kinks_in_integrals_have_their_gradients)
{
    UNUSED_STATE;
    scripted     s = run_to("local v = param('v', 0.8)\n"
                                "local y = coordinate('y', {start = 1, speed = -v})\n"
                                "mass(y, 1)\n"
                                "cost('max', {integral = max(y, 0)})\n"
                                "cost('min', {integral = min(y, 0)})\n"
                                "cost('abs', {integral = abs(y)})\n"
                                "cost('sign', {integral = sign(y)})\n"
                                "horizon(0, 3)\n",
                            SALTUS_END);
    const double v = 0.8, d = v * 3.0 - 1.0;
    const double max_v = -1.0 / (2.0 * v * v), min_v = -(3.0 * d / v - d * d / (2.0 * v * v));
    EXPECT(s.info->events >= 1 && s.info->events <= 4);
    for (int i = 0; i < s.info->events; i++) {
        EXPECT_NEAR(saltus_run_event(s.run, i).t, 1.25, 1e-13);
        EXPECT(strchr(saltus_run_event(s.run, i).name, '@') != NULL);
    }
    EXPECT_NEAR(cost_value(&s, "max"), 1.0 / (2.0 * v), 1e-13);
    EXPECT_NEAR(cost_value(&s, "min"), -d * d / (2.0 * v), 1e-13);
    EXPECT_NEAR(cost_value(&s, "abs"), (1.0 + d * d) / (2.0 * v), 1e-13);
    EXPECT_NEAR(cost_value(&s, "sign"), 1.0 / v - d / v, 1e-13);
    expect_gradient(&s, "max", "v", max_v, 1e-12);
    expect_gradient(&s, "min", "v", min_v, 1e-12);
    expect_gradient(&s, "abs", "v", max_v - min_v, 1e-12);
    expect_gradient(&s, "sign", "v", -2.0 / (v * v), 1e-12);
    release(&s);
}

TEST(a_bounce_off_a_kink_stays_on_its_side)
{
    UNUSED_STATE;
    /* The ball turns around exactly where the kinks are: it never sees their other side. */
    static const char *const scripts[] = {
        FALL("5", "0",
             "10 + 3 * (sign(y) - 1) - 100 * max(-y, 0) + 7 * (abs(y) - y)") "event('floor', {when "
                                                                             "= y, direction = "
                                                                             "'falling', "
                                                                             "restitution = 1})\n"
                                                                             "horizon(0, 6)\n",
        "local y = coordinate('y', {start = 5})\n"
        "mass(y, 1)\n"
        "event('floor', {when = y, direction = 'falling', set = {[dot(y)] = -dot(y)}})\n"
        "force(y, -10 - 3 * (sign(y) - 1) + 100 * max(-y, 0) - 7 * (abs(y) - y))\n"
        "horizon(0, 6)\n"};
    for (int i = 0; i < 2; i++) {
        scripted s = run_to(scripts[i], SALTUS_END);
        int      bounces = 0;
        for (int k = 0; k < s.info->events; k++)
            bounces += strcmp(saltus_run_event(s.run, k).name, "floor") == 0;
        assert_int_equal(bounces, 3);
        EXPECT_NEAR(final_row(&s).q[0], 5.0, 1e-9);
        EXPECT_NEAR(final_row(&s).v[0], 0.0, 1e-9);
        release(&s);
    }
}

TEST(an_impact_that_jumps_over_a_kink_changes_its_branch)
{
    UNUSED_STATE;
    /* Friction 2 against the motion: -8 downward, -12 upward. */
    scripted s = run_to("local e, f, h = param('e', 0.5), param('f', 2), param('h', 4)\n"
                        "local y = coordinate('y', {start = h, speed = -0.0})\n"
                        "mass(y, 1)\n"
                        "force(y, -10 - f * sign(dot(y)))\n"
                        "event('floor', {when = y, direction = 'falling', restitution = e})\n"
                        "cost('y', {final = y})\n"
                        "horizon(0, 1.25)\n",
                        SALTUS_END);
    /* Down for t1 = sqrt(2 h / 8) = 1, u = 8; up with 4 until t1 + 1/3. */
    EXPECT_NEAR(final_row(&s).q[0], 4.0 * 0.25 - 6.0 * 0.0625, 1e-12);
    EXPECT_NEAR(final_row(&s).v[0], 4.0 - 3.0, 1e-12);
    /* y = e u r - (10 + f) r^2 / 2, r = 1.25 - t1, t1 = sqrt(2 h / (10 - f)), u = (10 - f) t1. */
    expect_gradient(&s, "y", "e", 8.0 * 0.25, 1e-11);
    const double dt_h = 1.0 / 8.0, du_h = 1.0, dt_f = 1.0 / 16.0, du_f = -0.5;
    expect_gradient(&s, "y", "h", 0.5 * du_h * 0.25 - (4.0 - 3.0) * dt_h, 1e-11);
    expect_gradient(&s, "y", "f", 0.5 * du_f * 0.25 - (4.0 - 3.0) * dt_f - 0.03125, 1e-11);
    release(&s);
}

TEST(a_reset_that_lands_on_a_kink_takes_the_side_the_motion_takes)
{
    UNUSED_STATE;
    scripted s = run_to("local y = coordinate('y', {start = 1, speed = 3})\n"
                        "mass(y, 1)\n"
                        "force(y, -10 - 2 * sign(dot(y)))\n"
                        "event('catch', {when = t - 0.125, set = {[dot(y)] = 0}})\n"
                        "cost('y', {final = y})\n"
                        "horizon(0, 0.625)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "y"), 1.0 + 0.375 - 6.0 / 64.0 - 4.0 * 0.25, 1e-12);
    release(&s);
}

TEST(a_guard_may_have_kinks)
{
    UNUSED_STATE;
    scripted s = run_to("local d = param('d', 0.5)\n" SINE
                        "event('band', {when = abs(y) - d, direction = 'falling', set = {[y] = y,"
                        " [dot(y)] = dot(y)}})\n"
                        "cost('y', {final = y})\n"
                        "horizon(0, 7)\n",
                        SALTUS_END);
    double   times[8];
    int      bands = 0;
    for (int k = 0; k < s.info->events; k++)
        if (strcmp(saltus_run_event(s.run, k).name, "band") == 0 && bands < 8)
            times[bands++] = saltus_run_event(s.run, k).t;
    assert_int_equal(bands, 2);
    EXPECT_NEAR(times[0], pi - asin(0.5), 1e-11);
    EXPECT_NEAR(times[1], 2.0 * pi - asin(0.5), 1e-11);
    release(&s);
}

TEST(kinks_in_time_have_their_closed_form)
{
    UNUSED_STATE;
    scripted s = run_to("local T, f = param('T', 0.75), param('f', 2)\n"
                        "local y = coordinate('y')\n"
                        "mass(y, 1)\n"
                        "force(y, f * sign(t - T))\n"
                        "cost('v', {final = dot(y)})\n"
                        "cost('w', {integral = abs(t - T)})\n"
                        "horizon(0, 2)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "v"), 2.0 * (1.25 - 0.75), 1e-13);
    EXPECT_NEAR(cost_value(&s, "w"), 0.5 * (0.75 * 0.75 + 1.25 * 1.25), 1e-13);
    expect_gradient(&s, "v", "T", -4.0, 1e-12);
    expect_gradient(&s, "v", "f", 0.5, 1e-12);
    expect_gradient(&s, "w", "T", 0.75 - 1.25, 1e-12);
    release(&s);
}

TEST(an_integral_that_stays_at_its_kink_has_no_gradient)
{
    UNUSED_STATE;
    scripted s = run_to("local x0 = param('x0', 0)\n"
                        "local x = coordinate('x', {start = x0})\n"
                        "mass(x, 1)\n"
                        "cost('c', {integral = abs(x)})\n"
                        "horizon(0, 2)\n",
                        SALTUS_END);
    EXPECT(cost_value(&s, "c") == 0.0);
    expect_no_gradient(&s, SALTUS_ERR_NO_GRADIENT, "abs@4");
    release(&s);
}

TEST(dry_friction_that_holds_is_sticking_not_zeno)
{
    UNUSED_STATE;
    scripted s = run_to("local q = coordinate('q', {start = 0, speed = 1})\n"
                        "mass(q, 1)\n"
                        "force(q, 0.1 - 0.5 * sign(dot(q)))\n"
                        "horizon(0, 20)\n",
                        SALTUS_STICKING);
    EXPECT_NEAR(s.info->t, 2.5, 1e-9);
    EXPECT_NEAR(final_row(&s).q[0], 1.25, 1e-9);
    EXPECT_NEAR(final_row(&s).v[0], 0.0, 1e-9);
    expect_message(&s, "sign@3");
    EXPECT(isnan(s.info->zeno_time));
    print_message("%s\n", s.info->message);
    release(&s);
}

TEST(starting_exactly_at_a_kink_takes_the_side_the_motion_takes)
{
    UNUSED_STATE;
    static const double speed[] = {0.4, -0.4};
    scripted            s = load("local v = param('v', 0.4)\n"
                                            "local q = coordinate('q', {start = 0, speed = v})\n"
                                            "mass(q, 1)\n"
                                            "cost('abs', {integral = abs(q)})\n"
                                            "cost('sign', {integral = sign(q)})\n"
                                            "cost('max', {integral = max(q, 0)})\n"
                                            "horizon(0, 3)\n");
    for (int i = 0; i < 2; i++) {
        const double side = i ? -1.0 : 1.0;
        simulate(&s, &speed[i]);
        expect_outcome(&s, SALTUS_END);
        EXPECT_NEAR(cost_value(&s, "abs"), 0.4 * 4.5, 1e-13);
        EXPECT_NEAR(cost_value(&s, "sign"), 3.0 * side, 1e-13);
        EXPECT_NEAR(cost_value(&s, "max"), i ? 0.0 : 0.4 * 4.5, 1e-13);
        expect_gradient(&s, "abs", "v", side * 4.5, 1e-12);
        expect_gradient(&s, "max", "v", i ? 0.0 : 4.5, 1e-12);
    }
    release(&s);
}

TEST(starting_at_rest_with_a_drive_stronger_than_friction_slides_off)
{
    UNUSED_STATE;
    static const double drive[] = {0.8, -0.8};
    for (int i = 0; i < 2; i++) {
        scripted s = load("local f = param('f', 1)\n"
                          "local q = coordinate('q')\n"
                          "mass(q, 1)\n"
                          "force(q, f - 0.5 * sign(dot(q)))\n"
                          "cost('q', {final = q})\n"
                          "horizon(0, 2)\n");
        simulate(&s, &drive[i]);
        expect_outcome(&s, SALTUS_END);
        EXPECT_NEAR(cost_value(&s, "q"), i ? -0.6 : 0.6, 1e-12);
        expect_gradient(&s, "q", "f", 2.0, 1e-11);
        release(&s);
    }
}

TEST(starting_at_rest_with_a_drive_weaker_than_friction_is_sticking)
{
    UNUSED_STATE;
    scripted s = run_to("local q = coordinate('q')\n"
                        "mass(q, 1)\n"
                        "force(q, 0.3 - 0.5 * sign(dot(q)))\n"
                        "horizon(0, 2)\n",
                        SALTUS_STICKING);
    EXPECT_NEAR(s.info->t, 0.0, 1e-9);
    expect_message(&s, "sign@3");
    release(&s);
}

#define AT_A_KINK(text)                                                                            \
    "local x0 = param('x0', 0)\n"                                                                  \
    "local x = coordinate('x', {start = x0})\n"                                                    \
    "local y = coordinate('y', {start = 1, speed = -1})\n"                                         \
    "mass(x, 1) mass(y, 1)\n"                                                                      \
    "horizon(0, 2)\n" text

static void expect_kink_only_at_zero(const char *script, const char *kink, double derivative)
{
    const double on = 0.0, right = 0.25, left = -0.25;
    scripted     s = load(script);
    simulate(&s, &on);
    expect_outcome(&s, SALTUS_END);
    expect_no_gradient(&s, SALTUS_ERR_NO_GRADIENT, kink);
    simulate(&s, &right);
    expect_gradient(&s, "c", "x0", derivative, 1e-12);
    simulate(&s, &left);
    expect_gradient(&s, "c", "x0", -derivative, 1e-12);
    release(&s);
}

TEST(a_final_cost_exactly_at_its_kink_has_no_gradient)
{
    UNUSED_STATE;
    expect_kink_only_at_zero(AT_A_KINK("cost('c', {final = abs(x)})\n"), "abs@6", 1.0);
}

TEST(a_reset_exactly_at_its_kink_has_no_gradient)
{
    UNUSED_STATE;
    expect_kink_only_at_zero(AT_A_KINK("event('floor', {when = y, direction = 'falling',\n"
                                       "  set = {[dot(y)] = 3 * abs(x)}})\n"
                                       "cost('c', {final = y})\n"),
                             "abs@", 3.0);
}

TEST(a_restitution_exactly_at_its_kink_has_no_gradient)
{
    UNUSED_STATE;
    expect_kink_only_at_zero(AT_A_KINK("event('floor', {when = y, direction = 'falling',\n"
                                       "  restitution = 0.5 + abs(x)})\n"
                                       "cost('c', {final = y})\n"),
                             "abs@", 1.0);
}

TEST(a_charge_exactly_at_its_kink_has_no_gradient)
{
    UNUSED_STATE;
    expect_kink_only_at_zero(AT_A_KINK("event('floor', {when = y, direction = 'falling',\n"
                                       "  charge = {c = abs(x)}})\n"
                                       "cost('c', {})\n"),
                             "abs@", 1.0);
}

TEST(a_condition_that_is_zero_at_its_kink_is_warned_of_and_has_no_gradient)
{
    UNUSED_STATE;
    /* At x0 = 0 the ball falls through, on both sides of it it bounces. */
    scripted s = run_to(AT_A_KINK("event('floor', {when = y, direction = 'falling',\n"
                                  "  set = {[dot(y)] = 1 + x}, where = abs(x)})\n"
                                  "cost('c', {final = y})\n"),
                        SALTUS_END);
    expect_event_count(&s, 0);
    expect_warning(&s, "floor");
    expect_no_gradient(&s, SALTUS_ERR_NO_GRADIENT, "floor");
    release(&s);
}

TEST(a_kink_in_a_condition_that_holds_on_both_sides_leaves_the_gradient_alone)
{
    UNUSED_STATE;
    scripted s = run_to(AT_A_KINK("event('floor', {when = y, direction = 'falling',\n"
                                  "  set = {[dot(y)] = 1 + x}, where = 1 - abs(x)})\n"
                                  "cost('c', {final = y})\n"),
                        SALTUS_END);
    expect_event_count(&s, 1);
    expect_gradient(&s, "c", "x0", 1.0, 1e-12);
    release(&s);
}

/* ---- the end --------------------------------------------------------------------------------- */

TEST(a_stop_at_the_kth_occurrence_shows_costs_the_left_limit)
{
    UNUSED_STATE;
    scripted s = run_to("local h, e = param('h', 5), param('e', 0.6)\n"
                        "local y = coordinate('y', {start = h})\n"
                        "mass(y, 1)\n"
                        "force(y, -10)\n"
                        "event('floor', {when = y, direction = 'falling', restitution = e, stop ="
                        " 2, charge = {hits = 1}})\n"
                        "cost('duration', {final = t})\n"
                        "cost('v', {final = dot(y)})\n"
                        "cost('hits', {})\n"
                        "cost('area', {integral = y})\n"
                        "horizon(0, 50)\n",
                        SALTUS_TERMINAL_EVENT);
    /* t1 = sqrt(h / 5), u = 10 t1, duration = t1 (1 + 2 e), v = -e u. */
    expect_event(&s, 0, "floor", 1.0, 1e-12);
    expect_event(&s, 1, "floor", 2.2, 1e-12);
    expect_event_count(&s, 2);
    EXPECT_TEXT(saltus_system_event(s.system, s.info->last_event).name, "floor");
    EXPECT_NEAR(s.info->t, 2.2, 1e-12);
    EXPECT_NEAR(final_row(&s).v[0], -6.0, 1e-11);
    EXPECT(final_row(&s).after == 0);
    EXPECT_NEAR(cost_value(&s, "duration"), 2.2, 1e-12);
    EXPECT_NEAR(cost_value(&s, "v"), -6.0, 1e-11);
    EXPECT(cost_value(&s, "hits") == 1.0);
    expect_gradient(&s, "duration", "h", 0.1 * 2.2, 1e-11);
    expect_gradient(&s, "duration", "e", 2.0, 1e-11);
    expect_gradient(&s, "v", "h", -0.6, 1e-11);
    expect_gradient(&s, "v", "e", -10.0, 1e-10);
    /* Areas: h t1 - 5 t1^3 / 3 = (2/3) h t1, then (2/3) e^2 h (2 e t1). */
    const double area = 2.0 / 3.0 * 5.0 * (1.0 + 2.0 * 0.216);
    EXPECT_NEAR(cost_value(&s, "area"), area, 1e-11);
    expect_gradient(&s, "area", "h", 1.5 * area / 5.0, 1e-10);
    expect_gradient(&s, "area", "e", 20.0 * 0.36, 1e-10);
    release(&s);
}

TEST(a_stop_ends_the_trajectory_with_the_row_before_the_jump)
{
    UNUSED_STATE;
    scripted s = run_to(FALL("5", "0", "10") "event('floor', {when = y, direction = 'falling',"
                                             " restitution = 0.5, stop = true})\n"
                                             "horizon(0, 50)\n",
                        SALTUS_TERMINAL_EVENT);
    static const double times[] = {0.5, 1.5};
    const trajectory   *all = trajectory_at(&s, times, 2);
    EXPECT(all->count >= 2);
    EXPECT(all->row[0].t == 0.5);
    EXPECT_NEAR(all->row[1].t, 1.0, 1e-12);
    EXPECT_NEAR(all->row[1].v[0], -10.0, 1e-11);
    EXPECT(all->row[1].after == 0);
    assert_int_equal(all->count, 2);
    release(&s);
}

TEST(the_end_of_the_horizon_may_depend_on_parameters)
{
    UNUSED_STATE;
    scripted s = run_to("local T, g = param('T', 0.75), param('g', 3)\n"
                        "local y = coordinate('y', {start = 1, speed = 2})\n"
                        "mass(y, 1)\n"
                        "force(y, -g)\n"
                        "cost('y', {final = y})\n"
                        "cost('t', {final = t^2})\n"
                        "cost('area', {integral = y})\n"
                        "cost('a', {final = t * ddot(y)})\n"
                        "horizon(0, 2 * T)\n",
                        SALTUS_END);
    EXPECT(s.info->t == 1.5);
    expect_gradient(&s, "y", "T", 2.0 * (2.0 - 3.0 * 1.5), 1e-11);
    expect_gradient(&s, "y", "g", -1.125, 1e-11);
    expect_gradient(&s, "t", "T", 6.0, 1e-12);
    expect_gradient(&s, "area", "T", 2.0 * (1.0 + 3.0 - 3.375), 1e-11);
    expect_gradient(&s, "a", "T", -6.0, 1e-11);
    for (int m = 0; m < METHODS; m++) {
        const saltus_request request = {.method = all_methods[m]};
        double               all[8], end[2] = {NAN, NAN};
        saltus_run_gradients(s.run, &request, all, NULL, end, &s.err);
        EXPECT_NEAR(end[0], 2.0, 1e-14);
        EXPECT_NEAR(end[1], 0.0, 1e-14);
    }
    release(&s);
}

TEST(an_end_given_in_the_options_replaces_the_horizon)
{
    UNUSED_STATE;
    static const double ends[] = {0.5, 4.0};
    for (int i = 0; i < 2; i++) {
        scripted s = load("local T = param('T', 1)\n" FALL(
            "1", "2", "3") "cost('y', {final = y})\nhorizon(0, T)\n");
        s.options.t_end = ends[i];
        simulate(&s, NULL);
        expect_outcome(&s, SALTUS_END);
        EXPECT(s.info->t == ends[i]);
        EXPECT_NEAR(cost_value(&s, "y"), 1.0 + 2.0 * ends[i] - 1.5 * ends[i] * ends[i], 1e-11);
        expect_gradient(&s, "y", "T", 0.0, 0.0);
        release(&s);
    }
}

/* ---- numbers that are none ------------------------------------------------------------------- */

TEST(a_force_that_becomes_nan_ends_the_run_and_is_named)
{
    UNUSED_STATE;
    scripted s = run_to(FALL("1", "0", "1") "force(y, sqrt(1 - t))\n"
                                            "cost('y', {final = y})\n"
                                            "horizon(0, 2)\n",
                        SALTUS_NOT_FINITE);
    EXPECT(s.info->message[0] != '\0');
    print_message("%s\n", s.info->message);
    EXPECT(s.info->t >= 0.0 && s.info->t <= 1.0 + 1e-9);
    EXPECT(isfinite(final_row(&s).q[0]));
    EXPECT(isnan(cost_value(&s, "y")));
    release(&s);
}

TEST(a_force_that_is_nan_from_the_start_ends_the_run_there)
{
    UNUSED_STATE;
    scripted s =
        run_to(FALL("-1", "0", "1") "force(y, log(y))\nhorizon(0, 2)\n", SALTUS_NOT_FINITE);
    EXPECT(s.info->t == 0.0);
    EXPECT(s.info->message[0] != '\0');
    release(&s);
}

TEST(a_reset_to_nan_ends_the_run_and_names_the_event)
{
    UNUSED_STATE;
    scripted s = run_to(FALL("1", "-1", "0") "event('floor', {when = y, direction = 'falling',"
                                             " set = {[dot(y)] = sqrt(dot(y))}})\n"
                                             "horizon(0, 2)\n",
                        SALTUS_NOT_FINITE);
    EXPECT_NEAR(s.info->t, 1.0, 1e-12);
    expect_message(&s, "floor");
    release(&s);
}

TEST(a_singular_mass_matrix_in_a_mode_entered_ends_the_run)
{
    UNUSED_STATE;
    scripted s = run_to("local a, b = mode 'a', mode 'b'\n"
                        "local x = coordinate('x', {start = 1, speed = 1})\n"
                        "local y = coordinate('y')\n"
                        "mass(x, 1)\n"
                        "mass(y, 1, {mode = a})\n"
                        "force(x, -1) force(y, -1)\n"
                        "event('drop', {from = a, to = b, when = t - 1})\n"
                        "horizon(0, 2)\n",
                        SALTUS_SINGULAR);
    EXPECT_NEAR(s.info->t, 1.0, 1e-9);
    EXPECT(s.info->message[0] != '\0');
    print_message("%s\n", s.info->message);
    release(&s);
}

TEST(a_mass_that_falls_to_zero_under_a_resting_coordinate_is_singular)
{
    UNUSED_STATE;
    /* Nothing moves in y, so nothing but the matrix itself can tell. */
    scripted s = run_to("local x, y = coordinate('x', {speed = 1}), coordinate('y')\n"
                        "mass(x, 1)\n"
                        "mass(y, 1 - t)\n"
                        "horizon(0, 2)\n",
                        SALTUS_SINGULAR);
    EXPECT(s.info->t <= 1.0 + 1e-9);
    EXPECT(s.info->message[0] != '\0');
    print_message("%s\n", s.info->message);
    release(&s);
}

TEST(a_motion_that_blows_up_at_a_singular_mass_matrix_does_not_pass_it)
{
    UNUSED_STATE;
    /* At t = 0 the matrix is [1, 1; 1, 1], and the velocities grow like 1 / |t| before. */
    scripted s = load("local x, y = coordinate('x'), coordinate('y')\n"
                      "kinetic(0.5 * dot(x)^2 + (1 + t) * dot(x) * dot(y) + 0.5 * dot(y)^2)\n"
                      "force(y, 1)\n"
                      "cost('x', {final = x})\n"
                      "horizon(-1, 1)\n");
    s.options.max_steps = 20000;
    simulate(&s, NULL);
    EXPECT(s.info->outcome != SALTUS_END);
    EXPECT(s.info->t <= 1e-9);
    EXPECT(s.info->message[0] != '\0');
    EXPECT(isnan(cost_value(&s, "x")));
    release(&s);
}

/* ---- memories, modes, conditions, charges ---------------------------------------------------- */

TEST(a_memory_in_a_guard_moves_the_guard_and_carries_its_sensitivity)
{
    UNUSED_STATE;
    scripted s = run_to("local first, gap = param('first', 0.5), param('gap', 0.75)\n"
                        "local y = coordinate('y', {start = 0, speed = 1})\n"
                        "local c = memory('c', first)\n"
                        "mass(y, 1)\n"
                        "event('stair', {when = y - c, direction = 'rising', set = {[c] = c + gap,"
                        " [dot(y)] = 2 * dot(y)}})\n"
                        "cost('y', {final = y})\n"
                        "horizon(0, 1)\n",
                        SALTUS_END);
    /* Speeds 1, 2, 4 between 0, first, first + gap. */
    expect_event_count(&s, 2);
    expect_event(&s, 0, "stair", 0.5, 1e-13);
    expect_event(&s, 1, "stair", 0.875, 1e-13);
    EXPECT_NEAR(final_row(&s).c[0], 2.0, 1e-14);
    EXPECT_NEAR(cost_value(&s, "y"), 1.25 + 4.0 * 0.125, 1e-12);
    expect_gradient(&s, "y", "first", 1.0 - 4.0, 1e-11);
    expect_gradient(&s, "y", "gap", 1.0 - 2.0, 1e-11);
    release(&s);
}

TEST(groups_change_their_modes_independently)
{
    UNUSED_STATE;
    scripted s = run_to("local xo, xc = mode('x open', {group = 'x'}), mode('x shut', {group ="
                        " 'x'})\n"
                        "local yo, yc = mode('y open', {group = 'y'}), mode('y shut', {group ="
                        " 'y'})\n"
                        "local q = coordinate('q')\n"
                        "mass(q, 1)\n"
                        "force(q, 1, {mode = xc})\n"
                        "force(q, 10, {mode = yc})\n"
                        "force(q, 100, {mode = {xc, yc}})\n"
                        "event('x shuts', {from = xo, to = xc, when = t - 1})\n"
                        "event('y shuts', {from = yo, to = yc, when = t - 2})\n"
                        "event('x opens', {from = {xc, yc}, to = xo, when = t - 3})\n"
                        "event('never', {from = {xc, yo}, when = t - 3.5, set = {[dot(q)] = 0}})\n"
                        "event('either', {from = {xo, xc, yc}, when = t - 3.5})\n"
                        "horizon(0, 4)\n",
                        SALTUS_END);
    static const char *const names[] = {"x shuts", "y shuts", "x opens", "either"};
    static const char *const modes[] = {"x open + y open", "x shut + y open", "x shut + y shut",
                                        "x open + y shut", "x open + y shut"};
    static const double      at[] = {1.0, 2.0, 3.0, 3.5};
    assert_int_equal(s.size.groups, 2);
    expect_event_count(&s, 4);
    for (int i = 0; i < 4; i++) {
        expect_event(&s, i, names[i], at[i], 1e-13);
        EXPECT_TEXT(saltus_run_event(s.run, i).from, modes[i]);
        EXPECT_TEXT(saltus_run_event(s.run, i).to, modes[i + 1]);
    }
    EXPECT_TEXT(final_row(&s).mode, "x open + y shut");
    /* Accelerations 0, 1, 111, 10 for a second each. */
    EXPECT_NEAR(final_row(&s).v[0], 122.0, 1e-10);
    EXPECT_NEAR(final_row(&s).q[0], 0.5 + 1.0 + 55.5 + 112.0 + 5.0, 1e-10);
    release(&s);
}

TEST(two_independent_stops_are_two_groups_and_equal_two_separate_oscillators)
{
    UNUSED_STATE;
#define STOP(x, k)                                                                                 \
    "local " x " = coordinate('" x "', {start = 1})\n"                                             \
    "local " x "f, " x "s = mode('" x "f', {group = '" x "'}), mode('" x "s', {group = '" x        \
    "'})\n"                                                                                        \
    "mass(" x ", 1)\n"                                                                             \
    "potential(0.5 * " k " * " x "^2)\n"                                                           \
    "potential(2 * (" x " + 0.5)^2, {mode = " x "s})\n"                                            \
    "event('" x " on', {from = " x "f, to = " x "s, when = " x " + 0.5, direction = 'falling'})\n" \
    "event('" x " off', {from = " x "s, to = " x "f, when = " x " + 0.5, direction = 'rising'})\n" \
    "cost('" x "', {final = " x "})\n"                                                             \
    "horizon(0, 9)\n"
    static const char *const one = "local k, l = param('k', 1.7), param('l', 2.9)\n" STOP("x", "k");
    static const char *const two = "local k, l = param('k', 1.7), param('l', 2.9)\n" STOP("y", "l");
    static const char *const both =
        "local k, l = param('k', 1.7), param('l', 2.9)\n"
        "local x, y = coordinate('x', {start = 1}), coordinate('y', {start = 1})\n"
        "local xf, xs = mode('xf', {group = 'x'}), mode('xs', {group = 'x'})\n"
        "local yf, ys = mode('yf', {group = 'y'}), mode('ys', {group = 'y'})\n"
        "mass(x, 1) mass(y, 1)\n"
        "potential(0.5 * k * x^2 + 0.5 * l * y^2)\n"
        "potential(2 * (x + 0.5)^2, {mode = xs})\n"
        "potential(2 * (y + 0.5)^2, {mode = ys})\n"
        "event('x on', {from = xf, to = xs, when = x + 0.5, direction = 'falling'})\n"
        "event('x off', {from = xs, to = xf, when = x + 0.5, direction = 'rising'})\n"
        "event('y on', {from = yf, to = ys, when = y + 0.5, direction = 'falling'})\n"
        "event('y off', {from = ys, to = yf, when = y + 0.5, direction = 'rising'})\n"
        "cost('x', {final = x})\n"
        "cost('y', {final = y})\n"
        "horizon(0, 9)\n";
    scripted x = run_to(one, SALTUS_END), y = run_to(two, SALTUS_END), s = run_to(both, SALTUS_END);
    expect_event_count(&s, x.info->events + y.info->events);
    EXPECT(x.info->events > 2 && y.info->events > x.info->events);
    EXPECT_NEAR(cost_value(&s, "x"), cost_value(&x, "x"), 1e-10);
    EXPECT_NEAR(cost_value(&s, "y"), cost_value(&y, "y"), 1e-10);
    expect_gradient(&s, "x", "k", gradient(&x, SALTUS_DIRECT, "x", "k"), 1e-9);
    expect_gradient(&s, "y", "l", gradient(&y, SALTUS_DIRECT, "y", "l"), 1e-9);
    expect_gradient(&s, "x", "l", 0.0, 1e-9);
    release(&x);
    release(&y);
    release(&s);
}

TEST(an_event_fires_only_where_all_its_conditions_are_positive)
{
    UNUSED_STATE;
    /* A ball leaves a table of width 1 at x = 1 after bouncing on it at x = 0.3, 0.9. */
    scripted s = run_to(
        "local x = coordinate('x', {speed = 0.3})\n" FALL(
            "5", "0", "10") "mass(x, 1)\n"
                            "event('table', {when = y, direction = 'falling', restitution = 1,"
                            " where = {x, 1 - x}})\n"
                            "horizon(0, 6)\n",
        SALTUS_END);
    expect_event_count(&s, 2);
    expect_event(&s, 0, "table", 1.0, 1e-12);
    expect_event(&s, 1, "table", 3.0, 1e-11);
    EXPECT_NEAR(final_row(&s).q[1], -15.0, 1e-10);
    expect_no_warning(&s);
    release(&s);
}

TEST(a_condition_close_to_zero_is_warned_of)
{
    UNUSED_STATE;
    static const double edge[] = {1e-13, 0.0, -1e-13};
    for (int i = 0; i < 3; i++) {
        scripted s = load(
            "local x0 = param('x0', 0)\n"
            "local x = coordinate('x', {start = x0})\n" FALL(
                "5", "0", "10") "mass(x, 1)\n"
                                "event('table', {when = y, direction = 'falling', restitution = 1,"
                                " where = x})\n"
                                "horizon(0, 1.5)\n");
        simulate(&s, &edge[i]);
        expect_outcome(&s, SALTUS_END);
        expect_event_count(&s, i == 0);
        if (!has_warning(&s, "table")) fail_msg("no warning at %.17g", edge[i]);
        release(&s);
    }
}

TEST(charges_see_both_sides_of_an_impact_and_its_impulse)
{
    UNUSED_STATE;
    scripted s = run_to("local m, e, h = param('m', 3), param('e', 0.6), param('h', 5)\n"
                        "local y = coordinate('y', {start = h})\n"
                        "mass(y, m)\n"
                        "force(y, -10 * m)\n"
                        "event('floor', {when = y, direction = 'falling', restitution = e, charge ="
                        " {loss = 0.5 * m * (before(dot(y))^2 - after(dot(y))^2),\n"
                        " push = impulse('floor'), plain = dot(y), time = t}})\n"
                        "cost('loss', {}) cost('push', {}) cost('plain', {}) cost('time', {})\n"
                        "horizon(0, 2.5)\n",
                        SALTUS_END);
    /* Speeds u = 10 t1, e u, with t1 = sqrt(h / 5), at t1 and t1 (1 + 2 e). */
    expect_event_count(&s, 2);
    EXPECT_NEAR(cost_value(&s, "loss"), 150.0 * (1.0 - pow(0.6, 4)), 1e-9);
    EXPECT_NEAR(cost_value(&s, "push"), 30.0 * 1.6 * 1.6, 1e-10);
    EXPECT_NEAR(cost_value(&s, "plain"), -16.0, 1e-11);
    EXPECT_NEAR(cost_value(&s, "time"), 3.2, 1e-11);
    EXPECT_NEAR(saltus_run_event(s.run, 0).impulse, 48.0, 1e-10);
    expect_gradient(&s, "loss", "m", 50.0 * (1.0 - pow(0.6, 4)), 1e-9);
    expect_gradient(&s, "loss", "e", -600.0 * pow(0.6, 3), 1e-8);
    expect_gradient(&s, "loss", "h", 30.0 * (1.0 - pow(0.6, 4)), 1e-9);
    expect_gradient(&s, "push", "m", 10.0 * 2.56, 1e-9);
    expect_gradient(&s, "push", "e", 30.0 * 3.2, 1e-9);
    expect_gradient(&s, "push", "h", 3.0 * 2.56, 1e-9);
    expect_gradient(&s, "plain", "e", -10.0, 1e-10);
    expect_gradient(&s, "time", "h", 0.32, 1e-11);
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
          RUN(starting_on_a_contact_and_moving_into_it_is_sinking),
          RUN(starting_at_rest_on_a_contact_that_carries_weight_is_sinking),
          RUN(starting_on_a_floor_that_rises_is_sinking),
          RUN(landing_without_restitution_is_sinking),
          RUN(starting_on_a_contact_and_leaving_it_is_an_ordinary_flight),
          RUN(touching_without_force_is_no_event),
          RUN(landing_without_restitution_on_a_floor_that_falls_away_flies_on),
          RUN(a_start_a_hair_above_a_contact_never_ends_below_it),
          RUN(a_mode_entered_on_the_wrong_side_of_a_contact_is_warned_of),
          RUN(momentum_passes_through_touching_balls_in_one_instant_one_row_each),
          RUN(a_ball_between_another_one_and_a_wall_passes_the_impact_to_the_wall_and_back),
          RUN(an_endless_chain_of_impacts_at_one_instant_is_named),
          RUN(a_corner_is_two_walls_hit_at_the_same_instant),
          RUN(a_corner_where_the_order_of_the_walls_matters_is_named),
          RUN(events_that_share_a_guard_all_fire_in_the_order_of_the_script),
          RUN(conditions_are_taken_at_the_crossing_before_any_jump),
          RUN(a_reset_that_ends_close_to_its_guard_fires_again_as_soon_as_it_is_reached),
          RUN(an_event_that_changes_nothing_fires_once_at_each_crossing),
          RUN(an_event_that_turns_back_from_its_own_guard_does_not_fire_twice),
          RUN(a_grazing_touch_lets_the_simulation_go_on_and_refuses_the_gradient),
          RUN(near_misses_on_both_sides_of_grazing_have_their_gradients),
          RUN(a_ball_that_bounces_infinitely_often_is_zeno_with_the_time_it_accumulates_at),
          RUN(a_horizon_just_before_the_accumulation_is_reached_too),
          RUN(two_balls_that_bounce_alike_are_zeno_too), RUN(a_chirp_is_not_zeno),
          RUN(a_horizon_before_the_accumulation_is_reached),
          RUN(frequent_events_that_do_not_accumulate_are_not_zeno),
          RUN(the_event_limit_ends_the_run_and_keeps_what_was_computed),
          RUN(the_step_limit_ends_the_run_and_keeps_what_was_computed),
          RUN(the_kink_of_a_sign_is_listed_and_its_gradient_is_the_closed_form),
          RUN(the_kink_of_an_abs_is_listed_and_its_gradient_is_the_closed_form),
          RUN(the_kink_of_a_max_is_listed_and_its_gradient_is_the_closed_form),
          RUN(the_kink_of_a_min_is_listed_and_its_gradient_is_the_closed_form),
          RUN(kinks_in_integrals_have_their_gradients), RUN(a_bounce_off_a_kink_stays_on_its_side),
          RUN(an_impact_that_jumps_over_a_kink_changes_its_branch),
          RUN(a_reset_that_lands_on_a_kink_takes_the_side_the_motion_takes),
          RUN(a_guard_may_have_kinks), RUN(kinks_in_time_have_their_closed_form),
          RUN(an_integral_that_stays_at_its_kink_has_no_gradient),
          RUN(dry_friction_that_holds_is_sticking_not_zeno),
          RUN(starting_exactly_at_a_kink_takes_the_side_the_motion_takes),
          RUN(starting_at_rest_with_a_drive_stronger_than_friction_slides_off),
          RUN(starting_at_rest_with_a_drive_weaker_than_friction_is_sticking),
          RUN(a_final_cost_exactly_at_its_kink_has_no_gradient),
          RUN(a_reset_exactly_at_its_kink_has_no_gradient),
          RUN(a_restitution_exactly_at_its_kink_has_no_gradient),
          RUN(a_charge_exactly_at_its_kink_has_no_gradient),
          RUN(a_condition_that_is_zero_at_its_kink_is_warned_of_and_has_no_gradient),
          RUN(a_kink_in_a_condition_that_holds_on_both_sides_leaves_the_gradient_alone),
          RUN(a_stop_at_the_kth_occurrence_shows_costs_the_left_limit),
          RUN(a_stop_ends_the_trajectory_with_the_row_before_the_jump),
          RUN(the_end_of_the_horizon_may_depend_on_parameters),
          RUN(an_end_given_in_the_options_replaces_the_horizon),
          RUN(a_force_that_becomes_nan_ends_the_run_and_is_named),
          RUN(a_force_that_is_nan_from_the_start_ends_the_run_there),
          RUN(a_reset_to_nan_ends_the_run_and_names_the_event),
          RUN(a_singular_mass_matrix_in_a_mode_entered_ends_the_run),
          RUN(a_mass_that_falls_to_zero_under_a_resting_coordinate_is_singular),
          RUN(a_motion_that_blows_up_at_a_singular_mass_matrix_does_not_pass_it),
          RUN(a_memory_in_a_guard_moves_the_guard_and_carries_its_sensitivity),
          RUN(groups_change_their_modes_independently),
          RUN(two_independent_stops_are_two_groups_and_equal_two_separate_oscillators),
          RUN(an_event_fires_only_where_all_its_conditions_are_positive),
          RUN(a_condition_close_to_zero_is_warned_of),
          RUN(charges_see_both_sides_of_an_impact_and_its_impulse))
