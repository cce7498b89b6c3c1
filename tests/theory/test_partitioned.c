/* Jumps of constrained mechanisms, computed a second time (second_way.h) from the sensitivities
 * just before the event: the paper's partitioned form for given velocities, and the implicit
 * derivatives of the inelastic law and of Newton's. */
#include "random_text.h"
#include "scripted.h"
#include "second_way.h"

/* Relative to the largest entry of what is compared: the drift of the constraints, and rounding. */
static const double ALLOWED = 1e-10;

/* ---- both sides of an event ----------------------------------------------------------------- */

enum { MAX_JUMPS = 8 };

typedef struct side {
    double t, q[WAY_Q], v[WAY_Q], a[WAY_Q], c[WAY_C];
    double S[2 * WAY_Q + WAY_C][WAY_P]; /* q, v, c by the parameters */
} side;

typedef struct sides {
    const way *way;
    int        count;
    side       at[2 * MAX_JUMPS]; /* before, after, before, ... */
} sides;

static int keep_side(void *context, const saltus_tangent_row *row)
{
    sides       *all = context;
    const int    n = all->way->n, c = all->way->memories, p = row->params;
    const size_t bytes = (size_t)n * sizeof(double);
    side        *s = &all->at[all->count++];
    s->t = row->at.t;
    memcpy(s->q, row->at.q, bytes);
    memcpy(s->v, row->at.v, bytes);
    memcpy(s->a, row->at.a, bytes);
    for (int i = 0; i < c; i++) s->c[i] = row->at.c[i];
    for (int j = 0; j < p; j++) {
        for (int i = 0; i < n; i++) s->S[i][j] = row->dq[i * p + j];
        for (int i = 0; i < n; i++) s->S[n + i][j] = row->dv[i * p + j];
        for (int i = 0; i < c; i++) s->S[2 * n + i][j] = row->dc[i * p + j];
    }
    return all->count == 2 * MAX_JUMPS;
}

static void read_sides(scripted *s, const way *w, sides *all)
{
    int every[WAY_P];
    for (int i = 0; i < w->params; i++) every[i] = i;
    *all = (sides){.way = w};
    saltus_run_tangents(s->run, every, w->params, NULL, 0, keep_side, all, &s->err);
    if (s->err.status) fail_msg("%s", s->err.message);
}

/* ---- comparing ------------------------------------------------------------------------------ */

static double worst; /* of a test, relative */

static void expect_same(const char *what, int count, const double *value, const double *expected)
{
    double size = 1.0;
    for (int i = 0; i < count; i++) size = fmax(size, fabs(expected[i]));
    for (int i = 0; i < count; i++) {
        const double off = fabs(value[i] - expected[i]) / size;
        if (!(off <= ALLOWED))
            fail_msg("%s[%d] is %.15g, the second way gives %.15g, off by %.2g of %.3g", what, i,
                     value[i], expected[i], off, size);
        worst = fmax(worst, off);
    }
}

static void expect_change(const char *what, const way *w, const double *value, const change *d)
{
    double expected[2 * WAY_Q + WAY_C];
    memcpy(expected, d->q, (size_t)w->n * sizeof(double));
    memcpy(expected + w->n, d->v, (size_t)w->n * sizeof(double));
    memcpy(expected + 2 * w->n, d->c, (size_t)w->memories * sizeof(double));
    expect_same(what, 2 * w->n + w->memories, value, expected);
}

/* Column j of the sensitivities, with the parameter's own. */
static change column_of(const way *w, const side *s, int j)
{
    change d = {0};
    for (int i = 0; i < w->n; i++) d.q[i] = s->S[i][j];
    for (int i = 0; i < w->n; i++) d.v[i] = s->S[w->n + i][j];
    for (int i = 0; i < w->memories; i++) d.c[i] = s->S[2 * w->n + i][j];
    d.p[j] = 1.0;
    return d;
}

static instant instant_of(scripted *s, const way *w, const side *before)
{
    instant at = {.t = before->t};
    memcpy(at.q, before->q, sizeof at.q);
    memcpy(at.v, before->v, sizeof at.v);
    memcpy(at.c, before->c, sizeof at.c);
    for (int i = 0; i < w->params; i++) at.p[i] = saltus_system_param(s->system, i).value;
    EXPECT(jump_again(w, &at));
    return at;
}

/* Every column of the jump matrix but those of the costs, which are nothing to the motion. */
static void expect_matrix(scripted *s, const way *w, int event, const instant *at)
{
    double    matrix[(2 * WAY_Q + WAY_C + MAX_COSTS) * (2 * WAY_Q + WAY_C + MAX_COSTS + WAY_P)];
    int       rows, columns;
    const int state = 2 * w->n + w->memories;
    saltus_run_jump_matrix(s->run, event, &rows, &columns, matrix, &s->err);
    if (s->err.status) fail_msg("%s", s->err.message);
    for (int k = 0; k < columns; k++) {
        change d = {0}, expected;
        double value[2 * WAY_Q + WAY_C];
        if (k < w->n) d.q[k] = 1.0;
        else if (k < 2 * w->n) d.v[k - w->n] = 1.0;
        else if (k < state) d.c[k - 2 * w->n] = 1.0;
        else if (k >= rows) d.p[k - rows] = 1.0;
        EXPECT(change_again(w, at, &d, &expected));
        for (int i = 0; i < state; i++) value[i] = matrix[i * columns + k];
        expect_change("a column of the jump matrix", w, value, &expected);
    }
}

static void expect_sensitivities(const way *w, const instant *at, const side *before,
                                 const side *after)
{
    for (int j = 0; j < w->params; j++) {
        const change d = column_of(w, before, j);
        change       expected;
        double       value[2 * WAY_Q + WAY_C];
        for (int i = 0; i < 2 * w->n + w->memories; i++) value[i] = after->S[i][j];
        EXPECT(change_again(w, at, &d, &expected));
        expect_change("S after", w, value, &expected);
        if (w->law != WAY_GIVEN) continue;
        EXPECT(change_partitioned(w, at, &d, &expected));
        expect_change("S after (partitioned)", w, value, &expected);
    }
}

/* All events of the script, which are one event of the mechanism. */
static void expect_second_way(const char *script, const way *w, int least)
{
    static sides all;
    scripted     s = load(script);
    simulate(&s, NULL);
    EXPECT(s.info->outcome == SALTUS_END || s.info->outcome == SALTUS_TERMINAL_EVENT);
    EXPECT(s.size.coordinates == w->n && s.size.params == w->params);
    read_sides(&s, w, &all);
    EXPECT(all.count >= 2 * least);
    for (int event = 0; 2 * event + 1 < all.count; event++) {
        const side   *before = &all.at[2 * event], *after = before + 1;
        const instant at = instant_of(&s, w, before);
        expect_same("a before", w->n, before->a, at.a);
        expect_same("v after", w->n, after->v, at.v_after);
        expect_same("a after", w->n, after->a, at.a_after);
        expect_same("the memory after", w->memories, after->c, at.c_after);
        EXPECT_NEAR(saltus_run_event(s.run, event).rate, at.rate, ALLOWED * (1.0 + fabs(at.rate)));
        expect_sensitivities(w, &at, before, after);
        expect_matrix(&s, w, event, &at);
    }
    release(&s);
}

/* ---- a rope with a pivot that moves --------------------------------------------------------- */

/* A stone is caught by a rope whose pivot shakes; a memory has where the pivot is. */
enum { ROPE_MX, ROPE_MY, ROPE_L, ROPE_A, ROPE_W, ROPE_B, ROPE_VX, ROPE_PARAMS };

static const char rope_script[] =
    "local mx, my, L = param('mx', 1.3), param('my', 0.7), param('L', 1.1)\n"
    "local A, w, b, vx = param('A', 0.25), param('w', 3), param('b', 0.35), param('vx', 1.2)\n"
    "local x = coordinate('x', {start = 0.2, speed = vx})\n"
    "local y = coordinate('y', {start = 0.1})\n"
    "local c = memory('c', 0.1 * L)\n"
    "mass(x, mx) mass(y, my) force(y, -9.81 * my) force(x, -0.3 * dot(x))\n"
    "local flight, swing = mode 'flight', mode 'swing'\n"
    "constraint('rope', (x - c - A * sin(w * t))^2 + y^2 - L^2, {mode = swing})\n"
    "event('catch', {from = flight, to = swing, direction = 'falling',\n"
    "  when = y + 0.3 * x + b + 0.1 * c + 0.05 * dot(x) - 0.02 * sin(5 * t),\n"
    "  set = {[c] = x - A * sin(w * t) - sqrt(L^2 - y^2)}})\n"
    "horizon(0, 0.8)\n";

static twofold rope_shake(const place *at)
{
    return times(at->p[ROPE_A], sine(times(at->p[ROPE_W], at->t)));
}

static void rope_phi(const place *at, twofold *out)
{
    const twofold x = less(less(at->q[0], at->c[0]), rope_shake(at));
    out[0] = less(plus(squared(x), squared(at->q[1])), squared(at->p[ROPE_L]));
}

static void rope_mass(const place *at, twofold M[WAY_Q][WAY_Q])
{
    M[0][0] = at->p[ROPE_MX];
    M[1][1] = at->p[ROPE_MY];
}

static void rope_force(const place *at, double *F)
{
    F[0] = -0.3 * at->v[0].f;
    F[1] = -9.81 * at->p[ROPE_MY].f;
}

static void rope_guard(const place *at, twofold *r)
{
    const twofold line = plus(plus(at->q[1], scaled(0.3, at->q[0])), at->p[ROPE_B]);
    const twofold more = plus(scaled(0.1, at->c[0]), scaled(0.05, at->v[0]));
    *r = less(plus(line, more), scaled(0.02, sine(scaled(5.0, at->t))));
}

static void rope_memory(const place *at, twofold *c)
{
    const twofold reach = root(less(squared(at->p[ROPE_L]), squared(at->q[1])));
    c[0] = less(less(at->q[0], rope_shake(at)), reach);
}

TEST(a_rope_with_a_moving_pivot_catches_a_stone)
{
    const way w = {.n = 2,
                   .memories = 1,
                   .params = ROPE_PARAMS,
                   .m = 1,
                   .phi = rope_phi,
                   .mass = rope_mass,
                   .force = rope_force,
                   .guard = rope_guard,
                   .law = WAY_INELASTIC,
                   .memory = rope_memory};
    worst = 0.0;
    expect_second_way(rope_script, &w, 1);
    print_message("  off by %.1e, allowed %.1e\n", worst, ALLOWED);
}

/* ---- two links that land -------------------------------------------------------------------- */

/* Hip, knee and foot, falling; the foot lands on a slope that moves, and stays. */
enum { LEG_M0, LEG_M1, LEG_M2, LEG_L1, LEG_L2, LEG_SLOPE, LEG_A, LEG_W, LEG_PARAMS };
enum { LEG_X, LEG_Y, LEG_TH, LEG_PSI };

static const char leg_script[] =
    "local m0, m1, m2 = param('m0', 2), param('m1', 0.8), param('m2', 0.5)\n"
    "local l1, l2 = param('l1', 0.6), param('l2', 0.5)\n"
    "local slope, A, w = param('slope', -0.2), param('A', 0.05), param('w', 4)\n"
    "local x = coordinate('x', {speed = 0.7})\n"
    "local y = coordinate('y', {start = 1.2})\n"
    "local th = coordinate('th', {start = 0.4, speed = -1.5})\n"
    "local psi = coordinate('psi', {start = -0.3, speed = 1})\n"
    "local kx, ky = x + l1 * sin(th), y - l1 * cos(th)\n"
    "local fx, fy = kx + l2 * sin(psi), ky - l2 * cos(psi)\n"
    "kinetic(0.5 * m0 * (dot(x)^2 + dot(y)^2) + 0.5 * m1 * (dot(kx)^2 + dot(ky)^2)\n"
    "        + 0.5 * m2 * (dot(fx)^2 + dot(fy)^2))\n"
    "potential(9.81 * (m0 * y + m1 * ky + m2 * fy))\n"
    "local c = memory('c', 0)\n"
    "local ground = fy - slope * fx - A * sin(w * t)\n"
    "local air, stance = mode 'air', mode 'stance'\n"
    "constraint('ground', ground, {mode = stance})\n"
    "constraint('foot', (fx - c) * (1 + 0.2 * sin(x)), {mode = stance})\n"
    "event('land', {from = air, to = stance, when = ground, direction = 'falling',\n"
    "               set = {[c] = fx}})\n"
    "horizon(0, 0.6)\n";

typedef struct leg {
    twofold kx, ky, fx, fy;
} leg;

static leg leg_at(const place *at)
{
    const twofold *q = at->q, *p = at->p;
    leg            l;
    l.kx = plus(q[LEG_X], times(p[LEG_L1], sine(q[LEG_TH])));
    l.ky = less(q[LEG_Y], times(p[LEG_L1], cosine(q[LEG_TH])));
    l.fx = plus(l.kx, times(p[LEG_L2], sine(q[LEG_PSI])));
    l.fy = less(l.ky, times(p[LEG_L2], cosine(q[LEG_PSI])));
    return l;
}

static void leg_guard(const place *at, twofold *r)
{
    const leg     l = leg_at(at);
    const twofold shake = times(at->p[LEG_A], sine(times(at->p[LEG_W], at->t)));
    *r = less(less(l.fy, times(at->p[LEG_SLOPE], l.fx)), shake);
}

static void leg_phi(const place *at, twofold *out)
{
    const twofold factor = plus(constant(1.0), scaled(0.2, sine(at->q[LEG_X])));
    leg_guard(at, &out[0]);
    out[1] = times(less(leg_at(at).fx, at->c[0]), factor);
}

static void leg_memory(const place *at, twofold *c) { c[0] = leg_at(at).fx; }

/* d(x, y)/d(th, psi) of knee and foot. */
static void leg_turns(const place *at, twofold knee[2], twofold foot[2])
{
    knee[0] = times(at->p[LEG_L1], cosine(at->q[LEG_TH]));
    knee[1] = times(at->p[LEG_L1], sine(at->q[LEG_TH]));
    foot[0] = times(at->p[LEG_L2], cosine(at->q[LEG_PSI]));
    foot[1] = times(at->p[LEG_L2], sine(at->q[LEG_PSI]));
}

static void leg_mass(const place *at, twofold M[WAY_Q][WAY_Q])
{
    const twofold lower = plus(at->p[LEG_M1], at->p[LEG_M2]), m2 = at->p[LEG_M2];
    const twofold all = plus(at->p[LEG_M0], lower);
    twofold       knee[2], foot[2];
    leg_turns(at, knee, foot);
    M[LEG_X][LEG_X] = M[LEG_Y][LEG_Y] = all;
    for (int i = 0; i < 2; i++) {
        M[i][LEG_TH] = M[LEG_TH][i] = times(lower, knee[i]);
        M[i][LEG_PSI] = M[LEG_PSI][i] = times(m2, foot[i]);
    }
    M[LEG_TH][LEG_TH] = times(lower, squared(at->p[LEG_L1]));
    M[LEG_PSI][LEG_PSI] = times(m2, squared(at->p[LEG_L2]));
    M[LEG_TH][LEG_PSI] = M[LEG_PSI][LEG_TH] =
        times(m2, plus(times(knee[0], foot[0]), times(knee[1], foot[1])));
}

/* Weight, and the accelerations that turning alone brings: l w^2 towards the joint above. */
static void leg_force(const place *at, double *F)
{
    const double lower = at->p[LEG_M1].f + at->p[LEG_M2].f, m2 = at->p[LEG_M2].f;
    const double w1 = at->v[LEG_TH].f, w2 = at->v[LEG_PSI].f;
    twofold      knee[2], foot[2];
    leg_turns(at, knee, foot);
    const double n1[2] = {-knee[1].f * w1 * w1, knee[0].f * w1 * w1};
    const double n2[2] = {-foot[1].f * w2 * w2, foot[0].f * w2 * w2};
    F[LEG_X] = -lower * n1[0] - m2 * n2[0];
    F[LEG_Y] = -lower * n1[1] - m2 * n2[1] - 9.81 * (at->p[LEG_M0].f + lower);
    F[LEG_TH] = -m2 * (knee[0].f * n2[0] + knee[1].f * n2[1]) - 9.81 * lower * knee[1].f;
    F[LEG_PSI] = -m2 * (foot[0].f * n1[0] + foot[1].f * n1[1]) - 9.81 * m2 * foot[1].f;
}

static const way landing = {.n = 4,
                            .memories = 1,
                            .params = LEG_PARAMS,
                            .m = 2,
                            .phi = leg_phi,
                            .mass = leg_mass,
                            .force = leg_force,
                            .guard = leg_guard,
                            .law = WAY_INELASTIC,
                            .memory = leg_memory};

TEST(two_links_land_on_a_slope_that_moves)
{
    worst = 0.0;
    expect_second_way(leg_script, &landing, 1);
    print_message("  off by %.1e, allowed %.1e\n", worst, ALLOWED);
}

/* ---- five bars ------------------------------------------------------------------------------ */

/* Points 1, 2, 3 between a pivot that shakes and one at rest. */
enum { BAR_M, BAR_E, BAR_GROUND, BAR_LA, BAR_L, BAR_A, BAR_W, BAR_K, BAR_PARAMS };
enum { LAWS = 2, LAW_PARTS = 6 };
static const int point_2[] = {2, 3};

/* What differs from one mechanism to the next. */
static struct {
    double value[BAR_PARAMS], speed[2];
    double shake, slope, curve, by_speed; /* of the guard */
    double part[LAWS][LAW_PARTS];         /* of the given law */
    double rest_x;                        /* of the restitution */
    bool   keeps_x;                       /* the law of the other velocity is that it stays */
} five;

static void five_phi(const place *at, twofold *out)
{
    const twofold *q = at->q, *p = at->p;
    const twofold  pivot = plus(constant(-0.5), times(p[BAR_A], sine(times(p[BAR_W], at->t))));
    out[0] = less(plus(squared(less(q[0], pivot)), squared(q[1])), squared(p[BAR_LA]));
    out[1] = less(plus(squared(less(q[2], q[0])), squared(less(q[3], q[1]))), constant(13.0 / 4.0));
    out[2] = less(plus(squared(less(q[4], q[2])), squared(less(q[5], q[3]))), squared(p[BAR_L]));
    out[3] = less(plus(squared(less(q[4], constant(0.5))), squared(q[5])), constant(2.0));
}

/* A bar has m/3 at both ends and m/6 between them. */
static void five_mass(const place *at, twofold M[WAY_Q][WAY_Q])
{
    const twofold m = at->p[BAR_M];
    for (int i = 0; i < 2; i++) {
        M[i][i] = plus(constant(1.0), scaled(1.0 / 3.0, m));
        M[2 + i][2 + i] = plus(constant(0.5), scaled(1.0 / 3.0, m));
        M[4 + i][4 + i] = constant(0.5 + 1.0 / 3.0);
        M[i][2 + i] = M[2 + i][i] = scaled(1.0 / 6.0, m);
        M[2 + i][4 + i] = M[4 + i][2 + i] = constant(0.25);
    }
}

static void five_force(const place *at, double *F)
{
    const double m = at->p[BAR_M].f, x = at->q[4].f + 0.5, y = at->q[5].f, d = hypot(x, y);
    const double pull = at->p[BAR_K].f * (d - 2.0) / d;
    F[0] = F[2] = 0.0;
    F[1] = -9.81 * (1.0 + 0.5 * m);
    F[3] = -9.81 * (0.75 + 0.5 * m);
    F[4] = -pull * x;
    F[5] = -pull * y - 9.81 * 1.25;
}

static void five_guard(const place *at, twofold *r)
{
    const twofold x = at->q[2], line = plus(at->q[3], scaled(five.slope, x));
    const twofold height = plus(line, scaled(five.curve, squared(x)));
    const twofold ground = plus(at->p[BAR_GROUND], scaled(five.shake, sine(scaled(2.0, at->t))));
    *r = plus(less(height, ground), scaled(five.by_speed, at->v[2]));
}

static void five_given(const place *at, twofold *h)
{
    for (int i = 0; i < LAWS; i++) {
        const double *k = five.part[i];
        h[i] = plus(constant(k[0]), scaled(k[1], at->v[2]));
        h[i] = plus(h[i], times(scaled(k[2], at->v[3]), at->p[BAR_E]));
        h[i] = plus(h[i], scaled(k[3], times(at->q[2], at->v[0])));
        h[i] = plus(h[i], scaled(k[4], times(sine(at->t), at->q[5])));
        h[i] = plus(h[i], scaled(k[5], times(at->p[BAR_L], at->q[4])));
    }
}

static void five_restitution(const place *at, twofold *e)
{
    *e = plus(at->p[BAR_E], scaled(five.rest_x, times(at->q[2], at->v[5])));
}

static const way given_bars = {.n = 6,
                               .params = BAR_PARAMS,
                               .m_before = 4,
                               .m = 4,
                               .phi_before = five_phi,
                               .phi = five_phi,
                               .mass = five_mass,
                               .force = five_force,
                               .guard = five_guard,
                               .law = WAY_GIVEN,
                               .given = five_given,
                               .independent = point_2};
static const way hit_bars = {.n = 6,
                             .params = BAR_PARAMS,
                             .m_before = 4,
                             .m = 4,
                             .phi_before = five_phi,
                             .phi = five_phi,
                             .mass = five_mass,
                             .force = five_force,
                             .guard = five_guard,
                             .law = WAY_NEWTON,
                             .restitution = five_restitution};

static void put_law(random_model *m, int i)
{
    const double *k = five.part[i];
    put(m, "(%.17g) + (%.17g) * dot(P2.x) + (%.17g) * e * dot(P2.y) + (%.17g) * P2.x * dot(P1.x)",
        k[0], k[1], k[2], k[3]);
    put(m, " + (%.17g) * sin(t) * P3.y + (%.17g) * L * P3.x", k[4], k[5]);
}

static void put_five(random_model *m, way_law law)
{
    static const char *const names[] = {"m", "e", "ground", "LA", "L", "A", "w", "k"};
    m->length = 0;
    for (int i = 0; i < BAR_PARAMS; i++)
        put(m, "local %s = param('%s', %.17g)\n", names[i], names[i], five.value[i]);
    put(m,
        "gravity(0, -9.81)\n"
        "local P1 = point('P1', {guess = {-1.5, -1}})\n"
        "local P2 = point('P2', {x = 0, y = -2, speed = {%.17g, %.17g}})\n"
        "local P3 = point('P3', {guess = {1.5, -1}})\n"
        "mass(P1, 1)\n"
        "constraint('A1', (P1.x + 0.5 - A * sin(w * t))^2 + P1.y^2 - LA^2)\n",
        five.speed[0], five.speed[1]);
    put(m,
        "bar {P1, P2, mass = m, length = math.sqrt(13) / 2}\n"
        "bar {P2, P3, mass = 1.5, length = L}\n"
        "bar {P3, ground_point(0.5, 0), mass = 1, length = math.sqrt(2)}\n"
        "spring {ground_point(-0.5, 0), P3, stiffness = k, length = 2}\n"
        "event('hit', {stop = 4, direction = 'falling', when = P2.y + (%.17g) * P2.x"
        " + (%.17g) * P2.x^2 - ground - (%.17g) * sin(2 * t)",
        five.slope, five.curve, five.shake);
    if (law == WAY_GIVEN) {
        put(m, " + (%.17g) * dot(P2.x), set = {[dot(P2.y)] = ", five.by_speed);
        put_law(m, 1);
        if (!five.keeps_x) {
            put(m, ", [dot(P2.x)] = ");
            put_law(m, 0);
        }
        put(m, "}})\n");
    } else put(m, ", restitution = e + (%.17g) * P2.x * dot(P3.y)})\n", five.rest_x);
    put(m, "horizon(0, 0.7)\n");
}

/* The five-bar of the paper, with a pivot at rest: the vertical velocity turns around. */
static void choose_plain(void)
{
    const double plain[] = {1.5, 0.9, -2.35, sqrt(2.0), sqrt(13.0) / 2.0, 0.0, 1.0, 100.0};
    memset(&five, 0, sizeof five);
    memcpy(five.value, plain, sizeof plain);
    five.keeps_x = true;
    five.part[0][1] = 1.0;
    five.part[1][2] = -1.0;
}

static void choose_any(random_model *m)
{
    choose_plain();
    five.keeps_x = false;
    for (int i = 0; i < BAR_PARAMS; i++) five.value[i] *= random_real(m, 0.97, 1.03);
    five.value[BAR_A] = random_real(m, 0.02, 0.1);
    five.value[BAR_W] = random_real(m, 1.0, 4.0);
    five.value[BAR_E] = random_real(m, 0.4, 0.9);
    five.value[BAR_GROUND] = random_real(m, -2.25, -2.1);
    five.value[BAR_K] = random_real(m, 20.0, 100.0);
    five.speed[0] = random_real(m, -0.5, 0.5);
    five.speed[1] = random_real(m, -1.0, 0.0);
    five.shake = random_real(m, -0.05, 0.05);
    five.slope = random_real(m, -0.3, 0.3);
    five.curve = random_real(m, -0.3, 0.3);
    five.by_speed = random_real(m, -0.03, 0.03);
    five.rest_x = random_real(m, -0.1, 0.1);
    for (int i = 0; i < LAWS; i++)
        for (int k = 0; k < LAW_PARTS; k++) five.part[i][k] = random_real(m, -0.2, 0.2);
    five.part[0][1] += 0.6;
    five.part[1][2] -= 1.0;
}

static void expect_five(random_model *m, const way *w, int least)
{
    if (w->law == WAY_NEWTON) five.by_speed = 0.0;
    put_five(m, w->law);
    expect_second_way(m->text, w, least);
}

TEST(the_paper_s_five_bar_in_partitioned_form)
{
    static random_model m;
    worst = 0.0;
    choose_plain();
    expect_five(&m, &given_bars, 1);
    print_message("  off by %.1e, allowed %.1e\n", worst, ALLOWED);
}

TEST(random_given_laws_in_partitioned_form)
{
    static random_model m = {.state = 1};
    worst = 0.0;
    for (int i = 0; i < 20; i++) {
        choose_any(&m);
        expect_five(&m, &given_bars, 1);
    }
    print_message("  off by %.1e, allowed %.1e\n", worst, ALLOWED);
}

TEST(five_bars_hit_a_stop_with_restitution)
{
    static random_model m = {.state = 2};
    worst = 0.0;
    for (int i = 0; i < 20; i++) {
        choose_any(&m);
        expect_five(&m, &hit_bars, 1);
    }
    print_message("  off by %.1e, allowed %.1e\n", worst, ALLOWED);
}

/* ---- choices made before -------------------------------------------------------------------- */

/* A point goes round a circle of radius r at speed 1. Another coordinate turns around whenever the
 * point is level with the centre, but for a billionth, where its vertical velocity had better not
 * follow from the horizontal one, and whenever it is above or below it, where it must. */
static const char round_and_round[] =
    "local r = param('r', 1)\n"
    "local s = coordinate('s', {speed = 1})\n"
    "mass(s, 1)\n"
    "local P = point('P', {x = 0.6 * r, y = 0.8 * r, speed = {0.8, -0.6}})\n"
    "mass(P, 1)\n"
    "constraint('rod', P.x^2 + P.y^2 - r^2)\n"
    "event('level', {when = P.y - 1e-9 * r, set = {[dot(s)] = -dot(s)}})\n"
    "event('upright', {when = P.x, set = {[dot(s)] = -dot(s)}})\n"
    "cost('end', {final = P.x + dot(P.y) + s})\n"
    "horizon(0, 10)\n";

enum { NUMBERS = 2 * MAX_STATES + MAX_COSTS * MAX_PARAMS };

/* The state at the end, then gradients. */
static void read_end(scripted *s, const double *params, double *number)
{
    const size_t         n = (size_t)s->size.coordinates;
    const saltus_request request = {.method = SALTUS_DISCRETE};
    memset(number, 0, NUMBERS * sizeof *number);
    simulate(s, params);
    expect_outcome(s, SALTUS_END);
    const saltus_row row = final_row(s);
    memcpy(number, row.q, n * sizeof *number);
    memcpy(number + n, row.v, n * sizeof *number);
    saltus_run_gradients(s->run, &request, number + 2 * n, NULL, NULL, &s->err);
    if (s->err.status) fail_msg("%s", s->err.message);
}

TEST(the_choice_follows_the_position)
{
    scripted     s = load(round_and_round);
    double       number[NUMBERS];
    const double angle = atan2(0.8, 0.6) - 10.0;
    read_end(&s, NULL, number);
    EXPECT(s.info->events == 6);
    EXPECT_NEAR(number[1], cos(angle), 1e-10);
    EXPECT_NEAR(number[2], sin(angle), 1e-10);
    EXPECT_NEAR(number[4], sin(angle), 1e-10);
    EXPECT_NEAR(number[5], -cos(angle), 1e-10);
    release(&s);
}

/* On a run that has seen other parameters, and made its choices, as on one that has not. */
static void expect_no_digit_changes(scripted s, scripted anew)
{
    double first[NUMBERS], other[NUMBERS], again[NUMBERS], params[MAX_PARAMS];
    for (int i = 0; i < s.size.params; i++)
        params[i] = 1.01 * saltus_system_param(s.system, i).value;
    read_end(&s, NULL, first);
    read_end(&s, params, other);
    read_end(&s, NULL, again);
    EXPECT(memcmp(first, again, sizeof first) == 0);
    read_end(&anew, params, again);
    EXPECT(memcmp(other, again, sizeof other) == 0);
    release(&s);
    release(&anew);
}

TEST(a_choice_made_before_changes_no_digit)
{
    expect_no_digit_changes(load(round_and_round), load(round_and_round));
    expect_no_digit_changes(load_model("five_bar"), load_model("five_bar"));
}

TEST_MAIN(RUN(the_choice_follows_the_position), RUN(a_choice_made_before_changes_no_digit),
          RUN(a_rope_with_a_moving_pivot_catches_a_stone),
          RUN(two_links_land_on_a_slope_that_moves), RUN(the_paper_s_five_bar_in_partitioned_form),
          RUN(random_given_laws_in_partitioned_form), RUN(five_bars_hit_a_stop_with_restitution))
