/* When the kernels of a system become native code.
 *
 * Kernels that are needed together become one shared object: sal_code_object in kernel_table.h. Two
 * compilers share the work where there is much of it. A run says how much effort is wanted: none
 * (interp), to use what is in the cache (auto), or to compile (native). With auto, the effort rises
 * to compiling once runs have taken as long as compiling is expected to take: at worst, the
 * interpreter's time is doubled. */
#ifndef SAL_COMPILE_CODE_H
#define SAL_COMPILE_CODE_H

#include "compile/system.h"

/* A caller that waits while compilers work for it, and is asked now and then whether to go on. It
 * is asked with the lock held, and must not call the system. */
typedef struct sal_waiter {
    int (*progress)(void *context, double t, double t_end); /* NULL: it is not asked */
    void         *context;
    const double *t, *t_end;
    bool          stopped; /* it wanted to stop: nothing more is compiled for it */
} sal_waiter;

/* Makes `next` (NULL: none) the waiter of this thread, and clears its `stopped`. Returns the
 * previous one, which sal_waiter_leave puts back. */
sal_waiter *sal_waiter_enter(sal_waiter *next);
void        sal_waiter_leave(sal_waiter *previous);

/* A run with this backend begins. Takes the lock. */
void sal_system_request_backend(const saltus_system *system, saltus_backend backend);

/* The clock of a run: how long it has been at work. */
typedef struct sal_clock {
    double since;   /* 0: it stands still */
    bool   settled; /* the effort will not rise any more: there is nothing to measure */
} sal_clock;

void sal_clock_start(sal_clock *clock);
/* Adds the time since the last call to what runs of the system took. Takes the lock. */
void sal_clock_tick(sal_clock *clock, const saltus_system *system);

/* Tells which code runs use, and what it took to get it. Takes the lock. */
saltus_backend_info sal_system_backend(const saltus_system *system);

/* Makes the effort that runs asked for, for one regime. The caller holds the lock. */
void sal_system_load_regime(const saltus_system *system, const sal_regime *regime);

/* Tells that a field factors K in this regime. Takes the lock. */
void sal_system_compile_factored(const saltus_system *system, const sal_regime *regime);

/* Closes the shared objects: kernels must not be evaluated any more. */
void sal_system_unload(const saltus_system *system);

#endif
