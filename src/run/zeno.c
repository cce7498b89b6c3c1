/* Events that accumulate: see zeno.h. */
#include "run/zeno.h"

#include <math.h>

#include "run/contacts.h"
#include "run/outcome.h"

enum { MOST_AT_ONCE = 500, SHRINKING_GAPS = 8 };

void sal_zeno_finish(saltus_run *run, int e, double at)
{
    run->info.zeno_time = at;
    sal_run_finish(run, SALTUS_ZENO,
                   "Zeno: event '%s' happened %d times and accumulates at t = %.10g; end the run "
                   "before (--until, or stop = true at a low speed: where = ...), or let the body "
                   "come to rest: contact {..., rest = true}, or a mode of its own",
                   run->system->event[e].name, run->cursor.repetition[e].count, at);
}

/* The sum of the gaps converges if they shrink like a geometric series (Raabe: n (1 - ratio) grows
 * with their number n; for gaps like 1/n, whose sum diverges, it is at most 1). The run ends when
 * what is left of a gap, or of the guard between two occurrences, no longer matters. */
void sal_zeno_note(saltus_run *run, int e, double rate)
{
    const sal_cursor *cursor = &run->cursor;
    sal_repetition   *event = &cursor->repetition[e];
    if (sal_contacts_accumulate(run, e)) return;
    const double gap = cursor->t - event->last_time, before = event->last_gap;
    const double horizon = run->t_end - run->t0;
    const bool   shrinks = gap < before && gap > 0.0;
    const bool small = gap < 1e-9 * horizon || fabs(rate) * gap < 1e-10 * cursor->watch[e].largest;
    event->shrinking = shrinks ? event->shrinking + 1 : 0;
    event->last_time = cursor->t;
    event->last_gap = gap;
    if (!shrinks || !small || event->shrinking < SHRINKING_GAPS) return;
    const double ratio = gap / before, at = cursor->t + gap * ratio / (1.0 - ratio);
    if (event->shrinking * (1.0 - ratio) < 2.0) return;
    if (at <= run->t_end) sal_zeno_finish(run, e, at);
}

void sal_zeno_note_instant(saltus_run *run, int e)
{
    sal_cursor *cursor = &run->cursor;
    cursor->instant_events = cursor->t > cursor->instant_t ? 1 : cursor->instant_events + 1;
    cursor->instant_t = cursor->t;
    if (cursor->instant_events <= MOST_AT_ONCE || run->finished) return;
    sal_run_finish(run, SALTUS_ZENO,
                   "at t = %.10g more than %d events happen at one instant, the last one is "
                   "'%s'; let impacts end in a common rest, or make them less elastic",
                   cursor->t, MOST_AT_ONCE, run->system->event[e].name);
}
