/* The known sides of guards: see watch.h. */
#include "run/watch.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "motion/guard.h"
#include "run/instant.h"

/* ---- small things --------------------------------------------------------------------------- */

static int sign_of(double r) { return (r > 0.0) - (r < 0.0); }

double sal_watch_time(const saltus_run *run)
{
    const double horizon = run->t_end - run->t0;
    return run->cursor.h > 0.0 ? fmin(run->cursor.h, horizon) : 1e-3 * horizon;
}

int sal_watch_firing(const sal_event_system *event)
{
    return event->direction == SALTUS_ANY ? 0 : event->direction == SALTUS_RISING ? 1 : -1;
}

/* The contact an event belongs to; 0: none. And what it is in it. */
static int contact_of(const saltus_system *system, int event)
{
    const int user = system->event[event].user;
    return user < 0 ? 0 : system->model->events.data[user].contact;
}

static bool has_role(const saltus_system *system, int event, sal_contact_role role)
{
    return contact_of(system, event) &&
           system->model->events.data[system->event[event].user].role == role;
}

bool sal_watch_closes(const saltus_system *system, int event)
{
    return has_role(system, event, SAL_TOUCHES) && !system->event[event].reset.restitution;
}

bool sal_watch_shares(const saltus_system *system, int event, int other)
{
    const sal_event *events = system->model->events.data;
    if (other < 0 || system->event[event].user < 0 || system->event[other].user < 0) return false;
    return events[system->event[event].user].when == events[system->event[other].user].when;
}

/* Nothing may pass through it: an impact, or a contact that closes. */
static bool is_barrier(const saltus_system *system, int event)
{
    return system->event[event].reset.restitution || sal_watch_closes(system, event);
}

static bool was_active(const sal_regime *before, int event)
{
    return before && before->possible[event];
}

/* The contact of e has just been left by the event `last`. */
static bool just_left(const saltus_system *system, int e, int last)
{
    return last >= 0 && contact_of(system, e) &&
           contact_of(system, e) == contact_of(system, last) &&
           !has_role(system, last, SAL_TOUCHES);
}

static double tolerance_of(saltus_run *run, int e)
{
    return sal_locator_tolerance(&run->locator, e, run->cursor.t, run->cursor.x);
}

/* Whether a value of the guard is zero within rounding. */
static bool is_zero(saltus_run *run, int e, double r)
{
    return r == 0.0 ||
           fabs(r) <= sal_locator_rounding(&run->locator, e, run->cursor.t, run->cursor.x);
}

/* ---- messages ------------------------------------------------------------------------------- */

/* The guard is on the side to which it fires, and has not crossed zero to get there. Along the
 * motion errors add up: a constraint that held until now, and is left, may be off by many times
 * what one step may err, and that is nobody's mistake. */
static void warn_wrong_side(saltus_run *run, int e, double r, const sal_regime *before)
{
    const saltus_system    *system = run->system;
    const sal_event_system *event = &system->event[e];
    double                  nearest;
    if (event->user < 0 || (run->warned[e] & SAL_WARNED_SIDE)) return;
    const sal_event *source = &system->model->events.data[event->user];
    const bool       thrown = was_active(before, e);
    if (source->enter == SALTUS_ENTER_WAIT && !event->guard_has_forces)
        return; /* as the script says; a contact that pulls is told of all the same */
    const bool changes = event->reset.restitution || source->to.count > 0;
    if (!thrown && (!changes || (event->guard_has_speeds && !event->guard_has_forces))) return;
    if (sal_watch_firing(event) != 0 && sign_of(r) != sal_watch_firing(event)) return;
    if (fabs(r) <= (before ? 1e3 : 1.0) * tolerance_of(run, e)) return;
    if (!sal_locator_conditions(&run->locator, e, run->cursor.t, run->cursor.x, &nearest))
        return; /* it would not happen there anyway */
    const bool of_contact = source->contact || source->role == SAL_BOUNCES;
    run->warned[e] |= SAL_WARNED_SIDE;
    if (thrown)
        sal_run_warn(
            run,
            "at t = %.10g another event throws the guard of event '%s' %s zero (to %.3g): "
            "it has not crossed, so the event does not happen; give it enter = \"fire\" if "
            "it should, or enter = \"wait\" if not",
            run->cursor.t, event->name, r < 0.0 ? "below" : "above", r);
    else
        sal_run_warn(
            run,
            "at t = %.10g%s%s%s the guard of event '%s' is already %s zero: the event waits until "
            "it has come back; give it enter = \"fire\" if it should happen at once, check the "
            "start values, or %s",
            run->cursor.t, run->cursor.regime->name ? ", entering mode '" : "",
            run->cursor.regime->name ? run->cursor.regime->name : "",
            run->cursor.regime->name ? "'," : "", event->name, r < 0.0 ? "below" : "above",
            of_contact ? "what is touched (a line is free to its left)" : "the direction");
}

static void sink(saltus_run *run, int e, bool resting)
{
    const char *name = run->system->event[e].name;
    if (resting && run->cursor.shrinking[e] > 0) sal_instant_zeno(run, e, run->cursor.t);
    else if (contact_of(run->system, e) && run->cursor.count[e] > 0)
        sal_run_finish(run, SALTUS_SINKING,
                       "event '%s' at t = %.10g: the contact bounces so weakly that it is back "
                       "before it has left; with restitution = 0 it comes to rest at once",
                       name, run->cursor.t);
    else if (contact_of(run->system, e))
        sal_run_finish(run, SALTUS_SINKING,
                       "event '%s' at t = %.10g: the contact is open, but touches and %s; give it "
                       "start = \"closed\", or start it with a gap, or moving away",
                       name, run->cursor.t, resting ? "is pressed" : "moves further in");
    else if (resting)
        sal_run_finish(
            run, SALTUS_SINKING,
            "event '%s' at t = %.10g: a resting contact, the body would sink into what it "
            "touches; a restitution law alone cannot hold it: end the run there (stop = "
            "true), or give the rest a mode of its own",
            name, run->cursor.t);
    else
        sal_run_finish(run, SALTUS_SINKING,
                       "event '%s' at t = %.10g: in contact and moving further into it, the body "
                       "would sink; start it with a gap, or moving away, and keep restitution >= 0",
                       name, run->cursor.t);
}

/* ---- guards at zero ------------------------------------------------------------------------- */

/* What comes of its acceleration, as far as that is more than rounding, until the end of the run is
 * more than the tolerance leaves open, a thousand times: errors add up. */
static bool is_pressed(saltus_run *run, int e, int into)
{
    const double left = run->t_end - run->cursor.t;
    const double bend =
        sal_locator_pull(&run->locator, e, run->cursor.t, run->cursor.x, sal_watch_time(run));
    return into * bend * left * left > 2e3 * tolerance_of(run, e);
}

/* Below this, the rate of an impact's guard at (t, x) is rounding: of itself, or of what the guard
 * has been. */
static double slowest(saltus_run *run, int e, double t, const double *x)
{
    const double known = run->cursor.watch[e].largest / sal_watch_time(run);
    return fmax(sal_locator_noise(&run->locator, e, t, x).rate,
                64.0 * DBL_EPSILON * fmax(known, run->fastest));
}

bool sal_watch_rests(saltus_run *run, int e, double t, const double *x)
{
    sal_guard_state *watch = &run->cursor.watch[e];
    double           rate;
    if (!run->system->event[e].reset.restitution || watch->band > 0.0) return false;
    /* such guards are of positions: accelerations are not looked at */
    sal_locator_guard(&run->locator, e, t, x, run->slope + run->system->n, &rate);
    if (fabs(rate) * sal_watch_time(run) > 1e-6 * watch->largest) return false;
    if (fabs(rate) > slowest(run, e, t, x) || is_pressed(run, e, -watch->side)) return false;
    watch->band = watch->firm = tolerance_of(run, e);
    return true;
}

/* A barrier that is touched, and does not move away from it: it fires at once, or the body sinks.
 * One that neither moves nor presses rests there; what it does within the tolerance is nothing. */
static void check_barrier(saltus_run *run, int e, double rate, bool may_fire)
{
    const sal_event_system *event = &run->system->event[e];
    sal_guard_state        *watch = &run->cursor.watch[e];
    const int               into = sal_watch_firing(event) ? sal_watch_firing(event) : -watch->side;
    const bool              resting = fabs(rate) <= slowest(run, e, run->cursor.t, run->cursor.x);
    double                  nearest;
    watch->side = -into;
    if (!resting && sign_of(rate) != into) return;
    if (resting && !is_pressed(run, e, into)) {
        watch->band = watch->firm = tolerance_of(run, e);
        return;
    }
    if (!sal_locator_conditions(&run->locator, e, run->cursor.t, run->cursor.x, &nearest)) {
        watch->side = into; /* beside the table: nothing to hit */
        return;
    }
    if (!may_fire || (resting && !sal_watch_closes(run->system, e))) {
        sink(run, e, resting);
        return;
    }
    run->pending[e] = 1;
    run->caused[e] = resting ? SAL_JOINED : SAL_CAUSED;
}

/* The modes an event leads to. */
static bool leads_to(const saltus_run *run, int e, const sal_regime *regime)
{
    const saltus_model *model = run->system->model;
    if (run->system->event[e].user < 0) return false;
    const sal_modes *to = &model->events.data[run->system->event[e].user].to;
    for (int i = 0; i < to->count; i++)
        if (regime->active[model->modes.data[to->mode[i]].group] != to->mode[i]) return false;
    return to->count > 0;
}

/* A mode entered where the way back is at zero as well and already moves the way it would fire: on
 * both sides the motion pushes back. */
static void check_sliding(saltus_run *run, int e, int last, int way, const sal_regime *before)
{
    const sal_event_system *event = &run->system->event[e];
    if (last < 0 || run->cursor.regime == before || !leads_to(run, e, before)) return;
    if (way == 0 || way != sal_watch_firing(event) || event->guard_has_forces) return;
    sal_run_finish(
        run, SALTUS_STICKING,
        "sticking or sliding at t = %.10g: event '%s' enters mode '%s', where the guard of "
        "event '%s', which leads back, is zero too and already %s: the two modes push "
        "against each other; give that phase a mode of its own",
        run->cursor.t, run->system->event[last].name, run->cursor.regime->name, event->name,
        way > 0 ? "rising" : "falling");
}

static int way_of(saltus_run *run, int e)
{
    return sal_locator_way(&run->locator, e, run->cursor.t, run->cursor.x, sal_watch_time(run));
}

/* Watched for the first time, from where it is zero. A reaction that is zero holds, as long as it
 * is not seen to pull. */
static void enter_at_zero(saltus_run *run, int e, int last, double rate, const sal_regime *before)
{
    const sal_event_system *event = &run->system->event[e];
    sal_guard_state        *watch = &run->cursor.watch[e];
    if (is_barrier(run->system, e) && !just_left(run->system, e, last)) {
        check_barrier(run, e, rate, last >= 0);
        return;
    }
    watch->side = -sal_watch_firing(event);
    if (event->guard_has_forces && watch->side != 0) return;
    const int way = way_of(run, e);
    check_sliding(run, e, last, way, before);
    if (way != 0) watch->side = way;
}

/* The guard of an event that has just happened, or did so before the last one at this instant. */
static void leave_own(saltus_run *run, int e, double rate, double rate_before)
{
    sal_guard_state *watch = &run->cursor.watch[e];
    if (fabs(rate) > 1e-6 * fabs(rate_before) && sign_of(rate) != 0 &&
        !(is_barrier(run->system, e) && sign_of(rate) == sign_of(rate_before))) {
        watch->side = sign_of(rate);
        return;
    }
    if (is_barrier(run->system, e)) {
        check_barrier(run, e, rate, false);
        return;
    }
    const int way = way_of(run, e);
    watch->side = way != 0 ? way : -watch->side;
}

/* ---- guards thrown across zero -------------------------------------------------------------- */

/* Whether the event happens where its guard is found beyond zero, without having crossed it. */
static bool fires_on_entry(saltus_run *run, int e, int last, double r)
{
    const sal_event_system *event = &run->system->event[e];
    if (event->user < 0) return false;
    const sal_event *source = &run->system->model->events.data[event->user];
    if (source->enter != SALTUS_ENTER_DEFAULT) return source->enter == SALTUS_ENTER_FIRE;
    if (just_left(run->system, e, last)) return false;
    if (event->guard_needs_a) return true;
    const bool of_contact = source->contact || source->role == SAL_BOUNCES;
    if (!of_contact || last < 0) return false;
    /* one that closes can do so only where it touches */
    return event->reset.restitution || fabs(r) <= 1e3 * tolerance_of(run, e);
}

/* The cut of an angle: what contains the angle jumps by a turn there, and that is nothing. */
static bool is_cut(const saltus_system *system, int event)
{
    const int kink = event < 0 ? -1 : system->event[event].kink;
    return kink >= 0 && system->kink[kink].op == SAL_OP_ATAN2;
}

static void found_beyond(saltus_run *run, int e, int last, double r, const sal_regime *before)
{
    const sal_event_system *event = &run->system->event[e];
    const int               firing = sal_watch_firing(event);
    double                  nearest;
    const bool              crosses = firing == 0 ? was_active(before, e) : sign_of(r) == firing;
    if (event->kink >= 0 || !crosses || is_cut(run->system, last)) return;
    if (!fires_on_entry(run, e, last, r)) {
        if (!just_left(run->system, e, last)) warn_wrong_side(run, e, r, before);
        return;
    }
    if (!sal_locator_conditions(&run->locator, e, run->cursor.t, run->cursor.x, &nearest)) return;
    if (last < 0 && has_role(run->system, e, SAL_LEAVES)) {
        sal_run_finish(run, SALTUS_VIOLATED,
                       "event '%s' at t = %.10g: the contact starts closed, but does not push (its "
                       "multiplier is %.3g, and negative where it does); let it start open",
                       event->name, run->cursor.t, r);
        return;
    }
    run->cursor.watch[e].thrown = last < 0;
    run->pending[e] = 1;
    run->caused[e] = SAL_THROWN;
}

/* ---- all of them ---------------------------------------------------------------------------- */

/* The guard is that of a constraint which was held and is so no more. */
static bool is_released(const saltus_run *run, int e, const sal_regime *before)
{
    const int j = run->system->event[e].constraint;
    return j >= 0 && before && before->on[j] && !run->cursor.regime->on[j];
}

/* What it has drifted is zero for its guard, until it is seen beyond that, and so is what comes of
 * its rate, which should be zero too. Past the end of a table there is nothing that could be
 * touched. */
static void release(saltus_run *run, int e, int last, double r, double rate)
{
    sal_guard_state *watch = &run->cursor.watch[e];
    const bool past = just_left(run->system, e, last) && has_role(run->system, last, SAL_ENDS);
    watch->side = (past ? 1 : -1) * sal_watch_firing(&run->system->event[e]);
    if (watch->side == 0) watch->side = way_of(run, e);
    watch->offset = r;
    watch->firm = 2.0 * fabs(r) + fabs(rate) * (run->t_end - run->cursor.t);
    watch->band = fmax(2.0 * fabs(r), tolerance_of(run, e));
}

/* Seen there: whatever was known of it before is over. */
static void take_side(sal_guard_state *watch, double r)
{
    watch->side = sign_of(r);
    watch->offset = watch->band = 0.0;
}

/* An event that is to happen at this instant and still is: nothing is to be decided of its guard.
 */
static bool is_waiting(saltus_run *run, int e, double r)
{
    const sal_guard_state *watch = &run->cursor.watch[e];
    if (run->caused[e] == SAL_JOINED) run->pending[e] = 0; /* asked again */
    if (run->caused[e] == SAL_THROWN && sign_of(r) != watch->side) run->pending[e] = 0;
    return run->pending[e];
}

/* The event that has happened: its guard was at zero, unless it was thrown beyond. */
typedef struct happened {
    int               event; /* -1: none, this is the start */
    const sal_regime *before;
    double            rate;
    bool              thrown;
} happened;

static void watch_one(saltus_run *run, int e, const happened *h)
{
    const int            last = h->event;
    const sal_regime    *before = h->before;
    const saltus_system *system = run->system;
    sal_guard_state     *watch = &run->cursor.watch[e];
    const double         r = run->locator.now[e].r, rate = run->locator.now[e].slope;
    const bool           watched = was_active(before, e), same = watched && r == run->r_before[e];
    if (system->event[e].kink >= 0) {
        watch->side = run->cursor.c[system->nm_user + system->event[e].kink] > 0.0 ? 1 : -1;
    } else if (is_released(run, e, before)) {
        release(run, e, last, r, rate);
    } else if (e == last) {
        if ((same && !h->thrown) || is_zero(run, e, r)) leave_own(run, e, rate, h->rate);
        else take_side(watch, r);
    } else if (is_waiting(run, e, r)) {
        return;
    } else if (is_zero(run, e, r)) {
        if (!watched) enter_at_zero(run, e, last, rate, before);
        else if (is_barrier(system, e) && !just_left(system, e, last))
            check_barrier(run, e, rate, true);
        else if (!h->thrown && sal_watch_shares(system, e, last)) leave_own(run, e, rate, h->rate);
        else if (run->cursor.last_time[e] == run->cursor.t) leave_own(run, e, rate, rate);
    } else if (!same && sign_of(r) != watch->side) {
        if (!watched || watch->side != 0) found_beyond(run, e, last, r, before);
        take_side(watch, r);
    }
}

/* Guards that are watched anew know nothing of what was before. */
static void forget_old(saltus_run *run, int fired, const sal_regime *before)
{
    const sal_regime *regime = run->cursor.regime;
    for (int i = 0; i < regime->events; i++) {
        const int        e = regime->event[i];
        sal_guard_state *watch = &run->cursor.watch[e];
        if (was_active(before, e) && e != fired) continue;
        watch->offset = watch->band = 0.0;
        if (e == fired) continue;
        watch->scale = 0.0;
        watch->side = 0;
    }
}

static void watch_all(saltus_run *run, const happened *h)
{
    const saltus_system *system = run->system;
    const sal_cursor    *cursor = &run->cursor;
    if (cursor->regime->events == 0) return;
    forget_old(run, h->event, h->before);
    if (h->event < 0) sal_field_eval(&run->locator.field, cursor->t, cursor->x, run->slope, NULL);
    else memcpy(run->slope, run->jump.k_after, 2 * (size_t)system->n * sizeof(double));
    sal_locator_rates(&run->locator, cursor->t, cursor->x, run->slope + system->n);
    for (int i = 0; i < cursor->regime->events && !run->finished; i++) {
        const int        e = cursor->regime->event[i];
        sal_guard_state *watch = &run->cursor.watch[e];
        const double     r = run->locator.now[e].r; /* looking for rounding may change it */
        watch_one(run, e, h);
        watch->largest = fmax(watch->largest, fabs(r));
        watch->scale = fmax(watch->scale, fabs(r));
    }
}

void sal_watch_start(saltus_run *run)
{
    memset(run->pending, 0, (size_t)run->system->events);
    memset(run->caused, 0, (size_t)run->system->events);
    watch_all(run, &(happened){.event = -1});
}

void sal_watch_event(saltus_run *run, int fired, const sal_regime *before, double rate)
{
    watch_all(run, &(happened){fired, before, rate, run->caused[fired] >= SAL_JOINED});
}

void sal_watch_note(saltus_run *run)
{
    const sal_cursor *cursor = &run->cursor;
    if (cursor->regime->events == 0) return;
    sal_locator_values(&run->locator, cursor->t, cursor->x, -1);
    for (int i = 0; i < cursor->regime->events; i++)
        run->r_before[cursor->regime->event[i]] = run->locator.now[cursor->regime->event[i]].r;
}

/* Seen on the other side at the end of a step without having fired: its direction is another one,
 * its conditions were not met, or it went through a pole. */
static bool is_seen(saltus_run *run, int e, double r)
{
    const sal_step *step = &run->motion.step;
    if (!(fabs(r) > sal_watch_band(&run->cursor.watch[e], run->locator.share))) return false;
    return fabs(r) >
           sal_locator_noise_after(&run->locator, e, sal_step_time(step), step->x1, step->h);
}

void sal_watch_look(saltus_run *run, int known)
{
    const sal_step *step = &run->motion.step;
    if (run->locator.end_seen || (known >= 0 && run->cursor.regime->events == 1)) return;
    sal_locator_values(&run->locator, sal_step_time(step), step->x1, known);
    run->locator.end_seen = true;
}

void sal_watch_step(saltus_run *run)
{
    const sal_regime *regime = run->cursor.regime;
    for (int i = 0; i < regime->events; i++) {
        const int        e = regime->event[i];
        sal_guard_state *watch = &run->cursor.watch[e];
        const double     r = run->locator.now[e].r;
        run->r_before[e] = r; /* if an event is at the end */
        const double size = fabs(r), half = 0.5 * watch->scale;
        if (size > watch->largest) watch->largest = size;
        watch->scale = size > half ? size : half;
        if (watch->band > 0.0 && watch->side * r > sal_watch_band(watch, run->locator.share))
            watch->offset = watch->band = 0.0;
        if (watch->side * r <= 0.0 && r != 0.0 && run->system->event[e].kink < 0 &&
            !run->pending[e] && is_seen(run, e, r))
            watch->side = sign_of(r);
    }
}
