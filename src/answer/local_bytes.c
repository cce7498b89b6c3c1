/* The result of a search as bytes: the struct without its pointers, then what they point to. */
#include <string.h>

#include "answer/local.h"
#include "compile/system.h"

static size_t numbers_size(const sal_task *t)
{
    return (size_t)(t->n + t->rows + SAL_FENCES * t->n) * sizeof(double);
}

size_t sal_local_size(const sal_local *l, const sal_task *t)
{
    return sizeof *l + numbers_size(t) + (size_t)l->sequence.count * sizeof(int);
}

static char *put(char *to, const void *from, int count, size_t size)
{
    if (count) memcpy(to, from, (size_t)count * size);
    return to + (size_t)count * size;
}

void sal_local_save(const sal_local *l, const sal_task *t, void *bytes)
{
    sal_local head = *l;
    head.x = head.y = head.beyond = NULL;
    head.sequence.data = NULL;
    head.sequence.capacity = 0;
    char *to = put(bytes, &head, 1, sizeof head);
    to = put(to, l->x, t->n, sizeof(double));
    to = put(to, l->y, t->rows, sizeof(double));
    to = put(to, l->beyond, SAL_FENCES * t->n, sizeof(double));
    put(to, l->sequence.data, l->sequence.count, sizeof(int));
}

static const char *get(void *to, const char *from, int count, size_t size)
{
    if (count) memcpy(to, from, (size_t)count * size);
    return from + (size_t)count * size;
}

bool sal_local_load(sal_local *l, const sal_task *t, const void *bytes, size_t size)
{
    const sal_local mine = *l;
    const char     *from = bytes;
    if (size < sizeof *l) return false;
    from = get(l, from, 1, sizeof *l);
    const int events = l->sequence.count;
    l->x = mine.x;
    l->y = mine.y;
    l->beyond = mine.beyond;
    l->sequence = mine.sequence;
    l->sequence.count = 0;
    if (events < 0 || size != sizeof *l + numbers_size(t) + (size_t)events * sizeof(int) ||
        !ARRAY_RESERVE(&t->system->allocator, &l->sequence, events))
        return false;
    from = get(l->x, from, t->n, sizeof(double));
    from = get(l->y, from, t->rows, sizeof(double));
    from = get(l->beyond, from, SAL_FENCES * t->n, sizeof(double));
    get(l->sequence.data, from, events, sizeof(int));
    l->sequence.count = events;
    return true;
}
