/* Derivatives of smooth functions: central differences at shrinking distances are extrapolated to
 * distance zero (Richardson), and the entry of the table with the smallest estimated error is kept
 * (Ridders). */
#ifndef SAL_SOLVE_DIFFERENCES_H
#define SAL_SOLVE_DIFFERENCES_H

#include "base/memory.h"
#include "solve/solve.h"

/* Writes the values of the function at the given signed distance from the point. */
typedef sal_evaluation (*sal_differences_function)(void *context, double distance, double *value);

/* Writes the derivatives of `count` values, and to `error` the largest estimated error, relative to
 * the largest derivative. `distance` is the first distance; it is halved where the function has no
 * values. Returns SAL_CONVERGED, SAL_NO_START if there are no values even close to the point,
 * SAL_STOPPED or SAL_OUT_OF_MEMORY. */
sal_solve_status sal_differences_extrapolated(sal_differences_function function, void *context,
                                              int count, double distance, double *derivative,
                                              double *error, sal_arena *work);

#endif
