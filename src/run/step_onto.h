/* A step that ends where a guard is zero to rounding: a true step, not a place of the dense output.
 */
#ifndef SAL_RUN_STEP_ONTO_H
#define SAL_RUN_STEP_ONTO_H

#include "run/run.h"

/* Shortens the step just taken so that it ends at the crossing; or at another pending one that
 * turns out to be earlier, which then replaces it. False: the true motion only touches zero there;
 * the step ends close to it all the same. */
bool sal_step_onto(saltus_run *run, sal_crossing *crossing);

/* Extends the step just taken, its end stage there, until the guard is zero; delta: about how far.
 * False: it is not found there. */
bool sal_step_onto_again(saltus_run *run, const sal_crossing *crossing, double delta);
/* The guard at the end of the step. */
double sal_step_onto_guard(saltus_run *run, int event);

/* What rounding makes of the event's guard at the end of the step. */
double sal_step_onto_noise(saltus_run *run, int event);

#endif
