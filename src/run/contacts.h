/* Contacts whose modes the run finds (mech/contact_modes.h): which of them are open, stick or
 * slide.
 *
 * At an event, and at the start, all contacts that touch are treated together (contact/set.h), in
 * two problems. If some of them approach, they collide, and the modes of the impact determine its
 * law. Then the accelerations determine the modes of the contacts that stay together. */
#ifndef SAL_RUN_CONTACTS_H
#define SAL_RUN_CONTACTS_H

#include "run/run.h"

saltus_status sal_contacts_init(saltus_run *run, saltus_error *err);
void          sal_contacts_release(saltus_run *run);

/* Finds the regime in which contacts collide at the event that has begun (sal_jump_begin). If none
 * approaches, it is NULL; but if contacts touch and the event has an impact law of its own
 * (has_law), it is the regime in which none of them acts. to: the regime that the event itself
 * leads to. False: the run has ended, or the law is singular. */
bool sal_contacts_collide(saltus_run *run, int event, const sal_regime *to, bool has_law,
                          const sal_regime **impact);
/* Warns if the impact of contacts just computed, which is in run->jump, adds energy. Newton's
 * law with restitution says nothing about friction: where a contact sticks, or its slip changes
 * direction, the law may return more energy than came in (Kane). The result is used
 * nevertheless. */
void sal_contacts_warn_gain(saltus_run *run, const sal_occurrence *o);
/* Called after a jump: stores the impulses of the contacts whose own events are part of it, and
 * removes these events from the pending ones. */
void sal_contacts_note_shared(saltus_run *run);
/* The event of contact i that was part of the jump just computed, with its impulse; -1: there is
 * none. */
int sal_contacts_shared(const saltus_run *run, int i, double *impulse);
/* Whether the event, whose guard has this rate, is one of the last touches of a contact that comes
 * to rest. */
bool sal_contacts_settles(const saltus_run *run, int event, double rate);
/* Whether the event belongs to a contact that can close: its touches may become more and more
 * frequent before it does. */
bool sal_contacts_accumulate(const saltus_run *run, int event);
/* The impulse of the contact whose touch was just computed; NAN: there is none. */
double sal_contacts_impulse(const saltus_run *run, int event);
/* Finds the regime after the event, at the state in run->after. to: the regime that the event
 * itself leads to; impact: the regime in which contacts collided, or NULL. NULL: the run has
 * ended. */
const sal_regime *sal_contacts_after(saltus_run *run, int event, const sal_regime *to,
                                     const sal_regime *impact);
/* The event that reports the change of contact i between these regimes, if the event `fired` has
 * changed its mode as well; -1: it has not. */
int sal_contacts_changed(const saltus_run *run, int i, int fired, const sal_regime *before,
                         const sal_regime *after);
/* Whether the contact of the event is closed without a force of its own, kept so by other contacts;
 * false unless its mode was just found. */
bool sal_contacts_is_unloaded(const saltus_run *run, int event);
/* Whether the contact of the event slides, but is kept from moving by other contacts; false unless
 * its mode was just found. */
bool sal_contacts_is_jammed(const saltus_run *run, int event);
/* Lets one of the contacts that stick and would slip together carry all of their friction, since
 * how they share it is not determined; the guards of the others are added to its guards. Does this
 * for the regime of the field, which was just found and entered. False: out of memory. */
bool sal_contacts_join(saltus_run *run, sal_field *field);
/* Finds and enters the regime of the start, at the state in the cursor. May end the run. */
void sal_contacts_start(saltus_run *run);

#endif
