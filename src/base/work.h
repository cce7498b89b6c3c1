/* Limits on a piece of work: an allocator that counts what it hands out, steps that are counted as
 * they are done, and a callback that may ask to stop.
 *
 * Whatever is allocated while the work goes on comes from its allocator, which refuses once the
 * work is to end. The work then fails as if memory had run out, and `end` says why. */
#ifndef SAL_BASE_WORK_H
#define SAL_BASE_WORK_H

#include "base/memory.h"

typedef enum sal_work_end {
    SAL_WORK_GOES_ON,
    SAL_WORK_MEMORY,     /* the limit of bytes, not the machine's */
    SAL_WORK_STEPS,      /* the limit of steps */
    SAL_WORK_INTERRUPTED /* wants_end asked to stop */
} sal_work_end;

typedef struct sal_work {
    saltus_allocator inner;             /* where memory comes from */
    size_t           bytes, most;       /* bytes in use; their limit, 0: none */
    long long        steps, most_steps; /* steps done; their limit from mark on, 0: none */
    long long        mark, next_look;
    int (*wants_end)(void *context); /* called now and then; may be NULL */
    void        *context;
    sal_work_end end;
} sal_work;

/* The allocator of this work. */
saltus_allocator sal_work_allocator(sal_work *work);

/* Counts steps of some ten nanoseconds each for the work that the allocator belongs to; false if it
 * is to end. */
bool sal_work_done(const saltus_allocator *allocator, long long steps);

/* Zeroed memory from the allocator, untouched if it comes from malloc's family. */
void *sal_work_zeroed(const saltus_allocator *allocator, size_t size);

#endif
