/* What rounding of costs and of their gradients is relative to. */
#ifndef SAL_API_SIZES_H
#define SAL_API_SIZES_H

#include "sens/sens.h"

/* See saltus_run_sizes; gradient may be NULL if there are no parameters. */
saltus_status sal_run_sizes(saltus_run *run, const sal_wanted *wanted, const double *times,
                            int count, double *size, double *gradient, saltus_error *err);

#endif
