/* The sections of the study, one function each: compute, and tell. */
#include <math.h>

#include "study.h"

/* ---- the impacts ---------------------------------------------------------------------------- */

void section_events(study *s)
{
    static const char *const by[] = {"L01", "L02", "e", "yg"};
    const mechanism         *m = study_run(s, LONG);
    const gradients         *g = study_gradients(s, LONG);
    heading(s, "The impacts");
    say(s,
        "Point 2 falls on the ground at y = -2.35 m %d times in 5 s, %d of them within\n"
        "2 s. After the speed [m/s]: the derivatives of the time of impact (events.csv\n"
        "has all twelve).\n"
        "\n",
        m->events, study_run(s, SHORT)->events);
    say(s, "    %2s  %13s  %9s", "#", "time [s]", "speed");
    for (int j = 0; j < 4; j++) {
        char label[16];
        snprintf(label, sizeof label, "d/d%s", by[j]);
        say(s, "  %11s", label);
    }
    say(s, "\n");
    for (int i = 0; i < m->events && !s->err.status; i++) {
        const saltus_occurrence event = saltus_run_event(m->run, i);
        say(s, "    %2d  %13.10f  %9.6f", i + 1, event.t, event.rate);
        for (int j = 0; j < 4; j++)
            say(s, "  %11.7f", g->time[DIRECT][i * PARAMS + param_index(m, by[j])]);
        say(s, "\n");
    }
    say(s, "\n");
}

/* ---- the costs ------------------------------------------------------------------------------ */

void section_quadratures(study *s)
{
    static const char *const meaning[COSTS] = {"∫ ẏ₂ dt      ", "∫ ÿ₂ dt      ", "∫ ÿ₂² + ẏ₂² dt"};
    const mechanism *m = study_run(s, LONG);
    const gradients *two = study_gradients(s, SHORT), *five = study_gradients(s, LONG);
    heading(s, "The three quadratures");
    say(s, "    %-21s  %-14s  %17s  %17s\n", "cost", "", "over 2 s", "over 5 s");
    for (int k = 0; k < COSTS && !s->err.status; k++)
        say(s, "    %-21s  %s  %17.12f  %17.12f\n", m->cost_name[k], meaning[k], two->value[k],
            five->value[k]);
    say(s, "\n"
           "The first is how far point 2 has come. The second is its velocity without the\n"
           "jumps: at an impact a velocity jumps, a quadrature does not.\n"
           "\n");
}

static void gradient_rows(study *s, const mechanism *m, const gradients *g)
{
    static const char *const by[] = {"L01", "L02"};
    say(s, "    %-21s  %-3s", "d(cost)", "by");
    for (int i = 0; i < METHODS; i++) say(s, "  %15s", method_names[i]);
    say(s, "\n");
    for (int k = 0; k < COSTS; k++)
        for (int j = 0; j < 2; j++) {
            say(s, "    %-21s  %-3s", m->cost_name[k], by[j]);
            for (int i = 0; i < METHODS; i++)
                say(s, "  %15.9f", g->of[i][k * PARAMS + param_index(m, by[j])]);
            say(s, "\n");
        }
    say(s, "\n");
}

static void difference_rows(study *s, const gradients *g)
{
    static const struct {
        int a, b;
    } pair[] = {{ADJOINT, DIRECT}, {DISCRETE, DIRECT}, {DISCRETE, ADJOINT}, {DIFFERENCES, DIRECT}};
    say(s, "    %-20s  %14s  %17s\n", "relative difference", "entry by entry", "of largest in row");
    for (int i = 0; i < 4; i++) {
        const double *a = g->of[pair[i].a], *b = g->of[pair[i].b];
        say(s, "    %-8s to %-8s  %14.1e  %17.1e\n", method_names[pair[i].a],
            method_names[pair[i].b], entries_apart(a, b, COSTS * PARAMS), rows_apart(a, b, COSTS));
    }
    say(s, "\n");
}

void section_gradients(study *s)
{
    heading(s, "Their sensitivities, four ways");
    say(s, "direct: forward in time; adjoint: the continuous one, backward; discrete: the\n"
           "adjoint of the computed steps; fd: central differences of complete runs.\n"
           "Shown are the natural lengths of the springs; the differences are the worst of\n"
           "three costs by twelve parameters (gradients.csv has all of them).\n"
           "\n");
    for (int h = 0; h < HORIZONS; h++) {
        const gradients *g = study_differences(s, h);
        if (s->err.status) return;
        say(s, "Over %g s:\n\n", horizon_seconds[h]);
        gradient_rows(s, study_run(s, h), g);
        difference_rows(s, g);
    }
}

/* ---- along the run -------------------------------------------------------------------------- */

static void tell_spikes(study *s, int param)
{
    say(s, "At the very time of the first impact one of the two runs has bounced and the\n"
           "other has not. There d(ẏ₂)/d(L02) by differences is no derivative, it grows\n"
           "like 1/eps:\n"
           "\n");
    say(s, "    %7s  %22s\n", "eps", "d(dot(P2.y))/d(L02)");
    for (double eps = 1e-3; eps > 0.5e-6; eps *= 0.1)
        say(s, "    %7.0e  %22.4f\n", eps, difference_at_impact(s, param, eps));
    say(s, "\n");
}

void section_along(study *s)
{
    heading(s, "Along the run");
    say(s, "At every time, λᵀ S + λΓ must be dψ/dρ: S goes forward, λ backward, and both\n"
           "jump at each impact. And dz/dρ, directly, must be what central differences of\n"
           "two runs give.\n"
           "\n");
    say(s, "    %-26s  %12s  %12s\n", "largest deviation", "over 2 s", "over 5 s");
    const double duality[] = {duality_error(s, SHORT), duality_error(s, LONG)};
    say(s, "    %-26s  %12.1e  %12.1e\n", "duality, 12 parameters", duality[0], duality[1]);
    for (int i = 0; i < 2 && !s->err.status; i++) {
        static const char *const by[] = {"L01", "L02"};
        const int                j = param_index(study_run(s, LONG), by[i]);
        const double             two = differences_along(s, SHORT, j, 1e-5);
        const double             five = differences_along(s, LONG, j, 1e-5);
        say(s, "    differences by %s, 1e-5    %12.1e  %12.1e\n", by[i], two, five);
    }
    say(s, "\n");
    if (!s->err.status) tell_spikes(s, param_index(study_run(s, LONG), "L02"));
}

/* ---- constraints ---------------------------------------------------------------------------- */

static void residual_row(study *s, const char *name, double tol, double alpha)
{
    residuals worst[HORIZONS];
    for (int h = 0; h < HORIZONS; h++) {
        mechanism m;
        mechanism_open(&m, s, (variant){horizon_seconds[h], tol, alpha, 0});
        if (!s->err.status) worst[h] = worst_residuals(&m, s);
        mechanism_close(&m);
    }
    if (s->err.status) return;
    say(s, "    %-20s  %5.0e  %9.1e  %9.1e  %9.1e  %9.1e\n", name, tol, worst[SHORT].phi,
        worst[SHORT].rate, worst[LONG].phi, worst[LONG].rate);
}

void section_constraints(study *s)
{
    heading(s, "The constraints");
    say(s, "The largest |Φ| [m²] and |Φ̇| [m²/s] of the four bars, at 2001 times and on\n"
           "both sides of each impact.\n"
           "\n");
    say(s, "    %-20s  %5s  %20s  %20s\n", "", "", "over 2 s", "over 5 s");
    say(s, "    %-20s  %5s  %9s  %9s  %9s  %9s\n", "formulation", "tol", "Phi", "dPhi/dt", "Phi",
        "dPhi/dt");
    residual_row(s, "index-1", 1e-9, 0.0);
    residual_row(s, "index-1", 1e-12, 0.0);
    residual_row(s, "penalty, alpha 1e6", 1e-12, 1e6);
    residual_row(s, "penalty, alpha 1e7", 1e-12, 1e7);
    say(s, "\n");
}

/* ---- energy --------------------------------------------------------------------------------- */

typedef struct kinetic {
    double before[MAX_EVENTS], after[MAX_EVENTS];
} kinetic;

static int keep_kinetic(void *context, const saltus_row *row)
{
    kinetic *k = context;
    if (row->event >= 0) (row->after ? k->after : k->before)[row->event] = row->kinetic;
    return 0;
}

static void read_kinetic(study *s, mechanism *m, kinetic *k)
{
    saltus_run_trajectory(m->run, NULL, 0, keep_kinetic, k, &s->err);
}

void section_energy(study *s)
{
    static kinetic turn, newton;
    mechanism     *m = study_run(s, LONG), other;
    heading(s, "Energy at the impacts");
    say(s, "The paper's law turns the vertical velocity of point 2 around and keeps the\n"
           "horizontal one. In a mechanism that does not keep the energy; Newton's law with\n"
           "e = 1 does (--set impact=newton). Kinetic energies [J] and their change:\n"
           "\n");
    mechanism_open(&other, s, (variant){.seconds = 5.0, .tol = 1e-12, .newton = 1});
    if (!s->err.status) read_kinetic(s, m, &turn);
    if (!s->err.status) read_kinetic(s, &other, &newton);
    say(s, "    %2s  %12s  %12s  %11s  %9s  %16s\n", "#", "before", "after", "change", "relative",
        "Newton, relative");
    double net = 0.0, most = 0.0;
    for (int i = 0; i < m->events && !s->err.status; i++) {
        const double change = turn.after[i] - turn.before[i];
        net += change;
        most = larger(most, fabs(change) / turn.before[i]);
        say(s, "    %2d  %12.9f  %12.9f  %11.2e  %8.3f%%", i + 1, turn.before[i], turn.after[i],
            change, 100.0 * change / turn.before[i]);
        if (i < other.events)
            say(s, "  %16.1e", (newton.after[i] - newton.before[i]) / newton.before[i]);
        say(s, "\n");
    }
    say(s,
        "\n"
        "Up to %.1f %% per impact, sometimes won, sometimes lost; in the end %+.2e J.\n"
        "\n",
        100.0 * most, net);
    mechanism_close(&other);
}

/* ---- penalty -------------------------------------------------------------------------------- */

static void penalty_row(study *s, double alpha)
{
    static double    direct[COSTS * PARAMS], adjoint[COSTS * PARAMS], discrete[COSTS * PARAMS];
    double           value[64], off = 0.0;
    const gradients *exact = study_gradients(s, SHORT);
    mechanism        m;
    mechanism_open(&m, s, (variant){.seconds = 2.0, .tol = 1e-12, .alpha = alpha});
    if (!s->err.status) {
        saltus_run_costs(m.run, value, &s->err);
        mechanism_gradient(&m, s, DIRECT, direct, NULL);
        mechanism_gradient(&m, s, ADJOINT, adjoint, NULL);
        mechanism_gradient(&m, s, DISCRETE, discrete, NULL);
        const residuals worst = worst_residuals(&m, s);
        for (int k = 0; k < COSTS; k++)
            off = larger(off, fabs(value[m.cost[k]] / exact->value[k] - 1.0));
        say(s, "    %5.0e  %9.1e  %9.1e  %9.1e  %9.1e  %16.1e  %5lld\n", alpha, worst.phi,
            worst.rate, off, rows_apart(discrete, exact->of[DISCRETE], COSTS),
            larger(rows_apart(adjoint, direct, COSTS), rows_apart(discrete, direct, COSTS)),
            saltus_run_get_info(m.run)->steps);
    }
    mechanism_close(&m);
}

void section_penalty(study *s)
{
    heading(s, "The penalty formulation as alpha grows");
    say(s, "Over 2 s at tol 1e-12, damping ratio 1, frequency 10/s. Costs and gradients:\n"
           "relative distance to index-1. Methods: how far direct, adjoint and discrete are\n"
           "apart.\n"
           "\n");
    say(s, "    %5s  %9s  %9s  %9s  %9s  %16s  %5s\n", "alpha", "Phi", "dPhi/dt", "costs",
        "gradient", "methods apart by", "steps");
    for (double alpha = 1e5; alpha < 2e9; alpha *= 10.0) penalty_row(s, alpha);
    say(s, "\n");
}

/* ---- conditioning --------------------------------------------------------------------------- */

/* Norms at 0, 1, ... s: of d(q, v)/d(x20, y20), what a moved start becomes, and of d(q, v)/d(L02).
 */
enum { SECONDS = 6 };
typedef struct growth {
    int    l02, x20, y20;
    double moved[SECONDS], stretched[SECONDS], largest;
    int    at;
} growth;

static double column_square(const saltus_tangent_row *row, int param)
{
    double sum = 0.0;
    for (int c = 0; c < COORDINATES; c++)
        sum += row->dq[c * PARAMS + param] * row->dq[c * PARAMS + param] +
               row->dv[c * PARAMS + param] * row->dv[c * PARAMS + param];
    return sum;
}

static int keep_growth(void *context, const saltus_tangent_row *row)
{
    enum { PER_SECOND = 100 };
    growth      *g = context;
    const double moved = sqrt(column_square(row, g->x20) + column_square(row, g->y20));
    g->largest = larger(g->largest, moved);
    if (row->at.event >= 0) return 0;
    if (g->at % PER_SECOND == 0) {
        g->moved[g->at / PER_SECOND] = moved;
        g->stretched[g->at / PER_SECOND] = sqrt(column_square(row, g->l02));
    }
    g->at++;
    return 0;
}

static growth measure_growth(study *s)
{
    enum { TIMES = 501 };
    mechanism *m = study_run(s, LONG);
    double     times[TIMES];
    growth     g = {0};
    if (s->err.status) return g;
    g.l02 = param_index(m, "L02");
    g.x20 = param_index(m, "x20");
    g.y20 = param_index(m, "y20");
    sample_times(m, times, TIMES);
    saltus_run_tangents(m->run, all_params, PARAMS, times, TIMES, keep_growth, &g, &s->err);
    return g;
}

double largest_growth(study *s)
{
    const growth g = measure_growth(s);
    return g.largest / g.moved[0];
}

static void tell_growth(study *s)
{
    const growth g = measure_growth(s);
    say(s, "    %5s  %20s  %7s  %14s\n", "t [s]", "|d(q,v)/d(x20,y20)|", "growth", "|d(q,v)/dL02|");
    for (int i = 0; i < SECONDS; i++)
        say(s, "    %5d  %20.4f  %7.2f  %14.3f\n", i, g.moved[i], g.moved[i] / g.moved[0],
            g.stretched[i]);
    say(s,
        "\n"
        "A start moved in position is moved %.1f times as far, at most, within 5 s: of\n"
        "errors of 1e-12, %.0e may be seen. Into the costs, errors made on the way go\n"
        "multiplied by |λ| of that time, at most\n"
        "\n",
        g.largest / g.moved[0], 1e-12 * g.largest / g.moved[0]);
}

typedef struct largest_adjoint {
    double norm;
} largest_adjoint;

static int keep_largest(void *context, const saltus_adjoint_row *row)
{
    largest_adjoint *largest = context;
    double           sum = 0.0;
    for (int c = 0; c < COORDINATES; c++)
        sum += row->lambda_q[c] * row->lambda_q[c] + row->lambda_v[c] * row->lambda_v[c];
    largest->norm = larger(largest->norm, sqrt(sum));
    return 0;
}

static void tell_adjoints(study *s)
{
    enum { TIMES = 501 };
    mechanism *m = study_run(s, LONG);
    double     times[TIMES];
    if (s->err.status) return;
    sample_times(m, times, TIMES);
    for (int k = 0; k < COSTS && !s->err.status; k++) {
        largest_adjoint largest = {0.0};
        saltus_run_adjoints(m->run, m->cost[k], times, TIMES, keep_largest, &largest, &s->err);
        say(s, "    %-21s  %8.2f\n", m->cost_name[k], largest.norm);
    }
    say(s, "\n");
}

/* The worst error against the reference at one tolerance, of costs and of gradients. */
static void tolerance_cells(study *s, int horizon, double tol)
{
    static double    gradient[COSTS * PARAMS];
    static reference r;
    double           value[64], off = 0.0;
    mechanism        m;
    mechanism_open(&m, s, (variant){.seconds = horizon_seconds[horizon], .tol = tol});
    if (!s->err.status) {
        reference_load(&r, s, &m);
        saltus_run_costs(m.run, value, &s->err);
        mechanism_gradient(&m, s, DISCRETE, gradient, NULL);
        for (int k = 0; k < COSTS; k++)
            off = larger(off, fabs(value[m.cost[k]] - r.value[k]) / fmax(1.0, fabs(r.value[k])));
        say(s, "  %9.1e  %9.1e", off, rows_apart(gradient, r.gradient, COSTS));
    }
    mechanism_close(&m);
}

void section_conditioning(study *s)
{
    heading(s, "Conditioning: what digits 5 s allow");
    tell_growth(s);
    tell_adjoints(s);
    say(s, "And this is what remains, against the reference, as the tolerance falls:\n\n");
    say(s, "    %5s  %20s  %20s\n", "", "over 2 s", "over 5 s");
    say(s, "    %5s  %9s  %9s  %9s  %9s\n", "tol", "costs", "gradient", "costs", "gradient");
    for (double tol = 1e-6; tol > 0.5e-13; tol *= 0.1) {
        say(s, "    %5.0e", tol);
        for (int h = 0; h < HORIZONS; h++) tolerance_cells(s, h, tol);
        say(s, "\n");
    }
    say(s, "\n");
}
