/* One step of the run, up to the first event in it. */
#ifndef SAL_RUN_ADVANCE_H
#define SAL_RUN_ADVANCE_H

#include "run/run.h"

/* log2(1e-4): smaller errors have the same effect on the step length. */
#define SAL_MIN_LOG_ERROR (-13.287712379549449)

/* Chooses the first step length. */
void sal_advance_start(saltus_run *run);

/* Takes a step of this length from the present state. Nonzero: a stage failed. */
int sal_advance_take(saltus_run *run, double h);

/* Takes one accepted step, up to the first event in it; appends it to the record. */
saltus_status sal_advance(saltus_run *run, saltus_error *err);

/* Accepts the step in run->motion, which has no event at its end; last: it ends the run. */
saltus_status sal_advance_accept(saltus_run *run, bool last, saltus_error *err);

#endif
