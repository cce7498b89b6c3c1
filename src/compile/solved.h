/* Kernels of small regimes with the solve of the equations of motion written in (solve.h): straight
 * from the state to accelerations, multipliers and integrands, and the same for their derivatives.
 *
 *     forward   u -> a, mu, g, monitor, pivots (solve.h), and numbers that must be positive
 *     tangent   du -> da, dmu, dg
 *     adjoint   a_bar, mu_bar, g_bar -> y, and u_bar at t, q, v, c, rho
 *     along     forward and, with what it knows, stage_tangent: forward outputs go to the state
 *     stage_tangent, stage_adjoint      the same without dmu, mu_bar and y: stages have no use for
 *                                       them
 *
 * Outputs of forward and tangent are in that order, one vector, stored. Lane-wise inputs of the
 * adjoint are one vector too: a_bar (n), mu_bar (nmu), g_bar (costs); its outputs are u_bar, in the
 * layout of u, with -y in the places of a and mu: stored up to there, added behind. All
 * read run constants from u. */
#ifndef SAL_COMPILE_SOLVED_H
#define SAL_COMPILE_SOLVED_H

#include "compile/solve.h"
#include "compile/system.h"

/* Larger systems are solved in the general way, with one program per template. */
enum { SAL_SOLVED_MAX_UNKNOWNS = 60 };

struct sal_solved {
    sal_solve_way way;
    sal_kernel    forward, tangent, adjoint;
    sal_kernel    stage_tangent, stage_adjoint;
    sal_kernel    along;         /* may have no parts; */
    sal_kernel    tangent_small; /* stage_tangent, for few lanes */
    sal_kernel    constants;     /* of a run (constants.h), from u to places in u */
    double        limit;         /* of the monitor; beyond it the solve is not to be trusted, */
    bool          trusted;       /* it is a constant below that, and nothing else is to be judged */
    int           pivots, positives, slots;
    int           row; /* numbers of a row that the forward kernel writes, or come before */
    int           run_constants;
    int           effort;          /* sal_effort: what was done to compile the kernels, */
    int           products_effort; /* tangent and adjoint, */
    int           along_effort;
};

/* Numbers that the forward kernel leaves after a, mu, g: at most so many. */
int sal_solved_row(const saltus_system *system);

/* The kernels of the regime (which: see virtual_power.h) by the way that takes fewer operations.
 * NULL: the system is too large for it, or out of memory. The caller holds the system's lock. */
sal_solved *sal_solved_new(saltus_system *system, sal_regime *regime, unsigned which);

/* Computes the run constants, from and into u: before the first evaluation with other parameters or
 * numbers of the formulation, or after another regime has used u. */
void sal_solved_prepare(const sal_solved *solved, const sal_layout *layout, double *u,
                        double *work);

#endif
