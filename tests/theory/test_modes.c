/* What an event may read and change: memories, modes and their groups, conditions, charges; and
 * where a motion ends, by a stop or by its horizon. Closed forms throughout. */
#include "motions.h"
#include "scripted.h"

/* ---- memories, modes, conditions, charges --------------------------------------------------- */

TEST(a_memory_in_a_guard_moves_the_guard_and_carries_its_sensitivity)
{
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

/* ---- the end -------------------------------------------------------------------------------- */

TEST(a_stop_at_the_kth_occurrence_shows_costs_the_left_limit)
{
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

/* Reads the steps of a run: each begins where the one before ended, in the mode that it led to. */
typedef struct walk {
    const scripted *s;
    double          t;
    long long       steps;
    int             events, most;
} walk;

static int follow_step(void *context, const saltus_run_step *step)
{
    walk *w = context;
    EXPECT_NEAR(step->t, w->t, 1e-14);
    EXPECT(step->length >= 0.0);
    const char *mode = w->events ? saltus_run_event(w->s->run, w->events - 1).to : "forward";
    EXPECT(strcmp(step->mode, mode) == 0);
    w->t = step->t + step->length;
    w->steps++;
    if (step->event >= 0) {
        EXPECT(step->event == w->events);
        w->events++;
        EXPECT_NEAR(saltus_run_event(w->s->run, step->event).t, w->t, 1e-14);
    }
    return w->steps == w->most;
}

TEST(steps_can_be_read_one_after_the_other_even_if_the_record_is_small)
{
    for (int small = 0; small < 2; small++) {
        scripted s = load_model("coulomb_modes");
        if (small) s.options.record_memory = 4096;
        simulate(&s, NULL);
        walk w = {.s = &s, .most = -1};
        EXPECT(saltus_run_steps(s.run, follow_step, &w, &s.err) == SALTUS_OK);
        EXPECT(w.steps == s.info->steps);
        EXPECT(w.events == s.info->events && w.events == 4);
        EXPECT(w.t == 8.0);
        w = (walk){.s = &s, .most = 3};
        EXPECT(saltus_run_steps(s.run, follow_step, &w, &s.err) == SALTUS_OK);
        EXPECT(w.steps == 3);
        release(&s);
    }
}

/* One event leads to a mode in which another, whose guard is beyond zero anyway, happens at once
 * and leads back. Nothing pushes back: the guard that is zero there takes the side it moves to. */
TEST(there_and_back_in_one_instant_is_no_sliding)
{
    scripted s =
        run_to("local p = param('p', 1) local x = coordinate('x', {speed = 1}) mass(x, 1)\n"
               "local A, B, k = mode 'A', mode 'B', memory('k', 0)\n"
               "force(x, p)\n"
               "event('there', {when = x - 1, direction = 'rising', from = A, to = B,"
               " set = {[k] = k + 1}})\n"
               "event('back', {when = t + 1, direction = 'rising', enter = 'fire', from = B,"
               " to = A, set = {[k] = k + 10}})\n"
               "cost('x', {final = x}) cost('k', {final = k}) horizon(0, 2)\n",
               SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "x"), 4.0, 1e-11);
    EXPECT_NEAR(cost_value(&s, "k"), 11.0, 0.0);
    expect_gradient(&s, "x", "p", 2.0, 1e-10);
    release(&s);
}

TEST_MAIN(RUN(there_and_back_in_one_instant_is_no_sliding),
          RUN(steps_can_be_read_one_after_the_other_even_if_the_record_is_small),
          RUN(a_memory_in_a_guard_moves_the_guard_and_carries_its_sensitivity),
          RUN(groups_change_their_modes_independently),
          RUN(two_independent_stops_are_two_groups_and_equal_two_separate_oscillators),
          RUN(an_event_fires_only_where_all_its_conditions_are_positive),
          RUN(a_condition_close_to_zero_is_warned_of),
          RUN(charges_see_both_sides_of_an_impact_and_its_impulse),
          RUN(a_stop_at_the_kth_occurrence_shows_costs_the_left_limit),
          RUN(a_stop_ends_the_trajectory_with_the_row_before_the_jump),
          RUN(the_end_of_the_horizon_may_depend_on_parameters),
          RUN(an_end_given_in_the_options_replaces_the_horizon))
