#include "solve/qr.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

/* Applies I - v v^T / beta to a column that begins at `column`. */
static void reflect(int rows, int stride, const double *v, double beta, double *column,
                    int column_stride)
{
    double sum = 0.0;
    for (int i = 0; i < rows; i++) sum += v[i * stride] * column[i * column_stride];
    sum /= beta;
    for (int i = 0; i < rows; i++) column[i * column_stride] -= sum * v[i * stride];
}

void sal_qr_reduce(int m, int n, double *A, double *b)
{
    for (int k = 0; k < n && k < m; k++) {
        double *v = &A[k * n + k], length = 0.0;
        for (int i = 0; i < m - k; i++) length = hypot(length, v[i * n]);
        if (length == 0.0) continue;
        const double diagonal = v[0] > 0.0 ? -length : length;
        v[0] -= diagonal;
        const double beta = -diagonal * v[0];
        for (int j = k + 1; j < n; j++) reflect(m - k, n, v, beta, &A[k * n + j], n);
        if (b) reflect(m - k, n, v, beta, &b[k], 1);
        v[0] = diagonal;
        for (int i = 1; i < m - k; i++) v[i * n] = 0.0;
    }
}

int sal_qr_back(int n, int stride, const double *R, double *b)
{
    double largest = 0.0;
    int    dependent = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(R[i * stride + i]));
    for (int i = n - 1; i >= 0; i--) {
        const double pivot = R[i * stride + i];
        if (fabs(pivot) <= DBL_EPSILON * largest) {
            b[i] = 0.0;
            dependent++;
            continue;
        }
        double sum = b[i];
        for (int j = i + 1; j < n; j++) sum -= R[i * stride + j] * b[j];
        b[i] = sum / pivot;
    }
    return dependent;
}
