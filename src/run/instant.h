/* What happens at one instant: an event, and others that happen with it or because of it. */
#ifndef SAL_RUN_INSTANT_H
#define SAL_RUN_INSTANT_H

#include "run/run.h"

/* Branches of kinks and sides of guards at the start. */
void sal_instant_start(saltus_run *run);

/* The step in run->motion ends at this crossing; run->pending marks events that may cross with it.
 */
saltus_status sal_instant_run(saltus_run *run, const sal_crossing *crossing, saltus_error *err);

/* Events that are pending happen now, without a step before them: this crossing and what crosses
 * with it, or (NULL) all of them. */
saltus_status sal_instant_now(saltus_run *run, const sal_crossing *crossing, saltus_error *err);

/* Warns if a condition (where=) of the crossing is nearly zero. */
void sal_instant_warn_condition(saltus_run *run, const sal_crossing *crossing);

/* Ends the run where occurrences of an event accumulate. */
void sal_instant_zeno(saltus_run *run, int event, double at);

/* The energy on both sides of an event that happened. */
void sal_instant_energies(const saltus_run *run, int occurrence, double *before, double *after);

#endif
