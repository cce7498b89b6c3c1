/* Requests of callers: checked, with all indices spelled out, and simulated. */
#ifndef SAL_GRADIENT_REQUESTS_H
#define SAL_GRADIENT_REQUESTS_H

#include "sens/sens.h"

/* Fails unless all indices of a list are below the limit; what: "parameter". */
saltus_status sal_request_indices(const int *index, int count, int limit, const char *what,
                                  saltus_error *err);
saltus_status sal_request_check(const saltus_system *system, const saltus_request *request,
                                saltus_error *err);
/* Like sal_request_check, for a model with these numbers of parameters and costs. */
saltus_status sal_request_check_counts(const saltus_request *request, int params, int costs,
                                       saltus_error *err);
/* Checks a request and lists its costs and parameters, in scratch memory where they are implied. */
saltus_status sal_request_spell_out(const saltus_run *run, const saltus_request *request,
                                    sal_arena *scratch, sal_wanted *wanted, saltus_error *err);

/* Fails if one of these values of all parameters is not finite; NULL is fine. */
saltus_status sal_params_check(const saltus_system *system, const double *params,
                               saltus_error *err);
/* Sets the parameters of a run (NULL: the model's values); fails if one of them is not finite. */
saltus_status sal_params_take(saltus_run *run, const double *params, saltus_error *err);
/* Simulates with the parameters and the start that were set. After a failure the run has no
 * results.
 */
saltus_status sal_run_work(saltus_run *run, saltus_error *err);
/* Makes the probe, another run of the same system, start where the run `as` did. */
void sal_probe_begin(saltus_run *probe, const saltus_run *as);
/* Simulates the probe, another run of the same system, with these parameters, from the start of the
 * run `as`. */
saltus_status sal_probe_simulate(saltus_run *probe, const saltus_run *as, const double *params,
                                 saltus_error *err);

#endif
