/* What friction adds to a symmetric system (linalg/border.h), written out on the graph. */
#ifndef SAL_COMPILE_FRICTION_H
#define SAL_COMPILE_FRICTION_H

#include "compile/solve.h"
#include "linalg/border.h"

/* Places are those among the unknowns of the solve. */
typedef struct sal_friction {
    const sal_solve *solve;
    int              count;   /* of slides */
    const int       *normal;  /* by slide: the place of its normal, or -1 */
    sal_node        *w;       /* by slide: n numbers, the gradient of the slip */
    sal_node        *m;       /* by slide */
    sal_node        *Y;       /* by slide: S^-1 w */
    sal_node        *G;       /* factored without exchanges: L below the diagonal, U above */
    sal_node        *inverse; /* of the pivots of G, which must be positive */
} sal_friction;

/* Writes Y and G for the solve that was planned; count, normal, w and m are set. False: a pivot is
 * structurally zero, or out of memory. */
bool sal_friction_plan(sal_friction *f, const sal_solve *solve, sal_arena *arena);

/* Solves with the whole matrix or its transpose. b and x: the unknowns of the solve; bt and t:
 * those of the slides. */
void sal_friction_write(const sal_friction *f, bool transposed, const sal_node *b,
                        const sal_node *bt, sal_node *x, sal_node *t, sal_arena *scratch);

#endif
