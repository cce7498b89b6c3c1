/* Events: guards, conditions, resets, charges. */
#include <string.h>

#include "model/model.h"

saltus_event saltus_event_new(saltus_model *model, const char *name, saltus_expr when,
                              saltus_direction direction, saltus_modes from, saltus_modes to)
{
    const saltus_event none = {0};
    sal_event          row = {.direction = direction};
    row.when = sal_model_node(model, when, "when=");
    if (!sal_model_allow(model, row.when, SAL_KINDS_MOTION, "when=", "")) return none;
    if ((int)direction < SALTUS_ANY || (int)direction > SALTUS_FALLING) {
        saltus_model_fail(model, "there is no direction number %d", (int)direction);
        return none;
    }
    if (!sal_model_named(model, name, "an event")) return none;
    const int same = sal_name_find(&model->event_names, name);
    if (same >= 0 && sal_model_taken(model, &model->events.data[same].label, name, "events"))
        return none;
    const unsigned kinds = model->graph.nodes.data[row.when].kinds;
    if (!(kinds & ~(SAL_KIND(P) | SAL_KIND(C)))) {
        saltus_model_fail(model,
                          "the guard of event '%s' is constant: it contains neither time nor "
                          "coordinates and never crosses zero%s",
                          name,
                          kinds & SAL_KIND(C)
                              ? "; where other events set its memories, let these stop the run "
                                "(stop = 3: at the third one) or have a condition (where =)"
                              : "");
        return none;
    }
    row.from = sal_model_modes(model, from);
    row.to = sal_model_modes(model, to);
    for (int i = 1; i < row.to.count; i++)
        if (model->modes.data[row.to.mode[i]].group == model->modes.data[row.to.mode[i - 1]].group)
            saltus_model_fail(model, "event '%s' goes to two modes of one group, '%s' and '%s'",
                              name, model->modes.data[row.to.mode[i - 1]].label.name,
                              model->modes.data[row.to.mode[i]].label.name);
    if (sal_model_failed(model)) return none;
    return sal_model_add_event(model, name, row);
}

saltus_event sal_model_add_event(saltus_model *model, const char *name, sal_event row)
{
    const saltus_event none = {0};
    const int          number = model->events.count;
    row.label = sal_model_label(model, name, NULL, NULL);
    if (sal_model_failed(model)) return none;
    if (sal_name_find(&model->event_names, name) >= 0) SAL_MODEL_PUSH(model, &model->events, row);
    else SAL_MODEL_PUSH_NAMED(model, &model->events, &model->event_names, row);
    return sal_model_failed(model) ? none : (saltus_event){number + 1};
}

static sal_event *event_of(saltus_model *model, saltus_event event)
{
    if (sal_model_failed(model)) return NULL;
    if (event.id <= 0 || event.id > model->events.count) {
        saltus_model_fail(model, "the event is missing");
        return NULL;
    }
    return &model->events.data[event.id - 1];
}

void saltus_event_where(saltus_model *model, saltus_event event, saltus_expr condition)
{
    sal_event     *row = event_of(model, event);
    const sal_node node = sal_model_node(model, condition, "where=");
    if (!row || !sal_model_allow(model, node, SAL_KINDS_MOTION, "where=", "")) return;
    SAL_MODEL_PUSH(model, &row->where, node);
}

void saltus_event_set(saltus_model *model, saltus_event event, saltus_expr target,
                      saltus_expr value)
{
    sal_event     *row = event_of(model, event);
    const sal_node left = sal_model_node(model, target, "the left side of a set");
    const sal_node right = sal_model_node(model, value, "the right side of a set");
    if (!row || !left || !right) return;
    sal_assignment entry = {.value = right, .place = model->place};
    if (!sal_is_leaf(&model->graph, left, &entry.kind, &entry.index) ||
        (entry.kind != SAL_LEAF_Q && entry.kind != SAL_LEAF_V && entry.kind != SAL_LEAF_C)) {
        saltus_model_fail(model,
                          "event '%s': set changes coordinates, their velocities, states and "
                          "memories, not an expression; write [x], [dot(x)] or [memory]",
                          row->label.name);
        return;
    }
    if (!sal_model_allow(
            model, right,
            SAL_KINDS_STATE | (SAL_KINDS_AFTER & ~(SAL_KIND(A_AFTER) | SAL_KIND(MU_AFTER))),
            "a value in set", "accelerations and impulses are not available in a reset"))
        return;
    for (int i = 0; i < row->set.count; i++)
        if (row->set.data[i].kind == entry.kind && row->set.data[i].index == entry.index) {
            saltus_model_fail(model, "event '%s' sets the same quantity twice", row->label.name);
            return;
        }
    SAL_MODEL_PUSH(model, &row->set, entry);
}

void saltus_event_restitution(saltus_model *model, saltus_event event, saltus_expr e)
{
    sal_event     *row = event_of(model, event);
    const sal_node node = sal_model_node(model, e, "restitution=");
    if (!row || !sal_model_allow(model, node, SAL_KINDS_STATE, "restitution=", "")) return;
    if (model->graph.nodes.data[row->when].kinds & ~SAL_KINDS_POSITION) {
        saltus_model_fail(model,
                          "event '%s': restitution= acts along the gradient of the guard by the "
                          "positions, so the guard may contain only these (and time, memories, "
                          "parameters); for other guards use set = {[dot(x)] = ...}",
                          row->label.name);
        return;
    }
    if (!sal_depends(&model->graph, row->when, SAL_LEAF_Q)) {
        saltus_model_fail(model, "event '%s' has restitution=, but its guard has no coordinate",
                          row->label.name);
        return;
    }
    if (row->restitution)
        saltus_model_fail(model, "event '%s' has restitution= twice", row->label.name);
    row->restitution = node;
}

void saltus_event_charge(saltus_model *model, saltus_event event, const char *cost,
                         saltus_expr charge)
{
    sal_event     *row = event_of(model, event);
    const sal_node node = sal_model_node(model, charge, "charge=");
    if (!row ||
        !sal_model_allow(model, node, SAL_KINDS_MOTION | SAL_KINDS_AFTER | SAL_KIND(IMPULSE),
                         "a charge", ""))
        return;
    const sal_charge entry = {sal_arena_text(&model->arena, cost ? cost : ""), node, model->place};
    if (!entry.cost) return; /* out of memory: the model has failed */
    for (int i = 0; i < row->charge.count; i++)
        if (strcmp(row->charge.data[i].cost, entry.cost) == 0)
            saltus_model_fail(model, "event '%s' charges the cost '%s' twice", row->label.name,
                              entry.cost);
    if (sal_model_failed(model)) return;
    SAL_MODEL_PUSH(model, &row->charge, entry);
}

void saltus_event_stop(saltus_model *model, saltus_event event, int occurrence)
{
    sal_event *row = event_of(model, event);
    if (!row) return;
    if (occurrence < 1)
        saltus_model_fail(model, "event '%s': stop = %d; it must be true or a count from 1 on",
                          row->label.name, occurrence);
    row->stop = occurrence;
}

void saltus_event_enter(saltus_model *model, saltus_event event, saltus_enter enter)
{
    sal_event *row = event_of(model, event);
    if (!row) return;
    if ((int)enter < SALTUS_ENTER_DEFAULT || (int)enter > SALTUS_ENTER_WAIT)
        saltus_model_fail(model, "event '%s': there is no way to enter number %d", row->label.name,
                          (int)enter);
    else row->enter = enter;
}
