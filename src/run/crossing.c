/* Finds the first crossing in the step just taken, and what crosses together with it; decides
 * whether the step is kept, ends there, or is taken again shorter. See crossing.h. */
#include "run/crossing.h"

#include <float.h>
#include <math.h>

#include "locate/fast/screen.h"
#include "run/advance.h"
#include "run/arming.h"
#include "run/guards.h"
#include "run/instant.h"
#include "run/outcome.h"

/* The dense output of a step is wrong by no more than this many times the error of the step. */
static const double DENSE = 100.0;

/* ---- clocks --------------------------------------------------------------------------------- */

/* Whether two times agree but for rounding. */
static bool same_time(const saltus_run *run, double t, double now)
{
    return fabs(t - now) <= 4.0 * DBL_EPSILON * fmax(fabs(now), 1e-3 * (run->t_end - run->t0));
}

/* Events at the end of the horizon do not happen. */
static bool is_end(const saltus_run *run, double t)
{
    return t >= run->t_end - 1e-13 * fmax(fabs(run->t_end), run->t_end - run->t0);
}

/* Samples are taken at the end of the horizon, too. */
static bool is_sampled_at_end(const saltus_run *run, int e, double t)
{
    return run->system->event[e].hidden == SAL_HIDDEN_SAMPLE &&
           (t <= run->t_end || same_time(run, t, run->t_end));
}

/* Handles a clock that strikes now: its event becomes pending if its conditions are met; otherwise
 * its guard is past zero. Returns whether the event happens. */
static bool strikes_now(saltus_run *run, int e)
{
    sal_guard_state *watch = &run->cursor.watch[e];
    double           nearest;
    const bool       met =
        sal_locator_conditions(&run->locator, e, run->cursor.t, run->cursor.x, &nearest);
    run->stepping.crossing[e] = (sal_crossing){e, 0.0, nearest, watch->side, false};
    if (!met) watch->side = -watch->side;
    run->instant.pending[e] = met;
    return met;
}

bool sal_crossing_at_once(saltus_run *run)
{
    const sal_regime *regime = run->cursor.regime;
    const double      t = run->cursor.t;
    bool              now = false;
    for (int i = 0; i < regime->events; i++) {
        const int                 e = regime->event[i];
        const sal_compiled_event *event = &run->system->event[e];
        run->instant.pending[e] = run->cursor.watch[e].thrown;
        run->instant.caused[e] = run->instant.pending[e] ? SAL_THROWN : 0;
        run->cursor.watch[e].thrown = false;
        now = now || run->instant.pending[e];
        if (!event->guard_is_clock || !sal_event_fires(event, run->cursor.watch[e].side)) continue;
        const double at = sal_locator_clock(&run->locator, e, t);
        if (at <= t || same_time(run, at, t)) now = strikes_now(run, e) || now;
        else if (!is_end(run, at)) run->stepping.due = fmin(run->stepping.due, at);
        else if (is_sampled_at_end(run, e, at))
            run->stepping.due = fmin(run->stepping.due, run->t_end);
    }
    return now;
}

/* Whether a clock strikes at the end of the step and the conditions of its event are met. */
static bool strikes(saltus_run *run, int e)
{
    const sal_step *step = &run->motion.step;
    if (!sal_event_fires(&run->system->event[e], run->cursor.watch[e].side)) return false;
    const double at = sal_locator_clock(&run->locator, e, step->t);
    if (!(at <= sal_step_time(step)) && !same_time(run, at, sal_step_time(step))) return false;
    double     nearest;
    const bool met =
        sal_locator_conditions(&run->locator, e, sal_step_time(step), step->x1, &nearest);
    run->stepping.crossing[e] = (sal_crossing){e, 1.0, nearest, run->cursor.watch[e].side, false};
    if (!met && nearest < 1e-8) run->locator.missed = run->stepping.crossing[e];
    return met;
}

/* ---- finding -------------------------------------------------------------------------------- */

int sal_crossing_find(saltus_run *run)
{
    sal_step *step = &run->motion.step;
    const int bad = sal_step_end(step);
    sal_locator_begin(&run->locator);
    run->stepping.searched = false;
    if (bad || run->cursor.regime->events == 0 || run->from.ignores_events) return bad;
    run->stepping.searched =
        !sal_screen_find(&run->locator, step, run->instant.pending, run->stepping.crossing);
    return run->stepping.searched ? sal_step_dense(step) : 0;
}

/* Finds the earliest crossing of all guards in the step just taken. False: there is none. */
static bool first_crossing(saltus_run *run, sal_crossing *first)
{
    const sal_regime *regime = run->cursor.regime;
    bool              found = false;
    sal_locator_begin_search(&run->locator);
    if (run->stepping.searched) {
        run->locator.share = fmin(1.0, DENSE * sal_step_error(&run->motion.step));
        sal_locator_sample(&run->locator, &run->motion.step);
    }
    for (int i = 0; i < regime->events; i++) {
        const int     e = regime->event[i];
        sal_crossing *crossing = &run->stepping.crossing[e];
        /* Only the first crossing happens in this step. Crossings at the same instant are found
         * once it is known. */
        const double enough = found ? first->theta * (1.0 + 1e-6) : INFINITY;
        if (run->system->event[e].guard_is_clock) run->instant.pending[e] = strikes(run, e);
        else if (run->stepping.searched)
            run->instant.pending[e] =
                sal_locate(&run->locator, &run->motion.step, e, enough, crossing);
        if (!run->instant.pending[e]) continue;
        if (!found || crossing->theta < first->theta) *first = *crossing;
        found = true;
    }
    return found;
}

/* Finds the sides of guards at the end of the step, or just before the first crossing. A guard that
 * changes sides without an event (its direction is wrong, its conditions are not met, or it has a
 * pole) stays on its new side, even if rounding hides that at the end of the step. If an event ends
 * the step, the search went beyond it; guards that cross at the same instant are decided after the
 * event. */
static void find_sides(saltus_run *run, const sal_crossing *first)
{
    const sal_regime *regime = run->cursor.regime;
    sal_locator      *locator = &run->locator;
    const double      end = first ? first->theta * (1.0 - 1e-9) : 1.0;
    for (int i = 0; i < regime->events && run->stepping.searched; i++) {
        const int e = regime->event[i];
        if (run->system->event[e].guard_is_clock) continue;
        if (!(locator->passed[e] <= end)) locator->side[e] = run->cursor.watch[e].side;
        else if (first) locator->side[e] = sal_locate_side(locator, &run->motion.step, e, end);
    }
}

/* Makes the sides that the search has found the known sides of guards. */
static void take_sides(saltus_run *run)
{
    const sal_regime *regime = run->cursor.regime;
    for (int i = 0; i < regime->events && run->stepping.searched; i++) {
        const int        e = regime->event[i];
        sal_guard_state *watch = &run->cursor.watch[e];
        if (run->system->event[e].guard_is_clock || run->system->event[e].kink >= 0) continue;
        if (watch->side != run->locator.side[e] && run->locator.slipped[e])
            watch->passed = sal_is_barrier(run->system, e);
        watch->side = run->locator.side[e];
    }
}

/* ---- the events of a step ------------------------------------------------------------------- */

/* Whether the crossing is at the end of the horizon, where its event does not happen. */
static bool at_the_end(saltus_run *run, const sal_crossing *crossing)
{
    if (!is_end(run, run->cursor.t + crossing->theta * run->motion.step.h)) return false;
    if (run->system->event[crossing->event].hidden == SAL_HIDDEN_SAMPLE) return false;
    if (sal_event_source(run->system, crossing->event)->timed) return true; /* it is expected */
    sal_run_warn(run,
                 "event '%s' falls on the end of the horizon, t = %.10g, and does not happen; "
                 "gradients are those of the motion before it",
                 run->system->event[crossing->event].name, run->t_end);
    return true;
}

static void fail_undefined(saltus_run *run)
{
    sal_run_finish(run, SALTUS_NOT_FINITE,
                   "the guard of event '%s' is not a number near t = %.10g (a division by zero, "
                   "a root or logarithm of something negative?)",
                   run->system->event[run->locator.undefined].name,
                   run->cursor.t + run->locator.undefined_at * run->motion.step.h);
}

/* Rejects the step, so that a shorter one is tried. False: it is too short already. */
static bool shorten(saltus_run *run)
{
    if (run->motion.step.h <= 1e-10 * (run->t_end - run->t0)) return false;
    run->cursor.h = 0.1 * run->motion.step.h;
    return true;
}

/* Whether the crossing is that of a barrier which rests at the end of the step. */
static bool rests_at_end(saltus_run *run, const sal_crossing *crossing, double full)
{
    const sal_step         *step = &run->motion.step;
    const sal_guard_sample *end = &run->locator.now[crossing->event];
    /* the ends of the step show that its guard moves fast */
    if (!run->stepping.searched &&
        fabs(end->slope) * full > 1e-6 * run->cursor.watch[crossing->event].largest)
        return false;
    return sal_barrier_rests(run, crossing->event, sal_step_time(step), step->x1);
}

/* Whether the guard, which is on this side at the end of the step according to the search, is in
 * fact on the other side by more than rounding. */
static bool ends_beyond(saltus_run *run, int e, int side)
{
    const double r = run->locator.now[e].r;
    return side * r < 0.0 && fabs(r) > sal_watch_band(&run->cursor.watch[e], run->locator.share) &&
           fabs(r) > sal_step_onto_noise(run, e);
}

/* Whether a guard ends on another side than the search says, which found no event: the search then
 * did not follow it well. */
static bool is_lost(saltus_run *run)
{
    const sal_regime *regime = run->cursor.regime;
    if (!run->stepping.searched) return false;
    sal_arm_evaluate(run, -1);
    for (int i = 0; i < regime->events; i++) {
        const int e = regime->event[i];
        const int kink = run->system->event[e].kink;
        if (run->system->event[e].guard_is_clock || run->cursor.watch[e].side == 0) continue;
        if (kink >= 0 && run->system->kink[kink].continuous)
            continue; /* it does not matter where its branch changes */
        if (ends_beyond(run, e, run->locator.side[e])) return true;
    }
    return false;
}

/* Whether a step that was shortened to end at an event passes a barrier that the search has not
 * met, because the longer step was too coarse to show it. */
static bool passes_barrier(saltus_run *run, const sal_crossing *crossing)
{
    const sal_regime *regime = run->cursor.regime;
    sal_arm_evaluate(run,
                     run->system->event[crossing->event].guard_is_clock ? -1 : crossing->event);
    for (int i = 0; i < regime->events; i++) {
        const int e = regime->event[i], side = run->cursor.watch[e].side;
        if (!sal_is_barrier(run->system, e) || side == 0 || e == crossing->event ||
            sal_events_share_guard(run->system, e, crossing->event))
            continue;
        if (ends_beyond(run, e, run->stepping.searched ? run->locator.side[e] : side)) return true;
    }
    return false;
}

/* Converts a place noted in a step of length `full` to the shortened step. If the place is after
 * the end of the step, it will be met again, and *event becomes -1. */
static void rescale(double *theta, int *event, double full, double h)
{
    *theta *= full / h;
    if (!(*theta <= 1.0)) *event = -1;
}

/* Accepts a step in which no event happens. */
static saltus_status meet_none(saltus_run *run, bool last, saltus_error *err)
{
    find_sides(run, NULL);
    take_sides(run);
    sal_grazing_note_near_misses(run);
    return sal_advance_accept(run, last, err);
}

/* Shortens the step to the first crossing, which is inside it, and fires the events there. */
static saltus_status meet_inside(saltus_run *run, sal_crossing *crossing, saltus_error *err)
{
    sal_locator *locator = &run->locator;
    const double full = run->motion.step.h;
    find_sides(run, crossing);
    const bool there = sal_step_onto(run, crossing);
    rescale(&locator->touch.theta, &locator->touch.event, full, run->motion.step.h);
    rescale(&locator->missed.theta, &locator->missed.event, full, run->motion.step.h);
    if (run->outcome.finished) return SALTUS_OK;
    if (there && rests_at_end(run, crossing, full)) return SALTUS_OK; /* the step is tried again */
    if (passes_barrier(run, crossing) && shorten(run)) return SALTUS_OK;
    sal_grazing_note_near_misses(run);
    take_sides(run);
    if (!there) return sal_advance_accept(run, false, err);
    if (run->cursor.regime->constrained) sal_singular_watch(run);
    return run->outcome.finished ? SALTUS_OK : sal_instant_run(run, crossing, err);
}

saltus_status sal_crossing_meet(saltus_run *run, bool last, saltus_error *err)
{
    sal_crossing crossing;
    sal_locator *locator = &run->locator;
    const bool   found = first_crossing(run, &crossing);
    sal_grazing_warn_unresolved(run);
    if (locator->undefined >= 0 && !(found && crossing.theta <= locator->undefined_at)) {
        fail_undefined(run);
        return SALTUS_OK;
    }
    if (!found && is_lost(run) && shorten(run)) return SALTUS_OK;
    if (!found || at_the_end(run, &crossing)) return meet_none(run, last, err);
    run->stepping.r_ddot = sal_screen_r_ddot(locator, &run->motion.step, crossing.event);
    sal_locator_forget(locator); /* the step will be shortened */
    if (run->cursor.t + crossing.theta * run->motion.step.h > run->cursor.t)
        return meet_inside(run, &crossing, err);
    /* A contact that was just released touches again at once: most likely it has hopped too low for
     * a step of this length. */
    if (run->cursor.watch[crossing.event].band > 0.0 && shorten(run)) return SALTUS_OK;
    if (sal_barrier_rests(run, crossing.event, run->cursor.t, run->cursor.x)) return SALTUS_OK;
    return sal_instant_now(run, &crossing, err);
}
