/* What the gradients of saltus/sim.h are made of, besides the walks of sens: the choice of a
 * method, finite differences of complete runs, and the scales for rounding. */
#ifndef SAL_API_GRADIENTS_H
#define SAL_API_GRADIENTS_H

#include <stdbool.h>

#include "sens/sens.h"

/* SALTUS_DIRECT or SALTUS_DISCRETE, for the derivatives of this many costs and times (of events, of
 * the end) by this many parameters. The result depends on these numbers only. */
saltus_method sal_cheapest_method(int params, int costs, int times);

/* Whether a method that walks backward should compute the times by a walk forward. */
bool sal_times_go_forward(int params, int costs, int times);

/* What differences give: errors are estimates of their own error, or NULL. */
typedef struct sal_differences {
    const sal_gradients *gradients, *errors;
    double              *step;         /* by parameter: the longest that was taken, or NULL */
    bool                 base_differs; /* failed: the run has other events at the tolerance of
                                          differences even without a change of parameters */
} sal_differences;

saltus_status sal_finite_differences(saltus_run *run, const sal_wanted *wanted,
                                     sal_differences *out, saltus_error *err);

/* See saltus_run_sizes; end may be NULL, gradient too if there are no parameters. */
saltus_status sal_run_sizes(saltus_run *run, const sal_wanted *wanted, const double *times,
                            int count, double *size, double *end, double *gradient,
                            saltus_error *err);

#endif
