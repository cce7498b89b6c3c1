/* The order in which inputs and instructions of a program are written as C, if compilers are told
 * to keep it until they assign registers. */
#ifndef SAL_NATIVE_SCHEDULE_H
#define SAL_NATIVE_SCHEDULE_H

#include "native/cut.h"

/* Writes slots into item, which is large enough for all of them, piece by piece; op: by slot.
 * begin: where each piece begins, and the end. Returns their number, -1: out of memory. */
int sal_order(const sal_program *program, const unsigned char *op, const sal_cut *cut,
              sal_arena *scratch, int *item, int *begin);

#endif
