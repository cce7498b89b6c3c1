/* Every method of tableaus.def: what its entry claims, by the order conditions and by observed
 * slopes. All tests walk the table, so that a new entry is tested by being there. */
#include "test.h"

#include "motion/tableau.h"

enum { MAX_STAGES = 20, MAX_ORDER = 10, MAX_TREES = 1205 }; /* rooted trees up to order 10 */

/* Prefix of every failure, and the claims that depend on numbers. */
/* The weights of the dense output, without keeping what they are computed from. */
static void weights(const sal_tableau *T, double theta, double *beta)
{
    double chords[SAL_MAX_STAGES * 16];
    sal_tableau_chords(T, chords);
    sal_tableau_dense(T, chords, theta, beta);
}

static void weights_rate(const sal_tableau *T, double theta, double *beta)
{
    double chords[SAL_MAX_STAGES * 16];
    sal_tableau_chords(T, chords);
    sal_tableau_dense_rate(T, chords, theta, beta);
}

static void claim(int holds, const sal_tableau *T, const char *what, double value, double limit)
{
    if (!holds) fail_msg("%s: %s: %.3g against %.3g", T->name, what, value, limit);
}

static double entry(const sal_tableau *T, int i, int j) { return T->A[i * T->stages_dense + j]; }

/* ---- rooted trees -------------------------------------------------------------------------------
 * A tree is a root with a multiset of smaller trees as branches. With product over the branches u,
 *     Phi_i(tree) = prod_u sum_j a_ij Phi_j(u),    gamma(tree) = order(tree) prod_u gamma(u),
 * weights w integrate to order p over [0, theta] when for every tree up to order p
 *     sum_i w_i Phi_i(tree) = theta^order(tree) / gamma(tree). */
typedef struct {
    int    order;
    double gamma;
    double phi[MAX_STAGES];
    double branch[MAX_STAGES]; /* A phi: what the tree contributes when it is a branch */
} tree;

typedef struct {
    const sal_tableau *T;
    int                count;
    tree               trees[MAX_TREES];
} forest;

static void add_tree(forest *F, int order, double gamma, const double *phi)
{
    const sal_tableau *T = F->T;
    assert_true(F->count < MAX_TREES);
    tree *new_tree = &F->trees[F->count++];
    new_tree->order = order;
    new_tree->gamma = gamma;
    for (int i = 0; i < T->stages_dense; i++) {
        new_tree->phi[i] = phi[i];
        new_tree->branch[i] = 0.0;
        for (int j = 0; j < i; j++) new_tree->branch[i] += entry(T, i, j) * phi[j];
    }
}

/* Hangs branches with `nodes` nodes in all under a root; branches come in descending index, so that
 * every multiset is met once. */
static void grow(forest *F, int order, int nodes, int largest, double gamma, const double *phi)
{
    if (nodes == 0) {
        add_tree(F, order, gamma * order, phi);
        return;
    }
    for (int u = largest; u >= 0; u--) {
        const tree *branch = &F->trees[u];
        double      product[MAX_STAGES];
        if (branch->order > nodes) continue;
        for (int i = 0; i < F->T->stages_dense; i++) product[i] = phi[i] * branch->branch[i];
        grow(F, order, nodes - branch->order, u, gamma * branch->gamma, product);
    }
}

static const forest *grow_forest(const sal_tableau *T, int max_order)
{
    static forest F;
    double        one[MAX_STAGES];
    assert_true(T->stages_dense <= MAX_STAGES && max_order <= MAX_ORDER);
    F.T = T;
    F.count = 0;
    for (int i = 0; i < MAX_STAGES; i++) one[i] = 1.0;
    for (int order = 1; order <= max_order; order++)
        grow(&F, order, order - 1, F.count - 1, 1.0, one);
    return &F;
}

/* Largest violation over the trees from min_order to max_order. Right-hand sides are
 * theta^order / gamma, which is zero for the error weights at theta = 0. */
static double worst(const forest *F, int n, const double *w, double theta, int min_order,
                    int max_order)
{
    double largest = 0.0;
    for (int k = 0; k < F->count; k++) {
        const tree *t = &F->trees[k];
        if (t->order < min_order || t->order > max_order) continue;
        double sum = -pow(theta, t->order) / t->gamma;
        for (int i = 0; i < n; i++) sum += w[i] * t->phi[i];
        largest = fmax(largest, fabs(sum));
        if (isnan(sum)) return NAN;
    }
    return largest;
}

/* The weights have the order they claim and not one more. */
static void expect_order(const forest *F, const char *what, int n, const double *w, double theta,
                         int order, double tolerance)
{
    const double below = worst(F, n, w, theta, 1, order);
    const double above = worst(F, n, w, theta, order + 1, order + 1);
    print_message("    %-7s %-9s theta %.3f  order %d: %.1e, order %d: %.1e\n", F->T->name, what,
                  theta, order, below, order + 1, above);
    claim(below <= tolerance, F->T, what, below, tolerance);
    claim(above > 1e-7, F->T, what, above, 1e-7);
}

/* ---- shape ---------------------------------------------------------------------------------- */

TEST(trees_up_to_order_ten_are_counted_as_known)
{
    const int     known[MAX_ORDER] = {1, 1, 2, 4, 9, 20, 48, 115, 286, 719};
    int           found[MAX_ORDER] = {0};
    const forest *F = grow_forest(sal_tableau_get(0), MAX_ORDER);
    for (int k = 0; k < F->count; k++) found[F->trees[k].order - 1]++;
    for (int order = 0; order < MAX_ORDER; order++) assert_int_equal(found[order], known[order]);
}

TEST(tableaus_are_explicit_and_rows_sum_to_nodes)
{
    assert_int_equal(sal_tableau_count(), SAL_TABLEAU_COUNT);
    for (int index = 0; index < sal_tableau_count(); index++) {
        const sal_tableau *T = sal_tableau_get(index);
        for (int i = 0; i < T->stages_dense; i++) {
            double sum = 0.0;
            for (int j = 0; j < i; j++) sum += entry(T, i, j);
            for (int j = i; j < T->stages_dense; j++) assert_true(entry(T, i, j) == 0.0);
            claim(fabs(sum - T->c[i]) <= 2e-14, T, "row sum minus node", sum - T->c[i], 2e-14);
        }
    }
}

TEST(end_stage_evaluates_the_new_point)
{
    for (int index = 0; index < sal_tableau_count(); index++) {
        const sal_tableau *T = sal_tableau_get(index);
        assert_true(T->stages <= T->stages_dense && T->end_stage < T->stages_dense);
        assert_true(T->end_stage == T->stages - 1 || T->end_stage == T->stages);
        assert_true(T->c[T->end_stage] == 1.0);
        for (int i = 0; i < T->end_stage; i++)
            assert_true(entry(T, T->end_stage, i) == (i < T->stages ? T->b[i] : 0.0));
        if (T->end_stage < T->stages) assert_true(T->b[T->end_stage] == 0.0);
    }
}

/* The factor by which a step of x' = z x, h = 1, multiplies x. */
static double growth(const sal_tableau *T, double z)
{
    double k[SAL_MAX_STAGES], x1 = 1.0;
    for (int i = 0; i < T->stages; i++) {
        double x = 1.0;
        for (int j = 0; j < i; j++) x += entry(T, i, j) * k[j];
        k[i] = z * x;
        x1 += T->b[i] * k[i];
    }
    return x1;
}

TEST(decay_is_stable_up_to_the_limit_and_not_much_beyond)
{
    for (int index = 0; index < sal_tableau_count(); index++) {
        const sal_tableau *T = sal_tableau_get(index);
        const double       limit = T->stability;
        assert_true((limit > 0.0) == (T->c[T->end_stage - 1] == 1.0));
        for (int i = 1; i <= 100; i++)
            claim(fabs(growth(T, -0.01 * i * limit)) <= 1.0, T, "growth at part of the limit",
                  growth(T, -0.01 * i * limit), 1.0);
        if (limit > 0.0)
            claim(fabs(growth(T, -1.05 * limit)) > 1.0, T, "growth beyond the limit",
                  growth(T, -1.05 * limit), 1.0);
    }
}

/* ---- order conditions ----------------------------------------------------------------------- */

TEST(steps_satisfy_all_order_conditions)
{
    for (int index = 0; index < sal_tableau_count(); index++) {
        const sal_tableau *T = sal_tableau_get(index);
        const forest      *F = grow_forest(T, T->order + 1);
        expect_order(F, "b", T->stages, T->b, 1.0, T->order, 1e-14);
    }
}

TEST(error_weights_vanish_up_to_the_order_of_their_companions)
{
    for (int index = 0; index < sal_tableau_count(); index++) {
        const sal_tableau *T = sal_tableau_get(index);
        const forest      *F = grow_forest(T, T->order + 1);
        expect_order(F, "e_main", T->stages, T->e_main, 0.0, T->main_order, 1e-14);
        if (T->e_second)
            expect_order(F, "e_second", T->stages, T->e_second, 0.0, T->second_order, 1e-14);
        const int combined = T->e_second ? 2 * T->main_order - T->second_order : T->main_order;
        assert_int_equal(T->error_order, combined);
        assert_int_equal(T->e_second == NULL, T->second_order == 0);
    }
}

TEST(dense_output_satisfies_all_order_conditions)
{
    const double theta[] = {1.0 / 7, 0.25, 0.5, 0.618, 0.9, 0.99, 1.05};
    for (int index = 0; index < sal_tableau_count(); index++) {
        const sal_tableau *T = sal_tableau_get(index);
        const forest      *F = grow_forest(T, T->dense_order + 1);
        for (size_t k = 0; k < sizeof theta / sizeof *theta; k++) {
            double beta[MAX_STAGES];
            weights(T, theta[k], beta);
            expect_order(F, "dense", T->stages_dense, beta, theta[k], T->dense_order, 1e-13);
        }
    }
}

/* ---- dense output as a function of theta ---------------------------------------------------- */

TEST(dense_output_joins_neighbouring_steps_with_their_slopes)
{
    for (int index = 0; index < sal_tableau_count(); index++) {
        const sal_tableau *T = sal_tableau_get(index);
        double at_0[MAX_STAGES], at_1[MAX_STAGES], rate_0[MAX_STAGES], rate_1[MAX_STAGES];
        weights(T, 0.0, at_0);
        weights(T, 1.0, at_1);
        weights_rate(T, 0.0, rate_0);
        weights_rate(T, 1.0, rate_1);
        for (int i = 0; i < T->stages_dense; i++) {
            assert_true(at_0[i] == 0.0);
            assert_true(at_1[i] == (i < T->stages ? T->b[i] : 0.0));
            EXPECT_NEAR(rate_0[i], i == 0 ? 1.0 : 0.0, 1e-15);
            EXPECT_NEAR(rate_1[i], i == T->end_stage ? 1.0 : 0.0, 5e-13);
        }
    }
}

TEST(dense_weights_are_the_tabulated_polynomials)
{
    for (int index = 0; index < sal_tableau_count(); index++) {
        const sal_tableau *T = sal_tableau_get(index);
        for (int k = 0; k <= 10; k++) {
            const double theta = 0.1 * k;
            double       beta[MAX_STAGES], rate[MAX_STAGES];
            weights(T, theta, beta);
            weights_rate(T, theta, rate);
            for (int i = 0; i < T->stages_dense; i++) {
                const double *factor = T->dense + i * T->dense_degree;
                double        value = 0.0, slope = 0.0;
                for (int m = T->dense_degree; m >= 1; m--) {
                    slope = theta * slope + m * factor[m - 1];
                    value = theta * (value + factor[m - 1]);
                }
                EXPECT_NEAR(beta[i], value, 2e-13);
                EXPECT_NEAR(rate[i], slope, 1e-12);
            }
        }
    }
}

/* ---- observed slopes ---------------------------------------------------------------------------
 * y0' = 2 t y0 log y1, y1' = -2 t y1 log y0, with y0 = exp(sin t^2), y1 = exp(cos t^2): nonlinear,
 * coupled and with time on the right-hand side. */
static void rhs(double t, const double *y, double *f)
{
    f[0] = 2.0 * t * y[0] * log(y[1]);
    f[1] = -2.0 * t * y[1] * log(y[0]);
}

static void exact(double t, double *y)
{
    y[0] = exp(sin(t * t));
    y[1] = exp(cos(t * t));
}

static void combine(int n, const double *w, double h, const double (*k)[2], const double *y,
                    double *out)
{
    for (int j = 0; j < 2; j++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++) sum += w[i] * k[i][j];
        out[j] = y[j] + h * sum;
    }
}

static void evaluate_stages(const sal_tableau *T, int n, double t, double h, const double *y,
                            double (*k)[2])
{
    for (int i = 0; i < n; i++) {
        double stage[2];
        combine(i, T->A + i * T->stages_dense, h, (const double(*)[2])k, y, stage);
        rhs(t + T->c[i] * h, stage, k[i]);
    }
}

static double distance(const double *y, double t)
{
    double z[2];
    exact(t, z);
    return hypot(y[0] - z[0], y[1] - z[1]);
}

static double norm_of(const double *weights, int n, double h, const double (*k)[2])
{
    const double zero[2] = {0.0, 0.0};
    double       e[2];
    combine(n, weights, h, k, zero, e);
    return hypot(e[0], e[1]);
}

static double error_after(const sal_tableau *T, double t, double t_end, int steps)
{
    const double h = (t_end - t) / steps;
    double       y[2], k[MAX_STAGES][2];
    exact(t, y);
    for (int step = 0; step < steps; step++) {
        evaluate_stages(T, T->stages, t + step * h, h, y, k);
        combine(T->stages, T->b, h, (const double(*)[2])k, y, y);
    }
    return distance(y, t_end);
}

/* What one step from exact data at t = 0.6 shows. */
typedef struct {
    double step, dense, dense_rate, err;
} local_errors;

static local_errors errors_of_one_step(const sal_tableau *T, double h)
{
    const double t = 0.6;
    double       y[2], out[2], k[MAX_STAGES][2], beta[MAX_STAGES];
    local_errors e = {0};
    exact(t, y);
    evaluate_stages(T, T->stages_dense, t, h, y, k);
    const double(*stages)[2] = (const double(*)[2])k;

    combine(T->stages, T->b, h, stages, y, out);
    e.step = distance(out, t + h);
    for (int m = 1; m < 16; m++) {
        const double theta = m / 16.0, zero[2] = {0.0, 0.0};
        double       z[2], f[2];
        weights(T, theta, beta);
        combine(T->stages_dense, beta, h, stages, y, out);
        e.dense = fmax(e.dense, distance(out, t + theta * h));

        weights_rate(T, theta, beta);
        combine(T->stages_dense, beta, 1.0, stages, zero, out);
        exact(t + theta * h, z);
        rhs(t + theta * h, z, f);
        e.dense_rate = fmax(e.dense_rate, hypot(out[0] - f[0], out[1] - f[1]));
    }
    e.err = norm_of(T->e_main, T->stages, h, stages);
    if (T->e_second) {
        const double second = norm_of(T->e_second, T->stages, h, stages);
        e.err = e.err * e.err / sqrt(e.err * e.err + 0.01 * second * second);
    }
    return e;
}

static void expect_slope(const sal_tableau *T, const char *what, double coarse, double fine,
                         double ratio, double slope)
{
    const double observed = log(coarse / fine) / log(ratio);
    print_message("    %-7s %-10s %.2e -> %.2e  slope %.2f of %g\n", T->name, what, coarse, fine,
                  observed, slope);
    claim(observed > slope - 0.3 && observed < slope + 0.6, T, what, observed, slope);
}

/* Steps are chosen by order, so that the errors stay well above rounding. */
static double coarse_step(int order) { return order > 6 ? 0.1 : 0.02; }

TEST(steps_converge_with_their_order)
{
    for (int index = 0; index < sal_tableau_count(); index++) {
        const sal_tableau *T = sal_tableau_get(index);
        const int          steps = (int)lround(1.5 / coarse_step(T->order));
        const double       coarse = error_after(T, 0.0, 1.5, steps);
        const double       fine = error_after(T, 0.0, 1.5, 2 * steps);
        expect_slope(T, "global", coarse, fine, 2.0, T->order);
    }
}

TEST(single_steps_and_their_dense_output_and_error_estimate_have_their_slopes)
{
    for (int index = 0; index < sal_tableau_count(); index++) {
        const sal_tableau *T = sal_tableau_get(index);
        const double       h = coarse_step(T->order), ratio = 1.5;
        const local_errors coarse = errors_of_one_step(T, h);
        const local_errors fine = errors_of_one_step(T, h / ratio);
        expect_slope(T, "step", coarse.step, fine.step, ratio, T->order + 1);
        expect_slope(T, "dense", coarse.dense, fine.dense, ratio, T->dense_order + 1);
        expect_slope(T, "dense rate", coarse.dense_rate, fine.dense_rate, ratio, T->dense_order);
        expect_slope(T, "estimate", coarse.err, fine.err, ratio, T->error_order + 1);
    }
}

TEST_MAIN(RUN(trees_up_to_order_ten_are_counted_as_known),
          RUN(tableaus_are_explicit_and_rows_sum_to_nodes), RUN(end_stage_evaluates_the_new_point),
          RUN(decay_is_stable_up_to_the_limit_and_not_much_beyond),
          RUN(steps_satisfy_all_order_conditions),
          RUN(error_weights_vanish_up_to_the_order_of_their_companions),
          RUN(dense_output_satisfies_all_order_conditions),
          RUN(dense_output_joins_neighbouring_steps_with_their_slopes),
          RUN(dense_weights_are_the_tabulated_polynomials), RUN(steps_converge_with_their_order),
          RUN(single_steps_and_their_dense_output_and_error_estimate_have_their_slopes))
