/* Optimisation of a cost: searches from one or several starts, or one for each sequence of events.
 */
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "answer/local.h"
#include "answer/pool.h"
#include "base/host.h"
#include "base/status.h"
#include "compile/system.h"
#include "saltus/saltus.h"

enum {
    SPREAD = 20,    /* starts of a search for sequences, if nothing else is said */
    PROMISING = 3,  /* optima of each round whose neighbours are looked at */
    PATIENCE = 100, /* iterations of each search among many */
    SEQUENCES = 64, /* that are searched at most */
    MESSAGE = 512
};

struct saltus_optimum {
    sal_arena            arena;
    const saltus_system *system;
    sal_task             task;
    saltus_optimum_info  info;
    char                 message[MESSAGE];
    double              *params, *costs;
    double              *multiplier; /* by limit */
    SAL_ARRAY(int) event;
    sal_local_border border[SAL_FENCES];
    SAL_ARRAY(saltus_optimum_row) row;
};

/* ---- what searches share -------------------------------------------------------------------- */

typedef struct study {
    saltus_optimum                *result;
    const sal_task                *task;
    saltus_options                 run_options;
    const saltus_options          *asked; /* by the caller */
    const saltus_optimise_options *options;
    int                            threads, searches;
    sal_landscape                  landscape[SAL_POOL_THREADS];
    bool                           is_open[SAL_POOL_THREADS];
    sal_local                     *local;                 /* by search */
    double                        *start;                 /* by search, n each */
    saltus_error                  *error;                 /* by worker */
    pthread_mutex_t                lock;                  /* of the caller's functions */
    bool                           is_stopped, is_ending; /* nothing stops the last run */
} study;

/* One search of a study, for its progress. */
typedef struct reporter {
    study  *s;
    int     index, worker;
    double *params;
} reporter;

static int call_run_progress(void *context, double t, double t_end)
{
    study *s = context;
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
    study               *s = r->s;
    const sal_landscape *l = &s->landscape[r->worker];
    memcpy(r->params, s->task->params, (size_t)s->task->param_count * sizeof(double));
    for (int i = 0; i < s->task->n; i++) r->params[s->task->over[i]] = p->x[i];
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

static bool is_stopped(study *s)
{
    pthread_mutex_lock(&s->lock);
    const bool stop = s->is_stopped;
    pthread_mutex_unlock(&s->lock);
    return stop;
}

/* The landscape of a worker, made when it is first needed. */
static sal_landscape *landscape_of(study *s, int worker)
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
    study         *s = context;
    sal_landscape *l = landscape_of(s, worker);
    sal_local     *local = &s->local[index];
    const int      all = s->task->param_count;
    if (!l || is_stopped(s)) {
        local->status = SALTUS_OPTIMUM_INTERRUPTED;
        local->ended = SAL_STOPPED;
        local->value = NAN;
        return;
    }
    const saltus_allocator *allocator = &l->arena.allocator;
    reporter                r = {.s = s, .index = index, .worker = worker};
    r.params = sal_resize(allocator, NULL, 0, (size_t)(all + 1) * sizeof(double));
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
    sal_resize(allocator, r.params, (size_t)(all + 1) * sizeof(double), 0);
}

/* Makes room for `count` searches whose starts are written by the caller. */
static bool new_searches(study *s, sal_arena *arena, int count)
{
    const int n = s->task->n;
    s->searches = count;
    s->local = ARENA_NEW(arena, count, sal_local);
    for (int i = 0; !arena->failed && i < count; i++) {
        s->local[i].x = ARENA_NEW(arena, n, double);
        s->local[i].y = ARENA_NEW(arena, s->task->rows, double);
        s->local[i].beyond = ARENA_NEW(arena, SAL_FENCES * n, double);
    }
    return !arena->failed;
}

static void release_sequences(study *s)
{
    for (int i = 0; s->local && i < s->searches; i++)
        ARRAY_RELEASE(&s->task->system->allocator, &s->local[i].sequence);
}

/* ---- sharing -------------------------------------------------------------------------------- */

static size_t result_size(void *context, int index)
{
    const study *s = context;
    return sal_local_size(&s->local[index], s->task);
}

static void save_result(void *context, int index, void *bytes)
{
    const study *s = context;
    sal_local_save(&s->local[index], s->task, bytes);
}

static int load_result(void *context, int index, const void *bytes, size_t size)
{
    study *s = context;
    return sal_local_load(&s->local[index], s->task, bytes, size);
}

/* Performs all searches, here or also elsewhere. */
static saltus_status perform_all(study *s, void (*perform)(void *context, int worker, int index),
                                 saltus_error *err)
{
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
    return SALTUS_OK;
}

/* ---- starts --------------------------------------------------------------------------------- */

static unsigned long long next_random(unsigned long long *state)
{
    unsigned long long z = (*state += 0x9e3779b97f4a7c15ULL); /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

/* Where starts of an unknown are spread: its bounds, or half its size around its value. */
static void range_of(const sal_task *t, int i, double *lower, double *upper)
{
    const double value = t->params[t->over[i]];
    const double half = value != 0.0 ? 0.5 * fabs(value) : 1.0;
    *lower = isfinite(t->lower[i]) ? t->lower[i] : fmin(value, t->upper[i]) - half;
    *upper = isfinite(t->upper[i]) ? t->upper[i] : fmax(value, t->lower[i]) + half;
}

/* The given start, then a Latin hypercube: each unknown takes each of count - 1 parts of its range
 * once. */
static void spread(const sal_task *t, int count, unsigned long long seed, double *start)
{
    const int          n = t->n, parts = count - 1;
    unsigned long long state = seed;
    for (int i = 0; i < n; i++) start[i] = t->params[t->over[i]];
    for (int i = 0; i < n; i++) {
        double lower, upper;
        range_of(t, i, &lower, &upper);
        for (int k = 0; k < parts; k++) start[(k + 1) * n + i] = k;
        for (int k = parts - 1; k > 0; k--) {
            const int    other = (int)(next_random(&state) % (unsigned long long)(k + 1));
            const double kept = start[(k + 1) * n + i];
            start[(k + 1) * n + i] = start[(other + 1) * n + i];
            start[(other + 1) * n + i] = kept;
        }
        for (int k = 1; k <= parts; k++) {
            const double part = (double)(next_random(&state) >> 11) / 9007199254740992.0;
            start[k * n + i] = lower + (upper - lower) * (start[k * n + i] + part) / parts;
        }
    }
}

/* Starts that are the same as an earlier one are left out. Returns how many remain. */
static int drop_identical(int n, int count, double *start)
{
    int kept = 0;
    for (int k = 0; k < count; k++) {
        bool is_new = true;
        for (int j = 0; j < kept && is_new; j++)
            is_new = memcmp(&start[j * n], &start[k * n], (size_t)n * sizeof(double)) != 0;
        if (is_new) memmove(&start[kept++ * n], &start[k * n], (size_t)n * sizeof(double));
    }
    return kept;
}

/* ---- choosing among results ----------------------------------------------------------------- */

/* Optima come before points that are none, feasible points before others, then lower ones. */
static int rank_of(const sal_local *l)
{
    if (l->ended == SAL_NO_START || isnan(l->value)) return 4;
    if (l->status == SALTUS_OPTIMUM_INFEASIBLE) return 3;
    return l->status <= SALTUS_OPTIMUM_KINK ? 0 : 1;
}

static bool is_better(const sal_local *a, const sal_local *b, double tolerance)
{
    const int rank = rank_of(a), other = rank_of(b);
    if ((rank > 1) != (other > 1)) return rank < other;
    const bool feasible = a->violation <= 10.0 * tolerance,
               is_feasible = b->violation <= 10.0 * tolerance;
    if (feasible != is_feasible) return feasible;
    if (a->value != b->value) return a->value < b->value;
    return rank < other;
}

static int best_of(const study *s)
{
    int best = 0;
    for (int i = 1; i < s->searches; i++)
        if (is_better(&s->local[i], &s->local[best], s->options->tolerance)) best = i;
    return best;
}

/* ---- the result ----------------------------------------------------------------------------- */

static void set_params(const sal_task *t, const double *x, double *params)
{
    memcpy(params, t->params, (size_t)t->param_count * sizeof(double));
    for (int i = 0; i < t->n; i++) params[t->over[i]] = x[i];
}

static const char *limit_name(const saltus_optimum *o, int row)
{
    const sal_task *t = &o->task;
    return saltus_system_cost(o->system, t->costs[t->row[row].cost]).name;
}

static void write_message(saltus_optimum *o, const sal_local *l)
{
    char *to = o->message;
    *to = '\0';
    switch (l->ended) {
    case SAL_LIMIT:
        snprintf(to, MESSAGE, "%d iterations did not suffice: start from this point again",
                 l->iterations);
        break;
    case SAL_STALLED:
        if (l->status == SALTUS_OPTIMUM_LIMIT)
            snprintf(to, MESSAGE,
                     "no step lowers the cost, but the conditions of an optimum are met to %.1e "
                     "only: a smaller "
                     "tolerance of the runs may help",
                     l->kkt);
        break;
    case SAL_UNBOUNDED:
        snprintf(to, MESSAGE,
                 "the cost has no lower bound: it falls to %g and further; give bounds to the "
                 "parameters",
                 l->value);
        break;
    case SAL_INFEASIBLE: {
        const sal_task_row *row = l->worst >= 0 ? &o->task.row[l->worst] : NULL;
        if (row)
            snprintf(to, MESSAGE,
                     "the limits cannot be met near here: '%s' is %g, but should be %s %g; try "
                     "another start",
                     limit_name(o, l->worst), o->costs[o->task.costs[row->cost]],
                     l->worst < o->task.equations ? "equal to"
                     : row->sign > 0.0            ? "at least"
                                                  : "at most",
                     row->bound);
        break;
    }
    case SAL_STOPPED: snprintf(to, MESSAGE, "interrupted: this is the best point so far"); break;
    default: break;
    }
}

static saltus_status write_result(study *s, int best, saltus_error *err)
{
    saltus_optimum         *o = s->result;
    const sal_local        *l = &s->local[best];
    const sal_task         *t = s->task;
    const saltus_allocator *allocator = &o->arena.allocator;
    set_params(t, l->x, o->params);
    sal_landscape *landscape = landscape_of(s, 0);
    if (!landscape) return sal_fail_memory(err);
    landscape->is_kept = false;
    s->is_ending = true;
    for (int i = 0; i < t->all_costs; i++) o->costs[i] = NAN;
    if (sal_landscape_simulate(landscape, l->x) == SAL_EVALUATED) {
        memcpy(o->costs, landscape->cost, (size_t)t->all_costs * sizeof(double));
        for (int i = 0; i < landscape->sequence.count; i++)
            if (!ARRAY_PUSH(allocator, &o->event, landscape->sequence.data[i]))
                return sal_fail_memory(err);
    }
    memcpy(o->border, l->border, sizeof o->border);
    for (int k = 0; k < t->rows; k++)
        o->multiplier[t->row[k].limit] += l->y[k] * (k < t->equations ? 1.0 : t->row[k].sign);
    write_message(o, l);
    const bool was_stopped = is_stopped(s);
    if (was_stopped && !*o->message)
        snprintf(o->message, MESSAGE, "interrupted: this is the best point so far");
    const long long runs = o->info.runs, gradients = o->info.gradients;
    const int       searches = o->info.searches;
    o->info = (saltus_optimum_info){.status = was_stopped ? SALTUS_OPTIMUM_INTERRUPTED : l->status,
                                    .message = o->message,
                                    .value = l->value,
                                    .start_value = s->local[0].start_value,
                                    .violation = l->violation,
                                    .kkt = l->kkt,
                                    .iterations = l->iterations,
                                    .runs = runs,
                                    .gradients = gradients,
                                    .searches = searches,
                                    .params = t->param_count,
                                    .costs = t->all_costs,
                                    .events = o->event.count,
                                    .borders = l->borders,
                                    .optima = o->row.count};
    return SALTUS_OK;
}

static void count_work(study *s)
{
    for (int i = 0; i < s->searches; i++) {
        s->result->info.runs += s->local[i].runs;
        s->result->info.gradients += s->local[i].gradients;
    }
    s->result->info.searches += s->searches;
}

static saltus_status first_error(const study *s, saltus_error *err)
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

/* ---- one search, or several ----------------------------------------------------------------- */

static saltus_status search_all(study *s, sal_arena *arena, const double *start, int count,
                                saltus_error *err)
{
    if (!new_searches(s, arena, count)) return sal_fail_memory(err);
    for (int i = 0; i < count; i++)
        memcpy(s->local[i].x, &start[i * s->task->n], (size_t)s->task->n * sizeof(double));
    TRY(perform_all(s, search_one, err));
    count_work(s);
    return first_error(s, err);
}

/* Not even one motion. */
static saltus_status tell_no_start(const sal_local *l, saltus_error *err)
{
    if (!l->error.status)
        return sal_fail(err, SALTUS_ERR_INTERRUPTED,
                        "interrupted before the first motion was known");
    return sal_fail_at(err, l->error.status, l->error.file, l->error.line, "%s", l->error.message);
}

static saltus_status optimise_from_starts(study *s, sal_arena *arena, saltus_error *err)
{
    const sal_task *t = s->task;
    double         *start = ARENA_NEW(arena, t->starts * t->n, double);
    if (arena->failed) return sal_fail_memory(err);
    spread(t, t->starts, s->options->seed, start);
    const int     count = drop_identical(t->n, t->starts, start);
    saltus_status status = search_all(s, arena, start, count, err);
    if (status == SALTUS_OK) {
        const int best = best_of(s);
        if (rank_of(&s->local[best]) == 4) {
            status = tell_no_start(&s->local[best], err);
        } else {
            status = write_result(s, best, err);
        }
    }
    release_sequences(s);
    return status;
}

/* ---- one search per sequence ---------------------------------------------------------------- */

typedef struct pieces {
    SAL_ARRAY(long long) seen;
} pieces;

static bool is_seen(const pieces *p, long long piece)
{
    for (int i = 0; i < p->seen.count; i++)
        if (p->seen.data[i] == piece) return true;
    return false;
}

static void simulate_one(void *context, int worker, int index)
{
    HOLD_HOST;
    study         *s = context;
    sal_landscape *l = landscape_of(s, worker);
    sal_local     *local = &s->local[index];
    local->ended = SAL_NO_START;
    if (!l || is_stopped(s)) return;
    l->is_kept = false;
    l->runs = 0;
    const sal_evaluation got = sal_landscape_simulate(l, local->x);
    local->runs = l->runs;
    local->error = l->error;
    if (got != SAL_EVALUATED) return;
    local->ended = SAL_CONVERGED;
    local->value = l->cost[s->task->costs[0]];
    local->piece = l->piece;
}

/* Of the points, the lowest of each sequence that was not seen yet; they become the first ones of
 * the list. */
static saltus_status choose_starts(study *s, sal_arena *arena, pieces *p, double *point, int *count,
                                   saltus_error *err)
{
    const int n = s->task->n;
    int       kept = 0;
    if (!new_searches(s, arena, *count)) return sal_fail_memory(err);
    for (int i = 0; i < *count; i++)
        memcpy(s->local[i].x, &point[i * n], (size_t)n * sizeof(double));
    TRY(perform_all(s, simulate_one, err));
    for (int i = 0; i < *count; i++) s->result->info.runs += s->local[i].runs;
    TRY(first_error(s, err));
    for (int i = 0; i < *count && p->seen.count < SEQUENCES; i++) {
        const sal_local *l = &s->local[i];
        int              lowest = i;
        if (l->ended != SAL_CONVERGED || is_seen(p, l->piece)) continue;
        for (int j = i + 1; j < *count; j++)
            if (s->local[j].ended == SAL_CONVERGED && s->local[j].piece == l->piece &&
                s->local[j].value < s->local[lowest].value)
                lowest = j;
        if (!ARRAY_PUSH(&arena->allocator, &p->seen, l->piece)) return sal_fail_memory(err);
        memcpy(&point[kept++ * n], s->local[lowest].x, (size_t)n * sizeof(double));
    }
    *count = kept;
    return SALTUS_OK;
}

static saltus_status add_rows(study *s, saltus_error *err)
{
    saltus_optimum *o = s->result;
    for (int i = 0; i < s->searches; i++) {
        const sal_local *l = &s->local[i];
        if (rank_of(l) > 1) continue;
        double *params = ARENA_NEW(&o->arena, s->task->param_count, double);
        int    *event = ARENA_NEW(&o->arena, l->sequence.count, int);
        if (!params || !event) return sal_fail_memory(err);
        set_params(s->task, l->x, params);
        if (l->sequence.count)
            memcpy(event, l->sequence.data, (size_t)l->sequence.count * sizeof(int));
        const saltus_optimum_row row = {l->status, l->value, params, l->sequence.count, event};
        if (!ARRAY_PUSH(&o->arena.allocator, &o->row, row)) return sal_fail_memory(err);
        for (int k = o->row.count - 1; k > 0 && o->row.data[k].value < o->row.data[k - 1].value;
             k--) {
            const saltus_optimum_row kept = o->row.data[k];
            o->row.data[k] = o->row.data[k - 1];
            o->row.data[k - 1] = kept;
        }
    }
    return SALTUS_OK;
}

/* Keeps the best search of all rounds. */
static saltus_status keep_best(study *s, sal_local *best, sal_arena *arena, saltus_error *err)
{
    const sal_local *l = &s->local[best_of(s)];
    if (best->x && !is_better(l, best, s->options->tolerance)) return SALTUS_OK;
    *best = *l;
    memset(&best->sequence, 0, sizeof best->sequence);
    best->x = ARENA_NEW(arena, s->task->n, double);
    best->y = ARENA_NEW(arena, s->task->rows, double);
    if (arena->failed) return sal_fail_memory(err);
    memcpy(best->x, l->x, (size_t)s->task->n * sizeof(double));
    if (s->task->rows) memcpy(best->y, l->y, (size_t)s->task->rows * sizeof(double));
    return SALTUS_OK;
}

/* Whether the neighbours of a search may have lower optima: it ended at a border, or is one of the
 * lowest. */
static bool is_promising(const study *s, int index)
{
    const sal_local *l = &s->local[index];
    int              lower = 0;
    if (l->status == SALTUS_OPTIMUM_BORDER) return true;
    for (int i = 0; i < s->searches; i++)
        lower += is_better(&s->local[i], l, s->options->tolerance);
    return lower < PROMISING;
}

/* Points beyond the borders of promising searches are the candidates of the next round. */
static double *next_points(const study *s, sal_arena *arena, int *count)
{
    const int n = s->task->n;
    double   *point = ARENA_NEW(arena, s->searches * SAL_FENCES * n, double);
    *count = 0;
    for (int i = 0; point && i < s->searches; i++)
        for (int k = 0; is_promising(s, i) && k < s->local[i].beyonds; k++)
            memcpy(&point[(*count)++ * n], &s->local[i].beyond[k * n], (size_t)n * sizeof(double));
    return point;
}

static saltus_status search_rounds(study *s, sal_arena *arena, pieces *seen, sal_local *best,
                                   saltus_error *err)
{
    int     count = s->task->starts > 1 ? s->task->starts : SPREAD;
    double *point = ARENA_NEW(arena, count * s->task->n, double);
    if (arena->failed) return sal_fail_memory(err);
    spread(s->task, count, s->options->seed, point);
    while (count > 0 && !is_stopped(s)) {
        TRY(choose_starts(s, arena, seen, point, &count, err));
        if (count == 0 && !best->x && s->searches > 0) { /* not even one motion */
            return tell_no_start(&s->local[0], err);
        }
        if (count == 0) break;
        saltus_status status = search_all(s, arena, point, count, err);
        if (status == SALTUS_OK) status = add_rows(s, err);
        if (status == SALTUS_OK) status = keep_best(s, best, arena, err);
        if (status == SALTUS_OK) {
            point = next_points(s, arena, &count);
            if (!point) status = sal_fail_memory(err);
        }
        release_sequences(s);
        TRY(status);
    }
    return SALTUS_OK;
}

static saltus_status optimise_sequences(study *s, sal_arena *arena, saltus_error *err)
{
    pieces        seen = {{0}};
    sal_local     best = {.x = NULL};
    saltus_status status = search_rounds(s, arena, &seen, &best, err);
    ARRAY_RELEASE(&arena->allocator, &seen.seen);
    if (status == SALTUS_OK && !best.x)
        status = sal_fail(err, SALTUS_ERR_INTERRUPTED, "interrupted before the first search began");
    if (status != SALTUS_OK) return status;
    s->local = &best;
    s->searches = 1;
    return write_result(s, 0, err);
}

/* ---- the call ------------------------------------------------------------------------------- */

saltus_optimise_options saltus_optimise_options_default(void)
{
    return (saltus_optimise_options){.size = sizeof(saltus_optimise_options),
                                     .tolerance = 1e-8,
                                     .max_iterations = 500,
                                     .seed = 1};
}

const char *saltus_optimum_status_name(saltus_optimum_status status)
{
    static const char *const names[] = {"converged", "border",     "kink",
                                        "limit",     "infeasible", "interrupted"};
    return (int)status >= 0 && (int)status < 6 ? names[status] : "?";
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

static saltus_status perform(study *s, saltus_error *err)
{
    sal_arena     arena;
    saltus_status status = SALTUS_OK;
    sal_arena_init(&arena, &s->task->system->allocator);
    s->error = ARENA_NEW(&arena, s->threads, saltus_error);
    if (arena.failed) status = sal_fail_memory(err);
    else if (s->task->sequences == SALTUS_SEARCH_SEQUENCES)
        status = optimise_sequences(s, &arena, err);
    else status = optimise_from_starts(s, &arena, err);
    for (int i = 0; i < s->threads; i++)
        if (s->is_open[i]) sal_landscape_end(&s->landscape[i]);
    sal_arena_free(&arena);
    return status;
}

/* Runs are a little more exact than asked for: conditions of an optimum are met to 1e-8 only if
 * gradients are. */
static saltus_options tighten(const saltus_options *asked, study *s)
{
    saltus_options options = *asked;
    const double   tighter = fmin(1.0, 1e-10 / options.rtol);
    options.rtol *= tighter;
    options.atol *= tighter;
    options.progress = call_run_progress;
    options.progress_context = s;
    return options;
}

static saltus_status start(saltus_optimum *o, const saltus_options *run_options,
                           const saltus_optimise_options *options, saltus_error *err)
{
    o->params = ARENA_NEW(&o->arena, o->task.param_count, double);
    o->costs = ARENA_NEW(&o->arena, o->task.all_costs, double);
    o->multiplier = ARENA_NEW(&o->arena, o->task.limit_count, double);
    study *s = ARENA_NEW(&o->arena, 1, study);
    if (o->arena.failed) return sal_fail_memory(err);
    *s = (study){.result = o,
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

/* ---- reading back --------------------------------------------------------------------------- */

saltus_optimum_info saltus_optimum_get_info(const saltus_optimum *o)
{
    return o ? o->info
             : (saltus_optimum_info){.status = SALTUS_OPTIMUM_LIMIT,
                                     .message = "",
                                     .value = NAN,
                                     .start_value = NAN,
                                     .violation = NAN,
                                     .kkt = NAN};
}

const double *saltus_optimum_params(const saltus_optimum *o) { return o ? o->params : NULL; }

const double *saltus_optimum_costs(const saltus_optimum *o) { return o ? o->costs : NULL; }

int saltus_optimum_is_over(const saltus_optimum *o, int param)
{
    for (int i = 0; o && i < o->task.n; i++)
        if (o->task.over[i] == param) return 1;
    return 0;
}

const char *saltus_optimum_event(const saltus_optimum *o, int index)
{
    const bool has = o && index >= 0 && index < o->event.count;
    return has ? saltus_system_event(o->system, o->event.data[index]).name : "";
}

saltus_border saltus_optimum_border(const saltus_optimum *o, int index)
{
    if (!o || index < 0 || index >= o->info.borders) return (saltus_border){"", "", "", NAN, NAN};
    const sal_local_border *b = &o->border[index];
    const int               second = b->what.second;
    return (saltus_border){.kind = saltus_clearance_kind_name(b->what.kind),
                           .first = b->what.kind == SALTUS_CLEAR_PEAK
                                        ? saltus_system_cost(o->system, b->what.first).name
                                        : saltus_system_event(o->system, b->what.first).name,
                           .second = second < 0 ? "" : saltus_system_event(o->system, second).name,
                           .distance = b->distance,
                           .multiplier = b->multiplier};
}

double saltus_optimum_multiplier(const saltus_optimum *o, int limit)
{
    return o && limit >= 0 && limit < o->task.limit_count ? o->multiplier[limit] : NAN;
}

saltus_optimum_row saltus_optimum_get_row(const saltus_optimum *o, int index)
{
    const bool has = o && index >= 0 && index < o->row.count;
    return has ? o->row.data[index]
               : (saltus_optimum_row){.status = SALTUS_OPTIMUM_LIMIT, .value = NAN};
}
