/* Checks along the motion: duality and energy. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "sensitivities.h"
#include "text.h"

/* ---- duality ----------------------------------------------------------------------------------
 *
 *     λqᵀ dq/dρ + λvᵀ dv/dρ + λcᵀ dc/dρ + dz/dρ + λΓ = dψ/dρ      at every time
 *
 * The adjoints of all costs are kept; the tangents pass by and are contracted with them. */

typedef struct dual {
    const cli_session *session;
    const cli_sheet   *adjoints;
    const double      *gradient; /* [cost * params + param] */
    double            *worst;    /* per cost: the largest deviation */
} dual;

static double dot_column(const double *lambda, const double *tangent, int count, int np, int k)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += lambda[i] * tangent[i * np + k];
    return sum;
}

/* The left-hand side for the k-th parameter of the block that begins at `first`; lambda is laid out
 * as in cli_adjoints_read. */
static double contract(const cli_session *s, const double *lambda, int cost,
                       const saltus_tangent_row *row, int first, int k)
{
    const int n = s->size.coordinates, nc = s->size.memories, np = row->params;
    return dot_column(lambda, row->dq, n, np, k) + dot_column(lambda + n, row->dv, n, np, k) +
           dot_column(lambda + 2 * n, row->dc, nc, np, k) + row->dz[cost * np + k] +
           lambda[2 * n + nc + first + k];
}

/* Between two events of one instant the adjoint has a part that goes through their common time; it
 * is not in the row. */
static int between_events(const cli_session *s, const saltus_row *row)
{
    const int other = row->after ? row->event + 1 : row->event - 1;
    return row->event >= 0 && other >= 0 && other < s->events &&
           saltus_run_event(s->run, other).t == row->t;
}

static int compare_row(void *context, const saltus_tangent_row *row, int first, int index)
{
    dual              *d = context;
    const cli_session *s = d->session;
    const int          np = s->params.count;
    if (index >= d->adjoints->rows) return 1;
    if (between_events(s, &row->at)) return 0;
    const double *all = cli_sheet_at(d->adjoints, index);
    const int     width = d->adjoints->columns / s->costs.count;
    for (int i = 0; i < s->costs.count; i++)
        for (int k = 0; k < row->params; k++) {
            const double value = contract(s, all + i * width, s->costs.index[i], row, first, k);
            const double off = fabs(value - d->gradient[i * np + first + k]);
            if (!(off <= d->worst[i])) d->worst[i] = off; /* NaN stays */
        }
    return 0;
}

static void compare_worst(const cli_session *s, int cost, double worst, const double *row,
                          cli_findings *findings)
{
    const double scale = cli_gradient_scale(s, row, s->cost[s->costs.index[cost]]);
    cli_findings_compare(findings, "duality along the motion", cli_cost_name(s, cost),
                         worst / scale, cli_gradient_tolerance(s), cli_check_note(s, row, cost));
}

void cli_check_duality(cli_session *s, const cli_gradients *adjoint, cli_findings *findings)
{
    if (s->costs.count == 0 || s->params.count == 0 || s->error.status) return;
    cli_sheet adjoints = {0};
    int       count = 0;
    double   *times = cli_sheet_times(s, &count);
    dual      d = {.session = s, .adjoints = &adjoints, .gradient = adjoint->cost};
    d.worst = cli_alloc((size_t)s->costs.count, sizeof *d.worst);
    if (times && cli_adjoints_read(s, &adjoints))
        cli_tangents_walk(s, times, count, compare_row, &d);
    for (int i = 0; i < s->costs.count && !s->error.status; i++)
        compare_worst(s, i, d.worst[i], adjoint->cost + i * s->params.count, findings);
    free(d.worst);
    free(times);
    cli_sheet_free(&adjoints);
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

static void judge_residual(const cli_session *s, const char *what, double value,
                           cli_findings *findings)
{
    if (s->options.formulation == SALTUS_PENALTY)
        cli_findings_add(findings, what, "", value, NAN, CLI_INFORMATION,
                         "penalty: it falls as alpha grows");
    else cli_findings_compare(findings, what, "", value, cli_gradient_tolerance(s), "");
}

void cli_check_constraints(cli_session *s, cli_findings *findings)
{
    if (s->error.status || s->size.constraints == 0) return;
    int       count = 0;
    residuals r = {s->size.constraints, s->size.coordinates, 0.0, 0.0, 1.0, 1.0};
    double   *times = cli_sheet_times(s, &count);
    if (times) saltus_run_trajectory(s->run, times, count, residual_row, &r, &s->error);
    free(times);
    if (s->error.status) return;
    judge_residual(s, "constraints", r.worst / (r.size * r.size), findings);
    judge_residual(s, "rates of constraints", r.worst_rate / (r.size * r.speed), findings);
}

/* ---- energy --------------------------------------------------------------------------------- */

typedef struct energy {
    int    rows;
    double reference;       /* at the start of the present segment */
    double drift;           /* the largest, between events */
    double before;          /* at the row before an event */
    double jumps;           /* sum over all events */
    double kinetic;         /* the largest */
    double lowest, highest; /* potential */
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

void cli_check_energy(cli_session *s, cli_findings *findings)
{
    if (s->error.status) return;
    int     count = 0;
    energy  e = {0};
    double *times = cli_sheet_times(s, &count);
    if (times) saltus_run_trajectory(s->run, times, count, energy_row, &e, &s->error);
    free(times);
    if (s->error.status) return;
    /* Without its arbitrary zero: what was exchanged. */
    const double scale = fmax(e.kinetic, e.highest - e.lowest);
    const double drift = scale > 0.0 ? e.drift / scale : e.drift;
    const int    conserved = drift <= cli_gradient_tolerance(s);
    cli_findings_add(findings, "energy between events", "", drift,
                     conserved ? cli_gradient_tolerance(s) : NAN,
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
