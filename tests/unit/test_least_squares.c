/* Least squares and singular values. The problems are those of NIST's statistical reference data
 * sets (nonlinear regression), with certified values, both starts each; and closed forms. */
#include "solve/lm.h"
#include "solve/qr.h"
#include "solve/svd.h"
#include "test.h"

/* ---- NIST ----------------------------------------------------------------------------------- */

enum { MAX_DATA = 16, UNKNOWNS = 4 };

typedef struct nist {
    const char *name;
    int         n, m;
    double (*model)(double x, const double *b, double *slope);
    double x[MAX_DATA], y[MAX_DATA];
    double start[2][UNKNOWNS];
    double certified[UNKNOWNS];
    double rss;
} nist;

/* y = b1 (1 - exp(-b2 x)) */
static double saturation(double x, const double *b, double *slope)
{
    slope[0] = 1.0 - exp(-b[1] * x);
    slope[1] = b[0] * x * exp(-b[1] * x);
    return b[0] * slope[0];
}

static double power(double x, const double *b, double *slope)
{
    slope[0] = pow(x, b[1]);
    slope[1] = b[0] * slope[0] * log(x);
    return b[0] * slope[0];
}

static double meyer(double x, const double *b, double *slope)
{
    slope[0] = exp(b[1] / (x + b[2]));
    slope[1] = b[0] * slope[0] / (x + b[2]);
    slope[2] = -b[0] * slope[0] * b[1] / ((x + b[2]) * (x + b[2]));
    return b[0] * slope[0];
}

static double kowalik(double x, const double *b, double *slope)
{
    const double top = x * x + x * b[1], bottom = x * x + x * b[2] + b[3];
    slope[0] = top / bottom;
    slope[1] = b[0] * x / bottom;
    slope[2] = -b[0] * top * x / (bottom * bottom);
    slope[3] = -b[0] * top / (bottom * bottom);
    return b[0] * slope[0];
}

static double logistic(double x, const double *b, double *slope)
{
    const double e = exp(b[1] - b[2] * x), y = b[0] / (1.0 + e);
    slope[0] = 1.0 / (1.0 + e);
    slope[1] = -y * e / (1.0 + e);
    slope[2] = x * y * e / (1.0 + e);
    return y;
}

static double richards(double x, const double *b, double *slope)
{
    const double e = exp(b[1] - b[2] * x), part = pow(1.0 + e, -1.0 / b[3]), y = b[0] * part;
    slope[0] = part;
    slope[1] = -y / b[3] * e / (1.0 + e);
    slope[2] = x * y / b[3] * e / (1.0 + e);
    slope[3] = y * log(1.0 + e) / (b[3] * b[3]);
    return y;
}

static const nist problems[] = {
    {"Misra1a",
     2,
     14,
     saturation,
     {77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1,
      760.0},
     {10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47,
      81.78},
     {{500, 0.0001}, {250, 0.0005}},
     {2.3894212918e2, 5.5015643181e-4},
     1.2455138894e-1},
    {"BoxBOD",
     2,
     6,
     saturation,
     {1, 2, 3, 5, 7, 10},
     {109, 149, 149, 191, 213, 224},
     {{1, 1}, {100, 0.75}},
     {2.1380940889e2, 5.4723748542e-1},
     1.1680088766e3},
    {"DanWood",
     2,
     6,
     power,
     {1.309, 1.471, 1.490, 1.565, 1.611, 1.680},
     {2.138, 3.421, 3.597, 4.340, 4.882, 5.660},
     {{1, 5}, {0.7, 4}},
     {7.6886226176e-1, 3.8604055871},
     4.3173084083e-3},
    {"MGH10",
     3,
     16,
     meyer,
     {50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 100, 105, 110, 115, 120, 125},
     {34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427, 3820,
      3307, 2872},
     {{2, 400000, 25000}, {0.02, 4000, 250}},
     {5.6096364710e-3, 6.1813463463e3, 3.4522363462e2},
     8.7945855171e1},
    {"MGH09",
     4,
     11,
     kowalik,
     {4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625},
     {0.1957, 0.1947, 0.1735, 0.16, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246},
     {{25, 39, 41.5, 39}, {0.25, 0.39, 0.415, 0.39}},
     {1.9280693458e-1, 1.9128232873e-1, 1.2305650693e-1, 1.3606233068e-1},
     3.0750560385e-4},
    {"Rat42",
     3,
     9,
     logistic,
     {9, 14, 21, 28, 42, 57, 63, 70, 79},
     {8.93, 10.8, 18.59, 22.33, 39.35, 56.11, 61.73, 64.62, 67.08},
     {{100, 1, 0.1}, {75, 2.5, 0.07}},
     {7.2462237576e1, 2.6180768402, 6.7359200066e-2},
     8.0565229338},
    {"Rat43",
     4,
     15,
     richards,
     {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
     {16.08, 33.83, 65.80, 97.20, 191.55, 326.20, 386.87, 520.53, 590.03, 651.92, 724.93, 699.56,
      689.96, 637.56, 717.41},
     {{100, 10, 1, 1}, {700, 5, 0.75, 1.3}},
     {6.9964151270e2, 5.2771253025, 7.5962938329e-1, 1.2792483859},
     8.7864049080e3},
};

static sal_evaluation evaluate_nist(void *context, const double *b, double *r, double *J)
{
    const nist *p = context;
    for (int i = 0; i < p->m; i++) {
        double slope[UNKNOWNS];
        r[i] = p->model(p->x[i], b, slope) - p->y[i];
        if (J) memcpy(&J[i * p->n], slope, (size_t)p->n * sizeof(double));
    }
    return SAL_EVALUATED;
}

TEST(nist_problems_are_solved_from_both_starts)
{
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        for (int start = 0; start < 2; start++) {
            nist          p = problems[i];
            double        b[UNKNOWNS], r[MAX_DATA], J[MAX_DATA * UNKNOWNS];
            sal_lm_result result;
            memcpy(b, p.start[start], sizeof b);
            const sal_lm_problem problem = {
                .unknowns = p.n, .residuals = p.m, .evaluate = evaluate_nist, .context = &p};
            const sal_solve_status status = sal_lm(&problem, NULL, b, r, J, &result);
            if (status != SAL_CONVERGED)
                fail_msg("%s from start %d: status %d", p.name, start + 1, status);
            for (int j = 0; j < p.n; j++)
                if (!(fabs(b[j] / p.certified[j] - 1.0) < 2e-10))
                    fail_msg("%s from start %d: b%d = %.13g, certified %.11g", p.name, start + 1,
                             j + 1, b[j], p.certified[j]);
            EXPECT_NEAR(result.rss / p.rss, 1.0, 2e-10);
        }
}

/* ---- bounds, failures ----------------------------------------------------------------------- */

typedef struct rosenbrock {
    double wall; /* no value where the first unknown is larger */
    int    failures;
    int    calls_left; /* after which the search is stopped */
} rosenbrock;

static sal_evaluation evaluate_rosenbrock(void *context, const double *x, double *r, double *J)
{
    rosenbrock *p = context;
    if (p->calls_left-- == 0) return SAL_STOP;
    if (x[0] > p->wall) {
        p->failures++;
        return SAL_NO_VALUE;
    }
    r[0] = 10.0 * (x[1] - x[0] * x[0]);
    r[1] = 1.0 - x[0];
    if (J) J[0] = -20.0 * x[0], J[1] = 10.0, J[2] = -1.0, J[3] = 0.0;
    return SAL_EVALUATED;
}

static sal_solve_status solve_rosenbrock(rosenbrock *p, const double *lower, const double *upper,
                                         double *x, sal_lm_result *result)
{
    double               r[2], J[4];
    const sal_lm_problem problem = {.unknowns = 2,
                                    .residuals = 2,
                                    .lower = lower,
                                    .upper = upper,
                                    .evaluate = evaluate_rosenbrock,
                                    .context = p};
    return sal_lm(&problem, NULL, x, r, J, result);
}

TEST(points_without_a_value_are_rejected_steps)
{
    rosenbrock    p = {.wall = 1.05, .calls_left = -1};
    double        x[2] = {-1.2, 1.0};
    sal_lm_result result;
    EXPECT(solve_rosenbrock(&p, NULL, NULL, x, &result) == SAL_CONVERGED);
    EXPECT_NEAR(x[0], 1.0, 1e-12);
    EXPECT_NEAR(x[1], 1.0, 1e-12);
}

TEST(bounds_hold_and_the_rest_is_optimal)
{
    rosenbrock    p = {.wall = INFINITY, .calls_left = -1};
    const double  lower[2] = {-2.0, -2.0}, upper[2] = {0.5, 2.0};
    double        x[2] = {-1.2, 1.0};
    sal_lm_result result;
    EXPECT(solve_rosenbrock(&p, lower, upper, x, &result) == SAL_CONVERGED);
    EXPECT_NEAR(x[0], 0.5, 0.0);
    EXPECT_NEAR(x[1], 0.25, 1e-12);
}

TEST(a_search_that_is_stopped_keeps_its_best_point)
{
    rosenbrock    p = {.wall = INFINITY, .calls_left = 9};
    double        x[2] = {-1.2, 1.0};
    sal_lm_result result;
    EXPECT(solve_rosenbrock(&p, NULL, NULL, x, &result) == SAL_STOPPED);
    EXPECT(result.rss < 24.2);
    const double r0 = 10.0 * (x[1] - x[0] * x[0]), r1 = 1.0 - x[0];
    EXPECT_NEAR(result.rss, r0 * r0 + r1 * r1, 1e-12);
}

TEST(a_start_without_a_value_is_told)
{
    rosenbrock    p = {.wall = -2.0, .calls_left = -1};
    double        x[2] = {-1.2, 1.0};
    sal_lm_result result;
    EXPECT(solve_rosenbrock(&p, NULL, NULL, x, &result) == SAL_NO_START);
}

/* ---- matrices ------------------------------------------------------------------------------- */

TEST(singular_values_of_a_hilbert_matrix)
{
    enum { N = 5 };
    double A[N * N], U[N * N], V[N * N], sigma[N];
    for (int i = 0; i < N * N; i++) U[i] = A[i] = 1.0 / (i / N + i % N + 1);
    sal_svd(N, N, U, sigma, V);
    double determinant = 1.0;
    for (int i = 0; i < N; i++) determinant *= sigma[i];
    EXPECT_NEAR(determinant * 266716800000.0, 1.0, 1e-10); /* known in closed form */
    for (int i = 0; i < N * N; i++) {
        double sum = 0.0;
        for (int k = 0; k < N; k++) sum += U[i / N * N + k] * sigma[k] * V[i % N * N + k];
        EXPECT_NEAR(sum, A[i], 1e-15);
    }
}

TEST(dependent_columns_have_a_zero_singular_value)
{
    double A[6] = {1, 2, 2, 4, 3, 6}, wide[6] = {1, 2, 3, 4, 5, 6}, sigma[3], V[9];
    sal_svd(3, 2, A, sigma, V);
    EXPECT_NEAR(sigma[0], sqrt(70.0), 1e-14);
    EXPECT_NEAR(sigma[1], 0.0, 1e-15);
    sal_svd(2, 3, wide, sigma, V); /* fewer rows than columns */
    EXPECT_NEAR(sigma[0], 9.508032000695724, 1e-13);
    EXPECT_NEAR(sigma[1], 0.7728696356734839, 1e-13);
    EXPECT_NEAR(sigma[2], 0.0, 1e-14);
}

TEST(a_line_through_points)
{
    double A[8] = {1, 0, 1, 1, 1, 2, 1, 3}, b[4] = {1, 3, 5, 7};
    sal_qr_reduce(4, 2, A, b);
    EXPECT(sal_qr_back(2, 2, A, b) == 0);
    EXPECT_NEAR(b[0], 1.0, 1e-14);
    EXPECT_NEAR(b[1], 2.0, 1e-14);
    double dependent[4] = {1, 2, 1, 2}, right[2] = {1, 1};
    sal_qr_reduce(2, 2, dependent, right);
    EXPECT(sal_qr_back(2, 2, dependent, right) == 1);
}

TEST_MAIN(RUN(nist_problems_are_solved_from_both_starts),
          RUN(points_without_a_value_are_rejected_steps), RUN(bounds_hold_and_the_rest_is_optimal),
          RUN(a_search_that_is_stopped_keeps_its_best_point), RUN(a_start_without_a_value_is_told),
          RUN(singular_values_of_a_hilbert_matrix),
          RUN(dependent_columns_have_a_zero_singular_value), RUN(a_line_through_points))
