/* Guards and kinks that come close to zero, at all depths. Events that only count are there in
 * pairs, or (at the depth of rounding) not at all. Kinks are continuous: values are right and have
 * gradients whatever the depth. */
#ifndef CLOSED_GRAZING_H
#define CLOSED_GRAZING_H

#include "closed_case.h"
#include "piecewise.h"

static struct {
    double depth, end, phase;
    int    kind;
} graze;

/* 1e-1 ... 1e-16 on either side of zero, and zero. */
static double any_depth(closed_case *c)
{
    if (maybe(c, 0.1)) return 0.0;
    return (maybe(c, 0.6) ? 1.0 : -1.0) * pow(10.0, between(c, -16.0, -1.0));
}

/* ---- guards --------------------------------------------------------------------------------- */

/* sin(p1 t + phase) - 1 + depth */
static void solve_peaks(const exact *p, answer *a)
{
    const exact pi = acosl(-1.0L), level = 1.0L - (exact)graze.depth;
    const exact half = graze.depth > 0.0 ? acosl(level) : 0.0L;
    for (int k = -2; k < 40; k++) {
        const exact top = pi / 2.0L + 2.0L * pi * (exact)k - (exact)graze.phase;
        const exact up = (top - half) / p[0], down = (top + half) / p[0];
        if (graze.depth < -1e-12) continue;
        if (up > 0.0L && up < (exact)graze.end) add_event(a, "up", up);
        if (down > 0.0L && down < (exact)graze.end) add_event(a, "down", down);
    }
    a->cost[0] = (exact)graze.end;
}

/* No peak is at the start or at the end. */
static bool peaks_inside(const closed_case *c)
{
    const double turn = 2.0 * acos(-1.0);
    const double first = fmod(graze.phase - 0.25 * turn + 4.0 * turn, turn);
    const double last =
        fmod(c->param[0] * graze.end + graze.phase - 0.25 * turn + 4.0 * turn, turn);
    return first > 0.6 && first < turn - 0.6 && last > 0.6 && last < turn - 0.6;
}

static void make_peaks(closed_case *c)
{
    graze.depth = any_depth(c);
    do {
        c->param[0] = between(c, 0.5, 4.0);
        graze.phase = between(c, 0.0, 6.2);
        graze.end = between(c, 3.0, 8.0);
    } while (!peaks_inside(c));
    put_param(c, c->param[0]);
    c->polynomial = true;
    put(&c->script,
        "mass(coordinate(\"x\"), 1)\nlocal guard = sin(p1 * t + %.17g) - %.17g\n"
        "event(\"up\", {when = guard, direction = \"rising\"})\n"
        "event(\"down\", {when = guard, direction = \"falling\"})\n",
        graze.phase, 1.0 - graze.depth);
    graze.depth = 1.0 - (1.0 - graze.depth); /* as the script has it */
    c->depth = fabs(graze.depth);
    put_cost(c, "t", 1.0, "final = t");
    put_end(c, graze.end);
    if (fabs(graze.depth) < 1e-12) {
        c->doubtful = true;
        c->doubtful_within = 1e-4;
        c->refusal = GRADIENT_MAY_GRAZE;
    } else c->growth = 1.0 + 1e-4 / sqrt(fabs(graze.depth));
    if (graze.depth > 0.0 && graze.depth < 1e-11) c->refusal = GRADIENT_MAY_GRAZE;
    c->solve = solve_peaks;
}

/* ---- kinks ---------------------------------------------------------------------------------- */

/* The integral of max(p2, sin(p1 t + phase)), p2 = 1 - depth. */
static void solve_capped(const exact *p, answer *a)
{
    const exact pi = acosl(-1.0L), end = (exact)graze.end;
    const exact half = p[1] < 1.0L ? acosl(p[1]) : 0.0L;
    exact       sum = p[1] * end;
    for (int k = -2; k < 40; k++) {
        const exact top = pi / 2.0L + 2.0L * pi * (exact)k - (exact)graze.phase;
        const exact up = fmaxl((top - half) / p[0], 0.0L), down = fminl((top + half) / p[0], end);
        if (!(down > up)) continue;
        sum +=
            (cosl(p[0] * up + (exact)graze.phase) - cosl(p[0] * down + (exact)graze.phase)) / p[0] -
            p[1] * (down - up);
    }
    a->cost[0] = a->cost[1] = sum;
}

static void make_capped(closed_case *c)
{
    graze.depth = any_depth(c);
    graze.phase = between(c, 0.0, 6.2);
    graze.end = between(c, 3.0, 8.0);
    put_param(c, between(c, 0.5, 4.0));
    put_param(c, 1.0 - graze.depth);
    put(&c->script,
        "local s = sin(p1 * t + %.17g)\nlocal y = coordinate(\"y\")\nmass(y, 1)\nlocal f = %s\n"
        "force(y, f)\n",
        graze.phase, maybe(c, 0.5) ? "max(p2, s)" : "-min(-p2, -s)");
    put_cost(c, "i", 1.0, "integral = f");
    put_cost(c, "v", 1.0, "final = dot(y)");
    put_end(c, graze.end);
    if (maybe(c, 0.3)) c->max_step = between(c, 0.01, 0.5);
    c->solve = solve_capped;
}

/* x = p1 ((t - p2)^2 - depth) touches zero; |x|, max(x, 0), x |x| act on another coordinate. */
static void solve_touch(const exact *p, answer *a)
{
    static piecewise x, size;
    const exact_poly zero = exact_constant(0.0L);
    const exact_poly path = {
        3, {p[0] * (p[1] * p[1] - (exact)graze.depth), -2.0L * p[0] * p[1], p[0]}};
    static piecewise none;
    piecewise_start(&x, 0.0L, (exact)graze.end, &path);
    piecewise_start(&none, 0.0L, (exact)graze.end, &zero);
    if (graze.kind == 0) piecewise_abs(&x, &size);
    if (graze.kind == 1) piecewise_apply(PIECE_MAX, &x, &none, &size);
    if (graze.kind == 2) piecewise_apply(PIECE_MIN, &x, &none, &size);
    if (graze.kind == 3) {
        static piecewise positive;
        piecewise_abs(&x, &positive);
        piecewise_apply(PIECE_MUL, &positive, &x, &size);
    }
    a->cost[0] = a->cost[1] = piecewise_integral(&size);
}

static void make_touch(closed_case *c)
{
    static const char *const form[] = {"abs(x)", "max(x, 0)", "min(0, x)", "x * abs(x)"};
    graze.depth = any_depth(c);
    graze.kind = below(c, 4);
    c->polynomial = true;
    put_param(c, between(c, 0.5, 2.0));
    put_param(c, maybe(c, 0.5) ? PICK(c, 0.5, 1.0, 0.25) : between(c, 0.3, 1.5));
    graze.end = c->param[1] + between(c, 0.3, 1.5);
    put(&c->script,
        "local x = coordinate(\"x\", {start = p1 * (p2^2 - (%.17g)), speed = -2 * p1 * p2})\n"
        "local y = coordinate(\"y\")\nmass(x, 1) mass(y, 1)\nforce(x, 2 * p1)\n"
        "local f = %s\nforce(y, f)\n",
        graze.depth, form[graze.kind]);
    put_cost(c, "i", 1.0, "integral = f");
    put_cost(c, "v", 1.0, "final = dot(y)");
    put_end(c, graze.end);
    if (maybe(c, 0.4)) c->max_step = PICK(c, 0.1, 0.25, 0.05);
    /* a kink does not see what is below a tenth of the tolerance; this is what the dip is worth */
    if (graze.depth > 0.0 && c->param[0] * graze.depth < 0.2 * c->tol)
        c->growth += 8.0 / 3.0 * c->param[0] * pow(graze.depth, 1.5) / (ALLOWED * ROUNDING);
    c->solve = solve_touch;
}

static const family grazing_families[] = {
    {"graze-peaks", make_peaks}, {"graze-capped", make_capped}, {"graze-touch", make_touch}};

#endif
