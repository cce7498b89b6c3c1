/* Finite differences of complete runs: the method that knows no formula. */
#ifndef SAL_API_FINITE_H
#define SAL_API_FINITE_H

#include "sens/sens.h"

saltus_status sal_finite_differences(saltus_run *run, const sal_wanted *wanted,
                                     const sal_gradients *out, saltus_error *err);

#endif
