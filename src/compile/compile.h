/* Compiles a model to a system. */
#ifndef SAL_COMPILE_COMPILE_H
#define SAL_COMPILE_COMPILE_H

#include "compile/system.h"

/* Models up to this many terms and nodes become one straight-line program per kernel. */
enum { SAL_FLAT_TERMS = 300, SAL_FLAT_NODES = 6000 };
/* Systems with a constant diagonal matrix that have at least SAL_LOOPS_FROM coordinates, and on
 * average SAL_LOOPS_ALIKE terms per template, are not flattened although they are small: loops over
 * terms use vector instructions, and no equations have to be solved. */
enum { SAL_LOOPS_FROM = 24, SAL_LOOPS_ALIKE = 8 };
/* The matrix may be sparse from SAL_SPARSE_FROM unknowns on, and must be above SAL_MAX_DENSE. */
enum { SAL_SPARSE_FROM = 30, SAL_MAX_DENSE = 10000 };

typedef struct sal_limits {
    /* The largest number of terms of a flattened model, 0: none is flattened; the number of
     * unknowns from which on the matrix may be sparse, 0: it is sparse unless it is diagonal. */
    int flat_terms, sparse_from;
} sal_limits;
#define SAL_LIMITS (&(sal_limits){SAL_FLAT_TERMS, SAL_SPARSE_FROM})

typedef struct sal_cost_list {
    const char *const *name;
    int                count;
} sal_cost_list;
/* Compiles a copy of the model with these costs only (NULL: with all of them). limits is SAL_LIMITS
 * except in tests. NULL on failure. */
saltus_system *sal_system_new(const saltus_model *model, const sal_limits *limits,
                              const sal_cost_list *costs, saltus_error *err);
void           sal_system_free(saltus_system *system);
/* Reports why compiling the system ran out of memory: a limit on compiling was reached, `progress`
 * requested to stop, or there is no more memory. Returns the status of the error. */
saltus_status sal_system_fail_work(const saltus_system *system, saltus_error *err);
/* Makes later compilation independent of the `progress` callback, whose context may be gone. */
void sal_system_forget_progress(saltus_system *system);

#endif
