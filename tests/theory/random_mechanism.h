/* Random mechanisms as Lua text: points of the plane and rods, bars and constraints between them.
 *
 * A mechanism is a chain that hangs from a pivot (at rest, or moving), a closed loop of four or
 * five bars, or a bead on a wire that moves. The positions at the start are chosen first, lengths
 * and guesses follow from them, so that every mechanism can be assembled. Besides there may be a
 * ball on a rope, a point that sticks to the floor, a clamp that closes, changes its grip and opens
 * again, a link that breaks, and impacts. Some are solved by the penalty formulation. */
#ifndef RANDOM_MECHANISM_H
#define RANDOM_MECHANISM_H

#include "random_text.h"

enum { MECHANISM_POINTS = 5, MECHANISM_LINKS = 16, MECHANISM_NAME = 24 };

/* Impulses of constraints may be charged at events that have no impact law: they are 0 there. */
static const bool IMPULSE_WITHOUT_IMPACT = true;

typedef struct mechanism {
    random_model *m;
    int           points, chain; /* all of them; those of the chain, which come first */
    int           links, events, freedoms;
    bool          loop, breaks;
    bool          pivot_moves;                                      /* P0 is not a point */
    double        x[MECHANISM_POINTS + 1], y[MECHANISM_POINTS + 1]; /* [0] is the pivot */
    char          link[MECHANISM_LINKS][MECHANISM_NAME];            /* names of constraints */
} mechanism;

static void name_link(mechanism *g, const char *name)
{
    snprintf(g->link[g->links++], MECHANISM_NAME, "%s", name);
}

static const char *some_link(mechanism *g) { return g->link[random_below(g->m, g->links)]; }

static int some_point(mechanism *g) { return 1 + random_below(g->m, g->points); }

/* ---- points --------------------------------------------------------------------------------- */

/* Point i; of its coordinates those named are given, the others guessed. */
static void put_place(mechanism *g, int i, const char *given)
{
    random_model *m = g->m;
    const bool    x = strchr(given, 'x') != NULL, y = strchr(given, 'y') != NULL;
    put(m, "local P%d = point(\"P%d\", {", i, i);
    if (x) {
        put(m, "x = ");
        put_quantity(m, g->x[i]);
        put(m, ", ");
    }
    if (y) {
        put(m, "y = ");
        put_quantity(m, g->y[i]);
        put(m, ", ");
    }
    if (!x || !y)
        put(m, "guess = {%.4f, %.4f}, ", g->x[i] + random_real(m, -0.02, 0.02),
            g->y[i] + random_real(m, -0.02, 0.02));
    if (x || y) {
        put(m, "speed = {");
        if (x) put_between(m, -1.0, 1.0);
        else put(m, "nil");
        if (y) {
            put(m, ", ");
            put_between(m, -1.0, 1.0);
        }
        put(m, "}");
    }
    put(m, "})\nlocal q%d, q%d = P%d.x, P%d.y\nmass(P%d, ", 2 * i - 1, 2 * i, i, i, i);
    put_between(m, 0.3, 1.2);
    put(m, ")\n");
}

static double distance_of(const mechanism *g, int i, int j)
{
    return hypot(g->x[i] - g->x[j], g->y[i] - g->y[j]);
}

/* A rod, a bar, or the constraint written out; P0 is the pivot. What it is off by is an output. */
static void put_link(mechanism *g, int i, int j, const char *mode)
{
    random_model *m = g->m;
    const double  length = distance_of(g, i, j);
    char          name[MECHANISM_NAME];
    char          text[160];
    const int     number = g->links + 1;
    const size_t  from = m->length;
    snprintf(name, sizeof name, "l%d", number);
    put_quantity(m, length);
    snprintf(text, sizeof text, "%s", m->text + from);
    m->length = from;
    switch (i == 0 && g->pivot_moves ? 0 : random_below(m, 5)) {
    case 0:
        put(m, "constraint(\"l%d\", (P%d.x - P%d.x)^2 + (P%d.y - P%d.y)^2 - %s^2", number, i, j, i,
            j, text);
        put(m, "%s%s%s)\n", *mode ? ", {mode = " : "", mode, *mode ? "}" : "");
        break;
    case 1:
    case 2:
        put(m, "rod {P%d, P%d, length = %s", i, j, text);
        put(m, ", name = \"l%d\"%s%s}\n", number, *mode ? ", mode = " : "", mode);
        break;
    default:
        put(m, "bar {P%d, P%d, mass = ", i, j);
        put_between(m, 0.3, 1.5);
        put(m, ", length = %s", text);
        put(m, ", name = \"l%d\"%s%s}\n", number, *mode ? ", mode = " : "", mode);
    }
    if (!*mode)
        put(m, "output(\"l%d\", hypot(P%d.x - P%d.x, P%d.y - P%d.y) - %s)\n", number, i, j, i, j,
            text);
    name_link(g, name);
}

/* A shaking of the size given: A * sin(w * t). */
static void put_shake(random_model *m, double size)
{
    put_between(m, 0.3 * size, size);
    put(m, " * sin(");
    put_between(m, 1.0, 4.0);
    put(m, " * t)");
}

/* At rest, or given functions of time. */
static void put_pivot(mechanism *g)
{
    random_model *m = g->m;
    g->pivot_moves = chance(m, 0.25);
    if (g->pivot_moves) {
        put(m, "-- moves\nlocal P0 = {x = ");
        put_shake(m, 0.3);
        put(m, ", y = ");
        put_shake(m, 0.2);
        put(m, "}\n");
    } else put(m, "local P0 = ground_point(0, 0)\n");
}

/* The pivot is moved by constraints: point 1 of the chain follows a function of time. */
static void put_driven(mechanism *g)
{
    random_model *m = g->m;
    put_place(g, 1, "");
    put(m, "-- moves\nconstraint(\"dx1\", P1.x - (%.4f) - ", g->x[1]);
    put_shake(m, 0.3);
    put(m, ")\nconstraint(\"dy1\", P1.y - (%.4f)", g->y[1]);
    if (chance(m, 0.5)) {
        put(m, " - ");
        put_shake(m, 0.2);
    }
    put(m, ")\n");
    name_link(g, "dx1");
    name_link(g, "dy1");
}

/* The coordinate that moves more when link i turns. */
static const char *given_of_link(const mechanism *g, int i)
{
    return fabs(g->x[i] - g->x[i - 1]) < fabs(g->y[i] - g->y[i - 1]) ? "x" : "y";
}

/* A link breaks, at a given time or when it pulls too much. */
static void put_snap(mechanism *g, int i)
{
    random_model *m = g->m;
    const char   *name = g->link[g->links - 1];
    put(m, "event(\"snap\", {from = whole, to = broken, when = ");
    if (chance(m, 0.5)) {
        put(m, "t - ");
        put_between(m, 0.2, 1.2);
    } else {
        put(m, "multiplier(\"%s\") - ", name);
        put_between(m, 0.5, 4.0);
        put(m, ", direction = \"rising\"");
    }
    put(m, ", charge = {k1 = 0.1 * before(multiplier(\"%s\")) + after(dot(P%d.y))}})\n", name, i);
}

/* Links first to last, each to the point before it; one of them may break. */
static void put_links(mechanism *g, int first, int last)
{
    random_model *m = g->m;
    const int     broken = g->breaks ? first + random_below(m, last - first + 1) : 0;
    if (g->breaks)
        put(m, "local whole, broken = mode(\"whole\", {group = \"break\"}), "
               "mode(\"broken\", {group = \"break\"})\n");
    for (int i = first; i <= last; i++) {
        put_link(g, i - 1, i, broken == i ? "whole" : "");
        if (broken == i) put_snap(g, i <= g->chain ? i : i - 1);
    }
}

static void place_chain(mechanism *g)
{
    g->chain = g->points = g->freedoms = 1 + random_below(g->m, 4);
    for (int i = 1; i <= g->chain; i++) {
        const double angle = random_real(g->m, -2.8, -0.3), length = random_real(g->m, 0.4, 1.0);
        g->x[i] = g->x[i - 1] + length * cos(angle);
        g->y[i] = g->y[i - 1] + length * sin(angle);
    }
}

static void put_chain(mechanism *g)
{
    random_model *m = g->m;
    int           first = 1;
    place_chain(g);
    g->breaks = chance(m, 0.25);
    if (g->chain > 1 && chance(m, 0.25)) {
        put_driven(g);
        first = 2;
        g->freedoms--;
    } else put_pivot(g);
    for (int i = first; i <= g->chain; i++) put_place(g, i, given_of_link(g, i));
    put_links(g, first, g->chain);
}

/* Four bars (one freedom) or five (two), the ground counted. */
static void put_loop(mechanism *g)
{
    random_model *m = g->m;
    const double  width = random_real(m, 0.8, 1.6);
    g->loop = true;
    g->chain = g->points = 2 + random_below(m, 2);
    g->freedoms = g->chain - 1;
    for (int i = 1; i <= g->chain; i++) {
        const double along = g->chain == 2 ? i - 1.0 : 0.5 * (i - 1.0);
        const double sag = g->chain == 3 && i == 2 ? 0.6 : 0.0;
        g->x[i] = width * (1.4 * along - 0.2) + random_real(m, -0.25, 0.25);
        g->y[i] = -0.8 - sag + random_real(m, -0.25, 0.25);
    }
    g->x[g->chain + 1] = width;
    g->y[g->chain + 1] = 0.0;
    put(m, "local P0 = ground_point(0, 0)\n");
    if (g->chain == 2) {
        put_place(g, 1, "x");
        put_place(g, 2, "");
    } else {
        put_place(g, 1, "");
        put_place(g, 2, "xy");
        put_place(g, 3, "");
    }
    put(m, "local P%d = ground_point(%.4f, 0)\n", g->chain + 1, width);
    g->breaks = chance(m, 0.2);
    put_links(g, 1, g->chain + 1);
}

/* A point on a curve that moves. */
static void put_bead(mechanism *g)
{
    random_model *m = g->m;
    g->chain = g->points = g->freedoms = 1;
    g->x[1] = random_real(m, -0.8, 0.8);
    g->y[1] = -0.5 + 0.5 * g->x[1] * g->x[1];
    put(m, "local P0 = ground_point(0, 0)\n");
    put_place(g, 1, "x");
    put(m, "-- moves\nconstraint(\"wire1\", P1.y + 0.5 - ");
    put_quantity(m, 0.5);
    put(m, " * P1.x^2 + 0.1 * sin(");
    put_between(m, 1.0, 3.0);
    put(m, " * P1.x) - ");
    put_shake(m, 0.15);
    put(m, ")\n");
    name_link(g, "wire1");
}

/* ---- what acts ------------------------------------------------------------------------------ */

static void put_actions(mechanism *g)
{
    random_model *m = g->m;
    put(m, "gravity(0, -");
    put_between(m, 0.5, 4.0);
    put(m, ")\n");
    for (int i = 1; i <= g->points; i++) {
        put(m, "damper {P%d, ground_point(%.3f, 1.5), damping = ", i, random_real(m, -1.0, 1.0));
        put_between(m, 0.05, 0.4);
        put(m, "}\n");
        if (chance(m, 0.5)) {
            put(m, "spring {P%d, ground_point(%.3f, 2), stiffness = ", i,
                random_real(m, -1.0, 1.0));
            put_between(m, 0.5, 4.0);
            put(m, ", length = ");
            put_between(m, 0.5, 2.0);
            put(m, "}\n");
        }
        if (chance(m, 0.3)) {
            put(m, "force(P%d, 0.4 * tanh(", i);
            put_smooth(m, OF_STATE, 1);
            put(m, "), ");
            put_shake(m, 0.5);
            put(m, ")\n");
        }
    }
    if (g->points > 2 && chance(m, 0.4)) {
        put(m, "spring {P1, P3, stiffness = ");
        put_between(m, 0.5, 3.0);
        put(m, ", length = ");
        put_quantity(m, distance_of(g, 1, 3));
        put(m, "}\n");
    }
    if (chance(m, 0.3)) {
        put(m, "dissipation(");
        put_between(m, 0.02, 0.1);
        put_q(m, " * dot(", ")^2)\n");
    }
}

/* ---- events --------------------------------------------------------------------------------- */

/* What an event is charged: velocities of both sides, reactions, and impulses of a constraint,
 * which are 0 at events without an impact. */
static void put_event_charge(mechanism *g, const char *impulse)
{
    random_model *m = g->m;
    const int     i = some_point(g);
    if (chance(m, 0.3)) return;
    put(m, ", charge = {k%d = ", 1 + random_below(m, m->costs));
    switch (random_below(m, 4)) {
    case 0: put(m, "before(dot(P%d.y))^2 - after(dot(P%d.y))^2", i, i); break;
    case 1: put_instant(m, OF_STATE | WITH_AFTER, 1); break;
    case 2: put(m, "0.2 * after(multiplier(\"%s\")) + 0.1 * t", some_link(g)); break;
    default:
        if (*impulse) put(m, "impulse(\"%s\") + 0.3 * impulse(\"%s\")^2", impulse, some_link(g));
        else put(m, "0.5 * impulse(\"%s\")", some_link(g));
    }
    put(m, "}");
}

static void put_impact(mechanism *g)
{
    random_model *m = g->m;
    char          name[MECHANISM_NAME];
    const int     i = some_point(g), kind = random_below(m, 4);
    const double  side = random_sign(m);
    snprintf(name, sizeof name, "hit%d", ++g->events);
    put(m, "event(\"%s\", {when = ", name);
    switch (kind) {
    case 0: /* a wall */
        put(m, "P%d.x - ", i);
        put_quantity(m, g->x[i] + side * random_real(m, 0.05, 0.4));
        break;
    case 1: /* a floor that moves */
        put(m, "P%d.y - ", i);
        put_quantity(m, g->y[i] - random_real(m, 0.1, 0.3));
        put(m, " - ");
        put_shake(m, 0.1);
        break;
    case 2: /* a slope */
        put(m, "P%d.y + %.3f * P%d.x - ", i, random_real(m, -0.5, 0.5), i);
        put_quantity(m, g->y[i] - random_real(m, 0.1, 0.4));
        break;
    default: put(m, "P%d.y - ", i); put_quantity(m, g->y[i] - random_real(m, 0.05, 0.3));
    }
    put(m, ", direction = \"%s\", restitution = ", kind == 0 && side > 0.0 ? "rising" : "falling");
    put_between(m, 0.5, 0.95);
    put_event_charge(g, name);
    if (chance(m, 0.06)) put(m, ", stop = %d", 1 + random_below(m, 2));
    put(m, "})\n");
}

/* [dot(P.x)] = e * dot(P.x) + a part of something else */
static void put_given(mechanism *g, int i, char along)
{
    random_model *m = g->m;
    put(m, "[dot(P%d.%c)] = ", i, along);
    put_between(m, -0.9, 0.9);
    put(m, " * dot(P%d.%c) + 0.2 * ", i, along);
    if (chance(m, 0.5)) put_smooth(m, OF_STATE, 1);
    else put_between(m, -1.0, 1.0);
}

/* One velocity is given, or both of a point; the dependent ones follow. */
static void put_kick(mechanism *g)
{
    random_model *m = g->m;
    const int     i = g->loop && g->chain == 3 ? 2 : some_point(g);
    const char    along = chance(m, 0.5) ? 'x' : 'y';
    const bool    both = g->freedoms > 1 && (g->loop || i > 1) && chance(m, 0.4);
    put(m, "event(\"kick%d\", {when = ", ++g->events);
    switch (random_below(m, 3)) {
    case 0:
        put(m, "t - ");
        put_between(m, 0.2, 1.2);
        break;
    case 1:
        put(m, "P%d.%c - ", i, along);
        put_quantity(m, (along == 'x' ? g->x[i] : g->y[i]) + random_real(m, -0.3, 0.3));
        break;
    default:
        put(m, "multiplier(\"%s\") - ", some_link(g));
        put_between(m, -1.0, 3.0);
        put(m, ", direction = \"rising\"");
    }
    put(m, ", set = {");
    put_given(g, i, along);
    if (both) {
        put(m, ", ");
        put_given(g, i, along == 'x' ? 'y' : 'x');
    }
    put(m, "}");
    put_event_charge(g, "");
    put(m, "})\n");
}

/* The last point, or that in the middle of five bars, lands on the floor and stays where it landed.
 */
static void put_sticking(mechanism *g)
{
    random_model *m = g->m;
    const int     i = g->loop ? 2 : g->chain;
    const bool    both = g->freedoms > 1, sinks = chance(m, 0.3);
    const double  height = g->y[i] - random_real(m, 0.02, 0.12);
    char          floor[160];
    const size_t  from = m->length;
    put(m, "P%d.y - ", i);
    put_quantity(m, height);
    if (sinks) {
        put(m, " - ");
        put_shake(m, 0.1);
    }
    snprintf(floor, sizeof floor, "%s", m->text + from);
    m->length = from;
    put(m, "local free, stuck = mode(\"free\", {group = \"floor\"}), "
           "mode(\"stuck\", {group = \"floor\"})\n");
    put(m, "constraint(\"py\", %s, {mode = stuck})\n", floor);
    if (both) {
        m->memories = 1;
        put(m,
            "local c1 = memory(\"c1\", 0)\n"
            "constraint(\"px\", P%d.x - c1, {mode = stuck})\n",
            i);
    }
    put(m, "event(\"stick\", {from = free, to = stuck, when = %s, direction = \"falling\"", floor);
    if (both) put(m, ", set = {[c1] = P%d.x}", i);
    put_event_charge(g, "py");
    put(m, "})\nevent(\"lift\", {from = stuck, to = free, when = ");
    if (chance(m, 0.6)) put(m, "multiplier(\"py\"), direction = \"rising\"");
    else {
        put(m, "t - ");
        put_between(m, 0.4, 0.9);
    }
    put_event_charge(g, "");
    put(m, "})\n");
}

/* An instant: a time, or a point that passes a line. */
static void put_instant_guard(mechanism *g, double early, double late)
{
    random_model *m = g->m;
    const int     i = some_point(g);
    if (chance(m, 0.6)) {
        put(m, "t - ");
        put_between(m, early, late);
    } else {
        put(m, "P%d.y + 0.3 * P%d.x - ", i, i);
        put_quantity(m, g->y[i] + 0.3 * g->x[i] + random_real(m, -0.2, 0.2));
    }
}

/* A clamp takes a point where it is: first it keeps its distance from a place, then that is
 * replaced by a line that may move, then the point is let go. */
static void put_clamp(mechanism *g)
{
    random_model *m = g->m;
    const int     i = g->loop ? g->chain - 1 : g->chain;
    const double  x = g->x[i] + random_real(m, -1.0, 1.0), y = g->y[i] + random_real(m, 0.5, 1.0);
    char          line[200];
    const size_t  from = m->length;
    m->memories = 2;
    put(m, "P%d.y - %.3f * P%d.x", i, random_real(m, -0.5, 0.5), i);
    if (chance(m, 0.5)) {
        put(m, " - ");
        put_shake(m, 0.1);
    }
    snprintf(line, sizeof line, "%s", m->text + from);
    m->length = from;
    put(m, "local c1, c2 = memory(\"c1\", 1), memory(\"c2\", 0)\n"
           "local loose, gripped, guided = mode(\"loose\", {group = \"clamp\"}), "
           "mode(\"gripped\", {group = \"clamp\"}), mode(\"guided\", {group = \"clamp\"})\n");
    put(m, "local reach = hypot(P%d.x - %.3f, P%d.y - %.3f)\n", i, x, i, y);
    put(m, "constraint(\"grip\", reach^2 - c1^2, {mode = gripped})\n");
    put(m, "constraint(\"guide\", %s - c2, {mode = guided})\n", line);
    put(m, "event(\"grip\", {from = loose, to = gripped, set = {[c1] = reach}, when = ");
    put_instant_guard(g, 0.1, 0.6);
    put_event_charge(g, "grip");
    put(m, "})\nevent(\"swap\", {from = gripped, to = guided, set = {[c2] = %s}, when = ", line);
    if (chance(m, 0.4)) put(m, "multiplier(\"grip\")");
    else put_instant_guard(g, 0.5, 1.0);
    put_event_charge(g, chance(m, 0.5) ? "guide" : "grip");
    put(m, "})\nevent(\"release\", {from = guided, to = loose, when = ");
    if (chance(m, 0.4)) put(m, "multiplier(\"guide\")");
    else put_instant_guard(g, 0.8, 1.5);
    put_event_charge(g, "");
    put(m, "})\n");
    name_link(g, "grip");
    name_link(g, "guide");
}

/* A ball on a rope from the last point of the chain or from the ground: slack, taut, slack again.
 */
static void put_ball(mechanism *g)
{
    random_model *m = g->m;
    const int     i = ++g->points;
    const bool    ground = chance(m, 0.5);
    const int     from = ground ? 0 : g->chain;
    g->x[i] = (ground ? 1.0 : g->x[from]) + random_real(m, -0.2, 0.2);
    g->y[i] = (ground ? 0.5 : g->y[from]) + random_real(m, -0.4, -0.1);
    put_place(g, i, "xy");
    put(m, "local slack, taut = mode(\"slack\", {group = \"rope\"}), "
           "mode(\"taut\", {group = \"rope\"})\n");
    if (ground) put(m, "local rope = (P%d.x - 1)^2 + (P%d.y - 0.5)^2 - ", i, i);
    else put(m, "local rope = (P%d.x - P%d.x)^2 + (P%d.y - P%d.y)^2 - ", i, from, i, from);
    put_quantity(m, random_real(m, 0.6, 1.0));
    put(m, "^2\nconstraint(\"rope\", rope, {mode = taut})\n"
           "event(\"jerk\", {from = slack, to = taut, when = rope, direction = \"rising\"");
    put_event_charge(g, "rope");
    put(m, "})\nevent(\"slacken\", {from = taut, to = slack, when = multiplier(\"rope\"), "
           "direction = \"falling\"");
    put_event_charge(g, "");
    put(m, "})\n");
    name_link(g, "rope");
}

/* ---- what is measured ----------------------------------------------------------------------- */

static void put_reaction(mechanism *g)
{
    random_model *m = g->m;
    switch (random_below(m, 4)) {
    case 0: put(m, " + 0.1 * multiplier(\"%s\")^2", some_link(g)); break;
    case 1: put(m, " + multiplier(\"%s\")", some_link(g)); break;
    case 2: put_q(m, " + 0.1 * ddot(", ")^2"); break;
    default: put_q(m, " + ddot(", ")");
    }
}

static void put_measure(mechanism *g, int number)
{
    random_model *m = g->m;
    const int     what = 1 + random_below(m, 3);
    put(m, "cost(\"k%d\", {", number);
    if (what & 1) {
        put(m, "integral = ");
        put_smooth(m, OF_STATE, 1);
        if (chance(m, 0.7)) put_reaction(g);
        put(m, ", ");
    }
    if (what & 2) {
        put(m, "final = ");
        put_smooth(m, OF_STATE, random_below(m, 2));
        if (chance(m, 0.6)) put_reaction(g);
    }
    put(m, "})\n");
}

static void put_penalty(random_model *m)
{
    put(m, "solver {formulation = \"penalty\", alpha = %.3g, xi = %.2f, omega = %.2f}\n",
        pow(10.0, random_real(m, 4.0, 7.0)), random_real(m, 0.5, 1.2), random_real(m, 2.0, 12.0));
}

static void random_mechanism_make(random_model *m, uint64_t seed)
{
    mechanism g = {.m = m};
    *m = (random_model){.state = seed * 0x9e6c63d0876a9a47u + 1};
    m->text[0] = '\0';
    put(m, "model \"random mechanism %llu\"\n", (unsigned long long)seed);
    put_params(m);
    m->costs = 1 + random_below(m, 3);
    const int kind = random_below(m, 10);
    put(m, "-- %s\n", kind < 6 ? "chain" : kind < 9 ? "loop" : "bead");
    if (kind < 6) put_chain(&g);
    else if (kind < 9) put_loop(&g);
    else put_bead(&g);
    m->coordinates = 2 * g.points;
    if (!g.loop && chance(m, 0.3)) put_ball(&g);
    m->coordinates = 2 * g.points;
    if (!g.breaks && kind < 9 && chance(m, 0.5)) put_sticking(&g);
    else if (g.freedoms > 1 && chance(m, 0.4)) put_clamp(&g);
    put_actions(&g);
    for (int count = random_below(m, 4); count > 0; count--) put_impact(&g);
    if (chance(m, 0.4)) put_kick(&g);
    for (int i = 1; i <= m->costs; i++) put_measure(&g, i);
    const double end = random_real(m, 0.8, 2.0);
    put(m, "horizon(0, ");
    if (chance(m, 0.4)) put_quantity(m, end);
    else put(m, "%.4g", end);
    put(m, ")\n");
    if (chance(m, 0.25)) put_penalty(m);
}

#endif
