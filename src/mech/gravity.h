/* Gravity acts on all point masses, also on those that are declared after it. So gravities and
 * masses are stored, and combined when the model is compiled. */
#ifndef SAL_MECH_GRAVITY_H
#define SAL_MECH_GRAVITY_H

#include "saltus/model.h"

void sal_gravity_add_mass(saltus_model *model, saltus_point p, saltus_expr m, saltus_modes modes);

/* Adds the potentials -m (gx x + gy y) of all masses and all gravities. To be called once. */
void sal_gravity_finish(saltus_model *model);

#endif
