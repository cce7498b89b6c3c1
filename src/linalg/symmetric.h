/* A symmetric matrix in the form that suits it, and its factorisation: diagonal, dense and positive
 * definite, dense and indefinite (LDL', ldl.h), or sparse: by elimination in a fixed order
 * (elimination.h) or, where that cannot be trusted, by KLU (sparse.h). The choice depends on the
 * entries alone.
 *
 * Entries are those of the lower triangle: n of a diagonal matrix, the full rows (row-major, only
 * the lower triangle is read) of a dense one, the kept places of the lower triangle, row by row, of
 * a sparse one. */
#ifndef SAL_LINALG_SYMMETRIC_H
#define SAL_LINALG_SYMMETRIC_H

#include "base/memory.h"
#include "linalg/elimination.h"
#include "linalg/sparse.h"

typedef enum sal_form { SAL_DIAGONAL, SAL_DEFINITE, SAL_INDEFINITE, SAL_SPARSE } sal_form;

typedef struct sal_symmetric {
    sal_form   form;
    int        n;
    int        constraints;    /* of the unknowns, the last ones */
    const int *start, *column; /* sparse: rows of the lower triangle, each ends on the diagonal */
    sal_elimination elimination;
    sal_sparse     *full;  /* both triangles; ordered when first needed */
    const int      *place; /* two by entry: where it goes in the full one */
} sal_symmetric;

/* A sparse one, from the rows of its lower triangle; the first `early` unknowns are coordinates,
 * the others constraints. False: out of memory. */
bool sal_symmetric_sparse(sal_symmetric *shape, int n, int early, const int *start,
                          const int *column, sal_arena *arena);
void sal_symmetric_release(sal_symmetric *shape);

/* The part of row i in the lower triangle, diagonal included: where it begins, how many numbers it
 * has, and their columns (NULL: 0, 1, ...). Of a diagonal matrix, the diagonal. */
int sal_symmetric_row(const sal_symmetric *shape, int i, int *count, const int **columns);

typedef struct sal_factor {
    double *value; /* sparse: of the elimination, or what rows and columns are divided by for KLU */
    int    *pivot;
    void   *sparse;               /* KLU's factors, NULL after an elimination */
    size_t  room;                 /* sparse: capacity of value, in numbers */
    saltus_allocator   allocator; /* of value, which grows with the regimes that are entered */
    double            *apart;     /* by constraint, see sal_factor_judge */
    struct sal_border *border;    /* of friction (border.h), or NULL */
    bool by_solved; /* there is no factorisation: a solved kernel (compile/solved.h) was used */
} sal_factor;

/* Allocates the factorisation of matrices of that form and size; memory for sparse ones is
 * allocated when they are factored. */
bool sal_factor_init(sal_factor *factor, sal_form form, int n, sal_arena *arena);
void sal_factor_release(sal_factor *factor);

/* Factors the matrix with these entries, and writes apart. scratch: n numbers, those of both
 * triangles if sparse.
 * Returns 0, 1 + the index of a row that depends on others (ldl.h, sparse.h), or -1 when out of
 * memory. */
int sal_factor_make(sal_factor *factor, const sal_symmetric *shape, const double *entries,
                    double *scratch);
/* How independent each constraint is of those before it: the part of its gradient orthogonal to
 * theirs, squared and relative to the whole (the square of a sine), where coordinates are scaled by
 * the square roots of their masses. It is the same in all units. The order of constraints is that
 * of elimination if the matrix is sparse; the result is zero where they depend on each other, in
 * any order. (Factoring a sparse matrix uses all masses for apart, this function those on the
 * diagonal.) The factorisation is lost; NULL: out of memory. */
const double *sal_factor_judge(sal_factor *factor, const sal_symmetric *shape,
                               const double *entries, double *scratch);
/* Solves in place, B in lanes; scratch: SAL_ELIMINATION_SCRATCH * n, and n * lanes, if sparse. */
void sal_factor_solve(const sal_factor *factor, const sal_symmetric *shape, int lanes, double *B,
                      double *scratch);

#endif
