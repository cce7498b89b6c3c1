/* Contacts with friction, and dry friction on a velocity: their modes are found by the program. */
#ifndef SAL_MECH_FRICTION_H
#define SAL_MECH_FRICTION_H

#include "saltus/model.h"

/* The contact with its modes, constraints and events; name is in the model's memory. */
saltus_contact sal_mech_rough_contact(saltus_model *model, const char *name,
                                      const saltus_contact_def *def);

#endif
