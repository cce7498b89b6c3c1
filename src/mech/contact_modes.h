/* Contacts, and dry friction on a velocity: their modes, which the run finds, their constraints and
 * events (contact_modes.c); and when touches come to an end (contact_rest.c). */
#ifndef SAL_MECH_CONTACT_MODES_H
#define SAL_MECH_CONTACT_MODES_H

#include "model/model.h"

/* Whether the contact may close: it does not only bounce. */
int sal_mech_contact_closes(const saltus_contact_def *def);
/* Whether a coefficient, or a limit, is a number below zero. */
int sal_mech_is_negative(saltus_model *model, saltus_friction friction);
/* The contact, whose definition was checked; name is in the model's memory. */
saltus_contact sal_mech_contact(saltus_model *model, const char *name,
                                const saltus_contact_def *def);

/* ---- what is being built -------------------------------------------------------------------- */

typedef struct sal_contact_builder {
    saltus_model *model;
    const char   *name, *force; /* of the contact; of the constraint whose multiplier is friction */
    sal_contact   contact;
    saltus_expr   slip;
    saltus_modes  modes; /* where it exists */
    saltus_mode   mode[SAL_CONTACT_MODES];
    saltus_expr bounces; /* a memory: 1 unless this is the last bounce; null: all of them bounce */
    saltus_expr settled; /* a memory: 0 from the last bounce until its rest; null: there is none */
} sal_contact_builder;

/* Sets of its modes. */
enum {
    SAL_WHILE_OPEN = 1u << SAL_OPEN,
    SAL_WHILE_HELD = 1u << SAL_HELD,
    SAL_WHILE_CLOSED = SAL_WHILE_HELD | 1u << SAL_SLIDES_PLUS | 1u << SAL_SLIDES_MINUS
};

/* A memory that the contact keeps for itself. */
saltus_expr  sal_mech_memory(sal_contact_builder *b, const char *part, double start);
saltus_event sal_mech_event(sal_contact_builder *b, const char *part, saltus_expr when,
                            saltus_direction direction, unsigned from, sal_contact_role role);
/* Sets a memory at an event; accelerations before it may be used. */
void sal_mech_set(sal_contact_builder *b, saltus_event event, sal_node target, sal_node value);

/* The event of the last bounce. */
saltus_event sal_mech_last_bounce(sal_contact_builder *b, const saltus_contact_def *def,
                                  saltus_event touch);
/* Touches of a contact without restitution that others throw off again and again. */
void sal_mech_series(sal_contact_builder *b, saltus_event touch, saltus_expr gap);

#endif
