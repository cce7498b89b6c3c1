/* The screen: a quick look at guards that change as smoothly as the motion. See screen.h.
 *
 * In a step, such a guard is approximated by the cubic through its values and rates at both ends.
 * If the guard is linear in positions, the error of the cubic is estimated from the second
 * derivatives at the ends. Otherwise it is measured at two places between the ends, where the
 * motion is interpolated by the quintic through positions, velocities and accelerations at both
 * ends: the error is c x^2 (1 - x)^2 plus higher terms, and nowhere much larger than there. If the
 * cubic, with a margin for this error, stays on one side of zero or changes sides once, so does the
 * guard. */
#include "locate/fast/screen.h"

#include <math.h>

#include "motion/guard.h"

/* What is known about a guard in the step. */
typedef enum answer {
    UNSURE, /* nothing */
    CLEAR,  /* it does not cross zero */
    SIMPLE  /* it crosses zero once and has no conditions (where=) */
} answer;

static const double place[SAL_SCREEN_PLACES] = {0.4567, 0.8123};
/* Twice the largest x^2 (1 - x)^2, divided by its value at the place; 2 allows for higher terms. */
static const double margin[SAL_SCREEN_PLACES] = {2.03, 5.38};

/* Weights of q0, q1, h v0, h v1, h^2 a0, h^2 a1 in the value of the quintic at x. */
static void quintic(double x, double *w)
{
    const double x2 = x * x, x3 = x2 * x, x4 = x3 * x, x5 = x4 * x;
    w[1] = 10.0 * x3 - 15.0 * x4 + 6.0 * x5;
    w[0] = 1.0 - w[1];
    w[2] = x - 6.0 * x3 + 8.0 * x4 - 3.0 * x5;
    w[3] = -4.0 * x3 + 7.0 * x4 - 3.0 * x5;
    w[4] = 0.5 * x2 - 1.5 * x3 + 1.5 * x4 - 0.5 * x5;
    w[5] = 0.5 * x3 - x4 + 0.5 * x5;
}

/* Weights of the same terms in the derivative of the quintic by x. */
static void quintic_rate(double x, double *w)
{
    const double x2 = x * x, x3 = x2 * x, x4 = x3 * x;
    w[1] = 30.0 * x2 - 60.0 * x3 + 30.0 * x4;
    w[0] = -w[1];
    w[2] = 1.0 - 18.0 * x2 + 32.0 * x3 - 15.0 * x4;
    w[3] = -12.0 * x2 + 28.0 * x3 - 15.0 * x4;
    w[4] = x - 4.5 * x2 + 6.0 * x3 - 2.5 * x4;
    w[5] = 1.5 * x2 - 4.0 * x3 + 2.5 * x4;
}

/* Weights of r0, r1, s0, s1 in the value of the cubic at x: values and slopes (by x) at both
 * ends. */
static void cubic_weights(double x, double *w)
{
    const double x2 = x * x, x3 = x2 * x;
    w[1] = 3.0 * x2 - 2.0 * x3;
    w[0] = 1.0 - w[1];
    w[2] = x - 2.0 * x2 + x3;
    w[3] = x3 - x2;
}

static bool needed_init(sal_needed *list, int n, sal_arena *arena)
{
    list->index = ARENA_NEW(arena, n, int);
    list->noted = ARENA_NEW(arena, n, unsigned char);
    return !arena->failed;
}

sal_screen *sal_screen_new(const saltus_system *system, sal_arena *arena)
{
    sal_screen *screen = ARENA_NEW(arena, 1, sal_screen);
    if (!screen) return NULL;
    screen->start = ARENA_NEW(arena, system->events, sal_guard_sample);
    screen->error = ARENA_NEW(arena, system->events, double);
    screen->guess = ARENA_NEW(arena, system->events, double);
    screen->low = ARENA_NEW(arena, system->events, double);
    for (int p = 0; p < SAL_SCREEN_PLACES; p++) {
        quintic(place[p], screen->quintic[p]);
        quintic_rate(place[p], screen->quintic_rate[p]);
        cubic_weights(place[p], screen->cubic[p]);
    }
    return needed_init(&screen->q, system->n, arena) && needed_init(&screen->v, system->n, arena)
               ? screen
               : NULL;
}

static void need(sal_needed *list, int i)
{
    if (!list->noted[i]) list->index[list->count++] = i;
    list->noted[i] = 1;
}

static void need_nothing(sal_needed *list)
{
    for (int k = 0; k < list->count; k++) list->noted[list->index[k]] = 0;
    list->count = 0;
}

/* Finds which coordinates and velocities the guards of the regime contain. */
static void find_needed(sal_locator *locator)
{
    const saltus_system *system = locator->field.system;
    const sal_regime    *regime = locator->field.regime;
    const int            q = system->layout.at[SAL_LEAF_Q], v = system->layout.at[SAL_LEAF_V];
    sal_screen          *screen = locator->screen;
    if (screen->needed_in == regime) return;
    screen->needed_in = regime;
    need_nothing(&screen->q);
    need_nothing(&screen->v);
    screen->curved = false;
    for (int i = 0; i < regime->events; i++) {
        if (!system->event[regime->event[i]].guard_is_linear) screen->curved = true;
        const sal_kernel *guard = &system->event[regime->event[i]].guard.value;
        const sal_part   *part = guard->part;
        for (int k = 0; guard->parts > 0 && k < part->from[SAL_STATE].count; k++) {
            const int at = part->in[part->from[SAL_STATE].input[k]];
            if (at >= q && at < q + system->n) need(&screen->q, at - q);
            if (at >= v && at < v + system->n) need(&screen->v, at - v);
        }
    }
}

/* The motion at both ends of a step. */
typedef struct span {
    double        t, h;
    const double *q0, *q1, *v0, *v1, *a0, *a1;
} span;

static span span_of(const sal_step *step, int n)
{
    const double *k0 = sal_step_k(step, 0), *k1 = sal_step_k(step, step->tableau->end_stage);
    return (span){step->t, step->h, step->x0, step->x1, k0, k1, k0 + n, k1 + n};
}

/* The sum of the terms of coordinate i with these weights. */
static double weighted(const span *s, const double *w, int i)
{
    const double speeds = w[2] * s->v0[i] + w[3] * s->v1[i];
    const double bends = w[4] * s->a0[i] + w[5] * s->a1[i];
    return w[0] * s->q0[i] + w[1] * s->q1[i] + s->h * (speeds + s->h * bends);
}

/* Puts the time, coordinates and velocities that guards contain into the field, interpolated at x
 * with the weights of the quintic there. */
static void put_between(sal_locator *locator, const span *s, double x, const double *weight,
                        const double *weight_of_rate)
{
    sal_field        *field = &locator->field;
    const sal_needed *q = &locator->screen->q, *v = &locator->screen->v;
    *sal_u(field, SAL_LEAF_T) = s->t + x * s->h;
    for (int k = 0; k < q->count; k++)
        sal_u(field, SAL_LEAF_Q)[q->index[k]] = weighted(s, weight, q->index[k]);
    for (int k = 0; k < v->count; k++)
        sal_u(field, SAL_LEAF_V)[v->index[k]] = weighted(s, weight_of_rate, v->index[k]) / s->h;
}

/* The cubic through a guard's values and rates (by x) at both ends of the step. */
typedef struct cubic {
    double r0, s0, c2, c3, r1;
    double error; /* a bound on the error of the cubic */
} cubic;

static cubic cubic_of(const sal_guard_sample *start, const sal_guard_sample *end, double h)
{
    const double s0 = h * start->slope, s1 = h * end->slope, d = end->r - start->r;
    return (cubic){start->r, s0, 3.0 * d - 2.0 * s0 - s1, s0 + s1 - 2.0 * d, end->r, 0.0};
}

static double value_at(const cubic *c, double x)
{
    return c->r0 + x * (c->s0 + x * (c->c2 + x * c->c3));
}

static double slope_at(const cubic *c, double x)
{
    return c->s0 + x * (2.0 * c->c2 + 3.0 * x * c->c3);
}

/* Writes the places inside the step where the slope of the cubic is zero, in order; returns how
 * many there are. */
static int turns_of(const cubic *c, double turn[2])
{
    const double a = 3.0 * c->c3, b = c->c2, disc = b * b - a * c->s0;
    double       x[2];
    int          count = 0;
    if (!(disc >= 0.0)) return 0;
    const double q = -(b + (b < 0.0 ? -sqrt(disc) : sqrt(disc)));
    x[0] = q / a;
    x[1] = c->s0 / q;
    if (x[1] < x[0]) {
        const double swap = x[0];
        x[0] = x[1];
        x[1] = swap;
    }
    for (int i = 0; i < 2; i++)
        if (x[i] > 0.0 && x[i] < 1.0) turn[count++] = x[i];
    return count;
}

/* The zero of the cubic between a and b, where it has different signs: a first guess for the
 * crossing of the guard. The iteration begins at the zero of the parabola through both ends with
 * the slope at a. */
static double zero_between(const cubic *c, double a, double b)
{
    const double from = value_at(c, a), to = value_at(c, b), slope = (b - a) * slope_at(c, a);
    const double root = sqrt((slope + 2.0 * from) * (slope + 2.0 * from) - 4.0 * from * to);
    const bool   falls = from > 0.0;
    double       x = a + 2.0 * from * (b - a) / ((falls ? root : -root) - slope);
    for (int i = 0; i < 30; i++) {
        const double r = value_at(c, x);
        if ((r > 0.0) == falls) a = x;
        else b = x;
        double next = x - r / slope_at(c, x);
        if (!(next > a && next < b)) next = 0.5 * (a + b);
        if (fabs(next - x) < 1e-9) return next;
        x = next;
    }
    return x;
}

/* Whether a guard that is zero at the start of the step, or slightly past zero, certainly moves
 * away from zero to its known side. */
static bool leaves_zero(const cubic *c, int side, double zero)
{
    return fabs(c->r0) <= zero && side * c->s0 > 8.0 * c->error + 1e3 * zero;
}

/* The value below which the screen takes the guard to be zero, from the sizes of the guard and of
 * its change in the step. */
static double zero_of(const sal_guard_sample *start, const sal_guard_sample *end, double h)
{
    return 1e-13 * (fabs(start->r) + fabs(end->r) + h * (fabs(start->slope) + fabs(end->slope)));
}

/* A lower bound on `side` times the cubic. The cubic is the line through its ends plus multiples of
 * x (1 - x)^2 and x^2 (1 - x), which are at most 4/27. */
static double lowest(const sal_guard_sample *start, const sal_guard_sample *end, double h, int side)
{
    const double d = end->r - start->r, r0 = side * start->r, r1 = side * end->r;
    return (r0 < r1 ? r0 : r1) -
           4.0 / 27.0 * (fabs(h * start->slope - d) + fabs(h * end->slope - d));
}

/* A value larger than this is certainly not zero. */
static double enough_for(double error, double zero) { return 2.0 * error + 1e3 * zero; }

/* Judges a guard by its cubic. SIMPLE: it crosses zero near `guess`, and after `low`. */
static answer screen_one(const cubic *c, int side, double zero, double *low, double *guess)
{
    double       at[4];
    int          first = 0, changes = 0;
    const double enough = enough_for(c->error, zero);
    const int    turns = turns_of(c, at + 1);
    at[0] = 0.0;
    at[turns + 1] = 1.0;
    if (leaves_zero(c, side, zero)) first = 1;
    for (int i = first; i < turns + 2; i++) {
        const double r = i == 0 ? c->r0 : i == turns + 1 ? c->r1 : value_at(c, at[i]);
        if (!(fabs(r) > enough)) return UNSURE;
        if (side * r > 0.0) continue;
        if (i == 0) return UNSURE; /* the guard does not begin on its known side */
        side = -side;
        changes++;
        *low = at[i - 1];
        *guess = at[i];
    }
    if (changes > 1) return UNSURE;
    if (changes == 0) return CLEAR;
    if (*low == 0.0 && first == 1) return UNSURE;
    *guess = zero_between(c, *low, *guess);
    return SIMPLE;
}

/* Evaluates all guards and their rates at the row of a stage. */
static void look_at_row(sal_locator *locator, const double *row, sal_guard_sample *looks)
{
    const sal_regime         *regime = locator->field.regime;
    const sal_compiled_event *event = locator->field.system->event;
    for (int i = 0; i < regime->events; i++) {
        const sal_compiled_event *e = &event[regime->event[i]];
        sal_guard_sample         *look = &looks[regime->event[i]];
        double                    out[3];
        if (e->guard_is_linear) {
            sal_guard_along(&locator->field, e, row, out);
            look->r = out[0];
            look->slope = out[1];
            look->r_ddot = out[2];
        } else look->r = sal_guard_value(&locator->field, e, row, &look->slope, locator->du);
        look->r -= locator->watch[regime->event[i]].offset;
    }
}

/* Evaluates guards and rates at both ends of the step; those at the start are usually known. */
static void look_at_ends(sal_locator *locator, const sal_step *step)
{
    if (!locator->screen->start_known) look_at_row(locator, step->row[0], locator->screen->start);
    look_at_row(locator, step->row[step->tableau->end_stage], locator->now);
    locator->screen->start_known = locator->screen->end_known = locator->end_seen = true;
}

/* Bounds the error of the cubic of a linear guard. At both ends its second derivative differs from
 * that of the guard by off0 and off1, so its error is about
 *     off0 x^2 (1 - x)^3 / 2 + off1 x^3 (1 - x)^2 / 2.
 * The bound is twice the largest value of this sum, to allow for higher terms. */
static double error_of_linear(const sal_guard_sample *start, const sal_guard_sample *end, double h)
{
    const double s0 = h * start->slope, s1 = h * end->slope, d = 6.0 * (end->r - start->r);
    const double off0 = h * h * start->r_ddot - (d - 4.0 * s0 - 2.0 * s1);
    const double off1 = h * h * end->r_ddot - (2.0 * s0 + 4.0 * s1 - d);
    return 0.03456 * (fabs(off0) + fabs(off1));
}

/* Measures the errors of the cubics of guards that are not linear at one place between the ends. */
static void look_between(sal_locator *locator, const sal_step *step, int p)
{
    const sal_regime         *regime = locator->field.regime;
    const sal_compiled_event *event = locator->field.system->event;
    const span                s = span_of(step, locator->field.system->n);
    const double             *w = locator->screen->cubic[p];
    put_between(locator, &s, place[p], locator->screen->quintic[p],
                locator->screen->quintic_rate[p]);
    for (int i = 0; i < regime->events; i++) {
        const int               e = regime->event[i];
        const sal_guard_sample *start = &locator->screen->start[e], *end = &locator->now[e];
        if (event[e].guard_is_linear) continue;
        const double r = sal_guard_value(&locator->field, &event[e], locator->field.u, NULL, NULL) -
                         locator->watch[e].offset;
        const double expected =
            w[0] * start->r + w[1] * end->r + step->h * (w[2] * start->slope + w[3] * end->slope);
        const double off = margin[p] * fabs(r - expected);
        if (off > locator->screen->error[e] || isnan(off)) locator->screen->error[e] = off;
    }
}

/* Bounds the errors of the cubics of guards that are not linear. */
static void find_errors(sal_locator *locator, const sal_step *step)
{
    const sal_regime *regime = locator->field.regime;
    for (int i = 0; i < regime->events; i++) locator->screen->error[regime->event[i]] = 0.0;
    for (int p = 0; p < SAL_SCREEN_PLACES; p++) look_between(locator, step, p);
}

/* Screens one guard. The error of its cubic is at most locator->screen->error[e], which is computed
 * here if the guard is linear. */
static answer screen_event(sal_locator *locator, const sal_step *step, int e)
{
    const sal_guard_state  *watch = &locator->watch[e];
    const sal_guard_sample *start = &locator->screen->start[e], *end = &locator->now[e];
    if (locator->field.system->event[e].guard_is_linear)
        locator->screen->error[e] = error_of_linear(start, end, step->h);
    const double zero = zero_of(start, end, step->h), error = locator->screen->error[e];
    locator->screen->guess[e] = -1.0;
    if (lowest(start, end, step->h, watch->side) > enough_for(error, zero)) return CLEAR;
    if (watch->side == 0 || watch->band > 0.0) return UNSURE;
    cubic c = cubic_of(start, end, step->h);
    c.error = error;
    const answer one =
        screen_one(&c, watch->side, zero, &locator->screen->low[e], &locator->screen->guess[e]);
    if (one != SIMPLE) locator->screen->guess[e] = -1.0;
    else if (locator->field.system->event[e].wheres > 0) return UNSURE;
    return one;
}

/* Screens the guards of all events but clocks, whose times are known. */
static answer screen_all(sal_locator *locator, const sal_step *step)
{
    const sal_regime *regime = locator->field.regime;
    answer            all = CLEAR;
    find_needed(locator);
    look_at_ends(locator, step);
    if (locator->screen->curved) find_errors(locator, step);
    for (int i = 0; i < regime->events; i++) {
        const int e = regime->event[i];
        if (locator->field.system->event[e].guard_is_clock) continue;
        const answer one = screen_event(locator, step, e);
        if (one == UNSURE) return one;
        if (one == SIMPLE) all = one;
    }
    return all;
}

/* Finds the crossing of one event, by Newton's method on the quintic with slopes of the cubic.
 * SIMPLE: its event happens at `crossing`. CLEAR: it does not happen. UNSURE: the guard is not as
 * simple as it seemed. */
static answer locate(sal_locator *locator, const sal_step *step, int event, sal_crossing *crossing)
{
    const sal_guard_state    *watch = &locator->watch[event];
    const sal_compiled_event *e = &locator->field.system->event[event];
    const cubic c = cubic_of(&locator->screen->start[event], &locator->now[event], step->h);
    const span  s = span_of(step, locator->field.system->n);
    double      x = locator->screen->guess[event], weight[SAL_SCREEN_TERMS],
           rate[SAL_SCREEN_TERMS] = {0.0};
    if (x < 0.0 || !sal_event_fires(e, watch->side)) return CLEAR;
    for (int i = 0; i < 10; i++) {
        quintic(x, weight);
        if (locator->screen->v.count > 0) quintic_rate(x, rate);
        put_between(locator, &s, x, weight, rate);
        const double r =
            sal_guard_value(&locator->field, e, locator->field.u, NULL, NULL) - watch->offset;
        const double move = -r / slope_at(&c, x);
        x += move;
        if (!(x > locator->screen->low[event] && x < 1.0)) return UNSURE;
        if (fabs(move) > 1e-7 * x) continue;
        *crossing = (sal_crossing){event, x, INFINITY, watch->side, false};
        return SIMPLE;
    }
    return UNSURE;
}

bool sal_screen_find(sal_locator *locator, const sal_step *step, unsigned char *found,
                     sal_crossing *crossing)
{
    const sal_regime *regime = locator->field.regime;
    sal_screen       *screen = locator->screen;
    screen->answered = false;
    if (screen->off || !regime->smooth_guards || !(step->h > 0.0)) return false;
    const answer all = screen_all(locator, step);
    if (all == UNSURE) return false;
    for (int i = 0; i < regime->events; i++) {
        const int e = regime->event[i];
        if (locator->field.system->event[e].guard_is_clock) continue;
        const answer one = all == CLEAR ? CLEAR : locate(locator, step, e, &crossing[e]);
        if (one == UNSURE) return false;
        found[e] = one == SIMPLE;
    }
    screen->answered = true;
    return true;
}

double sal_screen_r_ddot(const sal_locator *locator, const sal_step *step, int event)
{
    const sal_screen *screen = locator->screen;
    const cubic       c = cubic_of(&screen->start[event], &locator->now[event], step->h);
    /* the second derivative of w x^2 (1 - x)^2 is at most 2 w, and its largest value is w / 16 */
    const double most = 2.0 * fabs(c.c2) + 6.0 * fabs(c.c3) + 32.0 * screen->error[event];
    return screen->answered ? most / (step->h * step->h) : INFINITY;
}

void sal_screen_begin(sal_screen *screen) { screen->end_known = screen->answered = false; }

void sal_screen_moved(sal_locator *locator)
{
    sal_screen       *screen = locator->screen;
    sal_guard_sample *end = locator->now;
    screen->start_known = screen->end_known;
    screen->end_known = false;
    locator->now = screen->start;
    screen->start = end;
}

void sal_screen_forget(sal_screen *screen) { screen->start_known = screen->end_known = false; }
