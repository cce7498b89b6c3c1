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

/* Writes n eigenvalues, the largest modulus first; of a pair, that with the positive imaginary part
 * comes first. False: the matrix is not finite, the method did not converge, or (work has failed)
 * there is no memory. */
bool sal_eigenvalues(int n, const double *A, double complex *value, sal_arena *work);

/* The eigenvectors of an eigenvalue; v has length 1, and w is scaled so that w^T v = 1. Returns the
 * condition of the eigenvalue: how much faster than the matrix it may change, which is the length
 * of w; infinity if the two are orthogonal, as they are where the matrix is defective. Then, and if
 * work has failed, w is of no use. */
double sal_eigenvectors(int n, const double *A, double complex value, double complex *v,
                        double complex *w, sal_arena *work);

/* Whether another of these eigenvalues is this near to number i, relative to its modulus or to one:
 * both then move like square roots. */
bool sal_eigenvalue_coincides(int n, const double *re, const double *im, int i, double near);

#endif
