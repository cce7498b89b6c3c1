/* Clearances: how far a motion is from having other events.
 *
 * The times of events that happened have derivatives of their own. Events that do not happen are
 * found on motions of the shadow (run/from.h): past the end of the horizon, and past each event in
 * the mode that it left. Derivatives are carried over from the motion to its shadow. */
#include "sens/clearance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/arming.h"
#include "run/from.h"

typedef struct finder {
    saltus_run     *run;
    const int      *params;
    int             count;
    sal_clearances *out;
    double         *time;    /* derivatives of event times, by listed occurrence and parameter */
    double         *each;    /* derivatives of event times, by occurrence and parameter */
    double         *horizon; /* derivatives of the end of the horizon, by parameter */
    double         *before;  /* derivatives of states before occurrences: see sal_read_off */
    double         *end;     /* derivatives of the state at the end: see sal_read_off */
} finder;

/* Adds a clearance and returns it, so that its gradient can be written; NULL: out of memory. */
static sal_clearance *add(const finder *f, sal_clearance clearance)
{
    sal_clearances *out = f->out;
    if (clearance.kind != SALTUS_CLEAR_PEAK) clearance.cost = -1;
    clearance.gradient = ARENA_NEW(&out->arena, f->count, double);
    if (!clearance.gradient || !ARRAY_PUSH(&out->arena.allocator, &out->list, clearance))
        return NULL;
    return &out->list.data[out->list.count - 1];
}

static const double *time_of(const finder *f, int occurrence)
{
    return f->time + (size_t)f->run->history.occurrences.data[occurrence].shown * (size_t)f->count;
}

/* Whether users see the event, and it has a time of its own. */
static bool is_first(const saltus_run *run, int occurrence)
{
    const sal_occurrence *o = &run->history.occurrences.data[occurrence];
    return !o->follows && o->shown >= 0;
}

/* ---- between times of events ---------------------------------------------------------------- */

static saltus_status add_swap(const finder *f, int first, int second, saltus_error *err)
{
    const sal_occurrence *a = &f->run->history.occurrences.data[first];
    const sal_occurrence *b = &f->run->history.occurrences.data[second];
    sal_clearance        *c = add(f, (sal_clearance){.kind = SALTUS_CLEAR_SWAP,
                                                     .event = b->event,
                                                     .first = first,
                                                     .second = second,
                                                     .t = b->t,
                                                     .value = b->t - a->t});
    if (!c) return sal_fail_memory(err);
    for (int i = 0; i < f->count; i++)
        c->gradient[i] = time_of(f, second)[i] - time_of(f, first)[i];
    return SALTUS_OK;
}

/* Adds the clearance of the first event to the start of the horizon, or of the last one to its end.
 */
static saltus_status add_leave(const finder *f, int occurrence, bool at_start, saltus_error *err)
{
    const saltus_run     *run = f->run;
    const sal_occurrence *o = &run->history.occurrences.data[occurrence];
    sal_clearance        *c =
        add(f, (sal_clearance){.kind = SALTUS_CLEAR_LEAVE,
                               .event = o->event,
                               .first = at_start ? -1 : occurrence,
                               .second = at_start ? occurrence : -1,
                               .t = o->t,
                               .value = at_start ? o->t - run->t0 : run->t_end - o->t});
    if (!c) return sal_fail_memory(err);
    for (int i = 0; i < f->count; i++)
        c->gradient[i] =
            at_start ? time_of(f, occurrence)[i] : f->horizon[i] - time_of(f, occurrence)[i];
    return SALTUS_OK;
}

static saltus_status between_events(const finder *f, saltus_error *err)
{
    const saltus_run *run = f->run;
    int               last = -1;
    for (int i = 0; i < run->history.occurrences.count; i++) {
        if (!is_first(run, i)) continue;
        TRY(last < 0 ? add_leave(f, i, true, err) : add_swap(f, last, i, err));
        last = i;
    }
    return last < 0 ? SALTUS_OK : add_leave(f, last, false, err);
}

/* ---- motions that do not happen ------------------------------------------------------------- */

/* The first places on a shadow's motion at which an event of the script, and a kink, would happen.
 */
typedef struct would_be {
    const sal_guard_place *event, *kink;
} would_be;

/* Whether the guard crosses zero in the declared direction, with the conditions met. */
static bool would_happen(const saltus_system *system, const sal_guard_place *p)
{
    return !p->turns && p->allowed &&
           sal_event_fires(&system->event[p->event], p->rate < 0.0 ? 1 : -1);
}

/* Finds the first places after the time `from`. The event `except` and events with its guard are
 * ignored. */
static would_be first_of(const saltus_system *system, const sal_guard_places *places, int except,
                         double from)
{
    would_be first = {NULL, NULL};
    for (int i = 0; i < places->count; i++) {
        const sal_guard_place  *p = &places->data[i];
        const sal_guard_place **which =
            system->event[p->event].kink < 0 ? &first.event : &first.kink;
        if (p->event == except || sal_events_share_guard(system, p->event, except)) continue;
        if (system->event[p->event].hidden != SAL_SHOWN) continue;
        if (!(p->t > from) || !would_happen(system, p)) continue;
        if (!*which || p->t < (*which)->t) *which = p;
    }
    return first;
}

/* Adds the magnitude of a guard where it turns. */
static saltus_status add_size(const finder *f, saltus_clearance_kind kind, const sal_guard_place *p,
                              const double *slope, int occurrence, saltus_error *err)
{
    sal_clearance *c = add(f, (sal_clearance){.kind = kind,
                                              .event = p->event,
                                              .first = occurrence,
                                              .second = -1,
                                              .t = p->t,
                                              .value = fabs(p->r)});
    if (!c) return sal_fail_memory(err);
    for (int i = 0; i < f->count; i++) c->gradient[i] = p->r > 0.0 ? slope[i] : -slope[i];
    return SALTUS_OK;
}

/* Adds the time of an event that would happen on the shadow's motion, relative to the time `from`,
 * whose derivatives are `moves`. occurrence: the one at which the shadow began; -1: it began at the
 * end. */
static saltus_status add_enter(const finder *f, const sal_guard_place *p, const double *slope,
                               double from, const double *moves, int occurrence, saltus_error *err)
{
    sal_clearance *c = add(f, (sal_clearance){.kind = SALTUS_CLEAR_ENTER,
                                              .event = p->event,
                                              .first = occurrence,
                                              .second = -1,
                                              .t = p->t,
                                              .value = p->t - from});
    if (!c) return sal_fail_memory(err);
    for (int i = 0; i < f->count; i++) c->gradient[i] = -slope[i] / p->rate - moves[i];
    return SALTUS_OK;
}

static int by_time(const void *a, const void *b)
{
    const sal_guard_place *p = a, *q = b;
    return (p->t > q->t) - (p->t < q->t);
}

/* The largest number of places that are used on a shadow's motion. */
enum { WANTED = 3 };

/* Places on the shadow's motion with the slopes of their guards. */
typedef struct noticed {
    int             count;
    sal_guard_place place[WANTED];
    double         *slope; /* [place * params + param] */
} noticed;

static void notice(noticed *n, const sal_guard_place *place)
{
    if (place) n->place[n->count++] = *place;
}

/* Computes slopes at the places, from the derivatives of the state where the shadow began. */
static saltus_status find_slopes(const finder *f, const double *start, noticed *n,
                                 saltus_error *err)
{
    if (n->count == 0) return SALTUS_OK;
    n->slope = ARENA_NEW(&f->out->arena, (size_t)n->count * (size_t)f->count, double);
    if (!n->slope) return sal_fail_memory(err);
    qsort(n->place, (size_t)n->count, sizeof *n->place, by_time);
    return sal_follow_tangents(f->run->shadow, f->params, f->count, start,
                               &(sal_read_off){n->place, n->count, n->slope, NULL, NULL}, err);
}

/* The first place where the guard turns back after its zero at the start of the motion. */
static const sal_guard_place *turning(const sal_guard_places *places, int event)
{
    const sal_guard_place *first = NULL;
    for (int i = 0; i < places->count; i++) {
        const sal_guard_place *p = &places->data[i];
        if (p->event == event && p->turns && p->r * p->way < 0.0 && (!first || p->t < first->t))
            first = p;
    }
    return first;
}

/* The start of a shadow's motion. */
typedef struct branch {
    const sal_regime *regime;
    double            t;
    const double     *x, *c;
    int               event;  /* the event that happened there, or -1 */
    double            length; /* time for which it is followed at most */
} branch;

static saltus_status follow_to(const finder *f, const branch *b, double length,
                               sal_guard_places *places, saltus_error *err)
{
    saltus_run   *run = f->run;
    saltus_error  own = {0};
    saltus_status status = sal_shadow_follow(run, b->regime, b->t, b->x, b->c, b->t + length, &own);
    places->count = 0;
    if (status == SALTUS_OK && run->shadow->outcome.info.outcome == SALTUS_INTERRUPTED)
        status = sal_fail(&own, SALTUS_ERR_INTERRUPTED, "interrupted while clearances were found");
    if (status == SALTUS_OK) status = sal_follow_guards(run->shadow, places, &own);
    if (status != SALTUS_ERR_MEMORY && status != SALTUS_ERR_INTERRUPTED) return SALTUS_OK;
    return sal_fail(err, status, "%s", own.message);
}

/* The earliest time of other events: a little after the instant at which the shadow began. */
static double soon_after(const finder *f, const branch *b)
{
    return b->event < 0 ? -INFINITY : b->t + 1e-10 * (f->run->t_end - f->run->t0);
}

/* Follows the shadow until something happens, notes the first events, and computes their slopes.
 * start: derivatives of the state where the shadow begins. */
static saltus_status follow(const finder *f, const branch *b, const double *start, noticed *n,
                            saltus_error *err)
{
    sal_guard_places places = {0};
    saltus_status    status = SALTUS_OK;
    would_be         first = {NULL, NULL};
    for (int part = 16; part >= 1 && status == SALTUS_OK && n->count == 0; part /= 4) {
        status = follow_to(f, b, b->length / part, &places, err);
        first = first_of(f->run->system, &places, b->event, soon_after(f, b));
        if (b->event >= 0) notice(n, turning(&places, b->event));
        notice(n, first.event);
    }
    notice(n, first.kink);
    ARRAY_RELEASE(&f->run->arena.allocator, &places);
    return status == SALTUS_OK ? find_slopes(f, start, n, err) : status;
}

/* Adds the events that would happen past the end of the horizon. */
static saltus_status past_the_end(const finder *f, saltus_error *err)
{
    const saltus_run *run = f->run;
    noticed           seen = {0};
    const branch      end = {run->end.regime, run->end.t, run->end.x,
                             run->end.c,      -1,         run->t_end - run->t0};
    if (run->outcome.info.outcome != SALTUS_END) return SALTUS_OK;
    TRY(follow(f, &end, f->end, &seen, err));
    for (int i = 0; i < seen.count; i++)
        TRY(add_enter(f, &seen.place[i], seen.slope + (size_t)i * (size_t)f->count, run->t_end,
                      f->horizon, -1, err));
    return SALTUS_OK;
}

/* Whether the next occurrence with a time of its own is one of this event. */
static bool is_next(const saltus_run *run, int occurrence, int event)
{
    for (int i = occurrence + 1; i < run->history.occurrences.count; i++)
        if (is_first(run, i)) return run->history.occurrences.data[i].event == event;
    return false;
}

/* Adds what would happen without this event: its guard may turn back, or an event may happen that
 * this event prevents. If there are many events, shadows are not followed through the whole
 * horizon. */
static saltus_status past_event(const finder *f, int occurrence, saltus_error *err)
{
    const saltus_run     *run = f->run;
    const sal_occurrence *o = &run->history.occurrences.data[occurrence];
    const sal_sides       sides = sal_run_sides(run, occurrence);
    const size_t          states = sal_follow_states(run->system) * (size_t)f->count;
    const double          part = fmin(1.0, 16.0 / run->history.shown.count);
    const branch          old = {o->from,       o->t,     sides.x_minus,
                                 sides.c_minus, o->event, part * (run->t_end - run->t0)};
    noticed               seen = {0};
    TRY(follow(f, &old, f->before + (size_t)occurrence * states, &seen, err));
    for (int i = 0; i < seen.count; i++) {
        const sal_guard_place *p = &seen.place[i];
        const double          *slope = seen.slope + (size_t)i * (size_t)f->count;
        if (p->turns) TRY(add_size(f, SALTUS_CLEAR_VANISH, p, slope, occurrence, err));
        else if (!is_next(run, occurrence, p->event))
            TRY(add_enter(f, p, slope, o->t, time_of(f, occurrence), occurrence, err));
    }
    return SALTUS_OK;
}

static saltus_status past_events(const finder *f, saltus_error *err)
{
    for (int i = 0; i < f->run->history.occurrences.count; i++)
        if (is_first(f->run, i)) TRY(past_event(f, i, err));
    return SALTUS_OK;
}

/* ---- guards along the motion ---------------------------------------------------------------- */

/* Keeps the places where a guard turns before it is zero, in the order of time. */
static void keep_misses(sal_guard_places *places)
{
    int kept = 0;
    for (int i = 0; i < places->count; i++) {
        const sal_guard_place p = places->data[i];
        if (p.turns && p.allowed && p.r * p.way > 0.0) places->data[kept++] = p;
    }
    places->count = kept;
    if (kept > 0) qsort(places->data, (size_t)kept, sizeof *places->data, by_time);
}

/* Finds near misses, and carries derivatives along the motion for all clearances. */
static saltus_status along_motion(finder *f, sal_guard_places *misses, saltus_error *err)
{
    saltus_run *run = f->run;
    TRY(sal_follow_guards(run, misses, err));
    keep_misses(misses);
    double *slope = ARENA_NEW(&f->out->arena, (size_t)misses->count * (size_t)f->count, double);
    if (!slope) return sal_fail_memory(err);
    TRY(sal_follow_tangents(run, f->params, f->count, NULL,
                            &(sal_read_off){misses->data, misses->count, slope, f->before, f->end},
                            err));
    for (int i = 0; i < misses->count; i++)
        TRY(add_size(f, SALTUS_CLEAR_MISS, &misses->data[i], slope + (size_t)i * (size_t)f->count,
                     -1, err));
    return SALTUS_OK;
}

/* ---- conditions ----------------------------------------------------------------------------- */

/* Writes the total derivatives of the conditions of an event, with its moving time:
 * slope[condition * lanes + lane]. The state before the event is in the field of the motion, its
 * rates are in the jump. */
static void condition_slopes(const finder *f, int occurrence, int first, int lanes, double *du,
                             double *slope)
{
    saltus_run          *run = f->run;
    const saltus_system *system = run->system;
    const size_t         states = sal_follow_states(system), p = (size_t)f->count;
    const double        *before = f->before + (size_t)occurrence * states * p;
    const double        *dt = time_of(f, occurrence) + first;
    double              *dx = sal_lanes_at(system, du, lanes, SAL_LEAF_Q);
    double              *dc = sal_lanes_at(system, du, lanes, SAL_LEAF_C);
    sal_zero(du, system->layout.size * lanes);
    for (int l = 0; l < lanes; l++) {
        const double *column = before + first + l;
        sal_lanes_at(system, du, lanes, SAL_LEAF_T)[l] = dt[l];
        sal_lanes_at(system, du, lanes, SAL_LEAF_P)[f->params[first + l] * lanes + l] = 1.0;
        for (int i = 0; i < 2 * system->n; i++)
            dx[i * lanes + l] = column[(size_t)i * p] + run->jump.k_before[i] * dt[l];
        for (int i = 0; i < system->nm; i++)
            dc[i * lanes + l] = column[(size_t)(2 * system->n + i) * p];
    }
    sal_field_tangent(&run->motion.field, du, lanes, NULL);
    sal_map_tangent(&system->event[run->history.occurrences.data[occurrence].event].where,
                    run->motion.field.u, du, lanes, slope, run->motion.field.work);
}

static saltus_status conditions_of(const finder *f, int occurrence, saltus_error *err)
{
    saltus_run               *run = f->run;
    const sal_occurrence     *o = &run->history.occurrences.data[occurrence];
    const sal_compiled_event *event = &run->system->event[o->event];
    const int                 count = event->wheres, at = f->out->list.count;
    sal_arena                *arena = &f->out->arena;
    if (count == 0 || o->told_from || o->shown < 0) return SALTUS_OK;
    TRY(sal_run_load_jump(run, occurrence, true, err));
    double *value = ARENA_NEW(arena, count, double);
    double *du = ARENA_NEW(arena, run->system->layout.size * SAL_RUN_LANES, double);
    double *slope = ARENA_NEW(arena, count * SAL_RUN_LANES, double);
    if (arena->failed) return sal_fail_memory(err);
    sal_map_value(&event->where, run->motion.field.u, value, run->motion.field.work);
    for (int k = 0; k < count; k++)
        if (!add(f, (sal_clearance){.kind = SALTUS_CLEAR_CONDITION,
                                    .event = o->event,
                                    .first = occurrence,
                                    .second = -1,
                                    .t = o->t,
                                    .value = value[k]}))
            return sal_fail_memory(err);
    for (int first = 0; first < f->count; first += SAL_RUN_LANES) {
        const int lanes = sal_sens_block(f->count - first);
        condition_slopes(f, occurrence, first, lanes, du, slope);
        for (int k = 0; k < count; k++)
            sal_copy(f->out->list.data[at + k].gradient + first, slope + k * lanes, lanes);
    }
    return SALTUS_OK;
}

/* ---- samples and nodes ---------------------------------------------------------------------- */

/* Adds the time between an event and a sample or a node of a control, whose occurrence is `hidden`.
 */
static saltus_status add_hidden(const finder *f, int occurrence, int hidden, saltus_error *err)
{
    const sal_occurrence *o = &f->run->history.occurrences.data[occurrence];
    const sal_occurrence *h = &f->run->history.occurrences.data[hidden];
    const bool            node = f->run->system->event[h->event].hidden == SAL_HIDDEN_NODE;
    const bool            later = hidden > occurrence;
    const size_t          p = (size_t)f->count;
    sal_clearance        *c =
        add(f, (sal_clearance){.kind = node ? SALTUS_CLEAR_NODE : SALTUS_CLEAR_SAMPLE,
                               .event = o->event,
                               .first = occurrence,
                               .second = -1,
                               .t = h->t,
                               .value = fabs(h->t - o->t)});
    if (!c) return sal_fail_memory(err);
    for (int i = 0; i < f->count; i++) {
        const double apart =
            f->each[(size_t)hidden * p + (size_t)i] - f->each[(size_t)occurrence * p + (size_t)i];
        c->gradient[i] = later ? apart : -apart;
    }
    return SALTUS_OK;
}

/* Adds the nearest sample and the nearest node before (way -1) or after (1) an event, if there is
 * no other event between them. */
static saltus_status next_hidden(const finder *f, int occurrence, int way, saltus_error *err)
{
    const saltus_run *run = f->run;
    bool              seen[SAL_HIDDEN_TICK] = {false};
    for (int i = occurrence + way; i >= 0 && i < run->history.occurrences.count; i += way) {
        const sal_hidden hidden = run->system->event[run->history.occurrences.data[i].event].hidden;
        if (is_first(run, i)) return SALTUS_OK;
        if ((hidden != SAL_HIDDEN_SAMPLE && hidden != SAL_HIDDEN_NODE) || seen[hidden]) continue;
        seen[hidden] = true;
        TRY(add_hidden(f, occurrence, i, err));
    }
    return SALTUS_OK;
}

/* A cost has a kink or jumps where an event meets a sample, which reads the state before or after
 * it, or a node of a control. Kinks of functions are left out: nothing jumps at them. */
static saltus_status near_hidden(const finder *f, saltus_error *err)
{
    const saltus_run *run = f->run;
    for (int i = 0; i < run->history.occurrences.count; i++) {
        if (!is_first(run, i) ||
            run->system->event[run->history.occurrences.data[i].event].kink >= 0)
            continue;
        TRY(next_hidden(f, i, -1, err));
        TRY(next_hidden(f, i, 1, err));
    }
    return SALTUS_OK;
}

/* ---- peaks ---------------------------------------------------------------------------------- */

/* Computes the gradient of a cost with the peak that is in `best` now. */
static saltus_status peak_gradient(const finder *f, int i, double *gradient, saltus_error *err)
{
    const sal_wanted    wanted = {f->params, &f->run->system->peak[i].cost, f->count, 1};
    const sal_gradients out = {.cost = gradient, .columns = f->count};
    return sal_sens_forward(f->run, &wanted, false, &out, err);
}

static void swap_peaks(sal_peaks *all, int rival)
{
    const sal_peak best = all->best;
    all->best = all->rival[rival];
    all->rival[rival] = best;
}

/* Whether two peaks tie and have equal gradients, as those of a periodic motion. */
static bool is_same_peak(const finder *f, int i, int rival, const double *difference)
{
    const double *params = f->run->params;
    if (!sal_peaks_tie(f->run, i, rival)) return false;
    for (int k = 0; k < f->count; k++) {
        const double value = params[f->params[k]], unit = value != 0.0 ? fabs(value) : 1.0;
        if (fabs(difference[k]) * unit > 1e-6 * f->run->peaks[i].size) return false;
    }
    return true;
}

/* Adds the difference of a cost's peak and another peak that might overtake it. */
static saltus_status add_rival(const finder *f, int i, int rival, const double *best,
                               saltus_error *err)
{
    saltus_run    *run = f->run;
    sal_peaks     *all = &run->peaks[i];
    const double   sign = run->system->peak[i].sign;
    sal_clearance  c = {.kind = SALTUS_CLEAR_PEAK,
                        .event = -1,
                        .first = -1,
                        .second = -1,
                        .cost = run->system->peak[i].cost,
                        .t = all->best.t,
                        .other = all->rival[rival].t,
                        .value = fmax(0.0, sign * (all->best.value - all->rival[rival].value))};
    sal_clearance *added = add(f, c);
    if (!added) return sal_fail_memory(err);
    swap_peaks(all, rival);
    const saltus_status status = peak_gradient(f, i, added->gradient, err);
    swap_peaks(all, rival);
    TRY(status);
    for (int k = 0; k < f->count; k++) added->gradient[k] = sign * (best[k] - added->gradient[k]);
    if (is_same_peak(f, i, rival, added->gradient)) f->out->list.count--;
    return SALTUS_OK;
}

static saltus_status between_peaks(const finder *f, saltus_error *err)
{
    const saltus_run *run = f->run;
    double           *best = ARENA_NEW(&f->out->arena, f->count, double);
    if (!best) return sal_fail_memory(err);
    for (int i = 0; i < run->system->peaks; i++) {
        if (run->peaks[i].rivals > 0) TRY(peak_gradient(f, i, best, err));
        for (int k = 0; k < run->peaks[i].rivals; k++) TRY(add_rival(f, i, k, best, err));
    }
    return SALTUS_OK;
}

/* ---- all clearances ------------------------------------------------------------------------- */

/* Computes the derivatives along the motion from which all clearances are computed. */
static saltus_status carry_tangents(finder *f, saltus_error *err)
{
    saltus_run         *run = f->run;
    sal_arena          *arena = &f->out->arena;
    const size_t        p = (size_t)f->count, states = sal_follow_states(run->system);
    const size_t        events = (size_t)run->history.occurrences.count;
    const sal_wanted    wanted = {f->params, NULL, f->count, 0};
    const size_t        shown = (size_t)run->history.shown.count;
    const sal_gradients times = {.time = f->time = ARENA_NEW(arena, shown * p, double),
                                 .each = f->each = ARENA_NEW(arena, events * p, double),
                                 .columns = f->count};
    f->horizon = ARENA_NEW(arena, p, double);
    f->before = ARENA_NEW(arena, events * states * p, double);
    f->end = ARENA_NEW(arena, states * p, double);
    if (arena->failed) return sal_fail_memory(err);
    TRY(sal_sens_horizon(run, f->params, f->count, f->horizon, err));
    TRY(sal_sens_forward(run, &wanted, false, &times, err));
    sal_guard_places    misses = {0};
    const saltus_status status = along_motion(f, &misses, err);
    ARRAY_RELEASE(&run->arena.allocator, &misses);
    return status;
}

/* Removes clearances whose value or gradient is not finite. */
static void drop_undefined(const finder *f)
{
    sal_clearances *out = f->out;
    int             kept = 0;
    for (int k = 0; k < out->list.count; k++) {
        const sal_clearance c = out->list.data[k];
        bool                finite = isfinite(c.value);
        for (int i = 0; i < f->count; i++) finite = finite && isfinite(c.gradient[i]);
        if (finite) out->list.data[kept++] = c;
    }
    out->list.count = kept;
}

saltus_status sal_clearances_find(saltus_run *run, const int *params, int count,
                                  sal_clearances *out, saltus_error *err)
{
    finder f = {.run = run, .params = params, .count = count, .out = out};
    memset(out, 0, sizeof *out);
    sal_arena_init(&out->arena, &run->arena.allocator);
    TRY(sal_sens_check(run, err));
    TRY(carry_tangents(&f, err));
    TRY(between_events(&f, err));
    TRY(past_the_end(&f, err));
    TRY(past_events(&f, err));
    for (int i = 0; i < run->history.occurrences.count; i++) TRY(conditions_of(&f, i, err));
    TRY(near_hidden(&f, err));
    TRY(between_peaks(&f, err));
    drop_undefined(&f);
    return SALTUS_OK;
}

void sal_clearances_release(saltus_run *run, sal_clearances *clearances)
{
    ARRAY_RELEASE(&run->arena.allocator, &clearances->list);
    sal_arena_free(&clearances->arena);
}
