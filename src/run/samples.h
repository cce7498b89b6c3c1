/* Samples and clocks before and after a run. */
#ifndef SAL_RUN_SAMPLES_H
#define SAL_RUN_SAMPLES_H

#include "run/run.h"

/* Whether the times of samples ascend from the start on, and periods and delays are positive; the
 * parameters are in the field. */
saltus_status sal_samples_check(saltus_run *run, saltus_error *err);
/* Whether an event that follows this one after a delay is still to come: then the run ends. */
bool sal_delays_overlap(saltus_run *run, int event);
/* Warns of samples that were not taken, because they lie after the end. */
void sal_samples_warn(saltus_run *run);

#endif
