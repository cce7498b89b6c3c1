/* Peaks: costs that are the largest or smallest value along the motion, against closed forms. */
#include "scripted.h"

static void expect_peak(const scripted *s, const char *name, saltus_peak_place place, double t,
                        double value)
{
    const saltus_peak peak = saltus_run_peak(s->run, cost(s, name));
    if (peak.place != place || !(fabs(peak.t - t) <= 1e-7) || !(fabs(peak.value - value) <= 1e-10))
        fail_msg("%s: %s at t = %.12g, %.17g; expected %s at t = %.12g, %.17g", name,
                 saltus_peak_place_name(peak.place), peak.t, peak.value,
                 saltus_peak_place_name(place), t, value);
}

#define BALL                                                                                       \
    "model 'ball'\n"                                                                               \
    "local g, e = param('g', 9.81), param('e', 0.8)\n"                                             \
    "local h, v0, T = param('h', 1), param('v0', 0.5), param('T', 2)\n"                            \
    "local y = coordinate('y', {start = h, speed = v0})\n"                                         \
    "mass(y, 1) force(y, -g)\n"                                                                    \
    "event('floor', {when = y, direction = 'falling', restitution = e})\n"                         \
    "horizon(0, T)\n"

/* Marks begin and end a step; the parabola turns at one of the places in it that are looked at,
 * where its rate is exactly zero. */
TEST(a_peak_may_be_exactly_where_the_motion_is_looked_at)
{
    for (int k = 0; k <= 32; k++) {
        const double c = 1.0 + k / 64.0;
        char         text[512];
        snprintf(text, sizeof text,
                 "local a = param('a', 3)\n"
                 "local x = coordinate('x', {speed = 1}) mass(x, 1)\n"
                 "event('first', {when = t - 1}) event('second', {when = t - 1.5})\n"
                 "cost('top', {max = a - (t - %.17g)^2})\n"
                 "cost('bottom', {min = a * (t - %.17g)^2 - a})\n"
                 "horizon(0, 3.25)\n",
                 c, c);
        scripted s = load(text);
        s.options.rtol = s.options.atol = 1e-9; /* one step from mark to mark */
        simulate(&s, NULL);
        EXPECT_NEAR(cost_value(&s, "top"), 3.0, 1e-14);
        EXPECT_NEAR(cost_value(&s, "bottom"), -3.0, 1e-14);
        expect_gradient(&s, "top", "a", 1.0, 1e-14);
        expect_gradient(&s, "bottom", "a", -1.0, 1e-14);
        release(&s);
    }
}

/* The highest rise is inside, h + v0^2 / 2 g; the fastest fall just before the first bounce; the
 * fastest rise just after it; and what grows with time is largest at the end. */
TEST(a_bouncing_ball_has_its_peaks_where_they_must_be)
{
    const double g = 9.81, e = 0.8, w = sqrt(0.25 + 2.0 * g), tau = (0.5 + w) / g;
    scripted     s = run_to(BALL "cost('top', {max = y})\n"
                                     "cost('rise', {max = dot(y)})\n"
                                     "cost('fall', {min = dot(y)})\n"
                                     "cost('energy', {max = dot(y)^2 / 2 + g * y})\n"
                                     "cost('last', {max = 3 * t, integral = 1})\n"
                                     "cost('first', {max = h - t})\n",
                            SALTUS_END);
    expect_peak(&s, "top", SALTUS_PEAK_INSIDE, 0.5 / g, 1.0 + 0.125 / g);
    expect_gradient(&s, "top", "h", 1.0, 1e-10);
    expect_gradient(&s, "top", "v0", 0.5 / g, 1e-10);
    expect_gradient(&s, "top", "g", -0.125 / (g * g), 1e-10);
    expect_gradient(&s, "top", "e", 0.0, 1e-10);
    expect_peak(&s, "rise", SALTUS_PEAK_AFTER, tau, e * w);
    expect_gradient(&s, "rise", "e", w, 1e-9);
    expect_gradient(&s, "rise", "h", e * g / w, 1e-9);
    expect_gradient(&s, "rise", "v0", e * 0.5 / w, 1e-9);
    expect_peak(&s, "fall", SALTUS_PEAK_BEFORE, tau, -w);
    expect_gradient(&s, "fall", "h", -g / w, 1e-9);
    expect_gradient(&s, "fall", "g", -1.0 / w, 1e-9);
    expect_gradient(&s, "fall", "e", 0.0, 1e-9);
    assert_int_equal(saltus_run_peak(s.run, cost(&s, "fall")).event, 0);
    EXPECT_NEAR(cost_value(&s, "energy"), 0.125 + g, 1e-10);
    expect_gradient(&s, "energy", "v0", 0.5, 1e-9);
    expect_peak(&s, "last", SALTUS_PEAK_END, 2.0, 6.0);
    EXPECT_NEAR(cost_value(&s, "last"), 8.0, 1e-10);
    expect_gradient(&s, "last", "T", 4.0, 1e-10);
    expect_peak(&s, "first", SALTUS_PEAK_START, 0.0, 1.0);
    expect_gradient(&s, "first", "h", 1.0, 1e-12);
    expect_no_warning(&s);
    assert_int_equal(s.info->events, 3);
    release(&s);
}

/* A peak in a flight after bounces: its height is e^2 times that of the drop, and the time and
 * place of the bounces do not matter. Samples, memories and modes go on beside it. */
TEST(a_peak_after_events_has_their_derivatives)
{
    scripted s =
        run_to("model 'ball'\n"
               "local g, e, h = param('g', 9.81), param('e', 0.8), param('h', 1)\n"
               "local y = coordinate('y', {start = h})\n"
               "local n = memory('n', 0)\n"
               "mass(y, 1) force(y, -g)\n"
               "event('floor', {when = y, direction = 'falling', restitution = e,\n"
               "                set = {[n] = n + 1}})\n"
               "cost('second', {max = y * (n - 0.5)})\n" /* 0.5 e^2 h, then 1.5 e^4 h, 2.5 e^6 h */
               "cost('sampled', {at = {0.5, 1}, of = y})\n"
               "horizon(0, 1.8)\n",
               SALTUS_END);
    const double e = 0.8;
    expect_peak(&s, "second", SALTUS_PEAK_INSIDE, sqrt(2.0 / 9.81) * (1.0 + 2.0 * e + e * e),
                1.5 * pow(e, 4.0));
    expect_gradient(&s, "second", "e", 6.0 * e * e * e, 1e-9);
    expect_gradient(&s, "second", "h", 1.5 * pow(e, 4.0), 1e-9);
    expect_gradient(&s, "second", "g", 0.0, 1e-9);
    release(&s);
}

/* The largest acceleration of a damped oscillator that is pulled by a, -2 d v - k x: it is k a at
 * the start if d = 0; from v0 = 0 the largest force upward comes at half a period. */
#define OSCILLATOR                                                                                 \
    "model 'oscillator'\n"                                                                         \
    "local k, d, a = param('k', 4), param('d', 0.3), param('a', 0.7)\n"                            \
    "local x = coordinate('x', {start = a})\n"                                                     \
    "mass(x, 1) force(x, -k * x - 2 * d * dot(x))\n"                                               \
    "horizon(0, 5)\n"

TEST(accelerations_of_an_oscillator_have_peaks)
{
    /* x = a exp(-d t) (cos w t + d/w sin w t); x'' = -k a exp(-d t) (cos w t - d/w sin w t), which
     * turns where its rate is zero: tan w t = 2 d w / (2 d^2 - k) */
    const double k = 4.0, d = 0.3, a = 0.7, w = sqrt(k - d * d);
    const double t = (atan2(2.0 * d * w, 2.0 * d * d - k)) / w;
    const double top = -k * a * exp(-d * t) * (cos(w * t) - d / w * sin(w * t));
    const double h = 1e-6;
    scripted     s = run_to(OSCILLATOR "cost('up', {max = ddot(x)})\n"
                                           "cost('down', {min = ddot(x)})\n"
                                           "cost('size', {max = abs(ddot(x))})\n",
                            SALTUS_END);
    expect_peak(&s, "up", SALTUS_PEAK_INSIDE, t, top);
    expect_gradient(&s, "up", "a", top / a, 1e-9);
    double by[2];
    for (int i = 0; i < 2; i++) { /* at fixed time: the peak's own time does not matter */
        const double d1 = d + (i ? -h : h), w1 = sqrt(k - d1 * d1);
        by[i] = -k * a * exp(-d1 * t) * (cos(w1 * t) - d1 / w1 * sin(w1 * t));
    }
    expect_gradient(&s, "up", "d", (by[0] - by[1]) / (2.0 * h), 1e-8);
    expect_peak(&s, "down", SALTUS_PEAK_START, 0.0, -k * a);
    expect_gradient(&s, "down", "k", -a, 1e-11);
    EXPECT_NEAR(cost_value(&s, "size"), k * a, 1e-10);
    expect_gradient(&s, "size", "a", k, 1e-10);
    release(&s);
}

/* The force in the rod of a pendulum, m g (3 - 2 cos a0) at the lowest point, and m g cos a0 where
 * it turns; the reaction of its joint is the same. */
TEST(reactions_of_a_pendulum_have_peaks)
{
    const double m = 2.0, g = 9.81, a = 1.0;
    scripted     s = run_to("model 'pendulum'\n"
                                "local L, m, a = param('L', 1.2), param('m', 2), param('a', 1)\n"
                                "local x = coordinate('x', {start = L * sin(a)})\n"
                                "local y = coordinate('y', {start = -L * cos(a)})\n"
                                "mass(x, m) mass(y, m) force(y, -9.81 * m)\n"
                                "constraint('rod', L - sqrt(x^2 + y^2))\n"
                                "cost('pull', {max = multiplier('rod')})\n"
                                "cost('least', {min = multiplier('rod')})\n"
                                "cost('acceleration', {max = sqrt(ddot(x)^2 + ddot(y)^2)})\n"
                                "horizon(0, 1.0)\n",
                            SALTUS_END);
    const double sign = cost_value(&s, "pull") > 0.0 ? 1.0 : -1.0;
    const char  *most = sign > 0.0 ? "pull" : "least", *least = sign > 0.0 ? "least" : "pull";
    EXPECT_NEAR(cost_value(&s, most), sign * m * g * (3.0 - 2.0 * cos(a)), 1e-8);
    EXPECT_NEAR(cost_value(&s, least), sign * m * g * cos(a), 1e-8);
    expect_gradient(&s, most, "m", sign * g * (3.0 - 2.0 * cos(a)), 1e-7);
    expect_gradient(&s, most, "a", sign * m * g * 2.0 * sin(a), 1e-7);
    expect_gradient(&s, most, "L", 0.0, 1e-7);
    expect_gradient(&s, least, "a", -sign * m * g * sin(a), 1e-7);
    EXPECT_NEAR(cost_value(&s, "acceleration"), 2.0 * g * (1.0 - cos(a)), 1e-8);
    release(&s);
}

/* The largest force in an elastic rope: a mass falls by h, then the rope of stiffness k stops it,
 * F = m g + sqrt((m g)^2 + 2 k m g h). Before that it is slack, which is a kink. */
TEST(a_rope_has_its_largest_force)
{
    const double m = 70.0, g = 9.81, k = 900.0, h = 4.0, root = sqrt(m * g * (m * g + 2.0 * k * h));
    scripted     s = run_to("model 'rope'\n"
                                "local m, k, h = param('m', 70), param('k', 900), param('h', 4)\n"
                                "local x = coordinate('x', {start = 0})\n"
                                "mass(x, m) force(x, 9.81 * m)\n"
                                "local pull = max(0, k * (x - h))\n"
                                "force(x, -pull)\n"
                                "cost('pull', {max = pull})\n"
                                "cost('none', {min = pull})\n"
                                "horizon(0, 2.5)\n",
                            SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "pull"), m * g + root, 1e-7);
    expect_gradient(&s, "pull", "k", m * g * h / root, 1e-8);
    expect_gradient(&s, "pull", "h", k * m * g / root, 1e-6);
    expect_gradient(&s, "pull", "m", g + g * (m * g + k * h) / root, 1e-7);
    EXPECT_NEAR(cost_value(&s, "none"), 0.0, 1e-12);
    expect_gradient(&s, "none", "k", 0.0, 1e-12);
    expect_no_warning(&s);
    release(&s);
}

/* A peak that sits on a kink, at an event whose time moves, and on an impact: -|x - c t| is largest
 * where the mass is at c t, and x + b t is largest where the mass hits the wall. */
TEST(peaks_on_events_have_the_derivative_of_their_time)
{
    scripted s = run_to("model 'events'\n"
                        "local v, w, b = param('v', 2), param('w', 1.5), param('b', 0.25)\n"
                        "local x = coordinate('x', {speed = v})\n"
                        "mass(x, 1)\n"
                        "event('wall', {when = x - w, direction = 'rising', restitution = 0.5})\n"
                        "cost('near', {max = b * t - abs(x - 0.5)})\n"
                        "cost('far', {max = x + b * t})\n"
                        "cost('hit', {max = dot(x) * (x + b * t)})\n"
                        "horizon(0, 1)\n",
                        SALTUS_END);
    /* x = 0.5 at t = 0.25, b t there; the wall at t = w / v = 0.75 */
    expect_peak(&s, "near", SALTUS_PEAK_BEFORE, 0.25, 0.0625);
    expect_gradient(&s, "near", "v", -0.25 * 0.5 / 4.0, 1e-11);
    expect_gradient(&s, "near", "b", 0.25, 1e-11);
    expect_peak(&s, "far", SALTUS_PEAK_BEFORE, 0.75, 1.5 + 0.25 * 0.75);
    expect_gradient(&s, "far", "w", 1.0 + 0.25 / 2.0, 1e-11);
    expect_gradient(&s, "far", "v", -0.25 * 1.5 / 4.0, 1e-11);
    expect_peak(&s, "hit", SALTUS_PEAK_BEFORE, 0.75, 2.0 * (1.5 + 0.25 * 0.75));
    expect_gradient(&s, "hit", "v", 1.5, 1e-11); /* v w + b w */
    expect_gradient(&s, "hit", "w", 2.0 + 0.25, 1e-11);
    release(&s);
}

/* At a terminal event the end is the peak, and its time moves. */
TEST(the_end_at_an_event_may_be_the_peak)
{
    scripted     s = run_to("model 'stop'\n"
                                "local v, w = param('v', 2), param('w', 1.5)\n"
                                "local x = coordinate('x', {speed = v})\n"
                                "mass(x, 1) force(x, 1)\n"
                                "event('wall', {when = x - w, direction = 'rising', stop = 1})\n"
                                "cost('speed', {max = dot(x)})\n"
                                "cost('time', {max = t})\n"
                                "horizon(0, 5)\n",
                            SALTUS_TERMINAL_EVENT);
    const double v = sqrt(4.0 + 2.0 * 1.5);
    expect_peak(&s, "speed", SALTUS_PEAK_END, v - 2.0, v);
    expect_gradient(&s, "speed", "v", 2.0 / v, 1e-10);
    expect_gradient(&s, "speed", "w", 1.0 / v, 1e-10);
    expect_gradient(&s, "time", "w", 1.0 / v, 1e-10);
    expect_gradient(&s, "time", "v", 2.0 / v - 1.0, 1e-10);
    release(&s);
}

/* Equal peaks: those of an undamped oscillator have the same gradient by its size and frequency,
 * but one of them begins to die away with damping. */
TEST(equal_peaks_are_named_where_their_gradients_differ)
{
    scripted s = run_to(OSCILLATOR "cost('high', {max = x})\n", SALTUS_END);
    double   params[] = {4.0, 0.0, 0.7};
    simulate(&s, params);
    EXPECT_NEAR(cost_value(&s, "high"), 0.7, 1e-10);
    expect_gradient(&s, "high", "a", 1.0, 1e-10);
    expect_gradient(&s, "high", "k", 0.0, 1e-10);
    expect_no_warning(&s);
    simulate(&s, params);
    gradient(&s, SALTUS_DIRECT, "high", "d");
    expect_warning(&s, "cost 'high' has its largest value twice");
    expect_warning(&s, "one-sided");
    release(&s);
}

/* x passes p, where the distance is zero whatever p is, exactly at the time of other events: a
 * mark, a sample, a force that jumps, and an impact that changes the velocity only. */
TEST(a_distance_of_zero_may_meet_other_events)
{
    static const char *const others[] = {
        "event('mark', {when = t - 0.5})",
        "event('mark', {when = t - 0.5}) event('other', {when = 2 * t - 1})",
        "cost('sample', {at = {0.5}, of = x})",
        "local y = coordinate('y') mass(y, 1) force(y, mod(t, 0.25))",
        "event('kick', {when = t - 0.5, set = {[dot(x)] = 2 * dot(x)}})"};
    for (int i = 0; i < (int)(sizeof others / sizeof *others); i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "local p = param('p', 0.5)\n"
                 "local x = coordinate('x', {speed = 1}) mass(x, 1)\n%s\n"
                 "cost('near', {min = abs(x - p)})\n"
                 "cost('far', {max = -3 * abs(x - p)})\n"
                 "horizon(0, 1)\n",
                 others[i]);
        scripted s = run_to(text, SALTUS_END);
        EXPECT_NEAR(cost_value(&s, "near"), 0.0, 1e-15);
        expect_gradient(&s, "near", "p", 0.0, 1e-12);
        expect_gradient(&s, "far", "p", 0.0, 1e-12);
        expect_no_warning(&s);
        release(&s);
    }
}

/* The first event at t = 1 sets k to 5, the second one to 2: it is 5 for no time. */
TEST(what_is_between_two_events_of_an_instant_is_no_peak)
{
    scripted s = run_to("local p = param('p', 2) local k = memory('k', 0)\n"
                        "local x = coordinate('x', {speed = 1}) mass(x, 1)\n"
                        "event('first', {when = t - 1, set = {[k] = 5}})\n"
                        "event('second', {when = 2 * t - 2, set = {[k] = p}})\n"
                        "event('third', {when = 3 * t - 3})\n"
                        "cost('most', {max = 3 * k})\n"
                        "horizon(0, 2)\n",
                        SALTUS_END);
    expect_peak(&s, "most", SALTUS_PEAK_AFTER, 1.0, 6.0);
    expect_gradient(&s, "most", "p", 3.0, 1e-12);
    release(&s);
}

/* What does not change has its peak everywhere: the start is as good as any place. A peak of order
 * four is found although its curvature is zero. */
TEST(flat_peaks_have_gradients)
{
    scripted s = run_to("model 'flat'\n"
                        "local v, b = param('v', 1), param('b', 3)\n"
                        "local x = coordinate('x', {start = -0.4, speed = v})\n"
                        "mass(x, 1)\n"
                        "cost('constant', {max = b * dot(x)})\n"
                        "cost('flat', {max = b - x^4})\n"
                        "cost('kink', {max = max(0, x) * 0})\n"
                        "horizon(0, 1)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "constant"), 3.0, 1e-12);
    expect_gradient(&s, "constant", "b", 1.0, 1e-11);
    expect_gradient(&s, "constant", "v", 3.0, 1e-11);
    EXPECT_NEAR(cost_value(&s, "flat"), 3.0, 1e-12);
    expect_gradient(&s, "flat", "b", 1.0, 1e-11);
    expect_gradient(&s, "flat", "v", 0.0, 1e-9);
    EXPECT_NEAR(cost_value(&s, "kink"), 0.0, 1e-15);
    expect_no_warning(&s);
    release(&s);
}

/* Other units and other tolerances: the same peak. Fast wiggles on a slow motion are found. */
TEST(units_and_tolerances_do_not_matter)
{
    static const char script[] = "model 'units'\n"
                                 "local L, T = param('L', %g), param('T', %g)\n"
                                 "local x = coordinate('x', {start = L, speed = 3 * L / T})\n"
                                 "mass(x, 1) force(x, -40 * x / T^2 - dot(x) / T)\n"
                                 "cost('top', {max = x})\n"
                                 "cost('wave', {max = x / L + 0.3 * sin(70 * t / T)})\n"
                                 "horizon(0, 2 * T)\n";
    const double      lengths[] = {1.0, 1e-6, 1e5}, times[] = {1.0, 1e3, 1e-4};
    double            top = NAN, wave = NAN;
    for (int i = 0; i < 3; i++) {
        char text[1000];
        snprintf(text, sizeof text, script, lengths[i], times[i]);
        scripted s = load(text);
        s.options.rtol = 1e-11;
        s.options.atol = 1e-11 * fmin(lengths[i], lengths[i] / times[i]);
        simulate(&s, NULL);
        if (i == 0) top = cost_value(&s, "top");
        if (i == 0) wave = cost_value(&s, "wave");
        EXPECT_NEAR(cost_value(&s, "top") / lengths[i], top, 1e-9);
        EXPECT_NEAR(cost_value(&s, "wave"), wave, 1e-9);
        expect_gradient(&s, "top", "L", top, 1e-8);
        release(&s);
    }
    for (int i = 0; i < 3; i++) {
        char text[1000];
        snprintf(text, sizeof text, script, 1.0, 1.0);
        scripted s = load(text);
        s.options.rtol = s.options.atol = i == 0 ? 1e-5 : i == 1 ? 1e-7 : 1e-9;
        simulate(&s, NULL);
        EXPECT_NEAR(cost_value(&s, "top"), top, 100.0 * s.options.rtol);
        EXPECT_NEAR(cost_value(&s, "wave"), wave, 100.0 * s.options.rtol);
        release(&s);
    }
}

/* All other results know peaks: products, replays, the record that is too small, weights. */
TEST(products_and_replays_know_peaks)
{
    scripted s = load(BALL "cost('top', {max = y * (2 - t)})\n"
                           "cost('fall', {min = dot(y) + t})\n");
    s.options.record_memory = 1;
    simulate(&s, NULL);
    double       by[5], dcost[2], along[] = {0.3, -0.2, 0.5, 0.1, 0.0}, sum[2] = {0.0, 0.0};
    const double weights[] = {2.0, -3.0};
    for (int j = 0; j < 5; j++)
        for (int c = 0; c < 2; c++)
            sum[c] += along[j] * gradient(&s, SALTUS_DIRECT, c ? "fall" : "top",
                                          saltus_system_param(s.system, j).name);
    assert_int_equal(saltus_run_jvp(s.run, 1, along, NULL, dcost, NULL, NULL, NULL, &s.err), 0);
    EXPECT_NEAR(dcost[0], sum[0], 1e-9);
    EXPECT_NEAR(dcost[1], sum[1], 1e-9);
    assert_int_equal(saltus_run_vjp(s.run, weights, NULL, NULL, NULL, by, NULL, &s.err), 0);
    double product = 0.0;
    for (int j = 0; j < 5; j++) product += by[j] * along[j];
    EXPECT_NEAR(product, 2.0 * sum[0] - 3.0 * sum[1], 1e-9);
    release(&s);
}

/* What cannot be evaluated is named. */
TEST(an_expression_without_a_value_is_named)
{
    scripted s = run_to("model 'bad'\n"
                        "local x = coordinate('x', {start = 1, speed = -2})\n"
                        "mass(x, 1)\n"
                        "cost('root', {max = log(x)})\n"
                        "horizon(0, 1)\n",
                        SALTUS_NOT_FINITE);
    expect_message(&s, "cost 'root' (line 4)");
    release(&s);
}

/* ---- optimising ----------------------------------------------------------------------------- */

#define HUMPS                                                                                      \
    "model 'two humps'\n"                                                                          \
    "local p = param('p', 0.4, {lower = -1, upper = 3})\n"                                         \
    "local q = param('q', 0.3, {lower = -2, upper = 2})\n"                                         \
    "local x = coordinate('x', {speed = 1})\n"                                                     \
    "mass(x, 1)\n"                                                                                 \
    "local function hump(at, height) return exp(-200 * (x - at)^2) * height end\n"                 \
    "horizon(0, 4)\n"

static void expect_optimum(const char *script, saltus_sequences sequences, double start,
                           saltus_optimum_status status, double p, double q, double value)
{
    scripted    s = load(script);
    saltus_goal goal = saltus_system_goal(s.system);
    double      params[] = {start, 0.3};
    goal.sequences = sequences;
    saltus_optimum *o = saltus_optimise(s.system, NULL, &goal, params, NULL, &s.err);
    if (!o) fail_msg("%s", s.err.message);
    const saltus_optimum_info info = saltus_optimum_get_info(o);
    const double             *at = saltus_optimum_params(o);
    if (info.status != status || !(fabs(info.value - value) <= 1e-7) ||
        !(fabs(at[0] - p) <= 1e-5) || !(fabs(at[1] - q) <= 1e-5) || info.gradients > 60)
        fail_msg("%s, %.10g at %.10g, %.10g after %lld gradients",
                 saltus_optimum_status_name(info.status), info.value, at[0], at[1], info.gradients);
    saltus_optimum_free(o);
    release(&s);
}

/* The smallest largest value is where two peaks tie: with half of the slope of each, 2 q = 2 (1 -
 * q) and p + q^2 = 2 - p + (q - 1)^2, so p = 1, q = 1/2. From both sides, and whether or not the
 * sequence of events is kept. Where the cost falls on with the other peak, the search crosses: p^2
 * - 3 p + 1 = 0 at both ties, and the second is the optimum. */
TEST(the_smallest_of_largest_values_is_found_where_peaks_tie)
{
    static const char tie[] =
        HUMPS "cost('peak', {max = hump(1, p + q^2) + hump(3, 2 - p + (q - 1)^2)})\n"
              "optimise {minimise = 'peak', over = {'p', 'q'}}\n";
    expect_optimum(tie, SALTUS_KEEP_SEQUENCE, 0.4, SALTUS_OPTIMUM_KINK, 1.0, 0.5, 1.25);
    expect_optimum(tie, SALTUS_KEEP_SEQUENCE, 1.9, SALTUS_OPTIMUM_KINK, 1.0, 0.5, 1.25);
    expect_optimum(tie, SALTUS_FREE_SEQUENCE, 1.9, SALTUS_OPTIMUM_KINK, 1.0, 0.5, 1.25);
    static const char across[] =
        HUMPS "cost('peak', {max = hump(1, 8 - 2 * p + q^2) + hump(3, 5 + (p - 2)^2 - p + q^2)})\n"
              "optimise {minimise = 'peak', over = {'p', 'q'}}\n";
    expect_optimum(across, SALTUS_KEEP_SEQUENCE, -0.9, SALTUS_OPTIMUM_KINK, 0.5 * (3.0 + sqrt(5.0)),
                   0.0, 5.0 - sqrt(5.0));
    static const char limit[] =
        HUMPS "cost('peak', {max = hump(1, 1 + p^2) + hump(3, 2 - p + q^2)})\n"
              "cost('far', {final = -q - 0 * p})\n"
              "optimise {minimise = 'far', over = {'p', 'q'}, subject_to = {{'peak', max = 2}}}\n";
    /* where a limit holds two peaks, neither has a kink */
    expect_optimum(limit, SALTUS_KEEP_SEQUENCE, 0.5, SALTUS_OPTIMUM_CONVERGED, 1.0, 1.0, -1.0);
}

static void expect_mistake(const char *script, const char *part)
{
    saltus_error  err = {0};
    saltus_model *model = saltus_model_load_text("bad.lua", script, strlen(script), NULL, &err);
    saltus_system_free(saltus_system_compile(model, &err));
    saltus_model_free(model);
    if (!strstr(err.message, part)) fail_msg("'%s' is not in '%s'", part, err.message);
}

TEST(mistakes_are_named)
{
    expect_mistake(BALL "cost('c', {max = y, min = y})", "declare two costs");
    expect_mistake(BALL "cost('c', {max = 'y'})", "max");
    expect_mistake(BALL "cost('c', y)", "{max = ...}");
    expect_mistake(BALL "cost('c', {max = after(y)})", "after");
    expect_mistake(BALL "cost('c', {})", "max=, min=");
}

TEST_MAIN(RUN(a_bouncing_ball_has_its_peaks_where_they_must_be),
          RUN(a_peak_may_be_exactly_where_the_motion_is_looked_at),
          RUN(a_peak_after_events_has_their_derivatives),
          RUN(accelerations_of_an_oscillator_have_peaks), RUN(reactions_of_a_pendulum_have_peaks),
          RUN(a_rope_has_its_largest_force), RUN(peaks_on_events_have_the_derivative_of_their_time),
          RUN(the_end_at_an_event_may_be_the_peak), RUN(a_distance_of_zero_may_meet_other_events),
          RUN(what_is_between_two_events_of_an_instant_is_no_peak),
          RUN(equal_peaks_are_named_where_their_gradients_differ), RUN(flat_peaks_have_gradients),
          RUN(units_and_tolerances_do_not_matter), RUN(products_and_replays_know_peaks),
          RUN(an_expression_without_a_value_is_named),
          RUN(the_smallest_of_largest_values_is_found_where_peaks_tie), RUN(mistakes_are_named))
