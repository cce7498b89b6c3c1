/* Short steps near the kinks of powers that are not integers, such as Hertz's max(0, -y)^1.5.
 *
 * At a time s from such a kink the force is like s^p, and its sensitivity like s^(p-1): a step that
 * is good enough for the motion may be too long for gradients. If parameters move the kink by the
 * time T, the error of the sensitivity is T/s times that of the step. So errors are weighted by
 * T/s; steps then become shorter towards the kink and longer after it, like a geometric series. */
#include "run/advance.h"

#include <float.h>
#include <math.h>

/* A step towards the kink leaves a quarter of the way (PART); a step that is to cross it goes a
 * little beyond it (BEYOND), so that the kink is inside the step. */
static const double PART = 0.75, BEYOND = 1.1;
/* The power of the length with which the error of a step across the kink grows. It need not be
 * exact: a step that is too long is rejected again, and one that is too short grows. */
static const double POWER = 1.5, MAX_SHRINK = 1e-4;

/* The shortest time that is more than rounding. */
static double least(const saltus_run *run)
{
    return 1e3 * DBL_EPSILON * fmax(fabs(run->cursor.t), run->t_end - run->t0);
}

/* The time by which parameters may move the kink: roughly the time between two encounters. That is
 * not known in advance, so it is the horizon at first. */
static double span_of(const saltus_run *run, int e)
{
    return (run->t_end - run->t0) / (1.0 + run->cursor.repetition[e].count);
}

/* Adds the kink whose guard is that of event e. */
static void look_at(saltus_run *run, int e, sal_power_kink *kink)
{
    const double  side = run->cursor.watch[e].side;
    const double *a = sal_step_k(&run->motion.step, 0) + run->system->n;
    double        rate;
    const double  r =
        side * sal_locator_guard(&run->locator, e, run->cursor.t, run->cursor.x, a, &rate);
    const double time = fmax(r, 0.0) / fabs(rate);
    const bool   nears = side * rate < 0.0;
    if (!isfinite(time) || (nears && time <= least(run))) return;
    if (nears) kink->until_next = fmin(kink->until_next, time);
    else kink->since_last = fmin(kink->since_last, time);
    kink->span = fmax(kink->span, span_of(run, e));
}

sal_power_kink sal_power_kink_find(saltus_run *run)
{
    const sal_regime *regime = run->cursor.regime;
    sal_power_kink    kink = SAL_POWER_KINK_NONE;
    for (int i = 0; i < regime->events; i++)
        if (run->system->event[regime->event[i]].guard_is_base)
            look_at(run, regime->event[i], &kink);
    if (kink.until_next == INFINITY) run->cursor.landing = INFINITY;
    return kink;
}

/* Whether a step of length h would reach the next kink, or almost. */
static bool meets(const sal_power_kink *kink, double h) { return h >= PART * kink->until_next; }

double sal_power_kink_limit(const saltus_run *run, const sal_power_kink *kink, double h)
{
    if (!meets(kink, h) || run->cursor.landing == INFINITY) return h;
    return fmin(h, (kink->until_next > run->cursor.landing ? PART : BEYOND) * kink->until_next);
}

/* The contribution of rounding to the error of a step, which must not be weighted. */
static double rounding(const saltus_run *run)
{
    const sal_step *step = &run->motion.step;
    const double   *k = sal_step_k(step, 0);
    double          most = 0.0;
    for (int i = 0; i < step->nx; i++)
        most =
            fmax(most, fabs(k[i]) / (step->atol[i] + run->options.rtol * fabs(run->cursor.x[i])));
    return 4.0 * DBL_EPSILON * step->h * most;
}

double sal_power_kink_weight(const saltus_run *run, const sal_power_kink *kink, double error)
{
    const double h = run->motion.step.h, time = fmin(kink->until_next, kink->since_last + h);
    if (!(time < kink->span) || h <= least(run) || error <= rounding(run)) return 1.0;
    return kink->span / time;
}

double sal_power_kink_shorter(saltus_run *run, const sal_power_kink *kink, double h, double error)
{
    const bool met = meets(kink, h);
    if (!isfinite(error) || !(met || kink->since_last < 0.1 * h)) return h;
    const double part = fmax(MAX_SHRINK, 0.5 * pow(error, -1.0 / POWER));
    if (!met) return fmin(h, fmax(part * h, least(run)));
    if (kink->until_next <= run->cursor.landing) run->cursor.landing = part * kink->until_next;
    return fmin(h, PART * kink->until_next);
}
