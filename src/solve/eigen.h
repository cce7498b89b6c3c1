/* Eigenvalues of small real matrices, with their left and right eigenvectors.
 *
 *     A v = lambda v,    w^T A = lambda w^T,    w^T v = 1
 *
 * The matrix is balanced by powers of two and reduced to Hessenberg form; eigenvalues follow by
 * the QR method with double shifts, so that they are real or exact conjugate pairs. Eigenvectors
 * are found by inverse iteration, one eigenvalue at a time. Matrices are row-major. */
#ifndef SAL_SOLVE_EIGEN_H
#define SAL_SOLVE_EIGEN_H

#include <complex.h>
#include <stdbool.h>

#include "base/memory.h"

/* Writes n eigenvalues, the largest modulus first; of a conjugate pair, the one with the positive
 * imaginary part comes first. Returns false if the matrix is not finite, if the method does not
 * converge, or (work has failed) if memory runs out. */
bool sal_eigenvalues(int n, const double *A, double complex *value, sal_arena *work);

/* Writes the right and left eigenvectors v and w of an eigenvalue; v has length 1, and w is scaled
 * so that w^T v = 1. Returns the condition number of the eigenvalue, which is the length of w: by
 * how much a change of the matrix is magnified in the eigenvalue. Returns infinity if v and w are
 * orthogonal, as they are where the matrix is defective; w is then of no use, nor is it if work has
 * failed. */
double sal_eigenvectors(int n, const double *A, double complex value, double complex *v,
                        double complex *w, sal_arena *work);

/* Whether another eigenvalue is closer to number i than `near`, relative to the modulus of number i
 * or to one. Both then depend on the matrix like square roots. */
bool sal_eigenvalue_coincides(int n, const double *re, const double *im, int i, double near);

#endif
