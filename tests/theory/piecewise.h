/* Piecewise polynomials on an interval: abs, min, max, sign and derivatives of them are exact. */
#ifndef PIECEWISE_H
#define PIECEWISE_H

#include "exact_polynomial.h"

enum { PIECES = 96 };

typedef struct piecewise {
    int        pieces;
    bool       full; /* more pieces than there is room for */
    exact      from[PIECES + 1];
    exact_poly p[PIECES];
} piecewise;

typedef enum piecewise_op { PIECE_ADD, PIECE_SUB, PIECE_MUL, PIECE_MIN, PIECE_MAX } piecewise_op;

static inline void piecewise_start(piecewise *w, exact low, exact high, const exact_poly *p)
{
    w->pieces = 1;
    w->full = false;
    w->from[0] = low;
    w->from[1] = high;
    w->p[0] = *p;
}

static inline void piecewise_append(piecewise *w, exact until, const exact_poly *p)
{
    if (w->pieces == PIECES) {
        w->full = true;
        return;
    }
    w->p[w->pieces++] = *p;
    w->from[w->pieces] = until;
}

/* The smaller or larger of a and b between two times: cut where they cross. */
static inline void append_choice(piecewise *w, const exact_poly *a, const exact_poly *b, exact low,
                                 exact high, bool larger)
{
    exact            at[EXACT_TERMS + 1];
    const exact_poly d = exact_sum(a, b, -1.0L);
    const int        count = exact_roots(&d, low, high, at);
    at[count] = high;
    for (int i = 0; i <= count; i++) {
        const exact begin = i ? at[i - 1] : low;
        /* at two places: it may touch zero at one */
        const exact third = (at[i] - begin) / 3.0L;
        const bool  above = exact_value(&d, begin + third) + exact_value(&d, at[i] - third) > 0.0L;
        piecewise_append(w, at[i], above == larger ? a : b);
    }
}

static inline void append_result(piecewise *w, piecewise_op op, const exact_poly *a,
                                 const exact_poly *b, exact low, exact high)
{
    exact_poly r;
    switch (op) {
    case PIECE_ADD: r = exact_sum(a, b, 1.0L); break;
    case PIECE_SUB: r = exact_sum(a, b, -1.0L); break;
    case PIECE_MUL: r = exact_product(a, b); break;
    default: append_choice(w, a, b, low, high, op == PIECE_MAX); return;
    }
    piecewise_append(w, high, &r);
}

static inline void piecewise_apply(piecewise_op op, const piecewise *a, const piecewise *b,
                                   piecewise *result)
{
    int   i = 0, k = 0;
    exact at = a->from[0];
    result->pieces = 0;
    result->full = a->full || b->full;
    result->from[0] = at;
    while (i < a->pieces && k < b->pieces) {
        const exact next = fminl(a->from[i + 1], b->from[k + 1]);
        if (next > at) append_result(result, op, &a->p[i], &b->p[k], at, next);
        at = next;
        if (a->from[i + 1] <= at) i++;
        if (b->from[k + 1] <= at) k++;
    }
}

static inline void piecewise_abs(const piecewise *a, piecewise *result)
{
    static piecewise negative;
    negative = *a;
    for (int i = 0; i < a->pieces; i++)
        for (int k = 0; k < a->p[i].terms; k++) negative.p[i].c[k] = -a->p[i].c[k];
    piecewise_apply(PIECE_MAX, a, &negative, result);
}

static inline void piecewise_sign(const piecewise *a, piecewise *result)
{
    static piecewise size;
    piecewise_abs(a, &size);
    *result = size;
    for (int i = 0, k = 0; i < size.pieces; i++) {
        const exact middle = (size.from[i] + size.from[i + 1]) / 2.0L;
        while (a->from[k + 1] < middle) k++;
        result->p[i] = exact_constant(exact_value(&a->p[k], middle) > 0.0L ? 1.0L : -1.0L);
    }
}

static inline void piecewise_derivative(const piecewise *a, piecewise *result)
{
    *result = *a;
    for (int i = 0; i < a->pieces; i++) result->p[i] = exact_derivative(&a->p[i]);
}

static inline exact piecewise_integral(const piecewise *a)
{
    exact sum = 0.0L;
    for (int i = 0; i < a->pieces; i++) {
        const exact_poly here = exact_shifted(&a->p[i], a->from[i]);
        const exact_poly s = exact_integral(&here, 0.0L);
        sum += exact_value(&s, a->from[i + 1] - a->from[i]);
    }
    return sum;
}

#endif
