/* Clearances as callers get them: with a text that says what would happen. */
#ifndef SAL_GRADIENT_CLEARANCES_H
#define SAL_GRADIENT_CLEARANCES_H

#include "sens/clearance.h"

/* Hands out all clearances until the function asks to stop. */
void sal_clearances_tell(const saltus_run *run, const sal_clearances *found,
                         saltus_clearance_function clearance, void *context);

#endif
