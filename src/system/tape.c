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

/* Of so many differences, sums and products, the number that is left when the node has been made
 * of what can be read anyway; negative: they are not enough. */
static int left_of(const sal_graph *graph, sal_node node, int left)
{
    const sal_node_data *data = &graph->nodes.data[node];
    if (!is_operation(graph, node) || left < 0) return left;
    if (data->op != SAL_OP_ADD && data->op != SAL_OP_SUB && data->op != SAL_OP_MUL) return -1;
    return left_of(graph, data->arg[1], left_of(graph, data->arg[0], left - 1));
}

/* A few operations that nothing waits for cost less than writing it and reading it again. */
static bool is_cheap(const sal_graph *graph, sal_node node) { return left_of(graph, node, 8) >= 0; }

/* The leaf for a node, made if there is none yet; the node itself if there is no room. */
static sal_node kept(sal_tape *tape, sal_node node)
{
    int i = 0;
    while (i < tape->count && tape->definition[i] != node) i++;
    if (i == tape->limit) return node;
    if (i == tape->count) tape->definition[tape->count++] = node;
    return sal_leaf(tape->graph, SAL_LEAF_TAPE, i);
}

/* What something that differs from lane to lane reads instead of a node that does not. */
static sal_node image_of(sal_tape *tape, sal_node node)
{
    sal_graph           *graph = tape->graph;
    const sal_node_data *data = &graph->nodes.data[node];
    if (data->op == SAL_OP_NEG) {
        const sal_node inner = image_of(tape, data->arg[0]);
        return sal_neg(graph, inner);
    }
    return !is_operation(graph, node) || is_cheap(graph, node) ? node : kept(tape, node);
}

/* What differs from lane to lane is linear in the lane's numbers: a factor that does not differ,
 * times the rest. Factors are multiplied with each other, and added where the rest is the same, so
 * that what is left for each lane is one product. */
typedef struct linear {
    sal_node rest, factor; /* factor 0: it is 1 */
} linear;

static sal_node value_of(sal_tape *tape, linear x)
{
    return x.factor ? sal_mul(tape->graph, image_of(tape, x.factor), x.rest) : x.rest;
}

static sal_node factor_of(sal_graph *graph, linear x)
{
    return x.factor ? x.factor : sal_const(graph, 1.0);
}

static linear scaled(sal_graph *graph, linear x, sal_node by)
{
    return (linear){x.rest, x.factor ? sal_mul(graph, x.factor, by) : by};
}

/* a + b, or a - b. */
static linear sum_of(sal_tape *tape, int op, linear a, linear b)
{
    sal_graph *graph = tape->graph;
    if (a.rest == b.rest)
        return (linear){a.rest, sal_apply(graph, op, factor_of(graph, a), factor_of(graph, b), 0)};
    return (linear){sal_apply(graph, op, value_of(tape, a), value_of(tape, b), 0), 0};
}

/* An operation that is not linear in what differs, or nothing but a leaf: as it is. */
static linear other(sal_tape *tape, const linear *known, sal_node node)
{
    sal_graph          *graph = tape->graph;
    const sal_node_data data = graph->nodes.data[node];
    sal_node            arg[3] = {0, 0, 0};
    bool                differs = false;
    for (int k = 0; k < sal_op_arguments(data.op); k++) {
        arg[k] = is_shared(graph, data.arg[k]) ? image_of(tape, data.arg[k])
                                               : value_of(tape, known[data.arg[k]]);
        differs = differs || arg[k] != data.arg[k];
    }
    return (linear){differs ? sal_apply(graph, data.op, arg[0], arg[1], arg[2]) : node, 0};
}

static linear linear_of(sal_tape *tape, const linear *known, sal_node node)
{
    sal_graph          *graph = tape->graph;
    const sal_node_data data = graph->nodes.data[node];
    const sal_node      a = data.arg[0], b = data.arg[1];
    switch (data.op) {
    case SAL_OP_NEG: return scaled(graph, known[a], sal_const(graph, -1.0));
    case SAL_OP_ADD:
    case SAL_OP_SUB:
        if (!is_shared(graph, a) && !is_shared(graph, b))
            return sum_of(tape, data.op, known[a], known[b]);
        break;
    case SAL_OP_MUL:
        if (is_shared(graph, a)) return scaled(graph, known[b], a);
        if (is_shared(graph, b)) return scaled(graph, known[a], b);
        break;
    case SAL_OP_DIV:
        if (is_shared(graph, b))
            return scaled(graph, known[a],
                          sal_apply(graph, SAL_OP_DIV, sal_const(graph, 1.0), b, 0));
        break;
    default: break;
    }
    return other(tape, known, node);
}

bool sal_tape_nodes(sal_tape *tape, sal_node *nodes, int count, sal_arena *scratch)
{
    sal_graph *graph = tape->graph;
    linear    *known = ARENA_NEW(scratch, graph->nodes.count, linear);
    if (!known || !sal_graph_walk(graph, nodes, count)) return false;
    for (int i = 0; i < graph->walk.list.count && !graph->failed; i++) {
        const sal_node node = graph->walk.list.data[i];
        if (!is_shared(graph, node)) known[node] = linear_of(tape, known, node);
    }
    for (int i = 0; i < count && !graph->failed; i++)
        if (nodes[i] && !is_shared(graph, nodes[i])) nodes[i] = value_of(tape, known[nodes[i]]);
    return !graph->failed;
}
