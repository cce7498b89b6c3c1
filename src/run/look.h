/* A second look at long steps where forces or integrands depend on time.
 *
 * A step knows them at the times of its stages only. A pulse between two of them, or behind all of
 * them, is stepped over, and nothing in its error tells. So in a step that leaves more than a small
 * part of the horizon out, the equations of motion are looked at on the way, along the dense
 * output: they must agree with its slope. */
#ifndef SAL_RUN_LOOK_H
#define SAL_RUN_LOOK_H

#include "run/run.h"

/* So many times per horizon. */
enum { SAL_LOOKS_PER_HORIZON = 500 };

/* Looks into the step just taken, whose error is small. Returns the part of it up to which nothing
 * was missed, 1 if that is all of it; or 0: the field failed. */
double sal_look_into(saltus_run *run);

#endif
