/* What one program computes and another one computes again: read instead. */
#include <string.h>

#include "program/kernel.h"

/* Two programs, the second of which runs later at the same state. */
typedef struct sharing {
    const sal_part *first, *second;
    unsigned char  *op;   /* by instruction of the first program */
    int            *head; /* by hash: an instruction of the first program, from 1 on */
    int            *next; /* by instruction: another one with the same hash */
    unsigned        mask;
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

static unsigned hash(int op, int a, int b, int c)
{
    unsigned at = ((unsigned)op * 31u + (unsigned)a) * 2654435761u;
    at = (at ^ (unsigned)b) * 2654435761u;
    at = (at ^ (unsigned)c) * 2654435761u;
    return at >> 8;
}

/* An instruction with zeros for the arguments that it has not. */
static sal_instruction plain(sal_instruction x, int op)
{
    const int n = sal_op_arguments(op);
    return (sal_instruction){x.result, x.a, n > 1 ? x.b : 0, n > 2 ? x.c : 0};
}

static bool start(sharing *s, sal_arena *scratch)
{
    const sal_program *first = s->first->program;
    const size_t       slots = (size_t)s->second->program->slots;
    unsigned           size = 16;
    while (size < 2 * (unsigned)first->instructions) size *= 2;
    s->mask = size - 1;
    s->head = ARENA_NEW(scratch, size, int);
    s->next = ARENA_NEW(scratch, first->instructions, int);
    s->op = ARENA_NEW(scratch, first->instructions, unsigned char);
    s->same = ARENA_NEW(scratch, slots, int);
    s->wanted = ARENA_NEW(scratch, slots, unsigned char);
    s->effort = ARENA_NEW(scratch, slots, int);
    s->kept = ARENA_NEW(scratch, slots, int);
    return !scratch->failed;
}

/* ---- what is the same ------------------------------------------------------------------------ */

static void list_first(sharing *s)
{
    const sal_program *p = s->first->program;
    for (int r = 0; r < p->runs; r++)
        for (int i = p->run[r].first; i < p->run[r].first + p->run[r].count; i++) {
            const sal_instruction x = plain(p->instruction[i], p->run[r].op);
            int                  *head = &s->head[hash(p->run[r].op, x.a, x.b, x.c) & s->mask];
            s->op[i] = (unsigned char)p->run[r].op;
            s->next[i] = *head;
            *head = i + 1;
        }
}

/* The slot of the first program with the result of an operation on its slots, or -1. */
static int find(const sharing *s, int op, sal_instruction x)
{
    for (int i = s->head[hash(op, x.a, x.b, x.c) & s->mask]; i > 0; i = s->next[i - 1]) {
        const sal_instruction y = plain(s->first->program->instruction[i - 1], op);
        if (s->op[i - 1] == op && y.a == x.a && y.b == x.b && y.c == x.c) return y.result;
    }
    return -1;
}

static void match_inputs(sharing *s)
{
    const sal_program *a = s->first->program, *b = s->second->program;
    for (int i = 0; i < b->inputs; i++) {
        s->same[i] = -1;
        for (int k = 0; k < a->inputs; k++)
            if (s->second->source[i] == s->first->source[k] && s->second->in[i] == s->first->in[k])
                s->same[i] = k;
    }
    for (int i = 0; i < b->constants; i++) {
        s->same[b->inputs + i] = -1;
        for (int k = 0; k < a->constants; k++)
            if (memcmp(&b->constant[i], &a->constant[k], sizeof(double)) == 0)
                s->same[b->inputs + i] = a->inputs + k;
    }
}

static void match_instruction(sharing *s, int op, const sal_instruction *x)
{
    const int n = sal_op_arguments(op), slot[3] = {x->a, x->b, x->c};
    int       here[3] = {0, 0, 0};
    bool      known = true;
    for (int k = 0; k < n; k++) {
        here[k] = s->same[slot[k]];
        known = known && here[k] >= 0;
    }
    s->same[x->result] = known ? find(s, op, (sal_instruction){0, here[0], here[1], here[2]}) : -1;
    for (int k = 0; k < n; k++)
        if (s->same[x->result] < 0) s->wanted[slot[k]] = 1;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

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

/* ---- the programs ---------------------------------------------------------------------------- */

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
            const sal_instruction x = plain(from->instruction[i], from->run[r].op);
            p->instruction[i] =
                (sal_instruction){x.result + s->count, moved(s, x.a), moved(s, x.b), moved(s, x.c)};
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
    sharing            s = {.first = first->part, .second = second->part};
    const sal_program *p = second->part->program;
    sal_arena          scratch;
    *complete = *first;
    sal_arena_init(&scratch, &arena->allocator);
    bool ok = start(&s, &scratch);
    if (ok) {
        list_first(&s);
        match_inputs(&s);
        for (int r = 0; r < p->runs; r++)
            for (int i = 0; i < p->run[r].count; i++)
                match_instruction(&s, p->run[r].op, &p->instruction[p->run[r].first + i]);
        for (int o = 0; o < p->outputs; o++) s.wanted[p->output[o]] = 1;
        for (int cheap = CHEAP; choose(&s, cheap) > limit;) cheap *= 2;
        ok = s.count == 0 || (add_outputs(&s, place, complete, arena) &&
                              read_inputs(&s, base, place, second, arena));
    }
    sal_arena_free(&scratch);
    if (!ok) arena->failed = true;
    return ok ? s.count : 0;
}
