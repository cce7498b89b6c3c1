/* What the fields of a run have in common.
 *
 * A run has three (run->fields): that of the motion, which is also that before an event; that of
 * the locator, so that probing leaves the stages of a step alone; and that after an event. Where
 * the run finds the modes of contacts there are two more: that in which contacts collide, and that
 * in which none of them acts. All of them have the same parameters and the same numbers of the
 * formulation. */
#ifndef SAL_RUN_FIELDS_H
#define SAL_RUN_FIELDS_H

#include "run/run.h"

/* Puts the parameters and the numbers of the formulation into all fields. */
void sal_run_put_params(saltus_run *run);
/* Puts memories into the fields of the motion and of the locator. */
void sal_run_put_memories(saltus_run *run, const double *c);
/* Enters a regime with the fields of the motion and of the locator. */
saltus_status sal_run_enter(saltus_run *run, const sal_regime *regime, saltus_error *err);
/* The next step begins anew: nothing of the one before belongs to it. */
void sal_run_unprime(saltus_run *run);

#endif
