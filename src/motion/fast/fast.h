/* Faster ways to do what step.c does: the wall around speed.
 *
 * Nothing here is needed: with `off` set, every model runs on step.c alone. A call may answer "not
 * this one" (false, SAL_ROWS_NONE); the readable step then does the work. Digits are those of
 * step.c, except in the Nystrom form, which sums in another order.
 *     native_step.c   all stages of a step by compiled code
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
    bool               off;            /* all calls answer "not this one" */
    bool               observed;       /* every step is differentiated once it is accepted */
    bool               differentiated; /* the next steps are: their rows must be complete */
    sal_native_step    native_step;
    const sal_nystrom *nystrom; /* NULL: small models do without */
    double *low, *high;  /* the range over the stages of each number that solved kernels monitor */
    bool    range_known; /* the native step has written low and high */
    int     adjoint_reads; /* numbers of a row that the record keeps; 0: whole rows */
    double *kept;          /* rows in the record where positions of stages are written
                              while the step is tried; NULL: in its own rows */
} sal_fast;

/* Plans what the calls below need. False when out of memory. */
bool sal_fast_init(sal_motion *motion, sal_arena *arena);
bool sal_native_step_init(sal_motion *motion, sal_arena *arena);

/* ---- the step ------------------------------------------------------------------------------- */

/* Takes the step of length h: all stages after the first, x1, the end stage and error norms. */
bool sal_fast_take(sal_motion *motion, double h);
/* Steps are taken to be differentiated, until rows are placed anew. */
void sal_fast_differentiate(sal_motion *motion);
/* Whether all steps are, wherever their rows are. */
void sal_fast_observe(sal_motion *motion, bool observed);
/* X of a stage; the number of stages stands for x1. */
bool sal_fast_state(const sal_motion *motion, int stage, double *x);
/* Evaluates a stage whose positions are in a row of the record. */
bool sal_fast_evaluate(sal_motion *motion, int stage, double t, double *row,
                       sal_field_result *result);
/* The adjoint of the step just taken, for a length that is given. */
bool sal_fast_adjoint(sal_motion *motion, sal_adjoint *adjoint);

/* ---- rows in the record --------------------------------------------------------------------- */

/* Whether the rows of a step are all that its tangent and adjoint need, or all that the adjoint
 * needs. */
typedef enum sal_rows_kept {
    SAL_ROWS_NONE,
    SAL_ROWS_SOLVED,
    SAL_ROWS_CONSTANT_MASS,
    SAL_ROWS_READ_BY_ADJOINT
} sal_rows_kept;

/* Bytes that a record should keep per step for a simulation that begins in the regime; 0: rows are
 * of no use. */
size_t sal_rows_plan(sal_motion *motion, const sal_regime *regime);
/* The step to be tried, and the one after it, may be kept there to be differentiated; NULL: they
 * are not. */
void sal_rows_place(sal_motion *motion, void *here, void *next);
/* Keeps the step just taken. length_given: its length does not depend on parameters. */
sal_rows_kept sal_rows_keep(sal_motion *motion, void *here, bool length_given);
/* Goes back to a step that was kept, from time t; for_adjoint: its tangent and dense output will
 * not be asked for. False: it must be taken again. */
bool sal_rows_load(sal_motion *motion, sal_rows_kept kept, void *here, double t, const double *z,
                   double h, bool for_adjoint);
/* The numbers of the rows that belong to the end of a step onto an event; 0: it is evaluated
 * again. */
int  sal_rows_of_event(const sal_motion *motion);
void sal_rows_keep_event(const sal_motion *motion, double *to);
void sal_rows_load_event(sal_motion *motion, const double *from, double delta);

#endif
