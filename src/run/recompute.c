/* Loading recorded steps and events of a run, for walks over the record.
 *
 * A step that the record no longer has is recomputed together with the steps around it, from the
 * nearest checkpoint before it. All digits are those of the first time. */
#include "run/history.h"

#include <string.h>

#include "run/advance.h"
#include "run/fields.h"

/* ---- windows that the record no longer has -------------------------------------------------- */

static bool save_checkpoint(saltus_run *run, bool spare)
{
    void *checkpoint =
        sal_record_checkpoint(&run->history.record, run->history.record.window, spare);
    if (checkpoint) sal_checkpoint_save(&run->cursor, checkpoint);
    return checkpoint;
}

saltus_status sal_record_turn_page(saltus_run *run, saltus_error *err)
{
    if (!sal_record_full(&run->history.record)) return SALTUS_OK;
    const int window = run->history.record.window + 1;
    if (!sal_record_begin(&run->history.record, window, run->cursor.step))
        return sal_fail_memory(err);
    if (!run->history.recomputing && sal_record_wants_checkpoint(&run->history.record, window) &&
        !save_checkpoint(run, false))
        return sal_fail_memory(err);
    return SALTUS_OK;
}

/* Restores the state of a checkpoint, ready for the next step. */
static saltus_status resume(saltus_run *run, const void *checkpoint, saltus_error *err)
{
    sal_checkpoint_load(&run->cursor, checkpoint);
    run->outcome.finished = false;
    sal_run_restart_steps(run);
    sal_run_put_params(run);
    sal_run_put_memories(run, run->cursor.c);
    return sal_run_enter(run, run->cursor.regime, err);
}

/* Repeats steps until the window begins; full: until it is full. */
static saltus_status replay_to(saltus_run *run, int window, bool full, saltus_error *err)
{
    while (!run->outcome.finished && (run->history.record.window < window ||
                                      (full && !sal_record_full(&run->history.record)))) {
        TRY(sal_advance(run, err));
        run->outcome.info.replayed++;
        if (run->history.record.window < window) TRY(sal_record_turn_page(run, err));
    }
    return SALTUS_OK;
}

/* Repeats steps from the nearest checkpoint to the end of the window. On the way, spare checkpoints
 * are made halfway, then halfway of the rest, and so on: a backward walk needs the windows before
 * this one next. */
static saltus_status replay(saltus_run *run, int window, saltus_error *err)
{
    int at = 0;
    sal_record_drop_spares_after(&run->history.record, window);
    const void *checkpoint = sal_record_nearest(&run->history.record, window, &at);
    if (!checkpoint) return sal_fail_memory(err);
    TRY(resume(run, checkpoint, err));
    sal_record_begin(&run->history.record, at, run->cursor.step);
    while (at < window) {
        at += (window - at + 1) / 2;
        TRY(replay_to(run, at, false, err));
        if (!save_checkpoint(run, true)) return sal_fail_memory(err);
    }
    return replay_to(run, window, true, err);
}

/* Brings the window of a step back into the record. The outcome of the run does not change. */
static saltus_status reload(saltus_run *run, long long step, saltus_error *err)
{
    const saltus_run_info info = run->outcome.info;
    char                  text[SAL_RUN_TEXT];
    memcpy(text, run->outcome.message, sizeof text);
    run->history.recomputing = true;
    const saltus_status status = replay(run, sal_record_window_of(&run->history.record, step), err);
    const long long     replayed = run->outcome.info.replayed;
    run->history.recomputing = false;
    run->outcome.finished = true;
    run->outcome.info = info;
    run->outcome.info.replayed = replayed;
    memcpy(run->outcome.message, text, sizeof text);
    return status;
}

saltus_status sal_run_frame(saltus_run *run, long long step, sal_frame *frame, saltus_error *err)
{
    void *bytes = sal_record_frame(&run->history.record, step);
    if (!bytes) {
        TRY(reload(run, step, err));
        bytes = sal_record_frame(&run->history.record, step);
    }
    if (!bytes) return sal_fail_memory(err);
    sal_history_read(run, bytes, frame);
    return SALTUS_OK;
}

/* ---- a step or an event again --------------------------------------------------------------- */

/* Enters the regime, unless the step loaded last was in it. */
static saltus_status restore_regime(saltus_run *run, const sal_regime *regime, saltus_error *err)
{
    if (run->history.entered != regime || run->motion.field.regime != regime ||
        run->locator.field.regime != regime)
        TRY(sal_run_enter(run, regime, err));
    run->history.entered = regime;
    return SALTUS_OK;
}

/* Prepares the fields for taking a step again. */
static saltus_status restore_step(saltus_run *run, const sal_frame *frame, saltus_error *err)
{
    TRY(restore_regime(run, frame->regime, err));
    run->history.rows_wanted = true;
    sal_run_put_memories(run, frame->c);
    /* it was factored before, so it can fail only if out of memory */
    return sal_field_factor_constant_mass(&run->motion.field) == SAL_FIELD_OK
               ? SALTUS_OK
               : sal_fail_memory(err);
}

/* Loads or evaluates the end of a step onto an event, whose other stages are loaded. Nonzero: the
 * field failed. */
static int load_end(saltus_run *run, const sal_frame *frame)
{
    sal_step *step = &run->motion.step;
    if (frame->end_rows < 0) return sal_step_end(step) || sal_step_extend(step, frame->delta);
    sal_rows_load_event(&run->motion, run->history.event_rows.data + frame->end_rows, frame->delta);
    return 0;
}

static saltus_status cannot_retake(const saltus_run *run, double t, saltus_error *err)
{
    if (run->motion.result == SAL_FIELD_MEMORY) return sal_fail_memory(err);
    return sal_fail(err, SALTUS_ERR_NOT_FINITE, "the step at t = %.10g cannot be taken again", t);
}

saltus_status sal_run_load_part(saltus_run *run, const sal_frame *part, saltus_error *err)
{
    const int bad = sal_motion_retake(&run->motion, part->t, part->x, part->z, part->h);
    return bad ? cannot_retake(run, part->t, err) : SALTUS_OK;
}

static saltus_status load_step(saltus_run *run, const sal_frame *frame, bool for_adjoint,
                               saltus_error *err)
{
    int bad = 0;
    TRY(restore_step(run, frame, err));
    if (!sal_rows_load(&run->motion, frame->kept, frame->rows, frame->t, frame->z, frame->h,
                       for_adjoint))
        bad = sal_motion_retake(&run->motion, frame->t, frame->x, frame->z, frame->h);
    if (!bad && (frame->kind == SAL_FRAME_EVENT || frame->delta != 0.0)) bad = load_end(run, frame);
    return bad ? cannot_retake(run, frame->t, err) : SALTUS_OK;
}

saltus_status sal_run_load_step(saltus_run *run, const sal_frame *frame, saltus_error *err)
{
    return load_step(run, frame, true, err);
}

saltus_status sal_run_load_all_stages(saltus_run *run, const sal_frame *frame, saltus_error *err)
{
    return load_step(run, frame, false, err);
}

sal_field_result sal_run_load_state_before_event(saltus_run *run, double t, const double *x,
                                                 bool evaluated)
{
    sal_jump *jump = &run->jump;
    if (evaluated) return sal_motion_eval(&run->motion, t, x, jump->k_before, jump->g_before);
    sal_field_put(&run->motion.field, t, x);
    return SAL_FIELD_OK;
}

saltus_status sal_run_load_jump(saltus_run *run, int occurrence, bool rates, saltus_error *err)
{
    const saltus_system  *system = run->system;
    const sal_occurrence *o = &run->history.occurrences.data[occurrence];
    const sal_sides       sides = sal_run_sides(run, occurrence);
    const int            *shared = o->shares ? run->history.shared.data + o->shared : NULL;
    const bool needed = !o->silent && sal_jump_needs_a_before(system, o->event, shared, o->shares);
    TRY(restore_regime(run, o->from, err));
    sal_run_put_memories(run, sides.c_minus);
    sal_field_result result =
        sal_run_load_state_before_event(run, o->t, sides.x_minus, rates || needed);
    if (result == SAL_FIELD_MEMORY) return sal_fail_memory(err);
    if (o->terminal) {
        run->jump.event = &system->event[o->event];
        return SALTUS_OK;
    }
    TRY(sal_run_enter_after(run, o->to, err));
    if (o->silent) sal_jump_begin_silent(&run->jump, &system->event[o->event]);
    else sal_jump_begin(&run->jump, &system->event[o->event]);
    if (o->shares > 0) sal_jump_share(&run->jump, shared, o->shares);
    const bool ok = sal_jump_state(&run->jump, o->impact, run->after.x, run->after.c);
    if (run->jump.out_of_memory) return sal_fail_memory(err);
    if (ok && result == SAL_FIELD_OK && (rates || run->jump.needs.charge_a_after))
        result = sal_jump_rates(&run->jump, o->t, sides.x_plus, sides.c_plus);
    if (result == SAL_FIELD_MEMORY) return sal_fail_memory(err);
    return ok && result == SAL_FIELD_OK ? SALTUS_OK
                                        : sal_fail(err, SALTUS_ERR_SINGULAR,
                                                   "the jump of event '%s' at t = %.10g cannot be "
                                                   "computed again",
                                                   system->event[o->event].name, o->t);
}
