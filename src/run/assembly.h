/* The state at the start: values the script gives, the rest assembled from the constraints
 * (sensitivities.md (19) to (22)), with tangent and adjoint. */
#ifndef SAL_RUN_ASSEMBLY_H
#define SAL_RUN_ASSEMBLY_H

#include "run/run.h"

/* The regime of the first modes; NULL: it could not be compiled. */
const sal_regime *sal_assembly_regime(saltus_run *run, saltus_error *err);

/* Assembles x = (q, v) in the regime of the field; the given values are in it. */
saltus_status sal_assembly_find(saltus_run *run, double *x, saltus_error *err);

/* Keeps x as it is, and finds out which constraints are needed there. */
saltus_status sal_assembly_keep(saltus_run *run, const double *x, saltus_error *err);

/* dx of the given values becomes that of the assembled state; du has c and rho. */
void sal_assembly_tangent(saltus_run *run, double *dx, double *du, int lanes);
/* x_bar of the assembled state becomes that of the given values; u_bar gains at c and rho. */
void sal_assembly_adjoint(saltus_run *run, double *x_bar, double *u_bar, int lanes);

#endif
