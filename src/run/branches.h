/* Branches of kinks: on which side of its kink each abs, sign, min, max is. */
#ifndef SAL_RUN_BRANCHES_H
#define SAL_RUN_BRANCHES_H

#include "run/run.h"

/* Sets the branches at (t, x), in the regime of the locator's field, in the memories c. A branch
 * that is known stays, unless its argument is on the other side beyond rounding. flipped: the kink
 * whose event has just turned its branch around, or -1. fresh: nothing is known yet, and an
 * argument that is zero takes the branch it moves into. The run ends where the motion sticks to a
 * kink. */
void sal_branches_set(saltus_run *run, double t, const double *x, double *c, int flipped,
                      bool fresh);

#endif
