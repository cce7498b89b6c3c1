/* Two programs, the second of which reads what the first one computes, as one. */
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

/* The number of the output that has this place, or -1. */
static int output_at(const sal_part *part, int place)
{
    for (int o = 0; o < part->program->outputs; o++)
        if (part->out[o] == place) return o;
    return -1;
}

static void add_first(joining *j, const sal_part *part)
{
    const sal_program *from = part->program;
    for (int i = 0; i < from->inputs; i++) j->place[i] = add_input(j, part, i);
    for (int k = 0; k < from->constants; k++)
        j->place[from->inputs + k] = add_constant(j, from->constant[k]);
    add_instructions(j, from);
    for (int o = 0; o < from->outputs; o++)
        j->program->output[j->program->outputs++] = j->place[from->output[o]];
}

/* False: it reads something of what is stored that the first one does not compute. */
static bool add_second(joining *j, const sal_part *first, int base, const sal_part *part)
{
    const sal_program *from = part->program;
    for (int i = 0; i < from->inputs; i++) {
        const bool computed = part->source[i] == SAL_STATE && part->in[i] >= base;
        const int  o = computed ? output_at(first, part->in[i] - base) : -1;
        if (computed && o < 0) return false;
        j->place[i] = computed ? j->program->output[o] : add_input(j, part, i);
    }
    for (int k = 0; k < from->constants; k++)
        j->place[from->inputs + k] = add_constant(j, from->constant[k]);
    add_instructions(j, from);
    for (int o = 0; o < from->outputs; o++)
        j->program->output[j->program->outputs++] = j->place[from->output[o]];
    return true;
}

/* Slots as they are to be: inputs, constants, results. */
static int final_slot(const joining *j, int slot)
{
    const sal_program *p = j->program;
    if (slot >= j->most) return slot - j->most + p->inputs + p->constants;
    return slot >= 0 ? slot : p->inputs - 1 - slot;
}

static void number_slots(joining *j)
{
    sal_program *p = j->program;
    for (int r = 0; r < p->runs; r++) {
        const int n = sal_op_arguments(p->run[r].op);
        for (int i = p->run[r].first; i < p->run[r].first + p->run[r].count; i++) {
            sal_instruction *x = &p->instruction[i];
            *x =
                (sal_instruction){final_slot(j, x->result), final_slot(j, x->a),
                                  n > 1 ? final_slot(j, x->b) : 0, n > 2 ? final_slot(j, x->c) : 0};
        }
    }
    for (int o = 0; o < p->outputs; o++) p->output[o] = final_slot(j, p->output[o]);
    p->slots = p->inputs + p->constants + p->instructions;
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

bool sal_kernel_join(sal_kernel *kernel, const sal_kernel *first, int base,
                     const sal_kernel *second, sal_arena *arena)
{
    const sal_part *a = first->part, *b = second->part;
    sal_arena       scratch;
    sal_kernel      all = {.parts = 1, .capacity = 1, .part = ARENA_NEW(arena, 1, sal_part)};
    joining         j;
    memset(kernel, 0, sizeof *kernel);
    sal_arena_init(&scratch, &arena->allocator);
    const int      outputs = a->program->outputs + b->program->outputs;
    bool           ok = all.part && start(&j, a->program, b->program, arena, &scratch);
    int           *out = ARENA_NEW(&scratch, outputs, int);
    unsigned char *kept = ARENA_NEW(&scratch, outputs, unsigned char);
    ok = ok && !scratch.failed;
    if (ok) {
        add_first(&j, a);
        ok = add_second(&j, a, base, b);
    }
    if (ok) {
        number_slots(&j);
        memset(kept, 1, (size_t)outputs);
        for (int o = 0; o < outputs; o++) {
            const int own = o - a->program->outputs;
            out[o] = own < 0 ? base + a->out[o] : b->out[own];
        }
        *all.part = (sal_part){.program = j.program,
                               .instances = 1,
                               .source = j.source,
                               .in = j.in,
                               .out = out,
                               .stored = INT_MAX};
        ok = sal_part_plan(all.part, arena) && sal_kernel_subset(kernel, &all, kept, arena);
    }
    if (ok) {
        kernel->part->stated = a->program->outputs;
        kernel->part->few = true;
    }
    sal_arena_free(&scratch);
    return ok;
}
