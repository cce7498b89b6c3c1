/* Least squares by Householder reflections, for small dense matrices. */
#ifndef SAL_SOLVE_QR_H
#define SAL_SOLVE_QR_H

/* A (m x n, row-major) becomes R in its upper triangle, and b (m numbers, may be NULL) Q^T b. With
 * fewer rows than columns, R has m rows. */
void sal_qr_reduce(int m, int n, double *A, double *b);

/* Solves R x = b for the n x n upper triangle of R, whose rows are `stride` apart; b becomes x. A
 * diagonal entry that is zero up to rounding leaves its unknown at zero. Returns the number of
 * these entries. */
int sal_qr_back(int n, int stride, const double *R, double *b);

#endif
