/* Sliding friction as a border of a symmetric matrix.
 *
 * The multiplier t_j of a sliding contact is -m_j times another unknown x_Nj, that of its normal,
 * and acts along w_j. With S the symmetric matrix of all other unknowns,
 *
 *     S x + sum_j w_j t_j = b          t_j + m_j x_Nj = b_Tj
 *
 * So x = S^-1 b - Y t with Y = S^-1 w, and the t_j follow from a small system,
 *
 *     G t = b_T - m (S^-1 b)_N         G_ij = delta_ij - m_i Y_j[N_i]
 *
 * (linear-algebra.md (5), (6)). For one contact, G is its Painleve number divided by that without
 * friction. It is positive where the normal pushes back. */
#ifndef SAL_LINALG_BORDER_H
#define SAL_LINALG_BORDER_H

#include "linalg/symmetric.h"

/* The unknowns of a sliding contact: its own, t_j, and that of its normal; normal -1: t_j is given.
 */
typedef struct sal_slide {
    int own, normal;
} sal_slide;

typedef struct sal_border {
    int              count, size; /* number of slides, number of unknowns */
    const sal_slide *slide;
    double          *m;         /* by slide */
    double          *Y;         /* by slide: size numbers */
    double          *G;         /* factored (lu.h) */
    int             *exchanged; /* by slide */
    double          *rhs;       /* by slide */
    double           det;       /* determinant of G */
} sal_border;

/* Allocates a border for at most this many slides. False: out of memory. */
bool sal_border_init(sal_border *border, int max_slides, int size, sal_arena *arena);
/* Reads m and w from the rows of the slides, before the caller replaces these rows by those of the
 * unit matrix. */
void sal_border_read(sal_border *border, const sal_symmetric *shape, const double *entries,
                     const sal_slide *slide, int count);
/* Computes Y and G with the factorisation of S, in which the rows of the unknowns t are those of
 * the unit matrix. Returns 0, or 1 + the index of the unknown of the first slide if G is singular
 * or its determinant is negative: with this friction, contacts do not determine a motion. */
int sal_border_make(sal_border *border, const sal_factor *factor, const sal_symmetric *shape,
                    double *scratch);
/* Solves with the whole matrix, or its transpose, in place; B in lanes. */
void sal_border_solve(const sal_border *border, const sal_factor *factor,
                      const sal_symmetric *shape, bool transposed, int lanes, double *B,
                      double *scratch);

#endif
