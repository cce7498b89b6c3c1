/* The parts of the gradients of saltus/sim.h besides the walks of sens: the choice of a method,
 * finite differences of complete runs, one-sided derivatives, and scales of rounding errors. */
#ifndef SAL_GRADIENT_GRADIENTS_H
#define SAL_GRADIENT_GRADIENTS_H

#include <stdbool.h>

#include "sens/sens.h"

/* Returns SALTUS_DIRECT or SALTUS_DISCRETE, whichever takes less work for the derivatives of this
 * many costs and times (of events, of the end) by this many parameters. The result depends on these
 * numbers only. */
saltus_method sal_cheapest_method(int params, int costs, int times);

/* Whether a method that walks backward should compute the derivatives of times by a forward walk.
 */
bool sal_times_go_forward(int params, int costs, int times);

/* The results of finite differences. */
typedef struct sal_differences {
    const sal_gradients *gradients, *errors; /* errors: their estimated errors, or NULL */
    double              *step;               /* by parameter: the longest step, or NULL */
    bool                 base_differs;       /* failed: the run has other events at the tolerance of
                                                differences even without a change of parameters */
} sal_differences;

/* Whether two runs have the same events in the same order, and ended the same way. Kinks that are
 * noise (sal_occurrence_is_noise) are ignored. */
bool sal_same_events(const saltus_run *a, const saltus_run *b);

/* Whether, in two runs with the same events, the same numbers of samples and nodes of controls lie
 * between these events. */
bool sal_same_places(const saltus_run *a, const saltus_run *b);

saltus_status sal_finite_differences(saltus_run *run, const sal_wanted *wanted,
                                     sal_differences *out, saltus_error *err);

/* Does what saltus_run_gradients does, but does not test whether derivatives are one-sided. */
saltus_status sal_gradients_compute(saltus_run *run, const saltus_request *request,
                                    double *gradient, double *time_gradient, double *end_gradient,
                                    saltus_error *err);
/* If there were ties (run/outcome.h), compares the run once with motions next to it. Adds a warning
 * to the run if derivatives by these parameters are one-sided, or do not exist, or if the computed
 * gradient, [cost * params + param], is that of neither side. */
saltus_status sal_judge_ties(saltus_run *run, const sal_wanted *wanted, const double *gradient,
                             saltus_error *err);

/* Adds a warning to the run, once, if a cost has two peaks that tie, with different gradients. */
saltus_status sal_judge_peaks(saltus_run *run, const sal_wanted *wanted, const double *gradient,
                              saltus_error *err);

/* Tightens the tolerances for motions whose differences are taken, since their errors are divided
 * by a short distance. The ratio of relative and absolute tolerance does not change. */
void sal_options_tighten(saltus_options *options);
/* Whether an occurrence is a kink that was crossed within rounding and changed nothing, for example
 * where something begins to move: whether and when it happens is noise. */
bool sal_occurrence_is_noise(const saltus_run *run, int index);

/* Writes, by requested cost, the largest magnitude of its terms along the motion, and, by cost and
 * parameter, that of the derivatives of its terms to slope_size, unless it is NULL. */
saltus_status sal_cost_sizes(saltus_run *run, const sal_wanted *wanted, double *size,
                             double *slope_size, saltus_error *err);
/* Computes what saltus_run_sizes describes; end may be NULL, and gradient if there are no
 * parameters. */
saltus_status sal_run_sizes(saltus_run *run, const sal_wanted *wanted, const double *times,
                            int count, double *size, double *end, double *gradient,
                            saltus_error *err);

#endif
