/* Constrained optimisation: problems of the collection of Hock and Schittkowski with their
 * solutions, a region without values, pieces with fences, contradictions, and searches that are
 * stopped. */
#include "solve/sqp.h"

#include <complex.h>

#include "test.h"

#undef I
#define IMAGINARY _Complex_I
typedef double complex number;

enum { MAX_UNKNOWNS = 8 };

/* ---- the collection ------------------------------------------------------------------------- */

static number square(number x) { return x * x; }

static void hs1(const number *x, number *f, number *c)
{
    (void)c;
    *f = 100 * square(x[1] - x[0] * x[0]) + square(1 - x[0]);
}

static void hs6(const number *x, number *f, number *c)
{
    *f = square(1 - x[0]);
    c[0] = 10 * (x[1] - x[0] * x[0]);
}

static void hs7(const number *x, number *f, number *c)
{
    *f = clog(1 + x[0] * x[0]) - x[1];
    c[0] = square(1 + x[0] * x[0]) + x[1] * x[1] - 4;
}

static void hs10(const number *x, number *f, number *c)
{
    *f = x[0] - x[1];
    c[0] = -3 * x[0] * x[0] + 2 * x[0] * x[1] - x[1] * x[1] + 1;
}

static void hs11(const number *x, number *f, number *c)
{
    *f = square(x[0] - 5) + x[1] * x[1] - 25;
    c[0] = -x[0] * x[0] + x[1];
}

static void hs12(const number *x, number *f, number *c)
{
    *f = 0.5 * x[0] * x[0] + x[1] * x[1] - x[0] * x[1] - 7 * x[0] - 7 * x[1];
    c[0] = 25 - 4 * x[0] * x[0] - x[1] * x[1];
}

static void hs14(const number *x, number *f, number *c)
{
    *f = square(x[0] - 2) + square(x[1] - 1);
    c[0] = x[0] - 2 * x[1] + 1;
    c[1] = -x[0] * x[0] / 4 - x[1] * x[1] + 1;
}

static void hs21(const number *x, number *f, number *c)
{
    *f = 0.01 * x[0] * x[0] + x[1] * x[1] - 100;
    c[0] = 10 * x[0] - x[1] - 10;
}

static void hs22(const number *x, number *f, number *c)
{
    *f = square(x[0] - 2) + square(x[1] - 1);
    c[0] = -x[0] - x[1] + 2;
    c[1] = -x[0] * x[0] + x[1];
}

static void hs24(const number *x, number *f, number *c)
{
    const double root = sqrt(3.0);
    *f = (square(x[0] - 3) - 9) * x[1] * x[1] * x[1] / (27 * root);
    c[0] = x[0] / root - x[1];
    c[1] = x[0] + root * x[1];
    c[2] = -x[0] - root * x[1] + 6;
}

static void hs28(const number *x, number *f, number *c)
{
    *f = square(x[0] + x[1]) + square(x[1] + x[2]);
    c[0] = x[0] + 2 * x[1] + 3 * x[2] - 1;
}

static void hs35(const number *x, number *f, number *c)
{
    *f = 9 - 8 * x[0] - 6 * x[1] - 4 * x[2] + 2 * x[0] * x[0] + 2 * x[1] * x[1] + x[2] * x[2] +
         2 * x[0] * x[1] + 2 * x[0] * x[2];
    c[0] = 3 - x[0] - x[1] - 2 * x[2];
}

static void hs38(const number *x, number *f, number *c)
{
    (void)c;
    *f = 100 * square(x[1] - x[0] * x[0]) + square(1 - x[0]) + 90 * square(x[3] - x[2] * x[2]) +
         square(1 - x[2]) + 10.1 * (square(x[1] - 1) + square(x[3] - 1)) +
         19.8 * (x[1] - 1) * (x[3] - 1);
}

static void hs39(const number *x, number *f, number *c)
{
    *f = -x[0];
    c[0] = x[1] - x[0] * x[0] * x[0] - x[2] * x[2];
    c[1] = x[0] * x[0] - x[1] - x[3] * x[3];
}

static void hs40(const number *x, number *f, number *c)
{
    *f = -x[0] * x[1] * x[2] * x[3];
    c[0] = x[0] * x[0] * x[0] + x[1] * x[1] - 1;
    c[1] = x[0] * x[0] * x[3] - x[2];
    c[2] = x[3] * x[3] - x[1];
}

static void hs42(const number *x, number *f, number *c)
{
    *f = square(x[0] - 1) + square(x[1] - 2) + square(x[2] - 3) + square(x[3] - 4);
    c[0] = x[0] - 2;
    c[1] = x[2] * x[2] + x[3] * x[3] - 2;
}

static void hs43(const number *x, number *f, number *c)
{
    *f = x[0] * x[0] + x[1] * x[1] + 2 * x[2] * x[2] + x[3] * x[3] - 5 * x[0] - 5 * x[1] -
         21 * x[2] + 7 * x[3];
    c[0] = 8 - x[0] * x[0] - x[1] * x[1] - x[2] * x[2] - x[3] * x[3] - x[0] + x[1] - x[2] + x[3];
    c[1] = 10 - x[0] * x[0] - 2 * x[1] * x[1] - x[2] * x[2] - 2 * x[3] * x[3] + x[0] + x[3];
    c[2] = 5 - 2 * x[0] * x[0] - x[1] * x[1] - x[2] * x[2] - 2 * x[0] + x[1] + x[3];
}

static void hs71(const number *x, number *f, number *c)
{
    *f = x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2];
    c[0] = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] - 40;
    c[1] = x[0] * x[1] * x[2] * x[3] - 25;
}

static void hs76(const number *x, number *f, number *c)
{
    *f = x[0] * x[0] + 0.5 * x[1] * x[1] + x[2] * x[2] + 0.5 * x[3] * x[3] - x[0] * x[2] +
         x[2] * x[3] - x[0] - 3 * x[1] + x[2] - x[3];
    c[0] = 5 - x[0] - 2 * x[1] - x[2] - x[3];
    c[1] = 4 - 3 * x[0] - x[1] - 2 * x[2] + x[3];
    c[2] = x[1] + 4 * x[2] - 1.5;
}

static void hs78(const number *x, number *f, number *c)
{
    *f = x[0] * x[1] * x[2] * x[3] * x[4];
    c[0] = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] + x[4] * x[4] - 10;
    c[1] = x[1] * x[2] - 5 * x[3] * x[4];
    c[2] = x[0] * x[0] * x[0] + x[1] * x[1] * x[1] + 1;
}

static void hs100(const number *x, number *f, number *c)
{
    *f = square(x[0] - 10) + 5 * square(x[1] - 12) + square(square(x[2])) + 3 * square(x[3] - 11) +
         10 * square(x[4] * x[4] * x[4]) + 7 * x[5] * x[5] + square(square(x[6])) -
         4 * x[5] * x[6] - 10 * x[5] - 8 * x[6];
    c[0] = 127 - 2 * x[0] * x[0] - 3 * square(square(x[1])) - x[2] - 4 * x[3] * x[3] - 5 * x[4];
    c[1] = 282 - 7 * x[0] - 3 * x[1] - 10 * x[2] * x[2] - x[3] + x[4];
    c[2] = 196 - 23 * x[0] - x[1] * x[1] - 6 * x[5] * x[5] + 8 * x[6];
    c[3] =
        -4 * x[0] * x[0] - x[1] * x[1] + 3 * x[0] * x[1] - 2 * x[2] * x[2] - 5 * x[5] + 11 * x[6];
}

typedef struct example {
    const char *name;
    int         n, m, equations;
    void (*functions)(const number *x, number *f, number *c);
    double start[MAX_UNKNOWNS];
    double f;            /* at the solution */
    double lower, upper; /* of all unknowns; 0, 0: none */
    double first_lower;  /* of the first unknown, if it is not 0 */
    int    calls;        /* of evaluate */
} example;

#define ROOT7 2.6457513110645907
static const example collection[] = {
    {"HS1", 2, 0, 0, hs1, {-2, 1}, 0.0, -1.5, 100, -100, 0},
    {"HS6", 2, 1, 1, hs6, {-1.2, 1}, 0.0, 0, 0, 0, 0},
    {"HS7", 2, 1, 1, hs7, {2, 2}, -1.7320508075688772, 0, 0, 0, 0},
    {"HS10", 2, 1, 0, hs10, {-10, 10}, -1.0, 0, 0, 0, 0},
    {"HS11", 2, 1, 0, hs11, {4.9, 0.1}, -8.498464223, 0, 0, 0, 0},
    {"HS12", 2, 1, 0, hs12, {0, 0}, -30.0, 0, 0, 0, 0},
    {"HS14", 2, 2, 1, hs14, {2, 2}, 9.0 - 2.875 * ROOT7, 0, 0, 0, 0},
    {"HS21", 2, 1, 0, hs21, {-1, -1}, -99.96, -50, 50, 2, 0},
    {"HS22", 2, 2, 0, hs22, {2, 2}, 1.0, 0, 0, 0, 0},
    {"HS24", 2, 3, 0, hs24, {1, 0.5}, -1.0, 0, 1e9, 0, 0},
    {"HS28", 3, 1, 1, hs28, {-4, 1, 1}, 0.0, 0, 0, 0, 0},
    {"HS35", 3, 1, 0, hs35, {0.5, 0.5, 0.5}, 1.0 / 9.0, 0, 1e9, 0, 0},
    {"HS38", 4, 0, 0, hs38, {-3, -1, -3, -1}, 0.0, -10, 10, 0, 0},
    {"HS39", 4, 2, 2, hs39, {2, 2, 2, 2}, -1.0, 0, 0, 0, 0},
    {"HS40", 4, 3, 3, hs40, {0.8, 0.8, 0.8, 0.8}, -0.25, 0, 0, 0, 0},
    {"HS42", 4, 2, 2, hs42, {1, 1, 1, 1}, 13.857864376269049, 0, 0, 0, 0},
    {"HS43", 4, 3, 0, hs43, {0, 0, 0, 0}, -44.0, 0, 0, 0, 0},
    {"HS71", 4, 2, 1, hs71, {1, 5, 5, 1}, 17.0140173, 1, 5, 0, 0},
    {"HS76", 4, 3, 0, hs76, {0.5, 0.5, 0.5, 0.5}, -4.681818181818, 0, 1e9, 0, 0},
    {"HS78", 5, 3, 3, hs78, {-2, 1.5, 2, -1, -1}, -2.91970041, 0, 0, 0, 0},
    {"HS100", 7, 4, 0, hs100, {1, 2, 0, 4, 0, 1, 1}, 680.6300573, 0, 0, 0, 0},
};

/* Derivatives by complex steps, exact to rounding. */
static sal_evaluation evaluate(void *context, const double *x, bool with_gradients,
                               sal_sqp_point *point)
{
    example     *p = context;
    number       z[MAX_UNKNOWNS], f, c[MAX_UNKNOWNS];
    const double h = 1e-100;
    p->calls++;
    point->piece = 0;
    for (int i = 0; i < p->n; i++) z[i] = x[i];
    p->functions(z, &f, c);
    point->f = creal(f);
    for (int k = 0; k < p->m; k++) point->c[k] = creal(c[k]);
    for (int i = 0; with_gradients && i < p->n; i++) {
        z[i] = x[i] + h * IMAGINARY;
        p->functions(z, &f, c);
        point->gradient[i] = cimag(f) / h;
        for (int k = 0; k < p->m; k++) point->jacobian[k * p->n + i] = cimag(c[k]) / h;
        z[i] = x[i];
    }
    return SAL_EVALUATED;
}

static void solve_problem(const example *one, sal_sqp_hessian hessian)
{
    example p = *one;
    double  lower[MAX_UNKNOWNS], upper[MAX_UNKNOWNS], x[MAX_UNKNOWNS], y[MAX_UNKNOWNS], y_fence[1];
    sal_sqp_result result;
    const bool     has_bounds = p.lower != p.upper;
    for (int i = 0; i < p.n; i++) lower[i] = p.lower, upper[i] = p.upper;
    if (p.first_lower != 0.0) lower[0] = p.first_lower;
    memcpy(x, p.start, sizeof x);
    const sal_sqp_problem  problem = {.unknowns = p.n,
                                      .constraints = p.m,
                                      .equations = p.equations,
                                      .lower = has_bounds ? lower : NULL,
                                      .upper = has_bounds ? upper : NULL,
                                      .evaluate = evaluate,
                                      .context = &p,
                                      .hessian = hessian};
    const sal_solve_status status = sal_sqp(&problem, NULL, x, y, y_fence, &result);
    if (getenv("VERBOSE"))
        printf("%-6s status %d, f %.10g, kkt %.1e, %d iterations, %d values, %d gradients\n",
               p.name, status, result.f, result.kkt, result.iterations, result.values,
               result.gradients);
    if (status != SAL_CONVERGED)
        fail_msg("%s: status %d, f %g, kkt %g", p.name, status, result.f, result.kkt);
    if (!(fabs(result.f - p.f) < 1e-8 * fmax(1.0, fabs(p.f))))
        fail_msg("%s: f = %.12g, expected %.12g", p.name, result.f, p.f);
    EXPECT(p.calls == result.values + result.gradients);
    EXPECT(result.gradients < (hessian == SAL_SQP_DIFFERENCES ? 400 : 100));
}

TEST(problems_of_hock_and_schittkowski)
{
    for (size_t i = 0; i < sizeof collection / sizeof *collection; i++)
        solve_problem(&collection[i], SAL_SQP_UPDATES);
}

TEST(and_without_a_difference)
{
    for (size_t i = 0; i < sizeof collection / sizeof *collection; i++)
        solve_problem(&collection[i], SAL_SQP_UPDATES_ONLY);
}

TEST(and_with_hessians_by_differences)
{
    for (size_t i = 0; i < sizeof collection / sizeof *collection; i++)
        solve_problem(&collection[i], SAL_SQP_DIFFERENCES);
}

/* ---- no value everywhere -------------------------------------------------------------------- */

typedef struct region {
    double wall; /* no value where the first unknown is larger */
    int    calls, calls_left;
} region;

static sal_evaluation evaluate_region(void *context, const double *x, bool with_gradients,
                                      sal_sqp_point *point)
{
    region *r = context;
    r->calls++;
    if (r->calls_left-- == 0) return SAL_STOP;
    if (x[0] > r->wall) return SAL_NO_VALUE;
    const double bend = x[1] - x[0] * x[0];
    point->piece = 0;
    point->f = 100 * bend * bend + (1 - x[0]) * (1 - x[0]);
    if (with_gradients) {
        point->gradient[0] = -400 * bend * x[0] - 2 * (1 - x[0]);
        point->gradient[1] = 200 * bend;
    }
    return SAL_EVALUATED;
}

static sal_solve_status solve_region(region *r, double *x, sal_sqp_result *result)
{
    const sal_sqp_problem problem = {.unknowns = 2, .evaluate = evaluate_region, .context = r};
    return sal_sqp(&problem, NULL, x, NULL, NULL, result);
}

TEST(a_region_without_values_is_walked_around)
{
    region         r = {.wall = 1.05, .calls_left = -1};
    double         x[2] = {-1.2, 1.0};
    sal_sqp_result result;
    EXPECT(solve_region(&r, x, &result) == SAL_CONVERGED);
    EXPECT_NEAR(x[0], 1.0, 1e-6);
    EXPECT_NEAR(x[1], 1.0, 1e-6);
    EXPECT(r.calls < 200);
}

TEST(a_search_that_is_stopped_keeps_its_best_point)
{
    region         r = {.wall = INFINITY, .calls_left = 12};
    double         x[2] = {-1.2, 1.0};
    sal_sqp_result result;
    EXPECT(solve_region(&r, x, &result) == SAL_STOPPED);
    EXPECT(result.f < 24.2);
    EXPECT_NEAR(result.f, 100 * pow(x[1] - x[0] * x[0], 2) + pow(1 - x[0], 2), 1e-12);
}

/* On its way the search passes a feasible point and leaves the region again. If it is ended there,
 * the feasible point is the best one, and its violation is zero. */
TEST(the_violation_is_that_of_the_best_point)
{
    for (int i = 1; i <= 7; i++) {
        double                x[MAX_UNKNOWNS], y[1], y_fence[1];
        number                z[MAX_UNKNOWNS], f, c;
        sal_sqp_result        result;
        example               p = {"HS12", 2, 1, 0, hs12, {0, 0}, -30.0, 0, 0, 0, 0};
        const sal_sqp_problem problem = {.unknowns = p.n,
                                         .constraints = p.m,
                                         .evaluate = evaluate,
                                         .context = &p,
                                         .max_iterations = i};
        memcpy(x, p.start, sizeof x);
        EXPECT(sal_sqp(&problem, NULL, x, y, y_fence, &result) == SAL_LIMIT);
        for (int k = 0; k < p.n; k++) z[k] = x[k];
        hs12(z, &f, &c);
        EXPECT(creal(c) > 1.0 && result.f == creal(f));
        EXPECT(result.violation == 0.0 && result.worst == -1);
    }
}

TEST(a_start_without_a_value_is_told)
{
    region         r = {.wall = -2.0, .calls_left = -1};
    double         x[2] = {-1.2, 1.0};
    sal_sqp_result result;
    EXPECT(solve_region(&r, x, &result) == SAL_NO_START);
    EXPECT_NEAR(x[0], -1.2, 0.0);
}

/* ---- what has no solution ------------------------------------------------------------------- */

static void contradiction(const number *x, number *f, number *c)
{
    *f = x[0] * x[0] + x[1] * x[1];
    c[0] = x[0] + x[1] - 2;
    c[1] = -1 - x[0] * x[0];
}

static void downhill(const number *x, number *f, number *c)
{
    (void)c;
    *f = -x[0] + 0.5 * x[1] * x[1];
}

TEST(contradictions_and_unbounded_problems_are_told)
{
    example         p = {.n = 2, .m = 2, .equations = 1, .functions = contradiction};
    double          x[2] = {1, 3}, y[2];
    sal_sqp_result  result;
    sal_sqp_problem problem = {
        .unknowns = 2, .constraints = 2, .equations = 1, .evaluate = evaluate, .context = &p};
    EXPECT(sal_sqp(&problem, NULL, x, y, NULL, &result) == SAL_INFEASIBLE);
    EXPECT(result.worst == 1);
    p = (example){.n = 2, .functions = downhill};
    problem = (sal_sqp_problem){.unknowns = 2, .evaluate = evaluate, .context = &p};
    x[0] = 1, x[1] = 3;
    EXPECT(sal_sqp(&problem, NULL, x, y, NULL, &result) == SAL_UNBOUNDED);
}

/* ---- pieces and fences ---------------------------------------------------------------------- */

typedef struct pieces {
    bool is_kept; /* the other piece has no value */
    int  crossed;
} pieces;

/* Left of x = 1 it falls to the right, right of it there is another valley, which is deeper. */
static sal_evaluation evaluate_pieces(void *context, const double *x, bool with_gradients,
                                      sal_sqp_point *point)
{
    pieces    *p = context;
    const bool is_left = x[0] < 1.0;
    if (!is_left) p->crossed++;
    if (!is_left && p->is_kept) return SAL_NO_VALUE;
    point->piece = is_left;
    const double centre = is_left ? 3.0 : 2.0, depth = is_left ? 0.0 : -5.0;
    point->f = depth + (x[0] - centre) * (x[0] - centre) + (x[1] - 0.5) * (x[1] - 0.5);
    if (!with_gradients) return SAL_EVALUATED;
    point->gradient[0] = 2 * (x[0] - centre);
    point->gradient[1] = 2 * (x[1] - 0.5);
    point->fences = p->is_kept;
    point->fence[0] = 1.0 - x[0];
    point->fence_gradient[0] = -1.0;
    point->fence_gradient[1] = 0.0;
    return SAL_EVALUATED;
}

TEST(fences_keep_a_search_on_its_piece_and_tell_what_crossing_is_worth)
{
    pieces                p = {.is_kept = true};
    double                x[2] = {-1.0, 2.0}, y_fence[1];
    sal_sqp_result        result;
    const sal_sqp_problem problem = {
        .unknowns = 2, .max_fences = 1, .evaluate = evaluate_pieces, .context = &p};
    EXPECT(sal_sqp(&problem, NULL, x, NULL, y_fence, &result) == SAL_CONVERGED);
    EXPECT(p.crossed == 0); /* not one bad evaluation */
    EXPECT_NEAR(x[0], 1.0, 1e-6);
    EXPECT_NEAR(x[1], 0.5, 1e-6);
    EXPECT_NEAR(y_fence[0], 4.0, 1e-5);
}

TEST(a_lower_piece_is_entered_if_it_may_be)
{
    pieces                p = {.is_kept = false};
    double                x[2] = {-1.0, 2.0}, y_fence[1];
    sal_sqp_result        result;
    const sal_sqp_problem problem = {
        .unknowns = 2, .max_fences = 1, .evaluate = evaluate_pieces, .context = &p};
    EXPECT(sal_sqp(&problem, NULL, x, NULL, y_fence, &result) == SAL_CONVERGED);
    EXPECT_NEAR(x[0], 2.0, 1e-6);
    EXPECT_NEAR(result.f, -5.0, 1e-10);
}

TEST_MAIN(RUN(problems_of_hock_and_schittkowski), RUN(and_without_a_difference),
          RUN(and_with_hessians_by_differences), RUN(a_region_without_values_is_walked_around),
          RUN(a_search_that_is_stopped_keeps_its_best_point),
          RUN(the_violation_is_that_of_the_best_point), RUN(a_start_without_a_value_is_told),
          RUN(contradictions_and_unbounded_problems_are_told),
          RUN(fences_keep_a_search_on_its_piece_and_tell_what_crossing_is_worth),
          RUN(a_lower_piece_is_entered_if_it_may_be))
