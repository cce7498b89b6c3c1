/* Stiffness: steps that are short not because the motion changes, but because an explicit method
 * would be unstable otherwise.
 *
 * The last stage of a step and its end are two points at the same time, close to each other. How
 * much the slope differs between them, divided by how far they are apart, is the largest rate of
 * decay or oscillation there (Hairer and Wanner's test). If that times the step length stays at the
 * limit of stability of the method, stability determines the steps. */
#ifndef SAL_RUN_STIFF_H
#define SAL_RUN_STIFF_H

#include "run/run.h"

/* Steps from one check to the next. */
enum { SAL_STIFF_EVERY = 16 };
/* Checks the step just taken, its end evaluated. */
void sal_stiff_watch(saltus_run *run);
/* Whether stability determines the steps now, or did so for most of them. */
bool sal_stiff_found(const saltus_run *run);
/* Ends a run because of stiffness; `what` says what happened. */
void sal_stiff_finish(saltus_run *run, saltus_outcome outcome, const char *what);
/* Warns if stability determined most steps of the run. */
void sal_stiff_warn(saltus_run *run);

#endif
