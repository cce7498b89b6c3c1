/* Compiles the sums of vector_sums_code.h for any machine, and chooses the version for this one:
 * see vector_sums.h. */
#define FMA_FOUR(a, b, c) ((a) * (b) + (c))
#define MIN_FOUR(a, b) SELECT_FOUR((a) < (b), a, b)
#define MAX_FOUR(a, b) SELECT_FOUR((a) > (b), a, b)
#define ONE_BY_ONE(x) ((sal_four){(x)[0], (x)[1], (x)[2], (x)[3]})
#define READ_ONCE(x) (void)0
#define FMA_ONE(a, b, c) ((a) * (b) + (c))
#include "motion/fast/vector_sums_code.h"

#ifdef SAL_AVX2_SUMS
const sal_vector_sums *sal_vector_sums_avx2(void);

const sal_vector_sums *sal_vector_sums_get(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? sal_vector_sums_avx2()
                                                                           : &all_sums;
}
#else
const sal_vector_sums *sal_vector_sums_get(void) { return &all_sums; }
#endif
