/* Stiffness: steps that are short not because the motion changes, but because an explicit method
 * would be unstable otherwise.
 *
 * The last stage of a step and its end are two points at the same time, close to each other. How
 * much the slope differs between them, divided by how far they are apart, is the largest rate of
 * decay or oscillation there (Hairer and Wanner's test). If that times the step length stays at the
 * limit of stability of the method, stability rules the steps. */
#ifndef SAL_RUN_STIFF_H
#define SAL_RUN_STIFF_H

#include "run/run.h"

/* Looks at the step just taken, its end evaluated: one of so many steps. */
enum { SAL_STIFF_EVERY = 16 };
void sal_stiff_watch(saltus_run *run);
/* Whether stability rules the steps now, or most of them so far. */
bool sal_stiff_found(const saltus_run *run);
/* Says so of a run that gave up; `what` is how. */
void sal_stiff_finish(saltus_run *run, saltus_outcome outcome, const char *what);
/* Warns of a run most of whose steps were ruled so. */
void sal_stiff_warn(saltus_run *run);

#endif
