/* Fits: NIST's reference problems as motions, values and standard deviations; samples and event
 * times in closed form; what the data cannot tell, bounds, points without a motion. */
#include "scripted.h"
#include "solve/student.h"

typedef struct fitted {
    saltus_error             err;
    saltus_fit              *fit;
    const saltus_fit_result *result;
} fitted;

static fitted fit_script(const char *script)
{
    fitted        f = {0};
    saltus_model *model = saltus_model_load_text("fit.lua", script, strlen(script), NULL, &f.err);
    f.fit = saltus_fit_new(model, NULL, NULL, 0, 0.0, &f.err);
    saltus_model_free(model);
    if (f.err.status) fail_msg("line %d: %s\n%s", f.err.line, f.err.message, script);
    saltus_fit_find(f.fit, NULL, &f.err);
    if (f.err.status) fail_msg("%s", f.err.message);
    f.result = saltus_fit_get_result(f.fit);
    return f;
}

static void forget(fitted *f)
{
    saltus_fit_free(f->fit);
    *f = (fitted){0};
}

static void expect_end(const fitted *f, saltus_fit_end end)
{
    if (f->result->end != end)
        fail_msg("the fit ended with %d: %s", (int)f->result->end, f->result->message);
}

static void expect_close(const char *what, double value, double expected, double part)
{
    if (!(fabs(value - expected) <= part * fabs(expected)))
        fail_msg("%s = %.15g, expected %.15g: off by a part of %.3g", what, value, expected,
                 fabs(value / expected - 1.0));
}

/* ---- NIST ----------------------------------------------------------------------------------- */

/* Statistical reference data sets, nonlinear regression: data and certified values by NIST; their
 * further digits, and those of the standard deviations, by Gauss-Newton steps with 60 digits. */
typedef struct nist {
    const char *name;
    int         params;
    double      start[2][4];
    const char *model, *x, *y;
    double      value[4], sd[4], rss;
} nist;

#define SATURATION                                                                                 \
    "local y = state('y', {rate = function(y) return b2 * (b1 - y) end}) horizon(0, x[#x])\n"

static const nist problems[] = {
    {"Misra1a",
     2,
     {{500, 0.0001}, {250, 0.0005}},
     SATURATION,
     "77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, "
     "760.0",
     "10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, "
     "81.78",
     {2.3894212917886e+02, 5.5015643180591e-04},
     {2.7070075241394e+00, 7.2668688436190e-06},
     1.245513889444e-01},
    {"BoxBOD",
     2,
     {{1, 1}, {100, 0.75}},
     SATURATION,
     "1, 2, 3, 5, 7, 10",
     "109, 149, 149, 191, 213, 224",
     {2.1380940889040e+02, 5.4723748541920e-01},
     {1.2354515176476e+01, 1.0455993237007e-01},
     1.168008876556e+03},
    {"DanWood",
     2,
     {{1, 5}, {0.7, 4}},
     "local y = state('y', {start = b1, rate = function(y) return b2 * y / t end})\n"
     "horizon(1, x[#x])\n",
     "1.309, 1.471, 1.490, 1.565, 1.611, 1.680",
     "2.138, 3.421, 3.597, 4.340, 4.882, 5.660",
     {7.6886226176498e-01, 3.8604055870761e+00},
     {1.8281973860142e-02, 5.1726610912868e-02},
     4.317308408291e-03},
    {"MGH10",
     3,
     {{2, 400000, 25000}, {0.02, 4000, 250}},
     "local y = state('y', {start = b1 * exp(b2 / (50 + b3)),\n"
     "                      rate = function(y) return -b2 / (t + b3)^2 * y end})\n"
     "horizon(50, x[#x])\n",
     "50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 100, 105, 110, 115, 120, 125",
     "34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427, 3820, "
     "3307, 2872",
     {5.6096364710281e-03, 6.1813463462864e+03, 3.4522363462414e+02},
     {1.5687892470888e-04, 2.3309021106879e+01, 7.8486103507646e-01},
     8.794585517085e+01},
    {"MGH09",
     4,
     {{25, 39, 41.5, 39}, {0.25, 0.39, 0.415, 0.39}},
     "local s = state('s', {rate = 1})\n"
     "local y = b1 * (s^2 + s * b2) / (s^2 + s * b3 + b4) horizon(0, 4)\n",
     "0.0625, 0.0714, 0.0833, 0.1, 0.125, 0.167, 0.25, 0.5, 1, 2, 4",
     "0.0246, 0.0235, 0.0323, 0.0342, 0.0456, 0.0627, 0.0844, 0.16, 0.1735, 0.1947, 0.1957",
     {1.9280693457904e-01, 1.9128232873437e-01, 1.2305650692632e-01, 1.3606233068379e-01},
     {1.1435312226554e-02, 1.9633220911016e-01, 8.0842031231752e-02, 9.0025542308237e-02},
     3.075056038492e-04},
    {"Rat42",
     3,
     {{100, 1, 0.1}, {75, 2.5, 0.07}},
     "local y = state('y', {start = b1 / (1 + exp(b2)),\n"
     "                      rate = function(y) return b3 * y * (1 - y / b1) end})\n"
     "horizon(0, x[#x])\n",
     "9, 14, 21, 28, 42, 57, 63, 70, 79",
     "8.93, 10.8, 18.59, 22.33, 39.35, 56.11, 61.73, 64.62, 67.08",
     {7.2462237575569e+01, 2.6180768402085e+00, 6.7359200066105e-02},
     {1.7340283400542e+00, 8.8295217536459e-02, 3.4465663376823e-03},
     8.056522933811e+00},
    {"Rat43",
     4,
     {{100, 10, 1, 1}, {700, 5, 0.75, 1.3}},
     "local y = state('y', {start = b1 / (1 + exp(b2))^(1 / b4),\n"
     "                      rate = function(y) return b3 / b4 * y * (1 - (y / b1)^b4) end})\n"
     "horizon(0, x[#x])\n",
     "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
     "16.08, 33.83, 65.80, 97.20, 191.55, 326.20, 386.87, 520.53, 590.03, 651.92, 724.93, 699.56, "
     "689.96, 637.56, 717.41",
     {6.9964151269645e+02, 5.2771253024500e+00, 7.5962938329413e-01, 1.2792483859097e+00},
     {1.6302297816697e+01, 2.0828735829461e+00, 1.9566123450888e-01, 6.8761936384973e-01},
     8.786404907963e+03},
};

static void expect_nist(const nist *p, const double *start)
{
    char   script[2048];
    size_t at = 0;
    for (int i = 0; i < p->params; i++)
        at += (size_t)snprintf(script + at, sizeof script - at, "local b%d = param('b%d', %.17g)\n",
                               i + 1, i + 1, start[i]);
    snprintf(script + at, sizeof script - at,
             "local x = {%s}\n%smeasurement('%s', {of = y, at = x, value = {%s}})\n", p->x,
             p->model, p->name, p->y);
    fitted f = fit_script(script);
    expect_end(&f, SALTUS_FIT_CONVERGED);
    expect_close("rss", f.result->rss, p->rss, 1e-9);
    for (int i = 0; i < p->params; i++) {
        expect_close(p->name, f.result->params[i], p->value[i], 1e-8);
        expect_close(p->name, f.result->sd[i], p->sd[i], 1e-8);
    }
    EXPECT(f.result->unidentified == 0);
    forget(&f);
}

TEST(nist_problems_as_motions_have_their_certified_values)
{
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        for (int start = 0; start < 2; start++) expect_nist(&problems[i], problems[i].start[start]);
}

/* ---- closed forms --------------------------------------------------------------------------- */

/* A straight line: everything about it is known, and its profile is its interval. */
TEST(a_straight_line_has_the_textbook_answer)
{
    static const double x[] = {0, 1, 2, 3, 4, 5}, y[] = {1.1, 2.9, 5.2, 6.8, 9.1, 11.3};
    double              mx = 0, my = 0, sxx = 0, sxy = 0, rss = 0;
    for (int i = 0; i < 6; i++) mx += x[i] / 6, my += y[i] / 6;
    for (int i = 0; i < 6; i++) sxx += (x[i] - mx) * (x[i] - mx), sxy += (x[i] - mx) * (y[i] - my);
    const double b = sxy / sxx, a = my - b * mx;
    for (int i = 0; i < 6; i++) rss += (a + b * x[i] - y[i]) * (a + b * x[i] - y[i]);
    const double s = sqrt(rss / 4), sd_b = s / sqrt(sxx), sd_a = s * sqrt(1.0 / 6 + mx * mx / sxx);
    fitted       f = fit_script("local a, b = param('a', 0), param('b', 0)\n"
                                      "local y = coordinate('y', {start = a, speed = b}) mass(y, 1)\n"
                                      "measurement('y', {of = y, at = {0, 1, 2, 3, 4, 5},\n"
                                      "                  value = {1.1, 2.9, 5.2, 6.8, 9.1, 11.3}})\n"
                                      "horizon(0, 5)\n");
    const double t = 2.7764451051977987; /* 95 %, four degrees of freedom */
    saltus_fit_profile_interval interval;
    expect_end(&f, SALTUS_FIT_CONVERGED);
    EXPECT(f.result->freedom == 4);
    expect_close("a", f.result->params[0], a, 1e-12);
    expect_close("b", f.result->params[1], b, 1e-12);
    expect_close("sd of a", f.result->sd[0], sd_a, 1e-11);
    expect_close("sd of b", f.result->sd[1], sd_b, 1e-11);
    expect_close("rss", f.result->rss, rss, 1e-11);
    expect_close("correlation", f.result->correlation[1], -mx / sqrt(mx * mx + sxx / 6), 1e-11);
    expect_close("from", f.result->lower[1], b - t * sd_b, 1e-11);
    expect_close("to", f.result->upper[1], b + t * sd_b, 1e-11);
    for (int i = 0; i < 6; i++)
        expect_close("band", f.result->band[i],
                     t * s * sqrt(1.0 / 6 + (x[i] - mx) * (x[i] - mx) / sxx), 1e-10);
    for (int i = 0; i < 2; i++) {
        saltus_fit_profile(f.fit, i, &interval, &f.err);
        if (f.err.status) fail_msg("%s", f.err.message);
        expect_close("profile from", interval.lower, f.result->lower[i], 1e-7);
        expect_close("profile to", interval.upper, f.result->upper[i], 1e-7);
        EXPECT(!interval.lower_is_open && !interval.upper_is_open);
    }
    forget(&f);
}

/* A ball from h: it hits at T (1 + 2 e + 2 e^2 + ...), T = sqrt(2 h / g). With standard deviations
 * given, those of g and e follow from the derivatives of these times alone. */
TEST(times_of_events_determine_gravity_and_restitution)
{
    const double g = 9.7, e = 0.83, sigma = 0.001, T = sqrt(2.0 / g);
    double       A[3] = {0, 0, 0}, at = T, slope = 0;
    char         script[1024], hits[200] = "";
    for (int k = 0; k < 4; k++) { /* at = T w(e), and w' = slope */
        const double w = at / T, dg = -0.5 * at / g / sigma, de = T * slope / sigma;
        snprintf(hits + strlen(hits), sizeof hits - strlen(hits), "%.17g, ", at);
        A[0] += dg * dg, A[1] += dg * de, A[2] += de * de;
        at = T * (w + 2 * pow(e, k + 1));
        slope += 2 * (k + 1) * pow(e, k);
    }
    const double d = A[0] * A[2] - A[1] * A[1];
    snprintf(script, sizeof script,
             "local g, e = param('g', 9), param('e', 0.7, {lower = 0, upper = 1})\n"
             "local y = coordinate('y', {start = 1}) mass(y, 1) force(y, -g)\n"
             "event('floor', {when = y, direction = 'falling', restitution = e})\n"
             "measurement('hits', {event = 'floor', value = {%s}, sigma = %g}) horizon(0, 2.5)\n",
             hits, sigma);
    fitted f = fit_script(script);
    expect_end(&f, SALTUS_FIT_CONVERGED);
    expect_close("g", f.result->params[0], g, 1e-11);
    expect_close("e", f.result->params[1], e, 1e-11);
    expect_close("sd of g", f.result->sd[0], sqrt(A[2] / d), 1e-9);
    expect_close("sd of e", f.result->sd[1], sqrt(A[0] / d), 1e-9);
    expect_close("correlation", f.result->correlation[1], -A[1] / sqrt(A[0] * A[2]), 1e-9);
    expect_close("to", f.result->upper[0], g + 1.959963984540054 * sqrt(A[2] / d), 1e-9);
    forget(&f);
}

/* ---- what can go wrong ---------------------------------------------------------------------- */

/* Only k / m matters: both may grow by the same part. */
TEST(combinations_that_the_data_cannot_tell_are_named)
{
    fitted f =
        fit_script("local k, m, x0 = param('k', 8), param('m', 3), param('x0', 1)\n"
                   "local x = coordinate('x', {start = x0}) mass(x, m) potential(k * x^2 / 2)\n"
                   "measurement('x', {of = x, at = {0, 0.5, 1, 1.5},\n"
                   "                  value = {1.01, 0.53, -0.41, -0.99}})\n"
                   "horizon(0, 2)\n");
    expect_end(&f, SALTUS_FIT_CONVERGED);
    EXPECT(f.result->unidentified == 1 && f.result->freedom == 2);
    EXPECT(f.result->params[1] > 2.0 && f.result->params[1] < 4.0); /* it stays where it began */
    const double *part = f.result->combination;
    EXPECT_NEAR(part[0] / part[1], f.result->params[0] / f.result->params[1], 1e-6);
    EXPECT(part[2] == 0.0);
    EXPECT(isnan(f.result->sd[0]) && isnan(f.result->sd[1]) && f.result->sd[2] > 0.0);
    forget(&f);
}

TEST(a_bound_may_hold_an_estimate)
{
    fitted f = fit_script("local a = param('a', 0, {upper = 0.5}) local b = param('b', 0)\n"
                          "local y = coordinate('y', {start = a, speed = b}) mass(y, 1)\n"
                          "measurement('y', {of = y, at = {1, 2, 3}, value = {2, 3, 4.5}})\n"
                          "horizon(0, 3)\n");
    expect_end(&f, SALTUS_FIT_CONVERGED);
    EXPECT_NEAR(f.result->params[0], 0.5, 0.0);
    EXPECT(f.result->held[0] && !f.result->held[1]);
    expect_close("b", f.result->params[1], (1.5 + 2 * 2.5 + 3 * 4) / 14, 1e-11);
    EXPECT(isnan(f.result->sd[0]) && f.result->freedom == 2);
    forget(&f);
}

/* Rosenbrock's valley, with no motion where a > 1.05: such points are steps that are too long. */
TEST(points_that_cannot_be_simulated_are_rejected_steps)
{
    fitted f = fit_script("local a, b = param('a', -1.2), param('b', 1)\n"
                          "local x = coordinate('x') mass(x, 1) force(x, sqrt(1.05 - a))\n"
                          "measurement('1', {of = 10 * (b - a^2) + 0 * x, at = {1}, value = {0}})\n"
                          "measurement('2', {of = 1 - a + 0 * x, at = {1}, value = {0}})\n"
                          "horizon(0, 1)\n");
    expect_end(&f, SALTUS_FIT_CONVERGED);
    EXPECT_NEAR(f.result->params[0], 1.0, 1e-9);
    EXPECT_NEAR(f.result->params[1], 1.0, 1e-9);
    forget(&f);
}

static void expect_no_fit(const char *script, const char *part)
{
    saltus_error  err = {0};
    saltus_model *model = saltus_model_load_text("fit.lua", script, strlen(script), NULL, &err);
    saltus_fit   *fit = saltus_fit_new(model, NULL, NULL, 0, 0.0, &err);
    saltus_fit_find(fit, NULL, &err);
    const char *text = err.status ? err.message : saltus_fit_get_result(fit)->message;
    if (!strstr(text, part)) fail_msg("'%s' is not in '%s' of\n%s", part, text, script);
    saltus_fit_free(fit);
    saltus_model_free(model);
}

TEST(fits_that_cannot_be_made_say_why)
{
#define BALL                                                                                       \
    "local g = param('g', 10) local y = coordinate('y', {start = 1}) mass(y, 1) force(y, -g)\n"    \
    "event('floor', {when = y, direction = 'falling', restitution = 0.5}) horizon(0, 0.7)\n"
    expect_no_fit(BALL, "no measurements");
    expect_no_fit(BALL "measurement('m', {event = 'flor', value = {1}})", "did you mean 'floor'");
    expect_no_fit(BALL "measurement('m', {event = 'floor', value = {0.4, 0.8}})",
                  "happens 1 time, but 2 were measured");
    expect_no_fit(BALL "measurement('m', {of = y, at = {2}, value = {1}})", "does not contain");
    expect_no_fit(BALL "param('k', 1) measurement('m', {of = y, at = {0.1}, value = {1}})",
                  "1 measured values cannot determine 2 parameters");
    expect_no_fit(BALL "measurement('m', {of = y, at = {0.1}, value = {1}, sigma = 1})\n"
                       "measurement('n', {of = y, at = {0.2}, value = {1}})",
                  "give sigma for all measurements, or for none");
    expect_no_fit(BALL "measurement('m', {of = y, at = {0.2, 0.1}, value = {1, 1}})",
                  "must not decrease");
    expect_no_fit(BALL "measurement('m', {of = y, at = {0.1}, value = {1, 1}})", "at has 1");
    expect_no_fit(BALL "measurement('m', {of = y, at = {0.1}, value = {1}, sigma = 0})",
                  "must be positive");
    expect_no_fit(BALL
                  "measurement('m', {of = y, at = {0.1, 0.2}, value = {1, 1}, sigma = {1, 1, 1}})",
                  "3 standard deviations");
    expect_no_fit(BALL "measurement('m', {value = {1}})", "needs either");
    expect_no_fit(BALL "measurement('m', {of = y, value = {1}})", "at = is missing");
    expect_no_fit(BALL "measurement('m', {of = y, at = {}, value = {}})", "is empty");
#undef BALL
}

TEST(quantiles_of_student_are_right)
{
    expect_close("1", sal_student_quantile(0.95, 1), 12.706204736174698, 1e-12);
    expect_close("2", sal_student_quantile(0.95, 2), 0.95 * sqrt(2 / (1 - 0.95 * 0.95)), 1e-12);
    expect_close("12", sal_student_quantile(0.95, 12), 2.1788128296634177, 1e-11);
    expect_close("all", sal_student_quantile(0.95, INFINITY), 1.959963984540054, 1e-12);
    expect_close("many", sal_student_quantile(0.95, 1e7), 1.959963984540054, 1e-6);
    for (double t = 0.1; t < 20; t *= 1.7) /* three degrees of freedom, in closed form */
        EXPECT_NEAR(sal_student_within(t, 3),
                    2 / acos(-1.0) * (atan(t / sqrt(3)) + t / sqrt(3) / (1 + t * t / 3)), 1e-14);
}

TEST_MAIN(RUN(nist_problems_as_motions_have_their_certified_values),
          RUN(a_straight_line_has_the_textbook_answer),
          RUN(times_of_events_determine_gravity_and_restitution),
          RUN(combinations_that_the_data_cannot_tell_are_named), RUN(a_bound_may_hold_an_estimate),
          RUN(points_that_cannot_be_simulated_are_rejected_steps),
          RUN(fits_that_cannot_be_made_say_why), RUN(quantiles_of_student_are_right))
