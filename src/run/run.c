/* A run as a whole: making it, starting it, and the loop over steps until its outcome is known. */
#include "run/run.h"

#include <math.h>
#include <string.h>

#include "run/advance.h"
#include "run/assembly.h"
#include "run/contacts.h"
#include "run/fields.h"
#include "run/from.h"
#include "run/history.h"
#include "run/instant.h"
#include "run/outcome.h"
#include "run/peaks.h"
#include "run/refine.h"
#include "run/retrace.h"

/* ---- making --------------------------------------------------------------------------------- */

static int row_size(const saltus_system *system)
{
    return 3 * system->n + 3 * system->nmu + system->nm + system->nc + system->no + 2;
}

/* Allocates scratch memory for the most that functions of run, jump, sens and gradient use at once:
 * two vectors like u, eight like (x, z), and small ones, in addition to those of a jump. */
static bool make_scratch(saltus_run *run, sal_arena *arena)
{
    const saltus_system *system = run->system;
    const size_t         states = 8 * (2 * (size_t)system->n + (size_t)system->nc);
    const size_t small = (size_t)(system->n + system->nmu + 2 * system->kinks + system->nm) +
                         (size_t)system->model->groups.count;
    const size_t numbers = 2 * (size_t)system->layout.size + states + small;
    return sal_scratch_init(&run->scratch, arena, 24,
                            (numbers + sal_jump_scratch(system, SAL_RUN_LANES)) * sizeof(double));
}

static void make_arrays(saltus_run *run, sal_arena *arena)
{
    const saltus_system *system = run->system;
    run->params = ARENA_NEW(arena, system->np, double);
    run->initial = ARENA_NEW(arena, system->initial.outputs, double);
    run->start = ARENA_NEW(arena, 2 * system->n + system->nm, double);
    run->instant.pending = ARENA_NEW(arena, system->events, unsigned char);
    run->instant.caused = ARENA_NEW(arena, system->events, unsigned char);
    run->stepping.crossing = ARENA_NEW(arena, system->events, sal_crossing);
    run->outcome.warned = ARENA_NEW(arena, system->events, unsigned char);
    run->instant.r_before = ARENA_NEW(arena, system->events, double);
    run->rests_at_kink = ARENA_NEW(arena, system->kinks, unsigned char);
    for (int i = 0; i < 2; i++) run->singular.largest[i] = ARENA_NEW(arena, system->nmu, double);
    for (int i = 0; i < 2; i++) run->singular.range[i] = ARENA_NEW(arena, system->nmu + 3, double);
    run->row = ARENA_NEW(arena, row_size(system), double);
    run->peaks = ARENA_NEW(arena, system->peaks, sal_peaks);
    run->from.x = ARENA_NEW(arena, 2 * system->n, double);
    run->from.c = ARENA_NEW(arena, system->nm, double);
    run->after.x = ARENA_NEW(arena, sal_state_size(system), double);
    if (!run->after.x) return;
    run->after.c = run->after.x + 2 * system->n;
    run->after.z = run->after.c + system->nm;
}

/* Gives the fields what they share besides the numbers of fields.h. */
static void link_fields(saltus_run *run)
{
    run->fields[0] = &run->motion.field;
    run->fields[1] = &run->locator.field;
    run->fields[2] = &run->jump.after;
    run->fields[3] = &run->jump.contacts;
    run->fields[4] = &run->contacts.field;
    run->field_count = run->contacts.count > 0 ? SAL_RUN_FIELDS : SAL_RUN_FIELDS - 2;
    for (int i = 0; i < run->field_count; i++) {
        run->fields[i]->redundancy = &run->redundancy;
        run->fields[i]->soft = run->options.formulation == SALTUS_PENALTY;
    }
}

/* The default rest_speed. The bounces left out of a contact that comes to rest change the state by
 * the square of this. */
static double rest_speed(double rtol) { return fmax(sqrt(rtol), 1e-5); }

static const sal_tableau *tableau_of(saltus_integrator integrator)
{
    switch (integrator) { /* the compiler warns of one that is missing here */
    case SALTUS_DOPRI5: return sal_tableau_get(SAL_TABLEAU_DOPRI5);
    case SALTUS_DOP853: break;
    }
    return sal_tableau_get(SAL_TABLEAU_DOP853);
}

saltus_status sal_run_init(saltus_run *run, const saltus_system *system,
                           const saltus_options *options, saltus_error *err)
{
    sal_arena *arena = &run->arena;
    run->system = system;
    run->options = *options;
    if (!(run->options.rest_speed > 0.0)) run->options.rest_speed = rest_speed(options->rtol);
    sal_arena_init(arena, &system->allocator);
    make_arrays(run, arena);
    sal_refine_init(&run->refine, system, arena);
    sal_partition_init(&run->partition, system, true, SAL_RUN_LANES, arena);
    if (system->has_rolling) sal_partition_init(&run->rolling, system, false, SAL_RUN_LANES, arena);
    if (!make_scratch(run, arena) || !sal_cursor_init(&run->cursor, system, arena) ||
        !sal_cursor_init(&run->end, system, arena))
        return sal_fail_memory(err);
    const sal_tableau *tableau = tableau_of(options->integrator);
    TRY(sal_motion_init(&run->motion, system, tableau, SAL_RUN_LANES, arena, err));
    TRY(sal_jump_init(&run->jump, system, &run->motion.field, SAL_RUN_LANES, &run->scratch, arena,
                      err));
    TRY(sal_locator_init(&run->locator, system, &run->motion.step, SAL_RUN_LANES, arena, err));
    run->locator.watch = run->cursor.watch;
    run->locator.rtol = options->rtol;
    run->locator.atol = run->motion.step.atol;
    run->redundancy = (sal_redundancy){
        .allocator = arena->allocator, .constraints = system->nmu, .events = system->events};
    run->jump.redundancy = &run->redundancy;
    TRY(sal_contacts_init(run, err));
    link_fields(run);
    sal_record_init(&run->history.record, &arena->allocator, sal_history_frame_bytes(system),
                    sal_checkpoint_bytes(&run->cursor), options->record_memory);
    return arena->failed ? sal_fail_memory(err) : SALTUS_OK;
}

void sal_run_release(saltus_run *run)
{
    const saltus_allocator allocator = run->arena.allocator;
    sal_run_free(run->shadow);
    sal_motion_release(&run->motion);
    sal_jump_release(&run->jump);
    sal_locator_release(&run->locator);
    sal_partition_release(&run->partition);
    if (run->rolling.system) sal_partition_release(&run->rolling);
    sal_contacts_release(run);
    sal_redundancy_release(&run->redundancy);
    sal_record_free(&run->history.record);
    sal_step_plan_release(run, &run->history.plan);
    ARRAY_RELEASE(&allocator, &run->history.occurrences);
    ARRAY_RELEASE(&allocator, &run->history.shown);
    ARRAY_RELEASE(&allocator, &run->history.states);
    ARRAY_RELEASE(&allocator, &run->history.impulses);
    ARRAY_RELEASE(&allocator, &run->history.shared);
    ARRAY_RELEASE(&allocator, &run->history.event_rows);
    ARRAY_RELEASE(&allocator, &run->history.observed);
    sal_scratch_close(&run->scratch);
    sal_arena_free(&run->arena);
}

void sal_run_forget(saltus_run *run)
{
    run->outcome.simulated = false;
    run->history.occurrences.count = 0;
    run->outcome.warnings = 0;
    run->outcome.info = (saltus_run_info){.outcome = SALTUS_NOT_SIMULATED,
                                          .message = "",
                                          .t = NAN,
                                          .zeno_time = NAN,
                                          .last_event = -1};
}

int sal_run_progress(saltus_run *run, double t)
{
    const saltus_options *options = &run->options;
    if (!options->progress) return 0;
    sal_run_lend(run);
    const int stop = options->progress(options->progress_context, t, run->t_end);
    sal_run_take_back(run);
    return stop;
}

static int wait_progress(void *context, double t, double t_end)
{
    (void)t_end; /* sal_run_progress passes on the end of the run */
    return sal_run_progress(context, t);
}

saltus_run *sal_run_make(const saltus_system *system, const saltus_options *options,
                         saltus_error *err)
{
    const saltus_allocator *allocator = &system->allocator;
    saltus_run             *run = sal_resize(allocator, NULL, 0, sizeof *run);
    if (!run) {
        sal_fail_memory(err);
        return NULL;
    }
    memset(run, 0, sizeof *run);
    run->method = SALTUS_AUTO;
    sal_run_forget(run);
    sal_arena_init(&run->arena, allocator);
    run->options = *options;
    run->waiter = (sal_waiter){.progress = options->progress ? wait_progress : NULL,
                               .context = run,
                               .t = &run->cursor.t,
                               .t_end = &run->t_end};
    sal_waiter *previous = sal_waiter_enter(&run->waiter);
    sal_system_request_backend(system, options->backend);
    sal_run_init(run, system, options, err);
    sal_waiter_leave(previous);
    if (run->waiter.stopped && !err->status)
        sal_fail(err, SALTUS_ERR_INTERRUPTED, "interrupted while the model was compiled");
    if (!err->status) return run;
    sal_run_free(run);
    return NULL;
}

saltus_run *sal_run_make_for(saltus_run *run, const saltus_options *options, saltus_error *err)
{
    sal_run_lend(run); /* compiling calls options.progress */
    saltus_run *made = sal_run_make(run->system, options, err);
    sal_run_take_back(run);
    if (made) made->outer = run;
    return made;
}

void sal_run_free(saltus_run *run)
{
    if (!run) return;
    const saltus_allocator allocator = run->arena.allocator;
    sal_run_release(run);
    sal_resize(&allocator, run, sizeof *run, 0);
}

/* ---- the start ------------------------------------------------------------------------------ */

void sal_run_drop_observer(saltus_run *run) { run->observer = NULL; }

static saltus_status fail_start(const saltus_run *run, int i, saltus_error *err)
{
    const saltus_system *system = run->system;
    const bool           memory = i >= 2 * system->n;
    const bool           state = !memory && system->model->coordinates.data[i % system->n].state;
    const sal_label     *label = memory ? &system->model->memories.data[i - 2 * system->n].label
                                        : &system->model->coordinates.data[i % system->n].label;
    return sal_fail_at(err, SALTUS_ERR_NOT_FINITE, label->place.file, label->place.line,
                       "the start %s of '%s' is %s",
                       memory || state ? "value"
                       : i < system->n ? "position"
                                       : "speed",
                       label->name, isnan(run->initial[i]) ? "not a number" : "infinite");
}

/* Start values must be numbers, and the horizon must have a length. */
static saltus_status check_start(saltus_run *run, saltus_error *err)
{
    const saltus_system *system = run->system;
    const int            count = system->initial.outputs;
    const sal_place      place = system->model->end_place;
    const bool           outside = !sal_run_end_is_the_models(run);
    for (int i = 0; i < count - 1; i++)
        if (!isfinite(run->initial[i])) return fail_start(run, i, err);
    run->t0 = run->from.given ? run->from.t : system->model->start;
    run->t_end = sal_run_end_is_the_models(run) ? run->initial[count - 1]
                 : run->from.given              ? run->from.t_end
                                                : run->options.t_end;
    if (run->t_end > run->t0 && isfinite(run->t_end)) return SALTUS_OK;
    if (outside && !isfinite(run->t_end))
        return sal_fail(err, SALTUS_ERR_ARGUMENT,
                        "the requested end (--until, t_end), t = %g, is not finite: give a time, "
                        "or NaN for the end of the model's horizon",
                        run->t_end);
    if (outside)
        return sal_fail(err, SALTUS_ERR_ARGUMENT,
                        "the requested end (--until, t_end), t = %g, is not after the start %g",
                        run->t_end, run->t0);
    return sal_fail_at(err, SALTUS_ERR_MODEL, place.file, place.line,
                       "the horizon ends at t = %g, which is not after its start %g", run->t_end,
                       run->t0);
}

/* Resets the run for a new simulation. */
static void reset(saltus_run *run)
{
    run->observer = run->next_observer;
    run->next_observer = NULL;
    run->requested = false;
    sal_motion_expect_derivatives(&run->motion, run->observer != NULL);
    sal_history_begin(run);
    sal_redundancy_clear(&run->redundancy);
    run->outcome.warnings = run->outcome.ties = 0;
    run->outcome.ties_judged = run->outcome.peaks_judged = false;
    run->outcome.finished = run->outcome.simulated = run->history.recomputing =
        run->outcome.out_of_memory = false;
    run->outcome.gradient_status = SALTUS_OK;
    run->stepping.stuck_at = run->t0;
    run->stepping.stuck = 0;
    run->singular.regime = NULL;
    run->singular.warned = run->outcome.negative_warned = false;
    run->stiff = (sal_stiff){0};
    run->outcome.message[0] = 0;
    memset(run->outcome.warned, 0, (size_t)run->system->events);
    memset(run->rests_at_kink, 0, (size_t)run->system->kinks);
    for (int i = 0; i < SAL_RUN_FIELDS; i++) run->fields[i]->evaluations = 0;
    run->outcome.info = (saltus_run_info){.outcome = SALTUS_END,
                                          .message = run->outcome.message,
                                          .zeno_time = NAN,
                                          .last_event = -1,
                                          .t = run->t0,
                                          .rest_speed = run->options.rest_speed};
}

/* Sets the cursor to the state at the start as the script gives it, in the regime of the initial
 * modes. */
static saltus_status set_cursor(saltus_run *run, saltus_error *err)
{
    const saltus_system *system = run->system;
    sal_cursor          *cursor = &run->cursor;
    sal_cursor_clear(cursor);
    cursor->t = run->t0;
    cursor->instant_t = -INFINITY;
    cursor->log_error = SAL_MIN_LOG_ERROR;
    cursor->landing = INFINITY;
    cursor->regime = sal_run_first_regime(run, err);
    if (!cursor->regime) return SALTUS_ERR_MEMORY;
    sal_copy(cursor->x, run->initial, 2 * system->n);
    sal_copy(cursor->c, run->initial + 2 * system->n, system->nm_user);
    for (int i = 0; i < system->kinks; i++)
        cursor->c[system->nm_user + i] =
            run->from.ignores_events ? run->from.c[system->nm_user + i] : 1.0;
    for (int e = 0; e < system->events; e++) {
        cursor->repetition[e].last_time = cursor->repetition[e].last_gap = NAN;
        if (run->from.repeated) cursor->repetition[e].count = run->from.repeated[e];
    }
    return SALTUS_OK;
}

/* Computes the initial values that the state at the start is assembled from: those of the model, or
 * given ones. */
static void find_initial(saltus_run *run)
{
    const saltus_system *system = run->system;
    const int            n2 = 2 * system->n;
    sal_map_value(&system->initial, run->motion.field.u, run->initial, run->motion.field.work);
    if (!run->from.given) return;
    sal_copy(run->initial, run->from.x, n2);
    if (!run->from.memories) return;
    sal_copy(run->initial + n2, run->from.c, system->nm_user);
}

saltus_status sal_run_start(saltus_run *run, saltus_error *err)
{
    const saltus_system *system = run->system;
    sal_cursor          *cursor = &run->cursor;
    sal_run_put_params(run);
    find_initial(run);
    TRY(check_start(run, err));
    TRY(sal_samples_check(run, err));
    reset(run);
    TRY(set_cursor(run, err));
    TRY(sal_run_enter(run, cursor->regime, err));
    sal_run_put_memories(run, cursor->c);
    if (sal_run_is_assembled(run)) TRY(sal_assembly_find(run, cursor->x, err));
    else TRY(sal_assembly_keep(run, cursor->x, err));
    /* entered again, as its redundant constraints are known now */
    TRY(sal_run_enter(run, cursor->regime, err));
    sal_run_restart_steps(run);
    if (!run->from.ignores_events) sal_instant_start(run);
    sal_copy(run->start + 2 * system->n, cursor->c, system->nm);
    if (!run->outcome.finished && run->observer) run->observer->start(run);
    if (!run->outcome.finished) sal_advance_start(run);
    return SALTUS_OK;
}

/* ---- the loop ------------------------------------------------------------------------------- */

static bool interrupted(saltus_run *run)
{
    const bool due = run->cursor.step % 16 == 0;
    if (due) sal_stopwatch_tick(&run->clock, run->system);
    if (!run->waiter.stopped) {
        if (!due || !sal_run_progress(run, run->cursor.t)) return false;
    }
    sal_run_finish(run, SALTUS_INTERRUPTED, "interrupted at t = %.10g", run->cursor.t);
    return true;
}

/* Simulates once, from the start to the end, or to where a pass that is to be repeated is given
 * up. */
static saltus_status simulate_once(saltus_run *run, saltus_error *err)
{
    TRY(sal_run_start(run, err));
    while (!run->outcome.finished && !interrupted(run) && sal_refine_goes_on(run)) {
        TRY(sal_record_turn_page(run, err));
        TRY(sal_advance(run, err));
    }
    return SALTUS_OK;
}

saltus_status sal_run_conclude(saltus_run *run, saltus_error *err)
{
    sal_outcome_check_final(run);
    sal_cursor_copy(&run->end, &run->cursor);
    run->outcome.simulated = true;
    run->outcome.info.t = run->cursor.t;
    run->outcome.info.events = run->history.shown.count;
    run->outcome.info.steps = run->cursor.step;
    run->outcome.info.warnings = run->outcome.warnings;
    for (int i = 0; i < SAL_RUN_FIELDS; i++)
        run->outcome.info.evaluations += run->fields[i]->evaluations;
    return sal_peaks_find(run, err);
}

saltus_status sal_run_simulate(saltus_run *run, saltus_error *err)
{
    const sal_run_observer *observer = run->next_observer;
    sal_refine_begin(run);
    do {
        run->next_observer = observer;
        TRY(simulate_once(run, err));
    } while (sal_refine_again(run));
    if (run->outcome.out_of_memory) return sal_fail_memory(err);
    sal_refine_warn(run);
    sal_stiff_warn(run);
    sal_samples_warn(run);
    return sal_run_conclude(run, err);
}
