/* Scratch memory: pieces do not overlap, are given back in the order of a stack, and under
 * AddressSanitizer nothing else may be touched. */
#include "test.h"

#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include "base/memory.h"
#include "base/scratch.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define IS_CLOSED(byte) (__asan_address_is_poisoned(byte) != 0)
#else
#define IS_CLOSED(byte) ((void)(byte), true)
#endif

typedef struct memory {
    sal_arena   arena;
    sal_scratch scratch;
} memory;

static void open_memory(memory *m, size_t pieces, size_t numbers)
{
    sal_arena_init(&m->arena, NULL);
    EXPECT(sal_scratch_init(&m->scratch, &m->arena, pieces, numbers * sizeof(double)));
}

static void close_memory(memory *m)
{
    sal_scratch_close(&m->scratch);
    sal_arena_free(&m->arena);
}

TEST(pieces_are_aligned_and_do_not_overlap)
{
    memory m;
    open_memory(&m, 3, 3 + 9 + 1);
    double *a = SCRATCH_NEW(&m.scratch, 3, double), *b = SCRATCH_NEW(&m.scratch, 9, double);
    double *c = SCRATCH_NEW(&m.scratch, 1, double);
    EXPECT((uintptr_t)a % 64 == 0 && (uintptr_t)b % 64 == 0 && (uintptr_t)c % 64 == 0);
    EXPECT(a + 3 <= b && b + 9 <= c);
    memset(a, 0, 3 * sizeof *a);
    memset(b, 0, 9 * sizeof *b);
    memset(c, 0, sizeof *c);
    close_memory(&m);
}

TEST(what_is_given_back_is_taken_again)
{
    memory m;
    open_memory(&m, 2, 20);
    double *a = SCRATCH_NEW(&m.scratch, 10, double);
    double *b = SCRATCH_NEW(&m.scratch, 10, double);
    a[9] = 1.0;
    sal_scratch_release(&m.scratch, b);
    EXPECT(SCRATCH_NEW(&m.scratch, 10, double) == b);
    EXPECT(a[9] == 1.0);
    close_memory(&m);
}

TEST(a_full_stack_has_no_more_pieces)
{
    memory m;
    open_memory(&m, 1, 16);
    EXPECT(SCRATCH_NEW(&m.scratch, 1000, double) == NULL);
    EXPECT(SCRATCH_NEW(&m.scratch, 16, double) != NULL);
    EXPECT(SCRATCH_NEW(&m.scratch, 16, double) == NULL);
    close_memory(&m);
}

TEST(what_is_not_in_use_is_poisoned_and_what_is_new_is_not_a_number)
{
    memory m;
    open_memory(&m, 2, 32);
    EXPECT(IS_CLOSED(m.scratch.bytes));
    double *a = SCRATCH_NEW(&m.scratch, 16, double); /* whole cache lines */
    EXPECT(SCRATCH_NEW(&m.scratch, 16, double) != NULL);
#if defined(__SANITIZE_ADDRESS__)
    EXPECT(!IS_CLOSED(a) && !IS_CLOSED(a + 15) && isnan(a[0]) && isnan(a[15]));
#endif
    EXPECT(IS_CLOSED(a + 16));
    sal_scratch_release(&m.scratch, a);
    EXPECT(IS_CLOSED(a));
    close_memory(&m);
}

/* No encoding of the locale "C" has this letter. */
TEST(a_text_that_cannot_be_formatted_fails_the_arena)
{
    static const wchar_t letter[] = {0x3b1, 0};
    sal_arena            arena;
    sal_arena_init(&arena, NULL);
    EXPECT(sal_arena_format(&arena, "%d", 5) && !arena.failed);
    EXPECT(sal_arena_format(&arena, "%ls", letter) == NULL && arena.failed);
    sal_arena_free(&arena);
}

TEST_MAIN(RUN(pieces_are_aligned_and_do_not_overlap), RUN(what_is_given_back_is_taken_again),
          RUN(a_full_stack_has_no_more_pieces),
          RUN(what_is_not_in_use_is_poisoned_and_what_is_new_is_not_a_number),
          RUN(a_text_that_cannot_be_formatted_fails_the_arena))
