/* Faster ways to do what step.c does.
 *
 * Nothing here is necessary: with `off` set, every model runs on step.c alone. A call may decline
 * (return false); step.c then does the work. The digits are those of step.c, except in the Nystrom
 * form, which sums in another order. Only step.c and motion.c call what is declared here; src/run
 * calls kept_rows.h.
 *
 *     native_step.c   native steps: all stages of a step in one call of compiled code
 *     nystrom.c       the sums of large models, read from accelerations only
 *     kept_rows.c     rows of stages in the record, so that a step need not be taken again
 *     vector_sums.c   weighted sums of vectors, also those of motion/sums.h */
#ifndef SAL_MOTION_FAST_FAST_H
#define SAL_MOTION_FAST_FAST_H

#include "motion/fast/vector_sums.h"
#include "motion/motion.h"

typedef struct sal_nystrom sal_nystrom;

struct sal_fast {
    bool            off;            /* all calls decline */
    bool            observed;       /* every accepted step is differentiated */
    bool            differentiated; /* the next steps will be differentiated, from whole rows */
    sal_native_step native_step;
    const sal_vector_sums *sums;
    const sal_nystrom     *nystrom; /* the Nystrom form, for large models; else NULL */
    double *low, *high; /* the range over the stages of each number that solved kernels monitor */
    bool    ranged;     /* low and high are those of the step just taken */
    int     adjoint_reads; /* numbers of each row that the record keeps; 0: whole rows */
    double *kept;          /* rows in the record into which the step that is tried writes positions
                              of stages; NULL: it writes them into its own rows */
};

/* Prepares the calls below. NULL: out of memory. */
sal_fast *sal_fast_new(const sal_motion *motion, sal_arena *arena);
bool      sal_native_step_init(sal_fast *fast, const sal_motion *motion, sal_arena *arena);

/* Called before a step is taken again: its rows will be differentiated, but not recorded. */
void sal_fast_retake(sal_motion *motion);
/* Takes the step of length h: computes all stages after the first, x1, the end stage and the error
 * norms. */
bool sal_fast_take(sal_motion *motion, double h);
/* Writes the ranges of pivots (sal_motion_pivot_ranges). */
bool sal_fast_pivot_ranges(const sal_motion *motion, int count, double *low, double *high);
/* Computes X of a stage, or x1 if `stage` is the number of stages. */
bool sal_fast_state(const sal_motion *motion, int stage, double *x);
/* Evaluates a stage whose positions are in a row of the record. */
bool sal_fast_evaluate(sal_motion *motion, int stage, double t, double *row,
                       sal_field_result *result);
/* The row of a stage in the record, which has its time and its positions; NULL: its own row has
 * them. */
double *sal_fast_row(const sal_motion *motion, int stage);
/* The adjoint of the step just taken, without h_bar. */
bool sal_fast_adjoint(sal_motion *motion, sal_adjoint *adjoint);

#endif
