/* The map of a periodic motion: see return_map.h. */
#include "answer/return_map.h"

#include <math.h>
#include <string.h>

#include "api/options.h"
#include "base/status.h"
#include "gradient/requests.h"
#include "model/model.h"

/* Tolerance of the run: derivatives of multipliers are differences of gradients, in which its
 * errors show. */
static const double TOLERANCE = 1e-13;

/* ---- the model with its final values -------------------------------------------------------- */

/* Whether one of the expressions contains the parameter. */
static bool is_in(sal_graph *graph, const sal_node *roots, int count, int param)
{
    int kind, index;
    if (!sal_graph_walk(graph, roots, count)) return false;
    for (int i = 0; i < graph->walk.list.count; i++)
        if (sal_is_leaf(graph, graph->walk.list.data[i], &kind, &index) && kind == SAL_LEAF_P &&
            index == param)
            return true;
    return false;
}

static bool is_in_starts(saltus_model *model, int param)
{
    for (int i = 0; i < model->coordinates.count; i++) {
        const sal_coordinate *q = &model->coordinates.data[i];
        if (is_in(&model->graph, (sal_node[]){q->start, q->speed}, 2, param)) return true;
    }
    for (int i = 0; i < model->memories.count; i++)
        if (is_in(&model->graph, &model->memories.data[i].start, 1, param)) return true;
    return false;
}

/* Whether the parameter is a phase, which is added to the time: it then sets where in a cycle the
 * motion starts. */
static bool is_phase(saltus_model *model, int param)
{
    const unsigned time = sal_kind_bit(SAL_LEAF_T), others = sal_kind_bit(SAL_LEAF_P);
    for (int i = 1; i < model->graph.nodes.count; i++) {
        const sal_node_data node = model->graph.nodes.data[i];
        if (node.op != SAL_OP_ADD && node.op != SAL_OP_SUB) continue;
        for (int side = 0; side < 2; side++) {
            const sal_node a = node.arg[side], b = node.arg[1 - side];
            const unsigned of_a = model->graph.nodes.data[a].kinds;
            const unsigned of_b = model->graph.nodes.data[b].kinds;
            if ((of_a & time) && !(of_a & ~(time | others)) && of_b == others &&
                is_in(&model->graph, &b, 1, param))
                return true;
        }
    }
    return false;
}

static saltus_status check_returns(saltus_model *model, saltus_error *err)
{
    if (model->returns.count == 0)
        return sal_fail(err, SALTUS_ERR_MODEL,
                        "the model does not say when it repeats itself: add periodic{[x0] = x, "
                        "...}, with a start parameter and its value at the end");
    for (int i = 0; i < model->returns.count; i++) {
        const sal_return *row = &model->returns.data[i];
        if (!is_in_starts(model, row->param) && !is_phase(model, row->param))
            return sal_fail_at(err, SALTUS_ERR_MODEL, row->place.file, row->place.line,
                               "periodic: the parameter '%s' is in no start value: use it in "
                               "start=, speed= or the start of a memory, or take the parameter "
                               "that is",
                               model->params.data[row->param].label.name);
    }
    return SALTUS_OK;
}

/* Adds a cost for each final value, with a name that no cost of the user can have. */
static saltus_status add_final_costs(saltus_model *model, saltus_error *err)
{
    for (int i = 0; i < model->returns.count; i++) {
        const sal_return *row = &model->returns.data[i];
        const char       *param = model->params.data[row->param].label.name;
        const char       *name = sal_arena_format(&model->arena, "periodic{[%s] = ...}", param);
        sal_cost          cost = {.label = {name, "", "", row->place}, .final = row->final};
        if (!name || !ARRAY_PUSH(&model->arena.allocator, &model->costs, cost))
            return sal_fail_memory(err);
    }
    return SALTUS_OK;
}

/* Removes the user's costs that are not requested. */
static saltus_status keep_costs(saltus_model *model, const saltus_request *request,
                                saltus_error *err)
{
    if (!request || !request->costs) return SALTUS_OK;
    WORK_ARENA(scratch, &model->arena.allocator);
    const char **names = ARENA_NEW(&scratch, request->cost_count, const char *);
    if (scratch.failed) return sal_fail_memory(err);
    for (int i = 0; i < request->cost_count; i++)
        names[i] = model->costs.data[request->costs[i]].label.name;
    return sal_model_keep_costs(model, names, request->cost_count, err);
}

static saltus_status compile(sal_return_map *map, saltus_model *model,
                             const saltus_request *request, saltus_error *err)
{
    TRY(check_returns(model, err));
    TRY(keep_costs(model, request, err));
    map->nc = model->costs.count;
    map->n = model->returns.count;
    TRY(add_final_costs(model, err));
    for (int i = 0; i < model->events.count; i++)
        map->has_section |= model->events.data[i].stop > 0;
    map->system = saltus_system_compile(model, err);
    return map->system ? SALTUS_OK : err ? err->status : SALTUS_ERR_MODEL;
}

/* ---- parameters of derivatives -------------------------------------------------------------- */

static bool is_unknown(const sal_return_map *map, int param)
{
    for (int i = 0; i < map->n; i++)
        if (map->column[i] == param) return true;
    return false;
}

static void choose_columns(sal_return_map *map, const saltus_model *model,
                           const saltus_request *request)
{
    const int *wanted = request ? request->params : NULL;
    const int  count = wanted ? request->param_count : map->np;
    for (int i = 0; i < map->n; i++) map->column[i] = model->returns.data[i].param;
    for (int i = 0; i < count; i++) {
        const int param = wanted ? wanted[i] : i;
        if (is_unknown(map, param) || (!wanted && model->params.data[param].fixed)) continue;
        map->column[map->n + map->by++] = param;
    }
    for (int i = 0; i < map->n; i++) map->cost[i] = map->nc + i;
    for (int i = 0; i < map->nc; i++) map->cost[map->n + i] = i;
    for (int i = 0; i < map->np; i++) map->params[i] = model->params.data[i].value;
}

static saltus_status make_run(sal_return_map *map, const saltus_options *given, saltus_error *err)
{
    saltus_options options = given ? *given : saltus_system_options(map->system);
    TRY(sal_check_options(&options, err));
    const double tighter = fmin(1.0, TOLERANCE / options.rtol);
    options.rtol *= tighter;
    options.atol *= tighter;
    map->run = saltus_run_new(map->system, &options, err);
    return map->run ? SALTUS_OK : err ? err->status : SALTUS_ERR_MEMORY;
}

static saltus_status init(sal_return_map *map, saltus_model *model, const saltus_options *options,
                          const saltus_request *request, saltus_error *err)
{
    TRY(compile(map, model, request, err));
    map->np = model->params.count;
    map->method = request ? request->method : SALTUS_AUTO;
    const int wanted = request && request->params ? request->param_count : map->np;
    map->column = ARENA_NEW(&map->arena, map->n + wanted, int);
    map->cost = ARENA_NEW(&map->arena, map->n + map->nc, int);
    map->value = ARENA_NEW(&map->arena, map->n + map->nc, double);
    map->params = ARENA_NEW(&map->arena, map->np, double);
    if (map->arena.failed) return sal_fail_memory(err);
    choose_columns(map, model, request);
    return make_run(map, options, err);
}

saltus_status sal_return_map_init(sal_return_map *map, const saltus_model *model,
                                  const saltus_options *options, const saltus_request *request,
                                  saltus_error *err)
{
    *map = (sal_return_map){.allocator = model->arena.allocator};
    sal_arena_init(&map->arena, &map->allocator);
    if (model->error.status) {
        if (err && !err->status) *err = model->error;
        return model->error.status;
    }
    if (request)
        TRY(sal_request_check_counts(request, model->params.count, model->costs.count, err));
    saltus_model *copy = sal_model_clone(model, &map->allocator, err);
    if (!copy) return SALTUS_ERR_MEMORY;
    copy->compile_memory = model->compile_memory;
    copy->compile_steps = model->compile_steps;
    const saltus_status status = init(map, copy, options, request, err);
    saltus_model_free(copy);
    return status;
}

void sal_return_map_free(sal_return_map *map)
{
    saltus_run_free(map->run);
    saltus_system_free(map->system);
    ARRAY_RELEASE(&map->allocator, &map->events);
    sal_arena_free(&map->arena);
}

/* ---- values and derivatives ----------------------------------------------------------------- */

static void judge_outcome(sal_return_map *map)
{
    const saltus_run_info *info = saltus_run_get_info(map->run);
    if (info->outcome == SALTUS_TERMINAL_EVENT) return;
    if (info->outcome == SALTUS_INTERRUPTED)
        sal_fail(&map->why, SALTUS_ERR_INTERRUPTED, "interrupted");
    else if (info->outcome != SALTUS_END)
        sal_fail(&map->why, SALTUS_ERR_UNFINISHED, "%s", info->message);
    else if (map->has_section)
        sal_fail(&map->why, SALTUS_ERR_UNFINISHED,
                 "the event that ends the period did not happen until the end of the horizon, t = "
                 "%.6g",
                 info->t);
}

static void note_events(sal_return_map *map)
{
    const int count = saltus_run_get_info(map->run)->events;
    map->events.count = 0;
    if (!ARRAY_RESERVE(&map->allocator, &map->events, count)) {
        sal_fail_memory(&map->why);
        return;
    }
    for (int i = 0; i < count; i++)
        map->events.data[map->events.count++] = saltus_run_event(map->run, i).event;
}

sal_evaluation sal_return_map_simulate(sal_return_map *map)
{
    map->why = (saltus_error){0};
    map->runs++;
    saltus_run_simulate(map->run, map->params, &map->why);
    if (!map->why.status) judge_outcome(map);
    if (!map->why.status) saltus_run_costs(map->run, map->value, &map->why);
    if (!map->why.status) note_events(map);
    return sal_evaluation_of(map->why.status);
}

const double *sal_return_map_final(const sal_return_map *map) { return map->value + map->nc; }

double sal_return_map_period(const sal_return_map *map)
{
    double start;
    saltus_system_horizon(map->system, &start, NULL);
    return saltus_run_get_info(map->run)->t - start;
}

sal_evaluation sal_return_map_derive_by(sal_return_map *map, const int *params, int count,
                                        double *gradient)
{
    const saltus_request request = {map->method, map->cost, map->n, params, count};
    map->gradients++;
    saltus_run_gradients(map->run, &request, gradient, NULL, NULL, &map->why);
    return sal_evaluation_of(map->why.status);
}

sal_evaluation sal_return_map_derive(sal_return_map *map, bool all, bool costs, double *gradient,
                                     double *end)
{
    const saltus_request request = {.method = map->method,
                                    .costs = map->cost,
                                    .cost_count = map->n + (costs ? map->nc : 0),
                                    .params = map->column,
                                    .param_count = map->n + (all ? map->by : 0)};
    map->gradients++;
    saltus_run_gradients(map->run, &request, gradient, NULL, end, &map->why);
    return sal_evaluation_of(map->why.status);
}
