/* Decides at which crossings derivatives may not exist, and warns: guards that graze zero or only
 * touch it, conditions that are nearly zero, and guards that change too fast to be followed. */
#include "run/crossing.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "run/contacts.h"
#include "run/guards.h"
#include "run/outcome.h"

/* Compares the depth to which the guard goes past zero, r'^2 / (2 |r''|), with rounding and with
 * the tolerance: this shows how close the event is to grazing. The event also grazes if the guard
 * turns back within a very short time, r' / r''. */
sal_crossing_kind sal_grazing_judge(saltus_run *run, int e, double rate)
{
    if (sal_contacts_settles(run, e, rate)) return SAL_CROSSING_CLEAN;   /* slow, but not grazing */
    if (run->system->event[e].guard_is_clock) return SAL_CROSSING_CLEAN; /* no clock turns back */
    if (run->stepping.crossing[e].jumps)
        return SAL_CROSSING_CLEAN; /* the guard jumps over zero at a pole, so it has no depth */
    /* the guard goes so deep that its curvature does not matter */
    if (rate * rate > 2e-3 * run->cursor.watch[e].scale * run->stepping.r_ddot)
        return SAL_CROSSING_CLEAN;
    const double deep = 2.0 * sal_guard_tolerance(run, e);
    if (rate * rate > 4.0 * deep * run->stepping.r_ddot) return SAL_CROSSING_CLEAN;
    const double curvature = fabs(sal_locator_curvature(&run->locator, e, run->cursor.t,
                                                        run->cursor.x, sal_run_short_time(run)));
    const double depth = curvature > 0.0 ? rate * rate / (2.0 * curvature) : INFINITY;
    if (rate == 0.0 ||
        fabs(rate) < run->options.event_rate_min * curvature * (run->t_end - run->t0) ||
        depth <= sal_guard_rounding(run, e))
        return SAL_CROSSING_GRAZING;
    return depth < deep ? SAL_CROSSING_CLOSE : SAL_CROSSING_CLEAN;
}

void sal_grazing_warn(saltus_run *run, int e, double rate, sal_crossing_kind kind)
{
    if (kind == SAL_CROSSING_GRAZING)
        sal_run_warn(run, "event '%s' at t = %.10g grazes (guard rate %.3g): no gradient there",
                     run->system->event[e].name, run->cursor.t, rate);
    if (kind != SAL_CROSSING_CLOSE || (run->outcome.warned[e] & SAL_WARNED_GRAZING)) return;
    run->outcome.warned[e] |= SAL_WARNED_GRAZING;
    sal_run_warn(run,
                 "event '%s' at t = %.10g is close to grazing (guard rate %.3g): gradients are "
                 "large there and less certain than the tolerance",
                 run->system->event[e].name, run->cursor.t, rate);
}

/* Estimates rounding errors of the rates of the state and of integrals at the event, in one of the
 * fields, by perturbing the state. Raises `noise` to them where they are larger. */
static void find_rounding(saltus_run *run, sal_field *field, double *noise)
{
    const int n2 = 2 * run->system->n, all = n2 + run->system->nc;
    double   *x = SCRATCH_NEW(&run->scratch, n2, double);
    double   *first = SCRATCH_NEW(&run->scratch, all, double);
    double   *rates = SCRATCH_NEW(&run->scratch, all, double);
    for (int i = 0; i <= 3; i++) { /* the first one unperturbed */
        const double shift = i == 0 ? 0.0 : (i - 2.0 + 0.5 * (i == 2)) * 8.0 * DBL_EPSILON;
        double      *k = i == 0 ? first : rates;
        for (int j = 0; j < n2; j++) x[j] = run->cursor.x[j] * (1.0 + (j % 2 ? shift : -shift));
        if (sal_field_eval(field, run->cursor.t * (1.0 + shift), x, k, k + n2) != SAL_FIELD_OK)
            break;
        for (int j = 0; j < all && i > 0; j++)
            noise[j] = fmax(noise[j], 4.0 * fabs(rates[j] - first[j]));
    }
    sal_scratch_release(&run->scratch, x);
}

static bool nearly_equal(const double *a, const double *b, const double *noise, int count)
{
    double size = 0.0;
    for (int i = 0; i < count; i++) size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
    for (int i = 0; i < count; i++)
        if (fabs(a[i] - b[i]) > fmax(1e-9 * size, noise[i])) return false;
    return true;
}

/* Whether the rates on both sides of the event agree but for rounding. */
static bool rates_agree(saltus_run *run)
{
    const sal_cursor *cursor = &run->cursor;
    const int         n2 = 2 * run->system->n, nc = run->system->nc;
    sal_jump         *jump = &run->jump;
    double           *noise = SCRATCH_NEW(&run->scratch, n2 + nc, double);
    sal_zero(noise, n2 + nc);
    find_rounding(run, &jump->after, noise);
    find_rounding(run, &run->locator.field, noise);
    const bool agree =
        sal_jump_rates(jump, cursor->t, run->after.x, run->after.c) == SAL_FIELD_OK &&
        sal_motion_eval(&run->motion, cursor->t, cursor->x, jump->k_before, jump->g_before) ==
            SAL_FIELD_OK &&
        nearly_equal(jump->k_before, jump->k_after, noise, n2) &&
        nearly_equal(jump->g_before, jump->g_after, noise + n2, nc);
    sal_scratch_release(&run->scratch, noise);
    return agree;
}

bool sal_grazing_is_harmless(saltus_run *run, const sal_compiled_event *event)
{
    const size_t bytes = 2 * (size_t)run->system->n * sizeof(double);
    /* users may request the time of an event of the script, which then has no derivative */
    if (event->kink < 0 && !event->guard_needs_a) return false;
    if (event->kink >= 0 && run->system->kink[event->kink].continuous) return true;
    return event->reset.identity && memcmp(run->after.x, run->cursor.x, bytes) == 0 &&
           rates_agree(run);
}

void sal_grazing_warn_unresolved(saltus_run *run)
{
    const int e = run->locator.unresolved;
    if (e < 0 || (run->outcome.warned[e] & SAL_WARNED_FAST)) return;
    run->outcome.warned[e] |= SAL_WARNED_FAST;
    sal_run_warn(
        run,
        "the guard of event '%s' changes too fast near t = %.10g to be followed inside one "
        "step: crossings may be missed; give a shorter --max-step",
        run->system->event[e].name, run->cursor.t);
}

/* Notes a guard that comes to zero and turns back: with other parameters there are two events, or
 * none. That does not matter for a kink whose branches agree, nor if parameters do not move the
 * guard. A guard that is never further from zero than the tolerance stays at zero rather than
 * touching it. */
static void note_touch(saltus_run *run)
{
    const sal_touch *touch = &run->locator.touch;
    if (touch->event < 0 || run->history.recomputing) return;
    const int kink = run->system->event[touch->event].kink;
    if (kink >= 0 && run->system->kink[kink].continuous) return;
    if (run->system->event[touch->event].guard_is_given) return;
    if (run->cursor.watch[touch->event].scale <= sal_guard_tolerance(run, touch->event)) return;
    const char  *name = run->system->event[touch->event].name;
    const double t = run->motion.step.t + touch->theta * run->motion.step.h;
    sal_run_no_gradient(
        run, SALTUS_ERR_GRAZING,
        "event '%s' is touched at t = %.10g without being crossed: the motion depends on it in a "
        "way that has no derivative",
        name, t);
    sal_run_warn(run, "event '%s' is touched at t = %.10g without being crossed: no gradient there",
                 name, t);
}

void sal_grazing_warn_condition(saltus_run *run, const sal_crossing *crossing)
{
    if (crossing->event < 0 || crossing->nearest >= 1e-8) return;
    const char  *name = run->system->event[crossing->event].name;
    const double t = run->cursor.t + crossing->theta * run->motion.step.h;
    sal_run_warn(run,
                 "a condition (where=) of event '%s' near t = %.10g is nearly zero (%.2g): whether "
                 "the event happens depends on rounding, and so do gradients",
                 name, t, crossing->nearest);
    if (crossing->nearest > 1e-13 || run->outcome.gradient_status) return;
    sal_run_no_gradient(
        run, SALTUS_ERR_NO_GRADIENT,
        "a condition (where=) of event '%s' near t = %.10g is zero: a small change decides "
        "whether the event happens",
        name, t);
}

void sal_grazing_note_near_misses(saltus_run *run)
{
    note_touch(run);
    sal_grazing_warn_condition(run, &run->locator.missed);
}
