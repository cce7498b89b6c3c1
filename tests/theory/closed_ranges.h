/* Units from 1e-18 to 1e18, guards that fall over many powers of ten, and guards with poles: only
 * a zero is an event, and what counts as zero depends on the guard there and then. */
#ifndef CLOSED_RANGES_H
#define CLOSED_RANGES_H

#include "closed_case.h"

static struct {
    double end, length, time, target, power;
    int    kind;
} range;

/* A ball that bounces, in units in which a metre is length and a second is time. */
static void solve_units(const exact *p, answer *a)
{
    const exact unit = (exact)range.length, second = (exact)range.time;
    const exact g = 9.81L * unit / (second * second), end = (exact)range.end;
    exact       t = sqrtl(2.0L * p[0] / g), v = g * t;
    for (int k = 0; k < 60; k++) {
        add_event(a, "floor", t);
        v *= p[1];
        const exact rest = end - t, flight = 2.0L * v / g;
        if (flight >= rest) {
            a->cost[0] = v * rest - g * rest * rest / 2.0L;
            a->cost[1] = v - g * rest;
            return;
        }
        t += flight;
    }
    current->solved_wrong = true;
}

static void make_units(closed_case *c)
{
    c->as_it_is = true;
    range.length = maybe(c, 0.7) ? pow(10.0, below(c, 37) - 18) : 1.0;
    range.time = maybe(c, 0.5) ? pow(10.0, below(c, 19) - 9) : 1.0;
    const double height = between(c, 0.3, 2.0), e = between(c, 0.7, 1.0);
    const double guard = maybe(c, 0.5) ? pow(10.0, below(c, 37) - 18) : 1.0;
    double       flight = 2.0 * sqrt(2.0 * height / 9.81), t = 0.5 * flight;
    for (int k = 1 + below(c, 6); k > 0; k--) t += (flight *= e);
    range.end = (t - between(c, 0.2, 0.8) * flight) * range.time;
    c->polynomial = true;
    c->time_unit = range.time;
    put_param(c, height * range.length);
    put_param(c, e);
    put(&c->script,
        "local y = coordinate(\"y\", {start = p1})\nmass(y, 1)\nforce(y, -9.81 * %g / (%g)^2)\n"
        "event(\"floor\", {when = %g * y, direction = \"falling\", %s})\n",
        range.length, range.time, guard,
        maybe(c, 0.5) ? "restitution = p2" : "set = {[dot(y)] = -p2 * dot(y)}");
    put_cost(c, "y", range.length, "final = y");
    put_cost(c, "v", range.length / range.time, "final = dot(y)");
    put_end(c, range.end);
    if (maybe(c, 0.3)) c->max_step = range.end * between(c, 0.01, 0.5);
    c->solve = solve_units;
}

/* A steady crossing: x = p1 t meets 1, in any units. */
static void solve_slow(const exact *p, answer *a)
{
    add_event(a, "mark", (exact)range.length / p[0]);
    a->cost[0] = (exact)range.length + 2.0L * (p[0] * (exact)range.end - (exact)range.length);
}

static void make_slow(closed_case *c)
{
    c->as_it_is = true;
    range.length = pow(10.0, below(c, 37) - 18);
    range.time = pow(10.0, below(c, 19) - 9);
    put_param(c, between(c, 0.5, 2.0) * range.length / range.time);
    range.end = range.length / c->param[0] * between(c, 1.2, 3.0);
    c->polynomial = true;
    c->time_unit = range.end;
    put(&c->script,
        "local x = coordinate(\"x\", {speed = p1})\nmass(x, 1)\n"
        "event(\"mark\", {when = x - %g, direction = \"rising\", set = {[dot(x)] = 2 * dot(x)}})\n",
        range.length);
    put_cost(c, "x", range.length, "final = x");
    put_end(c, range.end);
    c->solve = solve_slow;
}

/* Guards of x = p1 t that fall over many powers of ten before they cross zero at x = p2. */
static void solve_fall(const exact *p, answer *a)
{
    add_event(a, "mark", ((exact)p[1] - (exact)range.length) / p[0]);
    a->cost[0] = a->t[0];
}

static void make_fall(closed_case *c)
{
    static const char *const form[] = {"exp(q * (p2 - x)) - 1", "1 / x^q - 1 / p2^q", "p2^q - x^q",
                                       "1e9 * (exp(-q * x) - exp(-q * p2))",
                                       "(p2 - x)^3 + (p2 - x) * 1e-12"};
    range.kind = below(c, 5);
    range.length = range.kind == 1 ? 0.01 : 0.0;
    put_param(c, between(c, 0.5, 2.0));
    put_param(c, range.kind == 1 ? between(c, 2.0, 10.0) : between(c, 0.5, 1.5));
    range.end = (c->param[1] - range.length) / c->param[0] * between(c, 1.1, 3.0);
    c->polynomial = true;
    c->stops = maybe(c, 0.5);
    const int q = range.kind == 0   ? 5 + below(c, 36)
                  : range.kind == 1 ? 2 + below(c, 6)
                  : range.kind == 3 ? 5 + below(c, 20)
                                    : 1 + below(c, 8);
    put(&c->script,
        "local x = coordinate(\"x\", {start = %g, speed = p1})\nmass(x, 1)\nlocal q = %d\n"
        "event(\"mark\", {when = %s, direction = \"falling\"%s})\n",
        range.length, q, form[range.kind], c->stops ? ", stop = true" : ", charge = {t = t}");
    put_cost(c, "t", 1.0, c->stops ? "final = t" : "");
    put_end(c, range.end);
    if (range.kind == 4) {
        c->gentle = "mark"; /* a triple root but for 1e-12 */
        c->gentle_within = 1e-5;
        c->growth = 1e6;
        c->refusal = GRADIENT_UNKNOWN;
    }
    if (maybe(c, 0.4)) c->max_step = between(c, 0.05, 0.5);
    c->solve = solve_fall;
}

/* v' = -p1 v from the speed p2, until v^power is at 10^-n. */
static void solve_almost(const exact *p, answer *a)
{
    add_event(a, "slow", (logl(p[1]) - logl((exact)range.target) / (exact)range.power) / p[0]);
    a->cost[0] = a->t[0];
}

static void make_almost(closed_case *c)
{
    c->as_it_is = true;
    range.power = 1 + below(c, 4);
    const double v = pow(10.0, -(1 + below(c, 7)));
    range.target = pow(v, range.power);
    put_param(c, between(c, 0.5, 2.0));
    put_param(c, between(c, 0.5, 2.0));
    c->tol = 1e-12;
    c->dopri5 = false;
    c->stops = true;
    put(&c->script,
        "local x = coordinate(\"x\", {speed = p2})\nmass(x, 1)\nforce(x, -p1 * dot(x))\n"
        "event(\"slow\", {when = dot(x)^%d - %.17g, direction = \"falling\", stop = true})\n",
        (int)range.power, range.target);
    put_cost(c, "t", 1.0, "final = t");
    put_end(c, 60.0);
    c->growth = 10.0 / v; /* an absolute error of the speed, late, is one of the time */
    c->solve = solve_almost;
}

/* ---- poles ---------------------------------------------------------------------------------- */

/* Zeros of tan(p1 x + p2), of (x - p2) / (x - q), of an angle by atan2. */
static void solve_poles(const exact *p, answer *a)
{
    const exact pi = acosl(-1.0L), turn = range.kind == 0 ? pi : 2.0L * pi;
    int         n = 0;
    if (range.kind == 1) {
        add_event(a, "zero", p[1]);
        n = 1;
    } else if (range.kind != 3)
        for (int k = 0; k < 60; k++) {
            const exact at = ((exact)k * turn - p[1]) / p[0];
            if (at <= 0.0L || at >= (exact)range.end) continue;
            add_event(a, "zero", at);
            n++;
        }
    a->cost[0] = (exact)n;
}

static bool clear_of_ends(double zero, double end)
{
    return fabs(zero) > 1e-3 && fabs(zero - end) > 1e-3;
}

static void make_poles(closed_case *c)
{
    static const char *const form[] = {"tan(p1 * x + p2)", "(x - p2) / (x - q)",
                                       "atan2(sin(p1 * x + p2), cos(p1 * x + p2))", "1 / (x - p2)"};
    bool                     clear;
    range.kind = below(c, 4);
    do {
        range.end = between(c, 3.0, 10.0);
        c->param[0] = between(c, 0.5, 2.0);
        c->param[1] = between(c, 0.3, 1.4);
        clear = true;
        for (int k = 0; k < 20; k++)
            clear = clear &&
                    clear_of_ends((k * acos(-1.0) / 2.0 - c->param[1]) / c->param[0], range.end);
    } while (!clear);
    for (int i = 0; i < 2; i++) put_param(c, c->param[i]);
    c->polynomial = true;
    put(&c->script,
        "%s\nlocal n, q = memory(\"n\", 0), %.17g\n"
        "event(\"zero\", {when = %s, set = {[n] = n + 1}})\n",
        maybe(c, 0.5) ? "local x = coordinate(\"x\", {speed = 1}) mass(x, 1)"
                      : "local x = t mass(coordinate(\"y\"), 1)",
        c->param[1] + between(c, 0.1, 2.5), form[range.kind]);
    put_cost(c, "n", 1.0, "final = n");
    put_end(c, range.end);
    if (maybe(c, 0.4)) c->max_step = between(c, 0.05, 0.5);
    c->solve = solve_poles;
}

/* The integral of an angle that jumps from pi to -pi. */
static void solve_cut(const exact *p, answer *a)
{
    const exact pi = acosl(-1.0L), last = p[0] * (exact)range.end + p[1];
    const exact turns = floorl((last + pi) / (2.0L * pi)), rest = last - 2.0L * pi * turns;
    a->cost[0] = (rest * rest - p[1] * p[1]) / (2.0L * p[0]);
}

static void make_cut(closed_case *c)
{
    range.end = between(c, 3.0, 10.0);
    put_param(c, between(c, 0.5, 2.0));
    put_param(c, between(c, 0.3, 1.4));
    c->polynomial = true;
    put(&c->script,
        "local x = coordinate(\"x\", {speed = 1})\nmass(x, 1)\n"
        "local s = p1 * %s + p2\nlocal angle = atan2(sin(s), cos(s))\n",
        maybe(c, 0.5) ? "x" : "t");
    put_cost(c, "i", 1.0, "integral = angle");
    put_end(c, range.end);
    c->solve = solve_cut;
}

static const family range_families[] = {{"range-units", make_units}, {"range-slow", make_slow},
                                        {"range-fall", make_fall},   {"range-almost", make_almost},
                                        {"pole-guards", make_poles}, {"pole-cut", make_cut}};

#endif
