/* The modes of contacts after an event, and at the start. */
#ifndef SAL_RUN_CONTACT_AFTER_H
#define SAL_RUN_CONTACT_AFTER_H

#include "run/run.h"

/* The regime after the event (-1: of the start) that leads to `to`, at this state; impact: that in
 * which contacts collided, or NULL. NULL: the run has ended. */
const sal_regime *sal_contact_find_modes(saltus_run *run, int event, const sal_regime *to,
                                         const sal_regime *impact, double t, const double *x,
                                         const double *memories);

#endif
