/* One instant: an event, and others that happen with it or because of it. */
#ifndef SAL_RUN_INSTANT_H
#define SAL_RUN_INSTANT_H

#include "run/run.h"

/* The start of a run: branches of kinks are chosen and guards armed. */
void sal_instant_start(saltus_run *run);

/* The step in run->motion ends at this crossing; run->pending marks events that may cross with it.
 */
saltus_status sal_instant_run(saltus_run *run, const sal_crossing *crossing, saltus_error *err);

/* Pending events happen now, without a step before them: this crossing and what crosses with it, or
 * (NULL) all of them. */
saltus_status sal_instant_now(saltus_run *run, const sal_crossing *crossing, saltus_error *err);

#endif
