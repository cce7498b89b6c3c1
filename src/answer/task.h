/* What is optimised, with names looked up: a cost, parameters with bounds, and limits as rows c = 0
 * or c >= 0. */
#ifndef SAL_ANSWER_TASK_H
#define SAL_ANSWER_TASK_H

#include "base/memory.h"
#include "run/peaks.h"
#include "saltus/answer.h"

enum { SAL_PEAK_ROWS = 1 + SAL_PEAK_RIVALS };

/* A row: c = sign * (cost - bound). A limit on a peak is a row for each local peak of the motion,
 * in the order of time: all of them have to keep it, and each one is smooth. */
typedef struct sal_task_row {
    int    cost;  /* its place in sal_task.costs */
    int    limit; /* number of the limit in the goal */
    double sign, bound;
    int    expression; /* number of the expression whose peak this is; -1: no peak */
    int    peak;       /* the number of the peak, in the order of time */
} sal_task_row;

typedef struct sal_task {
    const saltus_system *system;
    int                  n;    /* unknowns */
    int                 *over; /* parameter numbers of the unknowns */
    double              *lower, *upper;
    double              *scale;  /* a typical change of each unknown */
    double              *params; /* all parameters, at the start */
    int                  param_count;
    int                  rows, equations; /* equations come first */
    sal_task_row        *row;
    int *costs; /* the costs that are differentiated: the objective, then those of limits */
    int  cost_count, all_costs;
    int  limit_count;
    saltus_sequences sequences;
    int              starts;
    saltus_engine    engine;
    int              intervals; /* number of intervals of multiple shooting; 1: one run */
} sal_task;

/* Makes a task from a goal, and looks up its names. params: the start; NULL: the values of the
 * model. */
saltus_status sal_task_read(sal_task *task, sal_arena *arena, const saltus_system *system,
                            const saltus_goal *goal, const double *params, saltus_error *err);
/* Writes all parameters, with the unknowns x in place. */
void sal_task_params(const sal_task *task, const double *x, double *params);

#endif
