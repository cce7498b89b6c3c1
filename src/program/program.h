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

/* Results are in the order of the instructions: that of the k-th is the slot inputs + constants +
 * k. */
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

/* Fuses multiply-adds in the graph and lowers the roots (none null) to a program, which lives in
 * the arena. NULL when out of memory. */
sal_program *sal_lower(sal_arena *arena, sal_graph *graph, const sal_node *roots, int count);

/* Writes the program as text, one line per instruction. */
void sal_program_print(const sal_program *program, void (*write)(void *, const char *),
                       void              *context);

/* Runs the program on blocks of lanes: slot s of lane l is slots[s * lanes + l]. Inputs are in
 * place; constants are filled in. lanes is 1, SAL_LANES / 2 or SAL_LANES. */
enum { SAL_LANES = 8 };
void sal_interpret(const sal_program *program, int lanes, double *slots);

#endif
