/* What the fields of a run have in common.
 *
 * A run has three fields (run->fields): the field of the motion, also used before an event; the
 * field of the locator, so that evaluations between steps do not change the stages of a step; and
 * the field after an event. If the run finds the modes of contacts, there are two more, for the
 * regimes in which contacts collide and in which no contact acts. All of them have the same
 * parameters and the same numbers of the formulation. */
#ifndef SAL_RUN_FIELDS_H
#define SAL_RUN_FIELDS_H

#include "run/run.h"

/* Puts the parameters and the numbers of the formulation (index 1 or penalty) into all fields. */
void sal_run_put_params(saltus_run *run);
/* Puts memories into the fields of the motion and of the locator. */
void sal_run_put_memories(saltus_run *run, const double *c);
/* Enters a regime with the fields of the motion and of the locator. */
saltus_status sal_run_enter(saltus_run *run, const sal_regime *regime, saltus_error *err);
/* Enters the regime after an event with the field of that state, unless it is there already, and
 * makes the fields of the motion and of the locator ready for the maps of that regime. */
saltus_status sal_run_enter_after(saltus_run *run, const sal_regime *regime, saltus_error *err);
/* Makes the next step start from scratch: nothing from the last step is reused. */
void sal_run_restart_steps(saltus_run *run);

#endif
