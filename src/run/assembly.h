/* The state at the start: some values are given, the others are assembled from the constraints
 * (sensitivities.md (19) to (22)). With tangent and adjoint. */
#ifndef SAL_RUN_ASSEMBLY_H
#define SAL_RUN_ASSEMBLY_H

#include "run/run.h"

/* The regime of the initial modes; NULL: it could not be compiled. */
const sal_regime *sal_assembly_regime(saltus_run *run, saltus_error *err);

/* Assembles x = (q, v) in the regime of the field. On entry x has the given values and guesses. */
saltus_status sal_assembly_find(saltus_run *run, double *x, saltus_error *err);

/* Keeps x as it is, and finds which constraints are needed there. */
saltus_status sal_assembly_keep(saltus_run *run, const double *x, saltus_error *err);

/* Replaces dx of the given values by that of the assembled state; du has the tangents of c and
 * rho. */
void sal_assembly_tangent(saltus_run *run, double *dx, double *du, int lanes);
/* Replaces x_bar of the assembled state by that of the given values; adds to u_bar at c and rho. */
void sal_assembly_adjoint(saltus_run *run, double *x_bar, double *u_bar, int lanes);

#endif
