/* Cuts long straight-line code into pieces, each of which becomes a function, because the time of
 * compilers grows with the square of a function's length. Results that later pieces need are passed
 * in an array; inputs are read again. */
#ifndef SAL_NATIVE_CUT_H
#define SAL_NATIVE_CUT_H

#include "program/program.h"

typedef struct sal_cut {
    int  pieces;
    int *piece;  /* by slot: the piece that computes it */
    int *place;  /* by slot: its place in the array; -1: none (sal_cut_keep) */
    int  places; /* length of the array */
} sal_cut;

/* The longest program that remains one piece, and the approximate length of the pieces of longer
 * programs, in instructions. Measured with gcc 12: shorter pieces make no difference; longer ones
 * take longer to compile and run slower. */
enum { SAL_CUT_LONGEST = 500, SAL_CUT_PIECE = 200 };

/* Assigns instructions to pieces. A piece only uses results of itself and of earlier pieces. op:
 * the operation of each slot. False when out of memory. */
bool sal_cut_find(sal_cut *cut, const sal_program *program, const unsigned char *op,
                  sal_arena *scratch);

/* Assigns places in the array to results that later pieces use; places that are no longer needed
 * are reused. at_end: by slot, the last piece uses the result too. False when out of memory. */
bool sal_cut_keep(sal_cut *cut, const sal_program *program, const unsigned char *op,
                  const unsigned char *at_end, sal_arena *scratch);

#endif
