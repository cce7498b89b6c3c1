/* Guards that are the base of a power which is not whole: of max(0, -y)^1.5 that of its kink; of
 * (-y)^1.5 in a mode, which an event leaves where y is zero, that of the event. */
#include <math.h>

#include "system/system.h"

/* The same but for its sign: x and -x, a - b and b - a. */
static bool is_same(const sal_graph *graph, sal_node a, sal_node b)
{
    const sal_node_data *x = &graph->nodes.data[a], *y = &graph->nodes.data[b];
    if (x->op == SAL_OP_NEG) return is_same(graph, x->arg[0], b);
    if (y->op == SAL_OP_NEG) return is_same(graph, a, y->arg[0]);
    return a == b || (x->op == SAL_OP_SUB && y->op == SAL_OP_SUB && x->arg[0] == y->arg[1] &&
                      x->arg[1] == y->arg[0]);
}

/* Whether the base is zero where the guard of the event is, as a factor of it. */
static bool vanishes(const saltus_system *system, const sal_event_system *event, sal_node base)
{
    const sal_graph     *graph = &system->model->graph;
    const sal_node_data *data = &graph->nodes.data[base];
    int                  kind, index;
    switch (data->op) {
    case SAL_OP_NEG:
    case SAL_OP_DIV: return vanishes(system, event, data->arg[0]);
    case SAL_OP_MUL:
        return vanishes(system, event, data->arg[0]) || vanishes(system, event, data->arg[1]);
    case SAL_OP_SELECT:
        return sal_is_leaf(graph, data->arg[0], &kind, &index) && kind == SAL_LEAF_C &&
               index == system->nm_user + event->kink && event->kink >= 0;
    default:
        return event->user >= 0 &&
               is_same(graph, base, system->model->events.data[event->user].when);
    }
}

/* The exponent of a node that is a power; 1: it is none. One that is not a number may be anything.
 */
static double exponent_of(const sal_graph *graph, const sal_node_data *data)
{
    double exponent = 0.5;
    if (data->op == SAL_OP_SQRT || data->op == SAL_OP_CLAMPED_SQRT) return exponent;
    if (data->op != SAL_OP_POW && data->op != SAL_OP_CLAMPED_POW) return 1.0;
    sal_is_const(graph, data->arg[1], &exponent);
    return exponent;
}

static bool note_bases(saltus_system *system, sal_node root)
{
    sal_graph *graph = &system->model->graph;
    if (!root) return true;
    if (!sal_graph_walk(graph, &root, 1)) return false;
    for (int i = 0; i < graph->walk.list.count; i++) {
        const sal_node_data *data = &graph->nodes.data[graph->walk.list.data[i]];
        const double         exponent = exponent_of(graph, data);
        if (exponent == floor(exponent)) continue;
        for (int e = 0; e < system->events; e++) {
            sal_event_system *event = &system->event[e];
            if (event->kink >= 0 && system->kink[event->kink].steep) continue;
            if (!vanishes(system, event, data->arg[0])) continue;
            event->guard_is_base = system->graded = true;
        }
    }
    return true;
}

bool sal_bases_find(saltus_system *system)
{
    const saltus_model *model = system->model;
    bool                ok = true;
    for (int i = 0; ok && i < model->terms.count; i++)
        for (int k = 0; k < 2; k++) ok = ok && note_bases(system, model->terms.data[i].e[k]);
    for (int i = 0; ok && i < model->constraints.count; i++)
        ok = note_bases(system, model->constraints.data[i].phi);
    for (int i = 0; ok && i < model->costs.count; i++)
        ok = note_bases(system, model->costs.data[i].integral);
    return ok;
}
