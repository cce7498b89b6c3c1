/* The problems as peers see them: right-hand sides, derivatives and jumps by hand; and the event,
 * which is the same for all of them (docs/theory/events.md). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "bench.h"
#include "hand.h"

/* ---- the five-bar ---------------------------------------------------------------------------- */

static void five_bar_start(const problem *self, double *x)
{
    (void)self;
    hand_start(x);
}

static double five_bar_rhs(const problem *self, const double *x, double *f)
{
    return hand_field(x, self->p, f);
}

static double five_bar_tangent(const problem *self, const double *x, const double *dx, int k,
                               double *df)
{
    hand_record record;
    double      dp[HAND_PARAMS] = {0.0}, f[HAND_STATES];
    if (k >= 0) dp[k] = 1.0;
    hand_field_record(x, self->p, f, &record);
    return hand_tangent(x, self->p, &record, dx, dp, df);
}

static void five_bar_adjoint(const problem *self, const double *x, const double *f_bar,
                             double g_bar, double *x_bar, double *p_bar)
{
    hand_record record;
    double      f[HAND_STATES], bar[HAND_PARAMS] = {0.0};
    hand_field_record(x, self->p, f, &record);
    hand_adjoint(x, self->p, &record, f_bar, g_bar, x_bar, bar);
    for (int i = 0; i < self->np; i++) p_bar[i] += bar[i];
}

static void five_bar_jump(const problem *self, const double *x, double *x_plus)
{
    (void)self;
    hand_jump(x, x_plus);
}

static void five_bar_jump_tangent(const problem *self, const double *x, const double *dx, int k,
                                  double *dx_plus)
{
    (void)self, (void)k;
    hand_jump_tangent(x, dx, dx_plus);
}

static void five_bar_jump_adjoint(const problem *self, const double *x, const double *plus_bar,
                                  double *x_bar, double *p_bar)
{
    (void)self, (void)p_bar;
    hand_jump_adjoint(x, plus_bar, x_bar);
}

const problem five_bar_problem = {
    .name = "five-bar",
    .n = HAND_STATES,
    .np = 2,
    .end = 5.0,
    .guard = 5,
    .level = -2.35,
    .p = hand_params,
    .start = five_bar_start,
    .rhs = five_bar_rhs,
    .tangent = five_bar_tangent,
    .adjoint = five_bar_adjoint,
    .jump = five_bar_jump,
    .jump_tangent = five_bar_jump_tangent,
    .jump_adjoint = five_bar_jump_adjoint,
};

/* ---- the ball: y'' = -g, v+ = -e v-, cost the integral of v^2; p = (g, e, h) ------------------
 */

static const double ball_params[3] = {9.81, 0.999, 1.0};

static void ball_start(const problem *self, double *x)
{
    x[0] = self->p[2];
    x[1] = 0.0;
}

static void ball_dstart(const problem *self, int k, double *dx)
{
    (void)self;
    dx[0] = k == 2;
    dx[1] = 0.0;
}

static double ball_rhs(const problem *self, const double *x, double *f)
{
    f[0] = x[1];
    f[1] = -self->p[0];
    return x[1] * x[1];
}

static double ball_tangent(const problem *self, const double *x, const double *dx, int k,
                           double *df)
{
    (void)self;
    df[0] = dx[1];
    df[1] = k == 0 ? -1.0 : 0.0;
    return 2.0 * x[1] * dx[1];
}

static void ball_adjoint(const problem *self, const double *x, const double *f_bar, double g_bar,
                         double *x_bar, double *p_bar)
{
    (void)self;
    x_bar[0] = 0.0;
    x_bar[1] = f_bar[0] + 2.0 * x[1] * g_bar;
    p_bar[0] -= f_bar[1];
}

static void ball_jump(const problem *self, const double *x, double *x_plus)
{
    x_plus[0] = x[0];
    x_plus[1] = -self->p[1] * x[1];
}

static void ball_jump_tangent(const problem *self, const double *x, const double *dx, int k,
                              double *dx_plus)
{
    dx_plus[0] = dx[0];
    dx_plus[1] = -self->p[1] * dx[1] - (k == 1 ? x[1] : 0.0);
}

static void ball_jump_adjoint(const problem *self, const double *x, const double *plus_bar,
                              double *x_bar, double *p_bar)
{
    p_bar[1] -= x[1] * plus_bar[1];
    x_bar[0] = plus_bar[0];
    x_bar[1] = -self->p[1] * plus_bar[1];
}

const problem ball_problem = {
    .name = "ball",
    .n = 2,
    .np = 3,
    .end = 570.7,
    .guard = 0,
    .level = 0.0,
    .p = ball_params,
    .start = ball_start,
    .dstart = ball_dstart,
    .rhs = ball_rhs,
    .tangent = ball_tangent,
    .adjoint = ball_adjoint,
    .jump = ball_jump,
    .jump_tangent = ball_jump_tangent,
    .jump_adjoint = ball_jump_adjoint,
};

/* ---- springs: u'' of mass i is k_(i+1) s(d_(i+1)) - k_i s(d_i), d_i = u_i - u_(i-1), s(d) = d +
 * d^3, cost the integral of the mean of u^2
 * ------------------------------------------------------------ */

static void springs_start(const problem *self, double *x)
{
    const int n = self->np;
    for (int i = 0; i < n; i++) {
        x[i] = 0.1 * sin(i + 1.0);
        x[n + i] = 0.0;
    }
}

static double springs_rhs(const problem *self, const double *x, double *f)
{
    const int     n = self->np;
    const double *k = self->p;
    double        left = 0.0, before = 0.0, total = 0.0;
    for (int i = 0; i < n; i++) {
        const double d = x[i] - left, pull = k[i] * d * (1.0 + d * d);
        if (i > 0) f[n + i - 1] = pull - before;
        f[i] = x[n + i];
        left = x[i];
        before = pull;
        total += x[i] * x[i];
    }
    f[2 * n - 1] = -before;
    return total;
}

static double springs_tangent(const problem *self, const double *x, const double *dx, int k,
                              double *df)
{
    const int n = self->np;
    double    left = 0.0, dleft = 0.0, before = 0.0, total = 0.0;
    for (int i = 0; i < n; i++) {
        const double d = x[i] - left, dd = dx[i] - dleft;
        const double pull =
            self->p[i] * (1.0 + 3.0 * d * d) * dd + (i == k ? d * (1.0 + d * d) : 0.0);
        if (i > 0) df[n + i - 1] = pull - before;
        df[i] = dx[n + i];
        left = x[i];
        dleft = dx[i];
        before = pull;
        total += x[i] * dx[i];
    }
    df[2 * n - 1] = -before;
    return 2.0 * total;
}

static void springs_adjoint(const problem *self, const double *x, const double *f_bar, double g_bar,
                            double *x_bar, double *p_bar)
{
    const int     n = self->np;
    const double *a_bar = f_bar + n;
    double        left = 0.0, scale = 2.0 * g_bar, before = 0.0;
    for (int i = 0; i < n; i++) {
        const double d = x[i] - left, work = (i > 0 ? a_bar[i - 1] : 0.0) - a_bar[i];
        const double pull = self->p[i] * (1.0 + 3.0 * d * d) * work;
        p_bar[i] += d * (1.0 + d * d) * work;
        if (i > 0) x_bar[i - 1] = scale * left + before - pull;
        x_bar[n + i] = f_bar[i];
        left = x[i];
        before = pull;
    }
    x_bar[n - 1] = scale * left + before;
}

static void put(problem_row *row, int column, double value)
{
    row->column[row->count] = column;
    row->value[row->count++] = value;
}

/* Velocities, a band of forces, and the sum of squares. */
static void springs_row(const problem *self, const double *x, int i, problem_row *in_x,
                        problem_row *in_p)
{
    const int n = self->np, m = i - n;
    in_x->count = in_p->count = 0;
    if (i < n) put(in_x, n + i, 1.0);
    for (int j = 0; i == 2 * n && j < n; j++) put(in_x, j, 2.0 * x[j]);
    if (i < n || i == 2 * n) return;
    const double left = x[m] - (m > 0 ? x[m - 1] : 0.0), right = m + 1 < n ? x[m + 1] - x[m] : 0.0;
    const double before = self->p[m] * (1.0 + 3.0 * left * left);
    const double behind = m + 1 < n ? self->p[m + 1] * (1.0 + 3.0 * right * right) : 0.0;
    if (m > 0) put(in_x, m - 1, before);
    put(in_x, m, -before - behind);
    put(in_p, m, -left * (1.0 + left * left));
    if (m + 1 == n) return;
    put(in_x, m + 1, behind);
    put(in_p, m + 1, right * (1.0 + right * right));
}

problem springs_problem(int count)
{
    static double stiffness[PROBLEM_STATES / 2];
    assert(count <= PROBLEM_STATES / 2);
    for (int i = 0; i < PROBLEM_STATES / 2; i++) stiffness[i] = 100.0;
    return (problem){
        .name = "springs",
        .n = 2 * count,
        .np = count,
        .end = 2.0,
        .guard = -1,
        .p = stiffness,
        .start = springs_start,
        .rhs = springs_rhs,
        .tangent = springs_tangent,
        .adjoint = springs_adjoint,
        .row = springs_row,
    };
}

/* ---- events ---------------------------------------------------------------------------------- */

enum { EVENT_STATES = 16 }; /* of problems with events */

void problem_event(const problem *pb, const double *x, double *x_plus) { pb->jump(pb, x, x_plus); }

void problem_event_tangent(const problem *pb, const double *x, int k, const double *dx,
                           double *dx_plus, double *dz)
{
    double       f[EVENT_STATES], plus[EVENT_STATES], f_plus[EVENT_STATES], moved[EVENT_STATES];
    const double g = pb->rhs(pb, x, f);
    pb->jump(pb, x, plus);
    const double g_plus = pb->rhs(pb, plus, f_plus), dt = -dx[pb->guard] / f[pb->guard];
    for (int i = 0; i < pb->n; i++) moved[i] = dx[i] + dt * f[i];
    pb->jump_tangent(pb, x, moved, k, plus);
    for (int i = 0; i < pb->n; i++) dx_plus[i] = plus[i] - dt * f_plus[i];
    *dz += dt * (g - g_plus);
}

void problem_event_adjoint(const problem *pb, const double *x, const double *plus_bar,
                           double *x_bar, double *p_bar)
{
    double       f[EVENT_STATES], plus[EVENT_STATES], f_plus[EVENT_STATES], bar[EVENT_STATES];
    const double g = pb->rhs(pb, x, f);
    pb->jump(pb, x, plus);
    double change = pb->rhs(pb, plus, f_plus) - g;
    pb->jump_adjoint(pb, x, plus_bar, bar, p_bar);
    for (int i = 0; i < pb->n; i++) change += f_plus[i] * plus_bar[i] - f[i] * bar[i];
    bar[pb->guard] += change / f[pb->guard];
    memcpy(x_bar, bar, (size_t)pb->n * sizeof *bar);
}

double problem_land(const problem *pb, double *x, double *z)
{
    double k[4][EVENT_STATES], y[EVENT_STATES], t = 0.0;
    for (int pass = 0; pass < 5; pass++) {
        double       g = pb->rhs(pb, x, k[0]);
        const double h = (pb->level - x[pb->guard]) / k[0][pb->guard];
        if (fabs(h) < 1e-15) break;
        for (int s = 1; s < 4; s++) {
            for (int i = 0; i < pb->n; i++) y[i] = x[i] + (s == 3 ? h : 0.5 * h) * k[s - 1][i];
            g += (s == 3 ? 1.0 : 2.0) * pb->rhs(pb, y, k[s]);
        }
        for (int i = 0; i < pb->n; i++)
            x[i] += h / 6.0 * (k[0][i] + 2.0 * (k[1][i] + k[2][i]) + k[3][i]);
        *z += h / 6.0 * g;
        t += h;
    }
    x[pb->guard] = pb->level;
    return t;
}

double cubic_root(double h, double r0, double v0, double r1, double v1)
{
    double lower = 0.0, upper = 1.0;
    for (int i = 0; i < 40; i++) {
        const double s = 0.5 * (lower + upper), q = 1.0 - s;
        const double r = q * q * ((1.0 + 2.0 * s) * r0 + s * h * v0) +
                         s * s * ((3.0 - 2.0 * s) * r1 - q * h * v1);
        if (r < 0.0) upper = s;
        else lower = s;
    }
    return 0.5 * (lower + upper);
}
