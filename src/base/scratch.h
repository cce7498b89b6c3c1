/* Scratch memory: a stack of a fixed size, for data that a function needs until it returns.
 *
 *     double *x = SCRATCH_NEW(scratch, n, double), *y = SCRATCH_NEW(scratch, n, double);
 *     ...
 *     sal_scratch_release(scratch, x);
 *
 * Pieces are not cleared. With AddressSanitizer they are filled with NaN, and unused memory and
 * gaps between pieces are poisoned. */
#ifndef SAL_BASE_SCRATCH_H
#define SAL_BASE_SCRATCH_H

#include "base/memory.h"

typedef struct sal_scratch {
    unsigned char *bytes;
    size_t         used, size;
} sal_scratch;

/* Allocates the stack. pieces, bytes: the largest number of pieces in use at the same time, and of
 * their bytes. False: the arena has failed. */
bool sal_scratch_init(sal_scratch *scratch, sal_arena *arena, size_t pieces, size_t bytes);
/* Ends the poisoning of the memory. Call it before the arena is freed. */
void sal_scratch_close(sal_scratch *scratch);

/* Takes a piece, 64-byte aligned. NULL: the size given to sal_scratch_init was too small, which is
 * a bug. */
void *sal_scratch_get(sal_scratch *scratch, size_t count, size_t size);
#define SCRATCH_NEW(scratch, count, type)                                                          \
    ((type *)sal_scratch_get((scratch), (size_t)(count), sizeof(type)))

/* Gives back this piece and all pieces taken after it. */
void sal_scratch_release(sal_scratch *scratch, void *piece);

#endif
