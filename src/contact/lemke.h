/* Lemke's method for the linear complementarity problem
 *
 *     w = q + M z,    w >= 0,    z >= 0,    w_i z_i = 0,
 *
 * with lexicographic choice of pivots, so that it does not cycle. Rows and columns should be of
 * order one. */
#ifndef SAL_CONTACT_LEMKE_H
#define SAL_CONTACT_LEMKE_H

#include "base/memory.h"

typedef enum sal_lemke_status {
    SAL_LEMKE_SOLVED,
    SAL_LEMKE_RAY, /* no solution, if M is of a class for which the method is complete */
    SAL_LEMKE_LOST /* more pivots than rounding errors explain */
} sal_lemke_status;

typedef struct sal_lemke {
    double *M, *q;   /* in: n x n, row-major; n */
    double *cover;   /* in: n positive numbers; which solution is found depends on them */
    double *z, *w;   /* out */
    bool   *in_use;  /* out: z_i is an unknown of the solution, though it may be zero; w_i is not */
    double *tableau; /* n x (n + 2): coefficients of those that are zero, and the constant */
    int    *basic;   /* by row: i for w_i, n + i for z_i, 2 n for the covering variable */
    int    *other;   /* by column: those that are zero */
    int    *place;   /* by variable: its row, or -1 - its column */
} sal_lemke;

bool             sal_lemke_init(sal_lemke *lemke, int max, sal_arena *arena);
sal_lemke_status sal_lemke_solve(sal_lemke *lemke, int n);

#endif
