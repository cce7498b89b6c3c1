/* Crossings of guards in a step: see crossing.h. */
#include "run/crossing.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "run/advance.h"
#include "run/instant.h"
#include "run/singular.h"
#include "run/watch.h"

enum { POLISHING = 40, BISECTIONS = 64 };
static const double SHORT = 0.02;
/* The dense output of a step is wrong by no more than so many times its error. */
static const double DENSE = 100.0;

/* ---- clocks --------------------------------------------------------------------------------- */

/* The time is as good as now. */
static bool same_time(const saltus_run *run, double t, double now)
{
    return fabs(t - now) <= 4.0 * DBL_EPSILON * fmax(fabs(now), 1e-3 * (run->t_end - run->t0));
}

/* Events at the end of the horizon do not happen any more. */
static bool is_end(const saltus_run *run, double t)
{
    return t >= run->t_end - 1e-13 * fmax(fabs(run->t_end), run->t_end - run->t0);
}

/* A clock that strikes now. Where its conditions are not met, it has gone by. */
static bool strikes_now(saltus_run *run, int e)
{
    sal_guard_state *watch = &run->cursor.watch[e];
    double           nearest;
    const bool       met =
        sal_locator_conditions(&run->locator, e, run->cursor.t, run->cursor.x, &nearest);
    run->crossing[e] = (sal_crossing){e, 0.0, nearest, watch->side, false};
    if (!met) watch->side = -watch->side;
    run->pending[e] = met;
    return met;
}

bool sal_crossing_at_once(saltus_run *run)
{
    const sal_regime *regime = run->cursor.regime;
    const double      t = run->cursor.t;
    bool              now = false;
    for (int i = 0; i < regime->events; i++) {
        const int               e = regime->event[i];
        const sal_event_system *event = &run->system->event[e];
        run->pending[e] = run->cursor.watch[e].thrown;
        run->caused[e] = run->pending[e] ? SAL_THROWN : 0;
        run->cursor.watch[e].thrown = false;
        now = now || run->pending[e];
        if (!event->guard_is_clock || !sal_event_fires(event, run->cursor.watch[e].side)) continue;
        const double at = sal_locator_clock(&run->locator, e, t);
        if (at <= t || same_time(run, at, t)) now = strikes_now(run, e) || now;
        else if (!is_end(run, at)) run->due = fmin(run->due, at);
    }
    return now;
}

/* A clock that strikes at the end of the step. */
static bool strikes(saltus_run *run, int e)
{
    const sal_step *step = &run->motion.step;
    if (!sal_event_fires(&run->system->event[e], run->cursor.watch[e].side)) return false;
    const double at = sal_locator_clock(&run->locator, e, step->t);
    if (!(at <= sal_step_time(step)) && !same_time(run, at, sal_step_time(step))) return false;
    double     nearest;
    const bool met =
        sal_locator_conditions(&run->locator, e, sal_step_time(step), step->x1, &nearest);
    run->crossing[e] = (sal_crossing){e, 1.0, nearest, run->cursor.watch[e].side, false};
    if (!met && nearest < 1e-8) run->locator.missed = run->crossing[e];
    return met;
}

/* ---- finding -------------------------------------------------------------------------------- */

/* All crossings of a simple survey. */
static sal_screen_result locate_near(saltus_run *run, const sal_step *step)
{
    const sal_regime *regime = run->cursor.regime;
    for (int i = 0; i < regime->events; i++) {
        const int e = regime->event[i];
        if (run->system->event[e].guard_is_clock) continue;
        const sal_screen_result there = sal_locate_near(&run->locator, step, e, &run->crossing[e]);
        if (there == SAL_SCREEN_UNSURE) return there;
        run->pending[e] = there == SAL_SCREEN_SIMPLE;
    }
    return SAL_SCREEN_SIMPLE;
}

int sal_crossing_screen(saltus_run *run)
{
    sal_step *step = &run->motion.step;
    const int bad = sal_step_end(step);
    run->locator.end_known = run->locator.end_seen = false;
    run->locator.share = 1.0;
    run->screen = SAL_SCREEN_CLEAR;
    if (bad || run->cursor.regime->events == 0) return bad;
    run->screen = sal_locator_screen(&run->locator, step);
    if (run->screen == SAL_SCREEN_SIMPLE) run->screen = locate_near(run, step);
    return run->screen == SAL_SCREEN_UNSURE ? sal_step_dense(step) : 0;
}

/* The earliest crossing of all guards in the step just taken. */
static bool first_crossing(saltus_run *run, sal_crossing *first)
{
    const sal_regime *regime = run->cursor.regime;
    bool              found = false;
    run->locator.unresolved = run->locator.touch.event = run->locator.missed.event = -1;
    run->locator.undefined = -1;
    run->locator.undefined_at = run->locator.touch.theta = INFINITY;
    if (run->screen == SAL_SCREEN_UNSURE) {
        run->locator.share = fmin(1.0, DENSE * sal_step_error(&run->motion.step));
        sal_locator_sample(&run->locator, &run->motion.step);
    }
    for (int i = 0; i < regime->events; i++) {
        const int     e = regime->event[i];
        sal_crossing *crossing = &run->crossing[e];
        /* Of many that cross in one step only the first happens in it; others that do so at the
         * same instant are looked at when it is known. */
        const double enough = found ? first->theta * (1.0 + 1e-6) : INFINITY;
        if (run->system->event[e].guard_is_clock) run->pending[e] = strikes(run, e);
        else if (run->screen == SAL_SCREEN_UNSURE)
            run->pending[e] = sal_locate(&run->locator, &run->motion.step, e, enough, crossing);
        else if (run->screen == SAL_SCREEN_CLEAR) run->pending[e] = false;
        if (!run->pending[e]) continue;
        if (!found || crossing->theta < first->theta) *first = *crossing;
        found = true;
    }
    return found;
}

/* Guards that change sides in the step without an event (their direction is another one, their
 * conditions are not met, or it is a pole) are on their new side from there on, also if rounding
 * hides that where the step ends. Where an event ends it, the search went further than that; what
 * happens at the same instant is looked at behind the event. */
static void find_sides(saltus_run *run, const sal_crossing *first)
{
    const sal_regime *regime = run->cursor.regime;
    sal_locator      *locator = &run->locator;
    const double      end = first ? first->theta * (1.0 - 1e-9) : 1.0;
    for (int i = 0; i < regime->events && run->screen == SAL_SCREEN_UNSURE; i++) {
        const int e = regime->event[i];
        if (run->system->event[e].guard_is_clock) continue;
        if (!(locator->passed[e] <= end)) locator->side[e] = run->cursor.watch[e].side;
        else if (first) locator->side[e] = sal_locate_side(locator, &run->motion.step, e, end);
    }
}

static void take_sides(saltus_run *run)
{
    const sal_regime *regime = run->cursor.regime;
    for (int i = 0; i < regime->events && run->screen == SAL_SCREEN_UNSURE; i++) {
        const int e = regime->event[i];
        if (run->system->event[e].guard_is_clock || run->system->event[e].kink >= 0) continue;
        run->cursor.watch[e].side = run->locator.side[e];
    }
}

/* ---- what is met on the way ----------------------------------------------------------------- */

/* Guards that change so fast that crossings may have been missed. */
static void warn_unresolved(saltus_run *run)
{
    const int e = run->locator.unresolved;
    if (e < 0 || (run->warned[e] & SAL_WARNED_FAST)) return;
    run->warned[e] |= SAL_WARNED_FAST;
    sal_run_warn(
        run,
        "the guard of event '%s' changes too fast near t = %.10g to be followed inside one "
        "step: crossings may be missed; give a shorter --max-step",
        run->system->event[e].name, run->cursor.t);
}

/* A guard that comes to zero and turns back: with other parameters there are two events, or none.
 * At a kink whose sides agree that changes nothing, and a guard that is never further from zero
 * than the tolerance lets it be is not touched, but is at zero. */
static void note_touch(saltus_run *run)
{
    const sal_touch *touch = &run->locator.touch;
    if (touch->event < 0 || run->replaying) return;
    const int kink = run->system->event[touch->event].kink;
    if (kink >= 0 && run->system->kink[kink].continuous) return;
    if (run->cursor.watch[touch->event].scale <=
        sal_locator_tolerance(&run->locator, touch->event, run->cursor.t, run->cursor.x))
        return;
    const double t = run->motion.step.t + touch->theta * run->motion.step.h;
    if (!run->gradient_status)
        snprintf(run->gradient_message, sizeof run->gradient_message,
                 "event '%s' is touched at t = %.10g without being crossed (its guard comes as "
                 "close to zero as %.2g): the motion depends on it in a way that has no derivative",
                 run->system->event[touch->event].name, t, touch->r);
    run->gradient_status = SALTUS_ERR_GRAZING;
    sal_run_warn(run, "event '%s' is touched at t = %.10g without being crossed: no gradient there",
                 run->system->event[touch->event].name, t);
}

/* Touches and conditions near zero that the locator met inside the step. */
static void note_near_misses(saltus_run *run)
{
    note_touch(run);
    sal_instant_warn_condition(run, &run->locator.missed);
}

/* A place in a step that has become shorter than `full`; what is behind its end will be met again.
 */
static void cut(double *theta, int *event, double full, double h)
{
    *theta *= full / h;
    if (!(*theta <= 1.0)) *event = -1;
}

/* ---- stepping onto a crossing --------------------------------------------------------------- */

/* What rounding makes of the guard at the end of the step. */
static double noise_at_end(saltus_run *run, int e)
{
    const sal_step *step = &run->motion.step;
    return sal_locator_rounding(&run->locator, e, sal_step_time(step), step->x1);
}

/* A guard r that a time dh is missing to its zero is as good as there. */
static bool settled(saltus_run *run, const sal_crossing *crossing, double r, double dh,
                    int iteration, double best)
{
    const double t = run->cursor.t, now = sal_step_time(&run->motion.step);
    const bool   small = fabs(dh) <= DBL_EPSILON * fmax(fabs(t), run->motion.step.h);
    if (r == 0.0 || (small && (iteration > 2 || now + dh == now))) return true;
    return iteration > 2 && fabs(r) >= best && best <= noise_at_end(run, crossing->event);
}

static double guard_at_end(saltus_run *run, int e, double *rate)
{
    const sal_step *step = &run->motion.step;
    const double   *k = sal_step_k(step, step->tableau->end_stage);
    const double    r = sal_locator_guard(&run->locator, e, sal_step_time(step), step->x1,
                                          k + run->system->n, rate);
    run->locator.now[e].r = r;
    return r;
}

/* Moves the end of a step, which is a time dh before the crossing or behind it, until the guard is
 * zero to rounding. False: it is not found there. */
static bool stretch_onto(saltus_run *run, const sal_crossing *crossing, double dh)
{
    sal_step *step = &run->motion.step;
    double    best = INFINITY, rate;
    for (int i = 0; i < POLISHING; i++) {
        if (sal_step_extend(step, step->delta + dh)) return false;
        const double r = guard_at_end(run, crossing->event, &rate);
        dh = -r / rate;
        if (settled(run, crossing, r, dh, i, best)) return true;
        best = fmin(best, fabs(r));
    }
    return false;
}

/* The part of a step of length h that may be left to the midpoint rule: derivatives by it are wrong
 * by the square of that part of what the motion changes in the step, which is much less than the
 * tolerance. */
static double short_part(const saltus_run *run, double h)
{
    return SHORT * sqrt(fmin(run->options.rtol, 1e-4)) * h;
}

/* Shortens the step (whose length was `full`) until the guard is zero at its end, to rounding:
 * Newton's method on the length, each time with a true step, between one that is too short and one
 * that is beyond the crossing (or beyond the guard's turning back, lest a later crossing be taken
 * for this one); a small rest is left to sal_step_extend. False: the true motion does not reach
 * zero. */
static bool step_onto(saltus_run *run, const sal_crossing *crossing, double full)
{
    sal_step    *step = &run->motion.step;
    double       h = crossing->theta * full, best = INFINITY;
    const double noise = 1e-9 * full;
    double       low = 0.0, high = full;
    for (int i = 0; i < POLISHING; i++) {
        double rate;
        if (sal_step_take(step, h) || sal_step_end(step)) return false;
        const double r = guard_at_end(run, crossing->event, &rate);
        const double dh = -r / rate;
        if (settled(run, crossing, r, dh, i, best)) return true;
        if (crossing->side * rate < 0.0 && fabs(dh) <= short_part(run, h) &&
            stretch_onto(run, crossing, dh))
            return true;
        best = fmin(best, fabs(r));
        if (crossing->side * r > 0.0 && crossing->side * rate < 0.0) low = h;
        else high = h;
        double next = h + dh;
        /* Newton's last corrections, where r is rounding, stay as they are. */
        if (!(next > 0.0 && next > low - noise && next < high + noise)) next = 0.5 * (low + high);
        if (next == h) break;
        h = next;
    }
    return best <= 100.0 * noise_at_end(run, crossing->event);
}

/* Whether the guard is on its old side still at the end of a step of length h. */
static bool is_before(saltus_run *run, const sal_crossing *crossing, double h, bool *bad)
{
    sal_step *step = &run->motion.step;
    *bad = sal_step_take(step, h) || sal_step_end(step);
    return !*bad && crossing->side * guard_at_end(run, crossing->event, NULL) > 0.0;
}

/* A step that is too short and one that is too long, as near to h as they are found: further away
 * there may be other crossings. False: there are none. */
static bool bracket(saltus_run *run, const sal_crossing *crossing, double full, double *low,
                    double *high)
{
    const double h = crossing->theta * full;
    bool         bad;
    const bool   before = is_before(run, crossing, h, &bad);
    *low = *high = h;
    for (double near = 1e-9 * full; !bad; near *= 16.0) {
        const double end = before ? fmin(full, h + near) : fmax(0.0, h - near);
        const bool   other = end == 0.0 || is_before(run, crossing, end, &bad) != before;
        *(before ? high : low) = end;
        if (other || end == full) return other && !bad;
    }
    return false;
}

/* The same by its sign alone: where it jumps over zero, or is too flat there for Newton's method.
 * False: it is not on the other side in any of the steps. */
static bool bisect_onto(saltus_run *run, const sal_crossing *crossing, double full)
{
    double low, high;
    bool   bad = false;
    if (!bracket(run, crossing, full, &low, &high)) return false;
    for (int i = 0; i < BISECTIONS && high - low > 2.0 * DBL_EPSILON * fabs(run->cursor.t); i++) {
        const double h = 0.5 * (low + high);
        if (is_before(run, crossing, h, &bad)) low = h;
        else high = h;
        if (bad) return false;
    }
    is_before(run, crossing, 0.5 * (low + high), &bad);
    return !bad;
}

/* Steps onto the crossing. False: the dense output crossed zero, the true motion does not, so the
 * guard is only touched; the step then ends there, and what comes later in it is met in the next.
 */
static bool reach(saltus_run *run, const sal_crossing *crossing, double full)
{
    sal_step *step = &run->motion.step;
    if (run->system->event[crossing->event].guard_is_clock) return true; /* it ends there */
    if (!crossing->jumps && step_onto(run, crossing, full)) return true;
    if (bisect_onto(run, crossing, full)) return true;
    run->locator.touch = (sal_touch){crossing->event, crossing->theta, 0.0};
    if (sal_step_take(step, fmax(crossing->theta, 1e-3) * full) || sal_step_end(step))
        sal_advance_fail(run, run->cursor.t);
    return false;
}

/* Another guard has crossed before the end of the step: the dense output had them in the wrong
 * order. That crossing is the next to be tried. */
static bool overtaken(saltus_run *run, sal_crossing *first)
{
    const sal_regime *regime = run->cursor.regime;
    for (int i = 0; i < regime->events; i++) {
        const int e = regime->event[i];
        if (!run->pending[e] || e == first->event || run->system->event[e].guard_is_clock) continue;
        const double r = guard_at_end(run, e, NULL);
        /* of one that crosses several times, this may be a later crossing */
        if (run->crossing[e].theta > 1.001 * first->theta + 1e-6) continue;
        if (run->crossing[e].side * r >= 0.0 || fabs(r) <= noise_at_end(run, e)) continue;
        *first = run->crossing[e];
        return true;
    }
    return false;
}

/* ---- the events of a step ------------------------------------------------------------------- */

/* An event exactly at the end of the horizon does not happen any more. */
static bool at_the_end(saltus_run *run, const sal_crossing *crossing)
{
    if (!is_end(run, run->cursor.t + crossing->theta * run->motion.step.h)) return false;
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

/* The crossing is at the very start of the step: nothing moves before it. */
static bool is_now(const saltus_run *run, const sal_crossing *crossing)
{
    return run->cursor.t + crossing->theta * run->motion.step.h == run->cursor.t;
}

/* The step is not taken: a shorter one is tried. False: it is short enough. */
static bool shorten(saltus_run *run)
{
    if (run->motion.step.h <= 1e-10 * (run->t_end - run->t0)) return false;
    run->cursor.h = 0.1 * run->motion.step.h;
    return true;
}

/* What was just let go comes back at once: a hop that is too low for a step of this length, most
 * likely. */
static bool came_too_soon(saltus_run *run, const sal_crossing *crossing)
{
    return run->cursor.watch[crossing->event].band > 0.0 && shorten(run);
}

static bool rests_now(saltus_run *run, const sal_crossing *crossing)
{
    return sal_watch_rests(run, crossing->event, run->cursor.t, run->cursor.x);
}

static bool rests_at_end(saltus_run *run, const sal_crossing *crossing, double full)
{
    const sal_step         *step = &run->motion.step;
    const sal_guard_sample *end = &run->locator.now[crossing->event];
    /* what a survey saw move that fast need not be looked at */
    if (run->screen == SAL_SCREEN_SIMPLE &&
        fabs(end->slope) * full > 1e-6 * run->cursor.watch[crossing->event].largest)
        return false;
    return sal_watch_rests(run, crossing->event, sal_step_time(step), step->x1);
}

/* Behind a search that found no event: a guard whose end is on another side than the search has it
 * was not followed well. */
static bool is_lost(saltus_run *run)
{
    const sal_regime *regime = run->cursor.regime;
    if (run->screen != SAL_SCREEN_UNSURE) return false;
    sal_watch_look(run, -1);
    for (int i = 0; i < regime->events; i++) {
        const int              e = regime->event[i];
        const sal_guard_state *watch = &run->cursor.watch[e];
        const int              kink = run->system->event[e].kink;
        if (run->system->event[e].guard_is_clock || watch->side == 0) continue;
        if (kink >= 0 && run->system->kink[kink].continuous) continue; /* it may wait to be seen */
        const double r = run->locator.now[e].r;
        if (run->locator.side[e] * r < 0.0 && fabs(r) > sal_watch_band(watch, run->locator.share) &&
            fabs(r) > noise_at_end(run, e))
            return true;
    }
    return false;
}

saltus_status sal_crossing_meet(saltus_run *run, bool last, saltus_error *err)
{
    sal_crossing crossing;
    sal_locator *locator = &run->locator;
    const double full = run->motion.step.h;
    const bool   found = first_crossing(run, &crossing);
    warn_unresolved(run);
    if (locator->undefined >= 0 && !(found && crossing.theta <= locator->undefined_at)) {
        fail_undefined(run);
        return SALTUS_OK;
    }
    if (!found && is_lost(run) && shorten(run)) return SALTUS_OK;
    if (!found || at_the_end(run, &crossing)) {
        find_sides(run, NULL);
        take_sides(run);
        note_near_misses(run);
        return sal_advance_accept(run, last, err);
    }
    run->r_ddot = run->screen == SAL_SCREEN_SIMPLE
                      ? sal_locator_r_ddot(locator, &run->motion.step, crossing.event)
                      : INFINITY;
    sal_locator_forget(locator); /* the step becomes shorter */
    if (is_now(run, &crossing)) {
        if (came_too_soon(run, &crossing) || rests_now(run, &crossing)) return SALTUS_OK;
        return sal_instant_now(run, &crossing, err);
    }
    find_sides(run, &crossing);
    bool there = reach(run, &crossing, full);
    for (int i = 0; i < run->cursor.regime->events && overtaken(run, &crossing); i++)
        there = reach(run, &crossing, full);
    cut(&locator->touch.theta, &locator->touch.event, full, run->motion.step.h);
    cut(&locator->missed.theta, &locator->missed.event, full, run->motion.step.h);
    if (run->finished) return SALTUS_OK;
    if (there && rests_at_end(run, &crossing, full))
        return SALTUS_OK; /* nothing is to be seen of it */
    note_near_misses(run);
    take_sides(run);
    if (!there) return sal_advance_accept(run, false, err);
    if (run->cursor.regime->constrained) sal_singular_watch(run);
    if (run->finished) return SALTUS_OK;
    return sal_instant_run(run, &crossing, err);
}
