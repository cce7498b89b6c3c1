/* Requests of callers: see requests.h. */
#include "gradient/requests.h"

#include <math.h>
#include <string.h>

saltus_status sal_request_indices(const int *index, int count, int limit, const char *what,
                                  saltus_error *err)
{
    if (count < 0 || (count > 0 && !index))
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "a list of %d %ss%s", count, what,
                        count < 0 ? "" : " that is NULL: give the list, or 0 for its length");
    for (int i = 0; i < count; i++)
        if (index[i] < 0 || index[i] >= limit)
            return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no %s number %d (of %d)", what,
                            index[i], limit);
    return SALTUS_OK;
}

saltus_status sal_request_check_counts(const saltus_request *request, int params, int costs,
                                       saltus_error *err)
{
    if ((int)request->method < SALTUS_DIRECT || (int)request->method > SALTUS_AUTO)
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no method number %d",
                        (int)request->method);
    TRY(sal_request_indices(request->params, request->param_count, params, "parameter", err));
    return sal_request_indices(request->costs, request->cost_count, costs, "cost", err);
}

saltus_status sal_request_check(const saltus_system *system, const saltus_request *request,
                                saltus_error *err)
{
    return sal_request_check_counts(request, system->np, system->nc, err);
}

saltus_status sal_request_spell_out(const saltus_run *run, const saltus_request *request,
                                    sal_arena *scratch, sal_wanted *wanted, saltus_error *err)
{
    const saltus_system *system = run->system;
    TRY(sal_request_check(system, request, err));
    int *params = ARENA_NEW(scratch, system->np, int);
    int *costs = ARENA_NEW(scratch, system->nc, int);
    if (scratch->failed) return sal_fail_memory(err);
    *wanted = (sal_wanted){params, costs, 0, 0};
    for (int i = 0; i < system->np; i++)
        if (!system->model->params.data[i].fixed) params[wanted->param_count++] = i;
    for (int i = 0; i < system->nc; i++) costs[wanted->cost_count++] = i;
    if (request->params) {
        wanted->params = request->params;
        wanted->param_count = request->param_count;
    }
    if (request->costs) {
        wanted->costs = request->costs;
        wanted->cost_count = request->cost_count;
    }
    return SALTUS_OK;
}

saltus_status sal_params_check(const saltus_system *system, const double *params, saltus_error *err)
{
    for (int i = 0; params && i < system->np; i++)
        if (!isfinite(params[i]))
            return sal_fail(err, SALTUS_ERR_ARGUMENT, "parameter '%s' is %g",
                            system->model->params.data[i].label.name, params[i]);
    return SALTUS_OK;
}

saltus_status sal_params_take(saltus_run *run, const double *params, saltus_error *err)
{
    const saltus_model *model = run->system->model;
    for (int i = 0; i < run->system->np; i++) {
        const sal_param *p = &model->params.data[i];
        run->params[i] = params ? params[i] : p->value;
        if (!isfinite(run->params[i]))
            return sal_fail(err, SALTUS_ERR_ARGUMENT, "parameter '%s' is %g", p->label.name,
                            run->params[i]);
    }
    return SALTUS_OK;
}

saltus_status sal_run_work(saltus_run *run, saltus_error *err)
{
    sal_waiter *previous = sal_waiter_enter(&run->waiter);
    sal_stopwatch_start(&run->clock);
    run->history.planned = false;
    const saltus_status status = sal_run_simulate(run, err);
    sal_stopwatch_tick(&run->clock, run->system);
    sal_waiter_leave(previous);
    if (status != SALTUS_OK) sal_run_forget(run);
    return status;
}

void sal_probe_begin(saltus_run *probe, const saltus_run *as)
{
    const saltus_system *system = probe->system;
    double *const x = probe->from.x, *const c = probe->from.c;
    probe->from = as->from;
    probe->from.x = x;
    probe->from.c = c;
    memcpy(x, as->from.x, 2 * (size_t)system->n * sizeof *x);
    memcpy(c, as->from.c, (size_t)system->nm * sizeof *c);
}

saltus_status sal_probe_simulate(saltus_run *probe, const saltus_run *as, const double *params,
                                 saltus_error *err)
{
    sal_run_forget(probe);
    TRY(sal_params_take(probe, params, err));
    sal_probe_begin(probe, as);
    return sal_run_work(probe, err);
}
