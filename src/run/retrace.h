/* The steps of a simulation taken once more with other parameters.
 *
 * Their lengths are those of the simulation; a step onto an event is extended, as its guard says,
 * and the last one ends with the horizon. So results are a smooth function of the parameters, as
 * long as the events stay the same: the function whose derivatives the discrete methods compute. */
#ifndef SAL_RUN_RETRACE_H
#define SAL_RUN_RETRACE_H

#include "run/history.h"

/* Lists the steps of the last simulation. */
saltus_status sal_plan_make(saltus_run *run, sal_plan *plan, saltus_error *err);
void          sal_plan_release(const saltus_run *run, sal_plan *plan);

/* Prepares another run of the same system to take steps as this one did. */
void sal_retrace_like(saltus_run *other, const saltus_run *run);
/* Takes the steps with the parameters in run->params; the run, which may be another one of the same
 * system and with the same options, then has this motion. Fails with SALTUS_ERR_UNFINISHED, naming
 * the first event that differs, if the events are others. */
saltus_status sal_run_retrace(saltus_run *run, const sal_plan *plan, saltus_error *err);

#endif
