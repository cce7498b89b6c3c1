/* Solved kernels: kernels of small regimes into which the solution of the equations of motion is
 * written (solve.h). They lead straight from the state to accelerations, multipliers and
 * integrands; their tangents and adjoints have the solution written in too. kernels.def lists them.
 *
 * Outputs of forward are one vector: a (n), mu (nmu), g (costs), monitor, pivots, positives;
 * complete has what the adjoint of stages would compute again after them. Those of tangent are da,
 * dmu, dg. Inputs of the adjoint in lanes are a_bar, mu_bar, g_bar; its outputs are in the layout
 * of u. All of them read run constants from u. */
#ifndef SAL_COMPILE_SOLVED_H
#define SAL_COMPILE_SOLVED_H

#include "compile/solve.h"
#include "compile/system.h"

/* Larger systems are solved in the general way, with one program per template. */
enum { SAL_SOLVED_MAX_UNKNOWNS = 60 };

struct sal_solved {
    sal_arena     arena; /* all of it, this struct too */
    sal_solve_way way;
#define SOLVED(member, ...) sal_kernel member;
#include "compile/kernels.def"
    double limit;   /* of the monitor; beyond it the solution is not to be trusted */
    bool   trusted; /* the monitor is a constant below the limit, and there is nothing to judge */
    int    pivots, positives, slots;
    int    kept;            /* numbers after them that the adjoint of stages reads */
    int    row;             /* numbers of a row up to the last one that kernels write */
    int    run_constants;   /* how many there are */
    int    effort;          /* sal_effort made for SAL_CODE_SOLVED */
    int    products_effort; /* sal_effort made for SAL_CODE_PRODUCTS */
};

/* The most numbers that kernels leave after a, mu, g. */
int sal_solved_row(const saltus_system *system);

/* The solved kernels of the regime (which: see virtual_power.h), by the way that takes the fewest
 * operations. NULL: the system is too large for it, or, if starved is set, out of memory. graph:
 * that of the cache, to which is added what is derived. The caller holds the lock of the cache. */
sal_solved *sal_solved_new(const saltus_system *system, sal_graph *graph, const sal_regime *regime,
                           unsigned which, bool *starved);
void        sal_solved_free(sal_solved *solved);

/* Computes the run constants, from and into u: before the first evaluation with other parameters or
 * numbers of the formulation, or after another regime has used u. */
void sal_solved_prepare(const sal_solved *solved, const sal_layout *layout, double *u,
                        double *work);

#endif
