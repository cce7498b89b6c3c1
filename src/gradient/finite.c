/* Central differences of complete runs, extrapolated (Richardson): from the steps h, h/4 and h/16,
 *
 *     D1 = (16 D(h/4) - D(h)) / 15,    D2 = (16 D(h/16) - D(h/4)) / 15,    errors O(h^4).
 *
 * The longer step has the larger truncation error, the shorter one the larger noise of the runs;
 * |D2 - D1| contains both, and estimates the error. If D2 differs from D1 by more than the
 * extrapolation changed D1, noise dominates, and D1 is the better one. As D2 may agree with D1 by
 * chance, noise is estimated a second time, from the second differences S: without noise, those of
 * h/4 and h/16 differ by a factor of 16. The runs have a tight tolerance, and the step is shortened
 * until all of them have the same events in the same order.
 *
 * Threads take one parameter after the other, each with a run of its own. Parameters share no
 * results: the digits do not depend on the number of threads, nor does the reported failure, which
 * is that of the first parameter. */
#include "gradient/gradients.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/host.h"
#include "gradient/requests.h"
#include "saltus/saltus.h"

enum { TRIES = 6, LEVELS = 3, RUNS = 2 * LEVELS };
static const double LEVEL = 0.25; /* ratio of consecutive steps */

/* Data that all threads share. */
typedef struct shared {
    saltus_run       *run; /* the original */
    const sal_wanted *wanted;
    sal_differences  *out;
    double           *size;     /* by quantity of a run: the scale of its noise */
    double           *base;     /* by quantity of a run: its value without a change of parameters */
    pthread_mutex_t   hand;     /* protects `next` */
    int               next;     /* the first column that no thread has taken */
    pthread_mutex_t   progress; /* the caller's function is called by one thread at a time */
} shared;

typedef struct differences {
    saltus_run       *run, *other; /* the original, and a run with changed parameters */
    const sal_wanted *wanted;
    double           *params;
    double           *value; /* by run: costs, event times, end */
    double           *all;   /* all costs */
    int               size;  /* number of quantities of one run */
    shared           *with;
    pthread_t         thread;
    bool              started;
    int               column; /* the present column, or the one that failed */
    saltus_error      err;
} differences;

static int call_progress(void *context, double t, double t_end)
{
    shared               *with = context;
    const saltus_options *options = &with->run->options;
    pthread_mutex_lock(&with->progress);
    sal_run_lend(with->run);
    const int stop = options->progress(options->progress_context, t, t_end);
    sal_run_take_back(with->run);
    pthread_mutex_unlock(&with->progress);
    return stop;
}

void sal_options_tighten(saltus_options *options)
{
    const double tighter =
        fmin(1.0, fmax(fmin(0.01, 1e-11 / options->rtol), 1e-13 / options->rtol));
    options->rtol *= tighter;
    options->atol *= tighter;
    if (options->max_steps <= LLONG_MAX / 64) options->max_steps *= 64;
}

static saltus_run *perturbed_run(shared *with, saltus_error *err)
{
    saltus_options options = with->run->options;
    if (options.progress) options.progress = call_progress;
    options.progress_context = with;
    sal_options_tighten(&options);
    return saltus_run_new(with->run->system, &options, err);
}

/* The i-th event that users see. */
static const sal_occurrence *at(const saltus_run *run, int i)
{
    return &run->history.occurrences.data[run->history.shown.data[i]];
}

bool sal_occurrence_is_noise(const saltus_run *run, int index)
{
    const sal_occurrence *o = at(run, index);
    return o->follows && run->system->event[o->event].kink >= 0;
}

/* The first occurrence from i on that is not noise; the count if there is none. */
static int next_event(const saltus_run *run, int i)
{
    while (i < run->history.shown.count && sal_occurrence_is_noise(run, i)) i++;
    return i;
}

/* Finds the first events at which two runs differ: i in a, k in b. */
static void go_along(const saltus_run *a, const saltus_run *b, int *i, int *k)
{
    *i = next_event(a, 0);
    *k = next_event(b, 0);
    while (*i < a->history.shown.count && *k < b->history.shown.count &&
           at(a, *i)->event == at(b, *k)->event && at(a, *i)->to == at(b, *k)->to) {
        *i = next_event(a, *i + 1);
        *k = next_event(b, *k + 1);
    }
}

bool sal_same_events(const saltus_run *a, const saltus_run *b)
{
    int i, k;
    go_along(a, b, &i, &k);
    return i == a->history.shown.count && k == b->history.shown.count &&
           a->outcome.info.outcome == b->outcome.info.outcome;
}

/* Returns the next event from occurrence `from` on whose place among samples and nodes matters, or
 * -1. Adds the number of samples and nodes before it to `passed`. */
static int next_placed(const saltus_run *run, int from, int *passed)
{
    for (int i = from; i < run->history.occurrences.count; i++) {
        const sal_occurrence     *o = &run->history.occurrences.data[i];
        const sal_compiled_event *event = &run->system->event[o->event];
        if (event->hidden == SAL_HIDDEN_SAMPLE || event->hidden == SAL_HIDDEN_NODE) ++*passed;
        else if (o->shown >= 0 && event->kink < 0) return i;
    }
    return -1;
}

bool sal_same_places(const saltus_run *a, const saltus_run *b)
{
    int i = -1, k = -1;
    do {
        int before = 0, other = 0;
        i = next_placed(a, i + 1, &before);
        k = next_placed(b, k + 1, &other);
        if ((i < 0) != (k < 0) || (i >= 0 && before != other)) return false;
    } while (i >= 0);
    return true;
}

/* Writes the times in another run of the events of the original. An event that follows another one
 * at the same instant has the time of that one. */
static void find_times(const saltus_run *run, const saltus_run *other, double *out)
{
    int k = 0;
    for (int i = 0; i < run->history.shown.count; i++) {
        const double before = i > 0 ? out[i - 1] : other->t0;
        if (!sal_occurrence_is_noise(run, i)) k = next_event(other, k);
        /* the event that caused it may be hidden: then it has a time of its own */
        const bool caused =
            i > 0 && run->history.shown.data[i - 1] + 1 == run->history.shown.data[i];
        out[i] = at(run, i)->follows && (caused || sal_occurrence_is_noise(run, i))
                     ? before
                     : at(other, k)->t;
        if (!sal_occurrence_is_noise(run, i)) k++;
    }
}

/* Reads the quantities of the other run, which has the events of the original. */
static saltus_status read_values(const differences *d, double *out, saltus_error *err)
{
    TRY(saltus_run_costs(d->other, d->all, err));
    for (int k = 0; k < d->wanted->cost_count; k++) *out++ = d->all[d->wanted->costs[k]];
    find_times(d->run, d->other, out);
    out[d->run->history.shown.count] = d->other->outcome.info.t;
    return SALTUS_OK;
}

static saltus_status evaluate(differences *d, int param, double value, double *out, bool *same,
                              saltus_error *err)
{
    const double old = d->params[param];
    d->params[param] = value;
    const saltus_status status = sal_probe_simulate(d->other, d->run, d->params, err);
    d->params[param] = old;
    TRY(status);
    if (d->other->outcome.info.outcome == SALTUS_INTERRUPTED)
        return sal_fail(err, SALTUS_ERR_INTERRUPTED, "finite differences: %s",
                        d->other->outcome.message);
    *same = sal_same_events(d->run, d->other);
    return *same ? read_values(d, out, err) : SALTUS_OK;
}

/* Computes the quantities at rho +- each step. Clears `same` if the events differ in one of these
 * runs. */
static saltus_status all_runs(differences *d, int param, double h, bool *same, saltus_error *err)
{
    const double rho = d->run->params[param];
    *same = true;
    for (int i = 0; i < RUNS && *same; i++) {
        const double by = (i % 2 ? -h : h) * pow(LEVEL, i / 2);
        TRY(evaluate(d, param, rho + by, d->value + i * d->size, same, err));
    }
    return SALTUS_OK;
}

/* The slope of one quantity and an estimate of its error. */
static double extrapolate(const differences *d, int i, double h, double *error)
{
    const double *v = d->value + i;
    const double  tolerance = d->other->options.rtol;
    double        D[LEVELS], S[LEVELS], better[LEVELS];
    for (int level = 0; level < LEVELS; level++) {
        const double *at = v + 2 * level * d->size;
        D[level] = (at[0] - at[d->size]) / (2.0 * h * pow(LEVEL, level));
        S[level] = (at[0] - d->with->base[i]) + (at[d->size] - d->with->base[i]);
        better[level] = level ? (16.0 * D[level] - D[level - 1]) / 15.0 : D[0];
    }
    const double noise = 0.1 * fmax(tolerance, 10.0 * DBL_EPSILON) * d->with->size[i] / (LEVEL * h);
    const double first = fabs(better[1] - D[1]), second = fabs(better[2] - better[1]);
    const double seen = fabs(S[2] - LEVEL * LEVEL * S[1]) / (2.0 * LEVEL * LEVEL * h);
    *error = second + 0.1 * first + seen + noise; /* 0.1 first: D2 may agree with D1 by chance */
    return first < second ? better[1] : better[2];
}

/* The place of the i-th quantity of a run in the results; NULL: not requested. */
static double *entry(const differences *d, const sal_gradients *out, int i, int column)
{
    const int    costs = d->wanted->cost_count, events = d->run->history.shown.count;
    const size_t columns = out ? (size_t)out->columns : 0;
    if (!out) return NULL;
    if (i < costs) return out->cost ? out->cost + (size_t)i * columns + (size_t)column : NULL;
    if (i < costs + events)
        return out->time ? out->time + (size_t)(i - costs) * columns + (size_t)column : NULL;
    return out->end ? out->end + column : NULL;
}

static void keep_slopes(const differences *d, int column, double h, const sal_differences *out)
{
    for (int i = 0; i < d->size; i++) {
        double        error;
        const double  slope = extrapolate(d, i, h, &error);
        double *const to = entry(d, out->gradients, i, column);
        double *const estimate = entry(d, out->errors, i, column);
        if (to) *to = slope;
        if (estimate) *estimate = error;
    }
}

static saltus_status one_param(differences *d, int column, const sal_differences *out,
                               saltus_error *err)
{
    const int    param = d->wanted->params[column];
    const double rho = d->run->params[param];
    const double relative = d->run->options.fd_step > 0.0 ? d->run->options.fd_step : 1e-3;
    double       h = relative * (rho != 0.0 ? fabs(rho) : 1.0);
    bool         same = false;
    for (int i = 0; i < TRIES; i++, h *= 0.1) {
        TRY(all_runs(d, param, h, &same, err));
        if (!same) continue;
        keep_slopes(d, column, h, out);
        if (out->step) out->step[column] = h;
        return SALTUS_OK;
    }
    return sal_fail(
        err, SALTUS_ERR_NO_GRADIENT,
        "no finite differences by '%s': however small the change (down to %.1g), events "
        "appear, vanish or change their order",
        d->run->system->model->params.data[param].label.name, h);
}

/* ---- the base ------------------------------------------------------------------------------- */

static const char *event_name(const saltus_run *run, int i)
{
    return i < run->history.shown.count ? run->system->event[at(run, i)->event].name : "nothing";
}

static double event_time(const saltus_run *run, int i)
{
    return i < run->history.shown.count ? at(run, i)->t : run->outcome.info.t;
}

/* Fails if an unchanged run does not have the events of the original: differences would be those of
 * another motion. */
static saltus_status check_base(differences *d, sal_differences *out, saltus_error *err)
{
    const saltus_run *run = d->run, *other = d->other;
    int               i, k;
    TRY(sal_probe_simulate(d->other, d->run, d->params, err));
    if (other->outcome.info.outcome == SALTUS_INTERRUPTED)
        return sal_fail(err, SALTUS_ERR_INTERRUPTED, "finite differences: %s",
                        other->outcome.message);
    out->base_differs = !sal_same_events(run, other);
    if (!out->base_differs) return read_values(d, d->with->base, err);
    go_along(run, other, &i, &k);
    return sal_fail(err, SALTUS_ERR_NO_GRADIENT,
                    "no finite differences: at their tolerance, %.1g, the motion has other events; "
                    "the one with number %d is '%s' at t = %.10g there, '%s' at t = %.10g here",
                    other->options.rtol, i + 1, event_name(other, k), event_time(other, k),
                    event_name(run, i), event_time(run, i));
}

/* Finds the scales of noise. The values themselves are no scales: costs and event times may be zero
 * up to rounding. */
static saltus_status find_sizes(shared *with, sal_arena *scratch, saltus_error *err)
{
    const saltus_run *run = with->run;
    const int         costs = with->wanted->cost_count, all = costs + run->history.shown.count + 1;
    with->size = ARENA_NEW(scratch, all, double);
    with->base = ARENA_NEW(scratch, all, double);
    if (scratch->failed) return sal_fail_memory(err);
    for (int i = costs; i < all; i++)
        with->size[i] = fmax(fabs(run->system->model->start), fabs(run->end.t));
    return sal_cost_sizes(with->run, with->wanted, with->size, NULL, err);
}

/* ---- threads -------------------------------------------------------------------------------- */

/* Takes the next column; -1: there is none, or a computation has failed. All columns before the
 * failed one have been taken. */
static int take(shared *with, bool failed)
{
    pthread_mutex_lock(&with->hand);
    if (failed) with->next = with->wanted->param_count;
    const int column = with->next < with->wanted->param_count ? with->next++ : -1;
    pthread_mutex_unlock(&with->hand);
    return column;
}

static void *work(void *context)
{
    HOLD_HOST; /* a new thread starts with the settings of the program */
    differences *d = context;
    for (int column = take(d->with, false); column >= 0;
         column = take(d->with, d->err.status != SALTUS_OK)) {
        d->column = column;
        one_param(d, column, d->with->out, &d->err);
    }
    return NULL;
}

static saltus_status prepare(differences *d, shared *with, sal_arena *scratch, saltus_error *err)
{
    const saltus_system *system = with->run->system;
    d->run = with->run;
    d->wanted = with->wanted;
    d->with = with;
    d->size = with->wanted->cost_count + with->run->history.shown.count + 1;
    d->params = ARENA_NEW(scratch, system->np, double);
    d->all = ARENA_NEW(scratch, system->nc, double);
    d->value = ARENA_NEW(scratch, RUNS * d->size, double);
    d->other = perturbed_run(with, err);
    if (scratch->failed || !d->other) return sal_fail_memory(err);
    memcpy(d->params, with->run->params, (size_t)system->np * sizeof(double));
    return SALTUS_OK;
}

/* Works in `count` threads, of which the calling one is the first. If a thread cannot be started,
 * the others do its work. */
static void work_together(differences *d, int count)
{
    for (int i = 1; i < count; i++)
        d[i].started = pthread_create(&d[i].thread, NULL, work, &d[i]) == 0;
    work(&d[0]);
    for (int i = 1; i < count; i++)
        if (d[i].started) pthread_join(d[i].thread, NULL);
}

static saltus_status first_failure(const differences *d, int count, saltus_error *err)
{
    const differences *first = NULL;
    for (int i = 0; i < count; i++)
        if (d[i].err.status && (!first || d[i].column < first->column)) first = &d[i];
    return first ? sal_fail(err, first->err.status, "%s", first->err.message) : SALTUS_OK;
}

static saltus_status differentiate(shared *with, sal_arena *scratch, saltus_error *err)
{
    const int     most = with->wanted->param_count, asked = with->run->options.threads;
    const int     count = asked < most ? (asked > 1 ? asked : 1) : most > 1 ? most : 1;
    differences  *d = ARENA_NEW(scratch, count, differences);
    saltus_status status = d ? SALTUS_OK : sal_fail_memory(err);
    for (int i = 0; i < count && status == SALTUS_OK; i++)
        status = prepare(&d[i], with, scratch, err);
    if (status == SALTUS_OK) status = find_sizes(with, scratch, err);
    if (status == SALTUS_OK) status = check_base(&d[0], with->out, err);
    if (status == SALTUS_OK) {
        work_together(d, count);
        status = first_failure(d, count, err);
    }
    for (int i = 0; d && i < count; i++) saltus_run_free(d[i].other);
    return status;
}

saltus_status sal_finite_differences(saltus_run *run, const sal_wanted *wanted,
                                     sal_differences *out, saltus_error *err)
{
    sal_arena scratch;
    shared    with = {.run = run, .wanted = wanted, .out = out};
    if (pthread_mutex_init(&with.hand, NULL) != 0) return sal_fail_memory(err);
    if (pthread_mutex_init(&with.progress, NULL) != 0) {
        pthread_mutex_destroy(&with.hand);
        return sal_fail_memory(err);
    }
    sal_arena_init(&scratch, &run->arena.allocator);
    const saltus_status status = differentiate(&with, &scratch, err);
    sal_arena_free(&scratch);
    pthread_mutex_destroy(&with.progress);
    pthread_mutex_destroy(&with.hand);
    return status;
}
