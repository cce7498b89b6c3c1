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
    SAL_LEMKE_LOST /* too many pivots: rounding errors keep it from ending */
} sal_lemke_status;

typedef struct sal_lemke {
    double *M, *q;   /* in: M is n x n, row-major, q has n numbers */
    double *cover;   /* in: n positive numbers, on which the solution that is found depends */
    double *z, *w;   /* out */
    bool   *in_use;  /* out, by i: z_i is basic, though it may be zero, and w_i is not */
    double *tableau; /* n x (n + 2): coefficients of the nonbasic variables, then the constant */
    int    *basic;   /* by row: basic variable; i is w_i, n + i is z_i, 2 n the covering one */
    int    *other;   /* by column: the nonbasic variable, which is zero */
    int    *place;   /* by variable: its row, or -1 - its column */
} sal_lemke;

bool             sal_lemke_init(sal_lemke *lemke, int max, sal_arena *arena);
sal_lemke_status sal_lemke_solve(sal_lemke *lemke, int n);

#endif
