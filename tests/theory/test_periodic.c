/* Periodic motions: published and closed forms of fixed points, periods, multipliers and their
 * derivatives. References with many digits were computed elsewhere, with 25 to 40 digits. */
#include "scripted.h"

#define PI "3.14159265358979323846"

typedef struct orbit {
    saltus_periodic              *search;
    const saltus_periodic_result *r;
} orbit;

static orbit find(const char *script)
{
    saltus_error  err = {0};
    orbit         o = {0};
    saltus_model *model = saltus_model_load_text("script.lua", script, strlen(script), NULL, &err);
    o.search = saltus_periodic_new(model, NULL, NULL, &err);
    saltus_model_free(model);
    saltus_periodic_find(o.search, NULL, &err);
    if (err.status) fail_msg("line %d: %s", err.line, err.message);
    o.r = saltus_periodic_get_result(o.search);
    return o;
}

static orbit found(const char *script)
{
    const orbit o = find(script);
    if (o.r->end != SALTUS_PERIODIC_FOUND) fail_msg("not found: %s", o.r->message);
    return o;
}

static void leave(orbit *o) { saltus_periodic_free(o->search); }

/* The place of a parameter among those that derivatives are by. */
static int by(const orbit *o, const char *name)
{
    const int param = saltus_system_find_param(saltus_periodic_system(o->search), name);
    for (int k = 0; k < o->r->params_by; k++)
        if (o->r->by[k] == param) return k;
    fail_msg("no derivative by %s", name);
    return -1;
}

static double start(const orbit *o, const char *name)
{
    const int param = saltus_system_find_param(saltus_periodic_system(o->search), name);
    EXPECT(param >= 0);
    return o->r->params[param];
}

static double d_start(const orbit *o, int unknown, const char *name)
{
    return o->r->gradient[unknown * o->r->params_by + by(o, name)];
}

static double d_period(const orbit *o, const char *name)
{
    return o->r->period_gradient[by(o, name)];
}

static double d_re(const orbit *o, int i, const char *name)
{
    return o->r->re_gradient[i * o->r->params_by + by(o, name)];
}

static double d_im(const orbit *o, int i, const char *name)
{
    return o->r->im_gradient[i * o->r->params_by + by(o, name)];
}

#define EXPECT_CLOSE(value, expected, relative)                                                    \
    EXPECT_NEAR(value, expected, (relative)*fabs(expected))

/* ---- published walkers and oscillators ------------------------------------------------------ */

/* Garcia et al. 1998, slope 0.009. */
#define WALKER(theta, omega)                                                                       \
    "local gam = param('gamma', 0.009)\n"                                                          \
    "local a0, w0 = param('theta0', " theta "), param('omega0', " omega ")\n"                      \
    "local th = coordinate('theta', {start = a0, speed = w0})\n"                                   \
    "local ph = coordinate('phi', {start = 2 * a0, speed = w0 * (1 - cos(2 * a0))})\n"             \
    "mass(th, 1) mass(ph, 1)\n"                                                                    \
    "force(th, sin(th - gam))\n"                                                                   \
    "force(ph, sin(th - gam) + dot(th)^2 * sin(ph) - cos(th - gam) * sin(ph))\n"                   \
    "event('heel strike', {when = ph - 2 * th, direction = 'rising', where = -th - 0.05,\n"        \
    "                      stop = 1})\n"                                                           \
    "cost('step', {final = 2 * sin(-th)})\n"                                                       \
    "periodic {[a0] = -th, [w0] = cos(2 * th) * dot(th)}\n"                                        \
    "horizon(0, 12)\n"

TEST(the_long_gait_of_the_simplest_walker_is_as_published)
{
    orbit o = found(WALKER("0.2", "-0.2"));
    EXPECT(o.r->unknowns == 2 && o.r->unknown[0] < o.r->unknown[1]);
    EXPECT_CLOSE(start(&o, "theta0"), 0.20031090054424708936, 1e-12);
    EXPECT_CLOSE(start(&o, "omega0"), -0.19983247300495235454, 1e-12);
    EXPECT_CLOSE(o.r->period, 3.8824637528513741376, 1e-12);
    EXPECT_CLOSE(o.r->cost[0], 0.39794804884199525232, 1e-12);
    EXPECT_CLOSE(o.r->re[0], -0.19009984106588814607, 1e-9);
    EXPECT_CLOSE(o.r->im[0], 0.55759877668206826877, 1e-9);
    EXPECT(o.r->re[1] == o.r->re[0] && o.r->im[1] == -o.r->im[0]);
    EXPECT_CLOSE(d_start(&o, 0, "gamma"), 7.29782021162264, 1e-11);
    EXPECT_CLOSE(d_start(&o, 1, "gamma"), -6.57092743332898, 1e-11);
    EXPECT_CLOSE(d_period(&o, "gamma"), 5.34678824546894, 1e-11);
    EXPECT_CLOSE(d_re(&o, 0, "gamma"), -78.3709733755135, 1e-9);
    EXPECT_CLOSE(d_im(&o, 0, "gamma"), -35.0612809310469, 1e-9);
    EXPECT_CLOSE(d_im(&o, 1, "gamma"), 35.0612809310469, 1e-9);
    EXPECT_CLOSE(o.r->map[0], -6.1058394607603964605, 1e-11);
    EXPECT_CLOSE(o.r->map[2], 5.1565178333520240734, 1e-11);
    leave(&o);
}

TEST(its_short_gait_is_unstable)
{
    orbit o = found(WALKER("0.194", "-0.204"));
    EXPECT_CLOSE(start(&o, "theta0"), 0.19393736981018180853, 1e-12);
    EXPECT_CLOSE(start(&o, "omega0"), -0.2038669274420069268, 1e-12);
    EXPECT_CLOSE(o.r->period, 3.0961058680781636999, 1e-12);
    EXPECT_CLOSE(o.r->re[0], 4.0038643589297071788, 1e-9);
    EXPECT_CLOSE(o.r->re[1], 0.45958958979767158751, 1e-9);
    EXPECT(o.r->im[0] == 0.0 && o.r->im[1] == 0.0);
    EXPECT_CLOSE(d_start(&o, 0, "gamma"), 7.00159654271102, 1e-11);
    EXPECT_CLOSE(d_period(&o, "gamma"), -3.77446485374994, 1e-11);
    EXPECT_CLOSE(d_re(&o, 0, "gamma"), 141.851975111221, 1e-9);
    EXPECT_CLOSE(d_re(&o, 0, "gamma") + d_re(&o, 1, "gamma"), 123.07327074713, 1e-9);
    leave(&o);
}

TEST(the_rimless_wheel_has_its_closed_form)
{
    orbit o = found("local al, ga = param('alpha', " PI " / 8), param('slope', 0.08)\n"
                    "local w0 = param('w0', 1)\n"
                    "local th = coordinate('theta', {start = ga - al, speed = w0})\n"
                    "mass(th, 1)\n"
                    "force(th, 9.81 * sin(th))\n"
                    "event('spoke', {when = th - ga - al, direction = 'rising', stop = 1})\n"
                    "periodic {[w0] = cos(2 * al) * dot(th)}\n"
                    "horizon(0, 10)\n");
    EXPECT_CLOSE(start(&o, "w0"), 1.0954628396476568284, 1e-12);
    EXPECT_CLOSE(o.r->period, 1.034549811423279329, 1e-12);
    EXPECT_CLOSE(o.r->re[0], 0.5, 1e-11);
    EXPECT_CLOSE(d_start(&o, 0, "slope"), 6.8320303408352119043, 1e-11);
    EXPECT_CLOSE(d_start(&o, 0, "alpha"), -3.0595107363140692244, 1e-11);
    EXPECT_CLOSE(d_re(&o, 0, "alpha"), -2.0, 1e-10);
    EXPECT_NEAR(d_re(&o, 0, "slope"), 0.0, 1e-9);
    EXPECT_CLOSE(d_period(&o, "slope"), -25.107112409066507741, 1e-11);
    EXPECT_CLOSE(d_period(&o, "alpha"), 16.623428889090773206, 1e-11);
    leave(&o);
}

/* Geyer et al. 2005, apex to apex, unit mass and leg. */
#define RUNNER(apex)                                                                               \
    "local kt, ang, E = param('k', 10.7), param('angle', " PI " / 6), param('E', 1.61)\n"          \
    "local y0 = param('apex', " apex ")\n"                                                         \
    "local g = 9.81\n"                                                                             \
    "local flight, stance, again = mode('flight'), mode('stance'), mode('again')\n"                \
    "local x = coordinate('x', {start = 0, speed = sqrt(2 * g * (E - y0))})\n"                     \
    "local y = coordinate('y', {start = y0})\n"                                                    \
    "mass(x, 1) mass(y, 1)\n"                                                                      \
    "force(y, -g)\n"                                                                               \
    "local foot = memory('foot', 0)\n"                                                             \
    "local r = hypot(x - foot, y)\n"                                                               \
    "potential(0.5 * kt * g * (r - 1)^2, {mode = stance})\n"                                       \
    "event('touchdown', {when = y - cos(ang), direction = 'falling', from = flight,\n"             \
    "                    to = stance, set = {[foot] = x + sin(ang)}})\n"                           \
    "event('takeoff', {when = r - 1, direction = 'rising', from = stance, to = again})\n"          \
    "event('apex', {when = dot(y), direction = 'falling', from = again, stop = 1})\n"              \
    "periodic {[y0] = y}\n"                                                                        \
    "horizon(0, 5)\n"

TEST(the_spring_mass_runner_has_two_gaits)
{
    orbit stable = found(RUNNER("0.87")), unstable = found(RUNNER("0.92"));
    EXPECT_CLOSE(start(&stable, "apex"), 0.87681466084624, 1e-12);
    EXPECT_CLOSE(stable.r->re[0], 0.487995575054, 1e-11);
    EXPECT_CLOSE(stable.r->period, 0.3717704678397, 1e-11);
    EXPECT_CLOSE(d_start(&stable, 0, "k"), 0.0657194111, 1e-9);
    EXPECT_CLOSE(d_start(&stable, 0, "E"), -0.36569647, 2e-9);
    EXPECT_CLOSE(d_re(&stable, 0, "k"), 3.7576884, 1e-8);
    EXPECT_CLOSE(start(&unstable, "apex"), 0.91683105141445, 1e-12);
    EXPECT_CLOSE(unstable.r->re[0], 1.34621628943, 1e-11);
    EXPECT_CLOSE(unstable.r->period, 0.49572076360228, 1e-11);
    EXPECT_CLOSE(d_start(&unstable, 0, "k"), -0.145639528, 5e-9);
    EXPECT_CLOSE(d_re(&unstable, 0, "k"), -1.6950811, 3e-8);
    leave(&stable);
    leave(&unstable);
}

TEST(van_der_pols_oscillator_has_its_cycle)
{
    /* Half a cycle, after which the motion is its own mirror image. */
    orbit half = found("local mu, a = param('mu', 1), param('a', 2)\n"
                       "local x = coordinate('x', {start = a})\n"
                       "mass(x, 1)\n"
                       "force(x, mu * (1 - x^2) * dot(x) - x)\n"
                       "event('turn', {when = dot(x), direction = 'rising', stop = 1})\n"
                       "periodic {[a] = -x}\n"
                       "horizon(0, 20)\n");
    EXPECT_CLOSE(start(&half, "a"), 2.00861986087484313651, 1e-12);
    EXPECT_CLOSE(2.0 * half.r->period, 6.6632868593231301897, 1e-12);
    EXPECT_CLOSE(half.r->re[0] * half.r->re[0], 0.0008596950636038052, 1e-10);
    EXPECT_CLOSE(d_start(&half, 0, "mu"), 0.013874131651037, 1e-10);
    EXPECT_CLOSE(2.0 * d_period(&half, "mu"), 0.73159659776593, 1e-11);
    EXPECT_CLOSE(2.0 * half.r->re[0] * d_re(&half, 0, "mu"), -0.007372959119, 1e-9);
    leave(&half);
}

/* ---- closed forms --------------------------------------------------------------------------- */

/* The normal form of Hopf: radius sqrt(mu), period 2 pi, multiplier exp(-4 pi mu). */
TEST(the_normal_form_of_hopf_has_its_closed_form)
{
    const double pi = 3.14159265358979323846, multiplier = exp(-4.0 * pi * 0.3);
    orbit        o = found("local mu, r0 = param('mu', 0.3), param('r0', 0.4)\n"
                                  "local x, y = state('x', {start = r0}), state('y') local r = x^2 + y^2\n"
                                  "rate(x, mu * x - y - x * r) rate(y, x + mu * y - y * r)\n"
                                  "event('cut', {when = y, direction = 'rising', where = x, stop = 1})\n"
                                  "horizon(0, 20) periodic {[r0] = x}\n");
    EXPECT_CLOSE(start(&o, "r0"), sqrt(0.3), 1e-12);
    EXPECT_CLOSE(o.r->period, 2.0 * pi, 1e-12);
    EXPECT_CLOSE(o.r->re[0], multiplier, 1e-11);
    EXPECT_CLOSE(d_start(&o, 0, "mu"), 0.5 / sqrt(0.3), 1e-11);
    EXPECT_CLOSE(d_re(&o, 0, "mu"), -4.0 * pi * multiplier, 1e-9);
    leave(&o);
}

/* A mass on a belt sticks until the spring pulls with Fs, and slides with Fk. With q = (Fs - Fk) /
 * (sqrt(k) v), it slides for 2 (pi - atan q) / sqrt(k) and sticks for 2 (Fs - Fk) / (k v). Where it
 * lets go does not depend on where it began: the multiplier is zero, and so is its derivative. */
TEST(a_mass_on_a_belt_sticks_and_slips_with_its_closed_form)
{
    const double pi = 3.14159265358979323846;
    orbit        o =
        found("local Fs, Fk, k = param('Fs', 1.5), param('Fk', 1), param('k', 4)\n"
              "local v, x0 = param('v', 0.5), param('x0', 0.3)\n"
              "local slip, stick = mode 'slip', mode 'stick'\n"
              "local x = coordinate('x', {start = x0, speed = v}) mass(x, 1) force(x, -k * x)\n"
              "force(x, Fk, {mode = slip}) force(x, k * x, {mode = stick})\n"
              "event('catch', {when = dot(x) - v, direction = 'rising', from = slip, to = stick})\n"
              "event('let', {when = k * x - Fs, direction = 'rising', from = stick, to = slip,\n"
              "  stop = 1})\n"
              "horizon(0, 50) periodic {[x0] = x}\n");
    const double q = 0.5; /* and sqrt(k) = 2 */
    EXPECT_CLOSE(start(&o, "x0"), 1.5 / 4.0, 1e-12);
    EXPECT_CLOSE(o.r->period, pi - atan(q) + 0.5, 1e-12);
    EXPECT_CLOSE(d_period(&o, "v"), q / 0.5 / (1.0 + q * q) - 1.0, 1e-10);
    EXPECT_CLOSE(d_period(&o, "Fs"), 1.0 - q / 0.5 / (1.0 + q * q), 1e-10);
    EXPECT_NEAR(o.r->re[0], 0.0, 1e-12);
    EXPECT_NEAR(d_re(&o, 0, "v"), 0.0, 1e-9);
    EXPECT_NEAR(d_re(&o, 0, "Fs"), 0.0, 1e-9);
    leave(&o);
}

/* A ball on a table that vibrates with the velocity A w cos(w t + phase), so little that its height
 * stays zero. Period one: w (2 v / g) = 2 pi, (1 - e) v = (1 + e) A w cos(phase), and
 *
 *     phase' = phase + 2 w v / g,   v' = e v + (1 + e) A w cos(phase')
 *
 * so that P_x has determinant e and trace 1 + e - 2 (1 + e) A w^2 sin(phase) / g. */
TEST(a_ball_on_a_vibrating_table_has_its_closed_form)
{
    const double e = 0.8, A = 0.0035, g = 9.81, w = 40.0, pi = 3.14159265358979323846;
    orbit        o = found("local e, A, g = param('e', 0.8), param('A', 0.0035), param('g', 9.81)\n"
                                  "local w = param('w', 40)\n"
                                  "local ph0, v0 = param('phase', 0.9), param('v', 0.8)\n"
                                  "local y = coordinate('y', {start = 0, speed = v0})\n"
                                  "mass(y, 1)\n"
                                  "force(y, -g)\n"
                                  "event('bounce', {when = y, direction = 'falling', stop = 1})\n"
                                  "local ph = ph0 + w * t\n"
                                  "periodic {[ph0] = ph - 2 * " PI ",\n"
                                  "          [v0] = -e * dot(y) + (1 + e) * A * w * cos(ph)}\n"
                                  "horizon(0, 10)\n");
    const double v = pi * g / w, cosine = (1.0 - e) * v / ((1.0 + e) * A * w);
    const double phase = acos(cosine),
                 trace = 1.0 + e - 2.0 * (1.0 + e) * A * w * w * sin(phase) / g;
    EXPECT_CLOSE(start(&o, "v"), v, 1e-12);
    EXPECT_CLOSE(start(&o, "phase"), phase, 1e-12);
    EXPECT_CLOSE(o.r->period, 2.0 * pi / w, 1e-12);
    EXPECT_NEAR(o.r->re[0] + o.r->re[1], trace, 1e-10);
    EXPECT_NEAR(o.r->re[0] * o.r->re[0] + o.r->im[0] * o.r->im[0], e, 1e-10);
    /* cos(phase) = (1 - e) v / ((1 + e) A w), and sin(phase) dphase = -dcos(phase). */
    const double d_phase = cosine / A / sin(phase);
    const double d_trace = -2.0 * (1.0 + e) * w * w / g * (sin(phase) + A * cosine * d_phase);
    EXPECT_CLOSE(d_re(&o, 0, "A") + d_re(&o, 1, "A"), d_trace, 1e-9);
    const double d_modulus =
        (o.r->re[0] * d_re(&o, 0, "e") + o.r->im[0] * d_im(&o, 0, "e")) / sqrt(e);
    EXPECT_CLOSE(d_modulus, 0.5 / sqrt(e), 1e-9);
    leave(&o);
}

/* A ball that a piston sends up again with a fraction of its speed and a kick: v' = e v + k, so the
 * fixed point is k / (1 - e), the multiplier e. */
TEST(a_kicked_ball_has_the_multiplier_of_its_restitution)
{
    orbit o = found("local e, k = param('e', 0.7), param('k', 1.5)\n"
                    "local v0 = param('v0', 2)\n"
                    "local y = coordinate('y', {start = 0, speed = v0})\n"
                    "mass(y, 1)\n"
                    "force(y, -9.81)\n"
                    "event('floor', {when = y, direction = 'falling', stop = 1})\n"
                    "cost('height', {final = dot(y)^2 / 19.62})\n"
                    "periodic {[v0] = k - e * dot(y)}\n"
                    "horizon(0, 10)\n");
    EXPECT_CLOSE(start(&o, "v0"), 5.0, 1e-12);
    EXPECT_CLOSE(o.r->re[0], 0.7, 1e-11);
    EXPECT_CLOSE(d_re(&o, 0, "e"), 1.0, 1e-9);
    EXPECT_NEAR(d_re(&o, 0, "k"), 0.0, 1e-9);
    EXPECT_CLOSE(d_start(&o, 0, "e"), 1.5 / 0.09, 1e-11);
    EXPECT_CLOSE(d_period(&o, "k"), 2.0 / 9.81 / 0.3, 1e-11);
    EXPECT_CLOSE(o.r->cost_gradient[by(&o, "k")], 2.0 * 5.0 / 0.3 / 19.62, 1e-11);
    leave(&o);
}

/* ---- models that we ship -------------------------------------------------------------------- */

static orbit find_model(const char *name)
{
    char         path[512];
    saltus_error err = {0};
    orbit        o = {0};
    snprintf(path, sizeof path, "%s/models/%s.lua", SALTUS_SOURCE_DIR, name);
    saltus_model *model = saltus_model_load(path, &err);
    o.search = saltus_periodic_new(model, NULL, NULL, &err);
    saltus_model_free(model);
    saltus_periodic_find(o.search, NULL, &err);
    if (err.status) fail_msg("%s: %s", path, err.message);
    o.r = saltus_periodic_get_result(o.search);
    if (o.r->end != SALTUS_PERIODIC_FOUND) fail_msg("%s: %s", path, o.r->message);
    return o;
}

static double product(const orbit *o)
{
    return o->r->map[0] * o->r->map[3] - o->r->map[1] * o->r->map[2];
}

/* v = pi g / w and cos(phase) = (1 - e) v / ((1 + e) A w), as the ball lands where it started; the
 * product of the multipliers is e^2, so that conjugate ones have the modulus e. */
TEST(no_table_makes_a_ball_more_stable_than_its_restitution)
{
    const double e = 0.6, A = 0.006, w = 40.0, g = 9.81, pi = 3.14159265358979323846;
    orbit        o = find_model("vibrating_table");
    EXPECT_CLOSE(start(&o, "v0"), pi * g / w, 1e-12);
    EXPECT_CLOSE(cos(start(&o, "phase")), (1.0 - e) * pi * g / w / ((1.0 + e) * A * w), 1e-11);
    EXPECT_CLOSE(product(&o), e * e, 1e-11);
    EXPECT(o.r->im[0] > 0.0);
    EXPECT_CLOSE(hypot(o.r->re[0], o.r->im[0]), e, 1e-11);
    EXPECT_CLOSE((o.r->re[0] * d_re(&o, 0, "e") + o.r->im[0] * d_im(&o, 0, "e")) / e, 1.0, 1e-9);
    EXPECT_NEAR(o.r->re[0] * d_re(&o, 0, "A") + o.r->im[0] * d_im(&o, 0, "A"), 0.0, 1e-8);
    leave(&o);
}

/* Damping and impact shrink areas: the product of the multipliers is r^2 exp(-c T). */
TEST(an_impact_oscillator_shrinks_areas_as_it_must)
{
    const double r = 0.8, c = 0.2, T = 2.0 * 3.14159265358979323846 / 0.7;
    orbit        o = find_model("impact_oscillator");
    EXPECT_CLOSE(product(&o), r * r * exp(-c * T), 1e-10);
    /* Of a conjugate pair: d|lambda|^2 = d(r^2 exp(-c T)). */
    const double by_r = 2.0 * (o.r->re[0] * d_re(&o, 0, "r") + o.r->im[0] * d_im(&o, 0, "r"));
    const double by_c = 2.0 * (o.r->re[0] * d_re(&o, 0, "c") + o.r->im[0] * d_im(&o, 0, "c"));
    EXPECT(o.r->im[0] > 0.0);
    EXPECT_CLOSE(by_r, 2.0 * r * exp(-c * T), 1e-8);
    EXPECT_CLOSE(by_c, -T * r * r * exp(-c * T), 1e-8);
    leave(&o);
}

/* Its gait begins near the start values that are published, with four digits, for these masses. */
TEST(a_walker_with_knees_walks)
{
    orbit o = find_model("kneed_walker");
    EXPECT_NEAR(start(&o, "th0"), 0.1877, 1e-3);
    EXPECT_NEAR(start(&o, "w1"), -1.1014, 1e-2);
    EXPECT_NEAR(start(&o, "w2"), -0.0399, 2e-2);
    EXPECT(hypot(o.r->re[0], o.r->im[0]) < 1.0);
    leave(&o);
}

/* ---- what is not there ---------------------------------------------------------------------- */

static saltus_error refusal(const char *script)
{
    saltus_error  err = {0};
    saltus_model *model = saltus_model_load_text("script.lua", script, strlen(script), NULL, &err);
    saltus_periodic *none = saltus_periodic_new(model, NULL, NULL, &err);
    EXPECT(!none && err.status == SALTUS_ERR_MODEL);
    saltus_model_free(model);
    return err;
}

#define OSCILLATOR                                                                                 \
    "local k, x0, v0 = param('k', 1), param('x0', 1), param('v0', 0)\n"                            \
    "local x = coordinate('x', {start = x0, speed = v0})\n"                                        \
    "mass(x, 1)\n"                                                                                 \
    "force(x, -k * x)\n"

TEST(statements_that_make_no_sense_are_refused_by_name)
{
    EXPECT(strstr(refusal(OSCILLATOR "horizon(0, 1)").message, "periodic{[x0] = x"));
    saltus_error err = refusal(OSCILLATOR "horizon(0, 1)\nperiodic {[k] = x}");
    EXPECT(strstr(err.message, "'k'") && err.line == 6);
    EXPECT(strstr(refusal(OSCILLATOR "periodic {[x] = x}").message, "parameter"));
    EXPECT(strstr(refusal(OSCILLATOR "periodic {x0 = x}").message, "[x0]"));
    EXPECT(strstr(refusal(OSCILLATOR "periodic {}").message, "empty"));
    EXPECT(strstr(refusal(OSCILLATOR "periodic(x0)").message, "table"));
    EXPECT(strstr(refusal(OSCILLATOR "periodic {[x0] = x}\nperiodic {[x0] = -x}").message, "'x0'"));
}

TEST(without_a_section_the_multiplier_one_is_explained)
{
    orbit o = find(OSCILLATOR "periodic {[x0] = x, [v0] = dot(x)}\nhorizon(0, 2 * " PI ")");
    EXPECT(o.r->end == SALTUS_PERIODIC_SINGULAR);
    EXPECT(strstr(o.r->message, "section") && !o.r->gradient && o.r->re);
    EXPECT_NEAR(o.r->re[0], 1.0, 1e-6);
    leave(&o);
}

TEST(a_search_that_fails_says_why_and_keeps_the_best_point)
{
    /* x' = x + x^2 + 1 has no fixed point. */
    orbit o = find("local x0 = param('x0', 1)\n"
                   "local x = coordinate('x', {start = x0})\n"
                   "mass(x, 1)\n"
                   "periodic {[x0] = x + x^2 + 1}\n"
                   "horizon(0, 1)\n");
    EXPECT(o.r->end == SALTUS_PERIODIC_STUCK || o.r->end == SALTUS_PERIODIC_LIMIT);
    EXPECT_NEAR(start(&o, "x0"), 0.0, 1e-3);
    EXPECT_NEAR(o.r->residual, 1.0, 1e-5);
    EXPECT(o.r->message[0] && !o.r->re && !o.r->gradient);
    leave(&o);
    /* The section is not reached. */
    o = find(OSCILLATOR "event('never', {when = x - 3, stop = 1})\n"
                        "periodic {[v0] = dot(x)}\nhorizon(0, 1)");
    EXPECT(o.r->end == SALTUS_PERIODIC_NO_START && strstr(o.r->message, "horizon"));
    leave(&o);
}

TEST_MAIN(RUN(the_long_gait_of_the_simplest_walker_is_as_published),
          RUN(its_short_gait_is_unstable), RUN(the_rimless_wheel_has_its_closed_form),
          RUN(the_spring_mass_runner_has_two_gaits), RUN(van_der_pols_oscillator_has_its_cycle),
          RUN(the_normal_form_of_hopf_has_its_closed_form),
          RUN(a_mass_on_a_belt_sticks_and_slips_with_its_closed_form),
          RUN(a_ball_on_a_vibrating_table_has_its_closed_form),
          RUN(a_kicked_ball_has_the_multiplier_of_its_restitution),
          RUN(no_table_makes_a_ball_more_stable_than_its_restitution),
          RUN(an_impact_oscillator_shrinks_areas_as_it_must), RUN(a_walker_with_knees_walks),
          RUN(statements_that_make_no_sense_are_refused_by_name),
          RUN(without_a_section_the_multiplier_one_is_explained),
          RUN(a_search_that_fails_says_why_and_keeps_the_best_point))
