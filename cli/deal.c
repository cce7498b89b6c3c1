/* Distributes work to threads and processes.
 *
 * Threads take pieces and return results. In process 0 the pieces come from the caller, and the
 * calling thread collects the results, a batch at a time. In another process the calling thread
 * asks process 0 for pieces and sends the results there. Only calling threads send and receive.
 * Each process makes the same calls in the same order; a message has the number of its call, as a
 * fast process may be one call ahead. */
#define _POSIX_C_SOURCE 200809L
#include "deal.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "progress.h"
#include "team.h"
#include "text.h"

/* Seconds between batches: a part of the time that has passed, within limits. */
static const double BATCH_PART = 0.05, BATCH_SHORTEST = 0.01, BATCH_LONGEST = 0.5;
enum { BATCH_RESULTS = 4096 }; /* full batch; threads wait when twice as many results are there */
/* Seconds: LOOK between checks for messages, ADVANCE of work that a process has in advance, REPORT
 * between its results, FAREWELL that others have to answer after an interruption: a second later,
 * mpirun would kill them. */
static const double LOOK = 0.001, ADVANCE = 0.1, REPORT = 0.02, FAREWELL = 0.5;

enum { ASK, WORK, RESULTS, DONE, SPREAD, STOP, BYE }; /* kinds of messages */

/* Another process, for process 0. */
typedef struct helper {
    int asked; /* number of pieces that it waits for; 0: none */
    int call;  /* number of the call in which it asked */
    int done;  /* number of calls that it has finished */
    int left;  /* 1: it has left the team */
} helper;

static struct {
    helper      *helper; /* by rank; NULL before the first message */
    int          call;   /* number of the present or last call */
    int          stopped;
    saltus_error excuse; /* the failure with which this process ends */
} team;

typedef struct dealing {
    cli_deal       *deal;
    saltus_error   *error;
    double          start, collected; /* when the call began; when results were sent last */
    cli_packet     *piece;            /* other processes: pieces that wait here */
    int             first, pieces;
    int             is_closed; /* no more pieces will come */
    int             is_asked;
    int             idle, working; /* numbers of threads */
    int             performed;
    cli_packet     *done; /* results not yet collected */
    int             count;
    pthread_mutex_t lock;
    pthread_cond_t  news, more; /* signals to the calling thread; to the others */
} dealing;

typedef struct worker {
    dealing  *dealing;
    int       number;
    pthread_t thread;
} worker;

int cli_deal_is_stopped(const cli_deal *deal)
{
    return cli_interrupted() || atomic_load(&deal->stopped);
}

/* ---- messages ------------------------------------------------------------------------------- */

static void send_message(int to, int kind, cli_packet packet) { cli_team_send(to, kind, &packet); }

static void stop_others(void)
{
    if (team.stopped || cli_team_rank()) return;
    team.stopped = 1;
    for (int i = 1; i < cli_team_size(); i++) send_message(i, STOP, (cli_packet){0});
}

static helper *helper_of(int rank)
{
    if (!team.helper) team.helper = cli_alloc((size_t)cli_team_size(), sizeof *team.helper);
    return &team.helper[rank];
}

static void put_error(cli_packet *p, const saltus_error *err)
{
    cli_packet_put_int(p, (int)err->status);
    cli_packet_put_text(p, err->status ? cli_team_name() : NULL);
    cli_packet_put(p, err->file, sizeof err->file);
    cli_packet_put_int(p, err->line);
    cli_packet_put_text(p, err->message);
}

/* Takes over the failure of another process, with its name: its files or memory may differ from
 * those of process 0. */
static void get_error(cli_packet *p, saltus_error *err)
{
    saltus_error    got = {.status = (saltus_status)cli_packet_get_int(p)};
    CLI_OWNED char *name = cli_packet_get_text(p);
    cli_packet_get(p, got.file, sizeof got.file);
    got.line = cli_packet_get_int(p);
    CLI_OWNED char *message = cli_packet_get_text(p);
    if (got.status && got.status != SALTUS_ERR_INTERRUPTED && !err->status) {
        cli_fail(err, got.status, "%s: %s", name ? name : "", message ? message : "");
        memcpy(err->file, got.file, sizeof err->file);
        err->line = got.line;
    }
}

/* ---- threads -------------------------------------------------------------------------------- */

static int take_here(dealing *d, cli_packet *piece)
{
    if (d->first == d->pieces) return 0;
    *piece = d->piece[d->first++];
    if (d->first == d->pieces) d->first = d->pieces = 0;
    return 1;
}

static int may_wait(const dealing *d)
{
    return d->count >= 2 * BATCH_RESULTS ||
           (cli_team_rank() && d->first == d->pieces && !d->is_closed);
}

static int take(dealing *d, cli_packet *piece)
{
    int taken = 0;
    *piece = (cli_packet){0};
    pthread_mutex_lock(&d->lock);
    d->idle++;
    while (may_wait(d) && !cli_deal_is_stopped(d->deal)) {
        pthread_cond_signal(&d->news);
        pthread_cond_wait(&d->more, &d->lock);
    }
    d->idle--;
    if (!cli_deal_is_stopped(d->deal))
        taken = cli_team_rank() ? take_here(d, piece) : d->deal->next(d->deal->context, piece);
    pthread_mutex_unlock(&d->lock);
    return taken;
}

static void give(dealing *d, cli_packet result)
{
    pthread_mutex_lock(&d->lock);
    *CLI_PUSH(d->done, d->count) = result;
    d->performed++;
    if (d->count >= BATCH_RESULTS) pthread_cond_signal(&d->news);
    pthread_mutex_unlock(&d->lock);
}

static void *run_worker(void *context)
{
    worker      *w = context;
    dealing     *d = w->dealing;
    saltus_error err = {0};
    for (cli_packet piece, result; !err.status && take(d, &piece); cli_packet_free(&piece)) {
        result = (cli_packet){0};
        if (d->deal->perform(d->deal->context, w->number, &piece, &result, &err)) give(d, result);
        else cli_packet_free(&result);
    }
    pthread_mutex_lock(&d->lock);
    if (err.status && !d->error->status) *d->error = err;
    if (err.status) atomic_store(&d->deal->stopped, 1);
    d->working--;
    pthread_cond_signal(&d->news);
    pthread_cond_broadcast(&d->more);
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

/* Starts the threads; returns how many could be started. */
static int start_workers(dealing *d, worker *workers)
{
    const int count = d->deal->threads;
    int       begun = 0;
    d->working = count;
    for (; begun < count; begun++) {
        workers[begun] = (worker){.dealing = d, .number = begun};
        if (pthread_create(&workers[begun].thread, NULL, run_worker, &workers[begun])) break;
    }
    pthread_mutex_lock(&d->lock);
    d->working -= count - begun;
    pthread_mutex_unlock(&d->lock);
    if (count && !begun) cli_fail(d->error, SALTUS_ERR_MEMORY, "no thread can be started");
    return begun;
}

/* Waits for news, at most for this time. The lock is held. */
static void wait_for_news(dealing *d, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(1e9 * seconds);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&d->news, &d->lock, &until);
}

/* ---- process 0 ------------------------------------------------------------------------------ */

/* Fails if a process has another identity. The lock is held. */
static void check_identity(dealing *d, cli_packet *p)
{
    CLI_OWNED char *name = cli_packet_get_text(p), *identity = cli_packet_get_text(p);
    if (identity && strcmp(identity, d->deal->identity) != 0)
        cli_fail(
            d->error, SALTUS_ERR_FILE,
            "%s uses another model, other values or another version: all processes must see the "
            "same files",
            name ? name : "?");
}

static void read_message(dealing *d, int from, int kind, cli_packet *p)
{
    helper    *h = helper_of(from);
    cli_packet result;
    const int  call = kind == BYE ? 0 : cli_packet_get_int(p);
    if (kind == RESULTS)
        for (int n = cli_packet_get_int(p); n > 0 && cli_packet_get_packet(p, &result); n--)
            give(d, result);
    pthread_mutex_lock(&d->lock);
    if (kind == ASK) {
        h->call = call;
        h->asked = cli_packet_get_int(p);
        check_identity(d, p);
    } else if (kind == DONE || kind == BYE) {
        h->done = call;
        h->left = kind == BYE;
        get_error(p, d->error);
    }
    pthread_mutex_unlock(&d->lock);
}

/* Sends as many pieces as were requested; an empty message: there are no more. */
static void answer(dealing *d, int rank, helper *h)
{
    cli_packet message = {0}, pieces = {0}, piece = {0};
    int        count = 0;
    pthread_mutex_lock(&d->lock);
    while (count < h->asked && d->deal->next(d->deal->context, &piece)) {
        cli_packet_put_packet(&pieces, &piece);
        cli_packet_free(&piece);
        count++;
    }
    pthread_mutex_unlock(&d->lock);
    cli_packet_put_int(&message, count);
    cli_packet_put(&message, pieces.data, pieces.size);
    cli_packet_free(&pieces);
    h->asked = 0;
    send_message(rank, WORK, message);
}

static void serve(dealing *d)
{
    int        from, kind;
    cli_packet packet;
    while (cli_team_receive(&from, &kind, &packet)) {
        read_message(d, from, kind, &packet);
        cli_packet_free(&packet);
    }
    if (d->error->status) atomic_store(&d->deal->stopped, 1);
    if (cli_deal_is_stopped(d->deal)) stop_others();
    for (int i = 1; i < cli_team_size() && !team.stopped; i++)
        if (helper_of(i)->asked && helper_of(i)->call == team.call) answer(d, i, helper_of(i));
}

/* The number of other processes that have not finished this call. */
static int others_at_work(void)
{
    int count = 0;
    for (int i = 1; i < cli_team_size(); i++)
        count += helper_of(i)->done < team.call && !helper_of(i)->left;
    return count;
}

/* Waits for a batch of results and takes it; returns 0 after the last one. */
static int take_batch(dealing *d, cli_packet **results, int *count)
{
    const double passed = BATCH_PART * (cli_seconds() - d->start);
    const double end = cli_seconds() + fmin(fmax(passed, BATCH_SHORTEST), BATCH_LONGEST);
    const double step = cli_team_size() > 1 ? LOOK : BATCH_LONGEST;
    int          at_work = 1;
    while (at_work && d->count < BATCH_RESULTS && cli_seconds() < end) {
        serve(d);
        pthread_mutex_lock(&d->lock);
        if ((at_work = d->working + others_at_work()) && d->count < BATCH_RESULTS)
            wait_for_news(d, fmin(step, fmax(end - cli_seconds(), 0.0)));
        pthread_mutex_unlock(&d->lock);
    }
    pthread_mutex_lock(&d->lock);
    *results = d->done;
    *count = d->count;
    const int more = d->working || d->count || others_at_work();
    d->done = NULL;
    d->count = 0;
    pthread_cond_broadcast(&d->more);
    pthread_mutex_unlock(&d->lock);
    return more;
}

static void collect_all(dealing *d)
{
    cli_packet *results;
    double      interrupted = 0.0; /* time of the interruption */
    for (int count; take_batch(d, &results, &count);) {
        if (count && !d->deal->collect(d->deal->context, results, count))
            atomic_store(&d->deal->stopped, 1);
        for (int i = 0; i < count; i++) cli_packet_free(&results[i]);
        free(results);
        if (cli_interrupted() && interrupted == 0.0) interrupted = cli_seconds();
        if (interrupted > 0.0 && !d->working && cli_seconds() - interrupted > FAREWELL) return;
    }
    free(results);
}

/* ---- the other processes -------------------------------------------------------------------- */

static void listen_to_0(dealing *d)
{
    int        from, kind;
    cli_packet packet, piece;
    while (cli_team_receive(&from, &kind, &packet)) {
        pthread_mutex_lock(&d->lock);
        if (kind == WORK) {
            const int count = cli_packet_get_int(&packet);
            d->is_asked = 0;
            d->is_closed = count == 0;
            for (int i = 0; i < count && cli_packet_get_packet(&packet, &piece); i++)
                *CLI_PUSH(d->piece, d->pieces) = piece;
        } else if (kind == STOP) {
            team.stopped = 1;
            cli_interrupt();
        }
        pthread_cond_broadcast(&d->more);
        pthread_mutex_unlock(&d->lock);
        cli_packet_free(&packet);
    }
}

/* Asks process 0 for the pieces that idle threads need, and for those that will be done while the
 * answer comes. */
static void ask(dealing *d)
{
    const double passed = cli_seconds() - d->start;
    pthread_mutex_lock(&d->lock);
    const int here = d->pieces - d->first;
    const int ahead = (int)fmin(BATCH_RESULTS, ADVANCE * d->performed / fmax(passed, LOOK));
    const int wanted = d->idle + ahead - here;
    const int is_due = !d->is_asked && !d->is_closed && (here < d->idle || here < ahead / 2);
    if (is_due && wanted > 0) d->is_asked = 1;
    pthread_mutex_unlock(&d->lock);
    if (!is_due || wanted <= 0) return;
    cli_packet p = {0};
    cli_packet_put_int(&p, team.call);
    cli_packet_put_int(&p, wanted);
    cli_packet_put_text(&p, cli_team_name());
    cli_packet_put_text(&p, d->deal->identity);
    send_message(0, ASK, p);
}

static void send_results(dealing *d)
{
    cli_packet p = {0};
    pthread_mutex_lock(&d->lock);
    cli_packet_put_int(&p, team.call);
    cli_packet_put_int(&p, d->count);
    for (int i = 0; i < d->count; i++) {
        cli_packet_put_packet(&p, &d->done[i]);
        cli_packet_free(&d->done[i]);
    }
    const int count = d->count;
    d->count = 0;
    d->collected = cli_seconds();
    pthread_cond_broadcast(&d->more);
    pthread_mutex_unlock(&d->lock);
    if (count) send_message(0, RESULTS, p);
    else cli_packet_free(&p);
}

static void help(dealing *d)
{
    for (int at_work = 1; at_work;) {
        listen_to_0(d);
        ask(d);
        if (cli_seconds() - d->collected > REPORT) send_results(d);
        pthread_mutex_lock(&d->lock);
        if (cli_deal_is_stopped(d->deal)) pthread_cond_broadcast(&d->more);
        if ((at_work = d->working)) wait_for_news(d, LOOK);
        pthread_mutex_unlock(&d->lock);
    }
    send_results(d);
    cli_packet p = {0};
    cli_packet_put_int(&p, team.call);
    put_error(&p, d->error);
    send_message(0, DONE, p);
    if (team.stopped && !d->error->status)
        cli_fail(d->error, SALTUS_ERR_INTERRUPTED, "process 0 has ended the work");
}

/* ---- the calls ------------------------------------------------------------------------------ */

void cli_deal_run(cli_deal *deal, saltus_error *err)
{
    dealing           d = {.deal = deal, .error = err, .start = cli_seconds()};
    CLI_OWNED worker *workers = cli_alloc((size_t)deal->threads + 1, sizeof *workers);
    team.call++;
    pthread_mutex_init(&d.lock, NULL);
    pthread_cond_init(&d.news, NULL);
    pthread_cond_init(&d.more, NULL);
    const int begun = start_workers(&d, workers);
    if (cli_team_rank()) help(&d);
    else collect_all(&d);
    for (int i = 0; i < begun; i++) pthread_join(workers[i].thread, NULL);
    pthread_cond_destroy(&d.news);
    pthread_cond_destroy(&d.more);
    pthread_mutex_destroy(&d.lock);
    for (int i = d.first; i < d.pieces; i++) cli_packet_free(&d.piece[i]);
    free(d.piece);
    free(d.done);
}

static void nap(void)
{
    const struct timespec short_time = {0, (long)(1e9 * LOOK)};
    nanosleep(&short_time, NULL);
}

int cli_deal_spread(cli_packet *packet)
{
    int from, kind;
    for (int i = 1; i < cli_team_size() && !cli_team_rank(); i++) {
        cli_packet copy = {0};
        cli_packet_put(&copy, packet->data, packet->size);
        send_message(i, SPREAD, copy);
    }
    if (!cli_team_rank()) return 1;
    for (;; nap()) {
        cli_packet got;
        if (cli_interrupted()) return 0;
        if (!cli_team_receive(&from, &kind, &got)) continue;
        if (kind == SPREAD) {
            cli_packet_free(packet);
            *packet = got;
            return 1;
        }
        team.stopped |= kind == STOP;
        cli_packet_free(&got);
        if (team.stopped) return 0;
    }
}

/* Whether this process may end: process 0 waits for all others to leave, and they wait for its
 * stop. */
static int may_leave(void)
{
    int all = 1;
    if (cli_team_rank()) return team.stopped;
    for (int i = 1; i < cli_team_size(); i++) all = all && helper_of(i)->left;
    return all;
}

void cli_deal_excuse(const saltus_error *err)
{
    if (cli_team_rank() && !team.excuse.status) team.excuse = *err;
}

int cli_deal_end(int status)
{
    const double begun = cli_seconds();
    cli_packet   packet = {0};
    int          from, kind, is_broken = 0;
    if (cli_team_rank()) {
        put_error(&packet, &team.excuse);
        send_message(0, BYE, packet);
        status = 0;
    } else {
        stop_others();
    }
    while (!may_leave() && !is_broken) {
        if (!cli_team_receive(&from, &kind, &packet)) {
            nap();
            is_broken = cli_interrupted() && cli_seconds() - begun > FAREWELL;
            continue;
        }
        if (kind == BYE) helper_of(from)->left = 1;
        team.stopped |= kind == STOP;
        cli_packet_free(&packet);
    }
    free(team.helper);
    team.helper = NULL;
    return cli_team_leave(status, is_broken);
}
