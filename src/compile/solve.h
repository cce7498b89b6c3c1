/* The solution of K x = b, K = [M J^T; J -S] symmetric, written out on the graph: what the
 * factorisation needs become nodes, and so does x for any right-hand side. Small systems are solved
 * so, as straight-line code without loops or pivot search.
 *
 * Three ways:
 *   elimination   LDL^T in an order of little fill in which a constraint comes after all of its
 *                 coordinates: every leading block is then regular wherever K is and M is definite
 *   Schur         LDL^T with all coordinates first: a constant M is factored once per run
 *   null space    dependent coordinates eliminated through blocks of J of size one and two, then
 *                 the reduced mass matrix: fewer operations where there are few freedoms, but it
 *                 loses digits where the dependent coordinates meet a dead point */
#ifndef SAL_COMPILE_SOLVE_H
#define SAL_COMPILE_SOLVE_H

#include "expr/graph.h"

typedef enum sal_solve_way {
    SAL_ELIMINATION,
    SAL_SCHUR,
    SAL_NULL_SPACE,
    SAL_SOLVE_WAYS
} sal_solve_way;

typedef struct sal_solve {
    sal_graph    *graph;
    sal_solve_way way;
    int           n, m;   /* coordinates, constraints */
    sal_node     *matrix; /* (n + m)^2, lower triangle; null: structurally zero */
    /* elimination */
    int      *order;
    sal_node *lower;   /* (n + m)^2, by position in the order */
    sal_node *inverse; /* of the pivots */
    /* null space */
    int      *dependent; /* by place in the blocks: the dependent coordinate */
    int      *row;       /* by place in the blocks: the constraint */
    int      *block;     /* where each block begins, ends with m */
    int       blocks;
    int      *independent;   /* n - m */
    sal_node *block_inverse; /* 4 by place */
    sal_node *ratio;         /* R: m * (n - m), velocities of dependent coordinates by place */
    sal_node *reduced;       /* H: factored like `lower`, with its inverse pivots; or, if there are
                              * two freedoms, its inverse */
    sal_node *reduced_inverse;
    /* A sum of how much pivots shrink and, in the null space, of H_ii / M_ii: beyond a limit digits
     * are lost. Null: nothing to watch. */
    sal_node monitor;
    /* Numbers of which one vanishes where constraints depend on each other: pivots of constraints
     * or, in the null space, determinants of blocks of J_D, which have zeros at dead points too. */
    sal_node *pivot;
    int       pivots;
    sal_node *positive; /* numbers that must be: pivots of masses */
    int       positives;
} sal_solve;

/* Plans and writes the factorisation. matrix: see above, kept. prefer: by coordinate, higher ones
 * are rather dependent. False: this way is not possible, or out of memory (the graph, or the arena,
 * has then failed). */
bool sal_solve_plan(sal_solve *solve, sal_solve_way way, sal_graph *graph, int n, int m,
                    sal_node *matrix, const int *prefer, sal_arena *arena);

/* x for the right-hand side b (both n + m; null: zero). */
void sal_solve_write(const sal_solve *solve, const sal_node *b, sal_node *x, sal_arena *scratch);

#endif
