/* Kernels that compute some outputs of another kernel, with identical digits. */
#include "program/kernel.h"

#include <string.h>

static void need(const sal_program *program, unsigned char *live, int slot)
{
    if (sal_slot_is_result(program, slot)) live[slot] = 1;
}

/* Marks the results that live results depend on. */
static void spread(const sal_program *program, unsigned char *live)
{
    for (int r = program->runs - 1; r >= 0; r--) {
        const sal_program_run *run = &program->run[r];
        const int              n = sal_op_arguments(run->op);
        for (int i = run->first + run->count - 1; i >= run->first; i--) {
            const sal_instruction *x = &program->instruction[i];
            if (!live[x->result]) continue;
            need(program, live, x->a);
            if (n > 1) need(program, live, x->b);
            if (n > 2) need(program, live, x->c);
        }
    }
}

/* Copies the live instructions in their order; place: by slot of `from`, its slot in `to`. */
static void copy_live(const sal_program *from, const unsigned char *live, int *place,
                      sal_program *to)
{
    const int first = from->inputs + from->constants;
    for (int s = 0; s < first; s++) place[s] = s;
    to->slots = first;
    for (int r = 0; r < from->runs; r++) {
        const sal_program_run *run = &from->run[r];
        sal_program_run        kept = {run->op, to->instructions, 0};
        const int              n = sal_op_arguments(run->op);
        for (int i = run->first; i < run->first + run->count; i++) {
            const sal_instruction *x = &from->instruction[i];
            if (!live[x->result]) continue;
            place[x->result] = to->slots++;
            to->instruction[to->instructions++] = (sal_instruction){
                place[x->result], place[x->a], n > 1 ? place[x->b] : 0, n > 2 ? place[x->c] : 0};
            kept.count++;
        }
        if (kept.count > 0) to->run[to->runs++] = kept;
    }
}

static sal_program *program_subset(const sal_program *from, const unsigned char *wanted, int count,
                                   sal_arena *arena)
{
    sal_program *to = ARENA_NEW(arena, 1, sal_program);
    if (!to) return NULL;
    *to = (sal_program){.inputs = from->inputs,
                        .constants = from->constants,
                        .input = from->input,
                        .constant = from->constant,
                        .run = ARENA_NEW(arena, from->runs, sal_program_run),
                        .instruction = ARENA_NEW(arena, from->instructions, sal_instruction),
                        .output = ARENA_NEW(arena, count, int)};
    WORK_ARENA(scratch, &arena->allocator);
    unsigned char *live = ARENA_NEW(&scratch, from->slots, unsigned char);
    int           *place = ARENA_NEW(&scratch, from->slots, int);
    if (scratch.failed) arena->failed = true;
    if (arena->failed) return NULL;
    for (int o = 0; o < from->outputs; o++)
        if (wanted[o]) need(from, live, from->output[o]);
    spread(from, live);
    copy_live(from, live, place, to);
    for (int o = 0; o < from->outputs; o++)
        if (wanted[o]) to->output[to->outputs++] = place[from->output[o]];
    return to;
}

/* Returns a kernel with this part only, which has one instance. */
static sal_kernel kernel_of(sal_part *part)
{
    return (sal_kernel){.parts = 1,
                        .capacity = 1,
                        .part = part,
                        .slots = part->program->slots,
                        .instructions = part->program->instructions};
}

bool sal_kernel_subset(sal_kernel *kernel, const sal_kernel *from, const unsigned char *wanted,
                       sal_arena *arena)
{
    const sal_part *all = from->part;
    int             count = 0, *out;
    memset(kernel, 0, sizeof *kernel);
    for (int o = 0; o < all->program->outputs; o++) count += wanted[o] != 0;
    sal_part *part = ARENA_NEW(arena, 1, sal_part);
    out = ARENA_NEW(arena, count, int);
    sal_program *program = program_subset(all->program, wanted, count, arena);
    if (arena->failed || !program) return false;
    count = 0;
    for (int o = 0; o < all->program->outputs; o++)
        if (wanted[o]) out[count++] = all->out[o];
    *part = *all;
    part->program = program;
    part->out = out;
    *kernel = kernel_of(part);
    return true;
}

bool sal_kernel_view(sal_kernel *kernel, const sal_kernel *from, int first, int count,
                     const int *place, sal_arena *arena)
{
    const sal_part *whole = from->part;
    sal_program    *program = ARENA_NEW(arena, 1, sal_program);
    sal_part       *part = ARENA_NEW(arena, 1, sal_part);
    if (arena->failed) return false;
    *program = *whole->program;
    program->output += first;
    program->outputs = count;
    *part = *whole;
    part->program = program;
    part->out = place ? place : whole->out + first;
    part->out_step += first;
    part->summed += first;
    *kernel = kernel_of(part);
    kernel->view = true;
    return true;
}
