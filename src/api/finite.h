/* Finite differences of complete runs: the method without formulas. */
#ifndef SAL_API_FINITE_H
#define SAL_API_FINITE_H

#include "sens/sens.h"

/* What differences give: errors are estimates of their own error, or NULL. */
typedef struct sal_differences {
    const sal_gradients *gradients, *errors;
    double              *step;         /* by parameter: the longest that was taken, or NULL */
    bool                 base_differs; /* failed: the run has other events at the tolerance of
                                          differences even without a change of parameters */
} sal_differences;

saltus_status sal_finite_differences(saltus_run *run, const sal_wanted *wanted,
                                     sal_differences *out, saltus_error *err);

#endif
