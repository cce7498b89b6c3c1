/* Guards with known roots: polynomials of time and of coordinates, sums of sines. Every crossing in
 * the declared direction is an event, however close they are, and the first one stops the run. */
#ifndef CLOSED_ROOTS_H
#define CLOSED_ROOTS_H

#include "closed_case.h"

enum { MAX_ROOTS = 128 };

static struct {
    int        count, direction;
    bool       stop, of_flight;
    double     offset[MAX_ROOTS], end, v, factor;
    exact_poly force;
    double     amplitude[8], rate[8], phase[8];
    int        power;
} roots;

/* Events at these crossings; rising: 1 if the first of them rises. */
static void report_roots(answer *a, const exact *at, int count, int rising)
{
    exact sum = 0.0L;
    int   n = 0;
    for (int i = 0; i < count; i++, rising = -rising) {
        if (roots.direction && roots.direction != rising) continue;
        add_event(a, "root", at[i]);
        if (roots.stop) break;
        sum += at[i] * at[i];
        n++;
    }
    const exact end = roots.stop && a->events ? a->t[0] : (exact)roots.end;
    a->cost[0] = (exact)n;
    a->cost[1] = sum;
    a->cost[2] = end;
}

static void put_root_event(closed_case *c, const char *guard)
{
    put(&c->script, "local n = memory(\"n\", 0)\nlocal guard = %s\n", guard);
    put(&c->script, "event(\"root\", {when = guard, ");
    put_direction(c, roots.direction);
    put(&c->script, roots.stop ? ", stop = true" : ", set = {[n] = n + 1}, charge = {s = t^2}");
    put(&c->script, "})\n");
    put_cost(c, "n", 1.0, "final = n");
    put_cost(c, "s", 1.0, "final = 0");
    put_cost(c, "end", 1.0, "final = t");
    put_end(c, roots.end);
    c->stops = roots.stop;
}

static void choose_direction(closed_case *c)
{
    roots.direction = below(c, 3) - 1;
    roots.stop = maybe(c, 0.4);
}

static void choose_steps(closed_case *c)
{
    if (maybe(c, 0.4)) c->max_step = between(c, 0.01, 0.5) * roots.end;
    if (maybe(c, 0.3)) c->first_step = between(c, 0.001, 0.5) * roots.end;
    if (c->max_step > 0.0 && c->first_step > c->max_step) c->first_step = c->max_step;
}

/* Ascending, and such that between two roots the product rises above 1e-9 of its range. */
static void choose_offsets(closed_case *c)
{
    const double least[] = {1.0, 1.0, 1e-4, 1e-3, 6e-3, 0.016, 0.032};
    roots.count = 1 + below(c, 6);
    const double log_least = log10(least[roots.count]);
    const double place = between(c, 0.05, 0.9);
    double       at = place;
    const bool   clustered = maybe(c, 0.6);
    for (int i = 0; i < roots.count; i++) {
        roots.offset[i] = at;
        at += clustered ? pow(10.0, between(c, log_least, log_least + 0.7)) : between(c, 0.05, 0.4);
    }
    roots.end = maybe(c, 0.5) ? at + between(c, 0.1, 2.0) : roots.offset[roots.count - 1] + 0.5;
}

/* (x - p1 - r1) (x - p1 - r2) ..., x = t or x = p2 t */
static void solve_product(const exact *p, answer *a)
{
    exact at[MAX_ROOTS];
    for (int i = 0; i < roots.count; i++) {
        at[i] = p[0] + (exact)roots.offset[i];
        if (roots.of_flight) at[i] = at[i] / p[1];
    }
    const int sign = (roots.count % 2 ? 1 : -1) * (roots.factor > 0.0 ? 1 : -1);
    report_roots(a, at, roots.count, sign);
}

static void put_product(closed_case *c, const char *of)
{
    char   text[1024];
    size_t length = (size_t)snprintf(text, sizeof text, "%.17g", roots.factor);
    for (int i = 0; i < roots.count; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, " * (%s - p1 - %.17g)", of,
                                   roots.offset[i]);
    put_root_event(c, text);
}

static void make_product(closed_case *c)
{
    choose_direction(c);
    choose_offsets(c);
    choose_steps(c);
    c->polynomial = true;
    roots.of_flight = maybe(c, 0.5);
    roots.factor = (maybe(c, 0.5) ? 1.0 : -1.0) * pow(10.0, below(c, 13) - 6);
    put_param(c, between(c, 0.1, 0.5));
    put_param(c, roots.of_flight ? between(c, 0.8, 1.25) : 1.0);
    if (roots.of_flight) roots.end = (roots.offset[roots.count - 1] + 1.0) / c->param[1];
    else roots.end += c->param[0];
    /* A stop that never comes is an ordinary end. */
    if (roots.count == 1 && roots.direction == (roots.factor > 0.0 ? -1 : 1)) roots.direction = 0;
    put(&c->script, "local x = coordinate(\"x\", {speed = p2})\nmass(x, 1)\n");
    put_product(c, roots.of_flight ? "x" : "t");
    c->solve = solve_product;
}

/* A coordinate under a force that is a quadratic of time, against a level. */
static void solve_level(const exact *p, answer *a)
{
    exact      at[MAX_ROOTS];
    exact_poly f = roots.force;
    f.c[0] = p[1];
    const exact_poly v = exact_integral(&f, (exact)roots.v);
    exact_poly       x = exact_integral(&v, 0.0L);
    x.c[0] = -p[0];
    const int count = exact_roots(&x, 0.0L, (exact)roots.end, at);
    report_roots(a, at, count, x.c[0] < 0.0L ? 1 : -1);
}

/* Crossings that are neither close to one another nor to the ends. */
static bool roots_apart(closed_case *c, double least)
{
    static answer a;
    const int     direction = roots.direction;
    const bool    stop = roots.stop;
    exact         before = 0.0L;
    bool          apart = true;
    roots.direction = 0;
    roots.stop = false;
    solve_at(c, -1, 0.0L, &a);
    roots.direction = direction;
    roots.stop = stop;
    for (int i = 0; i < a.events; i++) {
        apart = apart && a.t[i] - before > (exact)least;
        before = a.t[i];
    }
    solve_at(c, -1, 0.0L, &a);
    return apart && (exact)roots.end - before > (exact)least && a.events > 0;
}

static void make_level(closed_case *c)
{
    choose_direction(c);
    c->dopri5 = false; /* its dense output has degree 4 only */
    c->polynomial = true;
    c->solve = solve_level;
    c->params = 2;
    do {
        roots.end = between(c, 1.0, 4.0);
        c->param[0] = between(c, -1.0, 1.0);
        c->param[1] = between(c, -9.0, 9.0);
        roots.v = between(c, -4.0, 4.0);
        roots.force = (exact_poly){
            4, {0.0L, (exact)between(c, -20, 20), (exact)between(c, -20, 20), (exact)(0)}};
        if (maybe(c, 0.5)) roots.force.c[3] = (exact)between(c, -9, 9);
    } while (fabs(c->param[0]) < 1e-3 || !roots_apart(c, 1e-3));
    c->params = 0;
    put_param(c, c->param[0]);
    put_param(c, c->param[1]);
    choose_steps(c);
    put(&c->script,
        "local x = coordinate(\"x\", {speed = %.17g})\nmass(x, 1)\n"
        "force(x, p2 + %.17Lg * t + %.17Lg * t^2 + %.17Lg * t^3)\n",
        roots.v, roots.force.c[1], roots.force.c[2], roots.force.c[3]);
    put_root_event(c, "x - p1");
}

/* Sums of sines, by dense samples; minima and maxima close to zero are left out. */
static exact sines(exact t, exact level, int derivative)
{
    exact sum = derivative ? 0.0L : level;
    for (int i = 0; i < roots.count; i++) {
        const exact angle = (exact)roots.rate[i] * t + (exact)roots.phase[i];
        sum += (exact)roots.amplitude[i] *
               (derivative ? (exact)roots.rate[i] * cosl(angle) : sinl(angle));
    }
    return sum;
}

static exact sine_root(exact low, exact high, exact level, int derivative)
{
    const bool rises = sines(high, level, derivative) > 0.0L;
    for (int i = 0; i < 64; i++) {
        const exact middle = (low + high) / 2.0L;
        if ((sines(middle, level, derivative) > 0.0L) == rises) high = middle;
        else low = middle;
    }
    return (low + high) / 2.0L;
}

static void solve_sines(const exact *p, answer *a)
{
    enum { SAMPLED = 600 };
    exact at[MAX_ROOTS], before = sines(0.0L, p[0], 0), slope = sines(0.0L, 0.0L, 1);
    int   count = 0, first = 0;
    if (fabsl(p[0]) < 0.01L) current->solved_wrong = true;
    for (int i = 0; i < SAMPLED && !current->solved_wrong; i++) {
        const exact low = (exact)roots.end * (exact)i / SAMPLED;
        const exact high = (exact)roots.end * (exact)(i + 1) / SAMPLED;
        const exact here = sines(high, p[0], 0), slope_here = sines(high, 0.0L, 1);
        const bool  turns = slope * slope_here < 0.0L;
        if (turns && fabsl(sines(sine_root(low, high, 0.0L, 1), p[0], 0)) < 0.01L)
            current->solved_wrong = true;
        if (before * here < 0.0L && count < MAX_ROOTS) {
            if (!count) first = here > 0.0L ? 1 : -1;
            at[count++] = sine_root(low, high, p[0], 0);
        }
        before = here;
        slope = slope_here;
    }
    report_roots(a, at, count, first);
}

static void make_sines(closed_case *c)
{
    char   text[1024] = "p1";
    size_t length = 2;
    choose_direction(c);
    c->polynomial = true;
    c->solve = solve_sines;
    c->params = 1;
    do {
        c->solved_wrong = false;
        roots.end = between(c, 1.0, 6.0);
        roots.count = 1 + below(c, 5);
        c->param[0] = between(c, -0.5, 0.5);
        for (int i = 0; i < roots.count; i++) {
            roots.amplitude[i] = between(c, 0.2, 1.0);
            roots.rate[i] = between(c, 0.5, 15.0);
            roots.phase[i] = between(c, 0.0, 6.2);
        }
    } while (!roots_apart(c, 1e-3) || c->solved_wrong);
    for (int i = 0; i < roots.count; i++)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   " + %.17g * sin(%.17g * x + %.17g)", roots.amplitude[i],
                                   roots.rate[i], roots.phase[i]);
    c->params = 0;
    put_param(c, c->param[0]);
    choose_steps(c);
    put(&c->script, maybe(c, 0.5) ? "local x = t\nmass(coordinate(\"y\"), 1)\n"
                                  : "local x = coordinate(\"x\", {speed = 1})\nmass(x, 1)\n");
    put_root_event(c, text);
}

/* factor sin(p1 x + phase)^power, flat at each of its zeros: the power is odd. */
static void solve_flat(const exact *p, answer *a)
{
    const exact pi = acosl(-1.0L);
    exact       at[MAX_ROOTS];
    int         count = 0;
    for (int k = 1; k < MAX_ROOTS; k++) {
        const exact t = ((exact)k * pi - (exact)roots.phase[0]) / p[0];
        if (t > 0.0L && t < (exact)roots.end) at[count++] = t;
    }
    report_roots(a, at, count, roots.factor > 0.0 ? -1 : 1);
}

static void make_flat(closed_case *c)
{
    char text[256];
    choose_direction(c);
    c->polynomial = true;
    c->solve = solve_flat;
    c->params = 1;
    do {
        roots.end = between(c, 2.0, 8.0);
        c->param[0] = between(c, 0.5, 6.0);
        roots.phase[0] = between(c, 0.2, 2.9);
        roots.factor = (maybe(c, 0.5) ? 1.0 : -1.0) * pow(10.0, below(c, 13) - 6);
    } while (!roots_apart(c, 1e-2));
    roots.power = maybe(c, 0.6) ? 3 : 5;
    snprintf(text, sizeof text, "%.17g * sin(p1 * x + %.17g)^%d", roots.factor, roots.phase[0],
             roots.power);
    c->params = 0;
    put_param(c, c->param[0]);
    choose_steps(c);
    put(&c->script, maybe(c, 0.3) ? "local x = t\nmass(coordinate(\"y\"), 1)\n"
                                  : "local x = coordinate(\"x\", {speed = 1})\nmass(x, 1)\n");
    /* so that steps end anywhere */
    put(&c->script, "local y = coordinate(\"z\", {start = 1})\nmass(y, 1)\nforce(y, -4 * y)\n");
    put_root_event(c, text);
    c->refusal = GRADIENT_MAY_GRAZE;
}

static const family root_families[] = {{"roots-product", make_product},
                                       {"roots-level", make_level},
                                       {"roots-sines", make_sines},
                                       {"roots-flat", make_flat}};

#endif
