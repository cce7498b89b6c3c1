/* What the parts of sequential quadratic programming share: the search as it stands (sqp.c), its
 * points (sqp_point.c), its steps (sqp_program.c) and second derivatives (sqp_hessian.c). */
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
    double                 *weight; /* of violations in the merit */
    double                 *slope,
        *c_scale; /* of constraints: the steepest so far, and what they are measured by */
    double  f_scale, f_largest, f_first;
    double  radius;
    bool    is_first;      /* B has not been updated yet */
    bool    holds;         /* fences that yield hold this step */
    bool    orders_fenced; /* fences between orders were asked for */
    double *d, *d_second, *s, *y_change, *Bs;
    double  part;       /* of the gaps that steps close */
    double *gap_weight; /* of gaps in the merit */
    double *c_closed;   /* constraints when that part is closed, linearly */
    double *c_goal;     /* c_closed, less what a step may leave of the constraints */
    /* The best point. */
    double *best;
    double  best_f, best_violation, best_kkt;
    /* The quadratic program: unknowns d and violations. */
    double *G, *g, *A, *b, *q_lower, *q_upper, *q_x, *q_y, *q_bound;
} sal_sqp_search;

/* ---- points --------------------------------------------------------------------------------- */

/* Evaluates a point; `part` of the gaps of the accepted one is to be closed. */
sal_evaluation sal_sqp_evaluate(sal_sqp_search *s, const double *z, double part,
                                bool with_gradients, sal_sqp_point *p);
/* How much a constraint with these values is violated. */
double sal_sqp_violation_of(const sal_sqp_search *s, const double *c, int k);
/* The largest violation, relative to the slopes of the constraints, or gap. */
double sal_sqp_violation(const sal_sqp_search *s, const sal_sqp_point *p, int *worst);
double sal_sqp_merit(const sal_sqp_search *s, const sal_sqp_point *p);
/* What closing all gaps adds to f (row 0) or to a constraint, linearly. */
double sal_sqp_by_closing(const sal_sqp_search *s, const sal_sqp_point *p, int row);
/* Finds what f and constraints are measured by. */
void sal_sqp_measure(sal_sqp_search *s);
/* The gradient of the Lagrangian at a point. */
double sal_sqp_slope(const sal_sqp_search *s, const sal_sqp_point *p, int i, bool with_fences);
/* How far the conditions of an optimum are from being met. */
double sal_sqp_conditions(const sal_sqp_search *s);

/* ---- steps ---------------------------------------------------------------------------------- */

/* Chooses which part of the gaps the next step closes, and what it aims at then. */
void sal_sqp_choose_part(sal_sqp_search *s);
/* The step for constraints with these values. Returns whether constraints had to be relaxed; no
 * step: d is zero. */
bool sal_sqp_find_step(sal_sqp_search *s, const double *c, double *d);
/* The multipliers of the last program become those of the search. */
void sal_sqp_take_multipliers(sal_sqp_search *s);
/* What the program promises for the merit. */
double sal_sqp_promised(sal_sqp_search *s, const double *d);

/* ---- second derivatives --------------------------------------------------------------------- */

void sal_sqp_forget(sal_sqp_search *s);
/* Updates B by the step from here to there. */
void sal_sqp_update(sal_sqp_search *s);
bool sal_sqp_wants_differences(const sal_sqp_search *s);
/* Second derivatives from gradients near by; false: they were not found. */
bool sal_sqp_look_around(sal_sqp_search *s, sal_evaluation *got);

#endif
