/* Searches recorded steps for the largest value of an expression, part by part until a cubic
 * describes it, and notes other peaks that tie with it: see peaks.h. */
#include "run/peaks.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "run/fields.h"
#include "run/outcome.h"

/* PARTS: into how many parts a step is divided at first. MAX_DEPTH: how often a part is halved at
 * most. MAX_HALVINGS: how often the place of a peak is refined at most. */
enum { PARTS = 4, MAX_DEPTH = 8, MAX_HALVINGS = 80 };
/* The largest error of a cubic in the middle of a part, as a share of the change of the
 * expression. */
static const double KNOWN = 0.01;

/* An expression at one place of a step. Its sign is such that peaks are maxima. */
typedef struct spot {
    double theta, value, rate;
} spot;

/* A place in the chain of the events of one instant: before the first of them, or after one. */
typedef struct stand {
    long long step;  /* after an event: the step that begins there, perhaps of length zero */
    int       event; /* the next event of the instant; -1: there is none */
} stand;

typedef struct seeker {
    saltus_run *run;
    sal_frame   frame;
    long long   step;
    int         i;          /* the expression that is examined */
    double     *x, *k;      /* 2n */
    double     *du;         /* layout.size: the direction of the motion, zero elsewhere */
    double     *value;      /* by expression: its value */
    bool        moved;      /* a step has been searched */
    SAL_ARRAY(stand) chain; /* the events of the instant at which the last step ended */
    SAL_ARRAY(spot) spots;  /* by place in the chain, then by expression */
    double undefined_t;     /* where an expression is not a number; NaN: nowhere */
    int    undefined;       /* which expression is undefined there */
} seeker;

/* ---- values --------------------------------------------------------------------------------- */

/* Evaluates the expression at the state that was evaluated in the field of the locator. */
static spot read_here(seeker *s, double theta)
{
    sal_field           *field = &s->run->locator.field;
    const saltus_system *system = field->system;
    const double         sign = system->peak[s->i].sign;
    spot                 here = {.theta = theta};
    sal_map_value(&system->peak_map, field->u, s->value, field->work);
    here.value = sign * s->value[s->i];
    s->du[system->layout.at[SAL_LEAF_T]] = 1.0;
    sal_copy(s->du + system->layout.at[SAL_LEAF_Q], sal_u(field, SAL_LEAF_V), 2 * system->n);
    if (system->peak[s->i].needs_a) sal_field_tangent(field, s->du, 1, NULL);
    sal_map_tangent(&system->peak_map, field->u, s->du, 1, s->value, field->work);
    here.rate = sign * s->value[s->i];
    if (isnan(s->undefined_t) && !isfinite(here.value)) {
        s->undefined_t = field->u[system->layout.at[SAL_LEAF_T]];
        s->undefined = s->i;
    }
    s->run->peaks[s->i].size = fmax(s->run->peaks[s->i].size, fabs(here.value));
    return here;
}

/* Evaluates the expression inside the step that was loaded. */
static spot read_inside(seeker *s, double theta)
{
    const sal_step *step = &s->run->motion.step;
    sal_step_at(step, theta, s->run->locator.x, NULL);
    sal_field_eval(&s->run->locator.field, step->t + theta * step->h, s->run->locator.x,
                   s->run->locator.k, NULL);
    return read_here(s, theta);
}

/* ---- peaks that were found ------------------------------------------------------------------ */

/* Changes of the expression below this value are rounding. */
static double rounding(const seeker *s) { return 1e-12 * s->run->peaks[s->i].size; }

static void keep_rival(sal_peaks *all, sal_peak peak)
{
    int at = all->rivals;
    while (at > 0 && all->rival[at - 1].value < peak.value) at--;
    if (at == SAL_PEAK_RIVALS) return;
    if (all->rivals == SAL_PEAK_RIVALS) all->rivals--;
    memmove(all->rival + at + 1, all->rival + at, (size_t)(all->rivals - at) * sizeof peak);
    all->rival[at] = peak;
    all->rivals++;
}

static void keep(const seeker *s, sal_peak peak)
{
    sal_peaks *all = &s->run->peaks[s->i];
    if (!isfinite(peak.value)) return;
    if (all->best.place != SAL_PEAK_NONE && !(peak.value > all->best.value)) {
        if (peak.local) keep_rival(all, peak);
        return;
    }
    if (all->best.place != SAL_PEAK_NONE && all->best.local) keep_rival(all, all->best);
    all->best = peak;
}

/* Finds where the rate is zero between a, where it is positive, and b, where it is not, by false
 * position with the Illinois rule. */
static spot find_turn(seeker *s, spot a, spot b)
{
    double at_a = a.rate, at_b = b.rate;
    int    last = 0;
    if (b.rate == 0.0) return b;
    for (int i = 0; i < MAX_HALVINGS && b.theta - a.theta > 4.0 * DBL_EPSILON; i++) {
        double theta = (a.theta * at_b - b.theta * at_a) / (at_b - at_a);
        if (!(theta > a.theta && theta < b.theta)) theta = 0.5 * (a.theta + b.theta);
        const spot here = read_inside(s, theta);
        if (here.rate == 0.0 || !isfinite(here.rate)) return here;
        if (here.rate > 0.0) {
            a = here;
            at_a = here.rate;
            if (last == 1) at_b *= 0.5;
            last = 1;
        } else {
            b = here;
            at_b = here.rate;
            if (last == 2) at_a *= 0.5;
            last = 2;
        }
    }
    return fabs(a.rate) < fabs(b.rate) ? a : b;
}

/* Keeps the peak between a and b, if the rate passes zero from above there. */
static void keep_turn(seeker *s, spot a, spot b)
{
    if (!(a.rate > 0.0 && b.rate <= 0.0)) return;
    const double change = fmax(a.rate, -b.rate) * (b.theta - a.theta) * s->frame.h;
    const spot   turn = find_turn(s, a, b);
    keep(s, (sal_peak){.place = SAL_PEAK_INSIDE,
                       .t = s->frame.t + turn.theta * s->frame.h,
                       .value = turn.value,
                       .step = s->step,
                       .h = turn.theta * s->frame.h,
                       .occurrence = -1,
                       .local = change > rounding(s)});
}

/* ---- one step ------------------------------------------------------------------------------- */

/* Whether the cubic through both ends and their slopes agrees with the middle, so that there is no
 * turn that the slopes do not show. */
static bool is_known(const seeker *s, spot a, spot middle, spot b)
{
    const double h = (b.theta - a.theta) * s->frame.h;
    const double cubic = 0.5 * (a.value + b.value) + 0.125 * h * (a.rate - b.rate);
    const double rate = 1.5 * (b.value - a.value) - 0.25 * h * (a.rate + b.rate); /* times h */
    const double change = fmax(fmax(fabs(middle.value - a.value), fabs(middle.value - b.value)),
                               h * fmax(fabs(a.rate), fabs(b.rate)));
    return fabs(middle.value - cubic) <= KNOWN * change + rounding(s) &&
           fabs(h * middle.rate - rate) <= 4.0 * KNOWN * change + rounding(s);
}

/* Searches between a and b, in halves where the cubic is not accurate. */
static void search(seeker *s, spot a, spot b, int depth)
{
    const spot middle = read_inside(s, 0.5 * (a.theta + b.theta));
    if (depth < MAX_DEPTH && isfinite(middle.value + middle.rate) && !is_known(s, a, middle, b)) {
        search(s, a, middle, depth + 1);
        search(s, middle, b, depth + 1);
        return;
    }
    keep_turn(s, a, middle);
    keep_turn(s, middle, b);
}

static void search_step(seeker *s, spot start, spot end)
{
    spot a = start;
    for (int i = 1; i <= PARTS; i++) {
        const spot b = i < PARTS ? read_inside(s, end.theta * i / PARTS) : end;
        search(s, a, b, 0);
        a = b;
    }
}

/* ---- the start, events and the end ---------------------------------------------------------- */

static spot spot_at(const seeker *s, int k)
{
    return s->spots.data[k * s->run->system->peaks + s->i];
}

/* Whether the expression jumps at the event after place k of the chain. */
static bool jumps_at(const seeker *s, int k)
{
    return fabs(spot_at(s, k + 1).value - spot_at(s, k).value) > rounding(s);
}

/* Keeps the peak just before the event that follows place k of the chain. If the expression does
 * not jump there, it has a peak only if it turns at this event; if it rises until the next event of
 * the instant, the peak has the time of that event. */
static void keep_before(const seeker *s, int k)
{
    const bool     jumps = jumps_at(s, k);
    const bool     turns = !(spot_at(s, k).rate < 0.0) && !(spot_at(s, k + 1).rate > 0.0);
    const int      event = s->chain.data[k].event;
    const sal_peak peak = {.place = SAL_PEAK_BEFORE,
                           .t = s->run->history.occurrences.data[event].t,
                           .value = spot_at(s, k).value,
                           .occurrence = event,
                           .local = jumps ? spot_at(s, k).rate >= 0.0 : turns};
    if (jumps || turns) keep(s, peak);
}

/* Keeps peaks on both sides of an instant with events. Values between its events count only if they
 * equal those on one side: other values last for no time, with kinks on their old branches. */
static void keep_instant(const seeker *s)
{
    const int last = s->chain.count - 1;
    int       head = 0, tail = last;
    while (head < last && !jumps_at(s, head)) head++;
    while (tail > 0 && !jumps_at(s, tail - 1)) tail--;
    for (int k = 0; k <= head && k < last; k++) keep_before(s, k);
    if (tail == 0) return;
    keep(s, (sal_peak){.place = SAL_PEAK_START,
                       .t = s->frame.t,
                       .value = spot_at(s, tail).value,
                       .step = s->chain.data[tail].step,
                       .occurrence = s->chain.data[tail - 1].event,
                       .local = spot_at(s, tail).rate <= 0.0});
    for (int k = tail; k < last; k++) keep_before(s, k);
}

/* Keeps the peak at the start of the motion. Events there have happened before anything moves. */
static void keep_start(const seeker *s)
{
    const spot start = spot_at(s, s->chain.count - 1);
    keep(s, (sal_peak){.place = SAL_PEAK_START,
                       .t = s->frame.t,
                       .value = start.value,
                       .step = s->step,
                       .occurrence = -1,
                       .local = start.rate <= 0.0});
}

/* Keeps the peak at the end of the run. An event there that does not end it may have made the
 * expression jump. */
static void keep_end(const seeker *s)
{
    const int last = s->chain.count - 1;
    bool      jumps = false;
    for (int k = 0; k < last && s->moved && !jumps; k++) {
        jumps = jumps_at(s, k);
        keep_before(s, k);
    }
    keep(s, (sal_peak){.place = SAL_PEAK_END,
                       .t = s->run->end.t,
                       .value = spot_at(s, last).value,
                       .occurrence = -1,
                       .local = jumps || spot_at(s, last).rate >= 0.0});
}

/* ---- all steps ------------------------------------------------------------------------------ */

/* Evaluates the expression at the end of the step that is loaded: at the state before its event, or
 * on the dense output. */
static spot read_end(seeker *s)
{
    const sal_frame *frame = &s->frame;
    if (frame->occurrence < 0) return read_inside(s, 1.0);
    sal_field_eval(&s->run->locator.field, s->run->history.occurrences.data[frame->occurrence].t,
                   sal_run_sides(s->run, frame->occurrence).x_minus, s->run->locator.k, NULL);
    return read_here(s, 1.0 + frame->delta / frame->h);
}

/* Adds a place to the chain, at a state of the run: the start of a step, or the end of the run. */
static saltus_status add_place(seeker *s, double t, const double *x, int event, saltus_error *err)
{
    const saltus_allocator *allocator = &s->run->arena.allocator;
    const int               peaks = s->run->system->peaks;
    if (!ARRAY_PUSH(allocator, &s->chain, ((stand){s->step, event})) ||
        !ARRAY_RESERVE(allocator, &s->spots, peaks))
        return sal_fail_memory(err);
    spot *spots = s->spots.data + s->spots.count;
    s->spots.count += peaks;
    sal_field_eval(&s->run->locator.field, t, x, s->run->locator.k, NULL);
    for (s->i = 0; s->i < peaks; s->i++) spots[s->i] = read_here(s, 0.0);
    return SALTUS_OK;
}

/* Removes the last place of the chain. */
static void drop_place(seeker *s)
{
    s->chain.count--;
    s->spots.count -= s->run->system->peaks;
}

/* Searches the step that is loaded. Afterwards the chain begins with the end of this step. */
static saltus_status search_frame(seeker *s, saltus_error *err)
{
    const int peaks = s->run->system->peaks, opening = s->chain.count - 1;
    if (sal_step_dense(&s->run->motion.step))
        return sal_fail(err, SALTUS_ERR_NOT_FINITE, "no dense output at t = %.10g", s->frame.t);
    for (s->i = 0; s->i < peaks; s->i++) {
        if (s->moved) keep_instant(s);
        else keep_start(s);
        const spot start = spot_at(s, opening), end = read_end(s);
        search_step(s, start, end);
        s->spots.data[s->i] = end;
    }
    s->moved = true;
    s->chain.data[0] = (stand){s->step, s->frame.occurrence};
    s->chain.count = 1;
    s->spots.count = peaks;
    return SALTUS_OK;
}

/* Whether the last place of the chain is followed by an event. */
static bool has_event(const seeker *s)
{
    return s->chain.count > 0 && s->chain.data[s->chain.count - 1].event >= 0;
}

static saltus_status one_step(seeker *s, saltus_error *err)
{
    TRY(sal_run_load_all_stages(s->run, &s->frame, err));
    if (s->chain.count > 0 && !has_event(s)) drop_place(s);
    TRY(add_place(s, s->frame.t, s->frame.x, s->frame.occurrence, err));
    return s->frame.h > 0.0 ? search_frame(s, err) : SALTUS_OK;
}

static bool stops(saltus_run *run, const seeker *s)
{
    if (run->waiter.stopped) return true;
    return s->step % 16 == 0 && sal_run_progress(run, s->frame.t);
}

/* Handles the end of the run, which replaces the state before an event that ends it. */
static saltus_status at_end(seeker *s, saltus_error *err)
{
    saltus_run *run = s->run;
    if (s->chain.count > 0 && (!has_event(s) || run->outcome.info.outcome == SALTUS_TERMINAL_EVENT))
        drop_place(s);
    TRY(sal_run_enter(run, run->end.regime, err));
    sal_run_put_memories(run, run->end.c);
    TRY(add_place(s, run->end.t, run->end.x, -1, err));
    for (s->i = 0; s->i < run->system->peaks; s->i++) keep_end(s);
    return SALTUS_OK;
}

static saltus_status all_steps(seeker *s, saltus_error *err)
{
    saltus_run *run = s->run;
    for (; s->step < run->end.step; s->step++) {
        TRY(sal_run_frame(run, s->step, &s->frame, err));
        if (stops(run, s)) {
            sal_run_finish(run, SALTUS_INTERRUPTED, "interrupted while peaks were looked for");
            return SALTUS_OK;
        }
        TRY(one_step(s, err));
    }
    return at_end(s, err);
}

/* ---- results -------------------------------------------------------------------------------- */

sal_frame sal_peak_part(const sal_frame *frame, const sal_peak *peak)
{
    sal_frame part = *frame;
    part.h = peak->h;
    part.delta = 0.0;
    part.kind = SAL_FRAME_STEP;
    part.occurrence = -1;
    return part;
}

/* Takes the shorter step that ends at the peak, so that its value is that of a true step. */
static saltus_status settle(seeker *s, sal_peak *peak, saltus_error *err)
{
    saltus_run *run = s->run;
    if (peak->place == SAL_PEAK_INSIDE && peak->h > 0.0) {
        TRY(sal_run_frame(run, peak->step, &s->frame, err));
        TRY(sal_run_load_all_stages(run, &s->frame, err));
        const sal_frame part = sal_peak_part(&s->frame, peak);
        TRY(sal_run_load_part(run, &part, err));
        sal_field_eval(&run->locator.field, part.t + part.h, run->motion.step.x1, s->run->locator.k,
                       NULL);
        peak->value = read_here(s, 0.0).value;
    }
    peak->value *= run->system->peak[s->i].sign;
    return SALTUS_OK;
}

static saltus_status settle_all(seeker *s, saltus_error *err)
{
    saltus_run *run = s->run;
    for (s->i = 0; s->i < run->system->peaks; s->i++) {
        sal_peaks *all = &run->peaks[s->i];
        TRY(settle(s, &all->best, err));
        for (int k = 0; k < all->rivals; k++) TRY(settle(s, &all->rival[k], err));
    }
    return SALTUS_OK;
}

static void fail_undefined(const seeker *s)
{
    const saltus_system     *system = s->run->system;
    const sal_compiled_peak *peak = &system->peak[s->undefined];
    const sal_label         *label = &system->model->costs.data[peak->cost].label;
    sal_run_finish(s->run, SALTUS_NOT_FINITE,
                   "the expression of which cost '%s' (line %d) has the %s value is not a finite "
                   "number at t = %.10g",
                   label->name, label->place.line, peak->sign > 0.0 ? "largest" : "smallest",
                   s->undefined_t);
}

static saltus_status new_seeker(seeker *s, saltus_run *run, sal_arena *arena, saltus_error *err)
{
    const saltus_system *system = run->system;
    *s = (seeker){.run = run, .undefined_t = NAN};
    sal_arena_init(arena, &run->arena.allocator);
    s->du = ARENA_NEW(arena, system->layout.size, double);
    s->value = ARENA_NEW(arena, system->peaks, double);
    return arena->failed ? sal_fail_memory(err) : SALTUS_OK;
}

static void free_seeker(seeker *s, sal_arena *arena)
{
    const saltus_allocator *allocator = &s->run->arena.allocator;
    ARRAY_RELEASE(allocator, &s->chain);
    ARRAY_RELEASE(allocator, &s->spots);
    sal_arena_free(arena);
    sal_locator_forget(&s->run->locator);
}

saltus_status sal_peaks_value(saltus_run *run, int i, sal_peak *peak, saltus_error *err)
{
    sal_arena     arena;
    seeker        s;
    saltus_status status = new_seeker(&s, run, &arena, err);
    s.i = i;
    if (status == SALTUS_OK) status = settle(&s, peak, err);
    free_seeker(&s, &arena);
    return status;
}

saltus_status sal_peaks_find(saltus_run *run, saltus_error *err)
{
    const saltus_system *system = run->system;
    sal_arena            arena;
    seeker               s;
    if (system->peaks == 0 || run->from.ignores_events || !sal_run_is_complete(run))
        return SALTUS_OK;
    saltus_status status = new_seeker(&s, run, &arena, err);
    memset(run->peaks, 0, (size_t)system->peaks * sizeof *run->peaks);
    if (status == SALTUS_OK) status = all_steps(&s, err);
    if (status == SALTUS_OK) status = settle_all(&s, err);
    if (status == SALTUS_OK && !isnan(s.undefined_t)) fail_undefined(&s);
    free_seeker(&s, &arena);
    return status;
}

bool sal_peaks_tie(const saltus_run *run, int i, int rival)
{
    const sal_peaks *all = &run->peaks[i];
    return fabs(all->best.value - all->rival[rival].value) <=
           fmax(1e-10, 10.0 * run->options.rtol) * all->size;
}
