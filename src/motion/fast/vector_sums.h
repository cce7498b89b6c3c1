/* Weighted sums of vectors: what a Runge-Kutta step does between evaluations.
 *
 * Blocks of components stay in registers over all terms of a sum. The code is there twice: for any
 * machine, and for those with wider vectors and fused multiply-add; digits are those of the machine
 * it runs on, the same for every back end and whenever a step is taken again. */
#ifndef SAL_MOTION_FAST_VECTOR_SUMS_H
#define SAL_MOTION_FAST_VECTOR_SUMS_H

#include <stddef.h>

#include "program/kernel.h"

/* Sums are fastest over whole fours: the length of a vector that has room for them. */
static inline int sal_whole_fours(int n) { return (n + 3) / 4 * 4; }

/* The places of weights that are not zero. */
typedef struct sal_weights {
    int           count;
    const int    *index;
    const double *value;
} sal_weights;

/* Weights of vectors that lie at known distances after a first place. */
typedef struct sal_placed {
    double    weight;
    ptrdiff_t at;
} sal_placed;
typedef struct sal_placed_list {
    int               count;
    const sal_placed *term;
} sal_placed_list;

/* What the end of a step and its errors are sums of. */
typedef struct sal_end_weights {
    int           terms;
    const int    *at;      /* the distance of k[m] from the first slope */
    const double *weights; /* four by term: of x1, of both errors, and zero */
    double        rtol;
    const double *atol; /* by component */
} sal_end_weights;

/* A step by compiled code (kernel.h) whose first stage is there. The rows of the other stages
 * follow one after the other; that of an extra end stage may be anywhere. */
typedef struct sal_native_step {
    sal_code               code;     /* of stages before the end */
    sal_code               end_code; /* of the stage at the end */
    const double          *uniform;
    int                    stages;     /* stages of the step itself */
    int                    size;       /* numbers of a row */
    int                    nx;         /* size of x */
    int                    t, x, k, g; /* places in a row: time, state, slope, integrands */
    int                    at;         /* the place in a row that the code writes to */
    int                    n, ng;      /* accelerations, the first that it writes; integrands */
    const double          *c;          /* by stage: its time, as a part of h */
    const sal_placed_list *A;          /* by stage; distances of slopes from the first row */
    sal_placed_list        b;          /* weights of the end, with the same distances */
    bool                   has_extra_end_stage; /* the end is no stage of the step itself */
} sal_native_step;

/* See sal_step_error. */
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
     * v1 = v + h * sum_m value[m] * a[m], q1 = q + h * c * v + h^2 * sum_m q_weight[m] * a[m], the
     * last q_weight being zero. They are not x, unless nothing is added. next: where n numbers will
     * be written soon, or NULL. */
    void (*twice)(int n, const double *x, double h, double c, const sal_weights *v,
                  const double *q_weight, double *const *row, int at, double *q1, double *v1,
                  const double *next);
    /* y = c * d * sum_m weight[m] * k[m], component by component. The last k is
     * moved to `kept` from where it was written, and zeros are left there. soon: n numbers that
     * will be read next. */
    void (*adjoint_seed)(int n, double c, const double *d, int terms, const double *weight,
                         const double *const *k, double *fresh, double *kept, double *y,
                         const double *soon);
    /* y = x + d, n components in whole fours. x was just written, number by number. */
    void (*add_to_fresh)(int n, const double *x, const double *d, double *y);
    /* For x = (q, v) of n components each: v += h * (q + sum_m c[m] * k[m]), q += sum_m k[m]. */
    void (*adjoint_start)(int n, double h, int terms, const double *c, const double *const *k,
                          double *x);
    /* The squared sizes of both errors, component by component divided by h and by
     * atol + rtol * max(|x0|, |x1|): their sums over all n components, and the largest of each (of
     * the last three, perhaps, their sum). Of SAL_MAX_SHARE_OF_ONE squared components, or fewer,
     * none counts more than the mean does, and the largest is taken to be all of them. */
    void (*sizes)(int n, const sal_end_weights *e, const double *k, const double *x0,
                  const double *x1, double size[4]);
    /* The sums of integrands: dz, and both errors divided by h, one after the other. */
    void (*integrals)(int n, const sal_end_weights *e, const double *g, double h, double *dz,
                      double *errors);
    /* The least and the most of each of n numbers at a place of the rows from first on, or NaN if
     * one of them is not finite. Reads up to three numbers past their end; low and high have room
     * for as many. */
    void (*min_max)(int n, int first, int rows, double *const *row, int at, double *low,
                    double *high);
    /* y = c * x * d, component by component; x may be y. Whether all of it is finite. */
    bool (*scale)(int n, double c, const double *x, const double *d, double *y);
    /* y = c * x * d[i] in row i of so many lanes. */
    void (*scale_rows)(int rows, int lanes, double c, const double *x, const double *d, double *y);
    /* By lane, the largest of most and of the magnitudes in all rows. */
    void (*largest)(int rows, int lanes, const double *x, double *most);
    /* Whether all are finite. */
    bool (*finite)(int n, const double *x);
    /* y = x, or zero if that is NULL; places apart. Some thousands of numbers that are in a cache:
     * a machine's own instruction for it, which memcpy takes, is slower. */
    void (*set)(int n, const double *x, double *y);
    /* False: accelerations, integrands, or multipliers, which are between them, are not finite at
     * the end. */
    bool (*native_step)(const sal_native_step *s, const sal_end_weights *e, double t, double h,
                        double *first, double *end, double size[4]);
} sal_vector_sums;

/* The ones for this machine. */
const sal_vector_sums *sal_vector_sums_get(void);

#endif
