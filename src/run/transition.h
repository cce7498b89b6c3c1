/* The state after one event: the jump, then the branches of kinks; checked before it is taken. */
#ifndef SAL_RUN_TRANSITION_H
#define SAL_RUN_TRANSITION_H

#include "run/run.h"

/* The regime after an event; NULL: it could not be compiled. */
const sal_regime *sal_transition_regime(saltus_run *run, int event, saltus_error *err);

/* Computes the state after the event into run->after, with the rates there in run->jump; the state
 * before it is in the field of the motion. o->to is the regime it leads to; where the run finds the
 * modes of contacts, that changes to the regime found, and o->impact is set. False: the run has
 * ended. */
bool sal_transition_compute(saltus_run *run, sal_occurrence *o);

/* The present state becomes run->after, in that regime. */
saltus_status sal_transition_take(saltus_run *run, const sal_regime *to, saltus_error *err);

#endif
