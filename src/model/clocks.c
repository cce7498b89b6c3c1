/* Events at times that are known in advance: see clocks.h. Steps end at these times, and no search
 * is needed. */
#include "model/clocks.h"

#include <string.h>

#include "base/host.h"

/* ---- tools ---------------------------------------------------------------------------------- */

static sal_node until(saltus_model *model, sal_node time)
{
    return sal_sub(&model->graph, sal_leaf(&model->graph, SAL_LEAF_T, 0), time);
}

sal_event *sal_clock_add(saltus_model *model, const sal_label *label, sal_hidden hidden, int next)
{
    const sal_event row = {.label = *label,
                           .when = until(model, sal_leaf(&model->graph, SAL_LEAF_C, next)),
                           .direction = SALTUS_RISING,
                           .hidden = hidden,
                           .timed = true};
    SAL_MODEL_PUSH(model, &model->events, row);
    return sal_model_failed(model) ? NULL : &model->events.data[model->events.count - 1];
}

void sal_clock_set(saltus_model *model, sal_event *event, int memory, sal_node value)
{
    const sal_assignment entry = {SAL_LEAF_C, memory, value, event->label.place};
    SAL_MODEL_PUSH(model, &event->set, entry);
}

void sal_stopwatch_stop(saltus_model *model, int next)
{
    model->memories.data[next].start = sal_const(&model->graph, model->start - 1.0);
}

saltus_status sal_clock_no_event(const saltus_model *model, const sal_label *label,
                                 const char *what, const char *event, saltus_error *err)
{
    const char *best = NULL;
    for (int i = 0; i < model->events.count; i++) {
        const char *pair[2] = {model->events.data[i].label.name, best};
        if (model->events.data[i].hidden == SAL_SHOWN) best = sal_nearest(event, pair, 2);
    }
    return sal_fail_at(err, SALTUS_ERR_MODEL, label->place.file, label->place.line,
                       "%s '%s' begins with the event '%s', which does not exist%s%s%s", what,
                       label->name, event, best ? "; did you mean '" : "", best ? best : "",
                       best ? "'?" : "");
}

/* ---- events of clocks ----------------------------------------------------------------------- */

/* Returns the node of a positive expression of parameters; null after a mistake. */
static sal_node read_time(saltus_model *model, saltus_expr e, const char *what, const char *name)
{
    double         value;
    const sal_node node = sal_model_node(model, e, what);
    if (!sal_model_allow(model, node, SAL_KINDS_CONSTANT, what,
                         "it is a number or an expression of parameters"))
        return 0;
    if (sal_is_const(&model->graph, node, &value) && !(value > 0.0)) {
        saltus_model_fail(model, "event '%s': %s is %g, and must be positive", name ? name : "",
                          what, value);
        return 0;
    }
    return node;
}

/* Adds the event of a timer; its guard is completed when the model is finished. */
static saltus_event add(saltus_model *model, const char *name, sal_timer row, saltus_modes from,
                        saltus_modes to)
{
    const saltus_event none = {0};
    const sal_node     start = sal_const(&model->graph, 0.0);
    row.memory = sal_model_hidden_memory(model, name ? name : "", start);
    if (sal_model_failed(model)) return none;
    const saltus_expr  when = {until(model, sal_leaf(&model->graph, SAL_LEAF_C, row.memory))};
    const saltus_event event = saltus_event_new(model, name, when, SALTUS_RISING, from, to);
    if (!event.id) return none;
    row.event = event.id - 1;
    row.table = sal_model_table(model, &row.time, 1);
    model->events.data[row.event].enter = SALTUS_ENTER_WAIT;
    model->events.data[row.event].timed = true;
    SAL_MODEL_PUSH(model, &model->timers, row);
    return sal_model_failed(model) ? none : event;
}

saltus_event saltus_event_every(saltus_model *model, const char *name, saltus_expr period,
                                saltus_expr phase, saltus_modes from, saltus_modes to)
{
    HOLD_HOST;
    const saltus_event none = {0};
    if (sal_model_failed(model)) return none;
    sal_timer row = {.time = read_time(model, period, "every=", name)};
    row.phase = row.time;
    if (phase.id) {
        row.phase = sal_model_node(model, phase, "phase=");
        sal_model_allow(model, row.phase, SAL_KINDS_CONSTANT,
                        "phase=", "it is a number or an expression of parameters");
    }
    return sal_model_failed(model) ? none : add(model, name, row, from, to);
}

saltus_event saltus_event_after(saltus_model *model, const char *name, const char *after,
                                saltus_expr delay, saltus_modes from, saltus_modes to)
{
    HOLD_HOST;
    const saltus_event none = {0};
    if (sal_model_failed(model)) return none;
    if (!after) {
        saltus_model_fail(model, "after= is missing: the event that it follows");
        return none;
    }
    const sal_timer row = {.time = read_time(model, delay, "delay=", name),
                           .after = sal_arena_text(&model->arena, after)};
    return sal_model_failed(model) ? none : add(model, name, row, from, to);
}

/* Finishes a periodic timer, whose memory counts its occurrences. If the event has conditions or
 * belongs to modes, it does not always happen: then a hidden event counts. */
static void finish_every(saltus_model *model, sal_timer *timer)
{
    sal_graph     *graph = &model->graph;
    sal_event     *event = &model->events.data[timer->event];
    const sal_node count = sal_leaf(graph, SAL_LEAF_C, timer->memory);
    const sal_node start = sal_add(graph, sal_const(graph, model->start), timer->phase);
    event->when = until(model, sal_add(graph, start, sal_mul(graph, count, timer->time)));
    const sal_node  next = sal_add(graph, count, sal_const(graph, 1.0));
    const sal_label label = event->label;
    const sal_node  when = event->when;
    if (event->from.count == 0 && event->where.count == 0) {
        sal_clock_set(model, event, timer->memory, next);
        return;
    }
    event = sal_clock_add(model, &label, SAL_HIDDEN_TICK, timer->memory);
    if (!event) return;
    event->when = when;
    sal_clock_set(model, event, timer->memory, next);
}

/* Finishes a timer that follows another event, which sets its memory to the time at which it is
 * due. */
static saltus_status finish_after(saltus_model *model, sal_timer *timer, saltus_error *err)
{
    sal_graph      *graph = &model->graph;
    const sal_label label = model->events.data[timer->event].label;
    const sal_node  due = sal_add(graph, sal_leaf(graph, SAL_LEAF_T, 0), timer->time);
    bool            found = false;
    for (int i = 0; i < model->events.count; i++) {
        sal_event *event = &model->events.data[i];
        if (event->hidden != SAL_SHOWN || strcmp(event->label.name, timer->after) != 0) continue;
        found = true;
        event->delays = true;
        sal_clock_set(model, event, timer->memory, due);
    }
    if (!found) return sal_clock_no_event(model, &label, "event", timer->after, err);
    sal_stopwatch_stop(model, timer->memory);
    return SALTUS_OK;
}

/* ---- samples -------------------------------------------------------------------------------- */

static void finish_samples(saltus_model *model, int index)
{
    sal_samples   *samples = &model->samples.data[index];
    sal_graph     *graph = &model->graph;
    const sal_node number = sal_leaf(graph, SAL_LEAF_C, samples->number);
    sal_event     *event = sal_clock_add(model, &samples->label, SAL_HIDDEN_SAMPLE, samples->next);
    if (!event) return;
    samples->event = model->events.count - 1;
    sal_clock_set(model, event, samples->number, sal_add(graph, number, sal_const(graph, 1.0)));
    sal_clock_set(model, event, samples->next,
                  sal_model_pick(model, samples->times, samples->number, 1));
    if (!samples->charged) return;
    const sal_charge charge = {samples->label.name, samples->value, samples->label.place};
    SAL_MODEL_PUSH(model, &event->charge, charge);
}

saltus_status sal_model_finish_clocks(saltus_model *model, saltus_error *err)
{
    for (int i = 0; i < model->samples.count; i++) finish_samples(model, i);
    for (int i = 0; i < model->controls.count; i++) TRY(sal_control_finish(model, i, err));
    for (int i = 0; i < model->timers.count; i++) {
        sal_timer *timer = &model->timers.data[i];
        if (timer->after) TRY(finish_after(model, timer, err));
        else finish_every(model, timer);
    }
    if (sal_model_failed(model)) return sal_fail_memory(err);
    return SALTUS_OK;
}
