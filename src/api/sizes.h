/* The scales for rounding of costs and of their gradients. */
#ifndef SAL_API_SIZES_H
#define SAL_API_SIZES_H

#include "sens/sens.h"

/* See saltus_run_sizes; end may be NULL, gradient too if there are no parameters. */
saltus_status sal_run_sizes(saltus_run *run, const sal_wanted *wanted, const double *times,
                            int count, double *size, double *end, double *gradient,
                            saltus_error *err);

#endif
