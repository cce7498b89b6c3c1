/* Kinks: every abs, sign, min, max along the motion becomes a frozen branch,
 *     abs(x) -> select(s, x, -x)   sign(x) -> s   max(a, b) -> select(s, a, b),  s = sign(a - b)
 * with s a memory that an automatic event flips when the argument crosses zero. Each argument has
 * one branch, however often and in which of the four functions it occurs. */
#include <string.h>

#include "system/system.h"

typedef struct kink_list {
    saltus_system *system;
    SAL_ARRAY(sal_kink) found;
    bool out_of_memory;
} kink_list;

/* Whether two arguments are a - b and b - a. */
static bool is_mirror(const sal_graph *graph, sal_node a, sal_node b)
{
    const sal_node_data *x = &graph->nodes.data[a], *y = &graph->nodes.data[b];
    return x->op == SAL_OP_SUB && y->op == SAL_OP_SUB && x->arg[0] == y->arg[1] &&
           x->arg[1] == y->arg[0];
}

/* The kink with this argument, which may be noted the other way round; count if there is none. */
static int find_kink(const kink_list *list, const sal_graph *graph, sal_node argument,
                     bool *flipped)
{
    int i = 0;
    *flipped = graph->nodes.data[argument].op == SAL_OP_NEG;
    if (*flipped) argument = graph->nodes.data[argument].arg[0];
    for (; i < list->found.count; i++) {
        const sal_node other = list->found.data[i].argument;
        if (other == argument) break;
        if (!is_mirror(graph, other, argument)) continue;
        *flipped = !*flipped;
        break;
    }
    return i;
}

/* The branch of an argument: +-leaf; flipped tells which way round. */
static sal_node branch_of(kink_list *list, sal_graph *graph, sal_node argument, int op, int line,
                          bool *flipped)
{
    const unsigned moving = SAL_KIND(T) | SAL_KIND(Q) | SAL_KIND(V) | SAL_KIND(A);
    const int      i = find_kink(list, graph, argument, flipped);
    if (i == list->found.count) {
        const sal_node_data *data = &graph->nodes.data[argument];
        const sal_kink       kink = {.argument = *flipped ? data->arg[0] : argument,
                                     .op = op,
                                     .line = line,
                                     .moves = (data->kinds & moving) != 0};
        if (!ARRAY_PUSH(&graph->allocator, &list->found, kink)) {
            list->out_of_memory = true;
            return 0;
        }
    }
    return sal_leaf(graph, SAL_LEAF_C, list->system->nm_user + i);
}

/* What the sign of a kink is taken of. */
static sal_node argument_of(sal_graph *graph, const sal_node_data *data)
{
    const bool two = data->op == SAL_OP_MIN || data->op == SAL_OP_MAX;
    return two ? sal_sub(graph, data->arg[0], data->arg[1]) : data->arg[0];
}

static sal_node replace_kink(void *context, sal_graph *graph, sal_node node)
{
    kink_list          *list = context;
    const sal_node_data data = graph->nodes.data[node];
    bool                flipped;
    if (!sal_is_kink(data.op)) return 0;
    const sal_node a = data.arg[0], b = data.arg[1];
    const sal_node argument = argument_of(graph, &data);
    if (!argument || sal_is_const(graph, argument, NULL)) return 0;
    const sal_node s = branch_of(list, graph, argument, data.op, (int)data.value, &flipped);
    if (data.op == SAL_OP_SIGN) return flipped ? sal_neg(graph, s) : s;
    sal_node high = data.op == SAL_OP_MIN ? b : a; /* the value where the argument is positive */
    sal_node low = data.op == SAL_OP_ABS ? sal_neg(graph, a) : data.op == SAL_OP_MIN ? a : b;
    return flipped ? sal_apply(graph, SAL_OP_SELECT, s, low, high)
                   : sal_apply(graph, SAL_OP_SELECT, s, high, low);
}

static void replace_in(kink_list *list, sal_graph *graph, sal_node *node)
{
    if (*node) sal_substitute(graph, node, 1, replace_kink, list, node);
}

/* sign@12; a second one on the same line is sign@12#2. */
static const char *kink_name(saltus_system *system, const sal_kink *kinks, int index)
{
    int same = 1;
    for (int i = 0; i < index; i++)
        if (kinks[i].line == kinks[index].line && kinks[i].op == kinks[index].op) same++;
    const char *text = sal_op_text(kinks[index].op);
    return same == 1 ? sal_arena_format(&system->arena, "%s@%d", text, kinks[index].line)
                     : sal_arena_format(&system->arena, "%s@%d#%d", text, kinks[index].line, same);
}

/* A sign in the derivative of abs, min or max is named by that, which is what the script says. */
static void name_by_script(kink_list *list, sal_graph *graph)
{
    bool      flipped;
    const int nodes = graph->nodes.count;
    for (sal_node node = 1; node < nodes && !graph->failed; node++) {
        const sal_node_data data = graph->nodes.data[node];
        if (!sal_is_kink(data.op) || data.op == SAL_OP_SIGN) continue;
        const sal_node argument = argument_of(graph, &data);
        if (!argument) continue;
        const int i = find_kink(list, graph, argument, &flipped);
        if (i < list->found.count && list->found.data[i].op == SAL_OP_SIGN &&
            list->found.data[i].line == (int)data.value)
            list->found.data[i].op = data.op;
    }
}

static bool has_kinks(const sal_graph *graph)
{
    for (sal_node node = 1; node < graph->nodes.count; node++)
        if (sal_is_kink(graph->nodes.data[node].op)) return true;
    return false;
}

saltus_status sal_kinks_replace(saltus_system *system, saltus_error *err)
{
    saltus_model *model = system->model;
    sal_graph    *graph = &model->graph;
    kink_list     list = {.system = system};
    if (has_kinks(graph)) {
        for (int i = 0; i < model->terms.count; i++)
            for (int k = 0; k < 2; k++) replace_in(&list, graph, &model->terms.data[i].e[k]);
        for (int i = 0; i < model->constraints.count; i++)
            replace_in(&list, graph, &model->constraints.data[i].phi);
        for (int i = 0; i < model->costs.count; i++)
            replace_in(&list, graph, &model->costs.data[i].integral);
        for (int i = 0; i < model->events.count; i++)
            replace_in(&list, graph, &model->events.data[i].when);
        name_by_script(&list, graph);
    }
    system->kinks = list.found.count;
    system->kink = ARENA_NEW(&system->arena, list.found.count, sal_kink);
    for (int i = 0; i < list.found.count && system->kink; i++) {
        system->kink[i] = list.found.data[i];
        system->kink[i].name = kink_name(system, list.found.data, i);
    }
    ARRAY_RELEASE(&graph->allocator, &list.found);
    if (list.out_of_memory || graph->failed || system->arena.failed) return sal_fail_memory(err);
    return system->kinks == 0 || sal_kinks_judge(system) ? SALTUS_OK : sal_fail_memory(err);
}

saltus_status sal_kinks_instant(saltus_system *system, const sal_node *roots, int count,
                                sal_instant_kinks *kinks, saltus_error *err)
{
    sal_graph *graph = &system->model->graph;
    sal_arena  scratch;
    if (!sal_graph_walk(graph, roots, count)) return sal_fail_memory(err);
    sal_arena_init(&scratch, &graph->allocator);
    const int    nodes = graph->walk.list.count;
    sal_target  *targets = ARENA_NEW(&scratch, nodes, sal_target);
    const char **names = ARENA_NEW(&scratch, nodes, const char *);
    for (int i = 0; i < nodes && !scratch.failed; i++) {
        const sal_node_data data = graph->nodes.data[graph->walk.list.data[i]];
        if (!sal_is_kink(data.op)) continue;
        targets[kinks->count] = SAL_OUTPUT(argument_of(graph, &data), kinks->count);
        names[kinks->count++] =
            sal_arena_format(&system->arena, "%s@%d", sal_op_text(data.op), (int)data.value);
    }
    kinks->name = ARENA_NEW(&system->arena, kinks->count, const char *);
    if (kinks->name && kinks->count)
        memcpy(kinks->name, names, (size_t)kinks->count * sizeof *names);
    if (!scratch.failed)
        sal_kernel_add(&kinks->arguments, &system->arena, graph, targets, kinks->count,
                       &system->layout, NULL, NULL);
    const bool failed = scratch.failed || system->arena.failed || graph->failed;
    sal_arena_free(&scratch);
    return failed ? sal_fail_memory(err) : SALTUS_OK;
}
