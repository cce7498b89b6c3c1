/* The harness of all tests: cmocka, with claims as names and numbers in every failure.
 *
 *     TEST(saltation_equals_closed_form) { EXPECT_NEAR(s, 1.5, 1e-14); }
 *     TEST_MAIN(RUN(saltation_equals_closed_form))
 */
#ifndef TEST_H
#define TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEST(name) static void name(__attribute__((unused)) void **test_state_)
#define RUN(name) cmocka_unit_test(name)
#define TEST_MAIN(...)                                                                             \
    int main(void)                                                                                 \
    {                                                                                              \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                           \
        return cmocka_run_group_tests(tests, NULL, NULL);                                          \
    }

/* Builds with sanitizers are slow: long tests do less there. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* Absolute distance; NaN fails. */
#define EXPECT_NEAR(value, expected, tolerance)                                                    \
    do {                                                                                           \
        const double v_ = (value), e_ = (expected), tol_ = (tolerance);                            \
        if (!(fabs(v_ - e_) <= tol_))                                                              \
            fail_msg("%s = %.17g, expected %.17g, off by %.3g, allowed %.3g", #value, v_, e_,      \
                     v_ - e_, tol_);                                                               \
    } while (0)

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) fail_msg("expected: %s", #condition);                                    \
    } while (0)

#define EXPECT_TEXT(value, expected) assert_string_equal(value, expected)
#endif
