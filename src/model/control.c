/* Controls: piecewise functions of time with free parameters.
 *
 * On a piece, u = c0 + s (c1 + s (c2 + s c3)) with s = t - begin. The coefficients and begin are
 * memories, which a clock sets at each node from tables of parameters. So the size of what is
 * evaluated along the motion does not depend on the number of nodes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/host.h"
#include "model/clocks.h"

enum { MAX_NODES = 100000 };

static const saltus_expr null_expr = {0};

/* ---- checks --------------------------------------------------------------------------------- */

static bool check(saltus_model *model, const char *name, const saltus_control_def *def)
{
    if (!sal_model_named(model, name, "a control")) return false;
    if (!def) {
        saltus_model_fail(model, "control '%s' has no nodes", name);
        return false;
    }
    if ((int)def->kind < SALTUS_HOLD || (int)def->kind > SALTUS_CUBIC)
        saltus_model_fail(model, "control '%s': there is no kind number %d", name, (int)def->kind);
    else if (def->nodes < 1 || def->nodes > MAX_NODES)
        saltus_model_fail(model, "control '%s' has %d pieces; it needs 1 to %d", name, def->nodes,
                          MAX_NODES);
    else if (def->kind == SALTUS_CUBIC && def->nodes < 2)
        saltus_model_fail(model, "control '%s' has one piece; a cubic one needs two", name);
    else if ((def->from != NULL) != (def->duration.id != 0))
        saltus_model_fail(model,
                          "control '%s' begins with an event for a duration: it needs from= and "
                          "duration=, or neither of them, and then covers the horizon",
                          name);
    return !sal_model_failed(model);
}

/* Adds a parameter per piece or per node, name[0], name[1], ...; returns the index of the first
 * one. */
static int add_params(saltus_model *model, const char *name, const saltus_control_def *def,
                      int count)
{
    const saltus_param_def param = {.has_lower = def->has_lower,
                                    .has_upper = def->has_upper,
                                    .lower = def->lower,
                                    .upper = def->upper,
                                    .unit = def->unit};
    const int              first = model->params.count;
    for (int i = 0; i < count && !sal_model_failed(model); i++) {
        const char *own = sal_arena_format(&model->arena, "%s[%d]", name, i);
        saltus_param(model, own, def->values ? def->values[i] : def->start, &param);
    }
    return sal_model_failed(model) ? -1 : first;
}

/* ---- tables --------------------------------------------------------------------------------- */

static sal_node param(saltus_model *model, const sal_control *control, int i)
{
    return sal_leaf(&model->graph, SAL_LEAF_P, control->param + i);
}

/* The value after the last piece: the last value, or 0 for a control that begins with an event. */
static sal_node after_last(saltus_model *model, const sal_control *control)
{
    return control->from ? sal_const(&model->graph, 0.0)
                         : param(model, control, control->params - 1);
}

/* Extrapolates the value one node beyond a, the first or last one: by the parabola through a and
 * the two nodes next to it, b and c. */
static sal_node beyond(saltus_model *model, sal_node a, sal_node b, sal_node c)
{
    sal_graph     *graph = &model->graph;
    const sal_node three = sal_const(graph, 3.0);
    return sal_add(graph, sal_mul(graph, three, sal_sub(graph, a, b)), c);
}

/* The value at the node that is `offset` after the start of the k-th piece. */
static sal_node value_at(saltus_model *model, const sal_control *control, int k, int offset)
{
    const int last = control->params - 1, node = k + offset;
    if (k >= control->nodes) return after_last(model, control);
    if (node < 0)
        return beyond(model, param(model, control, 0), param(model, control, 1),
                      param(model, control, 2));
    if (node > last)
        return beyond(model, param(model, control, last), param(model, control, last - 1),
                      param(model, control, last - 2));
    return param(model, control, node);
}

/* Returns a leaf with the value at a node near the piece that begins, which is read from a table
 * with an element for each piece and one for the time after the last piece. */
static sal_node pick_value(saltus_model *model, const sal_control *control, int offset)
{
    const int count = control->nodes + 1;
    WORK_ARENA(scratch, &model->arena.allocator);
    sal_node *element = ARENA_NEW(&scratch, count, sal_node);
    if (!element) sal_model_out_of_memory(model);
    for (int k = 0; k < count && element; k++) element[k] = value_at(model, control, k, offset);
    if (sal_model_failed(model)) return 0;
    return sal_model_pick(model, sal_model_table(model, element, count), control->number, 1);
}

/* ---- coefficients --------------------------------------------------------------------------- */

/* The coefficients of a cubic on a piece of length h with the values v[1] and v[2] at its ends;
 * v[0] and v[3] are the values at the nodes before and after. Slopes at nodes are those of the
 * parabola through the node and its neighbours (Catmull-Rom). */
static void cubic(sal_graph *graph, const sal_node v[4], sal_node h, sal_node *c)
{
    const sal_node half = sal_const(graph, 0.5), two = sal_const(graph, 2.0);
    const sal_node m0 = sal_mul(graph, half, sal_sub(graph, v[2], v[0]));
    const sal_node m1 = sal_mul(graph, half, sal_sub(graph, v[3], v[1]));
    const sal_node rise = sal_sub(graph, v[2], v[1]);
    const sal_node both = sal_add(graph, m0, m1);
    const sal_node square =
        sal_sub(graph, sal_mul(graph, sal_const(graph, 3.0), rise), sal_add(graph, m0, both));
    const sal_node cube = sal_sub(graph, both, sal_mul(graph, two, rise));
    c[0] = v[1];
    c[1] = sal_apply(graph, SAL_OP_DIV, m0, h, 0);
    c[2] = sal_apply(graph, SAL_OP_DIV, square, sal_mul(graph, h, h), 0);
    c[3] = sal_apply(graph, SAL_OP_DIV, cube, sal_mul(graph, h, sal_mul(graph, h, h)), 0);
}

/* The coefficients, given the values at the nodes around the piece: before it, at its start, at its
 * end, after it. */
static void coefficients(saltus_model *model, const sal_control *control, const sal_node v[4],
                         sal_node *c)
{
    sal_graph     *graph = &model->graph;
    const sal_node pieces = sal_const(graph, control->nodes);
    const sal_node h = sal_apply(graph, SAL_OP_DIV, control->duration, pieces, 0);
    c[0] = v[1];
    if (control->kind == SALTUS_LINEAR)
        c[1] = sal_apply(graph, SAL_OP_DIV, sal_sub(graph, v[2], v[1]), h, 0);
    if (control->kind == SALTUS_CUBIC) cubic(graph, v, h, c);
}

static int coefficient_count(saltus_control_kind kind)
{
    return kind == SALTUS_HOLD ? 1 : kind == SALTUS_LINEAR ? 2 : 4;
}

/* ---- the builder ---------------------------------------------------------------------------- */

static sal_node polynomial(saltus_model *model, const sal_control *control)
{
    sal_graph     *graph = &model->graph;
    const int      count = coefficient_count(control->kind);
    const sal_node t = sal_leaf(graph, SAL_LEAF_T, 0);
    const sal_node s = sal_sub(graph, t, sal_leaf(graph, SAL_LEAF_C, control->begin));
    sal_node       u = sal_leaf(graph, SAL_LEAF_C, control->c[count - 1]);
    for (int i = count - 2; i >= 0; i--)
        u = sal_add(graph, sal_leaf(graph, SAL_LEAF_C, control->c[i]), sal_mul(graph, s, u));
    return u;
}

saltus_expr saltus_control(saltus_model *model, const char *name, const saltus_control_def *def)
{
    HOLD_HOST;
    if (!check(model, name, def)) return null_expr;
    sal_control row = {.kind = def->kind,
                       .nodes = def->nodes,
                       .params = def->kind == SALTUS_HOLD ? def->nodes : def->nodes + 1};
    row.label = sal_model_label(model, name, def->unit, def->doc);
    if (def->from) {
        row.from = sal_arena_text(&model->arena, def->from);
        row.duration = sal_model_node(model, def->duration, "duration=");
        sal_model_allow(model, row.duration, SAL_KINDS_CONSTANT,
                        "duration=", "it is an expression of parameters");
    }
    row.param = add_params(model, name, def, row.params);
    const sal_node zero = sal_const(&model->graph, 0.0); /* until the model is finished */
    row.number = sal_model_hidden_memory(model, name, zero);
    row.next = sal_model_hidden_memory(model, name, zero);
    row.start = sal_model_hidden_memory(model, name, zero);
    row.begin = sal_model_hidden_memory(model, name, zero);
    for (int i = 0; i < coefficient_count(row.kind); i++)
        row.c[i] = sal_model_hidden_memory(model, name, zero);
    if (sal_model_failed(model)) return null_expr;
    const saltus_expr u = {polynomial(model, &row)};
    saltus_output(model, name, u, def->unit, def->doc);
    if (sal_model_failed(model)) return null_expr;
    SAL_MODEL_PUSH(model, &model->controls, row);
    return sal_model_failed(model) ? null_expr : u;
}

/* ---- finishing ------------------------------------------------------------------------------ */

/* The time at which a control begins: the start of the horizon, or with from= the memory with the
 * time of the event. */
static sal_node start_of(saltus_model *model, const sal_control *control)
{
    return control->from ? sal_leaf(&model->graph, SAL_LEAF_C, control->start)
                         : sal_const(&model->graph, model->start);
}

/* The time of a node, at which this part of the duration is over. */
static sal_node time_of(saltus_model *model, const sal_control *control, sal_node start,
                        sal_node part)
{
    sal_graph *graph = &model->graph;
    return sal_add(graph, start, sal_mul(graph, part, control->duration));
}

/* Returns a leaf with the time of the node after the one that is reached, as a fraction of the
 * duration. At the last node it does not increase any more, so that the clock stops. */
static sal_node pick_next(saltus_model *model, const sal_control *control)
{
    const int count = control->nodes + 1;
    WORK_ARENA(scratch, &model->arena.allocator);
    sal_node *part = ARENA_NEW(&scratch, count, sal_node);
    if (!part) sal_model_out_of_memory(model);
    for (int k = 0; k < count && part; k++)
        part[k] = sal_const(&model->graph, (double)k / control->nodes);
    if (sal_model_failed(model)) return 0;
    return sal_model_pick(model, sal_model_table(model, part, count), control->number, 2);
}

/* Sets the memories for the first piece, which begins at the time `start`, by calls of put. */
static void first_piece(saltus_model *model, const sal_control *control, sal_node start,
                        void (*put)(void *context, int memory, sal_node value), void *context)
{
    sal_graph     *graph = &model->graph;
    const sal_node part = sal_const(graph, 1.0 / control->nodes);
    sal_node       v[4], c[4];
    for (int i = 0; i < 4; i++)
        v[i] = i == 1 || control->kind == SALTUS_CUBIC || (i == 2 && control->kind == SALTUS_LINEAR)
                   ? value_at(model, control, 0, i - 1)
                   : 0;
    coefficients(model, control, v, c);
    put(context, control->number, sal_const(graph, 0.0));
    put(context, control->start, start);
    put(context, control->begin, start);
    put(context, control->next, time_of(model, control, start, part));
    for (int i = 0; i < coefficient_count(control->kind); i++) put(context, control->c[i], c[i]);
}

typedef struct putting {
    saltus_model *model;
    sal_event    *event;
} putting;

static void put_start(void *context, int memory, sal_node value)
{
    const putting *p = context;
    p->model->memories.data[memory].start = value;
}

static void put_set(void *context, int memory, sal_node value)
{
    const putting *p = context;
    sal_clock_set(p->model, p->event, memory, value);
}

static void add_node(saltus_model *model, const sal_control *control)
{
    sal_graph     *graph = &model->graph;
    const sal_node t = sal_leaf(graph, SAL_LEAF_T, 0);
    const sal_node number = sal_leaf(graph, SAL_LEAF_C, control->number);
    sal_node       v[4] = {0, 0, 0, 0}, c[4];
    for (int i = 0; i < 4; i++)
        if (i == 1 || control->kind == SALTUS_CUBIC || (i == 2 && control->kind == SALTUS_LINEAR))
            v[i] = pick_value(model, control, i - 1);
    coefficients(model, control, v, c);
    const sal_node next =
        time_of(model, control, start_of(model, control), pick_next(model, control));
    sal_event *event = sal_clock_add(model, &control->label, SAL_HIDDEN_NODE, control->next);
    if (!event) return;
    sal_clock_set(model, event, control->number, sal_add(graph, number, sal_const(graph, 1.0)));
    sal_clock_set(model, event, control->next, next);
    if (control->kind != SALTUS_HOLD) sal_clock_set(model, event, control->begin, t);
    for (int i = 0; i < coefficient_count(control->kind); i++)
        sal_clock_set(model, event, control->c[i], c[i]);
}

saltus_status sal_control_finish(saltus_model *model, int index, saltus_error *err)
{
    sal_control *control = &model->controls.data[index];
    sal_graph   *graph = &model->graph;
    bool         found = control->from == NULL;
    putting      p = {model, NULL};
    if (!control->from) {
        if (!model->has_horizon) return SALTUS_OK; /* a mistake that sal_model_check reports */
        control->duration = sal_sub(graph, model->end, sal_const(graph, model->start));
        first_piece(model, control, sal_const(graph, model->start), put_start, &p);
    }
    for (int i = 0; control->from && i < model->events.count; i++) {
        if (model->events.data[i].hidden != SAL_SHOWN ||
            strcmp(model->events.data[i].label.name, control->from) != 0)
            continue;
        found = true;
        p.event = &model->events.data[i];
        first_piece(model, control, sal_leaf(graph, SAL_LEAF_T, 0), put_set, &p);
    }
    if (!found) return sal_clock_no_event(model, &control->label, "control", control->from, err);
    if (control->from) sal_stopwatch_stop(model, control->next);
    add_node(model, control);
    return SALTUS_OK;
}
