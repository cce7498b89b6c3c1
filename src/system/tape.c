/* What is kept of forward evaluations: see tape.h. */
#include "system/tape.h"

bool sal_tape_init(sal_tape *tape, sal_graph *graph, int limit, sal_arena *arena)
{
    *tape = (sal_tape){graph, 0, limit, ARENA_NEW(arena, limit, sal_node)};
    return tape->definition != NULL;
}

static bool is_operation(const sal_graph *graph, sal_node node)
{
    return sal_op_arguments(graph->nodes.data[node].op) > 0;
}

/* Whether it is the same for all lanes. */
static bool is_shared(const sal_graph *graph, sal_node node)
{
    const unsigned lanes = sal_kind_bit(SAL_LEAF_TANGENT) | sal_kind_bit(SAL_LEAF_BAR);
    return !(graph->nodes.data[node].kinds & lanes);
}

/* A difference, a sum or a product of what can be read anyway. */
static bool is_cheap(const sal_graph *graph, sal_node node)
{
    const sal_node_data *data = &graph->nodes.data[node];
    if (data->op != SAL_OP_ADD && data->op != SAL_OP_SUB && data->op != SAL_OP_MUL) return false;
    return !is_operation(graph, data->arg[0]) && !is_operation(graph, data->arg[1]);
}

/* The leaf for a node, made if there is none yet; the node itself if there is no room. */
static sal_node kept(sal_tape *tape, sal_node node)
{
    int i = 0;
    while (i < tape->count && tape->definition[i] != node) i++;
    if (i == tape->limit) return node;
    if (i == tape->count) tape->definition[tape->count++] = node;
    return sal_leaf(tape->graph, SAL_LEAF_TAPE, i);
}

/* What something that differs from lane to lane reads instead of the node. */
static sal_node image_of(sal_tape *tape, sal_node node)
{
    sal_graph           *graph = tape->graph;
    const sal_node_data *data = &graph->nodes.data[node];
    if (!is_shared(graph, node)) return graph->walk.image[node];
    if (data->op == SAL_OP_NEG) {
        const sal_node inner = image_of(tape, data->arg[0]);
        return sal_apply(graph, SAL_OP_NEG, inner, 0, 0);
    }
    return !is_operation(graph, node) || is_cheap(graph, node) ? node : kept(tape, node);
}

void sal_tape_nodes(sal_tape *tape, sal_node *nodes, int count)
{
    sal_graph *graph = tape->graph;
    if (!sal_graph_walk(graph, nodes, count)) return;
    for (int i = 0; i < graph->walk.list.count && !graph->failed; i++) {
        const sal_node      node = graph->walk.list.data[i];
        const sal_node_data data = graph->nodes.data[node];
        sal_node            arg[3] = {0, 0, 0};
        bool                differs = false;
        graph->walk.image[node] = node;
        if (is_shared(graph, node)) continue;
        for (int k = 0; k < sal_op_arguments(data.op); k++) {
            arg[k] = image_of(tape, data.arg[k]);
            differs = differs || arg[k] != data.arg[k];
        }
        if (differs) graph->walk.image[node] = sal_apply(graph, data.op, arg[0], arg[1], arg[2]);
    }
    for (int i = 0; i < count; i++)
        if (nodes[i]) nodes[i] = graph->failed ? 0 : graph->walk.image[nodes[i]];
}
