/* Constrained optimisation of smooth or piecewise smooth functions with few to some hundred
 * unknowns: sequential quadratic programming in a trust region.
 *
 * Functions need not have a value everywhere: a point without one is a rejected step, and the next
 * one is shorter. They may consist of pieces (of a motion: sequences of events); steps stay on
 * their piece as long as fences, functions that are zero at its border, can be linearised. */
#ifndef SAL_SOLVE_SQP_H
#define SAL_SOLVE_SQP_H

#include <stdbool.h>

#include "base/memory.h"
#include "solve/solve.h"

/* What is known about a point. */
typedef struct sal_sqp_point {
    double  f;
    double *c;        /* by constraint */
    double *gradient; /* gradient of f */
    double *jacobian; /* Jacobian of c, [constraint * unknowns + unknown] */
    /* The number of the piece that the point is on. */
    long long piece;
    /* The fences: positive distances to the borders of the piece, and their gradients. */
    int     fences;
    double *fence;
    double *fence_gradient;
    /* A piece may consist of several orders, between which f has a kink or jumps; `order` is the
     * number of this one. Steps may pass from one order to another. The fences between orders are
     * marked by fence_is_soft: they hold a step only after a step across them was rejected. */
    long long order;
    bool     *fence_is_soft;
    /* Gaps inside the point, such as those between the intervals of multiple shooting. Every step
     * also closes the fraction `part` of the gaps. by_gap[row * max_gaps + gap]: the change of f
     * (row 0), then of each constraint, when the gap is closed. */
    double *gap; /* max_gaps values; 0: closed */
    double *by_gap;
    double  part; /* the part of the gaps at the last accepted point that this step shall close */
    bool    corrects; /* close the gaps of the last evaluated point as well */
} sal_sqp_point;

/* Allocates the arrays of a point with these numbers of unknowns, constraints, fences and gaps. */
void sal_sqp_new_point(sal_sqp_point *point, sal_arena *arena, int unknowns, int constraints,
                       int fences, int gaps);

typedef struct sal_sqp_progress {
    int           iteration;
    const double *x;
    double        f, violation, kkt;
} sal_sqp_progress;

/* Where second derivatives come from. */
typedef enum sal_sqp_hessian {
    SAL_SQP_UPDATES,     /* BFGS updates of a first B, from differences of gradients if n <= 100 */
    SAL_SQP_DIFFERENCES, /* differences of gradients at every step */
    SAL_SQP_UPDATES_ONLY
} sal_sqp_hessian;

typedef struct sal_sqp_problem {
    int unknowns;
    int constraints, equations; /* the first `equations` constraints are c = 0, the others c >= 0 */
    int max_fences;
    int max_gaps;
    const double *lower, *upper; /* NULL: none */
    const double *scale; /* a typical change of each unknown; NULL: from its start and bounds */
    /* Writes f, c, gaps, piece and order; with_gradients also derivatives and fences. Gradients are
     * mostly requested at the point whose values were requested last. */
    sal_evaluation (*evaluate)(void *context, const double *x, bool with_gradients,
                               sal_sqp_point *point);
    /* Called when the point whose gradients were requested last is accepted: steps now start there.
     * May be NULL. */
    void (*accept)(void *context);
    /* Called when a step into another order was rejected: from now on points must have the fences
     * between orders. May be NULL if they always have them. */
    void (*fence_orders)(void *context);
    void *context; /* passed to these functions */
    /* Called after each step; nonzero stops. May be NULL. */
    int (*progress)(void *context, const sal_sqp_progress *progress);
    void           *progress_context;
    double          tolerance;      /* relative, on the conditions of an optimum; 0: 1e-8 */
    double          noise;          /* relative errors of f; 0: 1e-14 */
    int             max_iterations; /* 0: 500 */
    sal_sqp_hessian hessian;
    bool            has_multipliers; /* y holds estimates of the multipliers on input */
    double          size; /* typical size of f, if known from an earlier search; else 0 */
} sal_sqp_problem;

typedef struct sal_sqp_result {
    double f;
    double violation; /* the largest violation of a constraint, relative to its slope, or gap */
    double size;      /* the largest |f| or slope of f that the search has met */
    double kkt;       /* residual of the conditions of an optimum, relative */
    int    worst;     /* the constraint that is violated most, or -1 */
    int    iterations, values, gradients;
} sal_sqp_result;

/* Minimises f. x is the start on input; on output it is the lowest feasible point found or, if
 * there is none, the point that violates the constraints least. Writes the multipliers y of the
 * constraints and y_fence of the fences of the last point (max_fences numbers):
 * gradient = jacobian^T y + ... They are positive where f would fall without the constraint; those
 * of equations have any sign. */
sal_solve_status sal_sqp(const sal_sqp_problem *problem, const saltus_allocator *allocator,
                         double *x, double *y, double *y_fence, sal_sqp_result *result);

#endif
