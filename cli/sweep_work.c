/* Computes the points of a sweep: threads take one point after the other, each on a run of its own,
 * and the calling thread writes what is done, a batch at a time. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sweep.h"
#include "text.h"

/* Seconds between transactions: a part of the time that has passed, within limits. */
static const double BATCH_PART = 0.05, BATCH_SHORTEST = 0.01, BATCH_LONGEST = 0.5;
enum { BATCH_ROWS = 4096 }; /* that are written without waiting, and twice that wait */

typedef struct sweeper sweeper;

typedef struct worker {
    sweeper     *sweeper;
    saltus_run  *run;
    double      *params;
    saltus_error error; /* why it cannot go on */
    pthread_t    thread;
} worker;

struct sweeper {
    cli_sweep      *sweep;
    cli_work        work;
    double          start; /* when it began, in seconds */
    int             next;  /* in the work */
    int             working;
    cli_sweep_row  *done; /* and not written */
    int             count, capacity;
    atomic_int      stopped;
    pthread_mutex_t lock;
    pthread_cond_t  news, room;
};

void cli_sweep_row_free(cli_sweep_row *row)
{
    free(row->message);
    free(row->sequence);
    free(row->value);
}

/* ---- one point ------------------------------------------------------------------------------ */

static int is_stopped(void *context, double t, double t_end)
{
    const sweeper *all = context;
    (void)t, (void)t_end;
    return cli_interrupted() || atomic_load(&all->stopped);
}

/* "floor*3, wall, floor" */
static void read_events(const cli_sweep *sweep, const saltus_run *run, cli_sweep_row *row)
{
    const cli_columns *c = &sweep->columns;
    char              *text;
    size_t             size;
    FILE              *stream = cli_memory_open(&text, &size);
    for (int i = 0, same; i < row->events; i += same) {
        const saltus_occurrence event = saltus_run_event(run, i);
        for (same = 1;
             i + same < row->events && saltus_run_event(run, i + same).event == event.event;)
            same++;
        fprintf(stream, "%s%s", i ? ", " : "", event.name);
        if (same > 1) fprintf(stream, "*%d", same);
        for (int k = 0; k < c->events; k++)
            if (c->event[k] == event.event) row->value[k] += same;
    }
    cli_memory_close(stream, &text);
    row->sequence = text;
}

static void read_finals(const cli_sweep *sweep, saltus_run *run, double *value)
{
    const cli_columns *c = &sweep->columns;
    const saltus_size  size = sweep->session.size;
    saltus_row         last;
    saltus_error       err = {0};
    if (c->finals && saltus_run_final(run, &last, &err) == SALTUS_OK)
        for (int i = 0; i < c->finals; i++) {
            const int n = size.coordinates, k = c->final[i];
            value[i] = k < n                       ? last.q[k]
                       : k < 2 * n                 ? last.v[k - n]
                       : k < 2 * n + size.memories ? last.c[k - 2 * n]
                                                   : last.output[k - 2 * n - size.memories];
        }
}

static void note_error(cli_sweep_row *row, const saltus_error *err, saltus_status status,
                       const char *message)
{
    if (row->error) return;
    row->error = err->status ? err->status : status;
    row->message = cli_valid_utf8(err->status ? err->message : message);
}

/* A normal distribution does not know bounds. */
static int is_inside(const worker *w, saltus_error *err)
{
    const cli_sweep *sweep = w->sweeper->sweep;
    for (int i = 0; i < sweep->plan.params; i++) {
        const int               index = sweep->plan.param[i];
        const saltus_param_info param = saltus_system_param(sweep->session.system, index);
        if (!(w->params[index] >= param.lower && w->params[index] <= param.upper))
            return cli_misuse(err, "parameter '%s' = %g is outside of its bounds [%g, %g]",
                              param.name, w->params[index], param.lower, param.upper);
    }
    return 1;
}

/* The whole row; what could not be computed stays NaN. */
static void compute_row(worker *w, cli_sweep_row *row)
{
    const cli_sweep   *sweep = w->sweeper->sweep;
    const cli_session *s = &sweep->session;
    const cli_columns *c = &sweep->columns;
    const int          numbers = c->count - c->params;
    saltus_error       err = {0};
    row->value = cli_alloc((size_t)numbers + 1, sizeof *row->value);
    for (int i = c->events; i < numbers; i++) row->value[i] = NAN;
    row->t_end = NAN;
    if (!is_inside(w, &err) || saltus_run_simulate(w->run, w->params, &err) != SALTUS_OK) {
        note_error(row, &err, SALTUS_OK, "");
        return;
    }
    const saltus_run_info *info = saltus_run_get_info(w->run);
    const saltus_status    status = cli_outcome_status(info->outcome);
    row->end = cli_run_end(s->system, info);
    row->events = info->events;
    row->t_end = info->t;
    read_events(sweep, w->run, row);
    saltus_run_costs(w->run, row->value + c->events, &err);
    read_finals(sweep, w->run, row->value + c->events + c->costs);
    if (status) note_error(row, &err, status, info->message);
    if (!status && c->derivatives) {
        const saltus_request request = {.method = s->arguments->method[0],
                                        .params = s->params.index,
                                        .param_count = s->params.count};
        saltus_run_gradients(w->run, &request, row->value + numbers - c->derivatives, NULL, NULL,
                             &err);
    }
    if (err.status) note_error(row, &err, SALTUS_OK, "");
}

/* ---- threads -------------------------------------------------------------------------------- */

/* The place of the next point in the work, -1: there is none, or nobody wants it. */
static int take(sweeper *all, worker *w, cli_sweep_row *row)
{
    const cli_plan *plan = &all->sweep->plan;
    int             taken = 0;
    pthread_mutex_lock(&all->lock);
    while (all->count >= 2 * BATCH_ROWS && !is_stopped(all, 0.0, 0.0))
        pthread_cond_wait(&all->room, &all->lock);
    if (all->next < all->work.count && !is_stopped(all, 0.0, 0.0)) {
        const double *value = all->work.value + (size_t)all->next * (size_t)plan->params;
        *row = (cli_sweep_row){.point = all->work.point[all->next++]};
        for (int k = 0; k < plan->params; k++) w->params[plan->param[k]] = value[k];
        taken = 1;
    }
    pthread_mutex_unlock(&all->lock);
    return taken;
}

static void give(sweeper *all, const cli_sweep_row *row)
{
    pthread_mutex_lock(&all->lock);
    all->done = cli_grow(all->done, all->count, &all->capacity, sizeof *all->done);
    all->done[all->count++] = *row;
    if (all->count >= BATCH_ROWS) pthread_cond_signal(&all->news);
    pthread_mutex_unlock(&all->lock);
}

/* What a signal or a lack of memory cut short is no result. */
static int is_result(worker *w, const cli_sweep_row *row)
{
    if (row->error == SALTUS_ERR_MEMORY && !w->error.status)
        cli_fail(&w->error, row->error, "%s", row->message);
    return row->error != SALTUS_ERR_MEMORY && row->error != SALTUS_ERR_INTERRUPTED;
}

static void *run_worker(void *context)
{
    worker       *w = context;
    sweeper      *all = w->sweeper;
    cli_sweep_row row;
    while (!w->error.status && take(all, w, &row)) {
        compute_row(w, &row);
        if (is_result(w, &row)) give(all, &row);
        else cli_sweep_row_free(&row);
    }
    if (w->error.status) atomic_store(&all->stopped, 1);
    pthread_mutex_lock(&all->lock);
    all->working--;
    pthread_cond_signal(&all->news);
    pthread_cond_broadcast(&all->room);
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

/* Its run and its parameters, those of the session where the sweep says nothing. */
static int prepare(worker *w, sweeper *all)
{
    cli_session   *s = &all->sweep->session;
    saltus_options options = s->options;
    *w = (worker){.sweeper = all};
    options.threads = 1;
    options.progress = is_stopped;
    options.progress_context = all;
    w->params = cli_alloc((size_t)s->size.params + 1, sizeof *w->params);
    for (int i = 0; i < s->size.params; i++) w->params[i] = saltus_system_param(s->system, i).value;
    w->run = saltus_run_new(s->system, &options, &s->error);
    return w->run != NULL;
}

/* ---- writing -------------------------------------------------------------------------------- */

/* Another process works here too, and was faster with some points: go on elsewhere. */
static void look_elsewhere(sweeper *all)
{
    cli_work left = {0};
    if (!cli_store_missing(all->sweep, &left)) return;
    const int       params = all->sweep->plan.params;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    pthread_mutex_lock(&all->lock);
    cli_work mixed = {.count = left.count};
    mixed.point = cli_alloc((size_t)left.count + 1, sizeof *mixed.point);
    mixed.value = cli_alloc((size_t)left.count * (size_t)params + 1, sizeof *mixed.value);
    const int first =
        left.count ? (int)((unsigned long)now.tv_nsec / 1000u % (unsigned)left.count) : 0;
    for (int i = 0; i < left.count; i++) {
        const int from = (i + first) % left.count;
        mixed.point[i] = left.point[from];
        memcpy(mixed.value + (size_t)i * (size_t)params, left.value + (size_t)from * (size_t)params,
               (size_t)params * sizeof *mixed.value);
    }
    cli_work_free(&all->work);
    all->work = mixed;
    all->next = 0;
    pthread_mutex_unlock(&all->lock);
    cli_work_free(&left);
}

static int by_point(const void *a, const void *b)
{
    const int p = ((const cli_sweep_row *)a)->point, q = ((const cli_sweep_row *)b)->point;
    return (p > q) - (p < q);
}

static void write_batch(sweeper *all, cli_sweep_row *rows, int count)
{
    cli_sweep *sweep = all->sweep;
    int        others = 0;
    qsort(rows, (size_t)count, sizeof *rows, by_point);
    if (count && !sweep->session.error.status) {
        if (cli_store_write(sweep, rows, count, &others)) sweep->computed += count - others;
        else atomic_store(&all->stopped, 1);
        if (others && !sweep->session.error.status) look_elsewhere(all);
    }
    for (int i = 0; i < count; i++) cli_sweep_row_free(&rows[i]);
    free(rows);
}

/* Waits for a batch, and takes it; returns 0 after the last one. */
static int take_batch(sweeper *all, cli_sweep_row **rows, int *count)
{
    struct timespec until;
    const double    passed = BATCH_PART * (cli_seconds() - all->start);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(1e9 * fmin(fmax(passed, BATCH_SHORTEST), BATCH_LONGEST));
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&all->lock);
    while (all->working && all->count < BATCH_ROWS &&
           pthread_cond_timedwait(&all->news, &all->lock, &until) != ETIMEDOUT)
        ;
    *rows = all->done;
    *count = all->count;
    const int more = all->working || all->count;
    all->done = NULL;
    all->count = all->capacity = 0;
    pthread_cond_broadcast(&all->room);
    pthread_mutex_unlock(&all->lock);
    return more;
}

static void write_all(sweeper *all)
{
    cli_sweep     *sweep = all->sweep;
    cli_progress  *progress = &sweep->session.progress;
    const int      total = all->work.count;
    cli_sweep_row *rows;
    for (int count; take_batch(all, &rows, &count);) {
        write_batch(all, rows, count);
        cli_progress_count(progress, sweep->computed, total);
    }
}

/* How many of them have begun. */
static int start_workers(sweeper *all, worker *workers, int count)
{
    cli_session *s = &all->sweep->session;
    int          begun = 0;
    all->working = count;
    while (begun < count &&
           pthread_create(&workers[begun].thread, NULL, run_worker, &workers[begun]) == 0)
        begun++;
    pthread_mutex_lock(&all->lock);
    all->working -= count - begun;
    pthread_mutex_unlock(&all->lock);
    if (count && !begun) cli_fail(&s->error, SALTUS_ERR_MEMORY, "no thread can be started");
    return begun;
}

static void compute(sweeper *all, worker *workers, int threads)
{
    cli_session *s = &all->sweep->session;
    int          prepared = 0;
    while (prepared < threads && prepare(&workers[prepared], all)) prepared++;
    const int begun = s->error.status ? 0 : start_workers(all, workers, prepared);
    write_all(all);
    for (int i = 0; i < begun; i++) pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < threads; i++) {
        if (workers[i].error.status && !s->error.status) s->error = workers[i].error;
        saltus_run_free(workers[i].run);
        free(workers[i].params);
    }
}

void cli_sweep_compute(cli_sweep *sweep)
{
    cli_session *s = &sweep->session;
    sweeper      all = {.sweep = sweep, .start = cli_seconds()};
    if (!cli_store_missing(sweep, &all.work)) return;
    int threads = s->arguments->threads < all.work.count ? s->arguments->threads : all.work.count;
    worker *workers = cli_alloc((size_t)threads + 1, sizeof *workers);
    pthread_mutex_init(&all.lock, NULL);
    pthread_cond_init(&all.news, NULL);
    pthread_cond_init(&all.room, NULL);
    cli_session_progress(s, "sweeping");
    compute(&all, workers, threads);
    cli_progress_end(&s->progress);
    pthread_cond_destroy(&all.news);
    pthread_cond_destroy(&all.room);
    pthread_mutex_destroy(&all.lock);
    free(workers);
    cli_work_free(&all.work);
    sweep->seconds = cli_seconds() - all.start;
}
