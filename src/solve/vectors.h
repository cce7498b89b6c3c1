/* Sums and maxima over vectors. */
#ifndef SAL_SOLVE_VECTORS_H
#define SAL_SOLVE_VECTORS_H

#include <math.h>
#include <stdbool.h>

static inline double sal_dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static inline double sal_length(int n, const double *v) { return sqrt(sal_dot(n, v, v)); }

/* The largest absolute value. */
static inline double sal_largest(int n, const double *v)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(v[i]));
    return largest;
}

static inline bool sal_is_finite(int n, const double *v)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(v[i])) return false;
    return true;
}

#endif
