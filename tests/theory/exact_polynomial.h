/* Polynomials in extended precision, and all their roots in an interval.
 *
 * Roots are found between the roots of the derivative, so none is passed over: between two of them
 * the polynomial is monotonic and a change of sign is one root. */
#ifndef EXACT_POLYNOMIAL_H
#define EXACT_POLYNOMIAL_H

#include <math.h>
#include <stdbool.h>

typedef long double exact;

enum { EXACT_TERMS = 24 };

/* c[0] + c[1] x + ...; terms: how many. */
typedef struct exact_poly {
    int   terms;
    exact c[EXACT_TERMS];
} exact_poly;

static inline exact exact_value(const exact_poly *p, exact x)
{
    exact sum = 0.0L;
    for (int i = p->terms - 1; i >= 0; i--) sum = sum * x + p->c[i];
    return sum;
}

static inline exact_poly exact_constant(exact c) { return (exact_poly){1, {c}}; }

static inline exact_poly exact_linear(exact c, exact slope) { return (exact_poly){2, {c, slope}}; }

static inline exact_poly exact_derivative(const exact_poly *p)
{
    exact_poly d = {p->terms > 1 ? p->terms - 1 : 1, {0.0L}};
    for (int i = 1; i < p->terms; i++) d.c[i - 1] = (exact)i * p->c[i];
    return d;
}

/* The antiderivative that is c at 0. */
static inline exact_poly exact_integral(const exact_poly *p, exact c)
{
    exact_poly s = {p->terms + 1, {c}};
    for (int i = 0; i < p->terms; i++) s.c[i + 1] = p->c[i] / (exact)(i + 1);
    return s;
}

static inline exact_poly exact_sum(const exact_poly *p, const exact_poly *q, exact factor)
{
    exact_poly s = {p->terms > q->terms ? p->terms : q->terms, {0.0L}};
    for (int i = 0; i < p->terms; i++) s.c[i] += p->c[i];
    for (int i = 0; i < q->terms; i++) s.c[i] += factor * q->c[i];
    return s;
}

static inline exact_poly exact_product(const exact_poly *p, const exact_poly *q)
{
    exact_poly s = {p->terms + q->terms - 1, {0.0L}};
    for (int i = 0; i < p->terms; i++)
        for (int j = 0; j < q->terms; j++) s.c[i + j] += p->c[i] * q->c[j];
    return s;
}

/* p(x + shift) */
static inline exact_poly exact_shifted(const exact_poly *p, exact shift)
{
    const exact_poly line = exact_linear(shift, 1.0L);
    exact_poly       s = exact_constant(p->c[p->terms - 1]);
    for (int i = p->terms - 2; i >= 0; i--) {
        s = exact_product(&s, &line);
        s.c[0] += p->c[i];
    }
    return s;
}

static inline exact exact_bisect(const exact_poly *p, exact low, exact high)
{
    const bool rises = exact_value(p, high) > 0.0L;
    for (int i = 0; i < 200; i++) {
        const exact middle = low + (high - low) / 2.0L;
        if (!(low < middle && middle < high)) break;
        if ((exact_value(p, middle) > 0.0L) == rises) high = middle;
        else low = middle;
    }
    return low + (high - low) / 2.0L;
}

/* The places between low and high where the polynomial changes its sign, in order. */
static inline int exact_roots(const exact_poly *p, exact low, exact high, exact *root)
{
    exact turn[EXACT_TERMS + 2];
    int   turns = 1, count = 0;
    turn[0] = low;
    if (p->terms > 2) {
        const exact_poly d = exact_derivative(p);
        turns += exact_roots(&d, low, high, turn + 1);
    }
    turn[turns] = high;
    for (int i = 0; i < turns; i++) {
        const exact a = exact_value(p, turn[i]), b = exact_value(p, turn[i + 1]);
        if ((a < 0.0L && b > 0.0L) || (a > 0.0L && b < 0.0L))
            root[count++] = exact_bisect(p, turn[i], turn[i + 1]);
    }
    return count;
}

#endif
