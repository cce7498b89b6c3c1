/* What it all says: against the reference, against the paper, against what we ask of ourselves. */
#include <math.h>

#include "study.h"

/* ---- the reference -------------------------------------------------------------------------- */

static double value_error(const gradients *g, const reference *r)
{
    double worst = 0.0;
    for (int k = 0; k < COSTS; k++)
        worst = larger(worst, fabs(g->value[k] - r->value[k]) / fmax(1.0, fabs(r->value[k])));
    return worst;
}

/* The worst of the costs and of their gradients by the three exact methods. */
static double reference_error(study *s, int horizon)
{
    static reference r;
    const gradients *g = study_gradients(s, horizon);
    reference_load(&r, s, study_run(s, horizon));
    if (s->err.status) return NAN;
    double worst = value_error(g, &r);
    for (int i = 0; i < DIFFERENCES; i++)
        worst = larger(worst, rows_apart(g->of[i], r.gradient, COSTS));
    return worst;
}

static void reference_rows(study *s, int horizon)
{
    static reference r;
    const mechanism *m = study_run(s, horizon);
    const gradients *g = study_differences(s, horizon);
    double           time = 0.0;
    reference_load(&r, s, m);
    if (s->err.status) return;
    for (int i = 0; i < m->events && i < r.events; i++)
        time = larger(time, fabs(saltus_run_event(m->run, i).t - r.time[i]));
    say(s, "    %4g  %d of %d  %9.1e  %9.1e", m->seconds, m->events, r.events, time,
        value_error(g, &r));
    for (int i = 0; i < METHODS; i++) say(s, "  %9.1e", rows_apart(g->of[i], r.gradient, COSTS));
    say(s, "  %9.1e\n", rows_apart(g->time[DISCRETE], r.time_gradient, m->events));
}

void section_reference(study *s)
{
    heading(s, "Against the reference");
    say(s, "tests/reference has the same numbers from an independent computation in quadruple\n"
           "precision that uses no sensitivity formula. Relative errors at tol 1e-12 (of times:\n"
           "absolute, in s), gradients by each method, relative to the largest of their row,\n"
           "and of the derivatives of the times:\n\n");
    say(s, "    %4s  %6s  %9s  %9s  %s  %9s\n", "[s]", "impact", "time", "value",
        "   direct    adjoint   discrete         fd", "of times");
    for (int h = 0; h < HORIZONS; h++) reference_rows(s, h);
    say(s, "\n");
}

/* ---- the paper ------------------------------------------------------------------------------ */

static double percent(double relative) { return 100.0 * relative; }

static residuals residuals_at(study *s, double alpha, double tol)
{
    residuals worst = {NAN, NAN};
    mechanism m;
    mechanism_open(&m, s, (variant){.seconds = 5.0, .tol = tol, .alpha = alpha});
    if (!s->err.status) worst = worst_residuals(&m, s);
    mechanism_close(&m);
    return worst;
}

/* The lowest point 2 gets, and how far its vertical velocity is from being turned around. */
typedef struct bounce {
    double lowest, before, turned;
} bounce;

static int watch_bounce(void *context, const saltus_row *row)
{
    bounce *b = context;
    b->lowest = fmin(b->lowest, row->q[P2_Y]);
    if (row->event >= 0 && !row->after) b->before = row->v[P2_Y];
    if (row->event >= 0 && row->after)
        b->turned = larger(b->turned, fabs(row->v[P2_Y] + b->before));
    return 0;
}

static bounce watch(study *s, mechanism *m)
{
    enum { TIMES = 2001 };
    static double times[TIMES];
    bounce        b = {INFINITY, 0.0, 0.0};
    if (s->err.status) return b;
    sample_times(m, times, TIMES);
    saltus_run_trajectory(m->run, times, TIMES, watch_bounce, &b, &s->err);
    return b;
}

void section_claims(study *s)
{
    mechanism       *m = study_run(s, LONG);
    const gradients *g = study_differences(s, LONG);
    const bounce     b = watch(s, m);
    if (s->err.status) return;
    const double    along = larger(differences_along(s, LONG, param_index(m, "L01"), 1e-5),
                                   differences_along(s, LONG, param_index(m, "L02"), 1e-5));
    const residuals index1 = residuals_at(s, 0.0, 1e-12), penalty = residuals_at(s, 1e7, 1e-12);
    const double    adjoint = percent(entries_apart(g->of[ADJOINT], g->of[DIRECT], COSTS * PARAMS));
    const double    fd = percent(entries_apart(g->of[DIFFERENCES], g->of[DIRECT], COSTS * PARAMS));
    heading(s, "The paper's claims, and ours");
    say(s, "Over 5 s, as there; tol 1e-12.\n\n");
    say(s, "    %-41s  %-7s  %9s  %s\n", "claim", "section", "paper", "here");
    say(s, "    %-41s  %-7s  %9s  %.1e index-1, %.1e penalty\n", "position constraints hold within",
        "4", "1e-6", index1.phi, penalty.phi);
    say(s, "    %-41s  %-7s  %9s  %.1e index-1, %.1e penalty\n", "velocity constraints hold within",
        "4", "1e-5", index1.rate, penalty.rate);
    say(s, "    %-41s  %-7s  %9s  %.10f\n", "point 2 bounces at [m]", "4", "-2.35", b.lowest);
    say(s, "    %-41s  %-7s  %9s  to %.0e\n", "its vertical velocity is turned around", "4", "yes",
        b.turned);
    say(s, "    %-41s  %-7s  %9s  to %.1e\n", "along the run, differences match direct", "4",
        "exactly", along);
    say(s, "    %-41s  %-7s  %9s  %.1e %%\n", "adjoint and direct differ by less than", "4",
        "0.01 %", adjoint);
    say(s, "    %-41s  %-7s  %9s  %.1e %%\n", "finite differences and direct, less than", "5",
        "0.01 %", fd);
    say(s, "    %-41s  %-7s  %9s  see 'Along the run'\n",
        "differences spike at impacts, like 1/eps", "4", "yes");
    say(s, "\n"
           "The paper runs \"the ODE forward system\", we think in the penalty formulation;\n"
           "its penalty factor, tolerance and parameters are not given in section 4. Ours\n"
           "are alpha 1e7, 1e-12 and the twelve of the model. It writes v⁺ = v⁻ for what it\n"
           "says in words, v⁺ = −v⁻ (vertically), and has one name for the lengths of all\n"
           "bars: 1.8027 m belongs to the bars 1-2 and 2-3.\n"
           "\n");
}

/* ---- ourselves ------------------------------------------------------------------------------ */

static void require(study *s, const char *what, double measured, double bound)
{
    const int holds = measured <= bound;
    if (!holds) s->missed++;
    say(s, "    %-52s  %9.0e  %9.1e  %s\n", what, bound, measured, holds ? "holds" : "MISSED");
}

void section_requirements(study *s)
{
    const gradients *two = study_gradients(s, SHORT), *five = study_gradients(s, LONG);
    if (s->err.status) return;
    const residuals r2 = worst_residuals(study_run(s, SHORT), s);
    const residuals r5 = worst_residuals(study_run(s, LONG), s);
    heading(s, "What is required");
    say(s, "    %-52s  %9s  %9s\n", "at tol 1e-12", "at most", "is");
    require(s, "direct, adjoint, discrete apart over 2 s, any entry", methods_apart(two), 1e-9);
    require(s, "the same over 5 s: the tolerance times its growth", methods_apart(five),
            1e-12 * largest_growth(s));
    require(s, "costs and gradients off the reference over 2 s", reference_error(s, SHORT), 1e-9);
    require(s, "the same over 5 s", reference_error(s, LONG), 1e-9);
    require(s, "duality along 2 s", duality_error(s, SHORT), 1e-9);
    require(s, "duality along 5 s", duality_error(s, LONG), 1e-9);
    require(s, "index-1, |Phi| over 2 s", r2.phi, 1e-9);
    require(s, "index-1, |dPhi/dt| over 2 s", r2.rate, 1e-9);
    require(s, "index-1, |Phi| over 5 s", r5.phi, 1e-9);
    require(s, "index-1, |dPhi/dt| over 5 s", r5.rate, 1e-9);
    say(s, "\n");
}
