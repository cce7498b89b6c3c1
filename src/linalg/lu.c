/* LU factorisation of small dense matrices: see lu.h. */
#include "linalg/lu.h"

#include <math.h>

static const double SMALLEST_PIVOT = 1e-14;

static void exchange(double *a, double *b, int n)
{
    for (int i = 0; i < n && a != b; i++) {
        const double swap = a[i];
        a[i] = b[i];
        b[i] = swap;
    }
}

/* The row from k on whose entry in column k is largest. */
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

/* b -= f * a */
static void subtract(double *b, double f, const double *a, int lanes)
{
    for (int l = 0; l < lanes; l++) b[l] -= f * a[l];
}

static void divide(double *b, double by, int lanes)
{
    for (int l = 0; l < lanes; l++) b[l] /= by;
}

/* The solve for one right-hand side, the usual case, without loops over lanes. */
static void solve_one(int n, const double *A, const int *exchanged, double *b)
{
    for (int i = 0; i < n; i++) exchange(b + i, b + exchanged[i], 1);
    for (int i = 1; i < n; i++) {
        double sum = b[i];
        for (int j = 0; j < i; j++) sum -= A[i * n + j] * b[j];
        b[i] = sum;
    }
    for (int i = n - 1; i >= 0; i--) {
        double sum = b[i];
        for (int j = i + 1; j < n; j++) sum -= A[i * n + j] * b[j];
        b[i] = sum / A[i * n + i];
    }
}

static void solve_one_transposed(int n, const double *A, const int *exchanged, double *b)
{
    for (int i = 0; i < n; i++) {
        double sum = b[i];
        for (int j = 0; j < i; j++) sum -= A[j * n + i] * b[j];
        b[i] = sum / A[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        double sum = b[i];
        for (int j = i + 1; j < n; j++) sum -= A[j * n + i] * b[j];
        b[i] = sum;
    }
    for (int i = n - 1; i >= 0; i--) exchange(b + i, b + exchanged[i], 1);
}

static void solve(int n, const double *A, const int *exchanged, int lanes, double *B)
{
    for (int i = 0; i < n; i++) exchange(B + i * lanes, B + exchanged[i] * lanes, lanes);
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++) subtract(B + i * lanes, A[i * n + j], B + j * lanes, lanes);
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) subtract(B + i * lanes, A[i * n + j], B + j * lanes, lanes);
        divide(B + i * lanes, A[i * n + i], lanes);
    }
}

static void solve_transposed(int n, const double *A, const int *exchanged, int lanes, double *B)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) subtract(B + i * lanes, A[j * n + i], B + j * lanes, lanes);
        divide(B + i * lanes, A[i * n + i], lanes);
    }
    for (int i = n - 1; i >= 0; i--)
        for (int j = i + 1; j < n; j++) subtract(B + i * lanes, A[j * n + i], B + j * lanes, lanes);
    for (int i = n - 1; i >= 0; i--) exchange(B + i * lanes, B + exchanged[i] * lanes, lanes);
}

enum { FEW = 4, SMALL = 16 };

/* A few lanes of a small system, one after the other: loops over lanes would cost more than what is
 * in them. */
static void solve_few(int n, const double *A, const int *exchanged, bool transposed, int lanes,
                      double *B)
{
    double b[SMALL];
    for (int l = 0; l < lanes; l++) {
        for (int i = 0; i < n; i++) b[i] = B[i * lanes + l];
        if (transposed) solve_one_transposed(n, A, exchanged, b);
        else solve_one(n, A, exchanged, b);
        for (int i = 0; i < n; i++) B[i * lanes + l] = b[i];
    }
}

void sal_lu_solve(int n, const double *A, const int *exchanged, bool transposed, int lanes,
                  double *B)
{
    if (lanes == 1 && transposed) solve_one_transposed(n, A, exchanged, B);
    else if (lanes == 1) solve_one(n, A, exchanged, B);
    else if (lanes <= FEW && n <= SMALL) solve_few(n, A, exchanged, transposed, lanes, B);
    else if (transposed) solve_transposed(n, A, exchanged, lanes, B);
    else solve(n, A, exchanged, lanes, B);
}
