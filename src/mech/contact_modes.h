/* Contacts, and dry friction on a velocity: their modes, which the run finds, their constraints and
 * events. */
#ifndef SAL_MECH_CONTACT_MODES_H
#define SAL_MECH_CONTACT_MODES_H

#include "saltus/model.h"

/* Whether the contact may close: it does not only bounce. */
int sal_mech_contact_closes(const saltus_contact_def *def);
/* Whether a coefficient, or a limit, is a number below zero. */
int sal_mech_is_negative(saltus_model *model, saltus_friction friction);
/* The contact, whose definition was checked; name is in the model's memory. */
saltus_contact sal_mech_contact(saltus_model *model, const char *name,
                                const saltus_contact_def *def);

#endif
