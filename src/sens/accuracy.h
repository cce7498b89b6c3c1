/* Whether the steps of the motion, which were chosen for the motion alone, are short enough for its
 * sensitivities.
 *
 * Tangents and adjoints of a step have error estimates as the step itself has, sums with the
 * weights e_i of tableau.h. They are measured by groups (positions, velocities, each integral;
 * backward, each parameter) and lanes, relative to the largest that a group becomes on the way.
 * What a parameter moves by less than a millionth of what it would if all were in proportion, x /
 * rho (x being no less than its tolerance tells from zero), is not measured by itself: often it is
 * nothing but rounding.
 *
 * Forward, looking costs as much as a stage: one step of four is looked at, and each one behind an
 * event or a much longer one. Backward it costs as much as a step: fewer and fewer are, one of 32
 * at last, more of them behind events, and of one lane after the other. What was not looked at
 * counts like the next that is. */
#ifndef SAL_SENS_ACCURACY_H
#define SAL_SENS_ACCURACY_H

#include "motion/motion.h"

typedef struct sal_accuracy {
    int       n, groups, lanes;
    double   *error;         /* [group * lanes + lane]: summed over all steps, */
    double   *size;          /* the largest tangent or adjoint, */
    double   *motion;        /* and by group the largest of the motion */
    double   *main, *second; /* of one step: states, then integrals or parameters */
    long long steps;         /* walked through */
    int       passed;        /* steps that were not looked at, */
    int       soon;          /* and by how many the next look comes sooner, backward */
    double    h;             /* of the last step */
    int       interval;      /* of looks, */
    int       lane;          /* and the next lane to be looked at, backward */
} sal_accuracy;

/* extra: groups behind those of positions and velocities. */
bool sal_accuracy_init(sal_accuracy *accuracy, const saltus_system *system, int extra, int lanes,
                       sal_arena *arena);

/* The walk begins. */
void sal_accuracy_begin(sal_accuracy *accuracy, int lanes);
/* An event: what comes next is looked at (backward: soon). */
void sal_accuracy_attend(sal_accuracy *accuracy);

/* The tangents have gone through the step in motion, along with it or not. */
void sal_accuracy_note(sal_accuracy *accuracy, const sal_motion *motion,
                       const sal_tangent *tangent);
/* Whether what all steps left of the tangents is good enough for this tolerance; value: of the
 * parameters, by lane. */
bool sal_accuracy_suffices(const sal_accuracy *accuracy, double rtol, const double *value,
                           int count);
/* The error of the tangents of the step just walked through, in units of what a step may have
 * where steps are divided for their sake. */
double sal_accuracy_excess(const sal_accuracy *accuracy, const sal_motion *motion, double rtol,
                           const double *value, int count);

/* Whether the adjoint of this step is to be looked at. */
bool sal_accuracy_due_back(sal_accuracy *accuracy, double h);
/* The adjoint is at the end of the step in motion, all of whose rows are there. errors: room. */
void sal_accuracy_note_back(sal_accuracy *accuracy, sal_motion *motion, const sal_adjoint *adjoint,
                            int lanes_used, sal_adjoint *errors);
/* At the start: whether what all steps left of the adjoints is good enough; value: of all
 * parameters. */
bool sal_accuracy_suffices_back(sal_accuracy *accuracy, const saltus_system *system,
                                const sal_adjoint *adjoint, double rtol, const double *value,
                                int lanes_used);

#endif
