/* Lets one kernel read intermediate results of another: see sal_kernel_share in kernel.h. */
#include "program/kernel.h"

#include <string.h>

/* ---- common results ------------------------------------------------------------------------- */

/* A hash table of the instructions of a program, by operation and arguments. */
typedef struct lookup {
    const sal_instruction **table; /* NULL: nothing there */
    const unsigned char    *op;    /* by slot of the result */
    unsigned                mask;  /* size of the table, a power of two, minus 1 */
} lookup;

/* Returns the place of an instruction in the table, or the free place for it. Unused arguments are
 * zero. */
static unsigned find(const lookup *t, int op, int a, int b, int c)
{
    unsigned at = ((unsigned)op * 31u + (unsigned)a) * 2654435761u;
    at = (at ^ (unsigned)b) * 2654435761u;
    at = (at ^ (unsigned)c) * 2654435761u;
    for (at = (at >> 8) & t->mask; t->table[at]; at = (at + 1) & t->mask) {
        const sal_instruction *x = t->table[at];
        const int              n = sal_op_arguments(op);
        if (t->op[x->result] == op && x->a == a && (n < 2 || x->b == b) && (n < 3 || x->c == c))
            break;
    }
    return at;
}

static bool make_lookup(lookup *t, const sal_program *p, sal_arena *scratch)
{
    unsigned size = 16;
    while (size < 2 * (unsigned)p->instructions) size *= 2;
    unsigned char *op = ARENA_NEW(scratch, p->slots, unsigned char);
    *t = (lookup){ARENA_NEW(scratch, size, const sal_instruction *), op, size - 1};
    if (scratch->failed) return false;
    for (int r = 0; r < p->runs; r++)
        for (int i = p->run[r].first; i < p->run[r].first + p->run[r].count; i++) {
            const sal_instruction *x = &p->instruction[i];
            const int              n = sal_op_arguments(p->run[r].op);
            op[x->result] = (unsigned char)p->run[r].op;
            t->table[find(t, p->run[r].op, x->a, n > 1 ? x->b : 0, n > 2 ? x->c : 0)] = x;
        }
    return true;
}

static int same_input(const sal_part *first, int source, int place)
{
    for (int i = 0; i < first->program->inputs; i++)
        if (first->source[i] == source && first->in[i] == place) return i;
    return -1;
}

static int same_constant(const sal_program *first, double value)
{
    for (int k = 0; k < first->constants; k++)
        if (memcmp(&first->constant[k], &value, sizeof value) == 0) return first->inputs + k;
    return -1;
}

/* Finds for each slot of the second program the slot of the first one that has the same value, or
 * -1. */
static bool find_same(const sal_part *first, const sal_part *second, int *same, sal_arena *scratch)
{
    const sal_program *p = second->program;
    lookup             t;
    if (!make_lookup(&t, first->program, scratch)) return false;
    for (int i = 0; i < p->inputs; i++)
        same[i] = same_input(first, second->source[i], second->in[i]);
    for (int k = 0; k < p->constants; k++)
        same[p->inputs + k] = same_constant(first->program, p->constant[k]);
    for (int r = 0; r < p->runs; r++) {
        const int op = p->run[r].op, n = sal_op_arguments(op);
        for (int i = p->run[r].first; i < p->run[r].first + p->run[r].count; i++) {
            const sal_instruction *x = &p->instruction[i];
            const int a = same[x->a], b = n > 1 ? same[x->b] : 0, c = n > 2 ? same[x->c] : 0;
            const sal_instruction *found =
                a < 0 || b < 0 || c < 0 ? NULL : t.table[find(&t, op, a, b, c)];
            same[x->result] = found ? found->result : -1;
        }
    }
    return true;
}

/* ---- choosing results ----------------------------------------------------------------------- */

/* Two programs, the second of which runs after the first at the same state. */
typedef struct sharing {
    const sal_part *first, *second;
    int            *same;   /* by slot of second: the slot of first with the same value, or -1 */
    unsigned char  *wanted; /* by slot of second: read by an output or by a result not in first */
    int            *effort; /* by slot of second: the cost of computing it again */
    int            *place;  /* by slot of second: the place where first outputs the value, or -1 */
    int            *kept;   /* by slot of second: its number among the results to be read, or -1 */
    int             count;  /* number of results to be read */
    int             added;  /* number of results to be read that first did not output before */
} sharing;

/* Costs in units of one sum or product: CHEAP is that of writing a number and reading it again,
 * COSTLY that of a division, root or function. Costs above MAX_EFFORT are not distinguished. */
enum { CHEAP = 2, COSTLY = 20, MAX_EFFORT = 1 << 20 };

static int effort_of(int op)
{
    switch (op) {
    case SAL_OP_NEG:
    case SAL_OP_ADD:
    case SAL_OP_SUB:
    case SAL_OP_MUL:
    case SAL_OP_FMA:
    case SAL_OP_FMS:
    case SAL_OP_FNMA: return 1;
    default: return COSTLY;
    }
}

/* The place of the output of a part that is in this slot, or -1. */
static int place_of(const sal_part *part, int slot)
{
    for (int o = 0; slot >= 0 && o < part->program->outputs; o++)
        if (part->program->output[o] == slot) return part->out[o];
    return -1;
}

static bool start(sharing *s, sal_arena *scratch)
{
    const sal_program *second = s->second->program;
    s->same = ARENA_NEW(scratch, second->slots, int);
    s->wanted = ARENA_NEW(scratch, second->slots, unsigned char);
    s->effort = ARENA_NEW(scratch, second->slots, int);
    s->kept = ARENA_NEW(scratch, second->slots, int);
    s->place = ARENA_NEW(scratch, second->slots, int);
    if (scratch->failed || !find_same(s->first, s->second, s->same, scratch)) return false;
    for (int slot = 0; slot < second->slots; slot++)
        s->place[slot] = place_of(s->first, s->same[slot]);
    for (int r = 0; r < second->runs; r++)
        for (int i = second->run[r].first; i < second->run[r].first + second->run[r].count; i++) {
            const sal_instruction *x = &second->instruction[i];
            const int              slot[3] = {x->a, x->b, x->c};
            for (int k = 0; k < sal_op_arguments(second->run[r].op); k++)
                if (s->same[x->result] < 0) s->wanted[slot[k]] = 1;
        }
    for (int o = 0; o < second->outputs; o++) s->wanted[second->output[o]] = 1;
    return true;
}

/* Chooses the results to be read: results of the first program that the second one needs, unless
 * computing them again is cheap. A result that the first program does not output yet must cost more
 * than `worth`. Returns the number of such results. */
static int choose(sharing *s, int worth)
{
    const sal_program *p = s->second->program;
    s->count = s->added = 0;
    for (int slot = 0; slot < p->slots; slot++) s->kept[slot] = -1;
    for (int r = 0; r < p->runs; r++) {
        const int op = p->run[r].op, n = sal_op_arguments(op);
        for (int i = p->run[r].first; i < p->run[r].first + p->run[r].count; i++) {
            const sal_instruction *x = &p->instruction[i];
            const int              slot[3] = {x->a, x->b, x->c};
            int                    effort = effort_of(op);
            if (s->same[x->result] < 0) continue;
            for (int k = 0; k < n; k++)
                if (s->kept[slot[k]] < 0) effort += s->effort[slot[k]];
            s->effort[x->result] = effort < MAX_EFFORT ? effort : MAX_EFFORT;
            const bool is_new = s->place[x->result] < 0;
            if (!s->wanted[x->result] || effort <= (is_new ? worth : CHEAP)) continue;
            s->kept[x->result] = s->count++;
            s->added += is_new;
        }
    }
    return s->added;
}

/* Adds the outputs to the first program, at places from `place` on. */
static bool add_outputs(sharing *s, int place, sal_kernel *first, sal_arena *arena)
{
    const sal_program *from = s->first->program, *second = s->second->program;
    const int          count = from->outputs + s->added;
    int                next = from->outputs;
    sal_program       *program = ARENA_NEW(arena, 1, sal_program);
    sal_part          *part = ARENA_NEW(arena, 1, sal_part);
    int               *output = ARENA_NEW(arena, count, int), *out = ARENA_NEW(arena, count, int);
    if (arena->failed) return false;
    memcpy(output, from->output, (size_t)from->outputs * sizeof *output);
    memcpy(out, s->first->out, (size_t)from->outputs * sizeof *out);
    for (int slot = 0; slot < second->slots; slot++) {
        if (s->kept[slot] < 0 || s->place[slot] >= 0) continue;
        output[next] = s->same[slot];
        s->place[slot] = out[next++] = place++;
    }
    *program = *from;
    program->output = output;
    program->outputs = count;
    *part = *s->first;
    part->program = program;
    part->out = out;
    first->part = part;
    return sal_part_plan(part, arena);
}

/* Returns the new number of a slot of the second program. Results to be read become inputs after
 * the others, which shifts all further slots. */
static int moved(const sharing *s, int slot)
{
    const int inputs = s->second->program->inputs;
    if (slot < inputs) return slot;
    return s->kept[slot] >= 0 ? inputs + s->kept[slot] : slot + s->count;
}

static sal_program *program_with_inputs(const sharing *s, sal_arena *arena)
{
    const sal_program *from = s->second->program;
    sal_program       *p = ARENA_NEW(arena, 1, sal_program);
    if (!p) return NULL;
    *p = *from;
    p->inputs += s->count;
    p->slots += s->count;
    p->input = ARENA_NEW(arena, p->inputs, sal_program_input);
    p->instruction = ARENA_NEW(arena, from->instructions, sal_instruction);
    p->output = ARENA_NEW(arena, from->outputs, int);
    if (arena->failed) return NULL;
    memcpy(p->input, from->input, (size_t)from->inputs * sizeof *p->input);
    for (int slot = 0; slot < from->slots; slot++)
        if (s->kept[slot] >= 0) /* places of outputs are counted from a */
            p->input[from->inputs + s->kept[slot]] =
                (sal_program_input){SAL_LEAF_A, s->place[slot]};
    for (int r = 0; r < from->runs; r++)
        for (int i = from->run[r].first; i < from->run[r].first + from->run[r].count; i++) {
            const sal_instruction *x = &from->instruction[i];
            const int              n = sal_op_arguments(from->run[r].op);
            p->instruction[i] =
                (sal_instruction){x->result + s->count, moved(s, x->a), n > 1 ? moved(s, x->b) : 0,
                                  n > 2 ? moved(s, x->c) : 0};
        }
    for (int o = 0; o < from->outputs; o++) p->output[o] = moved(s, from->output[o]);
    return p;
}

/* Makes the second program read what is kept, without the instructions that it no longer needs. */
static bool read_inputs(const sharing *s, int base, sal_kernel *second, sal_arena *arena)
{
    const int      own = s->second->program->inputs, inputs = own + s->count;
    sal_part      *part = ARENA_NEW(arena, 1, sal_part);
    sal_kernel     whole = *second;
    unsigned char *source = ARENA_NEW(arena, inputs, unsigned char), *all;
    int           *in = ARENA_NEW(arena, inputs, int);
    sal_program   *program = program_with_inputs(s, arena);
    if (arena->failed) return false;
    memcpy(source, s->second->source, (size_t)own);
    memcpy(in, s->second->in, (size_t)own * sizeof *in);
    memset(source + own, SAL_STATE, (size_t)s->count);
    for (int slot = 0; slot < s->second->program->slots; slot++)
        if (s->kept[slot] >= 0) in[own + s->kept[slot]] = base + s->place[slot];
    *part = *s->second;
    part->program = program;
    part->source = source;
    part->in = in;
    whole.part = part;
    all = ARENA_NEW(arena, program->outputs, unsigned char);
    if (!all) return false;
    memset(all, 1, (size_t)program->outputs);
    return sal_part_plan(part, arena) && sal_kernel_subset(second, &whole, all, arena);
}

int sal_kernel_share(sal_kernel *first, sal_kernel *second, int base, int place, int limit,
                     sal_arena *arena)
{
    sharing s = {.first = first->part, .second = second->part};
    WORK_ARENA(scratch, &arena->allocator);
    bool ok = start(&s, &scratch);
    if (ok) {
        for (int worth = CHEAP; choose(&s, worth) > limit;) worth *= 2;
        ok = s.count == 0 ||
             (add_outputs(&s, place, first, arena) && read_inputs(&s, base, second, arena));
    }
    if (!ok) arena->failed = true;
    return ok ? s.added : 0;
}
