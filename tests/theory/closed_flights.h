/* Balls whose flights are polynomials: a thrust that grows, terrains that are cubics and quintics,
 * two balls that hit the floor at (almost) the same time. */
#ifndef CLOSED_FLIGHTS_H
#define CLOSED_FLIGHTS_H

#include "closed_case.h"

static struct {
    double end, gap, x, y, vy, ground[6];
    int    degree;
    exact  least_gap, least_rate; /* what happened in the last solution */
} flights;

static void note_bounce(exact gap, exact rate)
{
    flights.least_gap = fminl(flights.least_gap, gap);
    flights.least_rate = fminl(flights.least_rate, fabsl(rate));
}

/* How long until the height, a polynomial of the time since the last bounce, falls through zero;
 * negative if it does not. A ball that starts on the ground has the root 0, which is divided out.
 */
static exact time_of_flight(exact_poly height, bool bounced, exact most)
{
    exact root[EXACT_TERMS];
    if (bounced) {
        for (int i = 1; i < height.terms; i++) height.c[i - 1] = height.c[i];
        height.terms--;
    }
    const int count = exact_roots(&height, 0.0L, most, root);
    if (!(height.c[0] > 0.0L)) current->solved_wrong = true;
    return count ? root[0] : -1.0L;
}

/* -9.81 + p1 t, restitution p2, from height p3 */
static void solve_thrust(const exact *p, answer *a)
{
    exact t = 0.0L, y = p[2], v = 0.0L, rest = (exact)flights.end;
    flights.least_gap = flights.least_rate = 1.0L;
    for (int k = 0; k < 60; k++) {
        const exact_poly height = {4, {y, v, (-9.81L + p[0] * t) / 2.0L, p[0] / 6.0L}};
        const exact_poly speed = exact_derivative(&height);
        const exact      dt = time_of_flight(height, k > 0, rest);
        if (dt < 0.0L || current->solved_wrong) {
            a->cost[0] = exact_value(&height, rest);
            a->cost[1] = exact_value(&speed, rest);
            return;
        }
        add_event(a, "floor", t + dt);
        note_bounce(dt, exact_value(&speed, dt));
        v = -p[1] * exact_value(&speed, dt);
        y = 0.0L;
        t += dt;
        rest -= dt;
    }
    current->solved_wrong = true;
}

/* Draws until the motion is one that a test can speak of. */
static bool good_flight(closed_case *c)
{
    static solution s;
    c->solved_wrong = false;
    solve_at(c, -1, 0.0L, &s.at);
    if (c->solved_wrong || s.at.events < 1 || s.at.events > 40) return false;
    if (flights.least_gap < 1e-3L || flights.least_rate < 1e-2L) return false;
    if ((exact)flights.end - s.at.t[s.at.events - 1] < 1e-3L) return false;
    solve_case(c, &s);
    for (int i = 0; i < c->costs; i++)
        if (!(condition(c, &s, i, false) < 1e5)) return false;
    return !c->solved_wrong;
}

static void flight_steps(closed_case *c)
{
    if (maybe(c, 0.3)) c->max_step = between(c, 0.01, 0.5);
    if (maybe(c, 0.3)) c->first_step = between(c, 0.001, 0.01);
}

static void make_thrust(closed_case *c)
{
    c->polynomial = true;
    c->solve = solve_thrust;
    c->params = 3;
    c->costs = 2;
    do {
        flights.end = between(c, 4.0, 9.0);
        c->param[0] = between(c, 1.0, 8.0);
        c->param[1] = between(c, 0.4, 1.0);
        c->param[2] = between(c, 0.1, 3.0);
    } while (!good_flight(c));
    c->params = c->costs = 0;
    for (int i = 0; i < 3; i++) put_param(c, c->param[i]);
    flight_steps(c);
    put(&c->script,
        "local y = coordinate(\"y\", {start = p3})\nmass(y, 1)\nforce(y, -9.81 + p1 * t)\n"
        "event(\"floor\", {when = y, direction = \"falling\", restitution = p2})\n");
    put_cost(c, "y", 1.0, "final = y");
    put_cost(c, "v", 1.0, "final = dot(y)");
    put_end(c, flights.end);
}

/* y = 9.81 t^2 / 2 ... over a ground that is a polynomial of x, restitution p1, speed p2 */
static void solve_terrain(const exact *p, answer *a)
{
    exact t = 0.0L, x = (exact)flights.x, y = (exact)flights.y, vx = p[1], vy = (exact)flights.vy;
    exact rest = (exact)flights.end;
    exact_poly ground = {flights.degree + 1, {0.0L}};
    for (int i = 0; i <= flights.degree; i++) ground.c[i] = (exact)flights.ground[i];
    const exact_poly slope = exact_derivative(&ground);
    flights.least_gap = flights.least_rate = 1.0L;
    for (int k = 0; k < 60; k++) {
        exact_poly below_it = exact_shifted(&ground, x), height = {3, {y, vy, -9.81L / 2.0L}};
        exact      power = 1.0L;
        for (int i = 0; i < below_it.terms; i++, power *= vx) below_it.c[i] *= power;
        height = exact_sum(&height, &below_it, -1.0L);
        const exact dt = time_of_flight(height, k > 0, rest);
        const exact step = dt < 0.0L || current->solved_wrong ? rest : dt;
        x += vx * step;
        y += (vy - 9.81L * step / 2.0L) * step;
        vy -= 9.81L * step;
        if (step == rest) {
            a->cost[0] = x;
            a->cost[1] = y;
            return;
        }
        const exact n = exact_value(&slope, x), rate = vy - n * vx;
        const exact blow = -(1.0L + p[0]) * rate / (1.0L + n * n);
        add_event(a, "ground", t += dt);
        note_bounce(dt, rate);
        y = exact_value(&ground, x);
        vx -= n * blow;
        vy += blow;
        rest -= dt;
    }
    current->solved_wrong = true;
}

static void make_terrain(closed_case *c)
{
    c->polynomial = true;
    c->dopri5 = false;
    c->solve = solve_terrain;
    c->params = c->costs = 2;
    do {
        flights.degree = maybe(c, 0.5) ? 3 : 5;
        flights.end = between(c, 0.5, 2.5);
        c->param[0] = between(c, 0.3, 1.0);
        c->param[1] = between(c, -3.0, 3.0);
        flights.x = between(c, -1.5, 1.5);
        flights.y = between(c, 0.5, 3.0);
        flights.vy = between(c, -3.0, 3.0);
        for (int i = 0; i <= flights.degree; i++)
            flights.ground[i] = between(c, -0.5, 0.5) / (i > 3 ? 5.0 : 1.0);
    } while (fabs(c->param[1]) < 0.01 || !good_flight(c));
    c->params = c->costs = 0;
    for (int i = 0; i < 2; i++) put_param(c, c->param[i]);
    flight_steps(c);
    put(&c->script,
        "local x = coordinate(\"x\", {start = %.17g, speed = p2})\n"
        "local y = coordinate(\"y\", {start = %.17g, speed = %.17g})\n"
        "mass(x, 1) mass(y, 1) force(y, -9.81)\nlocal ground = 0",
        flights.x, flights.y, flights.vy);
    for (int i = 0; i <= flights.degree; i++)
        put(&c->script, " + (%.17g) * x^%d", flights.ground[i], i);
    put(&c->script, "\nevent(\"ground\", {when = y - ground, direction = \"falling\", "
                    "restitution = p1})\n");
    put_cost(c, "x", 1.0, "final = x");
    put_cost(c, "y", 1.0, "final = y");
    put_end(c, flights.end);
}

/* One ball from a height, restitution e: where it is at the end. */
static exact drop(answer *a, const char *name, exact height, exact e, exact end)
{
    const exact g = 9.81L;
    exact       t = sqrtl(2.0L * height / g), v = g * t;
    if (t >= end) return height - g * end * end / 2.0L;
    for (;;) {
        add_event(a, name, t);
        if (current->solved_wrong) return 0.0L;
        v *= e;
        const exact rest = end - t, flight = 2.0L * v / g;
        if (flight >= rest) return v * rest - g * rest * rest / 2.0L;
        t += flight;
    }
}

static void solve_pair(const exact *p, answer *a)
{
    a->cost[0] = drop(a, "fa", p[0], p[1], (exact)flights.end);
    a->cost[1] = drop(a, "fb", p[0] + (exact)flights.gap, p[1], (exact)flights.end);
}

/* Zero, or of any size from rounding to a millionth. */
static double tiny(closed_case *c)
{
    if (maybe(c, 0.1)) return 0.0;
    return (maybe(c, 0.5) ? 1.0 : -1.0) *
           pow(10.0, between(c, -16.0, maybe(c, 0.5) ? -6.0 : -10.0));
}

/* A time while the ball of p1 and p2 flies, after this many bounces. */
static double end_in_flight(closed_case *c, int bounces)
{
    double flight = 2.0 * sqrt(2.0 * c->param[0] / 9.81), t = 0.5 * flight;
    for (int k = 0; k < bounces; k++) {
        flight *= c->param[1];
        if (k + 1 < bounces) t += flight;
    }
    return t + between(c, 0.2, 0.8) * flight;
}

static void make_pair(closed_case *c)
{
    const bool restitution = maybe(c, 0.5), swap = maybe(c, 0.5);
    c->polynomial = true;
    flights.gap = tiny(c);
    put_param(c, between(c, 0.3, 2.0));
    put_param(c, between(c, 0.7, 1.0));
    flights.end = end_in_flight(c, 1 + below(c, 8));
    flight_steps(c);
    put(&c->script,
        "local a = coordinate(\"a\", {start = p1})\n"
        "local b = coordinate(\"b\", {start = p1 + (%.17g)})\n"
        "mass(a, 1) mass(b, 1) force(a, -9.81) force(b, -9.81)\n",
        flights.gap);
    for (int i = 0; i < 2; i++) {
        const char *const ball = (i == 0) != swap ? "a" : "b";
        put(&c->script, "event(\"f%s\", {when = %s, direction = \"falling\", ", ball, ball);
        if (restitution) put(&c->script, "restitution = p2})\n");
        else put(&c->script, "set = {[dot(%s)] = -p2 * dot(%s)}})\n", ball, ball);
    }
    put_cost(c, "a", 1.0, "final = a");
    put_cost(c, "b", 1.0, "final = b");
    put_end(c, flights.end);
    c->solve = solve_pair;
}

/* Two clocks that tick almost together, each with its own count and its own force. */
static void solve_clocks(const exact *p, answer *a)
{
    const exact end = (exact)flights.end;
    for (int i = 0; i < 2; i++) {
        exact at = p[0] + (i ? (exact)flights.gap : 0.0L), sum = 0.0L, x = end * end / 2.0L;
        exact level = 1.0L;
        int   n = 0;
        for (; at < end; at += p[0], n++) {
            const exact rest = end - at;
            add_event(a, i ? "tb" : "ta", at);
            sum += at;
            x -= 2.0L * level * rest * rest / 2.0L;
            level = -level;
        }
        a->cost[2 * i] = sum;
        a->cost[2 * i + 1] = x * p[1];
    }
}

static void make_clocks(closed_case *c)
{
    const double d = maybe(c, 0.5) ? PICK(c, 0.1, 0.2, 0.25, 0.5) : between(c, 0.1, 0.5);
    c->polynomial = true;
    flights.gap = tiny(c);
    flights.end = d * (2 + below(c, 8)) + d * between(c, 0.2, 0.8);
    put_param(c, d);
    put_param(c, between(c, 0.5, 2.0));
    if (maybe(c, 0.5)) c->max_step = PICK(c, d, d / 2.0, d / 5.0, 0.1);
    put(&c->script,
        "for i, name in ipairs {\"a\", \"b\"} do\n"
        "  local x = coordinate(\"x\" .. name)\n  mass(x, 1)\n"
        "  local next = memory(\"next \" .. name, p1 + (i - 1) * (%.17g))\n"
        "  local u = memory(\"u\" .. name, 1)\n  force(x, p2 * u)\n"
        "  cost(\"s\" .. name)\n  cost(\"x\" .. name, {final = x})\n"
        "  event(\"t\" .. name, {when = t - next, direction = \"rising\", "
        "set = {[next] = next + p1, [u] = -u}, charge = {[\"s\" .. name] = t}})\nend\n",
        flights.gap);
    c->costs = 4;
    for (int i = 0; i < 4; i++) c->unit[i] = 1.0;
    c->cost[0] = "sa", c->cost[1] = "xa", c->cost[2] = "sb", c->cost[3] = "xb";
    put_end(c, flights.end);
    c->solve = solve_clocks;
}

static const family flight_families[] = {{"flight-thrust", make_thrust},
                                         {"flight-terrain", make_terrain},
                                         {"pair-balls", make_pair},
                                         {"pair-clocks", make_clocks}};

#endif
