/* Scratch memory: see scratch.h. */
#include "base/scratch.h"

#include <string.h>

enum { LINE = 64 }; /* bytes of a cache line */

#if defined(__SANITIZE_ADDRESS__)
#define SAL_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SAL_ASAN
#endif
#endif

#if defined(SAL_ASAN)
#include <sanitizer/asan_interface.h>
enum { GAP = LINE };
static void close_off(void *from, size_t bytes) { ASAN_POISON_MEMORY_REGION(from, bytes); }
static void open_up(void *from, size_t bytes)
{
    ASAN_UNPOISON_MEMORY_REGION(from, bytes);
    if (bytes > 0) memset(from, 0xff, bytes); /* all numbers become NaN */
}
#else
enum { GAP = 0 };
static void close_off(void *from, size_t bytes) { (void)from, (void)bytes; }
static void open_up(void *from, size_t bytes) { (void)from, (void)bytes; }
#endif

static size_t round_up(size_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }

bool sal_scratch_init(sal_scratch *scratch, sal_arena *arena, size_t pieces, size_t bytes)
{
    scratch->used = 0;
    scratch->size = round_up(bytes) + pieces * (LINE + GAP);
    scratch->bytes = ARENA_NEW(arena, scratch->size, unsigned char);
    if (scratch->bytes) close_off(scratch->bytes, scratch->size);
    return scratch->bytes;
}

void sal_scratch_close(sal_scratch *scratch)
{
    if (scratch->bytes) open_up(scratch->bytes, scratch->size);
}

void *sal_scratch_get(sal_scratch *scratch, size_t count, size_t size)
{
    void        *piece = scratch->bytes + scratch->used;
    const size_t room = round_up(count * size) + GAP;
    if (room > scratch->size - scratch->used) return NULL;
    open_up(piece, count * size);
    scratch->used += room;
    return piece;
}

void sal_scratch_release(sal_scratch *scratch, void *piece)
{
    const size_t mark = (size_t)((unsigned char *)piece - scratch->bytes);
    close_off(scratch->bytes + mark, scratch->used - mark);
    scratch->used = mark;
}
