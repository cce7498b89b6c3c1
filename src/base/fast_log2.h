/* Fast logarithm and exponential with an accuracy of one per cent, enough for example for the
 * length of the next step. Both are exact at powers of two. */
#ifndef SAL_BASE_FAST_LOG2_H
#define SAL_BASE_FAST_LOG2_H

#include <stdint.h>
#include <string.h>

/* The binary logarithm of a normal number x > 0. */
static inline double sal_fast_log2(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int64_t exponent = (bits >> 52) - 1023;
    bits -= exponent * (INT64_C(1) << 52);
    memcpy(&x, &bits, sizeof x); /* now between 1 and 2 */
    return (double)exponent + (x * (2.0 - (1.0 / 3.0) * x) - 5.0 / 3.0);
}

/* The inverse of sal_fast_log2: a number close to 2^y. */
static inline double sal_fast_exp2(double y)
{
    const int64_t whole = (int64_t)(y + 1024.0) - 1024;
    const double  rest = y - (double)whole;
    double        x = 1.0 + rest * (2.0 / 3.0 + (1.0 / 3.0) * rest);
    int64_t       bits;
    memcpy(&bits, &x, sizeof bits);
    bits += whole * (INT64_C(1) << 52);
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
