/* One Runge-Kutta step of x' = f(t, x), z' = g(t, x), with dense output. f and g do not depend on
 * the quadratures z, so z is integrated only at the end of a step. The right-hand side is a
 * function pointer: the same code steps the motion forward and its adjoint backward (h < 0).
 *
 * Each stage has a row of numbers. It contains the state X, the slope k = f and the integrands g,
 * which may overlap (a velocity is part of both X and k); the right-hand side may use the rest of
 * the row for itself. The rows of the stages that the step itself needs may be in memory of the
 * record, which then keeps them without a copy. */
#ifndef SAL_MOTION_STEP_H
#define SAL_MOTION_STEP_H

#include "base/memory.h"
#include "motion/sums.h"
#include "motion/tableau.h"

/* The right-hand side: reads X in the row of a stage and writes k and g there. Returns nonzero if
 * they cannot be computed; the step then fails. */
typedef int (*sal_rhs)(void *context, int stage, double t, double *row);
/* Faster ways to do a part of a step (fast.h), with the context of the right-hand side. They return
 * false if they cannot do it; step.c does it then. */
typedef struct sal_step_fast {
    bool (*take)(void *context, double h);
    bool (*state)(const void *context, int stage, double *x);
} sal_step_fast;

/* The places of X, k and g in a row, and its length. */
typedef struct sal_row_form {
    int x, k, g, size;
} sal_row_form;

/* Slopes are read most often. Rows are padded to whole cache lines and shifted by an offset, so
 * that slopes begin at a cache line. */
enum { SAL_ROW_ALIGNMENT = 8 };
static inline int sal_step_offset(sal_row_form form)
{
    return (SAL_ROW_ALIGNMENT - form.k % SAL_ROW_ALIGNMENT) % SAL_ROW_ALIGNMENT;
}

typedef struct sal_step {
    const sal_tableau   *tableau;
    const sal_sums      *sums;
    int                  nx, ng;
    sal_row_form         form;
    sal_rhs              rhs;
    const sal_step_fast *fast; /* may be NULL */
    void                *context;
    double               t, h;
    double               delta;   /* the time by which sal_step_extend moved the end */
    double              *x0;      /* X of the first stage (nx) */
    double              *x1;      /* the end of the step (nx): X of the end stage, or `moved` */
    double              *moved;   /* the end as moved by sal_step_extend (nx) */
    double              *z0, *dz; /* ng: value at the start (for the error's scale), increment */
    double             **row;     /* by stage; the last is the midpoint of sal_step_extend */
    double              *own[2];  /* two sets of rows of our own; only the first has rows of
                                     stages for dense output */
    double        **list[3];      /* lists of rows: in own[0], in own[1], in the record */
    int             filled;       /* numbers at the start of a row that the field has filled in */
    double         *chords;       /* coefficients of the dense output, see sal_tableau_chords */
    double         *beta;         /* weights of the dense output, stages_dense */
    int             computed;     /* stages that were evaluated */
    bool            ended;        /* x1 was computed */
    bool            sized;        /* sizes were computed */
    sal_weights    *A;            /* by stage: weights of the stages before it */
    sal_weights     b;            /* weights of x1 */
    sal_weights     e_main;       /* weights of the error estimate */
    sal_weights     e_second;     /* weights of the second estimate, if there is one */
    sal_end_weights ends;         /* weights of x1 and its errors, with the tolerances */
    double          sizes[4];     /* squared norms of both errors, and their largest entries */
    double          error[2];     /* the error: the first, divided by the root of the second */
    double         *errors;       /* errors of the integrals: 2 ng */
    double         *atol;         /* absolute tolerances: of x (nx), then of z (ng) */
} sal_step;

/* A row of x (nx), k (nx) and g (ng) one after the other. */
sal_row_form sal_step_plain_form(int nx, int ng);
bool sal_step_init(sal_step *step, const sal_tableau *tableau, int nx, int ng, sal_row_form form,
                   sal_arena *arena);

/* Places the rows of the stages that the step itself needs, until the next advance (NULL: in our
 * own rows). Copies stage 0 there if it was computed. next: the rows of the next step, or NULL; an
 * extra end stage is put into the first of them. */
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

/* Gives the first stage and the end stage different rows. After an advance they share one, unless
 * rows were placed. */
void sal_step_separate_rows(sal_step *step);
/* Computes dz and its errors from the integrands of all stages. */
void sal_step_integrate(sal_step *step);
/* Marks all stages, x1, the end stage and the error norms as computed, by code outside of step.c.
 */
void sal_step_ended(sal_step *step);
/* Evaluates stage 0 at (t, x0). */
int sal_step_first(sal_step *step, double t);
/* Sets stage 0 to a row that was evaluated elsewhere, of which it copies the first `count` numbers.
 */
void sal_step_begin(sal_step *step, double t, const double *row, int count);
/* Takes the step of length h from (t, x0), whose stage 0 is evaluated: computes x1 and dz. Nonzero:
 * a stage failed. */
int sal_step_take(sal_step *step, double h);
/* Evaluates the stages of the step one after the other, up to the first one that fails. */
int sal_step_take_stages(sal_step *step);
/* Restores the step of length h whose stages are in these rows. x1 is not known until its end stage
 * is. */
void sal_step_retain(sal_step *step, double *rows, double t, double h);
/* Sets the tolerances of steps, with one absolute tolerance for all components of x and z. */
void sal_step_tolerate(sal_step *step, double rtol, double atol);
/* Sets the tolerances of steps, with absolute ones that the caller has written to step->atol. */
void sal_step_tolerate_each(sal_step *step, double rtol);
/* Returns the error of x1 and z as a multiple of the tolerance, the largest of three numbers: the
 * root mean square over x; the largest error of a component of x, divided by SAL_MAX_SHARE_OF_ONE,
 * so that many components at rest cannot hide the error of one that moves; and the largest error of
 * an integral. */
double sal_step_error(sal_step *step);
/* Returns the binary logarithm of sal_step_error, if that is positive, to an accuracy of 1 %. */
double sal_step_log_error(const sal_step *step);
/* Evaluates f at the new point (the end stage), if that was not done yet. */
int sal_step_end(sal_step *step);
/* Moves the end by a time delta, which may be negative and is so short that the midpoint rule is
 * accurate enough: x1 = X + delta f(X + delta / 2 k), with X and k of the end stage, which must be
 * evaluated; dz grows by delta g at the midpoint. */
int sal_step_extend(sal_step *step, double delta);
/* Moves the end as sal_step_extend does, with rows of the end stage and of the midpoint that are
 * evaluated already. */
void sal_step_extended(sal_step *step, double delta);
/* The index of the row of an extension's midpoint: it follows all stages. */
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
/* x at t + theta h, with beta the weights of sal_tableau_dense for theta. */
void sal_step_with(const sal_step *step, const double *beta, double *x);
/* Makes the end the start of the next step: x0 = x1, stage 0 = end stage, z0 += dz. */
void sal_step_advance(sal_step *step);

#endif
