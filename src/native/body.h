/* The body of a generated function: the statements that compute a program.
 *
 * Their order matters: see schedule.h. */
#ifndef SAL_NATIVE_BODY_H
#define SAL_NATIVE_BODY_H

#include "native/cut.h"
#include "native/text.h"
#include "program/kernel.h"

/* A part that is being written as text. Items are the slots of inputs and instructions. */
typedef struct sal_body {
    sal_text          *text;
    const sal_part    *part;
    const sal_program *program;
    int                items;
    int               *item;   /* slots in the order in which they are written */
    unsigned char     *op;     /* by slot; 0: an input or a constant */
    unsigned char     *varies; /* by slot: it depends on the lane */
    int               *first;  /* by slot: the first output with its value, or -1 */
    int               *next;   /* by output: the next output with the value of that slot, or -1 */
    unsigned char     *shared; /* by output: other outputs have the same place */
    unsigned char     *direct; /* by output: it may be added before the end of a chunk */
    int               *lane_place; /* by number of a lane input: its place */
    sal_cut            cut;
    int               *begin; /* by piece: its first item */
    int               *known; /* by slot: the piece and shape in which it was written last */
} sal_body;

/* What the variables of a body are. */
typedef enum sal_loop_shape {
    SAL_ONE_LANE,     /* one instance, one lane: scalars */
    SAL_VECTOR_LANES, /* one instance: vectors of lanes */
    SAL_ACROSS,       /* one instance after the other: vectors of lanes */
    SAL_INSTANCES,    /* vectors of instances whose inputs were gathered */
    SAL_ROW,          /* vectors of consecutive instances whose inputs are read in place */
    SAL_LAST          /* the last row of a chunk, which may overlap the row before it */
} sal_loop_shape;

/* Plans the body of a part; text, part and program must be set. False when out of memory. */
bool sal_body_plan(sal_body *body, sal_arena *scratch);

/* Writes the instructions of a piece, and each output after the instruction that computes it.
 * Outputs that share a place come last, in their order. A loop over instances is one piece. */
void sal_body_put_piece(const sal_body *w, sal_loop_shape form, int piece);

/* Returns the name of a source of inputs in the text. */
const char *sal_body_source(int source);

#endif
