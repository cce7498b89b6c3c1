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

#define COPY_ARRAY(list)                                                                           \
    do {                                                                                           \
        if (!ARRAY_RESERVE(allocator, &to->list, from->list.count)) return false;                  \
        if (from->list.count)                                                                      \
            memcpy(to->list.data, from->list.data,                                                 \
                   (size_t)from->list.count * sizeof *to->list.data);                              \
        to->list.count = from->list.count;                                                         \
    } while (0)

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
    for (int i = 0; i < to->set.count; i++)
        to->set.data[i].place = copy_place(arena, to->set.data[i].place, file);
    for (int i = 0; i < to->charge.count; i++) {
        to->charge.data[i].cost = sal_arena_text(arena, to->charge.data[i].cost);
        to->charge.data[i].place = copy_place(arena, to->charge.data[i].place, file);
    }
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

/* Names and lists that still point into the other model. */
static void copy_texts(saltus_model *to, const char **file)
{
    sal_arena *arena = &to->arena;
    to->name = sal_arena_text(arena, to->name);
    for (int i = 0; i < to->params.count; i++)
        to->params.data[i].label = copy_label(arena, &to->params.data[i].label, file);
    for (int i = 0; i < to->settings.count; i++) {
        to->settings.data[i].name = sal_arena_text(arena, to->settings.data[i].name);
        to->settings.data[i].text = sal_arena_text(arena, to->settings.data[i].text);
    }
    for (int i = 0; i < to->coordinates.count; i++)
        to->coordinates.data[i].label = copy_label(arena, &to->coordinates.data[i].label, file);
    for (int i = 0; i < to->memories.count; i++)
        to->memories.data[i].label = copy_label(arena, &to->memories.data[i].label, file);
    for (int i = 0; i < to->modes.count; i++)
        to->modes.data[i].label = copy_label(arena, &to->modes.data[i].label, file);
    for (int i = 0; i < to->groups.count; i++)
        to->groups.data[i].name = sal_arena_text(arena, to->groups.data[i].name);
    for (int i = 0; i < to->costs.count; i++)
        to->costs.data[i].label = copy_label(arena, &to->costs.data[i].label, file);
    for (int i = 0; i < to->outputs.count; i++)
        to->outputs.data[i].label = copy_label(arena, &to->outputs.data[i].label, file);
    for (int i = 0; i < to->impulses.count; i++)
        to->impulses.data[i] = sal_arena_text(arena, to->impulses.data[i]);
    for (int i = 0; i < to->terms.count; i++) {
        to->terms.data[i].modes = copy_modes(arena, &to->terms.data[i].modes);
        to->terms.data[i].place = copy_place(arena, to->terms.data[i].place, file);
    }
    for (int i = 0; i < to->constraints.count; i++) {
        sal_constraint *row = &to->constraints.data[i];
        row->label = copy_label(arena, &row->label, file);
        row->modes = copy_modes(arena, &row->modes);
    }
    for (int i = 0; i < to->point_masses.count; i++) {
        to->point_masses.data[i].modes = copy_modes(arena, &to->point_masses.data[i].modes);
        to->point_masses.data[i].place = copy_place(arena, to->point_masses.data[i].place, file);
    }
    for (int i = 0; i < to->shapes.count; i++) {
        to->shapes.data[i].label = copy_label(arena, &to->shapes.data[i].label, file);
        to->shapes.data[i].modes = copy_modes(arena, &to->shapes.data[i].modes);
    }
    for (int i = 0; i < to->found_contacts.count; i++) {
        sal_contact *row = &to->found_contacts.data[i];
        row->label = copy_label(arena, &row->label, file);
        row->modes = copy_modes(arena, &row->modes);
    }
    for (int i = 0; i < to->gravities.count; i++)
        to->gravities.data[i].modes = copy_modes(arena, &to->gravities.data[i].modes);
}

static bool copy_into(saltus_model *to, const saltus_model *from)
{
    const saltus_allocator *allocator = &to->arena.allocator;
    const char             *file = NULL;
    to->name = from->name;
    to->has_horizon = from->has_horizon;
    to->start = from->start;
    to->end = from->end;
    to->options = from->options;
    if (!sal_graph_copy(&to->graph, &from->graph)) return false;
    COPY_ARRAY(params);
    COPY_ARRAY(settings);
    COPY_ARRAY(coordinates);
    COPY_ARRAY(memories);
    COPY_ARRAY(modes);
    COPY_ARRAY(groups);
    COPY_ARRAY(terms);
    COPY_ARRAY(constraints);
    COPY_ARRAY(point_masses);
    COPY_ARRAY(gravities);
    COPY_ARRAY(found_contacts);
    COPY_ARRAY(costs);
    COPY_ARRAY(outputs);
    COPY_ARRAY(impulses);
    COPY_ARRAY(shapes);
    COPY_ARRAY(drawn);
    if (!copy_events(to, from, &file)) return false;
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
