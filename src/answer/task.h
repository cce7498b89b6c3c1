/* What is optimised, with names looked up: a cost, parameters with bounds, and limits as rows c = 0
 * or c >= 0. */
#ifndef SAL_ANSWER_TASK_H
#define SAL_ANSWER_TASK_H

#include "base/memory.h"
#include "run/peaks.h"
#include "saltus/answer.h"

enum { SAL_PEAK_ROWS = 1 + SAL_PEAK_RIVALS };

/* c = sign * (cost - bound). A limit on a peak is a row for each local peak of the motion, in the
 * order of time: all of them have to keep it, and each by itself is smooth. */
typedef struct sal_task_row {
    int    cost;  /* its place in `costs` */
    int    limit; /* of the goal */
    double sign, bound;
    int    expression; /* whose peaks these are, by its number in the system; -1: no peaks */
    int    peak;       /* which of them */
} sal_task_row;

typedef struct sal_task {
    const saltus_system *system;
    int                  n;    /* unknowns */
    int                 *over; /* their numbers among the parameters */
    double              *lower, *upper;
    double              *scale;  /* a typical change of each unknown */
    double              *params; /* of the start, all of them */
    int                  param_count;
    int                  rows, equations; /* equations come first */
    sal_task_row        *row;
    int                 *costs; /* that are differentiated: the objective, then those of limits */
    int                  cost_count, all_costs;
    int                  limit_count;
    saltus_sequences     sequences;
    int                  starts;
    saltus_engine        engine;
    int                  intervals; /* of multiple shooting; 1: the motion is one run */
} sal_task;

/* Looks the names up; params NULL: the values of the model. */
saltus_status sal_task_read(sal_task *task, sal_arena *arena, const saltus_system *system,
                            const saltus_goal *goal, const double *params, saltus_error *err);
/* All parameters, with the unknowns x. */
void sal_task_params(const sal_task *task, const double *x, double *params);

#endif
