#include "answer/task.h"

#include <math.h>
#include <string.h>

#include "base/names.h"
#include "base/status.h"
#include "compile/system.h"

/* Fails because of an unknown name: an error of the model if the goal is that of the script, else
 * one of the caller. */
static saltus_status refuse(const saltus_system *system, const saltus_goal *goal, saltus_error *err,
                            const char *what, const char *name, const char *nearest)
{
    const sal_goal *own = &system->model->goal;
    const bool      is_own = own->is_set && goal->limits == system->model->limits.data &&
                        goal->minimise == own->minimise && goal->over == system->model->over.data;
    const char *file = is_own ? own->place.file : NULL;
    return sal_fail_at(err, is_own ? SALTUS_ERR_MODEL : SALTUS_ERR_ARGUMENT, file,
                       is_own ? own->place.line : 0, "optimise: there is no %s '%s'%s%s%s", what,
                       name, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                       nearest ? "'?" : "");
}

static saltus_status find_cost(const saltus_system *system, const saltus_goal *goal,
                               const char *name, int *index, saltus_error *err)
{
    const char *best = NULL;
    *index = name ? saltus_system_find_cost(system, name) : -1;
    if (*index >= 0) return SALTUS_OK;
    for (int i = 0; name && i < system->nc; i++) {
        const char *pair[2] = {saltus_system_cost(system, i).name, best};
        best = sal_nearest(name, pair, best ? 2 : 1);
    }
    return refuse(system, goal, err, "cost", name ? name : "", best);
}

static saltus_status mark_params(const saltus_system *system, const saltus_goal *goal,
                                 const char *pattern, bool *chosen, saltus_error *err)
{
    const char *best = NULL;
    bool        is_found = false;
    for (int i = 0; i < system->np; i++) {
        const char *name = saltus_system_param(system, i).name;
        const char *pair[2] = {name, best};
        if (sal_name_matches(pattern, name)) chosen[i] = is_found = true;
        best = sal_nearest(pattern, pair, best ? 2 : 1);
    }
    return is_found ? SALTUS_OK : refuse(system, goal, err, "parameter", pattern, best);
}

static saltus_status choose_params(sal_task *t, sal_arena *arena, const saltus_goal *goal,
                                   saltus_error *err)
{
    bool *chosen = ARENA_NEW(arena, t->param_count, bool);
    if (arena->failed) return sal_fail_memory(err);
    for (int i = 0; i < goal->over_count; i++)
        TRY(mark_params(t->system, goal, goal->over[i] ? goal->over[i] : "", chosen, err));
    for (int i = 0; i < t->param_count; i++) {
        const saltus_param_info info = saltus_system_param(t->system, i);
        if (goal->over_count ? !chosen[i] : info.fixed) continue;
        t->over[t->n] = i;
        t->lower[t->n] = info.lower;
        t->upper[t->n++] = info.upper;
    }
    if (t->n == 0)
        return sal_fail(err, SALTUS_ERR_ARGUMENT,
                        "optimise: all parameters are fixed: name the ones to optimise (over=)");
    return SALTUS_OK;
}

/* The place of a cost among those that are differentiated; adds it if it is new. */
static int place_of(sal_task *t, int cost)
{
    for (int i = 0; i < t->cost_count; i++)
        if (t->costs[i] == cost) return i;
    t->costs[t->cost_count] = cost;
    return t->cost_count++;
}

/* Returns the expression whose extreme value the cost contains, if the limit is on the side where
 * it is extreme; else -1. */
static int limited_peak(const saltus_system *system, int cost, double sign)
{
    for (int i = 0; i < system->peaks; i++)
        if (system->peak[i].cost == cost && system->peak[i].sign * sign < 0.0) return i;
    return -1;
}

static void add_rows(sal_task *t, int limit, int place, double sign, double bound, bool is_equation)
{
    const int expression = is_equation ? -1 : limited_peak(t->system, t->costs[place], sign);
    const int rows = expression < 0 ? 1 : SAL_PEAK_ROWS;
    for (int i = 0; i < rows; i++)
        t->row[t->rows++] = (sal_task_row){place, limit, sign, bound, expression, i};
}

static saltus_status add_limits(sal_task *t, const saltus_goal *goal, bool equations,
                                saltus_error *err)
{
    for (int i = 0; i < goal->limit_count; i++) {
        const saltus_limit *limit = &goal->limits[i];
        const bool          is_equation = limit->lower == limit->upper;
        int                 cost;
        TRY(find_cost(t->system, goal, limit->cost, &cost, err));
        if (!(limit->lower <= limit->upper) || limit->lower == INFINITY ||
            limit->upper == -INFINITY)
            return sal_fail(err, SALTUS_ERR_ARGUMENT, "optimise: '%s' cannot be between %g and %g",
                            limit->cost, limit->lower, limit->upper);
        if (is_equation != equations) continue;
        const int place = place_of(t, cost);
        if (isfinite(limit->lower)) add_rows(t, i, place, 1.0, limit->lower, is_equation);
        if (isfinite(limit->upper) && !is_equation)
            add_rows(t, i, place, -1.0, limit->upper, false);
    }
    if (equations) t->equations = t->rows;
    return SALTUS_OK;
}

/* The scale of an unknown: its value or, if that is zero, a part of its range; at most half the
 * range. */
static double scale_of(double value, double lower, double upper)
{
    const double range = upper - lower;
    const bool   has_range = isfinite(range) && range > 0.0;
    const double size = value != 0.0 ? fabs(value) : has_range ? 0.25 * range : 1.0;
    return has_range ? fmin(size, 0.5 * range) : size;
}

static saltus_status take_params(sal_task *t, const double *params, saltus_error *err)
{
    for (int i = 0; i < t->param_count; i++) {
        const saltus_param_info info = saltus_system_param(t->system, i);
        t->params[i] = params ? params[i] : info.value;
        if (!isfinite(t->params[i]))
            return sal_fail(err, SALTUS_ERR_ARGUMENT, "parameter '%s' is %g", info.name,
                            t->params[i]);
    }
    return SALTUS_OK;
}

saltus_status sal_task_read(sal_task *t, sal_arena *arena, const saltus_system *system,
                            const saltus_goal *goal, const double *params, saltus_error *err)
{
    int  objective;
    char text[SAL_GOAL_TEXT];
    *t = (sal_task){.system = system,
                    .param_count = system->np,
                    .all_costs = system->nc,
                    .limit_count = goal->limit_count,
                    .sequences = goal->sequences,
                    .starts = goal->starts > 1 ? goal->starts : 1,
                    .engine = goal->engine,
                    .intervals = goal->shooting > 1 ? goal->shooting : 1};
    const char *wrong = sal_goal_check(goal, text);
    if (wrong) return sal_fail(err, SALTUS_ERR_ARGUMENT, "optimise: %s", wrong);
    if (!goal->minimise)
        return sal_fail(
            err, SALTUS_ERR_ARGUMENT,
            "optimise: no cost to minimise: write optimise{minimise = ...} in the script, or give "
            "--minimise");
    t->over = ARENA_NEW(arena, t->param_count, int);
    ARENA_VECTORS(arena, t->param_count, &t->lower, &t->upper, &t->scale, &t->params);
    t->row = ARENA_NEW(arena, (1 + SAL_PEAK_ROWS) * goal->limit_count, sal_task_row);
    t->costs = ARENA_NEW(arena, goal->limit_count + 1, int);
    if (arena->failed) return sal_fail_memory(err);
    TRY(find_cost(system, goal, goal->minimise, &objective, err));
    place_of(t, objective);
    TRY(choose_params(t, arena, goal, err));
    TRY(add_limits(t, goal, true, err));
    TRY(add_limits(t, goal, false, err));
    TRY(take_params(t, params, err));
    for (int i = 0; i < t->n; i++)
        t->scale[i] = scale_of(t->params[t->over[i]], t->lower[i], t->upper[i]);
    return SALTUS_OK;
}

void sal_task_params(const sal_task *t, const double *x, double *params)
{
    memcpy(params, t->params, (size_t)t->param_count * sizeof(double));
    for (int i = 0; i < t->n; i++) params[t->over[i]] = x[i];
}
