/* A straight-line program: operations over numbered slots.
 *
 *     slots:  inputs | constants | results
 *
 * Instructions are sorted into runs of one operation, because an interpreter that dispatches once
 * per run is five times faster than one that dispatches once per instruction. */
#ifndef SAL_PROGRAM_PROGRAM_H
#define SAL_PROGRAM_PROGRAM_H

#include "expr/graph.h"

typedef struct sal_program_input {
    int kind, index; /* the leaf */
} sal_program_input;

typedef struct sal_program_run {
    int op, first, count; /* instructions [first, first + count) */
} sal_program_run;

/* The result of the k-th instruction is the slot inputs + constants + k. */
typedef struct sal_instruction {
    int result, a, b, c; /* slots */
} sal_instruction;

typedef struct sal_program {
    int                inputs, constants, slots, outputs, runs, instructions;
    sal_program_input *input;
    double            *constant;
    sal_program_run   *run;
    sal_instruction   *instruction;
    int               *output; /* the slot of each output */
} sal_program;

/* Whether a slot is the result of an instruction. */
static inline bool sal_slot_is_result(const sal_program *program, int slot)
{
    return slot >= program->inputs + program->constants;
}
static inline bool sal_slot_is_constant(const sal_program *program, int slot)
{
    return slot >= program->inputs && !sal_slot_is_result(program, slot);
}
/* The instruction whose result a slot is. */
static inline const sal_instruction *sal_instruction_of(const sal_program *program, int slot)
{
    return &program->instruction[slot - program->inputs - program->constants];
}
/* Writes the slots that the operation `op` reads for its result in this slot; returns how many. */
static inline int sal_slot_arguments(const sal_program *program, int slot, int op, int argument[3])
{
    const sal_instruction *x = sal_instruction_of(program, slot);
    argument[0] = x->a;
    argument[1] = x->b;
    argument[2] = x->c;
    return sal_op_arguments(op);
}

/* Lowers the roots (none null) to a program in the arena, with fused multiply-adds. NULL when out
 * of memory. */
sal_program *sal_lower(sal_arena *arena, sal_graph *graph, const sal_node *roots, int count);

/* Writes the program as text, one line per instruction. */
void sal_program_print(const sal_program *program, void (*write)(void *, const char *),
                       void              *context);

/* Runs the program for a block of lanes: slot s of lane l is slots[s * lanes + l]. The caller has
 * set the inputs; constants are filled in. lanes is 1, SAL_LANES / 2 or SAL_LANES. */
enum { SAL_LANES = 8 };
void sal_interpret(const sal_program *program, int lanes, double *slots);

#endif
