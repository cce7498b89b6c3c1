/* Clearances for callers: with a text that says what would happen. */
#ifndef SAL_GRADIENT_CLEARANCES_H
#define SAL_GRADIENT_CLEARANCES_H

#include "sens/clearance.h"

/* Calls the function for each clearance until it asks to stop. */
void sal_clearances_tell(saltus_run *run, const sal_clearances *found,
                         saltus_clearance_function clearance, void *context);

#endif
