/* Eigenvalues and eigenvectors of small matrices: known ones, hard ones, and what they satisfy. */
#include "test.h"

#include "solve/eigen.h"

#include <float.h>

enum { N = 12 };

/* Uniform in (-1, 1), the same on every machine. */
static double next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*seed >> 11) * 0x1p-52 - 1.0;
}

static sal_arena begin(void)
{
    sal_arena              work;
    const saltus_allocator none = {0};
    sal_arena_init(&work, &none);
    return work;
}

static void eigenvalues(int n, const double *A, double complex *value)
{
    sal_arena work = begin();
    EXPECT(sal_eigenvalues(n, A, value, &work));
    sal_arena_free(&work);
}

/* The distance of a number from the nearest eigenvalue. */
static double distance(int n, const double complex *value, double complex from)
{
    double least = INFINITY;
    for (int i = 0; i < n; i++) least = fmin(least, cabs(value[i] - from));
    return least;
}

/* The largest residual of both eigenvectors, in roundings of the matrix. */
static double residual(int n, const double *A, double complex value, double *condition)
{
    double complex v[N], w[N], product = 0.0;
    double         most = 0.0, norm = 0.0;
    sal_arena      work = begin();
    *condition = sal_eigenvectors(n, A, value, v, w, &work);
    sal_arena_free(&work);
    for (int i = 0; i < n * n; i++) norm = fmax(norm, fabs(A[i]));
    for (int i = 0; i < n; i++) {
        double complex right = -value * v[i], left = -value * w[i];
        for (int j = 0; j < n; j++) {
            right += A[i * n + j] * v[j];
            left += A[j * n + i] * w[j];
        }
        most = fmax(most, cabs(right));
        if (isfinite(*condition)) most = fmax(most, cabs(left) / *condition);
        product += w[i] * v[i];
    }
    if (isfinite(*condition)) EXPECT_NEAR(cabs(product - 1.0), 0.0, 1e-9);
    return most / (n * DBL_EPSILON * fmax(norm, 1.0));
}

TEST(random_matrices_have_eigenvectors_to_rounding)
{
    uint64_t seed = 7;
    for (int n = 1; n <= N; n++)
        for (int k = 0; k < 20; k++) {
            double         A[N * N], trace = 0.0, condition;
            double complex value[N], sum = 0.0;
            for (int i = 0; i < n * n; i++) A[i] = next_random(&seed);
            for (int i = 0; i < n; i++) trace += A[i * n + i];
            eigenvalues(n, A, value);
            for (int i = 0; i < n; i++) {
                sum += value[i];
                const double off = residual(n, A, value[i], &condition);
                if (!(off < 100.0)) fail_msg("%d unknowns, eigenvalue %d: %g roundings", n, i, off);
            }
            EXPECT_NEAR(cabs(sum - trace), 0.0, 1e-13);
        }
}

TEST(conjugate_pairs_are_exact_and_stand_together)
{
    uint64_t seed = 11;
    for (int k = 0; k < 50; k++) {
        double         A[64];
        double complex value[8];
        for (int i = 0; i < 64; i++) A[i] = next_random(&seed);
        eigenvalues(8, A, value);
        for (int i = 0; i < 8; i++) {
            if (i > 0) EXPECT(cabs(value[i]) <= cabs(value[i - 1]));
            if (cimag(value[i]) <= 0.0) continue;
            EXPECT(i < 7 && value[i + 1] == conj(value[i]));
            i++;
        }
    }
}

/* x^n = 1: all shifts by the last two rows are zero, the first steps change nothing. */
TEST(a_cyclic_permutation_has_the_roots_of_one)
{
    for (int n = 2; n <= N; n++) {
        double         A[N * N] = {0};
        double complex value[N];
        for (int i = 0; i < n; i++) A[i * n + (i + 1) % n] = 1.0;
        eigenvalues(n, A, value);
        for (int i = 0; i < n; i++) {
            const double angle = 2.0 * 3.14159265358979323846 * i / n;
            EXPECT_NEAR(distance(n, value, CMPLX(cos(angle), sin(angle))), 0.0, 1e-14);
        }
    }
}

/* Entries over 24 orders of magnitude, as of positions in micrometres and speeds in kilometres. */
TEST(graded_matrices_keep_their_small_eigenvalues)
{
    const double   size[4] = {1e12, 1e4, 1e-4, 1e-12};
    const double   plain[16] = {4, 1, 0, 2, 1, 3, 1, 0, 0, 1, 2, 1, 2, 0, 1, 1};
    double         A[16];
    double complex expected[4], value[4];
    for (int i = 0; i < 16; i++) A[i] = plain[i] * size[i / 4] / size[i % 4];
    eigenvalues(4, plain, expected);
    eigenvalues(4, A, value);
    for (int i = 0; i < 4; i++) EXPECT_NEAR(cabs(value[i] - expected[i]), 0.0, 1e-13);
}

TEST(a_defective_matrix_says_that_its_eigenvalue_has_no_derivative)
{
    const double   A[9] = {2, 1, 0, 0, 2, 1, 0, 0, 2};
    double complex value[3];
    double         condition;
    eigenvalues(3, A, value);
    for (int i = 0; i < 3; i++) EXPECT_NEAR(cabs(value[i] - 2.0), 0.0, 1e-5);
    EXPECT(residual(3, A, 2.0, &condition) < 100.0);
    EXPECT(condition == INFINITY);
}

TEST(nearly_defective_ones_have_the_condition_of_the_closed_form)
{
    const double   e = 1e-6, A[4] = {1, 1, e * e, 1}; /* 1 +- e, condition (1 + e^2) / (2 e) */
    double complex value[2];
    double         condition;
    eigenvalues(2, A, value);
    EXPECT_NEAR(creal(value[0]), 1.0 + e, 1e-10);
    EXPECT(residual(2, A, value[0], &condition) < 100.0);
    EXPECT_NEAR(condition * 2.0 * e, 1.0, 1e-3);
}

TEST(zero_and_one_are_matrices_too)
{
    const double   zero[9] = {0}, one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double complex value[3];
    eigenvalues(3, zero, value);
    for (int i = 0; i < 3; i++) EXPECT(value[i] == 0.0);
    eigenvalues(3, one, value);
    for (int i = 0; i < 3; i++) EXPECT(value[i] == 1.0);
}

/* The roots of (x-1)(x-2)...(x-8) from its companion matrix: ill-conditioned, but well-known. */
TEST(wilkinsons_polynomial_has_its_roots)
{
    enum { DEGREE = 8 };
    double         c[DEGREE + 1] = {1.0}, A[DEGREE * DEGREE] = {0};
    double complex value[DEGREE];
    for (int k = 1; k <= DEGREE; k++)
        for (int i = k; i > 0; i--) c[i] -= k * c[i - 1];
    for (int i = 0; i < DEGREE; i++) A[i] = -c[i + 1];
    for (int i = 1; i < DEGREE; i++) A[i * DEGREE + i - 1] = 1.0;
    eigenvalues(DEGREE, A, value);
    for (int k = 0; k < DEGREE; k++) EXPECT_NEAR(creal(value[k]), DEGREE - k, 1e-8);
}

TEST(a_matrix_that_is_not_finite_is_refused)
{
    const double   A[4] = {1, NAN, 0, 1};
    double complex value[2];
    sal_arena      work = begin();
    EXPECT(!sal_eigenvalues(2, A, value, &work));
    EXPECT(!work.failed);
    sal_arena_free(&work);
}

TEST_MAIN(RUN(random_matrices_have_eigenvectors_to_rounding),
          RUN(conjugate_pairs_are_exact_and_stand_together),
          RUN(a_cyclic_permutation_has_the_roots_of_one),
          RUN(graded_matrices_keep_their_small_eigenvalues),
          RUN(a_defective_matrix_says_that_its_eigenvalue_has_no_derivative),
          RUN(nearly_defective_ones_have_the_condition_of_the_closed_form),
          RUN(zero_and_one_are_matrices_too), RUN(wilkinsons_polynomial_has_its_roots),
          RUN(a_matrix_that_is_not_finite_is_refused))
