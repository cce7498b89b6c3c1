/* What a model asks to be optimised. */
#include <math.h>

#include "base/host.h"
#include "model/model.h"

static bool is_list(saltus_model *model, int count, const void *list, const char *what)
{
    if (count >= 0 && (count == 0 || list)) return true;
    saltus_model_fail(model, "optimise: a list of %d %s", count, what);
    return false;
}

static void add_limit(saltus_model *model, const saltus_limit *limit)
{
    if (!limit->cost) saltus_model_fail(model, "optimise: a limit needs the name of a cost");
    else if (!(limit->lower <= limit->upper) || limit->lower == INFINITY ||
             limit->upper == -INFINITY)
        saltus_model_fail(model, "optimise: '%s' cannot be between %g and %g", limit->cost,
                          limit->lower, limit->upper);
    if (sal_model_failed(model)) return;
    const saltus_limit copy = {sal_arena_text(&model->arena, limit->cost), limit->lower,
                               limit->upper};
    SAL_MODEL_PUSH(model, &model->limits, copy);
}

void saltus_model_set_goal(saltus_model *model, const saltus_goal *goal)
{
    HOLD_HOST;
    if (!model || sal_model_failed(model)) return;
    if (!goal) {
        saltus_model_fail(model, "optimise: there is no goal");
        return;
    }
    if (!is_list(model, goal->over_count, goal->over, "parameters") ||
        !is_list(model, goal->limit_count, goal->limits, "limits"))
        return;
    if ((int)goal->sequences < 0 || goal->sequences > SALTUS_SEARCH_SEQUENCES || goal->starts < 0 ||
        goal->shooting < 0 || goal->shooting > SALTUS_INTERVALS || (int)goal->engine < 0 ||
        goal->engine > SALTUS_ENGINE_IPOPT) {
        saltus_model_fail(
            model, "optimise: sequences is %d, starts is %d, shooting is %d and engine is %d",
            (int)goal->sequences, goal->starts, goal->shooting, (int)goal->engine);
        return;
    }
    model->over.count = model->limits.count = 0;
    for (int i = 0; i < goal->over_count; i++) {
        const char *name = sal_arena_text(&model->arena, goal->over[i] ? goal->over[i] : "");
        SAL_MODEL_PUSH(model, &model->over, name);
    }
    for (int i = 0; i < goal->limit_count; i++) add_limit(model, &goal->limits[i]);
    model->goal = (sal_goal){.is_set = true,
                             .minimise = sal_arena_text(&model->arena, goal->minimise),
                             .starts = goal->starts,
                             .sequences = goal->sequences,
                             .shooting = goal->shooting,
                             .engine = goal->engine,
                             .place = model->place};
    if (model->arena.failed) sal_model_out_of_memory(model);
}
