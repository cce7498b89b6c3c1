/* One step of the run: try, control the error, look for events, accept. */
#include "run/advance.h"

#include <float.h>
#include <math.h>

#include "base/fast_log2.h"
#include "run/arming.h"
#include "run/crossing.h"
#include "run/history.h"
#include "run/instant.h"
#include "run/outcome.h"

static const double SAFETY = 0.9, MAX_SHRINK = 0.2, MAX_GROW = 6.0, MIN_ERROR = 1e-12;

/* ---- step length ---------------------------------------------------------------------------- */

static double longest(const saltus_run *run)
{
    const double horizon = run->t_end - run->t0, most = run->options.max_step;
    return most > 0.0 && most < horizon ? most : horizon;
}

static double shortest(const saltus_run *run)
{
    const double t = fabs(run->cursor.t), part = 1e-3 * (run->t_end - run->t0);
    return 16.0 * DBL_EPSILON * (t > part ? t : part);
}

/* The size of a vector y of positions and velocities, in the norm of the error. */
static double size_of(const saltus_run *run, const double *y)
{
    double    sum = 0.0;
    const int n = 2 * run->system->n;
    for (int i = 0; i < n; i++) {
        const double scale = run->motion.step.atol[i] + run->options.rtol * fabs(run->cursor.x[i]);
        sum += y[i] / scale * (y[i] / scale);
    }
    return sqrt(sum / n);
}

/* Evaluates stage 0 of the next step, unless that was done already. Nonzero: the field failed. */
static int prime(saltus_run *run)
{
    sal_step *step = &run->motion.step;
    sal_history_place_rows(run);
    if (run->stepping.primed) return 0;
    sal_copy(step->x0, run->cursor.x, step->nx);
    sal_copy(step->z0, run->cursor.z, step->ng);
    const int bad = sal_step_first(step, run->cursor.t);
    run->stepping.primed = !bad;
    return bad;
}

/* Whether the field keeps failing while time hardly advances, so that the motion cannot be
 * continued. */
static bool stuck(saltus_run *run)
{
    if (run->motion.result == SAL_FIELD_OK || run->history.recomputing) return false;
    if (run->cursor.t > run->stepping.stuck_at + 1e-6 * (run->t_end - run->t0)) {
        run->stepping.stuck_at = run->cursor.t;
        run->stepping.stuck = 0;
    }
    return ++run->stepping.stuck > 200;
}

/* Chooses the first step as Hairer does: so short that an Euler step of this length, and the change
 * of the slope over it, are small. */
void sal_advance_start(saltus_run *run)
{
    sal_step    *step = &run->motion.step;
    const int    n2 = step->nx;
    const double order = run->motion.step.tableau->order;
    if (prime(run)) {
        sal_outcome_no_field(run, run->cursor.t);
        return;
    }
    if (run->options.first_step > 0.0) {
        run->cursor.h = fmin(run->options.first_step, longest(run));
        return;
    }
    const double *first = sal_step_k(step, 0);
    const double  d0 = size_of(run, run->cursor.x), d1 = size_of(run, first);
    double        h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 * longest(run) : 0.01 * d0 / d1;
    h = fmin(h, longest(run));
    double *ahead = SCRATCH_NEW(&run->scratch, n2, double);
    double *slope = SCRATCH_NEW(&run->scratch, n2, double);
    for (int i = 0; i < n2; i++) ahead[i] = run->cursor.x[i] + h * first[i];
    if (sal_field_eval(&run->locator.field, run->cursor.t + h, ahead, slope, NULL) ==
        SAL_FIELD_OK) {
        for (int i = 0; i < n2; i++) slope[i] = (slope[i] - first[i]) / h;
        const double most = fmax(d1, size_of(run, slope));
        const double second =
            most <= 1e-15 ? fmax(1e-6, 1e-3 * h) : pow(0.01 / most, 1.0 / (order + 1.0));
        h = fmin(100.0 * h, second);
    }
    sal_scratch_release(&run->scratch, ahead);
    run->cursor.h = fmax(fmin(h, longest(run)), 10.0 * shortest(run));
}

/* Chooses the length of the next step by a PI controller. weight: the factor of the error
 * (kink.c). */
static void control(saltus_run *run, double error, double weight)
{
    const double e = 1.0 / (run->motion.step.tableau->error_order + 1.0);
    const double most = longest(run);
    /* logarithms of numerator and denominator are faster than one of their quotient */
    double size = error > MIN_ERROR ? sal_step_log_error(&run->motion.step) : SAL_MIN_LOG_ERROR;
    if (weight > 1.0) size = log2(error);
    double factor = SAFETY * sal_fast_exp2(e * (0.4 * run->cursor.log_error - 0.7 * size));
    if (!(factor > MAX_SHRINK)) factor = MAX_SHRINK;
    if (factor > MAX_GROW || !(error > MIN_ERROR)) factor = MAX_GROW;
    run->cursor.log_error = size > SAL_MIN_LOG_ERROR ? size : SAL_MIN_LOG_ERROR;
    run->cursor.h = factor * run->motion.step.h;
    if (run->cursor.h > most) run->cursor.h = most;
}

/* The factor by which a rejected step with this error is shortened; INFINITY: it could not be
 * evaluated. */
static double shrinking(const saltus_run *run, double error)
{
    const double e = 1.0 / (run->motion.step.tableau->error_order + 1.0);
    return fmin(0.9, fmax(MAX_SHRINK, isfinite(error) ? SAFETY * pow(error, -e) : MAX_SHRINK));
}

static double reject(saltus_run *run, double h)
{
    if (!run->history.recomputing) run->outcome.info.rejected++;
    return run->cursor.h = h;
}

/* ---- trying --------------------------------------------------------------------------------- */

/* Takes the step and returns its error; INFINITY: a stage failed, or the error is not finite. */
static double try_step(saltus_run *run, double h)
{
    run->motion.result = SAL_FIELD_OK;
    if (sal_step_take(&run->motion.step, h)) return INFINITY;
    const double error = sal_step_error(&run->motion.step);
    if (isfinite(error)) return error;
    sal_step_take_stages(&run->motion.step); /* to learn which stage fails */
    return INFINITY;
}

int sal_advance_take(saltus_run *run, double h)
{
    run->motion.result = SAL_FIELD_OK;
    return prime(run) || sal_step_take(&run->motion.step, h);
}

/* Takes a step within the tolerances, with all its stages; *last: it ends the run. False: the run
 * has ended. */
static bool take(saltus_run *run, bool *last)
{
    double h = run->cursor.h;
    if (prime(run)) {
        sal_outcome_no_field(run, run->cursor.t);
        return false;
    }
    const bool     has_power_kinks = run->system->has_power_kinks && !run->from.ignores_events;
    sal_power_kink kink = SAL_POWER_KINK_NONE;
    if (has_power_kinks) kink = sal_power_kink_find(run);
    for (;;) {
        if (has_power_kinks) h = sal_power_kink_limit(run, &kink, h);
        const double left = run->t_end - run->cursor.t;
        const double due = run->stepping.due - run->cursor.t; /* until the next clock strikes */
        *last = h * (1.0 + 1e-10) >= left && due > left;
        if (*last) h = left;
        else if (h * (1.0 + 1e-10) >= due) h = due;
        if (stuck(run) || (h < shortest(run) && !*last && h < due)) {
            if (run->motion.result != SAL_FIELD_OK) sal_outcome_no_field(run, run->cursor.t);
            else sal_outcome_step_too_small(run, h);
            return false;
        }
        const double raw = try_step(run, h);
        const double weight = has_power_kinks ? sal_power_kink_weight(run, &kink, raw) : 1.0;
        const double error = weight * raw, good = error <= 1.0 ? sal_between_stages(run) : 1.0;
        if (error <= 1.0 && good == 1.0 && !sal_crossing_find(run)) {
            const double before = run->cursor.h;
            control(run, error, weight);
            if (h == due) run->cursor.h = fmax(run->cursor.h, before);
            if (run->cursor.step % SAL_STIFF_EVERY == 0) sal_stiff_watch(run);
            return true;
        }
        if (run->motion.result == SAL_FIELD_MEMORY) {
            sal_outcome_no_field(run, run->cursor.t);
            return false;
        }
        if (good < 1.0) { /* something was missed after this part of the step */
            h = reject(run, h * fmax(MAX_SHRINK, fmin(0.5, good)));
        } else {
            const double most = sal_power_kink_shorter(run, &kink, h, error);
            h = reject(run, fmin(most, h * shrinking(run, error <= 1.0 ? INFINITY : error)));
        }
    }
}

/* ---- accepting ------------------------------------------------------------------------------ */

static void move_to_end(saltus_run *run, double t)
{
    sal_step *step = &run->motion.step;
    sal_motion_advance(&run->motion);
    step->t = t;
    run->cursor.t = t;
    sal_copy(run->cursor.x, step->x0, step->nx);
    sal_copy(run->cursor.z, step->z0, step->ng);
}

saltus_status sal_advance_accept(saltus_run *run, bool last, saltus_error *err)
{
    const double t = last ? run->t_end : run->cursor.t + run->motion.step.h;
    if (run->cursor.regime->constrained) sal_singular_watch(run);
    if (run->outcome.finished) return SALTUS_OK;
    TRY(sal_history_append(run, last ? SAL_FRAME_LAST : SAL_FRAME_STEP, run->motion.step.h, -1,
                           err));
    if (sal_run_observed_by(run)) run->observer->step(run);
    if (run->cursor.regime->events > 0 && !run->from.ignores_events) {
        sal_arm_evaluate(run, -1);
        sal_arm_at_step_end(run);
    }
    sal_locator_moved(&run->locator);
    move_to_end(run, t);
    sal_violation_check_left_out(run);
    if (last && !run->outcome.finished) sal_run_finish(run, SALTUS_END, "%s", "");
    return SALTUS_OK;
}

saltus_status sal_advance(saltus_run *run, saltus_error *err)
{
    bool last;
    if (run->cursor.step >= run->options.max_steps) {
        sal_outcome_too_many_steps(run);
        return SALTUS_OK;
    }
    run->stepping.due = INFINITY;
    if (!run->from.ignores_events && (run->cursor.regime->clocks || run->cursor.step == 0) &&
        sal_crossing_at_once(run))
        return sal_instant_now(run, NULL, err);
    if (!take(run, &last)) return SALTUS_OK;
    if (run->from.ignores_events) return sal_advance_accept(run, last, err);
    TRY(sal_crossing_meet(run, last, err));
    /* other events check the constraints of the mode after them */
    if (run->outcome.finished && run->outcome.info.outcome == SALTUS_TERMINAL_EVENT)
        sal_violation_check_left_out(run);
    return SALTUS_OK;
}
