/* Sparse symmetric matrices K = [M J'; J -C] by L D L' with pivots in a fixed order.
 *
 * The order has little fill (degree.h), and each constraint comes after all of its coordinates.
 * Every leading block is then itself such a matrix, [M_C J_C'; J_C -C_C] with J_C of full rank, and
 * no pivot vanishes if M is positive definite and J has full rank. If a pivot nearly vanishes, or M
 * is singular, a factorisation that chooses its pivots is needed (sparse.h).
 *
 * A factorisation is one array of numbers: n pivots, L by columns, and a copy of the matrix. */
#ifndef SAL_LINALG_ELIMINATION_H
#define SAL_LINALG_ELIMINATION_H

#include "base/memory.h"

typedef struct sal_elimination {
    int n, entries; /* number of unknowns; number of entries of L below the diagonal */
    int early;      /* number of unknowns that are coordinates, the first ones */
    int given;      /* number of entries of the matrix */
    /* The lower triangle of the matrix by rows: n + 1 places, and columns. Borrowed. */
    const int *start, *of;
    const int *place;       /* by entry of the matrix: its place among pivots and L */
    const int *unknown;     /* by step of the elimination: the unknown */
    const int *begin, *row; /* L by columns: n + 1 places, and the steps of the rows, ascending */
    const int *row_begin;   /* L by rows: n + 1 places */
    const int *column, *at; /* L by rows: columns, ascending; the place of each entry in `row` */
} sal_elimination;

/* Plans the elimination. start, column: the lower triangle with the diagonal, by rows; full_start,
 * full_row: both triangles by columns. The first `early` unknowns are coordinates. False: out of
 * memory. */
bool sal_elimination_plan(sal_elimination *e, int n, int early, const int *start, const int *column,
                          const int *full_start, const int *full_row, sal_arena *arena);

static inline size_t sal_elimination_size(const sal_elimination *e)
{
    return (size_t)e->n + (size_t)e->entries + (size_t)e->given;
}

/* A pivot is not trusted if it is smaller than this part of the sum of the magnitudes that it was
 * formed from. Up to this loss, one correction of a solution restores the lost digits. */
#define SAL_SMALLEST_PIVOT 1e-6

/* Factors the matrix with these entries (of the lower triangle, row by row). Writes to apart, by
 * constraint, the magnitude of its pivot relative to the sum of the magnitudes that it was formed
 * from. scratch: n. False: a pivot is not larger than `trusted` times this sum; the values are then
 * meaningless, and constraints after this pivot have no entry in apart. */
bool sal_elimination_factor(const sal_elimination *e, const double *matrix, double trusted,
                            double *value, double *apart, double *scratch);
/* Solves in place; B is n x lanes, row-major. */
enum { SAL_ELIMINATION_SCRATCH = 16 }; /* times n: four blocks of four lanes */
void sal_elimination_solve(const sal_elimination *e, const double *value, int lanes, double *B,
                           double *scratch);

#endif
