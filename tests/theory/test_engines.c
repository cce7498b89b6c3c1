/* NLopt and IPOPT in place of the default method: the same optima, points without a motion, borders
 * of sequences. Machines without them have a message instead. */
#include <saltus/saltus.h>
#include <stdbool.h>

#include "test.h"

typedef struct answer {
    saltus_optimum_info info;
    double              params[32];
    bool                is_missing;
} answer;

static answer solve(const char *script, saltus_engine engine, int intervals)
{
    answer         a = {.is_missing = false};
    saltus_error   err = {0};
    saltus_model  *model = saltus_model_load_text("m.lua", script, strlen(script), NULL, &err);
    saltus_system *system = saltus_system_compile(model, &err);
    if (err.status) fail_msg("line %d: %s", err.line, err.message);
    saltus_goal goal = saltus_system_goal(system);
    goal.engine = engine;
    goal.shooting = intervals;
    saltus_optimum *found = saltus_optimise(system, NULL, &goal, NULL, NULL, &err);
    a.is_missing = err.status == SALTUS_ERR_ARGUMENT && strstr(err.message, "leave engine out");
    if (err.status && !a.is_missing) fail_msg("%s", err.message);
    a.info = saltus_optimum_get_info(found);
    if (found)
        memcpy(a.params, saltus_optimum_params(found), (size_t)a.info.params * sizeof(double));
    saltus_optimum_free(found);
    saltus_system_free(system);
    saltus_model_free(model);
    return a;
}

/* The value of all engines, with these events. */
static void expect_optimum(const char *script, double value, double error, int events)
{
    for (int engine = SALTUS_ENGINE_SQP; engine <= SALTUS_ENGINE_IPOPT; engine++) {
        const answer a = solve(script, (saltus_engine)engine, 1);
        if (a.is_missing) continue;
        if (a.info.status != SALTUS_OPTIMUM_CONVERGED || !(a.info.kkt <= 1e-8) ||
            !(fabs(a.info.value - value) <= error) || a.info.events != events)
            fail_msg("engine %d: %s, %.12g, kkt %g, %d events", engine,
                     saltus_optimum_status_name(a.info.status), a.info.value, a.info.kkt,
                     a.info.events);
    }
}

/* Equations, bounds and a free end: SLSQP and interior points. */
TEST(a_mass_moves_in_least_time_by_all_engines)
{
    expect_optimum(
        "local T = param('T', 3, {lower = 0.1, upper = 50}) local x = coordinate('x') mass(x, 1)\n"
        "local u = control('u', {nodes = 10, lower = -1, upper = 1, start = 0.1}) force(x, u)\n"
        "cost('T', {final = T}) cost('x', {final = x}) cost('v', {final = dot(x)}) horizon(0, T)\n"
        "optimise{minimise = 'T', subject_to = {{'x', equals = 1}, {'v', equals = 0}}}\n",
        2.0, 1e-8, 0);
}

/* An inequality: conservative approximations. */
TEST(a_limit_is_kept_by_all_engines)
{
    expect_optimum("local x = coordinate('x', {speed = 1}) mass(x, 1)\n"
                   "local u = control('u', {kind = 'linear', nodes = 6}) force(x, u)\n"
                   "cost('J', {integral = (u - 1)^2}) cost('x', {final = x}) horizon(0, 1)\n"
                   "optimise{minimise = 'J', over = {'u*'}, subject_to = {{'x', max = 1}}}\n",
                   0.75, 1e-8, 0);
}

/* The ball of Kong and others with one bounce: clearances keep it in its sequence. */
TEST(a_bounce_is_kept_by_all_engines)
{
    expect_optimum("local y = coordinate('y', {start = 4}) mass(y, 1)\n"
                   "local u = control('u', {kind = 'hold', nodes = 10}) force(y, u - 9.8)\n"
                   "event('floor', {when = y, direction = 'falling', restitution = 0.75})\n"
                   "cost('J', {integral = 0.25 * u^2, final = 40 * ((y - 3)^2 + dot(y)^2)})\n"
                   "horizon(0, 1) optimise{minimise = 'J', over = {'u*'}}\n",
                   56.3103155319277, 1e-7, 1);
}

/* Rosenbrock's valley, where there is no motion beyond a = 1.05: other optimisers stop far from its
 * end, or never. */
TEST(points_without_a_motion_stop_no_engine)
{
    expect_optimum("local a, b = param('a', -1.2), param('b', 1)\n"
                   "local x = coordinate('x') mass(x, 1) force(x, 0 * sqrt(1.05 - a))\n"
                   "cost('f', {final = 1 + 100 * (b - a^2)^2 + (1 - a)^2 + 0 * x}) horizon(0, 1)\n"
                   "optimise{minimise = 'f', over = {'a', 'b'}}\n",
                   1.0, 1e-12, 0);
}

/* With intervals, IPOPT has the nodes as unknowns and the gaps as equations, and what it finds is
 * an optimum as it is: derivatives are right, also those of nodes that move with a free end. */
static void expect_sparse_optimum(const char *script, double value, double error, int events)
{
    const answer a = solve(script, SALTUS_ENGINE_IPOPT, 5);
    if (a.is_missing) return;
    if (a.info.status != SALTUS_OPTIMUM_CONVERGED || !(a.info.kkt <= 1e-8) ||
        !(fabs(a.info.value - value) <= error) || a.info.events != events || a.info.iterations > 3)
        fail_msg("%s, %.12g, kkt %g, %d events, %d iterations",
                 saltus_optimum_status_name(a.info.status), a.info.value, a.info.kkt, a.info.events,
                 a.info.iterations);
}

TEST(intervals_are_sparse_blocks_of_ipopt)
{
    /* from rest to rest, in the time for which 12 / T^3 + T is smallest, T^4 = 36 */
    expect_sparse_optimum(
        "local T = param('T', 4, {lower = 0.5, upper = 10}) local x = coordinate('x') mass(x, 1)\n"
        "local u = control('u', {kind = 'linear', nodes = 12}) force(x, u) horizon(0, T)\n"
        "cost('J', {integral = u^2 + 1}) cost('x', {final = x}) cost('v', {final = dot(x)})\n"
        "optimise{minimise = 'J', subject_to = {{'x', equals = 1}, {'v', equals = 0}}}\n",
        4.0 / 3.0 * sqrt(6.0), 1e-8, 0);
    /* through an impact */
    expect_sparse_optimum(
        "local y = coordinate('y', {start = 4}) mass(y, 1)\n"
        "local u = control('u', {kind = 'hold', nodes = 10, start = -4}) force(y, u - 9.8)\n"
        "event('floor', {when = y, direction = 'falling', restitution = 0.75})\n"
        "cost('J', {integral = 0.25 * u^2, final = 40 * ((y - 3)^2 + dot(y)^2)})\n"
        "horizon(0, 1) optimise{minimise = 'J', over = {'u*'}}\n",
        56.3103155319277, 1e-7, 1);
}

TEST(engines_that_are_none_are_refused)
{
    saltus_error   err = {0};
    const char    *script = "local x = coordinate('x', {start = param('p', 1)}) mass(x, 1)\n"
                            "cost('x', {final = x^2}) horizon(0, 1) optimise{minimise = 'x'}\n";
    saltus_model  *model = saltus_model_load_text("m.lua", script, strlen(script), NULL, &err);
    saltus_system *system = saltus_system_compile(model, &err);
    saltus_goal    goal = saltus_system_goal(system);
    goal.engine = (saltus_engine)7;
    EXPECT(!saltus_optimise(system, NULL, &goal, NULL, NULL, &err));
    EXPECT(err.status == SALTUS_ERR_ARGUMENT);
    saltus_system_free(system);
    saltus_model_free(model);
}

TEST_MAIN(RUN(a_mass_moves_in_least_time_by_all_engines), RUN(a_limit_is_kept_by_all_engines),
          RUN(a_bounce_is_kept_by_all_engines), RUN(points_without_a_motion_stop_no_engine),
          RUN(intervals_are_sparse_blocks_of_ipopt), RUN(engines_that_are_none_are_refused))
