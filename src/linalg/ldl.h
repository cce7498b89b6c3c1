/* Dense symmetric systems A X = B of small or moderate size, by LDL' factorisation.
 *
 * Matrices are n x n, row-major, in full arrays; only the lower triangle is read. Factoring happens
 * in place: the strictly lower triangle becomes L, whose unit diagonal is not stored, the diagonal
 * D, and the strictly upper triangle is overwritten. B is n x nrhs, row-major, and becomes X;
 * right-hand sides are lanes that do not influence each other: each gets the same digits whatever
 * nrhs is.
 *
 * Nothing here allocates, and a factored matrix may be shared by any number of solves. */
#ifndef SAL_LINALG_LDL_H
#define SAL_LINALG_LDL_H

/* Positive definite A = L D L', without pivoting; d receives the n pivots. It is indifferent to the
 * scaling of A by S A S with any diagonal S.
 * Returns 0, or 1 + the index of the first pivot that is not safely positive: at most 1e-13 of the
 * diagonal entry it came from, below the normal range, or not finite. A and d are then useless. */
int sal_ldl_factor(int n, double *A, double *d);

/* Symmetric, indefinite or not: P A P' = L D L' with pivot blocks of size one and two chosen by the
 * partial pivoting of Bunch and Kaufman. ipiv receives n interchanges; noise, of n numbers, is
 * scratch in which the growth of rounding errors is followed.
 * Returns 0, or 1 + the index of a row of A, as it was given, that depends on the other rows: what
 * elimination left of it cannot be told from rounding errors, whatever the units of the rows, or is
 * not finite. A and ipiv are then useless. */
int sal_bk_factor(int n, double *A, int *ipiv, double *noise);

/* Solves with the factors of either; ipiv is NULL after sal_ldl_factor. */
void sal_ldl_solve(int n, const double *A, const int *ipiv, int nrhs, double *B);

#endif
