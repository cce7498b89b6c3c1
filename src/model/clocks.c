/* What happens at times that are known in advance becomes events that users do not see.
 *
 * Their guards are t - next, where next is a memory: no search is needed, and steps end there. */
#include "model/model.h"

/* The event, which has the guard t - next. */
static sal_event *add_clock(saltus_model *model, const sal_label *label, sal_hidden hidden,
                            int next)
{
    sal_graph      *graph = &model->graph;
    const sal_node  t = sal_leaf(graph, SAL_LEAF_T, 0);
    const sal_event row = {.label = *label,
                           .when = sal_sub(graph, t, sal_leaf(graph, SAL_LEAF_C, next)),
                           .direction = SALTUS_RISING,
                           .hidden = hidden};
    SAL_MODEL_PUSH(model, &model->events, row);
    return sal_model_failed(model) ? NULL : &model->events.data[model->events.count - 1];
}

static void set(saltus_model *model, sal_event *event, int memory, sal_node value)
{
    const sal_assignment entry = {SAL_LEAF_C, memory, value, event->label.place};
    SAL_MODEL_PUSH(model, &event->set, entry);
}

static void add_samples(saltus_model *model, int index)
{
    sal_samples   *samples = &model->samples.data[index];
    sal_graph     *graph = &model->graph;
    const sal_node number = sal_leaf(graph, SAL_LEAF_C, samples->number);
    sal_event     *event = add_clock(model, &samples->label, SAL_HIDDEN_SAMPLE, samples->next);
    if (!event) return;
    samples->event = model->events.count - 1;
    set(model, event, samples->number, sal_add(graph, number, sal_const(graph, 1.0)));
    set(model, event, samples->next, sal_model_pick(model, samples->times, samples->number, 1));
    if (!samples->charged) return;
    const sal_charge charge = {samples->label.name, samples->value, samples->label.place};
    SAL_MODEL_PUSH(model, &event->charge, charge);
}

saltus_status sal_model_finish_clocks(saltus_model *model, saltus_error *err)
{
    for (int i = 0; i < model->samples.count; i++) add_samples(model, i);
    if (sal_model_failed(model)) return sal_fail_memory(err);
    return SALTUS_OK;
}
