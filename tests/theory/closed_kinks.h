/* Integrals and forces with kinks: nested abs, min, max, sign and their time derivatives; drag, dry
 * friction, powers of clamped arguments, Hertz's contact; systems at rest exactly at a kink. */
#ifndef CLOSED_KINKS_H
#define CLOSED_KINKS_H

#include "closed_case.h"
#include "piecewise.h"

/* ---- nested kinks of polynomials of time ---------------------------------------------------- */

enum { NODES = 40 };

/* A program: each node is made of earlier ones. */
typedef enum node_kind { LEAF, ADD, SUB, MUL, MIN, MAX, ABSOLUTE, SIGN_OF, RATE } node_kind;

static struct {
    int       nodes;
    node_kind kind[NODES];
    int       a[NODES], b[NODES];
    double    c0[NODES], c1[NODES], c2[NODES], end;
    bool      smooth[NODES]; /* it may be the argument of a sign or of a product */
} nest;

static piecewise nest_value[NODES];

static void evaluate_node(int i, const exact *p)
{
    static const piecewise_op op[] = {[ADD] = PIECE_ADD,
                                      [SUB] = PIECE_SUB,
                                      [MUL] = PIECE_MUL,
                                      [MIN] = PIECE_MIN,
                                      [MAX] = PIECE_MAX};
    const piecewise          *a = &nest_value[nest.a[i]], *b = &nest_value[nest.b[i]];
    const exact_poly leaf = {3, {(exact)nest.c0[i] * p[0], (exact)nest.c1[i], (exact)nest.c2[i]}};
    switch (nest.kind[i]) {
    case LEAF: piecewise_start(&nest_value[i], 0.0L, (exact)nest.end, &leaf); break;
    case ABSOLUTE: piecewise_abs(a, &nest_value[i]); break;
    case SIGN_OF: piecewise_sign(a, &nest_value[i]); break;
    case RATE: piecewise_derivative(a, &nest_value[i]); break;
    default: piecewise_apply(op[nest.kind[i]], a, b, &nest_value[i]);
    }
    if (nest_value[i].full) current->solved_wrong = true;
}

static void solve_nest(const exact *p, answer *a)
{
    for (int i = 0; i < nest.nodes; i++) evaluate_node(i, p);
    a->cost[0] = piecewise_integral(&nest_value[nest.nodes - 1]);
    a->cost[1] = a->cost[0];
}

static int add_node(node_kind kind, int a, int b, bool smooth)
{
    const int i = nest.nodes++;
    nest.kind[i] = kind;
    nest.a[i] = a;
    nest.b[i] = b;
    nest.smooth[i] = smooth;
    return i;
}

static void add_random_node(closed_case *c)
{
    const int a = below(c, nest.nodes), b = below(c, nest.nodes);
    switch (below(c, 9)) {
    case 0: add_node(ADD, a, b, nest.smooth[a] && nest.smooth[b]); break;
    case 1: add_node(SUB, a, b, false); break;
    case 2: add_node(ABSOLUTE, a, a, false); break;
    case 3:
    case 4: add_node(MIN, a, b, false); break;
    case 5:
    case 6: add_node(MAX, a, b, false); break;
    case 7:
        if (nest.smooth[a]) add_node(MUL, add_node(SIGN_OF, a, a, false), b, false);
        else add_node(SUB, a, add_node(MIN, a, b, false), false);
        break;
    default:
        if (nest.kind[a] != SIGN_OF) add_node(RATE, a, a, false);
    }
}

static void put_node(closed_case *c, int i)
{
    static const char *const form[] = {
        [ADD] = "x%d + x%d",     [SUB] = "x%d - x%d",     [MUL] = "x%d * x%d",
        [MIN] = "min(x%d, x%d)", [MAX] = "max(x%d, x%d)", [ABSOLUTE] = "abs(x%d)",
        [SIGN_OF] = "sign(x%d)", [RATE] = "dot(x%d)"};
    char text[128];
    if (nest.kind[i] == LEAF)
        snprintf(text, sizeof text, "(%.17g) * p1 + (%.17g) * t + (%.17g) * t^2", nest.c0[i],
                 nest.c1[i], nest.c2[i]);
    else if (nest.kind[i] >= ABSOLUTE) snprintf(text, sizeof text, form[nest.kind[i]], nest.a[i]);
    else snprintf(text, sizeof text, form[nest.kind[i]], nest.a[i], nest.b[i]);
    put(&c->script, "local x%d = %s\n", i, text);
}

/* Derivatives of sign, and of what contains it, are left out: they are pulses. */
static bool has_pulse(int i)
{
    if (nest.kind[i] == LEAF) return false;
    return nest.kind[i] == SIGN_OF || nest.kind[i] == RATE || has_pulse(nest.a[i]) ||
           (nest.kind[i] < ABSOLUTE && has_pulse(nest.b[i]));
}

static bool good_nest(void)
{
    for (int i = 0; i < nest.nodes; i++)
        if (nest.kind[i] == RATE && has_pulse(nest.a[i])) return false;
    return true;
}

static void draw_nest(closed_case *c)
{
    static answer a;
    do {
        c->solved_wrong = false;
        nest.nodes = 0;
        nest.end = between(c, 1.0, 4.0);
        for (int i = 0; i < 3; i++) {
            add_node(LEAF, 0, 0, true);
            nest.c0[i] = between(c, -2.0, 2.0);
            nest.c1[i] = between(c, -2.0, 2.0);
            nest.c2[i] = maybe(c, 0.4) ? between(c, -1.0, 1.0) : 0.0;
        }
        const int more = 2 + below(c, 6);
        for (int i = 0; i < more; i++) add_random_node(c);
        solve_at(c, -1, 0.0L, &a);
    } while (c->solved_wrong || !good_nest());
}

static void make_nest(closed_case *c)
{
    c->solve = solve_nest;
    c->polynomial = true;
    c->params = 1;
    c->param[0] = between(c, 0.5, 1.5);
    draw_nest(c);
    c->params = 0;
    put_param(c, c->param[0]);
    for (int i = 0; i < nest.nodes; i++) put_node(c, i);
    put(&c->script, "local y = coordinate(\"y\")\nmass(y, 1)\nforce(y, x%d)\n", nest.nodes - 1);
    put(&c->script, "local last = x%d\n", nest.nodes - 1);
    put_cost(c, "i", 1.0, "integral = last");
    put_cost(c, "v", 1.0, "final = dot(y)");
    put_end(c, nest.end);
    if (maybe(c, 0.3)) c->max_step = between(c, 0.01, 1.0);
}

/* ---- drag, friction, dampers ---------------------------------------------------------------- */

static struct {
    double end, power, speed, start;
    int    kind;
} motion;

/* Thrown up against gravity p1 and drag p2 v |v|, with the speed p3. */
static void solve_thrown(const exact *p, answer *a)
{
    const exact w = sqrtl(p[0] * p[1]), terminal = sqrtl(p[0] / p[1]), end = (exact)motion.end;
    const exact angle = atanl(p[2] / terminal), top = angle / w;
    const exact height = -logl(cosl(angle)) / p[1];
    if (end < top) {
        a->cost[0] = terminal * tanl(angle - w * end);
        a->cost[1] = (logl(cosl(angle - w * end)) - logl(cosl(angle))) / p[1];
        return;
    }
    a->cost[0] = -terminal * tanhl(w * (end - top));
    a->cost[1] = height - logl(coshl(w * (end - top))) / p[1];
}

static void make_thrown(closed_case *c)
{
    const char *const drag[] = {"dot(x) * abs(dot(x))", "sign(dot(x)) * dot(x)^2",
                                "abs(dot(x))^2 * sign(dot(x))"};
    put_param(c, between(c, 2.0, 10.0));
    put_param(c, between(c, 0.1, 1.0));
    put_param(c, between(c, 0.5, 5.0));
    motion.end = between(c, 0.5, 3.0);
    put(&c->script,
        "local x = coordinate(\"x\", {speed = p3})\nmass(x, 1)\nforce(x, -p1 - p2 * %s)\n",
        drag[below(c, 3)]);
    put_cost(c, "v", 1.0, "final = dot(x)");
    put_cost(c, "x", 1.0, "final = x");
    put_end(c, motion.end);
    c->solve = solve_thrown;
}

/* From rest, exactly at the kink of the drag, pushed by p1. */
static void solve_from_rest(const exact *p, answer *a)
{
    const exact w = sqrtl(fabsl(p[0]) * p[1]), terminal = sqrtl(fabsl(p[0]) / p[1]);
    const exact side = p[0] > 0.0L ? 1.0L : -1.0L, end = (exact)motion.end;
    a->cost[0] = side * terminal * tanhl(w * end);
    a->cost[1] = side * logl(coshl(w * end)) / p[1];
}

static void make_from_rest(closed_case *c)
{
    put_param(c, (maybe(c, 0.5) ? 1.0 : -1.0) * between(c, 0.5, 5.0));
    put_param(c, between(c, 0.1, 1.0));
    motion.end = between(c, 0.5, 3.0);
    put(&c->script, "local x = coordinate(\"x\")\nmass(x, 1)\n"
                    "force(x, p1 - p2 * dot(x) * abs(dot(x)))\n");
    put_cost(c, "v", 1.0, "final = dot(x)");
    put_cost(c, "x", 1.0, "final = x");
    put_end(c, motion.end);
    c->solve = solve_from_rest;
}

/* v' = -c v + p t^n from rest. */
static exact pushed(exact c, exact p, int n, exact t)
{
    exact sum = 0.0L, factor = 1.0L / c, power = 1.0L;
    for (int i = 0; i < n; i++) power *= t;
    for (int k = n; k >= 0; k--) {
        sum += factor * power;
        if (k) power /= t;
        factor *= -(exact)k / c;
    }
    exact start = 1.0L / c;
    for (int k = n; k >= 1; k--) start *= -(exact)k / c;
    return p * (sum - start * expl(-c * t));
}

/* A damper with two slopes, p2 one way and p3 the other, at rest until t^n p1 pushes it. */
static void solve_two_slopes(const exact *p, answer *a)
{
    const exact c = p[0] > 0.0L ? p[1] : p[2], begin = (exact)motion.start;
    a->cost[0] = pushed(c, p[0], motion.kind, (exact)motion.end - begin);
}

static void make_two_slopes(closed_case *c)
{
    motion.kind = 1 + below(c, 3);
    motion.start = maybe(c, 0.5) ? 0.0 : PICK(c, 0.5, 1.0);
    motion.end = motion.start + between(c, 0.5, 3.0);
    put_param(c, (maybe(c, 0.5) ? 1.0 : -1.0) * between(c, 0.5, 5.0));
    put_param(c, between(c, 0.5, 3.0));
    put_param(c, between(c, 0.5, 3.0));
    put(&c->script, "local x = coordinate(\"x\")\nmass(x, 1)\n"
                    "force(x, -p2 * max(dot(x), 0) - p3 * min(dot(x), 0))\n");
    if (motion.start > 0.0)
        put(&c->script, "force(x, p1 * max(0, t - %g)^%d)\n", motion.start, motion.kind);
    else put(&c->script, "force(x, p1 * t^%d)\n", motion.kind);
    put_cost(c, "v", 1.0, "final = dot(x)");
    put_end(c, motion.end);
    c->solve = solve_two_slopes;
    if (maybe(c, 0.3)) c->max_step = between(c, 0.01, 0.3);
}

/* Dry friction p1 slows the speed p2 until it stops. */
static void solve_stop(const exact *p, answer *a)
{
    const exact stop = p[1] / p[0];
    add_event(a, "stop", stop);
    a->cost[0] = stop;
    a->cost[1] = p[1] * stop / 2.0L;
}

static void make_stop(closed_case *c)
{
    const bool back = maybe(c, 0.5);
    put_param(c, between(c, 0.5, 4.0));
    put_param(c, between(c, 0.5, 4.0));
    c->polynomial = c->stops = true;
    put(&c->script,
        "local x = coordinate(\"x\", {speed = %sp2})\nmass(x, 1)\nforce(x, -p1 * sign(dot(x)))\n"
        "event(\"stop\", {when = dot(x), stop = true})\n",
        back ? "-" : "");
    put_cost(c, "t", 1.0, "final = t");
    put_cost(c, "x", 1.0, back ? "final = -x" : "final = x");
    put_end(c, 20.0);
    if (maybe(c, 0.5)) c->max_step = PICK(c, 0.1, 0.5, 1.0);
    c->solve = solve_stop;
}

/* ---- derivatives of kinks ------------------------------------------------------------------- */

/* Free until it meets a spring p1 with a damper p2, which holds it for half a swing. */
static void solve_compliant(const exact *p, answer *a)
{
    const exact v = (exact)motion.speed, damping = p[1] / 2.0L, end = (exact)motion.end;
    const exact w = sqrtl(p[0] - damping * damping), pi = acosl(-1.0L);
    const exact back = v * expl(-damping * pi / w), leaves = p[2] / v + pi / w;
    a->cost[0] = p[2] - back * (end - leaves);
    a->cost[1] = -back;
    a->cost[2] = (v * v - back * back) / (2.0L * p[1]);
}

static void make_compliant(closed_case *c)
{
    motion.speed = between(c, 0.5, 2.0);
    put_param(c, between(c, 20.0, 200.0));
    put_param(c, between(c, 0.5, 5.0));
    put_param(c, between(c, 0.1, 0.5));
    motion.end = c->param[2] / motion.speed + between(c, 1.0, 1.5);
    const char *const law = maybe(c, 0.5) ? "force(x, -p1 * d - p2 * dot(d))"
                                          : "potential(0.5 * p1 * d^2)\n"
                                            "dissipation(0.5 * p2 * dot(d)^2)";
    put(&c->script, "local x = coordinate(\"x\", {speed = %.17g})\nmass(x, 1)\nlocal d = %s\n%s\n",
        motion.speed, maybe(c, 0.5) ? "max(x - p3, 0)" : "-min(p3 - x, 0)", law);
    put_cost(c, "x", 1.0, "final = x");
    put_cost(c, "v", 1.0, "final = dot(x)");
    put_cost(c, "i", 1.0, "integral = dot(d)^2");
    put_end(c, motion.end);
    c->solve = solve_compliant;
}

/* A swing e'' = -k e - c e' from e and its rate, after dt. */
static void swing(exact k, exact c, exact dt, exact *e, exact *rate)
{
    const exact damping = c / 2.0L, w = sqrtl(k - damping * damping), fade = expl(-damping * dt);
    const exact b = (*rate + damping * *e) / w, cosine = cosl(w * dt), sine = sinl(w * dt);
    const exact next = fade * (*e * cosine + b * sine);
    *rate = fade * w * (b * cosine - *e * sine) - damping * next;
    *e = next;
}

/* Follows a ramp that ends at p3, by a spring p1 and a damper p2 on the difference. */
static void solve_ramp(const exact *p, answer *a)
{
    exact e = 0.0L, rate = 1.0L;
    swing(p[0], p[1], p[2], &e, &rate);
    rate -= 1.0L;
    swing(p[0], p[1], (exact)motion.end - p[2], &e, &rate);
    a->cost[0] = p[2] - e;
    a->cost[1] = -rate;
}

static void make_ramp(closed_case *c)
{
    put_param(c, between(c, 5.0, 50.0));
    put_param(c, between(c, 0.5, 3.0));
    put_param(c, maybe(c, 0.5) ? 0.5 : between(c, 0.2, 1.0));
    motion.end = c->param[2] + between(c, 0.2, 1.5);
    put(&c->script,
        "local x = coordinate(\"x\")\nmass(x, 1)\nlocal r = %s\n"
        "force(x, p1 * (r - x) + p2 * (dot(r) - dot(x)))\n",
        maybe(c, 0.5) ? "min(t, p3)" : "t - max(t - p3, 0)");
    put_cost(c, "x", 1.0, "final = x");
    put_cost(c, "v", 1.0, "final = dot(x)");
    put_end(c, motion.end);
    if (maybe(c, 0.4)) c->max_step = PICK(c, 0.1, 0.05, 0.25);
    c->solve = solve_ramp;
}

/* Exactly at kinks whose two sides agree, for all the time. */
static void solve_still(const exact *p, answer *a)
{
    a->cost[0] = (p[0] + 2.0L * p[1]) * (exact)motion.end;
    a->cost[1] = 0.0L;
}

static void make_still(closed_case *c)
{
    static const char *const nothing[] = {"abs(x)^3", "dot(x) * abs(dot(x))", "max(x, 0)^2",
                                          "abs(x^2)", "x * min(x, 0)",        "abs(dot(x))^3"};
    motion.end = between(c, 0.5, 3.0);
    c->polynomial = true;
    put_param(c, between(c, 0.5, 2.0));
    put_param(c, between(c, 0.5, 2.0));
    put(&c->script,
        "local x = coordinate(\"x\")\nmass(x, 1)\nlocal none = %s\nforce(x, -p1 * none)\n"
        "local all = max(p1, p1) + abs(p2) + min(p2, p2) + none\n",
        nothing[below(c, 6)]);
    put_cost(c, "i", 1.0, "integral = all");
    put_cost(c, "x", 1.0, "final = x");
    put_end(c, motion.end);
    c->solve = solve_still;
}

/* ---- powers that are not whole -------------------------------------------------------------- */

static void solve_power(const exact *p, answer *a)
{
    const exact n = (exact)motion.power + 1.0L, after = (exact)motion.end - p[0];
    const exact before = motion.kind == 1 ? 0.0L : powl(p[0], n);
    a->cost[0] = (before + powl(after, n)) / n;
    a->cost[1] = p[1] * a->cost[0];
}

static void make_power(closed_case *c)
{
    const double list[] = {1.5, 2.5, 1.5, 0.5, 1.0 / 3.0, 1.1};
    motion.kind = below(c, 3);
    motion.power = motion.kind == 2 ? 0.5 : pick(c, list, 6);
    motion.end = between(c, 1.0, 3.0);
    put_param(c, between(c, 0.1, 0.9));
    put_param(c, between(c, 0.5, 2.0));
    const char *const form[] = {"abs(s)^q", "max(s, 0)^q", "sqrt(abs(s))"};
    put(&c->script,
        "local x, y = coordinate(\"x\", {speed = 1}), coordinate(\"y\")\n"
        "mass(x, 1) mass(y, 1)\nlocal q = %.17g\nlocal s = %s - p1\n"
        "local f = %s\nforce(y, p2 * f)\n",
        motion.power, maybe(c, 0.5) ? "x" : "t", form[motion.kind]);
    put_cost(c, "i", 1.0, "integral = f");
    put_cost(c, "v", 1.0, "final = dot(y)");
    put_end(c, motion.end);
    if (maybe(c, 0.3)) c->max_step = between(c, 0.01, 0.3);
    /* Below the power 1 the integrand of the sensitivity is infinite at the kink. */
    if (motion.power < 1.0) c->refusal = GRADIENT_UNKNOWN;
    c->growth = motion.power < 1.0 ? 100.0 : 10.0;
    c->solve = solve_power;
}

/* A mass with the speed p1 meets an elastic half space, k = p2, and leaves with the same speed. */
static void solve_hertz(const exact *p, answer *a)
{
    const exact depth = powl(1.25L * p[0] * p[0] / p[1], 0.4L);
    const exact whole = sqrtl(acosl(-1.0L)) * tgammal(0.4L) / (2.5L * tgammal(0.9L));
    const exact leaves = (exact)motion.start / p[0] + 2.0L * depth / p[0] * whole;
    a->cost[0] = -p[0] * ((exact)motion.end - leaves);
    a->cost[1] = -p[0];
}

static void make_hertz(closed_case *c)
{
    motion.start = between(c, 0.1, 0.5);
    put_param(c, between(c, 0.5, 2.0));
    put_param(c, pow(10.0, between(c, 1.0, 4.0)));
    motion.end = motion.start / c->param[0] + between(c, 1.6, 3.0);
    put(&c->script,
        "local x = coordinate(\"x\", {start = -%.17g, speed = p1})\nmass(x, 1)\n"
        "force(x, -p2 * max(0, x)^1.5)\n",
        motion.start);
    put_cost(c, "x", 1.0, "final = x");
    put_cost(c, "v", 1.0, "final = dot(x)");
    put_end(c, motion.end);
    c->growth = 10.0;
    c->solve = solve_hertz;
}

/* The same in other words: with a mode for the contact, by its energy, without a power. */
static void solve_hertz_modes(const exact *p, answer *a)
{
    solve_hertz(p, a);
    add_event(a, "down", (exact)motion.start / p[0]);
    add_event(a, "up", (exact)motion.end + a->cost[0] / p[0]);
}

static void make_hertz_again(closed_case *c)
{
    static const char *const words[] = {
        "local free, touch = mode \"free\", mode \"touch\"\n"
        "force(x, -p2 * x^1.5, {mode = touch})\n"
        "event(\"down\", {from = free, to = touch, when = x, direction = \"rising\"})\n"
        "event(\"up\", {from = touch, to = free, when = x, direction = \"falling\"})\n",
        "potential(p2 / 2.5 * max(0, x)^2.5)\n",
        "local d = max(x / 3, 0) * 3\nforce(x, -p2 * d * sqrt(d))\n",
        "local power = param(\"power\", 1.5, {fixed = true})\nforce(x, -p2 * max(0, x)^power)\n"};
    const int way = below(c, 4);
    motion.start = between(c, 0.1, 0.5);
    put_param(c, between(c, 0.5, 2.0));
    put_param(c, pow(10.0, between(c, 1.0, 4.0)));
    motion.end = motion.start / c->param[0] + between(c, 1.6, 3.0);
    put(&c->script, "local x = coordinate(\"x\", {start = -%.17g, speed = p1})\nmass(x, 1)\n%s",
        motion.start, words[way]);
    put_cost(c, "x", 1.0, "final = x");
    put_cost(c, "v", 1.0, "final = dot(x)");
    put_end(c, motion.end);
    c->growth = 10.0;
    c->solve = way == 0 ? solve_hertz_modes : solve_hertz;
}

static const family kink_families[] = {{"kink-nest", make_nest},
                                       {"kink-thrown", make_thrown},
                                       {"kink-from-rest", make_from_rest},
                                       {"kink-two-slopes", make_two_slopes},
                                       {"kink-stop", make_stop},
                                       {"kink-compliant", make_compliant},
                                       {"kink-ramp", make_ramp},
                                       {"kink-still", make_still},
                                       {"kink-power", make_power},
                                       {"kink-hertz", make_hertz},
                                       {"kink-hertz-again", make_hertz_again}};

#endif
