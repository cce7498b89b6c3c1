/* Replays of the steps of a simulation, and second derivatives from replays: see saltus/sim.h. */
#include <math.h>
#include <string.h>

#include "base/host.h"
#include "gradient/gradients.h"
#include "gradient/output_rows.h"
#include "gradient/requests.h"
#include "run/retrace.h"
#include "saltus/saltus.h"

/* Lists the steps of the last simulation, unless that was done already. */
static saltus_status make_plan(saltus_run *run, saltus_error *err)
{
    if (run->history.planned) return SALTUS_OK;
    TRY(sal_run_ready(run, err));
    if (run->outcome.info.outcome != SALTUS_END &&
        run->outcome.info.outcome != SALTUS_TERMINAL_EVENT)
        return sal_fail(err, SALTUS_ERR_UNFINISHED, "no replay: the run did not reach its end: %s",
                        run->outcome.message);
    TRY(sal_step_plan_make(run, &run->history.plan, err));
    run->history.planned = true;
    return SALTUS_OK;
}

static saltus_status retrace(saltus_run *run, const sal_step_plan *plan, const double *params,
                             saltus_error *err)
{
    sal_run_forget(run);
    TRY(sal_params_take(run, params, err));
    sal_waiter         *previous = sal_waiter_enter(&run->waiter);
    const saltus_status status = sal_run_retrace(run, plan, err);
    sal_waiter_leave(previous);
    if (status != SALTUS_OK) sal_run_forget(run);
    return status;
}

saltus_status saltus_run_replay(saltus_run *run, const double *params, saltus_error *err)
{
    HOLD_HOST;
    saltus_error mine = {0};
    if (!err) err = &mine;
    TRY(sal_run_idle(run, err));
    TRY(make_plan(run, err));
    return retrace(run, &run->history.plan, params, err);
}

/* ---- second derivatives --------------------------------------------------------------------- */

enum { TRIES = 8 };
/* The longest change of a parameter, relative to its value: to the fourth power, about rounding. */
static const double LONGEST = 4e-4;

typedef struct hessian {
    saltus_run    *run, *probe;
    saltus_request request;
    const double  *direction;
    double        *params, *gradient;
    size_t         size; /* size of a gradient */
} hessian;

/* Adds the weighted gradient at a place along the direction to the product. */
static saltus_status add_gradient(hessian *h, double step, double weight, double *product,
                                  saltus_error *err)
{
    for (int i = 0; i < h->run->system->np; i++)
        h->params[i] = h->run->params[i] + step * h->direction[i];
    TRY(retrace(h->probe, &h->run->history.plan, h->params, err));
    TRY(sal_gradients_compute(h->probe, &h->request, h->gradient, NULL, NULL, err));
    for (size_t i = 0; i < h->size; i++) product[i] += weight * h->gradient[i];
    return SALTUS_OK;
}

/* Computes the product by fourth-order differences, with steps of one and two times this length. */
static saltus_status difference(hessian *h, double step, double *product, saltus_error *err)
{
    static const double place[] = {1.0, -1.0, 2.0, -2.0}, weight[] = {8.0, -8.0, -1.0, 1.0};
    memset(product, 0, h->size * sizeof *product);
    for (int i = 0; i < 4; i++)
        TRY(add_gradient(h, place[i] * step, weight[i] / (12.0 * step), product, err));
    return SALTUS_OK;
}

/* The longest step that is small for all parameters; 0: the direction is zero. */
static double longest(const hessian *h)
{
    double fastest = 0.0;
    for (int i = 0; i < h->run->system->np; i++) {
        const double size = h->run->params[i] != 0.0 ? fabs(h->run->params[i]) : 1.0;
        fastest = fmax(fastest, fabs(h->direction[i]) / size);
    }
    return fastest > 0.0 ? LONGEST / fastest : 0.0;
}

static bool is_ours(saltus_status status)
{
    return status == SALTUS_ERR_MEMORY || status == SALTUS_ERR_INTERRUPTED ||
           status == SALTUS_ERR_ARGUMENT;
}

static saltus_status find_product(hessian *h, double *product, saltus_error *err)
{
    double step = longest(h);
    memset(product, 0, h->size * sizeof *product);
    for (int i = 0; i < TRIES && step > 0.0; i++, step *= 0.25) {
        saltus_error        own = {0};
        const saltus_status status = difference(h, step, product, &own);
        if (status == SALTUS_OK) return SALTUS_OK;
        if (is_ours(status)) return sal_fail(err, status, "%s", own.message);
        if (i == TRIES - 1)
            return sal_fail(err, SALTUS_ERR_NO_GRADIENT,
                            "no second derivative: however small the change of parameters, %s",
                            own.message);
    }
    return SALTUS_OK;
}

static saltus_status check_direction(const saltus_run *run, const double *direction,
                                     saltus_error *err)
{
    for (int i = 0; i < run->system->np; i++)
        if (!isfinite(direction[i]))
            return sal_fail(err, SALTUS_ERR_ARGUMENT, "the direction of '%s' is %g",
                            run->system->model->params.data[i].label.name, direction[i]);
    return SALTUS_OK;
}

static saltus_status work(hessian *h, const sal_wanted *wanted, sal_arena *scratch, double *product,
                          saltus_error *err)
{
    const size_t np = (size_t)h->run->system->np;
    h->size = (size_t)wanted->cost_count * (size_t)wanted->param_count;
    h->request = (saltus_request){SALTUS_DISCRETE, wanted->costs, wanted->cost_count,
                                  wanted->params, wanted->param_count};
    h->params = ARENA_NEW(scratch, np, double);
    h->gradient = ARENA_NEW(scratch, h->size, double);
    double *found = ARENA_NEW(scratch, h->size, double);
    if (scratch->failed) return sal_fail_memory(err);
    TRY(check_direction(h->run, h->direction, err));
    TRY(sal_sens_check(h->run, err));
    TRY(make_plan(h->run, err));
    h->probe = sal_run_make_for(h->run, &h->run->options, err);
    if (!h->probe) return err->status;
    sal_probe_begin(h->probe, h->run);
    sal_retrace_like(h->probe, h->run);
    const saltus_status status = find_product(h, found, err);
    sal_run_free(h->probe);
    if (status == SALTUS_OK) memcpy(product, found, h->size * sizeof *product);
    return status;
}

saltus_status saltus_run_hessian_product(saltus_run *run, const saltus_request *request,
                                         const double *direction, double *product,
                                         saltus_error *err)
{
    HOLD_HOST;
    sal_arena    scratch;
    sal_wanted   wanted;
    saltus_error mine = {0};
    if (!err) err = &mine;
    TRY(sal_run_ready(run, err));
    if (!request || !direction || !product)
        return sal_fail(err, SALTUS_ERR_ARGUMENT,
                        "second derivatives need a request, a direction and room");
    hessian h = {.run = run, .direction = direction};
    sal_arena_init(&scratch, &run->arena.allocator);
    saltus_status status = sal_request_spell_out(run, request, &scratch, &wanted, err);
    if (status == SALTUS_OK) status = work(&h, &wanted, &scratch, product, err);
    sal_arena_free(&scratch);
    return status;
}
