/* Weighted sums of vectors, for machines with AVX2 and fused multiply-add: see sums.h. */
#include "flow/sums_code.h"

const sal_sums *sal_sums_wide(void);

const sal_sums *sal_sums_wide(void)
{
    static const sal_sums wide = {combine, gather, twice, sizes, scale, finite};
    return &wide;
}
