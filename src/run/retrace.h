/* Retracing: the steps of a simulation are taken once more with other parameters.
 *
 * Steps have the lengths that they had in the simulation, except that a step onto an event is
 * extended until its guard is zero, and the last step ends with the horizon. So results are a
 * smooth function of the parameters as long as the events stay the same. The discrete methods
 * compute the derivatives of this function. */
#ifndef SAL_RUN_RETRACE_H
#define SAL_RUN_RETRACE_H

#include "run/history.h"

/* Lists the steps of the last simulation. */
saltus_status sal_step_plan_make(saltus_run *run, sal_step_plan *plan, saltus_error *err);
void          sal_step_plan_release(const saltus_run *run, sal_step_plan *plan);

/* Prepares another run of the same system to retrace the steps of this one: gives it the same
 * tolerances. */
void sal_retrace_like(saltus_run *other, const saltus_run *run);
/* Takes the steps of the plan with the parameters in run->params. The run, which may be another one
 * of the same system and with the same options, then has this motion. Fails with
 * SALTUS_ERR_UNFINISHED, naming the first event that differs, if the events are not the same. */
saltus_status sal_run_retrace(saltus_run *run, const sal_step_plan *plan, saltus_error *err);

#endif
