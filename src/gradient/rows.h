/* One instant of a run, as the public saltus_row. */
#ifndef SAL_GRADIENT_ROWS_H
#define SAL_GRADIENT_ROWS_H

#include "run/history.h"

/* Fails unless there is a simulation to read back. */
saltus_status sal_run_ready(const saltus_run *run, saltus_error *err);

/* Fills in the row of a state (x, c, z at t, in that regime); the arrays live in the run. */
saltus_status sal_row_fill(saltus_run *run, const sal_regime *regime, double t, const double *x,
                           const double *c, const double *z, saltus_row *row, saltus_error *err);
/* One side of an occurrence. */
saltus_status sal_row_event(saltus_run *run, int occurrence, bool after, saltus_row *row,
                            saltus_error *err);
/* The state at time t inside a step that has been taken again, with its dense stages. */
saltus_status sal_row_between(saltus_run *run, const sal_frame *frame, double t, saltus_row *row,
                              saltus_error *err);

/* Checks that times are there and ascend. */
saltus_status sal_rows_check_times(const double *times, int count, saltus_error *err);

/* How many rows of samples are kept. */
int sal_samples_kept(const saltus_model *model);

#endif
