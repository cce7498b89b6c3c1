/* What is known only once a run has gone on for some time, and is a reason to do it again:
 * quantities that are so small, all the time, that the absolute tolerance allows them to be
 * anything; and constraints that drift, since only their second derivative is kept. */
#ifndef SAL_RUN_REFINE_H
#define SAL_RUN_REFINE_H

#include "run/run.h"

bool sal_refine_init(sal_refine *refine, const saltus_system *system, sal_arena *arena);

/* Before a run is done for the first time. */
void sal_refine_begin(saltus_run *run);
/* Before each step: notes, now and then, how large everything is and whether constraints drift.
 * False: it is not worth to go on. */
bool sal_refine_goes_on(saltus_run *run);
/* Behind a run: whether it is to be done again, with tolerances that are other ones now. */
bool sal_refine_again(saltus_run *run);
/* Behind the last one: says what could not be made better. */
void sal_refine_warn(saltus_run *run);

#endif
