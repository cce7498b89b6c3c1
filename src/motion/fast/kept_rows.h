/* The rows of a step's stages in memory of the record, so that the step need not be taken again to
 * be differentiated. Every call may decline (0, SAL_ROWS_NONE, false): the step is then taken
 * again, by sal_motion_retake. */
#ifndef SAL_MOTION_FAST_KEPT_ROWS_H
#define SAL_MOTION_FAST_KEPT_ROWS_H

#include "motion/motion.h"

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
