/* Contacts of a run, their modes and events, and which of them touch at a state. */
#ifndef SAL_RUN_CONTACT_LOOK_H
#define SAL_RUN_CONTACT_LOOK_H

#include "run/run.h"

/* Contact i of those whose modes the run finds. */
const sal_contact *sal_contact_at(const saltus_run *run, int i);
/* Which of the modes of a contact (SAL_OPEN, ...) is active in the regime. */
int sal_contact_mode_in(const sal_contact *contact, const sal_regime *regime);
/* That mode as the set of contacts (contact/set.h) calls it, and back. */
sal_contact_mode sal_contact_set_mode(const sal_contact *contact, int mode);
int              sal_contact_mode_of_set(sal_contact_mode mode);
/* The event as one of a contact; NULL: it is none. */
const sal_event *sal_contact_event(const saltus_run *run, int event);
/* Whether the event, which may be NULL, is one of this contact. */
bool sal_contact_is_of(const sal_event *event, int contact);
/* The event of a contact with this role, that may happen in the regime (NULL: in any). */
int sal_contact_event_with(const saltus_run *run, int contact, sal_contact_role role,
                           const sal_regime *regime);
/* The event at which it touches. */
int sal_contact_touch_event(const saltus_run *run, int contact);
/* What happens to contact i at this instant: the event that fires, one that shares its guard with
 * it because both contacts share their friction, or another that is pending. */
const sal_event *sal_contact_event_of(const saltus_run *run, int i, int event);
/* Whether the contact is there in the modes of the regime. */
bool sal_contact_exists(const saltus_run *run, int i, const sal_regime *to);
/* Whether a contact that is open touches, at the state in the field. One that was released, or that
 * others hold, does so as long as it is not seen beyond what it has drifted. */
bool sal_contact_is_touching(saltus_run *run, int i, double t, const double *x);
/* Whether its gap, less what it had drifted, is zero to rounding. */
bool sal_contact_is_at_zero(saltus_run *run, int i, double t, const double *x);
/* Whether a contact that is open in the regime has not been seen to open. */
bool sal_contact_was_held(const saltus_run *run, int i, const sal_regime *to);
/* Whether the slip of a contact cannot be told from zero: it has just begun to slide, or it is held
 * by others. */
bool sal_contact_slip_is_unseen(const saltus_run *run, int i, double slip);
/* Values and rates of all constraints, and the numbers of contacts, at the state in the field. */
void sal_contact_look(saltus_run *run);
/* Whether the event sets positions or velocities. */
bool sal_contact_sets_motion(const saltus_run *run, int event);

#endif
