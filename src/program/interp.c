/* The interpreter: one dispatch per run of equal operations, blocks of lanes inside.
 *
 * interp_lanes.h is the loop; it is compiled for one lane, for SAL_LANES and for half of
 * them, with and without the machine's fused multiply-add. fma() rounds once either way, so all
 * agree bit for bit. */
#include <math.h>
#include <stddef.h>

#include "program/program.h"

#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>
#define HAVE_FMA_VARIANT 1
#else
#define HAVE_FMA_VARIANT 0
#endif

/* INDEPENDENT: a result is never one of its own arguments. Compilers cannot prove that, and do not
 * vectorise the loop without this hint. UNROLLED: with a single lane, a jump per operation would
 * take as long as the operation. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define UNROLLED _Pragma("clang loop unroll_count(4)")
#elif defined(__GNUC__)
#define INDEPENDENT _Pragma("GCC ivdep")
#define UNROLLED _Pragma("GCC unroll 4")
#else
#define INDEPENDENT
#define UNROLLED
#endif

#define TARGET
#define LANES 1
#define NAME interpret_one
#define RUN run_one
#include "program/interp_lanes.h"
#define LANES (SAL_LANES / 2)
#define NAME interpret_half
#define RUN run_half
#include "program/interp_lanes.h"
#define LANES SAL_LANES
#define NAME interpret_block
#define RUN run_block
#include "program/interp_lanes.h"
#undef TARGET

#if HAVE_FMA_VARIANT
typedef __m256d vector;
#define VECTOR 4
#define TARGET __attribute__((target("avx2,fma")))
#define INLINE TARGET static inline __attribute__((always_inline))
INLINE vector load(const double *from) { return _mm256_loadu_pd(from); }
INLINE void   store(double *to, vector value) { _mm256_storeu_pd(to, value); }
INLINE vector fused(vector a, vector b, vector c) { return _mm256_fmadd_pd(a, b, c); }

#define LANES (SAL_LANES / 2)
#define NAME interpret_half_fma
#define RUN run_half_fma
#include "program/interp_lanes.h"
#define LANES SAL_LANES
#define NAME interpret_block_fma
#define RUN run_block_fma
#include "program/interp_lanes.h"
#undef VECTOR
#define LANES 1
#define NAME interpret_one_fma
#define RUN run_one_fma
#include "program/interp_lanes.h"
#endif

void sal_interpret(const sal_program *program, int lanes, double *slots)
{
#if HAVE_FMA_VARIANT
    if (__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2")) {
        if (lanes == 1) interpret_one_fma(program, slots);
        else if (lanes < SAL_LANES) interpret_half_fma(program, slots);
        else interpret_block_fma(program, slots);
        return;
    }
#endif
    if (lanes == 1) interpret_one(program, slots);
    else if (lanes < SAL_LANES) interpret_half(program, slots);
    else interpret_block(program, slots);
}
