/* The order in which a program is written as C: see schedule.h. */
#include "native/schedule.h"

/* The approximate latency of an operation in clock cycles; only the order of magnitude matters. */
static int latency(int op)
{
    switch (op) {
    case SAL_OP_NEG:
    case SAL_OP_ABS: return 1;
    case SAL_OP_ADD:
    case SAL_OP_SUB:
    case SAL_OP_MUL:
    case SAL_OP_FMA:
    case SAL_OP_FMS:
    case SAL_OP_FNMA:
    case SAL_OP_MIN:
    case SAL_OP_MAX:
    case SAL_OP_SIGN:
    case SAL_OP_SELECT: return 4;
    case SAL_OP_DIV: return 13;
    case SAL_OP_OVER: return 17;
    case SAL_OP_SQRT:
    case SAL_OP_CLAMPED_SQRT: return 20;
    default: return 60;
    }
}

enum { LOADING = 4 }; /* the latency of an input */

/* Instructions on the longest path to the end are written first. But if more than REGISTERS results
 * are live, an instruction that adds another one is delayed by TOO_MANY cycles for each result in
 * excess. Inputs are read just before their first use: they can be operands in memory, which need
 * no register. */
enum { REGISTERS = 10, TOO_MANY = 4 };

typedef struct ordering {
    const sal_program   *program;
    const unsigned char *op;    /* by slot: its operation */
    const int           *piece; /* by slot: its piece */
    long                *start; /* by slot: the latest start, relative to the end (negative) */
    int                 *item, items;
    int                  now;     /* the piece being written */
    int                  live;    /* number of results that have further uses */
    int                 *left;    /* by slot: its remaining uses */
    int                 *waiting; /* by slot: its arguments that are not written yet */
    int                 *first_use, *next_use, *user; /* by slot: list of its users */
    int                 *ready, ready_count;          /* slots with all arguments written */
    unsigned char       *written;                     /* by slot: it is written */
} ordering;

static void need(ordering *o, int slot, long time)
{
    if (time < o->start[slot]) o->start[slot] = time;
}

/* Finds the latest start of each slot, from the last instruction back. Before start[slot] has its
 * final value, it is the time at which the result is needed. */
static void find_starts(ordering *o)
{
    const sal_program *program = o->program;
    for (int k = program->instructions - 1; k >= 0; k--) {
        const sal_instruction *x = &program->instruction[k];
        const int              op = o->op[x->result], n = sal_op_arguments(op);
        const long             start = o->start[x->result] -= latency(op);
        need(o, x->a, start);
        if (n > 1) need(o, x->b, start);
        if (n > 2) need(o, x->c, start);
    }
    for (int i = 0; i < program->inputs; i++) o->start[i] -= LOADING;
}

static int arguments_of(const ordering *o, int slot, int argument[3])
{
    return sal_slot_arguments(o->program, slot, o->op[slot], argument);
}

static void note_uses(ordering *o)
{
    const sal_program *program = o->program;
    int                uses = 0;
    for (int k = 0; k < program->instructions; k++) {
        const int slot = program->instruction[k].result;
        int       argument[3];
        const int n = arguments_of(o, slot, argument);
        for (int i = 0; i < n; i++) {
            o->left[argument[i]]++;
            if (!sal_slot_is_result(program, argument[i])) continue;
            o->waiting[slot]++;
            o->user[++uses] = slot;
            o->next_use[uses] = o->first_use[argument[i]];
            o->first_use[argument[i]] = uses;
        }
    }
}

/* Counts the results of which this instruction is the last use. */
static int last_uses(const ordering *o, int slot)
{
    int       argument[3], count = 0;
    const int n = arguments_of(o, slot, argument);
    for (int i = 0; i < n; i++) {
        int  times = 0;
        bool before = false;
        for (int k = 0; k < n; k++) {
            times += argument[k] == argument[i];
            before = before || (k < i && argument[k] == argument[i]);
        }
        count +=
            !before && sal_slot_is_result(o->program, argument[i]) && o->left[argument[i]] == times;
    }
    return count;
}

/* The time at which a slot should be written: its latest start, or later if it needs a register and
 * none is left. */
static long urgency(const ordering *o, int slot)
{
    const int more = (o->left[slot] > 0) - last_uses(o, slot), over = o->live + more - REGISTERS;
    return o->start[slot] + (more > 0 && over > 0 ? TOO_MANY * over : 0);
}

static int most_urgent(const ordering *o)
{
    int  best = 0;
    long least = urgency(o, o->ready[0]);
    for (int i = 1; i < o->ready_count; i++) {
        const long here = urgency(o, o->ready[i]);
        if (here > least || (here == least && o->ready[i] > o->ready[best])) continue;
        best = i;
        least = here;
    }
    return best;
}

static void write_item(ordering *o, int slot)
{
    if (o->written[slot]) return;
    o->written[slot] = 1;
    o->item[o->items++] = slot;
}

static void write_instruction(ordering *o, int slot)
{
    const sal_program *program = o->program;
    int                argument[3];
    const int          n = arguments_of(o, slot, argument);
    o->live += (o->left[slot] > 0) - last_uses(o, slot);
    for (int i = 0; i < n; i++) {
        o->left[argument[i]]--;
        if (argument[i] < program->inputs) write_item(o, argument[i]);
    }
    write_item(o, slot);
    for (int u = o->first_use[slot]; u; u = o->next_use[u])
        if (--o->waiting[o->user[u]] == 0 && o->piece[o->user[u]] == o->now)
            o->ready[o->ready_count++] = o->user[u];
}

/* Writes the instructions of a piece, beginning with those that need no result of this piece. */
static void write_piece(ordering *o, const int *first, const int *next)
{
    o->live = 0;
    for (int s = first[o->now]; s; s = next[s - 1])
        if (o->waiting[s - 1] == 0) o->ready[o->ready_count++] = s - 1;
    while (o->ready_count > 0) {
        const int best = most_urgent(o), slot = o->ready[best];
        o->ready[best] = o->ready[--o->ready_count];
        write_instruction(o, slot);
    }
}

int sal_schedule(const sal_program *program, const unsigned char *op, const sal_cut *cut,
                 sal_arena *scratch, int *item, int *begin)
{
    const int slots = program->slots, uses = 3 * program->instructions + 1;
    ordering  o = {.program = program,
                   .op = op,
                   .piece = cut->piece,
                   .item = item,
                   .start = ARENA_NEW(scratch, slots, long),
                   .left = ARENA_NEW(scratch, slots, int),
                   .waiting = ARENA_NEW(scratch, slots, int),
                   .first_use = ARENA_NEW(scratch, slots, int),
                   .next_use = ARENA_NEW(scratch, uses, int),
                   .user = ARENA_NEW(scratch, uses, int),
                   .ready = ARENA_NEW(scratch, program->instructions, int),
                   .written = ARENA_NEW(scratch, slots, unsigned char)};
    int      *first = ARENA_NEW(scratch, cut->pieces, int); /* by piece: a list of slots, from 1 */
    int      *next = ARENA_NEW(scratch, slots, int);
    if (scratch->failed) return -1;
    find_starts(&o);
    note_uses(&o);
    for (int k = program->instructions - 1; k >= 0; k--) {
        const int slot = program->instruction[k].result;
        next[slot] = first[cut->piece[slot]];
        first[cut->piece[slot]] = slot + 1;
    }
    for (; o.now < cut->pieces; o.now++) {
        begin[o.now] = o.items;
        write_piece(&o, first, next);
    }
    for (int i = 0; i < program->outputs; i++) /* inputs that are outputs themselves */
        if (program->output[i] < program->inputs) write_item(&o, program->output[i]);
    begin[cut->pieces] = o.items;
    return o.items;
}
