/* Newton's method: problems with known roots, bad places, no roots. */
#include "test.h"

#include "solve/newton.h"

static const double ones[4] = {1.0, 1.0, 1.0, 1.0};

static sal_solve_status solve(sal_newton *newton, double *x)
{
    sal_arena              work;
    const saltus_allocator none = {0};
    sal_arena_init(&work, &none);
    newton->scale = newton->weight = ones;
    newton->tolerance = 1e-12;
    newton->limit = 200;
    const sal_solve_status end = sal_newton_solve(newton, x, &work);
    sal_arena_free(&work);
    return end;
}

/* Rosenbrock's valley, as equations. */
static sal_evaluation valley(void *context, const double *x, double *f, double *J)
{
    (void)context;
    f[0] = 10.0 * (x[1] - x[0] * x[0]);
    f[1] = 1.0 - x[0];
    J[0] = -20.0 * x[0], J[1] = 10.0, J[2] = -1.0, J[3] = 0.0;
    return SAL_EVALUATED;
}

TEST(a_curved_valley_is_followed)
{
    sal_newton newton = {.n = 2, .evaluate = valley};
    double     x[2] = {-1.2, 1.0};
    EXPECT(solve(&newton, x) == SAL_CONVERGED);
    EXPECT_NEAR(x[0], 1.0, 1e-12);
    EXPECT_NEAR(x[1], 1.0, 1e-12);
    EXPECT(newton.iterations < 40);
}

/* The full step from 3 leads away for ever. */
static sal_evaluation arctangent(void *context, const double *x, double *f, double *J)
{
    (void)context;
    f[0] = atan(x[0]);
    J[0] = 1.0 / (1.0 + x[0] * x[0]);
    return SAL_EVALUATED;
}

TEST(steps_that_make_it_worse_are_not_taken)
{
    sal_newton newton = {.n = 1, .evaluate = arctangent};
    double     x[1] = {3.0};
    EXPECT(solve(&newton, x) == SAL_CONVERGED);
    EXPECT_NEAR(x[0], 0.0, 1e-12);
}

/* sqrt(x) - 1 from 16: the full step is 16 - 24 = -8, where there is no value. */
static sal_evaluation root(void *context, const double *x, double *f, double *J)
{
    int *bad = context;
    if (x[0] <= 0.0) return (*bad)++, SAL_NO_VALUE;
    f[0] = sqrt(x[0]) - 1.0;
    J[0] = 0.5 / sqrt(x[0]);
    return SAL_EVALUATED;
}

TEST(places_without_a_value_are_rejected_steps)
{
    int        bad = 0;
    double     x[1] = {4.01};
    sal_newton newton = {.n = 1, .evaluate = root, .context = &bad};
    EXPECT(solve(&newton, x) == SAL_CONVERGED);
    EXPECT_NEAR(x[0], 1.0, 1e-12);
    x[0] = -1.0;
    EXPECT(solve(&newton, x) == SAL_NO_START);
    EXPECT(bad >= 1);
}

static sal_evaluation no_root(void *context, const double *x, double *f, double *J)
{
    (void)context;
    f[0] = x[0] * x[0] + 1.0;
    J[0] = 2.0 * x[0];
    return SAL_EVALUATED;
}

TEST(where_there_is_no_root_the_best_point_is_left)
{
    sal_newton newton = {.n = 1, .evaluate = no_root};
    double     x[1] = {2.0};
    EXPECT(solve(&newton, x) != SAL_CONVERGED);
    EXPECT_NEAR(x[0], 0.0, 1e-3);
    EXPECT_NEAR(newton.residual, 1.0, 1e-5);
}

/* One equation of two cannot hold, and J is singular everywhere. */
static sal_evaluation no_root_of_one(void *context, const double *x, double *f, double *J)
{
    (void)context;
    f[0] = x[0] - 3.0, f[1] = 1e-3;
    J[0] = 1.0, J[1] = J[2] = J[3] = 0.0;
    return SAL_EVALUATED;
}

TEST(a_minimum_that_is_not_zero_is_no_root)
{
    sal_newton newton = {.n = 2, .evaluate = no_root_of_one};
    double     x[2] = {1.0, 1.0};
    EXPECT(solve(&newton, x) != SAL_CONVERGED);
    EXPECT_NEAR(x[0], 3.0, 1e-6);
    EXPECT_NEAR(newton.residual, 1e-3, 1e-9);
}

/* Powell's singular function: J is singular at the root. */
static sal_evaluation singular(void *context, const double *x, double *f, double *J)
{
    (void)context;
    memset(J, 0, 16 * sizeof *J);
    f[0] = x[0] + 10.0 * x[1], J[0] = 1.0, J[1] = 10.0;
    f[1] = sqrt(5.0) * (x[2] - x[3]), J[6] = sqrt(5.0), J[7] = -sqrt(5.0);
    const double a = x[1] - 2.0 * x[2], b = x[0] - x[3];
    f[2] = a * a, J[9] = 2.0 * a, J[10] = -4.0 * a;
    f[3] = sqrt(10.0) * b * b, J[12] = sqrt(10.0) * 2.0 * b, J[15] = -J[12];
    return SAL_EVALUATED;
}

TEST(a_singular_root_is_approached)
{
    sal_newton newton = {.n = 4, .evaluate = singular};
    double     x[4] = {3.0, -1.0, 0.0, 1.0};
    solve(&newton, x);
    for (int i = 0; i < 4; i++) EXPECT_NEAR(x[i], 0.0, 1e-5);
}

static sal_evaluation stop(void *context, const double *x, double *f, double *J)
{
    (void)context, (void)x, (void)f, (void)J;
    return SAL_STOP;
}

TEST(what_fails_for_good_ends_the_search)
{
    sal_newton newton = {.n = 1, .evaluate = stop};
    double     x[1] = {2.0};
    EXPECT(solve(&newton, x) == SAL_STOPPED);
    EXPECT(x[0] == 2.0);
}

TEST_MAIN(RUN(a_curved_valley_is_followed), RUN(steps_that_make_it_worse_are_not_taken),
          RUN(places_without_a_value_are_rejected_steps),
          RUN(where_there_is_no_root_the_best_point_is_left),
          RUN(a_minimum_that_is_not_zero_is_no_root), RUN(a_singular_root_is_approached),
          RUN(what_fails_for_good_ends_the_search))
