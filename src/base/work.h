/* Limits on a piece of work, such as compiling a model: on memory, which its allocator counts, and
 * on steps; a callback may also stop it.
 *
 * The work uses its allocator for everything. Once a limit is reached, the allocator refuses, so
 * the work fails as if memory had run out, and `end` is the reason. */
#ifndef SAL_BASE_WORK_H
#define SAL_BASE_WORK_H

#include "base/memory.h"

typedef enum sal_work_end {
    SAL_WORK_GOES_ON,
    SAL_WORK_MEMORY,     /* the limit on bytes was reached (the machine may have more memory) */
    SAL_WORK_STEPS,      /* the limit on steps was reached */
    SAL_WORK_INTERRUPTED /* wants_end returned true */
} sal_work_end;

typedef struct sal_work {
    saltus_allocator inner;             /* the allocator that provides the memory */
    size_t           bytes, most;       /* bytes in use; their limit, 0: none */
    long long        steps, most_steps; /* steps done; limit on steps - mark, 0: none */
    long long        mark, next_look;   /* start of the limited steps; steps at the next check */
    int (*wants_end)(void *context);    /* called from time to time; may be NULL */
    void        *context;
    sal_work_end end;
} sal_work;

/* Returns the allocator of this work. */
saltus_allocator sal_work_allocator(sal_work *work);

/* Adds steps of about ten nanoseconds each to the work to which the allocator belongs, if any.
 * Returns false if the work must end. */
bool sal_work_done(const saltus_allocator *allocator, long long steps);

/* Returns zeroed memory from the allocator. If it comes from malloc's family, its pages are not
 * touched. */
void *sal_work_zeroed(const saltus_allocator *allocator, size_t size);

#endif
