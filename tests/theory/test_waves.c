/* Steps, pulses, remainders and curves: values and derivatives in closed form, jumps and bends at
 * their exact times. */
#include "scripted.h"

static const double TIGHT = 2e-10;

/* x = w t, so that integrals over t are integrals over x, divided by w. */
#define MOVING "local w = param('w', 1.25) local x = coordinate('x', {speed = w}) mass(x, 1)\n"

TEST(steps_and_pulses_jump_where_they_should)
{
    scripted s =
        run_to(MOVING "local a = param('a', 0.5)\n"
                      "cost('step', {integral = x * step(x - a)})\n"
                      "cost('pulse', {integral = x * pulse(x, a, 2 * a)})\n"
                      "cost('end', {final = step(x - 1) + 10 * step(x - 4)}) horizon(0, 2)\n",
               SALTUS_END);
    const double w = 1.25, a = 0.5, X = 2.5;
    EXPECT_NEAR(cost_value(&s, "step"), (X * X - a * a) / (2 * w), TIGHT);
    EXPECT_NEAR(cost_value(&s, "pulse"), 3 * a * a / (2 * w), TIGHT);
    EXPECT_NEAR(cost_value(&s, "end"), 1.0, 0.0);
    expect_gradient(&s, "step", "a", -a / w, TIGHT);
    expect_gradient(&s, "step", "w", 2.0 + a * a / (2 * w * w), TIGHT);
    expect_gradient(&s, "pulse", "a", 3 * a / w, TIGHT);
    expect_gradient(&s, "pulse", "w", -3 * a * a / (2 * w * w), TIGHT);
    release(&s);
}

/* The integral of mod(x, p) over n whole periods and a rest r is n p^2 / 2 + r^2 / 2. */
TEST(remainders_jump_back_at_every_period)
{
    scripted     s = run_to(MOVING "local p = param('p', 0.4)\n"
                                       "cost('mod', {integral = mod(x, p)})\n"
                                       "cost('down', {integral = mod(-x, p)})\n"
                                       "cost('end', {final = mod(x, p)}) horizon(0, 2)\n",
                            SALTUS_END);
    const double w = 1.25, p = 0.4, n = 6, r = 2.5 - n * p;
    EXPECT_NEAR(cost_value(&s, "mod"), (n * p * p + r * r) / (2 * w), TIGHT);
    EXPECT_NEAR(cost_value(&s, "down"), (n * p * p / 2 + p * r - r * r / 2) / w, TIGHT);
    EXPECT_NEAR(cost_value(&s, "end"), r, 1e-12);
    expect_gradient(&s, "mod", "p", (n * p - n * r) / w, TIGHT);
    expect_gradient(&s, "end", "p", -n, TIGHT);
    expect_gradient(&s, "end", "w", 2.0, TIGHT);
    release(&s);
}

TEST(smooth_versions_have_the_integrals_of_the_sharp_ones)
{
    scripted s = run_to("local x = coordinate('x', {start = -3, speed = 4}) mass(x, 1)\n"
                        "local w = param('w', 0.05)\n"
                        "cost('step', {integral = step(x, w)})\n"
                        "cost('pulse', {integral = pulse(x, 0, 1, w)})\n"
                        "cost('mod', {integral = mod(x, 2, w)}) horizon(0, 2)\n",
                        SALTUS_END);
    /* the integral of (1 + tanh(x / w)) / 2 is (x + w log(2 cosh(x / w))) / 2 */
    EXPECT_NEAR(cost_value(&s, "step"), 5.0 / 4, 1e-9);
    EXPECT_NEAR(cost_value(&s, "pulse"), 1.0 / 4, 1e-9);
    EXPECT_NEAR(cost_value(&s, "mod"), 8.0 / 4, 1e-9);
    expect_gradient(&s, "pulse", "w", 0.0, 1e-8);
    release(&s);
}

/* A remainder that starts at its jump: what depends on it sees the side it moves into. */
TEST(pulses_of_a_remainder_repeat)
{
    scripted s = run_to("local x = coordinate('x') mass(x, 1)\n"
                        "local a = param('a', 0.5) force(x, 3 * pulse(mod(t, 2), a, 1))\n"
                        "cost('v', {final = dot(x)}) horizon(0, 10)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "v"), 7.5, TIGHT);
    expect_gradient(&s, "v", "a", -15.0, TIGHT);
    release(&s);
}

/* The Cauchy kernel damps the k-th wave by exp(-2 pi k w / p). */
TEST(a_smooth_remainder_is_its_fourier_series)
{
    const double p = 2.0, w = 0.05, x = 0.3;
    double       sum = p / 2;
    const double turn = 2 * acos(-1.0);
    for (int k = 1; k < 2000; k++)
        sum -= p / (turn / 2) * sin(turn * k * x / p) / k * exp(-turn * k * w / p);
    scripted s = run_to("local x = coordinate('x', {start = 0.3}) mass(x, 1)\n"
                        "cost('mod', {final = mod(x, 2, 0.05)}) horizon(0, 0.1)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "mod"), sum, 1e-13);
    release(&s);
}

/* ---- curves ---------------------------------------------------------------------------------- */

TEST(a_linear_curve_bends_at_its_places)
{
    scripted s =
        run_to(MOVING "local a = param('a', 2)\n"
                      "local f = curve {x = {0.5, 1, 2}, y = {1, a, 0}}\n"
                      "local g = curve {x = {0.5, 1, 2}, y = {1, a, 0}, ends = 'extrapolate'}\n"
                      "cost('f', {integral = f(x)}) cost('g', {integral = g(x)})\n"
                      "cost('slope', {final = dot(g(x))})\n"
                      "cost('end', {final = g(x)}) horizon(0, 2)\n",
               SALTUS_END);
    const double w = 1.25, a = 2.0;
    const double inside = 0.5 * (1 + a) / 2 + a / 2;
    EXPECT_NEAR(cost_value(&s, "f"), (0.5 + inside) / w, TIGHT);
    /* before 0.5 with the slope 2 (a - 1), behind 2 with the slope -a */
    EXPECT_NEAR(cost_value(&s, "g"), (0.5 - (a - 1) * 0.25 + inside - a * 0.125) / w, TIGHT);
    EXPECT_NEAR(cost_value(&s, "end"), -a / 2, TIGHT);
    EXPECT_NEAR(cost_value(&s, "slope"), -a * w, TIGHT);
    expect_gradient(&s, "f", "a", 0.75 / w, TIGHT);
    expect_gradient(&s, "g", "a", (0.75 - 0.25 - 0.125) / w, TIGHT);
    expect_gradient(&s, "end", "w", -a * 2, TIGHT);
    expect_gradient(&s, "slope", "w", -a, TIGHT);
    release(&s);
}

/* A natural cubic through 0, a, 0 at 0, 1, 2 is a (1.5 s - 0.5 s^3), and the same mirrored. */
TEST(a_cubic_curve_is_the_natural_spline)
{
    scripted s =
        run_to(MOVING "local a = param('a', 2)\n"
                      "local f = curve {x = {0, 1, 2}, y = {0, a, 0}, kind = 'cubic'}\n"
                      "cost('f', {integral = f(x)}) cost('square', {integral = f(x)^2})\n"
                      "cost('end', {final = f(x - 2)}) cost('bend', {final = ddot(f(x - 2))})\n"
                      "horizon(0, 2)\n",
               SALTUS_END);
    const double w = 1.25, a = 2.0, u = 0.5;
    EXPECT_NEAR(cost_value(&s, "f"), a * (1.5 - 0.25) / w, TIGHT);
    EXPECT_NEAR(cost_value(&s, "square"), 2 * a * a * (0.75 - 0.3 + 0.25 / 7) / w, TIGHT);
    EXPECT_NEAR(cost_value(&s, "end"), a * (1.5 * u - 0.5 * u * u * u), TIGHT);
    EXPECT_NEAR(cost_value(&s, "bend"), -3 * a * u * w * w, TIGHT);
    expect_gradient(&s, "end", "a", 1.5 * u - 0.5 * u * u * u, TIGHT);
    expect_gradient(&s, "f", "a", 1.25 / w, TIGHT);
    expect_gradient(&s, "end", "w", a * (1.5 - 1.5 * u * u) * 2, TIGHT);
    release(&s);
}

/* Through samples of a sine, with n places: fourth order, exact symmetry, continuous over turns. */
static double error_of_periodic(int n)
{
    char         script[8192];
    const double turn = 2 * acos(-1.0);
    int at = snprintf(script, sizeof script, MOVING "local f = curve {kind = 'periodic', x = {");
    for (int i = 0; i <= n; i++)
        at += snprintf(script + at, sizeof script - (size_t)at, "%.17g, ", (double)i / n);
    at += snprintf(script + at, sizeof script - (size_t)at, "}, y = {");
    for (int i = 0; i <= n; i++)
        at += snprintf(script + at, sizeof script - (size_t)at, "%.17g, ",
                       i == n ? 0.0 : sin(turn * i / n));
    snprintf(script + at, sizeof script - (size_t)at,
             "}}\ncost('f', {final = f(x)}) cost('sum', {integral = f(x)^2}) horizon(0, 2)\n");
    scripted     s = run_to(script, SALTUS_END);
    const double error = fabs(cost_value(&s, "f") - sin(turn * 2.5 + 0.0));
    const double sum = fabs(cost_value(&s, "sum") - 1.0);
    /* at a place the slope of the spline of a sine is less by this factor */
    const double h = turn / n, factor = 3 * sin(h) / (h * (2 + cos(h)));
    expect_gradient(&s, "f", "w", 2 * turn * cos(turn * 2.5) * factor, 10 * TIGHT);
    release(&s);
    return fmax(error, sum);
}

TEST(a_periodic_curve_goes_on_over_its_turns)
{
    const double coarse = error_of_periodic(8), fine = error_of_periodic(16);
    EXPECT(coarse < 4e-3 && fine < coarse / 14);
}

/* A force that jumps throws the acceleration across zero; a guard that only contains the angle
 * makes no motion, unless its event asks to happen there. */
TEST(a_jump_of_mod_throws_what_depends_on_it)
{
    static const struct {
        const char *event;
        double      sum;
    } cases[] = {{"when = ddot(x), direction = 'falling'", 0.2 + 1.0},
                 {"when = ddot(x), direction = 'falling', enter = 'fire'", 0.2 + 1.0},
                 {"when = mod(t - 0.2, 0.8) - 0.4, direction = 'falling', enter = 'fire'", 1.2},
                 {"when = mod(t - 0.2, 0.8) - 0.4, direction = 'falling'", 0.0}};
    for (int i = 0; i < 4; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "local p = param('p', 1) local x = coordinate('x', {speed = 1}) mass(x, 1)\n"
                 "force(x, p * (mod(t - 0.2, 0.8) - 0.4))\n"
                 "event('e', {%s, charge = {c = p * t}}) cost('c') horizon(0, 1.5)\n",
                 cases[i].event);
        scripted s = run_to(text, SALTUS_END);
        EXPECT_NEAR(cost_value(&s, "c"), cases[i].sum, 1e-12);
        expect_gradient(&s, "c", "p", cases[i].sum, 1e-12);
        release(&s);
    }
}

/* With places at equal distances h, the integral over a period is h times the sum of the values.
 * Motions begin at places, between them, and half a period from the middle of a piece. */
TEST(a_periodic_curve_may_be_met_anywhere)
{
    for (int n = 2; n <= 7; n++)
        for (int start = 0; start < 2 * n; start++) {
            char   script[1024];
            double sum = 0.0;
            int    at = snprintf(script, sizeof script,
                                 "local p = param('p', 1.5) local v = coordinate('v') mass(v, 1)\n"
                                    "local x, y = {}, {}\n"
                                    "for i = 0, %d do x[i + 1] = i; y[i + 1] = (i %% %d)^2 end\n"
                                    "local f = curve {kind = 'periodic', x = x, y = y}\n",
                                 n, n);
            for (int i = 0; i < n; i++) sum += i * i;
            snprintf(script + at, sizeof script - (size_t)at,
                     "force(v, p * f(t + %g)) cost('v', {final = dot(v)}) horizon(0, %d)\n",
                     0.5 * start, 2 * n);
            scripted s = run_to(script, SALTUS_END);
            EXPECT_NEAR(cost_value(&s, "v"), 2.0 * 1.5 * sum, 1e-10 * sum);
            expect_gradient(&s, "v", "p", 2.0 * sum, 1e-10 * sum);
            expect_no_warning(&s);
            release(&s);
        }
}

/* The same wherever the places are: those left of zero make multiples of pi that are rounded. */
TEST(a_periodic_curve_may_begin_where_its_places_are)
{
    for (int n = 2; n <= 5; n++)
        for (int first = -2 * n; first <= n; first++) {
            char   script[1024];
            double sum = 0.0;
            for (int i = 0; i < n; i++) sum += 0.25 * i * i;
            snprintf(script, sizeof script,
                     "local w = param('w', 1) local v = coordinate('v') mass(v, 1)\n"
                     "local x, y = {}, {}\n"
                     "for i = 0, %d do x[i + 1] = 0.25 * (i + %d); y[i + 1] = (i %% %d)^2 end\n"
                     "cost('c', {integral = w * curve {kind = 'periodic', x = x, y = y}(t * w)})\n"
                     "horizon(0, %g)\n",
                     n, first, n, 0.5 * n);
            scripted s = run_to(script, SALTUS_END);
            EXPECT_NEAR(cost_value(&s, "c"), 2.0 * sum, 1e-10 * sum);
            expect_no_warning(&s);
            release(&s);
        }
}

TEST(a_curve_may_end_the_run_where_it_ends)
{
    scripted s = run_to(MOVING "local f = curve {x = {-1, 2}, y = {0, 1}, ends = 'stop'}\n"
                               "cost('f', {integral = f(x)}) horizon(0, 9)\n",
                        SALTUS_TERMINAL_EVENT);
    EXPECT_NEAR(s.info->t, 2 / 1.25, TIGHT);
    release(&s);
}

static void expect_mistake(const char *script, const char *part)
{
    saltus_error  err = {0};
    saltus_model *model = saltus_model_load_text("s.lua", script, strlen(script), NULL, &err);
    if (!err.status || !strstr(err.message, part))
        fail_msg("'%s' is not in the message '%s' of\n%s", part, err.message, script);
    saltus_model_free(model);
}

TEST(tables_that_are_wrong_are_refused)
{
    expect_mistake("curve {x = {0, 1}, y = {0}}", "2 entries");
    expect_mistake("curve {x = {0}, y = {0}}", "two places");
    expect_mistake("curve {x = {0, 1, 1}, y = {0, 1, 2}}", "must increase");
    expect_mistake("curve {x = {0, 1}, y = {0, t}}", "time t");
    expect_mistake("curve {x = {0, t}, y = {0, 1}}", "must be a number");
    expect_mistake("curve {x = {0, 1}, y = {0, 1}, kind = 'cube'}", "linear cubic periodic");
    expect_mistake("curve {x = {0, 1, 2}, y = {0, 1, 2}, kind = 'periodic'}", "must be the same");
    expect_mistake("curve {x = {0, 1}, y = {0, 0}, kind = 'periodic'}", "three places");
    expect_mistake("curve {y = {0, 1}}", "x is missing");
    expect_mistake("curve()", "x is missing");
    expect_mistake("mod(t, 0)", "positive");
    expect_mistake("mod(1, -1)", "positive");
    expect_mistake("step(t, 0)", "positive");
    expect_mistake("pulse(t, 2, 1)", "no length");
}

TEST_MAIN(RUN(steps_and_pulses_jump_where_they_should), RUN(remainders_jump_back_at_every_period),
          RUN(smooth_versions_have_the_integrals_of_the_sharp_ones),
          RUN(pulses_of_a_remainder_repeat), RUN(a_smooth_remainder_is_its_fourier_series),
          RUN(a_linear_curve_bends_at_its_places), RUN(a_cubic_curve_is_the_natural_spline),
          RUN(a_periodic_curve_goes_on_over_its_turns), RUN(a_periodic_curve_may_be_met_anywhere),
          RUN(a_periodic_curve_may_begin_where_its_places_are),
          RUN(a_jump_of_mod_throws_what_depends_on_it), RUN(a_curve_may_end_the_run_where_it_ends),
          RUN(tables_that_are_wrong_are_refused))
