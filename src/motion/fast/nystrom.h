/* Steps of large models: sums of stages take most of the time there, and most of that is reading.
 *
 * Positions are integrals of velocities, so with X_i = (q_i, v_i), k_i = (v_i, a_i)
 *     v_i = v + h sum_j a_ij a_j,  q_i = q + h c_i v + h^2 sum_k (sum_j a_ij a_jk) a_k:
 * the same step (the form of Nystrom), but only accelerations are read, each once for both sums.
 * Its adjoint reads only what flows back into positions and, where they matter, velocities. */
#ifndef SAL_MOTION_FAST_NYSTROM_H
#define SAL_MOTION_FAST_NYSTROM_H

#include "motion/motion.h"

struct sal_nystrom {
    int            n;       /* coordinates */
    int            a;       /* where accelerations are in a row */
    int            kept;    /* stages whose positions a record may have */
    sal_weights   *v;       /* by stage, and of the end: weights of accelerations in velocities */
    const double **q;       /* weights of the same accelerations in positions */
    double        *c;       /* weight of the velocity at the start in positions */
    sal_weights   *from_q;  /* by stage: the later stages that it flows into through positions */
    sal_weights   *from_v;  /* by stage: the later stages that it flows into through velocities */
    sal_weights   *from_v1; /* by stage: its weight in the velocities at the end of the step */
};

/* NULL: out of memory. stages: those that tangents and adjoints go through. */
const sal_nystrom *sal_nystrom_new(const saltus_system *system, const sal_tableau *tableau,
                                   int stages, sal_arena *arena);

/* Numbers at the start of a row that the adjoint reads, where the matrix is constant; 0: all. */
int sal_nystrom_reads(const saltus_system *system, const sal_regime *regime);
/* Says where rows will be kept if the step that is tried now is taken: if the adjoint reads times
 * and positions only, they are written there at once. NULL: they will not be kept. */
void sal_nystrom_place(sal_motion *motion, double *rows);
/* Copies what is not there yet. */
void sal_nystrom_keep(const sal_motion *motion, double *rows);
/* Goes back to the step: its adjoint, for a length that is given, may follow, and nothing else. */
void sal_nystrom_load(sal_motion *motion, double *rows, double t, double h);

/* The adjoint of the step just taken, for a length that is given. */
void sal_nystrom_adjoint(sal_motion *motion, sal_adjoint *adjoint);

#endif
