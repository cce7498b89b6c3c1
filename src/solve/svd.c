/* One-sided Jacobi (Hestenes): columns are rotated in pairs until all are orthogonal to each other.
 * Their lengths are then the singular values. */
#include "solve/svd.h"

#include <float.h>

#include "solve/vectors.h"

enum { SWEEPS = 60 };

static void rotate(int rows, int n, double *M, int i, int j, double c, double s)
{
    for (int k = 0; k < rows; k++) {
        const double a = M[k * n + i], b = M[k * n + j];
        M[k * n + i] = c * a - s * b;
        M[k * n + j] = s * a + c * b;
    }
}

/* Makes two columns orthogonal; false if they are already. */
static bool rotate_pair(int m, int n, double *A, double *V, int i, int j)
{
    double alpha = 0.0, beta = 0.0, gamma = 0.0;
    for (int k = 0; k < m; k++) {
        alpha += A[k * n + i] * A[k * n + i];
        beta += A[k * n + j] * A[k * n + j];
        gamma += A[k * n + i] * A[k * n + j];
    }
    if (gamma == 0.0 || fabs(gamma) <= DBL_EPSILON * sqrt(alpha) * sqrt(beta)) return false;
    const double zeta = (beta - alpha) / (2.0 * gamma);
    const double tangent = (zeta < 0.0 ? -1.0 : 1.0) / (fabs(zeta) + hypot(1.0, zeta));
    const double c = 1.0 / hypot(1.0, tangent);
    rotate(m, n, A, i, j, c, c * tangent);
    rotate(n, n, V, i, j, c, c * tangent);
    return true;
}

static void exchange(int rows, int n, double *M, int i, int j)
{
    for (int k = 0; k < rows; k++) {
        const double kept = M[k * n + i];
        M[k * n + i] = M[k * n + j];
        M[k * n + j] = kept;
    }
}

static void sort(int m, int n, double *A, double *sigma, double *V)
{
    for (int i = 0; i < n; i++) {
        int largest = i;
        for (int j = i + 1; j < n; j++)
            if (sigma[j] > sigma[largest]) largest = j;
        if (largest == i) continue;
        exchange(m, n, A, i, largest);
        exchange(n, n, V, i, largest);
        exchange(1, n, sigma, i, largest);
    }
}

/* Entries are divided by the largest one, so that squares neither overflow nor vanish. */
static double take_scale(int count, double *A)
{
    const double scale = sal_largest(count, A);
    if (scale == 0.0 || !isfinite(scale)) return 1.0;
    for (int i = 0; i < count; i++) A[i] /= scale;
    return scale;
}

void sal_svd(int m, int n, double *A, double *sigma, double *V)
{
    const double scale = take_scale(m * n, A);
    for (int i = 0; i < n * n; i++) V[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    bool rotated = true;
    for (int sweep = 0; rotated && sweep < SWEEPS; sweep++) {
        rotated = false;
        for (int i = 0; i < n - 1; i++)
            for (int j = i + 1; j < n; j++)
                if (rotate_pair(m, n, A, V, i, j)) rotated = true;
    }
    for (int j = 0; j < n; j++) {
        double square = 0.0;
        for (int k = 0; k < m; k++) square += A[k * n + j] * A[k * n + j];
        const double length = sqrt(square);
        sigma[j] = scale * length;
        for (int k = 0; k < m; k++) A[k * n + j] = length > 0.0 ? A[k * n + j] / length : 0.0;
    }
    sort(m, n, A, sigma, V);
}
