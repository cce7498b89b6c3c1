/* Copies of models. A system owns a copy, so that the model may be freed. Lists and the graph are
 * copied; names and other contents of the arena never change, and are shared. */
#include <string.h>

#include "model/model.h"

#define COPY_ARRAY(list)                                                                           \
    do {                                                                                           \
        if (!ARRAY_RESERVE(allocator, &to->list, from->list.count)) return false;                  \
        if (from->list.count)                                                                      \
            memcpy(to->list.data, from->list.data,                                                 \
                   (size_t)from->list.count * sizeof *to->list.data);                              \
        to->list.count = from->list.count;                                                         \
    } while (0)

static bool copy_event(const saltus_allocator *allocator, sal_event *to, const sal_event *from)
{
    *to = *from;
    memset(&to->where, 0, sizeof to->where);
    memset(&to->set, 0, sizeof to->set);
    memset(&to->charge, 0, sizeof to->charge);
    COPY_ARRAY(where);
    COPY_ARRAY(set);
    COPY_ARRAY(charge);
    return true;
}

static bool copy_events(saltus_model *to, const saltus_model *from)
{
    const saltus_allocator *allocator = &to->arena.allocator;
    if (!ARRAY_RESERVE(allocator, &to->events, from->events.count)) return false;
    for (int i = 0; i < from->events.count; i++) {
        to->events.count = i + 1; /* so that the event is freed even if copying fails */
        if (!copy_event(allocator, &to->events.data[i], &from->events.data[i])) return false;
    }
    return true;
}

/* Moves hidden memories after the others, so that lists of memories begin with those that are
 * shown. */
static void order_memories(saltus_model *model)
{
    const int   count = model->memories.count;
    sal_memory *ordered = ARENA_NEW(&model->arena, count, sal_memory);
    int        *index = ARENA_NEW(&model->arena, count, int), next = 0;
    if (!ordered || !index) return;
    for (int hidden = 0; hidden < 2; hidden++)
        for (int i = 0; i < count; i++)
            if (model->memories.data[i].hidden == (hidden > 0)) index[i] = next++;
    for (int i = 0; i < count; i++) ordered[index[i]] = model->memories.data[i];
    if (count) memcpy(model->memories.data, ordered, (size_t)count * sizeof *ordered);
    sal_graph_renumber(&model->graph, SAL_LEAF_C, index);
    sal_graph_renumber(&model->graph, SAL_LEAF_C_AFTER, index);
    for (int i = 0; i < model->events.count; i++)
        for (int k = 0; k < model->events.data[i].set.count; k++) {
            sal_assignment *entry = &model->events.data[i].set.data[k];
            if (entry->kind == SAL_LEAF_C) entry->index = index[entry->index];
        }
    for (int i = 0; i < model->found_contacts.count; i++) {
        sal_contact *contact = &model->found_contacts.data[i];
        if (contact->rest_at >= 0) contact->rest_at = index[contact->rest_at];
        if (contact->slow < 0) continue;
        contact->slow = index[contact->slow];
        contact->speed = index[contact->speed];
    }
    for (int i = 0; i < model->picks.count; i++)
        model->picks.data[i].memory = index[model->picks.data[i].memory];
    for (int i = 0; i < model->samples.count; i++) {
        sal_samples *samples = &model->samples.data[i];
        samples->number = index[samples->number];
        samples->next = index[samples->next];
    }
    for (int i = 0; i < model->controls.count; i++) {
        sal_control *control = &model->controls.data[i];
        control->number = index[control->number];
        control->next = index[control->next];
        control->start = index[control->start];
        control->begin = index[control->begin];
        for (int k = 0; k < 4; k++) control->c[k] = index[control->c[k]];
    }
    for (int i = 0; i < model->timers.count; i++)
        model->timers.data[i].memory = index[model->timers.data[i].memory];
}

static bool copy_into(saltus_model *to, const saltus_model *from)
{
    const saltus_allocator *allocator = &to->arena.allocator;
    sal_arena_hold(&to->arena, &from->arena);
    to->name = from->name;
    to->place = from->place;
    to->has_horizon = from->has_horizon;
    to->states = from->states;
    to->start = from->start;
    to->end = from->end;
    to->end_place = from->end_place;
    to->options = from->options;
    to->goal = from->goal;
    if (!sal_graph_copy(&to->graph, &from->graph)) return false;
#define X(type, list) COPY_ARRAY(list);
    SAL_MODEL_LISTS(X)
#undef X
    if (!copy_events(to, from)) return false;
    if (sal_model_shown_memories(to) < to->memories.count) order_memories(to);
    for (int i = 0; i < to->constraints.count && !to->arena.failed; i++)
        if (!sal_name_add(&to->constraint_names, allocator, to->constraints.data[i].label.name, i))
            return false;
    return !to->arena.failed;
}

saltus_model *sal_model_clone(const saltus_model *model, const saltus_allocator *allocator,
                              saltus_error *err)
{
    saltus_model *copy = saltus_model_new(allocator, err);
    if (copy && !copy_into(copy, model)) {
        sal_fail_memory(err);
        saltus_model_free(copy);
        return NULL;
    }
    return copy;
}
