/* Newton's method for f(x) = 0 with as many equations as unknowns, in a trust region. A step that
 * is longer than its radius is bent towards the direction of steepest descent (Powell's dogleg). A
 * step that does not reduce f as it should, or leads where f cannot be evaluated, is rejected, and
 * the region shrinks. */
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
    const double       *scale;      /* by unknown: the unit in which steps are measured */
    const double       *weight;     /* by equation: the unit in which residuals are measured */
    double              tolerance;  /* on the length of the last step, in scales */
    int                 limit;      /* on the number of iterations */
    int                 iterations; /* result */
    double              residual;   /* result: the length of f in weights, at the best point */
    double              step;       /* result: the length of the last step, in scales */
} sal_newton;

/* Changes x from a start to a root and returns SAL_CONVERGED. Otherwise x is the best point found;
 * returns SAL_STALLED if no step reduces f any more, SAL_LIMIT, SAL_NO_START, SAL_STOPPED or
 * SAL_OUT_OF_MEMORY. */
sal_solve_status sal_newton_solve(sal_newton *newton, double *x, sal_arena *work);

#endif
