/* Protection from settings of the host program: the rounding mode, traps for floating-point
 * exceptions, and the locale with its decimal point. Results would depend on them, so public calls
 * that compute, read or print numbers replace them, and restore them before they return. */
#ifndef SAL_BASE_HOST_H
#define SAL_BASE_HOST_H

#include <fenv.h>
#include <stdbool.h>

typedef struct sal_host {
    fenv_t floats;        /* the host's floating-point environment, if is_unloaded */
    bool   is_unloaded;   /* floats must be restored; false: the host has the default settings */
    void  *locale, *ours; /* the thread's locale, and its replacement; ours NULL: not replaced */
} sal_host;

/* Replaces the settings of the host. */
sal_host sal_host_hold(void);
/* Restores the settings of the host. */
void sal_host_restore(sal_host *host);

/* Replaces the settings of the host until the function returns. Nested calls cost almost nothing.
 */
#define HOLD_HOST                                                                                  \
    __attribute__((cleanup(sal_host_restore), unused)) sal_host host_ = sal_host_hold()

#endif
