/* What friction adds to a symmetric matrix.
 *
 * The multiplier t_j of a contact that slides is -m_j times another unknown, that of the normal,
 * and acts along w_j. With S the symmetric matrix of all other unknowns,
 *
 *     S x + sum_j w_j t_j = b          t_j + m_j x_Nj = b_Tj
 *
 * So x = S^-1 b - Y t with Y = S^-1 w, and the t_j have a small system of their own,
 *
 *     G t = b_T - m (S^-1 b)_N         G_ij = delta_ij - m_i Y_j[N_i]
 *
 * (linear-algebra.md (5), (6)). For one contact, G is the number of Painleve, relative to that
 * of the contact without friction: it is positive where the normal pushes back. */
#ifndef SAL_LINALG_BORDER_H
#define SAL_LINALG_BORDER_H

#include "linalg/symmetric.h"

/* Which unknowns they are. normal -1: t_j is given. */
typedef struct sal_slide {
    int own, normal;
} sal_slide;

typedef struct sal_border {
    int              count, size; /* of slides; of the unknowns */
    const sal_slide *slide;
    double          *m;         /* by slide */
    double          *Y;         /* by slide: size numbers */
    double          *G;         /* factored (lu.h) */
    int             *exchanged; /* by slide */
    double          *rhs;       /* by slide */
    double           det;       /* of G */
} sal_border;

/* Room for as many slides and unknowns. */
bool sal_border_init(sal_border *border, int max_slides, int size, sal_arena *arena);
/* Reads m and w from the rows of the slides, before these rows are closed. */
void sal_border_read(sal_border *border, const sal_symmetric *shape, const double *entries,
                     const sal_slide *slide, int count);
/* Completes it with the factorisation of S, in which the unknowns t are alone. 0, or 1 + the number
 * of an unknown whose friction the contact cannot bear: G is singular, or its determinant has
 * changed its sign. */
int sal_border_make(sal_border *border, const sal_factor *factor, const sal_symmetric *shape,
                    double *scratch);
/* Solves with the whole matrix, or its transpose, in place; B in lanes. */
void sal_border_solve(const sal_border *border, const sal_factor *factor,
                      const sal_symmetric *shape, bool transposed, int lanes, double *B,
                      double *scratch);

#endif
