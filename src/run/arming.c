/* Decides on which side each guard is after an event and at the end of a step, and which further
 * events happen at this instant because a guard was thrown across zero: see arming.h. */
#include "run/arming.h"

#include <math.h>
#include <string.h>

#include "run/contacts.h"
#include "run/guards.h"
#include "run/history.h"
#include "run/outcome.h"

/* The slip of a contact that others hold at zero is off by at most this many tolerances. */
static const double DRIFT = 1e2;

bool sal_events_share_guard(const saltus_system *system, int event, int other)
{
    return other >= 0 && system->event[event].user >= 0 &&
           sal_event_source(system, event)->when == sal_event_source(system, other)->when;
}

static bool was_active(const sal_regime *before, int event)
{
    return before && before->possible[event];
}

/* Whether a value of the guard is zero within rounding. */
static bool is_zero(saltus_run *run, int e, double r)
{
    return r == 0.0 || fabs(r) <= sal_guard_rounding(run, e);
}

/* Whether the guard is at zero because its event has happened at this instant and nothing has moved
 * since. The guard may then be as far from zero as it was when the event fired. */
static bool has_just_fired(saltus_run *run, int e, double r, bool same)
{
    return same && run->cursor.repetition[e].last_time == run->cursor.t &&
           fabs(r) <= sal_guard_tolerance(run, e);
}

/* ---- messages ------------------------------------------------------------------------------- */

/* Warns that the guard is on the side to which it fires without having crossed zero. Errors add up
 * along the motion: the guard of a constraint that is released may be off by many times the error
 * of one step, which is no mistake of the model. */
static void warn_wrong_side(saltus_run *run, int e, double r, const sal_regime *before)
{
    const saltus_system      *system = run->system;
    const sal_compiled_event *event = &system->event[e];
    if (event->user < 0 || (run->outcome.warned[e] & SAL_WARNED_SIDE)) return;
    const sal_event *source = sal_event_source(system, e);
    const bool       thrown = was_active(before, e);
    if (source->enter == SALTUS_ENTER_WAIT && !event->guard_has_forces)
        return; /* the script says so; but contacts that pull are reported anyway */
    const bool changes = event->reset.restitution || source->to.count > 0 ||
                         (source->found && source->role == SAL_TOUCHES);
    if (!thrown && (!changes || (event->guard_has_speeds && !event->guard_has_forces))) return;
    if (sal_event_direction(event) != 0 && sal_sign(r) != sal_event_direction(event)) return;
    if (fabs(r) <= (before ? 1e3 : 1.0) * sal_guard_tolerance(run, e)) return;
    if (!sal_event_conditions(run, e)) return; /* the event would not happen there */
    const bool of_contact = source->contact != 0;
    run->outcome.warned[e] |= SAL_WARNED_SIDE;
    if (thrown)
        sal_run_warn(
            run,
            "at t = %.10g another event moves the guard of event '%s' suddenly %s zero (to %.3g): "
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
            of_contact ? "the surface that is touched (the free side of a line is on its left)"
                       : "the direction");
}

/* ---- guards at zero ------------------------------------------------------------------------- */

/* Whether the event leads to the modes of this regime. */
static bool leads_to(const saltus_run *run, int e, const sal_regime *regime)
{
    const saltus_model *model = run->system->model;
    const sal_modes    *to = &sal_event_source(run->system, e)->to;
    for (int i = 0; i < to->count; i++)
        if (regime->active[model->modes.data[to->mode[i]].group] != to->mode[i]) return false;
    return to->count > 0;
}

/* Ends the run if the motion slides: it has entered a mode where the guard of the event that leads
 * back is zero as well and already moves the way it fires, so both modes push towards the boundary
 * between them. */
static void check_sliding(saltus_run *run, int e, int last, int way, const sal_regime *before)
{
    const sal_compiled_event *event = &run->system->event[e];
    if (last < 0 || run->cursor.regime == before || !leads_to(run, e, before)) return;
    if (run->instant.caused[last] == SAL_THROWN) return; /* the motion did not push it back */
    if (way == 0 || way != sal_event_direction(event) || event->guard_has_forces) return;
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
    return sal_locator_direction(&run->locator, e, run->cursor.t, run->cursor.x,
                                 sal_run_short_time(run));
}

/* Whether the event that has just happened changed velocities. */
static bool velocities_jumped(const saltus_run *run)
{
    const size_t n = (size_t)run->system->n;
    int          i = run->cursor.occurrences - 1; /* in a replay, the list has later ones */
    while (i > 0 && run->history.occurrences.data[i].told_from) i--;
    if (i < 0) return false;
    const sal_sides sides = sal_run_sides(run, i);
    return memcmp(sides.x_minus + n, sides.x_plus + n, n * sizeof(double)) != 0;
}

/* Whether the event released the constraint of the guard. If velocities jumped, a constraint on
 * velocities is not where it was: its value is no drift. */
static bool is_released(const saltus_run *run, int e, const sal_regime *before)
{
    const int j = run->system->event[e].constraint;
    if (j < 0 || !before || !before->on[j] || run->cursor.regime->on[j]) return false;
    return !run->system->model->constraints.data[j].velocity || !velocities_jumped(run);
}

/* Arms the guard of a released constraint. The drift of the constraint counts as zero until the
 * guard is seen beyond it, and so does the further drift due to its rate, which should be zero too.
 * Past the end of a surface there is nothing to touch. */
static void release(saltus_run *run, int e, int last, double r, double rate)
{
    sal_guard_state *watch = &run->cursor.watch[e];
    const bool       past = sal_contact_just_left(run->system, e, last) &&
                      sal_contact_has_role(run->system, last, SAL_ENDS);
    watch->side = (past ? 1 : -1) * sal_event_direction(&run->system->event[e]);
    if (watch->side == 0) watch->side = way_of(run, e);
    watch->offset = r;
    watch->firm = watch->band = 2.0 * fabs(r);
    if (velocities_jumped(run)) return; /* an impact released it: its rate is no drift */
    watch->firm += fabs(rate) * (run->t_end - run->cursor.t);
    watch->band = fmax(watch->band, sal_guard_tolerance(run, e));
}

/* Whether constraints that were released have held the guard at zero: neither its value nor its
 * rate is more than drift, so it is not known yet in which direction it moves. */
static bool was_held(saltus_run *run, int e, double rate, const sal_regime *before)
{
    const sal_regime *now = run->cursor.regime;
    bool              released = false;
    for (int j = 0; j < run->system->model->constraints.count && before && !released; j++)
        released = before->on[j] && !now->on[j];
    return released && fabs(rate) <= sal_guard_rate_drift(run, e, run->cursor.t, run->cursor.x);
}

/* Arms a guard for the first time where it is zero. A reaction force that is zero counts as
 * pressing until it is seen to pull. */
static void enter_at_zero(saltus_run *run, int e, int last, double rate, const sal_regime *before)
{
    const sal_compiled_event *event = &run->system->event[e];
    sal_guard_state          *watch = &run->cursor.watch[e];
    if (sal_is_barrier(run->system, e) && !sal_contact_just_left(run->system, e, last)) {
        sal_barrier_touch(run, e, rate, last >= 0);
        return;
    }
    watch->side = -sal_event_direction(event);
    if (event->guard_has_forces && watch->side != 0) return;
    if (sal_event_source(run->system, e)->timed) return; /* its event happens at once */
    if (watch->side != 0 && was_held(run, e, rate, before)) {
        release(run, e, last, run->locator.now[e].r, rate);
        return;
    }
    const int way = way_of(run, e);
    check_sliding(run, e, last, way, before);
    if (way != 0) watch->side = way;
}

/* Arms the guard of an event that has just happened, or that happened at this instant before
 * another one. The guard of a barrier stays on the side from which it came even if rounding gives
 * its rate the wrong sign: the other side is inside the barrier. */
static void leave_own(saltus_run *run, int e, double rate, double rate_before)
{
    sal_guard_state *watch = &run->cursor.watch[e];
    const int        way = sal_event_direction(&run->system->event[e]);
    const int        into = way ? way : sal_sign(rate_before);
    if (fabs(rate) > 1e-6 * fabs(rate_before) && sal_sign(rate) != 0 &&
        !(sal_is_barrier(run->system, e) && sal_sign(rate) == into)) {
        watch->side = sal_sign(rate);
        return;
    }
    if (sal_is_barrier(run->system, e)) {
        sal_barrier_touch(run, e, rate, false);
        return;
    }
    const int next = way_of(run, e);
    watch->side = next != 0 ? next : -watch->side;
}

/* ---- guards thrown across zero -------------------------------------------------------------- */

/* Whether the event fires if its guard is found past zero without having crossed it. */
static bool fires_on_entry(saltus_run *run, int e, int last, double r)
{
    const sal_compiled_event *event = &run->system->event[e];
    if (event->user < 0) return false;
    const sal_event *source = sal_event_source(run->system, e);
    if (source->enter != SALTUS_ENTER_DEFAULT) return source->enter == SALTUS_ENTER_FIRE;
    if (sal_contact_just_left(run->system, e, last)) return false;
    if (event->guard_needs_a) return true;
    if (!source->contact || last < 0) return false;
    /* a contact can close only where it touches */
    return event->reset.restitution || fabs(r) <= 1e3 * sal_guard_tolerance(run, e);
}

/* Whether a jump of the guard is only the whole turn by which an angle jumps at its cut. That is no
 * motion, so the guard is not thrown across zero. Guards with accelerations are excluded, since
 * forces may really jump there (as with mod()), and so are events with enter = "fire". */
static bool is_turn(const saltus_system *system, int e, int last)
{
    const int kink = last < 0 ? -1 : system->event[last].kink;
    return kink >= 0 && system->kink[kink].op == SAL_OP_ATAN2 && !system->event[e].guard_needs_a &&
           sal_event_source(system, e)->enter != SALTUS_ENTER_FIRE;
}

/* Handles a guard found past zero without having crossed it: its event becomes pending, or a
 * warning is given. */
static void found_beyond(saltus_run *run, int e, int last, double r, const sal_regime *before)
{
    const sal_compiled_event *event = &run->system->event[e];
    const int                 firing = sal_event_direction(event);
    const bool                crosses = firing == 0 ? was_active(before, e) : sal_sign(r) == firing;
    if (event->kink >= 0 || !crosses || is_turn(run->system, e, last)) return;
    if (!fires_on_entry(run, e, last, r)) {
        if (!sal_contact_just_left(run->system, e, last)) warn_wrong_side(run, e, r, before);
        return;
    }
    if (!sal_event_conditions(run, e)) return;
    if (last < 0 && sal_contact_has_role(run->system, e, SAL_LEAVES)) {
        sal_run_finish_at(run, event, SALTUS_VIOLATED,
                          ": the contact starts closed, but does not push (its multiplier is %.3g, "
                          "and negative where it does); let it start open",
                          r);
        return;
    }
    run->cursor.watch[e].thrown = last < 0;
    run->instant.pending[e] = 1;
    run->instant.caused[e] = SAL_THROWN;
}

/* ---- all guards ----------------------------------------------------------------------------- */

/* Whether the event would end a mode that the run has just found. The conditions of that mode hold
 * to the rounding of the impact that led to it, so a guard slightly past zero has not crossed. */
static bool ends_found_mode(saltus_run *run, int e, double r)
{
    const sal_event       *source = sal_event_source(run->system, e);
    const sal_contact_role role = source->role;
    if (!source->found || role == SAL_TOUCHES || role == SAL_ENDS || role == SAL_RESTS)
        return false;
    const bool past = r * sal_event_direction(&run->system->event[e]) >= 0.0;
    return (past && fabs(r) <= 1e3 * sal_guard_tolerance(run, e)) ||
           (role == SAL_STOPS && (is_zero(run, e, r) || sal_contacts_is_jammed(run, e)));
}

/* Puts a guard (ends_found_mode) on the side from which it fires; its value counts as zero. */
static void hold_side(saltus_run *run, int e, double r)
{
    sal_guard_state *watch = &run->cursor.watch[e];
    watch->side = -sal_event_direction(&run->system->event[e]);
    watch->offset = r;
    watch->firm = watch->band = 2.0 * fabs(r);
    if (!sal_contact_has_role(run->system, e, SAL_STOPS)) return;
    if (sal_contacts_is_jammed(run, e)) /* other contacts hold its slip at zero; else it grows */
        watch->firm = watch->band =
            fmax(watch->band, DRIFT * sal_locator_widest(&run->locator, true));
    else watch->band = fmax(watch->band, sal_guard_tolerance(run, e));
}

/* Takes the side on which the guard is seen and forgets earlier drift. */
static void take_side(sal_guard_state *watch, double r)
{
    watch->side = sal_sign(r);
    watch->offset = watch->band = 0.0;
}

/* Whether the event is still to happen at this instant, so that its guard is armed later. */
static bool is_waiting(saltus_run *run, int e, double r)
{
    const sal_guard_state *watch = &run->cursor.watch[e];
    if (run->instant.caused[e] == SAL_JOINED) run->instant.pending[e] = 0; /* to be decided anew */
    if (run->instant.caused[e] == SAL_THROWN && sal_sign(r) != watch->side)
        run->instant.pending[e] = 0;
    return run->instant.pending[e];
}

/* The event that has just happened. thrown: its own guard was not at zero. */
typedef struct happened {
    int               event;  /* -1: none, at the start */
    const sal_regime *before; /* the regime that it left */
    double            rate;   /* the rate of its guard before the event */
    bool              thrown;
} happened;

static void arm_one(saltus_run *run, int e, const happened *h)
{
    const int            last = h->event;
    const sal_regime    *before = h->before;
    const saltus_system *system = run->system;
    sal_guard_state     *watch = &run->cursor.watch[e];
    const double         r = run->locator.now[e].r, rate = run->locator.now[e].slope;
    const bool watched = was_active(before, e), same = watched && r == run->instant.r_before[e];
    if (e == last || sal_events_share_guard(system, e, last)) watch->passed = false;
    if (system->event[e].kink >= 0) {
        watch->side = run->cursor.c[system->nm_user + system->event[e].kink] > 0.0 ? 1 : -1;
    } else if (is_released(run, e, before)) {
        release(run, e, last, r, rate);
    } else if (e == last) {
        if ((same && !h->thrown) || is_zero(run, e, r)) leave_own(run, e, rate, h->rate);
        else take_side(watch, r);
    } else if (is_waiting(run, e, r)) {
        return;
    } else if (ends_found_mode(run, e, r)) {
        hold_side(run, e, r);
    } else if (is_zero(run, e, r) || has_just_fired(run, e, r, same)) {
        if (!watched) enter_at_zero(run, e, last, rate, before);
        else if (!h->thrown && sal_events_share_guard(system, e, last))
            leave_own(run, e, rate, h->rate);
        else if (sal_is_barrier(system, e) && !sal_contact_just_left(system, e, last))
            sal_barrier_touch(run, e, rate, true);
        else if (run->cursor.repetition[e].last_time == run->cursor.t)
            leave_own(run, e, rate, rate);
    } else if (!same && sal_sign(r) != watch->side) {
        if (!watched || watch->side != 0) found_beyond(run, e, last, r, before);
        take_side(watch, r);
    }
}

/* Clears the state of guards that were not active before, and the drift of the guard that fired. A
 * barrier keeps its drift until its guard is seen beyond it: a bounce begins where the constraint
 * ended. */
static void forget_old(saltus_run *run, int fired, const sal_regime *before)
{
    const sal_regime *regime = run->cursor.regime;
    for (int i = 0; i < regime->events; i++) {
        const int        e = regime->event[i];
        sal_guard_state *watch = &run->cursor.watch[e];
        if (was_active(before, e) && (e != fired || sal_is_barrier(run->system, e))) continue;
        watch->offset = watch->band = 0.0;
        watch->passed = false;
        if (e == fired) continue;
        watch->scale = 0.0;
        watch->side = 0;
    }
}

static void arm_all(saltus_run *run, const happened *h)
{
    const saltus_system *system = run->system;
    const sal_cursor    *cursor = &run->cursor;
    if (cursor->regime->events == 0) return;
    forget_old(run, h->event, h->before);
    double *k = SCRATCH_NEW(&run->scratch, 2 * system->n, double);
    if (h->event < 0) sal_field_eval(&run->locator.field, cursor->t, cursor->x, k, NULL);
    else sal_copy(k, run->jump.k_after, 2 * system->n);
    sal_locator_rates(&run->locator, cursor->t, cursor->x, k + system->n);
    sal_scratch_release(&run->scratch, k);
    for (int i = 0; i < cursor->regime->events && !run->outcome.finished; i++) {
        const int        e = cursor->regime->event[i];
        sal_guard_state *watch = &run->cursor.watch[e];
        const double     r = run->locator.now[e].r; /* a copy, as arming may change it */
        arm_one(run, e, h);
        watch->largest = fmax(watch->largest, fabs(r));
        watch->scale = fmax(watch->scale, fabs(r));
    }
}

void sal_arm_at_start(saltus_run *run)
{
    memset(run->instant.pending, 0, (size_t)run->system->events);
    memset(run->instant.caused, 0, (size_t)run->system->events);
    arm_all(run, &(happened){.event = -1});
}

void sal_arm_after_event(saltus_run *run, int fired, const sal_regime *before, double rate)
{
    arm_all(run, &(happened){fired, before, rate, run->instant.caused[fired] >= SAL_JOINED});
}

void sal_arm_before_event(saltus_run *run)
{
    const sal_cursor *cursor = &run->cursor;
    if (cursor->regime->events == 0) return;
    sal_locator_values(&run->locator, cursor->t, cursor->x, -1);
    for (int i = 0; i < cursor->regime->events; i++)
        run->instant.r_before[cursor->regime->event[i]] =
            run->locator.now[cursor->regime->event[i]].r;
}

/* Whether a guard is seen on the other side at the end of a step, by more than rounding. Its event
 * did not fire because of its direction, its conditions, or a pole of the guard. */
static bool is_seen(saltus_run *run, int e, double r)
{
    const sal_step *step = &run->motion.step;
    if (!(fabs(r) > sal_watch_band(&run->cursor.watch[e], run->locator.share))) return false;
    return fabs(r) >
           sal_locator_noise_after(&run->locator, e, sal_step_time(step), step->x1, step->h);
}

void sal_arm_evaluate(saltus_run *run, int known)
{
    if (known >= 0 && run->cursor.regime->events == 1) return;
    sal_locator_see_end(&run->locator, &run->motion.step, known);
}

void sal_arm_at_step_end(saltus_run *run)
{
    const sal_regime *regime = run->cursor.regime;
    for (int i = 0; i < regime->events; i++) {
        const int        e = regime->event[i];
        sal_guard_state *watch = &run->cursor.watch[e];
        const double     r = run->locator.now[e].r;
        run->instant.r_before[e] = r; /* for an event at the end of the step */
        const double size = fabs(r), half = 0.5 * watch->scale;
        if (size > watch->largest) watch->largest = size;
        watch->scale = size > half ? size : half;
        if (watch->band > 0.0 && watch->side * r > sal_watch_band(watch, run->locator.share))
            watch->offset = watch->band = 0.0;
        if (watch->side * r <= 0.0 && r != 0.0 && run->system->event[e].kink < 0 &&
            !run->instant.pending[e] && is_seen(run, e, r)) {
            sal_barrier_pass(run, e, r);
            watch->side = sal_sign(r);
        }
        if (watch->passed && !run->instant.pending[e]) sal_barrier_watch(run, e, r);
    }
}
