/* The Taylor test: with the right gradient
 *
 *     R(ε) = ψ(ρ + εd) − ψ(ρ) − ε ψ'(ρ) d = O(ε²)
 *
 * for a random direction d, so on a log-log plot R has slope 2; a wrong gradient gives slope 1. It
 * is valid only while the same events happen in the same order and R is above rounding. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "pool.h"
#include "text.h"

enum { STEPS = 12, FITTED = 3, NEEDED = 3, KEPT = 4 };
static const double first_step = 0.1, ratio = 0.25, slope_least = 1.8;

typedef struct taylor {
    const cli_evidence *evidence;
    cli_session        *session;
    saltus_run        **run;     /* runs with tight tolerances, one per thread, made when needed */
    saltus_options      options; /* options of these runs */
    double             *params;  /* all parameters of the model, at ρ */
    double             *direction;    /* d, by requested parameter */
    double             *base;         /* costs at ρ */
    double             *slope;        /* ψ'd of the requested costs */
    double             *rounding;     /* rounding error of slope */
    double             *remainder;    /* [cost * STEPS + step], NaN where it is not valid */
    int                 valid[STEPS]; /* 1: the sequence of events is that at ρ */
    double              tolerance;
} taylor;

/* splitmix64, so that a seed gives the same direction on all machines. */
static double random_unit(unsigned long long *state)
{
    unsigned long long z = (*state += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
    return (double)(z >> 11) / 9007199254740992.0;
}

/* Chooses a direction in which every parameter changes, relative to its size, and stays within
 * bounds. */
static void choose_direction(taylor *t)
{
    const cli_session *s = t->session;
    unsigned long long state = (unsigned long long)s->arguments->seed;
    for (int k = 0; k < s->params.count; k++) {
        const saltus_param_info p = saltus_system_param(s->system, s->params.index[k]);
        const double            sign = random_unit(&state) < 0.5 ? -1.0 : 1.0;
        const double            size = p.value != 0.0 ? fabs(p.value) : 1.0;
        double                  d = sign * size * (0.5 + 0.5 * random_unit(&state));
        const double up = p.upper - p.value, down = p.value - p.lower, reach = first_step * fabs(d);
        if (d > 0.0 ? reach > up : reach > down) d = -d;
        if (d > 0.0 ? reach > up : reach > down) /* no room on either side: a shorter step */
            d = up > down ? up / (2.0 * first_step) : -down / (2.0 * first_step);
        t->direction[k] = d;
    }
}

/* Whether a run has the sequence of events of the checked motion. */
static int same_sequence(const taylor *t, const saltus_run *run)
{
    return cli_run_finished(run) && cli_first_other_event(run, cli_evidence_run(t->evidence)) < 0;
}

/* Simulates the motion at ρ and computes its costs. */
static int prepare(taylor *t, saltus_error *err)
{
    saltus_run *run = t->run[0];
    saltus_run_simulate(run, t->params, err);
    if (err->status || !cli_run_finished(run)) return 0;
    if (!same_sequence(t, run)) return cli_fail(err, SALTUS_ERR_NO_GRADIENT, "other events happen");
    return saltus_run_costs(run, t->base, err) == SALTUS_OK;
}

/* Computes the derivative along d at the fine tolerance, and its error beyond the tolerance. */
static void find_slopes(taylor *t)
{
    const cli_session *s = t->session;
    /* the direct method controls its error */
    const cli_gradients *g = cli_evidence_fine(t->evidence, CLI_CHECK_DIRECT);
    for (int i = 0; i < s->size.costs; i++)
        for (int k = 0; k < s->params.count; k++) {
            const double d = t->direction[k];
            t->slope[i] += g->cost[i * s->params.count + k] * d;
            t->rounding[i] += cli_evidence_direct_error(t->evidence, i, k) * fabs(d);
        }
}

/* Computes the remainder of one step along d, in a worker with a run of its own. */
static void move(void *context, int worker, int step)
{
    taylor            *t = context;
    const cli_session *s = t->session;
    const double       eps = first_step * pow(ratio, step);
    saltus_error       err = {0};
    if (cli_interrupted()) return;
    if (!t->run[worker]) t->run[worker] = saltus_run_new(s->system, &t->options, &err);
    CLI_OWNED double *moved = cli_alloc((size_t)s->size.params, sizeof *moved);
    CLI_OWNED double *cost = cli_alloc((size_t)s->size.costs, sizeof *cost);
    memcpy(moved, t->params, (size_t)s->size.params * sizeof *moved);
    for (int k = 0; k < s->params.count; k++) moved[s->params.index[k]] += eps * t->direction[k];
    saltus_run_simulate(t->run[worker], moved, &err);
    t->valid[step] = !err.status && same_sequence(t, t->run[worker]) &&
                     saltus_run_costs(t->run[worker], cost, &err) == SALTUS_OK;
    cli_need_memory(&err);
    for (int i = 0; i < s->size.costs && t->valid[step]; i++)
        t->remainder[i * STEPS + step] = cost[i] - t->base[i] - eps * t->slope[i];
}

/* Estimates the noise of R: at the smallest ε, R is only noise (or, with a wrong gradient, far
 * below its values at the steps that are fitted). It is at least the effect of tolerance and
 * rounding. */
static double noise_of(const taylor *t, int cost)
{
    const double *r = t->remainder + cost * STEPS;
    const double  least = fmax(t->valid[STEPS - 1] ? fabs(r[STEPS - 1]) : 0.0,
                              t->valid[STEPS - 2] ? fabs(r[STEPS - 2]) : 0.0);
    const double size = fabs(t->base[cost]) + fabs(t->slope[cost]);
    return fmax(t->tolerance * size + cli_evidence_rounding(t->evidence, cost), 30.0 * least);
}

/* Chooses the steps to fit: those with the smallest ε, where R is above the noise of the runs and
 * far above the rounding of the gradient. If R changes its sign, steps before the change are left
 * out. */
static int fitted_steps(const taylor *t, int cost, int *steps, int *noisy)
{
    const double noise = noise_of(t, cost);
    int          count = 0;
    *noisy = 0;
    for (int i = STEPS - 1; i >= 0 && count < KEPT; i--) {
        const double r = t->remainder[cost * STEPS + i];
        const double linear = first_step * pow(ratio, i) * t->rounding[cost];
        if (!t->valid[i]) continue;
        if (!(fabs(r) > fmax(noise, 10.0 * linear))) {
            *noisy = 1;
            count = 0;
        } else if (count && (r > 0.0) != (t->remainder[cost * STEPS + steps[0]] > 0.0)) {
            break;
        } else {
            steps[count++] = i;
        }
    }
    return count;
}

/* The slope of log |R| over log ε, by least squares. */
static double slope_of(const taylor *t, int cost, const int *steps, int count)
{
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (int i = 0; i < count; i++) {
        const double u = steps[i] * log(ratio);
        const double v = log(fabs(t->remainder[cost * STEPS + steps[i]]));
        x += u, y += v, xx += u * u, xy += u * v;
    }
    return (count * xy - x * y) / (count * xx - x * x);
}

/* Whether R has a linear part: l in R(ε) / ε = l + a ε + b ε², from three steps. The error of l is
 * its difference from the line through the two smaller steps, plus the effects of noise and of
 * rounding of the gradient. */
static int is_linear(const taylor *t, int cost, const int *steps)
{
    const double noise = noise_of(t, cost);
    double       eps[FITTED], d[FITTED], l = 0.0, error = t->rounding[cost];
    for (int i = 0; i < FITTED; i++) {
        eps[i] = first_step * pow(ratio, steps[i]);
        d[i] = t->remainder[cost * STEPS + steps[i]] / eps[i];
    }
    for (int i = 0; i < FITTED; i++) {
        double weight = 1.0;
        for (int k = 0; k < FITTED; k++)
            if (k != i) weight *= eps[k] / (eps[k] - eps[i]);
        l += weight * d[i];
        error += fabs(weight) * noise / eps[i];
    }
    const double line = (eps[1] * d[0] - eps[0] * d[1]) / (eps[1] - eps[0]);
    return fabs(l) > error + fabs(l - line);
}

/* Judges a slope. A right gradient may give less than 2 because of third-order terms and noise, so
 * a slope that is too small is a failure only if R has a linear part. */
static void judge_slope(const taylor *t, int cost, const int *steps, int count, double slope,
                        cli_findings *findings)
{
    const int least = slope >= slope_least;
    const int linear =
        !least && (is_linear(t, cost, steps) || (count == KEPT && is_linear(t, cost, steps + 1)));
    const char *note = least    ? "slope of the remainder, 2 expected"
                       : linear ? "slope of the remainder, 2 expected: a part of it is linear"
                                : "slope of the remainder: no part of it is linear, it has a "
                                  "third order, or noise";
    cli_findings_add(findings, "Taylor test", cli_cost_name(t->session, cost), slope, slope_least,
                     linear ? CLI_FAIL : CLI_PASS, "%s", note);
}

static void judge(const taylor *t, int cost, cli_findings *findings, double *fitted)
{
    int       steps[KEPT], noisy = 0, valid = 0;
    const int count = fitted_steps(t, cost, steps, &noisy);
    for (int i = 0; i < STEPS; i++) valid += t->valid[i];
    if (count >= NEEDED) {
        *fitted = slope_of(t, cost, steps, FITTED);
        judge_slope(t, cost, steps, count, *fitted, findings);
        return;
    }
    cli_findings_add(findings, "Taylor test", cli_cost_name(t->session, cost), NAN, NAN,
                     CLI_NOT_APPLICABLE,
                     valid < NEEDED ? "the sequence of events changes nearby"
                     : noisy        ? "the remainder is at rounding level"
                                    : "the remainder changes its sign");
}

void cli_taylor_free(cli_taylor *kept)
{
    free(kept->epsilon);
    free(kept->remainder);
    free(kept->slope);
}

/* Allocates the results; all remainders and slopes are NaN until they are computed. */
static void make_room(cli_taylor *kept, int costs)
{
    kept->epsilon = cli_alloc(STEPS, sizeof *kept->epsilon);
    kept->remainder = cli_alloc((size_t)(costs * STEPS), sizeof *kept->remainder);
    kept->slope = cli_alloc((size_t)costs, sizeof *kept->slope);
    for (int i = 0; i < STEPS; i++) kept->epsilon[i] = first_step * pow(ratio, i);
    for (int i = 0; i < costs * STEPS; i++) kept->remainder[i] = NAN;
    for (int i = 0; i < costs; i++) kept->slope[i] = NAN;
}

void cli_check_taylor(cli_evidence *e, cli_findings *findings, cli_taylor *kept)
{
    cli_session *s = e->session;
    const size_t costs = (size_t)s->size.costs, params = (size_t)s->size.params;
    const int    threads = s->arguments->threads;
    if (costs == 0 || s->params.count == 0 || s->error.status) return;
    make_room(kept, s->size.costs);
    saltus_error           err = {0};
    CLI_OWNED saltus_run **run = cli_alloc((size_t)threads, sizeof *run);
    CLI_OWNED double      *at = cli_alloc(params, sizeof *at);
    CLI_OWNED double      *direction = cli_alloc(params, sizeof *direction);
    CLI_OWNED double      *numbers = cli_alloc(3 * costs, sizeof *numbers);
    taylor                 t = {.evidence = e,
                                .session = s,
                                .run = run,
                                .params = at,
                                .direction = direction,
                                .base = numbers,
                                .slope = numbers + costs,
                                .rounding = numbers + 2 * costs,
                                .remainder = kept->remainder,
                                .tolerance = fmin(e->asked, 1e-12)};
    t.options = cli_options_at(e, t.tolerance);
    run[0] = saltus_run_new(s->system, &t.options, &err);
    for (int i = 0; i < s->size.params; i++) at[i] = saltus_system_param(s->system, i).value;
    choose_direction(&t);
    find_slopes(&t);
    cli_check_stage(s, CLI_STAGE_TAYLOR);
    const int ready = !err.status && prepare(&t, &err);
    cli_need_memory(&err);
    if (ready) cli_pool_run(threads, STEPS, move, &t);
    kept->steps = ready ? STEPS : 0;
    for (int i = 0; i < s->size.costs; i++) {
        if (ready) judge(&t, i, findings, &kept->slope[i]);
        else
            cli_findings_add(findings, "Taylor test", cli_cost_name(s, i), NAN, NAN,
                             CLI_NOT_APPLICABLE, "no run at the tolerance %g: %s", t.tolerance,
                             err.status ? err.message : saltus_run_get_info(run[0])->message);
    }
    for (int i = 0; i < threads; i++) saltus_run_free(run[i]);
}
