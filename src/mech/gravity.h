/* Gravity acts on all point masses, wherever it is written: both are kept, and joined when the
 * model is compiled. */
#ifndef SAL_MECH_GRAVITY_H
#define SAL_MECH_GRAVITY_H

#include "saltus/model.h"

void sal_gravity_add_mass(saltus_model *model, saltus_point p, saltus_expr m, saltus_modes modes);

/* Adds the potentials -m (gx x + gy y) of all masses and all gravities. Called once. */
void sal_gravity_finish(saltus_model *model);

#endif
