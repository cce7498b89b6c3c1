/* Published problems with verified numbers that no other test has: optima of controlled motions, of
 * the shape of a wire, and a ball with infinitely many bounces. */
#include <saltus/saltus.h>

#include "test.h"

typedef struct problem {
    saltus_error   err;
    saltus_system *system;
} problem;

static problem load(const char *script)
{
    problem       p = {.err = {0}};
    saltus_model *model = saltus_model_load_text("m.lua", script, strlen(script), NULL, &p.err);
    p.system = saltus_system_compile(model, &p.err);
    saltus_model_free(model);
    if (p.err.status) fail_msg("line %d: %s", p.err.line, p.err.message);
    return p;
}

/* The smallest cost, of a search that converged in its sequence of this many events. */
static double optimum(const char *script, int intervals, int events)
{
    problem         p = load(script);
    saltus_goal     goal = saltus_system_goal(p.system);
    saltus_optimum *found;
    goal.shooting = intervals;
    found = saltus_optimise(p.system, NULL, &goal, NULL, NULL, &p.err);
    if (p.err.status) fail_msg("%s", p.err.message);
    const saltus_optimum_info info = saltus_optimum_get_info(found);
    if (info.status != SALTUS_OPTIMUM_CONVERGED || !(info.kkt <= 1e-8))
        fail_msg("%s: %s, kkt %g", saltus_optimum_status_name(info.status), info.message, info.kkt);
    EXPECT(info.events == events);
    saltus_optimum_free(found);
    saltus_system_free(p.system);
    return info.value;
}

/* ---- controls ------------------------------------------------------------------------------- */

/* The ball of Kong and others, with a thrust that is held on each of some pieces. The start has no
 * bounce if the thrust holds it up. */
#define KONG(pieces, start)                                                                        \
    "local y = coordinate('y', {start = 4}) mass(y, 1)\n"                                          \
    "local u = control('u', {kind = 'hold', nodes = " pieces ", start = " start "})\n"             \
    "force(y, u - 9.8)\n"                                                                          \
    "event('floor', {when = y, direction = 'falling', restitution = 0.75})\n"                      \
    "cost('J', {integral = 0.25 * u^2, final = 40 * ((y - 3)^2 + dot(y)^2)}) horizon(0, 1)\n"      \
    "optimise{minimise = 'J', over = {'u*'}}\n"

TEST(the_thrown_ball_has_an_optimum_without_a_bounce_and_one_with_it)
{
    EXPECT_NEAR(optimum(KONG("10", "9"), 1, 0), 26.4633823402975, 1e-7);
    EXPECT_NEAR(optimum(KONG("10", "0"), 1, 1), 56.3103155319277, 1e-7);
    EXPECT_NEAR(optimum(KONG("20", "9"), 1, 0), 26.44549374546387, 1e-7);
    EXPECT_NEAR(optimum(KONG("50", "9"), 1, 0), 26.440528922689836, 1e-7);
    EXPECT_NEAR(optimum(KONG("50", "0"), 4, 1), 55.73262594950605, 1e-7);
}

#define CART_POLE(kind)                                                                            \
    "local m1, m2, l, g = 1, 0.3, 0.5, 9.81 local x, q = coordinate('x'), coordinate('q')\n"       \
    "kinetic(0.5 * (m1 + m2) * dot(x)^2 + m2 * l * cos(q) * dot(x) * dot(q)\n"                     \
    "  + 0.5 * m2 * l^2 * dot(q)^2)\n"                                                             \
    "potential(-m2 * g * l * cos(q))\n"                                                            \
    "local u = control('u', {kind = '" kind "', nodes = 20}) force(x, u)\n"                        \
    "cost('J', {integral = u^2}) cost('x', {final = x - 1}) cost('q', {final = q - math.pi})\n"    \
    "cost('v', {final = dot(x)}) cost('w', {final = dot(q)})\n"                                    \
    "horizon(0, 2) solver {tol = 1e-11}\n"                                                         \
    "optimise{minimise = 'J', subject_to = {{'x', equals = 0}, {'q', equals = 0},\n"               \
    "  {'v', equals = 0}, {'w', equals = 0}}}\n"

TEST(the_cart_pole_swings_up_with_twenty_nodes)
{
    EXPECT_NEAR(optimum(CART_POLE("hold"), 5, 0), 60.4136494, 1e-6);
    EXPECT_NEAR(optimum(CART_POLE("linear"), 5, 0), 58.03176, 1e-5);
}

/* The mass of 2 kg, moved by 1 m with at most 50 N: 2 sqrt(m d / F). */
TEST(the_sliding_mass_switches_in_the_middle)
{
    const char *script =
        "local T = param('T', 1, {lower = 0.1, upper = 5}) local x = coordinate('x') mass(x, 2)\n"
        "local u = control('F', {kind = 'hold', nodes = 2, lower = -50, upper = 50, start = 1})\n"
        "force(x, u) cost('time', {final = T}) cost('x', {final = x}) cost('v', {final = dot(x)})\n"
        "horizon(0, T) optimise{minimise = 'time', over = {'T', 'F*'},\n"
        "  subject_to = {{'x', equals = 1}, {'v', equals = 0}}}\n";
    EXPECT_NEAR(optimum(script, 1, 0), 0.4, 1e-9);
}

/* ---- the brachistochrone -------------------------------------------------------------------- */

/* A bead that slides without friction from (0, 10) to (10, 5), in the direction that a control
 * says. The best wire is a cycloid, along which the direction is linear in time. */
TEST(the_brachistochrone_takes_as_long_as_the_cycloid)
{
    const char *script =
        "local T = param('T', 2, {lower = 1, upper = 4})\n"
        "local v = state('v', {start = 0}) local x = state('x', {start = 0})\n"
        "local y = state('y', {start = 10})\n"
        "local a = control('a', {kind = 'linear', nodes = 12, start = 0.7, lower = -0.5,\n"
        "  upper = 1.6})\n"
        "rate(v, 9.80665 * sin(a)) rate(x, v * cos(a)) rate(y, -v * sin(a))\n"
        "cost('time', {final = T}) cost('x', {final = x}) cost('y', {final = y}) horizon(0, T)\n"
        "optimise{minimise = 'time', over = {'T', 'a*'},\n"
        "  subject_to = {{'x', equals = 10}, {'y', equals = 5}}}\n";
    EXPECT_NEAR(optimum(script, 4, 0), 1.8016031224530813, 1e-8);
}

/* ---- infinitely many bounces ----------------------------------------------------------------- */

#define ZENO                                                                                       \
    "local h, g, e = param('h', 1), param('g', 9.81), param('e', 0.8)\n"                           \
    "local y = coordinate('y', {start = h}) mass(y, 1) force(y, -g)\n"                             \
    "contact {gap = y, restitution = e, rest = true, name = 'floor'}\n"                            \
    "cost('int_v2', {integral = dot(y)^2}) horizon(0, 6) solver {tol = 1e-12}\n"

/* When the ball comes to rest, and the derivatives of that. */
static double rest_of(saltus_run *run, double e, double gradient[3], saltus_error *err)
{
    enum { MAX_TIMES = 200 };
    static double        times[MAX_TIMES * 3], costs[3];
    const double         params[] = {1.0, 9.81, e};
    const saltus_request request = {.method = SALTUS_DISCRETE};
    saltus_run_simulate(run, params, err);
    const int last = saltus_run_get_info(run)->events - 1;
    EXPECT(last >= 0 && last < MAX_TIMES);
    saltus_run_gradients(run, &request, costs, times, NULL, err);
    if (err->status) fail_msg("%s", err->message);
    EXPECT_TEXT(saltus_run_event(run, last).name, "floor.rest");
    memcpy(gradient, &times[3 * last], 3 * sizeof *gradient);
    return saltus_run_event(run, last).t;
}

TEST(the_ball_that_bounces_infinitely_often_has_second_derivatives_too)
{
    const double d = 1e-3;
    problem      p = load(ZENO);
    saltus_run  *run = saltus_run_new(p.system, NULL, &p.err);
    double       at[3], far[2][3], near[2][3], cost;
    EXPECT_NEAR(rest_of(run, 0.8, at, &p.err), 4.06371276887157814, 1e-9);
    EXPECT_NEAR(at[0], 2.03185638443578907, 1e-8);
    EXPECT_NEAR(at[1], -0.20712093623198665, 1e-9);
    EXPECT_NEAR(at[2], 22.5761820492865452, 1e-6);
    saltus_run_costs(run, &cost, &p.err);
    EXPECT_NEAR(cost, 9.14934937175118921, 1e-8);
    /* fourth-order differences of first derivatives */
    for (int side = 0; side < 2; side++) {
        const double sign = side ? 1.0 : -1.0;
        rest_of(run, 0.8 + sign * d, near[side], &p.err);
        rest_of(run, 0.8 + sign * 2.0 * d, far[side], &p.err);
    }
    const double by_e = (8.0 * (near[1][2] - near[0][2]) - (far[1][2] - far[0][2])) / (12.0 * d);
    const double by_h = (8.0 * (near[1][0] - near[0][0]) - (far[1][0] - far[0][0])) / (12.0 * d);
    EXPECT_NEAR(by_e, 225.761820492865, 1e-5 * 225.0);
    EXPECT_NEAR(by_h, 11.288091024643272611, 1e-5 * 11.0);
    saltus_run_free(run);
    saltus_system_free(p.system);
}

/* Each bounce also takes a part of the speed along the floor, so that the way is a sum of its own:
 * from the last bounce on, 2 e f vx vy / (g (1 - e f)) are left, with the speeds before it. */
#define OBLIQUE                                                                                    \
    "local h, g, e = param('h', 1), param('g', 9.81), param('e', 0.8)\n"                           \
    "local f, vx = param('f', 0.9), param('vx', 2)\n"                                              \
    "local x, y = coordinate('x', {speed = vx}), coordinate('y', {start = h})\n"                   \
    "mass(x, 1) mass(y, 1) force(y, -g)\n"                                                         \
    "event('floor', {when = y, direction = 'falling', restitution = e,\n"                          \
    "  set = {[dot(x)] = f * dot(x)}, stop = 30})\n"                                               \
    "cost('x', {final = x - 2 * e * f * dot(x) * dot(y) / (g * (1 - e * f))})\n"                   \
    "horizon(0, 6) solver {tol = 1e-12}\n"

TEST(the_oblique_ball_comes_to_rest_where_its_sum_says)
{
    static const saltus_method methods[] = {SALTUS_DIRECT, SALTUS_ADJOINT, SALTUS_DISCRETE,
                                            SALTUS_TANGENT};
    static const double        expected[] = {2.7736452231980612702, -0.28273651612620400308,
                                             20.733228412610092551, 18.429536366764526712,
                                             2.7736452231980612702};
    problem                    p = load(OBLIQUE);
    saltus_run                *run = saltus_run_new(p.system, NULL, &p.err);
    double                     x, gradient[5];
    saltus_run_simulate(run, NULL, &p.err);
    saltus_run_costs(run, &x, &p.err);
    EXPECT_NEAR(x, 5.5472904463961225404, 1e-10 * x);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        const saltus_request request = {.method = methods[m]};
        saltus_run_gradients(run, &request, gradient, NULL, NULL, &p.err);
        if (p.err.status) fail_msg("%s", p.err.message);
        for (int i = 0; i < 5; i++) EXPECT_NEAR(gradient[i], expected[i], 1e-9 * fabs(expected[i]));
    }
    saltus_run_free(run);
    saltus_system_free(p.system);
}

/* ---- a throw that depends on the restitution ------------------------------------------------- */

/* The speed with which a ball is 0.5 high after two bounces: along the solution, dv0 / de = -(dtop
 * / de) / (dtop / dv0). */
TEST(the_throw_of_rockit_depends_on_the_restitution_as_its_closed_form_does)
{
    problem         p = load("local v0, e = param('v0', 2, {lower = 0.1}), param('e', 0.9)\n"
                                     "local y = coordinate('y', {speed = v0}) mass(y, 1) force(y, -9.81)\n"
                                     "event('floor', {when = y, direction = 'falling', restitution = e})\n"
                                     "event('top', {when = dot(y), direction = 'falling', stop = 3})\n"
                                     "cost('top', {final = y}) cost('v', {final = v0})\n"
                                     "horizon(0, 20) solver {tol = 1e-12}\n"
                                     "optimise{minimise = 'v', over = {'v0'},\n"
                                     "  subject_to = {{'top', equals = 0.5}}}\n");
    saltus_optimum *found = saltus_optimise(p.system, NULL, NULL, NULL, NULL, &p.err);
    if (p.err.status) fail_msg("%s", p.err.message);
    EXPECT(saltus_optimum_get_info(found).status == SALTUS_OPTIMUM_CONVERGED);
    const double         v0 = saltus_optimum_params(found)[0];
    const int            top = 0;
    const saltus_request request = {.method = SALTUS_DISCRETE, .costs = &top, .cost_count = 1};
    saltus_run          *run = saltus_run_new(p.system, NULL, &p.err);
    double               gradient[2];
    EXPECT_NEAR(v0, 3.8667801884853889555, 1e-10 * v0);
    saltus_run_simulate(run, saltus_optimum_params(found), &p.err);
    saltus_run_gradients(run, &request, gradient, NULL, NULL, &p.err);
    if (p.err.status) fail_msg("%s", p.err.message);
    EXPECT_NEAR(-gradient[1] / gradient[0], -8.5928448633008643455, 1e-9 * 8.6);
    EXPECT_NEAR(1.0 / gradient[0], 3.8667801884853889555, 1e-9 * v0); /* dv0 / dtop */
    EXPECT_NEAR(saltus_optimum_multiplier(found, 0), 1.0 / gradient[0], 1e-8);
    saltus_run_free(run);
    saltus_optimum_free(found);
    saltus_system_free(p.system);
}

TEST_MAIN(RUN(the_thrown_ball_has_an_optimum_without_a_bounce_and_one_with_it),
          RUN(the_cart_pole_swings_up_with_twenty_nodes),
          RUN(the_sliding_mass_switches_in_the_middle),
          RUN(the_brachistochrone_takes_as_long_as_the_cycloid),
          RUN(the_ball_that_bounces_infinitely_often_has_second_derivatives_too),
          RUN(the_oblique_ball_comes_to_rest_where_its_sum_says),
          RUN(the_throw_of_rockit_depends_on_the_restitution_as_its_closed_form_does))
