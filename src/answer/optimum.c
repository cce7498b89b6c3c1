/* The result of an optimisation. */
#include <math.h>
#include <string.h>

#include "answer/study.h"
#include "base/status.h"
#include "compile/system.h"
#include "saltus/saltus.h"

static const char INTERRUPTED[] = "interrupted: this is the best point so far";

/* ---- writing -------------------------------------------------------------------------------- */

static const char *limit_name(const saltus_optimum *o, int row)
{
    const sal_task *t = &o->task;
    return saltus_system_cost(o->system, t->costs[t->row[row].cost]).name;
}

/* The message about a result; "" if there is none, NULL if memory ran out. */
static const char *message_of(saltus_optimum *o, const sal_local *l)
{
    const int           worst = l->found.worst;
    const sal_task_row *row = worst >= 0 ? &o->task.row[worst] : NULL;
    if (l->ended == SAL_STOPPED) return INTERRUPTED;
    if (l->ended == SAL_LIMIT)
        return sal_arena_format(
            &o->arena, "%d iterations did not suffice: start from this point again", l->iterations);
    if (l->ended == SAL_STALLED && l->status == SALTUS_OPTIMUM_LIMIT)
        return sal_arena_format(&o->arena,
                                "no step lowers the cost, but the conditions of an optimum are "
                                "met to %.1e only: a smaller tolerance of the runs may help",
                                l->found.kkt);
    if (l->ended == SAL_UNBOUNDED)
        return sal_arena_format(&o->arena,
                                "the cost has no lower bound: it falls to %g and further; give "
                                "bounds to the parameters",
                                l->value);
    if (l->ended == SAL_INFEASIBLE && row)
        return sal_arena_format(&o->arena,
                                "the limits cannot be met near here: '%s' is %g, but should be %s "
                                "%g; try another start",
                                limit_name(o, worst), o->costs[o->task.costs[row->cost]],
                                worst < o->task.equations ? "equal to"
                                : row->sign > 0.0         ? "at least"
                                                          : "at most",
                                row->bound);
    return "";
}

saltus_status sal_study_write_result(sal_study *s, int best, saltus_error *err)
{
    saltus_optimum         *o = s->result;
    const sal_local        *l = &s->local[best];
    const sal_task         *t = s->task;
    const saltus_allocator *allocator = &o->arena.allocator;
    sal_task_params(t, l->x, o->params);
    sal_landscape *landscape = sal_study_landscape(s, 0);
    if (!landscape) return sal_fail_memory(err);
    landscape->is_kept = false;
    s->is_ending = true;
    for (int i = 0; i < t->all_costs; i++) o->costs[i] = NAN;
    if (sal_landscape_simulate(landscape, l->x) == SAL_EVALUATED) {
        memcpy(o->costs, landscape->cost, (size_t)t->all_costs * sizeof(double));
        for (int i = 0; i < landscape->sequence.count; i++)
            if (!ARRAY_PUSH(allocator, &o->event, landscape->sequence.data[i]))
                return sal_fail_memory(err);
    }
    memcpy(o->border, l->border, sizeof o->border);
    for (int k = 0; k < t->rows; k++)
        o->multiplier[t->row[k].limit] += l->y[k] * (k < t->equations ? 1.0 : t->row[k].sign);
    const bool  was_stopped = sal_study_is_stopped(s);
    const char *message = message_of(o, l);
    if (!message) return sal_fail_memory(err);
    const long long runs = o->info.runs, gradients = o->info.gradients;
    const int       searches = o->info.searches;
    o->info = (saltus_optimum_info){.status = was_stopped ? SALTUS_OPTIMUM_INTERRUPTED : l->status,
                                    .message = was_stopped && !*message ? INTERRUPTED : message,
                                    .value = l->value,
                                    .start_value = s->local[0].start_value,
                                    .violation = l->found.violation,
                                    .kkt = l->found.kkt,
                                    .iterations = l->iterations,
                                    .runs = runs,
                                    .gradients = gradients,
                                    .searches = searches,
                                    .params = t->param_count,
                                    .costs = t->all_costs,
                                    .events = o->event.count,
                                    .borders = l->borders,
                                    .optima = o->row.count};
    return SALTUS_OK;
}

/* ---- reading back --------------------------------------------------------------------------- */

saltus_optimum_info saltus_optimum_get_info(const saltus_optimum *o)
{
    return o ? o->info
             : (saltus_optimum_info){.status = SALTUS_OPTIMUM_LIMIT,
                                     .message = "",
                                     .value = NAN,
                                     .start_value = NAN,
                                     .violation = NAN,
                                     .kkt = NAN};
}

const double *saltus_optimum_params(const saltus_optimum *o) { return o ? o->params : NULL; }

const double *saltus_optimum_costs(const saltus_optimum *o) { return o ? o->costs : NULL; }

int saltus_optimum_is_over(const saltus_optimum *o, int param)
{
    for (int i = 0; o && i < o->task.n; i++)
        if (o->task.over[i] == param) return 1;
    return 0;
}

const char *saltus_optimum_event(const saltus_optimum *o, int index)
{
    const bool has = o && index >= 0 && index < o->event.count;
    return has ? saltus_system_event(o->system, o->event.data[index]).name : "";
}

saltus_border saltus_optimum_border(const saltus_optimum *o, int index)
{
    if (!o || index < 0 || index >= o->info.borders) return (saltus_border){"", "", "", NAN, NAN};
    const sal_local_border *b = &o->border[index];
    const int               second = b->what.second;
    return (saltus_border){.kind = saltus_clearance_kind_name(b->what.kind),
                           .first = b->what.kind == SALTUS_CLEAR_PEAK
                                        ? saltus_system_cost(o->system, b->what.first).name
                                        : saltus_system_event(o->system, b->what.first).name,
                           .second = second < 0 ? "" : saltus_system_event(o->system, second).name,
                           .distance = b->distance,
                           .multiplier = b->multiplier};
}

double saltus_optimum_multiplier(const saltus_optimum *o, int limit)
{
    return o && limit >= 0 && limit < o->task.limit_count ? o->multiplier[limit] : NAN;
}

saltus_optimum_row saltus_optimum_get_row(const saltus_optimum *o, int index)
{
    const bool has = o && index >= 0 && index < o->row.count;
    return has ? o->row.data[index]
               : (saltus_optimum_row){.status = SALTUS_OPTIMUM_LIMIT, .value = NAN};
}
