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
    _Atomic(void *) order; /* NULL: not found yet */
} sal_sparse;

/* Makes the pattern and finds its order. False: out of memory. */
bool sal_sparse_order(sal_sparse *sparse, int n, int *start, int *row);
/* Finds the order, if it is not there yet; threads may share the pattern. */
bool sal_sparse_find_order(sal_sparse *sparse);
void sal_sparse_release(sal_sparse *sparse); /* of zeros is fine */

/* Factors the matrix with these values; *factor (NULL, or of an earlier call) is replaced. The
 * result depends on nothing but the values. Returns 0, 1 + the number of a column that depends on
 * the others (to rounding), or -1 when out of memory. */
int  sal_sparse_factor(const sal_sparse *sparse, double *value, void **factor);
void sal_sparse_free(void **factor);

/* Solves with A, or with its transpose, in place. B is n x lanes, row-major; scratch as large. */
void sal_sparse_solve(const sal_sparse *sparse, void *factor, bool transposed, int lanes, double *B,
                      double *scratch);

#endif
