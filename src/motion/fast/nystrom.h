/* Steps of large models: sums of stages take most of the time there, and most of that is reading.
 *
 * Positions are integrals of velocities, so with X_i = (q_i, v_i), k_i = (v_i, a_i)
 *     v_i = v + h sum_j a_ij a_j,  q_i = q + h c_i v + h^2 sum_k (sum_j a_ij a_jk) a_k:
 * the same step (the form of Nystrom), but only accelerations are read, each once for both sums.
 * Its adjoint reads nothing but what flows back into positions and, where they matter, velocities.
 */
#ifndef SAL_MOTION_FAST_NYSTROM_H
#define SAL_MOTION_FAST_NYSTROM_H

#include "motion/motion.h"

struct sal_nystrom {
    int            n;       /* coordinates */
    int            a;       /* where accelerations are in a row */
    int            kept;    /* stages of which a record may have positions */
    sal_weights   *v;       /* by stage, and of the end: weights of accelerations in velocities, */
    const double **q;       /* in positions (for the same stages), */
    double        *c;       /* and of the velocity at the start */
    sal_weights   *from_q;  /* by stage: those behind it, through positions, */
    sal_weights   *from_v;  /* and through velocities; */
    sal_weights   *from_v1; /* those at the end of the step only */
};

/* NULL: out of memory. stages: those that tangents and adjoints go through. */
const sal_nystrom *sal_nystrom_new(const saltus_system *system, const sal_tableau *tableau,
                                   int stages, sal_arena *arena);

/* X of a stage, or (as one behind the last) of the end. */
void sal_nystrom_state(const sal_step *step, int stage, double *x);
/* The row where its time and its positions are: its own, or one that is kept. */
double *sal_nystrom_row(const sal_step *step, int stage);

/* Of the rows of a step, its adjoint reads only the first numbers, so many, where the matrix does
 * not change; 0: all of them. */
int sal_nystrom_reads(const saltus_system *system, const sal_regime *regime);
/* Says where those of each row, `size` of them, will be kept if the step that is tried now is
 * taken: if these are times and positions only, they are written there at once. rows: NULL, they
 * will not be kept. */
void sal_nystrom_place(sal_motion *motion, int size, double *rows);
/* Copies what is not there, and goes back to the step: its adjoint, for a length that is given, may
 * follow, and nothing else. */
void sal_nystrom_keep(const sal_motion *motion, int size, double *rows);
void sal_nystrom_load(sal_motion *motion, int size, double *rows, double t, double h);

/* sal_motion_adjoint for a length that is given. */
void sal_nystrom_adjoint(sal_motion *motion, sal_adjoint *adjoint);

#endif
