/* A run as a whole: making, starting, the loop, and going back to steps that were taken. */
#include "run/run.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compile/solved.h"
#include "run/advance.h"
#include "run/assembly.h"
#include "run/contacts.h"
#include "run/instant.h"
#include "run/refine.h"
#include "run/stiff.h"

/* ---- cursor --------------------------------------------------------------------------------- */

static size_t round_up(size_t bytes) { return (bytes + 63) / 64 * 64; }

/* All arrays of a cursor lie in one block, in this order. */
static size_t cursor_bytes(const saltus_system *system)
{
    const size_t e = (size_t)system->events;
    return round_up((2 * (size_t)system->n + (size_t)system->nm + (size_t)system->nc + 2 * e) *
                    sizeof(double)) +
           round_up(e * sizeof(sal_guard_state)) + round_up(2 * e * sizeof(int));
}

static void cursor_place(sal_cursor *cursor, const saltus_system *system, unsigned char *block)
{
    const size_t e = (size_t)system->events;
    double      *reals = (double *)(void *)block;
    cursor->x = reals;
    cursor->c = cursor->x + 2 * system->n;
    cursor->z = cursor->c + system->nm;
    cursor->last_time = cursor->z + system->nc;
    cursor->last_gap = cursor->last_time + e;
    block += round_up((2 * (size_t)system->n + (size_t)system->nm + (size_t)system->nc + 2 * e) *
                      sizeof(double));
    cursor->watch = (sal_guard_state *)(void *)block;
    block += round_up(e * sizeof(sal_guard_state));
    cursor->count = (int *)(void *)block;
    cursor->shrinking = cursor->count + e;
    cursor->bytes = cursor_bytes(system);
}

static void cursor_copy(sal_cursor *to, const sal_cursor *from)
{
    const sal_cursor target = *to;
    *to = *from;
    to->x = target.x;
    to->c = target.c;
    to->z = target.z;
    to->last_time = target.last_time;
    to->last_gap = target.last_gap;
    to->watch = target.watch;
    to->count = target.count;
    to->shrinking = target.shrinking;
    memcpy(to->x, from->x, from->bytes);
}

static bool cursor_init(sal_cursor *cursor, const saltus_system *system, sal_arena *arena)
{
    unsigned char *block = ARENA_NEW(arena, cursor_bytes(system), unsigned char);
    if (!block) return false;
    cursor_place(cursor, system, block);
    return true;
}

/* A checkpoint is the head of a cursor, then its arrays. */
static size_t checkpoint_bytes(const saltus_system *system)
{
    return round_up(sizeof(sal_cursor)) + cursor_bytes(system);
}

static bool save_checkpoint(saltus_run *run, bool spare)
{
    unsigned char *bytes = sal_record_checkpoint(&run->record, run->record.window, spare);
    if (!bytes) return false;
    memcpy(bytes, &run->cursor, sizeof run->cursor);
    memcpy(bytes + round_up(sizeof(sal_cursor)), run->cursor.x, run->cursor.bytes);
    return true;
}

static void load_checkpoint(saltus_run *run, const unsigned char *bytes)
{
    sal_cursor head;
    memcpy(&head, bytes, sizeof head);
    memcpy(run->cursor.x, bytes + round_up(sizeof(sal_cursor)), run->cursor.bytes);
    run->cursor.t = head.t;
    run->cursor.h = head.h;
    run->cursor.log_error = head.log_error;
    run->cursor.landing = head.landing;
    run->cursor.step = head.step;
    run->cursor.occurrences = head.occurrences;
    run->cursor.crowd = head.crowd;
    run->cursor.crowd_at = head.crowd_at;
    run->cursor.regime = head.regime;
}

/* ---- making --------------------------------------------------------------------------------- */

double *sal_frame_arrays(void *bytes)
{
    return (double *)(void *)((unsigned char *)bytes + round_up(sizeof(sal_frame)));
}

/* Bytes of a frame before its rows. */
static size_t frame_rows(const saltus_system *system)
{
    return round_up(sizeof(sal_frame)) +
           round_up((2 * (size_t)system->n + (size_t)system->nm + (size_t)system->nc) *
                    sizeof(double));
}

/* Rows are kept when the steps of the last simulation were gone through again, and all of them fit
 * into the memory of the record. An observer needs no record. */
static void plan_record(saltus_run *run)
{
    const size_t plain = frame_rows(run->system), memory = run->options.record_memory;
    const size_t rows = sal_rows_plan(&run->motion, run->cursor.regime);
    const size_t full = plain + round_up(rows);
    const size_t steps = (size_t)run->info.steps + (size_t)run->info.steps / 4 + 16;
    run->observer = run->next_observer;
    run->next_observer = NULL;
    run->requested = false;
    run->keeping = run->rows_wanted && rows > 0 && !run->observer && steps < memory / 2 / full;
    sal_motion_attach_tangent(&run->motion, NULL);
    sal_record_resize(&run->record, run->keeping ? full : plain, memory);
}

static void *rows_of(const saltus_run *run, void *bytes)
{
    return bytes ? (unsigned char *)bytes + frame_rows(run->system) : NULL;
}

void sal_run_place_rows(saltus_run *run)
{
    void *here = run->keeping ? sal_record_room(&run->record) : NULL;
    void *next = here ? sal_record_next_room(&run->record) : NULL;
    sal_rows_place(&run->motion, rows_of(run, here), rows_of(run, next));
}

static int row_size(const saltus_system *system)
{
    return 3 * system->n + 3 * system->nmu + system->nm + system->nc + system->no + 2;
}

saltus_status sal_run_init(saltus_run *run, const saltus_system *system,
                           const saltus_options *options, saltus_error *err)
{
    const int n = system->n, groups = system->model->groups.count;
    run->system = system;
    run->options = *options;
    sal_arena_init(&run->arena, &system->allocator);
    sal_arena *arena = &run->arena;
    run->params = ARENA_NEW(arena, system->np, double);
    run->initial = ARENA_NEW(arena, system->initial.outputs, double);
    run->pending = ARENA_NEW(arena, system->events, unsigned char);
    run->caused = ARENA_NEW(arena, system->events, unsigned char);
    run->crossing = ARENA_NEW(arena, system->events, sal_crossing);
    run->warned = ARENA_NEW(arena, system->events, unsigned char);
    run->stays = ARENA_NEW(arena, system->kinks, unsigned char);
    for (int i = 0; i < 2; i++) run->near[i] = ARENA_NEW(arena, system->nmu, double);
    for (int i = 0; i < 2; i++) run->range[i] = ARENA_NEW(arena, system->nmu, double);
    run->r_before = ARENA_NEW(arena, system->events, double);
    run->rates = ARENA_NEW(arena, 2 * n + system->nc, double);
    run->rates_kept = ARENA_NEW(arena, 2 * n + system->nc, double);
    run->rates_noise = ARENA_NEW(arena, 2 * n + system->nc, double);
    run->active = ARENA_NEW(arena, groups, int);
    run->x = ARENA_NEW(arena, 2 * n, double);
    run->slope = ARENA_NEW(arena, 2 * n, double);
    run->look = ARENA_NEW(arena, 2 * n, double);
    run->c = ARENA_NEW(arena, system->nm, double);
    run->z = ARENA_NEW(arena, system->nc, double);
    run->rank = ARENA_NEW(arena, n, int);
    run->start = ARENA_NEW(arena, 2 * n + system->nm, double);
    sal_refine_init(&run->refine, system, arena);
    sal_partition_init(&run->partition, system, SAL_RUN_LANES, arena);
    run->partition.positions = true;
    if (system->has_rolling) sal_partition_init(&run->rolling, system, SAL_RUN_LANES, arena);
    run->trial = ARENA_NEW(arena, 2 * system->kinks, double);
    run->row = ARENA_NEW(arena, row_size(system), double);
    run->state_size = 2 * (2 * n + system->nm + system->nc);
    if (!cursor_init(&run->cursor, system, arena) || !cursor_init(&run->end, system, arena))
        return sal_fail_memory(err);
    const sal_tableau *tableau = sal_tableau_get(
        options->integrator == SALTUS_DOPRI5 ? SAL_TABLEAU_DOPRI5 : SAL_TABLEAU_DOP853);
    TRY(sal_motion_init(&run->motion, system, tableau, SAL_RUN_LANES, arena, err));
    TRY(sal_jump_init(&run->jump, system, &run->motion.field, SAL_RUN_LANES, arena, err));
    TRY(sal_locator_init(&run->locator, system, &run->motion.step, SAL_RUN_LANES, arena, err));
    run->locator.watch = run->cursor.watch;
    run->locator.rtol = options->rtol;
    run->locator.atol = run->refine.atol;
    run->redundancy = (sal_redundancy){.allocator = arena->allocator, .constraints = system->nmu};
    run->jump.redundancy = &run->redundancy;
    TRY(sal_contacts_init(run, err));
    sal_field *fields[] = {&run->motion.field, &run->locator.field, &run->jump.after,
                           &run->jump.contacts, &run->contacts.field};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        fields[i]->redundancy = &run->redundancy;
        fields[i]->soft = options->formulation == SALTUS_PENALTY;
    }
    sal_record_init(&run->record, &arena->allocator, frame_rows(system), checkpoint_bytes(system),
                    options->record_memory);
    return arena->failed ? sal_fail_memory(err) : SALTUS_OK;
}

void sal_run_release(saltus_run *run)
{
    const saltus_allocator allocator = run->arena.allocator;
    sal_motion_release(&run->motion);
    sal_jump_release(&run->jump);
    sal_contacts_release(run);
    sal_locator_release(&run->locator);
    sal_partition_release(&run->partition);
    if (run->rolling.system) sal_partition_release(&run->rolling);
    sal_redundancy_release(&run->redundancy);
    sal_record_free(&run->record);
    ARRAY_RELEASE(&allocator, &run->occurrences);
    ARRAY_RELEASE(&allocator, &run->states);
    ARRAY_RELEASE(&allocator, &run->impulses);
    ARRAY_RELEASE(&allocator, &run->event_rows);
    ARRAY_RELEASE(&allocator, &run->observed);
    sal_arena_free(&run->arena);
}

/* ---- messages ------------------------------------------------------------------------------- */

void sal_run_warn(saltus_run *run, const char *format, ...)
{
    va_list arguments;
    if (run->replaying || run->warnings == SAL_RUN_WARNINGS) return;
    va_start(arguments, format);
    vsnprintf(run->warning[run->warnings++], SAL_RUN_TEXT, format, arguments);
    va_end(arguments);
}

void sal_run_warn_redundant(saltus_run *run, const sal_regime *regime, int constraint)
{
    const sal_label *label = &run->system->model->constraints.data[constraint].label;
    sal_run_warn(run,
                 "constraint '%s' (line %d) depends on the others%s%s%s: it is left out; its "
                 "multiplier is 0, and theirs carry its load",
                 label->name, label->place.line, regime->name ? " in mode '" : "",
                 regime->name ? regime->name : "", regime->name ? "'" : "");
}

void sal_run_finish(saltus_run *run, saltus_outcome outcome, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(run->message, sizeof run->message, format, arguments);
    va_end(arguments);
    run->info.outcome = outcome;
    run->finished = true;
}

/* ---- the loop ------------------------------------------------------------------------------- */

void sal_run_put_memories(saltus_run *run, const double *c)
{
    const size_t bytes = (size_t)run->system->nm * sizeof *c;
    memcpy(sal_u(&run->motion.field, SAL_LEAF_C), c, bytes);
    memcpy(sal_u(&run->locator.field, SAL_LEAF_C), c, bytes);
}

/* The numbers of the formulation of constraints, index 1 or penalty: sensitivities.md (2). */
static void put_formulation(const saltus_run *run, sal_field *field)
{
    const saltus_options *o = &run->options;
    const bool            penalty = o->formulation == SALTUS_PENALTY;
    const double          own = penalty ? 10.0 : run->refine.omega;
    const double          omega = o->omega > 0.0 ? o->omega : own;
    double               *solver = sal_u(field, SAL_LEAF_SOLVER);
    solver[0] = 2.0 * o->xi * omega;
    solver[1] = omega * omega;
    for (int j = 0; j < run->system->nmu; j++) {
        const double alpha = run->system->model->constraints.data[j].alpha;
        sal_u(field, SAL_LEAF_SOFTNESS)[j] = penalty ? 1.0 / (alpha > 0.0 ? alpha : o->alpha) : 0.0;
    }
}

static void put_params(saltus_run *run)
{
    const size_t bytes = (size_t)run->system->np * sizeof(double);
    sal_field   *fields[] = {&run->motion.field, &run->locator.field, &run->jump.after,
                             &run->jump.contacts, &run->contacts.field};
    const int    count = run->contacts.count > 0 ? 5 : 3;
    for (int i = 0; i < count; i++) {
        put_formulation(run, fields[i]);
        memcpy(sal_u(fields[i], SAL_LEAF_P), run->params, bytes);
    }
    run->jump.after.regime = run->contacts.field.regime = NULL; /* to be entered anew */
}

void sal_run_drop_observer(saltus_run *run)
{
    run->observer = NULL;
    sal_motion_attach_tangent(&run->motion, NULL);
}

void sal_run_unprime(saltus_run *run)
{
    run->primed = false;
    run->entered = NULL;
    run->motion.step.computed = 0;
    sal_locator_forget(&run->locator);
}

static saltus_status enter(saltus_run *run, const sal_regime *regime, saltus_error *err)
{
    TRY(sal_field_enter(&run->motion.field, regime, err));
    return sal_field_enter(&run->locator.field, regime, err);
}

static saltus_status fail_start(const saltus_run *run, int i, saltus_error *err)
{
    const saltus_system *system = run->system;
    const bool           memory = i >= 2 * system->n;
    const sal_label     *label = memory ? &system->model->memories.data[i - 2 * system->n].label
                                        : &system->model->coordinates.data[i % system->n].label;
    return sal_fail_at(err, SALTUS_ERR_NOT_FINITE, label->place.file, label->place.line,
                       "the start %s of '%s' is %s",
                       memory          ? "value"
                       : i < system->n ? "position"
                                       : "speed",
                       label->name, isnan(run->initial[i]) ? "not a number" : "infinite");
}

static saltus_status check_start(saltus_run *run, saltus_error *err)
{
    const saltus_system *system = run->system;
    const int            count = system->initial.outputs;
    const sal_place      place = system->model->end_place;
    const bool           outside = !isnan(run->options.t_end);
    for (int i = 0; i < count - 1; i++)
        if (!isfinite(run->initial[i])) return fail_start(run, i, err);
    run->t0 = system->model->start;
    run->t_end = outside ? run->options.t_end : run->initial[count - 1];
    if (run->t_end > run->t0 && isfinite(run->t_end)) return SALTUS_OK;
    if (outside)
        return sal_fail(err, SALTUS_ERR_ARGUMENT,
                        "the end asked for (--until, t_end), t = %g, is not after the start %g",
                        run->t_end, run->t0);
    return sal_fail_at(err, SALTUS_ERR_MODEL, place.file, place.line,
                       "the horizon ends at t = %g, which is not after its start %g", run->t_end,
                       run->t0);
}

static void reset(saltus_run *run)
{
    plan_record(run);
    sal_redundancy_clear(&run->redundancy);
    run->occurrences.count = run->states.count = run->impulses.count = run->event_rows.count = 0;
    run->observed.count = 0;
    run->warnings = 0;
    run->finished = run->simulated = run->replaying = run->out_of_memory = false;
    run->gradient_status = SALTUS_OK;
    run->cursor.h = 0.0;
    run->stuck_at = run->t0;
    run->near_regime = NULL;
    run->near_warned = false;
    run->stuck = 0;
    run->stiff = (sal_stiff){0};
    run->message[0] = 0;
    memset(run->warned, 0, (size_t)run->system->events);
    memset(run->stays, 0, (size_t)run->system->kinks);
    run->motion.field.evaluations = run->jump.after.evaluations = run->locator.field.evaluations =
        0;
    run->info = (saltus_run_info){.outcome = SALTUS_END,
                                  .message = run->message,
                                  .zeno_time = NAN,
                                  .last_event = -1,
                                  .t = run->t0};
}

/* The state at the start, in the regime of the first modes. */
static saltus_status start(saltus_run *run, saltus_error *err)
{
    const saltus_system *system = run->system;
    sal_cursor          *cursor = &run->cursor;
    put_params(run);
    sal_map_value(&system->initial, run->motion.field.u, run->initial, run->motion.field.work);
    TRY(check_start(run, err));
    reset(run);
    memset(cursor->x, 0, cursor->bytes);
    cursor->t = run->t0;
    cursor->step = 0;
    cursor->occurrences = 0;
    cursor->crowd = 0;
    cursor->crowd_at = -INFINITY;
    cursor->log_error = SAL_MIN_LOG_ERROR;
    cursor->landing = INFINITY;
    for (int g = 0; g < system->model->groups.count; g++)
        run->active[g] = system->model->groups.data[g].first;
    cursor->regime = sal_system_regime(system, run->active, err);
    if (!cursor->regime) return SALTUS_ERR_MEMORY;
    TRY(enter(run, cursor->regime, err));
    memcpy(cursor->x, run->initial, 2 * (size_t)system->n * sizeof(double));
    memcpy(cursor->c, run->initial + 2 * system->n, (size_t)system->nm_user * sizeof(double));
    for (int i = 0; i < system->kinks; i++) cursor->c[system->nm_user + i] = 1.0;
    sal_run_put_memories(run, cursor->c);
    TRY(sal_assembly_find(run, cursor->x, err));
    TRY(enter(run, cursor->regime, err)); /* with what is known of its constraints */
    for (int e = 0; e < system->events; e++) cursor->last_time[e] = cursor->last_gap[e] = NAN;
    sal_run_unprime(run);
    sal_instant_start(run);
    memcpy(run->start + 2 * system->n, cursor->c, (size_t)system->nm * sizeof(double));
    if (!run->finished && run->observer) run->observer->start(run);
    if (!run->finished) sal_advance_start(run);
    return SALTUS_OK;
}

static bool interrupted(saltus_run *run)
{
    const saltus_options *options = &run->options;
    const bool            due = run->cursor.step % 16 == 0;
    if (due) sal_clock_tick(&run->clock, run->system);
    if (!run->waiter.stopped) {
        if (!due || !options->progress) return false;
        if (!options->progress(options->progress_context, run->cursor.t, run->t_end)) return false;
    }
    sal_run_finish(run, SALTUS_INTERRUPTED, "interrupted at t = %.10g", run->cursor.t);
    return true;
}

/* Begins the next window of the record when the present one is full. */
static saltus_status turn_page(saltus_run *run, saltus_error *err)
{
    if (!sal_record_full(&run->record)) return SALTUS_OK;
    const int window = run->record.window + 1;
    if (!sal_record_begin(&run->record, window, run->cursor.step)) return sal_fail_memory(err);
    if (!run->replaying && sal_record_wants_checkpoint(&run->record, window) &&
        !save_checkpoint(run, false))
        return sal_fail_memory(err);
    return SALTUS_OK;
}

/* A final cost that has no value is how the run ended, not a number to print. */
static void check_final(saltus_run *run)
{
    const saltus_system *system = run->system;
    sal_field           *field = &run->locator.field;
    if (run->info.outcome != SALTUS_END && run->info.outcome != SALTUS_TERMINAL_EVENT) return;
    sal_field_eval(field, run->cursor.t, run->cursor.x, run->locator.k, NULL);
    sal_map_value(&system->final, field->u, run->z, field->work);
    for (int i = 0; i < system->nc; i++)
        if (!isfinite(run->z[i]))
            sal_run_finish(run, SALTUS_NOT_FINITE,
                           "the final value of cost '%s' (line %d) is %s at t = %.10g",
                           system->model->costs.data[i].label.name,
                           system->model->costs.data[i].label.place.line,
                           isnan(run->z[i]) ? "not a number" : "infinite", run->cursor.t);
}

/* From the start to the end, or to where a run that is done again is not worth going on. */
static saltus_status go_through(saltus_run *run, saltus_error *err)
{
    TRY(start(run, err));
    while (!run->finished && !interrupted(run) && sal_refine_goes_on(run)) {
        TRY(turn_page(run, err));
        TRY(sal_advance(run, err));
    }
    sal_motion_attach_tangent(&run->motion, NULL);
    return SALTUS_OK;
}

saltus_status sal_run_simulate(saltus_run *run, saltus_error *err)
{
    const sal_run_observer *observer = run->next_observer;
    sal_refine_begin(run);
    do {
        run->next_observer = observer;
        TRY(go_through(run, err));
    } while (sal_refine_again(run));
    if (run->out_of_memory) return sal_fail_memory(err);
    sal_refine_warn(run);
    sal_stiff_warn(run);
    check_final(run);
    cursor_copy(&run->end, &run->cursor);
    run->simulated = true;
    run->info.t = run->cursor.t;
    run->info.events = run->occurrences.count;
    run->info.steps = run->cursor.step;
    run->info.warnings = run->warnings;
    run->info.evaluations = run->motion.field.evaluations + run->jump.after.evaluations +
                            run->locator.field.evaluations;
    return SALTUS_OK;
}

/* ---- going back ----------------------------------------------------------------------------- */

static saltus_status resume(saltus_run *run, const void *checkpoint, saltus_error *err)
{
    load_checkpoint(run, checkpoint);
    run->finished = false;
    sal_run_unprime(run);
    put_params(run);
    sal_run_put_memories(run, run->cursor.c);
    return enter(run, run->cursor.regime, err);
}

/* Takes the steps again until the window begins. */
static saltus_status replay_to(saltus_run *run, int window, saltus_error *err)
{
    while (run->record.window < window && !run->finished) {
        TRY(sal_advance(run, err));
        run->info.replayed++;
        TRY(turn_page(run, err));
    }
    return SALTUS_OK;
}

/* Fills the window that has just begun. */
static saltus_status replay_window(saltus_run *run, saltus_error *err)
{
    while (!sal_record_full(&run->record) && !run->finished) {
        TRY(sal_advance(run, err));
        run->info.replayed++;
    }
    return SALTUS_OK;
}

/* From the nearest checkpoint to the window. On the way, spare checkpoints are left halfway, then
 * halfway of the rest, ..., so that the windows before this one are near as well. */
static saltus_status replay(saltus_run *run, int window, saltus_error *err)
{
    int at = 0;
    sal_record_forget(&run->record, window);
    const void *checkpoint = sal_record_nearest(&run->record, window, &at);
    if (!checkpoint) return sal_fail_memory(err);
    TRY(resume(run, checkpoint, err));
    sal_record_begin(&run->record, at, run->cursor.step);
    while (at < window) {
        at += (window - at + 1) / 2;
        TRY(replay_to(run, at, err));
        if (!save_checkpoint(run, true)) return sal_fail_memory(err);
    }
    return replay_window(run, err);
}

/* Brings the window with that step back into the buffer; what is known of the run stays. */
static saltus_status reload(saltus_run *run, long long step, saltus_error *err)
{
    const saltus_run_info info = run->info;
    char                  text[SAL_RUN_TEXT];
    memcpy(text, run->message, sizeof text);
    run->replaying = true;
    const saltus_status status = replay(run, sal_record_window_of(&run->record, step), err);
    const long long     replayed = run->info.replayed;
    run->replaying = false;
    run->finished = true;
    run->info = info;
    run->info.replayed = replayed;
    memcpy(run->message, text, sizeof text);
    return status;
}

saltus_status sal_run_frame(saltus_run *run, long long step, sal_frame *frame, saltus_error *err)
{
    const saltus_system *system = run->system;
    unsigned char       *bytes = sal_record_frame(&run->record, step);
    if (!bytes) {
        TRY(reload(run, step, err));
        bytes = sal_record_frame(&run->record, step);
    }
    if (!bytes) return sal_fail_memory(err);
    memcpy(frame, bytes, sizeof *frame);
    frame->x = sal_frame_arrays(bytes);
    frame->c = frame->x + 2 * system->n;
    frame->z = frame->c + system->nm;
    frame->rows = rows_of(run, bytes);
    /* An event whose jump could not be computed ended the run: it did not happen. */
    if (frame->occurrence >= run->occurrences.count) frame->occurrence = -1;
    return SALTUS_OK;
}

double sal_frame_place(const sal_frame *frame, double t)
{
    if (!(frame->h > 0.0)) return 0.0;
    return fmax(0.0, fmin((t - frame->t) / frame->h, 1.0 + frame->delta / frame->h));
}

sal_sides sal_run_sides(const saltus_run *run, int occurrence)
{
    const saltus_system *system = run->system;
    const double        *state = run->states.data + (size_t)occurrence * (size_t)run->state_size;
    sal_sides            sides;
    sides.x_minus = state;
    sides.c_minus = sides.x_minus + 2 * system->n;
    sides.z_minus = sides.c_minus + system->nm;
    sides.x_plus = sides.z_minus + system->nc;
    sides.c_plus = sides.x_plus + 2 * system->n;
    sides.z_plus = sides.c_plus + system->nm;
    return sides;
}

/* Enters the regime, unless it was the last one that was gone through. */
static saltus_status restore_regime(saltus_run *run, const sal_regime *regime, saltus_error *err)
{
    if (run->entered != regime || run->motion.field.regime != regime ||
        run->locator.field.regime != regime)
        TRY(enter(run, regime, err));
    run->entered = regime;
    return SALTUS_OK;
}

/* Goes back to the regime of a step that is to be gone through again. */
static saltus_status restore_step(saltus_run *run, const sal_frame *frame, saltus_error *err)
{
    TRY(restore_regime(run, frame->regime, err));
    run->rows_wanted = true;
    sal_run_put_memories(run, frame->c);
    /* it did not fail before but for memory */
    return sal_field_factor_constant_mass(&run->motion.field) == SAL_FIELD_OK
               ? SALTUS_OK
               : sal_fail_memory(err);
}

bool sal_run_end_moves(const saltus_run *run)
{
    const bool given = run->options.t_end == run->options.t_end; /* not NaN */
    return run->occurrences.count > 0 || (!given && run->system->end_moves);
}

sal_rows_kept sal_run_keep(saltus_run *run, sal_frame_kind kind, void *bytes)
{
    const bool given =
        kind == SAL_FRAME_STEP || (kind == SAL_FRAME_LAST && !sal_run_end_moves(run));
    if (!run->keeping) return SAL_ROWS_NONE;
    return sal_rows_keep(&run->motion, rows_of(run, bytes), given);
}

int sal_run_keep_event_rows(saltus_run *run)
{
    const int at = run->event_rows.count, count = sal_rows_of_event(&run->motion);
    if (!run->keeping || run->replaying || count == 0) return -1;
    if (!ARRAY_RESERVE(&run->arena.allocator, &run->event_rows, count))
        return -1; /* evaluated again */
    sal_rows_keep_event(&run->motion, run->event_rows.data + at);
    run->event_rows.count += count;
    return at;
}

/* The end of a step onto an event, whose other stages are there. Nonzero: the field failed. */
static int load_end(saltus_run *run, const sal_frame *frame)
{
    sal_step *step = &run->motion.step;
    if (frame->end_rows < 0) return sal_step_end(step) || sal_step_extend(step, frame->delta);
    sal_rows_load_event(&run->motion, run->event_rows.data + frame->end_rows, frame->delta);
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
    const sal_occurrence *o = &run->occurrences.data[occurrence];
    const sal_sides       sides = sal_run_sides(run, occurrence);
    const sal_reset      *reset = &system->event[o->event].reset;
    TRY(restore_regime(run, o->from, err));
    sal_run_put_memories(run, sides.c_minus);
    sal_field_result result = sal_run_load_state_before_event(
        run, o->t, sides.x_minus, rates || reset->charge_needs_a_before);
    if (result == SAL_FIELD_MEMORY) return sal_fail_memory(err);
    if (o->terminal) {
        run->jump.event = &system->event[o->event];
        return SALTUS_OK;
    }
    if (run->jump.after.regime != o->to) TRY(sal_field_enter(&run->jump.after, o->to, err));
    TRY(sal_field_reserve(&run->motion.field, o->to->slots, err)); /* the law runs maps of both */
    sal_jump_begin(&run->jump, &system->event[o->event]);
    const bool ok = sal_jump_state(&run->jump, o->impact, run->x, run->c);
    if (run->jump.out_of_memory) return sal_fail_memory(err);
    if (ok && result == SAL_FIELD_OK && (rates || reset->charge_needs_a_after))
        result = sal_jump_rates(&run->jump, o->t, sides.x_plus, sides.c_plus);
    if (result == SAL_FIELD_MEMORY) return sal_fail_memory(err);
    return ok && result == SAL_FIELD_OK ? SALTUS_OK
                                        : sal_fail(err, SALTUS_ERR_SINGULAR,
                                                   "the jump of event '%s' at t = %.10g cannot be "
                                                   "computed again",
                                                   system->event[o->event].name, o->t);
}
