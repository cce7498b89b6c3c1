/* Weighted sums: plain loops, vector sums for any machine and those for this one are right to
 * rounding, and in each of the three, every way to form a sum has the same digits. */
#include "test.h"

#include <float.h>

#include "motion/fast/vector_sums.h"

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#define FMA_FOUR(a, b, c) ((a) * (b) + (c))
#define MIN_FOUR(a, b) SELECT_FOUR((a) < (b), a, b)
#define MAX_FOUR(a, b) SELECT_FOUR((a) > (b), a, b)
#define ONE_BY_ONE(x) ((sal_four){(x)[0], (x)[1], (x)[2], (x)[3]})
#define READ_ONCE(x) (void)0
#define FMA_ONE(a, b, c) ((a) * (b) + (c))
#include "motion/fast/vector_sums_code.h"

enum { MAX = 109, TERMS = 9, AT = 3 };

/* Vectors k[m] in the middle of rows, weights of both signs. */
typedef struct sample {
    double x[MAX], h, weight[TERMS], second[TERMS], third[TERMS], three[4 * TERMS],
        rows[TERMS][MAX + AT], end[MAX], atol[MAX];
    double       *row[TERMS];
    const double *k[TERMS];
    int           index[TERMS], at[TERMS];
} sample;

static double next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*seed >> 11) * 0x1p-52 - 1.0;
}

static void draw(sample *s, uint64_t *seed)
{
    s->h = 0.3 + next_random(seed);
    for (int i = 0; i < MAX; i++) s->x[i] = next_random(seed);
    for (int i = 0; i < MAX; i++) s->end[i] = next_random(seed);
    for (int i = 0; i < MAX; i++) s->atol[i] = 1e-5 * (2.0 + next_random(seed));
    for (int m = 0; m < TERMS; m++) {
        s->weight[m] = next_random(seed);
        s->second[m] = next_random(seed);
        s->third[m] = next_random(seed);
        s->three[4 * m] = s->third[m];
        s->three[4 * m + 1] = s->weight[m];
        s->three[4 * m + 2] = s->second[m];
        for (int i = 0; i < MAX + AT; i++) s->rows[m][i] = next_random(seed);
        s->row[m] = s->rows[TERMS - 1 - m];
        s->index[m] = TERMS - 1 - m;
        s->k[m] = s->rows[m] + AT;
        s->at[m] = m * (MAX + AT);
    }
}

/* The vector sums for any machine, and for this one; and the plain loops before them. */
static const sal_vector_sums *both[2];
static const sal_sums        *every[3];

static void find_sums(void)
{
    both[0] = &all_sums;
    both[1] = sal_vector_sums_get();
    every[0] = sal_sums_plain();
    every[1] = &both[0]->sums;
    every[2] = &both[1]->sums;
}

TEST(sums_are_right_to_rounding)
{
    static sample s;
    uint64_t      seed = 1;
    double        y[MAX];
    find_sums();
    for (int n = 1; n <= MAX; n++)
        for (int terms = 0; terms <= TERMS; terms++)
            for (int which = 0; which < 6; which++) {
                const bool from = which & 1;
                draw(&s, &seed);
                every[which / 2]->combine(n, from ? s.x : NULL, s.h, terms, s.weight, s.k, y);
                for (int i = 0; i < n; i++) {
                    long double sum = 0.0L, size = 0.0L;
                    for (int m = 0; m < terms; m++) {
                        sum += (long double)s.weight[m] * s.k[m][i];
                        size += fabsl((long double)s.weight[m] * s.k[m][i]);
                    }
                    sum = s.h * sum + (from ? s.x[i] : 0.0);
                    size = fabs(s.h) * size + (from ? fabs(s.x[i]) : 0.0);
                    EXPECT_NEAR(y[i], (double)sum, (terms + 2) * DBL_EPSILON * (double)size);
                }
            }
}

/* Numbers written just before are moved on, and zeros left in their place. */
TEST(sums_that_are_handed_back_are_right_to_rounding)
{
    static sample s;
    uint64_t      seed = 5;
    double        fresh[MAX + 1], kept[MAX + 1], y[MAX + 1];
    find_sums();
    for (int n = 1; n <= MAX; n++)
        for (int terms = 1; terms <= TERMS; terms++)
            for (int which = 0; which < 2; which++) {
                const double *d = s.end;
                draw(&s, &seed);
                memcpy(fresh, s.k[terms - 1], (size_t)n * sizeof *fresh);
                fresh[n] = kept[n] = y[n] = 77.0;
                both[which]->adjoint_seed(n, s.h, d, terms, s.weight, s.k, fresh, kept, y, s.x);
                assert_memory_equal(kept, s.k[terms - 1], (size_t)n * sizeof *kept);
                EXPECT(fresh[n] == 77.0 && kept[n] == 77.0 && y[n] == 77.0);
                for (int i = 0; i < n; i++) {
                    long double sum = 0.0L, size = 0.0L;
                    for (int m = 0; m < terms; m++) {
                        sum += (long double)s.weight[m] * s.k[m][i];
                        size += fabsl((long double)s.weight[m] * s.k[m][i]);
                    }
                    const double by = s.h * d[i];
                    EXPECT(fresh[i] == 0.0);
                    EXPECT_NEAR(y[i], (double)(by * sum),
                                (terms + 3) * DBL_EPSILON * (double)(fabs(by) * size));
                }
            }
}

TEST(sums_at_the_start_of_a_step_are_right_to_rounding)
{
    static sample s;
    uint64_t      seed = 6;
    double        x[2 * MAX + 1];
    find_sums();
    for (int n = 1; n <= MAX; n++)
        for (int which = 0; which < 2; which++) {
            draw(&s, &seed);
            memcpy(x, s.x, (size_t)n * sizeof *x);
            memcpy(x + n, s.end, (size_t)n * sizeof *x);
            x[2 * n] = 77.0;
            both[which]->adjoint_start(n, s.h, TERMS, s.weight, s.k, x);
            EXPECT(x[2 * n] == 77.0);
            for (int i = 0; i < n; i++) {
                long double sum = s.x[i], drift = s.x[i];
                for (int m = 0; m < TERMS; m++) {
                    sum += s.k[m][i];
                    drift += (long double)s.weight[m] * s.k[m][i];
                }
                EXPECT_NEAR(x[i], (double)sum, (TERMS + 2) * TERMS * DBL_EPSILON);
                EXPECT_NEAR(x[n + i], (double)(s.end[i] + s.h * drift),
                            2 * (TERMS + 2) * TERMS * DBL_EPSILON);
            }
        }
}

/* Steps are taken again, in parts and onto events: no digit may hang on the way. */
TEST(every_way_to_form_a_sum_has_the_same_digits)
{
    static sample s;
    uint64_t      seed = 2;
    double        all[MAX], one, gathered[MAX];
    find_sums();
    for (int n = 1; n <= MAX; n++)
        for (int which = 0; which < 6; which++) {
            const sal_sums *sums = every[which / 2];
            const bool      from = which & 1;
            draw(&s, &seed);
            const sal_weights w = {TERMS, s.index, s.weight};
            sums->combine(n, from ? s.x : NULL, s.h, TERMS, s.weight, s.k, all);
            sums->gather(n, from ? s.x : NULL, s.h, &w, s.row, AT, gathered);
            assert_memory_equal(gathered, all, (size_t)n * sizeof *all);
            for (int i = 0; i < n; i++) {
                const double *k[TERMS];
                for (int m = 0; m < TERMS; m++) k[m] = s.k[m] + i;
                sums->combine(1, from ? s.x + i : NULL, s.h, TERMS, s.weight, k, &one);
                if (memcmp(&all[i], &one, sizeof one))
                    fail_msg("component %d of %d: %.17g, alone %.17g", i, n, all[i], one);
            }
            memcpy(gathered, s.x, sizeof gathered); /* in place */
            sums->combine(n, gathered, s.h, TERMS, s.weight, s.k, gathered);
            if (from) assert_memory_equal(gathered, all, (size_t)n * sizeof *all);
        }
}

TEST(nothing_behind_the_last_component_is_written)
{
    static sample s;
    uint64_t      seed = 3;
    double        y[MAX + 1];
    find_sums();
    draw(&s, &seed);
    const sal_weights w = {TERMS, s.index, s.weight};
    for (int n = 0; n <= MAX; n++)
        for (int which = 0; which < 3; which++) {
            y[n] = 77.0;
            every[which]->combine(n, s.x, s.h, TERMS, s.weight, s.k, y);
            EXPECT(y[n] == 77.0);
            every[which]->gather(n, s.x, s.h, &w, s.row, AT, y);
            EXPECT(y[n] == 77.0);
        }
}

TEST(sizes_are_those_of_scaled_sums)
{
    static sample s;
    uint64_t      seed = 4;
    find_sums();
    for (int n = 1; n <= MAX; n++)
        for (int which = 0; which < 3; which++) {
            double                size[4], expected[4] = {0.0};
            const sal_end_weights e = {TERMS, s.at, s.three, 1e-3, s.atol};
            draw(&s, &seed);
            every[which]->sizes(n, &e, s.k[0], s.x, s.end, size);
            for (int i = 0; i < n; i++) {
                double       a = 0.0, b = 0.0;
                const double scale = s.atol[i] + 1e-3 * fmax(fabs(s.x[i]), fabs(s.end[i]));
                for (int m = 0; m < TERMS; m++) {
                    a += s.weight[m] * s.k[m][i];
                    b += s.second[m] * s.k[m][i];
                }
                expected[0] += a * a / (scale * scale);
                expected[1] += b * b / (scale * scale);
                expected[2] = fmax(expected[2], a * a / (scale * scale));
                expected[3] = fmax(expected[3], b * b / (scale * scale));
            }
            for (int k = 0; k < 2; k++) EXPECT_NEAR(size[k], expected[k], 1e-12 * expected[k]);
            for (int k = 2; k < 4; k++) { /* of the last ones, all together may count as one */
                EXPECT(size[k] >= (1.0 - 1e-12) * expected[k] && size[k] <= size[k - 2]);
                if (which > 0 && n <= SAL_MAX_SHARE_OF_ONE * SAL_MAX_SHARE_OF_ONE)
                    EXPECT(size[k] == size[k - 2]);
                else if (which == 0 || n % 4 == 0)
                    EXPECT_NEAR(size[k], expected[k], 1e-12 * expected[k]);
            }
        }
}

/* However many are summed up together, each has the digits that it has alone. */
TEST(integrals_have_the_digits_of_each_alone)
{
    static sample s;
    uint64_t      seed = 7;
    find_sums();
    for (int n = 1; n <= MAX; n++)
        for (int which = 0; which < 3; which++) {
            const sal_end_weights e = {TERMS, s.at, s.three, 1e-3, s.atol};
            double                dz[MAX + 1], errors[2 * MAX + 1], one, two[2];
            draw(&s, &seed);
            dz[n] = errors[2 * n] = 77.0;
            every[which]->integrals(n, &e, s.k[0], s.h, dz, errors);
            EXPECT(dz[n] == 77.0 && errors[2 * n] == 77.0);
            for (int i = 0; i < n; i++) {
                double sum = 0.0;
                for (int m = 0; m < TERMS; m++) sum += s.third[m] * s.k[m][i];
                EXPECT_NEAR(dz[i], s.h * sum, (TERMS + 2) * TERMS * DBL_EPSILON);
                every[which]->integrals(1, &e, s.k[0] + i, s.h, &one, two);
                EXPECT(dz[i] == one && errors[i] == two[0] && errors[n + i] == two[1]);
            }
        }
}

TEST(scaled_numbers_are_products_and_tell_what_is_not_finite)
{
    static sample s;
    uint64_t      seed = 8;
    double        y[MAX + 1];
    find_sums();
    for (int n = 1; n <= MAX; n++)
        for (int which = 0; which < 3; which++) {
            draw(&s, &seed);
            y[n] = 77.0;
            EXPECT(every[which]->scale(n, s.h, s.x, s.end, y) && y[n] == 77.0);
            for (int i = 0; i < n; i++) EXPECT(y[i] == s.h * s.x[i] * s.end[i]);
            for (int i = 0; i < n; i++) {
                const double kept = s.x[i];
                s.x[i] = INFINITY;
                if (every[which]->scale(n, s.h, s.x, s.end, y)) fail_msg("%d of %d not seen", i, n);
                s.x[i] = kept;
            }
        }
}

TEST(rows_in_lanes_are_scaled_and_have_their_largest)
{
    static sample s;
    uint64_t      seed = 12;
    find_sums();
    draw(&s, &seed);
    for (int which = 0; which < 3; which++)
        for (int lanes = 1; lanes <= 11; lanes++) {
            const int rows = (MAX - 1) / lanes;
            double    y[MAX] = {0.0}, most[16] = {0.0};
            y[rows * lanes] = most[lanes] = 77.0;
            most[0] = 5.0;
            every[which]->scale_rows(rows, lanes, -2.0, s.x, s.end, y);
            every[which]->largest(rows, lanes, s.x, most);
            EXPECT(y[rows * lanes] == 77.0 && most[lanes] == 77.0);
            for (int l = 0; l < lanes; l++) {
                double expected = l == 0 ? 5.0 : 0.0;
                for (int i = 0; i < rows; i++) {
                    const double x = s.x[i * lanes + l];
                    EXPECT(y[i * lanes + l] == -2.0 * x * s.end[i]);
                    expected = fmax(expected, fabs(x));
                }
                EXPECT(most[l] == expected);
            }
        }
}

TEST(extremes_are_least_and_most_and_tell_what_is_not_finite)
{
    static sample s;
    uint64_t      seed = 6;
    double        low[MAX + 3], high[MAX + 3];
    const double  bad[] = {0.5, NAN, INFINITY, -INFINITY};
    find_sums();
    for (int n = 1; n <= MAX - 3; n++)
        for (int which = 0; which < 12; which++) {
            const int r = 1 + which % (TERMS - 1), wrong = n / 2;
            draw(&s, &seed);
            s.row[r][AT + wrong] = bad[which % 4];
            every[which / 4]->min_max(n, 1, TERMS, s.row, AT, low, high);
            for (int i = 0; i < n; i++) {
                double least = INFINITY, most = -INFINITY;
                for (int m = 1; m < TERMS; m++) {
                    least = fmin(least, s.row[m][AT + i]);
                    most = fmax(most, s.row[m][AT + i]);
                }
                if (i == wrong && which % 4) EXPECT(isnan(low[i]) && isnan(high[i]));
                else EXPECT(low[i] == least && high[i] == most);
            }
        }
}

TEST(what_is_not_finite_is_seen_wherever_it_is)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};
    double       x[MAX + 1];
    find_sums();
    for (int i = 0; i <= MAX; i++) x[i] = i % 3 - 1.0;
    for (int which = 0; which < 3; which++)
        for (int n = 0; n <= MAX; n++) {
            EXPECT(every[which]->finite(n, x));
            for (int i = 0; i <= n; i++)
                for (int b = 0; b < 3; b++) {
                    const double kept = x[i];
                    x[i] = bad[b];
                    if (every[which]->finite(n, x) != (i == n))
                        fail_msg("%g at %d of %d is %s", bad[b], i, n,
                                 i == n ? "seen" : "not seen");
                    x[i] = kept;
                }
        }
}

TEST(numbers_are_set_up_to_the_last_one)
{
    double x[MAX], y[MAX + 1];
    find_sums();
    for (int i = 0; i < MAX; i++) x[i] = i + 1.0;
    for (int which = 0; which < 6; which++)
        for (int n = 0; n <= MAX; n++) {
            const double *from = which < 3 ? x : NULL;
            for (int i = 0; i <= MAX; i++) y[i] = -1.0;
            every[which % 3]->set(n, from, y);
            for (int i = 0; i <= MAX; i++) {
                const double expected = i >= n ? -1.0 : from ? x[i] : 0.0;
                if (y[i] != expected) fail_msg("%d of %d: %g, not %g", i, n, y[i], expected);
            }
        }
}

TEST_MAIN(RUN(sums_are_right_to_rounding), RUN(every_way_to_form_a_sum_has_the_same_digits),
          RUN(sums_that_are_handed_back_are_right_to_rounding),
          RUN(sums_at_the_start_of_a_step_are_right_to_rounding),
          RUN(nothing_behind_the_last_component_is_written), RUN(sizes_are_those_of_scaled_sums),
          RUN(integrals_have_the_digits_of_each_alone),
          RUN(scaled_numbers_are_products_and_tell_what_is_not_finite),
          RUN(rows_in_lanes_are_scaled_and_have_their_largest),
          RUN(extremes_are_least_and_most_and_tell_what_is_not_finite),
          RUN(what_is_not_finite_is_seen_wherever_it_is), RUN(numbers_are_set_up_to_the_last_one))
