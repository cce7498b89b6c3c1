/* What all walks need: their memory, whether there is a gradient at all, which result each lane
 * belongs to, and the seeds at the end of a backward walk and its result at the start. */
#include "sens/fast/simultaneous.h"

#include <math.h>

#include "motion/guard.h"
#include "run/assembly.h"
#include "run/from.h"

static int most_kinks(const saltus_system *system)
{
    int most = system->final_kinks.count > system->start_kinks.count ? system->final_kinks.count
                                                                     : system->start_kinks.count;
    for (int i = 0; i < system->events; i++)
        if (system->event[i].reset.kinks.count > most) most = system->event[i].reset.kinks.count;
    return most;
}

static saltus_status make(saltus_run *run, saltus_error *err)
{
    const saltus_system *system = run->system;
    const int            L = SAL_RUN_LANES, n = system->n;
    sal_arena           *arena = &run->arena;
    sal_sens            *sens = ARENA_NEW(arena, 1, sal_sens);
    if (!sens) return sal_fail_memory(err);
    sal_directions_init(&sens->walking, system, arena);
    sens->simultaneous = sal_simultaneous_new(system, arena);
    sal_tangent_init(&sens->delta, system, 1, arena);
    sal_adjoint_init(&sens->adjoint, system, L, arena);
    sal_adjoint_init(&sens->errors, system, 2, arena);
    sal_accuracy_init(&sens->accuracy, system, system->np, L, arena);
    sens->dh = ARENA_NEW(arena, L, double);
    sens->dr = ARENA_NEW(arena, L, double);
    sens->tau_bar = ARENA_NEW(arena, L, double);
    sens->h_bar = ARENA_NEW(arena, L, double);
    sens->initial = ARENA_NEW(arena, system->initial.outputs * L, double);
    sens->final = ARENA_NEW(arena, system->nc * L, double);
    sens->peak = ARENA_NEW(arena, system->peaks * L, double);
    sens->out = ARENA_NEW(arena, system->peaks * L, double);
    sal_adjoint_init(&sens->part_adjoint, system, system->peaks > 0 ? L : 1, arena);
    sens->rows = ARENA_NEW(
        arena, (2 * n + system->nm + system->nc + system->np) * L + system->unknowns, double);
    sens->kinks = ARENA_NEW(arena, 2 * most_kinks(system), double);
    sens->x = ARENA_NEW(arena, 2 * n, double);
    sens->k = ARENA_NEW(arena, 2 * n, double);
    sens->z = ARENA_NEW(arena, system->nc, double);
    sens->u_bar = ARENA_NEW(arena, system->layout.size * L, double);
    sens->seed = ARENA_NEW(arena, (system->unknowns + system->nc) * L, double);
    sens->scale = ARENA_NEW(arena, L, double);
    const int ng = (system->nm + system->np) * L;
    sal_step_init(&sens->step, run->motion.step.tableau, 2 * n * L, ng,
                  sal_step_plain_form(2 * n * L, ng), arena);
    sens->run = run;
    if (arena->failed) return sal_fail_memory(err);
    run->sens = sens;
    return SALTUS_OK;
}

saltus_status sal_sens_get(saltus_run *run, sal_sens **sens, saltus_error *err)
{
    if (!run->sens) TRY(make(run, err));
    *sens = run->sens;
    return SALTUS_OK;
}

/* ---- existence ------------------------------------------------------------------------------ */

/* Fails if a kink is met exactly at an instant at which it is evaluated only once, and matters. The
 * state is in the field. If several are met together, it is not known whether they matter, since
 * one may hide the effect of another. */
static saltus_status check_kinks(saltus_run *run, const sal_instant_kinks *kinks, sal_field *field,
                                 const char *where, double t, saltus_error *err)
{
    double *values = run->sens->kinks;
    int     met = 0, first = -1;
    sal_zero(values, 2 * kinks->count);
    sal_kernel_eval(&kinks->look, field->u, NULL, 1, values, field->work);
    for (int i = 0; i < kinks->count; i++) {
        if (values[2 * i] != 0.0) continue;
        if (first < 0) first = i;
        met++;
    }
    if (met == 0 || (met == 1 && values[2 * first + 1] == 0.0)) return SALTUS_OK;
    return sal_fail(err, SALTUS_ERR_NO_GRADIENT,
                    "no gradient: %s at t = %.10g the kink '%s' is met exactly (its argument "
                    "is 0), and its two sides have different derivatives",
                    where, t, kinks->name[first]);
}

static saltus_status fail_steep(const sal_kink *kink, double t, saltus_error *err)
{
    return sal_fail(
        err, SALTUS_ERR_NO_GRADIENT,
        "no gradient: at t = %.10g the motion meets the kink '%s', where what line %d says "
        "has an infinite slope: a root or a power below 1 of something that becomes "
        "zero, or asin or acos of 1 or -1; make it finite, as in (x^2 + 1e-6)^0.25 for "
        "sqrt(abs(x))",
        t, kink->name, kink->steep_line);
}

static bool any_steep(const saltus_system *system)
{
    for (int i = 0; i < system->kinks; i++)
        if (system->kink[i].steep) return true;
    return false;
}

/* Fails if the motion starts exactly at a kink with an infinite slope, where there is no event. */
static saltus_status check_steep_start(saltus_run *run, saltus_error *err)
{
    const saltus_system *system = run->system;
    sal_field           *field = &run->motion.field;
    sal_frame            frame;
    if (!any_steep(system) || run->outcome.info.steps == 0) return SALTUS_OK;
    TRY(sal_run_frame(run, 0, &frame, err));
    TRY(sal_field_enter(field, frame.regime, err));
    sal_run_put_memories(run, frame.c);
    sal_motion_eval(&run->motion, frame.t, frame.x, run->sens->k, NULL);
    double *values = SCRATCH_NEW(&run->scratch, system->kinks, double);
    int     met = -1;
    sal_map_value(&system->kink_map, field->u, values, field->work);
    for (int i = 0; i < system->kinks && met < 0; i++)
        if (system->kink[i].steep && values[i] == 0.0) met = i;
    sal_scratch_release(&run->scratch, values);
    return met < 0 ? SALTUS_OK : fail_steep(&system->kink[met], frame.t, err);
}

static saltus_status check_event(saltus_run *run, int i, saltus_error *err)
{
    const sal_occurrence     *o = &run->history.occurrences.data[i];
    const sal_compiled_event *event = &run->system->event[o->event];
    if (o->grazing)
        return sal_fail(
            err, SALTUS_ERR_GRAZING,
            "no gradient: event '%s' at t = %.10g is grazing, its guard crosses zero at "
            "a rate of only %.3g and turns back within rounding; move the guard or the "
            "start, so that it is crossed or missed clearly",
            event->name, o->t, o->rate);
    if (event->kink >= 0 && run->system->kink[event->kink].steep)
        return fail_steep(&run->system->kink[event->kink], o->t, err);
    if (event->reset.kinks.count == 0 || o->terminal) return SALTUS_OK;
    TRY(sal_run_load_jump(run, i, true, err));
    return check_kinks(run, &event->reset.kinks, &run->motion.field, "in the reset of an event",
                       o->t, err);
}

/* Fails if the motion stays at a kink at which both sides agree in value, and other parameters
 * would move it to either side: the derivatives of the sides differ. */
static saltus_status check_stays(saltus_run *run, saltus_error *err)
{
    const saltus_system *system = run->system;
    for (int e = 0; e < system->events; e++) {
        const int kink = system->event[e].kink;
        bool      moved;
        if (kink < 0 || !run->rests_at_kink[kink]) continue;
        TRY(sal_sens_moved_at_start(run, e, &moved, err));
        if (moved)
            return sal_fail(err, SALTUS_ERR_NO_GRADIENT,
                            "no gradient: from t = %.10g on the motion stays exactly at the kink "
                            "'%s', whose two sides have different derivatives",
                            run->t0, system->kink[kink].name);
    }
    return SALTUS_OK;
}

saltus_status sal_sens_check(saltus_run *run, saltus_error *err)
{
    sal_sens *sens;
    if (!run->outcome.simulated)
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "no gradient: the run has not been simulated");
    if (!sal_run_is_complete(run))
        return sal_fail(err, SALTUS_ERR_UNFINISHED,
                        "no gradient: the run did not reach its end: %s", run->outcome.message);
    TRY(sal_sens_get(run, &sens, err));
    if (run->outcome.gradient_status)
        return sal_fail(err, run->outcome.gradient_status, "no gradient: %s",
                        run->outcome.gradient_message);
    TRY(check_stays(run, err));
    for (int i = 0; i < run->history.occurrences.count; i++) TRY(check_event(run, i, err));
    TRY(check_steep_start(run, err));
    if (!run->from.given)
        TRY(check_kinks(run, &run->system->start_kinks, &run->motion.field, "in a start value",
                        run->t0, err));
    if (run->system->final_kinks.count && !run->from.is_inner) {
        sal_run_put_memories(run, run->end.c);
        TRY(sal_field_enter(&run->motion.field, run->end.regime, err));
        sal_motion_eval(&run->motion, run->end.t, run->end.x, sens->k, NULL);
        TRY(check_kinks(run, &run->system->final_kinks, &run->motion.field, "in a final cost",
                        run->end.t, err));
    }
    return SALTUS_OK;
}

int sal_sampled_row(const saltus_system *system, int samples, const double *c)
{
    const saltus_model *model = system->model;
    int                 row = 0;
    for (int i = 0; i < samples; i++)
        if (!model->samples.data[i].charged)
            row += model->tables.data[model->samples.data[i].times].count;
    return c ? row + (int)lround(c[model->samples.data[samples].number]) : row;
}

/* ---- lanes of backward walks ---------------------------------------------------------------- */

double sal_sens_delta(saltus_run *run, const sal_compiled_event *event)
{
    const saltus_system *system = run->system;
    const sal_step      *step = &run->motion.step;
    const sal_tangent   *d = &run->sens->delta;
    double               rate;
    sal_motion_delta_tangent(&run->motion, &run->sens->delta);
    if (event->guard_needs_a)
        sal_motion_eval(&run->motion, sal_step_time(step), step->x1, run->sens->k, NULL);
    else sal_field_put(&run->motion.field, sal_step_time(step), step->x1);
    d->du[system->layout.at[SAL_LEAF_T]] = 1.0;
    sal_copy(d->du + system->layout.at[SAL_LEAF_Q], d->dx, step->nx);
    sal_guard_tangent(&run->motion.field, event, d->du, 1, &rate);
    return rate;
}

enum { VECTOR = 4 }; /* lanes that cost as much as one */

int sal_sens_lanes(int count) { return count > 1 ? (count + VECTOR - 1) / VECTOR * VECTOR : 1; }

int sal_lane_plan_count(const sal_lane_plan *plan)
{
    return plan->cost_count + plan->event_count + (plan->end ? 1 : 0);
}

int sal_lane_plan_of_event(const sal_lane_plan *plan, const sal_occurrence *o)
{
    const int i = o->shown - plan->first_event;
    return o->shown >= 0 && i >= 0 && i < plan->event_count ? plan->cost_count + i : -1;
}

/* ---- peaks ---------------------------------------------------------------------------------- */

void sal_sens_peak_tangent(saltus_run *run, int i, double *du, int lanes)
{
    const saltus_system *system = run->system;
    sal_sens            *sens = run->sens;
    sal_field           *field = &run->motion.field;
    if (system->peak[i].needs_a) sal_field_tangent(field, du, lanes, NULL);
    sal_map_tangent(&system->peak_map, field->u, du, lanes, sens->out, field->work);
    sal_copy(sens->peak + i * lanes, sens->out + i * lanes, lanes);
}

/* Writes the adjoint of a map, at the state that was evaluated in a field. */
static void adjoint_at(saltus_run *run, sal_field *field, const sal_map *map, bool needs_a,
                       const double *out_bar, sal_adjoint *adjoint)
{
    const saltus_system *system = run->system;
    const int            L = adjoint->lanes;
    sal_zero(adjoint->u_bar, system->layout.size * L);
    sal_map_adjoint(map, field->u, out_bar, L, adjoint->u_bar, field->work);
    if (needs_a) {
        double *a_bar = adjoint->x_bar; /* scratch here: x_bar is written below */
        sal_zero(a_bar, system->n * L);
        sal_field_adjoint(field, a_bar, NULL, L, adjoint->u_bar);
    }
    sal_adjoint_take(system, adjoint);
}

void sal_sens_map_adjoint(saltus_run *run, sal_field *field, const sal_map *map, bool needs_a,
                          const double *out_bar, int lanes)
{
    run->sens->part_adjoint.lanes = lanes;
    sal_zero(run->sens->part_adjoint.z_bar, run->system->nc * lanes);
    adjoint_at(run, field, map, needs_a, out_bar, &run->sens->part_adjoint);
}

void sal_sens_peak_adjoint(saltus_run *run, sal_field *field, int i, const sal_adjoint *adjoint)
{
    const sal_compiled_peak *peak = &run->system->peak[i];
    const int                L = adjoint->lanes;
    sal_zero(run->sens->out, run->system->peaks * L);
    sal_copy(run->sens->out + i * L, adjoint->z_bar + peak->cost * L, L);
    sal_sens_map_adjoint(run, field, &run->system->peak_map, peak->needs_a, run->sens->out, L);
}

void sal_sens_add_part(const saltus_run *run, sal_adjoint *adjoint)
{
    const saltus_system *system = run->system;
    const sal_adjoint   *part_adjoint = &run->sens->part_adjoint;
    const int            L = adjoint->lanes;
    double              *to = sal_lanes_at(system, adjoint->u_bar, L, SAL_LEAF_C); /* rho follows */
    const double        *from = sal_lanes_at(system, part_adjoint->u_bar, L, SAL_LEAF_C);
    for (int k = 0; k < 2 * system->n * L; k++) adjoint->x_bar[k] += part_adjoint->x_bar[k];
    for (int l = 0; l < L; l++) adjoint->t_bar[l] += part_adjoint->t_bar[l];
    for (int k = 0; k < (system->nm + system->np) * L; k++) to[k] += from[k];
}

void sal_sens_add_peak(saltus_run *run, sal_field *field, int i)
{
    sal_sens_peak_adjoint(run, field, i, &run->sens->adjoint);
    sal_sens_add_part(run, &run->sens->adjoint);
}

bool sal_sens_peak_before(saltus_run *run, int i, int occurrence)
{
    const sal_peak *peak = sal_sens_peak(run, i);
    if (peak->place != SAL_PEAK_BEFORE || peak->occurrence != occurrence) return false;
    sal_motion_eval(&run->motion, run->history.occurrences.data[occurrence].t,
                    sal_run_sides(run, occurrence).x_minus, run->sens->k, NULL);
    return true;
}

void sal_sens_add_peaks_before(saltus_run *run, int occurrence)
{
    for (int i = 0; i < run->system->peaks; i++)
        if (sal_sens_peak_before(run, i, occurrence)) sal_sens_add_peak(run, &run->motion.field, i);
}

/* ---- the end -------------------------------------------------------------------------------- */

/* Adds the weights of the state at the end, in the only lane. */
static void add_weights(const saltus_run *run, const sal_result_weights *weights,
                        const sal_adjoint *adjoint)
{
    const saltus_system *system = run->system;
    const int            n2 = 2 * system->n;
    double              *c_bar = sal_lanes_at(system, adjoint->u_bar, 1, SAL_LEAF_C);
    for (int i = 0; weights->state && i < n2 + system->nm_user; i++)
        *(i < n2 ? adjoint->x_bar + i : c_bar + i - n2) += weights->state[i];
}

saltus_status sal_sens_end(saltus_run *run, const sal_lane_plan *plan, sal_adjoint *adjoint,
                           double *tau_bar, saltus_error *err)
{
    const saltus_system *system = run->system;
    sal_sens            *sens = run->sens;
    sal_field           *field = &run->motion.field;
    const int            L = plan->lanes;
    TRY(sal_field_enter(field, run->end.regime, err));
    sal_run_put_memories(run, run->end.c);
    double *g = SCRATCH_NEW(&run->scratch, system->nc, double);
    sal_motion_eval(&run->motion, run->end.t, run->end.x, sens->k, g);
    adjoint->lanes = L;
    sal_zero(adjoint->z_bar, system->nc * L);
    for (int l = 0; l < plan->cost_count; l++) adjoint->z_bar[plan->costs[l] * L + l] = 1.0;
    if (plan->weights && plan->weights->cost)
        sal_copy(adjoint->z_bar, plan->weights->cost, system->nc);
    adjoint_at(run, field, &system->final, system->final_needs_a, adjoint->z_bar, adjoint);
    for (int i = 0; i < system->peaks; i++)
        if (sal_sens_peak(run, i)->place == SAL_PEAK_END) sal_sens_add_peak(run, field, i);
    if (plan->weights) add_weights(run, plan->weights, adjoint);
    if (plan->end) adjoint->t_bar[sal_lane_plan_count(plan) - 1] += 1.0;
    /* sigma of sensitivities.md (18) */
    sal_copy(tau_bar, adjoint->t_bar, L);
    sal_adjoint_move(system, sens->k, g, 1.0, adjoint, tau_bar);
    sal_scratch_release(&run->scratch, g);
    return SALTUS_OK;
}

/* ---- the start ------------------------------------------------------------------------------ */

/* rho_bar += the transposed derivative of the initial map by rho, applied to sens->initial. */
static void through_initial(saltus_run *run, const sal_adjoint *adjoint)
{
    sal_map_adjoint(&run->system->initial, run->motion.field.u, run->sens->initial, adjoint->lanes,
                    adjoint->u_bar, run->motion.field.work);
}

void sal_sens_start(saltus_run *run, const sal_adjoint *adjoint)
{
    const saltus_system *system = run->system;
    const int            L = adjoint->lanes, n2 = 2 * system->n;
    double              *out = run->sens->initial;
    sal_assembly_adjoint(run, adjoint->x_bar, adjoint->u_bar, L);
    if (run->from.given && run->from.memories) return;
    sal_copy(out, adjoint->x_bar, n2 * L);
    if (run->from.given) sal_zero(out, n2 * L);
    sal_copy(out + n2 * L, sal_lanes_at(system, adjoint->u_bar, L, SAL_LEAF_C),
             system->nm_user * L);
    sal_zero(out + (n2 + system->nm_user) * L, L);
    through_initial(run, adjoint);
}

void sal_sens_end_of_horizon(saltus_run *run, const sal_adjoint *adjoint, const double *end_bar)
{
    const saltus_system *system = run->system;
    const int            L = adjoint->lanes, before = 2 * system->n + system->nm_user;
    if (!sal_run_end_is_the_models(run)) return;
    sal_zero(run->sens->initial, before * L);
    sal_copy(run->sens->initial + before * L, end_bar, L);
    through_initial(run, adjoint);
}

saltus_status sal_sens_poll_progress(saltus_run *run, long long step, const sal_frame *frame,
                                     saltus_error *err)
{
    if (!run->waiter.stopped && (step % 16 != 0 || !sal_run_progress(run, frame->t)))
        return SALTUS_OK;
    return sal_fail(err, SALTUS_ERR_INTERRUPTED, "interrupted at t = %.10g of a gradient",
                    frame->t);
}

/* ---- all lanes, block by block -------------------------------------------------------------- */

static void keep_rows(const saltus_run *run, const sal_wanted *wanted, const sal_lane_plan *plan,
                      int first_cost, const sal_gradients *out)
{
    const saltus_system *system = run->system;
    const int            L = plan->lanes;
    const size_t         columns = (size_t)out->columns;
    const double        *p_bar = run->sens->adjoint.u_bar + system->layout.at[SAL_LEAF_P] * L;
    for (int l = 0; l < sal_lane_plan_count(plan); l++) {
        const int event = plan->first_event + l - plan->cost_count;
        double   *row = l < plan->cost_count ? out->cost + (size_t)(first_cost + l) * columns
                        : l < plan->cost_count + plan->event_count
                            ? out->time + (size_t)event * columns
                            : out->end;
        for (int j = 0; j < wanted->param_count; j++) row[j] = p_bar[wanted->params[j] * L + l];
    }
}

/* Whether the time at which the run ends depends on the parameters. */
static bool end_depends(const saltus_run *run)
{
    return run->outcome.info.outcome == SALTUS_TERMINAL_EVENT ||
           (sal_run_end_is_the_models(run) && run->system->end_moves);
}

/* The number of steps that the results of a plan depend on. A walk that is only for events begins
 * at the last of these steps. */
static long long steps_of(const saltus_run *run, const sal_lane_plan *plan)
{
    const int next = plan->first_event + plan->event_count;
    if (plan->cost_count > 0 || plan->end) return run->end.step;
    return run->history.occurrences.data[run->history.shown.data[next - 1]].step + 1;
}

/* The last events share a walk with the costs, since these walks are the longest. */
saltus_status sal_sens_backward(saltus_run *run, const sal_wanted *wanted, const sal_gradients *out,
                                sal_backward_walk walk, bool vectors, saltus_error *err)
{
    /* costs done so far; the first events, which are still to be done */
    int  cost = 0, events = out->time ? run->history.shown.count : 0;
    bool end = out->end && end_depends(run);
    if (out->end) sal_zero(out->end, out->columns);
    while (cost < wanted->cost_count || events > 0 || end) {
        sal_lane_plan plan = {.costs = wanted->costs + cost,
                              .cost_count = sal_sens_block(wanted->cost_count - cost)};
        plan.end = end && plan.cost_count < SAL_RUN_LANES;
        const int room = SAL_RUN_LANES - sal_lane_plan_count(&plan);
        plan.event_count = events < room ? events : room;
        plan.first_event = events - plan.event_count;
        plan.lanes =
            vectors ? sal_sens_lanes(sal_lane_plan_count(&plan)) : sal_lane_plan_count(&plan);
        plan.steps = steps_of(run, &plan);
        TRY(walk(run, &plan, err));
        keep_rows(run, wanted, &plan, cost, out);
        cost += plan.cost_count;
        events = plan.first_event;
        end = end && !plan.end;
    }
    return SALTUS_OK;
}
