/* Two programs, the second of which reads what the first one has kept of what both compute
 * (sal_kernel_share). To find it, both are written into one, in which it is there once. */
#include "program/kernel.h"

#include <limits.h>
#include <string.h>

/* A program that grows. */
typedef struct joining {
    sal_program   *program;
    unsigned char *op;     /* by instruction */
    unsigned char *source; /* by input */
    int           *in;     /* place, by input */
    int            most;   /* inputs and constants there may be */
    int           *place;  /* by slot of the program that is added: where it is now */
    int           *table;  /* instructions by what they do, from 1 on; 0: nothing there */
    unsigned       mask;   /* of its size, a power of two */
} joining;

/* Inputs and constants come before results, and their number is not known yet: they are numbered
 * from 0 on, results from `most` on. */
static int add_input(joining *j, const sal_part *part, int i)
{
    sal_program *p = j->program;
    const int    source = part->source[i], in = part->in[i];
    for (int k = 0; k < p->inputs; k++)
        if (j->source[k] == source && j->in[k] == in) return k;
    p->input[p->inputs] = part->program->input[i];
    j->source[p->inputs] = (unsigned char)source;
    j->in[p->inputs] = in;
    return p->inputs++;
}

static int add_constant(joining *j, double value)
{
    sal_program *p = j->program;
    for (int k = 0; k < p->constants; k++)
        if (memcmp(&p->constant[k], &value, sizeof value) == 0) return -1 - k;
    p->constant[p->constants] = value;
    return -1 - p->constants++;
}

/* Where an instruction is in the table, or should be. */
static unsigned find(const joining *j, int op, sal_instruction x)
{
    unsigned at = ((unsigned)op * 31u + (unsigned)x.a) * 2654435761u;
    at = (at ^ (unsigned)x.b) * 2654435761u;
    at = (at ^ (unsigned)x.c) * 2654435761u;
    for (at = (at >> 8) & j->mask; j->table[at]; at = (at + 1) & j->mask) {
        const int              k = j->table[at] - 1;
        const sal_instruction *other = &j->program->instruction[k];
        if (j->op[k] == op && other->a == x.a && other->b == x.b && other->c == x.c) break;
    }
    return at;
}

/* The result of an instruction that is there already, or its own. */
static int add_instruction(joining *j, int op, sal_instruction x)
{
    sal_program   *p = j->program;
    const unsigned at = find(j, op, x);
    if (j->table[at]) return p->instruction[j->table[at] - 1].result;
    if (p->runs == 0 || p->run[p->runs - 1].op != op)
        p->run[p->runs++] = (sal_program_run){op, p->instructions, 0};
    p->run[p->runs - 1].count++;
    j->op[p->instructions] = (unsigned char)op;
    x.result = j->most + p->instructions;
    p->instruction[p->instructions++] = x;
    j->table[at] = p->instructions;
    return x.result;
}

static void add_instructions(joining *j, const sal_program *from)
{
    for (int r = 0; r < from->runs; r++) {
        const int op = from->run[r].op, n = sal_op_arguments(op);
        for (int i = 0; i < from->run[r].count; i++) {
            const sal_instruction *x = &from->instruction[from->run[r].first + i];
            const sal_instruction  here = {0, j->place[x->a], n > 1 ? j->place[x->b] : 0,
                                          n > 2 ? j->place[x->c] : 0};
            j->place[x->result] = add_instruction(j, op, here);
        }
    }
}

/* A program whose inputs have their places: what follows from them. */
static void add_rest(joining *j, const sal_program *from)
{
    for (int k = 0; k < from->constants; k++)
        j->place[from->inputs + k] = add_constant(j, from->constant[k]);
    add_instructions(j, from);
    for (int o = 0; o < from->outputs; o++)
        j->program->output[j->program->outputs++] = j->place[from->output[o]];
}

static void add_program(joining *j, const sal_part *part)
{
    for (int i = 0; i < part->program->inputs; i++) j->place[i] = add_input(j, part, i);
    add_rest(j, part->program);
}

static bool start(joining *j, const sal_program *a, const sal_program *b, sal_arena *arena,
                  sal_arena *scratch)
{
    const int    inputs = a->inputs + b->inputs, constants = a->constants + b->constants;
    const int    instructions = a->instructions + b->instructions;
    unsigned     size = 16;
    sal_program *p = ARENA_NEW(arena, 1, sal_program);
    if (!p) return false;
    *p = (sal_program){.input = ARENA_NEW(arena, inputs, sal_program_input),
                       .constant = ARENA_NEW(arena, constants, double),
                       .run = ARENA_NEW(arena, a->runs + b->runs + 1, sal_program_run),
                       .instruction = ARENA_NEW(arena, instructions, sal_instruction),
                       .output = ARENA_NEW(arena, a->outputs + b->outputs, int)};
    while (size < 2 * (unsigned)instructions) size *= 2;
    *j = (joining){.program = p,
                   .table = ARENA_NEW(scratch, size, int),
                   .mask = size - 1,
                   .op = ARENA_NEW(scratch, instructions, unsigned char),
                   .source = ARENA_NEW(arena, inputs, unsigned char),
                   .in = ARENA_NEW(arena, inputs, int),
                   .most = inputs + constants,
                   .place = ARENA_NEW(scratch, a->slots > b->slots ? a->slots : b->slots, int)};
    return !arena->failed && !scratch->failed;
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

/* The slot of the first program that has a value of the joined one, or -1. */
static int first_slot(const joining *j, const sal_program *first, int place)
{
    if (place >= j->most) {
        const int i = place - j->most;
        return i < first->instructions ? first->inputs + first->constants + i : -1;
    }
    if (place >= 0) return place < first->inputs ? place : -1;
    return -1 - place < first->constants ? first->inputs - 1 - place : -1;
}

/* Finds what both compute: it is there once where the programs are joined. */
static bool find_same(sharing *s, sal_arena *scratch)
{
    const sal_program *first = s->first->program, *second = s->second->program;
    joining            j;
    s->same = ARENA_NEW(scratch, second->slots, int);
    s->wanted = ARENA_NEW(scratch, second->slots, unsigned char);
    s->effort = ARENA_NEW(scratch, second->slots, int);
    s->kept = ARENA_NEW(scratch, second->slots, int);
    if (!start(&j, first, second, scratch, scratch)) return false;
    add_program(&j, s->first);
    add_program(&j, s->second);
    for (int slot = 0; slot < second->slots; slot++)
        s->same[slot] = first_slot(&j, first, j.place[slot]);
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
    bool ok = find_same(&s, &scratch);
    if (ok) {
        for (int cheap = CHEAP; choose(&s, cheap) > limit;) cheap *= 2;
        ok = s.count == 0 || (add_outputs(&s, place, complete, arena) &&
                              read_inputs(&s, base, place, second, arena));
    }
    if (!ok) arena->failed = true;
    return ok ? s.count : 0;
}
