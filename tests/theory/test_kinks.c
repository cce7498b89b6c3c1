/* Kinks: abs, sign, min and max along a motion are frozen branches with automatic events; at an
 * instant they have no gradient exactly at zero. Closed forms throughout. */
#include "motions.h"
#include "scripted.h"

/* ---- along the motion ----------------------------------------------------------------------- */

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
    expect_well(WELL "force(q, -k * sign(q))\n", "sign@6");
}

TEST(the_kink_of_an_abs_is_listed_and_its_gradient_is_the_closed_form)
{
    expect_well(WELL "\npotential(k * abs(q))\n", "abs@7");
}

TEST(the_kink_of_a_max_is_listed_and_its_gradient_is_the_closed_form)
{
    expect_well(WELL "\n\npotential(k * max(q, -q))\n", "max@8");
}

TEST(the_kink_of_a_min_is_listed_and_its_gradient_is_the_closed_form)
{
    expect_well(WELL "potential(-k * min(q, -q))\n", "min@6");
}

TEST(kinks_in_integrals_have_their_gradients)
{
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

/* Touched without being crossed: abs(x) never becomes negative. Only guards that go on to the other
 * side of zero fire. */
TEST(a_guard_with_its_kink_at_zero_must_go_on_to_the_other_side)
{
    static const struct {
        const char *guard;
        int         fires;
    } cases[] = {{"abs(u)", 0},           {"-abs(u)", 0},          {"max(-u, 0)", 0},
                 {"min(u, 0)", 0},        {"max(u, -0.6 * u)", 0}, {"abs(u) * (x - 2)", 0},
                 {"max(u, 2 * u)", 1},    {"u + 0.5 * abs(u)", 1}, {"u * abs(u) + u", 1},
                 {"min(u, 0) + 2 * u", 1}};
    static const char *const directions[] = {"any", "rising", "falling"};
    static const char *const moving[] = {"x - a", "t - a"};
    for (int i = 0; i < 10; i++)
        for (int d = 0; d < 6; d++) {
            char text[512];
            snprintf(text, sizeof text,
                     "local a = param('a', 0.4) local x = coordinate('x', {speed = 1}) mass(x, 1)\n"
                     "local u = %s\n"
                     "event('e', {when = %s, direction = '%s', charge = {c = t}})\n"
                     "cost('c') horizon(0, 1)\n",
                     moving[d / 3], cases[i].guard, directions[d % 3]);
            scripted  s = run_to(text, SALTUS_END);
            const int fires = cases[i].fires && d % 3 != 2;
            if (fabs(cost_value(&s, "c") - (fires ? 0.4 : 0.0)) > 1e-12)
                fail_msg("%s of %s, %s: %g", cases[i].guard, moving[d / 3], directions[d % 3],
                         cost_value(&s, "c"));
            expect_gradient(&s, "c", "a", fires, 1e-11);
            release(&s);
        }
}

TEST(kinks_in_time_have_their_closed_form)
{
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

/* The argument is (t - 1/4)^2: parameters do not move it, so they do not make two kinks of none. */
TEST(a_kink_that_is_touched_at_a_given_time_has_a_gradient)
{
    scripted s = run_to("local p = param('p', 3)\n"
                        "local x = coordinate('x', {speed = p})\n"
                        "mass(x, 1)\n"
                        "cost('c', {integral = x * sign(t - 0.5 + (t - 0.75)^2)})\n"
                        "horizon(0, 1)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "c"), 1.5, 1e-12);
    expect_gradient(&s, "c", "p", 0.5, 1e-12);
    expect_no_warning(&s);
    release(&s);
}

TEST(an_integral_that_stays_at_its_kink_has_no_gradient)
{
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

/* max(min(a, b), b) is b: where b is the lesser, the argument of max is zero and stays so. */
TEST(a_kink_that_is_zero_and_makes_no_difference_has_a_gradient)
{
    scripted s = run_to("local p = param('p', 0.7)\n"
                        "local b = t * t - p\n"
                        "local f = p * dot(max(min(1 + 3 * t, b), b))\n"
                        "local x = coordinate('x')\n"
                        "mass(x, 1)\n"
                        "force(x, f)\n"
                        "cost('i', {integral = f})\n"
                        "horizon(0, 2)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "i"), 2.8, 1e-12);
    expect_gradient(&s, "i", "p", 4.0, 1e-12);
    release(&s);
}

/* Between events a pulse is 0 or 1, and the sign of 0 is 0: no side is taken. */
TEST(the_sign_of_what_is_zero_between_events_is_zero)
{
    scripted s = run_to("local p = param('p', 0.7) local x = coordinate('x') mass(x, 1)\n"
                        "force(x, p * sign(pulse(t, 0.9, 1.2)))\n"
                        "local k = memory('k', -1)\n"
                        "event('count', {every = 0.5, set = {[k] = k + 1}})\n"
                        "cost('v', {final = dot(x)})\n"
                        "cost('sum', {integral = p * sign(k)})\n"
                        "cost('steps', {integral = p * step(step(t - 1) - step(t - 1.5))})\n"
                        "horizon(0, 1.9)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "v"), 0.7 * 0.3, 1e-12);
    EXPECT_NEAR(cost_value(&s, "sum"), 0.7 * (-0.5 + 0.9), 1e-12);
    EXPECT_NEAR(cost_value(&s, "steps"), 0.7 * (0.5 + 0.5 * 1.4), 1e-12);
    expect_gradient(&s, "v", "p", 0.3, 1e-12);
    expect_gradient(&s, "sum", "p", 0.4, 1e-12);
    expect_gradient(&s, "steps", "p", 1.2, 1e-12);
    expect_no_warning(&s);
    release(&s);
}

TEST(a_jump_that_the_motion_stays_at_is_warned_of)
{
    scripted s = run_to("local y = coordinate('y', {start = 1.5}) mass(y, 1)\n"
                        "cost('c', {integral = step(min(y, 0.5) - 0.5)}) horizon(0, 1)\n",
                        SALTUS_END);
    expect_warning(&s, "exactly zero");
    release(&s);
}

TEST(a_jump_that_parameters_are_at_has_no_gradient)
{
    scripted     s = run_to("local p = param('p', 2) local y = coordinate('y') mass(y, 1)\n"
                                "force(y, sign(p - 2)) cost('v', {final = dot(y)}) horizon(0, 1)\n",
                            SALTUS_END);
    double       gradient;
    saltus_error err = {0};
    EXPECT_NEAR(cost_value(&s, "v"), 0.0, 0.0);
    assert_int_equal(saltus_run_gradients(s.run, &(saltus_request){.method = SALTUS_DISCRETE},
                                          &gradient, NULL, NULL, &err),
                     SALTUS_ERR_NO_GRADIENT);
    release(&s);
}

TEST(a_kink_that_is_zero_and_makes_a_difference_later_has_none)
{
    scripted s = run_to("local p = param('p', 0.7)\n"
                        "local x = coordinate('x')\n"
                        "mass(x, 1)\n"
                        "cost('i', {integral = p * t * sign(x)})\n"
                        "horizon(0, 2)\n",
                        SALTUS_END);
    expect_no_gradient(&s, SALTUS_ERR_NO_GRADIENT, "sign@4");
    release(&s);
}

/* Half a car at rest meets a bump: its dampers have a kink at rest, and rounding decides whether
 * and when they are seen to leave it. That changes nothing. */
static const char *const HALF_CAR =
    "local v, H, Lb = param('v', 15), param('H', 0.08), param('Lb', 0.8)\n"
    "local cc, cr, a, b, mu, g = param('cc', 900), param('cr', 2200), 1.2, 1.5, 40, 9.81\n"
    "local z, p = coordinate('z'), coordinate('pitch')\n"
    "mass(z, 600) mass(p, 900)\n"
    "local function wheel(name, at, k, load)\n"
    "  local w = coordinate(name)\n"
    "  mass(w, mu)\n"
    "  local body = z + at * p\n"
    "  potential(0.5 * k * (body - w)^2)\n"
    "  local s = dot(body - w)\n"
    "  force(body - w, -cc * min(s, 0) - cr * max(s, 0))\n"
    "  local u = min(max((v * t + at - a - 1) / Lb, 0), 1)\n"
    "  local road = 0.5 * H * (1 - cos(2 * math.pi * u))\n"
    "  local F = max(180000 * (road - w) + load, 0)\n"
    "  force(w, F - load)\n"
    "  cost(name, {integral = (F / load - 1)^2})\n"
    "end\n"
    "wheel('front', a, 18000, (600 * b / (a + b) + mu) * g)\n"
    "wheel('rear', -b, 20000, (600 * a / (a + b) + mu) * g)\n"
    "horizon(0, 0.5)\n";

TEST(kinks_that_leave_their_rest_do_not_graze_at_any_tolerance)
{
    for (int i = 0; i < 120; i++) {
        scripted s = load(HALF_CAR);
        s.options.rtol = s.options.atol = pow(10.0, -6.0 - 0.1 * (i / 2));
        s.options.integrator = i % 2 ? SALTUS_DOPRI5 : SALTUS_DOP853;
        simulate(&s, NULL);
        gradient(&s, SALTUS_DISCRETE, "front", "Lb");
        release(&s);
    }
}

TEST(kinks_that_leave_their_rest_disturb_no_gradient_and_no_differences)
{
    static const double tolerances[] = {1e-7, 1e-8, 1e-9, 1e-10, 1e-11};
    enum { MAX_TIMES = 100 };
    double times[2][MAX_TIMES], value[2][2];
    for (int i = 0; i < 10; i++) {
        scripted  s = load(HALF_CAR);
        const int by = 2; /* Lb */
        s.options.rtol = s.options.atol = tolerances[i / 2];
        s.options.integrator = i % 2 ? SALTUS_DOPRI5 : SALTUS_DOP853;
        simulate(&s, NULL);
        assert_in_range(s.info->events, 10, MAX_TIMES);
        for (int fd = 0; fd < 2; fd++) {
            const saltus_request request = {
                .method = fd ? SALTUS_FD : SALTUS_DISCRETE, .params = &by, .param_count = 1};
            if (saltus_run_gradients(s.run, &request, value[fd], times[fd], NULL, &s.err))
                fail_msg("tolerance %g: %s", tolerances[i / 2], s.err.message);
        }
        for (int k = 0; k < 2; k++) EXPECT_NEAR(value[1][k], value[0][k], 1e-6);
        for (int k = 0; k < s.info->events; k++) EXPECT_NEAR(times[1][k], times[0][k], 1e-6);
        release(&s);
    }
}

TEST(dry_friction_that_holds_is_sticking_not_zeno)
{
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
    scripted s = run_to("local q = coordinate('q')\n"
                        "mass(q, 1)\n"
                        "force(q, 0.3 - 0.5 * sign(dot(q)))\n"
                        "horizon(0, 2)\n",
                        SALTUS_STICKING);
    EXPECT_NEAR(s.info->t, 0.0, 1e-9);
    expect_message(&s, "sign@3");
    release(&s);
}

/* ---- derivatives ---------------------------------------------------------------------------- */

#define PUSHED                                                                                     \
    "local k = param('k', 100)\n"                                                                  \
    "local x = coordinate('x', {start = 0.5})\n"                                                   \
    "mass(x, 1)\n"                                                                                 \
    "local d = max(x - 0.1, 0)\n"                                                                  \
    "cost('v', {final = dot(x)})\n"                                                                \
    "horizon(0, 1)\n"

TEST(the_rate_of_a_clamped_position_is_a_branch_of_its_kink)
{
    /* The same contact with its damper written in four ways; the number is from scipy. */
    static const char *const dampers[] = {
        "force(x, -k * d - 5 * dot(d) - 20 * x)\n",
        "force(x, -k * d - 20 * x) dissipation(2.5 * dot(d)^2)\n",
        "force(x, -k * d - 20 * x) force(x, 5 * dot(min(0.1 - x, 0)))\n",
        "force(x, -k * d - 20 * x) force(x, -2.5 * (dot(abs(x - 0.1)) + dot(x)))\n",
    };
    for (size_t i = 0; i < sizeof dampers / sizeof *dampers; i++) {
        char script[512];
        snprintf(script, sizeof script, PUSHED "%s", dampers[i]);
        scripted s = run_to(script, SALTUS_END);
        expect_event_count(&s, 2);
        expect_gradient(&s, "v", "k", -0.0280983392, 1e-10);
        release(&s);
    }
}

TEST(the_rate_of_a_ramp_jumps_at_its_end)
{
    scripted s = run_to("local k, c = param('k', 150), param('c', 20)\n"
                        "local x = coordinate('x')\n"
                        "mass(x, 1)\n"
                        "local r = min(t / 0.5, 1)\n"
                        "force(x, k * (r - x) + c * (dot(r) - dot(x)))\n"
                        "event('mark', {when = x - 0.8, direction = 'rising'})\n"
                        "cost('x', {final = x})\n"
                        "horizon(0, 0.6)\n",
                        SALTUS_END);
    expect_gradient(&s, "x", "k", -0.0001093907549, 1e-12);
    release(&s);
}

TEST(a_mass_that_depends_on_a_clamped_position_has_its_gradient)
{
    /* a = -k / 1.3 down to x = 0.1, then -k. */
    scripted     s = run_to(PUSHED "kinetic(0.15 * dot(d)^2) force(x, -0.02 * k)\n", SALTUS_END);
    const double k = 0.02, f = 100.0 * k, a = f / 1.3, t1 = sqrt(0.8 / a), dt1 = -t1 / (2.0 * f);
    EXPECT_NEAR(cost_value(&s, "v"), -a * t1 - f * (1.0 - t1), 1e-11);
    expect_gradient(&s, "v", "k", k * (-t1 / 1.3 - a * dt1 - (1.0 - t1) + f * dt1), 1e-11);
    release(&s);
}

TEST(integrals_of_rates_of_kinks_have_their_gradients)
{
    /* x = 1 - v t */
    scripted     s = run_to("local v, b = param('v', 0.8), param('b', 0.5)\n"
                                "local x = coordinate('x', {start = 1, speed = -v})\n"
                                "mass(x, 1)\n"
                                "cost('max', {integral = dot(max(x, 0))^2})\n"
                                "cost('second', {integral = dot(dot(max(x^2 - 0.25, 0)))})\n"
                                "cost('abs', {integral = dot(abs(x)) * t})\n"
                                "cost('clamp', {integral = dot(min(max(t - b, 0), 1)) * t})\n"
                                "horizon(0, 3)\n",
                            SALTUS_END);
    const double v = 0.8;
    EXPECT_NEAR(cost_value(&s, "max"), v, 1e-12);
    EXPECT_NEAR(cost_value(&s, "second"), 6.0 * v * v - 2.0 * v, 1e-12);
    EXPECT_NEAR(cost_value(&s, "abs"), 4.5 * v - 1.0 / v, 1e-12);
    EXPECT_NEAR(cost_value(&s, "clamp"), 1.0, 1e-12);
    expect_gradient(&s, "max", "v", 1.0, 1e-11);
    expect_gradient(&s, "second", "v", 12.0 * v - 2.0, 1e-11);
    expect_gradient(&s, "abs", "v", 4.5 + 1.0 / (v * v), 1e-11);
    expect_gradient(&s, "clamp", "b", 1.0, 1e-11);
    release(&s);
}

TEST(what_has_no_kink_needs_no_event)
{
    scripted s = run_to("local v = param('v', 1)\n"
                        "local x = coordinate('x', {start = 1, speed = -v})\n"
                        "mass(x, 1)\n"
                        "cost('c', {integral = max(x, x) + abs(x^2) + abs(x)^4 + sqrt(x^4)})\n"
                        "horizon(0, 2)\n",
                        SALTUS_END);
    expect_event_count(&s, 0);
    EXPECT_NEAR(cost_value(&s, "c"), 2.0 * 2.0 / 3.0 + 2.0 / 5.0, 1e-12);
    expect_gradient(&s, "c", "v", -2.0 + 8.0 / 3.0 + 8.0 / 5.0, 1e-11);
    release(&s);
}

/* ---- powers of a clamped argument ----------------------------------------------------------- */

TEST(powers_of_a_clamped_argument_are_evaluated_beyond_it)
{
    /* Hertz's contact, three times; the number is from quadratures of the energy integral. */
    static const char *const contacts[] = {
        "force(y, -9.81 + k * max(0, -y)^1.5)\n",
        "potential(9.81 * y + k / 2.5 * max(0, -y)^2.5)\n",
        "local free, touch = mode 'free', mode 'touch'\n"
        "force(y, -9.81) force(y, k * (-y)^1.5, {mode = touch})\n"
        "event('down', {from = free, to = touch, when = y, direction = 'falling'})\n"
        "event('up', {from = touch, to = free, when = y, direction = 'rising'})\n",
    };
    for (size_t i = 0; i < sizeof contacts / sizeof *contacts; i++) {
        char script[640];
        snprintf(script, sizeof script,
                 "local k = param('k', 1000)\nlocal y = coordinate('y', {start = 0.5})\n"
                 "mass(y, 1)\n%scost('y', {final = y})\nhorizon(0, 2)\n",
                 contacts[i]);
        scripted s = run_to(script, SALTUS_END);
        expect_event_count(&s, 5);
        EXPECT_NEAR(cost_value(&s, "y"), -0.17495072457319, 1e-8);
        expect_gradient(&s, "y", "k", -0.0002149960766, 1e-8);
        release(&s);
    }
}

TEST(integrals_of_powers_of_a_clamped_argument_have_their_closed_form)
{
    /* x = 1 - v t */
    scripted     s = run_to("local v = param('v', 0.8)\n"
                                "local x = coordinate('x', {start = 1, speed = -v})\n"
                                "mass(x, 1)\n"
                                "cost('up', {integral = max(x, 0)^2.5})\n"
                                "cost('down', {integral = (-min(x, 0))^1.5})\n"
                                "cost('odd', {integral = x * sqrt(abs(x))})\n"
                                "cost('sum', {integral = sqrt(max(x, 0) + max(-x, 0)^3 + x^2)})\n"
                                "horizon(0, 3)\n",
                            SALTUS_END);
    const double v = 0.8, d = 3.0 * v - 1.0;
    EXPECT_NEAR(cost_value(&s, "up"), 1.0 / (3.5 * v), 1e-11);
    EXPECT_NEAR(cost_value(&s, "down"), pow(d, 2.5) / (2.5 * v), 1e-11);
    EXPECT_NEAR(cost_value(&s, "odd"), (1.0 - pow(d, 2.5)) / (2.5 * v), 1e-11);
    expect_no_gradient(&s, SALTUS_ERR_NO_GRADIENT, "line 7");
    release(&s);
}

TEST(an_infinite_slope_at_a_kink_leaves_the_value_and_refuses_the_gradient)
{
    scripted     s = run_to("local v = param('v', 0.8)\n"
                                "local x = coordinate('x', {start = 1, speed = -v})\n"
                                "mass(x, 1)\n"
                                "cost('root', {integral = sqrt(abs(x))})\n"
                                "cost('third', {integral = abs(x)^(1/3)})\n"
                                "horizon(0, 3)\n",
                            SALTUS_END);
    const double d = 1.4;
    EXPECT_NEAR(cost_value(&s, "root"), (1.0 + pow(d, 1.5)) / (1.5 * 0.8), 1e-9);
    EXPECT_NEAR(cost_value(&s, "third"), 0.75 * (1.0 + pow(d, 4.0 / 3.0)) / 0.8, 1e-9);
    expect_no_gradient(&s, SALTUS_ERR_NO_GRADIENT, "infinite slope");
    release(&s);
    /* Before the kink is met there is one: it is that of a root. */
    s = run_to("local v = param('v', 0.8)\n"
               "local x = coordinate('x', {start = 1, speed = -v})\n"
               "mass(x, 1)\n"
               "cost('root', {integral = sqrt(abs(x))})\n"
               "horizon(0, 1)\n",
               SALTUS_END);
    expect_gradient(&s, "root", "v", (sqrt(0.2) * 1.5 * 0.8 - (1.0 - pow(0.2, 1.5))) / (1.5 * 0.64),
                    1e-9);
    release(&s);
    /* At rest on it there is none. */
    s = run_to("local c = param('c', 1)\n"
               "local x = coordinate('x')\n"
               "mass(x, 1)\n"
               "force(x, 1 - c * sign(dot(x)) * sqrt(abs(dot(x))))\n"
               "cost('x', {final = x})\n"
               "horizon(0, 1)\n",
               SALTUS_END);
    expect_no_gradient(&s, SALTUS_ERR_NO_GRADIENT, "infinite slope");
    release(&s);
}

TEST(arcs_of_a_clamped_argument_are_evaluated_beyond_it)
{
    /* x = -2 + v t: clamped until 1 / v, between -1 and 1 until 3 / v, and clamped from there on.
     * The antiderivative of asin is x asin(x) + sqrt(1 - x^2), that of acos x acos(x) - sqrt(1 -
     * x^2). */
    scripted     s = run_to("local v = param('v', 0.8)\n"
                                "local x = coordinate('x', {start = -2, speed = v})\n"
                                "mass(x, 1)\n"
                                "cost('asin', {integral = asin(max(-1, min(1, x)))})\n"
                                "cost('acos', {integral = acos(min(max(x, -1), 1))})\n"
                                "cost('size', {integral = acos(min(1, abs(x)))})\n"
                                "horizon(0, 5)\n",
                            SALTUS_END);
    const double v = 0.8;
    EXPECT_NEAR(cost_value(&s, "asin"), 0.5 * pi * (5.0 - 4.0 / v), 1e-9);
    EXPECT_NEAR(cost_value(&s, "acos"), pi / v + pi / v, 1e-9);
    EXPECT_NEAR(cost_value(&s, "size"), 2.0 / v, 1e-9);
    expect_no_gradient(&s, SALTUS_ERR_NO_GRADIENT, "infinite slope");
    release(&s);
    /* Where nothing clamps it, an argument beyond 1 is still a mistake. */
    s = run_to("local x = coordinate('x', {speed = 1})\n"
               "mass(x, 1)\n"
               "cost('asin', {integral = asin(max(-1, x))})\n"
               "horizon(0, 3)\n",
               SALTUS_NOT_FINITE);
    release(&s);
}

TEST(a_power_of_something_negative_is_still_a_mistake)
{
    scripted s = run_to("local x = coordinate('x', {start = 1, speed = -1})\n"
                        "mass(x, 1)\n"
                        "force(x, -0.1 * x^1.5)\n"
                        "event('mark', {when = x, direction = 'falling'})\n"
                        "horizon(0, 3)\n",
                        SALTUS_NOT_FINITE);
    release(&s);
}

/* ---- roots at zero -------------------------------------------------------------------------- */

/* From rest, pulled by f along one line, with drag c v^2: x = log(cosh(sqrt(f c) t)) / c. */
TEST(quadratic_drag_from_rest_has_its_gradient)
{
    static const char *const sizes[] = {"hypot(vx, vy)", "sqrt(vx^2 + vy^2)", "hypot(-vy, vx)",
                                        "sqrt((2 * vx)^2 + (2 * vy)^2) / 2"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char script[640];
        snprintf(script, sizeof script,
                 "local c, f = param('c', 0.3), param('f', 5)\n"
                 "local x, y = coordinate('x'), coordinate('y')\n"
                 "mass(x, 1) mass(y, 1)\n"
                 "local vx, vy = dot(x), dot(y)\n"
                 "local v = %s\n"
                 "force(x, 0.6 * f - c * v * vx) force(y, 0.8 * f - c * v * vy)\n"
                 "cost('s', {final = 0.6 * x + 0.8 * y}) cost('lost', {integral = c * v^3})\n"
                 "horizon(0, 1.5)\n",
                 sizes[i]);
        scripted     s = run_to(script, SALTUS_END);
        const double c = 0.3, f = 5.0, w = sqrt(c * f), T = 1.5, u = f / w * tanh(w * T);
        const double s_f = w * T / (2.0 * f * c) * tanh(w * T);
        EXPECT_NEAR(cost_value(&s, "s"), log(cosh(w * T)) / c, 1e-10);
        EXPECT_NEAR(cost_value(&s, "lost"), f * log(cosh(w * T)) / c - u * u / 2.0, 1e-10);
        expect_gradient(&s, "s", "f", s_f, 1e-9);
        expect_gradient(&s, "s", "c", s_f * f / c - log(cosh(w * T)) / (c * c), 1e-9);
        release(&s);
    }
}

TEST(a_root_at_zero_that_has_no_slope_is_named)
{
    scripted            s = run_to("local v0 = param('v0', 0)\n"
                                              "local x, y = coordinate('x', {speed = v0}), coordinate('y')\n"
                                              "mass(x, 1) mass(y, 1)\n"
                                              "force(x, 1) force(y, 1)\n"
                                              "cost('path', {integral = hypot(dot(x), dot(y))})\n"
                                              "horizon(0, 1)\n",
                                   SALTUS_END);
    const saltus_method methods[] = {SALTUS_DIRECT, SALTUS_DISCRETE};
    EXPECT_NEAR(cost_value(&s, "path"), sqrt(0.5), 1e-10);
    for (int i = 0; i < 2; i++) {
        const saltus_request request = {.method = methods[i]};
        saltus_error         err = {0};
        double               out[MAX_COSTS * MAX_PARAMS];
        EXPECT(saltus_run_gradients(s.run, &request, out, NULL, NULL, &err) ==
               SALTUS_ERR_NO_GRADIENT);
        EXPECT(strstr(err.message, "hypot(dot(x), dot(y)) (line 5)") != NULL);
    }
    release(&s);
}

/* ---- at an instant -------------------------------------------------------------------------- */

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
    expect_kink_only_at_zero(AT_A_KINK("cost('c', {final = abs(x)})\n"), "abs@6", 1.0);
}

TEST(a_reset_exactly_at_its_kink_has_no_gradient)
{
    expect_kink_only_at_zero(AT_A_KINK("event('floor', {when = y, direction = 'falling',\n"
                                       "  set = {[dot(y)] = 3 * abs(x)}})\n"
                                       "cost('c', {final = y})\n"),
                             "abs@", 3.0);
}

TEST(a_restitution_exactly_at_its_kink_has_no_gradient)
{
    expect_kink_only_at_zero(AT_A_KINK("event('floor', {when = y, direction = 'falling',\n"
                                       "  restitution = 0.5 + abs(x)})\n"
                                       "cost('c', {final = y})\n"),
                             "abs@", 1.0);
}

TEST(a_charge_exactly_at_its_kink_has_no_gradient)
{
    expect_kink_only_at_zero(AT_A_KINK("event('floor', {when = y, direction = 'falling',\n"
                                       "  charge = {c = abs(x)}})\n"
                                       "cost('c', {})\n"),
                             "abs@", 1.0);
}

/* Kinks that are met exactly where nothing has two derivatives: their arguments do not move there,
 * or what is computed from them does not feel it to first order. */
TEST(a_kink_that_is_met_at_an_instant_and_makes_no_difference_has_a_gradient)
{
    static const struct {
        const char *of;
        double      slope;
    } costs[] = {{"abs(pulse(x, 1, 2)) + 2 * x", 2.0},
                 {"max(pulse(x, 1, 2), pulse(x, 3, 4)) + x", 1.0},
                 {"abs(step(x - 1) * (x + 1)) + x", 1.0},
                 {"sign(pulse(x, 1, 2)) + x", 1.0},
                 {"max(x + 1, 1 + x) + x", 2.0},
                 {"max(0, x)^2 + 3 * x", 3.0},
                 {"abs(x)^3 - x", -1.0},
                 {"abs(x^2) + x", 1.0},
                 {"x * abs(x) + x", 1.0}};
    for (int i = 0; i < (int)(sizeof costs / sizeof *costs); i++)
        for (int k = 0; k < 3; k++) {
            static const char *const forms[] = {"cost('c', {final = %s})",
                                                "cost('c', {at = {1}, of = %s})",
                                                "cost('c', {}) event('e', {when = y, charge = "
                                                "{c = %s}})"};
            char                     text[600], cost_text[200];
            snprintf(cost_text, sizeof cost_text, forms[k], costs[i].of);
            snprintf(text, sizeof text, AT_A_KINK("%s\n"), cost_text);
            scripted s = run_to(text, SALTUS_END);
            expect_gradient(&s, "c", "x0", costs[i].slope, 1e-12);
            release(&s);
        }
    /* one inside another hides what that does; a jump matters whatever its factor is */
    scripted s = run_to(AT_A_KINK("cost('c', {final = abs(abs(x) - x^2)})\n"), SALTUS_END);
    expect_no_gradient(&s, SALTUS_ERR_NO_GRADIENT, "abs@6");
    release(&s);
    s = run_to(AT_A_KINK("cost('c', {final = sign(x) * x})\n"), SALTUS_END);
    expect_no_gradient(&s, SALTUS_ERR_NO_GRADIENT, "sign@6");
    release(&s);
    s = run_to(AT_A_KINK("cost('c', {final = sign(x^2)})\n"), SALTUS_END);
    expect_no_gradient(&s, SALTUS_ERR_NO_GRADIENT, "sign@6");
    release(&s);
}

TEST(a_condition_that_is_zero_at_its_kink_is_warned_of_and_has_no_gradient)
{
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
    scripted s = run_to(AT_A_KINK("event('floor', {when = y, direction = 'falling',\n"
                                  "  set = {[dot(y)] = 1 + x}, where = 1 - abs(x)})\n"
                                  "cost('c', {final = y})\n"),
                        SALTUS_END);
    expect_event_count(&s, 1);
    expect_gradient(&s, "c", "x0", 1.0, 1e-12);
    release(&s);
}

TEST_MAIN(RUN(the_kink_of_a_sign_is_listed_and_its_gradient_is_the_closed_form),
          RUN(the_kink_of_an_abs_is_listed_and_its_gradient_is_the_closed_form),
          RUN(the_kink_of_a_max_is_listed_and_its_gradient_is_the_closed_form),
          RUN(the_kink_of_a_min_is_listed_and_its_gradient_is_the_closed_form),
          RUN(kinks_in_integrals_have_their_gradients),
          RUN(a_kink_that_is_touched_at_a_given_time_has_a_gradient),
          RUN(a_bounce_off_a_kink_stays_on_its_side),
          RUN(an_impact_that_jumps_over_a_kink_changes_its_branch),
          RUN(a_reset_that_lands_on_a_kink_takes_the_side_the_motion_takes),
          RUN(a_guard_may_have_kinks), RUN(kinks_in_time_have_their_closed_form),
          RUN(a_guard_with_its_kink_at_zero_must_go_on_to_the_other_side),
          RUN(an_integral_that_stays_at_its_kink_has_no_gradient),
          RUN(kinks_that_leave_their_rest_do_not_graze_at_any_tolerance),
          RUN(kinks_that_leave_their_rest_disturb_no_gradient_and_no_differences),
          RUN(a_kink_that_is_zero_and_makes_no_difference_has_a_gradient),
          RUN(a_kink_that_is_zero_and_makes_a_difference_later_has_none),
          RUN(the_sign_of_what_is_zero_between_events_is_zero),
          RUN(a_jump_that_the_motion_stays_at_is_warned_of),
          RUN(a_jump_that_parameters_are_at_has_no_gradient),
          RUN(dry_friction_that_holds_is_sticking_not_zeno),
          RUN(starting_exactly_at_a_kink_takes_the_side_the_motion_takes),
          RUN(starting_at_rest_with_a_drive_stronger_than_friction_slides_off),
          RUN(starting_at_rest_with_a_drive_weaker_than_friction_is_sticking),
          RUN(the_rate_of_a_clamped_position_is_a_branch_of_its_kink),
          RUN(the_rate_of_a_ramp_jumps_at_its_end),
          RUN(a_mass_that_depends_on_a_clamped_position_has_its_gradient),
          RUN(integrals_of_rates_of_kinks_have_their_gradients),
          RUN(what_has_no_kink_needs_no_event),
          RUN(powers_of_a_clamped_argument_are_evaluated_beyond_it),
          RUN(integrals_of_powers_of_a_clamped_argument_have_their_closed_form),
          RUN(arcs_of_a_clamped_argument_are_evaluated_beyond_it),
          RUN(an_infinite_slope_at_a_kink_leaves_the_value_and_refuses_the_gradient),
          RUN(a_power_of_something_negative_is_still_a_mistake),
          RUN(quadratic_drag_from_rest_has_its_gradient),
          RUN(a_root_at_zero_that_has_no_slope_is_named),
          RUN(a_final_cost_exactly_at_its_kink_has_no_gradient),
          RUN(a_reset_exactly_at_its_kink_has_no_gradient),
          RUN(a_restitution_exactly_at_its_kink_has_no_gradient),
          RUN(a_charge_exactly_at_its_kink_has_no_gradient),
          RUN(a_kink_that_is_met_at_an_instant_and_makes_no_difference_has_a_gradient),
          RUN(a_condition_that_is_zero_at_its_kink_is_warned_of_and_has_no_gradient),
          RUN(a_kink_in_a_condition_that_holds_on_both_sides_leaves_the_gradient_alone))
