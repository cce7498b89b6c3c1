/* Builds contacts, and dry friction on a velocity, of modes that the run chooses, of constraints
 * and of events (contact_modes.c); and finds when bounces end (contact_rest.c). */
#ifndef SAL_MECH_CONTACT_MODES_H
#define SAL_MECH_CONTACT_MODES_H

#include "model/model.h"

/* Whether the contact may close, as opposed to one that only bounces. */
int sal_mech_contact_closes(const saltus_contact_def *def);
/* Whether a coefficient, or a limit, is a negative number. */
int sal_mech_is_negative(saltus_model *model, saltus_friction friction);
/* Builds a contact, whose definition was checked. name is in the model's memory. */
saltus_contact sal_mech_contact(saltus_model *model, const char *name,
                                const saltus_contact_def *def);

/* ---- the contact under construction --------------------------------------------------------- */

typedef struct sal_contact_builder {
    saltus_model *model;
    const char   *name, *force; /* names of the contact and of its friction constraint */
    sal_contact   contact;
    saltus_expr   slip;
    saltus_modes  modes; /* modes in which the contact exists */
    saltus_mode   mode[SAL_CONTACT_MODES];
    saltus_expr bounces; /* a memory: 0 in the last bounce, else 1; null: there is no last bounce */
    saltus_expr settled; /* a memory: 0 from the last bounce until the contact rests, else 1; null:
                          * it does not rest by itself */
} sal_contact_builder;

/* Sets of modes of a contact, as bits. */
enum {
    SAL_WHILE_OPEN = 1u << SAL_OPEN,
    SAL_WHILE_HELD = 1u << SAL_HELD,
    SAL_WHILE_CLOSED = SAL_WHILE_HELD | 1u << SAL_SLIDES_PLUS | 1u << SAL_SLIDES_MINUS
};

/* Adds a hidden memory called name.part, for the contact's own use. */
saltus_expr sal_mech_memory(sal_contact_builder *b, const char *part, double start);
/* Adds an event called name.part (part NULL: name), in these modes of the contact. */
saltus_event sal_mech_event(sal_contact_builder *b, const char *part, saltus_expr when,
                            saltus_direction direction, unsigned from, sal_contact_role role);
/* Makes an event set a memory; the value may contain accelerations before the event. */
void sal_mech_set(sal_contact_builder *b, saltus_event event, sal_node target, sal_node value);

/* Adds the event of the last bounce, and the conditions that distinguish it from other touches. */
saltus_event sal_mech_last_bounce(sal_contact_builder *b, const saltus_contact_def *def,
                                  saltus_event touch);
/* Adds the end of a series of touches of a contact without restitution that other contacts throw
 * off again and again. */
void sal_mech_series(sal_contact_builder *b, saltus_event touch, saltus_expr gap);

#endif
