/* The order in which inputs and instructions of a program are written as C, if compilers are told
 * to keep it until they assign registers. */
#ifndef SAL_KERNEL_ORDER_H
#define SAL_KERNEL_ORDER_H

#include "kernel/program.h"

/* Writes slots into item, room for all of them; op: by slot. Returns how many, -1: out of memory.
 */
int sal_order(const sal_program *program, const unsigned char *op, sal_arena *scratch, int *item);

#endif
