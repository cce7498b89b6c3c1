/* One Runge-Kutta step of x' = f(t, x), z' = g(t, x), with dense output; quadratures z stay outside
 * of the stage sums. The right-hand side is a function pointer, so the same code steps the motion
 * forward and its adjoint backward (h < 0). */
#ifndef SAL_FLOW_STEP_H
#define SAL_FLOW_STEP_H

#include "base/memory.h"
#include "flow/tableau.h"

/* Writes k = f (nx) and g (ng) for that stage; nonzero: the state is out of bounds, the step fails.
 */
typedef int (*sal_rhs)(void *context, int stage, double t, const double *x, double *k, double *g);

typedef struct sal_step {
    const sal_tableau *tableau;
    int                nx, ng;
    sal_rhs            rhs;
    void              *context;
    double             t, h;
    double            *x0, *x1;  /* nx */
    double            *z0, *dz;  /* ng: value at the start (for the error's scale), increment */
    double            *stage;    /* stages_dense * nx: the states at the stages */
    double            *k, *g;    /* stages_dense * nx, stages_dense * ng */
    double            *beta;     /* stages_dense */
    int                computed; /* stages that are there */
} sal_step;

bool sal_step_init(sal_step *step, const sal_tableau *tableau, int nx, int ng, sal_arena *arena);

/* Evaluates stage 0 at (t, x0). */
int sal_step_first(sal_step *step, double t);
/* Takes the step of length h from (t, x0), stage 0 being there: x1 and dz. */
int sal_step_take(sal_step *step, double h);
/* The error of x1 and z, as a multiple of the tolerance. */
double sal_step_error(const sal_step *step, double rtol, double atol);
/* Evaluates f at the new point (the end stage), if it is not there yet. */
int sal_step_end(sal_step *step);
/* Evaluates the stages that only dense output needs. */
int sal_step_dense(sal_step *step);
/* x and (if not NULL) the increment of z at t + theta h. Needs the dense stages. */
void sal_step_at(const sal_step *step, double theta, double *x, double *dz);
/* x' at t + theta h. */
void sal_step_rate_at(const sal_step *step, double theta, double *rate);
/* Makes the end the start of the next step: x0 = x1, stage 0 = end stage, z0 += dz. */
void sal_step_advance(sal_step *step);

#endif
