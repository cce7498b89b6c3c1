/* The jump laws, events.md (3) to (6), and their jump matrices, events.md (14), against hand
 * computations. */
#include "scripted.h"

enum { MAX_SIDE = 16 };

/* events.md (14) by hand: rows s = (q, v, c, z), columns s and the parameters. */
typedef struct by_hand {
    int    states, params;
    double R_s[MAX_SIDE][MAX_SIDE], R_p[MAX_SIDE][MAX_SIDE], R_t[MAX_SIDE];
    double s_dot_minus[MAX_SIDE], s_dot_plus[MAX_SIDE];
    double r_s[MAX_SIDE], r_p[MAX_SIDE], r_dot;
} by_hand;

static double hand_entry(const by_hand *h, int i, int j)
{
    double jump = h->s_dot_plus[i] - h->R_t[i];
    for (int k = 0; k < h->states; k++) jump -= h->R_s[i][k] * h->s_dot_minus[k];
    const int    of_state = j < h->states;
    const double R = of_state ? h->R_s[i][j] : h->R_p[i][j - h->states];
    const double r = of_state ? h->r_s[j] : h->r_p[j - h->states];
    return R + jump * r / h->r_dot;
}

static void expect_jump_matrix(scripted *s, int event, const by_hand *h, double tolerance)
{
    double matrix[MAX_SIDE * MAX_SIDE];
    int    rows = 0, columns = 0;
    saltus_run_jump_matrix(s->run, event, &rows, &columns, NULL, &s->err);
    assert_int_equal(s->err.status, SALTUS_OK);
    assert_int_equal(rows, h->states);
    assert_int_equal(columns, h->states + h->params);
    saltus_run_jump_matrix(s->run, event, &rows, &columns, matrix, &s->err);
    if (s->err.status) fail_msg("%s", s->err.message);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            const double expected = hand_entry(h, i, j), value = matrix[i * columns + j];
            if (!(fabs(value - expected) <= tolerance * (1.0 + fabs(expected))))
                fail_msg("event %d: S[%d][%d] = %.17g, expected %.17g, off by %.3g", event, i, j,
                         value, expected, value - expected);
        }
}

/* ---- the ball ------------------------------------------------------------------------------- */

#define BALL(law)                                                                                  \
    "local g, e, h, m = param('g', 10), param('e', 0.7), param('h', 5), param('m', 3)\n"           \
    "local y = coordinate('y', {start = h})\n"                                                     \
    "mass(y, m)\n"                                                                                 \
    "force(y, -m * g)\n"                                                                           \
    "event('floor', {when = y, direction = 'falling', " law "})\n"                                 \
    "cost('path', {integral = dot(y)})\n"                                                          \
    "cost('square', {integral = y^2 + t})\n"                                                       \
    "horizon(0, 2)\n"

TEST(the_jump_matrix_of_a_bouncing_ball_is_the_closed_form_for_both_laws)
{
    static const char *const scripts[] = {BALL("set = {[dot(y)] = -e * dot(y)}"),
                                          BALL("restitution = e")};
    for (int i = 0; i < 2; i++) {
        scripted     s = run_to(scripts[i], SALTUS_END);
        const double v = -10.0, e = 0.7, g = 10.0;
        double       S[4 * 8];
        int          rows, columns;
        expect_event_count(&s, 1);
        saltus_run_jump_matrix(s.run, 0, &rows, &columns, S, &s.err);
        assert_int_equal(rows, 4);
        assert_int_equal(columns, 8);
        /* Rows y, v, path, square; columns the same and g, e, h, m. */
        const double expected[4][8] = {{-e, 0, 0, 0, 0, 0, 0, 0},
                                       {-g * (1 + e) / v, -e, 0, 0, 0, -v, 0, 0},
                                       {-(1 + e), 0, 1, 0, 0, 0, 0, 0},
                                       {0, 0, 0, 1, 0, 0, 0, 0}};
        for (int r = 0; r < 4; r++)
            for (int c = 0; c < 8; c++) EXPECT_NEAR(S[r * 8 + c], expected[r][c], 1e-11);
        release(&s);
    }
}

static void expect_shaken_ball(const char *script, double tolerance)
{
    scripted s = run_to(script, SALTUS_END);
    EXPECT(s.info->events >= 2);
    for (int i = 0; i < s.info->events; i++) {
        const saltus_occurrence o = saltus_run_event(s.run, i);
        const double            e = 0.6, A = 0.1, w = 7.0, t = o.t, v = o.v_minus[0];
        const double            floor_v = A * w * cos(w * t), floor_a = -A * w * w * sin(w * t);
        EXPECT_NEAR(o.q[0], A * sin(w * t), 1e-13);
        EXPECT_NEAR(o.v_plus[0], -e * v + (1 + e) * floor_v, 1e-12);
        EXPECT_NEAR(o.rate, v - floor_v, 1e-11);
        /* States y, v, z; parameters e, A, w. */
        const by_hand h = {
            .states = 3,
            .params = 3,
            .R_s = {{1, 0, 0}, {0, -e, 0}, {0, 0, 1}},
            .R_p = {{0, 0, 0},
                    {-v + floor_v, (1 + e) * w * cos(w * t),
                     (1 + e) * A * (cos(w * t) - w * t * sin(w * t))},
                    {0, 0, 0}},
            .R_t = {0, (1 + e) * floor_a, 0},
            .s_dot_minus = {v, -10, v * v},
            .s_dot_plus = {o.v_plus[0], -10, o.v_plus[0] * o.v_plus[0]},
            .r_s = {1, 0, 0},
            .r_p = {0, -sin(w * t), -A * t * cos(w * t)},
            .r_dot = v - floor_v,
        };
        expect_jump_matrix(&s, i, &h, tolerance);
    }
    release(&s);
}

#define SHAKEN(law)                                                                                \
    "local e, A, w = param('e', 0.6), param('A', 0.1), param('w', 7)\n"                            \
    "local y = coordinate('y', {start = 1})\n"                                                     \
    "mass(y, 2)\n"                                                                                 \
    "force(y, -20)\n"                                                                              \
    "event('floor', {when = y - A * sin(w * t), direction = 'falling', " law "})\n"                \
    "cost('z', {integral = dot(y)^2})\n"                                                           \
    "horizon(0, 1.5)\n"

TEST(the_jump_matrix_on_a_moving_floor_is_the_closed_form_for_restitution)
{
    expect_shaken_ball(SHAKEN("restitution = e"), 1e-10);
}

TEST(the_jump_matrix_on_a_moving_floor_is_the_closed_form_for_set)
{
    expect_shaken_ball(SHAKEN("set = {[dot(y)] = -e * dot(y) + (1 + e) * A * w * cos(w * t)}"),
                       1e-10);
}

TEST(a_parameter_in_the_guard_moves_the_state_by_one_plus_e)
{
    /* 1 + e = 1.5 here; without r_rho in events.md (12) it would be 0. */
    scripted s = run_to("local wall = param('wall', 1)\n"
                        "local x = coordinate('x', {speed = 1})\n"
                        "mass(x, 1)\n"
                        "event('wall', {when = x - wall, direction = 'rising', restitution ="
                        " 0.5})\n"
                        "cost('x', {final = x})\n"
                        "horizon(0, 2)\n",
                        SALTUS_END);
    double   S[12];
    int      rows, columns;
    saltus_run_jump_matrix(s.run, 0, &rows, &columns, S, &s.err);
    assert_int_equal(rows, 3);
    assert_int_equal(columns, 4);
    EXPECT_NEAR(S[0], -0.5, 1e-13);
    EXPECT_NEAR(S[3], 1.5, 1e-13);
    expect_gradient(&s, "x", "wall", 1.5, 1e-12);
    release(&s);
}

TEST(a_change_of_mode_alone_keeps_the_velocity_and_bends_its_sensitivity)
{
    scripted s = run_to("local g = param('g', 2)\n"
                        "local up, down = mode 'up', mode 'down'\n"
                        "local y = coordinate('y', {speed = -1})\n"
                        "mass(y, 1)\n"
                        "force(y, -3, {mode = up})\n"
                        "force(y, g, {mode = down})\n"
                        "event('line', {from = up, to = down, when = y + dot(y) + 5})\n"
                        "cost('z', {integral = ddot(y)})\n"
                        "horizon(0, 1)\n",
                        SALTUS_END);
    expect_event_count(&s, 1);
    const saltus_occurrence o = saltus_run_event(s.run, 0);
    const double            v = o.v_minus[0];
    EXPECT(o.v_plus[0] == v);
    const by_hand h = {
        .states = 3,
        .params = 1,
        .R_s = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        .s_dot_minus = {v, -3, -3},
        .s_dot_plus = {v, 2, 2},
        .r_s = {1, 1, 0},
        .r_dot = v - 3,
    };
    EXPECT_NEAR(o.rate, v - 3, 1e-12);
    expect_jump_matrix(&s, 0, &h, 1e-11);
    release(&s);
}

/* ---- two links against a wall --------------------------------------------------------------- */

/* Two point masses on massless links, angles from the vertical; the second mass meets x = wall. */
#define LINKS(e, law)                                                                              \
    "local e = param('e', " e ")\n"                                                                \
    "local a = coordinate('a', {start = -0.6, speed = 0.2})\n"                                     \
    "local b = coordinate('b', {start = -0.9, speed = 1.1})\n"                                     \
    "local m1, m2, l1, l2 = 1.5, 0.8, 0.7, 1.1\n"                                                  \
    "local x1, y1 = l1 * sin(a), -l1 * cos(a)\n"                                                   \
    "local x2, y2 = x1 + l2 * sin(b), y1 - l2 * cos(b)\n"                                          \
    "local T = 0.5 * m1 * (dot(x1)^2 + dot(y1)^2) + 0.5 * m2 * (dot(x2)^2 + dot(y2)^2)\n"          \
    "kinetic(T)\n"                                                                                 \
    "potential(9.81 * (m1 * y1 + m2 * y2))\n"                                                      \
    "event('wall', {when = x2 - 0.3, direction = 'rising', " law "})\n"

typedef struct links {
    double M[2][2], F[2], r_q[2];
} links;

static links links_at(const double *q, const double *v)
{
    const double m1 = 1.5, m2 = 0.8, l1 = 0.7, l2 = 1.1, g = 9.81, a = q[0], b = q[1];
    const double off = m2 * l1 * l2 * cos(a - b), s = m2 * l1 * l2 * sin(a - b);
    const links  all = {
         .M = {{(m1 + m2) * l1 * l1, off}, {off, m2 * l2 * l2}},
         .F = {-s * v[1] * v[1] - (m1 + m2) * g * l1 * sin(a),
               s * v[0] * v[0] - m2 * g * l2 * sin(b)},
         .r_q = {l1 * cos(a), l2 * cos(b)},
    };
    return all;
}

static void solve2(const double M[2][2], const double *f, double *x)
{
    const double det = M[0][0] * M[1][1] - M[0][1] * M[1][0];
    x[0] = (M[1][1] * f[0] - M[0][1] * f[1]) / det;
    x[1] = (M[0][0] * f[1] - M[1][0] * f[0]) / det;
}

/* Newton's law by hand: v+ = v- + M^-1 r_q' delta. Returns delta. */
static double links_impact(const double *q, const double *v, double e, double *v_plus)
{
    const links L = links_at(q, v);
    double      n[2];
    solve2(L.M, L.r_q, n);
    const double rate = L.r_q[0] * v[0] + L.r_q[1] * v[1];
    const double delta = -(1 + e) * rate / (L.r_q[0] * n[0] + L.r_q[1] * n[1]);
    for (int i = 0; i < 2; i++) v_plus[i] = v[i] + n[i] * delta;
    return delta;
}

TEST(restitution_uses_the_mass_matrix_of_the_configuration)
{
    scripted s = run_to(LINKS("0.5", "restitution = e") "horizon(0, 2)\n", SALTUS_END);
    EXPECT(s.info->events >= 1);
    for (int i = 0; i < s.info->events; i++) {
        const saltus_occurrence o = saltus_run_event(s.run, i);
        double                  v_plus[2];
        const double            delta = links_impact(o.q, o.v_minus, 0.5, v_plus);
        EXPECT_NEAR(0.7 * sin(o.q[0]) + 1.1 * sin(o.q[1]), 0.3, 1e-13);
        for (int k = 0; k < 2; k++) EXPECT_NEAR(o.v_plus[k], v_plus[k], 1e-12);
        EXPECT_NEAR(o.impulse, delta, 1e-12);
        const links L = links_at(o.q, o.v_minus);
        for (int k = 0; k < 2; k++) {
            double momentum = 0.0;
            for (int j = 0; j < 2; j++) momentum += L.M[k][j] * (o.v_plus[j] - o.v_minus[j]);
            EXPECT_NEAR(momentum, L.r_q[k] * o.impulse, 1e-12);
        }
        EXPECT(o.energy_after < o.energy_before);
    }
    release(&s);
}

TEST(restitution_one_conserves_energy_in_a_mechanism)
{
    scripted s = run_to(LINKS("1", "restitution = e") "horizon(0, 12)\n", SALTUS_END);
    EXPECT(s.info->events >= 4);
    for (int i = 0; i < s.info->events; i++) {
        const saltus_occurrence o = saltus_run_event(s.run, i);
        EXPECT_NEAR(o.energy_after, o.energy_before, 1e-12);
    }
    const saltus_row    end = final_row(&s);
    const double        total = end.kinetic + end.potential;
    static const double start = 0.0;
    const kept_row      first = trajectory_at(&s, &start, 1)->row[0];
    EXPECT_NEAR(total, first.kinetic + first.potential, 1e-9);
    release(&s);
}

/* The map s -> s+ of the impact, for differences: s = (a, b, va, vb). */
static void links_map(const double *s, double e, double *plus)
{
    plus[0] = s[0];
    plus[1] = s[1];
    links_impact(s, s + 2, e, plus + 2);
}

TEST(the_jump_matrix_of_a_mechanism_is_that_of_the_hand_computation)
{
    scripted s = run_to(LINKS("0.5", "restitution = e") "horizon(0, 2)\n", SALTUS_END);
    for (int i = 0; i < s.info->events; i++) {
        const saltus_occurrence o = saltus_run_event(s.run, i);
        const double            minus[4] = {o.q[0], o.q[1], o.v_minus[0], o.v_minus[1]};
        const links             L = links_at(o.q, o.v_minus), P = links_at(o.q, o.v_plus);
        by_hand                 h = {.states = 4,
                                     .params = 1,
                                     .s_dot_minus = {o.v_minus[0], o.v_minus[1]},
                                     .s_dot_plus = {o.v_plus[0], o.v_plus[1]},
                                     .r_s = {L.r_q[0], L.r_q[1]}};
        solve2(L.M, L.F, h.s_dot_minus + 2);
        solve2(P.M, P.F, h.s_dot_plus + 2);
        h.r_dot = L.r_q[0] * minus[2] + L.r_q[1] * minus[3];
        const double step = 1e-4;
        for (int j = 0; j < 5; j++) {
            /* Fourth-order differences of the map. */
            double up[4], down[4], up2[4], down2[4], shifted[4];
            memcpy(shifted, minus, sizeof minus);
            const double e = 0.5, de = j == 4 ? step : 0.0;
            if (j < 4) shifted[j] = minus[j] + step;
            links_map(shifted, e + de, up);
            if (j < 4) shifted[j] = minus[j] - step;
            links_map(shifted, e - de, down);
            if (j < 4) shifted[j] = minus[j] + 2 * step;
            links_map(shifted, e + 2 * de, up2);
            if (j < 4) shifted[j] = minus[j] - 2 * step;
            links_map(shifted, e - 2 * de, down2);
            for (int r = 0; r < 4; r++) {
                const double d = (8 * (up[r] - down[r]) - (up2[r] - down2[r])) / (12 * step);
                if (j < 4) h.R_s[r][j] = d;
                else h.R_p[r][0] = d;
            }
        }
        expect_jump_matrix(&s, i, &h, 1e-9);
    }
    release(&s);
}

TEST(set_on_one_velocity_leaves_the_others_in_spite_of_the_coupled_masses)
{
    scripted s =
        run_to(LINKS("0.5", "set = {[dot(b)] = -e * dot(b)}") "horizon(0, 1)\n", SALTUS_END);
    EXPECT(s.info->events >= 1);
    const saltus_occurrence o = saltus_run_event(s.run, 0);
    EXPECT(o.v_plus[0] == o.v_minus[0]);
    EXPECT_NEAR(o.v_plus[1], -0.5 * o.v_minus[1], 1e-14);
    EXPECT(isnan(o.impulse));
    release(&s);
}

/* ---- what a reset may do -------------------------------------------------------------------- */

TEST(swapped_positions_bring_their_velocities_along)
{
    scripted s = run_to("local p = param('p', 1)\n"
                        "local a = coordinate('a', {start = p, speed = 2})\n"
                        "local b = coordinate('b', {start = -1, speed = 0.5})\n"
                        "mass(a, 1) mass(b, 4)\n"
                        "event('swap', {when = t - 1, set = {[a] = b, [b] = a}})\n"
                        "cost('a', {final = a})\n"
                        "cost('b', {final = b})\n"
                        "horizon(0, 2)\n",
                        SALTUS_END);
    expect_event_count(&s, 1);
    const saltus_occurrence o = saltus_run_event(s.run, 0);
    EXPECT_NEAR(o.q[0], -0.5, 1e-14);
    EXPECT_NEAR(o.q[1], 3.0, 1e-14);
    EXPECT_NEAR(o.v_plus[0], 0.5, 1e-14);
    EXPECT_NEAR(o.v_plus[1], 2.0, 1e-14);
    EXPECT_NEAR(cost_value(&s, "a"), 0.0, 1e-13);
    expect_gradient(&s, "a", "p", 0.0, 1e-13);
    expect_gradient(&s, "b", "p", 1.0, 1e-13);
    release(&s);
}

TEST(a_relabelled_position_brings_the_time_derivative_of_its_expression)
{
    scripted s = run_to("local p = param('p', 0.5)\n"
                        "local a = coordinate('a', {start = 1, speed = 2})\n"
                        "local b = coordinate('b', {start = 3, speed = -1})\n"
                        "mass(a, 1) mass(b, 1)\n"
                        "event('map', {when = t - 1, set = {[a] = a * b + p * t, [b] = p}})\n"
                        "cost('a', {final = a})\n"
                        "horizon(0, 2)\n",
                        SALTUS_END);
    /* Before: a = 3, b = 2, speeds 2, -1. After: a = 6 + p, dot(a * b + p t) = 2 * 2 - 3 + p;
     * b = p has no coordinates: it keeps its own speed. */
    const saltus_occurrence o = saltus_run_event(s.run, 0);
    EXPECT_NEAR(o.q[0], 6.5, 1e-13);
    EXPECT_NEAR(o.q[1], 0.5, 1e-13);
    EXPECT_NEAR(o.v_plus[0], 1.5, 1e-13);
    EXPECT_NEAR(o.v_plus[1], -1.0, 1e-13);
    expect_gradient(&s, "a", "p", 2.0, 1e-12);
    release(&s);
}

TEST(a_given_velocity_wins_over_the_one_a_relabelled_position_brings)
{
    scripted s = run_to("local a = coordinate('a', {start = 1, speed = 2})\n"
                        "mass(a, 1)\n"
                        "event('map', {when = t - 1, set = {[a] = -a, [dot(a)] = 3 * dot(a)}})\n"
                        "horizon(0, 2)\n",
                        SALTUS_END);

    const saltus_occurrence o = saltus_run_event(s.run, 0);
    EXPECT_NEAR(o.q[0], -3.0, 1e-14);
    EXPECT_NEAR(o.v_plus[0], 6.0, 1e-14);
    release(&s);
}

TEST(after_inside_set_is_the_value_after_the_law)
{
    scripted s = run_to("local e = param('e', 0.6)\n"
                        "local y = coordinate('y', {start = 5})\n"
                        "local speed, was = memory('speed', 0), memory('was', 0)\n"
                        "mass(y, 1)\n"
                        "force(y, -10)\n"
                        "event('floor', {when = y, direction = 'falling', restitution = e,"
                        " set = {[speed] = after(dot(y)) + 1, [was] = dot(y)}})\n"
                        "cost('speed', {final = speed})\n"
                        "horizon(0, 1.5)\n",
                        SALTUS_END);

    const saltus_row end = final_row(&s);
    EXPECT_NEAR(end.c[0], 7.0, 1e-11);
    EXPECT_NEAR(end.c[1], -10.0, 1e-11);
    expect_gradient(&s, "speed", "e", 10.0, 1e-10);
    release(&s);
}

TEST(the_energy_lost_charged_to_a_cost_is_the_drop_of_energy)
{
    scripted s = run_to(LINKS("0.4", "restitution = e, charge = {loss = before(T) - after(T), push "
                                     "= impulse('wall')}") "cost('loss', {}) cost('push', {})\n"
                                                           "horizon(0, 2)\n",
                        SALTUS_END);
    double   lost = 0.0, push = 0.0;
    for (int i = 0; i < s.info->events; i++) {
        const saltus_occurrence o = saltus_run_event(s.run, i);
        lost += o.energy_before - o.energy_after;
        push += o.impulse;
    }
    EXPECT(s.info->events >= 1);
    EXPECT(lost > 0.1);
    EXPECT_NEAR(cost_value(&s, "loss"), lost, 1e-11);
    EXPECT_NEAR(cost_value(&s, "push"), push, 1e-11);
    release(&s);
}

/* ---- duality -------------------------------------------------------------------------------- */

enum { MAX_SAMPLES = 512 };
typedef struct sample {
    double t;
    int    event, after;
    double part[MAX_COSTS][MAX_PARAMS]; /* dz, or lambda_p */
    double q[MAX_STATES][MAX_PARAMS], v[MAX_STATES][MAX_PARAMS], c[MAX_STATES][MAX_PARAMS];
} sample;
typedef struct samples {
    const scripted *of;
    int             count;
    sample          at[MAX_SAMPLES];
} samples;

/* Those of contacts, clocks and controls are hidden, but take part. */
static int memories_of(saltus_size size)
{
    assert_true(size.memories + size.hidden <= MAX_STATES);
    return size.memories + size.hidden;
}

static sample *next_sample(samples *all, const saltus_row *row)
{
    assert_true(all->count < MAX_SAMPLES);
    sample *one = &all->at[all->count++];
    memset(one, 0, sizeof *one);
    one->t = row->t;
    one->event = row->event;
    one->after = row->after;
    return one;
}

static int keep_tangent(void *context, const saltus_tangent_row *row)
{
    samples          *all = context;
    const saltus_size size = all->of->size;
    sample           *one = next_sample(all, &row->at);
    const int         np = row->params;
    assert_int_equal(np, size.params);
    for (int j = 0; j < np; j++) {
        for (int i = 0; i < size.coordinates; i++) one->q[i][j] = row->dq[i * np + j];
        for (int i = 0; i < size.coordinates; i++) one->v[i][j] = row->dv[i * np + j];
        for (int i = 0; i < memories_of(size); i++) one->c[i][j] = row->dc[i * np + j];
        for (int i = 0; i < size.costs; i++) one->part[i][j] = row->dz[i * np + j];
    }
    return 0;
}

static int keep_adjoint(void *context, const saltus_adjoint_row *row)
{
    samples          *all = context;
    const saltus_size size = all->of->size;
    sample           *one = next_sample(all, &row->at);
    for (int i = 0; i < size.coordinates; i++) one->q[i][0] = row->lambda_q[i];
    for (int i = 0; i < size.coordinates; i++) one->v[i][0] = row->lambda_v[i];
    for (int i = 0; i < memories_of(size); i++) one->c[i][0] = row->lambda_c[i];
    for (int j = 0; j < size.params; j++) one->part[0][j] = row->lambda_p[j];
    return 0;
}

/* lambda' S + lambda_p is the gradient at every time, on both sides of every event. */
static void expect_duality(scripted *s, double tolerance)
{
    static samples tangents, adjoints;
    double         times[101], full[MAX_COSTS * MAX_PARAMS];
    int            params[MAX_PARAMS];
    /* Where an event ended the run, its row is the last one. */
    const double end = s->info->t;
    const int    ended = s->info->outcome == SALTUS_TERMINAL_EVENT, count = ended ? 100 : 101;
    for (int i = 0; i <= 100; i++) times[i] = i == 100 ? end : end * i / 100.0;
    for (int j = 0; j < s->size.params; j++) params[j] = j;
    const saltus_request request = {SALTUS_DIRECT, NULL, 0, params, s->size.params};
    saltus_run_gradients(s->run, &request, full, NULL, NULL, &s->err);
    tangents.of = adjoints.of = s;
    tangents.count = 0;
    saltus_run_tangents(s->run, params, s->size.params, times, count, keep_tangent, &tangents,
                        &s->err);
    if (s->err.status) fail_msg("%s", s->err.message);
    if (tangents.count != count + 2 * s->info->events - ended)
        fail_msg("%d rows, and %d", tangents.count, count + 2 * s->info->events - ended);
    for (int k = 0; k < s->size.costs; k++) {
        adjoints.count = 0;
        saltus_run_adjoints(s->run, k, times, count, keep_adjoint, &adjoints, &s->err);
        if (s->err.status) fail_msg("%s", s->err.message);
        assert_int_equal(adjoints.count, tangents.count);
        for (int i = 0; i < tangents.count; i++) {
            const sample *T = &tangents.at[i], *A = &adjoints.at[tangents.count - 1 - i];
            EXPECT(T->t == A->t);
            assert_int_equal(T->event, A->event);
            assert_int_equal(T->after, A->after);
            for (int j = 0; j < s->size.params; j++) {
                double sum = T->part[k][j] + A->part[0][j], scale = fabs(sum);
                for (int n = 0; n < s->size.coordinates; n++) {
                    sum += A->q[n][0] * T->q[n][j] + A->v[n][0] * T->v[n][j];
                    scale += fabs(A->q[n][0] * T->q[n][j]) + fabs(A->v[n][0] * T->v[n][j]);
                }
                for (int n = 0; n < memories_of(s->size); n++) sum += A->c[n][0] * T->c[n][j];
                const double expected = full[k * s->size.params + j];
                if (!(fabs(sum - expected) <= tolerance * (1.0 + scale)))
                    fail_msg("cost %s, parameter %s at t = %.17g (event %d, after %d): %.17g, "
                             "expected %.17g, off by %.3g",
                             saltus_system_cost(s->system, k).name,
                             saltus_system_param(s->system, j).name, T->t, T->event, T->after, sum,
                             expected, sum - expected);
            }
        }
    }
}

TEST(adjoints_times_tangents_are_the_gradient_at_every_time_in_all_models)
{
    for (const char *const *model = all_models(); *model; model++) {
        scripted s = load_model(*model);
        simulate(&s, NULL);
        print_message("%s\n", *model);
        expect_duality(&s, 1e-9);
        release(&s);
    }
}

TEST(adjoints_times_tangents_are_the_gradient_through_charges_memories_and_relabelling)
{
    scripted s = run_to("local e, A, w, c0 = param('e', 0.8), param('A', 0.05), param('w', 7),"
                        " param('c0', 0.7)\n"
                        "local x = coordinate('x', {start = 0.1 * c0, speed = 0.4})\n"
                        "local y = coordinate('y', {start = 1})\n"
                        "local c = memory('c', c0)\n"
                        "kinetic(0.5 * (2 + cos(x)) * dot(x)^2 + 0.3 * sin(y) * dot(x) * dot(y) +"
                        " 0.5 * dot(y)^2)\n"
                        "force(y, -9) force(x, -c * x)\n"
                        "event('floor', {when = y - A * sin(w * t), direction = 'falling',"
                        " restitution = e, set = {[c] = c + 0.1 * after(dot(y))^2},\n"
                        " charge = {loss = impulse('floor') * c + before(dot(x)) *"
                        " after(dot(y))}})\n"
                        "event('mirror', {when = x - 0.3 * c, direction = 'rising', set = {[x] ="
                        " -x, [dot(x)] = -0.9 * dot(x) + A * c}})\n"
                        "cost('loss', {final = c * y})\n"
                        "cost('z', {integral = ddot(y)^2 + c * x, final = ddot(x)})\n"
                        "horizon(0, 2.05)\n",
                        SALTUS_END);
    EXPECT(s.info->events >= 3);
    expect_duality(&s, 1e-9);
    release(&s);
}

TEST(adjoints_times_tangents_are_the_gradient_when_the_end_depends_on_parameters)
{
    scripted s = run_to("local T, e = param('T', 0.75), param('e', 0.5)\n"
                        "local y = coordinate('y', {start = 1, speed = 2})\n"
                        "mass(y, 1)\n"
                        "force(y, -8)\n"
                        "event('floor', {when = y, direction = 'falling', restitution = e})\n"
                        "cost('y', {final = y, integral = y^2})\n"
                        "horizon(0, 2 * T)\n",
                        SALTUS_END);
    EXPECT(s.info->events >= 1);
    expect_duality(&s, 1e-9);
    release(&s);
}

TEST(all_trajectories_have_the_same_rows_where_a_time_is_that_of_an_event)
{
    static samples           tangents, adjoints;
    static const char *const scripts[] = {BALL("restitution = e"),
                                          BALL("restitution = e, stop = true")};
    for (int i = 0; i < 2; i++) {
        scripted  s = load(scripts[i]);
        const int all[] = {0, 1, 2, 3};
        simulate(&s, NULL);
        expect_event_count(&s, 1);
        const double times[] = {0.0, 0.5, saltus_run_event(s.run, 0).t};
        tangents.of = adjoints.of = &s;
        tangents.count = adjoints.count = 0;
        const int rows = trajectory_at(&s, times, 3)->count;
        saltus_run_tangents(s.run, all, 4, times, 3, keep_tangent, &tangents, &s.err);
        saltus_run_adjoints(s.run, 0, times, 3, keep_adjoint, &adjoints, &s.err);
        if (s.err.status) fail_msg("%s", s.err.message);
        assert_int_equal(rows, i ? 3 : 4);
        assert_int_equal(tangents.count, rows);
        assert_int_equal(adjoints.count, rows);
        release(&s);
    }
}

TEST_MAIN(RUN(the_jump_matrix_of_a_bouncing_ball_is_the_closed_form_for_both_laws),
          RUN(the_jump_matrix_on_a_moving_floor_is_the_closed_form_for_restitution),
          RUN(the_jump_matrix_on_a_moving_floor_is_the_closed_form_for_set),
          RUN(a_parameter_in_the_guard_moves_the_state_by_one_plus_e),
          RUN(a_change_of_mode_alone_keeps_the_velocity_and_bends_its_sensitivity),
          RUN(restitution_uses_the_mass_matrix_of_the_configuration),
          RUN(restitution_one_conserves_energy_in_a_mechanism),
          RUN(the_jump_matrix_of_a_mechanism_is_that_of_the_hand_computation),
          RUN(set_on_one_velocity_leaves_the_others_in_spite_of_the_coupled_masses),
          RUN(swapped_positions_bring_their_velocities_along),
          RUN(a_relabelled_position_brings_the_time_derivative_of_its_expression),
          RUN(a_given_velocity_wins_over_the_one_a_relabelled_position_brings),
          RUN(after_inside_set_is_the_value_after_the_law),
          RUN(the_energy_lost_charged_to_a_cost_is_the_drop_of_energy),
          RUN(adjoints_times_tangents_are_the_gradient_at_every_time_in_all_models),
          RUN(adjoints_times_tangents_are_the_gradient_through_charges_memories_and_relabelling),
          RUN(adjoints_times_tangents_are_the_gradient_when_the_end_depends_on_parameters),
          RUN(all_trajectories_have_the_same_rows_where_a_time_is_that_of_an_event))
