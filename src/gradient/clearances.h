/* Clearances for callers: each has a text that describes the change of events. */
#ifndef SAL_GRADIENT_CLEARANCES_H
#define SAL_GRADIENT_CLEARANCES_H

#include "sens/clearance.h"

/* Calls the function for each clearance until it returns nonzero. */
void sal_clearances_tell(saltus_run *run, const sal_clearances *found,
                         saltus_clearance_function clearance, void *context);

#endif
