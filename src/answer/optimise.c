/* Optimisation of a cost: searches from one or several starts, or one for each sequence of events.
 */
#include <math.h>
#include <string.h>

#include "answer/engine.h"
#include "answer/study.h"
#include "base/host.h"
#include "base/status.h"
#include "compile/system.h"
#include "saltus/saltus.h"

static saltus_status optimise_from_starts(sal_study *s, sal_arena *arena, saltus_error *err)
{
    const sal_task *t = s->task;
    double         *start = ARENA_NEW(arena, (size_t)t->starts * (size_t)t->n, double);
    if (arena->failed) return sal_fail_memory(err);
    sal_starts_spread(t, t->starts, s->options->seed, start);
    const int count = sal_starts_drop_identical(t->n, t->starts, start);
    TRY(sal_study_search(s, arena, start, count, err));
    const int best = sal_study_best(s);
    return sal_study_rank(&s->local[best]) == 4 ? sal_study_tell_no_start(&s->local[best], err)
                                                : sal_study_write_result(s, best, err);
}

/* ---- the call ------------------------------------------------------------------------------- */

saltus_optimise_options saltus_optimise_options_default(void)
{
    return (saltus_optimise_options){.size = sizeof(saltus_optimise_options),
                                     .tolerance = 1e-8,
                                     .max_iterations = 500,
                                     .seed = 1};
}

saltus_status saltus_engine_find(saltus_engine engine, saltus_error *err)
{
    if (err && err->status) return err->status;
    switch (engine) {
    case SALTUS_ENGINE_SQP: return SALTUS_OK;
    case SALTUS_ENGINE_NLOPT: return sal_engine_run_nlopt(NULL, err);
    case SALTUS_ENGINE_IPOPT: return sal_engine_run_ipopt(NULL, err);
    default: return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no engine %d", (int)engine);
    }
}

const char *saltus_optimum_status_name(saltus_optimum_status status)
{
    static const char *const names[] = {"converged", "border",     "kink",
                                        "limit",     "infeasible", "interrupted"};
    return (int)status >= 0 && (int)status < 6 ? names[status] : "";
}

saltus_goal saltus_system_goal(const saltus_system *system)
{
    if (!system) return (saltus_goal){0};
    const saltus_model *model = system->model;
    return (saltus_goal){.minimise = model->goal.minimise,
                         .over = model->over.data,
                         .over_count = model->over.count,
                         .limits = model->limits.data,
                         .limit_count = model->limits.count,
                         .starts = model->goal.starts,
                         .shooting = model->goal.shooting,
                         .engine = model->goal.engine,
                         .sequences = model->goal.sequences};
}

static saltus_status check_options(const saltus_optimise_options *options, saltus_error *err)
{
    if (options->size != sizeof *options)
        return sal_fail(
            err, SALTUS_ERR_ARGUMENT,
            "the options of an optimisation are not from saltus_optimise_options_default");
    if (!(options->tolerance > 0.0 && options->tolerance < 1.0) || options->max_iterations < 1)
        return sal_fail(err, SALTUS_ERR_ARGUMENT,
                        "optimise: tolerance is %g and max_iterations is %d", options->tolerance,
                        options->max_iterations);
    return SALTUS_OK;
}

static saltus_status perform(sal_study *s, saltus_error *err)
{
    WORK_ARENA(arena, &s->task->system->allocator);
    s->error = ARENA_NEW(&arena, s->threads, saltus_error);
    if (arena.failed) return sal_fail_memory(err);
    const saltus_status status = s->task->sequences == SALTUS_SEARCH_SEQUENCES
                                     ? sal_study_search_sequences(s, &arena, err)
                                     : optimise_from_starts(s, &arena, err);
    sal_study_release_sequences(s);
    for (int i = 0; i < s->threads; i++)
        if (s->is_open[i]) sal_landscape_end(&s->landscape[i]);
    return status;
}

/* Options of the runs, with a smaller tolerance than requested: the conditions of an optimum are
 * met to 1e-8 only if gradients are that exact. */
static saltus_options tighten(const saltus_options *asked, sal_study *s)
{
    saltus_options options = *asked;
    const double   tighter = fmin(1.0, 1e-10 / options.rtol);
    options.rtol *= tighter;
    options.atol *= tighter;
    options.progress = sal_study_run_progress;
    options.progress_context = s;
    return options;
}

static saltus_status start(saltus_optimum *o, const saltus_options *run_options,
                           const saltus_optimise_options *options, saltus_error *err)
{
    o->params = ARENA_NEW(&o->arena, o->task.param_count, double);
    o->costs = ARENA_NEW(&o->arena, o->task.all_costs, double);
    o->multiplier = ARENA_NEW(&o->arena, o->task.limit_count, double);
    sal_study *s = ARENA_NEW(&o->arena, 1, sal_study);
    if (o->arena.failed) return sal_fail_memory(err);
    *s = (sal_study){.result = o,
                     .task = &o->task,
                     .asked = run_options,
                     .options = options,
                     .threads = run_options->threads < 1                  ? 1
                                : run_options->threads > SAL_POOL_THREADS ? SAL_POOL_THREADS
                                                                          : run_options->threads};
    s->run_options = tighten(run_options, s);
    pthread_mutex_init(&s->lock, NULL);
    const saltus_status status = perform(s, err);
    pthread_mutex_destroy(&s->lock);
    return status;
}

saltus_optimum *saltus_optimise(const saltus_system *system, const saltus_options *run_options,
                                const saltus_goal *goal, const double *params,
                                const saltus_optimise_options *options, saltus_error *err)
{
    HOLD_HOST;
    saltus_error mine = {0};
    if (!err) err = &mine;
    if (err->status) return NULL;
    if (!system) {
        sal_fail(err, SALTUS_ERR_ARGUMENT, "an optimisation needs a system");
        return NULL;
    }
    const saltus_options          own_run = saltus_system_options(system);
    const saltus_goal             own_goal = saltus_system_goal(system);
    const saltus_optimise_options own = saltus_optimise_options_default();
    if (!run_options) run_options = &own_run;
    if (!goal) goal = &own_goal;
    if (!options) options = &own;
    if (check_options(options, err) != SALTUS_OK) return NULL;
    saltus_optimum *o = sal_resize(&system->allocator, NULL, 0, sizeof *o);
    if (!o) {
        sal_fail_memory(err);
        return NULL;
    }
    memset(o, 0, sizeof *o);
    o->system = system;
    sal_arena_init(&o->arena, &system->allocator);
    saltus_status status = sal_task_read(&o->task, &o->arena, system, goal, params, err);
    if (status == SALTUS_OK) status = start(o, run_options, options, err);
    if (status == SALTUS_OK) return o;
    saltus_optimum_free(o);
    return NULL;
}

void saltus_optimum_free(saltus_optimum *o)
{
    if (!o) return;
    const saltus_allocator allocator = o->arena.allocator;
    ARRAY_RELEASE(&allocator, &o->event);
    ARRAY_RELEASE(&allocator, &o->row);
    sal_arena_free(&o->arena);
    sal_resize(&allocator, o, sizeof *o, 0);
}
