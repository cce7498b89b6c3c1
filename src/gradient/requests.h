/* What callers ask for, checked and spelled out. */
#ifndef SAL_GRADIENT_REQUESTS_H
#define SAL_GRADIENT_REQUESTS_H

#include "sens/sens.h"

/* Fails unless all indices of a list are below the limit; what: "parameter". */
saltus_status sal_request_indices(const int *index, int count, int limit, const char *what,
                                  saltus_error *err);
saltus_status sal_request_check(const saltus_system *system, const saltus_request *request,
                                saltus_error *err);
/* The indices wanted, spelled out in scratch memory. */
saltus_status sal_request_spell_out(const saltus_run *run, const saltus_request *request,
                                    sal_arena *scratch, sal_wanted *wanted, saltus_error *err);

/* Takes these values (NULL: the model's); fails if one of them is no number. */
saltus_status sal_params_take(saltus_run *run, const double *params, saltus_error *err);
/* Simulates with what was taken, and forgets what there is if that fails. */
saltus_status sal_run_work(saltus_run *run, saltus_error *err);
/* Another run of the same system will start where this one did. */
void sal_probe_begin(saltus_run *probe, const saltus_run *as);
/* Simulates another run of the same system with these values, from the start of the first one. */
saltus_status sal_probe_simulate(saltus_run *probe, const saltus_run *as, const double *params,
                                 saltus_error *err);

#endif
