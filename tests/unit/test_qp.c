/* Quadratic programs: closed forms, and the conditions of an optimum on random ones, degenerate and
 * infeasible too. */
#include "solve/qp.h"
#include "test.h"

TEST(a_corner_in_closed_form)
{
    /* The point closest to (3, 2) with x + y <= 2 and y >= 1.5: (0.5, 1.5). */
    const double G[4] = {1, 0, 0, 1}, g[2] = {-3, -2}, A[4] = {-1, -1, 0, 1}, b[2] = {-2, 1.5};
    const sal_qp qp = {.n = 2, .G = G, .g = g, .rows = 2, .A = A, .b = b};
    double       x[2], y[2], y_bound[2];
    EXPECT(sal_qp_solve(&qp, NULL, x, y, y_bound) == SAL_QP_SOLVED);
    EXPECT_NEAR(x[0], 0.5, 1e-14);
    EXPECT_NEAR(x[1], 1.5, 1e-14);
    EXPECT_NEAR(y[0], 2.5, 1e-14);
    EXPECT_NEAR(y[1], 2.0, 1e-14);
}

TEST(equations_that_follow_from_others_are_skipped)
{
    const double G[4] = {2, 0, 0, 2}, g[2] = {0, 0}, A[6] = {1, 1, 2, 2, 1, -1}, b[3] = {2, 4, 0};
    const sal_qp qp = {.n = 2, .G = G, .g = g, .rows = 3, .equations = 3, .A = A, .b = b};
    double       x[2], y[3], y_bound[2];
    EXPECT(sal_qp_solve(&qp, NULL, x, y, y_bound) == SAL_QP_SOLVED);
    EXPECT_NEAR(x[0], 1.0, 1e-14);
    EXPECT_NEAR(x[1], 1.0, 1e-14);
    EXPECT_NEAR(y[0] + 2 * y[1], 2.0, 1e-13);
}

TEST(constraints_that_contradict_each_other_are_told)
{
    const double G[4] = {2, 0, 0, 2}, g[2] = {0, 0};
    double       x[2], y[3], y_bound[2];
    const double A1[4] = {1, 1, 1, 1}, b1[2] = {2, 3};
    const sal_qp equations = {.n = 2, .G = G, .g = g, .rows = 2, .equations = 2, .A = A1, .b = b1};
    EXPECT(sal_qp_solve(&equations, NULL, x, y, y_bound) == SAL_QP_INFEASIBLE);
    const double A2[6] = {1, 1, -1, 0, 0, -1}, b2[3] = {3, -1, -1};
    const sal_qp triangle = {.n = 2, .G = G, .g = g, .rows = 3, .A = A2, .b = b2};
    EXPECT(sal_qp_solve(&triangle, NULL, x, y, y_bound) == SAL_QP_INFEASIBLE);
    const double lower[2] = {1, 0}, upper[2] = {0, 1};
    const sal_qp bounds = {.n = 2, .G = G, .g = g, .lower = lower, .upper = upper};
    EXPECT(sal_qp_solve(&bounds, NULL, x, y, y_bound) == SAL_QP_INFEASIBLE);
    const double zero[2] = {0, 0}, one[1] = {1};
    const sal_qp nothing = {.n = 2, .G = G, .g = g, .rows = 1, .A = zero, .b = one};
    EXPECT(sal_qp_solve(&nothing, NULL, x, y, y_bound) == SAL_QP_INFEASIBLE);
}

TEST(a_matrix_that_is_not_definite_is_told)
{
    const double G[4] = {1, 0, 2, 1}, g[2] = {0, 0};
    const sal_qp qp = {.n = 2, .G = G, .g = g};
    double       x[2], y_bound[2];
    EXPECT(sal_qp_solve(&qp, NULL, x, NULL, y_bound) == SAL_QP_NOT_CONVEX);
}

/* ---- random problems ------------------------------------------------------------------------ */

static unsigned long long seed = 1;
static double             next(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / 4503599627370496.0 - 1.0;
}

enum { N = 12, ROWS = 25, PROBLEMS = 300 };

/* Rows pass through a common point, so that there is a solution; many of them through the same
 * corner, and some twice. */
static void make(double *G, double *g, double *A, double *b, double *lower, double *upper,
                 double *point)
{
    double M[N * N];
    for (int i = 0; i < N * N; i++) M[i] = next();
    for (int i = 0; i < N * N; i++) {
        G[i] = i % (N + 1) == 0 ? 0.01 : 0.0;
        for (int k = 0; k < N; k++) G[i] += M[i / N * N + k] * M[i % N * N + k];
    }
    for (int i = 0; i < N; i++) {
        g[i] = 10.0 * next(), point[i] = next();
        lower[i] = point[i] - (next() > 0.5 ? 0.0 : 1.0),
        upper[i] = point[i] + (next() > 0.5 ? 0.0 : 1.0);
    }
    for (int k = 0; k < ROWS; k++) {
        b[k] = k < 3 || k % 2 ? 0.0 : -1.0;
        for (int i = 0; i < N; i++) {
            A[k * N + i] = k == 7 ? A[5 * N + i] : next();
            b[k] += A[k * N + i] * point[i];
        }
    }
}

TEST(random_problems_meet_the_conditions_of_an_optimum)
{
    for (int problem = 0; problem < PROBLEMS; problem++) {
        double G[N * N], g[N], A[ROWS * N], b[ROWS], lower[N], upper[N], point[N], x[N], y[ROWS],
            y_bound[N];
        make(G, g, A, b, lower, upper, point);
        const sal_qp qp = {.n = N,
                           .G = G,
                           .g = g,
                           .rows = ROWS,
                           .equations = 3,
                           .A = A,
                           .b = b,
                           .lower = lower,
                           .upper = upper};
        if (sal_qp_solve(&qp, NULL, x, y, y_bound) != SAL_QP_SOLVED)
            fail_msg("problem %d is not solved", problem);
        for (int i = 0; i < N; i++) {
            double sum = g[i] - y_bound[i];
            for (int k = 0; k < N; k++) sum += G[i * N + k] * x[k];
            for (int k = 0; k < ROWS; k++) sum -= A[k * N + i] * y[k];
            EXPECT_NEAR(sum, 0.0, 1e-7);
            EXPECT(x[i] >= lower[i] - 1e-10 && x[i] <= upper[i] + 1e-10);
            if (y_bound[i] > 1e-8) EXPECT_NEAR(x[i], lower[i], 1e-10);
            if (y_bound[i] < -1e-8) EXPECT_NEAR(x[i], upper[i], 1e-10);
        }
        for (int k = 0; k < ROWS; k++) {
            double sum = -b[k];
            for (int i = 0; i < N; i++) sum += A[k * N + i] * x[i];
            EXPECT(k < 3 ? fabs(sum) < 1e-9 : sum > -1e-9);
            EXPECT(k < 3 || y[k] >= 0.0);
            EXPECT(k < 3 || y[k] * sum < 1e-7);
        }
    }
}

TEST_MAIN(RUN(a_corner_in_closed_form), RUN(equations_that_follow_from_others_are_skipped),
          RUN(constraints_that_contradict_each_other_are_told),
          RUN(a_matrix_that_is_not_definite_is_told),
          RUN(random_problems_meet_the_conditions_of_an_optimum))
