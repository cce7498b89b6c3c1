/* The known sides of guards, from the start to the end of a run.
 *
 * A side changes where the guard is seen on the other one, beyond rounding: inside a step that is
 * what the locator finds, and at the end of a step it is noted here. What an event does to guards,
 * its own and others, is decided here as well:
 *
 *     its own guard     is on the side it moves to from zero: back, if the event is an impact
 *     the same guard    of another event: on the same side as its own
 *     still at zero     keeps its side
 *     thrown across     fires at the same instant if it is to (enter), else a warning is given
 *     a mode's own      that was not watched before: the side it is on; at zero, the side it moves
 *                       to, or that from which it fires
 *     a constraint's    that was held at zero and is let go: the side from which it fires, and what
 *                       it has drifted counts as zero */
#ifndef SAL_RUN_WATCH_H
#define SAL_RUN_WATCH_H

#include "run/run.h"

/* What run->caused says of an event that another made happen: its own guard is zero and moves; it
 * shares the time of the other, whatever its guard is; the same, of a guard thrown across zero. */
enum { SAL_CAUSED = 1, SAL_JOINED = 2, SAL_THROWN = 3 };

/* All guards at the start. Events that happen there at once are pending. */
void sal_watch_start(saltus_run *run);
/* At the end of a step: all guards there, unless they were looked at; known: one that was, or -1.
 */
void sal_watch_look(saltus_run *run, int known);
/* Sides that they were seen on. */
void sal_watch_step(saltus_run *run);
/* Before an event fires: what the guards are. */
void sal_watch_note(saltus_run *run);
/* Behind an event, which came from the regime `before` and whose guard had that rate; events that
 * happen because of it are pending. */
void sal_watch_event(saltus_run *run, int fired, const sal_regime *before, double rate);

/* An impact that is crossed at (t, x), but neither moves nor is pressed: it rests, and what it does
 * within the tolerance is nothing from now on. */
bool sal_watch_rests(saltus_run *run, int event, double t, const double *x);

/* A time that is short for the motion. */
double sal_watch_time(const saltus_run *run);
/* Which way a guard goes to fire: -1 falling, +1 rising, 0: either. */
int sal_watch_firing(const sal_event_system *event);
/* Whether two events have the same guard; other: -1 if there is none. */
bool sal_watch_shares(const saltus_system *system, int event, int other);
/* Whether it closes a contact, other than by an impact law. */
bool sal_watch_closes(const saltus_system *system, int event);

#endif
