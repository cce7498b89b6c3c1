/* Guards with poles, long after time began: at t = 1e8 neighbouring times are 1e-8 apart, and near
 * a pole a guard changes its size and its sign from one to the next. Zeros are events, also those
 * that lie close beside a pole; poles are none, but a sign that is asked for changes there. */
#ifndef CLOSED_POLES_H
#define CLOSED_POLES_H

#include "closed_case.h"

enum { SEVERAL_POLES = 80 };

static struct {
    double end, other;
    int    kind, direction;
} pole;

/* Zeros of the guard with their times and the way it goes. */
static void add_zero(answer *a, exact at, int way)
{
    if (at <= 0.0L || at >= (exact)pole.end || (pole.direction && pole.direction != way)) return;
    add_event(a, "zero", at);
    a->cost[0] += at;
}

/* The guards of make_zeros, for a time u from the start. */
static void solve_zeros(const exact *p, answer *a)
{
    const exact pi = acosl(-1.0L), level = p[1];
    a->cost[0] = 0.0L;
    for (int k = -1; k < SEVERAL_POLES; k++) {
        const exact turn = (exact)k * pi;
        if (pole.kind == 0) add_zero(a, (atanl(level) + turn) / p[0], 1);
        if (pole.kind == 1) add_zero(a, (atanl(cbrtl(level)) + turn) / p[0], 1);
        const exact sine = (exact)pole.other + 1.0L / level;
        if (pole.kind != 2 || fabsl(sine) >= 1.0L) continue;
        add_zero(a, (asinl(sine) + 2.0L * turn) / p[0], -1);
        add_zero(a, (pi - asinl(sine) + 2.0L * turn) / p[0], 1);
    }
    if (pole.kind != 3) return;
    add_zero(a, p[0] - 1.0L / sqrtl(level), 1);
    add_zero(a, p[0] + 1.0L / sqrtl(level), -1);
}

/* No zero at the ends of the run, and none that is about to vanish. */
static bool is_clear_case(const closed_case *c)
{
    static answer a;
    const exact   p[2] = {(exact)c->param[0], (exact)c->param[1]};
    const double  sine = pole.other + 1.0 / c->param[1];
    pole.direction = 0;
    a.events = 0;
    solve_zeros(p, &a);
    if (pole.kind == 2 && fabs(fabs(sine) - 1.0) < 0.02) return false;
    for (int i = 0; i < a.events; i++)
        if (!(a.t[i] > 1e-2L && a.t[i] < (exact)pole.end - 1e-2L)) return false;
    return true;
}

static double put_offset(closed_case *c)
{
    c->as_it_is = true;
    c->shift = PICK(c, 0.0, 1e3, 1e5, 1e6, 1e6, 1e6, -1e6, 1e7, 1e8) * between(c, 1.0, 2.0);
    c->time_unit = fmax(1.0, 1e-3 * fabs(c->shift));
    c->polynomial = true;
    return c->shift;
}

static void put_far_end(closed_case *c, double offset)
{
    put(&c->script, "horizon(%.17g, %.17g)\n", offset, offset + pole.end);
    if (maybe(c, 0.4)) c->max_step = pole.end * between(c, 0.03, 0.3);
    if (maybe(c, 0.2)) c->first_step = pole.end * between(c, 0.001, 0.3);
}

static void make_zeros(closed_case *c)
{
    static const char *const form[] = {"tan(p1 * u) - p2", "tan(p1 * u)^3 - p2",
                                       "1 / (sin(p1 * u) - q) - p2", "1 / (u - p1)^2 - p2"};
    const double             offset = put_offset(c);
    current = c;
    pole.kind = below(c, 4);
    do {
        const double level = pow(10.0, between(c, -1.0, 3.0));
        pole.end = between(c, 0.6, 10.0);
        pole.other = between(c, -0.9, 0.9);
        c->param[0] = pole.kind == 3 ? pole.end * between(c, 0.1, 0.9) : between(c, 0.5, 15.0);
        c->param[1] = pole.kind == 3 || maybe(c, 0.5) ? level : -level;
    } while (!is_clear_case(c));
    pole.direction = below(c, 3) - 1;
    /* no tolerance can tell a position beside a pole from one beyond it */
    const bool moves = fabs(c->param[1]) < 10.0 && maybe(c, 0.5);
    for (int i = 0; i < 2; i++) put_param(c, c->param[i]);
    put(&c->script,
        "local x = coordinate(\"x\", {speed = 1})\nmass(x, 1)\nlocal q, late = %.17g, t - (%.17g)\n"
        "local u = %s\nevent(\"zero\", {when = %s, ",
        pole.other, offset, moves ? "x" : "late", form[pole.kind]);
    put_direction(c, pole.direction);
    put(&c->script, ", charge = {s = late}})\n");
    put_cost(c, "s", 100.0 * c->time_unit, "");
    put_far_end(c, offset);
    c->refusal = GRADIENT_UNKNOWN; /* what rounding leaves of it differs from zero to zero */
    c->solve = solve_zeros;
}

/* The integral of sign(tan(p1 u)), which changes at zeros and at poles. */
static void solve_sign(const exact *p, answer *a)
{
    const exact half = acosl(-1.0L) / 2.0L / p[0], count = floorl((exact)pole.end / half);
    const exact rest = (exact)pole.end - count * half;
    a->cost[0] = fmodl(count, 2.0L) > 0.5L ? half - rest : rest;
}

static void make_sign(closed_case *c)
{
    const double offset = put_offset(c);
    put_param(c, between(c, 0.5, 10.0));
    do pole.end = between(c, 0.6, 10.0);
    while (fabs(sin(2.0 * c->param[0] * pole.end)) < 0.05);
    put(&c->script, "local x = coordinate(\"x\", {speed = 1})\nmass(x, 1)\n");
    put(&c->script, "local u = t - (%.17g)\n", offset);
    put_cost(c, "i", c->time_unit, "integral = sign(tan(p1 * u))");
    put_far_end(c, offset);
    c->refusal = GRADIENT_UNKNOWN;
    c->solve = solve_sign;
}

static const family pole_families[] = {{"pole-zeros", make_zeros}, {"pole-signs", make_sign}};

#endif
