/* The sums of motion/sums.h for vector registers, further sums for large models, and native steps.
 *
 * Blocks of components stay in registers over all terms of a sum. The code is compiled twice: for
 * any machine, and for machines with AVX2 and fused multiply-add. The digits depend on the machine,
 * but not on the back end, and are the same whenever a step is taken again. */
#ifndef SAL_MOTION_FAST_VECTOR_SUMS_H
#define SAL_MOTION_FAST_VECTOR_SUMS_H

#include <stddef.h>

#include "motion/sums.h"
#include "program/kernel.h"

/* A weight, and the distance of its vector from a base address. */
typedef struct sal_placed {
    double    weight;
    ptrdiff_t at;
} sal_placed;
typedef struct sal_placed_list {
    int               count;
    const sal_placed *term;
} sal_placed_list;

/* A step by compiled code (kernel.h) whose first stage is evaluated. The rows of the stages are
 * consecutive in memory; that of an extra end stage may be anywhere. */
typedef struct sal_native_step {
    sal_code               code;     /* kernel of the stages before the end */
    sal_code               end_code; /* kernel of the stage at the end */
    const double          *uniform;
    int                    stages;     /* stages of the step itself */
    int                    size;       /* numbers of a row */
    int                    nx;         /* size of x */
    int                    t, x, k, g; /* places in a row: time, state, slope, integrands */
    int                    at;         /* place in a row to which the code writes its outputs */
    int                    n, ng; /* numbers of accelerations (the first outputs) and integrands */
    const double          *c;     /* by stage: its time, as a fraction of h */
    const sal_placed_list *A;     /* by stage: weights, and distances from the first row */
    sal_placed_list        b;     /* weights in x1, and distances from the first row */
    bool                   has_extra_end_stage; /* the end stage is not one of the `stages` */
} sal_native_step;

typedef struct sal_vector_sums {
    sal_sums sums;
    /* For x = (q, v) of n components each, and accelerations a[m] = row[index[m]] + at:
     * v1 = v + h * sum_m value[m] * a[m], q1 = q + h * c * v + h^2 * sum_m q_weight[m] * a[m]. The
     * last q_weight must be zero. q1 and v1 do not overlap x, unless there are no terms. next: a
     * place where n numbers will be written soon, to prefetch, or NULL. */
    void (*nystrom_state)(int n, const double *x, double h, double c, const sal_weights *v,
                          const double *q_weight, double *const *row, int at, double *q1,
                          double *v1, const double *next);
    /* y = c * d * sum_m weight[m] * k[m], component by component. The last k is in `fresh`; it is
     * moved to `kept`, and `fresh` is set to zero. soon: n numbers that will be read next, to
     * prefetch. */
    void (*adjoint_seed)(int n, double c, const double *d, int terms, const double *weight,
                         const double *const *k, double *fresh, double *kept, double *y,
                         const double *soon);
    /* For x = (q, v) of n components each: v += h * (q + sum_m c[m] * k[m]), q += sum_m k[m]. */
    void (*adjoint_start)(int n, double h, int terms, const double *c, const double *const *k,
                          double *x);
    /* Takes a step. False: accelerations, multipliers or integrands at the end are not finite. */
    bool (*native_step)(const sal_native_step *s, const sal_end_weights *e, double t, double h,
                        double *first, double *end, double size[4]);
} sal_vector_sums;

/* Returns the functions that suit this machine. */
const sal_vector_sums *sal_vector_sums_get(void);

#endif
