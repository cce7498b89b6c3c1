/* The table of methods, and the weights of their dense output.
 *
 * The factors dense_im reach several hundred and cancel near theta = 1, where their sum misses b_i
 * by some 1e-13. The weights are therefore evaluated with the chord split off,
 *     beta_i(theta) = theta (b_i + (1 - theta) q_i(theta)),
 *     q_im = dense_i1 + ... + dense_i,m+1 - b_i,   m = 0 ... dense_degree - 2,
 * which is the same polynomial when the factors are exact and meets b_i at theta = 1 when they are
 * rounded. The q_im, by m, and b after them, are the chords. */
#include "motion/tableau.h"

#include <assert.h>
#include <stddef.h>

/* clang-format off */
/* Compound literals at file scope live as long as the program. */
#define VECTOR(...) ((const double[]){__VA_ARGS__})
#define ROW(...) {__VA_ARGS__}
#define MATRIX(columns, ...) (&((const double[][columns]){__VA_ARGS__})[0][0])
#define TABLEAU(id, ...) [SAL_TABLEAU_##id] = {__VA_ARGS__},
static const sal_tableau tableaus[SAL_TABLEAU_COUNT] = {
#include "motion/tableaus.def"
};
#undef TABLEAU
#undef MATRIX
#undef ROW
#undef VECTOR
/* clang-format on */

int sal_tableau_count(void) { return SAL_TABLEAU_COUNT; }

const sal_tableau *sal_tableau_get(int index)
{
    assert(index >= 0 && index < SAL_TABLEAU_COUNT);
    return &tableaus[index];
}

static double end_weight(const sal_tableau *tableau, int i)
{
    return i < tableau->stages ? tableau->b[i] : 0.0;
}

void sal_tableau_chords(const sal_tableau *tableau, double *chords)
{
    const int S = tableau->stages_dense, degree = tableau->dense_degree;
    for (int i = 0; i < S; i++) {
        double q = -end_weight(tableau, i);
        for (int m = 0; m < degree - 1; m++) {
            q += tableau->dense[(ptrdiff_t)i * degree + m];
            chords[m * S + i] = q;
        }
        chords[(degree - 1) * S + i] = end_weight(tableau, i);
    }
}

void sal_tableau_dense(const sal_tableau *tableau, const double *chords, double theta, double *beta)
{
    const int     S = tableau->stages_dense, last = tableau->dense_degree - 2;
    const double *end = chords + (last + 1) * S;
    for (int i = 0; i < S; i++) beta[i] = chords[last * S + i];
    for (int m = last - 1; m >= 0; m--)
        for (int i = 0; i < S; i++) beta[i] = beta[i] * theta + chords[m * S + i];
    for (int i = 0; i < S; i++) beta[i] = theta * (end[i] + (1.0 - theta) * beta[i]);
}

void sal_tableau_dense_rate(const sal_tableau *tableau, const double *chords, double theta,
                            double *beta)
{
    const int     S = tableau->stages_dense, last = tableau->dense_degree - 2;
    const double *end = chords + (last + 1) * S;
    double        rate[SAL_MAX_STAGES]; /* q' */
    for (int i = 0; i < S; i++) {
        beta[i] = chords[last * S + i];
        rate[i] = 0.0;
    }
    for (int m = last - 1; m >= 0; m--)
        for (int i = 0; i < S; i++) {
            rate[i] = rate[i] * theta + beta[i];
            beta[i] = beta[i] * theta + chords[m * S + i];
        }
    for (int i = 0; i < S; i++)
        beta[i] = end[i] + (1.0 - 2.0 * theta) * beta[i] + theta * (1.0 - theta) * rate[i];
}
