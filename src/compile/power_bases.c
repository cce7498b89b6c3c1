/* Finds guards that are the base of a non-integer power. For max(0, -y)^1.5 it is the guard of the
 * kink; for (-y)^1.5 in a mode that an event leaves where y is zero, it is the guard of this event.
 * Steps are short near such guards (run/power_kink.c). */
#include <math.h>

#include "compile/system.h"

/* How deeply nested factors are examined, so that the search is short for any script. */
enum { DEEPEST = 12 };

/* Whether two expressions are equal up to their sign, as x and -x, or a - b and b - a. */
static bool is_same(const sal_graph *graph, sal_node a, sal_node b)
{
    const sal_node_data *x = &graph->nodes.data[a], *y = &graph->nodes.data[b];
    if (x->op == SAL_OP_NEG) return is_same(graph, x->arg[0], b);
    if (y->op == SAL_OP_NEG) return is_same(graph, a, y->arg[0]);
    return a == b || sal_is_mirror(graph, a, b);
}

static void note(saltus_system *system, sal_compiled_event *event)
{
    if (event->kink >= 0 && system->kink[event->kink].steep) return; /* it has no gradient anyway */
    event->guard_is_base = system->has_power_kinks = true;
}

/* Marks the events of the script that have this expression as guard, up to its sign. */
static void note_guards(saltus_system *system, sal_node base)
{
    const saltus_model *model = system->model;
    for (int e = 0; e < model->events.count; e++)
        if (is_same(&model->graph, base, model->events.data[e].when))
            note(system, &system->event[e]);
}

static void note_kink(saltus_system *system, sal_node branch)
{
    int kind, index;
    if (!sal_is_leaf(&system->model->graph, branch, &kind, &index) || kind != SAL_LEAF_C) return;
    for (int e = system->model->events.count; e < system->events; e++)
        if (system->event[e].kink == index - system->nm_user) note(system, &system->event[e]);
}

/* Marks all guards that are factors of the base, so that it vanishes with them. */
static void note_base(saltus_system *system, sal_node base, int depth)
{
    const sal_node_data data = system->model->graph.nodes.data[base];
    if (depth > DEEPEST) return;
    switch (data.op) {
    case SAL_OP_SELECT: note_kink(system, data.arg[0]); break;
    case SAL_OP_NEG:
    case SAL_OP_DIV: note_base(system, data.arg[0], depth + 1); break;
    case SAL_OP_MUL:
        note_base(system, data.arg[0], depth + 1);
        note_base(system, data.arg[1], depth + 1);
        break;
    default: break;
    }
    note_guards(system, base);
}

/* Whether the node is a non-integer power of a base that ends at zero (powers.c). An exponent that
 * is not a number is taken to be non-integer. */
static bool is_fractional(const sal_graph *graph, const sal_node_data *data)
{
    double exponent = 0.5;
    if (data->op == SAL_OP_CLAMPED_SQRT) return true;
    if (data->op != SAL_OP_CLAMPED_POW) return false;
    sal_is_const(graph, data->arg[1], &exponent);
    return exponent != floor(exponent);
}

static bool note_bases(saltus_system *system, sal_node root)
{
    sal_graph *graph = &system->model->graph;
    if (!root) return true;
    if (!sal_graph_walk(graph, &root, 1)) return false;
    for (int i = 0; i < graph->walk.list.count; i++) {
        const sal_node_data *data = &graph->nodes.data[graph->walk.list.data[i]];
        if (is_fractional(graph, data)) note_base(system, data->arg[0], 0);
    }
    return true;
}

bool sal_power_bases_find(saltus_system *system)
{
    const saltus_model *model = system->model;
    bool                ok = true;
    if (system->events == 0) return true;
    for (int i = 0; ok && i < model->terms.count; i++)
        for (int k = 0; k < 2; k++) ok = ok && note_bases(system, model->terms.data[i].e[k]);
    for (int i = 0; ok && i < model->constraints.count; i++)
        ok = note_bases(system, model->constraints.data[i].phi);
    for (int i = 0; ok && i < model->costs.count; i++)
        ok = note_bases(system, model->costs.data[i].integral) &&
             note_bases(system, model->costs.data[i].peak);
    return ok;
}
