/* Checks along the motion: duality, constraints and energy. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "text.h"
#include "time_series.h"

/* ---- sizes ------------------------------------------------------------------------------------
 *
 * They are those of the run at the finer tolerance. */

void cli_evidence_measure(cli_evidence *e)
{
    cli_session *s = e->session;
    const size_t costs = (size_t)s->size.costs;
    int          count = 0;
    e->size = cli_alloc(costs, sizeof *e->size);
    e->end = cli_alloc(costs, sizeof *e->end);
    e->slopes = cli_alloc(costs * (size_t)s->params.count, sizeof *e->slopes);
    if (costs == 0 || s->error.status) return;
    const saltus_request request = cli_gradients_request(s, SALTUS_AUTO);
    CLI_OWNED double    *times = cli_time_series_times(s, &count);
    if (times)
        saltus_run_sizes(cli_evidence_run(e), &request, times, count, e->size, e->end, e->slopes,
                         &s->error);
}

/* ---- duality ----------------------------------------------------------------------------------
 *
 *     λqᵀ dq/dρ + λvᵀ dv/dρ + λcᵀ dc/dρ + dz/dρ + λΓ = dψ/dρ      at every time
 *
 * The adjoints of all costs are kept; the tangents pass by and are contracted with them. Inside of
 * steps both are interpolated, with errors of their own; so they are compared where steps begin and
 * on both sides of events. */

enum { MOST_STEPS = 500 };

/* Times at which steps begin: all of them, or some hundreds at equal distances. */
typedef struct step_times {
    long long every, index;
    int       count;
    double    t[MOST_STEPS + 1];
} step_times;

static int keep_step(void *context, const saltus_run_step *step)
{
    step_times *at = context;
    if (at->index++ % at->every || (at->count && !(step->t > at->t[at->count - 1]))) return 0;
    at->t[at->count++] = step->t;
    return 0;
}

static step_times find_step_times(saltus_run *run, saltus_error *err)
{
    step_times at = {.every = saltus_run_get_info(run)->steps / MOST_STEPS + 1};
    saltus_run_steps(run, keep_step, &at, err);
    return at;
}

static int is_step_time(const step_times *at, double t)
{
    int low = 0, high = at->count;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (at->t[middle] <= t) low = middle;
        else high = middle;
    }
    return at->count > 0 && at->t[low] == t;
}

/* Merges these times and those of steps, in order. */
static double *add_step_times(const double *times, int count, const step_times *at, int *all)
{
    double *merged = cli_alloc((size_t)(count + at->count), sizeof *merged);
    int     i = 0, k = 0;
    for (*all = 0; i < count || k < at->count;) {
        const double a = i < count ? times[i] : INFINITY, b = k < at->count ? at->t[k] : INFINITY;
        i += a <= b;
        k += b <= a;
        merged[(*all)++] = fmin(a, b);
    }
    return merged;
}

typedef struct dual {
    const cli_session     *session;
    const cli_time_series *adjoints;
    step_times             at;
    const double          *gradient; /* [cost * params + param] */
    double                *worst;    /* the largest deviation from gradient */
    double                *kappa;    /* the sum of the absolute terms of the left-hand side */
} dual;

/* A sum, and the sum of the absolute values of its terms. */
typedef struct sum {
    double value, size;
} sum;

static void add(sum *to, double part)
{
    to->value += part;
    to->size += fabs(part);
}

static void dot_column(sum *to, const double *lambda, const double *tangent, int count, int np,
                       int k)
{
    for (int i = 0; i < count; i++) add(to, lambda[i] * tangent[i * np + k]);
}

/* The left-hand side for the k-th parameter of the block that begins at `first`; lambda is laid out
 * as in cli_adjoints_read. */
static sum contract(const cli_session *s, const double *lambda, int cost,
                    const saltus_tangent_row *row, int first, int k)
{
    const int n = s->size.coordinates, np = row->params;
    const int nc = s->size.memories + s->size.hidden;
    sum       all = {0.0, 0.0};
    dot_column(&all, lambda, row->dq, n, np, k);
    dot_column(&all, lambda + n, row->dv, n, np, k);
    dot_column(&all, lambda + 2 * n, row->dc, nc, np, k);
    add(&all, row->dz[cost * np + k]);
    add(&all, lambda[2 * n + nc + first + k]);
    return all;
}

/* Whether a row is between two events of one instant: the adjoint there has a part that goes
 * through their common time, which is not in the row. */
static int between_events(const cli_session *s, const saltus_row *row)
{
    const int other = row->after ? row->event + 1 : row->event - 1;
    return row->event >= 0 && other >= 0 && other < saltus_run_get_info(s->run)->events &&
           saltus_run_event(s->run, other).t == row->t;
}

/* Whether a row is past the peak of a cost: the adjoint there is that of the rest of the cost
 * only. */
static int is_past_peak(const cli_session *s, int cost, const saltus_row *row)
{
    const saltus_peak peak = saltus_run_peak(s->run, cost);
    return peak.place != SALTUS_NO_PEAK && peak.place != SALTUS_PEAK_END && row->t >= peak.t;
}

static int compare_row(void *context, const saltus_tangent_row *row, int first, int index)
{
    dual              *d = context;
    const cli_session *s = d->session;
    const int          np = s->params.count;
    if (index >= d->adjoints->rows) return 1;
    if (between_events(s, &row->at)) return 0;
    const double *all = cli_time_series_at(d->adjoints, index);
    const int     width = d->adjoints->columns / s->size.costs;
    const int     known = row->at.event >= 0 || is_step_time(&d->at, row->at.t);
    for (int i = 0; i < s->size.costs; i++)
        for (int k = 0; k < row->params && !is_past_peak(s, i, &row->at); k++) {
            const int    at = i * np + first + k;
            const sum    left = contract(s, all + i * width, i, row, first, k);
            const double off = fabs(left.value - d->gradient[at]);
            if (known && !(off <= d->worst[at])) d->worst[at] = off; /* keeps a NaN */
            d->kappa[at] = fmax(d->kappa[at], left.size);
        }
    return 0;
}

static void tell_duality(const cli_evidence *e, int cost, const double *worst,
                         const double *gradient, cli_findings *findings)
{
    const cli_session *s = e->session;
    const int          np = s->params.count;
    int                bad = 0;
    double             ratio = -1.0, size = 0.0;
    for (int k = 0; k < np; k++) {
        const double off = worst[cost * np + k];
        const double here = off == 0.0 ? 0.0 : off / (3.0 * cli_evidence_allows(e, cost, k));
        size = fmax(size, fabs(gradient[cost * np + k]) * cli_param_size(s, k));
        if (here <= ratio) continue; /* a NaN counts as worst */
        ratio = here;
        bad = k;
        if (isnan(here)) break;
    }
    const double scale = size > 0.0 ? size / cli_param_size(s, bad) : 1.0;
    const int    fails = !(ratio <= 1.0);
    cli_findings_add(findings, "duality along the motion", cli_cost_name(s, cost),
                     worst[cost * np + bad] / scale,
                     3.0 * cli_evidence_allows(e, cost, bad) / scale, fails ? CLI_FAIL : CLI_PASS,
                     "%s%s", fails ? "by " : "", fails ? cli_param_name(s, bad) : "");
}

/* Checks duality along the motion at the fine tolerance. */
void cli_check_duality(cli_evidence *e, cli_findings *findings)
{
    cli_session         *s = e->session;
    const cli_gradients *adjoint = cli_evidence_fine(e, CLI_CHECK_ADJOINT);
    const size_t         entries = (size_t)(s->size.costs * s->params.count);
    cli_check_stage(s, CLI_STAGE_DUALITY);
    e->kappa = cli_alloc(entries, sizeof *e->kappa);
    if (entries == 0 || s->error.status) return;
    saltus_run *const asked = s->run;
    cli_time_series   adjoints = {0};
    int               count = 0;
    dual d = {.session = s, .adjoints = &adjoints, .gradient = adjoint->cost, .kappa = e->kappa};
    d.worst = cli_alloc(entries, sizeof *d.worst);
    s->run = cli_evidence_run(e);
    d.at = find_step_times(s->run, &s->error);
    CLI_OWNED double *even = cli_time_series_times(s, &count);
    CLI_OWNED double *times = even ? add_step_times(even, count, &d.at, &count) : NULL;
    if (times && cli_adjoints_read(s, &adjoints, s->size.hidden, times, count))
        cli_tangents_walk(s, times, count, compare_row, &d);
    s->run = asked;
    for (int i = 0; i < s->size.costs && !s->error.status; i++)
        tell_duality(e, i, d.worst, adjoint->cost, findings);
    free(d.worst);
    cli_time_series_free(&adjoints);
}

/* ---- what drifts ---------------------------------------------------------------------------- */

/* The drift that the errors of the steps may add up to. */
static double drift_allowed(const cli_evidence *e)
{
    return fmax(1e3 * cli_evidence_tolerance(e), 1e-9);
}

/* ---- constraints ---------------------------------------------------------------------------- */

typedef struct residuals {
    int    constraints, coordinates;
    double worst, worst_rate;
    double size, speed; /* the largest position and velocity */
} residuals;

static int residual_row(void *context, const saltus_row *row)
{
    residuals *r = context;
    for (int j = 0; j < r->constraints; j++) {
        r->worst = fmax(r->worst, fabs(row->residual[j]));
        r->worst_rate = fmax(r->worst_rate, fabs(row->residual_rate[j]));
    }
    for (int i = 0; i < r->coordinates; i++) {
        r->size = fmax(r->size, fabs(row->q[i]));
        r->speed = fmax(r->speed, fabs(row->v[i]));
    }
    return 0;
}

static void judge_residual(const cli_evidence *e, const char *what, double value,
                           cli_findings *findings)
{
    if (e->session->options.formulation == SALTUS_PENALTY)
        cli_findings_add(findings, what, "", value, NAN, CLI_INFORMATION,
                         "penalty: it falls as alpha grows");
    else cli_findings_compare(findings, what, "", value, drift_allowed(e), "");
}

void cli_check_constraints(cli_evidence *e, cli_findings *findings)
{
    cli_session *s = e->session;
    if (s->error.status || s->size.constraints == 0) return;
    residuals r = {s->size.constraints, s->size.coordinates, 0.0, 0.0, 1.0, 1.0};
    if (!cli_trajectory_walk(s, cli_evidence_run(e), residual_row, &r)) return;
    judge_residual(e, "constraints", r.worst / (r.size * r.size), findings);
    judge_residual(e, "rates of constraints", r.worst_rate / (r.size * r.speed), findings);
}

/* ---- energy --------------------------------------------------------------------------------- */

typedef struct energy {
    int    rows;
    double reference;       /* energy at the start of the present segment */
    double drift;           /* largest drift between events */
    double before;          /* energy at the row before an event */
    double jumps;           /* sum of the jumps of the energy at all events */
    double kinetic;         /* largest kinetic energy */
    double lowest, highest; /* range of the potential energy */
} energy;

static int energy_row(void *context, const saltus_row *row)
{
    energy      *e = context;
    const double total = row->kinetic + row->potential;
    if (e->rows++ == 0) {
        e->reference = total;
        e->lowest = e->highest = row->potential;
    }
    if (row->event >= 0 && row->after) {
        e->jumps += total - e->before;
        e->reference = total;
    }
    e->before = total;
    e->drift = fmax(e->drift, fabs(total - e->reference));
    e->kinetic = fmax(e->kinetic, row->kinetic);
    e->lowest = fmin(e->lowest, row->potential);
    e->highest = fmax(e->highest, row->potential);
    return 0;
}

void cli_check_energy(cli_evidence *evidence, cli_findings *findings)
{
    cli_session *s = evidence->session;
    if (s->error.status) return;
    energy e = {0};
    if (!cli_trajectory_walk(s, cli_evidence_run(evidence), energy_row, &e)) return;
    /* The scale is the energy that was exchanged: the zero of the potential is arbitrary. */
    const double scale = fmax(e.kinetic, e.highest - e.lowest);
    const double drift = scale > 0.0 ? e.drift / scale : e.drift;
    const double allowed = drift_allowed(evidence);
    const int    conserved = drift <= allowed;
    cli_findings_add(findings, "energy between events", "", drift, conserved ? allowed : NAN,
                     conserved ? CLI_PASS : CLI_INFORMATION,
                     conserved ? "conserved" : "changes: right if forces, damping or time act");
    if (s->events > 0)
        cli_findings_add(findings, "energy at events", "", scale > 0.0 ? e.jumps / scale : e.jumps,
                         NAN, CLI_INFORMATION, "%s over %d %s",
                         e.jumps < 0.0   ? "lost"
                         : e.jumps > 0.0 ? "gained"
                                         : "unchanged",
                         s->events, s->events == 1 ? "event" : "events");
}
