/* Sparse square systems A X = B by SuiteSparse KLU: one ordering per pattern, one factorisation per
 * matrix. KLU takes its memory from malloc. */
#ifndef SAL_LINALG_SPARSE_H
#define SAL_LINALG_SPARSE_H

#include <stdatomic.h>
#include <stdbool.h>

/* A pattern by columns, with a fill-reducing order. */
typedef struct sal_sparse {
    int  n;
    int *start, *row;      /* borrowed: n + 1 places, and the rows of each column, ascending */
    _Atomic(void *) order; /* KLU's analysis; NULL: not done yet */
} sal_sparse;

/* Makes the pattern and finds its order. False: out of memory. */
bool sal_sparse_init(sal_sparse *sparse, int n, int *start, int *row);
/* Finds the order, unless that was done already; threads may share the pattern. False: out of
 * memory. */
bool sal_sparse_analyse(sal_sparse *sparse);
void sal_sparse_release(sal_sparse *sparse); /* a pattern of zeros is fine */

/* Factors the matrix with these values and replaces *factor (NULL, or from an earlier call). The
 * result depends on the values only. Returns 0, 1 + the index of a column that depends on the
 * others (to rounding), or -1 when out of memory. */
int  sal_sparse_factor(const sal_sparse *sparse, double *value, void **factor);
void sal_sparse_free(void **factor);

/* Solves with A, or with its transpose, in place. B is n x lanes, row-major; scratch has the size
 * of B. */
void sal_sparse_solve(const sal_sparse *sparse, void *factor, bool transposed, int lanes, double *B,
                      double *scratch);

#endif
