/* What docs/guide/8-five-bar-study.md states about the five-bar mechanism, measured again with the
 * library alone. */
#include "scripted.h"

enum { PARAMS = 12, COORDINATES = 6, BARS = 4, MAX_EVENTS = 16, EXACT = 3 /* methods */ };

static const char *const studied[] = {"int_yd2", "int_ydd2", "int_ydd2sq_plus_yd2sq"};
static const int         params[PARAMS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

static scripted five_bar(double seconds)
{
    scripted s = load_model("five_bar");
    s.options.t_end = seconds;
    assert_int_equal(s.size.params, PARAMS);
    return s;
}

/* The larger one; NaN, if one of them is. */
static double larger(double a, double b) { return isnan(a) || a >= b ? a : b; }

/* ---- gradients ------------------------------------------------------------------------------ */

static double apart(double a, double b)
{
    return a == b ? 0.0 : fabs(a - b) / fmin(fabs(a), fabs(b));
}

typedef struct disagreement {
    double gradient, time_gradient; /* relative, entry by entry */
} disagreement;

/* Of direct, continuous adjoint and discrete adjoint, over the studied costs. */
static disagreement methods_apart(scripted *s)
{
    static double g[EXACT][3 * PARAMS], t[EXACT][MAX_EVENTS * PARAMS];
    int           costs[3];
    disagreement  worst = {0.0, 0.0};
    assert_true(s->info->events <= MAX_EVENTS);
    for (int k = 0; k < 3; k++) costs[k] = cost(s, studied[k]);
    for (int m = 0; m < EXACT; m++) {
        const saltus_request request = {all_methods[m], costs, 3, NULL, 0};
        if (saltus_run_gradients(s->run, &request, g[m], t[m], NULL, &s->err))
            fail_msg("%s: %s", saltus_method_name(all_methods[m]), s->err.message);
    }
    for (int m = 0; m < EXACT; m++)
        for (int n = 0; n < m; n++) {
            for (int i = 0; i < 3 * PARAMS; i++)
                worst.gradient = larger(worst.gradient, apart(g[m][i], g[n][i]));
            for (int i = 0; i < s->info->events * PARAMS; i++)
                worst.time_gradient = larger(worst.time_gradient, apart(t[m][i], t[n][i]));
        }
    return worst;
}

TEST(direct_adjoint_and_discrete_agree_to_1e_9_over_2_s)
{
    scripted s = five_bar(2.0);
    simulate(&s, NULL);
    expect_event_count(&s, 4);
    const disagreement worst = methods_apart(&s);
    print_message("2 s: gradients %.1e, of times %.1e\n", worst.gradient, worst.time_gradient);
    EXPECT_NEAR(worst.gradient, 0.0, 1e-9);
    EXPECT_NEAR(worst.time_gradient, 0.0, 1e-9);
    release(&s);
}

/* |d(q, v)/d(x20, y20)|: at the start, and at most. */
typedef struct growth {
    int    x20, y20;
    double start, most;
} growth;

static int measure_growth(void *context, const saltus_tangent_row *row)
{
    growth *g = context;
    double  sum = 0.0;
    for (int c = 0; c < COORDINATES; c++) {
        const int x = c * row->params + g->x20, y = c * row->params + g->y20;
        sum += row->dq[x] * row->dq[x] + row->dq[y] * row->dq[y];
        sum += row->dv[x] * row->dv[x] + row->dv[y] * row->dv[y];
    }
    if (row->at.t == 0.0) g->start = sqrt(sum);
    g->most = larger(g->most, sqrt(sum));
    return 0;
}

TEST(over_5_s_they_agree_to_the_tolerance_times_the_growth_of_errors)
{
    enum { TIMES = 501 };
    double   times[TIMES];
    scripted s = five_bar(5.0);
    simulate(&s, NULL);
    expect_event_count(&s, 9);
    growth g = {param(&s, "x20"), param(&s, "y20"), NAN, 0.0};
    for (int i = 0; i < TIMES; i++) times[i] = 5.0 * i / (TIMES - 1);
    if (saltus_run_tangents(s.run, params, PARAMS, times, TIMES, measure_growth, &g, &s.err))
        fail_msg("%s", s.err.message);
    const double factor = g.most / g.start;
    EXPECT_NEAR(factor, 35.2, 0.1); /* as the guide says */
    const disagreement worst = methods_apart(&s);
    print_message("5 s: growth %.2f, gradients %.1e, of times %.1e\n", factor, worst.gradient,
                  worst.time_gradient);
    EXPECT_NEAR(worst.gradient, 0.0, 1e-12 * factor);
    EXPECT_NEAR(worst.time_gradient, 0.0, 1e-12 * factor);
    release(&s);
}

/* ---- duality -------------------------------------------------------------------------------- */

enum { ROWS = 101 + 2 * MAX_EVENTS };
typedef struct walk {
    int    rows, cost;
    double t[ROWS], dq[ROWS][COORDINATES * PARAMS], dv[ROWS][COORDINATES * PARAMS];
    double dz[ROWS][MAX_COSTS * PARAMS];
    double first[PARAMS], scale, worst; /* lambda^T S + lambda_p at the end, its size */
    int    costs, met;
} walk;

static int keep_tangent(void *context, const saltus_tangent_row *row)
{
    walk *w = context;
    if (w->rows == ROWS) return 1;
    w->t[w->rows] = row->at.t;
    memcpy(w->dq[w->rows], row->dq, sizeof w->dq[0]);
    memcpy(w->dv[w->rows], row->dv, sizeof w->dv[0]);
    memcpy(w->dz[w->rows], row->dz, (size_t)(w->costs * PARAMS) * sizeof(double));
    w->rows++;
    return 0;
}

static int multiply(void *context, const saltus_adjoint_row *row)
{
    walk     *w = context;
    const int i = w->rows - 1 - w->met++;
    if (i < 0 || w->t[i] != row->at.t) fail_msg("the walks do not meet at t = %.17g", row->at.t);
    for (int j = 0; j < PARAMS; j++) {
        double product = row->lambda_p[j] + w->dz[i][w->cost * PARAMS + j];
        for (int c = 0; c < COORDINATES; c++)
            product += row->lambda_q[c] * w->dq[i][c * PARAMS + j] +
                       row->lambda_v[c] * w->dv[i][c * PARAMS + j];
        if (w->met == 1) {
            w->first[j] = product;
            w->scale = larger(w->scale, fabs(product));
        }
        w->worst = larger(w->worst, fabs(product - w->first[j]));
    }
    return 0;
}

TEST(duality_holds_at_every_time_of_5_s_and_on_both_sides_of_each_impact)
{
    static walk w;
    double      times[101];
    scripted    s = five_bar(5.0);
    simulate(&s, NULL);
    w.costs = s.size.costs;
    for (int i = 0; i < 101; i++) times[i] = 0.05 * i;
    saltus_run_tangents(s.run, params, PARAMS, times, 101, keep_tangent, &w, &s.err);
    for (int k = 0; k < 3; k++) {
        w.cost = cost(&s, studied[k]);
        w.met = 0;
        w.scale = w.worst = 0.0;
        saltus_run_adjoints(s.run, w.cost, times, 101, multiply, &w, &s.err);
        if (s.err.status) fail_msg("%s", s.err.message);
        assert_int_equal(w.met, w.rows);
        assert_int_equal(w.met, 101 + 2 * 9);
        print_message("%s: %.1e\n", studied[k], w.worst / w.scale);
        EXPECT_NEAR(w.worst / w.scale, 0.0, 1e-9);
    }
    release(&s);
}

/* ---- constraints ---------------------------------------------------------------------------- */

typedef struct residuals {
    double phi, rate;
    int    rows;
} residuals;

/* The four bars: |Q - P|^2 = length^2, with A and B at rest. */
static int measure_residuals(void *context, const saltus_row *row)
{
    static const double square[BARS] = {2.0, 13.0 / 4.0, 13.0 / 4.0, 2.0};
    residuals          *worst = context;
    double              x[5] = {-0.5, 0, 0, 0, 0.5}, y[5] = {0}, vx[5] = {0}, vy[5] = {0};
    for (int p = 0; p < 3; p++) {
        x[p + 1] = row->q[2 * p];
        y[p + 1] = row->q[2 * p + 1];
        vx[p + 1] = row->v[2 * p];
        vy[p + 1] = row->v[2 * p + 1];
    }
    for (int b = 0; b < BARS; b++) {
        const double dx = x[b + 1] - x[b], dy = y[b + 1] - y[b];
        const double rate = 2.0 * (dx * (vx[b + 1] - vx[b]) + dy * (vy[b + 1] - vy[b]));
        worst->phi = larger(worst->phi, fabs(dx * dx + dy * dy - square[b]));
        worst->rate = larger(worst->rate, fabs(rate));
    }
    worst->rows++;
    return 0;
}

static residuals worst_residuals(scripted *s, double seconds)
{
    enum { TIMES = 2001 };
    static double times[TIMES];
    residuals     worst = {0.0, 0.0, 0};
    for (int i = 0; i < TIMES; i++) times[i] = seconds * i / (TIMES - 1);
    if (saltus_run_trajectory(s->run, times, TIMES, measure_residuals, &worst, &s->err))
        fail_msg("%s", s->err.message);
    assert_int_equal(worst.rows, TIMES + 2 * s->info->events);
    return worst;
}

TEST(index_1_residuals_of_all_bars_stay_below_1e_9)
{
    static const double seconds[] = {2.0, 5.0};
    for (int h = 0; h < 2; h++) {
        scripted s = five_bar(seconds[h]);
        simulate(&s, NULL);
        const residuals worst = worst_residuals(&s, seconds[h]);
        print_message("%g s: Phi %.1e, its rate %.1e\n", seconds[h], worst.phi, worst.rate);
        EXPECT_NEAR(worst.phi, 0.0, 1e-9);
        EXPECT_NEAR(worst.rate, 0.0, 1e-9);
        release(&s);
    }
}

TEST(the_penalty_formulation_approaches_index_1_like_one_over_alpha)
{
    scripted exact = five_bar(2.0);
    simulate(&exact, NULL);
    const double value = cost_value(&exact, studied[2]);
    const double slope = gradient(&exact, SALTUS_DISCRETE, studied[2], "L02");
    double       off = NAN, slope_off = NAN, phi = NAN;
    for (double alpha = 1e5; alpha < 2e9; alpha *= 10.0) {
        scripted s = five_bar(2.0);
        s.options.formulation = SALTUS_PENALTY;
        s.options.alpha = alpha;
        simulate(&s, NULL);
        const double cost_before = off, slope_before = slope_off, phi_before = phi;
        off = fabs(cost_value(&s, studied[2]) / value - 1.0);
        slope_off = fabs(gradient(&s, SALTUS_DISCRETE, studied[2], "L02") / slope - 1.0);
        phi = worst_residuals(&s, 2.0).phi;
        if (alpha > 1e5) {
            EXPECT_NEAR(cost_before / off, 10.0, 0.5);
            EXPECT_NEAR(slope_before / slope_off, 10.0, 0.5);
            EXPECT_NEAR(phi_before / phi, 10.0, 0.5);
        }
        EXPECT_NEAR(methods_apart(&s).gradient, 0.0, 1e-9);
        release(&s);
    }
    EXPECT_NEAR(off, 0.0, 1e-9);
    release(&exact);
}

/* ---- energy --------------------------------------------------------------------------------- */

typedef struct impacts {
    double before, most, least; /* relative changes of the kinetic energy */
} impacts;

static int measure_impact(void *context, const saltus_row *row)
{
    impacts *e = context;
    if (!row->after) e->before = row->kinetic;
    else {
        e->most = fmax(e->most, row->kinetic / e->before - 1.0);
        e->least = fmin(e->least, row->kinetic / e->before - 1.0);
    }
    return 0;
}

TEST(turning_one_velocity_around_wins_and_loses_up_to_0_4_percent_of_the_energy)
{
    scripted s = five_bar(5.0);
    impacts  e = {NAN, -INFINITY, INFINITY};
    simulate(&s, NULL);
    saltus_run_trajectory(s.run, NULL, 0, measure_impact, &e, &s.err);
    EXPECT_NEAR(e.most, 0.00398, 1e-5);
    EXPECT_NEAR(e.least, -0.00417, 1e-5);
    release(&s);
}

TEST(newtons_law_with_e_1_keeps_the_energy)
{
    saltus_error          err = {0};
    const saltus_override impact = {"impact", 0.0, "newton"};
    saltus_script_options script = saltus_script_options_default();
    script.overrides = &impact;
    script.override_count = 1;
    scripted      s = five_bar(5.0);
    saltus_model *model =
        saltus_model_load_with(SALTUS_SOURCE_DIR "/models/five_bar.lua", &script, &err);
    saltus_system_free(s.system);
    s.system = saltus_system_compile(model, &err);
    saltus_model_free(model);
    if (err.status) fail_msg("%s", err.message);
    simulate(&s, NULL);
    EXPECT(s.info->events >= 9);
    const saltus_row end = final_row(&s);
    EXPECT_NEAR(end.kinetic + end.potential, -53.955, 1e-10);
    impacts e = {NAN, -INFINITY, INFINITY};
    saltus_run_trajectory(s.run, NULL, 0, measure_impact, &e, &s.err);
    EXPECT_NEAR(e.most, 0.0, 1e-13);
    EXPECT_NEAR(e.least, 0.0, 1e-13);
    release(&s);
}

TEST_MAIN(RUN(direct_adjoint_and_discrete_agree_to_1e_9_over_2_s),
          RUN(over_5_s_they_agree_to_the_tolerance_times_the_growth_of_errors),
          RUN(duality_holds_at_every_time_of_5_s_and_on_both_sides_of_each_impact),
          RUN(index_1_residuals_of_all_bars_stay_below_1e_9),
          RUN(the_penalty_formulation_approaches_index_1_like_one_over_alpha),
          RUN(turning_one_velocity_around_wins_and_loses_up_to_0_4_percent_of_the_energy),
          RUN(newtons_law_with_e_1_keeps_the_energy))
