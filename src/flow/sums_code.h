/* The sums of sums.h, for whatever machine this is compiled for; included once per machine, with
 *     FMA_FOUR(a, b, c), FMA_ONE(a, b, c)   a * b + c of four and of one: so that every function
 * that forms a sum does it with the same digits. */
#include <stddef.h>

#include "flow/sums.h"
#include "flow/tableau.h"

typedef double sal_four __attribute__((vector_size(32), aligned(8), may_alias));

#define FOUR_AT(x) (*(const sal_four *)(x))

#define ALL_FOUR(w) ((sal_four){(w), (w), (w), (w)})
/* Where a sum begins: at x, or at zero. */
#define START_AT(x, i) ((x) ? FOUR_AT((x) + (i)) : ALL_FOUR(0.0))

/* Twelve components: enough additions under way to hide how long one takes. */
static void combine_twelve(const double *x, double h, int terms, const double *weight,
                           const double *const *k, size_t i, double *y)
{
    sal_four a = {0.0}, b = {0.0}, c = {0.0};
    for (int m = 0; m < terms; m++) {
        const double  *from = k[m] + i;
        const sal_four all = ALL_FOUR(weight[m]);
        a = FMA_FOUR(all, FOUR_AT(from), a);
        b = FMA_FOUR(all, FOUR_AT(from + 4), b);
        c = FMA_FOUR(all, FOUR_AT(from + 8), c);
    }
    const sal_four length = ALL_FOUR(h);
    *(sal_four *)(y + i) = FMA_FOUR(length, a, START_AT(x, i));
    *(sal_four *)(y + i + 4) = FMA_FOUR(length, b, START_AT(x, i + 4));
    *(sal_four *)(y + i + 8) = FMA_FOUR(length, c, START_AT(x, i + 8));
}

static void combine_four(const double *x, double h, int terms, const double *weight,
                         const double *const *k, size_t i, double *y)
{
    sal_four a = {0.0};
    for (int m = 0; m < terms; m++) a = FMA_FOUR(ALL_FOUR(weight[m]), FOUR_AT(k[m] + i), a);
    *(sal_four *)(y + i) = FMA_FOUR(ALL_FOUR(h), a, START_AT(x, i));
}

static void combine(int n, const double *x, double h, int terms, const double *weight,
                    const double *const *k, double *y)
{
    const size_t count = (size_t)n;
    size_t       i = 0;
    for (; i + 12 <= count; i += 12) combine_twelve(x, h, terms, weight, k, i, y);
    for (; i + 4 <= count; i += 4) combine_four(x, h, terms, weight, k, i, y);
    if (i == count) return;
    if (count >= 4 && x != y) { /* some of them twice */
        combine_four(x, h, terms, weight, k, count - 4, y);
        return;
    }
    for (; i < count; i++) {
        double a = 0.0;
        for (int m = 0; m < terms; m++) a = FMA_ONE(weight[m], k[m][i], a);
        y[i] = FMA_ONE(h, a, x ? x[i] : 0.0);
    }
}

/* The same, terms found by their numbers. */
static inline void gather_twelve(const double *x, double h, const sal_weights *w,
                                 double *const *row, size_t at, double *y)
{
    const int    *index = w->index, *end = w->index + w->count;
    const double *value = w->value;
    sal_four      a = {0.0}, b = {0.0}, c = {0.0};
    for (; index < end; index++, value++) {
        const double  *from = row[*index] + at;
        const sal_four all = ALL_FOUR(*value);
        a = FMA_FOUR(all, FOUR_AT(from), a);
        b = FMA_FOUR(all, FOUR_AT(from + 4), b);
        c = FMA_FOUR(all, FOUR_AT(from + 8), c);
    }
    const sal_four length = ALL_FOUR(h);
    *(sal_four *)y = FMA_FOUR(length, a, START_AT(x, 0));
    *(sal_four *)(y + 4) = FMA_FOUR(length, b, START_AT(x, 4));
    *(sal_four *)(y + 8) = FMA_FOUR(length, c, START_AT(x, 8));
}

static __attribute__((noinline)) void gather_rest(size_t count, const double *x, double h,
                                                  const sal_weights *w, double *const *row,
                                                  size_t at, double *y)
{
    const double *k[SAL_MOST_STAGES];
    for (int m = 0; m < w->count; m++) k[m] = row[w->index[m]] + at;
    combine((int)count, x, h, w->count, w->value, k, y);
}

static inline void gather_all(size_t count, const double *x, double h, const sal_weights *w,
                              double *const *row, size_t at, double *y)
{
    size_t i = 0;
    for (; i + 12 <= count; i += 12) gather_twelve(x ? x + i : NULL, h, w, row, at + i, y + i);
    if (i < count) gather_rest(count - i, x ? x + i : NULL, h, w, row, at + i, y + i);
}

static void gather(int n, const double *x, double h, const sal_weights *w, double *const *row,
                   int at, double *y)
{
    gather_all((size_t)n, x, h, w, row, (size_t)at, y);
}

/* out = x + y, places apart. */
static inline void add(size_t n, const double *x, const double *y, double *out)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4) *(sal_four *)(out + i) = FOUR_AT(x + i) + FOUR_AT(y + i);
    if (i == n) return;
    if (n >= 4) /* some of them twice */
        *(sal_four *)(out + n - 4) = FOUR_AT(x + n - 4) + FOUR_AT(y + n - 4);
    else
        for (; i < n; i++) out[i] = x[i] + y[i];
}

/* out = x, places apart. */
static inline void copy(size_t n, const double *x, double *out)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4) *(sal_four *)(out + i) = FOUR_AT(x + i);
    if (i == n) return;
    if (n >= 4) *(sal_four *)(out + n - 4) = FOUR_AT(x + n - 4);
    else
        for (; i < n; i++) out[i] = x[i];
}

static void stages(const sal_stages *s, double h)
{
    for (int i = 1; i < s->count; i++) {
        double *row = s->row[i];
        gather_all((size_t)s->nx, s->x0, h, &s->A[i], s->row, (size_t)s->k, row + s->x);
        s->code(s->uniform, row, NULL, 1, row + s->at, NULL);
    }
}

static void stages_tangent(const sal_stages_tangent *s, double h)
{
    const size_t half = (size_t)s->n * (size_t)s->lanes;
    for (int i = 0; i < s->count; i++) {
        double *dk = s->dk[i];
        gather_all(2 * half, s->dx, h, &s->A[i], s->dk, 0, s->dX);
        copy(half, s->dX + half, dk);
        s->code(s->uniform, s->row[i], s->du, s->lanes, dk + half, NULL);
    }
}

static void stages_back(const sal_stages_back *s, double h)
{
    const size_t lanes = (size_t)s->lanes, half = (size_t)s->n * lanes;
    const size_t integrals = (size_t)s->ng * lanes;
    double      *g_bar = s->seed + 2 * half + (size_t)s->nmu * lanes;
    for (int i = s->count - 1; i >= 0; i--) {
        const double *q_bar = s->u_bar + (size_t)s->q * lanes, *T_bar = s->u_bar + s->t * s->lanes;
        const double  b = h * s->b[i];
        double       *X_bar = s->bar[i];
        gather_all(2 * half, NULL, h, &s->column[i], s->bar, 0, s->seed);
        for (size_t c = 0; c < integrals; c++) g_bar[c] = b * s->z_bar[c];
        s->code(s->uniform, s->row[i], s->seed + half, s->lanes, s->u_bar, NULL);
        copy(half, q_bar, X_bar);
        add(half, q_bar + half, s->seed, X_bar + half);
        for (size_t l = 0; l < lanes; l++) s->t_bar[l] += T_bar[l];
    }
}

/* Sixteen components of both. */
static void twice_sixteen(size_t n, const double *x, double h, double c, int terms,
                          const double *v_weight, const double *q_weight, const double *const *a,
                          size_t i, double *y)
{
    sal_four q[4] = {{0.0}}, v[4] = {{0.0}};
    for (int m = 0; m < terms; m++) {
        const double  *from = a[m] + i;
        const double   one = v_weight[m], other = q_weight[m];
        const sal_four in_v = {one, one, one, one}, in_q = {other, other, other, other};
        for (int k = 0; k < 4; k++) {
            const sal_four these = FOUR_AT(from + 4 * k);
            v[k] += in_v * these;
            q[k] += in_q * these;
        }
    }
    const sal_four once = {h, h, h, h}, square = once * once, drift = c * once;
    for (int k = 0; k < 4; k++) {
        const size_t   at = i + 4 * (size_t)k;
        const sal_four speed = FOUR_AT(x + n + at);
        *(sal_four *)(y + at) = (FOUR_AT(x + at) + drift * speed) + square * q[k];
        *(sal_four *)(y + n + at) = speed + once * v[k];
    }
}

static void twice_four(size_t n, const double *x, double h, double c, int terms,
                       const double *v_weight, const double *q_weight, const double *const *a,
                       size_t i, double *y)
{
    sal_four q = {0.0}, v = {0.0};
    for (int m = 0; m < terms; m++) {
        const double   one = v_weight[m], other = q_weight[m];
        const sal_four in_v = {one, one, one, one}, in_q = {other, other, other, other};
        v += in_v * FOUR_AT(a[m] + i);
        q += in_q * FOUR_AT(a[m] + i);
    }
    const sal_four once = {h, h, h, h}, square = once * once, drift = c * once;
    const sal_four speed = FOUR_AT(x + n + i);
    *(sal_four *)(y + i) = (FOUR_AT(x + i) + drift * speed) + square * q;
    *(sal_four *)(y + n + i) = speed + once * v;
}

static void twice(int n, const double *x, double h, double c, const sal_weights *v,
                  const double *q_weight, double *const *row, int at, double *y)
{
    const size_t  count = (size_t)n;
    const int     terms = v->count;
    const double *a[SAL_MOST_STAGES];
    size_t        i = 0;
    for (int m = 0; m < terms; m++) a[m] = row[v->index[m]] + at;
    for (; i + 16 <= count; i += 16)
        twice_sixteen(count, x, h, c, terms, v->value, q_weight, a, i, y);
    for (; i + 4 <= count; i += 4) twice_four(count, x, h, c, terms, v->value, q_weight, a, i, y);
    if (i < count && count >= 4) { /* some of them twice */
        twice_four(count, x, h, c, terms, v->value, q_weight, a, count - 4, y);
        return;
    }
    for (; i < count; i++) {
        double q_sum = 0.0, v_sum = 0.0;
        for (int m = 0; m < terms; m++) {
            v_sum += v->value[m] * a[m][i];
            q_sum += q_weight[m] * a[m][i];
        }
        y[i] = (x[i] + c * h * x[count + i]) + h * h * q_sum;
        y[count + i] = x[count + i] + h * v_sum;
    }
}

static double larger(double a, double b)
{
    const double x = a < 0.0 ? -a : a, y = b < 0.0 ? -b : b;
    return x > y ? x : y;
}

typedef long long sal_four_bits __attribute__((vector_size(32)));

/* Positive numbers are ordered as their bits are. */
#define MAGNITUDE(x) ((sal_four_bits)(x)&0x7fffffffffffffffLL)

#define LARGER_OF_FOUR(x, y) ((sal_four)LARGER_BITS(MAGNITUDE(FOUR_AT(x)), MAGNITUDE(FOUR_AT(y))))
#define LARGER_BITS(a, b) (((a) & ((a) > (b))) | ((b) & ((a) <= (b))))

#define ADD_SIZES(a, b, i, sum_a, sum_b)                                                           \
    do {                                                                                           \
        const sal_four largest = LARGER_OF_FOUR(x0 + (i), x1 + (i));                               \
        const sal_four inverse = 1.0 / FMA_FOUR(ALL_FOUR(rtol), largest, ALL_FOUR(atol));          \
        const sal_four scaled_a = (a)*inverse, scaled_b = (b)*inverse;                             \
        sum_a = FMA_FOUR(scaled_a, scaled_a, sum_a);                                               \
        sum_b = FMA_FOUR(scaled_b, scaled_b, sum_b);                                               \
    } while (0)

static void sizes(int n, int terms, const double *first, const double *second,
                  const double *const *k, const double *x0, const double *x1, double rtol,
                  double atol, double size[2])
{
    const size_t count = (size_t)n;
    size_t       i = 0;
    sal_four     sum_a = {0.0}, sum_b = {0.0};
    double       rest_a = 0.0, rest_b = 0.0;
    for (; i + 12 <= count; i += 12) {
        sal_four a0 = {0.0}, a1 = {0.0}, a2 = {0.0}, b0 = {0.0}, b1 = {0.0}, b2 = {0.0};
        for (int m = 0; m < terms; m++) {
            const double  *from = k[m] + i;
            const sal_four v = ALL_FOUR(first[m]), w = ALL_FOUR(second[m]);
            a0 = FMA_FOUR(v, FOUR_AT(from), a0);
            a1 = FMA_FOUR(v, FOUR_AT(from + 4), a1);
            a2 = FMA_FOUR(v, FOUR_AT(from + 8), a2);
            b0 = FMA_FOUR(w, FOUR_AT(from), b0);
            b1 = FMA_FOUR(w, FOUR_AT(from + 4), b1);
            b2 = FMA_FOUR(w, FOUR_AT(from + 8), b2);
        }
        ADD_SIZES(a0, b0, i, sum_a, sum_b);
        ADD_SIZES(a1, b1, i + 4, sum_a, sum_b);
        ADD_SIZES(a2, b2, i + 8, sum_a, sum_b);
    }
    for (; i + 4 <= count; i += 4) {
        sal_four a = {0.0}, b = {0.0};
        for (int m = 0; m < terms; m++) {
            const sal_four from = FOUR_AT(k[m] + i);
            a = FMA_FOUR(ALL_FOUR(first[m]), from, a);
            b = FMA_FOUR(ALL_FOUR(second[m]), from, b);
        }
        ADD_SIZES(a, b, i, sum_a, sum_b);
    }
    for (; i < count; i++) {
        double a = 0.0, b = 0.0;
        for (int m = 0; m < terms; m++) {
            a = FMA_ONE(first[m], k[m][i], a);
            b = FMA_ONE(second[m], k[m][i], b);
        }
        const double inverse = 1.0 / FMA_ONE(rtol, larger(x0[i], x1[i]), atol);
        rest_a = FMA_ONE(a * inverse, a * inverse, rest_a);
        rest_b = FMA_ONE(b * inverse, b * inverse, rest_b);
    }
    size[0] = (sum_a[0] + sum_a[1]) + (sum_a[2] + sum_a[3]) + rest_a;
    size[1] = (sum_b[0] + sum_b[1]) + (sum_b[2] + sum_b[3]) + rest_b;
}

static void scale(int n, double c, const double *x, const double *d, double *y)
{
    const sal_four all = {c, c, c, c};
    const size_t   count = (size_t)n;
    size_t         i = 0;
    for (; i + 4 <= count; i += 4) *(sal_four *)(y + i) = all * FOUR_AT(x + i) * FOUR_AT(d + i);
    for (; i < count; i++) y[i] = c * x[i] * d[i];
}

static bool finite(int n, const double *x)
{
    sal_four a = {0.0};
    double   rest = 0.0;
    int      i = 0;
    for (; i + 4 <= n; i += 4) a += 0.0 * FOUR_AT(x + i);
    if (n >= 4) a += 0.0 * FOUR_AT(x + n - 4); /* some of them twice */
    else
        for (; i < n; i++) rest += 0.0 * x[i];
    return a[0] + a[1] + (a[2] + a[3]) + rest == 0.0;
}
