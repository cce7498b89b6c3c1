/* Dense factorisations: residuals of their solutions, what they refuse, and the digits they owe. */
#include "test.h"

#include "linalg/ldl.h"

#include <float.h>

enum { N = 30, LANES = 9 };

/* ---- material ------------------------------------------------------------------------------- */

/* Uniform in (-1, 1), the same on every machine. */
static double next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*seed >> 11) * 0x1p-52 - 1.0;
}

static void fill(uint64_t *seed, int count, double *x)
{
    for (int i = 0; i < count; i++) x[i] = next_random(seed);
}

static void random_symmetric(uint64_t *seed, int n, double *A)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) A[i * n + j] = A[j * n + i] = next_random(seed);
}

/* G G' + shift I */
static void random_definite(uint64_t *seed, int n, double shift, double *A)
{
    double G[N * N];
    fill(seed, n * n, G);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = i == j ? shift : 0.0;
            for (int k = 0; k < n; k++) sum += G[i * n + k] * G[j * n + k];
            A[i * n + j] = sum;
        }
}

/* [M J'; J 0] with M definite of size n - m, masses of the given scale, and J of m rows. */
static void random_saddle(uint64_t *seed, int n, int m, double mass, double *A)
{
    const int nq = n - m;
    double    M[N * N];
    memset(A, 0, sizeof(double) * (size_t)(n * n));
    random_definite(seed, nq, 0.1, M);
    for (int i = 0; i < nq; i++)
        for (int j = 0; j < nq; j++) A[i * n + j] = mass * M[i * nq + j];
    for (int i = nq; i < n; i++)
        for (int j = 0; j < nq; j++) A[i * n + j] = A[j * n + i] = next_random(seed);
}

/* S A S with S = diag(2^e), e between -range and range. */
static void scale_rows_and_columns(uint64_t *seed, int n, int range, double *A, double *S)
{
    for (int i = 0; i < n; i++) S[i] = ldexp(1.0, (int)(range * next_random(seed)));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) A[i * n + j] *= S[i] * S[j];
}

/* ---- questions ------------------------------------------------------------------------------ */

/* One interface to both factorisations. */
typedef struct {
    const char *name;
    int (*factor)(int n, double *A, double *d, int *ipiv);
    void (*solve)(int n, const double *A, const int *ipiv, int nrhs, double *B);
} method;

static int factor_ldl(int n, double *A, double *d, int *ipiv)
{
    (void)ipiv;
    return sal_ldl_factor(n, A, d);
}

static void solve_ldl(int n, const double *A, const int *ipiv, int nrhs, double *B)
{
    (void)ipiv;
    sal_ldl_solve(n, A, NULL, nrhs, B);
}

static int factor_bk(int n, double *A, double *d, int *ipiv)
{
    return sal_bk_factor(n, A, ipiv, d);
}

static const method ldl = {"ldl", factor_ldl, solve_ldl}, bk = {"bk", factor_bk, sal_ldl_solve};

static int try_factor(const method *f, int n, const double *A)
{
    double F[N * N], d[N];
    int    ipiv[N];
    memcpy(F, A, sizeof(double) * (size_t)(n * n));
    return f->factor(n, F, d, ipiv);
}

/* Solves with a copy of A whose upper triangle is poisoned; fails when A is refused. */
static void solve_copy(const method *f, int n, const double *A, int nrhs, double *B)
{
    double F[N * N], d[N];
    int    ipiv[N];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) F[i * n + j] = j <= i ? A[i * n + j] : NAN;
    const int refused = f->factor(n, F, d, ipiv);
    if (refused) fail_msg("%s, n = %d: refused at row %d", f->name, n, refused - 1);
    f->solve(n, F, ipiv, nrhs, B);
}

/* Largest |B - A X|_i / (|A| |X| + |B|), lane by lane, in maximum norms, in units of epsilon. */
static double backward_error(int n, const double *A, int nrhs, const double *X, const double *B)
{
    double largest = 0.0;
    for (int r = 0; r < nrhs; r++) {
        double residual = 0.0, norm_A = 0.0, norm_X = 0.0, norm_B = 0.0;
        for (int i = 0; i < n; i++) {
            double sum = B[i * nrhs + r], row = 0.0;
            for (int j = 0; j < n; j++) {
                sum -= A[i * n + j] * X[j * nrhs + r];
                row += fabs(A[i * n + j]);
            }
            if (isnan(sum)) return NAN;
            residual = fmax(residual, fabs(sum));
            norm_A = fmax(norm_A, row);
            norm_X = fmax(norm_X, fabs(X[i * nrhs + r]));
            norm_B = fmax(norm_B, fabs(B[i * nrhs + r]));
        }
        largest = fmax(largest, residual / (norm_A * norm_X + norm_B));
    }
    return largest / DBL_EPSILON;
}

static void expect_small_residual(const method *f, uint64_t *seed, int n, const double *A, int nrhs,
                                  double *worst)
{
    double B[N * LANES], X[N * LANES];
    fill(seed, n * nrhs, B);
    memcpy(X, B, sizeof X);
    solve_copy(f, n, A, nrhs, X);
    const double error = backward_error(n, A, nrhs, X, B);
    *worst = fmax(*worst, error);
    if (!(error <= 20.0))
        fail_msg("%s, n = %d, nrhs = %d: backward error of %.3g epsilon", f->name, n, nrhs, error);
}

/* ---- residuals ------------------------------------------------------------------------------ */

TEST(both_solve_definite_systems_of_all_sizes_and_lanes)
{
    uint64_t seed = 1;
    double   A[N * N], worst[2] = {0};
    for (int n = 1; n <= N; n++)
        for (int nrhs = 1; nrhs <= LANES; nrhs++) {
            random_definite(&seed, n, 1e-3, A);
            expect_small_residual(&ldl, &seed, n, A, nrhs, &worst[0]);
            expect_small_residual(&bk, &seed, n, A, nrhs, &worst[1]);
        }
    print_message("    worst backward error: ldl %.1f, bk %.1f epsilon\n", worst[0], worst[1]);
}

TEST(bk_solves_indefinite_systems_of_all_sizes_and_lanes)
{
    uint64_t seed = 2;
    double   A[N * N], worst = 0.0;
    for (int n = 1; n <= N; n++)
        for (int nrhs = 1; nrhs <= LANES; nrhs++) {
            random_symmetric(&seed, n, A);
            expect_small_residual(&bk, &seed, n, A, nrhs, &worst);
            for (int i = 0; i < n && n % 2 == 0; i++) A[i * n + i] = 0.0; /* blocks only */
            expect_small_residual(&bk, &seed, n, A, nrhs, &worst);
        }
    print_message("    worst backward error: %.1f epsilon\n", worst);
}

TEST(bk_solves_saddle_systems_with_light_and_heavy_masses)
{
    uint64_t seed = 3;
    double   A[N * N], worst = 0.0;
    for (int n = 2; n <= N; n++)
        for (int m = 0; m <= n / 2; m++)
            for (int exponent = -8; exponent <= 8; exponent += 4) {
                random_saddle(&seed, n, m, pow(10.0, exponent), A);
                expect_small_residual(&bk, &seed, n, A, 1 + n % LANES, &worst);
            }
    print_message("    worst backward error: %.1f epsilon\n", worst);
}

TEST(bk_solves_systems_whose_rows_differ_by_millions)
{
    uint64_t seed = 4;
    double   A[N * N], S[N], worst = 0.0;
    for (int n = 1; n <= N; n++) {
        random_saddle(&seed, n, n / 3, 1.0, A);
        scale_rows_and_columns(&seed, n, 10, A, S);
        expect_small_residual(&bk, &seed, n, A, 2, &worst);
    }
    print_message("    worst backward error: %.1f epsilon\n", worst);
}

TEST(known_solutions_are_found)
{
    double spd[] = {4, 0, 0, 2, 5, 0, 2, 3, 6}, d[4], b[] = {8, 10, 11};
    assert_int_equal(sal_ldl_factor(3, spd, d), 0);
    sal_ldl_solve(3, spd, NULL, 1, b);
    for (int i = 0; i < 3; i++) EXPECT_NEAR(b[i], 1.0, 1e-15);
    EXPECT_NEAR(d[0] * d[1] * d[2], 4.0 * 21.0 - 2.0 * 6.0 - 2.0 * 4.0, 1e-13);

    /* [0 0 0 2; 0 0 5 0; 0 5 0 0; 2 0 0 0] [1 2 3 4]' */
    double off[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 2, 0, 0, 0}, c[] = {8, 15, 10, 2};
    int    ipiv[4];
    assert_int_equal(sal_bk_factor(4, off, ipiv, d), 0);
    sal_ldl_solve(4, off, ipiv, 1, c);
    const double x[] = {1.0, 2.0, 3.0, 4.0};
    for (int i = 0; i < 4; i++) EXPECT_NEAR(c[i], x[i], 1e-15);

    assert_int_equal(sal_ldl_factor(0, spd, d), 0);
    assert_int_equal(sal_bk_factor(0, off, ipiv, d), 0);
}

/* ---- scaling -------------------------------------------------------------------------------- */

TEST(ldl_digits_do_not_depend_on_the_scaling_of_rows_and_columns)
{
    uint64_t seed = 5;
    double   A[N * N], S[N], x[N], y[N];
    for (int n = 1; n <= N; n++) {
        random_definite(&seed, n, 0.01, A);
        fill(&seed, n, x);
        memcpy(y, x, sizeof x);
        solve_copy(&ldl, n, A, 1, x);
        scale_rows_and_columns(&seed, n, 100, A, S);
        for (int i = 0; i < n; i++) y[i] *= S[i]; /* S A S (x / S) = S b */
        solve_copy(&ldl, n, A, 1, y);
        for (int i = 0; i < n; i++) assert_true(y[i] * S[i] == x[i]);
    }
}

static void hilbert(int n, double *A)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) A[i * n + j] = 1.0 / (i + j + 1);
}

TEST(hilbert_matrices_are_solved_until_their_digits_run_out)
{
    uint64_t seed = 6;
    double   A[N * N], S[N], worst = 0.0;
    for (int n = 1; n <= 8; n++) {
        hilbert(n, A);
        expect_small_residual(&ldl, &seed, n, A, 3, &worst);
        expect_small_residual(&bk, &seed, n, A, 3, &worst);
    }
    for (int n = 14; n <= N; n++) {
        hilbert(n, A);
        const int refused = try_factor(&ldl, n, A);
        assert_in_range(refused, 9, 14);
        assert_true(try_factor(&bk, n, A) != 0);
        scale_rows_and_columns(&seed, n, 40, A, S);
        assert_int_equal(try_factor(&ldl, n, A), refused);
    }
}

/* ---- refusals ------------------------------------------------------------------------------- */

TEST(ldl_names_the_first_pivot_that_is_not_positive)
{
    uint64_t     seed = 7;
    double       A[N * N];
    const double bad[] = {0.0, -1.0, NAN, INFINITY, -INFINITY, 1e-310};
    for (int n = 1; n <= N; n++)
        for (int k = 0; k < n; k++)
            for (size_t c = 0; c < sizeof bad / sizeof *bad; c++) {
                random_definite(&seed, n, 1.0, A);
                A[k * n + k] = bad[c];
                assert_int_equal(try_factor(&ldl, n, A), 1 + k);
            }
}

TEST(ldl_refuses_what_rounding_alone_makes_positive)
{
    const double below[] = {1.0, 1.0, 1.0, 1.0 + 5e-14}, above[] = {1.0, 1.0, 1.0, 1.0 + 2e-13};
    assert_int_equal(try_factor(&ldl, 2, below), 2);
    assert_int_equal(try_factor(&ldl, 2, above), 0);
}

TEST(what_is_not_finite_is_refused_wherever_it_stands)
{
    uint64_t     seed = 8;
    double       A[N * N];
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int n = 1; n <= 12; n++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
                for (int c = 0; c < 3; c++) {
                    random_definite(&seed, n, 1.0, A);
                    A[i * n + j] = bad[c];
                    assert_int_equal(try_factor(&ldl, n, A), 1 + i);
                    const int row = try_factor(&bk, n, A) - 1;
                    assert_true(row == i || row == j);
                }
}

TEST(bk_refuses_redundant_constraints_and_names_one)
{
    uint64_t seed = 9;
    double   A[N * N];
    for (int n = 6; n <= N; n++)
        for (int exponent = -6; exponent <= 6; exponent += 3) {
            const int m = n / 3, nq = n - m, copy = nq + n % (m - 1), from = n - 1;
            random_saddle(&seed, n, m, pow(10.0, exponent), A);
            assert_int_equal(try_factor(&bk, n, A), 0);
            for (int j = 0; j < nq; j++) A[copy * n + j] = A[j * n + copy] = 3.0 * A[from * n + j];
            const int row = try_factor(&bk, n, A) - 1;
            if (row != copy && row != from)
                fail_msg("n = %d, mass 1e%d: named %d, not %d or %d", n, exponent, row, copy, from);
        }
}

/* G diag(1 ... 1, distance) G' with small integers in G: exactly singular for distance 0. */
static void nearly_singular(uint64_t *seed, int n, double distance, double *A)
{
    double G[N * N];
    fill(seed, n * n, G);
    for (int i = 0; i < n * n; i++) G[i] = floor(8.0 * G[i]) + (i % (n + 1) ? 0.0 : 20.0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i * n + j] = distance * G[i * n + n - 1] * G[j * n + n - 1];
            for (int k = 0; k < n - 1; k++) A[i * n + j] += G[i * n + k] * G[j * n + k];
        }
}

TEST(bk_tells_singular_from_badly_conditioned)
{
    uint64_t seed = 10;
    double   A[N * N], S[N];
    for (int n = 2; n <= N; n++)
        for (int trial = 0; trial < 50; trial++) {
            nearly_singular(&seed, n, 0.0, A);
            if (trial % 2) scale_rows_and_columns(&seed, n, 8, A, S);
            assert_true(try_factor(&bk, n, A) != 0);
            nearly_singular(&seed, n, 1e-4, A);
            if (trial % 2) scale_rows_and_columns(&seed, n, 8, A, S);
            assert_int_equal(try_factor(&bk, n, A), 0);
        }
}

/* Exactly singular, in units that differ by powers of two. Their first pivots are blocks, and what
 * is left at the end is rounding that came through the second row of one. */
TEST(bk_knows_rounding_that_came_through_the_second_row_of_a_block)
{
    enum { SIZE = 5 };
    static const struct {
        double entry[SIZE * SIZE];
        int    unit[SIZE];
    } given[] = {
        {{3, 1, -3, 3, -14, 1, 0, 1, 0, -3, -3, 1, 0, 0, 10, 3, 0, 0, 0, -9, -14, -3, 10, -9, 57},
         {-12, -6, -18, 7, -4}},
        {{-3, 1,   4, 3, 14, 1, 0,  -2, 0,  -3,  4,  -2, 0,
          -3, -16, 3, 0, -3, 0, -9, 14, -3, -16, -9, -57},
         {18, -11, -13, 19, 12}},
        {{0,  0,  0,  -3, -6, 0, 0,  -1, -1, -2, 0,  -1, 0,
          -4, -7, -3, -1, -4, 0, 10, -6, -2, -7, 10, 40},
         {-17, -16, 7, -14, 0}},
    };
    for (int k = 0; k < 3; k++) {
        double A[N * N];
        for (int i = 0; i < SIZE; i++)
            for (int j = 0; j < SIZE; j++)
                A[i * SIZE + j] =
                    ldexp(given[k].entry[i * SIZE + j], given[k].unit[i] + given[k].unit[j]);
        assert_true(try_factor(&bk, SIZE, A) != 0);
    }
}

TEST(bk_refuses_zero_rows_by_name)
{
    uint64_t seed = 11;
    double   A[N * N];
    for (int n = 1; n <= N; n++)
        for (int k = 0; k < n; k++) {
            random_symmetric(&seed, n, A);
            for (int i = 0; i < n; i++) A[i * n + k] = A[k * n + i] = 0.0;
            assert_int_equal(try_factor(&bk, n, A), 1 + k);
        }
    memset(A, 0, sizeof A);
    assert_int_equal(try_factor(&bk, N, A), 1);
}

/* ---- digits --------------------------------------------------------------------------------- */

TEST(lanes_get_the_same_digits_alone_and_together)
{
    uint64_t      seed = 12;
    const method *methods[] = {&ldl, &bk};
    double        A[N * N], B[N * LANES], X[N * LANES], x[N];
    for (int which = 0; which < 2; which++)
        for (int n = 1; n <= N; n++) {
            if (which == 0) random_definite(&seed, n, 0.1, A);
            else random_saddle(&seed, n, n / 3, 0.5, A);
            fill(&seed, n * LANES, B);
            memcpy(X, B, sizeof X);
            solve_copy(methods[which], n, A, LANES, X);
            for (int r = 0; r < LANES; r++) {
                for (int i = 0; i < n; i++) x[i] = B[i * LANES + r];
                solve_copy(methods[which], n, A, 1, x);
                for (int i = 0; i < n; i++) assert_true(x[i] == X[i * LANES + r]);
            }
        }
}

TEST(factors_are_the_same_digits_every_time)
{
    uint64_t seed = 13;
    double   A[N * N], first[N * N], again[N * N], d[N];
    int      ipiv_first[N], ipiv_again[N];
    random_symmetric(&seed, N, A);
    memcpy(first, A, sizeof A);
    memcpy(again, A, sizeof A);
    assert_int_equal(sal_bk_factor(N, first, ipiv_first, d), 0);
    assert_int_equal(sal_bk_factor(N, again, ipiv_again, d), 0);
    assert_memory_equal(first, again, sizeof first);
    assert_memory_equal(ipiv_first, ipiv_again, sizeof ipiv_first);
}

TEST_MAIN(RUN(both_solve_definite_systems_of_all_sizes_and_lanes),
          RUN(bk_solves_indefinite_systems_of_all_sizes_and_lanes),
          RUN(bk_solves_saddle_systems_with_light_and_heavy_masses),
          RUN(bk_solves_systems_whose_rows_differ_by_millions), RUN(known_solutions_are_found),
          RUN(ldl_digits_do_not_depend_on_the_scaling_of_rows_and_columns),
          RUN(hilbert_matrices_are_solved_until_their_digits_run_out),
          RUN(ldl_names_the_first_pivot_that_is_not_positive),
          RUN(ldl_refuses_what_rounding_alone_makes_positive),
          RUN(what_is_not_finite_is_refused_wherever_it_stands),
          RUN(bk_refuses_redundant_constraints_and_names_one),
          RUN(bk_tells_singular_from_badly_conditioned),
          RUN(bk_knows_rounding_that_came_through_the_second_row_of_a_block),
          RUN(bk_refuses_zero_rows_by_name), RUN(lanes_get_the_same_digits_alone_and_together),
          RUN(factors_are_the_same_digits_every_time))
