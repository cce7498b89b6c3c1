/* LU factorisation of small dense matrices, with row exchanges. It serves small systems, for which
 * the analysis of a sparse matrix would cost more than solving them. */
#ifndef SAL_LINALG_LU_H
#define SAL_LINALG_LU_H

#include <stdbool.h>

/* Factors A (n x n, row-major) in place; exchanged: n numbers. False: a pivot is smaller than the
 * largest by a factor that leaves no digits. */
bool sal_lu_factor(int n, double *A, int *exchanged);
/* Solves A X = B, or A^T X = B, in place; B in lanes. */
void sal_lu_solve(int n, const double *A, const int *exchanged, bool transposed, int lanes,
                  double *B);

#endif
