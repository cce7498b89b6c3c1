/* The sums of sums.h, for whatever machine this is compiled for; included once per machine. */
#include <stddef.h>

#include "flow/sums.h"
#include "flow/tableau.h"

typedef double sal_four __attribute__((vector_size(32), aligned(8), may_alias));

#define FOUR_AT(x) (*(const sal_four *)(x))

/* Twelve components: enough additions under way to hide how long one takes. */
static void combine_twelve(const double *x, double h, int terms, const double *weight,
                           const double *const *k, size_t i, double *y)
{
    sal_four a = {0.0}, b = {0.0}, c = {0.0};
    for (int m = 0; m < terms; m++) {
        const double  *from = k[m] + i;
        const double   w = weight[m];
        const sal_four all = {w, w, w, w};
        a += all * FOUR_AT(from);
        b += all * FOUR_AT(from + 4);
        c += all * FOUR_AT(from + 8);
    }
    const sal_four length = {h, h, h, h}, zero = {0.0};
    *(sal_four *)(y + i) = (x ? FOUR_AT(x + i) : zero) + length * a;
    *(sal_four *)(y + i + 4) = (x ? FOUR_AT(x + i + 4) : zero) + length * b;
    *(sal_four *)(y + i + 8) = (x ? FOUR_AT(x + i + 8) : zero) + length * c;
}

static void combine_four(const double *x, double h, int terms, const double *weight,
                         const double *const *k, size_t i, double *y)
{
    sal_four a = {0.0};
    for (int m = 0; m < terms; m++) {
        const double   w = weight[m];
        const sal_four all = {w, w, w, w};
        a += all * FOUR_AT(k[m] + i);
    }
    const sal_four length = {h, h, h, h}, zero = {0.0};
    *(sal_four *)(y + i) = (x ? FOUR_AT(x + i) : zero) + length * a;
}

static void combine(int n, const double *x, double h, int terms, const double *weight,
                    const double *const *k, double *y)
{
    const size_t count = (size_t)n;
    size_t       i = 0;
    for (; i + 12 <= count; i += 12) combine_twelve(x, h, terms, weight, k, i, y);
    for (; i + 4 <= count; i += 4) combine_four(x, h, terms, weight, k, i, y);
    for (; i < count; i++) {
        double a = 0.0;
        for (int m = 0; m < terms; m++) a += weight[m] * k[m][i];
        y[i] = (x ? x[i] : 0.0) + h * a;
    }
}

/* The same, terms found by their numbers. */
static void gather_twelve(const double *x, double h, const sal_weights *w, double *const *row,
                          size_t at, double *y)
{
    sal_four a = {0.0}, b = {0.0}, c = {0.0};
    for (int m = 0; m < w->count; m++) {
        const double  *from = row[w->index[m]] + at;
        const double   v = w->value[m];
        const sal_four all = {v, v, v, v};
        a += all * FOUR_AT(from);
        b += all * FOUR_AT(from + 4);
        c += all * FOUR_AT(from + 8);
    }
    const sal_four length = {h, h, h, h}, zero = {0.0};
    *(sal_four *)y = (x ? FOUR_AT(x) : zero) + length * a;
    *(sal_four *)(y + 4) = (x ? FOUR_AT(x + 4) : zero) + length * b;
    *(sal_four *)(y + 8) = (x ? FOUR_AT(x + 8) : zero) + length * c;
}

static void gather(int n, const double *x, double h, const sal_weights *w, double *const *row,
                   int at, double *y)
{
    const size_t count = (size_t)n, first = (size_t)at;
    size_t       i = 0;
    for (; i + 12 <= count; i += 12) gather_twelve(x ? x + i : NULL, h, w, row, first + i, y + i);
    if (i == count) return;
    const double *k[SAL_MOST_STAGES];
    for (int m = 0; m < w->count; m++) k[m] = row[w->index[m]] + first + i;
    combine((int)(count - i), x ? x + i : NULL, h, w->count, w->value, k, y + i);
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

static void sizes(int n, int terms, const double *first, const double *second,
                  const double *const *k, const double *x0, const double *x1, double rtol,
                  double atol, double size[2])
{
    const size_t count = (size_t)n;
    size_t       i = 0;
    sal_four     sum_a = {0.0}, sum_b = {0.0};
    double       rest_a = 0.0, rest_b = 0.0;
    for (; i + 4 <= count; i += 4) {
        sal_four a = {0.0}, b = {0.0};
        for (int m = 0; m < terms; m++) {
            const double   v = first[m], w = second[m];
            const sal_four all_v = {v, v, v, v}, all_w = {w, w, w, w}, from = FOUR_AT(k[m] + i);
            a += all_v * from;
            b += all_w * from;
        }
        const sal_four one = {1.0, 1.0, 1.0, 1.0};
        const sal_four inverse = one / (atol + rtol * LARGER_OF_FOUR(x0 + i, x1 + i));
        a *= inverse;
        b *= inverse;
        sum_a += a * a;
        sum_b += b * b;
    }
    for (; i < count; i++) {
        double a = 0.0, b = 0.0;
        for (int m = 0; m < terms; m++) {
            a += first[m] * k[m][i];
            b += second[m] * k[m][i];
        }
        const double inverse = 1.0 / (atol + rtol * larger(x0[i], x1[i]));
        rest_a += a * inverse * (a * inverse);
        rest_b += b * inverse * (b * inverse);
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
