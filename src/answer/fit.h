/* A fit: the model with its measurements, and what was found. */
#ifndef SAL_ANSWER_FIT_H
#define SAL_ANSWER_FIT_H

#include "base/memory.h"
#include "saltus/answer.h"
#include "solve/lm.h"

/* One measurement: its residuals are the rows first, first + 1, ... */
typedef struct sal_measured {
    const char   *name, *event; /* event NULL: a row of samples */
    const double *at, *value, *sigma;
    int           first, count;
} sal_measured;

struct saltus_fit {
    saltus_allocator allocator;
    sal_arena        arena, kept; /* of the fit, of the last result */
    saltus_system   *system;
    saltus_run      *run;
    sal_measured    *measured;
    int              measurements;
    int              n, m, np, samples; /* estimates, residuals, parameters, samples */
    int             *param;             /* by estimate */
    int             *active, actives;   /* estimates that the present search changes */
    double          *lower, *upper;     /* by active estimate */
    double          *params;            /* where it was simulated last */
    double          *predicted, *taken; /* by residual; samples one after the other */
    double          *slopes;            /* of samples */
    SAL_ARRAY(double) times;            /* derivatives of event times; only its room is used */
    int              *occurrence;       /* the event of the run, by residual; -1: a sample */
    double            level, start;     /* of intervals; the time at which the motion starts */
    bool              weighted, simulated;
    saltus_error      why; /* there was no value at that point */
    saltus_fit_result result;
    int               runs, gradients;
};

/* Writes the residuals at x, by active estimate, and unless J is NULL their derivatives. */
sal_evaluation sal_fit_evaluate(void *context, const double *x, double *r, double *J);
/* Searches over the active estimates from x on. */
sal_solve_status sal_fit_search(saltus_fit *fit, double *x, double *r, double *J,
                                sal_lm_result *found);
/* Makes all estimates active, or all but one. */
void sal_fit_activate(saltus_fit *fit, int but);

/* How well estimates are known (confidence.c): fills in the result from the derivatives J of all
 * residuals by all estimates at the minimum. */
saltus_status sal_fit_confidence(saltus_fit *fit, const double *J, saltus_error *err);

#endif
