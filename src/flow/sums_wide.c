/* Weighted sums of vectors, for machines with AVX2 and fused multiply-add: see sums.h. */
#include <immintrin.h>

#define FMA_FOUR(a, b, c) ((sal_four)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define FMA_ONE(a, b, c) __builtin_fma(a, b, c)
#include "flow/sums_code.h"

const sal_sums *sal_sums_wide(void);

const sal_sums *sal_sums_wide(void)
{
    static const sal_sums wide = {combine, gather, twice,          sizes,      scale,
                                  finite,  stages, stages_tangent, stages_back};
    return &wide;
}
