/* Simulations from any initial state, and derivatives by this state: see saltus/sim.h. */
#include <math.h>
#include <string.h>

#include "base/host.h"
#include "gradient/output_rows.h"
#include "gradient/requests.h"
#include "run/from.h"
#include "saltus/saltus.h"
#include "sens/sens.h"

/* ---- states --------------------------------------------------------------------------------- */

int saltus_system_states(const saltus_system *system)
{
    return system ? 2 * system->n + system->nm_user : 0;
}

/* Fails unless each given mode belongs to its group. */
static saltus_status check_modes(const saltus_model *model, const int *modes, saltus_error *err)
{
    for (int g = 0; g < model->groups.count; g++)
        if (modes[g] < 0 || modes[g] >= model->modes.count ||
            model->modes.data[modes[g]].group != g)
            return sal_fail(err, SALTUS_ERR_ARGUMENT,
                            "there is no mode number %d in the group '%s', which is number %d",
                            modes[g], model->groups.data[g].name, g);
    return SALTUS_OK;
}

static saltus_status check_numbers(const double *x, int count, const char *what, saltus_error *err)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return sal_fail(err, SALTUS_ERR_ARGUMENT,
                            "%s number %d of the state to begin with is %g", what, i, x[i]);
    return SALTUS_OK;
}

static saltus_status check_state(const saltus_system *system, const saltus_start_state *state,
                                 double t0, double t1, saltus_error *err)
{
    if (!state || !state->q || !state->v)
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "a start state needs positions and velocities");
    if (!isfinite(t0) || !isfinite(t1) || !(t1 > t0))
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "a motion cannot go from t = %g to t = %g", t0,
                        t1);
    if (state->modes) TRY(check_modes(system->model, state->modes, err));
    TRY(check_numbers(state->q, system->n, "position", err));
    TRY(check_numbers(state->v, system->n, "velocity", err));
    return state->c ? check_numbers(state->c, system->nm_user, "memory", err) : SALTUS_OK;
}

static saltus_status take_state(saltus_run *run, const saltus_start_state *state, double t0,
                                double t1, saltus_error *err)
{
    const saltus_system *system = run->system;
    const size_t         n = (size_t)system->n;
    run->from.given = false;
    run->from.regime = state->modes ? sal_system_regime(system, state->modes, err)
                                    : sal_run_first_regime(run, err);
    if (!run->from.regime) return err->status;
    memcpy(run->from.x, state->q, n * sizeof(double));
    memcpy(run->from.x + n, state->v, n * sizeof(double));
    run->from.memories = state->c != NULL;
    if (state->c) memcpy(run->from.c, state->c, (size_t)system->nm_user * sizeof(double));
    run->from.t = t0;
    run->from.t_end = t1;
    run->from.assembled = state->assembled != 0;
    run->from.ignores_events = run->from.to_horizon = false;
    run->from.given = true;
    return SALTUS_OK;
}

saltus_status saltus_run_simulate_from(saltus_run *run, const saltus_start_state *state, double t0,
                                       double t1, const double *params, saltus_error *err)
{
    HOLD_HOST;
    saltus_error mine = {0};
    if (!err) err = &mine;
    TRY(sal_run_idle(run, err));
    sal_run_forget(run);
    TRY(check_state(run->system, state, t0, t1, err));
    TRY(sal_params_take(run, params, err));
    TRY(take_state(run, state, t0, t1, err));
    return sal_run_work(run, err);
}

saltus_status saltus_run_state(saltus_run *run, int event, int after, int *modes, double *q,
                               double *v, double *c, saltus_error *err)
{
    HOLD_HOST;
    TRY(sal_run_ready(run, err));
    const saltus_system *system = run->system;
    const size_t         n = (size_t)system->n;
    const sal_regime    *regime = run->end.regime;
    const double        *x = run->end.x, *memories = run->end.c;
    if (event < -1 || event >= run->history.shown.count)
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no event number %d (of %d)", event,
                        run->history.shown.count);
    if (event >= 0) {
        const int             i = run->history.shown.data[event];
        const sal_occurrence *o = &run->history.occurrences.data[i];
        const sal_sides       sides = sal_run_sides(run, i);
        regime = after ? o->to : o->from;
        x = after ? sides.x_plus : sides.x_minus;
        memories = after ? sides.c_plus : sides.c_minus;
    }
    if (modes) memcpy(modes, regime->active, (size_t)system->model->groups.count * sizeof *modes);
    if (q) memcpy(q, x, n * sizeof *q);
    if (v) memcpy(v, x + n, n * sizeof *v);
    if (c) memcpy(c, memories, (size_t)system->nm_user * sizeof *c);
    return SALTUS_OK;
}

/* ---- products ------------------------------------------------------------------------------- */

static int sample_count(const saltus_system *system)
{
    return sal_sampled_row(system, system->model->samples.count, NULL);
}

static bool all_finite(const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

saltus_status saltus_run_vjp(saltus_run *run, const double *w_cost, const double *w_sample,
                             const double *w_end, const double *w_time, double *grad_params,
                             double *grad_start, saltus_error *err)
{
    HOLD_HOST;
    const sal_result_weights weights = {w_cost, w_sample, w_end, w_time};
    sal_arena                scratch;
    saltus_error             mine = {0};
    if (!err) err = &mine;
    TRY(sal_run_ready(run, err));
    if (!grad_params)
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no room for the derivatives");
    TRY(sal_sens_check(run, err));
    sal_sens_note_request(run, NULL);
    const size_t np = (size_t)run->system->np, ns = (size_t)saltus_system_states(run->system);
    sal_arena_init(&scratch, &run->arena.allocator);
    double       *by = ARENA_NEW(&scratch, np + ns, double);
    saltus_status status =
        by ? sal_sens_weighted(run, &weights, by, by + np, err) : sal_fail_memory(err);
    if (status == SALTUS_OK && !all_finite(by, np + ns)) status = sal_sens_explain(run, err);
    if (status == SALTUS_OK) memcpy(grad_params, by, np * sizeof *by);
    if (status == SALTUS_OK && grad_start) memcpy(grad_start, by + np, ns * sizeof *by);
    sal_arena_free(&scratch);
    return status;
}

/* A result in scratch memory, so that the caller's array is unchanged on failure. */
typedef struct result {
    double *to, *found;
    size_t  count;
} result;

static result make_result(sal_arena *scratch, double *to, int rows, int lanes)
{
    const size_t count = to ? (size_t)rows * (size_t)lanes : 0;
    return (result){to, to ? ARENA_NEW(scratch, count, double) : NULL, count};
}

saltus_status saltus_run_jvp(saltus_run *run, int lanes, const double *dparams,
                             const double *dstart, double *dcost, double *dsample, double *dend,
                             double *dtime, saltus_error *err)
{
    HOLD_HOST;
    sal_arena    scratch;
    saltus_error mine = {0};
    if (!err) err = &mine;
    TRY(sal_run_ready(run, err));
    if (lanes < 1) return sal_fail(err, SALTUS_ERR_ARGUMENT, "%d directions", lanes);
    TRY(sal_sens_check(run, err));
    sal_sens_note_request(run, NULL);
    const saltus_system *system = run->system;
    sal_arena_init(&scratch, &run->arena.allocator);
    const result        all[] = {make_result(&scratch, dcost, system->nc, lanes),
                                 make_result(&scratch, dsample, sample_count(system), lanes),
                                 make_result(&scratch, dend, saltus_system_states(system), lanes),
                                 make_result(&scratch, dtime, run->history.shown.count, lanes)};
    const sal_gradients out = {.cost = all[0].found,
                               .sampled = all[1].found,
                               .state = all[2].found,
                               .time = all[3].found,
                               .columns = lanes};
    saltus_status       status = scratch.failed
                                     ? sal_fail_memory(err)
                                     : sal_sens_products(run, lanes, dparams, dstart, &out, err);
    for (int i = 0; i < 4 && status == SALTUS_OK; i++)
        if (i != 1 && !all_finite(all[i].found, all[i].count)) status = sal_sens_explain(run, err);
    for (int i = 0; i < 4 && status == SALTUS_OK; i++)
        if (all[i].to) memcpy(all[i].to, all[i].found, all[i].count * sizeof(double));
    sal_arena_free(&scratch);
    return status;
}
