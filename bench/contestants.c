/* Lists of contestants. */
#include <stdlib.h>

#include "bench.h"

void contestants_add(contestants *all, contestant one)
{
    if (all->count == all->capacity) {
        all->capacity = all->capacity ? 2 * all->capacity : 16;
        all->list = realloc(all->list, (size_t)all->capacity * sizeof *all->list);
        if (!all->list) abort();
    }
    all->list[all->count++] = one;
}

void contestants_release(contestants *all)
{
    for (int i = 0; i < all->count; i++)
        if (all->list[i].release) all->list[i].release(all->list[i].self);
    free(all->list);
    *all = (contestants){NULL, 0, 0};
}
