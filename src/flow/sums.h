/* Weighted sums of vectors: what a Runge-Kutta step does between evaluations.
 *
 * Blocks of components stay in registers over all terms of a sum. The code is there twice: for any
 * machine, and for those with wider vectors and fused multiply-add; digits are those of the machine
 * it runs on, the same for every back end and whenever a step is taken again. */
#ifndef SAL_FLOW_SUMS_H
#define SAL_FLOW_SUMS_H

#include "kernel/kernel.h"

/* The places of weights that are not zero. */
typedef struct sal_weights {
    int           count;
    const int    *index;
    const double *value;
} sal_weights;

/* What it takes to evaluate the stages of a step by compiled code (kernel.h). */
typedef struct sal_stages {
    sal_code           code;
    const double      *uniform;
    int                count;    /* stages, the first one too */
    int                nx;       /* size of x */
    int                x, k, at; /* places in a row: state, slope, what the code writes */
    const double      *x0;       /* start of the step */
    const sal_weights *A;        /* by stage */
    double *const     *row;      /* by stage */
} sal_stages;

/* Their tangents, the first one's too; times are in du. */
typedef struct sal_stages_tangent {
    sal_code           code;
    const double      *uniform;
    int                count, lanes, n; /* n: coordinates */
    const double      *dx;              /* of the start */
    const sal_weights *A;               /* by stage */
    double *const *row, *const *dk;     /* by stage: state; dv, da, dmu, dg in lanes */
    double *du, *dX;                    /* dX is where q and v are in it */
} sal_stages_tangent;

/* And their adjoints, from the last stage to the first. */
typedef struct sal_stages_back {
    sal_code           code;
    const double      *uniform;
    int                count, lanes;
    int                n, nmu, ng;   /* coordinates, multipliers, integrands */
    int                t, q;         /* places in u */
    const sal_weights *column;       /* by stage: what flows into it, by numbers of bar */
    const double      *b;            /* by stage: its weight in integrals */
    double *const *row, *const *bar; /* by stage; behind the last bar, that of the end */
    double       *seed;              /* see flow.h; zeros for multipliers are there */
    double       *u_bar, *t_bar;
    const double *z_bar;
} sal_stages_back;

typedef struct sal_sums {
    /* y = x + h * sum_m weight[m] * k[m], n components; x may be NULL, and may be y. */
    void (*combine)(int n, const double *x, double h, int terms, const double *weight,
                    const double *const *k, double *y);
    /* The same with k[m] = row[index[m]] + at, value[m] its weight. */
    void (*gather)(int n, const double *x, double h, const sal_weights *w, double *const *row,
                   int at, double *y);
    /* For x = (q, v) of n components each, and accelerations a[m] = row[index[m]] + at:
     * v + h * sum_m value[m] * a[m], and q + h * c * v + h^2 * sum_m q_weight[m] * a[m]. x is not
     * y. */
    void (*twice)(int n, const double *x, double h, double c, const sal_weights *v,
                  const double *q_weight, double *const *row, int at, double *y);
    /* The squared sizes of two such sums (without x and h), component by component divided by
     * atol + rtol * max(|x0|, |x1|): their sums over all components. */
    void (*sizes)(int n, int terms, const double *first, const double *second,
                  const double *const *k, const double *x0, const double *x1, double rtol,
                  double atol, double size[2]);
    /* y = c * x * d, component by component; x may be y. */
    void (*scale)(int n, double c, const double *x, const double *d, double *y);
    /* Whether all are finite. */
    bool (*finite)(int n, const double *x);
    /* Evaluates the stages of a step from the second on, the first being there, one after the
     * other; the times are in the rows. */
    void (*stages)(const sal_stages *s, double h);
    void (*stages_tangent)(const sal_stages_tangent *s, double h);
    void (*stages_back)(const sal_stages_back *s, double h);
} sal_sums;

/* The ones for this machine. */
const sal_sums *sal_sums_get(void);

#endif
