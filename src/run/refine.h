/* Repeating a run for reasons that are known only later: some quantities are always so small that
 * the absolute tolerance leaves them undetermined; or constraints drift, since only their second
 * derivatives are kept at zero. */
#ifndef SAL_RUN_REFINE_H
#define SAL_RUN_REFINE_H

#include "run/run.h"

bool sal_refine_init(sal_refine *refine, const saltus_system *system, sal_arena *arena);

/* Resets tolerances and sizes before the first pass. */
void sal_refine_begin(saltus_run *run);
/* Called before each step: every few steps, notes the sizes of all components and checks whether
 * constraints drift. False: this pass is not worth continuing. */
bool sal_refine_goes_on(saltus_run *run);
/* Called after a pass: whether the run is to be repeated, with tolerances that have changed. */
bool sal_refine_again(saltus_run *run);
/* Called after the last pass: warns about what could not be improved. */
void sal_refine_warn(saltus_run *run);

#endif
