/* Steps that suit the motion and not its derivatives.
 *
 * An oscillator at rest, pushed by forces that are all zero: nothing moves, and steps are as long
 * as the clock allows. What the forces would do moves at the frequency of the oscillator, and is
 * known in closed form. A method that takes the steps as they are has no digits that a tolerance
 * could have asked for. */
#include <math.h>

#include "scripted.h"

enum { PUSHES = 12 };
static const double frequency = 7.0, length = 0.25; /* of a push */

static const char pushed[] =
    "model 'pushed'\n"
    "local w, h, N = 7, 0.25, 12\n"
    "local x = coordinate('x')\n"
    "mass(x, 1)\n"
    "force(x, -w^2 * x)\n"
    "local u = {}\n"
    "for k = 1, N do u[k] = param('u' .. k, 0) end\n"
    "local f = memory('f', u[1])\n"
    "force(x, f)\n"
    "for k = 2, N do\n"
    "  event('push ' .. k, {when = t - (k - 1) * h, direction = 'rising', set = {[f] = u[k]}})\n"
    "end\n"
    "cost('x', {final = x}) cost('v', {final = dot(x)}) cost('sum', {integral = x})\n"
    "horizon(0, N * h)\n";

/* What a push from `from` to `to` leaves at time t: of x, of v, of the integral of x. */
static void moved(double from, double to, double t, double out[3])
{
    const double w = frequency, w2 = w * w;
    const double a = w * (t - from), b = t > to ? w * (t - to) : 0.0;
    out[0] = (cos(b) - cos(a)) / w2;
    out[1] = (sin(a) - sin(b)) / w;
    out[2] = ((t > to ? sin(b) / w + (to - from) : t - from) - sin(a) / w) / w2;
}

static double worst(const double *found)
{
    double most = 0.0;
    for (int k = 0; k < PUSHES; k++) {
        double right[3];
        moved(k * length, (k + 1) * length, PUSHES * length, right);
        for (int c = 0; c < 3; c++)
            most = fmax(most, fabs(found[c * PUSHES + k] - right[c]) / 0.02);
    }
    return most;
}

static double error_of(scripted *s, saltus_method method)
{
    const saltus_request request = {.method = method};
    double               found[3 * PUSHES];
    if (!s->run) s->run = saltus_run_new(s->system, &s->options, &s->err);
    saltus_run_simulate(s->run, NULL, &s->err);
    saltus_run_gradients(s->run, &request, found, NULL, NULL, &s->err);
    if (s->err.status) fail_msg("%s", s->err.message);
    return worst(found);
}

static scripted at(saltus_integrator integrator, double tolerance)
{
    scripted s = load(pushed);
    s.options.integrator = integrator;
    s.options.rtol = s.options.atol = tolerance;
    return s;
}

static void methods_with_control_are_exact(void **state)
{
    const saltus_method     controlled[] = {SALTUS_DIRECT, SALTUS_ADJOINT, SALTUS_AUTO};
    const saltus_integrator integrators[] = {SALTUS_DOPRI5, SALTUS_DOP853};
    (void)state;
    for (int i = 0; i < 2; i++)
        for (double tolerance = 1e-6; tolerance > 1e-13; tolerance *= 1e-3)
            for (int m = 0; m < 3; m++) {
                scripted s = at(integrators[i], tolerance);
                /* asked again, directions may go along with the simulation */
                for (int again = 0; again < 3; again++) {
                    const double error = error_of(&s, controlled[m]);
                    if (error > 3e3 * tolerance)
                        fail_msg("%s, tolerance %g: off by %g", saltus_method_name(controlled[m]),
                                 tolerance, error);
                }
                release(&s);
            }
}

static void steps_alone_are_not(void **state)
{
    scripted s = at(SALTUS_DOPRI5, 1e-9);
    (void)state;
    assert_true(error_of(&s, SALTUS_DISCRETE) > 1e-5);
    assert_int_equal(saltus_run_method_used(s.run), SALTUS_DISCRETE);
    assert_true(error_of(&s, SALTUS_TANGENT) > 1e-5);
    error_of(&s, SALTUS_AUTO);
    assert_int_equal(saltus_run_method_used(s.run), SALTUS_ADJOINT);
    release(&s);
}

/* Where they are short enough, the cheapest method stays. */
static void steps_may_suffice(void **state)
{
    scripted s = at(SALTUS_DOPRI5, 1e-9);
    (void)state;
    s.options.max_step = 0.004;
    assert_true(error_of(&s, SALTUS_AUTO) < 1e-7);
    assert_int_equal(saltus_run_method_used(s.run), SALTUS_DISCRETE);
    release(&s);
}

/* One step to the end of the horizon, some of them far beyond what is stable for derivatives. */
static void long_steps_are_divided(void **state)
{
    const saltus_method method[] = {SALTUS_DIRECT, SALTUS_ADJOINT, SALTUS_AUTO};
    (void)state;
    for (double stiffness = 20.0; stiffness < 1e4; stiffness *= 10.0)
        for (int m = 0; m < 6; m++) {
            char script[400];
            snprintf(script, sizeof script,
                     "local u, q = param('u', 0), coordinate('q') mass(q, 1)\n"
                     "force(q, -%g * sin(q) + u * (1 + cos(q)))\n"
                     "cost('q', {final = q}) horizon(0, 2)\n",
                     stiffness);
            scripted     s = load(script);
            const double w = sqrt(stiffness), right = 2.0 / stiffness * (1.0 - cos(2.0 * w));
            s.options.integrator = m < 3 ? SALTUS_DOP853 : SALTUS_DOPRI5;
            s.options.rtol = s.options.atol = 1e-9;
            simulate(&s, NULL);
            const double found = gradient(&s, method[m % 3], "q", "u");
            if (fabs(found - right) > 3e-6 * 2.0 / stiffness)
                fail_msg("%s, stiffness %g: %.10g instead of %.10g",
                         saltus_method_name(method[m % 3]), stiffness, found, right);
            release(&s);
        }
}

/* A mass at rest on a stiff spring: the motion has ten steps, its derivatives turn up to a hundred
 * thousand times. */
static scripted resting(double frequency_of_spring, int costs)
{
    char script[400];
    snprintf(script, sizeof script,
             "local u, x = param('u', 0), coordinate('x') mass(x, 1)\n"
             "force(x, -%.17g^2 * x + u)\n"
             "for i = 1, %d do cost('x' .. i, {final = i * x}) end horizon(0, 3)\n",
             frequency_of_spring, costs);
    scripted s = load(script);
    s.options.rtol = s.options.atol = 1e-9;
    simulate(&s, NULL);
    return s;
}

static void a_motion_at_rest_has_stiff_derivatives(void **state)
{
    const saltus_method method[] = {SALTUS_DIRECT, SALTUS_ADJOINT, SALTUS_AUTO};
    (void)state;
    for (double w = 10.0; w < 2e4; w *= sqrt(10.0))
        for (int m = 0; m < 3; m++)
            for (int costs = 1; costs <= 9; costs += 8) {
                scripted     s = resting(w, costs);
                const double right = (1.0 - cos(3.0 * w)) / (w * w);
                const double found = gradient(&s, method[m], "x1", "u");
                if (fabs(found - right) > 1e-5 * 2.0 / (w * w))
                    fail_msg("%s of %d, frequency %g: %.10g instead of %.10g",
                             saltus_method_name(method[m]), costs, w, found, right);
                release(&s);
            }
}

/* Then the direct method fails, and the default, which chooses it for many costs, goes on to the
 * adjoint. */
static void a_direct_method_without_digits_fails(void **state)
{
    scripted     s = resting(1e5, 16);
    const double right = (1.0 - cos(3e5)) / 1e10;
    (void)state;
    double found[16];
    saltus_run_gradients(s.run, &(saltus_request){.method = SALTUS_DIRECT}, found, NULL, NULL,
                         &s.err);
    EXPECT(s.err.status == SALTUS_ERR_LIMIT && strstr(s.err.message, "--method adjoint"));
    s.err = (saltus_error){0};
    const saltus_request any = {.method = SALTUS_AUTO};
    assert_int_equal(saltus_run_method(s.run, &any, 0), SALTUS_DIRECT);
    saltus_run_gradients(s.run, &any, found, NULL, NULL, &s.err);
    EXPECT_NEAR(found[0], right, 1e-4 * 2e-10);
    assert_int_equal(saltus_run_method_used(s.run), SALTUS_ADJOINT);
    release(&s);
}

static int compare_row(void *context, const saltus_tangent_row *row)
{
    double *most = context;
    for (int k = 0; k < row->params; k++) {
        double right[3] = {0.0};
        if (row->at.t > k * length) moved(k * length, (k + 1) * length, row->at.t, right);
        *most = fmax(*most, fabs(row->dq[k] - right[0]) / 0.02);
        *most = fmax(*most, fabs(row->dv[k] - right[1]) / 0.14);
        *most = fmax(*most, fabs(row->dz[2 * row->params + k] - right[2]) / 0.02);
    }
    return 0;
}

static void so_it_is_along_the_motion(void **state)
{
    enum { TIMES = 101 };
    scripted s = at(SALTUS_DOPRI5, 1e-9);
    int      params[PUSHES];
    double   times[TIMES], most = 0.0;
    (void)state;
    for (int k = 0; k < PUSHES; k++) params[k] = k;
    for (int i = 0; i < TIMES; i++) times[i] = PUSHES * length * i / (TIMES - 1);
    error_of(&s, SALTUS_DIRECT);
    saltus_run_tangents(s.run, params, PUSHES, times, TIMES, compare_row, &most, &s.err);
    if (s.err.status) fail_msg("%s", s.err.message);
    if (most > 1e-6) fail_msg("off by %g", most);
    release(&s);
}

/* Of marks that x, which is at rest, would move: dtau = -0.3 dx. There are so many that the methods
 * which walk backward compute them forward. */
static void times_of_many_events_have_control(void **state)
{
    enum { MARKS = 60 };
    const saltus_method method[] = {SALTUS_ADJOINT, SALTUS_AUTO, SALTUS_TANGENT};
    char                text[2048];
    double              cost[3 * PUSHES], time[(MARKS + PUSHES) * PUSHES], worst_of[3] = {0.0};
    (void)state;
    snprintf(text, sizeof text,
             "%sfor k = 1, %d do event('mark' .. k, {when = t + 0.3 * x - 2.75 - 0.004 * k}) end\n",
             pushed, MARKS);
    scripted s = load(text);
    s.options.integrator = SALTUS_DOPRI5;
    s.options.rtol = s.options.atol = 1e-9;
    simulate(&s, NULL);
    assert_int_equal(s.info->events, MARKS + PUSHES - 1);
    for (int m = 0; m < 3; m++) {
        const saltus_request request = {.method = method[m]};
        saltus_run_gradients(s.run, &request, cost, time, NULL, &s.err);
        if (s.err.status) fail_msg("%s", s.err.message);
        for (int i = PUSHES - 1; i < s.info->events; i++)
            for (int k = 0; k < PUSHES; k++) {
                double right[3];
                moved(k * length, (k + 1) * length, saltus_run_event(s.run, i).t, right);
                const double off = fabs(time[i * PUSHES + k] + 0.3 * right[0]) / 0.006;
                worst_of[m] = fmax(worst_of[m], off);
            }
    }
    if (worst_of[0] > 1e-6 || worst_of[1] > 1e-6)
        fail_msg("adjoint %g, auto %g", worst_of[0], worst_of[1]);
    assert_true(worst_of[2] > 1e-5);
    release(&s);
}

/* A narrow bump, at a tight tolerance: the steps do not suit the discrete adjoint, and the
 * continuous one cannot be integrated through it. The default finds a method that works. */
static void the_default_does_not_end_at_an_adjoint_that_fails(void **state)
{
    const double   T = 1.4187712077527261, A = 1.9651137155486158, w = 0.008130481221081322;
    saltus_request request = {.method = SALTUS_AUTO};
    double         gradient[6];
    char           text[1024];
    (void)state;
    snprintf(
        text, sizeof text,
        "local A, c, w = param('A', %.17g), param('c', 0.6028601469253817), param('w', %.17g)\n"
        "local y = coordinate('y', {speed = 1}) mass(y, 1)\n"
        "local x = coordinate('x') mass(x, 1)\n"
        "local f = A / %.17g * exp(-((t - c) / w)^2)\n"
        "force(x, f) cost('v', {final = dot(x)}) cost('I', {integral = f}) horizon(0, %.17g)\n",
        A, w, T, T);
    scripted s = load(text);
    s.options.rtol = s.options.atol = 1e-11;
    s.options.integrator = SALTUS_DOPRI5;
    s.options.max_step = 0.028375424155054525;
    simulate(&s, NULL);
    saltus_run_gradients(s.run, &request, gradient, NULL, NULL, &s.err);
    if (s.err.status) fail_msg("%s", s.err.message);
    for (int i = 0; i < 2; i++) {
        EXPECT_NEAR(gradient[3 * i], w / T * sqrt(acos(-1.0)), 1e-9);
        EXPECT_NEAR(gradient[3 * i + 1], 0.0, 1e-8);
        EXPECT_NEAR(gradient[3 * i + 2], A / T * sqrt(acos(-1.0)), 1e-7);
    }
    release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_with_control_are_exact),
        cmocka_unit_test(steps_alone_are_not),
        cmocka_unit_test(steps_may_suffice),
        cmocka_unit_test(long_steps_are_divided),
        cmocka_unit_test(a_motion_at_rest_has_stiff_derivatives),
        cmocka_unit_test(a_direct_method_without_digits_fails),
        cmocka_unit_test(so_it_is_along_the_motion),
        cmocka_unit_test(times_of_many_events_have_control),
        cmocka_unit_test(the_default_does_not_end_at_an_adjoint_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
