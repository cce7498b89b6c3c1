/* Allocates and copies the state of a run, and stores it in checkpoints: see cursor.h. */
#include "run/cursor.h"

#include <string.h>

/* The size of the numbers in the struct, which precede the block. */
enum { NUMBERS = offsetof(sal_cursor, block) };

bool sal_cursor_init(sal_cursor *cursor, const saltus_system *system, sal_arena *arena)
{
    size_t at = 0;
#define X(type, name, count) +(size_t)(count) * sizeof(type)
    cursor->bytes = 0 SAL_CURSOR_ARRAYS(X, system);
#undef X
    cursor->block = ARENA_NEW(arena, cursor->bytes, unsigned char);
    if (!cursor->block) return false;
#define X(type, name, count)                                                                       \
    _Static_assert(sizeof(type) % sizeof(double) == 0, "the next array must be aligned");          \
    cursor->name = (type *)(void *)(cursor->block + at);                                           \
    at += (size_t)(count) * sizeof(type);
    SAL_CURSOR_ARRAYS(X, system)
#undef X
    return true;
}

void sal_cursor_clear(sal_cursor *cursor)
{
    memset(cursor, 0, NUMBERS);
    memset(cursor->block, 0, cursor->bytes);
}

void sal_cursor_copy(sal_cursor *to, const sal_cursor *from)
{
    memcpy(to, from, NUMBERS);
    memcpy(to->block, from->block, from->bytes);
}

size_t sal_checkpoint_bytes(const sal_cursor *cursor) { return NUMBERS + cursor->bytes; }

void sal_checkpoint_save(const sal_cursor *cursor, void *checkpoint)
{
    memcpy(checkpoint, cursor, NUMBERS);
    memcpy((unsigned char *)checkpoint + NUMBERS, cursor->block, cursor->bytes);
}

void sal_checkpoint_load(sal_cursor *cursor, const void *checkpoint)
{
    memcpy(cursor, checkpoint, NUMBERS);
    memcpy(cursor->block, (const unsigned char *)checkpoint + NUMBERS, cursor->bytes);
}
