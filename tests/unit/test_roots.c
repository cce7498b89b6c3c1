/* Sign changes of functions that are known by values only: all of them, in order, and no others. */
#include "test.h"

#include <math.h>

#include "locate/roots.h"

enum { MAX = 64 };

typedef struct subject {
    double (*f)(double x);
    double noise;
    int    asked; /* for the noise, how often */
    int    count, stop;
    double at[MAX];
    int    side[MAX], jumps[MAX];
} subject;

static double value(void *context, double x) { return ((subject *)context)->f(x); }

static double noise(void *context, double x)
{
    subject *s = context;
    (void)x;
    s->asked++;
    return s->noise;
}

static bool leaves(void *context, double x, int side, bool jumps)
{
    subject *s = context;
    if (s->count == MAX) fail_msg("more than %d sign changes", MAX);
    s->at[s->count] = x;
    s->side[s->count] = side;
    s->jumps[s->count++] = jumps;
    return s->count == s->stop;
}

static sal_roots resolve(subject *s, int side)
{
    sal_bases bases;
    sal_bases_init(&bases);
    sal_roots r = {.bases = &bases,
                   .value = value,
                   .noise = noise,
                   .leaves = leaves,
                   .context = s,
                   .enough = INFINITY,
                   .finest = 1e-15,
                   .side = side};
    s->count = 0;
    sal_roots_find(&r);
    return r;
}

/* The roots of (x - r0)(x - r1)..., found one by one. */
static double root[8];
static int    roots;

static double product(double x)
{
    double p = 1.0;
    for (int i = 0; i < roots; i++) p *= x - root[i];
    return p;
}

static double random_unit(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 16777216.0;
}

static void expect_roots(unsigned seed, double spread, double apart)
{
    unsigned     state = seed;
    const double from = random_unit(&state) * (1.0 - spread);
    roots = 1 + (int)(random_unit(&state) * 6.0);
    for (int i = 0; i < roots; i++) { /* in order, and not too close to each other */
        const double last = i ? root[i - 1] : from;
        root[i] = last + apart + (spread / roots - apart) * random_unit(&state);
    }
    subject         s = {.f = product, .noise = 1e-18};
    const sal_roots r = resolve(&s, roots % 2 ? -1 : 1);
    if (s.count != roots) fail_msg("seed %u: %d of %d roots", seed, s.count, roots);
    for (int i = 0; i < roots; i++) {
        if (!(fabs(s.at[i] - root[i]) < 1e-6) || s.jumps[i]) /* to be polished by the caller */
            fail_msg("seed %u: root %d at %.17g, found at %.17g", seed, i, root[i], s.at[i]);
        assert_int_equal(s.side[i], (roots - i) % 2 ? -1 : 1);
    }
    EXPECT(!r.unresolved && r.touch_at < 0.0);
}

TEST(all_roots_of_polynomials_are_found_in_order)
{
    for (unsigned seed = 1; seed <= 2000; seed++) expect_roots(seed, 0.9, 0.01);
    for (unsigned seed = 1; seed <= 2000; seed++) expect_roots(seed, 0.06, 0.005);
}

static double fast(double x) { return 0.3 + sin(400.0 * x); }
static double narrow(double x) { return 1.0 - 1.01 * exp(-pow((x - 0.3) / 0.02, 2.0)); }

TEST(what_oscillates_is_followed)
{
    static const double pi = 3.14159265358979323846;
    subject             s = {.f = fast, .noise = 1e-16, .stop = 40};
    const sal_roots     r = resolve(&s, 1);
    int                 expected = 0;
    for (int k = 0; k < 200; k++) {
        const double up = (2.0 * pi * k - asin(0.3)) / 400.0;
        const double down = (2.0 * pi * k + pi + asin(0.3)) / 400.0;
        if (up > 0.0 && expected < s.stop) EXPECT_NEAR(s.at[expected++], up, 1e-9);
        if (expected < s.stop) EXPECT_NEAR(s.at[expected++], down, 1e-9);
    }
    EXPECT(!r.unresolved && s.count == s.stop);
    s = (subject){.f = narrow, .noise = 1e-16};
    resolve(&s, 1);
    assert_int_equal(s.count, 2);
    EXPECT_NEAR(s.at[0] + s.at[1], 0.6, 1e-9);
}

/* Zero at the very places where polynomials are checked, and in between. */
static double hides(double x)
{
    return sin(100.0 * (x - SAL_ROOTS_CHECK_1)) * (x - SAL_ROOTS_CHECK_2);
}

TEST(zeros_where_polynomials_are_checked_hide_no_others)
{
    static const double pi = 3.14159265358979323846;
    subject             s = {.f = hides, .noise = 1e-15};
    double              last = 0.0;
    resolve(&s, hides(0.0) > 0.0 ? 1 : -1);
    const double first = SAL_ROOTS_CHECK_1 - floor(100.0 * SAL_ROOTS_CHECK_1 / pi) * pi / 100.0;
    const int    of_sine = 1 + (int)((1.0 - first) * 100.0 / pi);
    assert_int_equal(s.count, of_sine + 1);
    EXPECT_NEAR(s.at[0], first, 1e-9);
    for (int i = 0; i < s.count; i++) {
        EXPECT(s.at[i] > last && fabs(hides(s.at[i])) < 1e-8);
        last = s.at[i];
    }
}

static double touches(double x) { return (3.0 * x - 1.0) * (3.0 * x - 1.0); }
static double nearly(double x) { return touches(x) + 1e-9; }
static double rounded(double x) { return pow((x + 8.0) - 8.3, 2.0); }

TEST(a_touch_is_neither_a_crossing_nor_nothing)
{
    subject   s = {.f = touches, .noise = 1e-18};
    sal_roots r = resolve(&s, 1);
    assert_int_equal(s.count, 0);
    EXPECT_NEAR(r.touch_at, 1.0 / 3.0, 1e-7);
    s = (subject){.f = nearly, .noise = 1e-18};
    r = resolve(&s, 1);
    EXPECT(s.count == 0 && r.touch_at < 0.0);
    s = (subject){.f = rounded, .noise = 1e-29};
    r = resolve(&s, 1);
    EXPECT(s.count == 0 && !r.unresolved);
    EXPECT_NEAR(r.touch_at, 0.3, 1e-14);
}

static double pole(double x) { return tan(10.0 * x); }
static double step(double x) { return x < 0.4 ? 2.0 - x : -1.0 - x; }

TEST(a_pole_and_a_step_are_told_from_zeros)
{
    static const double pi = 3.14159265358979323846;
    subject             s = {.f = pole, .noise = 1e-16};
    sal_roots           r = resolve(&s, 1);
    for (int i = 0; i < s.count; i++) {
        EXPECT_NEAR(s.at[i], (i + 1) * pi / 20.0, 1e-9);
        assert_int_equal(s.jumps[i], i % 2 == 0);
    }
    assert_int_equal(s.count, 6);
    EXPECT(!r.unresolved);
    s = (subject){.f = step, .noise = 1e-16};
    r = resolve(&s, 1);
    EXPECT(s.count == 1 && s.jumps[0]);
    EXPECT_NEAR(s.at[0], 0.4, 1e-12);
}

/* Zero and pole are 1e-4 apart; a step of time is 1e-10. */
static double far_pole(double x) { return 1e4 - 1.0 / ((x + 1e6) - 1000000.4); }
static double double_pole(double x) { return 1.0 / ((x - 0.4) * (x - 0.4)) - 1e4; }

TEST(a_zero_close_beside_a_pole_is_found)
{
    subject   s = {.f = far_pole, .noise = 1e-3};
    sal_roots r = resolve(&s, 1);
    EXPECT(s.count == 2 && s.jumps[0] == 1 && s.jumps[1] == 0 && !r.unresolved && r.side == 1);
    EXPECT_NEAR(s.at[0], 0.4, 1e-9);
    EXPECT_NEAR(s.at[1], 0.4001, 1e-9);
    s = (subject){.f = double_pole, .noise = 1e-12};
    r = resolve(&s, -1);
    EXPECT(s.count == 2 && !s.jumps[0] && !s.jumps[1] && !r.unresolved && r.touch_at < 0.0);
    EXPECT_NEAR(s.at[0], 0.39, 1e-9);
    EXPECT_NEAR(s.at[1], 0.41, 1e-9);
}

static double rounding(double x) { return 1e-17 * sin(1e6 * x); }
static double from_zero(double x) { return x * x * (0.5 - x); }
static double beyond(double x) { return -3e-17 + x; }
static double through(double x) { return 3e-17 - x; }
/* From zero to zero, but for rounding, and between them on the other side. */
static double hump(double x) { return sin(3.14159265358979323846 * x) + 4e-14 - 8e-14 * x; }

TEST(what_is_inside_of_rounding_is_nothing)
{
    subject   s = {.f = rounding, .noise = 1e-16};
    sal_roots r = resolve(&s, 1);
    EXPECT(s.count == 0 && r.side == 1 && r.touch_at < 0.0);
    s = (subject){.f = beyond,
                  .noise = 1e-16}; /* it begins beyond zero, and goes where it belongs */
    r = resolve(&s, 1);
    EXPECT(s.count == 0 && r.side == 1);
    r = resolve(&s, -1);
    EXPECT(s.count == 1 && s.at[0] < 1e-15 && r.side == 1);
    s = (subject){.f = through,
                  .noise = 1e-16}; /* it begins before zero, and goes to the other side */
    r = resolve(&s, 1);
    EXPECT(s.count == 1 && s.at[0] < 1e-15 && r.side == -1);
    s = (subject){.f = from_zero, .noise = 1e-18};
    r = resolve(&s, 1);
    EXPECT(s.count == 1 && r.side == -1);
    EXPECT_NEAR(s.at[0], 0.5, 1e-9);
    r = resolve(&s, 0); /* nothing is known of it: the first side is taken */
    EXPECT(s.count == 1 && s.side[0] == 1);
    s = (subject){.f = hump, .noise = 3e-13};
    r = resolve(&s, -1);
    EXPECT(s.count == 1 && s.at[0] == 0.0 && s.side[0] == -1 && r.side == 1);
}

/* A hop that is 1e-13 of what comes after it. */
static double hop(double x) { return x * x * (1e-6 - x) * 1e3; }

TEST(a_hop_far_smaller_than_the_step_is_seen)
{
    subject         s = {.f = hop, .noise = 1e-25};
    const sal_roots r = resolve(&s, 1);
    EXPECT(s.count == 1 && r.side == -1);
    EXPECT_NEAR(s.at[0], 1e-6, 1e-12);
}

static double gone(double x) { return x < 0.7 ? 1.0 - x : NAN; }

static double dip;
static double slow(double x) { return x * x * (x - dip) * (1.0 + x); }

/* Where it begins at zero with its first derivatives zero, there is little to be looked at; but if
 * it goes to the other side first, by more than rounding, that is seen, however little it is. */
TEST(what_leaves_zero_slowly_is_followed_from_there)
{
    dip = 0.0;
    subject s = {.f = slow, .noise = 1e-12};
    resolve(&s, 1);
    assert_int_equal(s.count, 0);
    EXPECT(s.asked <= 2);
    s.noise = 1e-30;
    for (dip = 1e-1; dip > 1e-6; dip *= 0.1) {
        resolve(&s, 1);
        assert_int_equal(s.count, 2);
        EXPECT(s.at[0] < 0.5 * dip && s.side[0] == 1 && s.side[1] == -1);
        EXPECT_NEAR(s.at[1], dip, 1e-2 * dip); /* to be polished by the caller */
    }
}

TEST(where_it_is_no_number_is_told)
{
    subject         s = {.f = gone, .noise = 1e-16};
    const sal_roots r = resolve(&s, 1);
    EXPECT(s.count == 0);
    EXPECT_NEAR(r.undefined_at, 0.7, 1e-3);
}

/* A hop that begins almost at zero: between its start and a place where the function is 1e9 times
 * as large, the secant does not move. */
static double low_hop(double x) { return 1e-8 + 2e-4 * x - x * x; }

TEST(a_crossing_is_found_where_it_is_also_beside_a_very_small_start)
{
    subject s = {.f = low_hop, .noise = 1e-17};
    resolve(&s, 1);
    assert_int_equal(s.count, 1);
    const double exact = 1e-4 * (1.0 + sqrt(2.0));
    if (!(fabs(s.at[0] - exact) < 1e-12)) fail_msg("found at %.17g, not %.17g", s.at[0], exact);
}

TEST_MAIN(RUN(a_crossing_is_found_where_it_is_also_beside_a_very_small_start),
          RUN(all_roots_of_polynomials_are_found_in_order), RUN(what_oscillates_is_followed),
          RUN(zeros_where_polynomials_are_checked_hide_no_others),
          RUN(a_touch_is_neither_a_crossing_nor_nothing),
          RUN(a_pole_and_a_step_are_told_from_zeros), RUN(a_zero_close_beside_a_pole_is_found),
          RUN(what_is_inside_of_rounding_is_nothing), RUN(a_hop_far_smaller_than_the_step_is_seen),
          RUN(what_leaves_zero_slowly_is_followed_from_there), RUN(where_it_is_no_number_is_told))
