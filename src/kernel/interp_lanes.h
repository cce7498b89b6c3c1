/* Body of the interpreter for LANES lanes; included by interp.c only, several times. */
TARGET static void NAME(const sal_program *program, double *restrict slots)
{
    for (int k = 0; k < program->constants; k++)
        for (int l = 0; l < LANES; l++)
            slots[(program->inputs + k) * LANES + l] = program->constant[k];
    for (int r = 0; r < program->runs; r++) {
        const sal_program_run *run = &program->run[r];
        const sal_instruction *x = &program->instruction[run->first];
        const sal_instruction *end = x + run->count;
        switch (run->op) {
#define OP(name, n, text, value, ...)                                                              \
    case SAL_OP_##name:                                                                            \
        for (; x < end; x++) {                                                                     \
            const double *A = &slots[x->a * LANES], *B = &slots[x->b * LANES];                     \
            const double *C = &slots[x->c * LANES];                                                \
            double       *R = &slots[x->result * LANES];                                           \
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
}
