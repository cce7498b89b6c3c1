/* Finds the places of a recorded motion where guards are zero or turn, and their derivatives there:
 * see follow.h. */
#include "sens/follow.h"

#include <math.h>

#include "motion/guard.h"

/* PARTS: the parts of a step, at whose ends guards are evaluated. */
enum { PARTS = 8, MAX_HALVINGS = 60 };

typedef struct follower {
    saltus_run       *run;
    const sal_frame  *frame;
    sal_guard_places *places;
    int               after;      /* the last occurrence so far */
    double           *r, *rate;   /* by event: guard and rate at the last place */
    double           *r0, *rate0; /* by event: guard and rate at the place before the last one */
} follower;

/* ---- one guard ------------------------------------------------------------------------------ */

/* Evaluates the field of the locator at theta of the step in motion. */
static void go_to(const follower *f, double theta)
{
    const sal_step *step = &f->run->motion.step;
    sal_locator    *at = &f->run->locator;
    sal_step_at(step, theta, at->x, NULL);
    sal_field_eval(&at->field, step->t + theta * step->h, at->x, at->k, NULL);
}

/* The guard and its rate at the state in the field. */
static double guard_here(const follower *f, int event, double *rate)
{
    sal_field *field = &f->run->locator.field;
    return sal_guard_value(field, &field->system->event[event], field->u, rate, f->run->locator.du);
}

/* Where the guard (or its rate) is zero between two places at which its signs differ: false
 * position with the Illinois rule. */
static double find_zero(const follower *f, int event, bool turns, double a, double at_a, double b,
                        double at_b)
{
    int last = 0;
    for (int i = 0; i < MAX_HALVINGS && b - a > 1e-15 * b; i++) {
        double       rate, theta = (a * at_b - b * at_a) / (at_b - at_a);
        const double half = 0.5 * (a + b);
        if (!(theta > a && theta < b)) theta = half;
        go_to(f, theta);
        const double r = guard_here(f, event, &rate), here = turns ? rate : r;
        if (here == 0.0) return theta;
        if ((here > 0.0) == (at_a > 0.0)) {
            a = theta;
            at_a = here;
            if (last == 1) at_b *= 0.5;
            last = 1;
        } else {
            b = theta;
            at_b = here;
            if (last == 2) at_a *= 0.5;
            last = 2;
        }
    }
    return fabs(at_a) < fabs(at_b) ? a : b;
}

static saltus_status add(const follower *f, int event, bool turns, double theta, double way,
                         saltus_error *err)
{
    saltus_run     *run = f->run;
    sal_guard_place place = {.event = event, .turns = turns, .after = f->after, .way = way};
    double          nearest;
    place.t = run->motion.step.t + theta * run->motion.step.h;
    go_to(f, theta);
    place.r = guard_here(f, event, &place.rate);
    if (turns) place.rate = 0.0;
    place.allowed = sal_locator_conditions(&run->locator, event, place.t, run->locator.x, &nearest);
    return ARRAY_PUSH(&run->arena.allocator, f->places, place) ? SALTUS_OK : sal_fail_memory(err);
}

/* ---- all guards in a step ------------------------------------------------------------------- */

/* Whether rates are more than rounding. */
static bool is_moving(const follower *f, double r, double rate0, double rate)
{
    return fmax(fabs(rate0), fabs(rate)) * f->frame->h > 1e-12 * fabs(r);
}

/* Adds the guards that move away from zero at the start of the motion. */
static saltus_status look_at_start(const follower *f, saltus_error *err)
{
    const sal_regime *regime = f->frame->regime;
    for (int i = 0; i < regime->events; i++) {
        const int    e = regime->event[i];
        const double r = f->r[e], rate = f->rate[e];
        if (r * rate > 0.0 && is_moving(f, r, rate, rate) &&
            sal_event_fires(&f->run->system->event[e], r > 0.0 ? -1 : 1))
            TRY(add(f, e, true, 0.0, rate > 0.0 ? 1.0 : -1.0, err));
    }
    return SALTUS_OK;
}

/* Evaluates all guards at theta, and adds their zeros and turns since the place before it. */
static saltus_status look(const follower *f, double before, double theta, saltus_error *err)
{
    const sal_regime *regime = f->frame->regime;
    go_to(f, theta);
    for (int i = 0; i < regime->events; i++) {
        const int e = regime->event[i];
        f->r0[e] = f->r[e];
        f->rate0[e] = f->rate[e];
        f->r[e] = guard_here(f, e, &f->rate[e]);
    }
    for (int i = 0; i < regime->events && theta > before; i++) {
        const int    e = regime->event[i];
        const double r0 = f->r0[e], r = f->r[e], rate0 = f->rate0[e], rate = f->rate[e];
        if (!isfinite(r0 + r + rate0 + rate)) continue;
        if (r0 * r < 0.0)
            TRY(add(f, e, false, find_zero(f, e, false, before, r0, theta, r), 0.0, err));
        if (rate0 * rate < 0.0 && is_moving(f, r, rate0, rate))
            TRY(add(f, e, true, find_zero(f, e, true, before, rate0, theta, rate),
                    rate > 0.0 ? 1.0 : -1.0, err));
    }
    return SALTUS_OK;
}

static saltus_status follow_step(const follower *f, saltus_error *err)
{
    sal_step *step = &f->run->motion.step;
    TRY(sal_run_load_all_stages(f->run, f->frame, err));
    if (sal_step_dense(step))
        return sal_fail(err, SALTUS_ERR_NOT_FINITE, "no dense output at t = %.10g", step->t);
    /* the guard of an event is zero at the end of its step: stop a little earlier */
    const double end = f->frame->occurrence >= 0 ? 1.0 - 1e-9 : 1.0;
    TRY(look(f, 0.0, 0.0, err));
    if (f->frame->t == f->run->t0 && f->after < 0) TRY(look_at_start(f, err));
    for (int i = 1; i <= PARTS; i++) TRY(look(f, end * (i - 1) / PARTS, end * i / PARTS, err));
    return SALTUS_OK;
}

saltus_status sal_follow_guards(saltus_run *run, sal_guard_places *places, saltus_error *err)
{
    const saltus_system *system = run->system;
    sal_arena            arena;
    follower             f = {.run = run, .places = places, .after = -1};
    saltus_status        status = SALTUS_OK;
    sal_arena_init(&arena, &run->arena.allocator);
    f.r = ARENA_NEW(&arena, system->events, double);
    f.rate = ARENA_NEW(&arena, system->events, double);
    f.r0 = ARENA_NEW(&arena, system->events, double);
    f.rate0 = ARENA_NEW(&arena, system->events, double);
    if (arena.failed) status = sal_fail_memory(err);
    for (long long step = 0; status == SALTUS_OK && step < run->end.step; step++) {
        sal_frame frame;
        status = sal_run_frame(run, step, &frame, err);
        f.frame = &frame;
        if (status == SALTUS_OK) status = sal_sens_poll_progress(run, step, &frame, err);
        if (status == SALTUS_OK && frame.h > 0.0) status = follow_step(&f, err);
        if (status == SALTUS_OK && frame.occurrence >= 0) f.after = frame.occurrence;
    }
    sal_arena_free(&arena);
    sal_locator_forget(&run->locator);
    return status;
}

/* ---- derivatives there ---------------------------------------------------------------------- */

typedef struct reader {
    saltus_run         *run;
    const sal_read_off *out;
    int                 count, first, block; /* parameters: all of them, and those of this block */
    int                 next;                /* the next place */
    double             *du;                  /* layout.size in lanes */
} reader;

/* Copies derivatives of the state, at fixed time, from the rows of the walk. */
static void copy_states(const reader *r, double *to)
{
    const saltus_system *system = r->run->system;
    const int            n2 = 2 * system->n;
    const double        *dx = r->run->sens->rows;
    const double *dc = r->run->sens->walking.tangent.du + system->layout.at[SAL_LEAF_C] * r->block;
    for (int i = 0; i < n2 + system->nm; i++)
        sal_copy(to + (size_t)i * (size_t)r->count + r->first,
                 i < n2 ? dx + i * r->block : dc + (i - n2) * r->block, r->block);
}

/* Writes the slope of the guard at a place of the step. */
static void read_place(const reader *r, const sal_frame *frame, int place)
{
    saltus_run            *run = r->run;
    const saltus_system   *system = run->system;
    const sal_guard_place *p = &r->out->places[place];
    const int              L = r->block;
    double                 dr[SAL_RUN_LANES];
    sal_step_at(&run->motion.step, sal_frame_place(frame, p->t), run->locator.x, NULL);
    sal_field_eval(&run->locator.field, p->t, run->locator.x, run->locator.k, NULL);
    sal_copy(r->du, run->sens->walking.tangent.du, system->layout.size * L);
    sal_zero(sal_lanes_at(system, r->du, L, SAL_LEAF_T), L);
    sal_copy(sal_lanes_at(system, r->du, L, SAL_LEAF_Q), run->sens->rows, 2 * system->n * L);
    sal_guard_tangent(&run->locator.field, &system->event[p->event], r->du, L, dr);
    sal_copy(r->out->slope + (size_t)place * (size_t)r->count + r->first, dr, L);
}

static saltus_status read_row(void *context, const sal_frame *frame, double t, int occurrence,
                              bool after, saltus_error *err)
{
    reader             *r = context;
    const sal_read_off *out = r->out;
    (void)err;
    if (!frame) {
        const size_t states = sal_follow_states(r->run->system);
        if (!after && out->before)
            copy_states(r, out->before + (size_t)occurrence * states * (size_t)r->count);
        return SALTUS_OK;
    }
    while (r->next < out->count && out->places[r->next].t < t) r->next++;
    for (; r->next < out->count && out->places[r->next].t == t; r->next++)
        read_place(r, frame, r->next);
    if (out->end && t == r->run->end.t) copy_states(r, out->end);
    return SALTUS_OK;
}

/* Lists the times of all places, each once, and the end. Returns their number. */
static int list_times(const saltus_run *run, const sal_read_off *out, double *times)
{
    int count = 0;
    for (int i = 0; i < out->count; i++)
        if (count == 0 || out->places[i].t > times[count - 1]) times[count++] = out->places[i].t;
    if (out->end && (count == 0 || run->end.t > times[count - 1])) times[count++] = run->end.t;
    return count;
}

saltus_status sal_follow_tangents(saltus_run *run, const int *params, int count,
                                  const double *start, const sal_read_off *out, saltus_error *err)
{
    const saltus_system *system = run->system;
    sal_arena            arena;
    sal_sens            *sens;
    saltus_status        status = SALTUS_OK;
    TRY(sal_sens_get(run, &sens, err));
    for (size_t i = 0; i < (size_t)out->count * (size_t)count; i++) out->slope[i] = NAN;
    sal_arena_init(&arena, &run->arena.allocator);
    double *times = ARENA_NEW(&arena, out->count + 1, double);
    reader  r = {.run = run, .out = out, .count = count};
    r.du = ARENA_NEW(&arena, system->layout.size * SAL_RUN_LANES, double);
    if (arena.failed) status = sal_fail_memory(err);
    const int         stops = status == SALTUS_OK ? list_times(run, out, times) : 0;
    const sal_sampler sampler = {times, stops, read_row, &r};
    sens->walking.columns = count;
    for (; status == SALTUS_OK && r.first < count; r.first += SAL_RUN_LANES) {
        r.block = sal_sens_block(count - r.first);
        r.next = 0;
        sens->walking.start = start ? start + r.first : NULL;
        status = sal_sens_sample_forward(run, params + r.first, r.block, &sampler, err);
    }
    sens->walking.start = NULL;
    sal_arena_free(&arena);
    return status;
}
