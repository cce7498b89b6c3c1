/* Long straight-line code in pieces, each to become a function of its own: compilers take a time
 * that grows with the square of a function's length. What later pieces need is kept in an array;
 * inputs are read again. */
#ifndef SAL_NATIVE_CUT_H
#define SAL_NATIVE_CUT_H

#include "program/program.h"

typedef struct sal_cut {
    int  pieces;
    int *piece;  /* by slot: the piece that computes it */
    int *place;  /* by slot: its place in the array, -1: none; see sal_cut_keep */
    int  places; /* of the array */
} sal_cut;

/* The longest program that is one piece, and the approximate length of a piece of longer ones, in
 * instructions. As measured with gcc 12, shorter pieces make no difference; longer ones take longer
 * to compile and run slower. */
enum { SAL_CUT_LONGEST = 500, SAL_CUT_PIECE = 200 };

/* Assigns instructions to pieces; op: by slot. Pieces use results of themselves and of earlier ones
 * only. False: out of memory. */
bool sal_cut_find(sal_cut *cut, const sal_program *program, const unsigned char *op,
                  sal_arena *scratch);

/* Finds places for values that later pieces use; at_end: by slot, the last piece uses it too.
 * Places of values that are no longer needed are reused. False: out of memory. */
bool sal_cut_keep(sal_cut *cut, const sal_program *program, const unsigned char *op,
                  const unsigned char *at_end, sal_arena *scratch);

#endif
