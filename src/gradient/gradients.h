/* What the gradients of saltus/sim.h are made of, besides the walks of sens: the choice of a
 * method, finite differences of complete runs, and the scales for rounding. */
#ifndef SAL_GRADIENT_GRADIENTS_H
#define SAL_GRADIENT_GRADIENTS_H

#include <stdbool.h>

#include "sens/sens.h"

/* SALTUS_DIRECT or SALTUS_DISCRETE, for the derivatives of this many costs and times (of events, of
 * the end) by this many parameters. The result depends on these numbers only. */
saltus_method sal_cheapest_method(int params, int costs, int times);

/* Whether a method that walks backward should compute the times by a walk forward. */
bool sal_times_go_forward(int params, int costs, int times);

/* What differences give: errors are estimates of their own error, or NULL. */
typedef struct sal_differences {
    const sal_gradients *gradients, *errors;
    double              *step;         /* by parameter: the longest that was taken, or NULL */
    bool                 base_differs; /* failed: the run has other events at the tolerance of
                                          differences even without a change of parameters */
} sal_differences;

/* Whether two runs have the same events in the same order, and ended the same way. A kink that was
 * crossed within rounding does not count. */
bool sal_same_events(const saltus_run *a, const saltus_run *b);

/* Whether, in two runs with the same events, each of these has the same samples and nodes of
 * controls before it. */
bool sal_same_places(const saltus_run *a, const saltus_run *b);

saltus_status sal_finite_differences(saltus_run *run, const sal_wanted *wanted,
                                     sal_differences *out, saltus_error *err);

/* As saltus_run_gradients, but the run does not look for derivatives that are one-sided. */
saltus_status sal_gradients_compute(saltus_run *run, const saltus_request *request,
                                    double *gradient, double *time_gradient, double *end_gradient,
                                    saltus_error *err);
/* If there were ties (run/outcome.h), looks at motions next to this one, once, and adds a warning
 * to the run if derivatives by these parameters are one-sided, or there are none, or the gradient
 * that was found, [cost * params + param], is that of neither side. */
saltus_status sal_judge_ties(saltus_run *run, const sal_wanted *wanted, const double *gradient,
                             saltus_error *err);

/* Adds a warning to the run, once, if a cost has two peaks that tie, with different gradients. */
saltus_status sal_judge_peaks(saltus_run *run, const sal_wanted *wanted, const double *gradient,
                              saltus_error *err);

/* For motions that are compared with others next to them: a tight tolerance, however loose that of
 * the run is. Its noise would be divided by a short step. Both kinds keep their ratio, so units do
 * not matter. */
void sal_options_tighten(saltus_options *options);
/* A kink that was crossed within rounding and changed nothing, as of something that leaves its
 * rest: whether that is seen, and when, is noise. */
bool sal_occurrence_is_noise(const saltus_run *run, int index);

/* By cost that is wanted: the largest values of its terms along the motion. slope_size may be NULL;
 * else, by cost and parameter, those of the derivatives of its terms. */
saltus_status sal_cost_sizes(saltus_run *run, const sal_wanted *wanted, double *size,
                             double *slope_size, saltus_error *err);
/* See saltus_run_sizes; end may be NULL, gradient too if there are no parameters. */
saltus_status sal_run_sizes(saltus_run *run, const sal_wanted *wanted, const double *times,
                            int count, double *size, double *end, double *gradient,
                            saltus_error *err);

#endif
