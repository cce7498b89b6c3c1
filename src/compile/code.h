/* When the kernels of a system become compiled code.
 *
 * All maps outside of regimes are one shared object. Each regime has another, and one more (two
 * if there is much in it) for the kernels with the solve written in, or, where there are none, for
 * the products of the general way; and one that is made when tangents go along with simulations.
 * A run says how much effort is wanted: none (interp), to use what is in the cache (auto), or to
 * compile (native). With auto, the effort rises to compiling once runs have taken as long as
 * compiling is expected to take: at worst, the interpreter's time is doubled. */
#ifndef SAL_COMPILE_CODE_H
#define SAL_COMPILE_CODE_H

#include "compile/system.h"

/* Who is asked whether to go on while compilers are at work for the calls of a thread. It is asked
 * with the lock held, and must not call the system. */
typedef struct sal_waiter {
    int (*progress)(void *context, double t, double t_end); /* NULL: nobody */
    void         *context;
    const double *t, *t_end;
    bool          stopped; /* it did not want to go on: nothing more is compiled */
} sal_waiter;

/* From now on it is this one, who has not stopped; NULL: nobody. Returns who it was before, whom
 * sal_waiter_leave puts back. */
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

/* How things stand. Takes the lock. */
saltus_backend_info sal_system_backend(const saltus_system *system);

/* Does for a regime what was asked for; the caller holds the lock. */
void sal_system_load_regime(const saltus_system *system, const sal_regime *regime);

/* A field uses the kernels of the regime without those that have the solve written in. Takes the
 * lock. */
void sal_system_compile_factored(const saltus_system *system, const sal_regime *regime);

/* Tangents will go along with simulations: kernels for both are compiled. Takes the lock. */
void sal_system_compile_with_tangent(const saltus_system *system);

/* Closes the shared objects: kernels must not be evaluated any more. */
void sal_system_unload(const saltus_system *system);

#endif
