/* Weighted sums of vectors, for any machine: see sums.h. */
#define FMA_FOUR(a, b, c) ((a) * (b) + (c))
#define LEAST_FOUR(a, b) SELECT_FOUR((a) < (b), a, b)
#define MOST_FOUR(a, b) SELECT_FOUR((a) > (b), a, b)
#define ONE_BY_ONE(x) ((sal_four){(x)[0], (x)[1], (x)[2], (x)[3]})
#define READ_ONCE(x) (void)0
#define FMA_ONE(a, b, c) ((a) * (b) + (c))
#include "motion/fast/vector_sums_code.h"

static const sal_sums plain = {combine,   gather,   twice, hand_back, start_back, sizes,
                               integrals, extremes, scale, finite,    set,        burst};

#ifdef SAL_WIDE_SUMS
const sal_sums *sal_sums_wide(void);

const sal_sums *sal_sums_get(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? sal_sums_wide()
                                                                           : &plain;
}
#else
const sal_sums *sal_sums_get(void) { return &plain; }
#endif
