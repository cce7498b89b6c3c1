/* The costs of a model: their names, extreme values along the motion, and the removal of those that
 * are not requested. */
#include <string.h>

#include "base/host.h"
#include "model/model.h"

int saltus_model_cost_count(const saltus_model *model) { return model ? model->costs.count : 0; }

const char *saltus_model_cost_name(const saltus_model *model, int index)
{
    const bool has = index >= 0 && index < saltus_model_cost_count(model);
    return has ? model->costs.data[index].label.name : "";
}

static bool is_cost(const saltus_model *model, const char *name)
{
    for (int i = 0; i < model->costs.count; i++)
        if (strcmp(model->costs.data[i].label.name, name) == 0) return true;
    return false;
}

static saltus_status refuse(const saltus_model *model, const char *name, saltus_error *err)
{
    const char *best = NULL;
    for (int i = 0; i < model->costs.count; i++) {
        const char *pair[2] = {model->costs.data[i].label.name, best};
        best = sal_nearest(name, pair, 2);
    }
    return sal_fail(err, SALTUS_ERR_ARGUMENT, "the model has no cost '%s'%s%s%s", name,
                    best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}

static bool is_among(const char *name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static void keep_charges(saltus_model *model, sal_event *event)
{
    int kept = 0;
    for (int i = 0; i < event->charge.count; i++)
        if (is_cost(model, event->charge.data[i].cost))
            event->charge.data[kept++] = event->charge.data[i];
    event->charge.count = kept;
}

saltus_status sal_model_keep_costs(saltus_model *model, const char *const *names, int count,
                                   saltus_error *err)
{
    int kept = 0;
    if (count < 0 || (count > 0 && !names))
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "a list of %d costs", count);
    for (int i = 0; i < count; i++)
        if (!names[i] || !is_cost(model, names[i]))
            return refuse(model, names[i] ? names[i] : "", err);
    for (int i = 0; i < model->costs.count; i++)
        if (is_among(model->costs.data[i].label.name, names, count))
            model->costs.data[kept++] = model->costs.data[i];
    model->costs.count = kept;
    for (int i = 0; i < model->events.count; i++) keep_charges(model, &model->events.data[i]);
    return SALTUS_OK;
}

/* ---- peaks ---------------------------------------------------------------------------------- */

static void set_peak(saltus_model *model, const char *name, saltus_expr of, bool lowest)
{
    const char  *word = lowest ? "min=" : "max=";
    saltus_error unknown = {0};
    if (sal_model_failed(model) || !sal_model_named(model, name, "a cost with a peak")) return;
    const sal_node peak = sal_model_node(model, of, word);
    if (!sal_model_allow(model, peak, SAL_KINDS_MOTION, word, "")) return;
    for (int i = 0; i < model->costs.count; i++) {
        sal_cost *cost = &model->costs.data[i];
        if (strcmp(cost->label.name, name) != 0) continue;
        if (cost->peak)
            saltus_model_fail(
                model, "cost '%s' has max= or min= already: declare two costs, one for each", name);
        else {
            cost->peak = peak;
            cost->lowest = lowest;
        }
        return;
    }
    refuse(model, name, &unknown);
    saltus_model_fail(model, "%s", unknown.message);
}

void saltus_cost_max(saltus_model *model, const char *cost, saltus_expr of)
{
    HOLD_HOST;
    set_peak(model, cost, of, false);
}

void saltus_cost_min(saltus_model *model, const char *cost, saltus_expr of)
{
    HOLD_HOST;
    set_peak(model, cost, of, true);
}
