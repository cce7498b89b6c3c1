/* Costs and gradients at many points. Each thread has a run of its own and takes the next point
 * when it has finished one. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "answer/pool.h"
#include "api/options.h"
#include "base/host.h"
#include "base/status.h"
#include "gradient/requests.h"
#include "saltus/saltus.h"

typedef struct map {
    const saltus_system  *system;
    const saltus_options *options;
    saltus_request        request; /* the user's, with all lists filled in */
    const double         *points;
    double               *cost, *gradient;
    saltus_map_result    *result;
    double               *all; /* costs of the system, a row for each thread */
    saltus_run          **run; /* by thread: its run */
    saltus_error         *err; /* by thread: why it failed */
    atomic_bool           is_stopped;
} map;

/* Progress of the calling thread, the only one that calls the caller's function. */
static int call_progress(void *context, double t, double t_end)
{
    map *m = context;
    if (m->options->progress && !atomic_load(&m->is_stopped) &&
        m->options->progress(m->options->progress_context, t, t_end))
        atomic_store(&m->is_stopped, true);
    return atomic_load(&m->is_stopped);
}

static int is_stopped(void *context, double t, double t_end)
{
    (void)t, (void)t_end;
    return atomic_load(&((map *)context)->is_stopped);
}

/* Returns the run of a thread, made when first needed; NULL if that failed. */
static saltus_run *find_run(map *m, int worker)
{
    if (m->run[worker] || m->err[worker].status) return m->run[worker];
    saltus_options options = *m->options;
    options.threads = 1;
    options.progress = worker == 0 ? call_progress : is_stopped;
    options.progress_context = m;
    m->run[worker] = saltus_run_new(m->system, &options, &m->err[worker]);
    if (!m->run[worker]) atomic_store(&m->is_stopped, true);
    return m->run[worker];
}

static void put_nan(double *values, size_t count)
{
    for (size_t i = 0; values && i < count; i++) values[i] = NAN;
}

static void compute_costs(map *m, int worker, double *cost)
{
    double       *all = m->all + (size_t)worker * (size_t)saltus_system_size(m->system).costs;
    saltus_error  err = {0};
    saltus_status status = saltus_run_costs(m->run[worker], all, &err);
    for (int i = 0; i < m->request.cost_count && status == SALTUS_OK; i++)
        cost[i] = all[m->request.costs[i]];
}

static void compute_point(void *context, int worker, int point)
{
    map         *m = context;
    const size_t costs = (size_t)m->request.cost_count, params = (size_t)m->request.param_count;
    const size_t all = (size_t)saltus_system_size(m->system).params, number = (size_t)point;
    double      *cost = m->cost ? m->cost + number * costs : NULL;
    double      *gradient = m->gradient ? m->gradient + number * costs * params : NULL;
    saltus_map_result result = {.status = SALTUS_ERR_INTERRUPTED, .outcome = SALTUS_NOT_SIMULATED};
    saltus_error      err = {0};
    put_nan(cost, costs);
    put_nan(gradient, costs * params);
    saltus_run *run = atomic_load(&m->is_stopped) ? NULL : find_run(m, worker);
    if (run) {
        result.status = saltus_run_simulate(run, m->points + number * all, &err);
        const saltus_run_info *info = saltus_run_get_info(run);
        result.outcome = info->outcome;
        result.events = info->events;
        result.t = info->t;
        if (result.status == SALTUS_OK && cost) compute_costs(m, worker, cost);
        if (result.status == SALTUS_OK && gradient && info->outcome != SALTUS_INTERRUPTED)
            result.status = saltus_run_gradients(run, &m->request, gradient, NULL, NULL, &err);
        if (info->outcome == SALTUS_INTERRUPTED) result.status = SALTUS_ERR_INTERRUPTED;
        if (result.status == SALTUS_ERR_MEMORY && !m->err[worker].status) m->err[worker] = err;
    }
    if (m->result) m->result[point] = result;
}

static saltus_status first_failure(const map *m, saltus_error *err)
{
    for (int i = 0; i < SAL_POOL_THREADS; i++)
        if (m->err[i].status) return sal_fail(err, m->err[i].status, "%s", m->err[i].message);
    if (atomic_load(&m->is_stopped))
        return sal_fail(err, SALTUS_ERR_INTERRUPTED, "interrupted: some points were not computed");
    return SALTUS_OK;
}

static saltus_status check_request(const saltus_system *system, const saltus_request *request,
                                   const double *points, int count, saltus_error *err)
{
    if (!system) return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no system to simulate");
    if (count < 0) return sal_fail(err, SALTUS_ERR_ARGUMENT, "a list of %d points", count);
    if (count > 0 && !points && saltus_system_size(system).params > 0)
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no list of %d points", count);
    return request ? sal_request_check(system, request, err) : SALTUS_OK;
}

/* Fills in the lists that the request leaves out: all costs, all parameters that are not fixed. */
static saltus_status spell_out(map *m, sal_arena *scratch, saltus_error *err)
{
    const saltus_size size = saltus_system_size(m->system);
    int              *costs = ARENA_NEW(scratch, size.costs, int);
    int              *params = ARENA_NEW(scratch, size.params, int), free_params = 0;
    m->all = ARENA_NEW(scratch, (size_t)size.costs * SAL_POOL_THREADS, double);
    m->run = ARENA_NEW(scratch, SAL_POOL_THREADS, saltus_run *);
    m->err = ARENA_NEW(scratch, SAL_POOL_THREADS, saltus_error);
    if (scratch->failed) return sal_fail_memory(err);
    for (int i = 0; i < size.costs; i++) costs[i] = i;
    for (int i = 0; i < size.params; i++)
        if (!saltus_system_param(m->system, i).fixed) params[free_params++] = i;
    if (!m->request.costs) {
        m->request.costs = costs;
        m->request.cost_count = size.costs;
    }
    if (!m->request.params) {
        m->request.params = params;
        m->request.param_count = free_params;
    }
    return SALTUS_OK;
}

/* Notes in all results that no point was simulated, and returns why. */
static saltus_status refuse(saltus_map_result *result, int count, saltus_status status)
{
    for (int i = 0; result && i < count; i++)
        result[i] =
            (saltus_map_result){.status = status, .outcome = SALTUS_NOT_SIMULATED, .t = NAN};
    return status;
}

saltus_status saltus_map(const saltus_system *system, const saltus_options *options,
                         const saltus_request *request, const double *points, int count,
                         double *cost, double *gradient, saltus_map_result *result,
                         saltus_error *err)
{
    HOLD_HOST;
    if (err && err->status) return err->status;
    saltus_status        status = check_request(system, request, points, count, err);
    const saltus_options own = options ? *options : saltus_system_options(system);
    if (status == SALTUS_OK) status = sal_check_options(&own, err);
    if (status != SALTUS_OK) return refuse(result, count, status);
    map m = {.system = system,
             .options = &own,
             .points = points,
             .cost = cost,
             .gradient = gradient,
             .result = result};
    m.request = request ? *request : (saltus_request){.method = SALTUS_AUTO};
    WORK_ARENA(scratch, &system->allocator);
    status = spell_out(&m, &scratch, err);
    /* the first run is made before any thread starts: if it fails, so do all */
    if (status == SALTUS_OK && !find_run(&m, 0)) status = first_failure(&m, err);
    if (status == SALTUS_OK) {
        sal_pool_run(own.threads, count, compute_point, &m);
        status = first_failure(&m, err);
    } else refuse(result, count, status);
    for (int i = 0; m.run && i < SAL_POOL_THREADS; i++) saltus_run_free(m.run[i]);
    return status;
}
