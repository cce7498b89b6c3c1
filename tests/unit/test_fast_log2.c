/* The rough logarithm and its inverse: exact at powers of two, nowhere wrong by a per cent. */
#include "test.h"

#include "base/fast_log2.h"

TEST(powers_of_two_are_exact)
{
    for (int i = -1000; i <= 1000; i++) {
        EXPECT(sal_fast_log2(ldexp(1.0, i)) == i);
        EXPECT(sal_fast_exp2(i) == ldexp(1.0, i));
    }
}

TEST(nothing_is_wrong_by_a_per_cent)
{
    for (double y = -300.0; y < 300.0; y += 0.0317) {
        const double x = exp2(y);
        EXPECT_NEAR(sal_fast_log2(x), y, 0.01);
        EXPECT_NEAR(sal_fast_exp2(y) / x, 1.0, 0.01);
        EXPECT(sal_fast_log2(1.001 * x) > sal_fast_log2(x));
        EXPECT(sal_fast_exp2(y + 0.001) > sal_fast_exp2(y));
    }
}

TEST_MAIN(RUN(powers_of_two_are_exact), RUN(nothing_is_wrong_by_a_per_cent))
