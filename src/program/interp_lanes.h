/* Body of the interpreter for LANES lanes; included by interp.c only, several times.
 *
 * NAME is the name of the interpreter, RUN that of its switch over all operations, which does one
 * run. VECTOR, if defined, is the number of lanes in a vector of the machine. The most frequent
 * operations are then written with explicit vectors, because compilers unroll loops over few lanes
 * before they try to vectorise them. */
#if LANES == 1
#define SEVERAL_AT_ONCE UNROLLED
#else
#define SEVERAL_AT_ONCE
#endif
TARGET static inline void RUN(int op, const sal_instruction *x, const sal_instruction *end,
                              const double *slots, double *R)
{
    switch (op) {
#define OP(name, n, text, value, ...)                                                              \
    case SAL_OP_##name:                                                                            \
        SEVERAL_AT_ONCE                                                                            \
        for (; x < end; x++, R += LANES) {                                                         \
            const double *A = &slots[x->a * LANES], *B = &slots[x->b * LANES];                     \
            const double *C = &slots[x->c * LANES];                                                \
            INDEPENDENT                                                                            \
            for (int l = 0; l < LANES; l++) {                                                      \
                const double a = A[l], b = B[l], c = C[l];                                         \
                (void)b;                                                                           \
                (void)c;                                                                           \
                R[l] = value;                                                                      \
            }                                                                                      \
        }                                                                                          \
        break;
#include "expr/ops.def"
#undef OP
    default: break;
    }
}

TARGET static void NAME(const sal_program *program, double *restrict slots)
{
    const sal_instruction *x = program->instruction;
    const sal_program_run *run = program->run, *const last = run + program->runs;
    double *R = slots + (ptrdiff_t)program->inputs * LANES;
    for (int k = 0; k < program->constants; k++, R += LANES)
        for (int l = 0; l < LANES; l++) R[l] = program->constant[k];
    for (; run < last; run++) {
        const int count = run->count;
#ifdef VECTOR
#define WIDE(name, value)                                                                          \
    case SAL_OP_##name:                                                                            \
        for (int i = 0; i < count; i++) {                                                          \
            const double *A = &slots[(ptrdiff_t)x[i].a * LANES];                                   \
            const double *B = &slots[(ptrdiff_t)x[i].b * LANES];                                   \
            const double *C = &slots[(ptrdiff_t)x[i].c * LANES];                                   \
            double       *to = R + (ptrdiff_t)i * LANES;                                           \
            for (int l = 0; l < LANES; l += VECTOR) {                                              \
                const vector a = load(A + l), b = load(B + l), c = load(C + l);                    \
                (void)b;                                                                           \
                (void)c;                                                                           \
                store(to + l, value);                                                              \
            }                                                                                      \
        }                                                                                          \
        break;
        switch (run->op) {
            WIDE(NEG, -a)
            WIDE(ADD, a + b)
            WIDE(SUB, a - b)
            WIDE(MUL, a * b)
            WIDE(DIV, a / b)
            WIDE(FMA, fused(a, b, c))
            WIDE(FMS, fused(a, b, -c))
            WIDE(FNMA, fused(-a, b, c))
        default: RUN(run->op, x, x + count, slots, R); break;
        }
#undef WIDE
#else
        RUN(run->op, x, x + count, slots, R);
#endif
        x += count;
        R += (ptrdiff_t)count * LANES;
    }
}
#undef SEVERAL_AT_ONCE
#undef NAME
#undef RUN
#undef LANES
