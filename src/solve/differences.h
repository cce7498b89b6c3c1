/* Derivatives of smooth functions by central differences at shrinking distances, extrapolated to
 * zero (Richardson), of which the entry with the smallest estimated error is kept (Ridders). */
#ifndef SAL_SOLVE_DIFFERENCES_H
#define SAL_SOLVE_DIFFERENCES_H

#include "base/memory.h"
#include "solve/solve.h"

/* Writes the values of the function at that distance from the point, which may be negative. */
typedef sal_evaluation (*sal_differences_function)(void *context, double distance, double *value);

/* Writes the derivative of each of `count` values, and the largest of the estimated errors relative
 * to the largest derivative. Begins with this distance; shrinks it where there are no values.
 * Returns SAL_CONVERGED; SAL_NO_START if there are none even near the point; SAL_STOPPED;
 * SAL_OUT_OF_MEMORY. */
sal_solve_status sal_differences_extrapolated(sal_differences_function function, void *context,
                                              int count, double distance, double *derivative,
                                              double *error, sal_arena *work);

#endif
