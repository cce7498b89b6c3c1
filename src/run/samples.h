/* Samples before and after a run. */
#ifndef SAL_RUN_SAMPLES_H
#define SAL_RUN_SAMPLES_H

#include "run/run.h"

/* Whether the times of samples ascend from the start on; the parameters are in the field. */
saltus_status sal_samples_check(saltus_run *run, saltus_error *err);
/* Warns of samples that were not taken, because they lie after the end. */
void sal_samples_warn(saltus_run *run);

#endif
