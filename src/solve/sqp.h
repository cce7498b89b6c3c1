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

/* What is known of a point. */
typedef struct sal_sqp_point {
    double  f;
    double *c;        /* by constraint */
    double *gradient; /* of f */
    double *jacobian; /* of c, [constraint * unknowns + unknown] */
    /* Points of one piece have the same number. */
    long long piece;
    /* Distances to the borders of the piece, positive, and their gradients. */
    int     fences;
    double *fence;
    double *fence_gradient;
    /* Points of one piece may have different orders, between which f has a kink or jumps. Steps may
     * pass from one to the other; the fences between them (fence_yields) hold only those steps that
     * would not be better beyond. */
    long long order;
    bool     *fence_yields;
    /* Gaps inside of the point, such as those between the intervals of multiple shooting: every
     * step closes a part of them by itself, which is asked for in `part`. by_gap: how f, then each
     * constraint, changes when gaps are closed, [row * max_gaps + gap]. */
    double *gap; /* 0: closed; by max_gaps */
    double *by_gap;
    double  part;     /* of the gaps of the last point that was accepted: to be closed on the way */
    bool    corrects; /* the gaps of the point evaluated last are to be closed, too */
} sal_sqp_point;

/* Room for a point with that many unknowns, constraints, fences and gaps. */
void sal_sqp_new_point(sal_sqp_point *point, sal_arena *arena, int unknowns, int constraints,
                       int fences, int gaps);

typedef struct sal_sqp_progress {
    int           iteration;
    const double *x;
    double        f, violation, kkt;
} sal_sqp_progress;

/* Where second derivatives come from. */
typedef enum sal_sqp_hessian {
    SAL_SQP_UPDATES, /* of what is known from earlier steps; at first, differences of gradients if
                        there are few unknowns */
    SAL_SQP_DIFFERENCES, /* of gradients, at every step */
    SAL_SQP_UPDATES_ONLY
} sal_sqp_hessian;

typedef struct sal_sqp_problem {
    int           unknowns;
    int           constraints, equations; /* the first ones: c = 0; the others: c >= 0 */
    int           max_fences;
    int           max_gaps;
    const double *lower, *upper; /* NULL: none */
    const double *scale; /* a typical change of each unknown; NULL: from its start and bounds */
    /* Writes f, c and piece; with_gradients the rest too. It is then mostly called for the point
     * whose values were asked for last. */
    sal_evaluation (*evaluate)(void *context, const double *x, bool with_gradients,
                               sal_sqp_point *point);
    /* The point whose gradients were asked for last is accepted: steps begin there. May be NULL. */
    void (*accept)(void *context);
    /* A step into another order was rejected: from now on points have the fences between orders,
     * too. May be NULL: they always have them. */
    void (*fence_orders)(void *context);
    void *context; /* of these functions */
    /* Called after each step; nonzero stops. May be NULL. */
    int (*progress)(void *context, const sal_sqp_progress *progress);
    void           *progress_context;
    double          tolerance;      /* of the conditions of an optimum, relative; 0: 1e-8 */
    double          noise;          /* relative errors of f; 0: 1e-14 */
    int             max_iterations; /* 0: 500 */
    sal_sqp_hessian hessian;
    bool            is_warm; /* y has estimates of the multipliers */
    double          size;    /* of f, as far as it is known from elsewhere; 0: it is not */
} sal_sqp_problem;

typedef struct sal_sqp_result {
    double f;
    double violation; /* the largest of a constraint, relative to its slope, or of a gap */
    double size;      /* of f: the largest value or slope on the way */
    double kkt;       /* how far the conditions of an optimum are from being met, relative */
    int    worst;     /* the constraint that is violated most, or -1 */
    int    iterations, values, gradients;
} sal_sqp_result;

/* x: the start, and then the best point: the lowest feasible one, or the one that violates
 * constraints least. Multipliers y of constraints and y_fence of fences (max_fences of them, those
 * of the last point) are positive where f would fall if the constraint were not there; y of an
 * equation has any sign: gradient = jacobian^T y + ... */
sal_solve_status sal_sqp(const sal_sqp_problem *problem, const saltus_allocator *allocator,
                         double *x, double *y, double *y_fence, sal_sqp_result *result);

#endif
