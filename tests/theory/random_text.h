/* Random numbers, and random expressions of Lua: the same state gives the same text. */
#ifndef RANDOM_TEXT_H
#define RANDOM_TEXT_H

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
static inline uint64_t random_bits(random_model *m)
{
    uint64_t z = m->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline double random_real(random_model *m, double low, double high)
{
    return low + (high - low) * (double)(random_bits(m) >> 11) * 0x1p-53;
}

static inline int random_below(random_model *m, int n)
{
    return (int)(random_bits(m) % (uint64_t)n);
}

static inline bool chance(random_model *m, double p) { return random_real(m, 0.0, 1.0) < p; }

static inline double random_sign(random_model *m) { return chance(m, 0.5) ? 1.0 : -1.0; }

/* ---- text ----------------------------------------------------------------------------------- */

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static inline void
put(random_model *m, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(m->text + m->length, RANDOM_TEXT - m->length, format, arguments);
    va_end(arguments);
    m->length += (size_t)length;
    if (m->length >= RANDOM_TEXT) m->length = RANDOM_TEXT - 1;
}

static inline void put_number(random_model *m, double x) { put(m, x < 0.0 ? "(%.4g)" : "%.4g", x); }

/* An expression of parameters whose value is x, to a few digits. */
static inline void put_quantity(random_model *m, double x)
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

static inline void put_between(random_model *m, double low, double high)
{
    put_quantity(m, random_real(m, low, high));
}

static inline void put_q(random_model *m, const char *before, const char *after)
{
    put(m, "%sq%d%s", before, 1 + random_below(m, m->coordinates), after);
}

static inline void put_leaf(random_model *m, int kinds)
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

static inline void put_smooth(random_model *m, int kinds, int depth);

static inline void put_form(random_model *m, const char *form, int kinds, int depth)
{
    for (; *form; form++) {
        if (*form == '%') put_smooth(m, kinds, depth);
        else put(m, "%c", *form);
    }
}

static inline void put_smooth(random_model *m, int kinds, int depth)
{
    if (depth == 0) put_leaf(m, kinds);
    else put_form(m, smooth_forms[random_below(m, SMOOTH_FORMS)], kinds, depth - 1);
}

static inline void put_kinked(random_model *m, int kinds, int depth)
{
    put_form(m, kinked_forms[random_below(m, KINKED_FORMS)], kinds, depth);
}

/* Where an expression is evaluated once (a reset, a charge), it may have kinks. */
static inline void put_instant(random_model *m, int kinds, int depth)
{
    if (chance(m, 0.12)) put_kinked(m, kinds, depth - 1);
    else put_smooth(m, kinds, depth);
}

static inline void put_params(random_model *m)
{
    m->params = 2 + random_below(m, RANDOM_PARAMS - 1);
    for (int i = 0; i < m->params; i++) {
        m->param[i] = random_real(m, 0.4, 1.6);
        put(m, "local p%d = param(\"p%d\", %.6f%s)\n", i + 1, i + 1, m->param[i],
            chance(m, 0.1) ? ", {fixed = true}" : "");
    }
}

#endif
