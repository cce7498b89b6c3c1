/* Short steps beside the kinks of powers that are not whole: Hertz's max(0, -y)^1.5.
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

/* What is near at the start of a step; INFINITY: nothing. */
typedef struct sal_grade {
    double ahead, behind; /* time until such a kink is met; since one was */
    double span;          /* the time T */
} sal_grade;
#define SAL_GRADE_NONE                                                                             \
    {                                                                                              \
        INFINITY, INFINITY, 0.0                                                                    \
    }

/* Of a model that has such powers (system->graded). */
sal_grade sal_grade_look(saltus_run *run);
/* How long a step may be that was to have the length h. */
double sal_grade_limit(const saltus_run *run, const sal_grade *grade, double h);
/* What its error, which came out as that, is multiplied by. */
double sal_grade_weight(const saltus_run *run, const sal_grade *grade, double error);
/* The step was too long, by its weighed error: how long the next is to be; h: nothing is known. */
double sal_grade_shorter(saltus_run *run, const sal_grade *grade, double h, double error);

#endif
