/* Ties: what a small change of parameters might decide in another way.
 *
 * Events whose guards cross at the same instant by chance, and contacts that are exactly at a
 * threshold: of sticking, of letting go, of an impulse that is zero. On the two sides of such a
 * point the motion may go on differently, and derivatives may be one-sided. A simulation only notes
 * them; whether a gradient is one-sided is found by motions next to it (api/one_sided.c). */
#ifndef SAL_RUN_TIES_H
#define SAL_RUN_TIES_H

#include "run/run.h"

/* Notes events that happen together, at the present instant. */
void sal_tie_note_events(saltus_run *run, int first, int second);
/* Notes a contact that is exactly at a threshold. */
void sal_tie_note_contact(saltus_run *run, int contact, double t);

#endif
