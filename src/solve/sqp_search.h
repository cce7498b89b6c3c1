/* The state of a search by sequential quadratic programming, shared by sqp.c (the search),
 * sqp_point.c (points), sqp_program.c (steps) and sqp_hessian.c (second derivatives). */
#ifndef SAL_SOLVE_SQP_SEARCH_H
#define SAL_SOLVE_SQP_SEARCH_H

#include "solve/sqp.h"
#include "solve/vectors.h"

static const double SAL_SQP_SMALLEST_RADIUS = 1e-13;

typedef struct sal_sqp_search {
    const sal_sqp_problem  *problem;
    sal_sqp_result         *result;
    const saltus_allocator *allocator;
    int                     n, m, me, max_fences, gaps;
    double                 *scale;
    double                 *z, *z_trial, *x; /* scaled unknowns; x in the caller's units */
    double                 *lower, *upper;   /* scaled */
    sal_sqp_point           here, there;
    double                 *B;
    double                 *y, *y_fence;
    double                 *weight; /* by constraint: weight of its violation in the merit */
    double *slope, *c_scale;        /* by constraint: steepest slope so far; unit of its values */
    double  f_scale, f_largest, f_first;
    double  radius;
    bool    is_first;      /* B has not been updated yet */
    bool    holds;         /* this step must respect soft fences, too */
    bool    orders_fenced; /* points have fences between orders */
    double *d, *d_second, *s, *y_change, *Bs;
    double  part;       /* part of the gaps that steps close */
    double *gap_weight; /* by gap: its weight in the merit */
    double *c_closed;   /* constraints after closing `part`, linearised */
    double *c_goal;     /* values that the step aims at: a part of each violation may stay */
    /* The best point. */
    double *best;
    double  best_f, best_violation, best_kkt;
    int     best_worst; /* its constraint with the largest violation, or -1 */
    /* The quadratic program, in the unknowns d and, if relaxed, violations. */
    double *G, *g, *A, *b, *q_lower, *q_upper, *q_x, *q_y, *q_bound;
} sal_sqp_search;

/* ---- points --------------------------------------------------------------------------------- */

/* Evaluates the point at z. part: how much of the gaps of the accepted point is to be closed. */
sal_evaluation sal_sqp_evaluate(sal_sqp_search *s, const double *z, double part,
                                bool with_gradients, sal_sqp_point *p);
/* The violation of constraint k, for these values of all constraints. */
double sal_sqp_violation_of(const sal_sqp_search *s, const double *c, int k);
/* The largest gap or violation, the latter relative to the slope of its constraint. Writes the
 * number of the constraint that is violated most, or -1. */
double sal_sqp_violation(const sal_sqp_search *s, const sal_sqp_point *p, int *worst);
double sal_sqp_merit(const sal_sqp_search *s, const sal_sqp_point *p);
/* The change of f (row 0) or of a constraint when all gaps are closed, linearised. */
double sal_sqp_by_closing(const sal_sqp_search *s, const sal_sqp_point *p, int row);
/* Updates the scales of f and of the constraints for the present point. */
void sal_sqp_measure(sal_sqp_search *s);
/* Component i of the gradient of the Lagrangian at a point. */
double sal_sqp_slope(const sal_sqp_search *s, const sal_sqp_point *p, int i, bool with_fences);
/* The largest relative residual of the conditions of an optimum at the present point. */
double sal_sqp_conditions(const sal_sqp_search *s);

/* ---- steps ---------------------------------------------------------------------------------- */

/* Chooses the part of the gaps that the next step closes, and the constraint values it aims at. */
void sal_sqp_choose_part(sal_sqp_search *s);
/* Finds the step d for constraints with the values c. Returns whether constraints had to be
 * relaxed. d is zero if no step was found. */
bool sal_sqp_find_step(sal_sqp_search *s, const double *c, double *d);
/* Takes over the multipliers of the last program, within limits, and updates the weights. */
void sal_sqp_take_multipliers(sal_sqp_search *s);
/* The predicted reduction of the merit for the step d; may raise the weights. */
double sal_sqp_promised(sal_sqp_search *s, const double *d);

/* ---- second derivatives --------------------------------------------------------------------- */

void sal_sqp_forget(sal_sqp_search *s);
/* Updates B by the step from here to there. */
void sal_sqp_update(sal_sqp_search *s);
bool sal_sqp_wants_differences(const sal_sqp_search *s);
/* Computes B from gradients at neighbouring points; returns false if that fails. */
bool sal_sqp_look_around(sal_sqp_search *s, sal_evaluation *got);

#endif
