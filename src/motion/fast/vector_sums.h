/* Weighted sums of vectors: the work of a Runge-Kutta step between evaluations.
 *
 * Blocks of components stay in registers over all terms of a sum. The code is compiled twice: for
 * any machine, and for machines with AVX2 and fused multiply-add. The digits depend on the machine,
 * but not on the back end, and are the same whenever a step is taken again. */
#ifndef SAL_MOTION_FAST_VECTOR_SUMS_H
#define SAL_MOTION_FAST_VECTOR_SUMS_H

#include <stddef.h>

#include "program/kernel.h"

/* n rounded up to a multiple of four: sums are fastest over vectors padded to this length. */
static inline int sal_whole_fours(int n) { return (n + 3) / 4 * 4; }

/* Weights that are not zero, and the indices of the vectors they belong to. */
typedef struct sal_weights {
    int           count;
    const int    *index;
    const double *value;
} sal_weights;

/* A weight, and the distance of its vector from a base address. */
typedef struct sal_placed {
    double    weight;
    ptrdiff_t at;
} sal_placed;
typedef struct sal_placed_list {
    int               count;
    const sal_placed *term;
} sal_placed_list;

/* The weights of slopes in the end of a step and in its error estimates, and the tolerances. */
typedef struct sal_end_weights {
    int           terms;
    const int    *at;      /* by term: the distance of its slope from the first slope */
    const double *weights; /* by term, four numbers: weights in x1 and in both errors, and zero */
    double        rtol;
    const double *atol; /* by component */
} sal_end_weights;

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

/* How much larger than the mean error the error of a component may be: see sal_step_error. */
enum { SAL_MAX_SHARE_OF_ONE = 10 };

typedef struct sal_vector_sums {
    /* y = x + h * sum_m weight[m] * k[m], n components; x may be NULL, and may be y. */
    void (*combine)(int n, const double *x, double h, int terms, const double *weight,
                    const double *const *k, double *y);
    /* y = x + h * sum_m value[m] * (row[index[m]] + at), n components; x may be NULL, and may be
     * y. */
    void (*gather)(int n, const double *x, double h, const sal_weights *w, double *const *row,
                   int at, double *y);
    /* For x = (q, v) of n components each, and accelerations a[m] = row[index[m]] + at:
     * v1 = v + h * sum_m value[m] * a[m], q1 = q + h * c * v + h^2 * sum_m q_weight[m] * a[m]. The
     * last q_weight must be zero. q1 and v1 do not overlap x, unless there are no terms. next: a
     * place where n numbers will be written soon, to prefetch, or NULL. */
    void (*twice)(int n, const double *x, double h, double c, const sal_weights *v,
                  const double *q_weight, double *const *row, int at, double *q1, double *v1,
                  const double *next);
    /* y = c * d * sum_m weight[m] * k[m], component by component. The last k is in `fresh`; it is
     * moved to `kept`, and `fresh` is set to zero. soon: n numbers that will be read next, to
     * prefetch. */
    void (*adjoint_seed)(int n, double c, const double *d, int terms, const double *weight,
                         const double *const *k, double *fresh, double *kept, double *y,
                         const double *soon);
    /* y = x + d, n components, a multiple of four. x was just written, number by number. */
    void (*add_to_fresh)(int n, const double *x, const double *d, double *y);
    /* For x = (q, v) of n components each: v += h * (q + sum_m c[m] * k[m]), q += sum_m k[m]. */
    void (*adjoint_start)(int n, double h, int terms, const double *c, const double *const *k,
                          double *x);
    /* The squares of both errors, each component divided by h and by
     * atol + rtol * max(|x0|, |x1|): size[0] and size[1] are the sums over all n components,
     * size[2] and size[3] the largest (up to three last components may be taken as their sum). With
     * at most SAL_MAX_SHARE_OF_ONE^2 components, the largest cannot matter in sal_step_error, and
     * size[2] and size[3] are the sums. */
    void (*sizes)(int n, const sal_end_weights *e, const double *k, const double *x0,
                  const double *x1, double size[4]);
    /* The sums of integrands: dz, and in `errors` both errors divided by h, one after the other. */
    void (*integrals)(int n, const sal_end_weights *e, const double *g, double h, double *dz,
                      double *errors);
    /* The smallest and the largest of each of n numbers, from place `at` of the rows `first` to
     * rows - 1 on; NaN if one of them is not finite. Reads up to three numbers beyond the n; low
     * and high have room for three more numbers. */
    void (*min_max)(int n, int first, int rows, double *const *row, int at, double *low,
                    double *high);
    /* y = c * x * d, component by component; x may be y. Returns whether all of y is finite. */
    bool (*scale)(int n, double c, const double *x, const double *d, double *y);
    /* y = c * x * d[i] in each row i, which has one number for each lane. */
    void (*scale_rows)(int rows, int lanes, double c, const double *x, const double *d, double *y);
    /* By lane, raises `most` to the largest magnitude in all rows. */
    void (*largest)(int rows, int lanes, const double *x, double *most);
    /* Returns whether all numbers are finite. */
    bool (*finite)(int n, const double *x);
    /* y = x, or zero if x is NULL; x and y do not overlap. For some thousands of numbers in a
     * cache, where memcpy uses string instructions of the processor, which are slower. */
    void (*set)(int n, const double *x, double *y);
    /* Takes a step. False: accelerations, multipliers or integrands at the end are not finite. */
    bool (*native_step)(const sal_native_step *s, const sal_end_weights *e, double t, double h,
                        double *first, double *end, double size[4]);
} sal_vector_sums;

/* Returns the functions that suit this machine. */
const sal_vector_sums *sal_vector_sums_get(void);

#endif
