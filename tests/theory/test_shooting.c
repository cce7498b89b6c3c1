/* Multiple shooting: the optima of single shooting, from worse starts; through impacts and modes,
 * in free time, with constraints. Numbers with many digits were computed elsewhere. */
#include <saltus/saltus.h>

#include "test.h"

typedef struct answer {
    saltus_optimum_info info;
    double              params[64], costs[8];
    saltus_error        err;
} answer;

static answer solve(const char *script, int intervals, int threads, const double *start)
{
    answer         a = {.err = {0}};
    saltus_model  *model = saltus_model_load_text("m.lua", script, strlen(script), NULL, &a.err);
    saltus_system *system = saltus_system_compile(model, &a.err);
    if (a.err.status) fail_msg("line %d: %s", a.err.line, a.err.message);
    saltus_options          options = saltus_system_options(system);
    saltus_goal             goal = saltus_system_goal(system);
    const size_t            doubles = sizeof(double);
    saltus_optimum         *optimum;
    saltus_optimise_options search = saltus_optimise_options_default();
    search.max_iterations = 100;
    options.threads = threads;
    goal.shooting = intervals;
    optimum = saltus_optimise(system, &options, &goal, start, &search, &a.err);
    a.info = saltus_optimum_get_info(optimum);
    a.info.message = "";
    if (optimum) {
        memcpy(a.params, saltus_optimum_params(optimum), (size_t)a.info.params * doubles);
        memcpy(a.costs, saltus_optimum_costs(optimum), (size_t)a.info.costs * doubles);
    }
    saltus_optimum_free(optimum);
    saltus_system_free(system);
    saltus_model_free(model);
    return a;
}

static answer solved(const char *script, int intervals)
{
    const answer a = solve(script, intervals, 2, NULL);
    if (a.err.status) fail_msg("%s", a.err.message);
    if (a.info.status != SALTUS_OPTIMUM_CONVERGED || !(a.info.kkt <= 1e-8))
        fail_msg("%d intervals: %s, kkt %g", intervals, saltus_optimum_status_name(a.info.status),
                 a.info.kkt);
    return a;
}

/* ---- the cart-pole -------------------------------------------------------------------------- */

#define CART_POLE(control)                                                                         \
    "local m1, m2, l, g = 1, 0.3, 0.5, 9.81 local x, q = coordinate('x'), coordinate('q')\n"       \
    "kinetic(0.5 * (m1 + m2) * dot(x)^2 + m2 * l * cos(q) * dot(x) * dot(q)\n"                     \
    "  + 0.5 * m2 * l^2 * dot(q)^2)\n"                                                             \
    "potential(-m2 * g * l * cos(q)) local u = control('u', {" control "}) force(x, u)\n"          \
    "cost('J', {integral = u^2}) cost('x', {final = x - 1}) cost('q', {final = q - math.pi})\n"    \
    "cost('v', {final = dot(x)}) cost('w', {final = dot(q)})\n"                                    \
    "horizon(0, 2) solver {tol = 1e-11}\n"                                                         \
    "optimise{minimise = 'J', subject_to = {{'x', equals = 0}, {'q', equals = 0},\n"               \
    "  {'v', equals = 0}, {'w', equals = 0}}}\n"

TEST(the_cart_pole_swings_up_in_fewer_gradients_than_by_single_shooting)
{
    const answer linear = solved(CART_POLE("kind = 'linear', nodes = 40"), 10);
    EXPECT_NEAR(linear.info.value, 57.9476110253, 1e-8 * 57.9);
    EXPECT(linear.info.gradients < 50);
    const answer held = solved(CART_POLE("kind = 'hold', nodes = 40"), 10);
    EXPECT_NEAR(held.info.value, 58.5623052888, 1e-8 * 58.6);
    EXPECT(held.info.gradients < 60);
}

/* Controls of random sizes up to 45, which throw the pole around. In a hundred steps, single
 * shooting converges from one of four such starts. */
static int converged_from_bad_starts(int intervals)
{
    int                converged = 0;
    unsigned long long state = 16;
    for (int k = 0; k < 4; k++) {
        double start[21];
        for (int i = 0; i < 21; i++) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            start[i] = 45.0 * ((double)(state >> 32) / 2147483648.0 - 1.0);
        }
        const answer a = solve(CART_POLE("kind = 'linear', nodes = 20"), intervals, 2, start);
        EXPECT(!a.err.status);
        converged += a.info.status == SALTUS_OPTIMUM_CONVERGED;
    }
    return converged;
}

TEST(bad_starts_fail_less_often)
{
    const int single = converged_from_bad_starts(1), multiple = converged_from_bad_starts(5);
    if (multiple <= single) fail_msg("%d of 4 converged, by single shooting %d", multiple, single);
}

/* ---- motions that cannot be simulated in one run --------------------------------------------- */

#define RUNAWAY                                                                                    \
    "local x = coordinate('x', {start = 1}) mass(x, 1)\n"                                          \
    "local u = control('u', {kind = 'linear', nodes = 20}) force(x, x + x^3 + u)\n"                \
    "cost('J', {integral = u^2 + x^2}) cost('x', {final = x}) cost('v', {final = dot(x)})\n"       \
    "horizon(0, 3)\n"                                                                              \
    "optimise{minimise = 'J', subject_to = {{'x', equals = 0}, {'v', equals = 0}}}\n"

TEST(a_start_that_runs_away_to_infinity_is_no_obstacle)
{
    double       near[21] = {-5.0};
    const answer single = solve(RUNAWAY, 1, 1, NULL);
    EXPECT(single.err.status == SALTUS_ERR_UNFINISHED);
    const answer multiple = solved(RUNAWAY, 10);
    EXPECT_NEAR(multiple.costs[1], 0.0, 1e-8);
    /* the same from a start that a single run can follow */
    for (int i = 0; i < 21; i++) near[i] = multiple.params[i] + 0.01 * ((i * 7) % 5 - 2);
    const answer again = solve(RUNAWAY, 1, 1, near);
    EXPECT(again.info.status == SALTUS_OPTIMUM_CONVERGED);
    EXPECT_NEAR(again.info.value, multiple.info.value, 1e-8 * multiple.info.value);
}

/* dx/dt = x^3 + u runs away before t = 1 unless it is held, and the time is free. Along the optimum
 * H = 0, so that u = -x^3 - s with s = sqrt(x^6 + 0.1), and the cost is the integral of 2 s + 2 x^3
 * from 0 to 0.9. With a control of straight pieces it is a little more. */
#define FREE_RUNAWAY                                                                               \
    "local T = param('T', 3, {lower = 0.5, upper = 6}) local x = state('x', {start = 0.9})\n"      \
    "local u = control('u', {kind = 'linear', nodes = 40}) rate(x, x^3 + u) horizon(0, T)\n"       \
    "cost('J', {integral = u^2 + 0.1}) cost('x', {final = x})\n"                                   \
    "optimise{minimise = 'J', subject_to = {{'x', equals = 0}}}\n"

TEST(a_motion_that_runs_away_is_caught_in_a_free_time)
{
    const double best = 1.04819791748881;
    EXPECT(solve(FREE_RUNAWAY, 1, 1, NULL).err.status == SALTUS_ERR_UNFINISHED);
    const answer a = solved(FREE_RUNAWAY, 16);
    EXPECT(a.info.value >= best);
    EXPECT_NEAR(a.info.value, best, 1e-6 * best);
    const answer one = solve(FREE_RUNAWAY, 16, 1, NULL), three = solve(FREE_RUNAWAY, 16, 3, NULL);
    EXPECT(one.info.runs == three.info.runs && one.info.value == a.info.value);
    for (int i = 0; i < 42; i++) EXPECT(one.params[i] == three.params[i]);
}

/* ---- unstable motions ------------------------------------------------------------------------ */

/* An inverted pendulum is caught from far away and held for long: errors grow by exp(25). */
TEST(an_inverted_pendulum_is_held_in_half_as_many_gradients)
{
    const char *script =
        "local q = coordinate('q', {start = 2.5}) mass(q, 1)\n"
        "local u = control('u', {kind = 'linear', nodes = 32}) force(q, 9.81 * sin(q) + u)\n"
        "cost('J', {integral = u^2 + q^2}) cost('q', {final = q}) cost('w', {final = dot(q)})\n"
        "horizon(0, 8) optimise{minimise = 'J', subject_to = {{'q', equals = 0},\n"
        "  {'w', equals = 0}}}\n";
    const answer single = solve(script, 1, 2, NULL), multiple = solved(script, 16);
    EXPECT(single.info.status != SALTUS_OPTIMUM_CONVERGED ||
           multiple.info.gradients < 0.7 * (double)single.info.gradients);
    EXPECT_NEAR(multiple.info.value, 74.8843755, 1e-6);
}

/* A pendulum swings up in 3 s with the least effort. 36.6402890620539 are needed by Pontryagin's
 * conditions; with 30 straight pieces the optimum was found elsewhere, with another integrator. */
TEST(a_pendulum_swings_up_with_the_least_effort)
{
    const char *script =
        "local q = coordinate('q') mass(q, 1) force(q, -9.81 * sin(q))\n"
        "local u = control('u', {kind = 'linear', nodes = 30}) force(q, u) horizon(0, 3)\n"
        "cost('J', {integral = u^2}) cost('q', {final = q - math.pi}) cost('w', {final = dot(q)})\n"
        "optimise{minimise = 'J', subject_to = {{'q', equals = 0}, {'w', equals = 0}}}\n";
    EXPECT_NEAR(solved(script, 1).info.value, 36.6406506318, 1e-8 * 36.6);
    EXPECT_NEAR(solved(script, 6).info.value, 36.6406506318, 1e-8 * 36.6);
}

/* ---- through events -------------------------------------------------------------------------- */

#define KONG(nodes)                                                                                \
    "local y = coordinate('y', {start = 4}) mass(y, 1)\n"                                          \
    "local u = control('u', {kind = 'hold', nodes = " nodes "}) force(y, u - 9.8)\n"               \
    "event('floor', {when = y, direction = 'falling', restitution = 0.75})\n"                      \
    "cost('J', {integral = 0.25 * u^2, final = 40 * ((y - 3)^2 + dot(y)^2)}) horizon(0, 1)\n"      \
    "optimise{minimise = 'J', over = {'u*'}}\n"

/* The impact comes 0.35 earlier in the optimum than in the first motion: it passes nodes. */
TEST(impacts_pass_the_borders_of_intervals)
{
    const answer a = solved(KONG("20"), 8);
    EXPECT_NEAR(a.info.value, 55.838073081748, 1e-8 * 55.8);
    EXPECT(a.info.events == 1);
    const answer fine = solved(KONG("50"), 5);
    EXPECT_NEAR(fine.info.value, 55.732625949506, 1e-8 * 55.7);
}

/* Apex to apex, with two modes, thrust from the touchdown on, and an end at the second apex; the
 * apex that is free must come again. */
#define HOPPER                                                                                     \
    "local h = param('h', 1.2, {lower = 1.05, upper = 3})\n"                                       \
    "local flight, stance = mode 'flight', mode 'stance'\n"                                        \
    "local y = coordinate('y', {start = h}) mass(y, 1) force(y, -9.81)\n"                          \
    "local u = control('u', {kind = 'hold', nodes = 6, from = 'touch', duration = 0.3})\n"         \
    "force(y, 400 * (1 - y) - 3 * dot(y) + u, {mode = stance})\n"                                  \
    "event('touch', {when = y - 1, direction = 'falling', from = flight, to = stance})\n"          \
    "event('off', {when = y - 1, direction = 'rising', from = stance, to = flight})\n"             \
    "event('apex', {when = dot(y), direction = 'falling', from = flight, stop = 2})\n"             \
    "cost('J', {integral = u^2}) cost('again', {final = y - h}) cost('top', {final = y})\n"        \
    "horizon(0, 5)\n"                                                                              \
    "optimise{minimise = 'J', over = {'h', 'u*'},\n"                                               \
    "  subject_to = {{'again', equals = 0}, {'top', min = 1.3}}}\n"

TEST(periodic_motions_with_modes_and_a_counted_end)
{
    const answer single = solved(HOPPER, 1);
    for (int intervals = 2; intervals <= 5; intervals++) {
        const answer a = solved(HOPPER, intervals);
        EXPECT_NEAR(a.info.value, single.info.value, 1e-8 * single.info.value);
        EXPECT_NEAR(a.params[0], 1.3, 1e-8);
        EXPECT(a.info.events == single.info.events);
    }
}

/* ---- free time, constraints ------------------------------------------------------------------ */

TEST(the_sliding_mass_needs_four_tenths_of_a_second)
{
    const char *script =
        "local T = param('T', 1, {lower = 0.1, upper = 5}) local x = coordinate('x') mass(x, 2)\n"
        "local u = control('F', {kind = 'hold', nodes = 4, lower = -50, upper = 50, start = 1})\n"
        "force(x, u) cost('time', {final = T}) cost('x', {final = x}) cost('v', {final = dot(x)})\n"
        "horizon(0, T)\n"
        "optimise{minimise = 'time', over = {'T', 'F*'},\n"
        "  subject_to = {{'x', equals = 1}, {'v', equals = 0}}}\n";
    for (int intervals = 1; intervals < 8; intervals += 3)
        EXPECT_NEAR(solved(script, intervals).info.value, 0.4, 1e-8);
}

/* A pendulum as a point that a constraint holds on a circle, in free time. */
TEST(nodes_of_constrained_motions_are_assembled)
{
    const char *script =
        "local T = param('T', 3, {lower = 0.5, upper = 8})\n"
        "local x, y = coordinate('x', {start = 0}), coordinate('y', {start = -1})\n"
        "mass(x, 1) mass(y, 1) force(y, -9.81) constraint('rod', x^2 + y^2 - 1)\n"
        "local u = control('u', {kind = 'linear', nodes = 8, start = 1})\n"
        "force(x, u * -y) force(y, u * x)\n"
        "cost('J', {integral = u^2 + 1}) cost('x', {final = x})\n"
        "cost('w', {final = x * dot(y) - y * dot(x)})\n"
        "horizon(0, T) solver {tol = 1e-11}\n"
        "optimise{minimise = 'J', over = {'T', 'u*'},\n"
        "  subject_to = {{'x', equals = 0.8}, {'w', equals = 0}}}\n";
    const answer single = solved(script, 1);
    EXPECT_NEAR(solved(script, 4).info.value, single.info.value, 1e-8 * single.info.value);
}

/* The highest point of a throw is a limit, at a time that intervals share. */
TEST(the_most_extreme_peak_of_all_intervals_counts)
{
    const char *script =
        "local y = coordinate('y', {speed = 6}) mass(y, 1)\n"
        "local u = control('u', {kind = 'linear', nodes = 10}) force(y, u - 9.81)\n"
        "cost('J', {integral = u^2}) cost('top', {max = y}) cost('end', {final = y})\n"
        "cost('both', {integral = y, min = dot(y)}) horizon(0, 1) solver {tol = 1e-11}\n"
        "optimise{minimise = 'J', subject_to = {{'top', max = 1.4}, {'end', equals = 0.5},\n"
        "  {'both', min = -4.5}}}\n";
    const answer single = solved(script, 1);
    EXPECT_NEAR(single.costs[1], 1.4, 1e-8);
    for (int intervals = 2; intervals < 7; intervals += 2)
        EXPECT_NEAR(solved(script, intervals).info.value, single.info.value,
                    1e-8 * single.info.value);
}

/* ---- threads, limits ------------------------------------------------------------------------- */

TEST(results_do_not_depend_on_threads)
{
    const answer one = solve(KONG("20"), 5, 1, NULL), three = solve(KONG("20"), 5, 3, NULL);
    EXPECT(one.info.value == three.info.value);
    EXPECT(one.info.runs == three.info.runs);
    for (int i = 0; i < 20; i++) EXPECT(one.params[i] == three.params[i]);
}

TEST(numbers_of_intervals_have_a_limit)
{
    const answer a = solve(KONG("20"), SALTUS_INTERVALS + 1, 1, NULL);
    EXPECT(a.err.status == SALTUS_ERR_ARGUMENT);
}

TEST_MAIN(RUN(the_cart_pole_swings_up_in_fewer_gradients_than_by_single_shooting),
          RUN(bad_starts_fail_less_often), RUN(a_start_that_runs_away_to_infinity_is_no_obstacle),
          RUN(a_motion_that_runs_away_is_caught_in_a_free_time),
          RUN(an_inverted_pendulum_is_held_in_half_as_many_gradients),
          RUN(a_pendulum_swings_up_with_the_least_effort),
          RUN(impacts_pass_the_borders_of_intervals),
          RUN(periodic_motions_with_modes_and_a_counted_end),
          RUN(the_sliding_mass_needs_four_tenths_of_a_second),
          RUN(nodes_of_constrained_motions_are_assembled),
          RUN(the_most_extreme_peak_of_all_intervals_counts), RUN(results_do_not_depend_on_threads),
          RUN(numbers_of_intervals_have_a_limit))
