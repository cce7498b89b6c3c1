/* Gradients by all methods, sensitivities along the motion, jump matrices. */
#include <math.h>
#include <string.h>

#include "base/host.h"
#include "gradient/clearances.h"
#include "gradient/gradients.h"
#include "gradient/output_rows.h"
#include "gradient/requests.h"
#include "saltus/saltus.h"

const char *saltus_method_name(saltus_method method)
{
    static const char *const names[] = {"direct", "adjoint", "discrete", "tangent", "fd", "auto"};
    return (int)method >= 0 && (int)method < 6 ? names[method] : "";
}

/* ---- by which method ------------------------------------------------------------------------ */

/* Computes gradients by backward walks. If SALTUS_AUTO chose the discrete adjoint and the steps are
 * too long for it, uses the continuous adjoint, which controls its error, and if that cannot be
 * integrated, the direct method. */
static saltus_status walk_backward(saltus_run *run, bool chosen, const sal_wanted *wanted,
                                   const sal_gradients *out, saltus_error *err)
{
    bool good = true;
    if (run->method == SALTUS_ADJOINT) return sal_sens_continuous(run, wanted, out, err);
    TRY(sal_sens_discrete(run, wanted, out, chosen ? &good : NULL, err));
    if (good) return SALTUS_OK;
    saltus_error failed = {0};
    run->method = SALTUS_ADJOINT;
    sal_sens_continuous(run, wanted, out, &failed);
    if (failed.status != SALTUS_ERR_LIMIT)
        return failed.status ? sal_fail(err, failed.status, "%s", failed.message) : SALTUS_OK;
    run->method = SALTUS_DIRECT;
    return sal_sens_forward(run, wanted, false, out, err);
}

/* Computes gradients by backward walks, but derivatives of many event times by a forward walk,
 * which meets all events at once; backward, each event needs a lane of its own. The forward walk is
 * the tangent of the steps if the discrete method was requested (the results agree to rounding),
 * else the direct method, which controls its error. */
static saltus_status compute_backward(saltus_run *run, bool chosen, const sal_wanted *wanted,
                                      const sal_gradients *out, saltus_error *err)
{
    const int     times = run->history.shown.count + (out->end ? 1 : 0);
    const bool    discrete = run->method == SALTUS_DISCRETE && !chosen;
    sal_gradients left = *out;
    if (!out->time || !sal_times_go_forward(wanted->param_count, wanted->cost_count, times))
        return walk_backward(run, chosen, wanted, out, err);
    const sal_wanted    nothing_else = {wanted->params, NULL, wanted->param_count, 0};
    const sal_gradients found = {.time = out->time, .end = out->end, .columns = out->columns};
    TRY(sal_sens_forward(run, &nothing_else, discrete, &found, err));
    left.time = left.end = NULL;
    return walk_backward(run, chosen, wanted, &left, err);
}

/* Computes gradients by a forward walk. If SALTUS_AUTO chose it and the steps are too long for it,
 * uses the continuous adjoint. */
static saltus_status compute_forward(saltus_run *run, bool chosen, const sal_wanted *wanted,
                                     const sal_gradients *out, saltus_error *err)
{
    saltus_error failed = {0}, again = {0};
    if (!chosen) return sal_sens_forward(run, wanted, false, out, err);
    sal_sens_forward(run, wanted, false, out, &failed);
    if (failed.status == SALTUS_ERR_LIMIT) {
        run->method = SALTUS_ADJOINT;
        if (compute_backward(run, false, wanted, out, &again) == SALTUS_OK) return SALTUS_OK;
        run->method = SALTUS_DIRECT;
    }
    return failed.status ? sal_fail(err, failed.status, "%s", failed.message) : SALTUS_OK;
}

static saltus_status compute(saltus_run *run, saltus_method method, bool chosen,
                             const sal_wanted *wanted, const sal_gradients *out, saltus_error *err)
{
    TRY(sal_sens_check(run, err));
    run->method = method;
    sal_sens_note_request(run, method == SALTUS_DIRECT ? wanted : NULL);
    switch (method) {
    case SALTUS_DIRECT: return compute_forward(run, chosen, wanted, out, err);
    case SALTUS_TANGENT: return sal_sens_forward(run, wanted, true, out, err);
    case SALTUS_ADJOINT:
    case SALTUS_DISCRETE: return compute_backward(run, chosen, wanted, out, err);
    case SALTUS_FD:
        return sal_finite_differences(run, wanted, &(sal_differences){.gradients = out}, err);
    case SALTUS_AUTO: break;
    }
    return SALTUS_ERR_ARGUMENT; /* not reached: the method was checked before */
}

static saltus_method choose(const saltus_run *run, saltus_method method, const sal_wanted *wanted,
                            bool times)
{
    if (method != SALTUS_AUTO) return method;
    return sal_cheapest_method(wanted->param_count, wanted->cost_count,
                               times ? run->history.shown.count + 1 : 0);
}

static int count_free_params(const saltus_system *system)
{
    int count = 0;
    for (int i = 0; i < system->np; i++) count += !system->model->params.data[i].fixed;
    return count;
}

/* Allocates nothing, so it cannot fail. */
saltus_method saltus_run_method(const saltus_run *run, const saltus_request *request, int times)
{
    HOLD_HOST;
    if (!run || !request) return SALTUS_DISCRETE;
    const saltus_system *system = run->system;
    if (sal_request_check(system, request, NULL) != SALTUS_OK) return SALTUS_DISCRETE;
    sal_wanted wanted = {NULL, NULL, request->param_count, request->cost_count};
    if (!request->params) wanted.param_count = count_free_params(system);
    if (!request->costs) wanted.cost_count = system->nc;
    return choose(run, request->method, &wanted, times != 0);
}

saltus_method saltus_run_method_used(const saltus_run *run)
{
    return run ? run->method : SALTUS_AUTO;
}

/* Fails if a derivative is not finite. */
static saltus_status check_finite(saltus_run *run, const sal_gradients *out, int rows, int events,
                                  saltus_error *err)
{
    const size_t columns = (size_t)out->columns;
    for (size_t i = 0; i < (size_t)rows * columns; i++)
        if (!isfinite(out->cost[i])) return sal_sens_explain(run, err);
    for (size_t i = 0; out->time && i < (size_t)events * columns; i++)
        if (!isfinite(out->time[i]))
            return sal_fail(err, SALTUS_ERR_NO_GRADIENT,
                            "no gradient: the derivative of an event time is not finite");
    for (size_t i = 0; out->end && i < columns; i++)
        if (!isfinite(out->end[i]))
            return sal_fail(err, SALTUS_ERR_NO_GRADIENT,
                            "no gradient: the derivative of the end time is not finite");
    return SALTUS_OK;
}

/* Allocates results in scratch memory, so that the caller's arrays are unchanged on failure. */
static sal_gradients make_room(sal_arena *scratch, const sal_wanted *wanted, int events, bool times,
                               bool end)
{
    const size_t p = (size_t)wanted->param_count;
    return (sal_gradients){.cost = ARENA_NEW(scratch, (size_t)wanted->cost_count * p, double),
                           .time = times ? ARENA_NEW(scratch, (size_t)events * p, double) : NULL,
                           .end = end ? ARENA_NEW(scratch, p, double) : NULL,
                           .columns = wanted->param_count};
}

static void hand_over(const sal_gradients *from, int rows, int events, double *cost, double *time,
                      double *end)
{
    const size_t p = (size_t)from->columns * sizeof(double);
    if (cost) memcpy(cost, from->cost, (size_t)rows * p);
    if (time) memcpy(time, from->time, (size_t)events * p);
    if (end) memcpy(end, from->end, p);
}

/* Finds clearances with gradients by these parameters and hands them out. */
static saltus_status tell_clearances(saltus_run *run, const sal_wanted *wanted,
                                     saltus_clearance_function clearance, void *context,
                                     saltus_error *err)
{
    sal_clearances      found;
    sal_waiter         *previous = sal_waiter_enter(&run->waiter);
    const saltus_status status =
        sal_clearances_find(run, wanted->params, wanted->param_count, &found, err);
    sal_waiter_leave(previous);
    if (status == SALTUS_OK) sal_clearances_tell(run, &found, clearance, context);
    sal_clearances_release(run, &found);
    return status;
}

saltus_status saltus_run_clearances(saltus_run *run, const int *params, int param_count,
                                    saltus_clearance_function clearance, void *context,
                                    saltus_error *err)
{
    HOLD_HOST;
    const saltus_request request = {SALTUS_DIRECT, NULL, 0, params, param_count};
    sal_arena            scratch;
    sal_wanted           wanted;
    saltus_error         mine = {0};
    if (!err) err = &mine;
    TRY(sal_run_ready(run, err));
    if (!clearance)
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "clearances need a function that takes them");
    sal_arena_init(&scratch, &run->arena.allocator);
    saltus_status status = sal_request_spell_out(run, &request, &scratch, &wanted, err);
    if (status == SALTUS_OK) status = tell_clearances(run, &wanted, clearance, context, err);
    sal_arena_free(&scratch);
    return status;
}

/* Computes gradients. warns: adds a warning to the run if derivatives are one-sided. */
static saltus_status gradients(saltus_run *run, const saltus_request *request, bool warns,
                               double *gradient, double *time_gradient, double *end_gradient,
                               saltus_error *err)
{
    sal_arena     scratch;
    sal_wanted    wanted;
    sal_gradients out = {.columns = 0};
    sal_arena_init(&scratch, &run->arena.allocator);
    saltus_status status = sal_request_spell_out(run, request, &scratch, &wanted, err);
    const int     events = run->history.shown.count;
    if (!gradient) wanted.cost_count = 0;
    if (status == SALTUS_OK) {
        out = make_room(&scratch, &wanted, events, time_gradient != NULL, end_gradient != NULL);
        sal_waiter *previous = sal_waiter_enter(&run->waiter);
        sal_stopwatch_start(&run->clock);
        status = scratch.failed
                     ? sal_fail_memory(err)
                     : compute(run, choose(run, request->method, &wanted, out.time != NULL),
                               request->method == SALTUS_AUTO, &wanted, &out, err);
        sal_stopwatch_tick(&run->clock, run->system);
        sal_waiter_leave(previous);
    }
    if (status == SALTUS_OK) status = check_finite(run, &out, wanted.cost_count, events, err);
    if (status == SALTUS_OK && warns) status = sal_judge_ties(run, &wanted, out.cost, err);
    if (status == SALTUS_OK && warns) status = sal_judge_peaks(run, &wanted, out.cost, err);
    if (status == SALTUS_OK)
        hand_over(&out, wanted.cost_count, events, gradient, time_gradient, end_gradient);
    sal_arena_free(&scratch);
    return status;
}

saltus_status sal_gradients_compute(saltus_run *run, const saltus_request *request,
                                    double *gradient, double *time_gradient, double *end_gradient,
                                    saltus_error *err)
{
    return gradients(run, request, false, gradient, time_gradient, end_gradient, err);
}

saltus_status saltus_run_gradients(saltus_run *run, const saltus_request *request, double *gradient,
                                   double *time_gradient, double *end_gradient, saltus_error *err)
{
    HOLD_HOST;
    saltus_error mine = {0};
    if (!err) err = &mine;
    TRY(sal_run_idle(run, err));
    if (!request || (!gradient && !time_gradient && !end_gradient))
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "a gradient needs a request and room");
    return gradients(run, request, true, gradient, time_gradient, end_gradient, err);
}

saltus_status saltus_run_differences(saltus_run *run, const saltus_request *request,
                                     saltus_differences *to, saltus_error *err)
{
    HOLD_HOST;
    sal_arena    scratch;
    sal_wanted   wanted;
    saltus_error mine = {0};
    if (!err) err = &mine;
    TRY(sal_run_idle(run, err));
    if (!request || !to || !to->gradient)
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "differences need a request and room");
    to->base_differs = 0;
    sal_arena_init(&scratch, &run->arena.allocator);
    saltus_status status = sal_request_spell_out(run, request, &scratch, &wanted, err);
    const int     events = run->history.shown.count;
    if (status == SALTUS_OK) status = sal_sens_check(run, err);
    if (status == SALTUS_OK) {
        const sal_gradients slopes = make_room(&scratch, &wanted, events, true, true);
        const sal_gradients errors = make_room(&scratch, &wanted, events, true, true);
        sal_differences     out = {.gradients = &slopes, .errors = &errors};
        out.step = ARENA_NEW(&scratch, wanted.param_count, double);
        status =
            scratch.failed ? sal_fail_memory(err) : sal_finite_differences(run, &wanted, &out, err);
        to->base_differs = out.base_differs;
        if (status == SALTUS_OK)
            status = check_finite(run, &slopes, wanted.cost_count, events, err);
        if (status == SALTUS_OK) {
            hand_over(&slopes, wanted.cost_count, events, to->gradient, to->time_gradient,
                      to->end_gradient);
            hand_over(&errors, wanted.cost_count, events, to->gradient_error, to->time_error,
                      to->end_error);
            for (int k = 0; to->step && k < wanted.param_count; k++) to->step[k] = out.step[k];
        }
    }
    sal_arena_free(&scratch);
    return status;
}

saltus_status saltus_run_sizes(saltus_run *run, const saltus_request *request, const double *times,
                               int count, double *size, double *end_size, double *gradient_size,
                               saltus_error *err)
{
    HOLD_HOST;
    sal_arena  scratch;
    sal_wanted wanted;
    TRY(sal_run_ready(run, err));
    if (!request || !size || !end_size || !gradient_size)
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "sizes need a request and three arrays");
    TRY(sal_rows_check_times(times, count, err));
    sal_arena_init(&scratch, &run->arena.allocator);
    saltus_status status = sal_request_spell_out(run, request, &scratch, &wanted, err);
    if (status == SALTUS_OK)
        status = sal_run_sizes(run, &wanted, times, count, size, end_size, gradient_size, err);
    sal_arena_free(&scratch);
    return status;
}

saltus_status saltus_run_cost_gradient(saltus_run *run, const char *cost, double *value,
                                       double *gradient, saltus_error *err)
{
    HOLD_HOST;
    sal_arena    scratch;
    saltus_error mine = {0};
    if (!err) err = &mine;
    TRY(sal_run_idle(run, err));
    if (!cost || !value || !gradient)
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "a gradient needs the name of a cost, and room");
    const saltus_system *system = run->system;
    const int            index = saltus_system_find_cost(system, cost);
    if (index < 0) return sal_fail(err, SALTUS_ERR_ARGUMENT, "the model has no cost '%s'", cost);
    sal_arena_init(&scratch, &run->arena.allocator);
    int          *params = ARENA_NEW(&scratch, system->np, int);
    double       *values = ARENA_NEW(&scratch, system->nc, double);
    saltus_status status = scratch.failed ? sal_fail_memory(err) : SALTUS_OK;
    if (status == SALTUS_OK) {
        for (int i = 0; i < system->np; i++) params[i] = i;
        const saltus_request request = {SALTUS_AUTO, &index, 1, params, system->np};
        status = saltus_run_gradients(run, &request, gradient, NULL, NULL, err);
    }
    if (status == SALTUS_OK) status = saltus_run_costs(run, values, err);
    if (status == SALTUS_OK) *value = values[index];
    sal_arena_free(&scratch);
    return status;
}

/* ---- along the motion ----------------------------------------------------------------------- */

typedef struct tangent_rows {
    saltus_run             *run;
    int                     params;
    saltus_tangent_function row;
    void                   *context;
    bool                    stop;
} tangent_rows;

static saltus_status any_row(saltus_run *run, const sal_frame *frame, double t, int occurrence,
                             bool after, saltus_row *row, saltus_error *err)
{
    return frame ? sal_row_between(run, frame, t, row, err)
                 : sal_row_event(run, occurrence, after, row, err);
}

static saltus_status tangent_row(void *context, const sal_frame *frame, double t, int occurrence,
                                 bool after, saltus_error *err)
{
    tangent_rows        *rows = context;
    const saltus_system *system = rows->run->system;
    const sal_sens      *sens = rows->run->sens;
    saltus_tangent_row   row = {.params = rows->params};
    if (rows->stop ||
        (occurrence >= 0 && after && rows->run->history.occurrences.data[occurrence].terminal))
        return SALTUS_OK;
    TRY(any_row(rows->run, frame, t, occurrence, after, &row.at, err));
    row.dq = sens->rows;
    row.dv = row.dq + system->n * rows->params;
    row.dz = row.dv + system->n * rows->params;
    row.dc = sens->walking.tangent.du + system->layout.at[SAL_LEAF_C] * rows->params;
    sal_run_lend(rows->run);
    rows->stop = rows->row(rows->context, &row) != 0;
    sal_run_take_back(rows->run);
    return SALTUS_OK;
}

saltus_status saltus_run_tangents(saltus_run *run, const int *params, int param_count,
                                  const double *times, int count, saltus_tangent_function row,
                                  void *context, saltus_error *err)
{
    HOLD_HOST;
    TRY(sal_run_ready(run, err));
    if (!row) return sal_fail(err, SALTUS_ERR_ARGUMENT, "tangents need a function that takes them");
    TRY(sal_sens_check(run, err));
    if (param_count > SAL_RUN_LANES)
        return sal_fail(err, SALTUS_ERR_ARGUMENT,
                        "at most %d parameters at once along the motion, not %d", SAL_RUN_LANES,
                        param_count);
    TRY(sal_request_indices(params, param_count, run->system->np, "parameter", err));
    TRY(sal_rows_check_times(times, count, err));
    tangent_rows      rows = {run, param_count, row, context, false};
    const sal_sampler sampler = {times, count, tangent_row, &rows};
    return sal_sens_sample_forward(run, params, param_count, &sampler, err);
}

typedef struct adjoint_rows {
    saltus_run             *run;
    saltus_adjoint_function row;
    void                   *context;
    int                     cost;
    bool                    stop;
} adjoint_rows;

/* Computes y of sensitivities.md (7) at this instant, K [y; y_mu] = [lambda_v + g_a^T; g_mu^T]: the
 * part for accelerations, then the part for multipliers, 0 for constraints that are not active. */
static void multiplier(adjoint_rows *rows, double *y)
{
    const saltus_run    *run = rows->run;
    const saltus_system *system = run->system;
    sal_field           *field = &rows->run->locator.field; /* where the row was evaluated */
    double              *bar = run->sens->u_bar;
    memset(bar, 0, (size_t)system->layout.size * sizeof *bar);
    memset(run->sens->final, 0, (size_t)system->nc * sizeof *bar);
    run->sens->final[rows->cost] = 1.0;
    memcpy(y, run->sens->rows + system->n, (size_t)system->n * sizeof *y);
    sal_field_adjoint(field, y, run->sens->final, 1, bar);
    for (int j = 0; j < system->nmu; j++) {
        const int i = system->n + j;
        y[i] = field->regime->on[j] ? field->solution[i] : 0.0;
    }
}

static saltus_status adjoint_row(void *context, const sal_frame *frame, double t, int occurrence,
                                 bool after, saltus_error *err)
{
    adjoint_rows        *rows = context;
    const saltus_system *system = rows->run->system;
    double              *data = rows->run->sens->rows;
    saltus_adjoint_row   row = {.lambda_q = data};
    if (rows->stop) return SALTUS_OK;
    TRY(any_row(rows->run, frame, t, occurrence, after, &row.at, err));
    row.lambda_v = row.lambda_q + system->n;
    row.lambda_c = row.lambda_v + system->n;
    row.lambda_p = row.lambda_c + system->nm;
    double *y = data + 2 * system->n + system->nm + system->np;
    multiplier(rows, y);
    row.y = y;
    row.y_mu = y + system->n;
    sal_run_lend(rows->run);
    rows->stop = rows->row(rows->context, &row) != 0;
    sal_run_take_back(rows->run);
    return SALTUS_OK;
}

saltus_status saltus_run_adjoints(saltus_run *run, int cost, const double *times, int count,
                                  saltus_adjoint_function row, void *context, saltus_error *err)
{
    HOLD_HOST;
    TRY(sal_run_ready(run, err));
    if (!row) return sal_fail(err, SALTUS_ERR_ARGUMENT, "adjoints need a function that takes them");
    TRY(sal_sens_check(run, err));
    TRY(sal_request_indices(&cost, 1, run->system->nc, "cost", err));
    TRY(sal_rows_check_times(times, count, err));
    adjoint_rows      rows = {run, row, context, cost, false};
    const sal_sampler sampler = {times, count, adjoint_row, &rows};
    return sal_sens_sample_backward(run, cost, &sampler, err);
}

/* ---- jump matrices -------------------------------------------------------------------------- */

/* Fails if an event has no jump matrix. */
static saltus_status check_matrix(const saltus_run *run, const sal_occurrence *o, saltus_error *err)
{
    const char *name = run->system->event[o->event].name;
    if (o->joined || (o->follows && fabs(o->rate) < run->options.event_rate_min))
        return sal_fail(err, SALTUS_ERR_NO_GRADIENT,
                        "event '%s' at t = %.10g has no jump matrix of its own: it shares its "
                        "instant with the event before, which %s",
                        name, o->t, o->joined ? "brought it about" : "brought its guard to rest");
    if (o->grazing || o->terminal)
        return sal_fail(err, o->grazing ? SALTUS_ERR_GRAZING : SALTUS_ERR_NO_GRADIENT,
                        "event '%s' at t = %.10g has no jump matrix: it %s", name, o->t,
                        o->grazing ? "grazes" : "ends the run, before its jump");
    return SALTUS_OK;
}

/* The i-th component of (q, v, c, z, rho) in a tangent with one lane, with the first nu memories.
 */
static double *component(const saltus_system *system, int nu, const sal_tangent *d, int i)
{
    const int n2 = 2 * system->n, nc = system->nc;
    if (i < n2) return d->dx + i;
    if (i < n2 + nu) return d->du + system->layout.at[SAL_LEAF_C] + i - n2;
    if (i < n2 + nu + nc) return d->dz + i - n2 - nu;
    return d->du + system->layout.at[SAL_LEAF_P] + i - n2 - nu - nc;
}

/* Makes a tangent with one lane the j-th unit vector. */
static void put_unit(const saltus_system *system, int nu, sal_tangent *d, int j)
{
    d->lanes = 1;
    d->dt[0] = 0.0;
    sal_zero(d->dx, 2 * system->n);
    sal_zero(d->dz, system->nc);
    sal_zero(d->du, system->layout.size);
    *component(system, nu, d, j) = 1.0;
}

/* Computes the columns one by one, by applying the jump matrix to unit vectors. */
static saltus_status fill_matrix(saltus_run *run, int occurrence, int rows, int columns,
                                 double *matrix, saltus_error *err)
{
    const saltus_system *system = run->system;
    const int            nu = rows - 2 * system->n - system->nc;
    sal_sens            *sens;
    TRY(sal_sens_get(run, &sens, err));
    sal_tangent *d = &sens->walking.tangent;
    for (int j = 0; j < columns; j++) {
        TRY(sal_run_load_jump(run, occurrence, true, err));
        put_unit(system, nu, d, j);
        sal_saltation_delay(&run->jump, run->history.occurrences.data[occurrence].rate, d);
        sal_jump_tangent(&run->jump, d);
        sal_tangent_hold(system, run->jump.k_after, run->jump.g_after, d);
        for (int i = 0; i < rows; i++) matrix[i * columns + j] = *component(system, nu, d, i);
    }
    return SALTUS_OK;
}

saltus_status saltus_run_jump_matrix(saltus_run *run, int event, int *rows, int *columns,
                                     double *matrix, saltus_error *err)
{
    HOLD_HOST;
    if (err && err->status) return err->status;
    const int size =
        run ? 2 * run->system->n + sal_model_shown_memories(run->system->model) + run->system->nc
            : 0;
    if (rows) *rows = size;
    if (columns) *columns = run ? size + run->system->np : 0;
    TRY(sal_run_ready(run, err));
    if (!rows || !columns)
        return sal_fail(err, SALTUS_ERR_ARGUMENT,
                        "a jump matrix needs room for the numbers of its rows and columns");
    if (event < 0 || event >= run->history.shown.count)
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "the run has no event number %d (of %d)", event,
                        run->history.shown.count);
    const int occurrence = run->history.shown.data[event];
    if (!matrix) return SALTUS_OK;
    TRY(check_matrix(run, &run->history.occurrences.data[occurrence], err));
    return fill_matrix(run, occurrence, *rows, *columns, matrix, err);
}
