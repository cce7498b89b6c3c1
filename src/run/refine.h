/* Reasons to do a run again that are known only after some time: quantities that are always so
 * small that the absolute tolerance allows them to be anything; and constraints that drift, since
 * only their second derivative is kept at zero. */
#ifndef SAL_RUN_REFINE_H
#define SAL_RUN_REFINE_H

#include "run/run.h"

bool sal_refine_init(sal_refine *refine, const saltus_system *system, sal_arena *arena);

/* Before the first pass. */
void sal_refine_begin(saltus_run *run);
/* Before each step: notes, every few steps, how large everything is and whether constraints drift.
 * False: it is not worthwhile to go on. */
bool sal_refine_goes_on(saltus_run *run);
/* After a run: whether it is to be done again, with tolerances that have changed. */
bool sal_refine_again(saltus_run *run);
/* After the last one: says what could not be improved. */
void sal_refine_warn(saltus_run *run);

#endif
