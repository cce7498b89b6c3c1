/* Error estimates of sensitivities: are the steps, whose lengths were chosen for the motion alone,
 * short enough for its tangents and adjoints?
 *
 * Tangents and adjoints of a step have error estimates like the step itself: sums with the weights
 * e_i of tableau.h. Errors are measured by group (positions, velocities, each integral; backward,
 * each parameter) and lane, relative to the largest value of the group along the motion. The scale
 * of a tangent is at least a millionth of x / rho, the tangent if x were proportional to rho (with
 * x at least as large as its tolerance): smaller tangents are often only rounding.
 *
 * Forward, a check costs as much as a stage: one of four steps is checked, and each step after an
 * event or after a much longer step. Backward, a check costs as much as a step: fewer and fewer
 * steps are checked, finally one of 32, more steps after events, one lane at a time. A step that is
 * not checked is taken to have the error of the next checked step. */
#ifndef SAL_SENS_ACCURACY_H
#define SAL_SENS_ACCURACY_H

#include "motion/motion.h"

typedef struct sal_accuracy {
    int       n, groups, lanes;
    double   *error;         /* [group * lanes + lane]: errors, summed over all steps */
    double   *size;          /* [group * lanes + lane]: the largest tangent or adjoint */
    double   *motion;        /* by group: the largest value of the motion */
    double   *main, *second; /* errors in one step: of states, then of integrals or parameters */
    long long steps;         /* number of steps so far */
    int       passed;        /* number of steps since the last check */
    int       soon;          /* backward: number of steps by which the next check is earlier */
    double    h;             /* length of the last step */
    int       interval;      /* backward: steps from one check to the next */
    int       lane;          /* backward: the next lane to be checked */
} sal_accuracy;

/* extra: number of groups besides positions and velocities. */
bool sal_accuracy_init(sal_accuracy *accuracy, const saltus_system *system, int extra, int lanes,
                       sal_arena *arena);

/* Begins a walk. */
void sal_accuracy_begin(sal_accuracy *accuracy, int lanes);
/* Notes an event: the next step is checked (backward: a check is due earlier). */
void sal_accuracy_attend(sal_accuracy *accuracy);

/* Notes a step after its tangents were computed, and checks them if a check is due. */
void sal_accuracy_note(sal_accuracy *accuracy, const sal_motion *motion,
                       const sal_tangent *tangent);
/* Returns whether the errors of the tangents over all steps are small enough for this tolerance.
 * value: values of the parameters, by lane. */
bool sal_accuracy_suffices(const sal_accuracy *accuracy, double rtol, const double *value,
                           int count);
/* Returns whether tangents have lost all digits because steps are too long for them, so that they
 * grow without limit: an error is as large as the tangents, and these are much smaller than
 * `before`, in a walk with longer steps, or were too large for a number there. NULL: whether any
 * error is as large as its tangents. */
bool sal_accuracy_is_lost(const sal_accuracy *accuracy, const sal_accuracy *before,
                          const double *value, int count);
/* Returns the error of the tangents of the step just computed, relative to the error that is
 * allowed for each part of a divided step. */
double sal_accuracy_excess(const sal_accuracy *accuracy, const sal_motion *motion, double rtol,
                           const double *value, int count);

/* Notes a step of a backward walk; returns whether its adjoint must be checked. */
bool sal_accuracy_due_back(sal_accuracy *accuracy, double h);
/* Checks the adjoint of the step in motion, whose rows must be complete, given the adjoint at its
 * end. errors: scratch. */
void sal_accuracy_note_back(sal_accuracy *accuracy, sal_motion *motion, const sal_adjoint *adjoint,
                            int lanes_used, sal_adjoint *errors);
/* Returns at the end of a backward walk whether the errors of the adjoints over all steps are small
 * enough. value: values of all parameters. */
bool sal_accuracy_suffices_back(sal_accuracy *accuracy, const sal_motion *motion,
                                const sal_adjoint *adjoint, double rtol, const double *value,
                                int lanes_used);

#endif
