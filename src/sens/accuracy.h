/* Whether the steps of the motion, which were chosen for the motion alone, are short enough for its
 * sensitivities.
 *
 * Tangents and adjoints of a step have error estimates as the step itself has, sums with the
 * weights e_i of tableau.h. They are measured by groups (positions, velocities, each integral;
 * backward, each parameter) and lanes, relative to the largest value of a group along the motion.
 * A tangent below a millionth of x / rho, the tangent if x were proportional to rho (with x at
 * least as large as its tolerance), is not measured by itself: often it is only rounding.
 *
 * Forward, a check costs as much as a stage: one step of four is checked, and each step after an
 * event or after a much longer step. Backward, a check costs as much as a step: fewer and fewer
 * steps are checked, finally one of 32, more of them after events, one lane at a time. Steps that
 * are not checked count like the next one that is. */
#ifndef SAL_SENS_ACCURACY_H
#define SAL_SENS_ACCURACY_H

#include "motion/motion.h"

typedef struct sal_accuracy {
    int       n, groups, lanes;
    double   *error;         /* [group * lanes + lane]: errors, summed over all steps */
    double   *size;          /* [group * lanes + lane]: the largest tangent or adjoint */
    double   *motion;        /* by group: the largest value of the motion */
    double   *main, *second; /* of one step: states, then integrals or parameters */
    long long steps;         /* steps walked through */
    int       passed;        /* steps since the last check */
    int       soon;          /* backward: by how many steps the next check comes sooner */
    double    h;             /* length of the last step */
    int       interval;      /* backward: steps from one check to the next */
    int       lane;          /* backward: the next lane to be checked */
} sal_accuracy;

/* extra: number of groups besides positions and velocities. */
bool sal_accuracy_init(sal_accuracy *accuracy, const saltus_system *system, int extra, int lanes,
                       sal_arena *arena);

/* The walk begins. */
void sal_accuracy_begin(sal_accuracy *accuracy, int lanes);
/* Notes an event: the next step is checked (backward: soon). */
void sal_accuracy_attend(sal_accuracy *accuracy);

/* Notes that the tangents have gone through the step in motion. */
void sal_accuracy_note(sal_accuracy *accuracy, const sal_motion *motion,
                       const sal_tangent *tangent);
/* Whether the errors of the tangents over all steps are small enough for this tolerance; value: of
 * the parameters, by lane. */
bool sal_accuracy_suffices(const sal_accuracy *accuracy, double rtol, const double *value,
                           int count);
/* The error of the tangents of the step just walked through, relative to what is allowed per part
 * where steps are divided. */
double sal_accuracy_excess(const sal_accuracy *accuracy, const sal_motion *motion, double rtol,
                           const double *value, int count);

/* Whether the adjoint of this step is to be checked. */
bool sal_accuracy_due_back(sal_accuracy *accuracy, double h);
/* Checks the adjoint at the end of the step in motion, all of whose rows are there. errors:
 * scratch.
 */
void sal_accuracy_note_back(sal_accuracy *accuracy, sal_motion *motion, const sal_adjoint *adjoint,
                            int lanes_used, sal_adjoint *errors);
/* At the start: whether the errors of the adjoints over all steps are small enough; value: of all
 * parameters. */
bool sal_accuracy_suffices_back(sal_accuracy *accuracy, const sal_motion *motion,
                                const sal_adjoint *adjoint, double rtol, const double *value,
                                int lanes_used);

#endif
