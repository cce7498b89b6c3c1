/* The Nystrom form of a step, for large models, in which sums over stages take most of the time,
 * and most of that is reading memory.
 *
 * Positions are integrals of velocities, so with X_i = (q_i, v_i), k_i = (v_i, a_i)
 *     v_i = v + h sum_j a_ij a_j,  q_i = q + h c_i v + h^2 sum_k (sum_j a_ij a_jk) a_k.
 * This is the same step, but it reads only accelerations, and each one once for both sums. Its
 * adjoint reads only adjoints of positions and, if forces depend on velocities, of velocities. */
#ifndef SAL_MOTION_FAST_NYSTROM_H
#define SAL_MOTION_FAST_NYSTROM_H

#include "motion/fast/fast.h"

struct sal_nystrom {
    int            n;    /* coordinates */
    int            a;    /* place of accelerations in a row */
    int            kept; /* number of stages whose positions the record may have */
    sal_weights   *v;    /* by stage, and for the end: weights of accelerations in velocities */
    const double **q;    /* by stage, and for the end: weights in positions, in the order of `v` */
    double        *c; /* by stage, and for the end: weight of the initial velocity in positions */
    sal_weights   *from_q;  /* by stage: its weights in positions of later stages and of the end */
    sal_weights   *from_v;  /* by stage: its weights in velocities of later stages and of the end */
    sal_weights   *from_v1; /* by stage: its weight in the velocities of the end */
};

/* Makes the Nystrom form of a method. stages: the number of stages that x1 depends on. NULL: out of
 * memory. */
const sal_nystrom *sal_nystrom_new(const saltus_system *system, const sal_tableau *tableau,
                                   int stages, sal_arena *arena);

/* Returns how many numbers at the start of a row the adjoint reads, if the matrix is constant; 0:
 * all. */
int sal_nystrom_reads(const saltus_system *system, const sal_regime *regime);
/* Gives the rows of the record for the step that is tried now. If kernels and the adjoint read
 * times and positions only, the step writes these there directly. NULL: rows will not be kept. */
void sal_nystrom_place(sal_motion *motion, double *rows);
/* Copies to the record the rows that were not written there directly. */
void sal_nystrom_keep(const sal_motion *motion, double *rows);
/* Restores a step from its rows in the record, for its adjoint without h_bar only. */
void sal_nystrom_load(sal_motion *motion, double *rows, double t, double h);

/* The adjoint of the step just taken, without h_bar. */
void sal_nystrom_adjoint(sal_motion *motion, sal_adjoint *adjoint);

#endif
