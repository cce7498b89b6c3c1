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
    sal_arena        arena, kept; /* memory of the fit; of the last result */
    saltus_system   *system;
    saltus_run      *run;
    sal_measured    *measured;
    int              measurements;
    int              n, m, np, samples; /* estimates, residuals, parameters, samples */
    int             *param;             /* by estimate */
    int    *active, actives;   /* the estimates that the present search changes, and their number */
    double *lower, *upper;     /* by active estimate */
    double *params;            /* parameters of the last simulation */
    double *predicted, *taken; /* by residual: predicted value; all samples of the run */
    double *slopes;            /* derivatives of samples */
    SAL_ARRAY(double) times;   /* room for derivatives of event times; its count is unused */
    int              *occurrence;   /* the event of the run, by residual; -1: a sample */
    double            level, start; /* confidence level of intervals; start time of the motion */
    bool              weighted, simulated;
    saltus_error      why; /* why the last point had no value */
    saltus_fit_result result;
    int               runs, gradients;
};

/* Writes the residuals at x, the values of the active estimates, and unless J is NULL their
 * derivatives. */
sal_evaluation sal_fit_evaluate(void *context, const double *x, double *r, double *J);
/* Searches for the minimum over the active estimates, from x. */
sal_solve_status sal_fit_search(saltus_fit *fit, double *x, double *r, double *J,
                                sal_lm_result *found);
/* Makes all estimates active except number `but`; -1: all. */
void sal_fit_activate(saltus_fit *fit, int but);

/* Fills in standard deviations, intervals and bands of the result (confidence.c), from the
 * derivatives J of all residuals by all estimates at the minimum. */
saltus_status sal_fit_confidence(saltus_fit *fit, const double *J, saltus_error *err);

#endif
