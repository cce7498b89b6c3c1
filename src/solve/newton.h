/* Newton's method for f(x) = 0 with as many equations as unknowns, kept within a region in which
 * it has proved right: a step that is too long is bent towards the direction of steepest descent
 * (Powell's dogleg), and one that does not reduce f as it should, or leads where f cannot be
 * evaluated, is rejected and the region shrinks. */
#ifndef SAL_SOLVE_NEWTON_H
#define SAL_SOLVE_NEWTON_H

#include "base/memory.h"
#include "solve/solve.h"

/* Writes f and its derivative J, J[equation * n + unknown]. */
typedef sal_evaluation (*sal_newton_function)(void *context, const double *x, double *f, double *J);

typedef struct sal_newton {
    int                 n;
    sal_newton_function evaluate;
    void               *context;
    const double       *scale;      /* by unknown: what changes of it are compared with */
    const double       *weight;     /* by equation: what its value is compared with */
    double              tolerance;  /* of the last step, in scales */
    int                 limit;      /* of iterations */
    int                 iterations; /* result */
    double              residual;   /* result: the length of f in weights, at the best point */
    double              step;       /* result: the length of the last step, in scales */
} sal_newton;

/* Changes x from a start to a root; if there is none, to the best point found: SAL_STALLED where no
 * step reduces f any more, SAL_LIMIT, SAL_NO_START, SAL_STOPPED or SAL_OUT_OF_MEMORY. */
sal_solve_status sal_newton_solve(sal_newton *newton, double *x, sal_arena *work);

#endif
