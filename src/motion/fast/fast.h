/* Faster ways to do what step.c does: the wall around speed.
 *
 * Nothing here is necessary: with `off` set, every model runs on step.c alone. A call may decline
 * (return false or SAL_ROWS_NONE); step.c then does the work. The digits are those of step.c,
 * except in the Nystrom form, which sums in another order.
 *
 *     native_step.c   native steps: all stages of a step in one call of compiled code
 *     nystrom.c       the sums of large models, read from accelerations only
 *     rows.c          rows of stages in the record, so that a step need not be taken again
 *     vector_sums.c   weighted sums of vectors, which step.c uses as well */
#ifndef SAL_MOTION_FAST_FAST_H
#define SAL_MOTION_FAST_FAST_H

#include "motion/fast/vector_sums.h"
#include "motion/field.h"
#include "motion/tableau.h"

typedef struct sal_motion  sal_motion;
typedef struct sal_tangent sal_tangent;
typedef struct sal_adjoint sal_adjoint;
typedef struct sal_nystrom sal_nystrom;

typedef struct sal_fast {
    bool               off;            /* all calls decline */
    bool               observed;       /* every accepted step is differentiated */
    bool               differentiated; /* the next steps will be: their rows must be complete */
    sal_native_step    native_step;
    const sal_nystrom *nystrom; /* the Nystrom form, for large models; else NULL */
    double *low, *high; /* the range over the stages of each number that solved kernels monitor */
    int     adjoint_reads; /* numbers of each row that the record keeps; 0: whole rows */
    double *kept;          /* rows in the record into which the step that is tried writes positions
                              of stages; NULL: it writes them into its own rows */
} sal_fast;

/* Prepares the calls below. False when out of memory. */
bool sal_fast_init(sal_motion *motion, sal_arena *arena);
bool sal_native_step_init(sal_motion *motion, sal_arena *arena);

/* ---- the step ------------------------------------------------------------------------------- */

/* Takes the step of length h: computes all stages after the first, x1, the end stage and the error
 * norms. */
bool sal_fast_take(sal_motion *motion, double h);
/* Says that steps will be differentiated, until rows are placed again. */
void sal_fast_differentiate(sal_motion *motion);
/* Says whether all steps will be differentiated, wherever their rows are. */
void sal_fast_observe(sal_motion *motion, bool observed);
/* Computes X of a stage; stage = number of stages: x1. */
bool sal_fast_state(const sal_motion *motion, int stage, double *x);
/* Evaluates a stage whose positions are in a row of the record. */
bool sal_fast_evaluate(sal_motion *motion, int stage, double t, double *row,
                       sal_field_result *result);
/* The adjoint of the step just taken, without h_bar. */
bool sal_fast_adjoint(sal_motion *motion, sal_adjoint *adjoint);

/* ---- rows in the record --------------------------------------------------------------------- */

/* What the record has of the rows of a step. */
typedef enum sal_rows_kept {
    SAL_ROWS_NONE,           /* nothing: the step must be taken again */
    SAL_ROWS_SOLVED,         /* whole rows, evaluated by solved kernels */
    SAL_ROWS_CONSTANT_MASS,  /* whole rows, evaluated with a diagonal or constant matrix */
    SAL_ROWS_READ_BY_ADJOINT /* the part of the rows that the adjoint reads */
} sal_rows_kept;

/* Returns the number of bytes that a record should keep per step for a simulation that begins in
 * the regime; 0: rows would be of no use. */
size_t sal_rows_plan(sal_motion *motion, const sal_regime *regime);
/* Gives the memory of the record in which the rows of the step that is tried now, and of the next
 * one, may be kept for derivatives; NULL: they will not be kept. */
void sal_rows_place(sal_motion *motion, void *here, void *next);
/* Keeps the rows of the step just taken and returns which ones are there. length_given: its length
 * does not depend on parameters. */
sal_rows_kept sal_rows_keep(sal_motion *motion, void *here, bool length_given);
/* Restores a step that starts at time t from its rows. for_adjoint: its tangent and dense output
 * are not needed. False: the step must be taken again. */
bool sal_rows_load(sal_motion *motion, sal_rows_kept kept, void *here, double t, const double *z,
                   double h, bool for_adjoint);
/* Returns how many numbers the end of a step onto an event has in rows; 0: it cannot be kept and is
 * evaluated again. */
int  sal_rows_of_event(const sal_motion *motion);
void sal_rows_keep_event(const sal_motion *motion, double *to);
void sal_rows_load_event(sal_motion *motion, const double *from, double delta);

#endif
