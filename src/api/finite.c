/* Central differences of complete runs, extrapolated once (Richardson): from the steps h and h/2,
 * D = (4 D(h/2) - D(h)) / 3, error O(h^4). The runs are made at a tighter tolerance, and the step
 * shrinks until all of them have the same events in the same order and the slope changes little.
 *
 * A parameter is one piece of work, so threads take parameters in their order, each with a run of
 * its own. Nothing passes between two parameters: the digits are the same however many threads
 * there are, and so is the failure that is told, that of the first parameter. */
#include "api/finite.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "saltus/saltus.h"

enum { TRIES = 6 };
static const double CURVED = 1e-4;

/* What the threads share. */
typedef struct shared {
    saltus_run          *run; /* the original */
    const sal_wanted    *wanted;
    const sal_gradients *out;
    pthread_mutex_t      hand;     /* of what follows */
    int                  next;     /* the first column that nobody has taken */
    pthread_mutex_t      progress; /* the caller's function is called by one thread at a time */
} shared;

typedef struct differences {
    saltus_run       *run, *other; /* the original, and the one for perturbed values */
    const sal_wanted *wanted;
    double           *params;
    double           *value; /* four runs: costs, event times, end */
    double           *all;   /* all costs */
    int               size;  /* of one run's values */
    shared           *with;
    pthread_t         thread;
    bool              started;
    int               column; /* the one being worked on, or that failed */
    saltus_error      err;
} differences;

static int call_progress(void *context, double t, double t_end)
{
    shared               *with = context;
    const saltus_options *options = &with->run->options;
    pthread_mutex_lock(&with->progress);
    const int stop = options->progress(options->progress_context, t, t_end);
    pthread_mutex_unlock(&with->progress);
    return stop;
}

static saltus_run *perturbed_run(shared *with, saltus_error *err)
{
    saltus_options options = with->run->options;
    if (options.progress) options.progress = call_progress;
    options.progress_context = with;
    options.rtol = fmax(1e-13, 0.01 * options.rtol);
    options.atol = fmax(1e-13, 0.01 * options.atol);
    if (options.max_steps <= LLONG_MAX / 4) options.max_steps *= 4;
    return saltus_run_new(with->run->system, &options, err);
}

/* The same events in the same order, ended the same way. */
static bool same_events(const saltus_run *a, const saltus_run *b)
{
    if (a->occurrences.count != b->occurrences.count || a->info.outcome != b->info.outcome)
        return false;
    for (int i = 0; i < a->occurrences.count; i++)
        if (a->occurrences.data[i].event != b->occurrences.data[i].event ||
            a->occurrences.data[i].to != b->occurrences.data[i].to)
            return false;
    return true;
}

static saltus_status evaluate(differences *d, int param, double value, double *out, bool *same,
                              saltus_error *err)
{
    const double old = d->params[param];
    d->params[param] = value;
    const saltus_status status = saltus_run_simulate(d->other, d->params, err);
    d->params[param] = old;
    TRY(status);
    if (d->other->info.outcome == SALTUS_INTERRUPTED)
        return sal_fail(err, SALTUS_ERR_INTERRUPTED, "finite differences: %s", d->other->message);
    *same = same_events(d->run, d->other);
    if (!*same) return SALTUS_OK;
    TRY(saltus_run_costs(d->other, d->all, err));
    for (int k = 0; k < d->wanted->cost_count; k++) *out++ = d->all[d->wanted->costs[k]];
    for (int i = 0; i < d->run->occurrences.count; i++) *out++ = d->other->occurrences.data[i].t;
    *out = d->other->info.t;
    return SALTUS_OK;
}

/* Values at rho +- h and rho +- h/2; false in `same` if the events differ in one of them. */
static saltus_status four_runs(differences *d, int param, double h, bool *same, saltus_error *err)
{
    const double factor[4] = {1.0, -1.0, 0.5, -0.5};
    const double rho = d->run->params[param];
    *same = true;
    for (int i = 0; i < 4 && *same; i++)
        TRY(evaluate(d, param, rho + factor[i] * h, d->value + i * d->size, same, err));
    return SALTUS_OK;
}

/* How much the two steps disagree, relative to the slope: what extrapolation has to mend. */
static double disagreement(const differences *d, double h)
{
    double worst = 0.0;
    for (int i = 0; i < d->wanted->cost_count; i++) {
        const double *v = d->value + i;
        const double  coarse = (v[0] - v[d->size]) / (2.0 * h);
        const double  fine = (v[2 * d->size] - v[3 * d->size]) / h;
        /* below this, it is rounding and the tolerance of the runs, and no shorter step helps */
        const double noise = 1e-10 * fmax(1.0, fabs(v[0])) / h;
        if (fabs(fine - coarse) > noise)
            worst = fmax(worst, fabs(fine - coarse) / fmax(fabs(fine), noise));
    }
    return worst;
}

static void extrapolate(const differences *d, int column, double h, const sal_gradients *out)
{
    const int    costs = d->wanted->cost_count, events = d->run->occurrences.count;
    const size_t columns = (size_t)out->columns;
    for (int i = 0; i < d->size; i++) {
        const double *v = d->value + i;
        const double  coarse = (v[0] - v[d->size]) / (2.0 * h);
        const double  fine = (v[2 * d->size] - v[3 * d->size]) / h;
        const double  slope = (4.0 * fine - coarse) / 3.0;
        if (i < costs) out->cost[(size_t)i * columns + (size_t)column] = slope;
        else if (i < costs + events) {
            if (out->time) out->time[(size_t)(i - costs) * columns + (size_t)column] = slope;
        } else if (out->end) out->end[column] = slope;
    }
}

static saltus_status one_param(differences *d, int column, const sal_gradients *out,
                               saltus_error *err)
{
    const int    param = d->wanted->params[column];
    const double rho = d->run->params[param];
    const double relative = d->run->options.fd_step > 0.0 ? d->run->options.fd_step : 1e-3;
    double       h = relative * fmax(fabs(rho), 0.1);
    bool         same = false;
    for (int i = 0; i < TRIES; i++, h *= 0.1) {
        TRY(four_runs(d, param, h, &same, err));
        if (!same) continue;
        const bool chosen = d->run->options.fd_step > 0.0 || i == TRIES - 1;
        if (!chosen && disagreement(d, h) > CURVED) { /* strongly curved: a shorter step */
            h *= 2.0;
            continue;
        }
        extrapolate(d, column, h, out);
        return SALTUS_OK;
    }
    return sal_fail(
        err, SALTUS_ERR_NO_GRADIENT,
        "no finite differences by '%s': however small the change (down to %.1g), events "
        "appear, vanish or change their order",
        d->run->system->model->params.data[param].label.name, h);
}

/* ---- threads -------------------------------------------------------------------------------- */

/* The next column, or -1. After a failure none is handed out: those before it have been. */
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
    d->size = with->wanted->cost_count + with->run->occurrences.count + 1;
    d->params = ARENA_NEW(scratch, system->np, double);
    d->all = ARENA_NEW(scratch, system->nc, double);
    d->value = ARENA_NEW(scratch, 4 * d->size, double);
    d->other = perturbed_run(with, err);
    if (scratch->failed || !d->other) return sal_fail_memory(err);
    memcpy(d->params, with->run->params, (size_t)system->np * sizeof(double));
    return SALTUS_OK;
}

/* The calling thread is one of them; one that cannot be started leaves its work to the others. */
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
    if (status == SALTUS_OK) {
        work_together(d, count);
        status = first_failure(d, count, err);
    }
    for (int i = 0; d && i < count; i++) saltus_run_free(d[i].other);
    return status;
}

saltus_status sal_finite_differences(saltus_run *run, const sal_wanted *wanted,
                                     const sal_gradients *out, saltus_error *err)
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
