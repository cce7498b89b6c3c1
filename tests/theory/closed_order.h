/* Several guards in one step, some of whose crossings do not fire: guards with a kink inside,
 * conditions that are not met, directions. Nothing overtakes what happens before it, and what was
 * passed by without an event is not made up for later. Guards thrown across zero fire once. */
#ifndef CLOSED_ORDER_H
#define CLOSED_ORDER_H

#include "closed_case.h"

enum { ORDER_ROOTS = 6, ORDER_THROWS = 8 };

static struct {
    int    direction;
    double level, end;
} swings;

static struct {
    int    count[2], direction[2];
    double offset[2][ORDER_ROOTS], factor[2], from, end;
    bool   of_flight;
} mixed;

static struct {
    int    count;
    double period, depth, end;
    bool   at_start;
} ticks;

static struct {
    int    direction;
    double end;
} counted;

static const exact ORDER_PI = 3.14159265358979323846264338328L;

/* The times are those of the answer's events of this name. */
static void sum_up(answer *a, const char *name, int first_cost)
{
    a->cost[first_cost] = a->cost[first_cost + 1] = 0.0L;
    for (int i = 0; i < a->events; i++) {
        if (strcmp(a->name[i], name) != 0) continue;
        a->cost[first_cost] += 1.0L;
        a->cost[first_cost + 1] += a->t[i] * a->t[i];
    }
}

/* ---- abs(sin(p2 t + p1)) - level ------------------------------------------------------------ */

static void solve_swings(const exact *p, answer *a)
{
    const exact half = asinl((exact)swings.level);
    for (int k = 0; k < CASE_EVENTS / 2; k++) {
        const exact rise = ((exact)k * ORDER_PI + half - p[0]) / p[1];
        const exact fall = ((exact)(k + 1) * ORDER_PI - half - p[0]) / p[1];
        if (swings.direction >= 0 && rise > 0.0L && rise < (exact)swings.end)
            add_event(a, "level", rise);
        if (swings.direction <= 0 && fall > 0.0L && fall < (exact)swings.end)
            add_event(a, "level", fall);
    }
    sum_up(a, "level", 0);
}

static void make_swings(closed_case *c)
{
    swings.direction = below(c, 3) - 1;
    swings.level = PICK(c, 0.01, 0.1, 0.3, 0.7, 0.95);
    put_param(c, between(c, 1.4, 1.7)); /* the start is on top */
    put_param(c, between(c, 1.0, 20.0));
    /* the end is on top as well */
    const int tops = 1 + below(c, 20);
    swings.end = (tops * (double)ORDER_PI + between(c, 1.5, 1.6) - c->param[0]) / c->param[1];
    if (maybe(c, 0.3)) c->max_step = between(c, 0.02, 0.5) * swings.end;
    put(&c->script, "local x = coordinate(\"x\", {start = 1})\nmass(x, 1)\nforce(x, 0.1)\n"
                    "local n = memory(\"n\", 0)\n");
    put(&c->script, "event(\"level\", {when = abs(sin(p2 * t + p1)) - %.17g, ", swings.level);
    put_direction(c, swings.direction);
    put(&c->script, ", set = {[n] = n + 1}, charge = {s = t^2}})\n");
    put_cost(c, "n", 1.0, "final = n");
    put_cost(c, "s", 1.0, "final = 0");
    put_end(c, swings.end);
    c->solve = solve_swings;
}

/* ---- two products of roots, between one another --------------------------------------------- */

static const char *const MIXED[2] = {"first", "second"};

static void solve_mixed_one(const exact *p, int which, answer *a)
{
    int rising = (mixed.count[which] % 2 ? 1 : -1) * (mixed.factor[which] > 0.0 ? 1 : -1);
    for (int i = 0; i < mixed.count[which]; i++, rising = -rising) {
        const exact at = (p[0] + (exact)mixed.offset[which][i]) / p[1];
        if (mixed.direction[which] && mixed.direction[which] != rising) continue;
        if (which == 0 && at < (exact)mixed.from) continue;
        add_event(a, MIXED[which], at);
    }
    sum_up(a, MIXED[which], 2 * which);
}

static void solve_mixed(const exact *p, answer *a)
{
    for (int which = 0; which < 2; which++) solve_mixed_one(p, which, a);
}

static void put_mixed(closed_case *c, int which)
{
    put(&c->script, "event(\"%s\", {when = %.17g", MIXED[which], mixed.factor[which]);
    for (int i = 0; i < mixed.count[which]; i++)
        put(&c->script, " * (%s - p1 - %.17g)", mixed.of_flight ? "x" : "p2 * t",
            mixed.offset[which][i]);
    put(&c->script, ", ");
    put_direction(c, mixed.direction[which]);
    if (which == 0) put(&c->script, ", where = t - %.17g", mixed.from);
    put(&c->script, ", set = {[n%d] = n%d + 1}, charge = {s%d = t^2}})\n", which, which, which);
}

/* Places, apart from one another, are dealt out to the two guards. */
static void deal(closed_case *c)
{
    double at = between(c, 0.1, 0.5);
    mixed.count[0] = mixed.count[1] = 0;
    for (int i = 0; i < 9; i++, at += between(c, 0.1, 0.4)) {
        const int which = below(c, 2);
        if (mixed.count[which] < ORDER_ROOTS) mixed.offset[which][mixed.count[which]++] = at;
    }
    mixed.end = at;
}

static void make_mixed(closed_case *c)
{
    deal(c);
    mixed.of_flight = maybe(c, 0.5);
    put_param(c, between(c, 0.1, 0.5));
    put_param(c, between(c, 0.8, 1.25));
    mixed.end = (mixed.end + c->param[0]) / c->param[1];
    /* between two of them, so that no condition is nearly zero where it counts */
    mixed.from = mixed.count[0] > 1 ? (0.5 * (mixed.offset[0][mixed.count[0] / 2 - 1] +
                                              mixed.offset[0][mixed.count[0] / 2]) +
                                       c->param[0]) /
                                          c->param[1]
                                    : 0.0;
    if (maybe(c, 0.3)) mixed.from = 0.0;
    put(&c->script, "local x = coordinate(\"x\", {speed = p2})\nmass(x, 1)\n"
                    "local n0, n1 = memory(\"n0\", 0), memory(\"n1\", 0)\n");
    const int first = below(c, 2);
    for (int which = 0; which < 2; which++) {
        mixed.direction[which] = below(c, 3) - 1;
        mixed.factor[which] = (maybe(c, 0.5) ? 1.0 : -1.0) * pow(10.0, below(c, 5) - 2);
    }
    for (int k = 0; k < 2; k++)
        if (mixed.count[k == 0 ? first : 1 - first] > 0) put_mixed(c, k == 0 ? first : 1 - first);
    put_cost(c, "n0", 1.0, "final = n0");
    put_cost(c, "s0", 1.0, "final = 0");
    put_cost(c, "n1", 1.0, "final = n1");
    put_cost(c, "s1", 1.0, "final = 0");
    put_end(c, mixed.end);
    c->polynomial = true;
    c->solve = solve_mixed;
}

/* ---- a guard that another event throws across zero ------------------------------------------ */

/* A clock strikes at p1, p1 + period, ... and puts a level above x = p2 t, which x passes later. */
static void solve_ticks(const exact *p, answer *a)
{
    if (ticks.at_start) add_event(a, "below", 0.0L);
    if (ticks.at_start) add_event(a, "above", (exact)ticks.depth / p[1]);
    for (int k = 0; k < ticks.count; k++) {
        const exact at = p[0] + (exact)k * (exact)ticks.period;
        add_event(a, "clock", at);
        add_event(a, "below", at);
        add_event(a, "above", at + (exact)ticks.depth / p[1]);
    }
    sum_up(a, "below", 0);
    sum_up(a, "above", 2);
}

static void make_ticks(closed_case *c)
{
    ticks.count = 1 + below(c, ORDER_THROWS);
    ticks.period = between(c, 0.5, 2.0);
    ticks.at_start = maybe(c, 0.3);
    put_param(c, between(c, 0.5, 1.0));
    put_param(c, between(c, 0.5, 2.0));
    ticks.depth = between(c, 0.1, 0.4) * c->param[1];
    ticks.end = c->param[0] + (ticks.count - 0.05) * ticks.period;
    put(&c->script,
        "local x = coordinate(\"x\", {speed = p2})\nmass(x, 1)\n"
        "local n, m, tick = memory(\"n\", 0), memory(\"m\", 0), memory(\"tick\", p1)\n");
    put(&c->script, "local level = memory(\"level\", %.17g)\n",
        ticks.at_start ? ticks.depth : -0.3);
    put(&c->script,
        "event(\"clock\", {when = t - tick, direction = \"rising\",\n"
        "  set = {[tick] = tick + %.17g, [level] = x + %.17g}})\n",
        ticks.period, ticks.depth);
    put(&c->script, "event(\"below\", {when = x - level, direction = \"falling\", "
                    "enter = \"fire\",\n  set = {[n] = n + 1}, charge = {s = t^2}})\n"
                    "event(\"above\", {when = x - level, direction = \"rising\",\n"
                    "  set = {[m] = m + 1}, charge = {u = t^2}})\n");
    put_cost(c, "n", 1.0, "final = n");
    put_cost(c, "s", 1.0, "final = 0");
    put_cost(c, "m", 1.0, "final = m");
    put_cost(c, "u", 1.0, "final = 0");
    put_end(c, ticks.end);
    c->polynomial = true;
    c->solve = solve_ticks;
}

/* ---- a bounce, and a counter of its guard, in either order ---------------------------------- */

static const exact ORDER_G = 9.81L;

static void solve_counted(const exact *p, answer *a)
{
    const exact first = sqrtl(2.0L * p[0] / ORDER_G);
    exact       flight = 2.0L * first;
    for (exact t = first; t < (exact)counted.end; flight *= p[1], t += flight) {
        add_event(a, "bounce", t);
        if (counted.direction <= 0) add_event(a, "count", t);
    }
    sum_up(a, "count", 0);
}

/* The end is in the middle of the last flight. */
static void choose_end(closed_case *c)
{
    double flight = 2.0 * sqrt(2.0 * c->param[0] / (double)ORDER_G);
    counted.end = 0.5 * flight;
    for (int k = below(c, 6); k > 0; k--) counted.end += flight *= c->param[1];
    counted.end += between(c, 0.2, 0.8) * flight * c->param[1];
}

static void make_counted(closed_case *c)
{
    static const char *const laws[] = {
        "event(\"bounce\", {when = y, direction = \"falling\", restitution = p2})\n",
        "event(\"bounce\", {when = y, direction = \"falling\", set = {[dot(y)] = -p2 * dot(y)}})\n",
        "contact {gap = y, restitution = p2, name = \"bounce\"}\n"};
    const char *law = laws[below(c, 3)];
    const bool  law_first = maybe(c, 0.5);
    counted.direction = below(c, 3) - 1;
    put_param(c, between(c, 0.5, 2.0));
    put_param(c, between(c, 0.5, 0.9));
    choose_end(c);
    put(&c->script, "local y = coordinate(\"y\", {start = p1})\nmass(y, 1)\nforce(y, -9.81)\n"
                    "local n = memory(\"n\", 0)\n");
    if (law_first) put(&c->script, "%s", law);
    put(&c->script, "event(\"count\", {when = y, ");
    put_direction(c, counted.direction);
    put(&c->script, ", set = {[n] = n + 1}, charge = {s = t^2}})\n");
    if (!law_first) put(&c->script, "%s", law);
    put_cost(c, "n", 1.0, "final = n");
    put_cost(c, "s", 1.0, "final = 0");
    put_end(c, counted.end);
    c->polynomial = true;
    c->solve = solve_counted;
}

static const family order_families[] = {{"order-counted", make_counted},
                                        {"order-kink", make_swings},
                                        {"order-step", make_mixed},
                                        {"order-thrown", make_ticks}};

#endif
