/* Solved kernels: kernels of small regimes that contain the solution of the equations of motion as
 * straight-line code (solve.h). They compute accelerations, multipliers and integrands directly
 * from the state; their tangents and adjoints contain the solution too. kernels.def lists them.
 *
 * The outputs of `forward` are one vector: a (n), mu (nmu), g (costs), monitor, pivots, positives.
 * `complete` appends intermediate results that the adjoint of stages reads instead of computing
 * them again. The outputs of `tangent` are da, dmu, dg. The lane inputs of `adjoint` are a_bar,
 * mu_bar, g_bar, and its outputs have the layout of u. All of them read run constants from u. */
#ifndef SAL_COMPILE_SOLVED_H
#define SAL_COMPILE_SOLVED_H

#include "compile/solve.h"
#include "compile/system.h"

/* Systems with more unknowns factor K at run time, with one program per template. */
enum { SAL_SOLVED_MAX_UNKNOWNS = 60 };

struct sal_solved {
    sal_arena     arena; /* holds everything, this struct included */
    sal_solve_way way;
#define SOLVED(member, ...) sal_kernel member;
#include "compile/kernels.def"
    double limit;   /* the solution must not be trusted if the monitor exceeds this */
    bool   trusted; /* the monitor is a constant below the limit, and there is nothing to check */
    int    pivots, positives, slots;
    int    kept;            /* numbers that `complete` appends for the adjoint of stages */
    int    row;             /* length of a row, up to the last number that kernels write */
    int    run_constants;   /* number of run constants */
    int    effort;          /* sal_effort made for SAL_CODE_SOLVED */
    int    products_effort; /* sal_effort made for SAL_CODE_PRODUCTS */
};

/* Returns the largest number of values that solved kernels write after a, mu, g; 0 if the system is
 * too large for solved kernels. */
int sal_solved_row(const saltus_system *system);

/* The place of the monitor in a row, which begins like u: t, q, v, a, mu, then the integrands. */
static inline int sal_row_monitor(const saltus_system *system)
{
    return system->layout.at[SAL_LEAF_C] + system->nc;
}
/* The place of the pivots in a row. */
static inline int sal_row_pivots(const saltus_system *system)
{
    return sal_row_monitor(system) + 1;
}
/* The place in a row of the numbers that must be positive. */
static inline int sal_row_positives(const saltus_system *system, const sal_solved *solved)
{
    return sal_row_pivots(system) + solved->pivots;
}

/* Compiles the solved kernels of the regime for a set of terms (which: see virtual_power.h),
 * solving in the cheapest way. NULL: the system is too large, or no way is possible; or, if
 * out_of_memory is set, memory ran out. graph: the graph of the cache, to which derived nodes are
 * added. The caller holds the lock of the cache. */
sal_solved *sal_solved_new(const saltus_system *system, sal_graph *graph, const sal_regime *regime,
                           unsigned which, bool *out_of_memory);
void        sal_solved_free(sal_solved *solved);

/* Computes the run constants, from u into u. To be called before the first evaluation, and again
 * after parameters or numbers of the formulation changed or another regime used u. */
void sal_solved_prepare(const sal_solved *solved, const sal_layout *layout, double *u,
                        double *work);

#endif
