/* Finding events inside a step: see locate.h. */
#include "flow/locate.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "flow/guard.h"

enum { DEEPEST = 14, ITERATIONS = 80 };
/* Not the middle: a periodic guard must not look simple. */
static const double SPLIT = 0.4567, SECOND_LOOK = 0.8123;

/* Both ends, where they are divided first, and where both halves are looked into. */
static void common_places(double *theta)
{
    theta[0] = 0.0;
    theta[1] = 1.0;
    theta[2] = SPLIT;
    theta[3] = SPLIT * SPLIT;
    theta[4] = SECOND_LOOK * SPLIT;
    theta[5] = SPLIT + SPLIT * (1.0 - SPLIT);
    theta[6] = SPLIT + SECOND_LOOK * (1.0 - SPLIT);
}

/* The weights of the dense output at the common places do not change. */
static bool find_weights(sal_locator *locator, const sal_step *step, sal_arena *arena)
{
    const sal_tableau *tableau = step->tableau;
    const int          S = tableau->stages_dense;
    double             theta[SAL_LOOKS];
    locator->weights = ARENA_NEW(arena, 2 * SAL_LOOKS * S, double);
    if (!locator->weights) return false;
    common_places(theta);
    for (int p = 0; p < SAL_LOOKS; p++) {
        double *beta = locator->weights + 2 * p * S;
        sal_tableau_dense(tableau, step->chords, theta[p], beta);
        sal_tableau_dense_rate(tableau, step->chords, theta[p], beta + S);
    }
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
    locator->du = ARENA_NEW(arena, system->layout.size, double);
    locator->conditions = ARENA_NEW(arena, conditions, double);
    locator->looks = ARENA_NEW(arena, SAL_LOOKS * system->events, sal_look);
    locator->now = ARENA_NEW(arena, system->events, sal_look);
    locator->start = ARENA_NEW(arena, system->events, sal_look);
    locator->wrong = ARENA_NEW(arena, system->events, double);
    locator->guess = ARENA_NEW(arena, system->events, double);
    locator->low = ARENA_NEW(arena, system->events, double);
    locator->q.index = ARENA_NEW(arena, system->n, int);
    locator->v.index = ARENA_NEW(arena, system->n, int);
    locator->q.noted = ARENA_NEW(arena, system->n, unsigned char);
    locator->v.noted = ARENA_NEW(arena, system->n, unsigned char);
    sal_locator_prepare_survey(locator);
    return find_weights(locator, step, arena) && !arena->failed ? SALTUS_OK : sal_fail_memory(err);
}

void sal_locator_release(sal_locator *locator) { sal_field_release(&locator->field); }

double sal_watch_zero(const sal_watch *watch, double t)
{
    const double size = 1e-12 * watch->scale, time = 32.0 * DBL_EPSILON * watch->rate * fabs(t);
    return size > time ? size : time;
}

/* ---- the guard along the step --------------------------------------------------------------- */

static void put_state(sal_locator *locator, double t, const double *x, const double *a)
{
    sal_field   *field = &locator->field;
    const size_t n = (size_t)field->system->n;
    *sal_u(field, SAL_LEAF_T) = t;
    memcpy(sal_u(field, SAL_LEAF_Q), x, n * sizeof *x);
    memcpy(sal_u(field, SAL_LEAF_V), x + n, n * sizeof *x);
    memcpy(sal_u(field, SAL_LEAF_A), a, n * sizeof *x);
}

double sal_locator_guard(sal_locator *locator, int event, double t, const double *x,
                         const double *a, double *rate)
{
    const sal_event_system *e = &locator->field.system->event[event];
    if (e->guard_needs_a || !a) sal_field_eval(&locator->field, t, x, locator->k, NULL);
    else put_state(locator, t, x, a);
    return sal_guard_value(&locator->field, e, locator->field.u, rate, locator->du);
}

/* Calls visit for all guards at the state in the field. Those that contain accelerations come last,
 * when these have been computed; so the state is put together once, not once per guard. */
typedef void visitor(sal_locator *locator, void *context, int event);

static void visit_guards(sal_locator *locator, double t, const double *x, visitor *visit,
                         void *context)
{
    const sal_regime       *regime = locator->field.regime;
    const sal_event_system *event = locator->field.system->event;
    bool                    reactions = false;
    for (int i = 0; i < regime->events; i++) {
        if (event[regime->event[i]].guard_needs_a) reactions = true;
        else visit(locator, context, regime->event[i]);
    }
    if (!reactions) return;
    sal_field_eval(&locator->field, t, x, locator->k, NULL);
    for (int i = 0; i < regime->events; i++)
        if (event[regime->event[i]].guard_needs_a) visit(locator, context, regime->event[i]);
}

static void note_guard(sal_locator *locator, void *context, int e)
{
    const bool *rates = context;
    sal_look   *now = &locator->now[e];
    now->r = sal_guard_value(&locator->field, &locator->field.system->event[e], locator->field.u,
                             *rates ? &now->slope : NULL, locator->du);
}

void sal_locator_guards(sal_locator *locator, double t, const double *x, const double *a,
                        bool rates)
{
    put_state(locator, t, x, a);
    visit_guards(locator, t, x, note_guard, &rates);
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

bool sal_locator_conditions(sal_locator *locator, int event, double t, const double *x,
                            double *nearest)
{
    sal_field              *field = &locator->field;
    const sal_event_system *e = &field->system->event[event];
    double                 *w = locator->conditions;
    bool                    met = true;
    *nearest = INFINITY;
    if (e->wheres == 0) return true;
    sal_field_eval(field, t, x, locator->k, NULL);
    memset(w, 0, (size_t)e->wheres * sizeof *w);
    sal_kernel_eval(&e->where, field->u, NULL, 1, w, field->work);
    for (int i = 0; i < e->wheres; i++) {
        met = met && w[i] > 0.0;
        *nearest = fmin(*nearest, fabs(w[i]));
    }
    return met;
}

/* ---- looking inside the step ---------------------------------------------------------------- */

typedef sal_look node;

/* The motion at theta into the field and into x, k; number: of the common place, or -1. */
static void put_place(sal_locator *locator, const sal_step *step, double theta, int number)
{
    const int S = step->tableau->stages_dense;
    if (number >= 0) {
        sal_step_with(step, locator->weights + 2 * number * S, locator->x);
        sal_step_rate_with(step, locator->weights + (2 * number + 1) * S, locator->k);
    } else {
        sal_step_at(step, theta, locator->x, NULL);
        sal_step_rate_at(step, theta, locator->k);
    }
    put_state(locator, step->t + theta * step->h, locator->x,
              locator->k + locator->field.system->n);
}

static void look(sal_locator *locator, const sal_step *step, int e, double theta, sal_look *here)
{
    double rate;
    here->theta = theta;
    here->r = sal_guard_value(&locator->field, &locator->field.system->event[e], locator->field.u,
                              &rate, locator->du);
    here->slope = rate * step->h;
}

typedef struct place {
    const sal_step *step;
    double          theta;
    int             number;
} place;

static void look_there(sal_locator *locator, void *context, int e)
{
    const place *there = context;
    look(locator, there->step, e, there->theta, &locator->looks[e * SAL_LOOKS + there->number]);
}

/* Place by place, so that the motion is put together once for all guards. */
void sal_locator_look(sal_locator *locator, const sal_step *step)
{
    double theta[SAL_LOOKS];
    common_places(theta);
    for (int p = 0; p < SAL_LOOKS; p++) {
        place there = {step, theta[p], p};
        put_place(locator, step, theta[p], p);
        visit_guards(locator, step->t + theta[p] * step->h, locator->x, look_there, &there);
    }
}

typedef struct search {
    sal_locator    *locator;
    const sal_step *step;
    int             event, side;
    double          zero;
    double          enough; /* a crossing behind this place need not be known better */
    sal_crossing   *crossing;
} search;

static node at(const search *s, double theta)
{
    sal_locator    *locator = s->locator;
    const sal_look *known = &locator->looks[s->event * SAL_LOOKS];
    const double    t = s->step->t + theta * s->step->h;
    node            here;
    for (int p = 0; p < SAL_LOOKS; p++)
        if (known[p].theta == theta) return known[p];
    put_place(locator, s->step, theta, -1);
    if (locator->field.system->event[s->event].guard_needs_a)
        sal_field_eval(&locator->field, t, locator->x, locator->k, NULL);
    look(locator, s->step, s->event, theta, &here);
    return here;
}

static int sign_of(double r) { return (r > 0.0) - (r < 0.0); }

/* The zero of r between two nodes where it has different signs: Newton's method, kept inside the
 * bracket, which is halved when it does not become much smaller. It begins at `best`. */
static node find_zero(const search *s, node a, node b, node best)
{
    double before = INFINITY;
    for (int i = 0; i < ITERATIONS && b.theta - a.theta > 4.0 * DBL_EPSILON * b.theta; i++) {
        if (a.theta > s->enough) return b;
        const double move = -best.r / best.slope;
        double       theta = best.theta + move;
        if (fabs(move) <= 1e-8 * b.theta && theta > a.theta && theta < b.theta) {
            best.theta = theta; /* what is left is below rounding */
            best.r = 0.0;
            return best;
        }
        if (!(theta > a.theta && theta < b.theta) || fabs(move) > 0.5 * before)
            theta = 0.5 * (a.theta + b.theta);
        before = fabs(theta - best.theta);
        best = at(s, theta);
        if (best.r == 0.0) return best;
        if ((best.r > 0.0) == (a.r > 0.0) && a.r != 0.0) a = best;
        else b = best;
    }
    return best;
}

/* The zero of the slope between two nodes where it has different signs: the secant, kept inside the
 * bracket. */
static node find_turn(const search *s, node a, node b)
{
    node best = b;
    for (int i = 0; i < ITERATIONS && b.theta - a.theta > 4.0 * DBL_EPSILON * b.theta; i++) {
        const double fa = a.slope, fb = b.slope;
        double       theta = a.theta - fa * (b.theta - a.theta) / (fb - fa);
        const double width = b.theta - a.theta;
        if (i % 3 == 2 || !(theta > a.theta + 0.001 * width && theta < b.theta - 0.001 * width))
            theta = i % 3 == 2                      ? a.theta + 0.5 * width
                    : theta < a.theta + 0.5 * width ? a.theta + 0.001 * width
                                                    : b.theta - 0.001 * width;
        best = at(s, theta);
        const double f = best.slope;
        if (f == 0.0) return best;
        if ((f > 0.0) == (fa > 0.0) && fa != 0.0) a = best;
        else b = best;
    }
    return best;
}

static node nearer(node a, node b) { return fabs(a.r) < fabs(b.r) ? a : b; }

/* Whether a crossing at this node counts: direction and conditions. */
static bool accept(search *s, const node *here)
{
    const sal_event_system *event = &s->locator->field.system->event[s->event];
    if (!sal_event_fires(event, s->side)) return false;
    double nearest;
    if (event->wheres > 0) sal_step_at(s->step, here->theta, s->locator->x, NULL);
    const bool met = sal_locator_conditions(
        s->locator, s->event, s->step->t + here->theta * s->step->h, s->locator->x, &nearest);
    const sal_crossing crossing = {s->event, here->theta, nearest, s->side};
    if (met) *s->crossing = crossing;
    else if (nearest < 1e-8) s->locator->missed = crossing;
    return met;
}

/* Between two nodes with the same cubic: at most one extremum. True: an accepted crossing. */
static bool resolved(search *s, node a, node b)
{
    const int sign_b = sign_of(b.r);
    if (sign_b != s->side) {
        const node root = find_zero(s, a, b, nearer(a, b));
        if (accept(s, &root)) return true;
        s->side = -s->side;
        return false;
    }
    if (!(s->side * a.slope < 0.0 && s->side * b.slope > 0.0)) return false;
    const node dip = find_turn(s, a, b);
    if (sign_of(dip.r) == s->side) {
        if (fabs(dip.r) <= s->zero && dip.theta > 0.0)
            s->locator->touch = (sal_touch){s->event, dip.theta, dip.r};
        return false;
    }
    const node down = find_zero(s, a, dip, nearer(a, dip));
    if (accept(s, &down)) return true;
    s->side = -s->side;
    const node up = find_zero(s, dip, b, nearer(dip, b));
    if (accept(s, &up)) return true;
    s->side = -s->side;
    return false;
}

/* The cubic through both ends, at the fraction f between them: value, and slope if not NULL. */
static double predict(const node *a, const node *b, double f, double *slope)
{
    const double H = b->theta - a->theta, g = 1.0 - f;
    *slope = 6.0 * f * g * (b->r - a->r) / H + a->slope * g * (g - 2.0 * f) +
             b->slope * f * (f - 2.0 * g);
    return a->r * g * g * (1.0 + 2.0 * f) + b->r * f * f * (1.0 + 2.0 * g) +
           H * f * g * (a->slope * g - b->slope * f);
}

/* The cubic knows the guard between a and b: it meets value and slope at m. Far from zero, measured
 * by how fast the guard moves, less will do. */
static bool well_predicted(const node *a, const node *m, const node *b)
{
    const double H = b->theta - a->theta;
    double       slope;
    const double error = fabs(m->r - predict(a, b, (m->theta - a->theta) / H, &slope));
    const double slope_error = H * fabs(m->slope - slope);
    const double least = fmin(fabs(m->r), fmin(fabs(a->r), fabs(b->r)));
    const double fastest = H * fmax(fabs(m->slope), fmax(fabs(a->slope), fabs(b->slope)));
    const double span = fabs(a->r - m->r) + fabs(m->r - b->r) + 0.1 * fastest;
    if (error <= 0.2 * least && fastest <= 2.0 * least) return true;
    return error <= 0.02 * span && slope_error <= 0.1 * span;
}

/* Two looks inside the interval: one may fit by chance. */
static bool divide(search *s, node a, node b, int depth)
{
    const node m = at(s, a.theta + SPLIT * (b.theta - a.theta));
    bool       simple = depth > 0 && well_predicted(&a, &m, &b);
    if (simple) {
        const node other = at(s, a.theta + SECOND_LOOK * (b.theta - a.theta));
        simple = well_predicted(&a, &other, &b);
    }
    if (!simple && depth >= DEEPEST) s->locator->unresolved = s->event;
    if (simple || depth >= DEEPEST) return resolved(s, a, m) || resolved(s, m, b);
    return divide(s, a, m, depth + 1) || divide(s, m, b, depth + 1);
}

/* A guard that is zero at the start of the step leaves it to one side: the search begins where it
 * has done so. False: it stays zero. */
static bool leave_zero(search *s, node *a)
{
    if (fabs(a->r) > s->zero) {
        s->side = sign_of(a->r);
        return true;
    }
    const sal_event_system *event = &s->locator->field.system->event[s->event];
    double                  theta = fmin(1e-3, fmax(1e-12, 4.0 * s->zero / fabs(a->slope)));
    for (; theta < 0.5; theta *= 8.0) {
        const node here = at(s, theta);
        if (fabs(here.r) <= s->zero) continue;
        if (sign_of(here.r) != s->side && event->reset.restitution &&
            sal_event_fires(event, s->side))
            s->locator->sunk = s->event; /* it came back below rounding */
        s->side = sign_of(here.r);
        *a = here;
        return true;
    }
    return false;
}

bool sal_locate(sal_locator *locator, const sal_step *step, int event, const sal_watch *watch,
                double enough, sal_crossing *crossing)
{
    /* Conditions are looked at where the guard is zero. */
    const bool exact = locator->field.system->event[event].wheres > 0;
    search     s = {.locator = locator,
                    .step = step,
                    .event = event,
                    .side = watch->side,
                    .zero = sal_watch_zero(watch, step->t),
                    .enough = exact ? INFINITY : enough,
                    .crossing = crossing};
    node       a = at(&s, 0.0);
    node       b = at(&s, 1.0);
    if (isnan(a.r) || isnan(b.r)) {
        locator->undefined = event;
        return false;
    }
    if (!leave_zero(&s, &a)) return false;
    return divide(&s, a, b, 0);
}
