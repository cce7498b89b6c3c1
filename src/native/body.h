/* The body of a generated function: the lines that compute a program, in an order that suits the
 * machine.
 *
 * Compilers are told not to reorder before they assign registers, so the order of the source
 * counts. */
#ifndef SAL_NATIVE_BODY_H
#define SAL_NATIVE_BODY_H

#include "native/cut.h"
#include "native/text.h"
#include "program/kernel.h"

/* A part on its way to text. Items are inputs and instructions: numbers of slots. */
typedef struct sal_body {
    sal_text          *text;
    const sal_part    *part;
    const sal_program *program;
    int                items;
    int               *item;       /* slots in the order in which they are written */
    unsigned char     *op;         /* by slot; 0: an input or a constant */
    unsigned char     *varies;     /* by slot: it depends on the lane */
    int               *first;      /* by slot: the first output with its value, or -1 */
    int               *next;       /* by output: the next one that the slot is */
    unsigned char     *shared;     /* by output: others go to the same place */
    unsigned char     *direct;     /* by output: need not wait for a chunk to end */
    int               *lane_place; /* by number */
    sal_cut            cut;
    int               *begin; /* of the items of each piece */
    int               *known; /* by slot: in which piece of which shape it was written last */
} sal_body;

/* A row is a block of instances whose inputs are where they are as far as they are in steps; the
 * last of a chunk may begin before its time. Across lanes, instances come one after the other. */
typedef enum sal_shape {
    SAL_ONE_LANE,
    SAL_VECTOR_LANES,
    SAL_ACROSS,
    SAL_INSTANCES,
    SAL_ROW,
    SAL_LAST
} sal_shape;

/* Plans the lines of a part, whose text, part and program are set. False when out of memory. */
bool sal_body_plan(sal_body *body, sal_arena *scratch);

/* The instructions of a piece, each output after the instruction that computes it; those that
 * share a place come last, in their order. A loop over instances is one piece. */
void sal_body_put_piece(const sal_body *w, sal_shape form, int piece);

/* What a source of inputs is called in the text. */
const char *sal_body_source(int source);

#endif
