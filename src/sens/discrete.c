/* The backward walk over the computed steps: their exact adjoint, including the last step before
 * each event, whose length depends on the parameters. */

#include "motion/guard.h"
#include "sens/sens.h"

/* The adjoint of the extension delta, which the guard determines (motion.h): adds kappa dr with
 * kappa = -delta_bar / (dr/ddelta), as if r were one more output of the step. run->motion has the
 * step; the jump in run->jump is overwritten. */
static void follow_guard_adjoint(saltus_run *run, const sal_compiled_event *event,
                                 sal_adjoint *adjoint)
{
    const saltus_system *system = run->system;
    sal_sens            *sens = run->sens;
    const sal_tangent   *longer = &sens->delta;
    const int            L = adjoint->lanes;
    double              *bar = adjoint->u_bar, *delta_bar = sens->h_bar;
    const double         rate = sal_sens_delta(run, event);
    sal_copy(delta_bar, adjoint->t_bar, L);
    sal_adjoint_move(system, longer->dx, longer->dz, 1.0, adjoint, delta_bar);
    for (int l = 0; l < L; l++) delta_bar[l] /= -rate;
    sal_zero(sal_lanes_at(system, bar, L, SAL_LEAF_T), L);
    sal_saltation_guard(&run->jump, event, delta_bar, adjoint);
    for (int l = 0; l < L; l++) adjoint->t_bar[l] += sal_lanes_at(system, bar, L, SAL_LEAF_T)[l];
}

/* Whether the error of the adjoint of this step is to be checked. */
static bool is_checked(sal_sens *sens, const sal_frame *frame)
{
    if (frame->occurrence >= 0) sal_accuracy_attend(&sens->accuracy);
    return sens->checks_accuracy && sal_accuracy_due_back(&sens->accuracy, frame->h);
}

/* Adds the weights of an event's time, and of a sample that is taken at it. */
static saltus_status add_event(saltus_run *run, const sal_result_weights *weights, int i,
                               saltus_error *err)
{
    const saltus_system      *system = run->system;
    const sal_occurrence     *o = &run->history.occurrences.data[i];
    const sal_compiled_event *event = &system->event[o->event];
    sal_adjoint              *adjoint = &run->sens->adjoint;
    const bool                needs_a = event->reset.charge_needs_a_before;
    if (weights->time && o->shown >= 0) adjoint->t_bar[0] += weights->time[o->shown];
    if (!weights->sampled || event->sampled.outputs == 0) return SALTUS_OK;
    if (needs_a) TRY(sal_run_load_jump(run, i, true, err));
    const double *c_minus = sal_run_sides(run, i).c_minus;
    const double *bar = &weights->sampled[sal_sampled_row(system, event->samples, c_minus)];
    sal_sens_map_adjoint(run, &run->motion.field, &event->sampled, needs_a, bar, 1);
    sal_sens_add_part(run, adjoint);
    return SALTUS_OK;
}

/* Adds the adjoints of peaks inside of a step and at its start. A peak inside is the end of a
 * shorter step from the same start. */
static saltus_status add_peaks(saltus_run *run, long long step, saltus_error *err)
{
    const saltus_system *system = run->system;
    sal_sens            *sens = run->sens;
    for (int i = 0; i < system->peaks; i++) {
        const sal_peak *peak = sal_sens_peak(run, i);
        const bool      inside = sal_peak_is_inside(peak, step);
        sal_frame       frame;
        if (!inside && !sal_peak_is_at_start(peak, step)) continue;
        TRY(sal_run_frame(run, step, &frame, err));
        TRY(sal_run_load_all_stages(run, &frame, err));
        const sal_frame part = sal_peak_part(&frame, peak);
        if (inside) TRY(sal_run_load_part(run, &part, err));
        sal_motion_eval(&run->motion, inside ? part.t + part.h : part.t,
                        inside ? run->motion.step.x1 : part.x, sens->k, NULL);
        sal_sens_peak_adjoint(run, &run->motion.field, i, &sens->adjoint);
        if (inside) sal_motion_adjoint(&run->motion, &sens->part_adjoint, NULL);
        sal_sens_add_part(run, &sens->adjoint);
    }
    return SALTUS_OK;
}

static saltus_status walk_frame(saltus_run *run, const sal_lane_plan *plan, const sal_frame *frame,
                                saltus_error *err)
{
    sal_sens    *sens = run->sens;
    sal_adjoint *adjoint = &sens->adjoint;
    const int    i = frame->occurrence;
    const bool   checked = is_checked(sens, frame);
    if (i >= 0) {
        const sal_occurrence *o = &run->history.occurrences.data[i];
        const int             lane = sal_lane_plan_of_event(plan, o);
        if (!o->terminal) {
            TRY(sal_run_load_jump(run, i, false, err));
            sal_jump_adjoint(&run->jump, adjoint);
        }
        if (lane >= 0) adjoint->t_bar[lane] += 1.0;
        if (plan->weights) TRY(add_event(run, plan->weights, i, err));
        sal_sens_add_peaks_before(run, i);
    }
    TRY(checked ? sal_run_load_all_stages(run, frame, err) : sal_run_load_step(run, frame, err));
    if (frame->kind == SAL_FRAME_EVENT)
        follow_guard_adjoint(run, &run->system->event[run->history.occurrences.data[i].event],
                             adjoint);
    sal_motion_extend_adjoint(&run->motion, adjoint);
    if (checked)
        sal_accuracy_note_back(&sens->accuracy, &run->motion, adjoint, sal_lane_plan_count(plan),
                               &sens->errors);
    const bool moves = frame->kind == SAL_FRAME_LAST && sal_run_end_moves(run);
    sal_motion_adjoint(&run->motion, adjoint, moves ? sens->h_bar : NULL);
    if (moves) { /* h = t_end - t */
        for (int l = 0; l < adjoint->lanes; l++) adjoint->t_bar[l] -= sens->h_bar[l];
        sal_sens_end_of_horizon(run, adjoint, sens->h_bar);
    }
    return SALTUS_OK;
}

static bool suffices(const saltus_run *run, const sal_lane_plan *plan)
{
    sal_sens *sens = run->sens;
    return sal_accuracy_suffices_back(&sens->accuracy, &run->motion, &sens->adjoint,
                                      run->options.rtol, run->params, sal_lane_plan_count(plan));
}

static saltus_status walk(saltus_run *run, const sal_lane_plan *plan, saltus_error *err)
{
    sal_sens *sens = run->sens;
    TRY(sal_sens_end(run, plan, &sens->adjoint, sens->tau_bar, err));
    sal_accuracy_begin(&sens->accuracy, plan->lanes);
    for (long long step = plan->steps - 1; step >= 0; step--) {
        sal_frame frame;
        TRY(sal_run_frame(run, step, &frame, err));
        TRY(sal_sens_poll_progress(run, step, &frame, err));
        TRY(walk_frame(run, plan, &frame, err));
        if (run->system->peaks > 0) TRY(add_peaks(run, step, err));
    }
    if (plan->weights) return SALTUS_OK; /* the caller goes on from the adjoint at the start */
    sens->suffices = sens->suffices && (!sens->checks_accuracy || suffices(run, plan));
    sal_sens_start(run, &sens->adjoint);
    return SALTUS_OK;
}

saltus_status sal_sens_discrete(saltus_run *run, const sal_wanted *wanted, const sal_gradients *out,
                                bool *good, saltus_error *err)
{
    sal_sens *sens;
    TRY(sal_sens_get(run, &sens, err));
    sens->checks_accuracy = good != NULL;
    sens->suffices = true;
    TRY(sal_sens_backward(run, wanted, out, walk, true, err));
    if (good) *good = sens->suffices;
    return SALTUS_OK;
}

/* Writes the adjoint of the initial state: x, and the memories of the script. */
static void keep_start(const saltus_run *run, double *by_start)
{
    const saltus_system *system = run->system;
    const sal_adjoint   *adjoint = &run->sens->adjoint;
    const int            n2 = 2 * system->n;
    if (!by_start) return;
    sal_copy(by_start, adjoint->x_bar, n2);
    sal_copy(by_start + n2, sal_lanes_at(system, adjoint->u_bar, 1, SAL_LEAF_C), system->nm_user);
}

saltus_status sal_sens_weighted(saltus_run *run, const sal_result_weights *weights,
                                double *by_params, double *by_start, saltus_error *err)
{
    const saltus_system *system = run->system;
    const sal_lane_plan  plan = {.weights = weights, .lanes = 1, .steps = run->end.step};
    sal_sens            *sens;
    TRY(sal_sens_get(run, &sens, err));
    sens->checks_accuracy = false;
    TRY(walk(run, &plan, err));
    if (!run->from.given) keep_start(run, by_start);
    sal_sens_start(run, &sens->adjoint);
    if (run->from.given) keep_start(run, by_start);
    sal_copy(by_params, sal_lanes_at(system, sens->adjoint.u_bar, 1, SAL_LEAF_P), system->np);
    return SALTUS_OK;
}
