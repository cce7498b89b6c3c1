/* The state, the integrals and the rate at any place of a step: sums of the slopes of its stages,
 * with the weights of tableau.h for dense output. */
#include "motion/step.h"

static void combine_all(const sal_step *step, const double *x, double h, const double *beta,
                        double *y)
{
    const double *k[SAL_MAX_STAGES];
    const int     S = step->tableau->stages_dense;
    for (int i = 0; i < S; i++) k[i] = sal_step_k(step, i);
    step->sums->combine(step->nx, x, h, S, beta, k, y);
}

void sal_step_with(const sal_step *step, const double *beta, double *x)
{
    combine_all(step, step->x0, step->h, beta, x);
}

void sal_step_at(const sal_step *step, double theta, double *x, double *dz)
{
    sal_tableau_dense(step->tableau, step->chords, theta, step->beta);
    sal_step_with(step, step->beta, x);
    for (int i = 0; dz && i < step->ng; i++) {
        double sum = 0.0;
        for (int j = 0; j < step->tableau->stages_dense; j++)
            sum += step->beta[j] * sal_step_g(step, j)[i];
        dz[i] = step->h * sum;
    }
}

void sal_step_rate_at(const sal_step *step, double theta, double *rate)
{
    sal_tableau_dense_rate(step->tableau, step->chords, theta, step->beta);
    combine_all(step, NULL, 1.0, step->beta, rate);
}
