/* Random hybrid models as Lua text: the same seed gives the same text.
 *
 * The motion is kept bounded: every coordinate has a mass, a spring and a damper of its own, all
 * other forces are small or bounded, and resets map bounded velocities to bounded ones. Parameters
 * stand everywhere: in masses, forces, start values, guards, resets, charges, costs and the end of
 * the horizon. */
#ifndef RANDOM_MODEL_H
#define RANDOM_MODEL_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { RANDOM_TEXT = 1 << 16, RANDOM_PARAMS = 6 };

typedef struct random_model {
    uint64_t state;
    size_t   length;
    int      params, coordinates, memories, groups, modes, costs;
    int      first_mode[3]; /* of each group, and the end */
    unsigned entered;       /* modes that events go to, as bits */
    bool     has_point;     /* P is (q_i, q_{i+1}) */
    char     shared[96];    /* an expression of positions that kinks and guards both use */
    double   param[RANDOM_PARAMS];
    char     text[RANDOM_TEXT];
} random_model;

/* What may stand in an expression. */
enum { WITH_T = 1, WITH_Q = 2, WITH_V = 4, WITH_A = 8, WITH_C = 16, WITH_P = 32, WITH_AFTER = 64 };
enum {
    OF_POSITION = WITH_T | WITH_Q | WITH_C | WITH_P,
    OF_STATE = OF_POSITION | WITH_V,
    OF_MOTION = OF_STATE | WITH_A
};

/* ---- chance --------------------------------------------------------------------------------- */

/* splitmix64 */
static uint64_t random_bits(random_model *m)
{
    uint64_t z = m->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double random_real(random_model *m, double low, double high)
{
    return low + (high - low) * (double)(random_bits(m) >> 11) * 0x1p-53;
}

static int random_below(random_model *m, int n) { return (int)(random_bits(m) % (uint64_t)n); }

static bool chance(random_model *m, double p) { return random_real(m, 0.0, 1.0) < p; }

static double random_sign(random_model *m) { return chance(m, 0.5) ? 1.0 : -1.0; }

/* ---- text ----------------------------------------------------------------------------------- */

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
put(random_model *m, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(m->text + m->length, RANDOM_TEXT - m->length, format, arguments);
    va_end(arguments);
    m->length += (size_t)length;
    if (m->length >= RANDOM_TEXT) m->length = RANDOM_TEXT - 1;
}

static void put_number(random_model *m, double x) { put(m, x < 0.0 ? "(%.4g)" : "%.4g", x); }

/* An expression of parameters whose value is x, to a few digits. */
static void put_quantity(random_model *m, double x)
{
    const int    i = random_below(m, m->params), j = random_below(m, m->params);
    const double p = m->param[i], r = m->param[j], part = random_real(m, 0.2, 0.8);
    switch (random_below(m, 8)) {
    case 0: put(m, "(%.4g * p%d)", x / p, i + 1); break;
    case 1: put(m, "(%.4g + %.4g * p%d)", part * x, (1.0 - part) * x / p, i + 1); break;
    case 2: put(m, "(%.4g * p%d * p%d)", x / (p * r), i + 1, j + 1); break;
    case 3: put(m, "(%.4g / p%d)", x * p, i + 1); break;
    case 4: put(m, "(%.4g * exp(0.5 * p%d))", x / exp(0.5 * p), i + 1); break;
    case 5: put(m, "(%.4g * sqrt(p%d + p%d))", x / sqrt(p + r), i + 1, j + 1); break;
    default: put_number(m, x);
    }
}

static void put_between(random_model *m, double low, double high)
{
    put_quantity(m, random_real(m, low, high));
}

static void put_q(random_model *m, const char *before, const char *after)
{
    put(m, "%sq%d%s", before, 1 + random_below(m, m->coordinates), after);
}

static void put_leaf(random_model *m, int kinds)
{
    for (;;) {
        const int kind = 1 << random_below(m, 6);
        if (!(kinds & kind) || (kind == WITH_C && m->memories == 0)) continue;
        const bool after = (kinds & WITH_AFTER) && chance(m, 0.4);
        put(m, "%s", after ? "after(" : (kinds & WITH_AFTER) && chance(m, 0.3) ? "before(" : "(");
        if (kind == WITH_T) put(m, "t");
        if (kind == WITH_Q) put_q(m, "", "");
        if (kind == WITH_V) put_q(m, "dot(", ")");
        if (kind == WITH_A) put_q(m, "ddot(", ")");
        if (kind == WITH_C) put(m, "c%d", 1 + random_below(m, m->memories));
        if (kind == WITH_P) put_between(m, -1.0, 1.0);
        put(m, ")");
        return;
    }
}

/* Smooth expressions of moderate size; % stands for a subexpression. */
static const char *const smooth_forms[] = {
    "(% + %)",
    "(% - %)",
    "(% * %)",
    "(-%)",
    "sin(%)",
    "cos(% + %)",
    "tan(0.7 * sin(%))",
    "asin(0.9 * tanh(%))",
    "acos(0.9 * sin(%))",
    "atan(%)",
    "atan2(%, 2 + sin(%))",
    "sinh(tanh(%))",
    "cosh(sin(%))",
    "tanh(%)",
    "exp(-(%)^2)",
    "log(1.5 + (%)^2)",
    "sqrt(1 + (%)^2)",
    "hypot(%, 1 + 0.5 * cos(%))",
    "(2 + cos(%))^sin(%)",
    "pow(1.5 + tanh(%), 1.5)",
    "(%)^2",
    "tanh(%)^3",
    "(% / (1 + (%)^2))",
};
enum { SMOOTH_FORMS = sizeof smooth_forms / sizeof smooth_forms[0] };

static const char *const kinked_forms[] = {
    "abs(%)", "max(%, 0.1)", "min(%, %)", "max(%, %)", "sign(%)", "abs(% - 0.2)",
};
enum { KINKED_FORMS = sizeof kinked_forms / sizeof kinked_forms[0] };

static void put_smooth(random_model *m, int kinds, int depth);

static void put_form(random_model *m, const char *form, int kinds, int depth)
{
    for (; *form; form++) {
        if (*form == '%') put_smooth(m, kinds, depth);
        else put(m, "%c", *form);
    }
}

static void put_smooth(random_model *m, int kinds, int depth)
{
    if (depth == 0) put_leaf(m, kinds);
    else put_form(m, smooth_forms[random_below(m, SMOOTH_FORMS)], kinds, depth - 1);
}

static void put_kinked(random_model *m, int kinds, int depth)
{
    put_form(m, kinked_forms[random_below(m, KINKED_FORMS)], kinds, depth);
}

/* Where an expression is evaluated once (a reset, a charge), it may have kinks. */
static void put_instant(random_model *m, int kinds, int depth)
{
    if (chance(m, 0.12)) put_kinked(m, kinds, depth - 1);
    else put_smooth(m, kinds, depth);
}

/* ---- declarations --------------------------------------------------------------------------- */

static void put_params(random_model *m)
{
    m->params = 2 + random_below(m, RANDOM_PARAMS - 1);
    for (int i = 0; i < m->params; i++) {
        m->param[i] = random_real(m, 0.4, 1.6);
        put(m, "local p%d = param(\"p%d\", %.6f%s)\n", i + 1, i + 1, m->param[i],
            chance(m, 0.1) ? ", {fixed = true}" : "");
    }
}

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
