/* Explicit Runge-Kutta pairs with dense output, as data. The methods are the rows of tableaus.def.
 *
 * One step from (t, y) to (t + h, y1), with s = stages:
 *     k_i = f(t + c_i h, y + h sum_{j<i} a_ij k_j),        y1 = y + h sum_{i<s} b_i k_i.
 * Dense output over the same step, with S = stages_dense and theta in [0, 1]:
 *     y(t + theta h) = y + h sum_{i<S} beta_i(theta) k_i,  beta_i(theta) = sum_m dense_im theta^m.
 * It is linear in the k_i, so the same beta serves states, quadratures and tangents.
 *
 * Stage end_stage is f at the new point (t + h, y1), hence stage 0 of the next step. It may be one
 * of the s stages of the step itself (dopri5) or the first one after them (dop853); the remaining
 * stages up to S only serve the dense output and are needed only where it is used.
 *
 * Error estimates: E_main = h sum_{i<s} e_main_i k_i and E_second likewise, where e = b - bhat, up
 * to sign, for a companion bhat of lower order. In a norm ||.|| scaled by the tolerances,
 *     without e_second:  err = ||E_main||,
 *     with e_second:     err = ||E_main||^2 / sqrt(||E_main||^2 + 0.01 ||E_second||^2).
 * For dop853 e_main is the fifth-order estimator E5 of Hairer and e_second his third-order E3: the
 * quotient behaves like h^6 h^6 / h^4 = h^8 and falls back to ||E_main|| when E_second happens to
 * vanish. Where both vanish it is 0/0 and err is 0. */
#ifndef SAL_MOTION_TABLEAU_H
#define SAL_MOTION_TABLEAU_H

typedef struct sal_tableau {
    const char *name;
    int         order; /* order of y1: its local error is O(h^(order + 1)) */
    int error_order;   /* err = O(h^(error_order + 1)): the exponent of the step size control */
    int main_order;    /* order of the companion of e_main */
    int second_order;  /* order of the companion of e_second, 0 without one */

    /* The largest h lambda for which steps of x' = -lambda x stay bounded, rounded down: beyond it
     * a run is called stiff. 0 if the stage before end_stage is not at t + h, which that test
     * needs. */
    double stability;

    int           stages;       /* s, needed for y1 and the error */
    int           stages_dense; /* S, needed for the dense output */
    int           end_stage;    /* index of the stage f(t + h, y1) */
    const double *c;            /* S */
    const double *A;            /* S x S, row-major, strictly lower */
    const double *b;            /* s */
    const double *e_main;       /* s */
    const double *e_second;     /* s, or NULL */

    int           dense_order;  /* y(t + theta h) has a local error O(h^(dense_order + 1)) */
    int           dense_degree; /* degree of beta_i */
    const double *dense; /* S x dense_degree, row-major: the factor of theta^m is in column m - 1 */
} sal_tableau;

/* Names for the indices, in the order of tableaus.def: SAL_TABLEAU_DOP853, ... */
enum {
#define TABLEAU(id, ...) SAL_TABLEAU_##id,
#include "motion/tableaus.def"
#undef TABLEAU
    SAL_TABLEAU_COUNT
};

int sal_tableau_count(void);

/* Returns the method with this index, 0 <= index < count; it is static. */
const sal_tableau *sal_tableau_get(int index);

enum { SAL_MAX_STAGES = 32 };

/* Writes the coefficients from which the weights of the dense output are computed (tableau.c):
 * dense_degree * stages_dense numbers. */
void sal_tableau_chords(const sal_tableau *tableau, double *chords);

/* Writes the stages_dense weights beta_i(theta). beta(0) = 0 and beta(1) = b hold exactly, bit for
 * bit, so neighbouring steps join without a seam. */
void sal_tableau_dense(const sal_tableau *tableau, const double *chords, double theta,
                       double *beta);

/* Writes beta_i'(theta), so that y'(t + theta h) = sum_i beta_i'(theta) k_i without a factor h. */
void sal_tableau_dense_rate(const sal_tableau *tableau, const double *chords, double theta,
                            double *beta);

#endif
