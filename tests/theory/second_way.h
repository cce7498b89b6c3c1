/* Jumps a second time, sharing nothing with the library: constraints, mass matrices, guards and
 * laws written by hand, their derivatives by numbers with two infinitesimals, a dense elimination.
 *
 * A number is f + a e + b d + c e d with e e = d d = 0. A function of numbers that go with e along
 * (v, 1) and with d along a change of state and parameters gives, as c, the derivative of its rate
 * by that change: all that the laws, events.md (3) to (6), need. */
#ifndef SECOND_WAY_H
#define SECOND_WAY_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* ---- numbers -------------------------------------------------------------------------------- */

typedef struct twofold {
    double f, a, b, c;
} twofold;

static inline twofold constant(double f) { return (twofold){f, 0.0, 0.0, 0.0}; }

static inline twofold plus(twofold x, twofold y)
{
    return (twofold){x.f + y.f, x.a + y.a, x.b + y.b, x.c + y.c};
}

static inline twofold times(twofold x, twofold y)
{
    return (twofold){x.f * y.f, x.f * y.a + x.a * y.f, x.f * y.b + x.b * y.f,
                     x.f * y.c + x.a * y.b + x.b * y.a + x.c * y.f};
}

static inline twofold scaled(double s, twofold x) { return times(constant(s), x); }
static inline twofold less(twofold x, twofold y) { return plus(x, scaled(-1.0, y)); }
static inline twofold squared(twofold x) { return times(x, x); }

/* g(x) from its value and first two derivatives. */
static inline twofold through(twofold x, double g, double g1, double g2)
{
    return (twofold){g, g1 * x.a, g1 * x.b, g1 * x.c + g2 * x.a * x.b};
}

static inline twofold sine(twofold x) { return through(x, sin(x.f), cos(x.f), -sin(x.f)); }
static inline twofold cosine(twofold x) { return through(x, cos(x.f), -sin(x.f), -cos(x.f)); }
static inline twofold root(twofold x)
{
    const double r = sqrt(x.f);
    return through(x, r, 0.5 / r, -0.25 / (r * x.f));
}

/* ---- elimination ---------------------------------------------------------------------------- */

enum { WAY_Q = 6, WAY_MU = 4, WAY_C = 1, WAY_P = 10, WAY_SIZE = WAY_Q + WAY_MU + 1 };

typedef struct square {
    int    size;
    double at[WAY_SIZE][WAY_SIZE];
} square;

/* Solves A x = b in place, rows exchanged; false if A is singular. */
static inline bool solve(square A, double *b)
{
    for (int k = 0; k < A.size; k++) {
        int best = k;
        for (int i = k + 1; i < A.size; i++)
            if (fabs(A.at[i][k]) > fabs(A.at[best][k])) best = i;
        if (!(fabs(A.at[best][k]) > 0.0)) return false;
        for (int j = 0; j < A.size; j++) {
            const double held = A.at[k][j];
            A.at[k][j] = A.at[best][j];
            A.at[best][j] = held;
        }
        const double held = b[k];
        b[k] = b[best];
        b[best] = held;
        for (int i = k + 1; i < A.size; i++) {
            const double f = A.at[i][k] / A.at[k][k];
            for (int j = k; j < A.size; j++) A.at[i][j] -= f * A.at[k][j];
            b[i] -= f * b[k];
        }
    }
    for (int k = A.size - 1; k >= 0; k--) {
        for (int j = k + 1; j < A.size; j++) b[k] -= A.at[k][j] * b[j];
        b[k] /= A.at[k][k];
    }
    return true;
}

/* ---- a mechanism and one of its events ------------------------------------------------------ */

typedef struct place {
    twofold t, q[WAY_Q], v[WAY_Q], c[WAY_C], p[WAY_P];
} place;

typedef enum way_law { WAY_GIVEN, WAY_NEWTON, WAY_INELASTIC } way_law;

typedef void way_vector(const place *at, twofold *out);

typedef struct way {
    int         n, memories, params;
    int         m_before, m; /* constraints before the event and after it */
    way_vector *phi_before, *phi;
    void (*mass)(const place *at, twofold M[WAY_Q][WAY_Q]);
    void (*force)(const place *at, double *F); /* with all that kinetic energy adds */
    way_vector *guard;
    way_law     law;
    way_vector *given; /* velocities of the independent coordinates */
    const int  *independent;
    way_vector *restitution;
    way_vector *memory; /* after the event, from the state before; NULL: unchanged */
} way;

/* Values at an event: t, q, v, c are those before it. */
typedef struct instant {
    double t, q[WAY_Q], v[WAY_Q], c[WAY_C], p[WAY_P];
    double c_after[WAY_C], v_after[WAY_Q];
    double impulse[WAY_MU + 1];                  /* of the constraints, then of the contact */
    double a[WAY_Q], a_after[WAY_Q], mu[WAY_MU]; /* mu before */
    double rate;                                 /* of the guard, before */
} instant;

/* A change of t, q, v, c and of the parameters. */
typedef struct change {
    double t, q[WAY_Q], v[WAY_Q], c[WAY_C], p[WAY_P];
} change;

static inline place place_before(const way *w, const instant *s)
{
    place at = {.t = constant(s->t)};
    for (int i = 0; i < w->n; i++) at.q[i] = constant(s->q[i]);
    for (int i = 0; i < w->n; i++) at.v[i] = constant(s->v[i]);
    for (int i = 0; i < w->memories; i++) at.c[i] = constant(s->c[i]);
    for (int i = 0; i < w->params; i++) at.p[i] = constant(s->p[i]);
    return at;
}

static inline place place_after(const way *w, const instant *s)
{
    place at = place_before(w, s);
    for (int i = 0; i < w->n; i++) at.v[i] = constant(s->v_after[i]);
    for (int i = 0; i < w->memories; i++) at.c[i] = constant(s->c_after[i]);
    return at;
}

/* With d along the change. */
static inline void move_along(const way *w, place *at, const change *d)
{
    at->t.b = d->t;
    for (int i = 0; i < w->n; i++) at->q[i].b = d->q[i];
    for (int i = 0; i < w->n; i++) at->v[i].b = d->v[i];
    for (int i = 0; i < w->memories; i++) at->c[i].b = d->c[i];
    for (int i = 0; i < w->params; i++) at->p[i].b = d->p[i];
}

/* With e along the motion. */
static inline void move_on(const way *w, place *at, const double *v)
{
    at->t.a = 1.0;
    for (int i = 0; i < w->n; i++) at->q[i].a = v[i];
}

/* Column i of a Jacobian as a, and its change as c. */
static inline void derive_by_q(place at, int i, way_vector *f, twofold *out)
{
    at.q[i].a = 1.0;
    f(&at, out);
}

/* ---- accelerations -------------------------------------------------------------------------- */

/* M and Phi_q into [M Phi_q^T; Phi_q 0]. */
static inline square saddle(const way *w, const place *at, way_vector *phi, int m)
{
    square  A = {.size = w->n + m};
    twofold M[WAY_Q][WAY_Q] = {0}, column[WAY_MU];
    w->mass(at, M);
    for (int i = 0; i < w->n; i++)
        for (int j = 0; j < w->n; j++) A.at[i][j] = M[i][j].f;
    for (int i = 0; i < w->n && m > 0; i++) {
        derive_by_q(*at, i, phi, column);
        for (int k = 0; k < m; k++) A.at[w->n + k][i] = A.at[i][w->n + k] = column[k].a;
    }
    return A;
}

/* (6): the bending of the constraints is their second derivative along the motion. */
static inline bool accelerate(const way *w, const place *at, const double *v, way_vector *phi,
                              int m, double *a, double *mu)
{
    const square A = saddle(w, at, phi, m);
    double       x[WAY_SIZE] = {0};
    twofold      bend[WAY_MU];
    w->force(at, x);
    if (m > 0) {
        place     moving = *at;
        const int n = w->n;
        change    along = {.t = 1.0};
        move_on(w, &moving, v);
        memcpy(along.q, v, (size_t)n * sizeof *v);
        move_along(w, &moving, &along);
        phi(&moving, bend);
        for (int k = 0; k < m; k++) x[n + k] = -bend[k].c;
    }
    if (!solve(A, x)) return false;
    memcpy(a, x, (size_t)w->n * sizeof *a);
    if (mu) memcpy(mu, x + w->n, (size_t)m * sizeof *mu);
    return true;
}

/* ---- laws ----------------------------------------------------------------------------------- */

/* The matrix of G for (v+, impulses). */
static inline square law_matrix(const way *w, const place *at)
{
    square A = saddle(w, at, w->phi, w->m);
    if (w->law == WAY_NEWTON) {
        twofold r;
        for (int i = 0; i < w->n; i++) {
            derive_by_q(*at, i, w->guard, &r);
            A.at[A.size][i] = r.a;
            A.at[i][A.size] = -r.a;
        }
        A.size++;
    }
    if (w->law == WAY_GIVEN) {
        const int free = w->n - w->m;
        square    J = {.size = w->n};
        for (int i = 0; i < free; i++) J.at[i][w->independent[i]] = 1.0;
        for (int k = 0; k < w->m; k++)
            memcpy(J.at[free + k], A.at[w->n + k], sizeof J.at[free + k]);
        return J;
    }
    return A;
}

/* Parts of G that are alike for the values (part f or a) and for their change (b or c). */
typedef struct residual {
    double value[WAY_SIZE], change[WAY_SIZE];
} residual;

/* Phi_q v + Phi_t */
static inline void add_rates(const way *w, place at, const double *v, int row, residual *G)
{
    twofold rate[WAY_MU];
    if (w->m == 0) return;
    move_on(w, &at, v);
    w->phi(&at, rate);
    for (int k = 0; k < w->m; k++) {
        G->value[row + k] = rate[k].a;
        G->change[row + k] = rate[k].c;
    }
}

/* M (v+ - v-) + Phi_q^T delta_mu - r_q^T delta; the change with (v+, impulses) held fixed. */
static inline void add_momentum(const way *w, const place *at, const instant *s, const change *d,
                                residual *G)
{
    twofold M[WAY_Q][WAY_Q] = {0}, column[WAY_MU], r;
    w->mass(at, M);
    for (int i = 0; i < w->n; i++) {
        for (int j = 0; j < w->n; j++) {
            const double jump = s->v_after[j] - s->v[j];
            G->value[i] += M[i][j].f * jump;
            G->change[i] += M[i][j].b * jump - M[i][j].f * d->v[j];
        }
        if (w->m > 0) derive_by_q(*at, i, w->phi, column);
        for (int k = 0; k < w->m; k++) {
            G->value[i] += column[k].a * s->impulse[k];
            G->change[i] += column[k].c * s->impulse[k];
        }
        if (w->law != WAY_NEWTON) continue;
        derive_by_q(*at, i, w->guard, &r);
        G->value[i] -= r.a * s->impulse[w->m];
        G->change[i] -= r.c * s->impulse[w->m];
    }
}

/* r_q v+ + r_t + e (r_q v- + r_t) */
static inline void add_restitution(const way *w, const place *before, const instant *s,
                                   const change *d, residual *G)
{
    const int row = w->n + w->m;
    twofold   e, in, out, r;
    place     at = *before;
    w->restitution(before, &e);
    move_on(w, &at, s->v);
    w->guard(&at, &in);
    move_on(w, &at, s->v_after);
    w->guard(&at, &out);
    G->value[row] = out.a + e.f * in.a;
    G->change[row] = out.c + e.f * in.c + e.b * in.a;
    for (int i = 0; i < w->n; i++) { /* v- is an argument of in.a, too */
        derive_by_q(*before, i, w->guard, &r);
        G->change[row] += e.f * r.a * d->v[i];
    }
}

/* v_I+ - h */
static inline void add_given(const way *w, const place *before, const instant *s, residual *G)
{
    twofold h[WAY_Q];
    w->given(before, h);
    for (int i = 0; i < w->n - w->m; i++) {
        G->value[i] = s->v_after[w->independent[i]] - h[i].f;
        G->change[i] = -h[i].b;
    }
}

/* before and after are at the states before and after the event, moved along the change. */
static inline residual law_residual(const way *w, const place *before, const place *after,
                                    const instant *s, const change *d)
{
    residual G = {{0}, {0}};
    if (w->law == WAY_GIVEN) add_given(w, before, s, &G);
    else add_momentum(w, after, s, d, &G);
    add_rates(w, *after, s->v_after, w->law == WAY_GIVEN ? w->n - w->m : w->n, &G);
    if (w->law == WAY_NEWTON) add_restitution(w, before, s, d, &G);
    return G;
}

/* ---- the jump ------------------------------------------------------------------------------- */

/* Everything after the event from t, q, v, c before it. */
static inline bool jump_again(const way *w, instant *s)
{
    const change still = {0};
    place        before = place_before(w, s), moving = before;
    twofold      r, c[WAY_C];
    memcpy(s->c_after, s->c, sizeof s->c);
    if (w->memory) w->memory(&before, c);
    for (int i = 0; i < w->memories && w->memory; i++) s->c_after[i] = c[i].f;
    memset(s->v_after, 0, sizeof s->v_after);
    memset(s->impulse, 0, sizeof s->impulse);
    const place    zero = place_after(w, s);
    const square   A = law_matrix(w, &zero);
    const residual G =
        law_residual(w, &before, &zero, s, &still); /* linear: at 0 the right-hand side */
    double x[WAY_SIZE];
    for (int i = 0; i < A.size; i++) x[i] = -G.value[i];
    if (!solve(A, x)) return false;
    memcpy(s->v_after, x, (size_t)w->n * sizeof *x);
    for (int k = 0; k < A.size - w->n; k++) s->impulse[k] = x[w->n + k];
    if (!accelerate(w, &before, s->v, w->phi_before, w->m_before, s->a, s->mu)) return false;
    const place after = place_after(w, s);
    if (!accelerate(w, &after, s->v_after, w->phi, w->m, s->a_after, NULL)) return false;
    move_on(w, &moving, s->v);
    for (int i = 0; i < w->n; i++) moving.v[i].a = s->a[i];
    w->guard(&moving, &r);
    s->rate = r.a;
    return true;
}

/* dtau, events.md (12). */
static inline double change_of_time(const way *w, const instant *s, const change *d)
{
    place   at = place_before(w, s);
    twofold r;
    move_along(w, &at, d);
    w->guard(&at, &r);
    return -r.b / s->rate;
}

/* events.md (13): the change after the event from that before it (d->t is 0). */
static inline bool change_again(const way *w, const instant *s, const change *d, change *out)
{
    const double tau = change_of_time(w, s, d);
    change       at_event = *d; /* where the event is now */
    twofold      c[WAY_C];
    place        before = place_before(w, s), after = place_after(w, s);
    at_event.t = tau;
    for (int i = 0; i < w->n; i++) at_event.q[i] += s->v[i] * tau;
    for (int i = 0; i < w->n; i++) at_event.v[i] += s->a[i] * tau;
    move_along(w, &before, &at_event);
    *out = at_event;
    out->t = 0.0;
    if (w->memory) w->memory(&before, c);
    for (int i = 0; i < w->memories && w->memory; i++) out->c[i] = c[i].b;
    change behind = at_event;
    memcpy(behind.c, out->c, sizeof behind.c);
    move_along(w, &after, &behind);
    const square   A = law_matrix(w, &after);
    const residual G = law_residual(w, &before, &after, s, &at_event);
    double         x[WAY_SIZE];
    for (int i = 0; i < A.size; i++) x[i] = -G.change[i];
    if (!solve(A, x)) return false;
    for (int i = 0; i < w->n; i++) {
        out->q[i] -= s->v_after[i] * tau;
        out->v[i] = x[i] - s->a_after[i] * tau;
    }
    return true;
}

/* ---- the partitioned form ------------------------------------------------------------------- */

/* Phi_qD d_D = -(rest), with the rest of the independent ones added; d_I is there already. */
static inline bool solve_dependent(const way *w, const place *after, const double *rest, double *d)
{
    bool    is_independent[WAY_Q] = {false};
    int     dependent[WAY_Q], count = 0;
    square  D = {.size = w->m};
    double  x[WAY_MU];
    twofold column[WAY_MU];
    for (int i = 0; i < w->n - w->m; i++) is_independent[w->independent[i]] = true;
    for (int k = 0; k < w->m; k++) x[k] = -rest[k];
    for (int i = 0; i < w->n; i++) {
        derive_by_q(*after, i, w->phi, column);
        if (!is_independent[i]) dependent[count++] = i;
        for (int k = 0; k < w->m; k++)
            if (is_independent[i]) x[k] -= column[k].a * d[i];
            else D.at[k][count - 1] = column[k].a;
    }
    if (!solve(D, x)) return false;
    for (int k = 0; k < count; k++) d[dependent[k]] = x[k];
    return true;
}

/* The partitioned form, events.md (9) and (10), for a given law: Q and V after the event. */
static inline bool change_partitioned(const way *w, const instant *s, const change *d, change *out)
{
    const double tau = change_of_time(w, s, d);
    const place  plain = place_after(w, s);
    place        before = place_before(w, s), after = plain;
    change       at_event = *d, fixed = *d;
    twofold      h[WAY_Q], rate[WAY_MU];
    double       rest[WAY_MU];
    at_event.t = tau;
    for (int i = 0; i < w->n; i++) at_event.q[i] += s->v[i] * tau;
    for (int i = 0; i < w->n; i++) at_event.v[i] += s->a[i] * tau;
    move_along(w, &before, &at_event);
    w->given(&before, h); /* h_q (Q + v tau') + h_v (V + a tau') + h_t tau' + h_rho */
    *out = *d;
    for (int i = 0; i < w->n - w->m; i++) {
        const int k = w->independent[i];
        out->q[k] = d->q[k] - (s->v_after[k] - s->v[k]) * tau;
        out->v[k] = h[i].b - s->a_after[k] * tau;
    }
    memset(fixed.q, 0, sizeof fixed.q);
    move_along(w, &after, &fixed); /* Phi_rho */
    w->phi(&after, rate);
    for (int k = 0; k < w->m; k++) rest[k] = rate[k].b;
    if (!solve_dependent(w, &plain, rest, out->q)) return false;
    after = plain;
    memcpy(fixed.q, out->q, sizeof fixed.q);
    move_along(w, &after, &fixed);
    move_on(w, &after, s->v_after);
    w->phi(&after, rate); /* ((Phi_q v+)_q + Phi_tq) Q+ + (Phi_q v+)_rho + Phi_t rho */
    for (int k = 0; k < w->m; k++) rest[k] = rate[k].c;
    return solve_dependent(w, &plain, rest, out->v);
}

#endif
