/* Decides which operations are constant during a run and replaces them: see constants.h. */
#include "compile/constants.h"

bool sal_constants_init(sal_constants *hoist, sal_graph *graph, int limit, sal_arena *arena)
{
    *hoist = (sal_constants){graph, 0, limit, ARENA_NEW(arena, limit, sal_node)};
    return hoist->definition != NULL;
}

unsigned sal_constants_kinds(void)
{
    return sal_kind_bit(SAL_LEAF_P) | sal_kind_bit(SAL_LEAF_SOLVER) |
           sal_kind_bit(SAL_LEAF_SOFTNESS) | sal_kind_bit(SAL_LEAF_RUN);
}

/* Whether the node is an operation that is constant during a run. */
static bool is_constant(const sal_graph *graph, sal_node node)
{
    const sal_node_data *data = &graph->nodes.data[node];
    return data->kinds && !(data->kinds & ~sal_constants_kinds()) && sal_op_arguments(data->op) > 0;
}

/* Returns the number of a run constant, which is added if it is new; -1 if there is no room. */
static int number_of(sal_constants *hoist, sal_node node)
{
    for (int i = 0; i < hoist->count; i++)
        if (hoist->definition[i] == node) return i;
    if (hoist->count == hoist->limit) return -1;
    hoist->definition[hoist->count] = node;
    return hoist->count++;
}

static sal_node constant_for(sal_constants *hoist, sal_node node)
{
    const int number = number_of(hoist, node);
    return number < 0 ? node : sal_leaf(hoist->graph, SAL_LEAF_RUN, number);
}

/* The image of an argument or root. A constant expression becomes a run constant only here, where
 * something that is not constant uses it, so that only the largest ones become run constants. */
static sal_node image_of(sal_constants *hoist, sal_node node)
{
    return is_constant(hoist->graph, node) ? constant_for(hoist, node)
                                           : hoist->graph->walk.image[node];
}

static sal_node rebuild(sal_constants *hoist, sal_node node)
{
    sal_graph          *graph = hoist->graph;
    const sal_node_data data = graph->nodes.data[node];
    sal_node            arg[3] = {0, 0, 0};
    bool                differs = false;
    for (int i = 0; i < sal_op_arguments(data.op); i++) {
        arg[i] = image_of(hoist, data.arg[i]);
        differs = differs || arg[i] != data.arg[i];
    }
    if (!differs) return node;
    return graph->may_reround ? sal_apply(graph, data.op, arg[0], arg[1], arg[2])
                              : sal_raw(graph, data.op, arg[0], arg[1], arg[2]);
}

static sal_node definition_of(void *context, sal_graph *graph, sal_node node)
{
    const sal_constants *hoist = context;
    int                  kind, index;
    return sal_is_leaf(graph, node, &kind, &index) && kind == SAL_LEAF_RUN
               ? hoist->definition[index]
               : 0;
}

void sal_constants_take(sal_constants *hoist, sal_node *nodes, int count)
{
    sal_graph *graph = hoist->graph;
    const int  known = hoist->count;
    if (!sal_graph_walk(graph, nodes, count)) return;
    for (int i = 0; i < graph->walk.list.count && !graph->failed; i++) {
        const sal_node node = graph->walk.list.data[i];
        graph->walk.image[node] = is_constant(graph, node) ? node : rebuild(hoist, node);
    }
    for (int i = 0; i < count; i++)
        if (nodes[i]) nodes[i] = graph->failed ? 0 : image_of(hoist, nodes[i]);
    sal_substitute(graph, hoist->definition + known, hoist->count - known, definition_of, hoist,
                   hoist->definition + known);
}
