/* Friction as an addition to a symmetric system (linalg/border.h), written out on the graph. */
#ifndef SAL_COMPILE_FRICTION_H
#define SAL_COMPILE_FRICTION_H

#include "compile/solve.h"
#include "linalg/border.h"

typedef struct sal_friction {
    const sal_solve *solve;
    int              count; /* number of slides */
    const int *normal;  /* by slide: the place of its normal among the unknowns of solve, or -1 */
    sal_node  *w;       /* by slide: the gradient of the slip, n nodes */
    sal_node  *m;       /* by slide: the factor of the normal force */
    sal_node  *Y;       /* by slide: S^-1 w */
    sal_node  *G;       /* factored without row exchanges: L below the diagonal, U above */
    sal_node  *inverse; /* reciprocals of the pivots of G, which must be positive */
} sal_friction;

/* Writes Y and the factors of G; count, normal, w and m must be set, and solve must be planned.
 * False if a pivot is structurally zero, or when out of memory. */
bool sal_friction_plan(sal_friction *f, const sal_solve *solve, sal_arena *arena);

/* Writes the solution with the whole matrix or its transpose. b and x: right-hand side and solution
 * for the unknowns of solve; bt and t: for the multipliers of the slides. */
void sal_friction_write(const sal_friction *f, bool transposed, const sal_node *b,
                        const sal_node *bt, sal_node *x, sal_node *t, sal_arena *scratch);

#endif
