/* Sparse symmetric matrices K = [M J'; J -C] by L D L' with pivots in a fixed order.
 *
 * The order has little fill (degree.h), and in it a constraint comes after all of its coordinates.
 * Every leading block is then itself such a matrix, [M_C J_C'; J_C -C_C] with J_C of full rank,
 * and its pivots do not vanish where M is positive definite and J has full rank. Where they nearly
 * do, or M is singular alone, a factorisation that chooses its pivots is needed (sparse.h).
 *
 * The values of a factorisation are plain numbers: n pivots, L by columns, and the matrix. */
#ifndef SAL_LINALG_ELIMINATION_H
#define SAL_LINALG_ELIMINATION_H

#include "base/memory.h"

typedef struct sal_elimination {
    int        n, entries; /* unknowns; entries of L below the diagonal */
    int        early;      /* unknowns that are coordinates, the first ones */
    int        given;      /* number of entries of the matrix */
    const int *start,
        *of;            /* borrowed: rows of the matrix's lower triangle, n + 1 places; columns */
    const int *place;   /* by entry of the matrix: where it goes among pivots and L */
    const int *unknown; /* by step */
    const int *begin, *row; /* L by columns: n + 1 places, and the steps of the rows, ascending */
    const int *row_begin;   /* L by rows: n + 1 places */
    const int *column, *at; /* L by rows: columns, ascending; where in `row` each entry is */
} sal_elimination;

/* From the rows of the lower triangle (diagonal included) and the columns of both; the first
 * `early` unknowns are coordinates. False: out of memory. */
bool sal_elimination_plan(sal_elimination *e, int n, int early, const int *start, const int *column,
                          const int *full_start, const int *full_row, sal_arena *arena);

static inline size_t sal_elimination_size(const sal_elimination *e)
{
    return (size_t)e->n + (size_t)e->entries + (size_t)e->given;
}

/* A pivot that keeps less than this of the numbers it was formed from is not trusted. Down to here,
 * one correction of a solution brings back the digits that were lost. */
#define SAL_SMALLEST_PIVOT 1e-6

/* Factors the matrix with these entries (of the lower triangle, row by row). apart: by constraint,
 * what its pivot keeps of the numbers it was formed from. scratch: n. False: a pivot keeps
 * `trusted` or less, and the values are meaningless; constraints after it have no entry in apart.
 */
bool sal_elimination_factor(const sal_elimination *e, const double *matrix, double trusted,
                            double *value, double *apart, double *scratch);
/* Solves in place; B is n x lanes, row-major. */
enum { SAL_ELIMINATION_SCRATCH = 16 }; /* times n: four blocks of four lanes */
void sal_elimination_solve(const sal_elimination *e, const double *value, int lanes, double *B,
                           double *scratch);

#endif
