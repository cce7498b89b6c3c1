/* Switches, kinks and clocks on a grid, with steps that are commensurate with it and such that are
 * not: what happens at t = k d happens once, wherever steps end. */
#ifndef CLOSED_GRIDS_H
#define CLOSED_GRIDS_H

#include "closed_case.h"

enum { MAX_GRID = 64 };

static struct {
    int    count;
    double end, level[MAX_GRID], wall;
    bool   one_name; /* all switches are the same event */
    int    direction;
    char   name[MAX_GRID][8];
} grid;

/* The width of the grid, then steps of a part or a multiple of it. */
static double grid_width(closed_case *c)
{
    c->polynomial = true;
    const double d = maybe(c, 0.7) ? PICK(c, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 1.0 / 3.0)
                                   : between(c, 0.05, 1.0);
    const double steps[] = {0.0,     0.0,      d,       d / 2.0, d / 3.0, d / 5.0,
                            d / 7.0, d / 10.0, 2.0 * d, 3.0 * d, 0.1,     between(c, 0.3, 2.0) * d};
    c->max_step = pick(c, steps, 12);
    if (maybe(c, 0.5)) c->first_step = pick(c, steps, 12);
    if (c->max_step > 0.0 && c->first_step > c->max_step) c->first_step = c->max_step;
    return d;
}

static void grid_size(closed_case *c, double d)
{
    grid.count = 3 + below(c, maybe(c, 0.2) ? 40 : 10);
    grid.end = d * (grid.count + between(c, 0.2, 0.8));
    for (int k = 0; k <= grid.count; k++) {
        grid.level[k] = 0.25 * (below(c, 9) - 4);
        snprintf(grid.name[k], sizeof grid.name[k], "s%d", k);
    }
}

typedef struct flyer {
    exact x, v, t;
} flyer;

static void fly(flyer *f, exact a, exact until)
{
    const exact dt = until - f->t;
    f->x += (f->v + a * dt / 2.0L) * dt;
    f->v += a * dt;
    f->t = until;
}

/* p1 times a level that changes at t = k p2. */
static void solve_levels(const exact *p, answer *a)
{
    flyer f = {0.0L, 0.0L, 0.0L};
    exact sum = 0.0L;
    for (int k = 0; k <= grid.count; k++) {
        const exact until = k < grid.count ? (exact)(k + 1) * p[1] : (exact)grid.end;
        fly(&f, p[0] * (exact)grid.level[k], until);
        if (k == grid.count) break;
        add_event(a, grid.one_name ? "tick" : grid.name[k + 1], until);
        sum += until * f.v;
    }
    a->cost[0] = f.x;
    a->cost[1] = f.v;
    a->cost[2] = (exact)grid.count;
    a->cost[3] = sum;
}

static void put_level_costs(closed_case *c)
{
    put_cost(c, "x", 1.0, "final = x");
    put_cost(c, "v", 1.0, "final = dot(x)");
    put_cost(c, "n", 1.0, "final = n");
    put_cost(c, "s", 1.0, "");
    put_end(c, grid.end);
    c->solve = solve_levels;
}

static void put_levels(closed_case *c)
{
    put(&c->script, "local level = {");
    for (int k = 0; k <= grid.count; k++) put(&c->script, "%g, ", grid.level[k]);
    put(&c->script, "}\nlocal x = coordinate(\"x\")\nmass(x, 1)\n"
                    "local n, u = memory(\"n\", 0), memory(\"u\", level[1])\nforce(x, p1 * u)\n");
}

/* One event for each switch, in this order or the other way round. */
static void make_switches(closed_case *c)
{
    const double d = grid_width(c);
    grid_size(c, d);
    grid.one_name = false;
    put_param(c, between(c, 0.5, 2.0));
    put_param(c, d);
    put_levels(c);
    put(&c->script, maybe(c, 0.5) ? "for k = 1, %d do\n" : "for k = %d, 1, -1 do\n", grid.count);
    put(&c->script,
        "  event(\"s\" .. k, {when = t - k * p2, %s"
        "set = {[u] = level[k + 1], [n] = n + 1}, charge = {s = t * dot(x)}})\nend\n",
        maybe(c, 0.5) ? "direction = \"rising\", " : "");
    put_level_costs(c);
}

/* A clock: a memory holds the next time. */
static void make_clock(closed_case *c)
{
    const double d = grid_width(c);
    grid_size(c, d);
    for (int k = 1; k <= grid.count; k++) grid.level[k] = -grid.level[k - 1];
    put_param(c, between(c, 0.5, 2.0));
    put_param(c, d);
    put_levels(c);
    put(&c->script,
        "local next = memory(\"next\", p2)\n"
        "event(\"tick\", {when = t - next, direction = \"rising\", "
        "set = {[next] = next + p2, [u] = -u, [n] = n + 1}, charge = {s = t * dot(x)}})\n");
    grid.one_name = true;
    put_level_costs(c);
}

/* Two modes that change on the grid. */
static void solve_modes(const exact *p, answer *a)
{
    flyer f = {0.0L, 0.0L, 0.0L};
    for (int k = 0; k < grid.count; k++) {
        fly(&f, k % 2 ? p[0] : 0.0L, (exact)(k + 1) * p[1]);
        add_event(a, k % 2 ? "off" : "on", f.t);
    }
    fly(&f, grid.count % 2 ? p[0] : 0.0L, (exact)grid.end);
    a->cost[0] = f.x;
    a->cost[1] = f.v;
}

static void make_modes(closed_case *c)
{
    const double d = grid_width(c);
    grid_size(c, d);
    put_param(c, between(c, 0.5, 2.0));
    put_param(c, d);
    put(&c->script, "local x = coordinate(\"x\")\nmass(x, 1)\n"
                    "local next = memory(\"next\", p2)\n"
                    "local off, on = mode \"off\", mode \"on\"\nforce(x, p1, {mode = on})\n"
                    "event(\"on\", {from = off, to = on, when = t - next, "
                    "set = {[next] = next + p2}})\n"
                    "event(\"off\", {from = on, to = off, when = t - next, "
                    "set = {[next] = next + p2}})\n");
    put_cost(c, "x", 1.0, "final = x");
    put_cost(c, "v", 1.0, "final = dot(x)");
    put_end(c, grid.end);
    c->solve = solve_modes;
}

/* A controller that looks every so often, by a guard that is periodic in time or by a clock. */
static void solve_sampled(const exact *p, answer *a)
{
    flyer f = {1.0L, 0.0L, 0.0L};
    exact u = -p[0];
    for (int k = 1; k <= grid.count; k++) {
        fly(&f, u, (exact)k * (exact)grid.wall);
        add_event(a, "sample", f.t);
        u = -p[0] * f.x - p[1] * f.v;
    }
    fly(&f, u, (exact)grid.end);
    a->cost[0] = f.x;
    a->cost[1] = f.v;
}

static void make_sampled(closed_case *c)
{
    grid.wall = grid_width(c);
    if (grid.wall > 0.25) grid.wall = 0.1;
    grid_size(c, grid.wall);
    put_param(c, between(c, 1.0, 8.0));
    put_param(c, between(c, 1.0, 3.0));
    put(&c->script,
        "local T = %.17g\nlocal x = coordinate(\"x\", {start = 1})\nmass(x, 1)\n"
        "local u, next = memory(\"u\", -p1), memory(\"next\", T)\nforce(x, u)\n"
        "event(\"sample\", {when = %s, set = {[u] = -p1 * x - p2 * dot(x), [next] = next + T}})\n",
        grid.wall, maybe(c, 0.6) ? "sin(math.pi / T * t)" : "t - next");
    put_cost(c, "x", 1.0, "final = x");
    put_cost(c, "v", 1.0, "final = dot(x)");
    put_end(c, grid.end);
    c->solve = solve_sampled;
}

/* Forces made of kinks: trapezoids, saw teeth. */
static void solve_ramps(const exact *p, answer *a)
{
    memset(a->cost, 0, sizeof a->cost);
    for (int k = 1; k <= grid.count; k++) {
        const exact at = (exact)k * p[1], rest = (exact)grid.end - at;
        const exact level = (exact)grid.level[k];
        a->cost[0] += p[0] * level * rest * rest * rest / 6.0L;
        a->cost[1] += p[0] * level * rest * rest / 2.0L;
        a->cost[2] += level * (at * at + rest * rest) / 2.0L;
    }
}

static void make_ramps(closed_case *c)
{
    const double d = grid_width(c);
    const bool   trapezoid = maybe(c, 0.4);
    grid_size(c, d);
    for (int k = 1; k <= grid.count && trapezoid; k++)
        grid.level[k] = k % 4 == 1 || k % 4 == 0 ? 1.0 : -1.0;
    put_param(c, between(c, 0.5, 2.0));
    put_param(c, d);
    put_levels(c);
    put(&c->script,
        "local ramps, roofs = 0, 0\nfor k = 1, %d do\n"
        "  ramps = ramps + level[k + 1] * max(0, t - k * p2)\n"
        "  roofs = roofs + level[k + 1] * abs(t - k * p2)\nend\n"
        "force(x, p1 * (ramps - u))\n",
        grid.count);
    put_cost(c, "x", 1.0, "final = x");
    put_cost(c, "v", 1.0, "final = dot(x)");
    put_cost(c, "i", 1.0, "integral = roofs");
    put_end(c, grid.end);
    c->solve = solve_ramps;
}

/* A mass between two walls, at constant speed: the grid is one of places. */
static void solve_walls(const exact *p, answer *a)
{
    exact x = 0.0L, t = 0.0L, v = p[0];
    for (int k = 0; k < 200; k++) {
        const exact target = v > 0.0L ? (exact)grid.wall : -(exact)grid.wall;
        const exact hit = t + (target - x) / v;
        if (hit >= (exact)grid.end) break;
        add_event(a, v > 0.0L ? "right" : "left", hit);
        x = target;
        t = hit;
        v = -p[1] * v;
    }
    a->cost[0] = x + v * ((exact)grid.end - t);
    a->cost[1] = v;
}

static void make_walls(closed_case *c)
{
    const double d = grid_width(c), speed = maybe(c, 0.5) ? 1.0 : between(c, 0.5, 2.0);
    const double e = maybe(c, 0.5) ? 1.0 : between(c, 0.7, 1.2);
    const bool   restitution = maybe(c, 0.5);
    grid.wall = d * (1 + below(c, 3));
    double walls = between(c, 1.1, 9.0);
    if (fabs(fmod(walls, 2.0) - 1.0) < 1e-6) walls += 0.01; /* not at the very end */
    grid.end = grid.wall / speed * walls;
    put_param(c, speed);
    put_param(c, e);
    put(&c->script, "local x = coordinate(\"x\", {speed = p1})\nmass(x, 1)\n");
    for (int side = 1; side >= -1; side -= 2)
        put(&c->script, "event(\"%s\", {when = %.17g - %d * x, direction = \"falling\", %s})\n",
            side > 0 ? "right" : "left", grid.wall, side,
            restitution ? "restitution = p2" : "set = {[dot(x)] = -p2 * dot(x)}");
    put_cost(c, "x", grid.wall, "final = x");
    put_cost(c, "v", speed, "final = dot(x)");
    put_end(c, grid.end);
    c->solve = solve_walls;
}

/* A velocity that vanishes just where the automatic first step ends. */
static void solve_turn(const exact *p, answer *a)
{
    const exact turn = p[0] / (p[1] + 1.0L), rest = 1.0L - turn;
    if (grid.one_name) add_event(a, "turn", turn);
    a->cost[0] = -(p[1] - 1.0L) * rest;
    a->cost[1] = p[0] * turn / 2.0L - (p[1] - 1.0L) * rest * rest / 2.0L;
}

static void make_turn(closed_case *c)
{
    const int kind = below(c, 3);
    c->polynomial = true;
    put_param(c, pow(10.0, between(c, -12.0, -1.0)));
    put_param(c, between(c, 1.5, 4.0));
    put(&c->script, "local x = coordinate(\"x\", {speed = p1})\nmass(x, 1)\n");
    if (kind == 0) put(&c->script, "force(x, -p2 - sign(dot(x)))\n");
    if (kind == 1)
        put(&c->script, "local there, back = mode \"there\", mode \"back\"\n"
                        "force(x, -p2 - 1, {mode = there})\nforce(x, -p2 + 1, {mode = back})\n"
                        "event(\"turn\", {from = there, to = back, when = dot(x), "
                        "direction = \"falling\"})\n");
    if (kind == 2)
        put(&c->script, "local s = memory(\"s\", 1)\nforce(x, -p2 - s)\n"
                        "event(\"turn\", {when = dot(x), set = {[s] = -1}})\n");
    grid.one_name = kind > 0;
    put_cost(c, "v", 1.0, "final = dot(x)");
    put_cost(c, "x", 1.0, "final = x");
    put_end(c, 1.0);
    if (maybe(c, 0.3)) c->first_step = between(c, 0.001, 0.5);
    c->solve = solve_turn;
}

/* A wave that is zero wherever steps end, and of which every second zero may be an event. */
static void solve_waves(const exact *p, answer *a)
{
    a->cost[0] = 0.0L;
    for (int k = 1; k <= grid.count; k++) {
        if (grid.direction && grid.direction != (k % 2 ? -1 : 1)) continue;
        add_event(a, "zero", (exact)k * p[0]);
        a->cost[0] += (exact)k * p[0];
    }
}

static void make_waves(closed_case *c)
{
    const double d = grid_width(c);
    c->as_it_is = true;
    grid_size(c, d);
    grid.direction = below(c, 3) - 1;
    c->shift = d * (maybe(c, 0.5) ? 0 : below(c, 2000));
    c->time_unit = fmax(1.0, fabs(c->shift));
    put_param(c, d);
    put(&c->script,
        "local x = coordinate(\"x\", {speed = 1})\nmass(x, 1)\nlocal late = t - (%.17g)\n"
        "event(\"zero\", {when = sin(math.pi * %s / p1), ",
        c->shift, maybe(c, 0.3) ? "x" : "late");
    put_direction(c, grid.direction);
    put(&c->script, ", charge = {s = late}})\n");
    put_cost(c, "s", grid.count * (c->time_unit + grid.end), "");
    put(&c->script, "horizon(%.17g, %.17g)\n", c->shift, c->shift + grid.end);
    c->solve = solve_waves;
}

/* An event that stops the motion at its own guard: from there it goes on, to the other side or
 * back, and happens once, or each time it comes back. */
static void solve_halt(const exact *p, answer *a)
{
    const exact turn = sqrtl(2.0L * p[1] / p[0]), rest = (exact)grid.end - turn;
    add_event(a, "stop", turn);
    a->cost[0] = p[1] + (exact)grid.direction * p[0] * rest * rest / 2.0L;
}

static void make_halt(closed_case *c)
{
    c->polynomial = true;
    put_param(c, between(c, 0.5, 5.0));
    put_param(c, between(c, 0.2, 2.0));
    grid.direction = maybe(c, 0.5) ? 1 : -1;
    grid.end = sqrt(2.0 * c->param[1] / c->param[0]) * between(c, 1.2, 3.0);
    put(&c->script,
        "local x, s = coordinate(\"x\"), memory(\"s\", 1)\nmass(x, 1)\nforce(x, p1 * s)\n"
        "event(\"stop\", {when = x - p2, set = {[dot(x)] = 0, [s] = %d}, ",
        grid.direction);
    put_direction(c, below(c, 2));
    put(&c->script, "})\n");
    put_cost(c, "x", 1.0, "final = x");
    put_end(c, grid.end);
    if (maybe(c, 0.4)) c->max_step = grid.end * between(c, 0.03, 0.3);
    c->solve = solve_halt;
}

static const family grids[] = {
    {"grid-switches", make_switches}, {"grid-clock", make_clock}, {"grid-modes", make_modes},
    {"grid-sampled", make_sampled},   {"grid-ramps", make_ramps}, {"grid-walls", make_walls},
    {"grid-turn", make_turn},         {"grid-waves", make_waves}, {"grid-halt", make_halt}};

#endif
