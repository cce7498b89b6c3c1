/* LU factorisation of small matrices: solutions with known answers, what is refused. */
#include "test.h"

#include "linalg/lu.h"

#include <float.h>

enum { N = 12, LANES = 5 };

/* Uniform in (-1, 1), the same on every machine. */
static double next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*seed >> 11) * 0x1p-52 - 1.0;
}

/* B = A X or A^T X, in lanes. */
static void multiply(int n, const double *A, bool transposed, int lanes, const double *X, double *B)
{
    for (int i = 0; i < n; i++)
        for (int l = 0; l < lanes; l++) {
            double sum = 0.0;
            for (int j = 0; j < n; j++)
                sum += (transposed ? A[j * n + i] : A[i * n + j]) * X[j * lanes + l];
            B[i * lanes + l] = sum;
        }
}

/* Solves for an X that is known; the largest residual, as a multiple of what rounding explains. */
static double residual(int n, const double *A, bool transposed, int lanes, uint64_t *seed)
{
    double F[N * N], X[N * LANES], B[N * LANES], left[N * LANES], most = 0.0;
    int    exchanged[N];
    memcpy(F, A, (size_t)(n * n) * sizeof *F);
    for (int i = 0; i < n * lanes; i++) X[i] = next_random(seed);
    multiply(n, A, transposed, lanes, X, B);
    memcpy(left, B, sizeof left);
    EXPECT(sal_lu_factor(n, F, exchanged));
    sal_lu_solve(n, F, exchanged, transposed, lanes, B);
    memcpy(X, B, sizeof X);
    multiply(n, A, transposed, lanes, X, B);
    for (int i = 0; i < n * lanes; i++) most = fmax(most, fabs(B[i] - left[i]));
    double size = 0.0;
    for (int i = 0; i < n * lanes; i++) size = fmax(size, fabs(X[i]));
    return most / (n * DBL_EPSILON * fmax(size, 1.0));
}

TEST(both_systems_are_solved_to_rounding_in_all_lanes)
{
    uint64_t seed = 3;
    for (int n = 1; n <= N; n++)
        for (int lanes = 1; lanes <= LANES; lanes += 2)
            for (int transposed = 0; transposed < 2; transposed++) {
                double A[N * N];
                for (int i = 0; i < n * n; i++) A[i] = next_random(&seed);
                const double off = residual(n, A, transposed, lanes, &seed);
                if (!(off < 10.0))
                    fail_msg("%d unknowns, %d lanes%s: residual of %g roundings", n, lanes,
                             transposed ? ", transposed" : "", off);
            }
}

/* Without exchanges the first pivot would be zero, or so small that nothing is left. */
TEST(rows_are_exchanged_where_pivots_are_small)
{
    uint64_t     seed = 5;
    const double zero[] = {0.0, 2.0, 1.0, 1.0, 0.0, 3.0, 4.0, 1.0, 0.0};
    const double small[] = {1e-18, 1.0, 1.0, 1.0};
    for (int transposed = 0; transposed < 2; transposed++) {
        EXPECT(residual(3, zero, transposed, 3, &seed) < 10.0);
        EXPECT(residual(2, small, transposed, 3, &seed) < 10.0);
    }
}

/* Permutations: three exchanges in a row must come back in the right order. */
TEST(a_permutation_and_its_transpose_are_inverse)
{
    const int to[] = {3, 0, 4, 1, 2};
    double    A[25] = {0.0}, forth[5], back[5];
    int       exchanged[5];
    for (int i = 0; i < 5; i++) A[i * 5 + to[i]] = 1.0;
    for (int i = 0; i < 5; i++) forth[i] = back[i] = i + 1.0;
    EXPECT(sal_lu_factor(5, A, exchanged));
    sal_lu_solve(5, A, exchanged, false, 1, forth);
    sal_lu_solve(5, A, exchanged, true, 1, back);
    for (int i = 0; i < 5; i++) {
        EXPECT(forth[to[i]] == i + 1.0);
        EXPECT(back[i] == to[i] + 1.0);
    }
}

TEST(what_leaves_no_digits_is_refused)
{
    double nothing[] = {0.0}, rank_one[] = {1.0, 2.0, 2.0, 4.0};
    double nearly[] = {1.0, 1.0, 1.0, 1.0 + 4e-15}, enough[] = {1.0, 1.0, 1.0, 1.0 + 1e-12};
    double undefined[] = {1.0, NAN, 1.0, 1.0};
    int    exchanged[2];
    EXPECT(!sal_lu_factor(1, nothing, exchanged));
    EXPECT(!sal_lu_factor(2, rank_one, exchanged));
    EXPECT(!sal_lu_factor(2, nearly, exchanged));
    EXPECT(sal_lu_factor(2, enough, exchanged));
    EXPECT(!sal_lu_factor(2, undefined, exchanged));
    EXPECT(sal_lu_factor(0, nothing, exchanged));
}

TEST_MAIN(RUN(both_systems_are_solved_to_rounding_in_all_lanes),
          RUN(rows_are_exchanged_where_pivots_are_small),
          RUN(a_permutation_and_its_transpose_are_inverse), RUN(what_leaves_no_digits_is_refused))
