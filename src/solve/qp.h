/* Strictly convex quadratic programs of small or moderate size, by the dual method of Goldfarb and
 * Idnani: it starts from the unconstrained minimum and adds violated constraints one by one. It
 * needs no feasible start, and detects that there is no feasible point. */
#ifndef SAL_SOLVE_QP_H
#define SAL_SOLVE_QP_H

#include "saltus/status.h"

/* A quadratic program:
 *
 *    min g.x + x.G x / 2   with   A x = b (the first rows),   A x >= b (the others),
 *                                 lower <= x <= upper */
typedef struct sal_qp {
    int           n;
    const double *G; /* n x n, row-major; the lower triangle is read */
    const double *g;
    int           rows, equations;
    const double *A; /* rows x n, row-major */
    const double *b;
    const double *lower, *upper; /* NULL: none */
} sal_qp;

typedef enum sal_qp_status {
    SAL_QP_SOLVED,
    SAL_QP_INFEASIBLE,
    SAL_QP_NOT_CONVEX, /* G is not safely positive definite */
    SAL_QP_NO_PROGRESS,
    SAL_QP_OUT_OF_MEMORY
} sal_qp_status;

/* Solves the program: writes x, the multipliers y of the rows and y_bound of the bounds, with
 * G x + g = A^T y + y_bound, where y_bound is positive at a lower and negative at an upper bound. y
 * and y_bound are written only if it returns SAL_QP_SOLVED. */
sal_qp_status sal_qp_solve(const sal_qp *qp, const saltus_allocator *allocator, double *x,
                           double *y, double *y_bound);

#endif
