/* Events that accumulate: occurrences of one event whose gaps shrink to nothing, and events that
 * trigger each other at one instant without end. */
#ifndef SAL_RUN_ZENO_H
#define SAL_RUN_ZENO_H

#include "run/run.h"

/* Notes an occurrence of the event, whose guard had that rate; ends the run if they accumulate. */
void sal_zeno_note(saltus_run *run, int event, double rate);
/* An event is about to happen again at once, although its guard moves away from zero: since the
 * last time it has hopped too low to be told from rounding. Ends the run then, and returns true. */
bool sal_zeno_ends_hops(saltus_run *run, int event, double rate);
/* Counts the events of one instant, or nearly one; ends the run if there are too many. */
void sal_zeno_note_instant(saltus_run *run, int event);
/* Ends the run, as occurrences of the event accumulate at that time. */
void sal_zeno_finish(saltus_run *run, int event, double at);

#endif
