/* Singular positions that the motion passes.
 *
 * Where constraints depend on each other in one position only (a parallelogram lying flat), the
 * motion after it is not determined; yet a step may jump over it without meeting it. Each stage of
 * a step leaves a few numbers of which one vanishes there: pivots of constraints or the like. Each
 * is compared with the largest it has been lately. Where one has fallen much, the constraints
 * themselves are examined, and if they come close to depending on each other inside this step, the
 * place where they are closest is found. */
#ifndef SAL_RUN_SINGULAR_H
#define SAL_RUN_SINGULAR_H

#include "run/outcome.h"

/* Checks the step just taken in a regime with constraints, its end evaluated. If a singular
 * position is in it, the run ends; if constraints give way (penalty), a warning is given. */
void sal_singular_watch(saltus_run *run);

#endif
