/* The mechanisms of models/: closed forms, conserved quantities, and one mechanism written in
 * several ways, which must not change its gradients. */
#include "scripted.h"

/* ---- loading -------------------------------------------------------------------------------- */

/* The text of a model, with something before it. */
static const char *model_text(const char *before, const char *name)
{
    static char text[1 << 16];
    char        path[512];
    snprintf(path, sizeof path, "%s/models/%s.lua", SALTUS_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("cannot read %s", path);
    const size_t start = (size_t)snprintf(text, sizeof text, "%s", before);
    const size_t length = fread(text + start, 1, sizeof text - start - 1, file);
    fclose(file);
    text[start + length] = '\0';
    return text;
}

/* Compiles a model with these settings; the test fails if it is wrong. */
static saltus_system *compile_variant(const char *name, const saltus_override *settings, int count)
{
    char                  path[512];
    saltus_error          err = {0};
    saltus_script_options options = saltus_script_options_default();
    options.overrides = settings;
    options.override_count = count;
    snprintf(path, sizeof path, "%s/models/%s.lua", SALTUS_SOURCE_DIR, name);
    saltus_model  *model = saltus_model_load_with(path, &options, &err);
    saltus_system *system = saltus_system_compile(model, &err);
    saltus_model_free(model);
    if (err.status) fail_msg("%s: %s", path, err.message);
    return system;
}

static scripted load_variant(const char *name, const char *setting, const char *value)
{
    const saltus_override override = {setting, 0.0, value};
    scripted              s = {.system = compile_variant(name, &override, 1)};
    s.size = saltus_system_size(s.system);
    s.options = saltus_system_options(s.system);
    s.options.rtol = s.options.atol = 1e-12;
    return s;
}

/* With one parameter changed. */
static void simulate_with(scripted *s, const char *name, double value)
{
    double params[MAX_PARAMS];
    for (int j = 0; j < s->size.params; j++) params[j] = saltus_system_param(s->system, j).value;
    params[param(s, name)] = value;
    simulate(s, params);
}

static double param_value(const scripted *s, const char *name)
{
    return saltus_system_param(s->system, param(s, name)).value;
}

/* ---- comparing ------------------------------------------------------------------------------ */

enum { MAX_TIMES = 64 };
typedef struct derivatives {
    double cost[MAX_COSTS], gradient[MAX_COSTS][MAX_PARAMS], time[MAX_TIMES][MAX_PARAMS];
} derivatives;

/* Of all costs and event times by all parameters, fixed ones too. */
static void differentiate(scripted *s, saltus_method method, derivatives *d)
{
    const int            np = s->size.params;
    int                  params[MAX_PARAMS];
    double               gradient[MAX_COSTS * MAX_PARAMS], time[MAX_TIMES * MAX_PARAMS];
    const saltus_request request = {method, NULL, 0, params, np};
    for (int j = 0; j < np; j++) params[j] = j;
    assert_true(s->info->events <= MAX_TIMES);
    saltus_run_costs(s->run, d->cost, &s->err);
    saltus_run_gradients(s->run, &request, gradient, time, NULL, &s->err);
    if (s->err.status) fail_msg("%s: %s", saltus_method_name(method), s->err.message);
    for (int j = 0; j < np; j++) {
        for (int k = 0; k < s->size.costs; k++) d->gradient[k][j] = gradient[k * np + j];
        for (int k = 0; k < s->info->events; k++) d->time[k][j] = time[k * np + j];
    }
}

/* The largest difference of two rows, relative to the larger of 1 and what is in them. */
static double row_off(const double *a, const double *b, int count)
{
    double scale = 1.0, off = 0.0;
    for (int j = 0; j < count; j++) {
        if (isnan(a[j]) || isnan(b[j])) return NAN;
        scale = fmax(scale, fabs(a[j]));
        off = fmax(off, fabs(a[j] - b[j]));
    }
    return off / scale;
}

/* How far two runs with the same parameters, costs and events differ in these. */
typedef struct distance {
    double cost, gradient, time;
} distance;

static distance distance_of(scripted *a, saltus_method method_a, scripted *b,
                            saltus_method method_b)
{
    static derivatives d, e;
    distance           off = {0};
    assert_int_equal(a->size.params, b->size.params);
    assert_int_equal(a->size.costs, b->size.costs);
    assert_int_equal(a->info->events, b->info->events);
    for (int j = 0; j < a->size.params; j++)
        EXPECT_TEXT(saltus_system_param(a->system, j).name, saltus_system_param(b->system, j).name);
    differentiate(a, method_a, &d);
    differentiate(b, method_b, &e);
    for (int k = 0; k < a->size.costs; k++) {
        EXPECT_TEXT(saltus_system_cost(a->system, k).name, saltus_system_cost(b->system, k).name);
        off.cost = fmax(off.cost, row_off(&d.cost[k], &e.cost[k], 1));
        off.gradient = fmax(off.gradient, row_off(d.gradient[k], e.gradient[k], a->size.params));
    }
    for (int k = 0; k < a->info->events; k++)
        off.time = fmax(off.time, row_off(d.time[k], e.time[k], a->size.params));
    return off;
}

/* Two ways to write one mechanism: the same to 1e-8, by every method. */
static void expect_same(scripted *a, scripted *b, const char *what)
{
    EXPECT(a->info->events > 0);
    for (int m = 0; m < METHODS; m++) {
        const distance off = distance_of(a, SALTUS_DISCRETE, b, all_methods[m]);
        print_message("%s by %s: costs %.1e, gradients %.1e, times %.1e\n", what,
                      saltus_method_name(all_methods[m]), off.cost, off.gradient, off.time);
        EXPECT_NEAR(off.cost, 0.0, 1e-8);
        EXPECT_NEAR(off.gradient, 0.0, 1e-8);
        EXPECT_NEAR(off.time, 0.0, 1e-8);
    }
}

static void expect_finite_differences(scripted *s, double tolerance)
{
    const distance off = distance_of(s, SALTUS_DISCRETE, s, SALTUS_FD);
    print_message("against finite differences: gradients %.1e, times %.1e\n", off.gradient,
                  off.time);
    EXPECT_NEAR(off.gradient, 0.0, tolerance);
    EXPECT_NEAR(off.time, 0.0, tolerance);
    EXPECT(off.gradient > 0.0); /* two computations, not one */
}

/* As alpha grows tenfold, the penalty formulation comes ten times closer: costs and gradients. */
static void expect_penalty_converges(scripted *exact, const char *name, double allowed)
{
    distance off[2];
    for (int i = 0; i < 2; i++) {
        scripted s = load_model(name);
        s.options.formulation = SALTUS_PENALTY;
        s.options.alpha = i ? 1e6 : 1e5;
        simulate(&s, NULL);
        off[i] = distance_of(exact, SALTUS_DISCRETE, &s, SALTUS_DISCRETE);
        print_message("%s, alpha %.0e: costs off by %.1e, gradients by %.1e\n", name,
                      s.options.alpha, off[i].cost, off[i].gradient);
        release(&s);
    }
    EXPECT_NEAR(off[0].cost / off[1].cost, 10.0, 1.0);
    EXPECT_NEAR(off[0].gradient / off[1].gradient, 10.0, 1.0);
    EXPECT_NEAR(off[1].gradient, 0.0, allowed);
}

/* ---- one mechanism, written in several ways ------------------------------------------------- */

TEST(a_double_pendulum_has_the_same_gradients_in_angles_and_in_points)
{
    scripted angles = load_model("double_pendulum_angles");
    scripted points = load_model("double_pendulum_points");
    simulate(&angles, NULL);
    simulate(&points, NULL);
    expect_same(&angles, &points, "double pendulum");
    expect_penalty_converges(&angles, "double_pendulum_points", 1e-5);
    release(&angles);
    release(&points);
}

/* models/slider_crank.lua with the angle of the crank alone. */
static const char *const slider_crank_angle =
    "local r, l, ms, k = param('r', 0.3), param('l', 0.9), param('ms', 2), param('k', 60)\n"
    "local a0, stop, e = param('a0', 1.9), param('stop', 1.12), param('e', 0.7)\n"
    "local th = coordinate('th', {start = a0})\n"
    "local px, py = r * cos(th), r * sin(th)\n"
    "local x = px + sqrt(l^2 - py^2)\n"
    "local function bar(m, ax, ay, bx, by)\n"
    "  kinetic(m / 6 * (dot(ax)^2 + dot(ay)^2 + dot(bx)^2 + dot(by)^2\n"
    "                   + dot(ax) * dot(bx) + dot(ay) * dot(by)))\n"
    "  potential(m * 9.81 * (ay + by) / 2)\n"
    "end\n"
    "local zero = 0 * th\n"
    "bar(1.2, zero, zero, px, py) bar(0.8, px, py, x, zero)\n"
    "kinetic(0.5 * ms * dot(x)^2) potential(0.5 * k * (x - 1.4)^2)\n"
    "event('stop', {when = stop - x, direction = 'falling', restitution = e,\n"
    "               charge = {blow = impulse('stop')}})\n"
    /* the guide carries the slider and half of the connecting bar, and the force along that bar */
    "local side = (ms + 0.8 / 2) * 9.81 + 0.8 / 6 * ddot(py)\n"
    "  + py / (x - px) * (ms * ddot(x) + k * (x - 1.4) + 0.8 / 6 * (2 * ddot(x) + ddot(px)))\n"
    "cost('blow', {}) cost('side', {integral = side^2}) cost('place', {final = x})\n"
    "horizon(0, 1.1)\n";

TEST(a_slider_crank_has_the_same_gradients_in_its_angle_and_in_points)
{
    scripted angle = load(slider_crank_angle), points = load_model("slider_crank");
    simulate(&angle, NULL);
    simulate(&points, NULL);
    expect_same(&angle, &points, "slider-crank");
    expect_penalty_converges(&angle, "slider_crank", 1e-5);
    release(&angle);
    release(&points);
}

/* Fails if the last term of events.md (13), the moving time of the event, is left out of the jump
 * of the velocities. */
TEST(a_compass_walker_has_the_same_gradients_in_angles_with_feet_and_with_swapped_legs)
{
    scripted angles = load_model("compass_angles"), feet = load_model("compass_feet");
    scripted swapped = load_variant("compass_feet", "legs", "swap");
    simulate(&angles, NULL);
    simulate(&feet, NULL);
    simulate(&swapped, NULL);
    expect_event_count(&angles, 3);
    expect_no_warning(&angles);
    expect_no_warning(&feet);
    expect_no_warning(&swapped);
    EXPECT(feet.size.modes == 2 && swapped.size.modes == 0);
    expect_same(&angles, &feet, "feet");
    expect_same(&angles, &swapped, "swapped legs");
    expect_finite_differences(&angles, 1e-6);
    expect_finite_differences(&feet, 1e-6);
    release(&angles);
    release(&feet);
    release(&swapped);
}

TEST(a_compass_walker_finds_its_gait)
{
    scripted s = load_model("compass_angles");
    s.options.t_end = 40.0;
    simulate(&s, NULL);
    expect_outcome(&s, SALTUS_END);
    const int               last = s.info->events - 1;
    const saltus_occurrence one = saltus_run_event(s.run, last - 1);
    const saltus_occurrence two = saltus_run_event(s.run, last);
    for (int i = 0; i < 2; i++) EXPECT_NEAR(one.v_minus[i], two.v_minus[i], 1e-5);
    /* all that gravity gives in one step is lost when the foot lands */
    EXPECT_NEAR(two.energy_after - two.energy_before, one.energy_after - one.energy_before, 1e-4);
    EXPECT(two.energy_after < two.energy_before - 1.0);
    release(&s);
}

/* ---- closed forms --------------------------------------------------------------------------- */

TEST(a_ladder_leaves_the_wall_at_two_thirds_of_its_height)
{
    scripted s = load_model("falling_ladder");
    simulate(&s, NULL);
    expect_outcome(&s, SALTUS_TERMINAL_EVENT);
    EXPECT_NEAR(cost_value(&s, "leaving"), 2.0 / 3.0 * sin(1.2), 1e-9);
    expect_gradient(&s, "leaving", "th0", 2.0 / 3.0 * cos(1.2), 1e-9);
    expect_gradient(&s, "leaving", "L", 0.0, 1e-9);
    expect_gradient(&s, "leaving", "m", 0.0, 1e-9);
    simulate_with(&s, "th0", 0.9);
    EXPECT_NEAR(cost_value(&s, "leaving"), 2.0 / 3.0 * sin(0.9), 1e-9);
    expect_gradient(&s, "leaving", "th0", 2.0 / 3.0 * cos(0.9), 1e-9);
    release(&s);
}

TEST(a_rope_breaks_where_its_tension_says)
{
    scripted s = load_model("rope_cut");
    simulate(&s, NULL);
    expect_event_count(&s, 3);
    const double m = 1.5, g = 9.81, L = 1.0, h = 2.0, limit = 28.0;
    /* a jerk takes the radial velocity, the rest goes on along the circle */
    const saltus_occurrence taut = saltus_run_event(s.run, 0);
    const double            x = taut.q[0], y = taut.q[1] - h;
    const double            radial = (x * taut.v_minus[0] + y * taut.v_minus[1]) / L;
    const double            along = (x * taut.v_minus[1] - y * taut.v_minus[0]) / L;
    EXPECT_NEAR(hypot(x, y), L, 1e-11);
    EXPECT_NEAR(cost_value(&s, "impulse"), m * radial, 1e-10);
    /* m v^2 / L + m g c = limit, with v^2 = along^2 + 2 g (L c + y) and c the cosine below */
    const double c = (limit - m / L * (along * along + 2.0 * g * y)) / (3.0 * m * g);
    const double speed = sqrt(along * along + 2.0 * g * (L * c + y));
    EXPECT_NEAR(saltus_run_event(s.run, 1).q[1], h - L * c, 1e-10);
    EXPECT_NEAR(cost_value(&s, "speed"), speed, 1e-10);
    expect_gradient(&s, "speed", "limit", L / (3.0 * m * speed), 1e-9);
    expect_gradient(&s, "impulse", "limit", 0.0, 1e-12);
    release(&s);
}

TEST(a_rope_can_be_cut_at_a_place)
{
    scripted s = load_variant("rope_cut", "cut", "knife");
    simulate(&s, NULL);
    expect_event_count(&s, 3);
    EXPECT_NEAR(saltus_run_event(s.run, 1).q[0], param_value(&s, "blade"), 1e-11);
    /* energy: v dv + g dy = 0 along the circle x^2 + y^2 = L^2 */
    const saltus_occurrence cut = saltus_run_event(s.run, 1);
    expect_gradient(&s, "speed", "blade",
                    9.81 * cut.q[0] / (cut.q[1] - 2.0) / cost_value(&s, "speed"), 1e-9);
    release(&s);
}

/* Of the speed, what a spoke that lands leaves. */
static double spoke_ratio(double J, double ml2, double angle)
{
    return (J + ml2 * cos(angle)) / (J + ml2);
}

TEST(a_rimless_wheel_keeps_the_cosine_of_its_spokes)
{
    const double l = 0.5, m = 2.0, slope = 0.2, w0 = 2.5, half = acos(-1.0) / 8.0;
    for (int i = 0; i < 2; i++) {
        const double J = i ? 0.02 : 0.0, I = J + m * l * l; /* J = 0: the mass matrix is singular */
        const double ratio = spoke_ratio(J, m * l * l, 2.0 * half);
        scripted     s = load_model("rimless_wheel");
        simulate_with(&s, "J", J);
        expect_event_count(&s, 6);
        if (!i) EXPECT_NEAR(ratio, cos(2.0 * half), 1e-15);
        double square = w0 * w0 + 2.0 * m * 9.81 * l / I * (1.0 - cos(half + slope));
        double lost = 0.0, weight = 0.0, power = 1.0;
        for (int k = 0; k < 6; k++) {
            const saltus_occurrence o = saltus_run_event(s.run, k);
            EXPECT_NEAR(o.v_plus[2], ratio * o.v_minus[2], 1e-11);
            EXPECT_NEAR(o.v_minus[2], sqrt(square), 1e-9);
            lost += 0.5 * I * (1.0 - ratio * ratio) * square;
            weight += power;
            power *= ratio * ratio;
            square = ratio * ratio * square + 4.0 * m * 9.81 * l / I * sin(half) * sin(slope);
        }
        EXPECT_NEAR(cost_value(&s, "lost"), lost, 1e-9);
        expect_gradient(&s, "lost", "w0", I * (1.0 - ratio * ratio) * w0 * weight, 1e-9);
        release(&s);
    }
}

TEST(a_clutch_engages_slips_and_catches)
{
    const double J1 = 0.5, J2 = 1.5, r = 1.6, drive = 20.0, w_on = 30.0, hold = 32.0;
    scripted     s = load_model("clutch");
    simulate(&s, NULL);
    expect_event_count(&s, 3);
    expect_event(&s, 0, "engage", (w_on - 12.0) * J1 / drive, 1e-10);
    const saltus_occurrence on = saltus_run_event(s.run, 0);
    const double            impulse = (on.v_minus[0] - r * on.v_minus[1]) / (1.0 / J1 + r * r / J2);
    EXPECT_NEAR(cost_value(&s, "impulse"), impulse, 1e-9);
    EXPECT_NEAR(on.v_plus[0], on.v_minus[0] - impulse / J1, 1e-9);
    EXPECT_NEAR(on.v_plus[0], r * on.v_plus[1], 1e-11);
    /* J1 a1 = drive - hold where it begins to slip, and a1 = r a2; the speeds do not jump */
    const saltus_occurrence over = saltus_run_event(s.run, 1), again = saltus_run_event(s.run, 2);
    const double            w2 = over.v_minus[1], load = 0.6 * w2 + 60.0 * sin(2.0 * over.t);
    EXPECT_TEXT(over.name, "overload");
    EXPECT_NEAR((drive - hold) / J1, r * (r * hold - load) / J2, 1e-7);
    EXPECT_NEAR(over.v_plus[0], over.v_minus[0], 0.0);
    EXPECT_TEXT(again.name, "catch");
    EXPECT_NEAR(again.v_plus[0], again.v_minus[0], 1e-9);
    EXPECT_NEAR(again.v_plus[0], r * again.v_plus[1], 1e-11);
    release(&s);
}

TEST(balls_of_a_cradle_exchange_an_impulse_along_the_line_of_their_centres)
{
    const double m = 0.1, l = 0.5, r = 0.02, gap = 0.001, e = 0.96, g = 9.81, a0 = -0.6;
    scripted     s = load_model("cradle");
    simulate(&s, NULL);
    expect_event_count(&s, 4);
    const saltus_occurrence o = saltus_run_event(s.run, 0);
    const double            th = o.q[0], v = l * o.v_minus[0];
    EXPECT_TEXT(o.name, "1-2");
    EXPECT_NEAR(v, sqrt(2.0 * g * l * (cos(th) - cos(a0))), 1e-9);
    /* from the first ball to the second; how far each thread lets its ball go that way */
    const double nx = (2.0 * r + gap - l * sin(th)) / (2.0 * r),
                 ny = l * (cos(th) - 1.0) / (2.0 * r);
    const double first = nx * cos(th) + ny * sin(th), second = nx;
    EXPECT_NEAR(hypot(nx, ny), 1.0, 1e-10);
    const double impulse = (1.0 + e) * m * v * first / (first * first + second * second);
    EXPECT_NEAR(o.impulse, impulse, 1e-10);
    EXPECT_NEAR(l * o.v_plus[0], v - impulse * first / m, 1e-9);
    EXPECT_NEAR(l * o.v_plus[1], impulse * second / m, 1e-9);
    EXPECT(o.v_plus[2] == 0.0);
    release(&s);
}

/* ---- conserved quantities ------------------------------------------------------------------- */

TEST(the_work_of_a_motor_is_the_energy_it_has_given)
{
    scripted s = load_model("four_bar");
    simulate(&s, NULL);
    expect_event_count(&s, 1);
    const double            start = 0.0;
    const saltus_occurrence off = saltus_run_event(s.run, 0);
    const trajectory       *rows = trajectory_at(&s, &start, 1);
    EXPECT(rows->row[0].t == 0.0);
    const double     given = off.energy_before - rows->row[0].kinetic - rows->row[0].potential;
    const saltus_row end = final_row(&s);
    EXPECT(fabs(given) > 1.0);
    EXPECT_NEAR(cost_value(&s, "work"), given, 1e-9);
    EXPECT_NEAR(end.kinetic + end.potential, off.energy_before, 1e-9); /* then it coasts */
    EXPECT_NEAR(end.output[0], 0.0, 0.0);
    release(&s);
}

typedef struct last_output {
    double value;
    int    seen;
} last_output;

static int keep_torque(void *context, const saltus_row *row)
{
    last_output *last = context;
    if (row->event < 0 || row->after) return 0;
    last->value = row->output[0];
    last->seen++;
    return 0;
}

TEST(a_motor_that_runs_longer_adds_its_power)
{
    scripted    s = load_model("four_bar");
    last_output torque = {0};
    simulate(&s, NULL);
    saltus_run_trajectory(s.run, NULL, 0, keep_torque, &torque, &s.err);
    assert_int_equal(torque.seen, 1);
    const double speed = 4.0 + 0.7 * cos(7.0 * 1.25); /* w + 7 ripple cos(7 off) */
    expect_gradient(&s, "work", "off", torque.value * speed, 1e-9);
    expect_gradient(&s, "effort", "off", torque.value * torque.value, 1e-9);
    release(&s);
}

TEST(energy_is_conserved_by_elastic_impacts_inside_of_constraints)
{
    static const char *const names[] = {"double_pendulum_angles",
                                        "double_pendulum_points",
                                        "slider_crank",
                                        "tumbling_box",
                                        "chain",
                                        "cradle"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        scripted s = load_model(names[i]);
        double   times[101], worst = 0.0, size = 0.0;
        simulate_with(&s, "e", 1.0);
        expect_outcome(&s, SALTUS_END);
        EXPECT(s.info->events > 0);
        for (int k = 0; k <= 100; k++) times[k] = s.info->t * k / 100.0;
        const trajectory *all = trajectory_at(&s, times, 101);
        const double      first = all->row[0].kinetic + all->row[0].potential;
        for (int k = 0; k < all->count; k++) {
            worst = fmax(worst, fabs(all->row[k].kinetic + all->row[k].potential - first));
            size = fmax(size, all->row[k].kinetic);
        }
        print_message("%s: %d impacts, energy off by %.1e of %.1e\n", names[i], s.info->events,
                      worst, size);
        EXPECT_NEAR(worst / size, 0.0, 1e-10);
        release(&s);
    }
}

/* What the floor cannot change, and what nothing changes between impacts. */
typedef struct box_momenta {
    double off_level, off_flight, last[3];
    int    rows;
} box_momenta;

static int follow_box(void *context, const saltus_row *row)
{
    box_momenta  *box = context;
    const double *L = row->output;
    if (box->rows++) {
        const int impact = row->event >= 0 && row->after;
        for (int k = 0; k < 2 && !impact; k++)
            box->off_flight = fmax(box->off_flight, fabs(L[k] - box->last[k]));
        box->off_level = fmax(box->off_level, fabs(L[2] - box->last[2]));
    }
    box->off_level = fmax(box->off_level, fmax(fabs(row->v[0] - 0.3), fabs(row->v[1])));
    memcpy(box->last, L, sizeof box->last);
    return 0;
}

TEST(a_box_keeps_its_momenta)
{
    scripted    s = load_model("tumbling_box");
    box_momenta box = {0};
    double      times[101];
    simulate(&s, NULL);
    expect_event_count(&s, 4);
    for (int k = 0; k <= 100; k++) times[k] = s.info->t * k / 100.0;
    saltus_run_trajectory(s.run, times, 101, follow_box, &box, &s.err);
    assert_true(box.rows > 100);
    EXPECT_NEAR(box.off_flight, 0.0, 1e-11);
    EXPECT_NEAR(box.off_level, 0.0, 1e-11);
    release(&s);
}

/* ---- residuals ------------------------------------------------------------------------------ */

/* Makes an output of every constraint, and of its rate, under the constraint's number. */
static const char *const watch_constraints =
    "local words, count = {constraint = constraint, rod = rod, bar = bar}, 0\n"
    "local function watch(phi)\n"
    "  output('phi ' .. count, phi) output('rate ' .. count, dot(phi))\n"
    "  count = count + 1\n"
    "end\n"
    "local function constraint(name, phi, ...)\n"
    "  watch(phi) return words.constraint(name, phi, ...)\n"
    "end\n"
    "local function link(word, o)\n"
    "  watch((o[1].x - o[2].x)^2 + (o[1].y - o[2].y)^2 - o.length^2) return words[word](o)\n"
    "end\n"
    "local function rod(o) return link('rod', o) end\n"
    "local function bar(o) return link('bar', o) end\n";

enum { MAX_CONSTRAINTS = 32 };
typedef struct residuals {
    int    constraints, seen[MAX_CONSTRAINTS];
    int    phi[MAX_CONSTRAINTS], rate[MAX_CONSTRAINTS]; /* where they stand in the outputs */
    double worst_phi, worst_rate;
} residuals;

static int keep_residuals(void *context, const saltus_row *row)
{
    residuals *r = context;
    for (int j = 0; j < r->constraints; j++) {
        if (row->mu[j] == 0.0) continue; /* not in this mode */
        r->seen[j]++;
        r->worst_phi = fmax(r->worst_phi, fabs(row->output[r->phi[j]]));
        r->worst_rate = fmax(r->worst_rate, fabs(row->output[r->rate[j]]));
    }
    return 0;
}

static int output_index(const scripted *s, const char *kind, int number)
{
    char name[32];
    snprintf(name, sizeof name, "%s %d", kind, number);
    for (int i = 0; i < s->size.outputs; i++)
        if (strcmp(saltus_system_output(s->system, i).name, name) == 0) return i;
    fail_msg("no output %s: is there a constraint that is not watched?", name);
    return -1;
}

static void expect_residuals(scripted *s, const char *name)
{
    enum { ROWS = 301 };
    double    times[ROWS];
    residuals r = {.constraints = s->size.constraints};
    assert_true(r.constraints > 0 && r.constraints <= MAX_CONSTRAINTS);
    for (int j = 0; j < r.constraints; j++) {
        r.phi[j] = output_index(s, "phi", j);
        r.rate[j] = output_index(s, "rate", j);
    }
    simulate(s, NULL);
    for (int k = 0; k < ROWS; k++) times[k] = s->info->t * k / (ROWS - 1);
    saltus_run_trajectory(s->run, times, ROWS, keep_residuals, &r, &s->err);
    print_message("%-24s residuals %.1e, rates %.1e\n", name, r.worst_phi, r.worst_rate);
    for (int j = 0; j < r.constraints; j++) EXPECT(r.seen[j] > 10);
    EXPECT_NEAR(r.worst_phi, 0.0, 1e-9);
    EXPECT_NEAR(r.worst_rate, 0.0, 1e-9);
}

TEST(constraints_and_their_rates_stay_below_1e_9)
{
    static const char *const names[] = {"cartesian_pendulum",
                                        "chain",
                                        "clutch",
                                        "compass_feet",
                                        "double_pendulum_points",
                                        "falling_ladder",
                                        "five_bar",
                                        "four_bar",
                                        "rimless_wheel",
                                        "rope_cut",
                                        "shaker",
                                        "slider_crank",
                                        "string_taut",
                                        "tumbling_box"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        scripted s = load(model_text(watch_constraints, names[i]));
        expect_residuals(&s, names[i]);
        release(&s);
    }
}

/* ---- size ----------------------------------------------------------------------------------- */

TEST(a_chain_of_a_thousand_links_has_as_many_formulas_as_one_of_ten)
{
    const saltus_override settings[] = {{"links", 1000.0, NULL}, {"hits", 0.0, "last"}};
    saltus_system        *system = compile_variant("chain", settings, 2);
    const saltus_size     size = saltus_system_size(system);
    EXPECT(size.coordinates == 2000 && size.constraints == 1000 && size.terms == 4000);
    EXPECT(size.templates <= 5);
    saltus_system_free(system);
}

TEST_MAIN(RUN(a_double_pendulum_has_the_same_gradients_in_angles_and_in_points),
          RUN(a_slider_crank_has_the_same_gradients_in_its_angle_and_in_points),
          RUN(a_compass_walker_has_the_same_gradients_in_angles_with_feet_and_with_swapped_legs),
          RUN(a_compass_walker_finds_its_gait),
          RUN(a_ladder_leaves_the_wall_at_two_thirds_of_its_height),
          RUN(a_rope_breaks_where_its_tension_says), RUN(a_rope_can_be_cut_at_a_place),
          RUN(a_rimless_wheel_keeps_the_cosine_of_its_spokes),
          RUN(a_clutch_engages_slips_and_catches),
          RUN(balls_of_a_cradle_exchange_an_impulse_along_the_line_of_their_centres),
          RUN(the_work_of_a_motor_is_the_energy_it_has_given),
          RUN(a_motor_that_runs_longer_adds_its_power),
          RUN(energy_is_conserved_by_elastic_impacts_inside_of_constraints),
          RUN(a_box_keeps_its_momenta), RUN(constraints_and_their_rates_stay_below_1e_9),
          RUN(a_chain_of_a_thousand_links_has_as_many_formulas_as_one_of_ten))
