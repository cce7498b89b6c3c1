/* A study: all searches of one optimisation, what they share, and its result. optimise.c begins and
 * ends it, study.c performs searches, starts.c spreads their starts, sequences.c looks for one
 * optimum per sequence of events, optimum.c has the result. */
#ifndef SAL_ANSWER_STUDY_H
#define SAL_ANSWER_STUDY_H

#include <pthread.h>

#include "answer/local.h"
#include "answer/pool.h"

struct saltus_optimum {
    sal_arena            arena;
    const saltus_system *system;
    sal_task             task;
    saltus_optimum_info  info;
    double              *params, *costs;
    double              *multiplier; /* by limit */
    SAL_ARRAY(int) event;
    sal_local_border border[SAL_FENCES];
    SAL_ARRAY(saltus_optimum_row) row;
};

typedef struct sal_study {
    saltus_optimum                *result;
    const sal_task                *task;
    saltus_options                 run_options;
    const saltus_options          *asked; /* options that the caller gave */
    const saltus_optimise_options *options;
    int                            threads, searches;
    sal_landscape                  landscape[SAL_POOL_THREADS];
    bool                           is_open[SAL_POOL_THREADS];
    sal_local                     *local; /* results, by search */
    double                        *start; /* by search, n each */
    saltus_error                  *error; /* by worker */
    pthread_mutex_t                lock;  /* held while the caller's functions are called */
    bool is_stopped, is_ending;           /* is_ending: in the last run, which nothing stops */
} sal_study;

/* ---- searches (study.c) --------------------------------------------------------------------- */

/* The progress function of a run; the context is the study. */
int  sal_study_run_progress(void *context, double t, double t_end);
bool sal_study_is_stopped(sal_study *study);
/* The landscape of a worker, made when it is first needed; NULL: memory ran out. */
sal_landscape *sal_study_landscape(sal_study *study, int worker);
void           sal_study_release_sequences(sal_study *study);
/* Makes new searches with these starts and calls `perform` for each, on threads or shared with
 * other processes. Returns the first failure. */
saltus_status sal_study_perform(sal_study *study, sal_arena *arena, const double *start, int count,
                                void (*perform)(void *context, int worker, int index),
                                saltus_error *err);
/* Makes new searches with these starts and performs them. */
saltus_status sal_study_search(sal_study *study, sal_arena *arena, const double *start, int count,
                               saltus_error *err);
/* Fails with the reason why there is no motion at a start. */
saltus_status sal_study_tell_no_start(const sal_local *local, saltus_error *err);
/* The rank of the end of a search: 0 optimum, 1 other end, 3 infeasible, 4 no motion. Ranks up to 1
 * are better than others; then feasible points, then lower ones, then optima. */
int  sal_study_rank(const sal_local *local);
bool sal_study_is_better(const sal_local *a, const sal_local *b, double tolerance);
int  sal_study_best(const sal_study *study);

/* ---- starts (starts.c) ---------------------------------------------------------------------- */

/* Writes the given start, then a Latin hypercube over the bounds. */
void sal_starts_spread(const sal_task *task, int count, unsigned long long seed, double *start);
/* Removes starts that are identical to an earlier one. Returns how many remain. */
int sal_starts_drop_identical(int n, int count, double *start);

/* ---- sequences (sequences.c) ---------------------------------------------------------------- */

saltus_status sal_study_search_sequences(sal_study *study, sal_arena *arena, saltus_error *err);

/* ---- the result (optimum.c) ----------------------------------------------------------------- */

/* Writes the result of one of the searches. */
saltus_status sal_study_write_result(sal_study *study, int best, saltus_error *err);

#endif
