/* What keeps a motion from going on, or from having a gradient: sinking, grazing, Zeno, limits,
 * numbers that are none, singular masses. Each is named, and not confused with its neighbours. */
#include "motions.h"
#include "scripted.h"

/* ---- contacts without an impact ------------------------------------------------------------- */

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
    expect_sinking(FALL("0", "-1", "10") "event('floor', {when = y, direction = 'falling',"
                                         " restitution = 0.5})\n"
                                         "horizon(0, 2)\n",
                   0.0, 0.0);
}

TEST(starting_at_rest_on_a_contact_that_carries_weight_is_sinking)
{
    expect_sinking(FALL("0", "0", "10") "event('floor', {when = y, direction = 'falling',"
                                        " restitution = 0.5})\n"
                                        "horizon(0, 2)\n",
                   0.0, 0.0);
}

TEST(starting_on_a_floor_that_rises_is_sinking)
{
    expect_sinking(FALL("0", "0", "10") "event('floor', {when = y - 0.1 * sin(t), direction ="
                                        " 'falling', restitution = 0.5})\n"
                                        "horizon(0, 2)\n",
                   0.0, 0.0);
}

TEST(landing_without_restitution_is_sinking)
{
    expect_sinking(FALL("5", "0", "10") "event('floor', {when = y, direction = 'falling',"
                                        " restitution = 0})\n"
                                        "horizon(0, 2)\n",
                   1.0, 0.0);
}

TEST(starting_on_a_contact_and_leaving_it_is_an_ordinary_flight)
{
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

TEST(the_wrong_side_of_a_contact_is_all_right_where_it_would_not_happen)
{
    /* beside a table that ends at x = 0, and under it */
    static const char *const start[] = {"1", "-1"};
    for (int i = 0; i < 2; i++) {
        char script[1024];
        snprintf(script, sizeof script,
                 "local x = coordinate('x', {start = %s})\n"
                 "local y = coordinate('y', {start = -0.1})\n"
                 "mass(x, 1) mass(y, 1)\n"
                 "event('table', {when = y, direction = 'falling', restitution = 0.5,"
                 " where = -x})\nhorizon(0, 2)\n",
                 start[i]);
        scripted s = run_to(script, SALTUS_END);
        if (i) expect_warning(&s, "table");
        else expect_no_warning(&s);
        release(&s);
    }
}

/* ---- grazing -------------------------------------------------------------------------------- */

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
    static const char *const scripts[] = {CEILING(", restitution = 0.5"), CEILING("")};
    for (int i = 0; i < 2; i++) {
        scripted s = run_to(scripts[i], SALTUS_END);
        EXPECT_NEAR(cost_value(&s, "y"), 0.75, 1e-6);
        expect_no_gradient(&s, SALTUS_ERR_GRAZING, "ceiling");
        saltus_error  err = {0};
        double        value;
        const double  unset = 12345.0;
        double        all[1] = {unset};
        saltus_status status = saltus_run_cost_gradient(s.run, "y", &value, all, &err);
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

/* ---- too many ------------------------------------------------------------------------------- */

TEST(a_ball_that_bounces_infinitely_often_is_zeno_with_the_time_it_accumulates_at)
{
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
        EXPECT(s.info->events < 40); /* long before bounces are lost in rounding */
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

/* A ball falls on a floor, or on a table that shakes. Bounces with a small restitution are soon too
 * low to be told from rounding; wherever that is, it does not fall through. */
TEST(bounces_of_any_restitution_end_on_the_floor)
{
    static const char *const floors[] = {"0", "0.087 * sin(29.4 * t + 0.1)"};
    static const char *const laws[] = {"restitution = e", "set = {[dot(y)] = -e * dot(y)}"};
    for (int which = 0; which < 3; which++) /* no law of a moving floor without its velocity */
        for (double e = 0.1; e > 1e-15; e *= 0.31) {
            char script[512];
            snprintf(script, sizeof script,
                     "local e = param('e', 0.5)\n" FALL(
                         "0.6", "0",
                         "9.81") "event('floor', {when = y - (%s), direction = 'falling', %s})\n"
                                 "horizon(0, 1)\n",
                     floors[which == 2], laws[which == 1]);
            scripted s = load(script);
            simulate(&s, &e);
            if (s.info->outcome != SALTUS_ZENO) expect_outcome(&s, SALTUS_SINKING);
            EXPECT(s.info->t < 0.45);
            EXPECT(final_row(&s).q[0] > (which == 2 ? -0.0871 : -1e-9));
            release(&s);
        }
}

TEST(a_horizon_just_before_the_accumulation_is_reached_too)
{
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
    scripted s = load(SINE "event('tick', {when = sin(3000 * t)})\nhorizon(0, 2)\n");
    s.options.max_step = 1e-3;
    simulate(&s, NULL);
    expect_outcome(&s, SALTUS_END);
    expect_event_count(&s, 1909);
    release(&s);
}

TEST(the_event_limit_ends_the_run_and_keeps_what_was_computed)
{
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

/* ---- numbers that are none ------------------------------------------------------------------ */

TEST(a_force_that_becomes_nan_ends_the_run_and_is_named)
{
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
    scripted s =
        run_to(FALL("-1", "0", "1") "force(y, log(y))\nhorizon(0, 2)\n", SALTUS_NOT_FINITE);
    EXPECT(s.info->t == 0.0);
    EXPECT(s.info->message[0] != '\0');
    release(&s);
}

TEST(a_reset_to_nan_ends_the_run_and_names_the_event)
{
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

TEST(a_final_cost_without_a_value_is_how_the_run_ended)
{
    scripted s = run_to(FALL("5", "0", "10") "cost('h', {final = asin(2 + y)})\nhorizon(0, 0.5)\n",
                        SALTUS_NOT_FINITE);
    expect_message(&s, "cost 'h'");
    release(&s);
}

TEST(an_integrand_that_leaves_its_domain_is_named_at_once)
{
    scripted s = load(FALL("1", "0", "10") "cost('h', {integral = (y - 1)^0.5})\nhorizon(0, 1)\n");
    simulate(&s, NULL);
    expect_outcome(&s, SALTUS_NOT_FINITE);
    expect_message(&s, "cost 'h'");
    EXPECT(s.info->steps < 1000);
    release(&s);
}

/* The force is taken up by the drive, so the motion does not feel it. */
TEST(how_a_run_ends_does_not_hang_on_gradients_asked_for_before)
{
    const double nowhere = 0.0;
    scripted     s = load("local p = param('p', 1)\n"
                              "local x, y = coordinate('x', {guess = 0}), coordinate('y', {speed = 1})\n"
                              "kinetic(0.5 * dot(y)^2)\n"
                              "constraint('drive', x - sin(t))\n"
                              "force(x, sin(t) / p)\n"
                              "cost('J', {final = x + y})\n"
                              "horizon(0, 1)\n");
    simulate(&s, &nowhere);
    const saltus_outcome alone = s.info->outcome;
    for (int m = 0; m < METHODS; m++) {
        simulate(&s, NULL);
        gradient(&s, all_methods[m], "J", "p");
        simulate(&s, &nowhere);
        expect_outcome(&s, alone);
    }
    release(&s);
}

/* ---- sliding -------------------------------------------------------------------------------- */

TEST(two_modes_that_push_against_each_other_are_sliding_and_not_passed)
{
    scripted s =
        run_to("local x = coordinate('x', {start = -1}) mass(x, 1)\n"
               "local a, b = mode 'a', mode 'b'\n"
               "force(x, 1, {mode = a}) force(x, -1, {mode = b})\n"
               "event('ab', {from = a, to = b, when = x + dot(x), direction = 'rising'})\n"
               "event('ba', {from = b, to = a, when = x + dot(x), direction = 'falling'})\n"
               "horizon(0, 100)\n",
               SALTUS_STICKING);
    expect_message(&s, "'ab'");
    expect_message(&s, "'ba'");
    EXPECT_NEAR(s.info->t, sqrt(3.0) - 1.0, 1e-8); /* x + v = -1 + t + t^2 / 2 */
    release(&s);
}

TEST_MAIN(RUN(starting_on_a_contact_and_moving_into_it_is_sinking),
          RUN(starting_at_rest_on_a_contact_that_carries_weight_is_sinking),
          RUN(starting_on_a_floor_that_rises_is_sinking),
          RUN(landing_without_restitution_is_sinking),
          RUN(starting_on_a_contact_and_leaving_it_is_an_ordinary_flight),
          RUN(touching_without_force_is_no_event),
          RUN(landing_without_restitution_on_a_floor_that_falls_away_flies_on),
          RUN(a_start_a_hair_above_a_contact_never_ends_below_it),
          RUN(a_mode_entered_on_the_wrong_side_of_a_contact_is_warned_of),
          RUN(the_wrong_side_of_a_contact_is_all_right_where_it_would_not_happen),
          RUN(a_grazing_touch_lets_the_simulation_go_on_and_refuses_the_gradient),
          RUN(near_misses_on_both_sides_of_grazing_have_their_gradients),
          RUN(a_ball_that_bounces_infinitely_often_is_zeno_with_the_time_it_accumulates_at),
          RUN(bounces_of_any_restitution_end_on_the_floor),
          RUN(a_horizon_just_before_the_accumulation_is_reached_too),
          RUN(two_balls_that_bounce_alike_are_zeno_too), RUN(a_chirp_is_not_zeno),
          RUN(a_horizon_before_the_accumulation_is_reached),
          RUN(frequent_events_that_do_not_accumulate_are_not_zeno),
          RUN(the_event_limit_ends_the_run_and_keeps_what_was_computed),
          RUN(the_step_limit_ends_the_run_and_keeps_what_was_computed),
          RUN(a_force_that_becomes_nan_ends_the_run_and_is_named),
          RUN(a_force_that_is_nan_from_the_start_ends_the_run_there),
          RUN(a_reset_to_nan_ends_the_run_and_names_the_event),
          RUN(a_singular_mass_matrix_in_a_mode_entered_ends_the_run),
          RUN(a_mass_that_falls_to_zero_under_a_resting_coordinate_is_singular),
          RUN(a_motion_that_blows_up_at_a_singular_mass_matrix_does_not_pass_it),
          RUN(a_final_cost_without_a_value_is_how_the_run_ended),
          RUN(an_integrand_that_leaves_its_domain_is_named_at_once),
          RUN(how_a_run_ends_does_not_hang_on_gradients_asked_for_before),
          RUN(two_modes_that_push_against_each_other_are_sliding_and_not_passed))
