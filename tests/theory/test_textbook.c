/* Problems from textbooks and collections, from naive starts. Numbers with many digits come from
 * closed forms, or were computed elsewhere from conditions of optimality. */
#include <saltus/saltus.h>

#include "test.h"

typedef struct answer {
    saltus_optimum_info info;
    double              params[64], costs[24], multiplier[24];
} answer;

/* The optimum from the values of the script, which must be one. */
static answer solve(const char *script, int intervals)
{
    answer         a = {{0}, {0}, {0}, {0}};
    saltus_error   err = {0};
    saltus_model  *model = saltus_model_load_text("m.lua", script, strlen(script), NULL, &err);
    saltus_system *system = saltus_system_compile(model, &err);
    if (err.status) fail_msg("line %d: %s", err.line, err.message);
    saltus_goal goal = saltus_system_goal(system);
    goal.shooting = intervals;
    saltus_optimum *found = saltus_optimise(system, NULL, &goal, NULL, NULL, &err);
    if (err.status) fail_msg("%s", err.message);
    a.info = saltus_optimum_get_info(found);
    if (a.info.status != SALTUS_OPTIMUM_CONVERGED || !(a.info.kkt <= 1e-8))
        fail_msg("%d intervals: %s, kkt %g: %s", intervals,
                 saltus_optimum_status_name(a.info.status), a.info.kkt, a.info.message);
    a.info.message = "";
    memcpy(a.params, saltus_optimum_params(found), (size_t)a.info.params * sizeof(double));
    memcpy(a.costs, saltus_optimum_costs(found), (size_t)a.info.costs * sizeof(double));
    for (int k = 0; k < goal.limit_count; k++)
        a.multiplier[k] = saltus_optimum_multiplier(found, k);
    saltus_optimum_free(found);
    saltus_system_free(system);
    saltus_model_free(model);
    return a;
}

/* ---- time ----------------------------------------------------------------------------------- */

/* With |u| <= 1 from rest to rest: 2 sqrt(distance). At the start nothing moves, so the time seems
 * to cost nothing; the first step makes it much too short. */
TEST(a_mass_moves_from_rest_to_rest_in_least_time)
{
    const char *script =
        "local T = param('T', 5, {lower = 0.1, upper = 50}) local x = coordinate('x') mass(x, 1)\n"
        "local u = control('u', {kind = 'hold', nodes = 10, lower = -1, upper = 1}) force(x, u)\n"
        "cost('T', {final = T}) cost('x', {final = x}) cost('v', {final = dot(x)}) horizon(0, T)\n"
        "optimise{minimise = 'T', subject_to = {{'x', equals = 1}, {'v', equals = 0}}}\n";
    EXPECT_NEAR(solve(script, 1).info.value, 2.0, 1e-8);
    EXPECT_NEAR(solve(script, 8).info.value, 2.0, 1e-8);
}

/* Bryson and Ho, Applied optimal control, section 2.7: a boat in a current, from x = 3.66, y =
 * -1.86 to the origin. Between nodes the best course is no straight line, so that the time is a
 * little longer. */
TEST(the_boat_in_a_current_takes_the_course_of_zermelo)
{
    const char *script =
        "local T = param('T', 8, {lower = 1, upper = 20})\n"
        "local x, y = state('x', {start = 3.66}), state('y', {start = -1.86})\n"
        "local a = control('a', {kind = 'linear', nodes = 20, start = 3})\n"
        "rate(x, cos(a) - y) rate(y, sin(a)) horizon(0, T)\n"
        "cost('T', {final = T}) cost('x', {final = x}) cost('y', {final = y})\n"
        "optimise{minimise = 'T', subject_to = {{'x', equals = 0}, {'y', equals = 0}}}\n";
    const double best = 5.457865263560509, found = solve(script, 1).info.value;
    EXPECT(found >= best);
    EXPECT_NEAR(found, best, 1e-6 * best);
}

/* Linear tangent steering, from the COPS collection: tan a = c - d t. */
TEST(a_rocket_steers_by_the_linear_tangent_law)
{
    const char *script =
        "local T = param('T', 1, {lower = 0.1, upper = 3})\n"
        "local x, y = coordinate('x'), coordinate('y') mass(x, 1) mass(y, 1)\n"
        "local a = control('a', {kind = 'linear', nodes = 20, lower = -math.pi / 2,\n"
        "  upper = math.pi / 2}) force(x, 100 * cos(a)) force(y, 100 * sin(a)) horizon(0, T)\n"
        "cost('T', {final = T}) cost('y', {final = y})\n"
        "cost('vx', {final = dot(x)}) cost('vy', {final = dot(y)})\n"
        "optimise{minimise = 'T', subject_to = {{'y', equals = 5}, {'vx', equals = 45},\n"
        "  {'vy', equals = 0}}}\n";
    const double best = 0.5545708783346031;
    const answer a = solve(script, 1);
    EXPECT(a.info.value >= best && a.info.gradients < 60);
    EXPECT_NEAR(a.info.value, best, 1e-6 * best);
}

/* ---- shapes --------------------------------------------------------------------------------- */

/* A chain of length 4 between (0, 1) and (1, 3), with the place along it as time: a catenary. */
TEST(the_hanging_chain_is_a_catenary)
{
    const char *script =
        "local y = state('y', {start = 1})\n"
        "local u = control('u', {kind = 'linear', nodes = 40, start = 2})\n"
        "rate(y, u) local ds = sqrt(1 + u^2) horizon(0, 1)\n"
        "cost('E', {integral = y * ds}) cost('L', {integral = ds}) cost('y', {final = y})\n"
        "optimise{minimise = 'E', over = {'u*'}, subject_to = {{'L', equals = 4},\n"
        "  {'y', equals = 3}}}\n";
    const double best = 5.068480110993416, found = solve(script, 8).info.value;
    EXPECT(found >= best);
    EXPECT_NEAR(found, best, 1e-7 * best);
}

/* ---- bounds on the motion ------------------------------------------------------------------- */

/* Bryson and Denham: with x <= 1/9 the control is zero from 1/3 to 2/3 and linear before and
 * after, so that samples at the nodes suffice. The smallest cost is 4. */
TEST(the_bound_of_bryson_and_denham_is_kept_on_an_arc)
{
    const char *script =
        "local x = coordinate('x', {speed = 1}) mass(x, 1)\n"
        "local u = control('u', {kind = 'linear', nodes = 12}) force(x, u) horizon(0, 1)\n"
        "cost('J', {integral = u^2 / 2}) cost('x', {final = x}) cost('v', {final = dot(x)})\n"
        "local limits = {{'x', equals = 0}, {'v', equals = -1}}\n"
        "for k = 1, 11 do\n"
        "  cost('x' .. k, {at = {k / 12}, of = x}) limits[#limits + 1] = {'x' .. k, max = 1 / 9}\n"
        "end\n"
        "optimise{minimise = 'J', subject_to = limits}\n";
    const answer a = solve(script, 1);
    EXPECT_NEAR(a.info.value, 4.0, 1e-8);
    EXPECT_NEAR(a.params[6], 0.0, 1e-3); /* on the arc */
    EXPECT_NEAR(a.params[0], -6.0, 1e-3);
}

/* The same with one limit on the largest value. Along the arc all values are the largest one, and
 * the cost 4 / (9 L) falls by 36 per unit of the limit L = 1/9. */
TEST(a_limit_on_the_largest_value_is_kept_on_an_arc)
{
    const char *script =
        "local x = coordinate('x', {speed = 1}) mass(x, 1)\n"
        "local u = control('u', {kind = 'linear', nodes = 12}) force(x, u) horizon(0, 1)\n"
        "cost('J', {integral = u^2 / 2}) cost('x', {final = x}) cost('v', {final = dot(x)})\n"
        "cost('top', {max = x})\n"
        "optimise{minimise = 'J', subject_to = {{'x', equals = 0}, {'v', equals = -1},\n"
        "  {'top', max = 1 / 9}}}\n";
    const answer a = solve(script, 1);
    EXPECT_NEAR(a.info.value, 4.0, 1e-8);
    EXPECT_NEAR(a.params[0], -6.0, 1e-4);
    EXPECT_NEAR(a.params[6], 0.0, 1e-4);
    EXPECT_NEAR(a.multiplier[2], -36.0, 1e-4);
}

/* A state whose rate is the control stays at its bound from 1.32 on: all nodes there are held. The
 * number was computed elsewhere, as a quadratic program. */
TEST(an_arc_may_hold_many_nodes)
{
    const char *script =
        "local x = state('x') local u = control('u', {kind = 'linear', nodes = 16})\n"
        "rate(x, u) horizon(0, 4) cost('J', {integral = u^2 + (x - 2)^2}) cost('top', {max = x})\n"
        "optimise{minimise = 'J', over = {'u*'}, subject_to = {{'top', max = 1}}}\n";
    const answer a = solve(script, 1);
    EXPECT_NEAR(a.info.value, 6.147532150081, 1e-10);
}

/* Van der Pol's oscillator is brought to rest with |u| <= 1, and its first state is never below
 * -1/4: two of its minima are at the bound. */
TEST(a_bound_holds_for_several_minima_at_once)
{
    const char *script =
        "local x, y = state('x'), state('y', {start = 1})\n"
        "local u = control('u', {kind = 'hold', nodes = 20, lower = -1, upper = 1})\n"
        "rate(x, (1 - y^2) * x - y + u) rate(y, x) horizon(0, 10)\n"
        "cost('J', {integral = x^2 + y^2 + u^2}) cost('low', {min = x})\n"
        "optimise{minimise = 'J', over = {'u*'}, subject_to = {{'low', min = -0.25}}}\n";
    const answer a = solve(script, 1);
    EXPECT_NEAR(a.info.value, 3.77910318, 1e-7);
    EXPECT(a.info.gradients < 200);
}

/* A singular arc, on which the cost is zero: what is small is relative to where the search began.
 */
TEST(an_optimum_of_zero_is_recognised)
{
    const char *script =
        "local x = coordinate('x', {speed = 1}) mass(x, 1)\n"
        "local u = control('u', {kind = 'linear', nodes = 20, lower = -1, upper = 1}) force(x, u)\n"
        "cost('J', {integral = (dot(x)^2 - x^2) / 2}) horizon(0, math.pi / 2)\n"
        "optimise{minimise = 'J', over = {'u*'}}\n";
    EXPECT_NEAR(solve(script, 1).info.value, 0.0, 1e-10);
    EXPECT_NEAR(solve(script, 8).info.value, 0.0, 1e-10);
}

/* ---- bounces -------------------------------------------------------------------------------- */

/* Thrown from the floor, a ball with restitution 0.9 shall be 0.5 high after two bounces (the
 * example of rockit): v0 = sqrt(2 g h) / e^2, which also says how it depends on e. */
TEST(a_ball_is_thrown_for_its_height_after_two_bounces)
{
    const char *script =
        "local v0 = param('v0', 2, {lower = 0.1, upper = 20}) local e = param('e', 0.9)\n"
        "local y = coordinate('y', {speed = v0}) mass(y, 1) force(y, -9.81)\n"
        "event('floor', {when = y, direction = 'falling', restitution = e})\n"
        "event('top', {when = dot(y), direction = 'falling', stop = 3})\n"
        "cost('top', {final = y}) cost('time', {final = t}) horizon(0, 20)\n"
        "optimise{minimise = 'time', over = {'v0'}, subject_to = {{'top', equals = 0.5}}}\n";
    const answer a = solve(script, 1);
    EXPECT_NEAR(a.params[0], 3.8667801884853889555, 1e-9);
    EXPECT_NEAR(a.costs[1], 1.8171107715512378272, 1e-9);
}

TEST_MAIN(RUN(a_mass_moves_from_rest_to_rest_in_least_time),
          RUN(the_boat_in_a_current_takes_the_course_of_zermelo),
          RUN(a_rocket_steers_by_the_linear_tangent_law), RUN(the_hanging_chain_is_a_catenary),
          RUN(the_bound_of_bryson_and_denham_is_kept_on_an_arc),
          RUN(a_limit_on_the_largest_value_is_kept_on_an_arc), RUN(an_arc_may_hold_many_nodes),
          RUN(a_bound_holds_for_several_minima_at_once), RUN(an_optimum_of_zero_is_recognised),
          RUN(a_ball_is_thrown_for_its_height_after_two_bounces))
