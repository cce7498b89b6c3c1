/* Takes planned steps again with other parameters, each with the length it had or up to its events,
 * and fails if the events are no longer those of the plan: see retrace.h. */
#include "run/retrace.h"

#include <math.h>
#include <string.h>

#include "run/advance.h"
#include "run/crossing.h"
#include "run/history.h"
#include "run/instant.h"
#include "run/refine.h"

saltus_status sal_step_plan_make(saltus_run *run, sal_step_plan *plan, saltus_error *err)
{
    plan->steps.count = 0;
    plan->outcome = run->outcome.info.outcome;
    for (long long step = 0; step < run->end.step; step++) {
        sal_frame frame;
        TRY(sal_run_frame(run, step, &frame, err));
        const sal_planned_step one = {
            frame.h, frame.delta, (int)frame.kind,
            frame.occurrence < 0 ? -1 : run->history.occurrences.data[frame.occurrence].event};
        if (!ARRAY_PUSH(&run->arena.allocator, &plan->steps, one)) return sal_fail_memory(err);
    }
    return SALTUS_OK;
}

void sal_step_plan_release(const saltus_run *run, sal_step_plan *plan)
{
    ARRAY_RELEASE(&run->arena.allocator, &plan->steps);
}

/* ---- taking steps --------------------------------------------------------------------------- */

/* Fails because the events are not those of the plan. planned: the step that differs, or NULL. */
static saltus_status differs(const saltus_run *run, const sal_planned_step *planned,
                             saltus_error *err)
{
    const int e = planned ? planned->event : -1;
    if (e >= 0)
        return sal_fail(err, SALTUS_ERR_UNFINISHED,
                        "with these parameters, events differ: '%s' does not happen near "
                        "t = %.10g, as it did in the simulation",
                        run->system->event[e].name, run->cursor.t);
    return sal_fail(err, SALTUS_ERR_UNFINISHED,
                    "with these parameters, events differ: at t = %.10g there is one that "
                    "the simulation did not have, or the motion ends",
                    run->cursor.t);
}

/* Whether a guard, other than those of the planned events, has crossed at the end of the step. */
static bool is_overtaken(saltus_run *run, int event)
{
    const sal_regime *regime = run->cursor.regime;
    for (int i = 0; i < regime->events; i++) {
        const int e = regime->event[i], side = run->cursor.watch[e].side;
        if (e == event || run->instant.pending[e] || !sal_event_fires(&run->system->event[e], side))
            continue;
        const double r = sal_step_onto_guard(run, e);
        if (side * r < 0.0 && fabs(r) > 100.0 * sal_step_onto_noise(run, e)) return true;
    }
    return false;
}

/* Marks the planned events that happen together at the end of a step as pending. */
static void expect_events(saltus_run *run, const sal_step_plan *plan, int step)
{
    memset(run->instant.pending, 0, (size_t)run->system->events);
    for (int k = step; k < plan->steps.count; k++) {
        const sal_planned_step *p = &plan->steps.data[k];
        if (k > step && (p->h > 0.0 || p->kind != SAL_FRAME_EVENT)) break;
        if (p->event < 0) break;
        run->instant.pending[p->event] = 1;
        run->stepping.crossing[p->event] =
            (sal_crossing){p->event, 1.0, INFINITY, run->cursor.watch[p->event].side, false};
    }
}

/* Takes a planned step onto an event, and fires its events. */
static saltus_status take_onto(saltus_run *run, const sal_step_plan *plan,
                               const sal_planned_step *p, saltus_error *err)
{
    sal_step *step = &run->motion.step;
    if (sal_advance_take(run, p->h) || sal_step_end(step)) return differs(run, p, err);
    sal_locator_begin(&run->locator);
    run->stepping.searched = false;
    expect_events(run, plan, (int)run->cursor.step);
    if (p->kind == SAL_FRAME_EVENT) {
        if (!sal_step_onto_again(run, &run->stepping.crossing[p->event], p->delta))
            return differs(run, p, err);
    } else if (p->delta != 0.0 && sal_step_extend(step, p->delta)) return differs(run, p, err);
    if (is_overtaken(run, p->event)) return differs(run, NULL, err);
    sal_locator_forget(&run->locator);
    run->stepping.r_ddot = INFINITY;
    return sal_instant_run(run, &run->stepping.crossing[p->event], err);
}

/* Takes a planned step without an event at its end, or the last step. */
static saltus_status take_along(saltus_run *run, const sal_planned_step *p, saltus_error *err)
{
    const bool   last = p->kind == SAL_FRAME_LAST;
    const double h = last ? run->t_end - run->cursor.t : p->h;
    if (!(h > 0.0) || sal_advance_take(run, h) || sal_crossing_find(run))
        return differs(run, NULL, err);
    return sal_crossing_meet(run, last, err);
}

/* Whether the steps recorded since `from` are those of the plan. */
static bool is_as_planned(const saltus_run *run, const sal_step_plan *plan, long long from)
{
    if (run->cursor.step <= from || run->cursor.step > plan->steps.count) return false;
    for (long long k = from; k < run->cursor.step; k++) {
        const sal_frame *frame = sal_record_frame(&run->history.record, k);
        const int        i = frame ? frame->occurrence : -1;
        const int        e = i >= 0 && i < run->history.occurrences.count
                                 ? run->history.occurrences.data[i].event
                                 : -1;
        if (!frame || e != plan->steps.data[k].event) return false;
    }
    return true;
}

static saltus_status take_next(saltus_run *run, const sal_step_plan *plan, saltus_error *err)
{
    const long long         from = run->cursor.step;
    const sal_planned_step *p = from < plan->steps.count ? &plan->steps.data[from] : NULL;
    run->stepping.due = INFINITY;
    if (!p) return differs(run, NULL, err);
    if ((run->cursor.regime->clocks || from == 0) && sal_crossing_at_once(run))
        TRY(sal_instant_now(run, NULL, err));
    else if (p->h > 0.0 && p->event >= 0) TRY(take_onto(run, plan, p, err));
    else if (p->h > 0.0) TRY(take_along(run, p, err));
    return is_as_planned(run, plan, from) ? SALTUS_OK : differs(run, p, err);
}

void sal_retrace_like(saltus_run *other, const saltus_run *run)
{
    sal_refine_begin(other);
    other->refine.omega = run->refine.omega;
    sal_copy(other->motion.step.atol, run->motion.step.atol, run->refine.count);
    sal_step_tolerate_each(&other->motion.step, run->options.rtol);
}

saltus_status sal_run_retrace(saltus_run *run, const sal_step_plan *plan, saltus_error *err)
{
    run->next_observer = NULL;
    TRY(sal_run_start(run, err));
    while (!run->outcome.finished) {
        TRY(sal_record_turn_page(run, err));
        if (run->history.record.window > 0)
            return sal_fail(err, SALTUS_ERR_ARGUMENT,
                            "the record has no room for all steps, which are to be taken again; "
                            "raise --record-memory");
        TRY(take_next(run, plan, err));
        if (run->outcome.out_of_memory) return sal_fail_memory(err);
    }
    if (run->cursor.step != plan->steps.count || run->outcome.info.outcome != plan->outcome)
        return differs(run, NULL, err);
    return sal_run_conclude(run, err);
}
