/* A deep copy of a model: what a system owns, so that the model may be freed. */
#include <string.h>

#include "model/clone.h"

static sal_place copy_place(sal_arena *arena, sal_place place, const char **known)
{
    /* All places of a script share one file name. */
    if (place.file && (!*known || strcmp(*known, place.file) != 0))
        *known = sal_arena_text(arena, place.file);
    return (sal_place){place.file ? *known : NULL, place.line};
}

static sal_label copy_label(sal_arena *arena, const sal_label *label, const char **file)
{
    return (sal_label){sal_arena_text(arena, label->name), sal_arena_text(arena, label->unit),
                       sal_arena_text(arena, label->doc), copy_place(arena, label->place, file)};
}

static sal_modes copy_modes(sal_arena *arena, const sal_modes *modes)
{
    sal_modes copy = {modes->count, ARENA_NEW(arena, modes->count, int), modes->never};
    if (copy.mode && modes->count)
        memcpy(copy.mode, modes->mode, (size_t)modes->count * sizeof(int));
    return copy;
}

static sal_node *copy_nodes(sal_arena *arena, const sal_node *nodes, int count)
{
    sal_node *copy = ARENA_NEW(arena, count, sal_node);
    if (copy && count) memcpy(copy, nodes, (size_t)count * sizeof *copy);
    return copy;
}

#define COPY_ARRAY(list)                                                                           \
    do {                                                                                           \
        if (!ARRAY_RESERVE(allocator, &to->list, from->list.count)) return false;                  \
        if (from->list.count)                                                                      \
            memcpy(to->list.data, from->list.data,                                                 \
                   (size_t)from->list.count * sizeof *to->list.data);                              \
        to->list.count = from->list.count;                                                         \
    } while (0)

/* Of each row of a list, what still points into the other model. */
#define COPY_EACH(list, field, copy)                                                               \
    for (int i = 0; i < to->list.count; i++) to->list.data[i].field = copy
#define COPY_LABELS(list) COPY_EACH(list, label, copy_label(arena, &to->list.data[i].label, file))
#define COPY_MODES(list) COPY_EACH(list, modes, copy_modes(arena, &to->list.data[i].modes))
#define COPY_PLACES(list) COPY_EACH(list, place, copy_place(arena, to->list.data[i].place, file))
#define COPY_TEXTS(list, field)                                                                    \
    COPY_EACH(list, field, sal_arena_text(arena, to->list.data[i].field))

/* Numbers, and what else a measurement has of its own. */
static double *copy_numbers(sal_arena *arena, const double *from, int count)
{
    double *to = ARENA_NEW(arena, count, double);
    if (to && count) memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

static void copy_measurements(saltus_model *to, const char **file)
{
    sal_arena *arena = &to->arena;
    COPY_LABELS(measurements);
    COPY_TEXTS(measurements, event);
    COPY_EACH(measurements, value,
              copy_numbers(arena, to->measurements.data[i].value, to->measurements.data[i].count));
    COPY_EACH(measurements, sigma,
              copy_numbers(arena, to->measurements.data[i].sigma, to->measurements.data[i].count));
    COPY_EACH(measurements, at,
              copy_numbers(arena, to->measurements.data[i].at,
                           to->measurements.data[i].of ? to->measurements.data[i].count : 0));
}

static bool copy_event(const saltus_allocator *allocator, sal_arena *arena, sal_event *to,
                       const sal_event *from, const char **file)
{
    *to = *from;
    memset(&to->where, 0, sizeof to->where);
    memset(&to->set, 0, sizeof to->set);
    memset(&to->charge, 0, sizeof to->charge);
    to->label = copy_label(arena, &from->label, file);
    to->from = copy_modes(arena, &from->from);
    to->to = copy_modes(arena, &from->to);
    COPY_ARRAY(where);
    COPY_ARRAY(set);
    COPY_ARRAY(charge);
    COPY_PLACES(set);
    COPY_PLACES(charge);
    COPY_TEXTS(charge, cost);
    return true;
}

static bool copy_events(saltus_model *to, const saltus_model *from, const char **file)
{
    const saltus_allocator *allocator = &to->arena.allocator;
    if (!ARRAY_RESERVE(allocator, &to->events, from->events.count)) return false;
    for (int i = 0; i < from->events.count; i++) {
        to->events.count = i + 1; /* freed with the model whatever happens */
        if (!copy_event(allocator, &to->arena, &to->events.data[i], &from->events.data[i], file))
            return false;
    }
    return true;
}

static void copy_texts(saltus_model *to, const char **file)
{
    sal_arena *arena = &to->arena;
    to->name = sal_arena_text(arena, to->name);
    COPY_LABELS(params);
    COPY_LABELS(coordinates);
    COPY_LABELS(memories);
    COPY_LABELS(modes);
    COPY_LABELS(costs);
    COPY_LABELS(outputs);
    copy_measurements(to, file);
    COPY_LABELS(constraints);
    COPY_LABELS(shapes);
    COPY_LABELS(found_contacts);
    COPY_LABELS(samples);
    COPY_LABELS(controls);
    COPY_MODES(terms);
    COPY_MODES(constraints);
    COPY_MODES(point_masses);
    COPY_MODES(shapes);
    COPY_MODES(gravities);
    COPY_MODES(found_contacts);
    COPY_PLACES(terms);
    COPY_PLACES(point_masses);
    COPY_PLACES(returns);
    COPY_TEXTS(settings, name);
    COPY_TEXTS(settings, text);
    COPY_TEXTS(groups, name);
    COPY_TEXTS(controls, from);
    COPY_TEXTS(timers, after);
    COPY_EACH(tables, element,
              copy_nodes(arena, to->tables.data[i].element, to->tables.data[i].count));
    COPY_EACH(samples, number_of,
              copy_nodes(arena, to->samples.data[i].number_of, to->samples.data[i].count));
    COPY_TEXTS(limits, cost);
    for (int i = 0; i < to->over.count; i++)
        to->over.data[i] = sal_arena_text(arena, to->over.data[i]);
    to->goal.minimise = sal_arena_text(arena, to->goal.minimise);
    to->goal.place = copy_place(arena, to->goal.place, file);
    for (int i = 0; i < to->impulses.count; i++)
        to->impulses.data[i] = sal_arena_text(arena, to->impulses.data[i]);
}

/* Memories that elements keep for themselves come after the others, so that those that are shown
 * come first wherever memories are listed. */
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
    const char             *file = NULL;
    to->name = from->name;
    to->has_horizon = from->has_horizon;
    to->states = from->states;
    to->start = from->start;
    to->end = from->end;
    to->options = from->options;
    to->goal = from->goal;
    if (!sal_graph_copy(&to->graph, &from->graph)) return false;
#define X(type, list) COPY_ARRAY(list);
    SAL_MODEL_LISTS(X)
#undef X
    if (!copy_events(to, from, &file)) return false;
    if (sal_model_shown_memories(to) < to->memories.count) order_memories(to);
    copy_texts(to, &file);
    to->place = copy_place(&to->arena, from->place, &file);
    to->end_place = copy_place(&to->arena, from->end_place, &file);
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
