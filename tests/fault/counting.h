/* Allocations that are counted and may fail. */
#ifndef SAL_TEST_COUNTING_H
#define SAL_TEST_COUNTING_H

#include <stdbool.h>
#include <stdlib.h>

/* An allocator that counts, and fails from the n-th request on or only there. */
typedef struct counter {
    long long requests, fail_at; /* fail_at 0: never */
    bool      for_good;
    long long bytes; /* held */
} counter;

static void *count_and_resize(void *context, void *block, size_t old_size, size_t size)
{
    counter *c = context;
    if (size == 0) {
        c->bytes -= (long long)(block ? old_size : 0);
        free(block);
        return NULL;
    }
    c->requests++;
    if (c->fail_at && (c->requests == c->fail_at || (c->for_good && c->requests > c->fail_at)))
        return NULL;
    void *grown = realloc(block, size);
    if (grown) c->bytes += (long long)size - (long long)(block ? old_size : 0);
    return grown;
}

#endif
