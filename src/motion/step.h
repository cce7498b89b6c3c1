/* One Runge-Kutta step of x' = f(t, x), z' = g(t, x), with dense output; quadratures z stay outside
 * of the stage sums. The right-hand side is a function pointer, so the same code steps the motion
 * forward and its adjoint backward (h < 0).
 *
 * A stage is a row of numbers, among them its state X, its slope k = f and its integrands g; these
 * may overlap (a velocity is part of both X and k), and what else is in the row is the right-hand
 * side's business. The rows of the stages that the step itself needs may be anywhere: where a
 * record keeps them. */
#ifndef SAL_MOTION_STEP_H
#define SAL_MOTION_STEP_H

#include "base/memory.h"
#include "motion/fast/vector_sums.h"
#include "motion/tableau.h"

/* Reads X and writes k and g of the row of that stage; nonzero: the state is out of bounds, the
 * step fails. */
typedef int (*sal_rhs)(void *context, int stage, double t, double *row);
/* Faster ways to do a part of a step (fast.h), with the context of the right-hand side; each may
 * answer false. */
typedef struct sal_step_fast {
    bool (*take)(void *context, double h);
    bool (*state)(const void *context, int stage, double *x);
} sal_step_fast;

/* Where X, k, g are in a row, and how long it is. */
typedef struct sal_row_form {
    int x, k, g, size;
} sal_row_form;

/* Slopes are read most: rows are padded to whole lines of the cache, and shifted by an offset so
 * that slopes begin with a line. */
enum { SAL_ROW_ALIGNMENT = 8 };
static inline int sal_step_offset(sal_row_form form)
{
    return (SAL_ROW_ALIGNMENT - form.k % SAL_ROW_ALIGNMENT) % SAL_ROW_ALIGNMENT;
}

typedef struct sal_step {
    const sal_tableau     *tableau;
    const sal_vector_sums *sums;
    int                    nx, ng;
    sal_row_form           form;
    sal_rhs                rhs;
    const sal_step_fast   *fast; /* may be NULL */
    void                  *context;
    double                 t, h;
    double                 delta;    /* the time by which sal_step_extend moved the end */
    double                *x0;       /* X of the first stage (nx) */
    double                *x1;       /* the end of the step (nx): X of the end stage, or `moved` */
    double                *moved;    /* where sal_step_extend leaves the end */
    double                *z0, *dz;  /* ng: value at the start (for the error's scale), increment */
    double               **row;      /* by stage; the last is the midpoint of sal_step_extend */
    double                *own[2];   /* rows of our own; those of the step itself are there twice */
    double               **list[3];  /* lists of rows: own[0], own[1], and rows of others */
    int                    filled;   /* numbers at the start of a row that matter */
    double                *chords;   /* of the dense output, see tableau.h */
    double                *beta;     /* weights of the dense output, stages_dense */
    int                    computed; /* stages that were evaluated */
    bool                   ended;    /* x1 was computed */
    bool                   sized;    /* sizes were computed */
    sal_weights           *A;        /* by stage: weights of the stages before it */
    sal_weights            b;        /* weights of x1 */
    sal_weights            e_main;   /* weights of the error estimate */
    sal_weights            e_second; /* weights of the second estimate, if there is one */
    sal_end_weights        ends;     /* weights of x1 and its errors, with the tolerances */
    double                 sizes[4]; /* squared norms of both errors, and their largest entries */
    double                 error[2]; /* the error: the first, divided by the root of the second */
    double                *errors;   /* errors of the integrals: 2 ng */
    double                *atol;     /* absolute tolerances: of x (nx), then of z (ng) */
} sal_step;

/* A row of x (nx), k (nx) and g (ng) one after the other. */
sal_row_form sal_step_plain_form(int nx, int ng);
bool sal_step_init(sal_step *step, const sal_tableau *tableau, int nx, int ng, sal_row_form form,
                   sal_arena *arena);

/* Says where the rows of the stages that the step itself needs are until the next advance (NULL:
 * our own); stage 0 is copied there if it has been computed. next: where the rows of the next step
 * will be, or NULL; an extra end stage is its first row. */
void sal_step_place(sal_step *step, double *rows, double *next);

/* Whether the slope at the end is not among those that the step itself needs. */
static inline bool sal_step_has_extra_end(const sal_step *step)
{
    return step->tableau->end_stage >= step->tableau->stages;
}

static inline double *sal_step_x(const sal_step *step, int stage)
{
    return step->row[stage] + step->form.x;
}
static inline double *sal_step_k(const sal_step *step, int stage)
{
    return step->row[stage] + step->form.k;
}
static inline double *sal_step_g(const sal_step *step, int stage)
{
    return step->row[stage] + step->form.g;
}

/* After an advance the first stage is where the end stage was, unless the rows were placed: gives
 * them rows of their own. */
void sal_step_part_rows(sal_step *step);
/* dz and its errors, from the integrands of all stages. */
void sal_step_integrate(sal_step *step);
/* All stages, x1, the end stage and the error norms were computed elsewhere. */
void sal_step_ended(sal_step *step);
/* Evaluates stage 0 at (t, x0). */
int sal_step_first(sal_step *step, double t);
/* Begins with a stage 0 that has been evaluated elsewhere: the first `count` numbers of its row. */
void sal_step_begin(sal_step *step, double t, const double *row, int count);
/* Takes the step of length h from (t, x0), stage 0 being there: x1 and dz. */
int sal_step_take(sal_step *step, double h);
/* Evaluates the stages of that step one after the other, up to the first that fails. */
int sal_step_take_stages(sal_step *step);
/* The step of length h whose stages are in these rows already; x1 only with its end stage. */
void sal_step_retain(sal_step *step, double *rows, double t, double h);
/* The tolerances that steps are taken with: the absolute one for all of x and z, or by component
 * (those of x, then those of z). */
void sal_step_tolerate(sal_step *step, double rtol, double atol);
void sal_step_tolerate_each(sal_step *step, double rtol, const double *atol);
/* The error of x1 and z, as a multiple of the tolerance: the root of the mean square over x, but
 * of no component more than SAL_MAX_SHARE_OF_ONE times as much, so that components that rest do not
 * hide what one that moves is wrong by; and of integrals the largest. */
double sal_step_error(sal_step *step);
/* Its binary logarithm, if it is positive; 1 % of it may be wrong. */
double sal_step_log_error(const sal_step *step);
/* Evaluates f at the new point (the end stage), if it is not there yet. */
int sal_step_end(sal_step *step);
/* Moves the end on by a time, perhaps negative, so short that the midpoint rule is as good as a
 * longer step: x1 = X + delta f(X + delta / 2 k), and dz likewise, with X and k of the end stage,
 * which must be there. */
int sal_step_extend(sal_step *step, double delta);
/* Moves the end as sal_step_extend does, where the rows of the end stage and of the midpoint are
 * there already. */
void sal_step_extended(sal_step *step, double delta);
/* The number of the midpoint of an extension: after all stages. */
static inline int sal_step_middle(const sal_step *step) { return step->tableau->stages_dense; }
/* The time at the end. */
static inline double sal_step_time(const sal_step *step)
{
    return step->t + (step->h + step->delta);
}
/* Evaluates the stages that only dense output needs. */
int sal_step_dense(sal_step *step);
/* x and (if not NULL) the increment of z at t + theta h. Needs the dense stages. */
void sal_step_at(const sal_step *step, double theta, double *x, double *dz);
/* x' at t + theta h. */
void sal_step_rate_at(const sal_step *step, double theta, double *rate);
/* x with weights that are known: those of sal_tableau_dense(theta). */
void sal_step_with(const sal_step *step, const double *beta, double *x);
/* Makes the end the start of the next step: x0 = x1, stage 0 = end stage, z0 += dz. */
void sal_step_advance(sal_step *step);

#endif
