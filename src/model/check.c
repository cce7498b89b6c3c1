/* The checks that are possible only when the model is complete. */
#include <string.h>

#include "model/model.h"

static saltus_status fail_at(saltus_error *err, sal_place place, const char *format, ...)
    SAL_PRINTF(3, 4);

static saltus_status fail_at(saltus_error *err, sal_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sal_fail_list(err, SALTUS_ERR_MODEL, place.file, place.line, format, arguments);
    va_end(arguments);
    return SALTUS_ERR_MODEL;
}

bool sal_model_enters(const saltus_model *model, int mode)
{
    if (model->groups.data[model->modes.data[mode].group].first == mode) return true;
    for (int i = 0; i < model->found_contacts.count; i++)
        if (model->found_contacts.data[i].group == model->modes.data[mode].group) return true;
    for (int i = 0; i < model->events.count; i++)
        for (int k = 0; k < model->events.data[i].to.count; k++)
            if (model->events.data[i].to.mode[k] == mode) return true;
    return false;
}

/* Fails if an event belongs only to modes that are never entered. */
static saltus_status check_from(const saltus_model *model, const sal_event *event,
                                saltus_error *err)
{
    for (int i = 0; i < event->from.count;) {
        const int group = model->modes.data[event->from.mode[i]].group;
        const int first = event->from.mode[i];
        bool      possible = false;
        for (; i < event->from.count && model->modes.data[event->from.mode[i]].group == group; i++)
            possible = possible || sal_model_enters(model, event->from.mode[i]);
        if (!possible)
            return fail_at(err, event->label.place,
                           "event '%s' belongs to mode '%s', which is never entered: it is not the "
                           "first mode of its group; give an event to = %s",
                           event->label.name, model->modes.data[first].label.name,
                           model->modes.data[first].label.name);
    }
    return SALTUS_OK;
}

static saltus_status check_charges(const saltus_model *model, const sal_event *event,
                                   saltus_error *err)
{
    for (int i = 0; i < event->charge.count; i++) {
        const sal_charge *charge = &event->charge.data[i];
        const char       *best = NULL;
        bool              found = false;
        for (int k = 0; k < model->costs.count; k++) {
            const char *pair[2] = {model->costs.data[k].label.name, best};
            best = sal_nearest(charge->cost, pair, 2);
            found = found || strcmp(charge->cost, pair[0]) == 0;
        }
        if (!found)
            return fail_at(err, charge->place,
                           "event '%s' charges the cost '%s', which is not "
                           "declared%s%s%s",
                           event->label.name, charge->cost, best ? "; did you mean '" : "",
                           best ? best : "", best ? "'?" : "");
    }
    return SALTUS_OK;
}

/* A cost without integral, final value and peak must be charged by an event. */
static saltus_status check_cost(const saltus_model *model, const sal_cost *cost, saltus_error *err)
{
    if (cost->integral || cost->final || cost->peak) return SALTUS_OK;
    for (int i = 0; i < model->events.count; i++)
        for (int k = 0; k < model->events.data[i].charge.count; k++)
            if (strcmp(model->events.data[i].charge.data[k].cost, cost->label.name) == 0)
                return SALTUS_OK;
    return fail_at(
        err, cost->label.place,
        "cost '%s' has no expression: give integral=, final=, max=, min= or charge it at "
        "an event",
        cost->label.name);
}

saltus_status sal_model_check(const saltus_model *model, saltus_error *err)
{
    const saltus_error *mistake = saltus_model_error(model);
    const sal_place     nowhere = {model->place.file, 0};
    if (mistake->status) {
        if (err && err->status == SALTUS_OK) *err = *mistake;
        return mistake->status;
    }
    if (model->coordinates.count == 0)
        return fail_at(err, nowhere,
                       "the model has no coordinate; add coordinate(\"x\", {start = 0})");
    if (!model->has_horizon)
        return fail_at(err, nowhere, "the model has no horizon; add horizon(0, 1)");
    for (int i = 0; i < model->coordinates.count; i++) {
        const sal_coordinate *row = &model->coordinates.data[i];
        if (row->state && !row->rated)
            return fail_at(err, row->label.place,
                           "state '%s' has no rate; give rate=, or declare it as a memory if it "
                           "changes at events only",
                           row->label.name);
    }
    for (int i = 0; i < model->events.count; i++) {
        TRY(check_from(model, &model->events.data[i], err));
        TRY(check_charges(model, &model->events.data[i], err));
    }
    for (int i = 0; i < model->costs.count; i++) TRY(check_cost(model, &model->costs.data[i], err));
    return SALTUS_OK;
}
