/* The five-bar as a specialist would write it for speed, and for nothing else: 5 s, 9 impacts, the
 * cost of the benchmark, its gradient by L01 and L02.
 *
 * The mechanism. With r = P - A, s = P - P2 for the leg A-1-2 (P = P1; the leg B-3-2 is its mirror
 * image and is computed beside it, in the second half of a vector), constraints give
 *     r.a = -|v|^2,  s.(a - a2) = -|v - v2|^2.
 * With n, t dual to r, s (n.r = t.s = 1, n.s = t.r = 0),
 *     a = c + t (s.a2),  c = -|v|^2 n - |v - v2|^2 t,
 * and a2 solves the 2 x 2 system H a2 = F2 + sum over legs of s (t.(F - m c)) - m' c,
 *     H = m2 + sum of m |t|^2 s s' + m' (t s' + s t').
 *
 * The solver. Dormand-Prince 8(5,3) with its coefficients (src/motion/tableaus.def) built into the
 * code, steps taken again exactly onto the event, and for the gradient either two tangents or the
 * adjoint of the very steps taken, from a tape of all stages. */
#include "hand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "motion/tableau.h"

#define INLINE static inline __attribute__((always_inline))

typedef hand_pair pair;
typedef double    four __attribute__((vector_size(32)));

static const double ground_level = -2.35, end_time = 5.0;
/* A leg has a bar of mass 1 and one of 1.5: what they put on its point, on the pair (point, 2);
 * both legs on point 2. Gravity likewise. */
static const double m_leg = 2.5 / 3.0, m_pair = 0.25, m_two = 1.0;
static const double w_leg = -0.5 * 2.5 * 9.81, w_two = -0.5 * 3.0 * 9.81;
static const pair   pivot_x = {-0.5, 0.5};

const double hand_params[HAND_PARAMS] = {2.23606797749979, 2.0615528128088303, 100.0, 100.0};

INLINE pair   load(const double *x) { return *(const pair *)x; }
INLINE void   store(double *x, pair v) { *(pair *)x = v; }
INLINE pair   both(double x) { return (pair){x, x}; }
INLINE double sum(pair v) { return v[0] + v[1]; }
INLINE pair   inverse_root(pair v) { return (pair){1.0 / sqrt(v[0]), 1.0 / sqrt(v[1])}; }

/* Directions of the legs and what follows from them. */
typedef struct legs {
    pair rx, ry, sx, sy, nx, ny, tx, ty;
} legs;

INLINE legs legs_of(const double *x)
{
    legs l;
    l.rx = load(x) - pivot_x;
    l.ry = load(x + 2);
    l.sx = load(x) - both(x[4]);
    l.sy = load(x + 2) - both(x[5]);
    return l;
}

INLINE void duals(legs *l, pair inverse)
{
    l->tx = -l->ry * inverse;
    l->ty = l->rx * inverse;
    l->nx = l->sy * inverse;
    l->ny = -l->sx * inverse;
}

/* Accelerations from forces (bx, by on the legs, b2x, b2y) and right-hand sides of the constraints,
 * and multipliers if wanted. */
INLINE void solve(const legs *l, const hand_record *k, pair bx, pair by, double b2x, double b2y,
                  pair cx, pair cy, pair *ax, pair *ay, double *a2x, double *a2y, pair *mu_r,
                  pair *mu_s)
{
    const pair   fx = bx - m_leg * cx, fy = by - m_leg * cy;
    const pair   pull = l->tx * fx + l->ty * fy;
    const double x = b2x + sum(l->sx * pull - m_pair * cx);
    const double y = b2y + sum(l->sy * pull - m_pair * cy);
    *a2x = k->xx * x + k->xy * y;
    *a2y = k->xy * x + k->yy * y;
    const pair along = l->sx * *a2x + l->sy * *a2y;
    *ax = cx + l->tx * along;
    *ay = cy + l->ty * along;
    if (!mu_r) return;
    const pair left_x = bx - m_leg * *ax - m_pair * *a2x;
    const pair left_y = by - m_leg * *ay - m_pair * *a2y;
    *mu_r = l->nx * left_x + l->ny * left_y;
    *mu_s = l->tx * left_x + l->ty * left_y;
}

INLINE double field(const double *x, const double *p, double *f, hand_record *k, const int keep)
{
    legs       l = legs_of(x);
    const pair cross = l.rx * l.sy - l.ry * l.sx;
    k->inverse = 1.0 / cross;
    duals(&l, k->inverse);
    /* springs: from A to point 3 and to point 2 */
    const pair dx = (pair){x[1], x[4]} + 0.5, dy = {x[3], x[5]};
    k->spring = inverse_root(dx * dx + dy * dy);
    const pair   pull = load(p + 2) * (load(p) * k->spring - 1.0);
    const pair   fx = pull * dx, fy = pull * dy;
    const pair   weight = m_leg * (l.tx * l.tx + l.ty * l.ty);
    const pair   ux = weight * l.sx + m_pair * l.tx, uy = weight * l.sy + m_pair * l.ty;
    const double hxx = m_two + sum(l.sx * (ux + m_pair * l.tx));
    const double hyy = m_two + sum(l.sy * (uy + m_pair * l.ty));
    const double hxy = sum(l.sy * ux + m_pair * (l.sx * l.ty));
    const double inverse = 1.0 / (hxx * hyy - hxy * hxy);
    k->xx = hyy * inverse;
    k->yy = hxx * inverse;
    k->xy = -hxy * inverse;
    const pair vx = load(x + 6), vy = load(x + 8), ex = vx - both(x[10]), ey = vy - both(x[11]);
    const pair gr = -(vx * vx + vy * vy), gs = -(ex * ex + ey * ey);
    const pair cx = gr * l.nx + gs * l.tx, cy = gr * l.ny + gs * l.ty;
    solve(&l, k, (pair){0.0, fx[0]}, (pair){w_leg, w_leg + fy[0]}, fx[1], w_two + fy[1], cx, cy,
          &k->ax, &k->ay, &k->a2x, &k->a2y, keep ? &k->mu_r : NULL, &k->mu_s);
    for (int i = 0; i < 6; i++) f[i] = x[6 + i];
    store(f + 6, k->ax);
    store(f + 8, k->ay);
    f[10] = k->a2x;
    f[11] = k->a2y;
    return k->a2y * k->a2y + x[11] * x[11];
}

INLINE double tangent(const double *x, const double *p, const hand_record *k, const double *dx,
                      const double *dp, double *df)
{
    legs l = legs_of(x);
    duals(&l, k->inverse);
    const pair drx = load(dx), dry = load(dx + 2), dsx = drx - both(dx[4]), dsy = dry - both(dx[5]);
    const pair vx = load(x + 6), vy = load(x + 8), ex = vx - both(x[10]), ey = vy - both(x[11]);
    const pair dvx = load(dx + 6), dvy = load(dx + 8);
    const pair dex = dvx - both(dx[10]), dey = dvy - both(dx[11]);
    const pair sx = (pair){x[1], x[4]} + 0.5, sy = {x[3], x[5]};
    const pair tx = {dx[1], dx[4]}, ty = {dx[3], dx[5]};
    const pair stiff = load(p + 2), rest = load(p) * k->spring;
    const pair turn = k->spring * k->spring * (sx * tx + sy * ty);
    const pair bend = stiff * (k->spring * load(dp) - rest * turn) + (rest - 1.0) * load(dp + 2);
    const pair fx = stiff * (rest - 1.0) * tx + bend * sx,
               fy = stiff * (rest - 1.0) * ty + bend * sy;
    const pair bx = -(k->mu_r * drx + k->mu_s * dsx), by = -(k->mu_r * dry + k->mu_s * dsy);
    const pair gr = -2.0 * (vx * dvx + vy * dvy) - (drx * k->ax + dry * k->ay);
    const pair gs = -2.0 * (ex * dex + ey * dey) -
                    (dsx * (k->ax - both(k->a2x)) + dsy * (k->ay - both(k->a2y)));
    pair   ax, ay, none;
    double a2x, a2y;
    solve(&l, k, bx + (pair){0.0, fx[0]}, by + (pair){0.0, fy[0]}, sum(k->mu_s * dsx) + fx[1],
          sum(k->mu_s * dsy) + fy[1], gr * l.nx + gs * l.tx, gr * l.ny + gs * l.ty, &ax, &ay, &a2x,
          &a2y, NULL, &none);
    for (int i = 0; i < 6; i++) df[i] = dx[6 + i];
    store(df + 6, ax);
    store(df + 8, ay);
    df[10] = a2x;
    df[11] = a2y;
    return 2.0 * (k->a2y * a2y + x[11] * dx[11]);
}

INLINE void adjoint(const double *x, const double *p, const hand_record *k, const double *f_bar,
                    double g_bar, double *x_bar, double *p_bar)
{
    legs l = legs_of(x);
    duals(&l, k->inverse);
    pair   yx, yy, nu_r, nu_s;
    double y2x, y2y;
    solve(&l, k, load(f_bar + 6), load(f_bar + 8), f_bar[10], f_bar[11] + 2.0 * k->a2y * g_bar,
          both(0.0), both(0.0), &yx, &yy, &y2x, &y2y, &nu_r, &nu_s);
    const pair bx = k->mu_s * (yx - both(y2x)) + nu_s * (k->ax - both(k->a2x));
    const pair by = k->mu_s * (yy - both(y2y)) + nu_s * (k->ay - both(k->a2y));
    const pair sx = (pair){x[1], x[4]} + 0.5, sy = {x[3], x[5]};
    const pair tx = {yx[1], y2x}, ty = {yy[1], y2y};
    const pair stiff = load(p + 2), rest = load(p) * k->spring, work = sx * tx + sy * ty;
    const pair pull = stiff * (rest - 1.0), turn = stiff * rest * k->spring * k->spring * work;
    const pair fx = pull * tx - turn * sx, fy = pull * ty - turn * sy;
    store(p_bar, load(p_bar) + stiff * k->spring * work);
    store(p_bar + 2, load(p_bar + 2) + (rest - 1.0) * work);
    store(x_bar, (pair){0.0, fx[0]} - (k->mu_r * yx + nu_r * k->ax + bx));
    store(x_bar + 2, (pair){0.0, fy[0]} - (k->mu_r * yy + nu_r * k->ay + by));
    x_bar[4] = fx[1] + sum(bx);
    x_bar[5] = fy[1] + sum(by);
    const pair vx = load(x + 6), vy = load(x + 8);
    const pair ex = 2.0 * nu_s * (vx - both(x[10])), ey = 2.0 * nu_s * (vy - both(x[11]));
    store(x_bar + 6, load(f_bar) - 2.0 * nu_r * vx - ex);
    store(x_bar + 8, load(f_bar + 2) - 2.0 * nu_r * vy - ey);
    x_bar[10] = f_bar[4] + sum(ex);
    x_bar[11] = f_bar[5] + sum(ey) + 2.0 * x[11] * g_bar;
}

double hand_field(const double *x, const double *p, double *f)
{
    hand_record k;
    return field(x, p, f, &k, 0);
}

double hand_field_record(const double *x, const double *p, double *f, hand_record *record)
{
    return field(x, p, f, record, 1);
}

double hand_tangent(const double *x, const double *p, const hand_record *record, const double *dx,
                    const double *dp, double *df)
{
    return tangent(x, p, record, dx, dp, df);
}

void hand_adjoint(const double *x, const double *p, const hand_record *record, const double *f_bar,
                  double g_bar, double *x_bar, double *p_bar)
{
    adjoint(x, p, record, f_bar, g_bar, x_bar, p_bar);
}

/* ---- start and impact ------------------------------------------------------------------------ */

void hand_start(double *x)
{
    static const double q[6] = {-1.5, 1.5, -1.0, -1.0, 0.0, -2.0};
    memset(x, 0, HAND_STATES * sizeof *x);
    memcpy(x, q, sizeof q);
}

/* Point 2 turns around; the legs follow: v = t (s.v2). */
static void follow(const double *x, double *v)
{
    legs l = legs_of(x);
    duals(&l, 1.0 / (l.rx * l.sy - l.ry * l.sx));
    const pair along = l.sx * v[4] + l.sy * v[5];
    store(v, l.tx * along);
    store(v + 2, l.ty * along);
}

void hand_jump(const double *x, double *x_plus)
{
    memmove(x_plus, x, HAND_STATES * sizeof *x);
    x_plus[11] = -x[11];
    follow(x, x_plus + 6);
}

/* The legs' part of R: r.v = 0, s.(v - v2) = 0, so r.dv = -dr.v, s.dv = s.dv2 - ds.(v - v2). */
void hand_jump_tangent(const double *x, const double *dx, double *dx_plus)
{
    double v[HAND_STATES];
    hand_jump(x, v);
    legs l = legs_of(x);
    duals(&l, 1.0 / (l.rx * l.sy - l.ry * l.sx));
    const pair   vx = load(v + 6), vy = load(v + 8), drx = load(dx), dry = load(dx + 2);
    const pair   dsx = drx - both(dx[4]), dsy = dry - both(dx[5]);
    const double two[2] = {dx[10], -dx[11]};
    const pair   r = -(drx * vx + dry * vy);
    const pair   s =
        l.sx * two[0] + l.sy * two[1] - (dsx * (vx - both(v[10])) + dsy * (vy - both(v[11])));
    memmove(dx_plus, dx, 6 * sizeof *dx);
    store(dx_plus + 6, l.nx * r + l.tx * s);
    store(dx_plus + 8, l.ny * r + l.ty * s);
    dx_plus[10] = two[0];
    dx_plus[11] = two[1];
}

void hand_jump_adjoint(const double *x, const double *plus_bar, double *x_bar)
{
    double v[HAND_STATES];
    hand_jump(x, v);
    legs l = legs_of(x);
    duals(&l, 1.0 / (l.rx * l.sy - l.ry * l.sx));
    const pair vx = load(v + 6), vy = load(v + 8), bx = load(plus_bar + 6), by = load(plus_bar + 8);
    const pair r = l.nx * bx + l.ny * by, s = l.tx * bx + l.ty * by;
    const pair ux = s * (vx - both(v[10])), uy = s * (vy - both(v[11]));
    const double two_x = plus_bar[10] + sum(s * l.sx), two_y = plus_bar[11] + sum(s * l.sy);
    const double x2 = plus_bar[4] + sum(ux), y2 = plus_bar[5] + sum(uy);
    store(x_bar, load(plus_bar) - r * vx - ux);
    store(x_bar + 2, load(plus_bar + 2) - r * vy - uy);
    x_bar[4] = x2;
    x_bar[5] = y2;
    for (int i = 6; i < 10; i++) x_bar[i] = 0.0;
    x_bar[10] = two_x;
    x_bar[11] = -two_y;
}

/* ---- the solver ------------------------------------------------------------------------------ */

enum { STAGES = 12, VECTORS = 3, DIRECTIONS = 2, EVENTS = 64, TAPE = 4096 };

/* clang-format off */
#define VECTOR(...) ((const double[]){__VA_ARGS__})
#define ROW(...) {__VA_ARGS__}
#define MATRIX(columns, ...) (&((const double[][columns]){__VA_ARGS__})[0][0])
#define TABLEAU(id, ...) static const sal_tableau method_##id __attribute__((unused)) = {__VA_ARGS__};
#include "motion/tableaus.def"
#undef TABLEAU
#undef MATRIX
#undef ROW
#undef VECTOR
/* clang-format on */
#define A(i, j) (method_DOP853.A[(i)*16 + (j)])
#define B(i) (method_DOP853.b[i])
#define E_MAIN(i) (method_DOP853.e_main[i])
#define E_SECOND(i) (method_DOP853.e_second[i])

typedef union state {
    four   v[VECTORS];
    double x[HAND_STATES];
} state;

typedef struct frame {
    double      h;
    state       x[STAGES];
    hand_record record[STAGES];
} frame;

typedef struct impact {
    int    step; /* the one that ended at it */
    double rest; /* time left after that step */
    state  minus, f_minus, plus, f_plus;
    double g_minus, g_plus;
} impact;

typedef struct solver {
    double tol;
    double p[HAND_PARAMS], gradient[HAND_PARAMS], cost;
    int    steps, events, evaluations;
    impact event[EVENTS];
    frame *tape;
} solver;

/* A state with tangents, its slope, and the integrand with its tangents. */
typedef struct bundle {
    state  x[1 + DIRECTIONS];
    double g[1 + DIRECTIONS];
} bundle;

static const double unit[DIRECTIONS][HAND_PARAMS] = {{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}};

INLINE void evaluate(solver *s, const state *x, bundle *f, hand_record *record, const int lanes,
                     const int keep)
{
    hand_record here;
    if (!keep) record = &here;
    f->g[0] = field(x[0].x, s->p, f->x[0].x, record, keep || lanes);
    for (int i = 1; i <= lanes; i++)
        f->g[i] = tangent(x[0].x, s->p, record, x[i].x, unit[i - 1], f->x[i].x);
    s->evaluations++;
}

/* x + h sum_j c_j k_j over the first `count` stages, c a row of the tableau known to the compiler.
 */
INLINE void combine(const double *c, const int count, const state *x, double h, const bundle *k,
                    const int d, state *out)
{
    for (int m = 0; m < VECTORS; m++) {
        four total = c[0] * k[0].x[d].v[m];
#pragma GCC unroll 12
        for (int j = 1; j < count; j++)
            if (c[j] != 0.0) total += c[j] * k[j].x[d].v[m];
        out->v[m] = x->v[m] + h * total;
    }
}

INLINE void stage(solver *s, const int i, const state *x, double h, bundle *k, frame *tape,
                  const int lanes, const int keep)
{
    state  here[1 + DIRECTIONS];
    state *at = keep ? &tape->x[i] : here;
    for (int d = 0; d <= lanes; d++) combine(&A(i, 0), i, &x[d], h, k, d, &at[d]);
    evaluate(s, at, &k[i], keep ? &tape->record[i] : NULL, lanes, keep);
}

/* All stages of a step but the first, whose slope is known; then the new state. */
INLINE void step(solver *s, const state *x, double h, bundle *k, frame *tape, state *end,
                 const int lanes, const int keep)
{
    stage(s, 1, x, h, k, tape, lanes, keep);
    stage(s, 2, x, h, k, tape, lanes, keep);
    stage(s, 3, x, h, k, tape, lanes, keep);
    stage(s, 4, x, h, k, tape, lanes, keep);
    stage(s, 5, x, h, k, tape, lanes, keep);
    stage(s, 6, x, h, k, tape, lanes, keep);
    stage(s, 7, x, h, k, tape, lanes, keep);
    stage(s, 8, x, h, k, tape, lanes, keep);
    stage(s, 9, x, h, k, tape, lanes, keep);
    stage(s, 10, x, h, k, tape, lanes, keep);
    stage(s, 11, x, h, k, tape, lanes, keep);
    for (int d = 0; d <= lanes; d++) combine(&B(0), STAGES, &x[d], h, k, d, &end[d]);
}

INLINE double quadrature(double h, const bundle *k, int d)
{
    double total = 0.0;
#pragma GCC unroll 12
    for (int j = 0; j < STAGES; j++)
        if (B(j) != 0.0) total += B(j) * k[j].g[d];
    return h * total;
}

INLINE double error_of(const solver *s, const state *x, const state *end, double h, const bundle *k)
{
    four main = {0.0}, second = {0.0};
    for (int m = 0; m < VECTORS; m++) {
        four e = E_MAIN(0) * k[0].x[0].v[m], f = E_SECOND(0) * k[0].x[0].v[m];
#pragma GCC unroll 12
        for (int j = 1; j < STAGES; j++)
            if (E_MAIN(j) != 0.0) {
                e += E_MAIN(j) * k[j].x[0].v[m];
                f += E_SECOND(j) * k[j].x[0].v[m];
            }
        const four before = x[0].v[m], after = end[0].v[m];
        four       size;
        for (int i = 0; i < 4; i++) size[i] = fmax(fabs(before[i]), fabs(after[i]));
        const four scale = 1.0 / (s->tol + s->tol * size);
        e *= scale;
        f *= scale;
        main += e * e;
        second += f * f;
    }
    const double a = main[0] + main[1] + main[2] + main[3];
    const double b = second[0] + second[1] + second[2] + second[3];
    return a > 0.0 ? h * a / sqrt((a + 0.01 * b) * HAND_STATES) : 0.0;
}

/* The height of point 2 over a step, by its values and two derivatives at both ends. */
typedef struct curve {
    double c[6];
} curve;

static curve curve_of(double h, double y0, double v0, double a0, double y1, double v1, double a1)
{
    const double y = y1 - y0 - h * (v0 + 0.5 * h * a0), v = h * (v1 - v0 - h * a0);
    const double a = h * h * (a1 - a0);
    return (curve){{y0, h * v0, 0.5 * h * h * a0, 10.0 * y - 4.0 * v + 0.5 * a,
                    -15.0 * y + 7.0 * v - a, 6.0 * y - 3.0 * v + 0.5 * a}};
}

static double curve_at(const curve *p, double s)
{
    double y = p->c[5];
    for (int i = 4; i >= 0; i--) y = y * s + p->c[i];
    return y;
}

/* Where the curve first falls below zero, as a fraction of the step; 2: nowhere. */
static double curve_root(const curve *p)
{
    enum { PIECES = 16 };
    double lower = 0.0, upper = 2.0;
    for (int i = 1; i <= PIECES && upper > 1.0; i++) {
        const double s = (double)i / PIECES;
        if (curve_at(p, s) < 0.0) upper = s;
        else lower = s;
    }
    if (upper > 1.0) return upper;
    for (int i = 0; i < 12; i++) {
        const double middle = 0.5 * (lower + upper);
        if (curve_at(p, middle) < 0.0) upper = middle;
        else lower = middle;
    }
    double s = 0.5 * (lower + upper);
    for (int i = 0; i < 4; i++) {
        double rate = 5.0 * p->c[5];
        for (int j = 4; j >= 1; j--) rate = rate * s + j * p->c[j];
        s -= curve_at(p, s) / rate;
    }
    return s;
}

/* The saltation of a tangent or of the adjoint needs both slopes: what passes through the time. */
static void impact_tangent(const impact *e, state *dx, double *dz)
{
    const double dt = -dx->x[5] / e->minus.x[11];
    double       moved[HAND_STATES], plus[HAND_STATES];
    for (int i = 0; i < HAND_STATES; i++) moved[i] = dx->x[i] + dt * e->f_minus.x[i];
    hand_jump_tangent(e->minus.x, moved, plus);
    for (int i = 0; i < HAND_STATES; i++) dx->x[i] = plus[i] - dt * e->f_plus.x[i];
    *dz += dt * (e->g_minus - e->g_plus);
}

static void impact_adjoint(const impact *e, state *x_bar)
{
    double before[HAND_STATES], change = e->g_plus - e->g_minus;
    hand_jump_adjoint(e->minus.x, x_bar->x, before);
    for (int i = 0; i < HAND_STATES; i++)
        change += e->f_plus.x[i] * x_bar->x[i] - e->f_minus.x[i] * before[i];
    before[5] += change / e->minus.x[11];
    memcpy(x_bar->x, before, sizeof before);
}

/* From the start of a step that contains an impact to just after the impact. k: slopes, those of
 * the start in k[0] and, on return, those after the impact. False: out of room. */
INLINE bool strike(solver *s, double guess, state *x, bundle *k, bundle *f_end, double *t,
                   double *z, const int lanes, const int keep)
{
    state  end[1 + DIRECTIONS];
    frame *tape = keep ? &s->tape[s->steps] : NULL;
    double h = guess, rest = 0.0;
    if (s->events == EVENTS) return false;
    impact *e = &s->event[s->events++];
    for (int i = 0; i < 8; i++) {
        step(s, x, h, k, tape, end, lanes, keep);
        evaluate(s, end, f_end, NULL, lanes, 0);
        rest = (ground_level - end[0].x[5]) / end[0].x[11];
        if (fabs(rest) < 1e-7) break;
        h += rest;
    }
    for (int d = 0; d <= lanes; d++) {
        z[d] += quadrature(h, k, d) + rest * f_end->g[d];
        for (int m = 0; m < VECTORS; m++) end[d].v[m] += rest * f_end->x[d].v[m];
    }
    end[0].x[5] = ground_level;
    evaluate(s, end, f_end, NULL, 0, 0);
    if (keep) tape->h = h;
    s->steps++;
    *t += h + rest;
    e->step = s->steps;
    e->rest = rest;
    e->minus = end[0];
    e->f_minus = f_end->x[0];
    e->g_minus = f_end->g[0];
    hand_jump(end[0].x, e->plus.x);
    x[0] = e->plus;
    evaluate(s, x, &k[0], NULL, 0, 0);
    e->f_plus = k[0].x[0];
    e->g_plus = k[0].g[0];
    for (int d = 1; d <= lanes; d++) {
        impact_tangent(e, &end[d], &z[d]);
        x[d] = end[d];
    }
    if (keep || lanes)
        evaluate(s, x, &k[0], keep ? &s->tape[s->steps].record[0] : NULL, lanes, keep);
    return true;
}

INLINE bool integrate(solver *s, const int lanes, const int keep)
{
    bundle k[STAGES], f_end;
    state  x[1 + DIRECTIONS], end[1 + DIRECTIONS];
    double t = 0.0, h = 1e-3, z[1 + DIRECTIONS] = {0.0};
    s->steps = s->events = s->evaluations = 0;
    memset(x, 0, sizeof x);
    hand_start(x[0].x);
    evaluate(s, x, &k[0], keep ? &s->tape[0].record[0] : NULL, lanes, keep);
    bool fresh = false;
    for (;;) {
        if (s->steps + 2 >= TAPE) return false;
        frame     *tape = keep ? &s->tape[s->steps] : NULL;
        const bool last = t + 1.0000001 * h >= end_time;
        if (last) h = end_time - t;
        if (keep) tape->x[0] = x[0];
        step(s, x, h, k, tape, end, lanes, keep);
        const double error = error_of(s, x, end, h, k);
        double       factor = 6.0;
        if (error > 1e-10) factor = 0.9 / sqrt(sqrt(sqrt(error)));
        if (!(error <= 1.0)) {
            h *= factor > 0.2 ? factor : 0.2;
            continue;
        }
        evaluate(s, end, &f_end, keep ? &s->tape[s->steps + 1].record[0] : NULL, lanes, keep);
        if (end[0].x[5] < ground_level || (x[0].x[11] < 0.0 && end[0].x[11] > 0.0)) {
            const double y0 = fresh ? 0.0 : x[0].x[5] - ground_level;
            const curve p = curve_of(h, y0, x[0].x[11], k[0].x[0].x[11], end[0].x[5] - ground_level,
                                     end[0].x[11], f_end.x[0].x[11]);
            const double root = curve_root(&p);
            if (root <= 1.0) {
                if (!strike(s, root * h, x, k, &f_end, &t, z, lanes, keep)) return false;
                fresh = true;
                continue;
            }
        }
        if (keep) tape->h = h;
        s->steps++;
        t += h;
        for (int d = 0; d <= lanes; d++) {
            z[d] += quadrature(h, k, d);
            x[d] = end[d];
            k[0].x[d] = f_end.x[d];
            k[0].g[d] = f_end.g[d];
        }
        fresh = false;
        if (last) break;
        h *= factor > 6.0 ? 6.0 : factor < 0.2 ? 0.2 : factor;
    }
    s->cost = z[0];
    for (int d = 1; d <= lanes; d++) s->gradient[d - 1] = z[d];
    return true;
}

/* The adjoint of a step: k_bar_i = h (b_i lambda + sum_j a_ji y_bar_j), y_bar_i = f_x^T k_bar_i. */
INLINE void stage_adjoint(const solver *s, const int i, const frame *tape, const state *lambda,
                          state *y_bar, double *p_bar)
{
    state        k_bar;
    const double h = tape->h;
    for (int m = 0; m < VECTORS; m++) {
        four total = B(i) * lambda->v[m];
#pragma GCC unroll 12
        for (int j = i + 1; j < STAGES; j++)
            if (A(j, i) != 0.0) total += A(j, i) * y_bar[j].v[m];
        k_bar.v[m] = h * total;
    }
    adjoint(tape->x[i].x, s->p, &tape->record[i], k_bar.x, h * B(i), y_bar[i].x, p_bar);
}

INLINE void step_adjoint(const solver *s, const frame *tape, state *lambda, double *p_bar)
{
    state y_bar[STAGES];
    stage_adjoint(s, 11, tape, lambda, y_bar, p_bar);
    stage_adjoint(s, 10, tape, lambda, y_bar, p_bar);
    stage_adjoint(s, 9, tape, lambda, y_bar, p_bar);
    stage_adjoint(s, 8, tape, lambda, y_bar, p_bar);
    stage_adjoint(s, 7, tape, lambda, y_bar, p_bar);
    stage_adjoint(s, 6, tape, lambda, y_bar, p_bar);
    stage_adjoint(s, 5, tape, lambda, y_bar, p_bar);
    stage_adjoint(s, 4, tape, lambda, y_bar, p_bar);
    stage_adjoint(s, 3, tape, lambda, y_bar, p_bar);
    stage_adjoint(s, 2, tape, lambda, y_bar, p_bar);
    stage_adjoint(s, 1, tape, lambda, y_bar, p_bar);
    stage_adjoint(s, 0, tape, lambda, y_bar, p_bar);
    for (int m = 0; m < VECTORS; m++) {
        four total = lambda->v[m];
        for (int i = 0; i < STAGES; i++) total += y_bar[i].v[m];
        lambda->v[m] = total;
    }
}

/* The little rest of time in front of the impact: x += rest f(x). */
static void rest_adjoint(const solver *s, const impact *e, state *lambda, double *p_bar)
{
    hand_record record;
    double      f[HAND_STATES], x_bar[HAND_STATES], bar[HAND_PARAMS] = {0.0};
    hand_field_record(e->minus.x, s->p, f, &record);
    hand_adjoint(e->minus.x, s->p, &record, lambda->x, 1.0, x_bar, bar);
    for (int i = 0; i < HAND_STATES; i++) lambda->x[i] += e->rest * x_bar[i];
    for (int i = 0; i < HAND_PARAMS; i++) p_bar[i] += e->rest * bar[i];
}

static void reverse(solver *s)
{
    state  lambda = {.x = {0.0}};
    double p_bar[HAND_PARAMS] = {0.0};
    int    event = s->events - 1;
    for (int i = s->steps - 1; i >= 0; i--) {
        if (event >= 0 && s->event[event].step == i + 1) {
            impact_adjoint(&s->event[event], &lambda);
            rest_adjoint(s, &s->event[event], &lambda, p_bar);
            event--;
        }
        step_adjoint(s, &s->tape[i], &lambda, p_bar);
    }
    memcpy(s->gradient, p_bar, sizeof p_bar);
}

/* ---- the contestants ------------------------------------------------------------------------- */

static bool run_forward(void *self, double tol, answer *out)
{
    solver *s = self;
    s->tol = tol;
    if (!integrate(s, 0, 0)) return false;
    *out = (answer){s->cost, NULL, s->events, s->steps};
    return true;
}

static bool run_tangent(void *self, double tol, answer *out)
{
    solver *s = self;
    s->tol = tol;
    if (!integrate(s, DIRECTIONS, 0)) return false;
    *out = (answer){s->cost, s->gradient, s->events, s->steps};
    return true;
}

static bool run_adjoint(void *self, double tol, answer *out)
{
    solver *s = self;
    s->tol = tol;
    if (!integrate(s, 0, 1)) return false;
    reverse(s);
    *out = (answer){s->cost, s->gradient, s->events, s->steps};
    return true;
}

static void release(void *self)
{
    solver *s = self;
    free(s->tape);
    free(s);
}

static void add(contestants *all, const char *name, bool gradient, bool taped,
                bool (*run)(void *, double, answer *))
{
    solver *s = aligned_alloc(64, (sizeof(solver) + 63) / 64 * 64);
    if (!s) return;
    memset(s, 0, sizeof *s);
    memcpy(s->p, hand_params, sizeof hand_params);
    const size_t size = (sizeof(frame) * TAPE + 63) / 64 * 64;
    if (taped) s->tape = aligned_alloc(64, size);
    if (taped && s->tape) memset(s->tape, 0, size);
    if (taped && !s->tape) {
        free(s);
        return;
    }
    contestants_add(all, (contestant){name, "", gradient, s, run, release});
}

void hand_contestants(contestants *all)
{
    add(all, "hand: forward", false, false, run_forward);
    add(all, "hand: two tangents", true, false, run_tangent);
    add(all, "hand: discrete adjoint", true, true, run_adjoint);
}
