/* Strictly convex quadratic programs of small or moderate size, by the dual method of Goldfarb and
 * Idnani: it begins at the unconstrained minimum and adds violated constraints one by one, so it
 * needs no feasible start, and finds out if there is none. */
#ifndef SAL_SOLVE_QP_H
#define SAL_SOLVE_QP_H

#include "saltus/status.h"

/* min g.x + x.G x / 2   with   A x = b (the first rows),   A x >= b (the others),   lower <= x <=
 * upper */
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

/* Writes x and the multipliers y of the rows and y_bound of the bounds: G x + g = A^T y + y_bound,
 * where y_bound is positive at a lower and negative at an upper bound. If it is infeasible, y and
 * y_bound are not written. */
sal_qp_status sal_qp_solve(const sal_qp *qp, const saltus_allocator *allocator, double *x,
                           double *y, double *y_bound);

#endif
