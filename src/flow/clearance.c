/* Guards that are far from zero: most steps need no dense output, and no search (see locate.h).
 *
 * A guard that is a polynomial (or root of one) in t, q, v changes as smoothly as the motion does.
 * It is looked at in four places of the step, on the quintic through positions, velocities and
 * accelerations of both ends. If it is farther from zero than it moves between these places, with
 * something in hand for how fast it moves at the ends, it does not get there in this step. */
#include <math.h>

#include "flow/guard.h"
#include "flow/locate.h"

enum { PLACES = 2, TERMS = 6 };
static const double place[PLACES] = {0.4567, 0.8123};

/* The quintic's weights of q0, q1, h v0, h v1, h^2 a0, h^2 a1, or of its derivative. */
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

/* The motion between the ends, into the field. */
static void put_between(sal_locator *locator, const sal_step *step, double x)
{
    sal_field    *field = &locator->field;
    const int     n = field->system->n;
    const double  h = step->h;
    const double *k0 = sal_step_k(step, 0), *k1 = sal_step_k(step, step->tableau->end_stage);
    const double *term[TERMS] = {step->x0, step->x1, k0, k1, k0 + n, k1 + n};
    const double  unit[TERMS] = {1.0, 1.0, h, h, h * h, h * h};
    double        q[TERMS], v[TERMS];
    quintic(x, q);
    quintic_rate(x, v);
    for (int i = 0; i < TERMS; i++) {
        q[i] *= unit[i];
        v[i] *= unit[i] / h;
    }
    *sal_u(field, SAL_LEAF_T) = step->t + x * h;
    step->sums->combine(n, NULL, 1.0, TERMS, q, term, sal_u(field, SAL_LEAF_Q));
    step->sums->combine(n, NULL, 1.0, TERMS, v, term, sal_u(field, SAL_LEAF_V));
}

/* The values a guard had, in the form of a look: smallest in r, largest in slope, and in theta zero
 * unless one was no number. */
static void widen(sal_look *span, double r)
{
    span->r = fmin(span->r, r);
    span->slope = fmax(span->slope, r);
    span->theta += 0.0 * r;
}

/* Values of all guards at the inner places, into the spans. */
static void look_between(sal_locator *locator, const sal_step *step)
{
    const sal_regime       *regime = locator->field.regime;
    const sal_event_system *event = locator->field.system->event;
    for (int p = 0; p < PLACES; p++) {
        put_between(locator, step, place[p]);
        for (int i = 0; i < regime->events; i++) {
            const int e = regime->event[i];
            widen(&locator->span[e], sal_guard_value(&locator->field, &event[e], NULL, NULL));
        }
    }
}

static bool is_clear(const sal_locator *locator, const sal_step *step, int e,
                     const sal_watch *watch)
{
    const sal_look *span = &locator->span[e];
    const double fastest = fmax(fabs(locator->start[e].slope), fabs(locator->now[e].slope));
    const double least = watch->side > 0 ? span->r : -span->slope;
    const double moved = span->slope - span->r + 0.25 * step->h * fastest;
    return span->theta == 0.0 && least > moved && least > 1e3 * sal_watch_zero(watch, step->t);
}

bool sal_locator_clear(sal_locator *locator, const sal_step *step, const sal_watch *watch)
{
    const sal_regime *regime = locator->field.regime;
    const int         n = locator->field.system->n, end = step->tableau->end_stage;
    if (!regime->smooth_guards || !(step->h > 0.0)) return false;
    if (!locator->start_known) {
        sal_locator_guards(locator, step->t, step->x0, sal_step_k(step, 0) + n, true);
        for (int i = 0; i < regime->events; i++)
            locator->start[regime->event[i]] = locator->now[regime->event[i]];
        locator->start_known = true;
    }
    sal_locator_guards(locator, step->t + step->h, step->x1, sal_step_k(step, end) + n, true);
    locator->end_known = true;
    for (int i = 0; i < regime->events; i++) {
        const int e = regime->event[i];
        locator->span[e] = (sal_look){0.0, locator->start[e].r, locator->start[e].r};
        widen(&locator->span[e], locator->start[e].r);
        widen(&locator->span[e], locator->now[e].r);
        if (!is_clear(locator, step, e, &watch[e])) return false; /* not even its ends */
    }
    look_between(locator, step);
    for (int i = 0; i < regime->events; i++)
        if (!is_clear(locator, step, regime->event[i], &watch[regime->event[i]])) return false;
    return true;
}

void sal_locator_moved(sal_locator *locator)
{
    const sal_regime *regime = locator->field.regime;
    locator->start_known = locator->end_known;
    for (int i = 0; i < regime->events && locator->end_known; i++)
        locator->start[regime->event[i]] = locator->now[regime->event[i]];
    locator->end_known = false;
}

void sal_locator_forget(sal_locator *locator) { locator->start_known = locator->end_known = false; }
