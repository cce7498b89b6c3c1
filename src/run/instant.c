/* One instant.
 *
 *     events found     the first crossing of the step, and those that cross with it, are pending
 *     fire             pending events happen one after the other, in the order of the script, each
 *                      from the state that the previous one left (fire_pending):
 *       frame          the step before it is recorded; it has length zero from the second event on,
 *                      so that sensitivities need no special case
 *       jump           the state after it is computed, checked and noted (transition.c, history.h)
 *       mode           that state becomes the present one, in the regime the event leads to
 *       arm            all guards are armed again (arming.h). Events that follow from this one, as
 *                      when an impact makes another contact close, become pending
 *     continue         the next step begins at the state after the last event
 *
 * The branch of a kink that crosses together with an event follows from the state after it. */
#include "run/instant.h"

#include <math.h>
#include <string.h>

#include "motion/guard.h"
#include "run/arming.h"
#include "run/contacts.h"
#include "run/crossing.h"
#include "run/fields.h"
#include "run/guards.h"
#include "run/history.h"
#include "run/outcome.h"

void sal_instant_start(saltus_run *run)
{
    sal_cursor *cursor = &run->cursor;
    sal_run_put_memories(run, cursor->c);
    sal_branches_set(run, cursor->t, cursor->x, cursor->c, -1, true);
    sal_run_put_memories(run, cursor->c);
    if (!run->outcome.finished && run->contacts.count > 0) sal_contacts_start(run);
    if (!run->outcome.finished && sal_violation_check_start(run)) sal_arm_at_start(run);
}

/* ---- one event ------------------------------------------------------------------------------ */

/* Whether the event needs accelerations and multipliers before it: for the rate of its guard, or
 * for a charge. */
static bool needs_reaction(const sal_compiled_event *event)
{
    return event->guard_needs_a || event->guard_has_speeds || event->guard_has_forces ||
           event->reset.charge_needs_a_before || event->reset.set_needs_a;
}

/* Puts the state before the event into the field of the motion. Returns the rate of the guard. */
static double load_before(saltus_run *run, const sal_compiled_event *event)
{
    const sal_cursor *cursor = &run->cursor;
    sal_field        *field = &run->motion.field;
    const bool        observed = sal_run_observed_by(run) != NULL;
    const int         size = run->system->layout.size;
    double           *du = SCRATCH_NEW(&run->scratch, size, double), rate;
    if (sal_run_load_state_before_event(run, cursor->t, cursor->x,
                                        observed || needs_reaction(event)) != SAL_FIELD_OK &&
        observed)
        sal_run_drop_observer(run); /* without rates there is no saltation */
    if (event->guard_needs_a) sal_zero(du, size);
    sal_guard_value(field, event, field->u, &rate, du);
    sal_scratch_release(&run->scratch, du);
    return rate;
}

/* Ends the run at an event, before its jump. */
static saltus_status stop(saltus_run *run, sal_occurrence *o, saltus_error *err)
{
    o->to = o->from;
    sal_copy(run->after.x, run->cursor.x, sal_state_size(run->system));
    run->outcome.info.last_event = o->event;
    run->jump.event = &run->system->event[o->event];
    sal_run_finish(run, SALTUS_TERMINAL_EVENT, "%s", "");
    return sal_history_note_event(run, o, err);
}

/* Makes the length of the step before the event, and so the time of the event, independent of
 * parameters. */
static void share_time(saltus_run *run, sal_occurrence *o)
{
    sal_frame *frame = sal_record_frame(&run->history.record, run->cursor.step - 1);
    if (frame) frame->kind = SAL_FRAME_STEP;
    o->follows = o->joined = true;
    o->grazing = false;
}

/* Warns of a restitution above 1, with which an impact adds energy. */
static void warn_of_restitution(saltus_run *run, const sal_occurrence *o)
{
    const sal_compiled_event *event = &run->system->event[o->event];
    const sal_field          *field = run->jump.before;
    double                    e = 0.0;
    if (!event->reset.restitution || o->impact || o->silent || run->history.recomputing ||
        (run->outcome.warned[o->event] & SAL_WARNED_GAIN))
        return;
    sal_kernel_eval(&event->reset.bounce, field->u, NULL, 1, &e, field->work);
    if (!(e > 1.0 + 1e-12)) return;
    run->outcome.warned[o->event] |= SAL_WARNED_GAIN;
    sal_run_warn(run,
                 "event '%s' at t = %.10g adds energy: its restitution is %.6g, and with more than "
                 "1 it is faster after each impact than before",
                 event->name, o->t, e);
}

/* Computes the jump of an event from the present state and makes the state after it the present
 * one. */
static saltus_status jump(saltus_run *run, sal_occurrence *o, sal_crossing_kind kind,
                          saltus_error *err)
{
    const sal_compiled_event *event = &run->system->event[o->event];
    TRY(sal_run_enter_after(run, o->to, err));
    if (!sal_transition_compute(run, o)) return SALTUS_OK;
    if (!o->told_from) o->impulse = run->jump.impulse;
    if (run->contacts.count > 0 && !o->told_from && isnan(o->impulse))
        o->impulse = sal_contacts_impulse(run, o->event);
    sal_contacts_warn_gain(run, o);
    warn_of_restitution(run, o);
    if (kind != SAL_CROSSING_CLEAN && sal_grazing_is_harmless(run, event)) share_time(run, o);
    else sal_grazing_warn(run, o->event, o->rate, kind);
    TRY(sal_history_note_event(run, o, err));
    TRY(sal_transition_take(run, o->to, err));
    if (event->hidden == SAL_SHOWN) sal_zeno_note(run, o->event, o->rate);
    if (run->cursor.shown >= run->options.max_events && !run->outcome.finished)
        sal_run_finish(
            run, SALTUS_EVENT_LIMIT,
            "%d events did not reach the end (t = %.10g of %.10g); raise --max-events, or "
            "look for events that trigger each other",
            run->cursor.shown, run->cursor.t, run->t_end);
    return SALTUS_OK;
}

/* Fires one event from the present state. follows: it shares the time of another event. *rate: the
 * rate of its guard before it. */
static saltus_status fire(saltus_run *run, int e, bool follows, double *rate, saltus_error *err)
{
    const sal_compiled_event *event = &run->system->event[e];
    const sal_cursor         *cursor = &run->cursor;
    sal_occurrence            o = {.event = e,
                                   .t = cursor->t,
                                   .impulse = NAN,
                                   .impulses = -1,
                                   .from = cursor->regime,
                                   .step = cursor->step - 1,
                                   .follows = follows,
                                   .joined = run->instant.caused[e] >= SAL_JOINED};
    o.rate = *rate = load_before(run, event);
    if (!follows && event->user >= 0 && sal_zeno_ends_hops(run, e, o.rate)) return SALTUS_OK;
    const sal_crossing_kind kind = follows ? SAL_CROSSING_CLEAN : sal_grazing_judge(run, e, o.rate);
    o.grazing = kind == SAL_CROSSING_GRAZING;
    o.to = sal_transition_regime(run, e, err);
    if (!o.to) return SALTUS_ERR_MEMORY;
    o.terminal = ++cursor->repetition[e].count == event->stop;
    if (!o.terminal && sal_event_source(run->system, e)->delays && sal_delays_overlap(run, e))
        return SALTUS_OK;
    if (!o.terminal) return jump(run, &o, kind, err);
    sal_grazing_warn(run, e, o.rate, kind);
    return stop(run, &o, err);
}

/* Reports the other contacts whose modes the event `fired` has changed, each by an event at which
 * nothing else happens. */
static saltus_status tell_changes(saltus_run *run, int fired, const sal_regime *before,
                                  saltus_error *err)
{
    const sal_regime *after = run->cursor.regime;
    for (int i = 0; i < run->contacts.count && !run->outcome.finished; i++) {
        double    impulse = NAN;
        const int shared = sal_contacts_shared(run, i, &impulse);
        const int e = shared >= 0 ? shared : sal_contacts_changed(run, i, fired, before, after);
        if (e < 0) continue;
        TRY(sal_history_append(run, SAL_FRAME_STEP, 0.0, run->cursor.occurrences, err));
        sal_occurrence o = {.event = e,
                            .t = run->cursor.t,
                            .impulse = impulse,
                            .impulses = -1,
                            .silent = shared >= 0,
                            .from = after,
                            .to = after,
                            .step = run->cursor.step - 1,
                            .follows = true,
                            .joined = true,
                            .told_from = before};
        o.rate = load_before(run, &run->system->event[e]);
        run->cursor.repetition[e].count++;
        TRY(jump(run, &o, SAL_CROSSING_CLEAN, err));
    }
    return SALTUS_OK;
}

/* ---- all events of the instant -------------------------------------------------------------- */

/* Whether the times of both events are known in advance and one of them is hidden: that they meet
 * is no coincidence. */
static bool both_clocks(const saltus_system *system, int event, int other)
{
    const sal_compiled_event *a = &system->event[event], *b = &system->event[other];
    return a->guard_is_clock && b->guard_is_clock &&
           (a->hidden != SAL_SHOWN || b->hidden != SAL_SHOWN);
}

/* Whether it may matter which of two events comes first if they meet only by chance. It does not
 * for a kink whose branches agree, except to an expression that may have its peak there. */
static bool may_tie(const saltus_system *system, int event, int other)
{
    const int kink = system->event[other].kink;
    if (kink >= 0 && system->kink[kink].continuous && system->peaks == 0) return false;
    return !both_clocks(system, other, event) && !sal_events_share_guard(system, other, event);
}

/* Notes as ties the guards that reach zero just at the instant of an event without having crossed
 * it: the event decides whether they will, and with other parameters they may cross before it. */
static void note_met(saltus_run *run, int first)
{
    const sal_regime *regime = run->cursor.regime;
    for (int i = 0; i < regime->events; i++) {
        const int              e = regime->event[i];
        const sal_guard_state *watch = &run->cursor.watch[e];
        const double           r = run->instant.r_before[e];
        double                 rate;
        if (run->instant.pending[e] || e == first || !(fabs(r) <= 1e-9 * watch->largest) ||
            !may_tie(run->system, first, e) || fabs(r) > sal_guard_rounding(run, e))
            continue;
        sal_guard_now(run, e, &rate);
        if (watch->side * rate < 0.0) sal_tie_note_events(run, first, e);
    }
}

static bool has_pending_kink(const saltus_run *run)
{
    for (int e = 0; e < run->system->events; e++)
        if (run->instant.pending[e] && run->system->event[e].kink >= 0) return true;
    return false;
}

/* Flips the branches of all pending kinks, in the field of the locator. */
static void flip_pending_kinks(saltus_run *run)
{
    const saltus_system *system = run->system;
    double              *branch = sal_u(&run->locator.field, SAL_LEAF_C) + system->nm_user;
    for (int e = 0; e < system->events; e++)
        if (run->instant.pending[e] && system->event[e].kink >= 0)
            branch[system->event[e].kink] *= -1.0;
}

/* Removes pending events whose guards only touch zero. A guard may have a kink exactly where it is
 * zero, as abs(x) does: it crosses only if it moves on to the other side on the new branch.
 * Accelerations are those before the kink: an event that stops a body happens where dry friction
 * would hold it. */
static void leave_out_touches(saltus_run *run)
{
    const sal_cursor *cursor = &run->cursor;
    const int         n = run->system->n;
    double           *k = SCRATCH_NEW(&run->scratch, 2 * n, double);
    const bool        there =
        sal_field_eval(&run->locator.field, cursor->t, cursor->x, k, NULL) == SAL_FIELD_OK;
    flip_pending_kinks(run);
    for (int i = 0; i < cursor->regime->events && there; i++) {
        const int                 e = cursor->regime->event[i];
        const sal_compiled_event *event = &run->system->event[e];
        double                    rate;
        if (!run->instant.pending[e] || event->kink >= 0 || event->guard_needs_a) continue;
        const double noise = sal_guard_rate_noise(run, e);
        sal_locator_guard(&run->locator, e, cursor->t, cursor->x, k + n, &rate);
        if (!(run->stepping.crossing[e].side * rate < -noise)) run->instant.pending[e] = 0;
    }
    flip_pending_kinks(run);
    sal_scratch_release(&run->scratch, k);
}

/* Of the events that cross in the same step, keeps those that cross at this instant: their guards
 * are zero within rounding and on their way to the other side, and it is this crossing, not a later
 * one of the same guard. The others have not crossed yet. */
static void keep_simultaneous(saltus_run *run, const sal_crossing *first)
{
    const sal_regime *regime = run->cursor.regime;
    for (int i = 0; i < regime->events; i++) {
        const int           e = regime->event[i];
        const sal_crossing *other = &run->stepping.crossing[e];
        if (!run->instant.pending[e] || e == first->event) continue;
        double       rate;
        const double r = sal_guard_now(run, e, &rate);
        if (fabs(other->theta - first->theta) > 1e-6 || !(other->side * rate < 0.0) ||
            fabs(r) > sal_guard_rounding(run, e))
            run->instant.pending[e] = 0;
        else if (may_tie(run->system, first->event, e)) sal_tie_note_events(run, first->event, e);
    }
    for (int e = 0; e < run->system->events; e++)
        if (!regime->possible[e]) run->instant.pending[e] = 0;
    if (has_pending_kink(run)) leave_out_touches(run);
    memset(run->instant.caused, 0, (size_t)run->system->events);
}

/* The order of events at one instant: samples come first, because they see the state before the
 * others, and clocks that only count come last. */
static int rank_of(const sal_compiled_event *event)
{
    static const int rank[] = {
        [SAL_HIDDEN_SAMPLE] = 0, [SAL_HIDDEN_NODE] = 1, [SAL_SHOWN] = 2, [SAL_HIDDEN_TICK] = 3};
    return rank[event->hidden];
}

/* The event that happens next, or -1. */
static int next_pending(const saltus_run *run)
{
    int best = -1;
    for (int e = 0; e < run->system->events; e++) {
        if (!run->instant.pending[e] || !run->cursor.regime->possible[e]) continue;
        if (best < 0 || rank_of(&run->system->event[e]) < rank_of(&run->system->event[best]))
            best = e;
    }
    return best;
}

/* Whether the guard of a barrier no longer moves into it, because of an earlier impact at the same
 * instant. */
static bool already_opening(saltus_run *run, int e)
{
    const sal_compiled_event *event = &run->system->event[e];
    const int                 way = sal_event_direction(event);
    double                    rate;
    if (!sal_is_barrier(run->system, e)) return false;
    if (run->instant.caused[e] == SAL_JOINED) return false; /* a pressed barrier has no rate */
    const double noise = sal_guard_rate_noise(run, e);
    sal_guard_now(run, e, &rate);
    return rate * (way ? way : -run->cursor.watch[e].side) <= noise;
}

/* Fires pending events, one after the other, and those that follow from them. recorded: the frame
 * before the first one has been recorded. */
static saltus_status fire_pending(saltus_run *run, bool recorded, saltus_error *err)
{
    int last = -1;
    for (int e = next_pending(run); e >= 0 && !run->outcome.finished; e = next_pending(run)) {
        double rate = 0.0;
        run->instant.pending[e] = 0;
        if (last >= 0 && already_opening(run, e)) continue;
        /* a kink that is still crossed after the event is met in the next step */
        if (last >= 0 && run->system->event[e].kink >= 0) continue;
        /* events with the same guard share the time, whatever its rate is now */
        const bool follows =
            sal_events_share_guard(run->system, e, last) || run->instant.caused[e] >= SAL_JOINED;
        if (!recorded)
            TRY(sal_history_append(run, follows ? SAL_FRAME_STEP : SAL_FRAME_EVENT, 0.0,
                                   run->cursor.occurrences, err));
        if (last >= 0) sal_arm_before_event(run);
        const sal_regime *before = run->cursor.regime;
        TRY(fire(run, e, follows, &rate, err));
        if (run->contacts.count > 0) TRY(tell_changes(run, e, before, err));
        recorded = false;
        last = e;
        if (fabs(rate) > run->instant.fastest) run->instant.fastest = fabs(rate);
        run->stepping.r_ddot = INFINITY; /* unknown for other guards */
        if (!run->outcome.finished) sal_arm_after_event(run, e, before, rate);
        run->instant.caused[e] = run->instant.pending[e] ? run->instant.caused[e] : 0;
        if (run->system->event[e].hidden == SAL_SHOWN) sal_zeno_note_instant(run, e);
    }
    run->instant.fastest = 0.0;
    if (last >= 0 && !run->outcome.finished)
        run->stepping.primed =
            sal_motion_begin(&run->motion, &run->jump.after, run->cursor.t, run->cursor.z);
    return SALTUS_OK;
}

/* Makes the end of the step the present state. */
static void move_to_step_end(saltus_run *run)
{
    const sal_step *step = &run->motion.step;
    run->cursor.t = sal_step_time(step);
    sal_copy(run->cursor.x, step->x1, step->nx);
    for (int i = 0; i < step->ng; i++) run->cursor.z[i] += step->dz[i];
    sal_run_restart_steps(run);
}

saltus_status sal_instant_run(saltus_run *run, const sal_crossing *crossing, saltus_error *err)
{
    const int e = crossing->event;
    sal_grazing_warn_condition(run,
                               &(sal_crossing){e, 1.0, crossing->nearest, crossing->side, false});
    TRY(sal_history_append(run, SAL_FRAME_EVENT, run->motion.step.h, run->cursor.occurrences, err));
    if (sal_run_observed_by(run)) run->observer->step(run);
    move_to_step_end(run);
    keep_simultaneous(run, crossing);
    /* updates guards of other events; that of a clock that strikes has not been evaluated */
    sal_arm_evaluate(run, run->system->event[e].guard_is_clock ? -1 : e);
    sal_arm_at_step_end(run);
    note_met(run, e);
    return fire_pending(run, true, err);
}

saltus_status sal_instant_now(saltus_run *run, const sal_crossing *crossing, saltus_error *err)
{
    sal_run_restart_steps(run);
    sal_arm_before_event(run);
    if (crossing) {
        keep_simultaneous(run, crossing);
        note_met(run, crossing->event);
    }
    return fire_pending(run, false, err);
}
