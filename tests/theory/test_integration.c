/* What step lengths promise: quantities of every size, features of every width, many coordinates,
 * long runs, stiffness; against closed forms. */
#include "scripted.h"

static const double PI = 3.14159265358979323846;

/* At the default tolerance, models of any size. */
static scripted prepare(const char *script)
{
    scripted      s = {0};
    saltus_model *model =
        saltus_model_load_text("script.lua", script, strlen(script), NULL, &s.err);
    s.system = saltus_system_compile(model, &s.err);
    saltus_model_free(model);
    if (s.err.status)
        fail_msg("line %d: %s\nin the script:\n%s", s.err.line, s.err.message, script);
    s.size = saltus_system_size(s.system);
    s.options = saltus_system_options(s.system);
    return s;
}

static void expect_relative(double value, double expected, double tolerance)
{
    EXPECT_NEAR(value / expected, 1.0, tolerance);
}

/* ---- many coordinates ----------------------------------------------------------------------- */

TEST(coordinates_at_rest_do_not_hide_the_error_of_one_that_moves)
{
    static const int idle[] = {0, 30, 1000};
    for (int i = 0; i < 3; i++)
        for (int integrator = 0; integrator < 2; integrator++) {
            char script[512];
            snprintf(script, sizeof script,
                     "local x = coordinate('x', {start = 1})\n"
                     "mass(x, 1) force(x, -x)\n"
                     "for i = 1, %d do local y = coordinate('y' .. i) mass(y, 1) force(y, -y) end\n"
                     "cost('x', {final = x}) cost('v', {final = dot(x)})\n"
                     "horizon(0, 20)",
                     idle[i]);
            scripted s = prepare(script);
            s.options.integrator = (saltus_integrator)integrator;
            simulate(&s, NULL);
            EXPECT_NEAR(cost_value(&s, "x"), cos(20.0), 2e-8);
            EXPECT_NEAR(cost_value(&s, "v"), -sin(20.0), 2e-8);
            release(&s);
        }
}

/* ---- small quantities ----------------------------------------------------------------------- */

/* An oscillator that is let go, one that is driven from rest, and integrals: all in proportion to A
 * or its square. */
static scripted two_oscillators(double A)
{
    char script[512];
    snprintf(script, sizeof script,
             "local A = param('A', %.17g)\n"
             "local x, y = coordinate('x', {start = A}), coordinate('y')\n"
             "mass(x, 1) force(x, -400 * x)\n"
             "mass(y, 1) force(y, -y + A * cos(3 * t))\n"
             "cost('x', {final = x}) cost('y', {final = y})\n"
             "cost('square', {integral = x^2}) cost('forced', {integral = A * cos(20 * t)^2})\n"
             "horizon(0, 10)",
             A);
    return prepare(script);
}

static void expect_two_oscillators(scripted *s, double A, double tolerance)
{
    const double y = (cos(10.0) - cos(30.0)) / 8.0, mean = 5.0 + sin(400.0) / 80.0;
    expect_outcome(s, SALTUS_END);
    expect_no_warning(s);
    expect_relative(cost_value(s, "x"), A * cos(200.0), tolerance);
    expect_relative(cost_value(s, "y"), A * y, tolerance);
    expect_relative(cost_value(s, "square"), A * A * mean, tolerance);
    expect_relative(cost_value(s, "forced"), A * mean, tolerance);
    expect_gradient(s, "x", "A", cos(200.0), tolerance);
    expect_gradient(s, "y", "A", y, tolerance);
    expect_gradient(s, "square", "A", 2.0 * A * mean, 10.0 * tolerance * A);
    expect_gradient(s, "forced", "A", mean, tolerance);
}

TEST(units_do_not_matter)
{
    for (int power = -30; power <= 18; power += 3)
        for (int integrator = 0; integrator < 2; integrator++) {
            const double A = pow(10.0, power);
            scripted     s = two_oscillators(A);
            s.options.integrator = (saltus_integrator)integrator;
            simulate(&s, NULL);
            expect_two_oscillators(&s, A, 2e-6);
            release(&s);
        }
}

TEST(a_small_motion_beside_large_ones_is_followed)
{
    scripted s = prepare("local x = coordinate('x', {start = 1e-8}) mass(x, 1) force(x, -400 * x)\n"
                         "local turn = coordinate('turn', {speed = 100}) mass(turn, 1)\n"
                         "cost('x', {final = x}) cost('square', {integral = x^2})\n"
                         "cost('turn', {final = turn})\n"
                         "horizon(0, 10)");
    simulate(&s, NULL);
    expect_no_warning(&s);
    expect_relative(cost_value(&s, "x"), 1e-8 * cos(200.0), 2e-6);
    expect_relative(cost_value(&s, "square"), 1e-16 * (5.0 + sin(400.0) / 80.0), 2e-6);
    expect_relative(cost_value(&s, "turn"), 1000.0, 1e-9);
    release(&s);
}

/* How often a run begins: whenever its time goes back. */
typedef struct beginnings {
    double t;
    int    count;
} beginnings;

static int note_beginning(void *context, double t, double t_end)
{
    beginnings *b = context;
    (void)t_end;
    b->count += b->count == 0 || t <= b->t;
    b->t = t;
    return 0;
}

/* Masses in a row, the first of them displaced: what the last ones do is beyond all tolerances. */
TEST(the_far_end_of_a_chain_is_not_a_reason_to_run_again)
{
    for (int i = 0; i < 2; i++) {
        char       script[512];
        beginnings b = {0};
        snprintf(script, sizeof script,
                 "local left\n"
                 "for i = 1, 100 do\n"
                 "  local u = coordinate('u' .. i, {start = i == 1 and %g or 0}) mass(u, 1)\n"
                 "  if left then potential(50 * (u - left)^2) end left = u\n"
                 "end\n"
                 "cost('x', {final = left}) horizon(0, 1)",
                 i == 0 ? 1.0 : 1e-12);
        scripted s = prepare(script);
        s.options.progress = note_beginning;
        s.options.progress_context = &b;
        simulate(&s, NULL);
        expect_no_warning(&s);
        EXPECT(i == 0 ? b.count == 1 : b.count > 1); /* all of them small: other units */
        EXPECT(s.info->steps > 30 && s.info->steps < 60);
        release(&s);
    }
}

TEST(what_rounding_leaves_of_a_rest_is_not_followed_for_long)
{
    /* in equilibrium, and measured from it */
    scripted s = prepare("local x = coordinate('x') mass(x, 1.3)\n"
                         "force(x, -1.3 * 9.81 + 1000 * (0.012753 - x) - 0.5 * dot(x))\n"
                         "cost('x', {final = x}) horizon(0, 10)");
    simulate(&s, NULL);
    expect_outcome(&s, SALTUS_END);
    expect_no_warning(&s);
    EXPECT_NEAR(cost_value(&s, "x"), 0.0, 1e-15);
    EXPECT(s.info->steps < 2000);
    release(&s);
}

TEST(an_integral_that_is_made_of_errors_is_warned_of)
{
    scripted s = prepare("local x = coordinate('x', {start = 0.8})\n"
                         "local y = coordinate('y', {guess = -0.6})\n"
                         "mass(x, 1) mass(y, 1) force(y, -9.81)\n"
                         "constraint('rod', x^2 + y^2 - 1)\n"
                         "cost('wrong', {integral = (hypot(x, y) - 1)^2})\n"
                         "cost('x', {final = x})\n"
                         "horizon(0, 10)");
    simulate(&s, NULL);
    expect_outcome(&s, SALTUS_END);
    expect_warning(&s, "the integral of cost 'wrong' is never larger than");
    EXPECT_NEAR(cost_value(&s, "wrong"), 0.0, 1e-9);
    EXPECT(s.info->steps < 1000);
    release(&s);
}

/* The weight and the force of the contact cancel each other but for rounding. */
TEST(what_a_contact_holds_at_rest_is_not_followed)
{
    scripted s = run_to("local g, m = param('g', 10.336), param('m', 1.8142)\n"
                        "local y = coordinate('y', {guess = 0})\n"
                        "mass(y, m)\n"
                        "force(y, -m * g + 12.43 * max(0, 1 - ((t - 1.67) / 0.25)^2))\n"
                        "contact {gap = y, slides = true, start = 'closed', name = 'c'}\n"
                        "cost('N', {integral = -multiplier('c')})\n"
                        "horizon(0, 2.24)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "N"), 10.336 * 1.8142 * 2.24 - 12.43 * 4.0 / 3.0 * 0.25, 1e-8);
    expect_no_warning(&s);
    release(&s);
}

TEST(an_absolute_tolerance_of_its_own_is_taken_literally)
{
    scripted     s = two_oscillators(1e-9);
    const double literal[] = {1e-8, 1e-18};
    long long    steps[2];
    for (int i = 0; i < 2; i++) {
        s.options.atol = literal[i];
        simulate(&s, NULL);
        steps[i] = s.info->steps;
        if (i == 1) expect_two_oscillators(&s, 1e-9, 1e-6);
        saltus_run_free(s.run);
        s.run = NULL;
    }
    EXPECT(4 * steps[0] < steps[1]);
    release(&s);
}

TEST(a_run_that_is_done_again_is_the_same_whenever_and_however_it_is_recorded)
{
    double value[3], slope[3];
    for (int i = 0; i < 3; i++) {
        scripted     s = two_oscillators(1e-9);
        const double other = 1.0, own = 1e-9;
        if (i == 1) s.options.record_memory = 4096;
        if (i == 2) { /* after a run in which nothing is small, and with directions beside it */
            simulate(&s, &other);
            gradient(&s, SALTUS_DIRECT, "x", "A");
        }
        simulate(&s, &own);
        value[i] = cost_value(&s, "x");
        slope[i] = gradient(&s, SALTUS_DISCRETE, "x", "A");
        EXPECT_NEAR(gradient(&s, SALTUS_DIRECT, "x", "A"), cos(200.0), 1e-6);
        release(&s);
    }
    for (int i = 1; i < 3; i++) EXPECT(value[i] == value[0] && slope[i] == slope[0]);
}

/* ---- narrow features ------------------------------------------------------------------------ */

/* A pulse of area 1 that is so much of the horizon wide, as a force and as an integrand. */
static void expect_pulse(const char *shape, double place, double width, double area,
                         const saltus_options *how)
{
    char script[512];
    snprintf(script, sizeof script,
             "local A = param('A', 1)\n"
             "local x = coordinate('x') mass(x, 1)\n"
             "local w = %.17g\n"
             "local u = (t - %.17g) / w\n"
             "force(x, A * %s)\n"
             "cost('v', {final = dot(x)}) cost('area', {integral = %s})\n"
             "horizon(0, 10)",
             10.0 * width, place, shape, shape);
    scripted s = prepare(script);
    s.options.integrator = how->integrator;
    s.options.rtol = how->rtol;
    s.options.atol = how->atol;
    simulate(&s, NULL);
    const double allowed = fmax(100.0 * how->rtol, 1e-6);
    EXPECT_NEAR(cost_value(&s, "v"), area, allowed);
    EXPECT_NEAR(cost_value(&s, "area"), area, allowed);
    EXPECT_NEAR(gradient(&s, SALTUS_DISCRETE, "v", "A"), area, allowed);
    release(&s);
}

TEST(a_pulse_is_not_stepped_over)
{
    static const double tolerance[] = {1e-3, 1e-6, 1e-9, 1e-12}, width[] = {1e-2, 3e-3, 1e-3};
    saltus_options      how = saltus_options_default();
    for (int i = 0; i < 4 * 3 * 2; i++)
        for (double place = 0.7; place < 9.5; place += 0.731) {
            const double w = width[i / 4 % 3], a = 0.1 * place / w, b = 1.0 / w - a;
            how.rtol = how.atol = tolerance[i % 4];
            how.integrator = (saltus_integrator)(i / 12);
            expect_pulse("exp(-u^2) / (w * math.sqrt(math.pi))", place, w, 0.5 * (erf(a) + erf(b)),
                         &how);
            expect_pulse("(1 - tanh(u)^2) / (2 * w)", place, w, 0.5 * (tanh(a) + tanh(b)), &how);
            expect_pulse("1 / (math.pi * w * (1 + u^2))", place, w, (atan(a) + atan(b)) / PI, &how);
        }
}

/* The power's integral over all u is 131.9. With equal tolerances the run would be done again with
 * smaller ones, which may see the pulse. */
TEST(a_pulse_of_asinh_is_not_stepped_over)
{
    saltus_options how = saltus_options_default();
    how.rtol = 1e-6;
    how.atol = 1e-9;
    for (double place = 0.7; place < 9.5; place += 0.731)
        expect_pulse("(asinh(u + 1) - asinh(u - 1))^8 / (131.91086859688343 * w)", place, 1e-3, 1.0,
                     &how);
}

TEST(a_narrow_feature_of_a_position_is_not_stepped_over)
{
    static const char *const feature[] = {"exp(-u^2)", "1 - erf(u)^2"};
    const double             area[] = {sqrt(PI), 2.0 * sqrt(2.0 / PI)};
    for (int i = 0; i < 2; i++)
        for (double place = 0.7; place < 9.5; place += 0.731) {
            char script[512];
            snprintf(script, sizeof script,
                     "local x = coordinate('x', {speed = 2}) mass(x, 1)\n"
                     "local u = (x - %.17g) / 0.02\n"
                     "cost('c', {integral = %s}) horizon(0, 10)",
                     2.0 * place, feature[i]);
            scripted s = prepare(script);
            simulate(&s, NULL);
            EXPECT_NEAR(cost_value(&s, "c"), 0.01 * area[i], 1e-9);
            release(&s);
        }
}

/* Far from the bump, what is divided by is too large for a number, and so is its derivative. The
 * integrals from 0 to 10 are A times w tanh, w log(1 + exp(..)) and w exp(..), far from its ends.
 */
TEST(a_quotient_by_something_that_overflows_has_its_derivative)
{
    static const struct {
        const char *of;
        double      by_c, by_w, by_A;
    } bumps[] = {{"1 / cosh((t - c) / w)^2", 0.0, 2.0, 0.024},
                 {"cosh((t - c) / w)^(-2.5)", 0.0, 1.7480383695280798, 0.020976460434336958},
                 {"1 / (1 + exp((t - c) / w))", 1.0, 0.0, 9.0},
                 {"1 / (exp((c - t) / w) + 1)", -1.0, 0.0, 1.0},
                 {"(2 + t) / ((t + 2) * (1 + exp((t - c) / w))^2)", 1.0, -1.0, 9.0 - 0.012}};
    for (int i = 0; i < (int)(sizeof bumps / sizeof *bumps); i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "local A, c, w = param('A', 1), param('c', 9), param('w', 0.012)\n"
                 "local x = coordinate('x') mass(x, 1)\n"
                 "force(x, A * %s)\n"
                 "cost('v', {final = dot(x)}) horizon(0, 10)\n",
                 bumps[i].of);
        scripted s = load(text);
        s.options.rtol = s.options.atol = 1e-11;
        simulate(&s, NULL);
        expect_outcome(&s, SALTUS_END);
        expect_gradient(&s, "v", "A", bumps[i].by_A, 1e-8);
        expect_gradient(&s, "v", "c", bumps[i].by_c, 1e-6);
        expect_gradient(&s, "v", "w", bumps[i].by_w, 1e-6);
        release(&s);
    }
}

TEST(motions_without_narrow_features_are_not_looked_at_twice)
{
    scripted s = prepare("local x = coordinate('x', {start = 1}) mass(x, 1)\n"
                         "force(x, -x + 0.1 * sin(t) * t^2)\n"
                         "cost('c', {integral = t * x}) horizon(0, 10)");
    simulate(&s, NULL);
    EXPECT(s.info->evaluations < 13 * (s.info->steps + s.info->rejected));
    release(&s);
}

/* ---- long runs ------------------------------------------------------------------------------ */

/* A pendulum by two coordinates and a rod, and by its angle. */
static scripted pendulum(const char *how, double end)
{
    char script[1024];
    snprintf(script, sizeof script,
             "local L = param('L', 1)\n"
             "local x, rod\n"
             "if '%s' == 'angle' then\n"
             "  local a = coordinate('a', {start = asin(0.8 / L)})\n"
             "  kinetic(0.5 * L^2 * dot(a)^2) potential(-9.81 * L * cos(a))\n"
             "  x, rod = L * sin(a), L - L\n"
             "else\n"
             "  x = coordinate('x', {start = 0.8})\n"
             "  local y = coordinate('y', {guess = -0.6})\n"
             "  mass(x, 1) mass(y, 1) force(y, -9.81)\n"
             "  constraint('rod', x^2 + y^2 - L^2)\n"
             "  rod = hypot(x, y) - L\n"
             "end\n"
             "cost('x', {final = x}) cost('I', {integral = x^2}) cost('rod', {final = rod})\n"
             "horizon(0, %g)",
             how, end);
    return prepare(script);
}

TEST(constraints_do_not_drift_in_long_runs)
{
    for (int i = 0; i < 4; i++) {
        const double end = i % 2 ? 1000.0 : 50.0;
        scripted     angle = pendulum("angle", end), points = pendulum("points", end);
        angle.options.rtol = angle.options.atol = 1e-13;
        points.options.integrator = (saltus_integrator)(i / 2);
        simulate(&angle, NULL);
        simulate(&points, NULL);
        const double grows = end / 50.0; /* with time; sensitivities with its square */
        const double x = cost_value(&angle, "x"), I = cost_value(&angle, "I");
        expect_no_warning(&points);
        EXPECT_NEAR(cost_value(&points, "rod"), 0.0, 1e-8);
        EXPECT_NEAR(cost_value(&points, "x"), x, 1e-5 * grows);
        EXPECT_NEAR(cost_value(&points, "I"), I, 1e-5 * grows);
        expect_gradient(&points, "x", "L", gradient(&angle, SALTUS_DISCRETE, "x", "L"),
                        2e-4 * grows * grows);
        expect_gradient(&points, "I", "L", gradient(&angle, SALTUS_DISCRETE, "I", "L"),
                        2e-4 * grows * grows);
        const double first = gradient(&points, SALTUS_DIRECT, "x", "L");
        simulate(&points, NULL); /* now with directions beside it */
        EXPECT(gradient(&points, SALTUS_DIRECT, "x", "L") == first);
        release(&angle);
        release(&points);
    }
}

TEST(a_drift_that_is_not_held_is_warned_of)
{
    scripted s = pendulum("points", 1000.0);
    s.options.omega = 1e-6; /* by the user, and in vain */
    simulate(&s, NULL);
    expect_warning(&s, "constraint 'rod' is off by");
    release(&s);
}

/* ---- stiffness ------------------------------------------------------------------------------ */

/* A light bushing beside a slow mass: c v with a time constant of 1/c. */
static scripted bushing(double c, double end)
{
    char script[512];
    snprintf(script, sizeof script,
             "local y = coordinate('slow', {start = 1}) mass(y, 1) force(y, -y)\n"
             "local x = coordinate('bushing', {start = 1})\n"
             "mass(x, 1) force(x, -%g * x - %g * dot(x))\n"
             "cost('y', {final = y}) horizon(0, %g)",
             c, c, end);
    return prepare(script);
}

TEST(a_stiff_model_is_called_stiff_and_what_makes_it_so_is_named)
{
    for (int i = 0; i < 4; i++) {
        scripted s = bushing(1e6, 10.0);
        s.options.integrator = (saltus_integrator)(i / 2);
        s.options.rtol = s.options.atol = i % 2 ? 1e-4 : 1e-9;
        s.options.max_steps = 10000;
        simulate(&s, NULL);
        expect_outcome(&s, SALTUS_STEP_LIMIT);
        expect_message(&s, "the model is stiff. Something at 'bushing' decays or oscillates within "
                           "about 1e-06");
        expect_no_warning(&s);
        release(&s);
    }
}

TEST(a_stiff_model_that_reaches_its_end_is_warned_of)
{
    for (int i = 0; i < 2; i++) {
        scripted s = bushing(1e4, 10.0);
        s.options.integrator = (saltus_integrator)i;
        simulate(&s, NULL);
        expect_outcome(&s, SALTUS_END);
        expect_warning(&s, "something at 'bushing' decays or oscillates within about 0.0001");
        EXPECT_NEAR(cost_value(&s, "y"), cos(10.0), 1e-7);
        release(&s);
    }
}

TEST(what_oscillates_is_not_called_stiff)
{
    static const double tolerance[] = {1e-2, 1e-4, 1e-9, 1e-12};
    for (int i = 0; i < 8; i++) {
        scripted s =
            prepare("local x, y = coordinate('x', {start = 1}), coordinate('y', {start = 1})\n"
                    "mass(x, 1) force(x, -400 * x)\n"
                    "mass(y, 1) force(y, -y - y^3 - 0.1 * dot(y))\n"
                    "cost('y', {final = y}) horizon(0, 300)");
        s.options.integrator = (saltus_integrator)(i / 4);
        s.options.rtol = s.options.atol = tolerance[i % 4];
        s.options.max_steps = 2500;
        simulate(&s, NULL);
        expect_no_warning(&s);
        EXPECT(!strstr(s.info->message, "stiff"));
        release(&s);
    }
}

/* ---- where there is no value ---------------------------------------------------------------- */

TEST(what_has_no_value_is_named_with_its_line)
{
    static const struct {
        const char *term, *says;
    } cases[] = {
        {"force(x, sqrt(x - 0.5))", "the force on 'x' is not a number"},
        {"force(x, sqrt(x - 0.5))", "line 3: sqrt(x - 0.5) has no value where its argument is "},
        {"force(x, 1 / (x - x))", "line 3: 1 / (x - x) has no value where its argument is 0"},
        {"potential(hypot(x - 1, x - 1))",
         "line 3: hypot(x - 1, x - 1) has no derivative where its argument is 0"},
        {"potential((x - 1)^0.5)",
         "line 3: pow(x - 1, 0.5) has no derivative where its argument is 0"},
        {"cost('c', {integral = log(x - 0.5)})",
         "line 3: log(x - 0.5) has no value where its argument is "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char script[256];
        snprintf(script, sizeof script,
                 "local x = coordinate('x', {start = 1, speed = -1})\nmass(x, 1)\n%s\n"
                 "force(x, -x)\nhorizon(0, 2)",
                 cases[i].term);
        scripted s = prepare(script);
        simulate(&s, NULL);
        expect_outcome(&s, SALTUS_NOT_FINITE);
        expect_message(&s, cases[i].says);
        release(&s);
    }
}

TEST(a_term_of_another_mode_is_not_to_blame)
{
    scripted s = prepare("local here, there = mode('here'), mode('there')\n"
                         "local x = coordinate('x', {start = 1, speed = -1}) mass(x, 1)\n"
                         "force(x, 1 / (x - x), {mode = there})\n"
                         "force(x, sqrt(x - 0.5), {mode = here})\n"
                         "event('e', {when = t - 10, to = there})\n"
                         "horizon(0, 20)");
    simulate(&s, NULL);
    expect_message(&s, "line 4: sqrt(x - 0.5) has no value");
    release(&s);
}

TEST_MAIN(RUN(what_a_contact_holds_at_rest_is_not_followed),
          RUN(coordinates_at_rest_do_not_hide_the_error_of_one_that_moves),
          RUN(units_do_not_matter), RUN(a_small_motion_beside_large_ones_is_followed),
          RUN(the_far_end_of_a_chain_is_not_a_reason_to_run_again),
          RUN(what_rounding_leaves_of_a_rest_is_not_followed_for_long),
          RUN(an_integral_that_is_made_of_errors_is_warned_of),
          RUN(an_absolute_tolerance_of_its_own_is_taken_literally),
          RUN(a_run_that_is_done_again_is_the_same_whenever_and_however_it_is_recorded),
          RUN(a_quotient_by_something_that_overflows_has_its_derivative),
          RUN(a_pulse_is_not_stepped_over), RUN(a_pulse_of_asinh_is_not_stepped_over),
          RUN(a_narrow_feature_of_a_position_is_not_stepped_over),
          RUN(motions_without_narrow_features_are_not_looked_at_twice),
          RUN(constraints_do_not_drift_in_long_runs), RUN(a_drift_that_is_not_held_is_warned_of),
          RUN(a_stiff_model_is_called_stiff_and_what_makes_it_so_is_named),
          RUN(a_stiff_model_that_reaches_its_end_is_warned_of),
          RUN(what_oscillates_is_not_called_stiff), RUN(what_has_no_value_is_named_with_its_line),
          RUN(a_term_of_another_mode_is_not_to_blame))
