/* Arena and growable arrays: see memory.h. */
#include "base/memory.h"

#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/work.h"

enum { ALIGNMENT = 64, FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20 };

struct sal_chunk {
    sal_chunk       *older;
    saltus_allocator allocator;
    atomic_int       holders;  /* number of arenas and newer chunks that refer to this one */
    size_t           size;     /* size of the whole block, as requested from the allocator */
    size_t           capacity; /* usable bytes from start */
    char            *start;    /* aligned */
};

void *sal_resize(const saltus_allocator *allocator, void *block, size_t old_size, size_t size)
{
    if (allocator && allocator->resize)
        return allocator->resize(allocator->context, block, old_size, size);
    if (size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, size);
}

void sal_arena_init(sal_arena *arena, const saltus_allocator *allocator)
{
    memset(arena, 0, sizeof *arena);
    if (allocator) arena->allocator = *allocator;
}

void sal_arena_free(sal_arena *arena)
{
    sal_chunk *chunk = arena->chunk;
    while (chunk && atomic_fetch_sub(&chunk->holders, 1) == 1) {
        sal_chunk             *older = chunk->older;
        const saltus_allocator allocator = chunk->allocator;
        sal_resize(&allocator, chunk, chunk->size, 0);
        chunk = older;
    }
    arena->chunk = NULL;
    arena->used = arena->bytes = 0;
    arena->failed = false;
}

void sal_arena_hold(sal_arena *arena, const sal_arena *other)
{
    if (!other->chunk) return;
    atomic_fetch_add(&other->chunk->holders, 1);
    arena->chunk = other->chunk;
    arena->used = other->chunk->capacity; /* further memory comes from new chunks */
}

/* Adds a chunk with room for at least `size` bytes. The sizes of chunks double, so that few are
 * needed and a small model takes little memory. */
static bool add_chunk(sal_arena *arena, size_t size)
{
    size_t capacity = arena->chunk ? 2 * arena->chunk->capacity : FIRST_CHUNK;
    if (capacity > LARGEST_CHUNK) capacity = LARGEST_CHUNK;
    if (capacity < size) capacity = size;
    const size_t whole = sizeof(sal_chunk) + ALIGNMENT + capacity;
    if (whole < capacity) return false; /* overflow */
    sal_chunk *chunk = sal_work_zeroed(&arena->allocator, whole);
    if (!chunk) return false;
    const uintptr_t after = (uintptr_t)(chunk + 1);
    chunk->older = arena->chunk;
    chunk->allocator = arena->allocator;
    atomic_init(&chunk->holders, 1);
    chunk->size = whole;
    chunk->capacity = capacity;
    chunk->start = (char *)((after + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    arena->chunk = chunk;
    arena->used = 0;
    arena->bytes += whole;
    return true;
}

void *sal_arena_get(sal_arena *arena, size_t count, size_t size)
{
    if (arena->failed) return NULL;
    if (size && count > SIZE_MAX / 2 / size) {
        arena->failed = true;
        return NULL;
    }
    const size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!arena->chunk || arena->chunk->capacity - arena->used < bytes) {
        if (!add_chunk(arena, bytes)) {
            arena->failed = true;
            return NULL;
        }
    }
    void *block = arena->chunk->start + arena->used;
    arena->used += bytes;
    return block;
}

bool sal_arena_vectors(sal_arena *arena, size_t count, double **const *vectors)
{
    for (; *vectors; vectors++) **vectors = ARENA_NEW(arena, count, double);
    return !arena->failed;
}

double *sal_arena_copy(sal_arena *arena, const double *numbers, int count)
{
    double *copy = ARENA_NEW(arena, count, double);
    if (copy && count) memcpy(copy, numbers, (size_t)count * sizeof *copy);
    return copy;
}

char *sal_arena_text(sal_arena *arena, const char *text)
{
    if (!text) return NULL;
    const size_t length = strlen(text) + 1;
    char        *copy = sal_arena_get(arena, length, 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

char *sal_arena_format(sal_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0) {
        arena->failed = true;
        return NULL;
    }
    char *text = sal_arena_get(arena, (size_t)length + 1, 1);
    if (!text) return NULL;
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

void *sal_array_grow(const saltus_allocator *allocator, void *data, int count, int *capacity,
                     int extra, size_t size)
{
    if (extra > INT_MAX - count || count + extra <= *capacity) return data;
    int wanted = *capacity < INT_MAX / 2 ? 2 * *capacity : INT_MAX;
    if (wanted < 8) wanted = 8;
    if (wanted < count + extra) wanted = count + extra;
    if ((size_t)wanted > SIZE_MAX / size) return data;
    void *grown = sal_resize(allocator, data, (size_t)*capacity * size, (size_t)wanted * size);
    if (!grown) return data;
    *capacity = wanted;
    return grown;
}
