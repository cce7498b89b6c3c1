/* Limits on a piece of work: see work.h. */
#include "base/work.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS_PER_LOOK = 1 << 16 }; /* about a millisecond */

/* Whether the work may allocate this many more bytes. */
static bool may_have(sal_work *work, size_t bytes)
{
    if (work->end) return false;
    if (!work->most || (bytes <= work->most && work->bytes <= work->most - bytes)) return true;
    work->end = SAL_WORK_MEMORY;
    return false;
}

static void *resize(void *context, void *block, size_t old_size, size_t size)
{
    sal_work *work = context;
    if (size > old_size && !may_have(work, size - old_size)) return NULL;
    void *other = sal_resize(&work->inner, block, old_size, size);
    if (other || size == 0) work->bytes += size - old_size;
    return other;
}

saltus_allocator sal_work_allocator(sal_work *work)
{
    return (saltus_allocator){.resize = resize, .context = work};
}

/* The work that the allocator belongs to; NULL: none. */
static sal_work *work_of(const saltus_allocator *allocator)
{
    return allocator->resize == resize ? allocator->context : NULL;
}

bool sal_work_done(const saltus_allocator *allocator, long long steps)
{
    sal_work *work = work_of(allocator);
    if (!work) return true;
    work->steps += steps;
    if (work->end || work->steps < work->next_look) return !work->end;
    work->next_look = work->steps + STEPS_PER_LOOK;
    if (work->most_steps && work->steps - work->mark > work->most_steps) work->end = SAL_WORK_STEPS;
    else if (work->wants_end && work->wants_end(work->context)) work->end = SAL_WORK_INTERRUPTED;
    return !work->end;
}

/* calloc does not touch fresh pages: vectors for lanes that no run uses then take address space
 * only. */
void *sal_work_zeroed(const saltus_allocator *allocator, size_t size)
{
    sal_work *work = work_of(allocator);
    if (!allocator->resize) return calloc(1, size);
    if (work && !work->inner.resize) {
        void *block = may_have(work, size) ? calloc(1, size) : NULL;
        if (block) work->bytes += size;
        return block;
    }
    void *block = sal_resize(allocator, NULL, 0, size);
    if (block) memset(block, 0, size);
    return block;
}
