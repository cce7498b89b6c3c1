/* Memory: arenas (freed as a whole) and growable arrays, both on the caller's allocator.
 *
 * Running out of memory is sticky: an arena that failed once stays failed, so a sequence of
 * requests is checked once, at its end. */
#ifndef SAL_BASE_MEMORY_H
#define SAL_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "saltus/status.h"

static inline void sal_copy(double *to, const double *from, int count)
{
    memcpy(to, from, (size_t)count * sizeof *to);
}

static inline void sal_zero(double *x, int count) { memset(x, 0, (size_t)count * sizeof *x); }

/* realloc with the allocator; NULL on failure or for size 0. */
void *sal_resize(const saltus_allocator *allocator, void *block, size_t old_size, size_t size);

typedef struct sal_chunk sal_chunk;

typedef struct sal_arena {
    saltus_allocator allocator;
    sal_chunk       *chunk;  /* the newest chunk, linked to the older ones */
    size_t           used;   /* bytes used in the newest chunk */
    size_t           bytes;  /* bytes taken from the allocator */
    bool             failed; /* a request failed */
} sal_arena;

void sal_arena_init(sal_arena *arena, const saltus_allocator *allocator);
void sal_arena_free(sal_arena *arena);
/* Makes an empty arena share the present contents of another one, which then live until both are
 * freed. The shared contents must not change any more. */
void sal_arena_hold(sal_arena *arena, const sal_arena *other);

/* Returns zeroed memory, 64-byte aligned, or NULL (and sets failed). A request of 0 bytes gives a
 * valid pointer. */
void *sal_arena_get(sal_arena *arena, size_t count, size_t size);

/* A copy of the text. NULL stays NULL. */
char *sal_arena_text(sal_arena *arena, const char *text);

/* Formats a text like printf, in memory of the arena. */
char *sal_arena_format(sal_arena *arena, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* ARENA_NEW(arena, count, type): typed request. */
#define ARENA_NEW(arena, count, type)                                                              \
    ((type *)sal_arena_get((arena), (size_t)(count), sizeof(type)))

/* ARENA_VECTORS(arena, n, &x, &y): allocates several arrays of n numbers. False: the arena has
 * failed. */
bool sal_arena_vectors(sal_arena *arena, size_t count, double **const *vectors);
#define ARENA_VECTORS(arena, count, ...)                                                           \
    sal_arena_vectors((arena), (size_t)(count), (double **const[]){__VA_ARGS__, NULL})

/* A copy of the numbers, or NULL. */
double *sal_arena_copy(sal_arena *arena, const double *numbers, int count);

/* WORK_ARENA(work, allocator): declares an arena that is freed when the function returns. */
#define WORK_ARENA(name, from)                                                                     \
    __attribute__((cleanup(sal_arena_free))) sal_arena name;                                       \
    sal_arena_init(&name, (from))

/* A growable array of T: struct { T *data; int count, capacity; }. */
#define SAL_ARRAY(T)                                                                               \
    struct {                                                                                       \
        T  *data;                                                                                  \
        int count, capacity;                                                                       \
    }

/* Makes room for `extra` more elements and returns the block to use from now on. On failure the
 * block and the capacity are unchanged. */
void *sal_array_grow(const saltus_allocator *allocator, void *data, int count, int *capacity,
                     int extra, size_t size);

#define ARRAY_RESERVE(allocator, array, extra)                                                     \
    ((array)->capacity - (array)->count >= (extra) ||                                              \
     ((array)->data = sal_array_grow((allocator), (array)->data, (array)->count,                   \
                                     &(array)->capacity, (extra), sizeof *(array)->data),          \
      (array)->capacity - (array)->count >= (extra)))
#define ARRAY_PUSH(allocator, array, value)                                                        \
    (ARRAY_RESERVE((allocator), (array), 1) ? ((array)->data[(array)->count++] = (value), true)    \
                                            : false)
#define ARRAY_RELEASE(allocator, array)                                                            \
    (sal_resize((allocator), (array)->data, (size_t)(array)->capacity * sizeof *(array)->data, 0), \
     (array)->data = NULL, (array)->count = (array)->capacity = 0)

#endif
