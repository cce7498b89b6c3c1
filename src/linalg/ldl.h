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

/* Factors a positive definite A = L D L', without pivoting; d receives the n pivots. Scaling A to
 * S A S with a diagonal S does not change the judgement of pivots.
 * Returns 0, or 1 + the index of the first pivot that is not safely positive: at most 1e-13 of the
 * diagonal entry it came from, below the normal range, or not finite. A and d are then useless. */
int sal_ldl_factor(int n, double *A, double *d);

/* Factors any symmetric P A P' = L D L', with pivot blocks of size one and two chosen by the
 * partial pivoting of Bunch and Kaufman. ipiv receives n interchanges; noise, of n numbers, is
 * scratch in which estimates of rounding errors are kept. Returns 0, or 1 + the index of a row of
 * the given A that depends on the other rows: after the elimination it consists of rounding errors,
 * whatever the units of the rows, or is not finite. A and ipiv are then useless. */
int sal_bk_factor(int n, double *A, int *ipiv, double *noise);

/* Solves with the factors of sal_ldl_factor (ipiv NULL) or sal_bk_factor. */
void sal_ldl_solve(int n, const double *A, const int *ipiv, int nrhs, double *B);

#endif
