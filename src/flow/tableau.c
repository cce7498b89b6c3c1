/* The table of methods, and the weights of their dense output.
 *
 * The factors dense_im reach several hundred and cancel near theta = 1, where their sum misses b_i
 * by some 1e-13. The weights are therefore evaluated with the chord split off,
 *     beta_i(theta) = theta (b_i + (1 - theta) q_i(theta)),
 *     q_im = dense_i1 + ... + dense_i,m+1 - b_i,   m = 0 ... dense_degree - 2,
 * which is the same polynomial when the factors are exact and meets b_i at theta = 1 when they are
 * rounded. */
#include "flow/tableau.h"

#include <assert.h>
#include <stddef.h>

/* clang-format off */
/* Compound literals at file scope live as long as the program. */
#define VECTOR(...) ((const double[]){__VA_ARGS__})
#define ROW(...) {__VA_ARGS__}
#define MATRIX(columns, ...) (&((const double[][columns]){__VA_ARGS__})[0][0])
#define TABLEAU(id, ...) [SAL_TABLEAU_##id] = {__VA_ARGS__},
static const sal_tableau tableaus[SAL_TABLEAU_COUNT] = {
#include "flow/tableaus.def"
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

/* Writes q_i(theta) and its derivative. */
static void split_chord(const sal_tableau *tableau, int i, double theta, double *q, double *q_rate)
{
    const double *factor = tableau->dense + (ptrdiff_t)i * tableau->dense_degree;
    double        q_m = -end_weight(tableau, i), power = 1.0, lower_power = 0.0;
    *q = *q_rate = 0.0;
    for (int m = 0; m < tableau->dense_degree - 1; m++) {
        q_m += factor[m];
        *q += q_m * power;
        *q_rate += m * q_m * lower_power;
        lower_power = power;
        power *= theta;
    }
}

void sal_tableau_dense(const sal_tableau *tableau, double theta, double *beta)
{
    for (int i = 0; i < tableau->stages_dense; i++) {
        double q, q_rate;
        split_chord(tableau, i, theta, &q, &q_rate);
        beta[i] = theta * (end_weight(tableau, i) + (1.0 - theta) * q);
    }
}

void sal_tableau_dense_rate(const sal_tableau *tableau, double theta, double *beta)
{
    for (int i = 0; i < tableau->stages_dense; i++) {
        double q, q_rate;
        split_chord(tableau, i, theta, &q, &q_rate);
        beta[i] = end_weight(tableau, i) + (1.0 - 2.0 * theta) * q + theta * (1.0 - theta) * q_rate;
    }
}
