/* Clearances: how far a motion is from having other events.
 *
 * Times of events that happened have derivatives of their own. What does not happen is looked at on
 * motions of the shadow (run/from.h): past the end of the horizon, and past each event in the mode
 * that it left. Derivatives are carried from the motion to its shadow. */
#include "sens/clearance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/from.h"

typedef struct finder {
    saltus_run     *run;
    const int      *params;
    int             count;
    sal_clearances *out;
    double         *time;    /* by occurrence and parameter */
    double         *horizon; /* by parameter: the end of the horizon */
    double         *before;  /* states before each occurrence, sal_read_off */
    double         *end;     /* the state at the end */
} finder;

/* A clearance whose gradient is still to be written, or NULL. */
static sal_clearance *add(const finder *f, sal_clearance clearance)
{
    sal_clearances *out = f->out;
    clearance.gradient = ARENA_NEW(&out->arena, f->count, double);
    if (!clearance.gradient || !ARRAY_PUSH(&out->arena.allocator, &out->list, clearance))
        return NULL;
    return &out->list.data[out->list.count - 1];
}

static const double *time_of(const finder *f, int occurrence)
{
    return f->time + (size_t)occurrence * (size_t)f->count;
}

/* Whether the event has a time of its own. */
static bool is_first(const saltus_run *run, int occurrence)
{
    return !run->occurrences.data[occurrence].follows;
}

/* ---- between times of events ---------------------------------------------------------------- */

static saltus_status add_swap(const finder *f, int first, int second, saltus_error *err)
{
    const sal_occurrence *a = &f->run->occurrences.data[first];
    const sal_occurrence *b = &f->run->occurrences.data[second];
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

/* The first event may move out of the horizon at its start, the last at its end. */
static saltus_status add_leave(const finder *f, int occurrence, bool at_start, saltus_error *err)
{
    const saltus_run     *run = f->run;
    const sal_occurrence *o = &run->occurrences.data[occurrence];
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
    for (int i = 0; i < run->occurrences.count; i++) {
        if (!is_first(run, i)) continue;
        TRY(last < 0 ? add_leave(f, i, true, err) : add_swap(f, last, i, err));
        last = i;
    }
    return last < 0 ? SALTUS_OK : add_leave(f, last, false, err);
}

/* ---- motions that do not happen ------------------------------------------------------------- */

/* Of the zeros of guards on a shadow's motion, those at which events would happen first: one of an
 * event of the script, one of a kink. */
typedef struct would_be {
    const sal_guard_place *event, *kink;
} would_be;

/* Whether the guard passes zero there as the event is declared, from clearly off zero. */
static bool would_happen(const saltus_system *system, const sal_guard_place *p)
{
    return !p->turns && p->allowed &&
           sal_event_fires(&system->event[p->event], p->rate < 0.0 ? 1 : -1);
}

static would_be first_of(const saltus_system *system, const sal_guard_places *places, int except)
{
    would_be first = {NULL, NULL};
    for (int i = 0; i < places->count; i++) {
        const sal_guard_place  *p = &places->data[i];
        const sal_guard_place **which =
            system->event[p->event].kink < 0 ? &first.event : &first.kink;
        if (p->event == except || !would_happen(system, p)) continue;
        if (!*which || p->t < (*which)->t) *which = p;
    }
    return first;
}

/* The time of an event that would happen on the shadow's motion, after the time `from`, whose
 * derivatives are `moves`. occurrence: after which the motion was left, -1: at the end. */
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

static bool all_finite(const double *x, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

/* What would have happened past the end of the horizon. */
static saltus_status past_the_end(const finder *f, saltus_error *err)
{
    saltus_run          *run = f->run;
    const saltus_system *system = run->system;
    sal_guard_places     places = {0};
    sal_guard_place      wanted[2];
    int                  count = 0;
    if (run->info.outcome != SALTUS_END) return SALTUS_OK;
    TRY(sal_shadow_follow(run, run->end.regime, run->end.t, run->end.x, run->end.c,
                          run->end.t + (run->t_end - run->t0), err));
    saltus_status  status = sal_follow_guards(run->shadow, &places, err);
    const would_be first = first_of(system, &places, -1);
    if (first.event) wanted[count++] = *first.event;
    if (first.kink) wanted[count++] = *first.kink;
    ARRAY_RELEASE(&run->arena.allocator, &places);
    qsort(wanted, (size_t)count, sizeof *wanted, by_time);
    double *slope = ARENA_NEW(&f->out->arena, 2 * f->count, double);
    if (status == SALTUS_OK && !slope) status = sal_fail_memory(err);
    if (status != SALTUS_OK || count == 0) return status;
    TRY(sal_follow_tangents(run->shadow, f->params, f->count, f->end,
                            &(sal_read_off){wanted, count, slope, NULL, NULL}, err));
    for (int i = 0; i < count; i++)
        if (all_finite(slope + i * f->count, f->count))
            TRY(add_enter(f, &wanted[i], slope + i * f->count, run->t_end, f->horizon, -1, err));
    return SALTUS_OK;
}

/* ---- all of them ---------------------------------------------------------------------------- */

/* Derivatives along the motion that all clearances are made of. */
static saltus_status carry_tangents(finder *f, saltus_error *err)
{
    saltus_run         *run = f->run;
    sal_arena          *arena = &f->out->arena;
    const size_t        p = (size_t)f->count, states = sal_follow_states(run->system);
    const size_t        events = (size_t)run->occurrences.count;
    const sal_wanted    wanted = {f->params, NULL, f->count, 0};
    const sal_gradients times = {NULL, f->time = ARENA_NEW(arena, events * p, double), NULL,
                                 f->count};
    f->horizon = ARENA_NEW(arena, p, double);
    f->before = ARENA_NEW(arena, events * states * p, double);
    f->end = ARENA_NEW(arena, states * p, double);
    if (arena->failed) return sal_fail_memory(err);
    TRY(sal_sens_horizon(run, f->params, f->count, f->horizon, err));
    TRY(sal_sens_forward(run, &wanted, false, &times, err));
    return sal_follow_tangents(run, f->params, f->count, NULL,
                               &(sal_read_off){NULL, 0, NULL, f->before, f->end}, err);
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
    return past_the_end(&f, err);
}

void sal_clearances_release(saltus_run *run, sal_clearances *clearances)
{
    ARRAY_RELEASE(&run->arena.allocator, &clearances->list);
    sal_arena_free(&clearances->arena);
}
