/* Short steps near the kinks of powers that are not integers: Hertz's max(0, -y)^1.5.
 *
 * At a distance s in time from such a kink the force is like s^p, and its sensitivity like s^(p-1):
 * a step that is good enough for the motion may be too long for gradients. If parameters move the
 * kink by the time T, the sensitivity is wrong by T/s times the error of the step. So errors
 * are weighted by that; steps then become shorter towards the kink and longer after it, like a
 * geometric series. */
#ifndef SAL_RUN_GRADE_H
#define SAL_RUN_GRADE_H

#include <math.h>

#include "run/run.h"

/* What is near at the start of a step. */
typedef struct sal_grade {
    double ahead, behind; /* time until the next such kink, and since the last; or INFINITY */
    double span;          /* the time T by which parameters may move the kink */
} sal_grade;
#define SAL_GRADE_NONE ((sal_grade){INFINITY, INFINITY, 0.0})

/* Looks for such kinks near the present state, in a model that has some (system->graded). */
sal_grade sal_grade_look(saltus_run *run);
/* The length of the next step, which was to be h. */
double sal_grade_limit(const saltus_run *run, const sal_grade *grade, double h);
/* The weight of the error of the step just taken. */
double sal_grade_weight(const saltus_run *run, const sal_grade *grade, double error);
/* After a step of length h with too large a weighted error: the largest length of the next one; h
 * if nothing is known. */
double sal_grade_shorter(saltus_run *run, const sal_grade *grade, double h, double error);

#endif
