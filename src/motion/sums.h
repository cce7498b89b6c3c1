/* Weighted sums of vectors: the work of a Runge-Kutta step between evaluations. sums.c computes
 * them with plain loops. Machines with vector registers use those of motion/fast/vector_sums.h,
 * which add in another order. */
#ifndef SAL_MOTION_SUMS_H
#define SAL_MOTION_SUMS_H

#include <stdbool.h>

/* n rounded up to a multiple of four: sums are fastest over vectors padded to this length. */
static inline int sal_whole_fours(int n) { return (n + 3) / 4 * 4; }

/* Weights that are not zero, and the indices of the vectors they belong to. */
typedef struct sal_weights {
    int           count;
    const int    *index;
    const double *value;
} sal_weights;

/* The weights of slopes in the end of a step and in its error estimates, and the tolerances. */
typedef struct sal_end_weights {
    int           terms;
    const int    *at;      /* by term: the distance of its slope from the first slope */
    const double *weights; /* by term, four numbers: weights in x1 and in both errors, and zero */
    double        rtol;
    const double *atol; /* by component */
} sal_end_weights;

/* How much larger than the mean error the error of a component may be: see sal_step_error. */
enum { SAL_MAX_SHARE_OF_ONE = 10 };

/* All functions that form the same sum of a component return the same digits. */
typedef struct sal_sums {
    /* y = x + h * sum_m weight[m] * k[m], n components; x may be NULL, and may be y. */
    void (*combine)(int n, const double *x, double h, int terms, const double *weight,
                    const double *const *k, double *y);
    /* y = x + h * sum_m value[m] * (row[index[m]] + at), n components; x may be NULL, and may be
     * y. */
    void (*gather)(int n, const double *x, double h, const sal_weights *w, double *const *row,
                   int at, double *y);
    /* y = x + d, n components, a multiple of four. x was just written, number by number. */
    void (*add_to_fresh)(int n, const double *x, const double *d, double *y);
    /* The squares of both errors, each component divided by h and by
     * atol + rtol * max(|x0|, |x1|): size[0] and size[1] are the sums over all n components,
     * size[2] and size[3] the largest (up to three last components may be taken as their sum). With
     * at most SAL_MAX_SHARE_OF_ONE^2 components, the largest cannot matter in sal_step_error, and
     * size[2] and size[3] may be the sums. */
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
    /* y = x, or zero if x is NULL; x and y do not overlap. */
    void (*set)(int n, const double *x, double *y);
} sal_sums;

/* The sums as plain loops. */
const sal_sums *sal_sums_plain(void);

#endif
