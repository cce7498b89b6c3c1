/* Settings of the host program that results depend on: the rounding mode, traps for floating-point
 * exceptions, and the locale with its decimal point. Public calls that compute, read or print
 * numbers replace them while they work, and restore them. */
#ifndef SAL_BASE_HOST_H
#define SAL_BASE_HOST_H

#include <fenv.h>
#include <stdbool.h>

typedef struct sal_host {
    fenv_t floats;
    bool   is_held;       /* floats must be restored; false: the host's settings are ours */
    void  *locale, *ours; /* of the thread, and the one that replaces it; ours NULL: none does */
} sal_host;

sal_host sal_host_hold(void);
void     sal_host_restore(sal_host *host);

/* For the rest of the function, however it is left. Calls inside of calls cost next to nothing. */
#define HOLD_HOST                                                                                  \
    __attribute__((cleanup(sal_host_restore), unused)) sal_host host_ = sal_host_hold()

#endif
