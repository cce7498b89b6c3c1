/* Nonlinear least squares: the smallest sum of squares of residuals r(x), within bounds on x.
 *
 * The method of Levenberg and Marquardt with geodesic acceleration: a step of the damped linear
 * problem is bent by the second derivative of the residuals along it, which follows curved valleys.
 * It ends with plain Gauss-Newton steps, which give the last digits. */
#ifndef SAL_SOLVE_LM_H
#define SAL_SOLVE_LM_H

#include "saltus/status.h"
#include "solve/solve.h"

typedef struct sal_lm_problem {
    int           unknowns, residuals;
    const double *lower, *upper; /* bounds; NULL: none */
    /* Writes the residuals and, unless J is NULL, their derivatives:
     * J[residual * unknowns + unknown]. J is requested at the start, and at points whose residuals
     * were those of the previous call. */
    sal_evaluation (*evaluate)(void *context, const double *x, double *r, double *J);
    void *context;
} sal_lm_problem;

typedef struct sal_lm_result {
    double rss;      /* the sum of squares */
    double gradient; /* the largest cosine of an unknown that no bound holds */
    int    iterations;
    int    jacobian_calls;
} sal_lm_result;

/* Minimises the sum of squares. x is the start on input and the best point on output; r and J hold
 * its residuals and their derivatives. Returns SAL_CONVERGED, SAL_STALLED, SAL_LIMIT, SAL_NO_START,
 * SAL_STOPPED or SAL_OUT_OF_MEMORY. */
sal_solve_status sal_lm(const sal_lm_problem *problem, const saltus_allocator *allocator, double *x,
                        double *r, double *J, sal_lm_result *result);

#endif
