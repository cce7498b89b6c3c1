/* Ends a run in which events accumulate: occurrences of one event whose gaps shrink to nothing, and
 * events that trigger each other at one instant without end. */
#include "run/instant.h"

#include <math.h>

#include "run/contacts.h"
#include "run/guards.h"
#include "run/outcome.h"

/* The number of gaps in a row that must have shrunk. If each is less than FAST_RATIO of the one
 * before, they are soon lost in rounding: then FAST_SHRINKING_GAPS are enough. */
enum { MAX_AT_ONCE = 500, SHRINKING_GAPS = 8, FAST_SHRINKING_GAPS = 3 };
static const double FAST_RATIO = 0.15;

/* Events closer together than this part of the horizon happen almost at one instant. */
static const double NEARLY = 1e-9;

static double horizon_of(const saltus_run *run) { return run->t_end - run->t0; }

void sal_zeno_finish(saltus_run *run, int e, double at)
{
    const int count = run->cursor.repetition[e].count;
    run->outcome.info.zeno_time = at;
    sal_run_finish(run, SALTUS_ZENO,
                   "Zeno: event '%s' happened %d time%s and accumulates at t = %.10g; end the run "
                   "before (--until, or stop = true at a low speed: where = ...), or let the body "
                   "come to rest: contact {..., rest = true}, or a mode of its own",
                   run->system->event[e].name, count, count == 1 ? "" : "s", at);
}

/* The sum of the gaps converges if they shrink like a geometric series (Raabe: n (1 - ratio) grows
 * with the number n of gaps; for gaps like 1/n, whose sum diverges, it is at most 1). The run ends
 * once the next gap, or the height of the guard in it, no longer matters. */
void sal_zeno_note(saltus_run *run, int e, double rate)
{
    const sal_cursor *cursor = &run->cursor;
    sal_repetition   *event = &cursor->repetition[e];
    if (sal_contacts_accumulate(run, e)) return;
    const double gap = cursor->t - event->last_time, before = event->last_gap;
    const bool   shrinks = gap < before && gap > 0.0;
    const bool   small =
        gap < NEARLY * horizon_of(run) || fabs(rate) * gap < 1e-10 * cursor->watch[e].largest;
    event->shrinking = shrinks ? event->shrinking + 1 : 0;
    event->last_time = cursor->t;
    event->last_gap = gap;
    if (!shrinks || !small) return;
    const double ratio = gap / before, at = cursor->t + gap * ratio / (1.0 - ratio);
    if (event->shrinking < (ratio < FAST_RATIO ? FAST_SHRINKING_GAPS : SHRINKING_GAPS)) return;
    if (event->shrinking * (1.0 - ratio) < 2.0) return;
    if (at <= run->t_end) sal_zeno_finish(run, e, at);
}

/* Does not concern contacts that can close: their last_time stays NAN. */
bool sal_zeno_ends_hops(saltus_run *run, int e, double rate)
{
    const int    way = sal_event_direction(&run->system->event[e]);
    const double last = run->cursor.repetition[e].last_time;
    if (way * rate >= 0.0 || !(run->cursor.t - last <= NEARLY * horizon_of(run))) return false;
    if (fabs(rate) <= sal_guard_rate_noise(run, e)) return false;
    sal_zeno_finish(run, e, run->cursor.t);
    return true;
}

void sal_zeno_note_instant(saltus_run *run, int e)
{
    sal_cursor *cursor = &run->cursor;
    const bool  apart = cursor->t > cursor->instant_t + NEARLY * horizon_of(run);
    cursor->instant_events = apart ? 1 : cursor->instant_events + 1;
    if (apart) cursor->instant_t = cursor->t;
    if (cursor->instant_events <= MAX_AT_ONCE || run->outcome.finished) return;
    sal_run_finish(run, SALTUS_ZENO,
                   "at t = %.10g more than %d events happen nearly at one instant, the last one is "
                   "'%s'; let impacts end in a common rest, or make them less elastic",
                   cursor->t, MAX_AT_ONCE, run->system->event[e].name);
}
