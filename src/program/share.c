/* Two programs, the second of which reads what the first one has kept of what both compute. */
#include "program/kernel.h"

#include <string.h>

/* ---- what both compute ---------------------------------------------------------------------- */

/* The instructions of a program, found by what they do. */
typedef struct lookup {
    const sal_instruction **table; /* NULL: nothing there */
    const unsigned char    *op;    /* by slot of the result */
    unsigned                mask;  /* of its size, a power of two */
} lookup;

/* Where an instruction is in the table, or should be; arguments that it has not are zero. */
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

/* By slot of the second program: the slot of the first with its value, or -1. */
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

/* ---- what the first one keeps --------------------------------------------------------------- */

/* Two programs, the second of which runs later at the same state. */
typedef struct sharing {
    const sal_part *first, *second;
    int            *same;   /* by slot of the second: the slot of the first with its value, or -1 */
    unsigned char  *wanted; /* by slot of the second: something reads it that the first has not */
    int            *effort; /* by slot of the second: what computing it again costs */
    int            *kept;   /* by slot of the second: its number among those that are read, or -1 */
    int             count;  /* of those that are read */
} sharing;

/* Sums and products that cost less than writing a number and reading it again; divisions, roots and
 * functions, compared with them; and the most that is counted. */
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

static bool start(sharing *s, sal_arena *scratch)
{
    const sal_program *second = s->second->program;
    s->same = ARENA_NEW(scratch, second->slots, int);
    s->wanted = ARENA_NEW(scratch, second->slots, unsigned char);
    s->effort = ARENA_NEW(scratch, second->slots, int);
    s->kept = ARENA_NEW(scratch, second->slots, int);
    if (scratch->failed || !find_same(s->first, s->second, s->same, scratch)) return false;
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

/* Chooses what is read: results of the first program that something else needs, unless computing
 * them again from what is read costs so little. */
static int choose(sharing *s, int cheap)
{
    const sal_program *p = s->second->program;
    s->count = 0;
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
            if (s->wanted[x->result] && effort > cheap) s->kept[x->result] = s->count++;
        }
    }
    return s->count;
}

/* The first one, with more outputs. */
static bool add_outputs(const sharing *s, int place, sal_kernel *complete, sal_arena *arena)
{
    const sal_program *from = s->first->program, *second = s->second->program;
    const int          count = from->outputs + s->count;
    sal_program       *program = ARENA_NEW(arena, 1, sal_program);
    sal_part          *part = ARENA_NEW(arena, 1, sal_part);
    int               *output = ARENA_NEW(arena, count, int), *out = ARENA_NEW(arena, count, int);
    if (arena->failed) return false;
    memcpy(output, from->output, (size_t)from->outputs * sizeof *output);
    memcpy(out, s->first->out, (size_t)from->outputs * sizeof *out);
    for (int slot = 0; slot < second->slots; slot++) {
        if (s->kept[slot] < 0) continue;
        output[from->outputs + s->kept[slot]] = s->same[slot];
        out[from->outputs + s->kept[slot]] = place + s->kept[slot];
    }
    *program = *from;
    program->output = output;
    program->outputs = count;
    *part = *s->first;
    part->program = program;
    part->out = out;
    complete->part = part;
    return sal_part_plan(part, arena);
}

/* Inputs that are read come after the others; what is computed moves on by as many. */
static int moved(const sharing *s, int slot)
{
    const int inputs = s->second->program->inputs;
    if (slot < inputs) return slot;
    return s->kept[slot] >= 0 ? inputs + s->kept[slot] : slot + s->count;
}

static sal_program *program_with_inputs(const sharing *s, int place, sal_arena *arena)
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
    for (int i = 0; i < s->count; i++) /* outputs of the first one begin with a */
        p->input[from->inputs + i] = (sal_program_input){SAL_LEAF_A, place + i};
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

/* The second one, which reads what is kept, without the instructions that it needs no longer. */
static bool read_inputs(const sharing *s, int base, int place, sal_kernel *second, sal_arena *arena)
{
    const int      own = s->second->program->inputs, inputs = own + s->count;
    sal_part      *part = ARENA_NEW(arena, 1, sal_part);
    sal_kernel     whole = *second;
    unsigned char *source = ARENA_NEW(arena, inputs, unsigned char), *all;
    int           *in = ARENA_NEW(arena, inputs, int);
    sal_program   *program = program_with_inputs(s, place, arena);
    if (arena->failed) return false;
    memcpy(source, s->second->source, (size_t)own);
    memcpy(in, s->second->in, (size_t)own * sizeof *in);
    for (int i = 0; i < s->count; i++) {
        source[own + i] = SAL_STATE;
        in[own + i] = base + place + i;
    }
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

int sal_kernel_share(sal_kernel *complete, const sal_kernel *first, sal_kernel *second, int base,
                     int place, int limit, sal_arena *arena)
{
    sharing s = {.first = first->part, .second = second->part};
    *complete = *first;
    WORK_ARENA(scratch, &arena->allocator);
    bool ok = start(&s, &scratch);
    if (ok) {
        for (int cheap = CHEAP; choose(&s, cheap) > limit;) cheap *= 2;
        ok = s.count == 0 || (add_outputs(&s, place, complete, arena) &&
                              read_inputs(&s, base, place, second, arena));
    }
    if (!ok) arena->failed = true;
    return ok ? s.count : 0;
}
