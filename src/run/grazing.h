/* Crossings that derivatives may not survive: guards that graze zero or only touch it, conditions
 * that are nearly zero, and guards that change too fast to be followed. */
#ifndef SAL_RUN_GRAZING_H
#define SAL_RUN_GRAZING_H

#include "run/run.h"

typedef enum sal_crossing_kind {
    SAL_CROSSING_CLEAN,
    SAL_CROSSING_CLOSE,  /* close to grazing: derivatives are large, and less certain */
    SAL_CROSSING_GRAZING /* there is no derivative */
} sal_crossing_kind;

/* How the guard of the event crosses zero at the present state, with that rate. */
sal_crossing_kind sal_grazing_judge(saltus_run *run, int event, double rate);
void              sal_grazing_warn(saltus_run *run, int event, double rate, sal_crossing_kind kind);

/* Whether the motion is the same on both sides of the event just computed (a kink whose sides
 * agree, a contact that opens where nothing presses it any more). Then it does not matter when the
 * event happens, nor how its guard crosses. */
bool sal_grazing_is_harmless(saltus_run *run, const sal_event_system *event);

/* After a search in a step: warns of what the locator noted in it. */
void sal_grazing_warn_unresolved(saltus_run *run);
void sal_grazing_note_near_misses(saltus_run *run);
/* Warns if a condition (where=) of the crossing is nearly zero. */
void sal_grazing_warn_condition(saltus_run *run, const sal_crossing *crossing);

#endif
