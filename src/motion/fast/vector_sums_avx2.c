/* Compiles the sums of vector_sums_code.h for machines with AVX2 and fused multiply-add: see
 * vector_sums.h. */
#include <immintrin.h>

#define FMA_FOUR(a, b, c) ((sal_four)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define MIN_FOUR(a, b) ((sal_four)_mm256_min_pd((__m256d)(a), (__m256d)(b)))
#define MAX_FOUR(a, b) ((sal_four)_mm256_max_pd((__m256d)(a), (__m256d)(b)))
#define ONE_BY_ONE(x)                                                                              \
    ((sal_four)_mm256_blend_pd(TWO_OF(x, 0, 2), TWO_OF(x, 2, 8), 12)) /* lanes 2 and 3 */
#define TWO_OF(x, i, lane)                                                                         \
    _mm256_blend_pd(_mm256_broadcast_sd((x) + (i)), _mm256_broadcast_sd((x) + (i) + 1), lane)
#define READ_ONCE(x) __asm__("" : "+x"(x))
#define FMA_ONE(a, b, c) __builtin_fma(a, b, c)
#include "motion/fast/vector_sums_code.h"

const sal_vector_sums *sal_vector_sums_avx2(void);

const sal_vector_sums *sal_vector_sums_avx2(void) { return &all_sums; }
