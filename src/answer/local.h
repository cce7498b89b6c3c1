/* One search from one start: the optimum, and points beyond the borders of its sequence of
 * events. */
#ifndef SAL_ANSWER_LOCAL_H
#define SAL_ANSWER_LOCAL_H

#include "answer/landscape.h"

typedef struct sal_local_border {
    sal_fence what;
    double    distance, multiplier;
} sal_local_border;

/* The result of a search. The caller allocates x, y and beyond. */
typedef struct sal_local {
    saltus_optimum_status status;
    sal_solve_status      ended;
    double               *x;      /* n: the start, then the best point */
    double               *y;      /* by row of the task */
    double               *beyond; /* SAL_FENCES x n: points of other sequences */
    int                   beyonds;
    double                value, start_value;
    sal_sqp_result        found;      /* result of the last search */
    int                   beside;     /* the soft border beyond which the cost falls, or -1 */
    int                   iterations; /* in all searches */
    long long             runs, gradients, piece;
    int                   borders;
    sal_local_border      border[SAL_FENCES];
    SAL_ARRAY(int) sequence; /* the events of the sequence, by their numbers */
    saltus_error error;      /* why there is no motion at the start; or memory ran out */
} sal_local;

typedef struct sal_local_options {
    double tolerance, noise;
    int    max_iterations;
    bool   is_kept;    /* keep the sequence of the start */
    bool   neighbours; /* look for points beyond the borders */
    int    threads;    /* for the intervals of multiple shooting */
    int (*progress)(void *context, const sal_sqp_progress *progress);
    void *context;
} sal_local_options;

void sal_local_search(sal_landscape *landscape, const sal_local_options *options, sal_local *local);

/* A result as bytes, for another process of the program. Loading needs a result whose arrays have
 * the size for the task; it returns false if memory runs out or the bytes do not fit. */
size_t sal_local_size(const sal_local *local, const sal_task *task);
void   sal_local_save(const sal_local *local, const sal_task *task, void *bytes);
bool   sal_local_load(sal_local *local, const sal_task *task, const void *bytes, size_t size);

#endif
