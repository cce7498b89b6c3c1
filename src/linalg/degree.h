/* An order in which to eliminate the unknowns of a sparse symmetric matrix, with little fill. */
#ifndef SAL_LINALG_DEGREE_H
#define SAL_LINALG_DEGREE_H

#include "base/memory.h"

/* An order of elimination, and the unknowns that each elimination couples. */
typedef struct sal_fill {
    int *order; /* by step: the unknown */
    int *first; /* by unknown: where its neighbours when it is eliminated begin in `rows` */
    int *count; /* by unknown: the number of its neighbours when it is eliminated */
    SAL_ARRAY(int) rows;
} sal_fill;

/* Finds an order by approximate minimum degree, for the pattern of both triangles by columns
 * (start: n + 1 places). Unknowns from `early` on come after all their neighbours among the first
 * `early` unknowns. The arrays of fill are in the arena, except for rows, which the caller
 * releases. False: out of memory. */
bool sal_minimum_degree(int n, int early, const int *start, const int *row, sal_arena *arena,
                        sal_fill *fill);

#endif
