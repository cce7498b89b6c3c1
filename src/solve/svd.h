/* Singular values of small dense matrices, by one-sided Jacobi rotations: slow for large matrices,
 * but small singular values are as exact, relative to themselves, as the columns allow. */
#ifndef SAL_SOLVE_SVD_H
#define SAL_SOLVE_SVD_H

/* A = U diag(sigma) V^T, for A with m rows and n columns, row-major. On return A holds U (columns
 * of zero singular values are zero), sigma the n singular values in descending order, V (n x n,
 * row-major) the right singular vectors as columns. With fewer rows than columns, at least n - m
 * singular values are zero up to rounding. */
void sal_svd(int m, int n, double *A, double *sigma, double *V);

#endif
