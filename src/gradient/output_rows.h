/* One instant of a run, as the public saltus_row. */
#ifndef SAL_GRADIENT_OUTPUT_ROWS_H
#define SAL_GRADIENT_OUTPUT_ROWS_H

#include "run/history.h"

/* Fails unless the run has results. */
saltus_status sal_run_ready(const saltus_run *run, saltus_error *err);
/* Fails if the run is NULL, or if one of its calls is in progress: a callback must not use it. */
saltus_status sal_run_idle(const saltus_run *run, saltus_error *err);

/* Fills in the row of a state (x, c, z at t, in this regime); its arrays belong to the run. */
saltus_status sal_row_fill(saltus_run *run, const sal_regime *regime, double t, const double *x,
                           const double *c, const double *z, saltus_row *row, saltus_error *err);
/* Fills in the row just before or just after an occurrence. */
saltus_status sal_row_event(saltus_run *run, int occurrence, bool after, saltus_row *row,
                            saltus_error *err);
/* Fills in the row at time t inside of a loaded step, whose dense stages are evaluated. */
saltus_status sal_row_between(saltus_run *run, const sal_frame *frame, double t, saltus_row *row,
                              saltus_error *err);

/* Fails unless times are given, finite and ascending. */
saltus_status sal_rows_check_times(const double *times, int count, saltus_error *err);

/* Returns the number of calls of saltus_samples in the model. */
int sal_samples_kept(const saltus_model *model);

#endif
