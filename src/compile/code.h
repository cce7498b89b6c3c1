/* When the kernels of a system become native code.
 *
 * Kernels that are needed together become one shared object: sal_code_object in kernel_table.h.
 * Large amounts of code are split between several compilers. Each run requests an effort: none
 * (interp), to load what is in the cache (auto), or to compile (native). With auto, the effort
 * rises to compiling as soon as runs have taken as long as compiling is expected to take, so that
 * at worst the time of the interpreter is doubled. */
#ifndef SAL_COMPILE_CODE_H
#define SAL_COMPILE_CODE_H

#include "compile/system.h"

/* A caller that waits for compilers. Its callback is called from time to time and may request to
 * stop; the lock is held meanwhile, so the callback must not call the system. */
typedef struct sal_waiter {
    int (*progress)(void *context, double t, double t_end); /* nonzero: stop; may be NULL */
    void         *context;
    const double *t, *t_end; /* arguments of progress */
    bool          stopped;   /* progress requested to stop: nothing more is compiled for it */
} sal_waiter;

/* Makes `next` (NULL: none) the waiter of this thread, and clears its `stopped`. Returns the
 * previous waiter, to be restored with sal_waiter_leave. */
sal_waiter *sal_waiter_enter(sal_waiter *next);
void        sal_waiter_leave(sal_waiter *previous);

/* Raises the effort to that of this backend, and loads or compiles code accordingly. To be called
 * when a run begins. Takes the lock. */
void sal_system_request_backend(const saltus_system *system, saltus_backend backend);

/* Measures how long a run works. */
typedef struct sal_stopwatch {
    double since;   /* the time of the last start or tick, in seconds */
    bool   settled; /* the effort will not rise any more, so there is nothing to measure */
} sal_stopwatch;

void sal_stopwatch_start(sal_stopwatch *clock);
/* Adds the time since the last start or tick to the time of all runs of the system, and raises the
 * effort to compiling once this sum exceeds the price. Takes the lock. */
void sal_stopwatch_tick(sal_stopwatch *clock, const saltus_system *system);

/* Returns which code runs use, and how it was obtained. Takes the lock. */
saltus_backend_info sal_system_backend(const saltus_system *system);

/* Loads or compiles the kernels of a regime, as far as the effort that runs requested allows. The
 * caller holds the lock. */
void sal_system_load_regime(const saltus_system *system, const sal_regime *regime);

/* Notes that a field factors K in this regime, and loads or compiles the kernels for that. Takes
 * the lock. */
void sal_system_compile_factored(const saltus_system *system, const sal_regime *regime);

/* Closes the shared objects: kernels must not be evaluated any more. */
void sal_system_unload(const saltus_system *system);

#endif
