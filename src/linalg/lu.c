/* LU factorisation of small dense matrices: see lu.h. */
#include "linalg/lu.h"

#include <math.h>

static const double SMALLEST_PIVOT = 1e-14;

static inline void exchange(double *a, double *b, int n)
{
    for (int i = 0; i < n && a != b; i++) {
        const double swap = a[i];
        a[i] = b[i];
        b[i] = swap;
    }
}

/* Of the rows from k on, the one with the largest entry in column k. */
static int pivot_row(int n, const double *A, int k)
{
    int best = k;
    for (int i = k + 1; i < n; i++)
        if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
    return best;
}

bool sal_lu_factor(int n, double *A, int *exchanged)
{
    double largest = 0.0, smallest = INFINITY;
    for (int k = 0; k < n; k++) {
        exchanged[k] = pivot_row(n, A, k);
        exchange(A + k * n, A + exchanged[k] * n, n);
        const double pivot = A[k * n + k];
        if (!(fabs(pivot) > 0.0)) return false;
        largest = fmax(largest, fabs(pivot));
        smallest = fmin(smallest, fabs(pivot));
        for (int i = k + 1; i < n; i++) {
            const double f = A[i * n + k] /= pivot;
            if (f == 0.0) continue;
            for (int j = k + 1; j < n; j++) A[i * n + j] -= f * A[k * n + j];
        }
    }
    return smallest >= SMALLEST_PIVOT * largest;
}

/* Solves for a block of lanes. With P A = L U, rows are exchanged first, then L and U are applied;
 * for the transposed matrix, U^T and L^T are applied first, then rows are exchanged. Functions are
 * compiled for each width of a block, so that no loop over lanes remains. */
#if defined(__GNUC__)
#define FOR_EACH_WIDTH static inline __attribute__((always_inline))
#else
#define FOR_EACH_WIDTH static inline
#endif

/* Computes row i of the solution, given its rows from `first` to `last` - 1. */
FOR_EACH_WIDTH void solve_row(int n, const double *A, bool transposed, int i, int first, int last,
                              bool divide, int width, int stride, double *B)
{
    double x[8];
    for (int l = 0; l < width; l++) x[l] = B[i * stride + l];
    for (int j = first; j < last; j++) {
        const double f = transposed ? A[j * n + i] : A[i * n + j];
        for (int l = 0; l < width; l++) x[l] -= f * B[j * stride + l];
    }
    for (int l = 0; l < width; l++) B[i * stride + l] = divide ? x[l] / A[i * n + i] : x[l];
}

FOR_EACH_WIDTH void solve_block(int n, const double *A, const int *exchanged, bool transposed,
                                int width, int stride, double *B)
{
    for (int i = 0; i < n && !transposed; i++)
        exchange(B + i * stride, B + exchanged[i] * stride, width);
    for (int i = 0; i < n; i++) solve_row(n, A, transposed, i, 0, i, transposed, width, stride, B);
    for (int i = n - 1; i >= 0; i--)
        solve_row(n, A, transposed, i, i + 1, n, !transposed, width, stride, B);
    for (int i = n - 1; i >= 0 && transposed; i--)
        exchange(B + i * stride, B + exchanged[i] * stride, width);
}

void sal_lu_solve(int n, const double *A, const int *exchanged, bool transposed, int lanes,
                  double *B)
{
    int lane = 0;
    for (; lane + 8 <= lanes; lane += 8)
        solve_block(n, A, exchanged, transposed, 8, lanes, B + lane);
    for (; lane + 4 <= lanes; lane += 4)
        solve_block(n, A, exchanged, transposed, 4, lanes, B + lane);
    for (; lane + 2 <= lanes; lane += 2)
        solve_block(n, A, exchanged, transposed, 2, lanes, B + lane);
    if (lane < lanes) solve_block(n, A, exchanged, transposed, 1, lanes, B + lane);
}
