/* The sums of vector_sums.h. This file is included once for each kind of machine, with these
 * macros:
 *
 *     FMA_FOUR(a, b, c)   a * b + c for four numbers, with the digits of FMA_ONE
 *     FMA_ONE(a, b, c)    a * b + c for one number, so that all functions sum alike
 *     MIN_FOUR(a, b)      the smaller numbers, by component
 *     MAX_FOUR(a, b)      the larger numbers, by component
 *     ONE_BY_ONE(x)       four numbers, read one by one
 *     READ_ONCE(x)        four numbers, kept in a register */
#include <stddef.h>

#include "motion/fast/vector_sums.h"
#include "motion/tableau.h"

#define INLINE static inline __attribute__((always_inline))

typedef double sal_four __attribute__((vector_size(32), aligned(8), may_alias));

typedef long long sal_four_bits __attribute__((vector_size(32)));

#define FOUR_AT(x) (*(const sal_four *)(x))

/* By component, a where the mask is set, else b. */
#define SELECT_FOUR(mask, a, b)                                                                    \
    ((sal_four)(((sal_four_bits)(a) & (mask)) | ((sal_four_bits)(b) & ~(mask))))

#define ALL_FOUR(w) ((sal_four){(w), (w), (w), (w)})
/* The first value of a sum: x, or zero if x is NULL. */
#define START_AT(x, i) ((x) ? FOUR_AT((x) + (i)) : ALL_FOUR(0.0))

/* Some thousands of numbers in a cache: memcpy would use string instructions of the processor,
 * which are slower. */
static void set(int n, const double *x, double *y)
{
    const size_t   count = (size_t)n;
    const sal_four zero = {0.0};
    size_t         i = 0;
    for (; i + 16 <= count; i += 16) {
        const sal_four a = x ? FOUR_AT(x + i) : zero, b = x ? FOUR_AT(x + i + 4) : zero;
        const sal_four c = x ? FOUR_AT(x + i + 8) : zero, d = x ? FOUR_AT(x + i + 12) : zero;
        *(sal_four *)(y + i) = a;
        *(sal_four *)(y + i + 4) = b;
        *(sal_four *)(y + i + 8) = c;
        *(sal_four *)(y + i + 12) = d;
    }
    for (; i < count; i++) y[i] = x ? x[i] : 0.0;
}

/* Sums up twelve components: enough independent additions to hide their latency.
 *
 * The last term of a sum is usually computed last. It is added to the sum of all others, which
 * already contains h and x, by one operation. */
static void combine_twelve(const double *x, double h, int terms, const double *weight,
                           const double *const *k, size_t i, double *y)
{
    sal_four a = {0.0}, b = {0.0}, c = {0.0};
    for (int m = 0; m < terms - 1; m++) {
        const double  *from = k[m] + i;
        const sal_four all = ALL_FOUR(weight[m]);
        a = FMA_FOUR(all, FOUR_AT(from), a);
        b = FMA_FOUR(all, FOUR_AT(from + 4), b);
        c = FMA_FOUR(all, FOUR_AT(from + 8), c);
    }
    const double  *from = k[terms - 1] + i;
    const sal_four length = ALL_FOUR(h), last = ALL_FOUR(h * weight[terms - 1]);
    a = FMA_FOUR(length, a, START_AT(x, i));
    b = FMA_FOUR(length, b, START_AT(x, i + 4));
    c = FMA_FOUR(length, c, START_AT(x, i + 8));
    *(sal_four *)(y + i) = FMA_FOUR(last, FOUR_AT(from), a);
    *(sal_four *)(y + i + 4) = FMA_FOUR(last, FOUR_AT(from + 4), b);
    *(sal_four *)(y + i + 8) = FMA_FOUR(last, FOUR_AT(from + 8), c);
}

static void combine_four(const double *x, double h, int terms, const double *weight,
                         const double *const *k, size_t i, double *y)
{
    const int m_last = terms - 1;
    sal_four  a = {0.0};
    for (int m = 0; m < m_last; m++) a = FMA_FOUR(ALL_FOUR(weight[m]), FOUR_AT(k[m] + i), a);
    a = FMA_FOUR(ALL_FOUR(h), a, START_AT(x, i));
    *(sal_four *)(y + i) = FMA_FOUR(ALL_FOUR(h * weight[m_last]), FOUR_AT(k[m_last] + i), a);
}

static void combine(int n, const double *x, double h, int terms, const double *weight,
                    const double *const *k, double *y)
{
    const size_t count = (size_t)n;
    size_t       i = 0;
    if (terms == 0) {
        set(n, x, y);
        return;
    }
    for (; i + 12 <= count; i += 12) combine_twelve(x, h, terms, weight, k, i, y);
    for (; i + 4 <= count; i += 4) combine_four(x, h, terms, weight, k, i, y);
    if (i == count) return;
    if (count >= 4 && x != y) { /* some components are computed twice */
        combine_four(x, h, terms, weight, k, count - 4, y);
        return;
    }
    for (; i < count; i++) {
        double a = 0.0;
        for (int m = 0; m < terms - 1; m++) a = FMA_ONE(weight[m], k[m][i], a);
        a = FMA_ONE(h, a, x ? x[i] : 0.0);
        y[i] = FMA_ONE(h * weight[terms - 1], k[terms - 1][i], a);
    }
}

/* Keeps an address in one register: gcc would keep twelve sums of its parts instead. */
#define IN_ONE_REGISTER(address) __asm__("" : "+r"(address))

/* y = x + h sum w_m k_m for vectors in rows, for a multiple of four components that is known at
 * compile time: each weight is read once for all of them. */
INLINE void gather_block(const int fours, const double *x, double h, const sal_weights *w,
                         double *const *row, size_t at, double *y)
{
    const int m_last = w->count - 1;
    sal_four  sum[12] = {{0.0}};
    for (int m = 0; m < m_last; m++) {
        const double  *from = row[w->index[m]] + at;
        const sal_four all = ALL_FOUR(w->value[m]);
        IN_ONE_REGISTER(from);
#pragma GCC unroll 12
        for (int k = 0; k < fours; k++) sum[k] = FMA_FOUR(all, FOUR_AT(from + 4 * k), sum[k]);
    }
    const double  *from = row[w->index[m_last]] + at;
    const sal_four length = ALL_FOUR(h), last = ALL_FOUR(h * w->value[m_last]);
    IN_ONE_REGISTER(from);
#pragma GCC unroll 12
    for (int k = 0; k < fours; k++)
        *(sal_four *)(y + 4 * k) =
            FMA_FOUR(last, FOUR_AT(from + 4 * k), FMA_FOUR(length, sum[k], START_AT(x, 4 * k)));
}

static __attribute__((noinline)) void gather_rest(size_t count, const double *x, double h,
                                                  const sal_weights *w, double *const *row,
                                                  size_t at, double *y)
{
    const double *k[SAL_MAX_STAGES];
    for (int m = 0; m < w->count; m++) k[m] = row[w->index[m]] + at;
    combine((int)count, x, h, w->count, w->value, k, y);
}

INLINE void gather_all(size_t count, const double *x, double h, const sal_weights *w,
                       double *const *row, size_t at, double *y)
{
    size_t i = 0;
    if (w->count == 0) {
        set((int)count, x, y);
        return;
    }
    for (; i + 48 <= count; i += 48) gather_block(12, x ? x + i : NULL, h, w, row, at + i, y + i);
    for (; i + 12 <= count; i += 12) gather_block(3, x ? x + i : NULL, h, w, row, at + i, y + i);
    if ((count - i) % 4 == 0)
        for (; i < count; i += 4) gather_block(1, x ? x + i : NULL, h, w, row, at + i, y + i);
    else gather_rest(count - i, x ? x + i : NULL, h, w, row, at + i, y + i);
}

static void gather(int n, const double *x, double h, const sal_weights *w, double *const *row,
                   int at, double *y)
{
    gather_all((size_t)n, x, h, w, row, (size_t)at, y);
}

/* Prefetches two cache lines that will be read, or written. */
#define EXPECT_SIXTEEN(x, written)                                                                 \
    (__builtin_prefetch(x, written), __builtin_prefetch((x) + 8, written))

/* The sum `nystrom_state` of vector_sums.h: accelerations with weights in positions and velocities,
 * and the newest one, which has a weight in velocities only. */
typedef struct sal_nystrom_sum {
    size_t        n;
    const double *x;
    double        h, c;
    int           terms;
    const double *v_weight, *q_weight;
    const double *a[SAL_MAX_STAGES], *newest;
    double        last; /* weight of the newest acceleration, times h */
    double       *q1, *v1;
    const double *next;
} sal_nystrom_sum;

INLINE void put_nystrom(const sal_nystrom_sum *s, size_t i, sal_four q, sal_four v)
{
    const sal_four once = ALL_FOUR(s->h), square = once * once, drift = s->c * once;
    const sal_four speed = FOUR_AT(s->x + s->n + i);
    *(sal_four *)(s->q1 + i) = FMA_FOUR(square, q, FMA_FOUR(drift, speed, FOUR_AT(s->x + i)));
    *(sal_four *)(s->v1 + i) =
        FMA_FOUR(ALL_FOUR(s->last), FOUR_AT(s->newest + i), FMA_FOUR(once, v, speed));
}

/* Sums up sixteen components of positions and of velocities. */
INLINE void nystrom_sixteen(const sal_nystrom_sum *s, size_t i)
{
    sal_four q[4] = {{0.0}}, v[4] = {{0.0}};
    if (s->next) EXPECT_SIXTEEN(s->next + i, 1);
    for (int m = 0; m < s->terms; m++) {
        const double  *from = s->a[m] + i;
        const sal_four in_v = ALL_FOUR(s->v_weight[m]), in_q = ALL_FOUR(s->q_weight[m]);
#pragma GCC unroll 4
        for (int k = 0; k < 4; k++) {
            sal_four these = FOUR_AT(from + 4 * k);
            READ_ONCE(these);
            v[k] = FMA_FOUR(in_v, these, v[k]);
            q[k] = FMA_FOUR(in_q, these, q[k]);
        }
    }
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) put_nystrom(s, i + 4 * (size_t)k, q[k], v[k]);
}

INLINE void nystrom_four(const sal_nystrom_sum *s, size_t i)
{
    sal_four q = {0.0}, v = {0.0};
    for (int m = 0; m < s->terms; m++) {
        const sal_four these = FOUR_AT(s->a[m] + i);
        v = FMA_FOUR(ALL_FOUR(s->v_weight[m]), these, v);
        q = FMA_FOUR(ALL_FOUR(s->q_weight[m]), these, q);
    }
    put_nystrom(s, i, q, v);
}

INLINE void nystrom_one(const sal_nystrom_sum *s, size_t i)
{
    const double speed = s->x[s->n + i];
    double       q = 0.0, v = 0.0;
    for (int m = 0; m < s->terms; m++) {
        v = FMA_ONE(s->v_weight[m], s->a[m][i], v);
        q = FMA_ONE(s->q_weight[m], s->a[m][i], q);
    }
    s->q1[i] = FMA_ONE(s->h * s->h, q, FMA_ONE(s->c * s->h, speed, s->x[i]));
    s->v1[i] = FMA_ONE(s->last, s->newest[i], FMA_ONE(s->h, v, speed));
}

static void nystrom_state(int n, const double *x, double h, double c, const sal_weights *v,
                          const double *q_weight, double *const *row, int at, double *q1,
                          double *v1, const double *next)
{
    const size_t    count = (size_t)n;
    const int       last = v->count - 1;
    size_t          i = 0;
    sal_nystrom_sum s; /* not set to zero first: that would take longer than a short sum */
    s.n = count;
    s.x = x;
    s.h = h;
    s.c = c;
    s.terms = last > 0 ? last : 0;
    s.newest = last >= 0 ? row[v->index[last]] + at : x; /* if there is none: any vector, times 0 */
    s.last = last >= 0 ? h * v->value[last] : 0.0;
    s.v_weight = v->value;
    s.q_weight = q_weight;
    s.q1 = q1;
    s.v1 = v1;
    s.next = next;
    for (int m = 0; m < last; m++) s.a[m] = row[v->index[m]] + at;
    for (; i + 16 <= count; i += 16) nystrom_sixteen(&s, i);
    for (; i + 4 <= count; i += 4) nystrom_four(&s, i);
    if (i < count && count >= 4) nystrom_four(&s, count - 4); /* some are computed twice */
    else
        for (; i < count; i++) nystrom_one(&s, i);
}

/* Sixteen components fill two cache lines. */
INLINE void adjoint_seed_sixteen(double c, const double *d, int terms, const double *weight,
                                 const double *const *k, double *fresh, double *kept, size_t i,
                                 double *y, const double *soon)
{
    const sal_four zero = {0.0}, last = ALL_FOUR(weight[terms - 1]), length = ALL_FOUR(c);
    sal_four       sum[4] = {{0.0}};
    EXPECT_SIXTEEN(soon + i, 0);
    for (int m = 0; m < terms - 1; m++) {
        const double  *from = k[m] + i;
        const sal_four all = ALL_FOUR(weight[m]);
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++) sum[j] = FMA_FOUR(all, FOUR_AT(from + 4 * j), sum[j]);
    }
#pragma GCC unroll 4
    for (size_t j = i; j < i + 16; j += 4) {
        const sal_four these = FOUR_AT(fresh + j);
        *(sal_four *)(kept + j) = these;
        *(sal_four *)(fresh + j) = zero;
        *(sal_four *)(y + j) = length * FMA_FOUR(last, these, sum[(j - i) / 4]) * FOUR_AT(d + j);
    }
}

INLINE void adjoint_seed_four(double c, const double *d, int terms, const double *weight,
                              const double *const *k, double *fresh, double *kept, size_t i,
                              double *y)
{
    const sal_four these = FOUR_AT(fresh + i);
    sal_four       sum = {0.0};
    for (int m = 0; m < terms - 1; m++) sum = FMA_FOUR(ALL_FOUR(weight[m]), FOUR_AT(k[m] + i), sum);
    *(sal_four *)(kept + i) = these;
    *(sal_four *)(fresh + i) = ALL_FOUR(0.0);
    *(sal_four *)(y + i) =
        ALL_FOUR(c) * FMA_FOUR(ALL_FOUR(weight[terms - 1]), these, sum) * FOUR_AT(d + i);
}

static void adjoint_seed(int n, double c, const double *d, int terms, const double *weight,
                         const double *const *k, double *fresh, double *kept, double *y,
                         const double *soon)
{
    const size_t count = (size_t)n;
    size_t       i = 0;
    for (; i + 16 <= count; i += 16)
        adjoint_seed_sixteen(c, d, terms, weight, k, fresh, kept, i, y, soon);
    for (; i + 4 <= count; i += 4) adjoint_seed_four(c, d, terms, weight, k, fresh, kept, i, y);
    for (; i < count; i++) {
        double sum = 0.0;
        for (int m = 0; m < terms - 1; m++) sum = FMA_ONE(weight[m], k[m][i], sum);
        kept[i] = fresh[i];
        fresh[i] = 0.0;
        y[i] = c * FMA_ONE(weight[terms - 1], kept[i], sum) * (d ? d[i] : 1.0);
    }
}

INLINE void adjoint_start_four(size_t n, double h, int terms, const double *c,
                               const double *const *k, size_t i, double *x)
{
    sal_four sum = FOUR_AT(x + i), drift = sum;
    for (int m = 0; m < terms; m++) {
        const sal_four here = FOUR_AT(k[m] + i);
        sum += here;
        drift = FMA_FOUR(ALL_FOUR(c[m]), here, drift);
    }
    *(sal_four *)(x + i) = sum;
    *(sal_four *)(x + n + i) = FMA_FOUR(ALL_FOUR(h), drift, FOUR_AT(x + n + i));
}

INLINE void adjoint_start_sixteen(size_t n, double h, int terms, const double *c,
                                  const double *const *k, size_t i, double *x)
{
    sal_four       sum[4], drift[4];
    const sal_four length = ALL_FOUR(h);
    for (size_t j = 0; j < 4; j++) sum[j] = drift[j] = FOUR_AT(x + i + 4 * j);
    for (int m = 0; m < terms; m++) {
        const double  *from = k[m] + i;
        const sal_four all = ALL_FOUR(c[m]);
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++) {
            const sal_four here = FOUR_AT(from + 4 * j);
            sum[j] += here;
            drift[j] = FMA_FOUR(all, here, drift[j]);
        }
    }
    for (size_t j = 0; j < 4; j++) {
        double *q = x + i + 4 * j, *v = q + n;
        *(sal_four *)q = sum[j];
        *(sal_four *)v = FMA_FOUR(length, drift[j], FOUR_AT(v));
    }
}

static void adjoint_start(int n, double h, int terms, const double *c, const double *const *k,
                          double *x)
{
    const size_t count = (size_t)n;
    size_t       i = 0;
    for (; i + 16 <= count; i += 16) adjoint_start_sixteen(count, h, terms, c, k, i, x);
    for (; i + 4 <= count; i += 4) adjoint_start_four(count, h, terms, c, k, i, x);
    for (; i < count; i++) {
        double sum = x[i], drift = sum;
        for (int m = 0; m < terms; m++) {
            sum += k[m][i];
            drift = FMA_ONE(c[m], k[m][i], drift);
        }
        x[i] = sum;
        x[count + i] = FMA_ONE(h, drift, x[count + i]);
    }
}

static double larger(double a, double b)
{
    const double x = a < 0.0 ? -a : a, y = b < 0.0 ? -b : b;
    return x > y ? x : y;
}

#define MAGNITUDE(x) ((sal_four)((sal_four_bits)(x)&0x7fffffffffffffffLL))

#define ADD_SIZES(a, b, i)                                                                         \
    do {                                                                                           \
        const sal_four largest =                                                                   \
            MAX_FOUR(MAGNITUDE(FOUR_AT(x0 + (i))), MAGNITUDE(FOUR_AT(x1 + (i))));                  \
        const sal_four inverse =                                                                   \
            1.0 / FMA_FOUR(ALL_FOUR(e->rtol), largest, FOUR_AT(e->atol + (i)));                    \
        const sal_four scaled_a = (a)*inverse, scaled_b = (b)*inverse;                             \
        sum_a = FMA_FOUR(scaled_a, scaled_a, sum_a);                                               \
        sum_b = FMA_FOUR(scaled_b, scaled_b, sum_b);                                               \
        if (many) most_a = MAX_FOUR(most_a, MAGNITUDE(scaled_a));                                  \
        if (many) most_b = MAX_FOUR(most_b, MAGNITUDE(scaled_b));                                  \
    } while (0)

/* The largest of four squares, and of `rest`: the sum of the remaining squares, which is not less
 * than any of them. */
INLINE double square_of_most(sal_four most, double rest)
{
    const double a = most[0] > most[1] ? most[0] : most[1];
    const double b = most[2] > most[3] ? most[2] : most[3], all = a > b ? a * a : b * b;
    return all > rest ? all : rest;
}

INLINE void sizes_of(const bool many, int n, const sal_end_weights *e, const double *k,
                     const double *x0, const double *x1, double size[4])
{
    const size_t count = (size_t)n;
    size_t       i = 0;
    sal_four     sum_a = {0.0}, sum_b = {0.0}, most_a = {0.0}, most_b = {0.0};
    double       rest_a = 0.0, rest_b = 0.0;
    for (; i + 12 <= count; i += 12) {
        sal_four a0 = {0.0}, a1 = {0.0}, a2 = {0.0}, b0 = {0.0}, b1 = {0.0}, b2 = {0.0};
        for (int m = 0; m < e->terms; m++) {
            const double  *from = k + e->at[m] + i, *w = e->weights + 4 * m;
            const sal_four in_a = ALL_FOUR(w[1]), in_b = ALL_FOUR(w[2]);
            a0 = FMA_FOUR(in_a, FOUR_AT(from), a0);
            a1 = FMA_FOUR(in_a, FOUR_AT(from + 4), a1);
            a2 = FMA_FOUR(in_a, FOUR_AT(from + 8), a2);
            b0 = FMA_FOUR(in_b, FOUR_AT(from), b0);
            b1 = FMA_FOUR(in_b, FOUR_AT(from + 4), b1);
            b2 = FMA_FOUR(in_b, FOUR_AT(from + 8), b2);
        }
        ADD_SIZES(a0, b0, i);
        ADD_SIZES(a1, b1, i + 4);
        ADD_SIZES(a2, b2, i + 8);
    }
    for (; i + 4 <= count; i += 4) {
        sal_four a = {0.0}, b = {0.0};
        for (int m = 0; m < e->terms; m++) {
            const sal_four from = FOUR_AT(k + e->at[m] + i);
            a = FMA_FOUR(ALL_FOUR(e->weights[4 * m + 1]), from, a);
            b = FMA_FOUR(ALL_FOUR(e->weights[4 * m + 2]), from, b);
        }
        ADD_SIZES(a, b, i);
    }
    for (; i < count; i++) {
        double a = 0.0, b = 0.0;
        for (int m = 0; m < e->terms; m++) {
            const double here = k[(size_t)e->at[m] + i];
            a = FMA_ONE(e->weights[4 * m + 1], here, a);
            b = FMA_ONE(e->weights[4 * m + 2], here, b);
        }
        const double inverse = 1.0 / FMA_ONE(e->rtol, larger(x0[i], x1[i]), e->atol[i]);
        rest_a = FMA_ONE(a * inverse, a * inverse, rest_a);
        rest_b = FMA_ONE(b * inverse, b * inverse, rest_b);
    }
    size[0] = (sum_a[0] + sum_a[1]) + (sum_a[2] + sum_a[3]) + rest_a;
    size[1] = (sum_b[0] + sum_b[1]) + (sum_b[2] + sum_b[3]) + rest_b;
    size[2] = many ? square_of_most(most_a, rest_a) : size[0];
    size[3] = many ? square_of_most(most_b, rest_b) : size[1];
}

static void sizes(int n, const sal_end_weights *e, const double *k, const double *x0,
                  const double *x1, double size[4])
{
    if (n > SAL_MAX_SHARE_OF_ONE * SAL_MAX_SHARE_OF_ONE) sizes_of(true, n, e, k, x0, x1, size);
    else sizes_of(false, n, e, k, x0, x1, size);
}

/* Computes `fours` groups of four integrals, a number known at compile time, and their errors.
 * Group k begins at place[k]. */
INLINE void integrate(const int fours, const int *place, int n, const sal_end_weights *e,
                      const double *g, double h, double *dz, double *errors)
{
    sal_four sum[2] = {{0.0}}, main[2] = {{0.0}}, second[2] = {{0.0}};
    for (int m = 0; m < e->terms; m++) {
        const double *w = e->weights + 4 * m;
#pragma GCC unroll 2
        for (int k = 0; k < fours; k++) {
            const sal_four here = FOUR_AT(g + e->at[m] + place[k]);
            sum[k] = FMA_FOUR(ALL_FOUR(w[0]), here, sum[k]);
            main[k] = FMA_FOUR(ALL_FOUR(w[1]), here, main[k]);
            second[k] = FMA_FOUR(ALL_FOUR(w[2]), here, second[k]);
        }
    }
#pragma GCC unroll 2
    for (int k = 0; k < fours; k++) {
        *(sal_four *)(dz + place[k]) = ALL_FOUR(h) * sum[k];
        *(sal_four *)(errors + place[k]) = main[k];
        *(sal_four *)(errors + n + place[k]) = second[k];
    }
}

static void integrals(int n, const sal_end_weights *e, const double *g, double h, double *dz,
                      double *errors)
{
    const int last = n - 4; /* start of the last group, which may overlap the one before */
    int       i = 0;
    for (; i < last; i += 8) {
        const int place[2] = {i, i + 4 < last ? i + 4 : last};
        integrate(2, place, n, e, g, h, dz, errors);
    }
    if (last >= 0 && i < n) integrate(1, &last, n, e, g, h, dz, errors);
    if (last >= 0) return;
    for (; i < n; i++) {
        sal_four sum = {0.0};
        for (int m = 0; m < e->terms; m++)
            sum = FMA_FOUR(FOUR_AT(e->weights + 4 * m), ALL_FOUR(g[e->at[m] + i]), sum);
        dz[i] = h * sum[0];
        errors[i] = sum[1];
        errors[n + i] = sum[2];
    }
}

static void min_max(int n, int first, int rows, double *const *row, int at, double *low,
                    double *high)
{
    for (int i = 0; i < n; i += 8) { /* two independent groups of four */
        const int a = at + i, next = i + 4 < n ? 4 : 0, b = a + next;
        sal_four  least_a = FOUR_AT(row[first] + a), most_a = least_a, sum_a = least_a;
        sal_four  least_b = FOUR_AT(row[first] + b), most_b = least_b, sum_b = least_b;
        for (int r = first + 1; r < rows; r++) {
            const sal_four here_a = FOUR_AT(row[r] + a), here_b = FOUR_AT(row[r] + b);
            least_a = MIN_FOUR(least_a, here_a);
            least_b = MIN_FOUR(least_b, here_b);
            most_a = MAX_FOUR(most_a, here_a);
            most_b = MAX_FOUR(most_b, here_b);
            sum_a += here_a;
            sum_b += here_b;
        }
        sum_a *= 0.0; /* zero, or NaN if a number is not finite */
        sum_b *= 0.0;
        *(sal_four *)(low + i) = least_a + sum_a;
        *(sal_four *)(high + i) = most_a + sum_a;
        *(sal_four *)(low + i + next) = least_b + sum_b;
        *(sal_four *)(high + i + next) = most_b + sum_b;
    }
}

static bool scale(int n, double c, const double *x, const double *d, double *y)
{
    const sal_four all = {c, c, c, c}, zero = {0.0};
    const size_t   count = (size_t)n;
    size_t         i = 0;
    sal_four       sum[4] = {{0.0}}; /* four sums, so that none waits for another */
    double         rest = 0.0;
    for (; i + 16 <= count; i += 16) {
#pragma GCC unroll 4
        for (size_t k = 0; k < 4; k++) {
            const sal_four here = all * FOUR_AT(x + i + 4 * k) * FOUR_AT(d + i + 4 * k);
            *(sal_four *)(y + i + 4 * k) = here;
            sum[k] = FMA_FOUR(here, zero, sum[k]);
        }
    }
    for (; i + 4 <= count; i += 4) {
        const sal_four here = all * FOUR_AT(x + i) * FOUR_AT(d + i);
        *(sal_four *)(y + i) = here;
        sum[0] = FMA_FOUR(here, zero, sum[0]);
    }
    for (; i < count; i++) {
        y[i] = c * x[i] * d[i];
        rest += 0.0 * y[i];
    }
    const sal_four both = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    return both[0] + both[1] + (both[2] + both[3]) + rest == 0.0;
}

static void scale_rows(int rows, int lanes, double c, const double *x, const double *d, double *y)
{
    for (int i = 0; i < rows; i++, x += lanes, y += lanes) {
        const sal_four all = ALL_FOUR(c), factor = ALL_FOUR(d[i]);
        int            l = 0;
        for (; l + 4 <= lanes; l += 4) *(sal_four *)(y + l) = all * FOUR_AT(x + l) * factor;
        for (; l < lanes; l++) y[l] = c * x[l] * d[i];
    }
}

static void largest(int rows, int lanes, const double *x, double *most)
{
    int l = 0;
    for (; l + 4 <= lanes; l += 4) {
        sal_four here = FOUR_AT(most + l);
        for (int i = 0; i < rows; i++)
            here = MAX_FOUR(MAGNITUDE(FOUR_AT(x + (ptrdiff_t)i * lanes + l)), here);
        *(sal_four *)(most + l) = here;
    }
    for (; l < lanes; l++)
        for (int i = 0; i < rows; i++) {
            const double size = larger(x[(ptrdiff_t)i * lanes + l], 0.0);
            if (size > most[l]) most[l] = size;
        }
}

static bool finite(int n, const double *x)
{
    const sal_four zero = {0.0};
    sal_four       sum[4] = {{0.0}};
    double         rest = 0.0;
    int            i = 0;
    if (n < 4) {
        for (; i < n; i++) rest += 0.0 * x[i];
        return rest == 0.0;
    }
    for (; i + 16 <= n; i += 16) {
#pragma GCC unroll 4
        for (int k = 0; k < 4; k++) sum[k] = FMA_FOUR(FOUR_AT(x + i + 4 * k), zero, sum[k]);
    }
    for (; i + 4 <= n; i += 4) sum[0] = FMA_FOUR(FOUR_AT(x + i), zero, sum[0]);
    sum[1] = FMA_FOUR(FOUR_AT(x + n - 4), zero, sum[1]); /* some are counted twice */
    const sal_four both = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    return both[0] + both[1] + (both[2] + both[3]) == 0.0;
}

/* Reads four numbers. If they were just written one by one, they are read one by one too: a
 * processor forwards a store to a load only if the load fits into the store. */
#define NEWEST(x, fresh) ((fresh) ? ONE_BY_ONE(x) : FOUR_AT(x))

static void add_to_fresh(int n, const double *x, const double *d, double *y)
{
    for (int i = 0; i < n; i += 4) *(sal_four *)(y + i) = ONE_BY_ONE(x + i) + FOUR_AT(d + i);
}

/* The sum `gather` of vector_sums.h for vectors at known distances. Numbers of the last vector from
 * `fresh` on were just written one by one. */
INLINE void sum_twelve(const double *x, double h, const sal_placed_list *list, const double *base,
                       ptrdiff_t fresh, double *y)
{
    const sal_placed *p = list->term, *last = p + list->count - 1;
    const sal_four    length = ALL_FOUR(h);
    sal_four          a = {0.0}, b = {0.0}, c = {0.0};
    for (; p != last; p++) {
        const double  *from = base + p->at;
        const sal_four all = ALL_FOUR(p->weight);
        a = FMA_FOUR(all, FOUR_AT(from), a);
        b = FMA_FOUR(all, FOUR_AT(from + 4), b);
        c = FMA_FOUR(all, FOUR_AT(from + 8), c);
    }
    const double  *from = base + last->at;
    const sal_four all = ALL_FOUR(h * last->weight);
    a = FMA_FOUR(length, a, FOUR_AT(x));
    b = FMA_FOUR(length, b, FOUR_AT(x + 4));
    c = FMA_FOUR(length, c, FOUR_AT(x + 8));
    *(sal_four *)y = FMA_FOUR(all, NEWEST(from, fresh < 4), a);
    *(sal_four *)(y + 4) = FMA_FOUR(all, NEWEST(from + 4, fresh < 8), b);
    *(sal_four *)(y + 8) = FMA_FOUR(all, NEWEST(from + 8, fresh < 12), c);
}

INLINE void sum_four(const double *x, double h, const sal_placed_list *list, const double *base,
                     ptrdiff_t fresh, double *y)
{
    const sal_placed *p = list->term, *last = p + list->count - 1;
    sal_four          a = {0.0};
    for (; p != last; p++) a = FMA_FOUR(ALL_FOUR(p->weight), FOUR_AT(base + p->at), a);
    a = FMA_FOUR(ALL_FOUR(h), a, FOUR_AT(x));
    *(sal_four *)y = FMA_FOUR(ALL_FOUR(h * p->weight), NEWEST(base + p->at, fresh < 4), a);
}

/* Sums up `count` components, a multiple of four. */
INLINE void sum_all(size_t count, const double *x, double h, const sal_placed_list *list,
                    const double *base, size_t fresh, double *y)
{
    size_t i = 0;
    for (; i + 12 <= count; i += 12)
        sum_twelve(x + i, h, list, base + i, (ptrdiff_t)(fresh - i), y + i);
    for (; i < count; i += 4) sum_four(x + i, h, list, base + i, (ptrdiff_t)(fresh - i), y + i);
}

static bool native_step(const sal_native_step *s, const sal_end_weights *e, double t, double h,
                        double *first, double *end, double size[4])
{
    const int    last = s->has_extra_end_stage ? s->stages : s->stages - 1; /* stages but the end */
    const size_t count = (size_t)sal_whole_fours(s->nx); /* code overwrites what follows it */
    const double *x0 = first + s->x;
    double       *row = first;
    for (int i = 1; i < s->stages; i++) {
        const sal_code code = i < last ? s->code : s->end_code;
        row += s->size;
        row[s->t] = t + s->c[i] * h;
        sum_all(count, x0, h, &s->A[i], first, (size_t)s->n, row + s->x);
        code(s->uniform, row, NULL, 1, row + s->at, NULL);
    }
    if (s->has_extra_end_stage) {
        end[s->t] = t + h;
        sum_all(count, x0, h, &s->b, first, (size_t)s->n, end + s->x);
        s->end_code(s->uniform, end, NULL, 1, end + s->at, NULL);
    }
    sizes(s->nx, e, first + s->k, x0, end + s->x, size);
    return finite(s->g + s->ng - s->at, end + s->at);
}

static const sal_vector_sums all_sums = {.sums = {combine, gather, add_to_fresh, sizes, integrals,
                                                  min_max, scale, scale_rows, largest, finite, set},
                                         .nystrom_state = nystrom_state,
                                         .adjoint_seed = adjoint_seed,
                                         .adjoint_start = adjoint_start,
                                         .native_step = native_step};
