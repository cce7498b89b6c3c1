/* LDL' factorisations of dense symmetric matrices, by right-looking elimination: with pivot block D
 * and the columns U below it, the trailing matrix becomes
 *     A := A - L U',    L = U D^-1.
 * The columns U are kept as rows of the upper triangle, which is free, so that every inner loop
 * runs over contiguous numbers. */
#include "linalg/ldl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>

/* A pivot of a positive definite matrix that is smaller than this part of its diagonal entry has
 * lost nearly all digits, and its true value may be negative. */
#define SMALLEST_PIVOT 1e-13

/* Numbers up to this many times the estimate of their rounding errors are taken to be zero. The
 * largest ratio in 1e5 random singular matrices of sizes up to 30 was 7; the rest allows for errors
 * in A itself. */
#define NOISE_LIMIT 64.0

static inline double *row_of(double *A, int n, int i) { return A + (ptrdiff_t)i * n; }

static inline const double *const_row_of(const double *A, int n, int i)
{
    return A + (ptrdiff_t)i * n;
}

/* y -= a x */
static inline void subtract(int n, double a, const double *restrict x, double *restrict y)
{
    for (int j = 0; j < n; j++) y[j] -= a * x[j];
}

/* y -= a x + b z */
static inline void subtract_two(int n, double a, const double *restrict x, double b,
                                const double *restrict z, double *restrict y)
{
    for (int j = 0; j < n; j++) y[j] -= a * x[j] + b * z[j];
}

static inline void scale(int n, double a, double *x)
{
    for (int j = 0; j < n; j++) x[j] *= a;
}

static inline void swap(double *a, double *b)
{
    const double a_old = *a;
    *a = *b;
    *b = a_old;
}

static void swap_rows(int n, double *restrict x, double *restrict y)
{
    for (int j = 0; j < n; j++) swap(&x[j], &y[j]);
}

/* Eliminates with the 1 x 1 pivot at k. */
static void eliminate_one(int n, double *A, int k)
{
    double      *u = row_of(A, n, k);
    const double inverse = 1.0 / u[k];
    for (int i = k + 1; i < n; i++) u[i] = row_of(A, n, i)[k];
    for (int i = k + 1; i < n; i++) {
        double *row = row_of(A, n, i);
        row[k] = u[i] * inverse;
        subtract(i - k, row[k], u + k + 1, row + k + 1);
    }
}

/* ---- positive definite ---------------------------------------------------------------------- */

int sal_ldl_factor(int n, double *A, double *d)
{
    assert(n >= 0);
    for (int i = 0; i < n; i++) d[i] = row_of(A, n, i)[i];
    for (int k = 0; k < n; k++) {
        const double pivot = row_of(A, n, k)[k];
        const int safe = pivot > SMALLEST_PIVOT * d[k] && pivot >= DBL_MIN; /* false for NaN, Inf */
        if (!safe) return 1 + k;
        d[k] = pivot;
        eliminate_one(n, A, k);
    }
    return 0;
}

/* ---- indefinite ------------------------------------------------------------------------------
 * D stays where it is: a block at k, k + 1 takes the place of L at A[k+1][k], where L is zero.
 * Interchanges are applied to whole rows, those of L included, so L is the factor of the permuted
 * matrix. Row i was exchanged with row ipiv[i] or, if that is negative, with row ~ipiv[i], and i is
 * then the second row of a block. The first row of a block stays where it is. */

static inline int partner(const int *ipiv, int i) { return ipiv[i] < 0 ? ~ipiv[i] : ipiv[i]; }

/* Entry of the symmetric matrix, from its lower triangle. */
static inline double magnitude(int n, const double *A, int i, int j)
{
    return fabs(i < j ? const_row_of(A, n, j)[i] : const_row_of(A, n, i)[j]);
}

/* The larger one, or NaN if one is NaN. */
static inline double larger(double a, double b) { return b > a || isnan(b) ? b : a; }

/* ---- when is a pivot zero? -------------------------------------------------------------------
 * When it is no larger than its own rounding error. Let that of a_ij have the variance
 * (epsilon g_i g_j)^2. Elimination with pivot k subtracts l_i a_kk l_j, where a_jk, a_ik and a_kk
 * carry errors, so with independent signs
 *     (g_i g_j)^2 := (g_i g_j)^2 + (l_i g_k g_j)^2 + (l_j g_k g_i)^2 + (l_i l_j g_k g_k)^2
 *                  = (g_i^2 + l_i^2 g_k^2) (g_j^2 + l_j^2 g_k^2):
 * one number per row is enough, and it passes on as g_i^2 := g_i^2 + l_i^2 g_k^2. The judgement
 * thus does not depend on the units of coordinates and constraints.
 *
 * At the start, g_i g_j should be at least |a_ij|, but not much larger. Rows are taken by
 * descending diagonal, and each gets the smallest g_i that satisfies this with the rows before it.
 * For a mass matrix this gives g_i^2 = a_ii, however unequal the masses; constraints come last. */

/* The row that gets its g next. A row without g has minus the root of its diagonal in its place. */
static int next_row(int n, const double *g)
{
    int next = 0;
    for (int i = 1; i < n; i++)
        if (g[next] > 0.0 || g[i] < g[next]) next = i;
    return next;
}

static double noise_of_row(int n, const double *A, const double *g, int i)
{
    double needed = -g[i], ahead = 0.0;
    for (int j = 0; j < n; j++) {
        const double a = magnitude(n, A, i, j);
        if (g[j] > 0.0) needed = larger(needed, a / g[j]);
        else ahead = larger(ahead, a);
    }
    if (needed > 0.0 || isnan(needed)) return needed;
    return ahead == 0.0 ? 1.0 : sqrt(ahead); /* for a row of zeros any g will do */
}

/* Writes g. Returns the index of a row that is not finite, or n. */
static int start_noise(int n, const double *A, double *g)
{
    for (int i = 0; i < n; i++) {
        g[i] = -sqrt(magnitude(n, A, i, i));
        if (!isfinite(g[i])) return i;
    }
    for (int count = 0; count < n; count++) {
        const int i = next_row(n, g);
        g[i] = noise_of_row(n, A, g, i);
        if (!isfinite(g[i])) return i;
    }
    return n;
}

/* Adds the noise of pivot row k to that of the rows from `first` on. */
static void spread_noise(int n, const double *A, double *g, int k, int first)
{
    for (int i = first; i < n; i++) {
        const double more = const_row_of(A, n, i)[k] * g[k];
        g[i] = sqrt(g[i] * g[i] + more * more);
    }
}

/* Whether column k has an entry larger than noise, and all numbers for the choice of its pivot are
 * finite. */
static int is_significant(int n, const double *A, const double *g, int k)
{
    int significant = 0;
    for (int i = k; i < n; i++) {
        const double a = magnitude(n, A, i, k);
        if (!isfinite(a) || !isfinite(magnitude(n, A, i, i))) return 0;
        if (a > NOISE_LIMIT * DBL_EPSILON * g[i] * g[k] + DBL_MIN) significant = 1;
    }
    return significant;
}

/* ---- elimination with pivots of both sizes -------------------------------------------------- */

/* Exchanges rows and columns p < q of a symmetric matrix whose lower triangle is stored, and the
 * rows of L to the left of column p. */
static void exchange(int n, double *A, double *g, int p, int q)
{
    double *row_p = row_of(A, n, p), *row_q = row_of(A, n, q);
    swap(&g[p], &g[q]);
    swap_rows(p, row_p, row_q);
    swap(&row_p[p], &row_q[q]);
    for (int j = p + 1; j < q; j++) swap(&row_of(A, n, j)[p], &row_q[j]);
    for (int i = q + 1; i < n; i++) swap(&row_of(A, n, i)[p], &row_of(A, n, i)[q]);
}

/* Largest magnitude below the diagonal of column k; *where is its row. */
static double column_max(int n, const double *A, int k, int *where)
{
    double largest = 0.0;
    *where = k;
    for (int i = k + 1; i < n; i++) {
        const double a = magnitude(n, A, i, k);
        if (a > largest) {
            largest = a;
            *where = i;
        }
    }
    return largest;
}

/* Largest magnitude off the diagonal in row r of the symmetric matrix that starts at k. */
static double row_max(int n, const double *A, int k, int r)
{
    double largest = 0.0;
    for (int j = k; j < n; j++)
        if (j != r) largest = larger(largest, magnitude(n, A, r, j));
    return largest;
}

/* The rule of Bunch and Kaufman. With r the row of the largest entry `column` in column k, takes
 * a_kk, or a_rr, or the block of both if neither is large enough to keep the growth of the trailing
 * matrix below 1 + 1/alpha per column. Returns the row to exchange, complemented for a block. */
static int choose_pivot(int n, const double *A, int k)
{
    const double alpha = 0.6403882032022076; /* (1 + sqrt 17) / 8 balances both kinds of pivot */
    int          r;
    const double column = column_max(n, A, k, &r), a_kk = magnitude(n, A, k, k);
    if (a_kk >= alpha * column) return k;
    const double row = row_max(n, A, k, r); /* at least column, so not zero */
    if (a_kk >= alpha * column * (column / row)) return k;
    if (magnitude(n, A, r, r) >= alpha * row) return r;
    return ~r;
}

/* Inverse of the block D = [p e; e q], where |p q| < e^2, without forming e^2. */
typedef struct {
    double p, e, q;
} block;

static inline block invert_block(double p, double e, double q)
{
    const double u = p / e, v = q / e, factor = 1.0 / ((u * v - 1.0) * e);
    return (block){v * factor, -factor, u * factor};
}

/* Eliminates with the 2 x 2 pivot at k, k + 1. */
static void eliminate_two(int n, double *A, int k)
{
    double     *u = row_of(A, n, k), *v = row_of(A, n, k + 1);
    const block D = invert_block(u[k], v[k], v[k + 1]);
    for (int i = k + 2; i < n; i++) {
        u[i] = row_of(A, n, i)[k];
        v[i] = row_of(A, n, i)[k + 1];
    }
    for (int i = k + 2; i < n; i++) {
        double *row = row_of(A, n, i);
        row[k] = D.p * u[i] + D.e * v[i];
        row[k + 1] = D.e * u[i] + D.q * v[i];
        subtract_two(i - k - 1, row[k], u + k + 2, row[k + 1], v + k + 2, row + k + 2);
    }
}

/* The row of A that the interchanges of rows before k brought to row k. */
static int original_row(const int *ipiv, int k)
{
    int row = k;
    for (int i = k - 1; i >= 0; i--) {
        if (row == i) row = partner(ipiv, i);
        else if (row == partner(ipiv, i)) row = i;
    }
    return row;
}

int sal_bk_factor(int n, double *A, int *ipiv, double *noise)
{
    assert(n >= 0);
    const int finite = start_noise(n, A, noise);
    if (finite < n) return 1 + finite;

    for (int k = 0; k < n;) {
        if (!is_significant(n, A, noise, k)) return 1 + original_row(ipiv, k);
        const int choice = choose_pivot(n, A, k);
        if (choice >= 0) {
            ipiv[k] = choice;
            if (choice != k) exchange(n, A, noise, k, choice);
            eliminate_one(n, A, k);
            spread_noise(n, A, noise, k, k + 1);
            k += 1;
        } else {
            ipiv[k] = k;
            ipiv[k + 1] = choice;
            if (~choice != k + 1) exchange(n, A, noise, k + 1, ~choice);
            eliminate_two(n, A, k);
            spread_noise(n, A, noise, k, k + 2);
            spread_noise(n, A, noise, k + 1, k + 2);
            k += 2;
        }
    }
    return 0;
}

/* ---- solving ---------------------------------------------------------------------------------
 * Lanes are solved in blocks of four, two or one. Each function below is compiled for each of these
 * widths, so that a block is in one or two vector registers and no loop over lanes remains. Row i
 * of a block starts at B + i * stride. ipiv is NULL after sal_ldl_factor. */
#if defined(__GNUC__)
#define FOR_EACH_WIDTH static inline __attribute__((always_inline))
#else
#define FOR_EACH_WIDTH static inline
#endif

/* How many entries of row i belong to L; the next one may belong to D. */
static inline int factor_width(const int *ipiv, int i) { return ipiv && ipiv[i] < 0 ? i - 1 : i; }

/* L y = b, then L' x = y with the same order of operations in every lane. */
FOR_EACH_WIDTH void solve_lower(int n, const double *A, const int *ipiv, int width, int stride,
                                double *B)
{
    for (int i = 1; i < n; i++) {
        const double *L = const_row_of(A, n, i);
        const int     nk = factor_width(ipiv, i);
        for (int k = 0; k < nk; k++)
            subtract(width, L[k], row_of(B, stride, k), row_of(B, stride, i));
    }
}

FOR_EACH_WIDTH void solve_upper(int n, const double *A, const int *ipiv, int width, int stride,
                                double *B)
{
    for (int i = n - 1; i > 0; i--) {
        const double *L = const_row_of(A, n, i);
        const int     nk = factor_width(ipiv, i);
        for (int k = 0; k < nk; k++)
            subtract(width, L[k], row_of(B, stride, i), row_of(B, stride, k));
    }
}

static void exchange_lanes(const int *ipiv, int i, int nrhs, double *B)
{
    const int q = partner(ipiv, i);
    if (q != i) swap_rows(nrhs, row_of(B, nrhs, i), row_of(B, nrhs, q));
}

/* x := x / D for the block of rows w, x. */
FOR_EACH_WIDTH void solve_pair(block D, int width, double *restrict w, double *restrict x)
{
    for (int j = 0; j < width; j++) {
        const double w_old = w[j];
        w[j] = D.p * w_old + D.e * x[j];
        x[j] = D.e * w_old + D.q * x[j];
    }
}

FOR_EACH_WIDTH void solve_block(int n, const double *A, const int *ipiv, int width, int stride,
                                double *B)
{
    solve_lower(n, A, ipiv, width, stride, B);
    for (int i = 0; i < n; i++) {
        const double *row = const_row_of(A, n, i);
        if (ipiv && i + 1 < n && ipiv[i + 1] < 0) {
            const double *next = const_row_of(A, n, i + 1);
            const block   D = invert_block(row[i], next[i], next[i + 1]);
            solve_pair(D, width, row_of(B, stride, i), row_of(B, stride, i + 1));
            i++;
        } else {
            scale(width, 1.0 / row[i], row_of(B, stride, i));
        }
    }
    solve_upper(n, A, ipiv, width, stride, B);
}

void sal_ldl_solve(int n, const double *A, const int *ipiv, int nrhs, double *B)
{
    int lane = 0;
    for (int i = 0; i < n && ipiv; i++) exchange_lanes(ipiv, i, nrhs, B);
    for (; lane + 4 <= nrhs; lane += 4) solve_block(n, A, ipiv, 4, nrhs, B + lane);
    for (; lane + 2 <= nrhs; lane += 2) solve_block(n, A, ipiv, 2, nrhs, B + lane);
    if (lane < nrhs) solve_block(n, A, ipiv, 1, nrhs, B + lane);
    for (int i = n - 1; i >= 0 && ipiv; i--) exchange_lanes(ipiv, i, nrhs, B);
}
