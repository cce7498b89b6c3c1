/* Whether states fulfil the constraints. What is violated is a mistake in the model: it ends the
 * run, and is not projected away. */
#ifndef SAL_RUN_VIOLATION_H
#define SAL_RUN_VIOLATION_H

#include "run/run.h"

/* The velocities at the start, on the branches of kinks chosen there. False: the run has ended. */
bool sal_violation_check_start(saltus_run *run);
/* The state after an event, in run->after, in the regime it leads to. False: the run has ended. */
bool sal_violation_check_event(saltus_run *run, const sal_event_system *event,
                               const sal_regime *to);
/* A constraint that was left out, because it followed from the others, must still hold. */
void sal_violation_check_left_out(saltus_run *run);

/* By how much the present positions are off the constraints, into phi. Returns the entries of the
 * matrix there (sal_field_matrix of the locator's field). */
const double *sal_violation_of_positions(saltus_run *run, double *phi);

#endif
