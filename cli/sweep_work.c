/* Computes the points of a sweep: they are distributed (deal.h), each thread has a run of its own,
 * and results are written in batches. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "deal.h"
#include "sweep.h"
#include "text.h"

typedef struct worker {
    saltus_run *run;
    double     *params;
} worker;

typedef struct sweeper {
    cli_deal        deal;
    cli_sweep      *sweep;
    cli_work        work;
    int             next; /* next place in the work, counted from `first` on */
    int             first;
    pthread_mutex_t lock;  /* protects work, next and first */
    int             total; /* size of the work at the start */
    worker         *worker;
} sweeper;

static void free_row(cli_sweep_row *row)
{
    free(row->end);
    free(row->message);
    free(row->sequence);
    free(row->value);
}

/* ---- one point ------------------------------------------------------------------------------ */

static int is_stopped(void *context, double t, double t_end)
{
    (void)t, (void)t_end;
    return cli_deal_is_stopped(context);
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

/* Whether the point is within bounds; a normal distribution may exceed them. */
static int is_inside(const cli_sweep *sweep, const worker *w, saltus_error *err)
{
    for (int i = 0; i < sweep->plan.params; i++) {
        const int               index = sweep->plan.param[i];
        const saltus_param_info param = saltus_system_param(sweep->session.system, index);
        if (!(w->params[index] >= param.lower && w->params[index] <= param.upper))
            return cli_misuse(err, "parameter '%s' = %g is outside of its bounds [%g, %g]",
                              param.name, w->params[index], param.lower, param.upper);
    }
    return 1;
}

/* Computes a row; numbers that cannot be computed stay NaN. */
static void compute_row(const cli_sweep *sweep, worker *w, cli_sweep_row *row)
{
    const cli_session *s = &sweep->session;
    const cli_columns *c = &sweep->columns;
    const int          numbers = c->count - c->params;
    saltus_error       err = {0};
    row->value = cli_alloc((size_t)numbers + 1, sizeof *row->value);
    for (int i = c->events; i < numbers; i++) row->value[i] = NAN;
    row->t_end = NAN;
    if (!is_inside(sweep, w, &err) || saltus_run_simulate(w->run, w->params, &err) != SALTUS_OK) {
        note_error(row, &err, SALTUS_OK, "");
        return;
    }
    const saltus_run_info *info = saltus_run_get_info(w->run);
    const saltus_status    status = cli_outcome_status(info->outcome);
    row->end = cli_copy(cli_run_end(s->system, info));
    row->events = info->events;
    row->steps = info->steps + info->rejected;
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

/* ---- rows as packets ------------------------------------------------------------------------ */

static void put_row(cli_packet *p, const cli_sweep_row *row, int numbers)
{
    cli_packet_put_int(p, row->point);
    cli_packet_put_int(p, (int)row->error);
    cli_packet_put_int(p, row->events);
    cli_packet_put(p, &row->t_end, sizeof row->t_end);
    cli_packet_put(p, &row->steps, sizeof row->steps);
    cli_packet_put_text(p, row->end);
    cli_packet_put_text(p, row->message);
    cli_packet_put_text(p, row->sequence);
    cli_packet_put(p, row->value, (size_t)numbers * sizeof *row->value);
}

static cli_sweep_row get_row(cli_packet *p, int numbers)
{
    cli_sweep_row row = {.point = cli_packet_get_int(p)};
    row.error = (saltus_status)cli_packet_get_int(p);
    row.events = cli_packet_get_int(p);
    cli_packet_get(p, &row.t_end, sizeof row.t_end);
    cli_packet_get(p, &row.steps, sizeof row.steps);
    row.end = cli_packet_get_text(p);
    row.message = cli_packet_get_text(p);
    row.sequence = cli_packet_get_text(p);
    row.value = cli_alloc((size_t)numbers + 1, sizeof *row.value);
    cli_packet_get(p, row.value, (size_t)numbers * sizeof *row.value);
    return row;
}

/* ---- dealing out ---------------------------------------------------------------------------- */

static int next_point(void *context, cli_packet *piece)
{
    sweeper     *all = context;
    const size_t params = (size_t)all->sweep->plan.params;
    pthread_mutex_lock(&all->lock);
    const int has = all->next < all->work.count;
    if (has) {
        const int at = (all->first + all->next++) % all->work.count;
        cli_packet_put_int(piece, all->work.point[at]);
        cli_packet_put(piece, all->work.value + (size_t)at * params,
                       params * sizeof *all->work.value);
    }
    pthread_mutex_unlock(&all->lock);
    return has;
}

/* Whether the row is a result: not if a signal or a lack of memory ended the run. */
static int is_result(const cli_sweep_row *row, saltus_error *err)
{
    if (row->error == SALTUS_ERR_MEMORY) cli_fail(err, row->error, "%s", row->message);
    return row->error != SALTUS_ERR_MEMORY && row->error != SALTUS_ERR_INTERRUPTED;
}

static int perform(void *context, int number, cli_packet *piece, cli_packet *result,
                   saltus_error *err)
{
    sweeper           *all = context;
    const cli_sweep   *sweep = all->sweep;
    const cli_columns *c = &sweep->columns;
    worker            *w = &all->worker[number];
    cli_sweep_row      row = {.point = cli_packet_get_int(piece)};
    for (int i = 0; i < sweep->plan.params; i++)
        cli_packet_get(piece, &w->params[sweep->plan.param[i]], sizeof *w->params);
    compute_row(sweep, w, &row);
    const int ok = is_result(&row, err);
    if (ok) put_row(result, &row, c->count - c->params);
    free_row(&row);
    return ok;
}

/* Makes the run of a worker, and its parameters with the session's values, some of which each point
 * replaces. */
static int prepare(worker *w, sweeper *all)
{
    cli_session   *s = &all->sweep->session;
    saltus_options options = s->options;
    options.threads = 1;
    options.progress = is_stopped;
    options.progress_context = &all->deal;
    w->params = cli_alloc((size_t)s->size.params + 1, sizeof *w->params);
    for (int i = 0; i < s->size.params; i++) w->params[i] = saltus_system_param(s->system, i).value;
    w->run = saltus_run_new(s->system, &options, &s->error);
    return w->run != NULL;
}

/* ---- writing -------------------------------------------------------------------------------- */

/* Another process writes to the database and was faster with some points: continues at another
 * place. */
static void look_elsewhere(sweeper *all)
{
    cli_work        left = {0};
    struct timespec now;
    if (!cli_store_missing(all->sweep, &left)) return;
    clock_gettime(CLOCK_REALTIME, &now);
    pthread_mutex_lock(&all->lock);
    cli_work_free(&all->work);
    all->work = left;
    all->next = 0;
    all->first = left.count ? (int)((unsigned long)now.tv_nsec / 1000u % (unsigned)left.count) : 0;
    pthread_mutex_unlock(&all->lock);
}

static int by_point(const void *a, const void *b)
{
    const int p = ((const cli_sweep_row *)a)->point, q = ((const cli_sweep_row *)b)->point;
    return (p > q) - (p < q);
}

static int write_batch(void *context, cli_packet *results, int count)
{
    sweeper                 *all = context;
    cli_sweep               *sweep = all->sweep;
    const cli_columns       *c = &sweep->columns;
    CLI_OWNED cli_sweep_row *rows = cli_alloc((size_t)count + 1, sizeof *rows);
    int                      others = 0;
    for (int i = 0; i < count; i++) rows[i] = get_row(&results[i], c->count - c->params);
    qsort(rows, (size_t)count, sizeof *rows, by_point);
    const int ok = cli_store_write(sweep, rows, count, &others);
    if (ok) sweep->computed += count - others;
    if (ok && others) look_elsewhere(all);
    for (int i = 0; i < count; i++) free_row(&rows[i]);
    cli_progress_count(&sweep->session.progress, sweep->computed, all->total);
    return ok;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void deal_out(sweeper *all, int threads)
{
    cli_session *s = &all->sweep->session;
    saltus_error failure = {0};
    int          prepared = 0;
    all->worker = cli_alloc((size_t)threads + 1, sizeof *all->worker);
    while (prepared < threads && prepare(&all->worker[prepared], all)) prepared++;
    all->deal.threads = prepared;
    if (!s->error.status) cli_deal_run(&all->deal, &failure);
    if (!s->error.status) s->error = failure;
    for (int i = 0; i < threads; i++) {
        saltus_run_free(all->worker[i].run);
        free(all->worker[i].params);
    }
    free(all->worker);
}

void cli_sweep_compute(cli_sweep *sweep)
{
    cli_session *s = &sweep->session;
    const double start = cli_seconds();
    sweeper      all = {.sweep = sweep};
    int          threads = s->arguments->threads;
    all.deal = (cli_deal){.identity = sweep->identity_hash,
                          .context = &all,
                          .next = next_point,
                          .perform = perform,
                          .collect = write_batch};
    if (sweep->store && cli_store_missing(sweep, &all.work) && all.work.count < threads)
        threads = all.work.count;
    all.total = all.work.count;
    pthread_mutex_init(&all.lock, NULL);
    if (!s->error.status) {
        cli_progress_plan(&s->progress, "sweeping", all.total);
        deal_out(&all, threads);
        cli_progress_done(&s->progress);
    }
    pthread_mutex_destroy(&all.lock);
    cli_work_free(&all.work);
    sweep->seconds = cli_seconds() - start;
}
