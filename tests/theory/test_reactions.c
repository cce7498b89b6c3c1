/* What holds a constraint: its impulses at events, its part of the adjoint variables, its softness.
 */
#include "scripted.h"

/* ---- impulses of constraints ---------------------------------------------------------------- */

/* A stone on a string, with a second constraint that is never active at the event. */
static const char two_strings[] =
    "local m, e = 1.5, param('e', 0.6)\n"
    "local x = coordinate('x', {start = 0.3, speed = 1})\n"
    "local y = coordinate('y', {start = -0.2, speed = 1.5})\n"
    "mass(x, m) mass(y, m) potential(m * 9.81 * y)\n"
    "local slack, taut, other = mode 'slack', mode 'taut', mode 'other'\n"
    "constraint('unused', x - 2 * y, {mode = other})\n"
    "constraint('string', x^2 + y^2 - 1, {mode = taut})\n"
    "event('taut', {from = slack, to = taut, when = 1 - x^2 - y^2, direction = 'falling'})\n"
    "event('wall', {when = x + 0.5, direction = 'falling', restitution = e})\n"
    "event('turn', {from = taut, when = y + 0.95, direction = 'falling',\n"
    "               set = {[dot(x)] = 0.9 * dot(x)}})\n"
    "event('pass', {from = taut, when = x, direction = 'any'})\n"
    "event('never', {from = taut, to = other, when = x - 5})\n"
    "cost('c', {final = x^2})\nhorizon(0, 2)\n";

/* M (v+ - v-) + Phi_q^T dmu = r_q^T delta, component by component. */
static void expect_balance(const scripted *s, int index, const double *impulse)
{
    const saltus_occurrence o = saltus_run_event(s->run, index);
    const double            m = 1.5, contact = isnan(o.impulse) ? 0.0 : o.impulse;
    for (int k = 0; k < 2; k++)
        EXPECT_NEAR(m * (o.v_plus[k] - o.v_minus[k]) + 2.0 * o.q[k] * impulse[1],
                    k == 0 ? contact : 0.0, 1e-12);
}

TEST(impulses_of_constraints_balance_the_momentum)
{
    scripted s = load(two_strings);
    double   impulse[2];
    int      seen[3] = {0};         /* inelastic, Newton inside the constraint, others */
    s.options.record_memory = 4096; /* steps are taken again; what was noted stays */
    simulate(&s, NULL);
    expect_outcome(&s, SALTUS_END);
    gradient(&s, SALTUS_DISCRETE, "c", "e");
    EXPECT(s.info->replayed > 0);
    for (int i = 0; i < s.info->events; i++) {
        const saltus_occurrence o = saltus_run_event(s.run, i);
        const int               has = saltus_run_impulses(s.run, i, impulse);
        const int kind = strcmp(o.name, "taut") == 0 ? 0 : strcmp(o.name, "wall") == 0 ? 1 : 2;
        seen[kind]++;
        EXPECT(has == (kind < 2));
        if (!has) EXPECT(isnan(impulse[0]) && isnan(impulse[1]));
        if (!has) continue;
        EXPECT(impulse[0] == 0.0);
        expect_balance(&s, i, impulse);
        if (kind == 0) EXPECT_NEAR(impulse[1], -1.5 * o.rate / 4.0, 1e-10);
        else EXPECT(fabs(impulse[1]) > 0.1 && fabs(o.impulse) > 0.1);
    }
    EXPECT(seen[0] == 1 && seen[1] > 0 && seen[2] > 0);
    release(&s);
}

/* Newton's law where no constraint is active: there are impulses, and they are zero. */
TEST(an_impact_in_flight_has_no_impulse_of_a_constraint)
{
    scripted s = run_to("local y = coordinate('y', {start = 1})\nmass(y, 1) force(y, -9.81)\n"
                        "local air, rest = mode 'air', mode 'rest'\n"
                        "constraint('floor', y, {mode = rest})\n"
                        "event('floor', {from = air, when = y, direction = 'falling',\n"
                        "                restitution = 0.5})\n"
                        "event('end', {from = air, to = rest, when = y - 9})\n"
                        "cost('c', {final = y})\nhorizon(0, 0.6)\n",
                        SALTUS_END);
    double   impulse = NAN;
    expect_event_count(&s, 1);
    EXPECT(saltus_run_impulses(s.run, 0, &impulse) == 1);
    EXPECT(impulse == 0.0);
    EXPECT_NEAR(saltus_run_event(s.run, 0).impulse, 1.5 * sqrt(2.0 * 9.81), 1e-10);
    release(&s);
}

/* An event that ends the run, ends it before its jump. */
TEST(an_event_that_ends_the_run_has_no_impulses)
{
    scripted s = run_to("local y = coordinate('y', {start = 1})\nmass(y, 1) force(y, -9.81)\n"
                        "local air, rest = mode 'air', mode 'rest'\n"
                        "constraint('floor', y, {mode = rest})\n"
                        "event('floor', {from = air, when = y, direction = 'falling',\n"
                        "                restitution = 0.5, stop = 2})\n"
                        "event('end', {from = air, to = rest, when = y - 9})\n"
                        "cost('c', {final = y})\nhorizon(0, 6)\n",
                        SALTUS_TERMINAL_EVENT);
    double   impulse = 0.0;
    expect_event_count(&s, 2);
    EXPECT(saltus_run_impulses(s.run, 0, &impulse) == 1);
    EXPECT(saltus_run_impulses(s.run, 1, &impulse) == 0 && isnan(impulse));
    release(&s);
}

/* ---- both sets of adjoint variables --------------------------------------------------------- */

enum { MAX_LINKS = 4, SAMPLES = 21 };

/* sensitivities.md (7) with M and Phi_q written by hand: rows of K [y; y_mu] - [lambda_v + g_a;
 * g_mu]. */
typedef struct two_sets {
    const scripted *s;
    void (*matrices)(const double *q, double M[MAX_STATES][MAX_STATES],
                     double phi_q[MAX_LINKS][MAX_STATES]);
    void (*integrand)(const saltus_row *at, double *g_a, double *g_mu);
    double softness, worst, largest_mu;
    int    rows;
} two_sets;

static void note_worst(two_sets *t, double residual, double size)
{
    const double off = fabs(residual) / (1.0 + size);
    if (!(off <= t->worst)) t->worst = off; /* NaN is the worst */
}

static int compare_sets(void *context, const saltus_adjoint_row *row)
{
    two_sets *t = context;
    const int n = t->s->size.coordinates, m = t->s->size.constraints;
    double    M[MAX_STATES][MAX_STATES] = {{0}}, phi_q[MAX_LINKS][MAX_STATES] = {{0}};
    double    g_a[MAX_STATES] = {0}, g_mu[MAX_LINKS] = {0};
    t->matrices(row->at.q, M, phi_q);
    if (t->integrand) t->integrand(&row->at, g_a, g_mu);
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int k = 0; k < n; k++) sum += M[i][k] * row->y[k];
        for (int j = 0; j < m; j++) sum += phi_q[j][i] * row->y_mu[j];
        note_worst(t, sum - row->lambda_v[i] - g_a[i], fabs(row->lambda_v[i]));
    }
    for (int j = 0; j < m; j++) {
        double sum = -t->softness * row->y_mu[j];
        for (int k = 0; k < n; k++) sum += phi_q[j][k] * row->y[k];
        note_worst(t, sum - g_mu[j], fabs(g_mu[j]));
        t->largest_mu = fmax(t->largest_mu, fabs(row->y_mu[j]));
    }
    t->rows++;
    return 0;
}

static void expect_both_sets(scripted *s, const char *cost_name, two_sets t)
{
    double times[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) times[i] = s->info->t * i / (SAMPLES - 1);
    t.s = s;
    saltus_run_adjoints(s->run, cost(s, cost_name), times, SAMPLES, compare_sets, &t, &s->err);
    if (s->err.status) fail_msg("%s", s->err.message);
    print_message("%s: %d rows, off by %.1e, y_mu up to %.3g\n", cost_name, t.rows, t.worst,
                  t.largest_mu);
    EXPECT(t.rows >= SAMPLES);
    EXPECT(t.largest_mu > 1e-3);
    EXPECT_NEAR(t.worst, 0.0, 1e-11);
}

/* A mass of 2 on a circle, Phi = x^2 + y^2 - L^2. */
static void pendulum_matrices(const double *q, double M[MAX_STATES][MAX_STATES],
                              double phi_q[MAX_LINKS][MAX_STATES])
{
    for (int i = 0; i < 2; i++) {
        M[i][i] = 2.0;
        phi_q[0][i] = 2.0 * q[i];
    }
}

static void square_of_mu(const saltus_row *at, double *g_a, double *g_mu)
{
    (void)g_a;
    g_mu[0] = 2.0 * at->mu[0];
}

static void square_of_a(const saltus_row *at, double *g_a, double *g_mu)
{
    (void)g_mu;
    for (int i = 0; i < 2; i++) g_a[i] = 2.0 * at->a[i];
}

TEST(both_sets_of_adjoint_variables_on_the_pendulum)
{
    scripted s = load_model("cartesian_pendulum");
    simulate(&s, NULL);
    expect_both_sets(&s, "int_y", (two_sets){.matrices = pendulum_matrices});
    expect_both_sets(&s, "int_mu2",
                     (two_sets){.matrices = pendulum_matrices, .integrand = square_of_mu});
    expect_both_sets(&s, "int_acc2",
                     (two_sets){.matrices = pendulum_matrices, .integrand = square_of_a});
    release(&s);
}

TEST(both_sets_of_adjoint_variables_with_the_penalty_formulation)
{
    scripted s = load_model("cartesian_pendulum");
    s.options.formulation = SALTUS_PENALTY;
    s.options.alpha = 50.0;
    simulate(&s, NULL);
    expect_both_sets(&s, "int_mu2",
                     (two_sets){.matrices = pendulum_matrices,
                                .integrand = square_of_mu,
                                .softness = 1.0 / 50.0});
    release(&s);
}

/* The bars A-1, 1-2, 2-3, 3-B: m/3 at an end, m/6 between ends; Phi = |Q - P|^2 - L^2. */
static void five_bar_matrices(const double *q, double M[MAX_STATES][MAX_STATES],
                              double phi_q[MAX_LINKS][MAX_STATES])
{
    static const double mass[] = {1.0, 1.5, 1.5, 1.0};
    for (int b = 0; b < 4; b++)
        for (int k = 0; k < 2; k++) {
            const int    from = 2 * (b - 1) + k, to = 2 * b + k;
            const double p = b > 0 ? q[from] : k == 0 ? -0.5 : 0.0;
            const double r = b < 3 ? q[to] : k == 0 ? 0.5 : 0.0;
            if (b > 0) {
                M[from][from] += mass[b] / 3.0;
                phi_q[b][from] = -2.0 * (r - p);
            }
            if (b < 3) {
                M[to][to] += mass[b] / 3.0;
                phi_q[b][to] = 2.0 * (r - p);
            }
            if (b > 0 && b < 3) M[from][to] = M[to][from] = mass[b] / 6.0;
        }
}

static void squares_of_mu(const saltus_row *at, double *g_a, double *g_mu)
{
    (void)g_a;
    for (int j = 0; j < 4; j++) g_mu[j] = 2.0 * at->mu[j];
}

TEST(both_sets_of_adjoint_variables_on_the_five_bar)
{
    scripted s = load_model("five_bar");
    simulate(&s, NULL);
    EXPECT(s.info->events > 0);
    expect_both_sets(&s, "int_x2", (two_sets){.matrices = five_bar_matrices});
    expect_both_sets(&s, "int_musq",
                     (two_sets){.matrices = five_bar_matrices, .integrand = squares_of_mu});
    release(&s);
}

/* The integrand has a part by mu at all times, the constraint only while the string is taut. */
static int expect_none_while_slack(void *context, const saltus_adjoint_row *row)
{
    int      *seen = context;
    const int slack = strcmp(row->at.mode, "slack") == 0;
    if (slack) EXPECT(row->y_mu[0] == 0.0);
    else EXPECT(row->y_mu[0] != 0.0);
    seen[slack]++;
    return 0;
}

TEST(constraints_that_are_not_active_have_no_part_in_the_adjoint)
{
    scripted     s = run_to("local x = coordinate('x', {start = 0.3, speed = 1})\n"
                                "local y = coordinate('y', {start = -0.2, speed = 1.5})\n"
                                "mass(x, 1) mass(y, 1) potential(9.81 * y)\n"
                                "local slack, taut = mode 'slack', mode 'taut'\n"
                                "constraint('string', x^2 + y^2 - 1, {mode = taut})\n"
                                "event('taut', {from = slack, to = taut, when = 1 - x^2 - y^2,\n"
                                "               direction = 'falling'})\n"
                                "cost('c', {integral = (2 + t) * multiplier('string')})\n"
                                "horizon(0, 1)\n",
                            SALTUS_END);
    const double times[] = {0.0, 0.1, 0.2, 0.6, 0.8};
    int          seen[2] = {0};
    saltus_run_adjoints(s.run, 0, times, 5, expect_none_while_slack, seen, &s.err);
    EXPECT(!s.err.status && seen[0] > 2 && seen[1] > 2);
    release(&s);
}

/* ---- modes left with a drift ----------------------------------------------------------------- */

/* A stone swings on a string, goes slack where the tension vanishes, and is caught again. */
#define ROPE(guard)                                                                                \
    "local v = param('v', 6)\n"                                                                    \
    "local x, y = coordinate('x', {speed = v}), coordinate('y', {guess = -1})\n"                   \
    "mass(x, 1.5) mass(y, 1.5) potential(1.5 * 9.81 * y)\n"                                        \
    "local taut, slack = mode 'taut', mode 'slack'\n"                                              \
    "constraint('string', x^2 + y^2 - 1, {mode = taut})\n"                                         \
    "event('slack', {from = taut, to = slack, when = multiplier('string'),\n"                      \
    "                direction = 'falling'})\n"                                                    \
    "event('taut', {from = slack, to = taut, when = " guard ", direction = 'rising'})\n"           \
    "cost('h', {integral = y})\nhorizon(0, 3)\n"

/* What the constraint drifts by while it holds is on either side of the guard that catches it. */
TEST(leaving_a_constraint_with_its_drift_is_no_mistake)
{
    scripted     s = load(ROPE("x^2 + y^2 - 1"));
    const double tolerance[] = {1e-4, 1e-6, 1e-9, 1e-12};
    for (int i = 0; i < 4; i++) {
        s.options.rtol = s.options.atol = tolerance[i];
        for (int k = 0; k < 10; k++) {
            simulate(&s, (const double[]){5.2 + 0.15 * k});
            expect_outcome(&s, SALTUS_END);
            EXPECT(s.info->events >= 2);
            EXPECT_TEXT(saltus_run_event(s.run, 1).name, "taut");
            EXPECT(saltus_run_event(s.run, 1).t > saltus_run_event(s.run, 0).t + 0.1);
            if (has_warning(&s, "already above zero"))
                fail_msg("at tolerance %g: %s", tolerance[i], saltus_run_warning(s.run, 0));
        }
        saltus_run_free(s.run);
        s.run = NULL;
    }
    release(&s);
}

/* A guard that is off by more is one: here by 2e-5, of a tolerance of 1e-12 and of 1e-4. */
TEST(entering_a_mode_behind_its_guard_is_warned_of)
{
    scripted s = load(ROPE("x^2 + y^2 - 0.99998"));
    simulate(&s, NULL);
    expect_warning(&s, "the guard of event 'taut' is already above zero");
    release(&s);
    s = load(ROPE("x^2 + y^2 - 0.99998"));
    s.options.rtol = s.options.atol = 1e-4;
    simulate(&s, NULL);
    EXPECT(!has_warning(&s, "already above zero"));
    release(&s);
}

/* ---- start values ---------------------------------------------------------------------------- */

TEST(start_values_are_told_as_text_and_as_numbers)
{
    scripted                s = load("local p = param('p', 3)\n"
                                                    "local x = coordinate('x', {start = p + 1, speed = -p})\n"
                                                    "local y = coordinate('y', {guess = abs(p - 5)})\n"
                                                    "mass(x, 1) mass(y, 1) constraint('c', x - 2 * y, {alpha = 12})\n"
                                                    "constraint('d', x - y + t * x, {mode = mode 'm'})\n"
                                                    "memory('k', p^2)\nhorizon(0, 1)\n");
    const saltus_start_info x = saltus_system_coordinate_start(s.system, 0);
    const saltus_start_info y = saltus_system_coordinate_start(s.system, 1);
    const saltus_start_info k = saltus_system_memory_start(s.system, 0);
    EXPECT_TEXT(x.start, "p + 1");
    EXPECT_TEXT(x.speed, "-p");
    EXPECT(x.start_value == 4.0 && x.speed_value == -3.0 && !x.guessed);
    EXPECT_TEXT(y.start, "abs(p - 5)");
    EXPECT(y.start_value == 2.0 && y.guessed);
    EXPECT_TEXT(k.speed, "");
    EXPECT(k.start_value == 9.0);
    EXPECT(saltus_system_constraint_alpha(s.system, 0) == 12.0);
    EXPECT(isnan(saltus_system_constraint_alpha(s.system, 1)));
    release(&s);
}

/* ---- rows without reactions ------------------------------------------------------------------ */

/* Where the equations of motion have no solution there is no multiplier, not the one before. */
TEST(a_row_without_accelerations_has_no_multipliers)
{
    scripted s = load("local p = param('p', 1)\n"
                      "local x, y = coordinate('x', {start = 2}), coordinate('y', {guess = 1})\n"
                      "mass(x, p) mass(y, p) force(x, 3)\n"
                      "constraint('c', y - 2 * x)\n"
                      "output('mu', multiplier('c')) output('x', 3 * x)\n"
                      "cost('y', {final = y})\nhorizon(0, 1)\n");
    simulate(&s, NULL);
    expect_outcome(&s, SALTUS_END);
    EXPECT(fabs(final_row(&s).mu[0]) > 0.1);
    simulate(&s, (const double[]){0.0});
    expect_outcome(&s, SALTUS_SINGULAR);
    const saltus_row row = final_row(&s);
    EXPECT(isnan(row.a[0]) && isnan(row.mu[0]) && isnan(row.output[0]));
    EXPECT(row.output[1] == 6.0);
    release(&s);
}

/* ---- penalty factors ------------------------------------------------------------------------ */

#define DOUBLE_PENDULUM                                                                            \
    "local L, k, m = param('L', 1.1), param('k', 3), param('m', 0.7)\n"                            \
    "local x = coordinate('x', {start = 0.6, speed = 0.4})\n"                                      \
    "local y = coordinate('y', {start = -sqrt(L^2 - 0.36), speed = 0.24 / sqrt(L^2 - 0.36)})\n"    \
    "local u = coordinate('u', {start = 1.2, speed = 0.4})\n"                                      \
    "local w = coordinate('w', {start = -sqrt(L^2 - 0.36) - 0.8,\n"                                \
    "                           speed = 0.24 / sqrt(L^2 - 0.36)})\n"                               \
    "mass(x, m) mass(y, m) mass(u, 1) mass(w, 1)\n"                                                \
    "potential(9.81 * (m * y + w) + 0.5 * k * u^2)\n"                                              \
    "local upper = x^2 + y^2 - L^2\n"                                                              \
    "local lower = (u - x)^2 + (w - y)^2 - 1 + 0.05 * (1 - cos(3 * t))\n"
#define SOFT_COSTS(mu_upper, mu_lower)                                                             \
    "cost('tip', {integral = u^2 + w, final = w * dot(u)})\n"                                      \
    "cost('push', {integral = 0.01 * " mu_upper "^2 + t * " mu_lower "})\nhorizon(0, 1.5)\n"

/* The penalty formulation, sensitivities.md (2): the same motion with the penalty written as a
 * mass, a spring and a damper. */
static const char hand_written[] = DOUBLE_PENDULUM
    "local xi, omega = 0.8, 6\n"
    "local function soften(phi, alpha)\n"
    "  kinetic(0.5 * alpha * dot(phi)^2)\n"
    "  dissipation(alpha * xi * omega * dot(phi)^2)\n"
    "  potential(0.5 * alpha * omega^2 * phi^2)\n"
    "  return alpha * (ddot(phi) + 2 * xi * omega * dot(phi) + omega^2 * phi)\n"
    "end\n"
    "local mu1, mu2 = soften(upper, 40), soften(lower, 4)\n" SOFT_COSTS("mu1", "mu2");

static scripted softened(const char *options_upper, const char *options_lower)
{
    char text[4096];
    snprintf(text, sizeof text,
             DOUBLE_PENDULUM
             "constraint('upper', upper%s) constraint('lower', lower%s)\n"
             "solver {formulation = 'penalty', alpha = 40, xi = 0.8, omega = 6}\n" SOFT_COSTS(
                 "multiplier('upper')", "multiplier('lower')"),
             options_upper, options_lower);
    scripted s = load(text);
    simulate(&s, NULL);
    expect_outcome(&s, SALTUS_END);
    return s;
}

static void expect_equal_motion(scripted *s, scripted *expected)
{
    static const char *const costs[] = {"tip", "push"}, *const params[] = {"L", "k", "m"};
    for (int c = 0; c < 2; c++) {
        EXPECT_NEAR(cost_value(s, costs[c]), cost_value(expected, costs[c]), 1e-8);
        for (int p = 0; p < 3; p++)
            expect_gradient(s, costs[c], params[p],
                            gradient(expected, SALTUS_DISCRETE, costs[c], params[p]), 1e-6);
    }
}

TEST(penalty_factors_of_their_own_equal_springs_and_dampers)
{
    scripted hand = load(hand_written);
    simulate(&hand, NULL);
    scripted both = softened(", {alpha = 40}", ", {alpha = 4}");
    scripted one = softened("", ", {alpha = 4}"); /* the other one has the solver's */
    scripted none = softened("", "");
    expect_equal_motion(&both, &hand);
    expect_equal_motion(&one, &hand);
    const double apart = fabs(cost_value(&none, "tip") - cost_value(&hand, "tip"));
    print_message("one factor for both: %.1e apart\n", apart);
    EXPECT(apart > 1e-3);
    release(&hand);
    release(&both);
    release(&one);
    release(&none);
}

/* Exact constraints know no penalty. */
TEST(a_penalty_factor_changes_nothing_in_index_1)
{
    static const char pendulum[] = "local L = param('L', 1)\n"
                                   "local x = coordinate('x', {start = 0.6})\n"
                                   "local y = coordinate('y', {guess = -0.8})\n"
                                   "mass(x, 1) mass(y, 1) potential(9.81 * y)\n"
                                   "constraint('rod', x^2 + y^2 - L^2%s)\n"
                                   "cost('y', {integral = y})\nhorizon(0, 1)\n";
    char              text[512];
    snprintf(text, sizeof text, pendulum, "");
    scripted plain = run_to(text, SALTUS_END);
    snprintf(text, sizeof text, pendulum, ", {alpha = 3}");
    scripted soft = run_to(text, SALTUS_END);
    EXPECT(cost_value(&plain, "y") == cost_value(&soft, "y"));
    release(&plain);
    release(&soft);
}

/* The builder of the C library. */
TEST(a_penalty_factor_is_checked)
{
    static const struct {
        const char *name;
        double      alpha;
        const char *part;
    } wrong[] = {{"rod", 0.0, "constraint 'rod': alpha is 0"},
                 {"rod", -2.0, "positive"},
                 {"rod", NAN, "alpha is nan"},
                 {"rods", 1.0, "did you mean 'rod'"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        saltus_error  err = {0};
        saltus_model *model = saltus_model_new(NULL, &err);
        saltus_constraint(model, "rod", saltus_coordinate(model, "x", NULL), (saltus_modes){0});
        saltus_constraint_alpha(model, wrong[i].name, wrong[i].alpha);
        const saltus_error *mistake = saltus_model_error(model);
        EXPECT(mistake->status == SALTUS_ERR_MODEL);
        if (!strstr(mistake->message, wrong[i].part))
            fail_msg("'%s' does not say '%s'", mistake->message, wrong[i].part);
        saltus_model_free(model);
    }
}

TEST(a_run_refuses_a_penalty_without_strength)
{
    scripted s = load("local x = coordinate('x')\nmass(x, 1)\nconstraint('c', x)\nhorizon(0, 1)\n");
    s.options.formulation = SALTUS_PENALTY;
    s.options.alpha = 0.0;
    EXPECT(!saltus_run_new(s.system, &s.options, &s.err));
    EXPECT(s.err.status == SALTUS_ERR_ARGUMENT && strstr(s.err.message, "alpha"));
    release(&s);
}

TEST_MAIN(RUN(impulses_of_constraints_balance_the_momentum),
          RUN(an_impact_in_flight_has_no_impulse_of_a_constraint),
          RUN(an_event_that_ends_the_run_has_no_impulses),
          RUN(both_sets_of_adjoint_variables_on_the_pendulum),
          RUN(both_sets_of_adjoint_variables_with_the_penalty_formulation),
          RUN(both_sets_of_adjoint_variables_on_the_five_bar),
          RUN(constraints_that_are_not_active_have_no_part_in_the_adjoint),
          RUN(leaving_a_constraint_with_its_drift_is_no_mistake),
          RUN(entering_a_mode_behind_its_guard_is_warned_of),
          RUN(start_values_are_told_as_text_and_as_numbers),
          RUN(a_row_without_accelerations_has_no_multipliers),
          RUN(penalty_factors_of_their_own_equal_springs_and_dampers),
          RUN(a_penalty_factor_changes_nothing_in_index_1), RUN(a_penalty_factor_is_checked),
          RUN(a_run_refuses_a_penalty_without_strength))
