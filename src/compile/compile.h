/* From model to system. */
#ifndef SAL_COMPILE_COMPILE_H
#define SAL_COMPILE_COMPILE_H

#include "compile/system.h"

/* Models up to this many terms and nodes become one straight-line program per kernel. */
enum { SAL_FLAT_TERMS = 300, SAL_FLAT_NODES = 6000 };
/* From this many coordinates on, of which there must be many alike, loops over terms are faster
 * where the matrix is diagonal and does not change: nothing is to be solved, and loops use vectors.
 */
enum { SAL_LOOPS_FROM = 24, SAL_LOOPS_ALIKE = 8 };
/* From this many unknowns on the matrix may be sparse; beyond the other number it must be. */
enum { SAL_SPARSE_FROM = 30, SAL_MAX_DENSE = 10000 };

typedef struct sal_limits {
    int flat_terms, sparse_from; /* 0: none is flat; all are sparse, but for diagonal ones */
} sal_limits;
#define SAL_LIMITS (&(sal_limits){SAL_FLAT_TERMS, SAL_SPARSE_FROM})

/* Names of costs. */
typedef struct sal_cost_list {
    const char *const *name;
    int                count;
} sal_cost_list;
/* Compiles the model with these costs only (NULL: with all of them); the limits are SAL_LIMITS but
 * for tests. NULL on failure. */
saltus_system *sal_system_new(const saltus_model *model, const sal_limits *limits,
                              const sal_cost_list *costs, saltus_error *err);
void           sal_system_free(saltus_system *system);
/* Fails for want of memory, or for the reason why there was no more: the limits on compiling. */
saltus_status sal_system_fail_work(const saltus_system *system, saltus_error *err);
/* From now on, compiling does not ask `progress` whether to go on: its context may be gone. */
void sal_system_release_code(saltus_system *system);

#endif
