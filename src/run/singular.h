/* Singular positions that the motion passes.
 *
 * Where constraints depend on each other in one position only (a parallelogram lying flat), what
 * comes behind it is not determined; yet a step may jump over it without meeting it. The
 * determinant of the equations of motion touches zero there, so it is followed from step to step
 * and, where it is small, inside the step. */
#ifndef SAL_RUN_SINGULAR_H
#define SAL_RUN_SINGULAR_H

#include "run/run.h"

/* Looks at the step just taken, its end evaluated; ends the run if a singular position is in it. */
void sal_singular_watch(saltus_run *run);

#endif
