/* The goal of an optimisation, as declared in the model. */
#include <math.h>
#include <stdio.h>

#include "base/host.h"
#include "model/model.h"

/* Returns a message if a field of the goal is not from `first` to `last`, else NULL. */
static const char *in_range(const char *field, int value, int first, int last,
                            char text[SAL_GOAL_TEXT])
{
    if (value >= first && value <= last) return NULL;
    snprintf(text, SAL_GOAL_TEXT, "goal.%s is %d; it must be from %d to %d", field, value, first,
             last);
    return text;
}

/* Returns a message if a list of the goal is not valid, else NULL. count_field: the name of the
 * field with its length. */
static const char *is_list(const char *field, const char *count_field, int count, const void *list,
                           char text[SAL_GOAL_TEXT])
{
    if (count >= 0 && (count == 0 || list)) return NULL;
    snprintf(text, SAL_GOAL_TEXT, "goal.%s is %d%s%s%s", count_field, count,
             count < 0 ? "; it must not be negative" : ", but goal.", count < 0 ? "" : field,
             count < 0 ? "" : " is NULL");
    return text;
}

const char *sal_goal_check(const saltus_goal *goal, char text[SAL_GOAL_TEXT])
{
    const char *wrong = is_list("over", "over_count", goal->over_count, goal->over, text);
    if (!wrong) wrong = is_list("limits", "limit_count", goal->limit_count, goal->limits, text);
    if (!wrong) wrong = in_range("starts", goal->starts, 0, SALTUS_STARTS, text);
    if (!wrong) wrong = in_range("shooting", goal->shooting, 0, SALTUS_INTERVALS, text);
    if (!wrong)
        wrong = in_range("sequences", (int)goal->sequences, 0, SALTUS_SEARCH_SEQUENCES, text);
    if (!wrong) wrong = in_range("engine", (int)goal->engine, 0, SALTUS_ENGINE_IPOPT, text);
    return wrong;
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
    char text[SAL_GOAL_TEXT];
    if (!model || sal_model_failed(model)) return;
    if (!goal) {
        saltus_model_fail(model, "optimise: there is no goal");
        return;
    }
    const char *wrong = sal_goal_check(goal, text);
    if (wrong) {
        saltus_model_fail(model, "optimise: %s", wrong);
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
