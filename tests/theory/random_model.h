/* Random hybrid models as Lua text: the same seed gives the same text.
 *
 * The motion is kept bounded: every coordinate has a mass, a spring and a damper of its own, all
 * other forces are small or bounded, and resets map bounded velocities to bounded ones. Parameters
 * stand everywhere: in masses, forces, start values, guards, resets, charges, costs and the end of
 * the horizon. */
#ifndef RANDOM_MODEL_H
#define RANDOM_MODEL_H

#include "random_text.h"

/* ---- declarations --------------------------------------------------------------------------- */

/* A point is two coordinates under other names; springs of the plane need one. */
static void put_point(random_model *m, int i)
{
    put(m, "local P = point(\"P\", {x = ");
    put_between(m, -0.7, 0.7);
    put(m, ", y = ");
    put_between(m, -0.7, 0.7);
    put(m, ", speed = {");
    put_between(m, -1.0, 1.0);
    put(m, ", ");
    put_between(m, -1.0, 1.0);
    put(m, "}})\nlocal q%d, q%d = P.x, P.y\n", i, i + 1);
    m->has_point = true;
}

static void put_coordinates(random_model *m)
{
    const int coordinates = 1 + random_below(m, chance(m, 0.5) ? 2 : 4);
    for (int i = 1; i <= coordinates; i++) {
        if (!m->has_point && i < coordinates && chance(m, 0.2)) {
            put_point(m, i++);
            continue;
        }
        put(m, "local q%d = coordinate(\"q%d\", {start = ", i, i);
        put_between(m, -0.7, 0.7);
        if (chance(m, 0.1)) put(m, " + 0.1 * abs(p1 - p2)");
        put(m, ", speed = ");
        put_between(m, -1.0, 1.0);
        put(m, "})\n");
    }
    m->coordinates = coordinates;
}

static void put_symbols(random_model *m)
{
    put_params(m);
    put_coordinates(m);
    const int memories = chance(m, 0.5) ? 0 : 1 + random_below(m, 2);
    for (int i = 1; i <= memories; i++) {
        put(m, "local c%d = memory(\"c%d\", ", i, i);
        put_between(m, -0.5, 0.5);
        put(m, ")\n");
    }
    m->memories = memories;
    m->groups = chance(m, 0.6) ? 0 : chance(m, 0.6) ? 1 : 2;
    for (int g = 0; g < m->groups; g++) {
        m->first_mode[g] = m->modes;
        for (int count = 2 + random_below(m, 2); count > 0; count--) {
            m->modes++;
            put(m, "local m%d = mode(\"m%d\"", m->modes, m->modes);
            put(m, g ? ", {group = \"g\"})\n" : ")\n");
        }
    }
    m->first_mode[m->groups] = m->modes;
}

/* ---- terms ---------------------------------------------------------------------------------- */

static void end_term(random_model *m)
{
    if (m->modes == 0 || chance(m, 0.5)) put(m, ")\n");
    else if (chance(m, 0.8)) put(m, ", {mode = m%d})\n", 1 + random_below(m, m->modes));
    else {
        const int a = random_below(m, m->modes), b = random_below(m, m->modes);
        put(m, ", {mode = {m%d, m%d}})\n", a + 1, b + 1);
    }
}

static void put_kinetic(random_model *m)
{
    put(m, "kinetic(0.5 * ");
    put_between(m, 0.2, 1.0);
    switch (random_below(m, 5)) {
    case 0:
        put_q(m, " * (1 + 0.5 * sin(", ")^2) * ");
        put_q(m, "dot(", ")^2");
        break;
    case 1:
        put(m, " * (1 + 0.4 * sin(");
        put_between(m, 1.0, 3.0);
        put_q(m, " * t)) * dot(", ")^2");
        break;
    case 2:
        put_q(m, " * dot(", " + ");
        put_between(m, 0.2, 1.0);
        put_q(m, " * sin(", "))^2");
        break;
    case 3:
        put_q(m, " * dot(", " - 0.7 * ");
        put_q(m, "", ")^2");
        break;
    default:
        put_q(m, " * dot(", "");
        put_q(m, " + 0.4 * cos(", " + ");
        put_between(m, 0.5, 2.0);
        put(m, " * t))^2");
    }
    end_term(m);
}

static void put_potential(random_model *m)
{
    put(m, "potential(");
    put_between(m, 0.3, 2.0);
    switch (random_below(m, 4)) {
    case 0: put_q(m, " * ", "^4"); break;
    case 1:
        put_q(m, " * (", "");
        put_q(m, " - ", " - 0.2)^2");
        break;
    case 2: put_q(m, " * cos(", ")"); break;
    default:
        put(m, " * ");
        put_smooth(m, WITH_Q | WITH_C | WITH_P, 1);
        put_q(m, "^2 / (3 + ", "^2)");
    }
    end_term(m);
}

static void put_dissipation(random_model *m)
{
    put(m, "dissipation(");
    put_between(m, 0.02, 0.2);
    switch (random_below(m, 3)) {
    case 0: put_q(m, " * dot(", ")^4"); break;
    case 1:
        put_q(m, " * dot(", "");
        put_q(m, " - sin(", "))^2");
        break;
    default: put_q(m, " * sqrt(0.3 + dot(", ")^2)");
    }
    end_term(m);
}

static void put_force(random_model *m)
{
    const int i = 1 + random_below(m, m->coordinates);
    put(m, "force(");
    if (chance(m, 0.7)) put(m, "q%d, ", i);
    else put_q(m, "sin(q1) - ", ", ");
    switch (random_below(m, 6)) {
    case 0:
        put_between(m, -1.5, 1.5);
        put(m, " * cos(");
        put_between(m, 1.0, 4.0);
        put(m, " * t + ");
        put_between(m, 0.0, 3.0);
        put(m, ")");
        break;
    case 1:
        put(m, "-");
        put_between(m, 0.05, 0.3);
        put(m, " * dot(q%d) * sqrt(1 + dot(q%d)^2)", i, i);
        break;
    case 2:
        put(m, "-");
        put_between(m, 0.2, 2.0);
        put(m, " * q%d^3", i);
        break;
    case 3: put_between(m, -2.0, 2.0); break;
    default:
        put_between(m, 0.2, 1.0);
        put(m, " * tanh(");
        put_smooth(m, OF_STATE, 2);
        put(m, ")");
    }
    end_term(m);
}

static void put_planar(random_model *m)
{
    put(m, "gravity(0, -");
    put_between(m, 0.2, 2.0);
    put(m, ")\nspring {P, ground_point(2, ");
    put_between(m, -1.0, 1.0);
    put(m, "), stiffness = ");
    put_between(m, 0.5, 4.0);
    put(m, ", length = ");
    put_between(m, 1.0, 2.0);
    put(m, "}\ndamper {P, ground_point(-2, 0.5), damping = ");
    put_between(m, 0.05, 0.3);
    put(m, "}\nforce(P, ");
    put_between(m, -0.5, 0.5);
    put(m, ", 0.3 * tanh(");
    put_smooth(m, OF_STATE, 1);
    put(m, ")");
    end_term(m);
}

static void put_kinked_energy(random_model *m)
{
    switch (random_below(m, 4)) {
    case 0:
        put(m, "potential(");
        put_between(m, 0.5, 4.0);
        put(m, " * max(%s, 0)^2", m->shared);
        break;
    case 1:
        put(m, "dissipation(");
        put_between(m, 0.01, 0.08);
        put_q(m, " * abs(dot(", "))");
        break;
    case 2:
        put(m, "potential(");
        put_between(m, 0.05, 0.3);
        put(m, " * abs(%s)", m->shared);
        break;
    default:
        put(m, "kinetic(0.5 * ");
        put_between(m, 0.2, 1.0);
        put(m, " * (1 + 0.3 * abs(sin(q1))) * dot(q1)^2");
    }
    end_term(m);
}

static void put_kinked_force(random_model *m)
{
    const int i = 1 + random_below(m, m->coordinates);
    put(m, "force(q%d, ", i);
    switch (random_below(m, 5)) {
    case 4:
        put_between(m, -0.3, 0.3);
        put(m, " * sign(%s)", m->shared);
        break;
    case 0:
        put(m, "-");
        put_between(m, 0.01, 0.08);
        put(m, " * sign(dot(q%d))", i);
        break;
    case 1:
        put(m, "-");
        put_between(m, 1.0, 6.0);
        put(m, " * max(q%d - ", i);
        put_between(m, -0.2, 0.4);
        put(m, ", 0)");
        break;
    case 2:
        put(m, "-");
        put_between(m, 0.05, 0.3);
        put(m, " * abs(dot(q%d)) * dot(q%d)", i, i);
        break;
    default:
        put_between(m, 0.1, 0.5);
        put(m, " * tanh(");
        put_kinked(m, WITH_T | WITH_Q | WITH_C | WITH_P, 1);
        put(m, ")");
    }
    end_term(m);
}

static void put_terms(random_model *m)
{
    snprintf(m->shared, sizeof m->shared, "(q%d - %.4g * p1)", 1 + random_below(m, m->coordinates),
             random_real(m, -0.3, 0.4));
    for (int i = 1; i <= m->coordinates; i++) {
        put(m, "mass(q%d, ", i);
        put_between(m, 0.5, 2.0);
        put(m, ")\npotential(0.5 * ");
        put_between(m, 2.0, 12.0);
        put(m, " * (q%d - ", i);
        put_between(m, -0.3, 0.3);
        put(m, ")^2)\ndissipation(0.5 * ");
        put_between(m, 0.05, 0.4);
        put(m, " * dot(q%d)^2)\n", i);
    }
    for (int count = random_below(m, 3); count > 0; count--) put_kinetic(m);
    for (int count = random_below(m, 3); count > 0; count--) put_potential(m);
    for (int count = random_below(m, 2); count > 0; count--) put_dissipation(m);
    for (int count = random_below(m, 4); count > 0; count--) put_force(m);
    if (m->has_point) put_planar(m);
    if (chance(m, 0.25)) put_kinked_force(m);
    if (chance(m, 0.15)) put_kinked_energy(m);
}

/* ---- events --------------------------------------------------------------------------------- */

typedef struct random_event {
    int         number, body; /* the coordinate most concerned, from 1 on */
    const char *direction;
    bool        positions; /* the guard is of positions: restitution is possible */
    bool        restitution, velocities, relabels;
} random_event;

static void put_guard(random_model *m, random_event *e)
{
    const int         kind = random_below(m, 12);
    const double      side = random_sign(m);
    const char *const directions[] = {"falling", "rising", "any"};
    e->positions = kind < 5 || kind == 10;
    e->direction = kind < 4 ? (side > 0.0 ? "rising" : "falling") : directions[random_below(m, 3)];
    switch (kind) {
    case 0:
    case 1: /* a wall */
        put(m, "q%d - ", e->body);
        put_quantity(m, side * random_real(m, 0.1, 0.8));
        break;
    case 2: /* a moving wall */
        put(m, "q%d - ", e->body);
        put_quantity(m, side * random_real(m, 0.2, 0.8));
        put(m, " - ");
        put_between(m, 0.02, 0.2);
        put(m, " * sin(");
        put_between(m, 1.0, 5.0);
        put(m, " * t)");
        break;
    case 3: /* two bodies */
        put(m, "q%d - 0.8 * sin(", e->body);
        put_q(m, "", ") - ");
        put_quantity(m, side * random_real(m, 0.1, 0.6));
        break;
    case 4:
        put(m, "sin(q%d) + 0.3 * ", e->body);
        put_q(m, "", "^2 - ");
        put_between(m, -0.3, 0.4);
        break;
    case 5:
        put(m, "dot(q%d) - ", e->body);
        put_between(m, -0.7, 0.7);
        break;
    case 6:
        put(m, "sin(");
        put_between(m, 1.0, 4.0);
        put(m, " * t) - ");
        put_between(m, -0.5, 0.5);
        break;
    case 7:
        put(m, "ddot(q%d) - ", e->body);
        put_between(m, -2.0, 2.0);
        break;
    case 8:
        put(m, "q%d + ", e->body);
        put_between(m, 0.1, 0.5);
        put(m, " * dot(q%d) - ", e->body);
        put_between(m, -0.4, 0.4);
        break;
    case 9:
        put_smooth(m, WITH_Q | WITH_V, 1);
        put(m, " + 0.5 * q%d - ", e->body);
        put_between(m, -0.5, 0.5);
        break;
    case 10: /* what other guards and kinks also use */ put(m, "%s", m->shared); return;
    default:
        put(m, "q%d + 0.3 * ", e->body);
        put_kinked(m, WITH_Q | WITH_V | WITH_T, 0);
        put(m, " - ");
        put_between(m, -0.4, 0.4);
    }
    if (m->memories && chance(m, 0.3)) put(m, " + 0.1 * c%d", 1 + random_below(m, m->memories));
}

static void put_mode_change(random_model *m)
{
    if (m->groups == 0 || chance(m, 0.25)) return;
    const int g = random_below(m, m->groups);
    const int first = m->first_mode[g] + 1, count = m->first_mode[g + 1] - m->first_mode[g];
    int       from = first + random_below(m, count);
    if (!(m->entered & 1u << from)) from = first;
    const int to = first + (from - first + 1 + random_below(m, count - 1)) % count;
    if (chance(m, 0.2)) put(m, ", from = {m%d, m%d}", from, first);
    else if (chance(m, 0.8)) put(m, ", from = m%d", from);
    m->entered |= 1u << to;
    if (m->groups == 2 && chance(m, 0.3)) {
        const int other = m->first_mode[1 - g] + 1 + random_below(m, 2);
        put(m, ", to = {m%d, m%d}", to, other);
        m->entered |= 1u << other;
    } else put(m, ", to = m%d", to);
}

static void put_where(random_model *m, const random_event *e)
{
    if (chance(m, 0.75)) return;
    if (chance(m, 0.5)) {
        put(m, ", where = dot(q%d)^2 - ", e->body);
        put_between(m, 0.02, 0.1);
    } else {
        put(m, ", where = {0.9 + ");
        put_instant(m, OF_MOTION, 1);
        put(m, ", 2 - t}");
    }
}

static void put_velocity_reset(random_model *m, int i)
{
    put(m, "[dot(q%d)] = ", i);
    switch (random_below(m, 3)) {
    case 0:
        put(m, "-");
        put_between(m, 0.4, 0.95);
        put(m, " * dot(q%d)", i);
        break;
    case 1:
        put_between(m, 0.4, 0.9);
        put(m, " * dot(q%d) + ", i);
        put_between(m, -0.4, 0.4);
        break;
    default:
        put_between(m, -0.8, 0.8);
        put(m, " * dot(q%d) + 0.2 * tanh(", i);
        put_instant(m, OF_STATE, 1);
        put(m, ")");
    }
}

static void put_relabelling(random_model *m)
{
    const int i = 1 + random_below(m, m->coordinates), j = 1 + random_below(m, m->coordinates);
    if (i != j && chance(m, 0.7)) put(m, "[q%d] = q%d, [q%d] = q%d", i, j, j, i);
    else if (chance(m, 0.5)) put(m, "[q%d] = -q%d", i, i);
    else {
        put(m, "[q%d] = 0.8 * q%d + 0.1 * sin(", i, i);
        put_smooth(m, OF_POSITION, 1);
        put(m, ")");
    }
}

static void put_memory_reset(random_model *m)
{
    const int c = 1 + random_below(m, m->memories);
    put(m, "[c%d] = ", c);
    switch (random_below(m, 5)) {
    case 0:
        put(m, "c%d + ", c);
        put_between(m, -0.3, 0.3);
        break;
    case 1: put(m, "-c%d", c); break;
    case 2: put_q(m, "", " + 0.1 * t"); break;
    case 3: put_q(m, "0.5 * after(dot(", "))"); break;
    default:
        put(m, "tanh(");
        put_instant(m, OF_STATE, 1);
        put(m, ")");
    }
}

static void put_law(random_model *m, random_event *e)
{
    const char *between = "";
    e->restitution = e->positions && chance(m, 0.6);
    e->velocities = !e->restitution && chance(m, 0.5);
    e->relabels = chance(m, e->positions ? 0.05 : 0.2);
    if (e->restitution) {
        put(m, ", restitution = ");
        put_between(m, 0.4, 0.95);
        if (chance(m, 0.2)) put(m, " * (1 - 0.1 * tanh(dot(q%d))^2)", e->body);
    }
    put(m, ", set = {");
    if (e->velocities) {
        put_velocity_reset(m, e->body);
        const int other = 1 + random_below(m, m->coordinates);
        if (other != e->body && chance(m, 0.4)) {
            put(m, ", ");
            put_velocity_reset(m, other);
        }
        between = ", ";
    }
    if (e->relabels) {
        put(m, "%s", between);
        put_relabelling(m);
        between = ", ";
    }
    if (m->memories && chance(m, 0.6)) {
        put(m, "%s", between);
        put_memory_reset(m);
    }
    put(m, "}");
}

static void put_charge(random_model *m, const random_event *e)
{
    if (chance(m, 0.5)) return;
    put(m, ", charge = {k%d = ", 1 + random_below(m, m->costs));
    switch (random_below(m, e->restitution ? 4 : 3)) {
    case 0: put(m, "before(dot(q%d))^2 - after(dot(q%d))^2", e->body, e->body); break;
    case 1: put_quantity(m, 1.0); break;
    case 2: put_instant(m, OF_MOTION | WITH_AFTER, 2); break;
    default: put(m, "impulse(\"e%d\")^2 + 0.3 * impulse(\"e%d\")", e->number, e->number);
    }
    put(m, "}");
}

static void put_event(random_model *m, int number)
{
    random_event e = {.number = number, .body = 1 + random_below(m, m->coordinates)};
    put(m, "event(\"e%d\", {when = ", number);
    put_guard(m, &e);
    put(m, ", direction = \"%s\"", e.direction);
    put_mode_change(m);
    put_where(m, &e);
    put_law(m, &e);
    put_charge(m, &e);
    if (chance(m, 0.08)) put(m, ", stop = %d", 1 + random_below(m, 3));
    put(m, "})\n");
}

/* ---- what is measured ----------------------------------------------------------------------- */

static void put_cost(random_model *m, int number)
{
    const int what = 1 + random_below(m, 7);
    put(m, "cost(\"k%d\", {", number);
    if (what & 1 || what == 4) {
        put(m, "integral = ");
        if (chance(m, 0.12)) put_kinked(m, OF_STATE, 1);
        else put_smooth(m, chance(m, 0.4) ? OF_MOTION : OF_STATE, 1 + random_below(m, 2));
        put(m, ", ");
    }
    if (what & 2) {
        put(m, "final = ");
        if (chance(m, 0.1)) put_kinked(m, OF_MOTION, 1);
        else put_smooth(m, chance(m, 0.4) ? OF_MOTION : OF_STATE, random_below(m, 3));
    }
    put(m, "})\n");
}

static void random_model_make(random_model *m, uint64_t seed)
{
    *m = (random_model){.state = seed * 0x2545f4914f6cdd1du + 1};
    m->text[0] = '\0';
    put(m, "model \"random %llu\"\n", (unsigned long long)seed);
    put_symbols(m);
    put_terms(m);
    m->costs = 1 + random_below(m, 4);
    const int events = chance(m, 0.08) ? 0 : 1 + random_below(m, 3);
    for (int i = 1; i <= events; i++) put_event(m, i);
    for (int i = 1; i <= m->costs; i++) put_cost(m, i);
    const double start = chance(m, 0.8) ? 0.0 : random_real(m, -1.0, 1.0);
    put(m, "horizon(%.4g, ", start);
    if (chance(m, 0.4)) put_quantity(m, start + random_real(m, 1.5, 5.0));
    else put(m, "%.4g", start + random_real(m, 1.5, 5.0));
    put(m, ")\n");
}

#endif
