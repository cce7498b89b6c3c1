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

/* Copies the arrays of a result to the bytes after the struct or, if `to` is NULL, from there. */
static void copy_parts(const sal_local *l, const sal_task *t, const char *from, char *to)
{
    const size_t number = sizeof(double);
    void *const  part[] = {l->x, l->y, l->beyond, l->sequence.data};
    const size_t size[] = {(size_t)t->n * number, (size_t)t->rows * number,
                           (size_t)(SAL_FENCES * t->n) * number,
                           (size_t)l->sequence.count * sizeof(int)};
    size_t       at = sizeof *l;
    for (int i = 0; i < 4; at += size[i++])
        if (size[i]) memcpy(to ? to + at : part[i], to ? part[i] : from + at, size[i]);
}

void sal_local_save(const sal_local *l, const sal_task *t, void *bytes)
{
    sal_local head = *l;
    head.x = head.y = head.beyond = NULL;
    head.sequence.data = NULL;
    head.sequence.capacity = 0;
    memcpy(bytes, &head, sizeof head);
    copy_parts(l, t, NULL, bytes);
}

bool sal_local_load(sal_local *l, const sal_task *t, const void *bytes, size_t size)
{
    const sal_local mine = *l;
    if (size < sizeof *l) return false;
    memcpy(l, bytes, sizeof *l);
    const int events = l->sequence.count;
    l->x = mine.x;
    l->y = mine.y;
    l->beyond = mine.beyond;
    l->sequence = mine.sequence;
    l->sequence.count = 0;
    if (events < 0 || size != sizeof *l + numbers_size(t) + (size_t)events * sizeof(int) ||
        !ARRAY_RESERVE(&t->system->allocator, &l->sequence, events))
        return false;
    l->sequence.count = events;
    copy_parts(l, t, bytes, NULL);
    return true;
}
