/* Samples: costs that are sums over given times, and values that are kept, against the closed form
 * of a bouncing ball. */
#include "scripted.h"

/* The height and speed of a ball that falls from h and bounces with e, with derivatives by h and e
 * at the fixed time t; before: at a bounce, those before it. */
typedef struct ball {
    double y, v, y_h, y_e;
} ball;

static ball ball_at(double g, double h, double e, double t)
{
    const double fall = sqrt(2.0 * h / g), speed = g * fall;
    if (t <= fall) return (ball){.y = h - 0.5 * g * t * t, .v = -g * t, .y_h = 1.0, .y_e = 0.0};
    const double s = t - fall, fall_h = 0.5 * fall / h, speed_h = g * fall_h;
    /* one bounce only: y = e speed s - g s^2 / 2 */
    return (ball){.y = e * speed * s - 0.5 * g * s * s,
                  .v = e * speed - g * s,
                  .y_h = e * speed_h * s - (e * speed - g * s) * fall_h,
                  .y_e = speed * s};
}

#define BALL                                                                                       \
    "model 'ball'\n"                                                                               \
    "local g, e, h = param('g', 9.81, {fixed = true}), param('e', 0.8), param('h', 1)\n"           \
    "local t1 = param('t1', 0.7)\n"                                                                \
    "local y = coordinate('y', {start = h})\n"                                                     \
    "mass(y, 1) force(y, -g)\n"                                                                    \
    "event('floor', {when = y, direction = 'falling', restitution = e})\n"                         \
    "horizon(0, 1.1)\n"

/* The sum of (y - goal)^2 over times that include the start, the end, and one time twice. */
TEST(sums_over_samples_have_closed_forms)
{
    static const double at[] = {0.0, 1.1, 0.3, 0.9, 0.9}, goal[] = {0.5, 0.25, 1.0, 0.0, 0.125};
    double              sum = 0.0, by_h = 0.0, by_e = 0.0;
    scripted            s = run_to(BALL "local goal = {0.5, 0.25, 1, 0, 0.125}\n"
                                                   "cost('reach', {at = {0, 1.1, 0.3, 0.9, 0.9},\n"
                                                   "  each = function(k) return (y - goal[k])^2 end})\n",
                                   SALTUS_END);
    for (int k = 0; k < 5; k++) {
        const ball b = ball_at(9.81, 1.0, 0.8, at[k]);
        sum += (b.y - goal[k]) * (b.y - goal[k]);
        by_h += 2.0 * (b.y - goal[k]) * b.y_h;
        by_e += 2.0 * (b.y - goal[k]) * b.y_e;
    }
    EXPECT_NEAR(cost_value(&s, "reach"), sum, 1e-11);
    expect_gradient(&s, "reach", "h", by_h, 1e-10);
    expect_gradient(&s, "reach", "e", by_e, 1e-10);
    expect_event_count(&s, 1);
    expect_no_warning(&s);
    assert_int_equal(s.size.events, 1);
    assert_int_equal(s.size.memories, 0);
    release(&s);
}

/* Times that are expressions of parameters: d/dt1 of y(t1) + 2 y(1.5 t1) is v(t1) + 3 v(1.5 t1). */
TEST(moving_times_have_their_derivative)
{
    scripted   s = run_to(BALL "local weight = {1, 2}\n"
                                 "cost('move', {at = {t1, 1.5 * t1},\n"
                                 "  each = function(k) return weight[k] * y end})\n",
                          SALTUS_END);
    const ball a = ball_at(9.81, 1.0, 0.8, 0.7), b = ball_at(9.81, 1.0, 0.8, 1.05);
    EXPECT_NEAR(cost_value(&s, "move"), a.y + 2.0 * b.y, 1e-11);
    expect_gradient(&s, "move", "t1", a.v + 3.0 * b.v, 1e-10);
    expect_gradient(&s, "move", "h", a.y_h + 2.0 * b.y_h, 1e-10);
    release(&s);
}

/* A sample at the moment of an event sees the state before it, on both ends of a step. */
TEST(a_sample_at_an_event_sees_the_state_before)
{
    scripted s =
        run_to("model 'rider'\n"
               "local v0, k = param('v0', 2), param('k', 3)\n"
               "local x = coordinate('x', {speed = v0})\n"
               "mass(x, 1)\n"
               "event('kick', {when = x - 1, direction = 'rising', set = {[dot(x)] = k}})\n"
               "event('tick', {when = t - 0.25, direction = 'rising', set = {[dot(x)] = 2}})\n"
               "cost('speed', {at = {0.25, 0.5}, of = dot(x)})\n"
               "horizon(0, 1)\n",
               SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "speed"), 4.0, 1e-14);
    expect_event_count(&s, 2);
    expect_no_warning(&s);
    release(&s);
}

/* Accelerations and reactions: a block on a spring, driven along a line that holds it. */
TEST(accelerations_and_reactions_are_sampled)
{
    scripted s = run_to("model 'block'\n"
                        "local w, m = param('w', 3), param('m', 2)\n"
                        "local x, y = coordinate('x', {start = 1}), coordinate('y')\n"
                        "mass(x, m) mass(y, m)\n"
                        "force(x, -m * w^2 * x) force(y, -m * 10 * x)\n"
                        "constraint('line', y)\n"
                        "cost('a', {at = {0.4, 0.9}, of = ddot(x)})\n"
                        "cost('f', {at = {0.4, 0.9}, of = multiplier('line')})\n"
                        "horizon(0, 1)\n",
                        SALTUS_END);
    double   a = 0.0, a_w = 0.0, f = 0.0, f_w = 0.0, f_m = 0.0;
    for (int k = 0; k < 2; k++) {
        const double t = k ? 0.9 : 0.4, x = cos(3.0 * t), x_w = -t * sin(3.0 * t);
        a += -9.0 * x;
        a_w += -6.0 * x - 9.0 * x_w;
        f += -20.0 * x;
        f_w += -20.0 * x_w;
        f_m += -10.0 * x;
    }
    EXPECT_NEAR(cost_value(&s, "a"), a, 1e-10);
    EXPECT_NEAR(cost_value(&s, "f"), f, 1e-10);
    expect_gradient(&s, "a", "w", a_w, 1e-9);
    expect_gradient(&s, "f", "w", f_w, 1e-9);
    expect_gradient(&s, "f", "m", f_m, 1e-9);
    release(&s);
}

/* With the free end of the horizon among the times. */
TEST(samples_at_a_free_end_count)
{
    scripted     s = run_to("model 'ball'\n"
                                "local T = param('T', 0.4)\n"
                                "local y = coordinate('y', {start = 1})\n"
                                "mass(y, 1) force(y, -10)\n"
                                "cost('half', {at = {T / 2, T}, of = y^2})\n"
                                "horizon(0, T)\n",
                            SALTUS_END);
    const double a = 1.0 - 5.0 * 0.04, b = 1.0 - 5.0 * 0.16;
    EXPECT_NEAR(cost_value(&s, "half"), a * a + b * b, 1e-12);
    expect_gradient(&s, "half", "T", 2.0 * a * -2.0 * 0.5 + 2.0 * b * -4.0, 1e-11);
    release(&s);
}

/* ---- values that are kept ------------------------------------------------------------------- */

/* The ball with y kept at the given times, one of them twice and not in order, another one a
 * parameter that is late. */
static scripted measured(const double *times, int count, int late)
{
    scripted           s = {0};
    saltus_model      *m = saltus_model_new(NULL, &s.err);
    const saltus_modes all = {NULL, 0};
    const saltus_expr  e = saltus_param(m, "e", 0.8, NULL), h = saltus_param(m, "h", 1.0, NULL);
    const saltus_expr  y = saltus_coordinate(m, "y", &(saltus_coordinate_def){.start = h});
    saltus_expr        at[16];
    saltus_mass(m, y, saltus_number(m, 1.0), all);
    saltus_force(m, y, saltus_number(m, -9.81), all);
    const saltus_event floor = saltus_event_new(m, "floor", y, SALTUS_FALLING, all, all);
    saltus_event_restitution(m, floor, e);
    for (int k = 0; k < count; k++) at[k] = saltus_number(m, times[k]);
    saltus_samples(m, "height", y, at, count);
    const saltus_expr after = saltus_apply(m, SALTUS_MUL, saltus_number(m, late ? 2.0 : 0.9), h);
    saltus_samples(m, "speed", saltus_dot(m, y), &after, 1);
    saltus_horizon(m, 0.0, saltus_number(m, 1.1));
    s.system = saltus_system_compile(m, &s.err);
    if (s.err.status) fail_msg("%s", s.err.message);
    s.size = saltus_system_size(s.system);
    s.options = saltus_system_options(s.system);
    s.options.rtol = s.options.atol = 1e-12;
    saltus_model_free(m);
    simulate(&s, NULL);
    return s;
}

TEST(kept_samples_have_values_and_derivatives)
{
    static const double        times[] = {1.1, 0.2, 0.9, 0.2, 0.0};
    static const saltus_method methods[] = {SALTUS_DIRECT, SALTUS_TANGENT};
    const int                  params[] = {1, 0};
    double                     t[6], value[6], slope[12];
    scripted                   s = measured(times, 5, 0);
    assert_int_equal(s.size.samples, 2);
    assert_string_equal(saltus_system_samples(s.system, 0).name, "height");
    assert_int_equal(saltus_system_samples(s.system, 0).count, 5);
    assert_int_equal(saltus_run_samples(s.run, -1, t, value, &s.err), SALTUS_OK);
    for (int k = 0; k < 5; k++) {
        const ball b = ball_at(9.81, 1.0, 0.8, times[k]);
        EXPECT_NEAR(t[k], times[k], 0.0);
        EXPECT_NEAR(value[k], b.y, 1e-11);
    }
    const ball late = ball_at(9.81, 1.0, 0.8, 0.9);
    EXPECT_NEAR(value[5], late.v, 1e-11);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
            saltus_run_sample_gradients(s.run, -1, methods[i], params, 2, slope, &s.err),
            SALTUS_OK);
        for (int k = 0; k < 5; k++) {
            const ball b = ball_at(9.81, 1.0, 0.8, times[k]);
            EXPECT_NEAR(slope[2 * k], b.y_h, 1e-10);
            EXPECT_NEAR(slope[2 * k + 1], b.y_e, 1e-10);
        }
        /* v(0.9 h) with v = e g fall - g (t - fall), fall = sqrt(2 h / g) */
        const double fall_h = 0.5 * sqrt(2.0 / 9.81);
        EXPECT_NEAR(slope[10], 0.8 * 9.81 * fall_h - 9.81 * (0.9 - fall_h), 1e-10);
        assert_int_equal(
            saltus_run_sample_gradients(s.run, 1, methods[i], params, 1, slope, &s.err), SALTUS_OK);
        EXPECT_NEAR(slope[0], 0.8 * 9.81 * fall_h - 9.81 * (0.9 - fall_h), 1e-10);
    }
    release(&s);
}

/* A kept sample of an acceleration, by one backward lane: x = cos(w t), x'' = -w^2 cos(w t). */
TEST(weights_on_samples_pass_accelerations_back)
{
    const saltus_modes all = {0};
    const double       w = 3.0, t = 0.4, weight = 2.0;
    scripted           s = {0};
    double             by = NAN;
    saltus_model      *m = saltus_model_new(NULL, &s.err);
    const saltus_expr  rate = saltus_param(m, "w", w, NULL), at = saltus_number(m, t);
    const saltus_expr  x =
        saltus_coordinate(m, "x", &(saltus_coordinate_def){.start = saltus_number(m, 1.0)});
    const saltus_expr square = saltus_apply(m, SALTUS_MUL, rate, rate);
    const saltus_expr pull = saltus_apply(m, SALTUS_MUL, square, x);
    saltus_mass(m, x, saltus_number(m, 1.0), all);
    saltus_force(m, x, saltus_apply(m, SALTUS_MUL, saltus_number(m, -1.0), pull), all);
    saltus_samples(m, "a", saltus_dot(m, saltus_dot(m, x)), &at, 1);
    saltus_horizon(m, 0.0, saltus_number(m, 1.0));
    s.system = saltus_system_compile(m, &s.err);
    saltus_model_free(m);
    if (s.err.status) fail_msg("%s", s.err.message);
    s.options = saltus_system_options(s.system);
    s.options.rtol = s.options.atol = 1e-12;
    simulate(&s, NULL);
    assert_int_equal(saltus_run_vjp(s.run, NULL, &weight, NULL, NULL, &by, NULL, &s.err), 0);
    EXPECT_NEAR(by, weight * (-2.0 * w * cos(w * t) + w * w * t * sin(w * t)), 1e-9);
    release(&s);
}

TEST(samples_after_the_end_are_not_taken)
{
    const double time = 0.5;
    double       value[2], slope[2];
    scripted     s = measured(&time, 1, 1);
    expect_warning(&s, "'speed': 1 of 1 samples lie after the end of the run");
    assert_int_equal(saltus_run_samples(s.run, -1, NULL, value, &s.err), SALTUS_OK);
    assert_true(isfinite(value[0]) && isnan(value[1]));
    assert_int_equal(
        saltus_run_sample_gradients(s.run, -1, SALTUS_DIRECT, &(int){1}, 1, slope, &s.err),
        SALTUS_OK);
    assert_true(isfinite(slope[0]) && isnan(slope[1]));
    release(&s);
}

/* Derivatives by more parameters than there are lanes: y(1) of a point pushed by twenty forces. */
TEST(derivatives_by_many_parameters_come_in_blocks)
{
    enum { MANY = 20 };
    saltus_error       err = {0};
    saltus_model      *m = saltus_model_new(NULL, &err);
    const saltus_modes all = {NULL, 0};
    const saltus_expr  y = saltus_coordinate(m, "y", NULL), one = saltus_number(m, 1.0);
    double             slope[MANY];
    int                params[MANY];
    saltus_mass(m, y, one, all);
    for (int i = 0; i < MANY; i++) {
        char name[8];
        snprintf(name, sizeof name, "f%d", i);
        params[i] = i;
        const saltus_expr f = saltus_param(m, name, 0.1, NULL);
        saltus_force(m, y, saltus_apply(m, SALTUS_MUL, saltus_number(m, i), f), all);
    }
    saltus_samples(m, "place", y, &one, 1);
    saltus_horizon(m, 0.0, one);
    saltus_system *system = saltus_system_compile(m, &err);
    saltus_run    *run = saltus_run_new(system, NULL, &err);
    saltus_run_simulate(run, NULL, &err);
    saltus_run_sample_gradients(run, 0, SALTUS_DIRECT, params, MANY, slope, &err);
    if (err.status) fail_msg("%s", err.message);
    for (int i = 0; i < MANY; i++) EXPECT_NEAR(slope[i], 0.5 * i, 1e-12);
    saltus_run_free(run);
    saltus_system_free(system);
    saltus_model_free(m);
}

/* ---- many ----------------------------------------------------------------------------------- */

/* A thousand samples with goals of their own are one program, and users see no event of them. */
TEST(a_thousand_samples_are_one_row)
{
    double   sum = 0.0, by_h = 0.0;
    scripted s = run_to(BALL "local at = {}\n"
                             "for k = 1, 1000 do at[k] = 1.1 * k / 1000 end\n"
                             "cost('track', {at = at,\n"
                             "  each = function(k) return (y - 0.001 * (k + 0.5))^2 end})\n",
                        SALTUS_END);
    for (int k = 1; k <= 1000; k++) {
        const ball   b = ball_at(9.81, 1.0, 0.8, 1.1 * k / 1000);
        const double off = b.y - 0.001 * (k + 0.5);
        sum += off * off;
        by_h += 2.0 * off * b.y_h;
    }
    EXPECT_NEAR(cost_value(&s, "track"), sum, 1e-9);
    expect_gradient(&s, "track", "h", by_h, 1e-7);
    assert_int_equal(s.size.hidden, 2);
    expect_event_count(&s, 1);
    release(&s);
}

/* ---- mistakes ------------------------------------------------------------------------------- */

static void expect_mistake(const char *script, const char *part)
{
    saltus_error   err = {0};
    saltus_model  *model = saltus_model_load_text("script.lua", script, strlen(script), NULL, &err);
    saltus_system *system = saltus_system_compile(model, &err);
    saltus_run    *run = saltus_run_new(system, NULL, &err);
    saltus_run_simulate(run, NULL, &err);
    if (!err.status) fail_msg("no mistake in\n%s", script);
    if (!strstr(err.message, part)) fail_msg("'%s' is not in '%s'", part, err.message);
    saltus_run_free(run);
    saltus_system_free(system);
    saltus_model_free(model);
}

TEST(mistakes_are_named)
{
    expect_mistake(BALL "cost('c', {at = {0.5}})", "needs of = an expression");
    expect_mistake(BALL "cost('c', {of = y})", "has no times");
    expect_mistake(BALL "cost('c', {at = {}, of = y})", "a list of no entries");
    expect_mistake(BALL "cost('c', {at = 3, of = y})", "at must be a list");
    expect_mistake(BALL "cost('c', {at = {y}, of = y})", "a time in at=");
    expect_mistake(BALL "cost('c', {at = {1}, each = y})", "each must be a function");
    expect_mistake(BALL "cost('c', {at = {1}, each = function() end})", "the result of each");
    expect_mistake(BALL "cost('c', {at = {-1, 1}, of = y})", "is not in the horizon");
    expect_mistake(BALL "cost('c', {at = {t1, t1 / 2}, of = y})", "must ascend");
}

TEST_MAIN(RUN(sums_over_samples_have_closed_forms), RUN(moving_times_have_their_derivative),
          RUN(a_sample_at_an_event_sees_the_state_before),
          RUN(accelerations_and_reactions_are_sampled), RUN(samples_at_a_free_end_count),
          RUN(kept_samples_have_values_and_derivatives), RUN(samples_after_the_end_are_not_taken),
          RUN(weights_on_samples_pass_accelerations_back),
          RUN(derivatives_by_many_parameters_come_in_blocks), RUN(a_thousand_samples_are_one_row),
          RUN(mistakes_are_named))
