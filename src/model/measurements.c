/* Measurements: the data to which a fit compares the motion. Runs do not depend on them. */
#include <math.h>
#include <string.h>

#include "base/host.h"
#include "model/model.h"

static double *copy_numbers(saltus_model *model, const double *from, int count)
{
    double *to = ARENA_NEW(&model->arena, count, double);
    if (to && from && count) memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

static bool are_finite(saltus_model *model, const char *name, const char *what,
                       const double *values, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i])) {
            saltus_model_fail(model, "measurement '%s': %s %d is not a number", name, what, i + 1);
            return false;
        }
    return true;
}

static bool ascend(saltus_model *model, const char *name, const double *at, int count)
{
    for (int i = 1; i < count; i++)
        if (at[i] < at[i - 1]) {
            saltus_model_fail(model,
                              "measurement '%s': its times must not decrease, but %.10g (number "
                              "%d) is followed by %.10g; sort the rows by time",
                              name, at[i - 1], i, at[i]);
            return false;
        }
    return true;
}

static bool is_complete(saltus_model *model, const char *name, const saltus_measurement_def *def)
{
    if (!sal_model_named(model, name, "a measurement")) return false;
    for (int i = 0; i < model->measurements.count; i++)
        if (sal_model_taken(model, &model->measurements.data[i].label, name, "measurements"))
            return false;
    if (!def || def->count < 1 || !def->value)
        saltus_model_fail(model, "measurement '%s' has no values", name);
    else if (!def->event == !def->of.id)
        saltus_model_fail(model,
                          "measurement '%s' needs either an expression (of = and at =) or an "
                          "event (event =)",
                          name);
    else if (def->of.id && !def->at)
        saltus_model_fail(model, "measurement '%s' has no times: at = is missing", name);
    else if (def->sigma_count < 0 || (def->sigma_count > 0 && !def->sigma) ||
             (def->sigma_count > 1 && def->sigma_count != def->count))
        saltus_model_fail(model,
                          "measurement '%s' has %d values, but %d standard deviations; give one "
                          "for all, or one for each",
                          name, def->count, def->sigma_count);
    return !sal_model_failed(model);
}

void saltus_measurement(saltus_model *model, const char *name, const saltus_measurement_def *def)
{
    HOLD_HOST;
    sal_node of = 0;
    if (!is_complete(model, name, def)) return;
    if (def->of.id) {
        of = sal_model_node(model, def->of, "of=");
        if (!sal_model_allow(model, of, SAL_KINDS_MOTION, "of=", "") ||
            !are_finite(model, name, "time", def->at, def->count) ||
            !ascend(model, name, def->at, def->count))
            return;
    }
    if (!are_finite(model, name, "value", def->value, def->count)) return;
    for (int i = 0; i < def->sigma_count; i++)
        if (!(def->sigma[i] > 0.0) || !isfinite(def->sigma[i])) {
            saltus_model_fail(model, "measurement '%s': sigma is %g, but it must be positive", name,
                              def->sigma[i]);
            return;
        }
    sal_measurement row = {.label = sal_model_label(model, name, NULL, NULL),
                           .of = of,
                           .event = sal_arena_text(&model->arena, def->event),
                           .count = def->count,
                           .weighted = def->sigma_count > 0,
                           .at = copy_numbers(model, def->at, of ? def->count : 0),
                           .value = copy_numbers(model, def->value, def->count),
                           .sigma = copy_numbers(model, NULL, def->count)};
    if (model->arena.failed) {
        sal_model_out_of_memory(model);
        return;
    }
    for (int i = 0; i < def->count; i++)
        row.sigma[i] = def->sigma_count == 0   ? 1.0
                       : def->sigma_count == 1 ? def->sigma[0]
                                               : def->sigma[i];
    SAL_MODEL_PUSH(model, &model->measurements, row);
}

int saltus_model_measurement_count(const saltus_model *model)
{
    return model ? model->measurements.count : 0;
}

saltus_measurement_info saltus_model_measurement(const saltus_model *model, int index)
{
    if (!model || index < 0 || index >= model->measurements.count)
        return (saltus_measurement_info){.name = ""};
    const sal_measurement *row = &model->measurements.data[index];
    return (saltus_measurement_info){.name = row->label.name,
                                     .event = row->event,
                                     .of = {row->of},
                                     .at = row->of ? row->at : NULL,
                                     .value = row->value,
                                     .sigma = row->weighted ? row->sigma : NULL,
                                     .count = row->count,
                                     .line = row->label.place.line};
}
