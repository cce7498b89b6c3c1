/* Decides whether the record keeps rows of stages, and writes and reads frames and events: see
 * history.h. */
#include "run/history.h"

#include <math.h>
#include <string.h>

#include "run/from.h"

/* ---- frames --------------------------------------------------------------------------------- */

static size_t round_up(size_t bytes) { return (bytes + 63) / 64 * 64; }

static double *arrays_of(void *bytes)
{
    return (double *)(void *)((unsigned char *)bytes + round_up(sizeof(sal_frame)));
}

size_t sal_history_frame_bytes(const saltus_system *system)
{
    return round_up(sizeof(sal_frame)) + round_up((size_t)sal_state_size(system) * sizeof(double));
}

static void *rows_of(const saltus_run *run, void *bytes)
{
    return bytes ? (unsigned char *)bytes + sal_history_frame_bytes(run->system) : NULL;
}

/* Rows are kept if a walk has loaded steps of an earlier simulation and all rows fit into the
 * memory of the record, assuming about as many steps as before. An observer needs no rows. */
void sal_history_begin(saltus_run *run)
{
    const size_t plain = sal_history_frame_bytes(run->system), memory = run->options.record_memory;
    const size_t rows = sal_rows_plan(&run->motion, run->cursor.regime);
    const size_t full = plain + round_up(rows);
    const size_t before = (size_t)run->end.step, steps = before + before / 4 + 16;
    run->history.keeping =
        run->history.rows_wanted && rows > 0 && !run->observer && steps < memory / 2 / full;
    sal_record_resize(&run->history.record, run->history.keeping ? full : plain, memory);
    run->history.shown.count = 0;
    run->history.occurrences.count = run->history.states.count = run->history.impulses.count =
        run->history.event_rows.count = 0;
    run->history.observed.count = run->history.shared.count = 0;
}

void sal_history_place_rows(saltus_run *run)
{
    void *here = run->history.keeping ? sal_record_room(&run->history.record) : NULL;
    void *next = here ? sal_record_next_room(&run->history.record) : NULL;
    sal_rows_place(&run->motion, rows_of(run, here), rows_of(run, next));
}

bool sal_run_end_moves(const saltus_run *run)
{
    return run->history.occurrences.count > 0 ||
           (sal_run_end_is_the_models(run) && run->system->end_moves);
}

static sal_rows_kept keep_rows(saltus_run *run, sal_frame_kind kind, void *bytes)
{
    const bool given =
        kind == SAL_FRAME_STEP || (kind == SAL_FRAME_LAST && !sal_run_end_moves(run));
    if (!run->history.keeping) return SAL_ROWS_NONE;
    return sal_rows_keep(&run->motion, rows_of(run, bytes), given);
}

/* Keeps the rows of the end of a step onto an event. Returns their place in
 * run->history.event_rows, or -1: they will be evaluated again. */
static int keep_event_rows(saltus_run *run)
{
    const int at = run->history.event_rows.count, count = sal_rows_of_event(&run->motion);
    if (!run->history.keeping || run->history.recomputing || count == 0) return -1;
    if (!ARRAY_RESERVE(&run->arena.allocator, &run->history.event_rows, count)) return -1;
    sal_rows_keep_event(&run->motion, run->history.event_rows.data + at);
    run->history.event_rows.count += count;
    return at;
}

saltus_status sal_history_append(saltus_run *run, sal_frame_kind kind, double h, int occurrence,
                                 saltus_error *err)
{
    const sal_cursor *cursor = &run->cursor;
    sal_frame         head = {.t = cursor->t,
                              .h = h,
                              .regime = cursor->regime,
                              .kind = kind,
                              .occurrence = occurrence,
                              .kept = SAL_ROWS_NONE,
                              .end_rows = -1};
    void             *bytes = sal_record_append(&run->history.record);
    if (!bytes) return sal_fail_memory(err);
    /* the second and later events of an instant have no step of their own */
    if (h > 0.0) {
        head.delta = run->motion.step.delta;
        head.kept = keep_rows(run, kind, bytes);
        if (kind == SAL_FRAME_EVENT) head.end_rows = keep_event_rows(run);
    }
    memcpy(bytes, &head, sizeof head);
    sal_copy(arrays_of(bytes), cursor->x, sal_state_size(run->system));
    run->cursor.step++;
    return SALTUS_OK;
}

void sal_history_read(const saltus_run *run, void *bytes, sal_frame *frame)
{
    memcpy(frame, bytes, sizeof *frame);
    frame->x = arrays_of(bytes);
    frame->c = frame->x + 2 * run->system->n;
    frame->z = frame->c + run->system->nm;
    frame->rows = rows_of(run, bytes);
    /* the run ended at an event whose jump could not be computed: it did not happen */
    if (frame->occurrence >= run->history.occurrences.count) frame->occurrence = -1;
}

double sal_frame_place(const sal_frame *frame, double t)
{
    if (!(frame->h > 0.0)) return 0.0;
    return fmax(0.0, fmin((t - frame->t) / frame->h, 1.0 + frame->delta / frame->h));
}

/* ---- events --------------------------------------------------------------------------------- */

/* Stores the impulses of constraints, if the law just applied has some. Only those of active
 * constraints: the others are zero, and a model may have many more constraints than states. False:
 * out of memory. */
static bool note_impulses(saltus_run *run, sal_occurrence *o)
{
    const saltus_system *system = run->system;
    const double        *impulse = sal_u(run->jump.before, SAL_LEAF_IMPULSE_MU);
    if (o->terminal || run->jump.law != SAL_LAW_IMPACT) return true;
    o->impulses = run->history.impulses.count;
    for (int j = 0; j < system->nmu; j++)
        if (sal_occurrence_law(o)->loaded[j] &&
            !ARRAY_PUSH(&run->arena.allocator, &run->history.impulses, impulse[j]))
            return false;
    return true;
}

/* Stores the events of other contacts that are part of the jump just computed. False: out of
 * memory. */
static bool note_shared(saltus_run *run, sal_occurrence *o)
{
    const sal_jump *jump = &run->jump;
    o->shared = run->history.shared.count;
    o->shares = o->terminal ? 0 : jump->shares;
    for (int i = 0; i < o->shares; i++) {
        const int event = (int)(jump->shared[i] - run->system->event);
        if (!ARRAY_PUSH(&run->arena.allocator, &run->history.shared, event)) return false;
    }
    return true;
}

saltus_status sal_history_note_event(saltus_run *run, sal_occurrence *o, saltus_error *err)
{
    const saltus_allocator *allocator = &run->arena.allocator;
    const int               size = sal_state_size(run->system);
    const bool              hidden = run->system->event[o->event].hidden != SAL_SHOWN;
    run->cursor.occurrences++;
    run->cursor.shown += !hidden;
    if (run->history.recomputing) return SALTUS_OK;
    o->shown = hidden ? -1 : run->history.shown.count;
    if (!hidden && !ARRAY_PUSH(allocator, &run->history.shown, run->history.occurrences.count))
        return sal_fail_memory(err);
    if (!note_impulses(run, o) || !note_shared(run, o) ||
        !ARRAY_RESERVE(allocator, &run->history.states, 2 * size) ||
        !ARRAY_PUSH(allocator, &run->history.occurrences, *o))
        return sal_fail_memory(err);
    double *states = run->history.states.data + run->history.states.count;
    sal_copy(states, run->cursor.x, size);
    sal_copy(states + size, run->after.x, size);
    run->history.states.count += 2 * size;
    if (run->observer) run->observer->event(run, o);
    return SALTUS_OK;
}

sal_sides sal_run_sides(const saltus_run *run, int occurrence)
{
    const saltus_system *system = run->system;
    sal_sides            sides;
    sides.x_minus =
        run->history.states.data + 2 * (size_t)occurrence * (size_t)sal_state_size(system);
    sides.c_minus = sides.x_minus + 2 * system->n;
    sides.z_minus = sides.c_minus + system->nm;
    sides.x_plus = sides.z_minus + system->nc;
    sides.c_plus = sides.x_plus + 2 * system->n;
    sides.z_plus = sides.c_plus + system->nm;
    return sides;
}

/* The energy of a state. Several threads may request it of one run that does not change, so the
 * vector and the workspace of the kernel belong to this call: they are on the stack unless the
 * model is large. NAN: out of memory. */
static double energy(const saltus_run *run, const sal_regime *regime, double t, const double *x,
                     const double *c)
{
    const saltus_system *system = run->system;
    const size_t         size = (size_t)system->layout.size;
    const size_t         numbers = size + SAL_KERNEL_WORK(regime->slots);
    double               room[4096], parts[2] = {0.0, 0.0};
    const bool           fits = numbers <= sizeof room / sizeof room[0];
    double *u = fits ? room : sal_resize(&run->arena.allocator, NULL, 0, numbers * sizeof *u);
    if (!u) return NAN;
    memset(u, 0, numbers * sizeof *u);
    sal_copy(u + system->layout.at[SAL_LEAF_P], run->params, system->np);
    u[system->layout.at[SAL_LEAF_T]] = t;
    sal_copy(u + system->layout.at[SAL_LEAF_Q], x, 2 * system->n);
    sal_copy(u + system->layout.at[SAL_LEAF_C], c, system->nm);
    sal_kernel_eval(&regime->energy, u, NULL, 1, parts, u + size);
    if (!fits) sal_resize(&run->arena.allocator, u, numbers * sizeof *u, 0);
    return parts[0] + parts[1];
}

void sal_run_energies(const saltus_run *run, int occurrence, double *before, double *after)
{
    const sal_occurrence *o = &run->history.occurrences.data[occurrence];
    const sal_sides       sides = sal_run_sides(run, occurrence);
    *before = energy(run, o->from, o->t, sides.x_minus, sides.c_minus);
    *after = energy(run, o->to, o->t, sides.x_plus, sides.c_plus);
}
