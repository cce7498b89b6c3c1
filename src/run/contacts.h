/* Contacts whose modes the run finds (mech/friction.h): which of them are open, stick or slide.
 *
 * At an event, and at the start, all contacts that touch are looked at together (contact/set.h),
 * twice: where some of them approach, they collide, and the modes of the impact decide its law; and
 * where they stay together, the accelerations decide the modes after it. */
#ifndef SAL_RUN_CONTACTS_H
#define SAL_RUN_CONTACTS_H

#include "run/run.h"

saltus_status sal_contacts_init(saltus_run *run, saltus_error *err);
void          sal_contacts_release(saltus_run *run);

/* The regime in which contacts collide at the event that has begun (sal_jump_begin), or NULL if no
 * contact approaches another. to: the regime that the event itself leads to; has_law: the event has
 * a law of impacts besides. False: the run has ended. */
bool sal_contacts_collide(saltus_run *run, int event, const sal_regime *to, bool has_law,
                          const sal_regime **impact);
/* Warns if the impact of contacts that was just computed, and is in run->jump, adds energy.
 * Newton's law with restitution says nothing of friction: where a contact sticks, or slides the
 * other way, the law may return more energy than came in (Kane). It is followed nevertheless. */
void sal_contacts_warn_gain(saltus_run *run, const sal_occurrence *o);
/* After the jump: notes the impulses of contacts whose own events are part of it, which do not
 * happen again at this instant. */
void sal_contacts_note_shared(saltus_run *run);
/* The event of contact i that is part of the jump just computed, with its impulse; -1: none. */
int sal_contacts_shared(const saltus_run *run, int i, double *impulse);
/* Whether the event, whose guard has that rate, is one of the last touches of a contact on its way
 * to rest. */
bool sal_contacts_settles(const saltus_run *run, int event, double rate);
/* Whether the event is one of a contact that can close: its events may become more and more
 * frequent before it does. */
bool sal_contacts_accumulate(const saltus_run *run, int event);
/* The impulse of the contact that touches at the event just computed; NAN: there is none. */
double sal_contacts_impulse(const saltus_run *run, int event);
/* The regime after the event, at the state in run->after. NULL: the run has ended. */
const sal_regime *sal_contacts_after(saltus_run *run, int event, const sal_regime *to,
                                     const sal_regime *impact);
/* The event that contact i has, if the event `fired` changed its mode between these regimes as
 * well; -1: it did not. */
int sal_contacts_changed(const saltus_run *run, int i, int fired, const sal_regime *before,
                         const sal_regime *after);
/* Of the contact of the event, if its mode was just found: whether others keep it closed without a
 * force of its own; whether it slides, but others keep it from moving. */
bool sal_contacts_is_held(const saltus_run *run, int event);
bool sal_contacts_is_jammed(const saltus_run *run, int event);
/* Contacts that stick and slip the same share their friction, and how is not determined: one of
 * them carries all of it, and its guards are those of all. Notes that for the regime that was just
 * found and entered. False: out of memory. */
bool sal_contacts_join(saltus_run *run, sal_field *field);
/* Enters the regime of the start, at the state in the cursor. The run may end there. */
void sal_contacts_start(saltus_run *run);

#endif
