/* Many points at once: the digits of one by one, whatever the number of threads. */
#include <math.h>

#include "saltus/saltus.h"
#include "test.h"

enum { POINTS = 23, PARAMS = 4, COSTS = 7 };

static saltus_system *compile_ball(void)
{
    saltus_error   err = {0};
    saltus_model  *model = saltus_model_load(SALTUS_SOURCE_DIR "/models/bouncing_ball.lua", &err);
    saltus_system *system = saltus_system_compile(model, &err);
    saltus_model_free(model);
    if (err.status) fail_msg("%s", err.message);
    EXPECT(saltus_system_size(system).params == PARAMS &&
           saltus_system_size(system).costs == COSTS);
    return system;
}

static void set_points(const saltus_system *system, double *points)
{
    for (int i = 0; i < POINTS; i++)
        for (int j = 0; j < PARAMS; j++)
            points[i * PARAMS + j] = saltus_system_param(system, j).value * (1.0 + 0.005 * i);
}

TEST(maps_have_the_digits_of_single_runs)
{
    saltus_system *system = compile_ball();
    saltus_error   err = {0};
    double         points[POINTS * PARAMS], cost[POINTS * COSTS], gradient[POINTS * COSTS * PARAMS];
    saltus_map_result result[POINTS];
    set_points(system, points);
    for (int threads = 0; threads <= 3; threads++) {
        saltus_options options = saltus_system_options(system);
        options.threads = threads;
        saltus_map(system, &options, NULL, points, POINTS, cost, gradient, result, &err);
        EXPECT(err.status == SALTUS_OK);
        for (int i = 0; i < POINTS; i++) {
            saltus_run          *run = saltus_run_new(system, NULL, &err);
            const saltus_request request = {.method = SALTUS_AUTO};
            double               c[COSTS], g[COSTS * PARAMS];
            saltus_run_simulate(run, points + i * PARAMS, &err);
            saltus_run_costs(run, c, &err);
            saltus_run_gradients(run, &request, g, NULL, NULL, &err);
            EXPECT(err.status == SALTUS_OK && result[i].status == SALTUS_OK);
            EXPECT(result[i].outcome == SALTUS_END && result[i].t == 2.0);
            EXPECT(result[i].events == saltus_run_get_info(run)->events);
            EXPECT(memcmp(c, cost + i * COSTS, sizeof c) == 0);
            EXPECT(memcmp(g, gradient + i * COSTS * PARAMS, sizeof g) == 0);
            saltus_run_free(run);
        }
    }
    saltus_system_free(system);
}

/* A point without a motion is NaN, and its neighbours have their values. */
TEST(a_point_that_fails_leaves_the_others_alone)
{
    saltus_system       *system = compile_ball();
    saltus_error         err = {0};
    double               points[POINTS * PARAMS], cost[POINTS], gradient[POINTS];
    saltus_map_result    result[POINTS];
    const int            one_cost = 3, one_param = 1;
    const saltus_request request = {SALTUS_AUTO, &one_cost, 1, &one_param, 1};
    set_points(system, points);
    points[5 * PARAMS] = NAN;
    saltus_map(system, NULL, &request, points, POINTS, cost, gradient, result, &err);
    EXPECT(err.status == SALTUS_OK);
    for (int i = 0; i < POINTS; i++) {
        EXPECT((result[i].status == SALTUS_ERR_ARGUMENT) == (i == 5));
        EXPECT(isfinite(cost[i]) == (i != 5) && isfinite(gradient[i]) == (i != 5));
    }
    saltus_system_free(system);
}

static int stop_at_once(void *context, double t, double t_end)
{
    (void)context, (void)t, (void)t_end;
    return 1;
}

TEST(a_map_can_be_stopped)
{
    saltus_system    *system = compile_ball();
    saltus_error      err = {0};
    double            points[POINTS * PARAMS], cost[POINTS * COSTS];
    saltus_map_result result[POINTS];
    saltus_options    options = saltus_system_options(system);
    options.progress = stop_at_once;
    options.threads = 1; /* with others, these might have done all before the first asks */
    set_points(system, points);
    EXPECT(saltus_map(system, &options, NULL, points, POINTS, cost, NULL, result, &err) ==
           SALTUS_ERR_INTERRUPTED);
    EXPECT(result[POINTS - 1].status == SALTUS_ERR_INTERRUPTED && isnan(cost[POINTS * COSTS - 1]));
    saltus_system_free(system);
}

static int count_calls(void *context, double t, double t_end)
{
    (void)t, (void)t_end;
    return ++*(int *)context;
}

TEST(progress_is_called_now_and_then)
{
    int           calls = 0;
    saltus_seldom often = {count_calls, &calls, 0.0, 0}, seldom = {count_calls, &calls, 1e3, 0};
    for (int i = 1; i <= 3; i++) EXPECT(saltus_progress_seldom(&often, 0.0, 1.0) == i);
    EXPECT(saltus_progress_seldom(&seldom, 0.0, 1.0) == 4);
    EXPECT(saltus_progress_seldom(&seldom, 0.0, 1.0) == 0);
    EXPECT(calls == 4);
}

TEST_MAIN(RUN(maps_have_the_digits_of_single_runs), RUN(a_point_that_fails_leaves_the_others_alone),
          RUN(a_map_can_be_stopped), RUN(progress_is_called_now_and_then))
