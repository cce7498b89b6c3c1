/* The solution of K x = b, K = [M J^T; J -S] symmetric, written out on the graph: the factors
 * become nodes, and so does x for any right-hand side. In this way small systems are solved by
 * straight-line code, without loops or a search for pivots.
 *
 * There are three ways:
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
    int      *order;   /* by position: the unknown */
    sal_node *lower;   /* the factor L, (n + m)^2, by position in the order */
    sal_node *inverse; /* reciprocals of the pivots, by position in the order */
    /* null space */
    int      *dependent; /* by place in the blocks: the dependent coordinate */
    int      *row;       /* by place in the blocks: the constraint */
    int      *block;     /* where each block begins, ends with m */
    int       blocks;
    int      *independent;   /* the n - m independent coordinates */
    sal_node *block_inverse; /* four numbers by place: the inverse of the block that begins there */
    sal_node *ratio;   /* R, m * (n - m): velocity ratios of dependent coordinates, by place */
    sal_node *reduced; /* the factor of the reduced mass matrix H; with two freedoms, the inverse
                        * of H */
    sal_node *reduced_inverse; /* reciprocals of the pivots of H, unless there are two freedoms */
    /* A measure of lost digits: the sum of the factors by which pivots shrink and, in the null
     * space, of H_ii / M_ii. Null: no digits can be lost. */
    sal_node monitor;
    /* Numbers of which one vanishes where constraints depend on each other: pivots of constraints
     * or, in the null space, determinants of blocks of J_D, which have zeros at dead points too. */
    sal_node *pivot;
    int       pivots;
    sal_node *positive; /* numbers that must be positive: pivots of masses, or reciprocals */
    int       positives;
} sal_solve;

/* Plans the solution and writes the factorisation. matrix: as in sal_solve, borrowed. prefer: by
 * coordinate, a priority for being dependent, highest first. False: this way is not possible, or
 * out of memory (then the graph or the arena has failed). */
bool sal_solve_plan(sal_solve *solve, sal_solve_way way, sal_graph *graph, int n, int m,
                    sal_node *matrix, const int *prefer, sal_arena *arena);

/* Writes the solution x for the right-hand side b (both n + m nodes; null: zero). */
void sal_solve_write(const sal_solve *solve, const sal_node *b, sal_node *x, sal_arena *scratch);

#endif
