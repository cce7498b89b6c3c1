/* The state after one event: the jump, then the branches of kinks. It is checked before it becomes
 * the present state. */
#include "run/instant.h"

#include <string.h>

#include "run/contacts.h"
#include "run/fields.h"
#include "run/guards.h"
#include "run/outcome.h"

const sal_regime *sal_transition_regime(saltus_run *run, int e, saltus_error *err)
{
    const saltus_model *model = run->system->model;
    const int           groups = model->groups.count;
    const sal_modes    *to = &sal_event_source(run->system, e)->to;
    if (to->count == 0) return run->cursor.regime;
    int *active = SCRATCH_NEW(&run->scratch, groups, int);
    memcpy(active, run->cursor.regime->active, (size_t)groups * sizeof *active);
    for (int i = 0; i < to->count; i++) active[model->modes.data[to->mode[i]].group] = to->mode[i];
    const sal_regime *regime = sal_system_regime(run->system, active, err);
    sal_scratch_release(&run->scratch, active);
    return regime;
}

static bool all_finite(const saltus_run *run)
{
    double sum = 0.0; /* stays zero unless something is not finite */
    for (int i = 0; i < 2 * run->system->n; i++) sum += 0.0 * run->after.x[i];
    for (int i = 0; i < run->system->nm_user; i++) sum += 0.0 * run->after.c[i];
    return sum == 0.0;
}

/* Ends the run because the law of the event has no solution, and says why. */
static void finish_law(saltus_run *run, const sal_compiled_event *event)
{
    const saltus_model *model = run->system->model;
    const int           overset = run->jump.overset;
    if (overset >= 0)
        sal_run_finish_at(run, event, SALTUS_VIOLATED,
                          ": it sets more velocities than the constraints leave free; that of '%s' "
                          "follows from the others: leave it (or another) out of set=",
                          model->coordinates.data[overset].label.name);
    else if (run->jump.rank_of_constraints == SAL_RANK_SINGULAR)
        sal_run_finish_at(run, event, SALTUS_SINGULAR,
                          " happens in a singular position: the constraint '%s' of the mode it "
                          "enters depends on the others there, but not beside it",
                          model->constraints.data[run->jump.dependent].label.name);
    else
        sal_run_finish_at(
            run, event, SALTUS_SINGULAR,
            ": the impact law has no solution (the guard does not move with any coordinate there, "
            "the mass matrix is singular%s)",
            run->jump.after.regime->constrained ? ", or a constraint depends on the others" : "");
}

/* Sets the branches of kinks after the event, in the regime it leads to. */
static void set_branches(saltus_run *run, const sal_compiled_event *event, const sal_regime *to)
{
    const saltus_system *system = run->system;
    if (event->kink >= 0) run->after.c[system->nm_user + event->kink] *= -1.0;
    if (system->kinks == 0) return;
    sal_field_switch(&run->locator.field, to);
    sal_branches_set(run, run->cursor.t, run->after.x, run->after.c, event->kink, false);
    sal_field_switch(&run->locator.field, run->cursor.regime);
}

/* Evaluates the field after the event. False: it failed, and the run has ended. */
static bool evaluate_after(saltus_run *run, const sal_compiled_event *event)
{
    switch (sal_jump_rates(&run->jump, run->cursor.t, run->after.x, run->after.c)) {
    case SAL_FIELD_OK: return true;
    case SAL_FIELD_MEMORY: sal_run_out_of_memory(run); break;
    case SAL_FIELD_SINGULAR:
        sal_run_finish_at(run, event, SALTUS_SINGULAR,
                          ": after it the equations of motion are singular, at '%s'; give every "
                          "coordinate a mass in every mode, and leave redundant constraints out",
                          sal_system_unknown(run->system, run->jump.after.bad_pivot));
        break;
    case SAL_FIELD_NOT_FINITE:
        sal_run_finish_at(run, event, SALTUS_NOT_FINITE,
                          ": after it a force, an energy or a cost is not finite");
        break;
    }
    return false;
}

/* Whether the event has an impact law, apart from the impacts of contacts. */
static bool has_impact(const saltus_run *run, const sal_compiled_event *event,
                       const sal_occurrence *o)
{
    if (event->reset.restitution) return true;
    if (sal_event_source(run->system, o->event)->found || event->reset.sets_velocity) return false;
    for (int j = 0; j < run->system->nmu; j++)
        if (o->to->on[j] && !o->from->on[j] && !run->system->model->constraints.data[j].found)
            return true;
    return event->reset.sets_rest && o->to->constrained;
}

/* Finds the modes of contacts after the jump and enters their regime. False: the run has ended, or
 * the constraints are singular. */
static bool enter_modes(saltus_run *run, sal_occurrence *o)
{
    saltus_error      err = {0};
    const sal_regime *to = sal_contacts_after(run, o->event, o->to, o->impact);
    if (!to) return false;
    o->to = to;
    sal_field_leave(&run->jump.after); /* it may be known by now which constraints are redundant */
    if (sal_run_enter_after(run, to, &err) != SALTUS_OK) {
        sal_run_out_of_memory(run);
        return false;
    }
    if (!sal_jump_settle(&run->jump)) return false;
    if (!sal_contacts_join(run, &run->jump.after)) sal_run_out_of_memory(run);
    return !run->outcome.finished;
}

/* Computes the state just after the law of the event. False: the law is singular, or the run has
 * ended. */
static bool apply_law(saltus_run *run, sal_occurrence *o)
{
    const sal_compiled_event *event = &run->system->event[o->event];
    sal_jump                 *jump = &run->jump;
    if (o->silent) sal_jump_begin_silent(jump, event);
    else sal_jump_begin(jump, event);
    if (run->contacts.count == 0 || o->told_from)
        return sal_jump_state(jump, NULL, run->after.x, run->after.c);
    const bool has_law = has_impact(run, event, o);
    if (!sal_contacts_collide(run, o->event, o->to, has_law, &o->impact)) return false;
    if (!o->impact && has_law) o->impact = o->to;
    if (!sal_jump_state(jump, o->impact, run->after.x, run->after.c)) return false;
    sal_contacts_note_shared(run);
    return enter_modes(run, o);
}

bool sal_transition_compute(saltus_run *run, sal_occurrence *o)
{
    const saltus_system      *system = run->system;
    const sal_compiled_event *event = &system->event[o->event];
    const sal_cursor         *cursor = &run->cursor;
    sal_copy(run->after.c, cursor->c, system->nm);
    if (!apply_law(run, o)) {
        if (run->jump.out_of_memory) run->outcome.out_of_memory = true;
        if (!run->outcome.finished) finish_law(run, event);
        return false;
    }
    if (run->jump.rank_of_constraints == SAL_RANK_REDUNDANT) /* entered for the first time */
        sal_run_warn_redundant(run, &run->jump.after);
    if (!all_finite(run)) {
        sal_run_finish_at(run, event, SALTUS_NOT_FINITE,
                          ": its reset gives a value that is not finite (a division by zero, a "
                          "root of something negative?)");
        return false;
    }
    set_branches(run, event, o->to);
    if (run->outcome.finished || !sal_violation_check_event(run, event, o->to)) return false;
    if (!evaluate_after(run, event)) return false;
    for (int i = 0; i < system->nc; i++) run->after.z[i] = cursor->z[i] + run->jump.charge[i];
    return true;
}

saltus_status sal_transition_take(saltus_run *run, const sal_regime *to, saltus_error *err)
{
    sal_cursor       *cursor = &run->cursor;
    const sal_regime *from = cursor->regime;
    sal_copy(cursor->x, run->after.x, sal_state_size(run->system));
    cursor->regime = to;
    if (to != from) TRY(sal_run_enter(run, to, err));
    sal_run_put_memories(run, cursor->c);
    return SALTUS_OK;
}
