/* What must hold for every model (sensitivities.md, "What must hold"): methods agree, gradients are
 * derivatives, energy stays, and a run depends on nothing but its system, options and parameters.
 */
#include <pthread.h>

#include "scripted.h"

enum { MAX_EVENTS = 1024 };

/* All derivatives of a run by one method. */
typedef struct derivatives {
    int    costs, params, events;
    double cost[MAX_COSTS], gradient[MAX_COSTS * MAX_PARAMS];
    double time[MAX_EVENTS * MAX_PARAMS], end[MAX_PARAMS];
} derivatives;

/* By all parameters, fixed ones too. */
static void differentiate(scripted *s, saltus_method method, derivatives *d)
{
    int params[MAX_PARAMS];
    for (int j = 0; j < s->size.params; j++) params[j] = j;
    const saltus_request request = {method, NULL, 0, params, s->size.params};
    assert_true(s->info->events <= MAX_EVENTS);
    memset(d, 0, sizeof *d);
    d->costs = s->size.costs;
    d->params = s->size.params;
    d->events = s->info->events;
    saltus_run_costs(s->run, d->cost, &s->err);
    saltus_run_gradients(s->run, &request, d->gradient, d->time, d->end, &s->err);
    if (s->err.status) fail_msg("%s: %s", saltus_method_name(method), s->err.message);
}

/* The largest difference of two tables, relative to the largest entry of its row. */
static double row_distance(const double *a, const double *b, int rows, int columns)
{
    double worst = 0.0;
    for (int i = 0; i < rows; i++) {
        double scale = 0.0, off = 0.0;
        for (int j = 0; j < columns; j++) {
            scale = fmax(scale, fabs(b[i * columns + j]));
            off = fmax(off, fabs(a[i * columns + j] - b[i * columns + j]));
            if (isnan(a[i * columns + j]) || isnan(b[i * columns + j])) return NAN;
        }
        worst = fmax(worst, off / fmax(scale, 1e-3));
    }
    return worst;
}

static void expect_same_bits(const derivatives *a, const derivatives *b, const char *what)
{
    if (memcmp(a, b, sizeof *a) == 0) return;
    for (int i = 0; i < a->costs * a->params; i++)
        if (memcmp(&a->gradient[i], &b->gradient[i], sizeof(double)))
            fail_msg("%s: gradient %d is %.17g and %.17g", what, i, a->gradient[i], b->gradient[i]);
    fail_msg("%s: costs or event times differ", what);
}

/* ---- the methods ---------------------------------------------------------------------------- */

static void expect_agreement(saltus_method one, saltus_method other, double tol, double allowed)
{
    static derivatives a, b;
    for (const char *const *model = all_models(); *model; model++) {
        scripted s = load_model(*model);
        s.options.rtol = s.options.atol = tol;
        simulate(&s, NULL);
        differentiate(&s, one, &a);
        differentiate(&s, other, &b);
        const double gradients = row_distance(a.gradient, b.gradient, a.costs, a.params);
        const double times = row_distance(a.time, b.time, a.events, a.params);
        const double ends = row_distance(a.end, b.end, 1, a.params);
        print_message("%-22s at %.0e: gradients %.1e, times %.1e, end %.1e\n", *model, tol,
                      gradients, times, ends);
        EXPECT_NEAR(gradients, 0.0, allowed);
        EXPECT_NEAR(times, 0.0, allowed);
        EXPECT_NEAR(ends, 0.0, allowed);
        release(&s);
    }
}

TEST(the_discrete_adjoint_is_the_transpose_of_the_discrete_tangent_at_every_tolerance)
{
    for (double tol = 1e-4; tol > 1e-13; tol *= 1e-4)
        expect_agreement(SALTUS_DISCRETE, SALTUS_TANGENT, tol, 1e-12);
}

TEST(direct_and_adjoint_agree_to_1e_9_at_1e_12)
{
    expect_agreement(SALTUS_DIRECT, SALTUS_ADJOINT, 1e-12, 1e-9);
}

TEST(continuous_and_discrete_gradients_agree_to_1e_9_at_1e_12)
{
    expect_agreement(SALTUS_DIRECT, SALTUS_DISCRETE, 1e-12, 1e-9);
}

TEST(central_differences_agree_as_far_as_they_can)
{
    expect_agreement(SALTUS_FD, SALTUS_DIRECT, 1e-13, 1e-5);
}

TEST(both_integrators_agree)
{
    static derivatives a, b;
    long long          steps = 0, low_order_steps = 0;
    for (const char *const *model = all_models(); *model; model++) {
        scripted s = load_model(*model), r = load_model(*model);
        s.options.rtol = s.options.atol = r.options.rtol = r.options.atol = 1e-11;
        s.options.integrator = SALTUS_DOP853;
        r.options.integrator = SALTUS_DOPRI5;
        simulate(&s, NULL);
        simulate(&r, NULL);
        steps += s.info->steps;
        low_order_steps += r.info->steps;
        for (int m = 0; m < METHODS; m++) {
            differentiate(&s, all_methods[m], &a);
            differentiate(&r, all_methods[m], &b);
            assert_int_equal(a.events, b.events);
            EXPECT_NEAR(row_distance(a.cost, b.cost, a.costs, 1), 0.0, 1e-8);
            EXPECT_NEAR(row_distance(a.gradient, b.gradient, a.costs, a.params), 0.0, 1e-8);
            EXPECT_NEAR(row_distance(a.time, b.time, a.events, a.params), 0.0, 1e-8);
        }
        release(&s);
        release(&r);
    }
    EXPECT(steps < low_order_steps);
}

/* ---- gradients are derivatives -------------------------------------------------------------- */

/* Some models are curved more strongly than the others: many impacts, fast tables. The way of the
 * walkers has nearly no second derivative along the direction below: a longer step shows the third,
 * and a shorter one leaves nothing to see. */
static double first_step(const char *model)
{
    static const struct {
        const char *model;
        double      step;
    } special[] = {{"compass_angles", 1.6e-3}, {"compass_feet", 1.6e-3}, {"five_bar", 2e-4},
                   {"hopper", 1e-3},           {"shaker", 2e-4},         {"walking_toy", 2e-4},
                   {"woodpecker", 1e-4},       {"box_to_rest", 1e-4}};
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
        if (strcmp(model, special[i].model) == 0) return special[i].step;
    return 4e-3;
}

TEST(taylor_remainders_fall_with_the_square_of_the_step)
{
    int tested = 0;
    for (const char *const *model = all_models(); *model; model++) {
        static derivatives d;
        double             params[MAX_PARAMS], direction[MAX_PARAMS], remainder[4][MAX_COSTS];
        scripted           s = load_model(*model);
        s.options.rtol = s.options.atol = 1e-14;
        simulate(&s, NULL);
        differentiate(&s, SALTUS_DISCRETE, &d);
        for (int k = 0; k < 4; k++) {
            const double step = ldexp(first_step(*model), -k);
            double       shifted[MAX_COSTS];
            for (int j = 0; j < s.size.params; j++) {
                params[j] = saltus_system_param(s.system, j).value;
                direction[j] = (j % 3 ? 0.5 : -1.0) * fmax(fabs(params[j]), 0.1);
                params[j] += step * direction[j];
            }
            simulate(&s, params);
            if (s.info->events != d.events)
                fail_msg("%s: %d events, and %d", *model, s.info->events, d.events);
            saltus_run_costs(s.run, shifted, &s.err);
            for (int c = 0; c < d.costs; c++) {
                double linear = d.cost[c];
                for (int j = 0; j < d.params; j++)
                    linear += step * d.gradient[c * d.params + j] * direction[j];
                remainder[k][c] = fabs(shifted[c] - linear);
            }
        }
        for (int c = 0; c < d.costs; c++) {
            if (remainder[3][c] < 1e-9) continue; /* (nearly) linear: nothing to see */
            for (int k = 0; k < 3; k++) {
                const double slope = log2(remainder[k][c] / remainder[k + 1][c]);
                if (!(fabs(slope - 2.0) < 0.2 || remainder[k][c] < 1e-8))
                    fail_msg("%s, %s: slope %.3f of %.3g, %.3g", *model,
                             saltus_system_cost(s.system, c).name, slope, remainder[k][c],
                             remainder[k + 1][c]);
            }
            tested++;
        }
        release(&s);
    }
    print_message("%d costs are curved enough\n", tested);
    EXPECT(tested > 30);
}

typedef struct last_dz {
    int    costs, params;
    double t, dz[MAX_COSTS * MAX_PARAMS];
} last_dz;

static int keep_dz(void *context, const saltus_tangent_row *row)
{
    last_dz *last = context;
    last->t = row->at.t;
    last->params = row->params;
    memcpy(last->dz, row->dz, (size_t)(last->costs * row->params) * sizeof(double));
    return 0;
}

/* Models of fixed length all of whose costs are final values. */
static int has_no_integral(const char *model)
{
    static const char *const names[] = {"fit_bounce", "jamming_drawer", "terminal_acceleration"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(model, names[i]) == 0) return 1;
    return 0;
}

TEST(the_sensitivity_of_a_pure_integral_ends_as_its_gradient)
{
    static derivatives d;
    for (const char *const *model = all_models(); *model; model++) {
        scripted s = load_model(*model);
        simulate(&s, NULL);
        differentiate(&s, SALTUS_DIRECT, &d);
        const double moving_end = row_distance(d.end, (double[MAX_PARAMS]){0}, 1, d.params);
        if (moving_end == 0.0) {
            last_dz      last = {.costs = s.size.costs};
            const double end = s.info->t;
            int          params[MAX_PARAMS], seen = 0;
            for (int j = 0; j < s.size.params; j++) params[j] = j;
            saltus_run_tangents(s.run, params, s.size.params, &end, 1, keep_dz, &last, &s.err);
            EXPECT(last.t == end);
            for (int c = 0; c < s.size.costs; c++) {
                if (saltus_system_cost_final(s.system, c)[0]) continue;
                seen++;
                EXPECT_NEAR(
                    row_distance(last.dz + c * last.params, d.gradient + c * d.params, 1, d.params),
                    0.0, 1e-10);
            }
            EXPECT((seen > 0) != has_no_integral(*model));
        }
        release(&s);
    }
}

/* ---- energy --------------------------------------------------------------------------------- */

TEST(energy_is_conserved_by_smooth_conservative_motion_and_by_elastic_impacts)
{
    static const char *const scripts[] = {
        /* A double pendulum; the same between two walls; a spring pendulum in a box. */
        "local a, b = coordinate('a', {start = 1.5}), coordinate('b', {start = 2})\n"
        "local x1, y1 = sin(a), -cos(a)\n"
        "local x2, y2 = x1 + 0.7 * sin(b), y1 - 0.7 * cos(b)\n"
        "kinetic(dot(x1)^2 + dot(y1)^2 + 0.5 * (dot(x2)^2 + dot(y2)^2))\n"
        "potential(9.81 * (2 * y1 + y2))\n"
        "horizon(0, 5)\n",
        "local a, b = coordinate('a', {start = 1.5}), coordinate('b', {start = 2})\n"
        "local x1, y1 = sin(a), -cos(a)\n"
        "local x2, y2 = x1 + 0.7 * sin(b), y1 - 0.7 * cos(b)\n"
        "kinetic(dot(x1)^2 + dot(y1)^2 + 0.5 * (dot(x2)^2 + dot(y2)^2))\n"
        "potential(9.81 * (2 * y1 + y2))\n"
        "event('left', {when = x2 + 0.9, direction = 'falling', restitution = 1})\n"
        "event('lower', {when = y2 + 1.5, direction = 'falling', restitution = 1})\n"
        "horizon(0, 5)\n",
        "local x = coordinate('x', {start = 0.5, speed = 1})\n"
        "local y = coordinate('y', {start = 0.2, speed = -2})\n"
        "mass(x, 1.5) mass(y, 1.5)\n"
        "potential(2 * (hypot(x - 2, y - 1) - 1)^2 + 5 * y)\n"
        "event('left', {when = x, direction = 'falling', restitution = 1})\n"
        "event('floor', {when = y + 0.1 * x^2, direction = 'falling', restitution = 1})\n"
        "horizon(0, 8)\n"};
    for (int i = 0; i < 3; i++) {
        double times[201];
        for (double tol = 1e-6; tol > 1e-13; tol *= 1e-3) {
            scripted s = load(scripts[i]);
            s.options.rtol = s.options.atol = tol;
            simulate(&s, NULL);
            expect_outcome(&s, SALTUS_END);
            if (i) EXPECT(s.info->events >= 3);
            for (int k = 0; k <= 200; k++) times[k] = s.info->t * k / 200.0;
            const trajectory *all = trajectory_at(&s, times, 201);
            const double      first = all->row[0].kinetic + all->row[0].potential;
            double            worst = 0.0;
            for (int k = 0; k < all->count; k++)
                worst = fmax(worst, fabs(all->row[k].kinetic + all->row[k].potential - first));
            print_message("script %d at %.0e: energy off by %.1e\n", i, tol, worst);
            EXPECT_NEAR(worst, 0.0, 1e3 * tol);
            release(&s);
        }
    }
}

/* ---- a run depends on nothing else ---------------------------------------------------------- */

/* Two balls on a shaken floor: hundreds of steps and events. */
static const char *const busy =
    "local e, A, w, k = param('e', 0.95), param('A', 0.02), param('w', 31), param('k', 3)\n"
    "local x = coordinate('x', {start = 1})\n"
    "local y = coordinate('y', {start = 0.3})\n"
    "local n = memory('n', k)\n"
    "mass(x, 1) mass(y, 2)\n"
    "force(x, -9.81 - 0.1 * dot(x) * abs(dot(x))) force(y, -19.62)\n"
    "force(x - y, -0.05 * n * (x - y))\n"
    "event('x', {when = x - A * sin(w * t), direction = 'falling', restitution = e,\n"
    "  set = {[n] = 0.9 * n + 0.1 * after(dot(x))}, charge = {push = impulse('x')}})\n"
    "event('y', {when = y, direction = 'falling', restitution = 1})\n"
    "cost('push', {final = y})\n"
    "cost('z', {integral = x^2 + y^2})\n"
    "cost('a', {integral = 0.01 * ddot(x)^2, final = n * ddot(y)})\n"
    "horizon(0, 20)\n";

/* The same again, and again after other parameters and another method. */
static void expect_repeatable(scripted s, const char *name, double change)
{
    static derivatives first, again;
    double             own[MAX_PARAMS], other[MAX_PARAMS];
    s.options.rtol = s.options.atol = 1e-9;
    for (int j = 0; j < s.size.params; j++) {
        own[j] = saltus_system_param(s.system, j).value;
        other[j] = (1.0 + change) * own[j];
    }
    for (int m = 0; m < METHODS; m++) {
        simulate(&s, NULL);
        differentiate(&s, all_methods[m], &first);
        simulate(&s, NULL);
        differentiate(&s, all_methods[m], &again);
        expect_same_bits(&first, &again, name);
        simulate(&s, other);
        differentiate(&s, all_methods[(m + 1) % METHODS], &again);
        EXPECT(memcmp(&first, &again, sizeof first) != 0);
        simulate(&s, own);
        differentiate(&s, all_methods[m], &again);
        expect_same_bits(&first, &again, name);
    }
    release(&s);
}

TEST(a_second_simulation_gives_identical_bits)
{
    for (const char *const *model = all_models(); *model; model++)
        expect_repeatable(load_model(*model), *model, 0.01);
    scripted s = load(busy);
    s.options.t_end = 5.0;
    expect_repeatable(s, "busy", 0.01);
}

TEST(a_gradient_does_not_disturb_the_run_it_is_taken_from)
{
    static derivatives first, again;
    scripted           s = load(busy);
    s.options.t_end = 3.0;
    simulate(&s, NULL);
    differentiate(&s, SALTUS_DISCRETE, &first);
    for (int m = 0; m < METHODS; m++) differentiate(&s, all_methods[m], &again);
    differentiate(&s, SALTUS_FD, &again);
    trajectory_at(&s, NULL, 0);
    differentiate(&s, SALTUS_DISCRETE, &again);
    expect_same_bits(&first, &again, "after all other methods");
    release(&s);
}

static int hash_tangent(void *context, const saltus_tangent_row *row)
{
    double *sum = context;
    for (int j = 0; j < row->params; j++)
        *sum = 1.0000001 * *sum + row->dq[j] + row->dv[row->params + j] + row->dc[j] + row->dz[j];
    return 0;
}

static int hash_adjoint(void *context, const saltus_adjoint_row *row)
{
    double *sum = context;
    *sum = 1.0000001 * *sum + row->lambda_q[0] + row->lambda_v[1] + row->lambda_c[0] +
           row->lambda_p[0] + row->lambda_p[2] + row->y[0];
    return 0;
}

TEST(a_bounded_record_gives_identical_bits)
{
    static derivatives  free_record[METHODS], bounded;
    static trajectory   free_rows;
    static const size_t memory[] = {0, 2000, 20000, 200000};
    double              times[50], free_tangents = 0.0, free_adjoints = 0.0;
    const int           params[] = {0, 1, 2, 3};
    long long           free_steps = 0;
    for (int i = 0; i < 50; i++) times[i] = 0.4 * i + 0.013;
    for (int i = 0; i < 4; i++) {
        scripted s = load(busy);
        if (memory[i]) s.options.record_memory = memory[i];
        simulate(&s, NULL);
        expect_outcome(&s, SALTUS_END);
        double tangents = 0.0, adjoints = 0.0;
        for (int m = 0; m < METHODS; m++) {
            differentiate(&s, all_methods[m], i ? &bounded : &free_record[m]);
            if (i) expect_same_bits(&bounded, &free_record[m], saltus_method_name(all_methods[m]));
        }
        const trajectory *rows = trajectory_at(&s, times, 50);
        saltus_run_tangents(s.run, params, 4, times, 50, hash_tangent, &tangents, &s.err);
        saltus_run_adjoints(s.run, 1, times, 50, hash_adjoint, &adjoints, &s.err);
        if (s.err.status) fail_msg("%s", s.err.message);
        print_message("%zu bytes: %lld steps, %d events, %lld replayed\n", memory[i], s.info->steps,
                      s.info->events, s.info->replayed);
        if (i == 0) {
            EXPECT(s.info->steps > 300);
            EXPECT(s.info->events > 100);
            EXPECT(s.info->replayed == 0);
            free_rows = *rows;
            free_tangents = tangents;
            free_adjoints = adjoints;
            free_steps = s.info->steps;
        } else {
            EXPECT(s.info->steps == free_steps);
            if (memory[i] <= 20000) EXPECT(s.info->replayed > 0);
            assert_int_equal(rows->count, free_rows.count);
            EXPECT(memcmp(rows->row, free_rows.row, sizeof rows->row[0] * (size_t)rows->count) ==
                   0);
            EXPECT(tangents == free_tangents);
            EXPECT(adjoints == free_adjoints);
        }
        release(&s);
    }
}

/* ---- requests ------------------------------------------------------------------------------- */

TEST(several_costs_at_once_equal_each_alone_and_subsets_equal_their_columns)
{
    static derivatives full;
    for (const char *const *model = all_models(); *model; model++) {
        int      params[MAX_PARAMS];
        scripted s = load_model(*model);
        for (int j = 0; j < s.size.params; j++) params[j] = j;
        simulate(&s, NULL);
        for (int m = 0; m < METHODS; m++) {
            differentiate(&s, all_methods[m], &full);
            for (int c = 0; c < full.costs; c++) {
                double               alone[MAX_PARAMS];
                const saltus_request request = {all_methods[m], &c, 1, params, full.params};
                saltus_run_gradients(s.run, &request, alone, NULL, NULL, &s.err);
                if (s.err.status) fail_msg("%s", s.err.message);
                /* The continuous methods choose their steps by what they compute. */
                EXPECT_NEAR(row_distance(alone, full.gradient + c * full.params, 1, full.params),
                            0.0, m < 2 ? 1e-9 : 1e-13);
            }
            /* The last parameter, then the first; the last cost, then the first. */
            const int            some[] = {full.params - 1, 0}, costs[] = {full.costs - 1, 0};
            double               part[4], times[2 * MAX_EVENTS], end[2];
            const saltus_request request = {all_methods[m], costs, 2, some, 2};
            saltus_run_gradients(s.run, &request, part, times, end, &s.err);
            if (s.err.status) fail_msg("%s", s.err.message);
            for (int j = 0; j < 2; j++) {
                for (int c = 0; c < 2; c++) {
                    const double *row = full.gradient + costs[c] * full.params;
                    double        scale = 1e-3;
                    for (int k = 0; k < full.params; k++) scale = fmax(scale, fabs(row[k]));
                    EXPECT_NEAR(part[c * 2 + j], row[some[j]], 1e-9 * scale);
                }
                for (int k = 0; k < full.events; k++)
                    EXPECT_NEAR(times[k * 2 + j], full.time[k * full.params + some[j]], 1e-9);
                EXPECT_NEAR(end[j], full.end[some[j]], 1e-9);
            }
        }
        release(&s);
    }
}

TEST(a_fixed_parameter_is_left_out_unless_it_is_named)
{
    scripted s = run_to("local h = param('h', 5)\n"
                        "local g = param('g', 10, {fixed = true})\n"
                        "local s = param('s', 1)\n"
                        "local y = coordinate('y', {start = h, speed = s})\n"
                        "mass(y, 1)\n"
                        "force(y, -g)\n"
                        "cost('y', {final = y})\n"
                        "horizon(0, 0.5)\n",
                        SALTUS_END);
    EXPECT(saltus_system_param(s.system, 1).fixed == 1);
    for (int m = 0; m < METHODS; m++) {
        const saltus_request request = {.method = all_methods[m]};
        double               two[3] = {NAN, NAN, 12345.0};
        saltus_run_gradients(s.run, &request, two, NULL, NULL, &s.err);
        EXPECT_NEAR(two[0], 1.0, 1e-12);
        EXPECT_NEAR(two[1], 0.5, 1e-12);
        EXPECT(two[2] == 12345.0);
    }
    expect_gradient(&s, "y", "g", -0.125, 1e-12);
    double value, all[3];
    saltus_run_cost_gradient(s.run, "y", &value, all, &s.err);
    assert_int_equal(s.err.status, SALTUS_OK);
    EXPECT_NEAR(value, 4.25, 1e-12);
    EXPECT_NEAR(all[0], 1.0, 1e-12);
    EXPECT_NEAR(all[1], -0.125, 1e-12);
    EXPECT_NEAR(all[2], 0.5, 1e-12);
    release(&s);
}

TEST(the_short_call_is_auto_by_all_parameters)
{
    static derivatives d;
    for (const char *const *model = all_models(); *model; model++) {
        scripted s = load_model(*model);
        int      params[MAX_PARAMS];
        for (int i = 0; i < s.size.params; i++) params[i] = i;
        simulate(&s, NULL);
        differentiate(&s, SALTUS_DISCRETE, &d);
        for (int c = 0; c < d.costs; c++) {
            const saltus_request automatic = {SALTUS_AUTO, &c, 1, params, s.size.params};
            double               value, all[MAX_PARAMS], same[MAX_PARAMS];
            saltus_run_cost_gradient(s.run, saltus_system_cost(s.system, c).name, &value, all,
                                     &s.err);
            saltus_run_gradients(s.run, &automatic, same, NULL, NULL, &s.err);
            if (s.err.status) fail_msg("%s", s.err.message);
            EXPECT(value == d.cost[c]);
            EXPECT(memcmp(all, same, sizeof *all * (size_t)s.size.params) == 0);
            if (saltus_run_method_used(s.run) == SALTUS_DISCRETE)
                EXPECT_NEAR(row_distance(all, d.gradient + c * d.params, 1, d.params), 0.0, 1e-13);
        }
        release(&s);
    }
}

/* ---- threads -------------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 5 };
typedef struct worker {
    const saltus_system *system;
    int                  index;
    saltus_error         err;
    double               gradient[METHODS][MAX_COSTS * MAX_PARAMS], cost[MAX_COSTS];
} worker;

/* No assertions of cmocka in here: they jump. */
static void *work(void *context)
{
    worker        *w = context;
    saltus_options options = saltus_options_default();
    options.t_end = 4.0;
    for (int round = 0; round < ROUNDS; round++) {
        saltus_run *run = saltus_run_new(w->system, &options, &w->err);
        saltus_run_simulate(run, NULL, &w->err);
        if (!w->err.status) saltus_run_costs(run, w->cost, &w->err);
        for (int m = 0; m < METHODS && !w->err.status; m++) {
            const int            method = (m + w->index) % METHODS;
            const saltus_request request = {.method = all_methods[method]};
            saltus_run_gradients(run, &request, w->gradient[method], NULL, NULL, &w->err);
        }
        saltus_run_free(run);
    }
    return NULL;
}

TEST(threads_with_their_own_runs_on_one_system_get_identical_bits)
{
    static worker workers[THREADS + 1];
    pthread_t     threads[THREADS];
    scripted      s = load(busy);
    memset(workers, 0, sizeof workers);
    for (int i = 0; i <= THREADS; i++) {
        workers[i].system = s.system;
        workers[i].index = i;
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    work(&workers[THREADS]);
    for (int i = 0; i <= THREADS; i++) {
        if (workers[i].err.status) fail_msg("thread %d: %s", i, workers[i].err.message);
        EXPECT(memcmp(workers[i].gradient, workers[THREADS].gradient, sizeof workers[i].gradient) ==
               0);
        EXPECT(memcmp(workers[i].cost, workers[THREADS].cost, sizeof workers[i].cost) == 0);
    }
    EXPECT(workers[0].gradient[0][0] != 0.0);
    release(&s);
}

/* After the event the state is at the place that it had without a change of p, only later; what
 * it passes there is far narrower than the step. d(felt)/dp = g(-p) - g(T - p) in closed form. */
TEST(the_direct_method_keeps_its_digits_where_the_motion_is_fast_behind_an_event)
{
    scripted     s = load("local p = param('p', 0.3)\n"
                              "local x = coordinate('x', {start = -p, speed = 1})\n"
                              "mass(x, 1)\n"
                              "event('origin', {when = x, direction = 'rising'})\n"
                              "cost('felt', {integral = 1 / (1 + ((x - 0.5) / 0.003)^2)})\n"
                              "horizon(0, 2)\n");
    const double before = -0.8 / 0.003, after = 1.2 / 0.003;
    s.options.rtol = s.options.atol = 1e-9;
    simulate(&s, NULL);
    EXPECT_NEAR(gradient(&s, SALTUS_DIRECT, "felt", "p"),
                1.0 / (1.0 + before * before) - 1.0 / (1.0 + after * after), 1e-11);
    release(&s);
}

/* The estimates are more than the errors, and far less than a percent. */
TEST(differences_know_how_far_off_they_are)
{
    static const char *const models[] = {"coulomb", "hopper", "string_taut", "two_walls",
                                         "compass_feet"};
    for (int m = 0; m < 5; m++) {
        scripted           s = load_model(models[m]);
        double             exact[MAX_COSTS * MAX_PARAMS], fd[MAX_COSTS * MAX_PARAMS];
        double             error[MAX_COSTS * MAX_PARAMS], loose[MAX_COSTS * MAX_PARAMS];
        saltus_request     request = {.method = SALTUS_DISCRETE};
        saltus_differences d = {.gradient = fd, .gradient_error = error};
        simulate(&s, NULL);
        saltus_run_gradients(s.run, &request, exact, NULL, NULL, &s.err);
        assert_int_equal(saltus_run_differences(s.run, &request, &d, &s.err), SALTUS_OK);
        int params = 0;
        for (int k = 0; k < s.size.params; k++) params += !saltus_system_param(s.system, k).fixed;
        for (int i = 0; i < s.size.costs; i++) {
            double most = 0.0;
            for (int k = 0; k < params; k++) most = fmax(most, fabs(exact[i * params + k]));
            for (int k = 0; k < params; k++) {
                const int at = i * params + k;
                if (!(fabs(fd[at] - exact[at]) <= 10.0 * error[at] + 1e-11 * most))
                    fail_msg("%s, cost %d by %d: %.10g, exactly %.10g, error said to be %.3g",
                             models[m], i, k, fd[at], exact[at], error[at]);
                EXPECT(error[at] <= 1e-4 * most);
            }
        }
        /* a loose tolerance does not show in them */
        saltus_run_free(s.run);
        s.options.rtol = s.options.atol = 1e-3;
        s.run = saltus_run_new(s.system, &s.options, &s.err);
        saltus_run_simulate(s.run, NULL, &s.err);
        request.method = SALTUS_FD;
        assert_int_equal(saltus_run_gradients(s.run, &request, loose, NULL, NULL, &s.err),
                         SALTUS_OK);
        for (int i = 0; i < s.size.costs * params; i++)
            EXPECT_NEAR(loose[i], fd[i], 100.0 * error[i] + 1e-7 * fabs(fd[i]) + 1e-9);
        release(&s);
    }
}

/* In free fall from rest by p, y = p - t^2/2: of its own size are y and y^2, what they are
 * differences of, and what they change by in the time t: |y| + |v t| is 4 at the end, and
 * |y - p| + |v t| has the terms y, p and v t, 0 + 2 + 4. An integral has its integrand's size over
 * the whole span. */
TEST(sizes_are_those_of_the_terms_elsewhere_on_the_motion)
{
    scripted             s = load("local p = param(\"p\", 2)\n"
                                              "local y = coordinate(\"y\", {start = p})\n"
                                              "mass(y, 1) force(y, -1)\n"
                                              "cost(\"end\", {final = y})\n"
                                              "cost(\"square\", {final = y^2})\n"
                                              "cost(\"apart\", {final = y - p})\n"
                                              "cost(\"sum\", {integral = y - p})\n"
                                              "horizon(0, 2)\n");
    const saltus_request request = {.method = SALTUS_AUTO};
    const double         times[] = {0.0, 1.0, 2.0};
    double               size[4], end[4], slope[4];
    simulate(&s, NULL);
    assert_int_equal(saltus_run_sizes(s.run, &request, times, 3, size, end, slope, &s.err),
                     SALTUS_OK);
    EXPECT_NEAR(size[0], 4.0, 1e-12);
    EXPECT_NEAR(size[1], 8.0, 1e-12);
    EXPECT_NEAR(size[2], 6.0, 1e-12);
    EXPECT_NEAR(size[3], 12.0, 1e-12);
    EXPECT_NEAR(end[0], 0.0, 1e-12);
    EXPECT_NEAR(end[1], 0.0, 1e-12);
    EXPECT_NEAR(end[2], 2.0, 1e-12);
    EXPECT_NEAR(end[3], 4.0 / 3.0, 1e-12);
    EXPECT_NEAR(slope[0], 1.0, 1e-12);
    EXPECT_NEAR(slope[1], 4.0, 1e-12);
    EXPECT_NEAR(slope[2], 2.0, 1e-12);
    EXPECT_NEAR(slope[3], 4.0, 1e-12);
    assert_int_equal(saltus_run_sizes(s.run, &request, times, 3, size, end, NULL, &s.err),
                     SALTUS_ERR_ARGUMENT);
    release(&s);
}

/* A small parameter is moved by a part of itself, and the tolerance follows the units. */
TEST(differences_do_not_depend_on_units)
{
    static const char   text[] = "local unit = %g\n"
                                 "local a = param(\"a\", 0.02 * unit)\n"
                                 "local x = coordinate(\"x\", {start = a, speed = unit})\n"
                                 "mass(x, 1) force(x, -unit * (x / unit)^3)\n"
                                 "cost(\"x\", {final = (x / unit)^2 * unit})\n"
                                 "horizon(0, 3)\n";
    static const double unit[] = {1.0, 1e-6, 1e6};
    double              first = 0.0;
    for (int i = 0; i < 3; i++) {
        char script[sizeof text + 32];
        snprintf(script, sizeof script, text, unit[i]);
        scripted             s = load(script);
        const saltus_request request = {.method = SALTUS_FD};
        double               fd, error, step;
        saltus_differences   d = {.gradient = &fd, .gradient_error = &error, .step = &step};
        s.options.rtol = 1e-7;
        s.options.atol = 1e-7 * unit[i];
        simulate(&s, NULL);
        assert_int_equal(saltus_run_differences(s.run, &request, &d, &s.err), SALTUS_OK);
        if (i == 0) first = fd;
        EXPECT_NEAR(fd, first, 1e-9 * fabs(first));
        EXPECT(error < 1e-5 * fabs(first));
        EXPECT_NEAR(step, 2e-5 * unit[i], 1e-9 * unit[i]);
        release(&s);
    }
}

TEST_MAIN(RUN(differences_know_how_far_off_they_are),
          RUN(sizes_are_those_of_the_terms_elsewhere_on_the_motion),
          RUN(differences_do_not_depend_on_units),
          RUN(the_direct_method_keeps_its_digits_where_the_motion_is_fast_behind_an_event),
          RUN(the_discrete_adjoint_is_the_transpose_of_the_discrete_tangent_at_every_tolerance),
          RUN(direct_and_adjoint_agree_to_1e_9_at_1e_12),
          RUN(continuous_and_discrete_gradients_agree_to_1e_9_at_1e_12),
          RUN(central_differences_agree_as_far_as_they_can), RUN(both_integrators_agree),
          RUN(taylor_remainders_fall_with_the_square_of_the_step),
          RUN(the_sensitivity_of_a_pure_integral_ends_as_its_gradient),
          RUN(energy_is_conserved_by_smooth_conservative_motion_and_by_elastic_impacts),
          RUN(a_second_simulation_gives_identical_bits),
          RUN(a_gradient_does_not_disturb_the_run_it_is_taken_from),
          RUN(a_bounded_record_gives_identical_bits),
          RUN(several_costs_at_once_equal_each_alone_and_subsets_equal_their_columns),
          RUN(a_fixed_parameter_is_left_out_unless_it_is_named),
          RUN(the_short_call_is_auto_by_all_parameters),
          RUN(threads_with_their_own_runs_on_one_system_get_identical_bits))
