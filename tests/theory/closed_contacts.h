/* A body on a table under a load that is a polynomial of time: it leaves where the load turns
 * upward, flies, and lands where the second antiderivative vanishes. Hops of any height; contacts
 * that are closed while nothing presses. */
#ifndef CLOSED_CONTACTS_H
#define CLOSED_CONTACTS_H

#include "closed_case.h"

static struct {
    int    loads, power, kind;
    bool   closed; /* at the start */
    double load[8], factor, start, end, settle;
    exact  least_rate; /* of a landing, in the last solution */
} table;

typedef struct rider {
    exact t, y, v, pressed; /* pressed: integral of the force of the table */
    bool  closed;
} rider;

/* Closed: until the load turns upward. */
static bool wait_on_table(rider *r, const exact_poly *load, exact end, answer *a)
{
    exact      root[EXACT_TERMS], leaves = end;
    bool       found = exact_value(load, r->t) > 0.0L;
    const int  count = exact_roots(load, r->t, end, root);
    exact_poly sum = exact_integral(load, 0.0L);
    if (found) leaves = r->t;
    for (int i = 0; i < count && !found; i++) {
        const exact next = i + 1 < count ? root[i + 1] : end;
        if (root[i] <= r->t || exact_value(load, (root[i] + next) / 2.0L) < 0.0L) continue;
        found = true;
        leaves = root[i];
    }
    r->pressed -= exact_value(&sum, leaves) - exact_value(&sum, r->t);
    r->t = leaves;
    if (!found) return false;
    r->closed = false;
    add_event(a, "table.leave", leaves);
    return true;
}

/* Open: until the height vanishes. What leaves the table at rest has a double root there, or a
 * triple one where the load vanishes, which are divided out. */
static bool fly_over_table(rider *r, const exact_poly *load, bool left, exact end, answer *a)
{
    exact      root[EXACT_TERMS];
    exact_poly f = exact_shifted(load, r->t);
    if (left && fabsl(f.c[0]) < 1e-12L * (fabsl(load->c[0]) + fabsl(f.c[1]))) f.c[0] = 0.0L;
    const exact_poly v = exact_integral(&f, r->v), y = exact_integral(&v, r->y);
    exact_poly       rest = y;
    while (left && rest.terms > 1 && rest.c[0] == 0.0L) {
        for (int i = 1; i < rest.terms; i++) rest.c[i - 1] = rest.c[i];
        rest.terms--;
    }
    const int   count = exact_roots(&rest, 0.0L, end - r->t, root);
    const exact dt = count ? root[0] : end - r->t;
    r->y = exact_value(&y, dt);
    r->v = exact_value(&v, dt);
    r->t += dt;
    if (!count) return false;
    table.least_rate = fminl(table.least_rate, fabsl(r->v));
    add_event(a, "table", r->t);
    r->y = r->v = 0.0L;
    r->closed = true;
    return true;
}

static void ride(rider *r, const exact_poly *load, exact end, answer *a)
{
    bool left = false;
    table.least_rate = 1.0L;
    for (int k = 0; k < 40; k++) {
        if (r->closed) {
            if (!wait_on_table(r, load, end, a)) break;
            left = true;
        } else if (!fly_over_table(r, load, left, end, a)) break;
    }
    a->cost[0] = r->y;
    a->cost[1] = r->v;
    a->cost[2] = r->pressed;
}

/* p1 (t - p2 - r1) (t - p2 - r2) ... */
static void solve_loads(const exact *p, answer *a)
{
    rider      r = {.closed = table.closed, .y = table.closed ? 0.0L : (exact)table.start};
    exact_poly load = exact_constant(p[0] * (exact)table.factor);
    for (int i = 0; i < table.loads; i++) {
        const exact_poly line = exact_linear(-p[1] - (exact)table.load[i], 1.0L);
        load = exact_product(&load, &line);
    }
    ride(&r, &load, (exact)table.end, a);
}

static void put_table(closed_case *c)
{
    if (table.closed) put(&c->script, "local y = coordinate(\"y\", {guess = 0})\n");
    else put(&c->script, "local y = coordinate(\"y\", {start = %.17g})\n", table.start);
    put(&c->script, "mass(y, 1)\ncontact {gap = y, slides = true%s, name = \"table\"}\n",
        table.closed ? ", start = \"closed\"" : "");
}

static void put_table_costs(closed_case *c)
{
    put_cost(c, "y", 1.0, "final = y");
    put_cost(c, "v", 1.0, "final = dot(y)");
    put_cost(c, "pressed", 1.0, "integral = -multiplier(\"table\")");
    put_end(c, table.end);
}

static void put_loads(closed_case *c)
{
    put(&c->script, "force(y, %.17g * p1", table.factor);
    for (int i = 0; i < table.loads; i++) put(&c->script, " * (t - p2 - (%.17g))", table.load[i]);
    put(&c->script, ")\n");
}

/* Far from grazing, and what happens does not happen at the start or the end. */
static bool good_ride(closed_case *c, exact least_rate, exact least_gap)
{
    static answer a;
    exact         before = 0.0L;
    c->solved_wrong = false;
    solve_at(c, -1, 0.0L, &a);
    for (int i = 0; i < a.events; i++) {
        if (a.t[i] - before < least_gap && a.t[i] != before) return false;
        before = a.t[i];
    }
    return !c->solved_wrong && a.events > 1 && (exact)table.end - before > least_gap &&
           table.least_rate > least_rate && fabsl(a.cost[0]) < 100.0L;
}

static void make_loads(closed_case *c)
{
    c->polynomial = true;
    c->dopri5 = false;
    c->solve = solve_loads;
    c->params = 2;
    do {
        table.closed = maybe(c, 0.5);
        table.start = between(c, 0.1, 1.0);
        table.loads = 1 + below(c, 4);
        table.factor = maybe(c, 0.5) ? 1.0 : -1.0;
        c->param[0] = between(c, 0.5, 5.0);
        c->param[1] = between(c, 0.1, 0.5);
        table.load[0] = between(c, 0.1, 1.0);
        for (int i = 1; i < table.loads; i++)
            table.load[i] = table.load[i - 1] + between(c, 0.2, 1.5);
        table.end = table.load[table.loads - 1] + c->param[1] + between(c, 0.3, 2.0);
    } while ((table.closed && (table.loads % 2 ? -1.0 : 1.0) * table.factor > 0.0) ||
             !good_ride(c, 1e-2L, 1e-3L));
    c->params = 0;
    for (int i = 0; i < 2; i++) put_param(c, c->param[i]);
    put_table(c);
    put_loads(c);
    put_table_costs(c);
    if (maybe(c, 0.3)) c->max_step = between(c, 0.01, 0.5);
}

/* The load turns upward for a short while: the height of the hop goes with the fourth power. */
/* The same load by the acceleration of the table, which moves away from the body. */
static void put_moving_table(closed_case *c)
{
    put(&c->script,
        "local a, b = p2 + %.17g, p2 + %.17g\n"
        "local h = p1 * (t^4 / 12 - (a + b) * t^3 / 6 + a * b * t^2 / 2)\n",
        table.load[0], table.load[1]);
    if (table.closed) put(&c->script, "local x = coordinate(\"x\", {guess = 0})\n");
    else put(&c->script, "local x = coordinate(\"x\", {start = %.17g})\n", table.start);
    put(&c->script,
        "mass(x, 1)\nlocal y = x - h\ncontact {gap = y, slides = true%s, name = \"table\"}\n",
        table.closed ? ", start = \"closed\"" : "");
}

static void make_hop(closed_case *c)
{
    c->as_it_is = true; /* a hop of 1e-15 leaves no room for rounding */
    /* Where the table is metres away from where it was, rounding is larger than small hops. */
    const bool   moving = maybe(c, 0.3);
    const double width = pow(10.0, between(c, moving ? -2.5 : -3.7, -0.5));
    c->polynomial = true;
    c->dopri5 = false;
    c->solve = solve_loads;
    table.closed = maybe(c, 0.5);
    table.start = between(c, 0.1, 1.0);
    table.loads = 2;
    table.factor = -1.0;
    put_param(c, between(c, 0.8, 3.0));
    put_param(c, between(c, 0.1, 0.5));
    table.load[0] = between(c, 2.0, 3.0);
    table.load[1] = table.load[0] + width;
    table.end = table.load[1] + 4.0 * width + between(c, 0.5, 1.5);
    if (moving) put_moving_table(c);
    else {
        put_table(c);
        put_loads(c);
    }
    put_table_costs(c);
    if (maybe(c, 0.3)) c->max_step = between(c, 0.01, 0.5);
    static answer a;
    solve_at(c, -1, 0.0L, &a);
    c->growth = 1.0 + (moving ? 1e-1 : 1e-3) / (double)table.least_rate;
    if (table.least_rate < 1e-7L) c->refusal = GRADIENT_MAY_GRAZE;
}

/* Nothing presses for a while, then p1 (t - start)^power pulls. */
static void solve_idle(const exact *p, answer *a)
{
    const exact rest = (exact)table.end - (exact)table.start;
    exact       v = p[0];
    if (!table.closed) add_event(a, "table", p[1]);
    for (int i = 0; i <= table.power; i++) v *= rest;
    v /= (exact)(table.power + 1);
    if (table.start > 0.0 && !table.kind) add_event(a, "pull", (exact)table.start);
    add_event(a, "table.leave", (exact)table.start);
    a->cost[0] = v * rest / (exact)(table.power + 2);
    a->cost[1] = v;
    a->cost[2] = 0.0L;
}

static void make_idle(closed_case *c)
{
    c->polynomial = true;
    c->solve = solve_idle;
    table.closed = maybe(c, 0.5);
    table.power = 1 + below(c, 3);
    table.kind = below(c, 2);
    table.start = maybe(c, 0.5) && table.closed ? 0.0 : between(c, 1.5, 2.5);
    table.end = table.start + between(c, 0.5, 2.0);
    put_param(c, between(c, 0.5, 2.0));
    put_param(c, between(c, 0.3, 1.2));
    c->gentle = "table.leave";
    c->gentle_within = pow(1e-12, 1.0 / table.power);
    c->gentle_may_lack = table.start == 0.0;
    if (table.closed) put(&c->script, "local y = coordinate(\"y\", {guess = 0})\nmass(y, 1)\n");
    else put(&c->script, "local y = coordinate(\"y\", {start = p2, speed = -1})\nmass(y, 1)\n");
    put(&c->script, "contact {gap = y, slides = true%s, name = \"table\"}\n",
        table.closed ? ", start = \"closed\"" : "");
    if (table.start == 0.0) put(&c->script, "force(y, p1 * t^%d)\n", table.power);
    else if (table.kind)
        put(&c->script, "force(y, p1 * max(0, t - %.17g)^%d)\n", table.start, table.power);
    else
        put(&c->script,
            "local calm, pulled = mode(\"calm\", {group = \"g\"}), mode(\"pulled\", {group = "
            "\"g\"})\n"
            "event(\"pull\", {from = calm, to = pulled, when = t - %.17g})\n"
            "force(y, p1 * (t - %.17g)^%d, {mode = pulled})\n",
            table.start, table.start, table.power);
    put_table_costs(c);
    if (maybe(c, 0.5)) c->max_step = PICK(c, 0.1, 0.25, 0.5, 1.0);
}

/* Bounces until it is slower than settle, rests, and is lifted by p1 t, which wins over gravity. */
static void solve_settle(const exact *p, answer *a)
{
    const exact g = 9.81L, end = (exact)table.end, lift = g / p[0];
    exact       t = sqrtl(2.0L * p[2] / g), v = g * t;
    table.least_rate = 1.0L;
    while (v > (exact)table.settle && a->events < 60) {
        add_event(a, "table", t);
        table.least_rate = fminl(table.least_rate, fabsl(v / (exact)table.settle - 1.0L));
        v *= p[1];
        t += 2.0L * v / g;
    }
    table.least_rate = fminl(table.least_rate, fabsl(v / (exact)table.settle - 1.0L));
    add_event(a, "table.settle", t);
    if (t > (exact)table.start - 1e-3L || a->events > 50) {
        current->solved_wrong = true;
        return;
    }
    /* Gravity, and from the time table.start on an upward pull p1 (t - start). */
    const exact leave = (exact)table.start + lift, rest = end - leave;
    add_event(a, "table.leave", leave);
    a->cost[0] = p[0] * rest * rest * rest / 6.0L;
    a->cost[1] = p[0] * rest * rest / 2.0L;
    a->cost[2] = g * ((exact)table.start - t) + g * lift / 2.0L;
}

static void make_settle(closed_case *c)
{
    c->polynomial = true;
    c->solve = solve_settle;
    c->params = 3;
    static answer a;
    do {
        c->solved_wrong = false;
        table.settle = between(c, 0.05, 1.0);
        table.start = between(c, 2.0, 4.0);
        c->param[0] = between(c, 2.0, 10.0);
        c->param[1] = between(c, 0.2, 0.8);
        c->param[2] = between(c, 0.2, 1.0);
        table.end = table.start + 9.81 / c->param[0] + between(c, 0.2, 1.0);
        solve_at(c, -1, 0.0L, &a);
    } while (c->solved_wrong || table.least_rate < 0.01L);
    c->params = 0;
    for (int i = 0; i < 3; i++) put_param(c, c->param[i]);
    put(&c->script,
        "local y = coordinate(\"y\", {start = p3})\nmass(y, 1)\n"
        "force(y, -9.81 + p1 * max(0, t - %.17g))\n"
        "contact {gap = y, restitution = p2, settle = %.17g, name = \"table\"}\n",
        table.start, table.settle);
    put_table_costs(c);
    if (maybe(c, 0.3)) c->max_step = between(c, 0.01, 0.5);
}

static const family contact_families[] = {{"contact-loads", make_loads},
                                          {"contact-hop", make_hop},
                                          {"contact-idle", make_idle},
                                          {"contact-settle", make_settle}};

#endif
