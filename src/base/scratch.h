/* Scratch memory: a stack of a fixed size, for what a function needs until it returns.
 *
 *     double *x = SCRATCH_NEW(scratch, n, double), *y = SCRATCH_NEW(scratch, n, double);
 *     ...
 *     sal_scratch_release(scratch, x);
 *
 * Pieces are not cleared. With AddressSanitizer they are filled with NaN, what is not in use is
 * poisoned, and so is a gap between two pieces. */
#ifndef SAL_BASE_SCRATCH_H
#define SAL_BASE_SCRATCH_H

#include "base/memory.h"

typedef struct sal_scratch {
    unsigned char *bytes;
    size_t         used, size;
} sal_scratch;

/* Takes memory for as many pieces as are in use at once, with this many bytes in all. False: there
 * is none, and the arena has failed. */
bool sal_scratch_init(sal_scratch *scratch, sal_arena *arena, size_t pieces, size_t bytes);
/* Before the arena is freed: the memory is no longer poisoned. */
void sal_scratch_close(sal_scratch *scratch);

/* A piece, 64-byte aligned; NULL: the size given to sal_scratch_init was too small, a mistake. */
void *sal_scratch_get(sal_scratch *scratch, size_t count, size_t size);
#define SCRATCH_NEW(scratch, count, type)                                                          \
    ((type *)sal_scratch_get((scratch), (size_t)(count), sizeof(type)))

/* Gives back this piece and all pieces taken after it. */
void sal_scratch_release(sal_scratch *scratch, void *piece);

#endif
