/* Symmetric matrices in several forms, and their factorisations: diagonal; dense, definite or
 * indefinite (ldl.h); or sparse, by elimination in a fixed order (elimination.h) or, where that
 * cannot be trusted, by KLU (sparse.h). The choice between these two depends on the entries only.
 *
 * Entries are n numbers of a diagonal matrix; all rows of a dense one (row-major, only the lower
 * triangle is read); the pattern of the lower triangle, row by row, of a sparse one. */
#ifndef SAL_LINALG_SYMMETRIC_H
#define SAL_LINALG_SYMMETRIC_H

#include "base/memory.h"
#include "linalg/elimination.h"
#include "linalg/sparse.h"

typedef enum sal_form { SAL_DIAGONAL, SAL_DEFINITE, SAL_INDEFINITE, SAL_SPARSE } sal_form;

typedef struct sal_symmetric {
    sal_form   form;
    int        n;
    int        constraints;    /* number of unknowns that belong to constraints, the last ones */
    const int *start, *column; /* sparse: rows of the lower triangle, each ends on the diagonal */
    sal_elimination elimination;
    sal_sparse     *full;  /* pattern of both triangles; its order is found when first needed */
    const int      *place; /* by entry, two numbers: its places in `full` */
} sal_symmetric;

/* Makes the shape of a sparse matrix from the rows of its lower triangle. The first `early`
 * unknowns are coordinates, the others constraints. False: out of memory. */
bool sal_symmetric_sparse(sal_symmetric *shape, int n, int early, const int *start,
                          const int *column, sal_arena *arena);
void sal_symmetric_release(sal_symmetric *shape);

/* Returns where the part of row i in the lower triangle, diagonal included, begins among the
 * entries; writes the number of its entries and their columns (NULL: 0, 1, ..., but only the
 * diagonal of a diagonal matrix). */
int sal_symmetric_row(const sal_symmetric *shape, int i, int *count, const int **columns);

typedef struct sal_factor {
    double *value; /* factors; sparse: those of the elimination, or the scales of rows for KLU */
    int    *pivot;
    void   *sparse;               /* KLU's factors, NULL after an elimination */
    size_t  room;                 /* sparse: capacity of value, in numbers */
    saltus_allocator   allocator; /* allocator of value, which grows when regimes are entered */
    double            *apart;     /* by constraint: its independence, see sal_factor_judge */
    struct sal_border *border;    /* sliding friction (border.h), or NULL */
    bool by_solved; /* there is no factorisation: a solved kernel (compile/solved.h) was used */
} sal_factor;

/* Allocates a factorisation for matrices of this form and size; memory for sparse ones is allocated
 * when they are factored. */
bool sal_factor_init(sal_factor *factor, sal_form form, int n, sal_arena *arena);
void sal_factor_release(sal_factor *factor);

/* Factors the matrix with these entries, and writes apart unless the form is diagonal or definite.
 * scratch: n numbers; if sparse, as many as both triangles have. Returns 0, 1 + the index of a row
 * that depends on others (ldl.h, sparse.h), or -1 when out of memory. */
int sal_factor_make(sal_factor *factor, const sal_symmetric *shape, const double *entries,
                    double *scratch);
/* Measures how independent each constraint is of those before it, with coordinates scaled by the
 * square roots of their masses: the square of the sine between its gradient and the space of their
 * gradients. It does not depend on units. Constraints are in the order of elimination if the matrix
 * is sparse; one of the measures is zero if constraints depend on each other, in any order. (The
 * apart of a sparse factorisation uses the whole mass matrix, this function its diagonal.) The
 * factorisation is lost. Returns apart; NULL: out of memory. */
const double *sal_factor_judge(sal_factor *factor, const sal_symmetric *shape,
                               const double *entries, double *scratch);
/* Solves in place, B in lanes; scratch: SAL_ELIMINATION_SCRATCH * n, and n * lanes, if sparse. */
void sal_factor_solve(const sal_factor *factor, const sal_symmetric *shape, int lanes, double *B,
                      double *scratch);

#endif
