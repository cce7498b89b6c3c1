/* Long straight-line code in pieces: see cut.h. */
#include "native/cut.h"

/* ---- where to cut --------------------------------------------------------------------------- */

typedef struct walk {
    const sal_program   *program;
    const unsigned char *op;
    int                 *depth; /* by slot: operations on the longest path to it */
    unsigned char       *done;  /* by slot: it is listed */
    int                 *stack;
    int                 *list, count;
} walk;

static void find_depths(walk *w)
{
    for (int k = 0; k < w->program->instructions; k++) {
        const int slot = w->program->instruction[k].result;
        int       argument[3], deepest = 0;
        const int n = sal_slot_arguments(w->program, slot, w->op[slot], argument);
        for (int i = 0; i < n; i++)
            if (w->depth[argument[i]] > deepest) deepest = w->depth[argument[i]];
        w->depth[slot] = deepest + 1;
    }
}

/* The argument with the longest path among those that are not listed yet, or -1. */
static int missing_argument(const walk *w, int slot)
{
    int       argument[3], best = -1;
    const int n = sal_slot_arguments(w->program, slot, w->op[slot], argument);
    for (int i = 0; i < n; i++) {
        if (!sal_slot_is_result(w->program, argument[i]) || w->done[argument[i]]) continue;
        if (best < 0 || w->depth[argument[i]] > w->depth[best]) best = argument[i];
    }
    return best;
}

/* Lists a slot after all results that it depends on and that are not listed yet. */
static void list_with_arguments(walk *w, int slot)
{
    int height = 0;
    if (!sal_slot_is_result(w->program, slot) || w->done[slot]) return;
    w->stack[height++] = slot;
    while (height > 0) {
        const int top = w->stack[height - 1], argument = missing_argument(w, top);
        if (argument >= 0) {
            w->stack[height++] = argument;
            continue;
        }
        w->done[top] = 1;
        w->list[w->count++] = top;
        height--;
    }
}

/* Counts, by position in the list, the earlier results that are needed there or later. */
static void count_alive(const walk *w, int *last, int *alive)
{
    for (int i = 0; i < w->count; i++) {
        int       argument[3];
        const int n = sal_slot_arguments(w->program, w->list[i], w->op[w->list[i]], argument);
        for (int k = 0; k < n; k++) last[argument[k]] = i;
    }
    for (int i = 0; i < w->count; i++) {
        if (last[w->list[i]] <= i) continue;
        alive[i + 1]++;
        alive[last[w->list[i]] + 1]--;
    }
    for (int i = 1; i <= w->count; i++) alive[i] += alive[i - 1];
}

/* Returns the position with the fewest live results within a quarter of the length of a piece. */
static int next_cut(const int *alive, int begin)
{
    int best = begin + SAL_CUT_PIECE - SAL_CUT_PIECE / 4;
    for (int i = best; i < begin + SAL_CUT_PIECE + SAL_CUT_PIECE / 4; i++)
        if (alive[i] < alive[best]) best = i;
    return best;
}

/* Lists the instructions output by output, so that few results are live at a time, and cuts the
 * list into pieces. */
static bool cut_list(sal_cut *cut, const sal_program *program, const unsigned char *op,
                     sal_arena *scratch)
{
    const int slots = program->slots, count = program->instructions;
    walk      w = {.program = program,
                   .op = op,
                   .depth = ARENA_NEW(scratch, slots, int),
                   .done = ARENA_NEW(scratch, slots, unsigned char),
                   .stack = ARENA_NEW(scratch, count, int),
                   .list = ARENA_NEW(scratch, count, int)};
    int      *last = ARENA_NEW(scratch, slots, int), *alive = ARENA_NEW(scratch, count + 1, int);
    if (scratch->failed) return false;
    find_depths(&w);
    for (int o = 0; o < program->outputs; o++) list_with_arguments(&w, program->output[o]);
    for (int k = 0; k < count; k++) list_with_arguments(&w, program->instruction[k].result);
    count_alive(&w, last, alive);
    int begin = 0;
    for (int end; begin < count; begin = end, cut->pieces++) {
        end = count - begin <= 3 * SAL_CUT_PIECE / 2 ? count : next_cut(alive, begin);
        for (int i = begin; i < end; i++) cut->piece[w.list[i]] = cut->pieces;
    }
    return true;
}

bool sal_cut_find(sal_cut *cut, const sal_program *program, const unsigned char *op,
                  sal_arena *scratch)
{
    cut->piece = ARENA_NEW(scratch, program->slots, int);
    if (!cut->piece) return false;
    if (program->instructions > SAL_CUT_LONGEST) return cut_list(cut, program, op, scratch);
    cut->pieces = 1;
    return true;
}

/* ---- results in the array ------------------------------------------------------------------- */

/* The last piece that uses each slot. */
static void find_last(const sal_cut *cut, const sal_program *program, const unsigned char *op,
                      const unsigned char *at_end, int *last)
{
    for (int k = 0; k < program->instructions; k++) {
        const int slot = program->instruction[k].result;
        int       argument[3];
        const int n = sal_slot_arguments(program, slot, op[slot], argument);
        for (int i = 0; i < n; i++)
            if (last[argument[i]] < cut->piece[slot]) last[argument[i]] = cut->piece[slot];
    }
    for (int s = 0; s < program->slots; s++)
        if (at_end[s]) last[s] = cut->pieces - 1;
}

/* Lists of slots by piece; slots are counted from 1. */
typedef struct by_piece {
    int *first, *next;
} by_piece;

static void enter(by_piece *b, int piece, int slot)
{
    b->next[slot] = b->first[piece];
    b->first[piece] = slot + 1;
}

bool sal_cut_keep(sal_cut *cut, const sal_program *program, const unsigned char *op,
                  const unsigned char *at_end, sal_arena *scratch)
{
    const int slots = program->slots;
    int      *last = ARENA_NEW(scratch, slots, int);
    int      *unused = ARENA_NEW(scratch, slots, int), count = 0;
    by_piece  made = {ARENA_NEW(scratch, cut->pieces, int), ARENA_NEW(scratch, slots, int)};
    by_piece  over = {ARENA_NEW(scratch, cut->pieces, int), ARENA_NEW(scratch, slots, int)};
    cut->place = ARENA_NEW(scratch, slots, int);
    if (scratch->failed) return false;
    find_last(cut, program, op, at_end, last);
    for (int s = slots - 1; s >= 0; s--) {
        cut->place[s] = -1;
        if (!sal_slot_is_result(program, s) || last[s] <= cut->piece[s]) continue;
        enter(&made, cut->piece[s], s);
        enter(&over, last[s], s);
    }
    for (int p = 0; p < cut->pieces; p++) {
        for (int s = made.first[p]; s; s = made.next[s - 1])
            cut->place[s - 1] = count > 0 ? unused[--count] : cut->places++;
        for (int s = over.first[p]; s; s = over.next[s - 1]) unused[count++] = cut->place[s - 1];
    }
    return true;
}
