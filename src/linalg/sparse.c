/* Sparse systems by KLU: see sparse.h. */
#include "linalg/sparse.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <suitesparse/klu.h>

/* A pivot smaller than this part of the largest one is taken to be zero. */
static const double SMALLEST_PIVOT = 64.0 * DBL_EPSILON;
/* The diagonal entry is preferred if it is at least this part of the largest one in its column. */
static const double DIAGONAL = 0.01;

static klu_common settings(void)
{
    klu_common common;
    klu_defaults(&common);
    common.tol = DIAGONAL;
    return common;
}

bool sal_sparse_analyse(sal_sparse *sparse)
{
    klu_common common = settings();
    void      *none = NULL;
    if (atomic_load(&sparse->order)) return true;
    klu_symbolic *order = klu_analyze(sparse->n, sparse->start, sparse->row, &common);
    if (!order) return false;
    if (!atomic_compare_exchange_strong(&sparse->order, &none, order))
        klu_free_symbolic(&order, &common); /* another thread was faster, with the same order */
    return true;
}

bool sal_sparse_init(sal_sparse *sparse, int n, int *start, int *row)
{
    *sparse = (sal_sparse){n, start, row, NULL};
    return sal_sparse_analyse(sparse);
}

void sal_sparse_release(sal_sparse *sparse)
{
    klu_common    common = settings();
    klu_symbolic *order = sparse->order;
    if (order) klu_free_symbolic(&order, &common);
    sparse->order = NULL;
}

void sal_sparse_free(void **factor)
{
    klu_common   common = settings();
    klu_numeric *numeric = *factor;
    if (numeric) klu_free_numeric(&numeric, &common);
    *factor = NULL;
}

/* The column of the smallest pivot, if it is too small; else -1. */
static int weakest_column(const sal_sparse *sparse, const klu_numeric *numeric)
{
    const klu_symbolic *order = sparse->order;
    const double       *pivot = numeric->Udiag;
    double              largest = 0.0;
    int                 weakest = 0;
    for (int k = 0; k < sparse->n; k++) {
        largest = fmax(largest, fabs(pivot[k]));
        if (!(fabs(pivot[k]) >= fabs(pivot[weakest]))) weakest = k;
    }
    return fabs(pivot[weakest]) > SMALLEST_PIVOT * largest ? -1 : order->Q[weakest];
}

int sal_sparse_factor(const sal_sparse *sparse, double *value, void **factor)
{
    klu_common common = settings();
    sal_sparse_free(factor);
    klu_numeric *numeric = klu_factor(sparse->start, sparse->row, value, sparse->order, &common);
    if (!numeric) return common.status == KLU_SINGULAR ? 1 + common.singular_col : -1;
    *factor = numeric;
    return 1 + weakest_column(sparse, numeric);
}

/* KLU needs right-hand sides stored one after the other. */
static void transpose(int rows, int columns, const double *from, double *to)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) to[j * rows + i] = from[i * columns + j];
}

void sal_sparse_solve(const sal_sparse *sparse, void *factor, bool transposed, int lanes, double *B,
                      double *scratch)
{
    const int  n = sparse->n;
    klu_common common = settings();
    double    *X = lanes > 1 ? scratch : B;
    if (lanes > 1) transpose(n, lanes, B, X);
    if (transposed) klu_tsolve(sparse->order, factor, n, lanes, X, &common);
    else klu_solve(sparse->order, factor, n, lanes, X, &common);
    if (lanes > 1) transpose(lanes, n, X, B);
}
