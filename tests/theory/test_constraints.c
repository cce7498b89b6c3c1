/* Constraints: assembly, residuals, both formulations, reactions in guards, laws of impact. */
#include "scripted.h"

#define PENDULUM                                                                                   \
    "local L, x0 = param('L', 1), param('x0', 0.6)\n"                                              \
    "local x = coordinate('x', {start = x0})\n"                                                    \
    "local y = coordinate('y', {guess = -0.8})\n"                                                  \
    "mass(x, 1) mass(y, 1) potential(9.81 * y)\n"

/* ---- assembly ------------------------------------------------------------------------------- */

static void expect_failure(const char *script, saltus_status status, const char *part)
{
    scripted s = load(script);
    saltus_run_free(s.run);
    s.run = saltus_run_new(s.system, NULL, &s.err);
    saltus_run_simulate(s.run, NULL, &s.err);
    EXPECT(s.err.status == status);
    if (!strstr(s.err.message, part)) fail_msg("'%s' does not say '%s'", s.err.message, part);
    memset(&s.err, 0, sizeof s.err);
    release(&s);
}

TEST(a_mechanism_that_cannot_be_assembled_names_the_constraint)
{
    expect_failure(PENDULUM "constraint('rod', x^2 + y^2 + L^2)\nhorizon(0, 1)\n",
                   SALTUS_ERR_ASSEMBLY, "'rod'");
}

TEST(a_redundant_constraint_is_left_out_and_named)
{
    scripted one = run_to(PENDULUM "constraint('one', x^2 + y^2 - L^2)\n"
                                   "cost('y', {integral = ddot(y)^2})\nhorizon(0, 1)\n",
                          SALTUS_END);
    scripted two = run_to(PENDULUM "constraint('one', x^2 + y^2 - L^2)\n"
                                   "constraint('two', 2 * x^2 + 2 * y^2 - 2 * L^2)\n"
                                   "cost('y', {integral = ddot(y)^2})\nhorizon(0, 1)\n",
                          SALTUS_END);
    expect_warning(&two, "'two' (line 6) depends on the others");
    EXPECT_NEAR(cost_value(&two, "y"), cost_value(&one, "y"), 1e-10);
    expect_gradient(&two, "y", "L", gradient(&one, SALTUS_DISCRETE, "y", "L"), 1e-8);
    expect_gradient(&two, "y", "x0", gradient(&one, SALTUS_DISCRETE, "y", "x0"), 1e-8);
    release(&one);
    release(&two);
}

/* Three parallel cranks of equal length carry one platform: the middle one is not needed. */
#define CRANKS(middle, law)                                                                        \
    "local L, x0 = param('L', 1), param('x0', 0.6)\n"                                              \
    "local P = {}\n"                                                                               \
    "P[1] = point('P1', {x = x0, guess = {0, -0.8}})\n"                                            \
    "for i = 2, 3 do P[i] = point('P' .. i, {guess = {2 * i - 1.4, -0.8}}) end\n"                  \
    "for i = 1, 3 do mass(P[i], i) end\ngravity(0, -9.81)\n"                                       \
    "rod {ground_point(0, 0), P[1], length = L, name = 'first'}\n"                                 \
    "rod {ground_point(4, 0), P[3], length = L, name = 'last'}\n"                                  \
    "rod {P[1], P[3], length = 4, name = 'platform'}\n"                                            \
    "constraint('x', P[2].x - (P[1].x + P[3].x) / 2)\n"                                            \
    "constraint('y', P[2].y - (P[1].y + P[3].y) / 2)\n" middle                                     \
    "event('hit', {when = P[2].x - 1.7, direction = 'falling', " law "})\n"                        \
    "cost('c', {integral = ddot(P[1].y)^2, final = P[3].x})\nhorizon(0, 1.2)\n"
#define MIDDLE "rod {ground_point(2, 0), P[2], length = L, name = 'middle'}\n"

static void compare_cranks(const char *with, const char *without, int penalty)
{
    scripted     one = load(without), two = load(with);
    const double allowed = penalty ? 1e-4 : 1e-8;
    if (penalty) two.options.formulation = SALTUS_PENALTY;
    simulate(&one, NULL);
    simulate(&two, NULL);
    expect_outcome(&two, SALTUS_END);
    EXPECT(one.info->events > 0 && two.info->events == one.info->events);
    if (!penalty) expect_warning(&two, "depends on the others");
    EXPECT_NEAR(cost_value(&two, "c"), cost_value(&one, "c"), allowed);
    expect_gradient(&two, "c", "L", gradient(&one, SALTUS_DISCRETE, "c", "L"), 10 * allowed);
    expect_gradient(&two, "c", "x0", gradient(&one, SALTUS_DISCRETE, "c", "x0"), 10 * allowed);
    release(&one);
    release(&two);
}

TEST(redundant_constraints_go_through_impacts)
{
    for (int penalty = 0; penalty < 2; penalty++) {
        compare_cranks(CRANKS(MIDDLE, "restitution = 0.8"), CRANKS("", "restitution = 0.8"),
                       penalty);
        compare_cranks(CRANKS(MIDDLE, "set = {[dot(P[1].x)] = -0.7 * dot(P[1].x)}"),
                       CRANKS("", "set = {[dot(P[1].x)] = -0.7 * dot(P[1].x)}"), penalty);
    }
}

TEST(a_constraint_that_others_imply_carries_the_load_when_they_go)
{
    scripted s = run_to(PENDULUM "local a, b, c = mode 'a', mode 'b', mode 'c'\n"
                                 "constraint('one', x^2 + y^2 - L^2, {mode = {a, b}})\n"
                                 "constraint('two', 2 * x^2 + 2 * y^2 - 2 * L^2, {mode = {b, c}})\n"
                                 "event('join', {when = t - 0.2, from = a, to = b})\n"
                                 "event('part', {when = t - 0.4, from = b, to = c})\n"
                                 "cost('y', {integral = ddot(y)^2})\n"
                                 "cost('L', {final = x^2 + y^2})\nhorizon(0, 1)\n",
                        SALTUS_END);
    scripted one = run_to(PENDULUM "constraint('one', x^2 + y^2 - L^2)\n"
                                   "cost('y', {integral = ddot(y)^2})\nhorizon(0, 1)\n",
                          SALTUS_END);
    expect_warning(&s, "depends on the others in mode 'b'");
    EXPECT_NEAR(cost_value(&s, "y"), cost_value(&one, "y"), 1e-10);
    EXPECT_NEAR(cost_value(&s, "L"), 1.0, 1e-11);
    expect_gradient(&s, "y", "L", gradient(&one, SALTUS_DISCRETE, "y", "L"), 1e-8);
    expect_gradient(&s, "L", "L", 2.0, 1e-9);
    release(&s);
    release(&one);
}

TEST(constraints_that_contradict_each_other_are_named)
{
    expect_failure(PENDULUM "constraint('one', x^2 + y^2 - L^2)\n"
                            "constraint('two', 2 * x^2 + 2 * y^2 - 2.1 * L^2)\nhorizon(0, 1)\n",
                   SALTUS_ERR_ASSEMBLY, "'two' depends on the others and contradicts them");
}

TEST(a_singular_start_is_named)
{
    expect_failure("local A = point('A', {x = 1, y = 0})\nlocal B = point('B', {guess = {3, 0}})\n"
                   "mass(A, 1) mass(B, 1)\n"
                   "rod {ground_point(0, 0), A, length = 1, name = 'left'}\n"
                   "rod {ground_point(2, 0), B, length = 1, name = 'right'}\n"
                   "rod {A, B, length = 2, name = 'coupler'}\nhorizon(0, 1)\n",
                   SALTUS_ERR_ASSEMBLY, "singular position");
}

TEST(a_redundant_constraint_leaves_the_choice_of_coordinates_alone)
{
    /* y hardly moves the rod at the guess: x is to be found, with the second rod as well */
#define NEARLY_LEVEL(second)                                                                       \
    "local L = param('L', 1.1)\n"                                                                  \
    "local x, y = coordinate('x', {guess = 1}), coordinate('y', {guess = 1e-7})\n"                 \
    "mass(x, 1) mass(y, 1) potential(9.81 * y)\n"                                                  \
    "constraint('rod', x^2 + y^2 - L^2)\n" second "cost('x', {final = x})\nhorizon(0, 0.5)\n"
    scripted one = run_to(NEARLY_LEVEL(""), SALTUS_END);
    scripted two =
        run_to(NEARLY_LEVEL("constraint('two', 2 * x^2 + 2 * y^2 - 2 * L^2)\n"), SALTUS_END);
    EXPECT_NEAR(cost_value(&two, "x"), cost_value(&one, "x"), 1e-9);
    expect_gradient(&two, "x", "L", gradient(&one, SALTUS_DISCRETE, "x", "L"), 1e-7);
    release(&one);
    release(&two);
}

/* Cranks of a parallelogram, or four bars, in any unit of length and anywhere. */
#define FOUR_BARS(unit, offset, guess, more)                                                       \
    "local u, o = " unit ", " offset "\n"                                                          \
    "local A, B = ground_point(o, 0), ground_point(o + u, 0)\n"                                    \
    "local gx, gy = " guess "\n"                                                                   \
    "local P = point('P', {guess = {o + u * gx, u * gy}})\n"                                       \
    "local Q = point('Q', {guess = {o + u * (1 + gx), u * gy}})\n"                                 \
    "mass(P, 1) mass(Q, 2) gravity(0, -9.81 * u)\n"                                                \
    "rod {A, P, length = u, name = 'left'} rod {B, Q, length = u, name = 'right'}\n"               \
    "rod {P, Q, length = u, name = 'coupler'}\n" more "cost('c', {final = (P.x - o) / u})\n"       \
    "horizon(0, 0.2)\n"
#define MIDDLE_CRANK                                                                               \
    "local R = point('R', {guess = {o + u * (0.5 + gx), u * gy}}) mass(R, 1)\n"                    \
    "constraint('x', R.x - (P.x + Q.x) / 2) constraint('y', R.y - (P.y + Q.y) / 2)\n"              \
    "rod {ground_point(o + u / 2, 0), R, length = u, name = 'middle'}\n"

TEST(units_and_places_do_not_decide_what_is_redundant)
{
    scripted one = run_to(FOUR_BARS("1", "0", "0.6, -0.8", MIDDLE_CRANK), SALTUS_END);
    scripted away = run_to(FOUR_BARS("1", "3000", "0.6, -0.8", MIDDLE_CRANK), SALTUS_END);
    expect_warning(&away, "'middle' (line 11) depends on the others");
    EXPECT_NEAR(cost_value(&away, "c"), cost_value(&one, "c"), 1e-7);
    release(&one);
    release(&away);
    expect_failure(FOUR_BARS("1e-3", "0", "1, 0", ""), SALTUS_ERR_ASSEMBLY, "singular position");
    expect_failure(FOUR_BARS("1e-6", "0", "1, 0", ""), SALTUS_ERR_ASSEMBLY, "singular position");
    expect_failure(
        FOUR_BARS("1e-5", "0", "0.6, -0.8", "rod {A, P, length = 1.2 * u, name = 'second'}\n"),
        SALTUS_ERR_ASSEMBLY, "'second' depends on the others and contradicts them");
}

TEST(redundant_constraints_that_part_at_once_are_named)
{
#define DRIVEN(second)                                                                             \
    "local x = coordinate('x', {guess = 1}) local y = coordinate('y')\n"                           \
    "mass(x, 1) mass(y, 1)\n"                                                                      \
    "constraint('one', x - 1 - t) constraint('two', x - 1 - " second ")\n"                         \
    "event('early', {when = t - 0.3, stop = true})\nhorizon(0, 1)\n"
    expect_failure(DRIVEN("2 * t"), SALTUS_ERR_ASSEMBLY,
                   "'two' depends on the others and contradicts "
                   "their motion");
    scripted together = run_to(DRIVEN("t"), SALTUS_TERMINAL_EVENT);
    release(&together);
    /* their rates agree: the first step shows it, though an event ends it and the run */
    scripted later = run_to(DRIVEN("t - t^2"), SALTUS_VIOLATED);
    release(&later);
}

TEST(redundant_constraints_run_with_the_penalty_formulation)
{
    scripted one = run_to(PENDULUM "constraint('one', x^2 + y^2 - L^2)\n"
                                   "cost('y', {integral = y})\nhorizon(0, 1)\n",
                          SALTUS_END);
    scripted two = load(PENDULUM "constraint('one', x^2 + y^2 - L^2)\n"
                                 "constraint('two', 2 * x^2 + 2 * y^2 - 2 * L^2)\n"
                                 "cost('y', {integral = y})\nhorizon(0, 1)\n");
    two.options.formulation = SALTUS_PENALTY;
    simulate(&two, NULL);
    EXPECT_NEAR(cost_value(&two, "y"), cost_value(&one, "y"), 1e-6);
    expect_gradient(&two, "y", "L", gradient(&one, SALTUS_DISCRETE, "y", "L"), 1e-5);
    release(&one);
    release(&two);
}

TEST(a_given_start_that_the_constraints_contradict_is_an_error)
{
    expect_failure("local x = coordinate('x', {start = 0.6})\n"
                   "local y = coordinate('y', {start = -0.5})\n"
                   "mass(x, 1) mass(y, 1)\n"
                   "constraint('rod', x^2 + y^2 - 1)\nhorizon(0, 1)\n",
                   SALTUS_ERR_ASSEMBLY, "'y'");
}

/* It was replaced without a word. A speed that was not given follows. */
TEST(a_given_speed_that_the_constraints_contradict_is_an_error)
{
    expect_failure("local x = coordinate('x', {start = 0.6, speed = 1})\n"
                   "local y = coordinate('y', {start = -0.8, speed = 1})\n"
                   "mass(x, 1) mass(y, 1)\n"
                   "constraint('rod', x^2 + y^2 - 1)\nhorizon(0, 1)\n",
                   SALTUS_ERR_ASSEMBLY, "speed of 'y': it is given as 1, but must be 0.75");
    scripted s = run_to("local x = coordinate('x', {start = 0.6, speed = 1})\n"
                        "local y = coordinate('y', {start = -0.8})\n"
                        "mass(x, 1) mass(y, 1)\n"
                        "constraint('rod', x^2 + y^2 - 1)\n"
                        "cost('path', {integral = hypot(dot(x), dot(y))})\nhorizon(0, 1)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "path"), 1.25, 1e-9);
    release(&s);
}

TEST(a_guess_that_nothing_determines_is_warned_of)
{
    static const char *const scripts[] = {
        "local x, y = coordinate('x', {guess = 0.6}), coordinate('y', {guess = -0.8})\n"
        "mass(x, 1) mass(y, 1) constraint('rod', x^2 + y^2 - 1)\nhorizon(0, 1)\n",
        "local x = coordinate('x', {guess = 0.6}) mass(x, 1)\nhorizon(0, 1)\n"};
    for (int i = 0; i < 2; i++) {
        scripted s = run_to(scripts[i], SALTUS_END);
        expect_warning(&s, "the constraints do not determine 'x'");
        assert_int_equal(s.info->warnings, 1);
        release(&s);
    }
    scripted s = run_to(PENDULUM "constraint('rod', x^2 + y^2 - L^2)\nhorizon(0, 1)\n", SALTUS_END);
    expect_no_warning(&s);
    release(&s);
}

TEST(a_length_moves_the_assembled_mechanism)
{
    scripted s = run_to(PENDULUM "constraint('rod', x^2 + y^2 - L^2)\n"
                                 "cost('y', {final = y})\nhorizon(0, 1e-9)\n",
                        SALTUS_END);
    expect_gradient(&s, "y", "L", 1.0 / -0.8, 1e-8); /* y = -sqrt(L^2 - x0^2) */
    expect_gradient(&s, "y", "x0", -0.6 / -0.8, 1e-8);
    release(&s);
}

/* ---- formulations --------------------------------------------------------------------------- */

TEST(residuals_stay_small_over_the_whole_run)
{
    scripted s = load_model("five_bar");
    s.options.rtol = s.options.atol = 1e-12;
    simulate(&s, NULL);
    enum { ROWS = 200 };
    double times[ROWS], worst = 0.0, worst_rate = 0.0;
    for (int i = 0; i < ROWS; i++) times[i] = 2.0 * i / (ROWS - 1);
    const trajectory *rows = trajectory_at(&s, times, ROWS);
    for (int i = 0; i < rows->count; i++) {
        const double *q = rows->row[i].q, *v = rows->row[i].v; /* P1, P2, P3 */
        const double  dx = q[2] - q[0], dy = q[3] - q[1];
        worst = fmax(worst, fabs(dx * dx + dy * dy - 13.0 / 4.0));
        worst_rate = fmax(worst_rate, fabs(2.0 * (dx * (v[2] - v[0]) + dy * (v[3] - v[1]))));
    }
    EXPECT_NEAR(worst, 0.0, 1e-9);
    EXPECT_NEAR(worst_rate, 0.0, 1e-9);
    release(&s);
}

TEST(the_penalty_formulation_converges_to_index_1)
{
    scripted exact = load_model("cartesian_pendulum");
    simulate(&exact, NULL);
    const double value = cost_value(&exact, "int_y");
    const double slope = gradient(&exact, SALTUS_DISCRETE, "int_y", "L");
    double       before = INFINITY;
    for (double alpha = 1e4; alpha < 2e7; alpha *= 10.0) {
        scripted s = load_model("cartesian_pendulum");
        s.options.formulation = SALTUS_PENALTY;
        s.options.alpha = alpha;
        simulate(&s, NULL);
        const double off = fabs(cost_value(&s, "int_y") - value);
        const double slope_off = fabs(gradient(&s, SALTUS_DISCRETE, "int_y", "L") - slope);
        print_message("alpha %.0e: cost off by %.1e, gradient by %.1e\n", alpha, off, slope_off);
        EXPECT(off < 0.2 * before);
        EXPECT_NEAR(gradient(&s, SALTUS_DIRECT, "int_y", "L"),
                    gradient(&s, SALTUS_DISCRETE, "int_y", "L"), 1e-6);
        EXPECT_NEAR(gradient(&s, SALTUS_ADJOINT, "int_y", "L"),
                    gradient(&s, SALTUS_DISCRETE, "int_y", "L"), 1e-6);
        before = off;
        release(&s);
    }
    EXPECT(before < 1e-5);
    release(&exact);
}

TEST(a_time_dependent_constraint_moves_its_mechanism)
{
    /* a pivot at (0.3 sin(2 t), 0), against the same pendulum in its angle */
    scripted                 points = run_to("local L = param('L', 1)\n"
                                                             "local x = coordinate('x', {start = L * sin(0.4), speed = 0.6})\n"
                                                             "local y = coordinate('y', {guess = -1})\n"
                                                             "mass(x, 1) mass(y, 1) potential(9.81 * y)\n"
                                                             "constraint('rod', (x - 0.3 * sin(2 * t))^2 + y^2 - L^2)\n"
                                                             "cost('x', {final = x}) cost('y', {integral = y})\nhorizon(0, 2)\n",
                                             SALTUS_END);
    scripted                 angle = run_to("local L = param('L', 1)\n"
                                                            "local th = coordinate('th', {start = 0.4})\n"
                                                            "local x, y = 0.3 * sin(2 * t) + L * sin(th), -L * cos(th)\n"
                                                            "kinetic(0.5 * (dot(x)^2 + dot(y)^2)) potential(9.81 * y)\n"
                                                            "cost('x', {final = x}) cost('y', {integral = y})\nhorizon(0, 2)\n",
                                            SALTUS_END);
    static const char *const names[] = {"x", "y"};
    for (int i = 0; i < 2; i++) {
        EXPECT_NEAR(cost_value(&points, names[i]), cost_value(&angle, names[i]), 1e-8);
        expect_gradient(&points, names[i], "L", gradient(&angle, SALTUS_DISCRETE, names[i], "L"),
                        1e-7);
    }
    release(&points);
    release(&angle);
}

/* ---- reactions in guards -------------------------------------------------------------------- */

TEST(a_string_goes_slack_where_its_tension_vanishes)
{
    /* from the bottom with v0^2 = 3.5 g L: slack at cos(phi) = (v0^2 / (g L) - 2) / 3 = 0.5 above
     */
    scripted s = run_to("local g = param('g', 9.81)\n"
                        "local x = coordinate('x', {start = 0, speed = sqrt(3.5 * g)})\n"
                        "local y = coordinate('y', {guess = -1})\n"
                        "mass(x, 1) mass(y, 1) potential(g * y)\n"
                        "local taut, slack = mode 'taut', mode 'slack'\n"
                        "constraint('string', x^2 + y^2 - 1, {mode = taut})\n"
                        "event('slack', {from = taut, to = slack, when = multiplier('string'),\n"
                        "                direction = 'falling', stop = true})\n"
                        "cost('y', {final = y}) cost('t', {final = t})\nhorizon(0, 5)\n",
                        SALTUS_TERMINAL_EVENT);
    EXPECT_NEAR(cost_value(&s, "y"), 0.5, 1e-8);
    expect_gradient(&s, "y", "g", 0.0, 1e-7);
    expect_gradient(&s, "t", "g", -0.5 * cost_value(&s, "t") / 9.81, 1e-7);
    release(&s);
}

/* The string is taut again 4 v sin(phi) / g later, v^2 = g L cos(phi). Where it goes slack the gap
 * to the circle opens with the third power of time: what the constraint has drifted, in its value
 * and in its rate, must not count as falling back. */
TEST(a_string_that_goes_slack_is_not_pushed_back_at_any_tolerance)
{
    const double g = 7.6, L = 1.7, phi = acos(0.5), v = sqrt(g * L * 0.5);
    for (int i = 0; i < 18; i++) {
        scripted s = load("local g, L = param('g', 7.6), param('L', 1.7)\n"
                          "local P = point('P', {x = 0, y = -L, speed = {sqrt(3.5 * g * L), 0}})\n"
                          "mass(P, 1.5) gravity(0, -g)\n"
                          "local on, off = mode 'on', mode 'off'\n"
                          "rod {ground_point(0, 0), P, length = L, name = 'rod', mode = on}\n"
                          "event('slack', {from = on, to = off, when = multiplier('rod'),\n"
                          "                direction = 'falling'})\n"
                          "event('taut', {from = off, to = on, when = L - hypot(P.x, P.y),\n"
                          "               direction = 'falling', stop = true})\n"
                          "cost('x', {final = P.x}) horizon(0, 5)\n");
        s.options.integrator = i < 9 ? SALTUS_DOPRI5 : SALTUS_DOP853;
        s.options.rtol = s.options.atol = pow(10.0, -5 - i % 9);
        simulate(&s, NULL);
        expect_outcome(&s, SALTUS_TERMINAL_EVENT);
        expect_event_count(&s, 2);
        EXPECT_NEAR(saltus_run_event(s.run, 1).t - saltus_run_event(s.run, 0).t,
                    4.0 * v * sin(phi) / g, s.options.rtol);
        release(&s);
    }
}

TEST(a_falling_ladder_leaves_the_wall_at_two_thirds_of_its_height)
{
    scripted s = run_to("local th0 = param('th0', 1.2)\n"
                        "local x = coordinate('x', {guess = 0.18})\n"
                        "local y = coordinate('y', {guess = 0.46})\n"
                        "local th = coordinate('th', {start = th0})\n"
                        "mass(x, 1) mass(y, 1) mass(th, 1 / 12) potential(9.81 * y)\n"
                        "constraint('wall', x - 0.5 * cos(th))\n"
                        "constraint('floor', y - 0.5 * sin(th))\n"
                        "event('leave', {when = multiplier('wall'), stop = true})\n"
                        "cost('sin', {final = sin(th)})\nhorizon(0, 5)\n",
                        SALTUS_TERMINAL_EVENT);
    EXPECT_NEAR(cost_value(&s, "sin"), 2.0 / 3.0 * sin(1.2), 1e-8);
    expect_gradient(&s, "sin", "th0", 2.0 / 3.0 * cos(1.2), 1e-7);
    release(&s);
}

/* ---- impacts -------------------------------------------------------------------------------- */

TEST(restitution_acts_inside_the_constraints)
{
    /* the pendulum against a wall at x = 0: in the angle it just turns around */
    scripted points = run_to(PENDULUM "constraint('rod', x^2 + y^2 - L^2)\n"
                                      "event('wall', {when = x, direction = 'falling',"
                                      " restitution = 0.7})\n"
                                      "cost('x', {final = x})\nhorizon(0, 1.5)\n",
                             SALTUS_END);
    scripted angle = run_to("local L, x0 = param('L', 1), param('x0', 0.6)\n"
                            "local th = coordinate('th', {start = asin(x0 / L)})\n"
                            "mass(th, L^2) potential(-9.81 * L * cos(th))\n"
                            "event('wall', {when = th, direction = 'falling', restitution = 0.7})\n"
                            "cost('x', {final = L * sin(th)})\nhorizon(0, 1.5)\n",
                            SALTUS_END);
    EXPECT(points.info->events > 0);
    EXPECT_NEAR(cost_value(&points, "x"), cost_value(&angle, "x"), 1e-8);
    expect_gradient(&points, "x", "L", gradient(&angle, SALTUS_DISCRETE, "x", "L"), 1e-7);
    expect_gradient(&points, "x", "x0", gradient(&angle, SALTUS_DISCRETE, "x", "x0"), 1e-7);
    release(&points);
    release(&angle);
}

TEST(a_set_of_memories_alone_leaves_the_law_to_the_event)
{
    /* a foot sticks where it lands: both velocities vanish, the body's go on */
    scripted         s = run_to("local x = coordinate('x', {start = 0, speed = 2})\n"
                                        "local y = coordinate('y', {start = 1})\n"
                                        "local where = memory('where', 0)\n"
                                        "mass(x, 1) mass(y, 1) potential(10 * y)\n"
                                        "local air, ground = mode 'air', mode 'ground'\n"
                                        "constraint('x', x - where, {mode = ground})\n"
                                        "constraint('y', y, {mode = ground})\n"
                                        "event('land', {from = air, to = ground, when = y, direction = 'falling',\n"
                                        "               set = {[where] = x}})\n"
                                        "cost('x', {final = x})\nhorizon(0, 2)\n",
                                SALTUS_END);
    const saltus_row row = final_row(&s);
    EXPECT_NEAR(row.v[0], 0.0, 1e-12);
    EXPECT_NEAR(row.v[1], 0.0, 1e-12);
    EXPECT_NEAR(row.q[0], 2.0 * sqrt(0.2), 1e-8);
    release(&s);
}

TEST(a_constraint_that_does_not_hold_where_it_appears_is_an_error)
{
    scripted s = run_to("local y = coordinate('y', {start = 1})\n"
                        "mass(y, 1) force(y, -10)\n"
                        "local air, ground = mode 'air', mode 'ground'\n"
                        "constraint('floor', y, {mode = ground})\n"
                        "event('land', {from = air, to = ground, when = t - 0.1})\n"
                        "horizon(0, 1)\n",
                        SALTUS_VIOLATED);
    expect_message(&s, "'floor'");
    release(&s);
}

TEST(more_velocities_set_than_there_are_freedoms_is_an_error)
{
    scripted s = run_to(PENDULUM "constraint('rod', x^2 + y^2 - L^2)\n"
                                 "event('hit', {when = x - 0.1, direction = 'falling',\n"
                                 "  set = {[dot(x)] = -dot(x), [dot(y)] = -dot(y)}})\n"
                                 "horizon(0, 1)\n",
                        SALTUS_VIOLATED);
    expect_message(&s, "more velocities");
    release(&s);
}

TEST(a_named_velocity_is_kept_even_where_it_hardly_moves)
{
    scripted          s = run_to(PENDULUM "constraint('rod', x^2 + y^2 - L^2)\n"
                                                   "event('hit', {when = x - 0.005, direction = 'falling',\n"
                                                   "              set = {[dot(y)] = -dot(y)}})\n"
                                                   "horizon(0, 0.52)\n",
                                 SALTUS_END);
    const trajectory *rows = trajectory_at(&s, NULL, 0);
    int               seen = 0;
    for (int i = 0; i + 1 < rows->count; i++) {
        if (rows->row[i].event < 0 || rows->row[i].after) continue;
        EXPECT_NEAR(rows->row[i + 1].v[1], -rows->row[i].v[1], 1e-10);
        seen++;
    }
    EXPECT(seen == 1);
    release(&s);
}

TEST(an_event_without_an_impact_has_no_impulse)
{
    scripted s = run_to("local m = param('m', 1.5)\n"
                        "local x = coordinate('x', {speed = 2})\n"
                        "local y = coordinate('y', {start = 0.5})\n"
                        "mass(x, 1) mass(y, m) force(y, -10 * m)\n"
                        "local air, ground = mode 'air', mode 'ground'\n"
                        "constraint('floor', y, {mode = ground})\n"
                        "event('land', {from = air, to = ground, when = y, direction = 'falling',\n"
                        "               charge = {landing = impulse('floor')}})\n"
                        "event('pass', {when = x - 1, charge = {passing = impulse('floor')}})\n"
                        "cost('landing', {}) cost('passing', {})\nhorizon(0, 1)\n",
                        SALTUS_END);
    expect_event_count(&s, 2);
    EXPECT_NEAR(cost_value(&s, "landing"), -1.5 * sqrt(10.0), 1e-9);
    EXPECT(cost_value(&s, "passing") == 0.0);
    expect_gradient(&s, "landing", "m", -sqrt(10.0), 1e-9);
    expect_gradient(&s, "passing", "m", 0.0, 0.0);
    release(&s);
}

TEST(what_is_set_after_a_given_law_does_not_act_on_it)
{
    /* the memory only scales the constraint: it must not change the motion */
    static const char *const late[] = {"2 + after(dot(y))", "s"};
    double                   slope[2];
    for (int i = 0; i < 2; i++) {
        char script[1024];
        snprintf(script, sizeof script,
                 PENDULUM "local s = memory('s', 1)\n"
                          "constraint('rod', s * (x^2 + y^2 - L^2))\n"
                          "event('hit', {when = x - 0.1, direction = 'falling',\n"
                          "  set = {[dot(x)] = 0.1 * y - 0.7 * dot(x), [s] = %s}})\n"
                          "cost('y', {final = y})\nhorizon(0, 1)\n",
                 late[i]);
        scripted s = run_to(script, SALTUS_END);
        slope[i] = gradient(&s, SALTUS_DISCRETE, "y", "L");
        expect_gradient(&s, "y", "L", slope[0], 1e-7);
        release(&s);
    }
}

/* ---- kinks in constraints ------------------------------------------------------------------- */

#define TRACK                                                                                      \
    "local x0 = param('x0', %s)\n"                                                                 \
    "local x = coordinate('x', {start = x0, speed = %s})\n"                                        \
    "local y = coordinate('y', {guess = 0.3})\n"                                                   \
    "mass(x, 1) mass(y, 1) potential(9.81 * y)\n"                                                  \
    "constraint('track', y - %s)\n"                                                                \
    "cost('y', {final = y}) cost('x', {final = x})\nhorizon(0, %s)\n"

static scripted on_track(const char *x0, const char *speed, const char *height, const char *end,
                         saltus_outcome outcome)
{
    char script[1024];
    snprintf(script, sizeof script, TRACK, x0, speed, height, end);
    return run_to(script, outcome);
}

TEST(a_mechanism_is_assembled_on_the_right_side_of_a_kink)
{
    scripted s = on_track("-0.5", "-1", "abs(x)", "0.05", SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "y"), -cost_value(&s, "x"), 1e-10);
    expect_gradient(&s, "y", "x0", -1.0, 1e-9);
    release(&s);
}

TEST(a_smooth_kink_in_a_constraint_is_passed)
{
    scripted s = on_track("0.5", "-3", "x * abs(x)", "0.5", SALTUS_END);
    expect_event_count(&s, 1);
    const double x = cost_value(&s, "x"), slope = gradient(&s, SALTUS_DISCRETE, "x", "x0");
    EXPECT_NEAR(cost_value(&s, "y"), -x * x, 1e-9);
    expect_gradient(&s, "x", "x0", slope, 1e-7);
    expect_gradient(&s, "y", "x0", -2.0 * x * slope, 1e-7);
    release(&s);
}

TEST(a_corner_in_a_constraint_is_an_error)
{
    scripted s = on_track("0.5", "-3", "abs(x)", "0.5", SALTUS_VIOLATED);
    expect_message(&s, "corner");
    release(&s);
    s = on_track("0", "-1", "abs(x)", "0.5", SALTUS_VIOLATED);
    expect_message(&s, "corner");
    release(&s);
}

/* ---- sizes ---------------------------------------------------------------------------------- */

TEST(assembly_keeps_its_choice_of_coordinates)
{
    /* y is dependent at the guess; where it ends it would not be chosen again */
    scripted s = run_to("local L = param('L', 1)\n"
                        "local x = coordinate('x', {guess = 0.99996})\n"
                        "local y = coordinate('y', {guess = 0.02})\n"
                        "mass(x, 1) mass(y, 1)\n"
                        "constraint('rod', x^2 + y^2 - L^2)\n"
                        "cost('x', {final = x}) cost('y', {final = y})\nhorizon(0, 1e-9)\n",
                        SALTUS_END);
    expect_gradient(&s, "x", "L", 0.0, 1e-8);
    expect_gradient(&s, "y", "L", 1.0 / cost_value(&s, "y"), 1e-6);
    release(&s);
}

TEST(many_redundant_constraints_on_one_coordinate)
{
    scripted s = load("local L = param('L', 1)\n"
                      "local x = coordinate('x', {guess = 0.7})\nmass(x, 1)\n"
                      "for i = 1, 200 do constraint('c' .. i, i * (x - L)) end\n"
                      "cost('x', {final = x})\nhorizon(0, 0.01)\n");
    s.options.formulation = SALTUS_PENALTY;
    simulate(&s, NULL);
    EXPECT_NEAR(cost_value(&s, "x"), 1.0, 1e-9);
    expect_gradient(&s, "x", "L", 1.0, 1e-8);
    release(&s);
}

TEST(an_adjoint_that_is_only_rounding_ends)
{
    scripted s = run_to(PENDULUM "constraint('rod', x^2 + y^2 - L^2)\n"
                                 "cost('still', {integral = dot(hypot(x, y))^2})\nhorizon(0, 1)\n",
                        SALTUS_END);
    expect_gradient(&s, "still", "L", 0.0, 1e-14);
    release(&s);
}

/* The table falls away faster than gravity when the ball lands: it would be glued to it. */
#define PULLS(enter)                                                                               \
    "local y = coordinate('y', {start = 0.1, speed = -5})\n"                                       \
    "mass(y, 1) force(y, -9.81)\nlocal gap = y + 10 * t^2\n"                                       \
    "local air, rest = mode 'air', mode 'rest'\n"                                                  \
    "constraint('table', gap, {mode = rest})\n"                                                    \
    "event('land', {from = air, to = rest, when = gap,\n"                                          \
    "  direction = 'falling'})\n"                                                                  \
    "event('leave', {from = rest, to = air, when = multiplier('table'),\n"                         \
    "  direction = 'rising'" enter "})\n"                                                          \
    "cost('y', {final = y})\n"                                                                     \
    "horizon(0, 0.1)\n"

/* The table falls away faster than the body: it lands, and leaves at once. */
TEST(a_reaction_that_pulls_when_a_mode_is_entered_lets_go)
{
    scripted     s = run_to(PULLS(""), SALTUS_END);
    const double t = (5.0 - sqrt(25.0 - 4.0 * 5.095 * 0.1)) / (2.0 * 5.095); /* the gap is zero */
    const double left = 0.1 - t;
    expect_event(&s, 0, "land", t, 1e-10);
    expect_event(&s, 1, "leave", t, 1e-10);
    expect_event_count(&s, 2);
    EXPECT_NEAR(cost_value(&s, "y"), -10.0 * t * t - 20.0 * t * left - 4.905 * left * left, 1e-9);
    release(&s);
}

TEST(a_reaction_that_pulls_and_is_to_wait_is_warned_of)
{
    scripted s = run_to(PULLS(", enter = 'wait'"), SALTUS_END);
    expect_event_count(&s, 1);
    expect_warning(&s, "the guard of event 'leave' is already above zero");
    release(&s);
}

TEST(a_velocity_set_after_the_law_must_fulfil_the_constraints)
{
    scripted s = run_to(PENDULUM "constraint('rope', x^2 + y^2 - L^2)\n"
                                 "event('wall', {when = x - 0.1, direction = 'falling',\n"
                                 "  restitution = 0.5, set = {[dot(x)] = 0.5 * after(dot(x))}})\n"
                                 "horizon(0, 1)\n",
                        SALTUS_VIOLATED);
    EXPECT(strstr(s.info->message, "after(...) does not fulfil the constraint 'rope'") != NULL);
    release(&s);
}

TEST(rows_have_the_residuals_of_constraints)
{
    scripted s = run_to(PENDULUM "constraint('rod', x^2 + y^2 - L^2)\nhorizon(0, 1)\n", SALTUS_END);
    saltus_row row;
    saltus_run_final(s.run, &row, &s.err);
    EXPECT_NEAR(row.residual[0], row.q[0] * row.q[0] + row.q[1] * row.q[1] - 1.0, 1e-15);
    EXPECT_NEAR(row.residual_rate[0], 2.0 * (row.q[0] * row.v[0] + row.q[1] * row.v[1]), 1e-14);
    release(&s);
}

/* A parallelogram that swings through its flat position: it may go on as one, or cross over. */
TEST(a_motion_that_passes_a_singular_position_ends_there)
{
    for (int k = 4; k <= 11; k++) {
        scripted s = load("local w = param('w', 5)\ngravity(0, -9.81)\n"
                          "local A, B = ground_point(0, 0), ground_point(2, 0)\n"
                          "local P = point('P', {y = -0.8, guess = {0.6, -0.8},\n"
                          "  speed = {nil, w}})\n"
                          "local Q = point('Q', {guess = {2.6, -0.8}})\n"
                          "bar {A, P, mass = 1, length = 1} bar {B, Q, mass = 1, length = 1}\n"
                          "bar {P, Q, mass = 1, length = 2}\nhorizon(0, 1)\n");
        s.options.rtol = s.options.atol = pow(10.0, -k);
        simulate(&s, NULL);
        expect_outcome(&s, SALTUS_SINGULAR);
        EXPECT(strstr(s.info->message, "passes a singular position at t = 0.1193") != NULL);
        release(&s);
    }
}

TEST_MAIN(RUN(a_mechanism_that_cannot_be_assembled_names_the_constraint),
          RUN(a_redundant_constraint_is_left_out_and_named),
          RUN(redundant_constraints_go_through_impacts),
          RUN(a_constraint_that_others_imply_carries_the_load_when_they_go),
          RUN(constraints_that_contradict_each_other_are_named), RUN(a_singular_start_is_named),
          RUN(a_redundant_constraint_leaves_the_choice_of_coordinates_alone),
          RUN(units_and_places_do_not_decide_what_is_redundant),
          RUN(redundant_constraints_that_part_at_once_are_named),
          RUN(redundant_constraints_run_with_the_penalty_formulation),
          RUN(a_given_start_that_the_constraints_contradict_is_an_error),
          RUN(a_given_speed_that_the_constraints_contradict_is_an_error),
          RUN(a_guess_that_nothing_determines_is_warned_of),
          RUN(a_length_moves_the_assembled_mechanism), RUN(residuals_stay_small_over_the_whole_run),
          RUN(the_penalty_formulation_converges_to_index_1),
          RUN(a_time_dependent_constraint_moves_its_mechanism),
          RUN(a_string_goes_slack_where_its_tension_vanishes),
          RUN(a_string_that_goes_slack_is_not_pushed_back_at_any_tolerance),
          RUN(a_falling_ladder_leaves_the_wall_at_two_thirds_of_its_height),
          RUN(restitution_acts_inside_the_constraints),
          RUN(a_set_of_memories_alone_leaves_the_law_to_the_event),
          RUN(a_constraint_that_does_not_hold_where_it_appears_is_an_error),
          RUN(more_velocities_set_than_there_are_freedoms_is_an_error),
          RUN(a_named_velocity_is_kept_even_where_it_hardly_moves),
          RUN(an_event_without_an_impact_has_no_impulse),
          RUN(what_is_set_after_a_given_law_does_not_act_on_it),
          RUN(a_mechanism_is_assembled_on_the_right_side_of_a_kink),
          RUN(a_smooth_kink_in_a_constraint_is_passed), RUN(a_corner_in_a_constraint_is_an_error),
          RUN(assembly_keeps_its_choice_of_coordinates),
          RUN(many_redundant_constraints_on_one_coordinate),
          RUN(an_adjoint_that_is_only_rounding_ends),
          RUN(a_reaction_that_pulls_when_a_mode_is_entered_lets_go),
          RUN(a_reaction_that_pulls_and_is_to_wait_is_warned_of),
          RUN(a_velocity_set_after_the_law_must_fulfil_the_constraints),
          RUN(rows_have_the_residuals_of_constraints),
          RUN(a_motion_that_passes_a_singular_position_ends_there))
