/* A second look at long steps where forces or integrands depend on time.
 *
 * A step evaluates them at its stages only. A pulse between two stages, or after the last one, may
 * be missed, and the error estimate does not show it. So if no stage is in more than a small part
 * of the horizon, the equations of motion are evaluated in between, along the dense output, and
 * must agree with its slope. */
#ifndef SAL_RUN_BETWEEN_STAGES_H
#define SAL_RUN_BETWEEN_STAGES_H

#include "run/run.h"

/* Places where they are evaluated, if all of the horizon were one step. */
enum { SAL_PLACES_PER_HORIZON = 500 };

/* Checks the step just taken, whose error is small. Returns the part of it up to which nothing was
 * missed, 1 if that is all of it; or 0: the field failed. */
double sal_between_stages(saltus_run *run);

#endif
