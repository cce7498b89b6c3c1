/* The order in which inputs and instructions of a program are written as C. A pragma (prelude.c)
 * makes gcc keep this order until it assigns registers. */
#ifndef SAL_NATIVE_SCHEDULE_H
#define SAL_NATIVE_SCHEDULE_H

#include "native/cut.h"

/* Writes the slots to `item` in this order, piece by piece; item must have room for all slots. op:
 * the operation of each slot. begin: by piece, where it begins in item, and at last the end.
 * Returns the number of slots written; -1 when out of memory. */
int sal_schedule(const sal_program *program, const unsigned char *op, const sal_cut *cut,
                 sal_arena *scratch, int *item, int *begin);

#endif
