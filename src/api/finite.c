/* Central differences of complete runs, extrapolated once (Richardson): from the steps h and h/2,
 * D = (4 D(h/2) - D(h)) / 3, error O(h^4). The runs are made at a tighter tolerance, and the step
 * shrinks until all of them have the same events in the same order and the slope changes little. */
#include "api/finite.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "saltus/saltus.h"

enum { TRIES = 6 };
static const double CURVED = 1e-4;

typedef struct differences {
    saltus_run       *run, *other; /* the original, and the one for perturbed values */
    const sal_wanted *wanted;
    double           *params;
    double           *value; /* four runs: costs, event times, end */
    double           *all;   /* all costs */
    int               size;  /* of one run's values */
} differences;

static saltus_run *perturbed_run(const saltus_run *run, saltus_error *err)
{
    saltus_options options = run->options;
    options.rtol = fmax(1e-13, 0.01 * options.rtol);
    options.atol = fmax(1e-13, 0.01 * options.atol);
    if (options.max_steps <= LLONG_MAX / 4) options.max_steps *= 4;
    return saltus_run_new(run->system, &options, err);
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

static saltus_status all_params(differences *d, const sal_gradients *out, saltus_error *err)
{
    for (int column = 0; column < d->wanted->param_count; column++)
        TRY(one_param(d, column, out, err));
    return SALTUS_OK;
}

saltus_status sal_finite_differences(saltus_run *run, const sal_wanted *wanted,
                                     const sal_gradients *out, saltus_error *err)
{
    sal_arena   scratch;
    differences d = {.run = run, .wanted = wanted};
    d.size = wanted->cost_count + run->occurrences.count + 1;
    sal_arena_init(&scratch, &run->arena.allocator);
    d.params = ARENA_NEW(&scratch, run->system->np, double);
    d.all = ARENA_NEW(&scratch, run->system->nc, double);
    d.value = ARENA_NEW(&scratch, 4 * d.size, double);
    d.other = perturbed_run(run, err);
    saltus_status status = scratch.failed || !d.other ? sal_fail_memory(err) : SALTUS_OK;
    if (status == SALTUS_OK) {
        memcpy(d.params, run->params, (size_t)run->system->np * sizeof(double));
        status = all_params(&d, out, err);
    }
    saltus_run_free(d.other);
    sal_arena_free(&scratch);
    return status;
}
