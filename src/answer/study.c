/* Searches of a study: progress, threads, sharing with other processes, and the choice of the
 * best. */
#include <math.h>
#include <string.h>

#include "answer/study.h"
#include "base/host.h"
#include "base/status.h"

enum { PATIENCE = 100 }; /* largest number of iterations of each search when there are many */

/* ---- one search ----------------------------------------------------------------------------- */

/* The context of the progress of one search. */
typedef struct reporter {
    sal_study *s;
    int        index, worker;
    double    *params;
} reporter;

int sal_study_run_progress(void *context, double t, double t_end)
{
    sal_study *s = context;
    pthread_mutex_lock(&s->lock);
    if (!s->is_stopped && s->asked->progress &&
        s->asked->progress(s->asked->progress_context, t, t_end))
        s->is_stopped = true;
    const int stop = s->is_stopped && !s->is_ending;
    pthread_mutex_unlock(&s->lock);
    return stop;
}

static int call_progress(void *context, const sal_sqp_progress *p)
{
    reporter            *r = context;
    sal_study           *s = r->s;
    const sal_landscape *l = &s->landscape[r->worker];
    sal_task_params(s->task, p->x, r->params);
    const saltus_optimise_progress progress = {.start = r->index,
                                               .starts = s->searches,
                                               .iteration = p->iteration,
                                               .runs = l->runs,
                                               .gradients = l->gradients,
                                               .value = p->f,
                                               .violation = p->violation,
                                               .kkt = p->kkt,
                                               .params = r->params};
    pthread_mutex_lock(&s->lock);
    if (!s->is_stopped && s->options->progress &&
        s->options->progress(s->options->progress_context, &progress))
        s->is_stopped = true;
    const int stop = s->is_stopped;
    pthread_mutex_unlock(&s->lock);
    return stop;
}

bool sal_study_is_stopped(sal_study *s)
{
    pthread_mutex_lock(&s->lock);
    const bool stop = s->is_stopped;
    pthread_mutex_unlock(&s->lock);
    return stop;
}

sal_landscape *sal_study_landscape(sal_study *s, int worker)
{
    if (!s->is_open[worker]) {
        s->is_open[worker] = true;
        sal_landscape_begin(&s->landscape[worker], s->task, &s->run_options, &s->error[worker]);
    }
    return s->error[worker].status ? NULL : &s->landscape[worker];
}

static void search_one(void *context, int worker, int index)
{
    HOLD_HOST;
    sal_study     *s = context;
    sal_landscape *l = sal_study_landscape(s, worker);
    sal_local     *local = &s->local[index];
    if (!l || sal_study_is_stopped(s)) {
        local->status = SALTUS_OPTIMUM_INTERRUPTED;
        local->ended = SAL_STOPPED;
        local->value = NAN;
        return;
    }
    WORK_ARENA(work, &l->arena.allocator);
    reporter r = {.s = s, .index = index, .worker = worker};
    r.params = ARENA_NEW(&work, s->task->param_count, double);
    if (!r.params) {
        sal_fail_memory(&local->error);
        return;
    }
    const bool              is_search = s->task->sequences == SALTUS_SEARCH_SEQUENCES;
    const sal_local_options options = {.tolerance = s->options->tolerance,
                                       .noise = s->run_options.rtol,
                                       .max_iterations =
                                           is_search && s->options->max_iterations > PATIENCE
                                               ? PATIENCE
                                               : s->options->max_iterations,
                                       .is_kept = s->task->sequences != SALTUS_FREE_SEQUENCE,
                                       .neighbours = is_search,
                                       .threads = s->searches == 1 ? s->threads : 1,
                                       .progress = call_progress,
                                       .context = &r};
    sal_local_search(l, &options, local);
}

void sal_study_release_sequences(sal_study *s)
{
    for (int i = 0; s->local && i < s->searches; i++)
        ARRAY_RELEASE(&s->task->system->allocator, &s->local[i].sequence);
}

/* ---- sharing -------------------------------------------------------------------------------- */

static size_t result_size(void *context, int index)
{
    const sal_study *s = context;
    return sal_local_size(&s->local[index], s->task);
}

static void save_result(void *context, int index, void *bytes)
{
    const sal_study *s = context;
    sal_local_save(&s->local[index], s->task, bytes);
}

static int load_result(void *context, int index, const void *bytes, size_t size)
{
    sal_study *s = context;
    return sal_local_load(&s->local[index], s->task, bytes, size);
}

static saltus_status first_error(const sal_study *s, saltus_error *err)
{
    for (int i = 0; i < s->threads; i++)
        if (s->error[i].status && !(err && err->status)) {
            if (err) *err = s->error[i];
            return s->error[i].status;
        }
    for (int i = 0; i < s->searches; i++)
        if (s->local[i].error.status == SALTUS_ERR_MEMORY) return sal_fail_memory(err);
    return SALTUS_OK;
}

/* Allocates a search for each start. */
static bool new_searches(sal_study *s, sal_arena *arena, const double *start, int count)
{
    const int n = s->task->n;
    s->searches = count;
    s->local = ARENA_NEW(arena, count, sal_local);
    for (int i = 0; !arena->failed && i < count; i++) {
        s->local[i].x = sal_arena_copy(arena, &start[(size_t)i * (size_t)n], n);
        s->local[i].y = ARENA_NEW(arena, s->task->rows, double);
        s->local[i].beyond = ARENA_NEW(arena, SAL_FENCES * n, double);
    }
    return !arena->failed;
}

saltus_status sal_study_perform(sal_study *s, sal_arena *arena, const double *start, int count,
                                void (*perform)(void *context, int worker, int index),
                                saltus_error *err)
{
    if (!new_searches(s, arena, start, count)) return sal_fail_memory(err);
    const saltus_job job = {.context = s,
                            .count = s->searches,
                            .threads = s->threads,
                            .perform = perform,
                            .size = result_size,
                            .save = save_result,
                            .load = load_result};
    if (!s->options->share) sal_pool_run(s->threads, s->searches, perform, s);
    else if (s->options->share(s->options->share_context, &job))
        return sal_fail(err, SALTUS_ERR_INTERRUPTED, "interrupted: the searches were not finished");
    for (int i = 0; i < s->searches; i++) {
        s->result->info.runs += s->local[i].runs;
        s->result->info.gradients += s->local[i].gradients;
    }
    return first_error(s, err);
}

/* ---- choosing among results ----------------------------------------------------------------- */

int sal_study_rank(const sal_local *l)
{
    if (l->ended == SAL_NO_START || isnan(l->value)) return 4;
    if (l->status == SALTUS_OPTIMUM_INFEASIBLE) return 3;
    return l->status <= SALTUS_OPTIMUM_KINK ? 0 : 1;
}

bool sal_study_is_better(const sal_local *a, const sal_local *b, double tolerance)
{
    const int rank = sal_study_rank(a), other = sal_study_rank(b);
    if ((rank > 1) != (other > 1)) return rank < other;
    const bool feasible = a->found.violation <= 10.0 * tolerance,
               is_feasible = b->found.violation <= 10.0 * tolerance;
    if (feasible != is_feasible) return feasible;
    if (a->value != b->value) return a->value < b->value;
    return rank < other;
}

int sal_study_best(const sal_study *s)
{
    int best = 0;
    for (int i = 1; i < s->searches; i++)
        if (sal_study_is_better(&s->local[i], &s->local[best], s->options->tolerance)) best = i;
    return best;
}

/* ---- all of them ---------------------------------------------------------------------------- */

saltus_status sal_study_search(sal_study *s, sal_arena *arena, const double *start, int count,
                               saltus_error *err)
{
    s->result->info.searches += count;
    return sal_study_perform(s, arena, start, count, search_one, err);
}

saltus_status sal_study_tell_no_start(const sal_local *l, saltus_error *err)
{
    if (!l->error.status)
        return sal_fail(err, SALTUS_ERR_INTERRUPTED,
                        "interrupted before the first motion was known");
    return sal_fail_at(err, l->error.status, l->error.file, l->error.line, "%s", l->error.message);
}
