/* One step of the run, with whatever events are in it. */
#ifndef SAL_RUN_ADVANCE_H
#define SAL_RUN_ADVANCE_H

#include "run/run.h"

/* log(1e-4): smaller errors count as much in the control of the step length. */
#define SAL_MIN_LOG_ERROR (-13.287712379549449)

/* Chooses the first step length. */
void sal_advance_start(saltus_run *run);

/* Takes one accepted step, up to the first event in it; appends it to the record. */
saltus_status sal_advance(saltus_run *run, saltus_error *err);

/* The step in run->motion, without an event at its end, is part of the motion; last: it ends it. */
saltus_status sal_advance_accept(saltus_run *run, bool last, saltus_error *err);

#endif
