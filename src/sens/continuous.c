/* The continuous adjoint (sensitivities.md (7) to (13), events.md (16)). It is integrated backward
 * in time on the dense output of the motion, step by step of the record, with its own error
 * control; at events it jumps by the transposed jump matrix. */
#include <float.h>
#include <math.h>

#include "motion/guard.h"
#include "sens/sens.h"

/* ---- the right-hand side -------------------------------------------------------------------- */

/* lambda' at time t: takes the motion from the dense output, then does one solve and one reverse
 * sweep. */
static int adjoint_field(void *context, int stage, double t, double *row)
{
    sal_sens            *sens = context;
    const double        *x = row + sens->step.form.x;
    double              *k = row + sens->step.form.k, *g = row + sens->step.form.g;
    saltus_run          *run = sens->run;
    const saltus_system *system = run->system;
    const sal_step      *motion = &run->motion.step;
    sal_field           *field = &run->locator.field;
    const int            L = sens->adjoint.lanes, half = system->n * L;
    (void)stage;
    double theta = motion->h > 0.0 ? (t - motion->t) / motion->h : 0.0;
    theta = fmin(1.0, fmax(0.0, theta));
    sal_step_at(motion, theta, sens->x, NULL);
    sens->result = sal_field_eval(field, t, sens->x, sens->k, NULL);
    if (sens->result != SAL_FIELD_OK) return 1;
    sal_zero(sens->u_bar, system->layout.size * L);
    sal_copy(sens->seed, x + half, half);
    sal_copy(sens->seed + system->unknowns * L, sens->adjoint.z_bar, system->nc * L);
    sal_field_stage_adjoint(field, sens->seed, L, sens->u_bar);
    const double *x_bar = sal_lanes_at(system, sens->u_bar, L, SAL_LEAF_Q);
    const double *c_bar = sal_lanes_at(system, sens->u_bar, L, SAL_LEAF_C); /* rho_bar follows */
    for (int c = 0; c < half; c++) {
        k[c] = -x_bar[c];
        k[half + c] = -x[c] - x_bar[half + c];
    }
    for (int c = 0; c < sens->step.ng; c++) g[c] = -c_bar[c];
    return 0;
}

/* ---- backward over one step of the record --------------------------------------------------- */

/* The scale for errors of lambda: the smallest over all lanes of the largest value that the lane
 * has had so far (what remains of a lane that has decayed is rounding). */
static double smallest_scale(const sal_sens *sens)
{
    const int L = sens->adjoint.lanes, n = sens->run->system->n;
    double    least = INFINITY;
    for (int l = 0; l < L; l++) {
        for (int i = 0; i < 2 * n; i++)
            sens->scale[l] = fmax(sens->scale[l], fabs(sens->step.x0[i * L + l]));
        /* If nothing is free to move, lambda is only the rounding error of larger numbers. */
        for (int i = 0; i < sens->step.ng / L; i++)
            sens->scale[l] = fmax(sens->scale[l], 1e-3 * fabs(sens->step.z0[i * L + l]));
        if (sens->scale[l] > 0.0) least = fmin(least, sens->scale[l]);
    }
    return isfinite(least) ? least : 1.0;
}

static saltus_status cannot(const sal_sens *sens, double t, saltus_error *err)
{
    if (sens->result == SAL_FIELD_MEMORY || sens->run->motion.result == SAL_FIELD_MEMORY)
        return sal_fail_memory(err);
    return sal_fail(err, SALTUS_ERR_LIMIT,
                    "the adjoint cannot be integrated backward at t = %.10g: its step became too "
                    "small; use the method discrete, or a tighter tolerance",
                    t);
}

typedef struct backward {
    saltus_run        *run;
    sal_sens          *sens;
    const sal_sampler *sampler;
    int                next_sample; /* index of the next sample; samples come in descending order */
    bool               arrived;     /* the present substep reaches the start of the step */
} backward;

/* Whether the motion begins with this step, and not with an event, whose rows include its start. */
static bool begins(const saltus_run *run, const sal_frame *frame)
{
    return frame->t <= run->t0 &&
           (run->history.occurrences.count == 0 || run->history.occurrences.data[0].t > run->t0);
}

static saltus_status sample_between(backward *w, const sal_frame *frame, saltus_error *err)
{
    const sal_sampler *sampler = w->sampler;
    sal_step          *step = &w->sens->step;
    const bool         arrived = w->arrived && !begins(w->run, frame);
    const double       low = w->arrived ? frame->t : step->t + step->h; /* h < 0 */
    bool               dense = false;
    while (w->next_sample >= 0 &&
           sampler->times[w->next_sample] > frame->t + (frame->h + frame->delta))
        w->next_sample--;
    /* The start of a step belongs to the previous step or to an event, except for the first step.
     */
    while (w->next_sample >= 0 && (sampler->times[w->next_sample] > low ||
                                   (!arrived && sampler->times[w->next_sample] == low))) {
        const double t = sampler->times[w->next_sample--];
        if (!dense && sal_step_dense(step)) return cannot(w->sens, t, err);
        dense = true;
        sal_step_at(step, (t - step->t) / step->h, w->sens->rows,
                    w->sens->rows + 2 * w->run->system->n);
        for (int i = 0; i < step->ng; i++) w->sens->rows[2 * w->run->system->n + i] += step->z0[i];
        TRY(sampler->row(sampler->context, frame, t, -1, false, err));
    }
    return SALTUS_OK;
}

/* The adjoint is often as smooth as the motion, for which the whole step was short enough. In parts
 * of the step that are this short, an error that does not fall as the part becomes shorter is noise
 * (for example that of an adjoint that is zero up to rounding). But where a part is far too long
 * for a stiff adjoint, the end of the part is enormous, and errors are measured by it: then the end
 * falls much faster than the length of the part. */
enum { PARTS_USUAL = 128, MAX_PARTS = 1 << 16 };
static const double MUCH_SMALLER = 0.05;

static double size_at_end(const sal_step *step)
{
    double size = 0.0;
    for (int i = 0; i < step->nx; i++) size = fmax(size, fabs(step->x1[i]));
    return size;
}

/* One adaptive step backward, at most to `low`; `full` is the step of the motion. */
static saltus_status step_back(backward *w, double low, double full, saltus_error *err)
{
    sal_sens    *sens = w->sens;
    sal_step    *step = &sens->step;
    const double rtol = fmax(w->run->options.rtol, 1e-14);
    const double exponent = 1.0 / (step->tableau->error_order + 1.0);
    const double shortest = 64.0 * DBL_EPSILON * fabs(step->t);
    /* the error of the longer step that was tried before, and its size */
    double before = INFINITY, size_before = 0.0;
    sal_step_tolerate(step, rtol, rtol * smallest_scale(sens));
    for (;;) {
        const double left = step->t - low, wanted = fmax(sens->suggested, shortest);
        const bool   last = wanted * 1.0000001 >= left;
        const double h = last ? left : wanted;
        double       error = INFINITY;
        if (!sal_step_take(step, -h)) error = sal_step_error(step);
        const bool   least = (h * MAX_PARTS <= full && error > 0.1 * before) || h <= shortest;
        const bool   stays = h * PARTS_USUAL <= full && error > 0.7 * before;
        const double size = isfinite(error) ? size_at_end(step) : INFINITY;
        const bool   falls = size < MUCH_SMALLER * size_before;
        const bool   noise = error > 1.0 && isfinite(error) && (least || stays) && !falls;
        if ((error <= 1.0 || noise) && !sal_step_end(step)) {
            const double factor = fmin(6.0, 0.9 * pow(fmax(error, 1e-12), -exponent));
            if (noise) sens->suggested = fmax(last ? sens->suggested : h, full / PARTS_USUAL);
            else if (!last || factor < 1.0) sens->suggested = factor * h;
            else sens->suggested = fmax(sens->suggested, factor * h);
            return SALTUS_OK;
        }
        if (h <= shortest) return cannot(sens, step->t, err);
        before = error;
        size_before = size;
        sens->suggested = h * (isfinite(error) ? fmax(0.2, 0.8 * pow(error, -exponent)) : 0.2);
    }
}

static void load(sal_sens *sens)
{
    const saltus_system *system = sens->run->system;
    sal_adjoint         *a = &sens->adjoint;
    const int            L = a->lanes;
    sal_copy(sens->step.x0, a->x_bar, 2 * system->n * L);
    sal_copy(sens->step.z0, sal_lanes_at(system, a->u_bar, L, SAL_LEAF_C), sens->step.ng);
}

static void unload(sal_sens *sens)
{
    const saltus_system *system = sens->run->system;
    sal_adjoint         *a = &sens->adjoint;
    const int            L = a->lanes;
    sal_copy(a->x_bar, sens->step.x0, 2 * system->n * L);
    sal_copy(sal_lanes_at(system, a->u_bar, L, SAL_LEAF_C), sens->step.z0, system->nm_user * L);
    sal_copy(sal_lanes_at(system, a->u_bar, L, SAL_LEAF_P), sens->step.z0 + system->nm * L,
             system->np * L);
}

/* Integrates back to a place in the step, at most to its start. Where the adjoint needs many steps
 * for it, progress is reported meanwhile. */
static saltus_status go_back(backward *w, const sal_frame *frame, double low, saltus_error *err)
{
    sal_sens *sens = w->sens;
    for (int steps = 1; sens->step.t > low; steps++) {
        if (steps % 256 == 0) TRY(sal_sens_poll_progress(w->run, 0, frame, err));
        TRY(step_back(w, low, frame->h, err));
        const bool there = sens->step.t + sens->step.h <= low + DBL_EPSILON * fabs(low);
        w->arrived = there && low == frame->t;
        if (w->sampler) TRY(sample_between(w, frame, err));
        sal_step_advance(&sens->step);
        if (there) sens->step.t = low;
    }
    return SALTUS_OK;
}

/* The last place before `from` inside of the step at which a cost has its peak; 0 if there is none.
 * Places are times since the start of the step. */
static double next_peak(const saltus_run *run, long long step, double from)
{
    double next = 0.0;
    for (int i = 0; i < run->system->peaks; i++) {
        const sal_peak *peak = sal_sens_peak(run, i);
        if (sal_peak_is_inside(peak, step) && peak->h < from) next = fmax(next, peak->h);
    }
    return next;
}

/* lambda += c_s^T at the peaks of these costs inside of the step, sensitivities.md (24). */
static saltus_status over_peaks(backward *w, const sal_frame *frame, long long step, double h,
                                saltus_error *err)
{
    saltus_run *run = w->run;
    sal_sens   *sens = w->sens;
    unload(sens);
    sal_step_at(&run->motion.step, h / frame->h, sens->x, NULL);
    sal_field_eval(&run->locator.field, frame->t + h, sens->x, sens->k, NULL);
    for (int i = 0; i < run->system->peaks; i++) {
        const sal_peak *peak = sal_sens_peak(run, i);
        if (sal_peak_is_inside(peak, step) && peak->h == h)
            sal_sens_add_peak(run, &run->locator.field, i);
    }
    load(sens);
    return sal_step_first(&sens->step, frame->t + h) ? cannot(sens, frame->t + h, err) : SALTUS_OK;
}

static saltus_status over_step(backward *w, const sal_frame *frame, long long step,
                               saltus_error *err)
{
    sal_sens *sens = w->sens;
    double    peak = INFINITY;
    if (!(frame->h > 0.0)) return SALTUS_OK;
    TRY(sal_run_load_all_stages(w->run, frame, err));
    if (sal_step_dense(&w->run->motion.step)) return cannot(sens, frame->t, err);
    sal_motion_extend_adjoint(&w->run->motion, &sens->adjoint);
    load(sens);
    if (!(sens->suggested > 0.0)) sens->suggested = frame->h;
    if (sal_step_first(&sens->step, frame->t + frame->h)) return cannot(sens, frame->t, err);
    while ((peak = next_peak(w->run, step, peak)) > 0.0) {
        TRY(go_back(w, frame, frame->t + peak, err));
        TRY(over_peaks(w, frame, step, peak, err));
    }
    TRY(go_back(w, frame, frame->t, err));
    unload(sens);
    return SALTUS_OK;
}

/* Adds the rate of a peak's expression c along the motion, at the state in the field, to sigma,
 * sensitivities.md (25): the time of its instant moves. The caller adds c_s^T to lambda. */
static void note_peak(saltus_run *run, int i)
{
    sal_sens          *sens = run->sens;
    const sal_adjoint *part_adjoint = &sens->part_adjoint;
    const double      *k = sens->k;
    const int          L = sens->adjoint.lanes;
    sal_sens_peak_adjoint(run, &run->motion.field, i, &sens->adjoint);
    for (int l = 0; l < L; l++) sens->tau_bar[l] += part_adjoint->t_bar[l];
    for (int c = 0; c < 2 * run->system->n; c++)
        for (int l = 0; l < L; l++) sens->tau_bar[l] += k[c] * part_adjoint->x_bar[c * L + l];
}

/* Adds the peaks at the start of a step: just after events there, or at the start of the motion. */
static saltus_status over_start(saltus_run *run, long long step, saltus_error *err)
{
    sal_sens *sens = run->sens;
    for (int i = 0; i < run->system->peaks; i++) {
        const sal_peak *peak = sal_sens_peak(run, i);
        sal_frame       frame;
        if (!sal_peak_is_at_start(peak, step)) continue;
        TRY(sal_run_frame(run, step, &frame, err));
        TRY(sal_run_load_all_stages(run, &frame, err));
        sal_motion_eval(&run->motion, frame.t, frame.x, sens->k, NULL);
        note_peak(run, i);
        sal_sens_add_part(run, &sens->adjoint);
    }
    return SALTUS_OK;
}

/* ---- events --------------------------------------------------------------------------------- */

/* The adjoint of a run that ends at an event, sensitivities.md (18): lambda += -r_s^T sigma / r'.
 */
static void terminal(saltus_run *run, const sal_occurrence *o)
{
    sal_sens    *sens = run->sens;
    sal_adjoint *a = &sens->adjoint;
    for (int l = 0; l < a->lanes; l++) {
        sens->h_bar[l] = -sens->tau_bar[l] / o->rate;
        sens->tau_bar[l] = 0.0;
    }
    sal_saltation_guard(&run->jump, &run->system->event[o->event], sens->h_bar, a);
}

static saltus_status sample_event(backward *w, int occurrence, bool after, saltus_error *err)
{
    sal_sens *sens = w->sens;
    load(sens);
    sal_copy(sens->rows, sens->step.x0, sens->step.nx);
    sal_copy(sens->rows + 2 * w->run->system->n, sens->step.z0, sens->step.ng);
    return w->sampler->row(w->sampler->context, NULL,
                           w->run->history.occurrences.data[occurrence].t, occurrence, after, err);
}

/* Walks over an event. Peaks just before it are added to sigma before the jump, and to lambda after
 * it. */
static saltus_status over_event(backward *w, const sal_lane_plan *plan, int i, saltus_error *err)
{
    saltus_run           *run = w->run;
    const sal_occurrence *o = &run->history.occurrences.data[i];
    const int             lane = sal_lane_plan_of_event(plan, o);
    TRY(sal_run_load_jump(run, i, true, err));
    int asked = 0; /* number of requested times at the time of the event */
    for (; w->sampler && w->next_sample >= 0 && w->sampler->times[w->next_sample] >= o->t; asked++)
        w->next_sample--; /* the event has its own rows */
    if (o->shown >= 0) asked = w->sampler && !o->terminal;
    while (asked-- > 0) TRY(sample_event(w, i, true, err));
    if (lane >= 0) w->sens->tau_bar[lane] += 1.0;
    for (int k = 0; k < run->system->peaks; k++)
        if (sal_sens_peak_before(run, k, i)) note_peak(run, k);
    if (!o->terminal)
        sal_saltation_adjoint(&run->jump, o->rate, o->follows, &w->sens->adjoint, w->sens->tau_bar);
    else if (!o->follows) terminal(run, o);
    sal_sens_add_peaks_before(run, i);
    return w->sampler && o->shown >= 0 ? sample_event(w, i, false, err) : SALTUS_OK;
}

/* ---- the walk ------------------------------------------------------------------------------- */

static saltus_status walk_all(backward *w, const sal_lane_plan *plan, saltus_error *err)
{
    saltus_run *run = w->run;
    sal_sens   *sens = w->sens;
    sens->suggested = 0.0;
    sal_zero(sens->scale, SAL_RUN_LANES);
    sens->step.nx = 2 * run->system->n * plan->lanes;
    sens->step.ng = (run->system->nm + run->system->np) * plan->lanes;
    sens->step.rhs = adjoint_field;
    sens->step.context = sens;
    TRY(sal_sens_end(run, plan, &sens->adjoint, sens->tau_bar, err));
    if (run->outcome.info.outcome != SALTUS_TERMINAL_EVENT) {
        sal_sens_end_of_horizon(run, &sens->adjoint, sens->tau_bar);
        sal_zero(sens->tau_bar, SAL_RUN_LANES);
    }
    for (long long step = plan->steps - 1; step >= 0; step--) {
        sal_frame frame;
        TRY(sal_run_frame(run, step, &frame, err));
        TRY(sal_sens_poll_progress(run, step, &frame, err));
        if (frame.occurrence >= 0) TRY(over_event(w, plan, frame.occurrence, err));
        TRY(sal_run_frame(run, step, &frame, err));
        TRY(over_step(w, &frame, step, err));
        TRY(over_start(run, step, err));
    }
    return SALTUS_OK;
}

static saltus_status walk(saltus_run *run, const sal_lane_plan *plan, saltus_error *err)
{
    backward w = {.run = run, .sens = run->sens};
    TRY(walk_all(&w, plan, err));
    sal_sens_start(run, &run->sens->adjoint);
    return SALTUS_OK;
}

saltus_status sal_sens_continuous(saltus_run *run, const sal_wanted *wanted,
                                  const sal_gradients *out, saltus_error *err)
{
    sal_sens *sens;
    TRY(sal_sens_get(run, &sens, err));
    return sal_sens_backward(run, wanted, out, walk, false, err);
}

saltus_status sal_sens_sample_backward(saltus_run *run, int cost, const sal_sampler *sampler,
                                       saltus_error *err)
{
    const sal_lane_plan plan = {
        .costs = &cost, .cost_count = 1, .lanes = 1, .steps = run->end.step};
    sal_sens *sens;
    TRY(sal_sens_get(run, &sens, err));
    backward w = {run, sens, sampler, sampler->count - 1, false};
    return walk_all(&w, &plan, err);
}
