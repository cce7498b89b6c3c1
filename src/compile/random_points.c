/* Draws random points and evaluates expressions there, with a limit on the work: see
 * random_points.h. */
#include "compile/random_points.h"

#include <math.h>
#include <string.h>

#include "expr/derive.h"

/* The operations that a sampler may compute: about a quarter of a second of work. */
#define BUDGET 20000000LL

bool sal_point_sampler_init(sal_point_sampler *s, const saltus_system *system)
{
    *s = (sal_point_sampler){.system = system, .seed = 20240229, .left = BUDGET};
    sal_graph_init(&s->graph, &system->arena.allocator);
    s->failed = !sal_graph_copy(&s->graph, &system->model->graph);
    return !s->failed;
}

void sal_point_sampler_free(sal_point_sampler *s)
{
    sal_resize(&s->graph.allocator, s->value, 3 * (size_t)s->room * sizeof *s->value, 0);
    sal_graph_free(&s->graph);
}

bool sal_sample_list(sal_point_sampler *s, sal_node node, sal_node_list *list)
{
    const saltus_allocator *allocator = &s->graph.allocator;
    list->count = 0;
    s->failed = s->failed || !sal_graph_walk(&s->graph, &node, 1) ||
                !ARRAY_RESERVE(allocator, list, s->graph.walk.list.count);
    if (s->failed) return false;
    list->count = s->graph.walk.list.count;
    s->left -= list->count;
    if (list->count)
        memcpy(list->data, s->graph.walk.list.data, (size_t)list->count * sizeof *list->data);
    if (s->graph.nodes.count <= s->room) return true;
    const int room = 2 * s->graph.nodes.count;
    double   *values = sal_resize(allocator, s->value, 3 * (size_t)s->room * sizeof *values,
                                  3 * (size_t)room * sizeof *values);
    s->failed = !values;
    if (!values) return false;
    memset(values, 0, 3 * (size_t)room * sizeof *values);
    s->value = values;
    s->from = values + room;
    s->to = values + 2 * room;
    s->room = room;
    return true;
}

bool sal_sample_is_branch(const sal_point_sampler *s, sal_node node)
{
    int kind, index;
    return sal_is_leaf(&s->graph, node, &kind, &index) && kind == SAL_LEAF_C &&
           index >= s->system->nm_user;
}

/* Returns a random number between -1 and 1. */
static double draw(sal_point_sampler *s)
{
    s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(s->seed >> 11) * 0x1p-52 - 1.0;
}

/* Parameters stay near their values, so that masses are positive; the rest may be anything. */
static double draw_leaf(sal_point_sampler *s, sal_node node, int trial)
{
    static const double sizes[] = {1.0, 0.1, 5.0, 30.0, 1000.0};
    const double        x = draw(s) * sizes[trial % 5];
    int                 kind, index;
    if (sal_sample_is_branch(s, node)) return x < 0.0 ? -1.0 : 1.0;
    sal_is_leaf(&s->graph, node, &kind, &index);
    if (kind != SAL_LEAF_P) return trial % 4 == 3 ? fabs(x) : x;
    const double value = s->system->model->params.data[index].value;
    return value != 0.0 ? value * (1.0 + 0.3 * draw(s)) : x;
}

void sal_sample_leaves(sal_point_sampler *s, const sal_node_list *list, double *value, int trial)
{
    for (int i = 0; i < list->count; i++)
        if (sal_is_leaf(&s->graph, list->data[i], NULL, NULL))
            value[list->data[i]] = draw_leaf(s, list->data[i], trial);
}

double sal_sample_value(const sal_point_sampler *s, sal_node node)
{
    const sal_node_data *data = &s->graph.nodes.data[node];
    if (data->op == SAL_OP_LEAF) return s->value[node];
    if (data->op == SAL_OP_CONST) return data->value;
    return sal_op_value(data->op, s->value[data->arg[0]], s->value[data->arg[1]],
                        s->value[data->arg[2]]);
}

double sal_sample_all(sal_point_sampler *s, const sal_node_list *list)
{
    double result = 0.0;
    for (int i = 0; i < list->count; i++)
        s->value[list->data[i]] = result = sal_sample_value(s, list->data[i]);
    s->left -= list->count;
    return result;
}

static sal_node seed_moving(void *context, sal_graph *graph, int kind, int index)
{
    const sal_point_sampler *s = context;
    if (kind == SAL_LEAF_C && index >= s->system->nm_user) return 0;
    return sal_leaf(graph, kind + SAL_LEAF_TANGENT, index);
}

sal_node sal_sample_slope(sal_point_sampler *s, sal_node node)
{
    sal_node slope = 0;
    if (node) sal_derive_along(&s->graph, &node, 1, seed_moving, s, &slope);
    return slope;
}
