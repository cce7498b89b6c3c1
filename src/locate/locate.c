/* Decides which event happens in a step and about when: evaluates guards along the dense output,
 * has the root finder find their sign changes, and computes the effect of rounding. See locate.h.
 */
#include "locate/locate.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "locate/fast/screen.h"
#include "motion/guard.h"

/* Fills in the places that the root finder evaluates first on the whole step, and then those
 * between them. The motion is interpolated there once for all guards. */
static void find_places(sal_locator *locator)
{
    const sal_basis *low = &locator->bases.low, *high = &locator->bases.high;
    for (int p = 0; p <= low->degree; p++) locator->place[p] = low->place[p];
    locator->place[low->degree + 1] = SAL_ROOTS_CHECK_1;
    locator->place[low->degree + 2] = SAL_ROOTS_CHECK_2;
    for (int p = SAL_SAMPLE_PLACES; p < SAL_PLACES; p++)
        locator->place[p] = high->place[2 * (p - SAL_SAMPLE_PLACES) + 1];
}

/* Computes the weights of the dense output at these places, which never change. */
static bool find_weights(sal_locator *locator, const sal_step *step, sal_arena *arena)
{
    const int S = step->tableau->stages_dense;
    locator->weights = ARENA_NEW(arena, SAL_PLACES * S, double);
    if (!locator->weights) return false;
    for (int p = 0; p < SAL_PLACES; p++)
        sal_tableau_dense(step->tableau, step->chords, locator->place[p], locator->weights + p * S);
    return true;
}

saltus_status sal_locator_init(sal_locator *locator, const saltus_system *system,
                               const sal_step *step, int max_lanes, sal_arena *arena,
                               saltus_error *err)
{
    int conditions = 1;
    memset(locator, 0, sizeof *locator);
    TRY(sal_field_init(&locator->field, system, arena, max_lanes, err));
    for (int i = 0; i < system->events; i++)
        if (system->event[i].wheres > conditions) conditions = system->event[i].wheres;
    locator->x = ARENA_NEW(arena, 2 * system->n, double);
    locator->k = ARENA_NEW(arena, 2 * system->n, double);
    locator->x_noise = ARENA_NEW(arena, 2 * system->n, double);
    locator->du = ARENA_NEW(arena, system->layout.size, double);
    locator->conditions = ARENA_NEW(arena, conditions, double);
    locator->samples = ARENA_NEW(arena, SAL_SAMPLE_PLACES * system->events, double);
    locator->kept = ARENA_NEW(arena, system->layout.size, double);
    locator->now = ARENA_NEW(arena, system->events, sal_guard_sample);
    locator->side = ARENA_NEW(arena, system->events, int);
    locator->passed = ARENA_NEW(arena, system->events, double);
    locator->slipped = ARENA_NEW(arena, system->events, bool);
    sal_bases_init(&locator->bases);
    find_places(locator);
    locator->screen = sal_screen_new(system, arena);
    return find_weights(locator, step, arena) && !arena->failed ? SALTUS_OK : sal_fail_memory(err);
}

void sal_locator_release(sal_locator *locator) { sal_field_release(&locator->field); }

/* ---- from step to step ---------------------------------------------------------------------- */

void sal_locator_begin(sal_locator *locator)
{
    locator->end_seen = false;
    locator->share = 1.0;
    sal_screen_begin(locator->screen);
}

void sal_locator_moved(sal_locator *locator)
{
    locator->end_seen = false;
    sal_screen_moved(locator);
}

void sal_locator_forget(sal_locator *locator)
{
    locator->end_seen = false;
    sal_screen_forget(locator->screen);
}

/* ---- the guard along the step --------------------------------------------------------------- */

static void put_state(sal_locator *locator, double t, const double *x, const double *a)
{
    sal_field *field = &locator->field;
    const int  n = field->system->n;
    *sal_u(field, SAL_LEAF_T) = t;
    sal_copy(sal_u(field, SAL_LEAF_Q), x, 2 * n);
    sal_copy(sal_u(field, SAL_LEAF_A), a, n);
}

/* The guard of an event, and its rate if that is not NULL, at the state in the field. */
static double value_here(sal_locator *locator, int e, double *rate)
{
    return sal_guard_value(&locator->field, &locator->field.system->event[e], locator->field.u,
                           rate, locator->du) -
           locator->watch[e].offset;
}

double sal_locator_guard(sal_locator *locator, int event, double t, const double *x,
                         const double *a, double *rate)
{
    const bool needs_a = locator->field.system->event[event].guard_needs_a;
    if (needs_a || !a) sal_field_eval(&locator->field, t, x, locator->k, NULL);
    else put_state(locator, t, x, a);
    return value_here(locator, event, rate);
}

/* Calls visit for all guards at the state in the field. Guards with accelerations or multipliers
 * come last, after the field has been evaluated once for all of them. */
typedef void visitor(sal_locator *locator, void *context, int event);

static void visit_guards(sal_locator *locator, double t, const double *x, visitor *visit,
                         void *context)
{
    const sal_regime         *regime = locator->field.regime;
    const sal_compiled_event *event = locator->field.system->event;
    bool                      reactions = false;
    for (int i = 0; i < regime->events; i++) {
        if (event[regime->event[i]].guard_needs_a) reactions = true;
        else visit(locator, context, regime->event[i]);
    }
    if (!reactions) return;
    sal_field_eval(&locator->field, t, x, locator->k, NULL);
    for (int i = 0; i < regime->events; i++)
        if (event[regime->event[i]].guard_needs_a) visit(locator, context, regime->event[i]);
}

static void note_value(sal_locator *locator, void *context, int e)
{
    const int *known = context;
    if (e != *known) locator->now[e].r = value_here(locator, e, NULL);
}

void sal_locator_values(sal_locator *locator, double t, const double *x, int known)
{
    sal_field_put(&locator->field, t, x);
    visit_guards(locator, t, x, note_value, &known);
}

void sal_locator_see_end(sal_locator *locator, const sal_step *step, int known)
{
    if (locator->end_seen) return;
    sal_locator_values(locator, sal_step_time(step), step->x1, known);
    locator->end_seen = true;
}

static void note_rate(sal_locator *locator, void *context, int e)
{
    (void)context;
    locator->now[e].r = value_here(locator, e, &locator->now[e].slope);
}

void sal_locator_rates(sal_locator *locator, double t, const double *x, const double *a)
{
    put_state(locator, t, x, a);
    visit_guards(locator, t, x, note_rate, NULL);
}

/* ---- rounding ------------------------------------------------------------------------------- */

/* Changes the last digits of a value, up or down: pseudo-random, but the same in every run. */
static double shaken(double value, unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return value * (1.0 + (*state & 0x10000u ? 4.0 : -4.0) * DBL_EPSILON);
}

/* The guard and its rate, with all inputs (in `kept`) changed in the last digits. Accelerations, if
 * they matter, are computed from the changed inputs. */
static double shake(sal_locator *locator, int event, unsigned *state, double *rate)
{
    sal_field                *field = &locator->field;
    const saltus_system      *system = field->system;
    const sal_compiled_event *e = &system->event[event];
    for (int i = 0; i < system->layout.size; i++) field->u[i] = shaken(locator->kept[i], state);
    if (e->guard_needs_a || e->guard_has_speeds) {
        sal_copy(locator->x, sal_u(field, SAL_LEAF_Q), 2 * system->n);
        sal_field_eval(field, *sal_u(field, SAL_LEAF_T), locator->x, locator->k, NULL);
    }
    return sal_guard_value(field, e, field->u, rate, locator->du);
}

/* A guard without accelerations, with only those inputs changed that it reads. */
static double shake_inputs(sal_locator *locator, int event, unsigned *state)
{
    static const int  sources[] = {SAL_UNIFORM, SAL_STATE};
    sal_field        *field = &locator->field;
    const sal_kernel *along = &field->system->event[event].along;
    const sal_part   *part = along->part;
    double            out[3];
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < part->from[sources[s]].count; k++) {
            const int at = part->in[part->from[sources[s]].input[k]];
            field->u[at] = shaken(locator->kept[at], state);
        }
    sal_guard_along(field, &field->system->event[event], field->u, out);
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < part->from[sources[s]].count; k++) {
            const int at = part->in[part->from[sources[s]].input[k]];
            field->u[at] = locator->kept[at];
        }
    return out[0];
}

enum { SHAKES = 3 };

/* The rounding error due to the time and to the numbers of the script. */
static double other_rounding(const sal_compiled_event *event, double t, double rate)
{
    return DBL_EPSILON * (8.0 * fabs(t) * fabs(rate) + 4.0 * event->literals);
}

sal_noise sal_locator_noise(sal_locator *locator, int event, double t, const double *x)
{
    sal_field   *field = &locator->field;
    const int    size = field->system->layout.size;
    unsigned     state = 12345;
    double       rate;
    sal_noise    noise = {0.0, 0.0};
    const double r =
        sal_locator_guard(locator, event, t, x, NULL, &rate) + locator->watch[event].offset;
    sal_copy(locator->kept, field->u, size);
    for (int i = 0; i < SHAKES; i++) {
        double other;
        noise.r = fmax(noise.r, 4.0 * fabs(shake(locator, event, &state, &other) - r));
        noise.rate = fmax(noise.rate, 4.0 * fabs(other - rate));
    }
    sal_copy(field->u, locator->kept, size);
    noise.r += other_rounding(&field->system->event[event], t, rate);
    return noise;
}

double sal_locator_noise_after(sal_locator *locator, int event, double t, const double *x,
                               double time)
{
    const sal_compiled_event *e = &locator->field.system->event[event];
    if (!e->guard_has_speeds && !e->guard_needs_a)
        return sal_locator_rounding(locator, event, t, x);
    const sal_noise noise = sal_locator_noise(locator, event, t, x);
    return noise.r + 8.0 * time * noise.rate;
}

double sal_locator_rounding(sal_locator *locator, int event, double t, const double *x)
{
    sal_field                *field = &locator->field;
    const sal_compiled_event *e = &field->system->event[event];
    unsigned                  state = 12345;
    double                    rate, most = 0.0;
    if (e->guard_needs_a) return sal_locator_noise(locator, event, t, x).r;
    if (e->guard_has_speeds) sal_field_eval(field, t, x, locator->k, NULL);
    else sal_field_put(field, t, x);
    const double r = sal_guard_value(field, e, field->u, &rate, locator->du);
    sal_copy(locator->kept, field->u, field->system->layout.size);
    for (int i = 0; i < SHAKES; i++)
        most = fmax(most, 4.0 * fabs(shake_inputs(locator, event, &state) - r));
    return most + other_rounding(e, t, rate);
}

double sal_locator_curvature(sal_locator *locator, int event, double t, const double *x,
                             double time_scale)
{
    const int    n2 = 2 * locator->field.system->n;
    const double dt = 1e-6 * time_scale;
    double       rate, later;
    sal_locator_guard(locator, event, t, x, NULL, &rate);
    for (int i = 0; i < n2; i++) locator->x[i] = x[i] + dt * locator->k[i];
    sal_locator_guard(locator, event, t + dt, locator->x, NULL, &later);
    return (later - rate) / dt;
}

static int sign_of(double r) { return (r > 0.0) - (r < 0.0); }

/* The gradient dr/dx at (t, x), in locator->du, which must be cleared afterwards (clear_slopes). */
static const double *slopes_of(sal_locator *locator, int event, double t, const double *x)
{
    sal_field                *field = &locator->field;
    const saltus_system      *system = field->system;
    const sal_compiled_event *e = &system->event[event];
    const double              one = 1.0;
    if (e->guard_needs_a) sal_field_eval(field, t, x, locator->k, NULL);
    else sal_field_put(field, t, x);
    sal_zero(locator->du, system->layout.size);
    sal_guard_adjoint(field, e, &one, 1, locator->du, locator->x);
    return locator->du + system->layout.at[SAL_LEAF_Q];
}

/* Clears locator->du, which evaluations of guards expect to be zero. */
static void clear_slopes(sal_locator *locator)
{
    sal_zero(locator->du, locator->field.system->layout.size);
}

double sal_locator_tolerance(sal_locator *locator, int event, double t, const double *x)
{
    const double *slope = slopes_of(locator, event, t, x);
    double        sum = 0.0;
    for (int i = 0; i < 2 * locator->field.system->n; i++)
        sum += fabs(slope[i]) * (locator->rtol * fabs(x[i]) + locator->atol[i]);
    clear_slopes(locator);
    return sum;
}

double sal_locator_widest(const sal_locator *locator, bool rate)
{
    const int n = locator->field.system->n, first = rate ? n : 0;
    double    widest = 0.0;
    for (int i = first; i < first + n; i++)
        if (locator->atol[i] < INFINITY) widest = fmax(widest, locator->atol[i]);
    return widest;
}

double sal_locator_allowance(sal_locator *locator, int event, double t, const double *x, bool rate)
{
    const double *slope = slopes_of(locator, event, t, x);
    const double  atol = sal_locator_widest(locator, rate);
    const int     n = locator->field.system->n, first = rate ? n : 0;
    double        sum = 0.0;
    for (int i = 0; i < n; i++) sum += fabs(slope[i]) * (locator->rtol * fabs(x[first + i]) + atol);
    clear_slopes(locator);
    return sum;
}

/* The rounding error of the dense output, in units of the guard at (t, x). */
static double dense_rounding(sal_locator *locator, const sal_step *step, int event, double t,
                             const double *x)
{
    const double *slope = slopes_of(locator, event, t, x), *k0 = sal_step_k(step, 0),
                 *k1 = sal_step_k(step, step->tableau->end_stage);
    double sum = 0.0;
    for (int i = 0; i < step->nx; i++)
        sum += fabs(slope[i]) * (fabs(step->x0[i]) + step->h * (fabs(k0[i]) + fabs(k1[i])));
    clear_slopes(locator);
    return 4.0 * DBL_EPSILON * sum;
}

/* The effect of rounding of the state on the second derivative. */
static double curvature_noise(sal_locator *locator, int event, double t, const double *x,
                              double time, double curvature)
{
    const int n2 = 2 * locator->field.system->n;
    unsigned  state = 54321;
    double    most = 0.0;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < n2; i++) locator->x_noise[i] = shaken(x[i], &state);
        const double other = sal_locator_curvature(locator, event, t, locator->x_noise, time);
        most = fmax(most, 4.0 * fabs(other - curvature));
    }
    return most;
}

/* The second derivative, or 0 if it is only rounding. rate_noise: the rounding error of the
 * rate. */
static double seen_curvature(sal_locator *locator, int event, double t, const double *x,
                             double time, double rate_noise)
{
    const double curvature = sal_locator_curvature(locator, event, t, x, time);
    const double least =
        4.0 * rate_noise / (1e-6 * time) + curvature_noise(locator, event, t, x, time, curvature);
    return fabs(curvature) > least ? curvature : 0.0;
}

double sal_locator_seen_curvature(sal_locator *locator, int event, double t, const double *x,
                                  double time)
{
    const sal_noise noise = sal_locator_noise(locator, event, t, x);
    return seen_curvature(locator, event, t, x, time, noise.rate);
}

int sal_locator_direction(sal_locator *locator, int event, double t, const double *x, double time)
{
    const sal_noise noise = sal_locator_noise(locator, event, t, x);
    double          rate;
    sal_locator_guard(locator, event, t, x, NULL, &rate);
    if (fabs(rate) > noise.rate) return sign_of(rate);
    return sign_of(seen_curvature(locator, event, t, x, time, noise.rate));
}

double sal_locator_clock(sal_locator *locator, int event, double t)
{
    const sal_compiled_event *e = &locator->field.system->event[event];
    double                    rate;
    *sal_u(&locator->field, SAL_LEAF_T) = t;
    const double r = sal_guard_value(&locator->field, e, locator->field.u, &rate, locator->du);
    if (!(locator->watch[event].side * rate < 0.0)) return INFINITY;
    return locator->watch[event].side * r > 0.0 ? t - r / rate : t;
}

bool sal_locator_conditions(sal_locator *locator, int event, double t, const double *x,
                            double *nearest)
{
    sal_field                *field = &locator->field;
    const sal_compiled_event *e = &field->system->event[event];
    double                   *w = locator->conditions;
    bool                      met = true;
    *nearest = INFINITY;
    if (e->wheres == 0) return true;
    sal_field_eval(field, t, x, locator->k, NULL);
    sal_map_value(&e->where, field->u, w, field->work);
    for (int i = 0; i < e->wheres; i++) {
        met = met && w[i] > 0.0;
        *nearest = fmin(*nearest, fabs(w[i]));
    }
    return met;
}

bool sal_locator_surface_exists(const sal_locator *locator, int event)
{
    const sal_compiled_event *e = &locator->field.system->event[event];
    for (int i = e->speeds; i < e->wheres; i++)
        if (!(locator->conditions[i] > 0.0)) return false;
    return true;
}

/* ---- looking inside the step ---------------------------------------------------------------- */

/* Puts the motion at theta into the field and into locator->x. number: the number of the place;
 * SAL_PLACES: it is none of them. */
static void put_place(sal_locator *locator, const sal_step *step, double theta, int number)
{
    sal_field *field = &locator->field;
    const int  S = step->tableau->stages_dense, n = field->system->n;
    if (number < SAL_PLACES) sal_step_with(step, locator->weights + number * S, locator->x);
    else sal_step_at(step, theta, locator->x, NULL);
    *sal_u(field, SAL_LEAF_T) = step->t + theta * step->h;
    sal_copy(sal_u(field, SAL_LEAF_Q), locator->x, 2 * n);
}

static void look_there(sal_locator *locator, void *context, int e)
{
    const int *number = context;
    locator->samples[e * SAL_SAMPLE_PLACES + *number] = value_here(locator, e, NULL);
}

/* Goes place by place, so that the motion is interpolated once for all guards. */
void sal_locator_sample(sal_locator *locator, const sal_step *step)
{
    for (int p = 0; p < SAL_SAMPLE_PLACES; p++) {
        const double theta = locator->place[p];
        put_place(locator, step, theta, p);
        visit_guards(locator, step->t + theta * step->h, locator->x, look_there, &p);
    }
}

typedef struct search {
    sal_locator    *locator;
    const sal_step *step;
    int             event;
    bool            found;
    sal_crossing   *crossing;
    double          passed; /* where the guard first changed sides without an event */
} search;

static double guard_at(void *context, double theta)
{
    const search *s = context;
    sal_locator  *locator = s->locator;
    int           p = 0;
    while (p < SAL_PLACES && locator->place[p] != theta) p++;
    if (p < SAL_SAMPLE_PLACES) return locator->samples[s->event * SAL_SAMPLE_PLACES + p];
    put_place(locator, s->step, theta, p);
    if (locator->field.system->event[s->event].guard_needs_a)
        sal_field_eval(&locator->field, s->step->t + theta * s->step->h, locator->x, locator->k,
                       NULL);
    return value_here(locator, s->event, NULL);
}

static double noise_at(void *context, double theta)
{
    const search *s = context;
    sal_locator  *locator = s->locator;
    const int     kink = locator->field.system->event[s->event].kink;
    const double  t = s->step->t + theta * s->step->h;
    double *x = locator->x_noise, least = sal_watch_band(&locator->watch[s->event], locator->share);
    sal_step_at(s->step, theta, x, NULL);
    if (kink >= 0 && locator->field.system->kink[kink].continuous) /* both branches agree there */
        least = fmax(least, 0.1 * sal_locator_tolerance(locator, s->event, t, x));
    least = fmax(least, dense_rounding(locator, s->step, s->event, t, x));
    return fmax(least, sal_locator_noise_after(locator, s->event, t, x, s->step->h));
}

/* Whether a crossing is an event: its direction and conditions are right. A pole is no zero
 * crossing, except for a kink, which changes branches there as well. */
static bool counts_at(search *s, double theta, int side, bool jumps)
{
    sal_locator              *locator = s->locator;
    const sal_compiled_event *event = &locator->field.system->event[s->event];
    double                    nearest;
    if ((jumps && event->kink < 0) || !sal_event_fires(event, side)) return false;
    if (event->wheres > 0) sal_step_at(s->step, theta, locator->x_noise, NULL);
    const bool met = sal_locator_conditions(locator, s->event, s->step->t + theta * s->step->h,
                                            locator->x_noise, &nearest);
    const sal_crossing crossing = {s->event, theta, nearest, side, jumps};
    if (met) {
        *s->crossing = crossing;
        return true;
    }
    if (nearest < 1e-8) locator->missed = crossing;
    locator->slipped[s->event] = sal_locator_surface_exists(locator, s->event);
    return false;
}

static bool leaves_at(void *context, double theta, int side, bool jumps)
{
    search *s = context;
    s->found = counts_at(s, theta, side, jumps);
    if (!s->found) s->passed = fmin(s->passed, theta);
    return s->found;
}

/* Notes what the search found before the crossing: values that are not numbers, changes that are
 * too fast, touches. */
static void note_trouble(sal_locator *locator, const search *s, const sal_roots *r)
{
    const double end = s->found ? s->crossing->theta : fmin(r->enough, 1.0);
    if (r->undefined_at <= end && r->undefined_at < locator->undefined_at) {
        locator->undefined = s->event;
        locator->undefined_at = r->undefined_at;
    }
    if (r->unresolved && r->unresolved_at <= end) locator->unresolved = s->event;
    /* just before a crossing the guard is flat, not touched */
    const bool flat = s->found && end - r->touch_at < 1e-3;
    if (r->touch_at >= 0.0 && r->touch_at <= end && !flat && r->touch_at < locator->touch.theta)
        locator->touch = (sal_touch){s->event, r->touch_at};
}

static sal_roots roots_for(search *s, double enough)
{
    const sal_step *step = s->step;
    return (sal_roots){.bases = &s->locator->bases,
                       .value = guard_at,
                       .noise = noise_at,
                       .leaves = leaves_at,
                       .context = s,
                       .enough = enough,
                       .finest = 4.0 * DBL_EPSILON * fmax(1.0, fabs(step->t) / step->h),
                       .side = s->locator->watch[s->event].side};
}

void sal_locator_begin_search(sal_locator *locator)
{
    locator->unresolved = locator->touch.event = locator->missed.event = locator->undefined = -1;
    locator->undefined_at = locator->touch.theta = INFINITY;
}

bool sal_locate(sal_locator *locator, const sal_step *step, int event, double enough,
                sal_crossing *crossing)
{
    search s = {
        .locator = locator, .step = step, .event = event, .crossing = crossing, .passed = INFINITY};
    sal_roots roots = roots_for(&s, enough);
    locator->slipped[event] = false;
    sal_roots_find(&roots);
    note_trouble(locator, &s, &roots);
    locator->side[event] = roots.side;
    locator->passed[event] = s.passed;
    return s.found;
}

typedef struct side_search {
    search search; /* must be first: guard_at and noise_at take it as their context */
    double until;
    int    side;
} side_search;

static bool side_leaves_at(void *context, double theta, int side, bool jumps)
{
    side_search *s = context;
    if (theta > s->until || counts_at(&s->search, theta, side, jumps)) return true;
    s->side = -side;
    return false;
}

int sal_locate_side(sal_locator *locator, const sal_step *step, int event, double theta)
{
    sal_crossing crossing;
    side_search  s = {{.locator = locator, .step = step, .event = event, .crossing = &crossing},
                      theta,
                      locator->watch[event].side};
    sal_roots    roots = roots_for(&s.search, theta);
    roots.leaves = side_leaves_at;
    sal_roots_find(&roots);
    return s.side;
}
