/* Energy that an impact adds. Newton's law with restitution says nothing of friction: where a
 * contact sticks, or slides the other way, the law may return more energy than came in (Kane). It
 * is followed nevertheless, with a warning. */
#ifndef SAL_RUN_GAIN_H
#define SAL_RUN_GAIN_H

#include "run/run.h"

/* Warns if the impact of contacts that was just computed, and is in run->jump, adds energy. */
void sal_gain_warn(saltus_run *run, const sal_occurrence *o);

#endif
