/* Takes a true step that ends where a guard is zero to rounding; the dense output would not be
 * accurate enough. */
#include "run/crossing.h"

#include <float.h>
#include <math.h>

#include "run/outcome.h"

enum { MAX_NEWTON = 40, MAX_BISECTIONS = 64 };

double sal_step_onto_noise(saltus_run *run, int e)
{
    const sal_step *step = &run->motion.step;
    return sal_locator_rounding(&run->locator, e, sal_step_time(step), step->x1);
}

/* Whether the guard, which has the value r and would be zero a time dh later, counts as zero. */
static bool settled(saltus_run *run, const sal_crossing *crossing, double r, double dh,
                    int iteration, double best)
{
    const double t = run->cursor.t, now = sal_step_time(&run->motion.step);
    const bool   small = fabs(dh) <= DBL_EPSILON * fmax(fabs(t), run->motion.step.h);
    if (r == 0.0 || (small && (iteration > 2 || now + dh == now))) return true;
    return iteration > 2 && fabs(r) >= best && best <= sal_step_onto_noise(run, crossing->event);
}

/* The guard at the end of the step, also stored in the locator; its rate if that is not NULL. */
static double guard_at_end(saltus_run *run, int e, double *rate)
{
    const sal_step *step = &run->motion.step;
    const double   *k = sal_step_k(step, step->tableau->end_stage);
    const double    r = sal_locator_guard(&run->locator, e, sal_step_time(step), step->x1,
                                          k + run->system->n, rate);
    run->locator.now[e].r = r;
    return r;
}

/* Extends a step, whose end is about a time dh before the crossing (or after it, if negative),
 * until the guard is zero to rounding. False: no zero is found there. */
static bool extend_onto(saltus_run *run, const sal_crossing *crossing, double dh)
{
    sal_step *step = &run->motion.step;
    double    best = INFINITY, rate;
    for (int i = 0; i < MAX_NEWTON; i++) {
        if (sal_step_extend(step, step->delta + dh)) return false;
        const double r = guard_at_end(run, crossing->event, &rate);
        dh = -r / rate;
        if (settled(run, crossing, r, dh, i, best)) return true;
        best = fmin(best, fabs(r));
    }
    return false;
}

/* The longest remainder of a step of length h that may be left to the midpoint rule. Its error in
 * derivatives, relative to the change of the motion in the step, is the square of that fraction of
 * the step: much less than the tolerance. */
static double short_part(const saltus_run *run, double h)
{
    return 0.02 * sqrt(fmin(run->options.rtol, 1e-4)) * h;
}

/* Shortens the step (of length `full`) until the guard is zero at its end, to rounding. This is
 * Newton's method on the length, each time with a true step. It stays between a step that is too
 * short and one that is beyond the crossing, or beyond the place where the guard turns back: a
 * later crossing must not be taken for this one. A small remainder is left to sal_step_extend.
 * False: the true motion does not reach zero. */
static bool step_onto(saltus_run *run, const sal_crossing *crossing, double full)
{
    sal_step    *step = &run->motion.step;
    double       h = crossing->theta * full, best = INFINITY;
    const double noise = 1e-9 * full;
    double       low = 0.0, high = full;
    for (int i = 0; i < MAX_NEWTON; i++) {
        double rate;
        if (sal_step_take(step, h) || sal_step_end(step)) return false;
        const double r = guard_at_end(run, crossing->event, &rate);
        const double dh = -r / rate;
        if (settled(run, crossing, r, dh, i, best)) return true;
        if (crossing->side * rate < 0.0 && fabs(dh) <= short_part(run, h) &&
            extend_onto(run, crossing, dh))
            return true;
        best = fmin(best, fabs(r));
        if (crossing->side * r > 0.0 && crossing->side * rate < 0.0) low = h;
        else high = h;
        double next = h + dh;
        /* Newton's last corrections, where r is only rounding, are accepted as they are. */
        if (!(next > 0.0 && next > low - noise && next < high + noise)) next = 0.5 * (low + high);
        if (next == h) break;
        h = next;
    }
    return best <= 100.0 * sal_step_onto_noise(run, crossing->event);
}

/* Whether the guard is still on its old side at the end of a step of length h. */
static bool is_before(saltus_run *run, const sal_crossing *crossing, double h, bool *bad)
{
    sal_step *step = &run->motion.step;
    *bad = sal_step_take(step, h) || sal_step_end(step);
    return !*bad && crossing->side * guard_at_end(run, crossing->event, NULL) > 0.0;
}

/* Finds a step that is too short and one that is too long, both as close to h as possible, since
 * there may be other crossings further away. False: there is no such pair. */
static bool bracket(saltus_run *run, const sal_crossing *crossing, double full, double *low,
                    double *high)
{
    const double h = crossing->theta * full;
    bool         bad;
    const bool   before = is_before(run, crossing, h, &bad);
    *low = *high = h;
    for (double near = 1e-9 * full; !bad; near *= 16.0) {
        const double end = before ? fmin(full, h + near) : fmax(0.0, h - near);
        const bool   other = end == 0.0 || is_before(run, crossing, end, &bad) != before;
        *(before ? high : low) = end;
        if (other || end == full) return other && !bad;
    }
    return false;
}

/* Steps onto a crossing by bisection, using only the sign of the guard: for a guard that jumps over
 * zero, or is too flat for Newton's method. False: the guard does not change its sign. */
static bool bisect_onto(saltus_run *run, const sal_crossing *crossing, double full)
{
    double low, high;
    bool   bad = false;
    if (!bracket(run, crossing, full, &low, &high)) return false;
    for (int i = 0; i < MAX_BISECTIONS && high - low > 2.0 * DBL_EPSILON * fabs(run->cursor.t);
         i++) {
        const double h = 0.5 * (low + high);
        if (is_before(run, crossing, h, &bad)) low = h;
        else high = h;
        if (bad) return false;
    }
    is_before(run, crossing, 0.5 * (low + high), &bad);
    return !bad;
}

/* Steps onto the crossing. False: the dense output crosses zero, but the true motion only touches
 * it. The step then ends there, and the next one finds what comes later. */
static bool reach(saltus_run *run, const sal_crossing *crossing, double full)
{
    sal_step *step = &run->motion.step;
    if (run->system->event[crossing->event].guard_is_clock)
        return true; /* the step ends there already */
    if (!crossing->jumps && step_onto(run, crossing, full)) return true;
    if (bisect_onto(run, crossing, full)) return true;
    run->locator.touch = (sal_touch){crossing->event, crossing->theta};
    if (sal_step_take(step, fmax(crossing->theta, 1e-3) * full) || sal_step_end(step))
        sal_outcome_no_field(run, run->cursor.t);
    return false;
}

/* Whether another pending guard has crossed before the end of the step, because the dense output
 * had them in the wrong order. It then becomes the first one. */
static bool overtaken(saltus_run *run, sal_crossing *first)
{
    const sal_regime *regime = run->cursor.regime;
    for (int i = 0; i < regime->events; i++) {
        const int e = regime->event[i];
        if (!run->instant.pending[e] || e == first->event || run->system->event[e].guard_is_clock)
            continue;
        const double r = guard_at_end(run, e, NULL);
        /* a guard that crosses several times may have a later crossing here */
        if (run->stepping.crossing[e].theta > 1.001 * first->theta + 1e-6) continue;
        if (run->stepping.crossing[e].side * r >= 0.0 || fabs(r) <= sal_step_onto_noise(run, e))
            continue;
        *first = run->stepping.crossing[e];
        return true;
    }
    return false;
}

bool sal_step_onto(saltus_run *run, sal_crossing *crossing)
{
    const double full = run->motion.step.h;
    bool         there = reach(run, crossing, full);
    for (int i = 0; i < run->cursor.regime->events && overtaken(run, crossing); i++)
        there = reach(run, crossing, full);
    return there;
}

double sal_step_onto_guard(saltus_run *run, int event) { return guard_at_end(run, event, NULL); }

/* The extension must be short compared with the step; otherwise its error would show. */
bool sal_step_onto_again(saltus_run *run, const sal_crossing *crossing, double delta)
{
    const sal_step *step = &run->motion.step;
    return extend_onto(run, crossing, delta) && fabs(step->delta) <= 0.5 * step->h;
}
