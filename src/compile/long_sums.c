/* Integrands that are long sums, for example over all masses of a chain. Addends of equal shape
 * share a program, like the terms of the equations of motion. */
#include "compile/template.h"

/* A sum remains one program, in which addends share common subexpressions, if it has fewer than
 * LONG_SUM addends, if the addends taken one by one have more than MAX_SHARED times as many nodes,
 * or if there are fewer than FEWEST_ALIKE addends per shape on average. */
enum { LONG_SUM = 64, MAX_SHARED = 2, FEWEST_ALIKE = 8 };

typedef struct addend_list {
    const saltus_allocator *allocator;
    SAL_ARRAY(sal_term) terms;
    SAL_ARRAY(sal_node) stack, negative; /* sums to be taken apart; whether each is subtracted */
    bool failed;                         /* out of memory */
} addend_list;

static void push(addend_list *list, sal_node node, bool negative)
{
    if (!ARRAY_PUSH(list->allocator, &list->stack, node) ||
        !ARRAY_PUSH(list->allocator, &list->negative, negative))
        list->failed = true;
}

/* Adds an addend as a term. Its kind is the number of the cost, so that addends of different costs
 * never share a template. */
static void add_term(addend_list *list, sal_graph *graph, sal_node node, bool negative, int cost)
{
    const sal_term term = {.kind = (sal_term_kind)cost,
                           .e = {negative ? sal_neg(graph, node) : node},
                           .rows = {-1, -1}};
    if (!ARRAY_PUSH(list->allocator, &list->terms, term)) list->failed = true;
}

/* Adds all addends of a sum to the list, from the last to the first. */
static void take_apart(addend_list *list, sal_graph *graph, sal_node sum, int cost)
{
    push(list, sum, false);
    while (list->stack.count > 0 && !list->failed) {
        const sal_node      node = list->stack.data[--list->stack.count];
        const bool          negative = list->negative.data[--list->negative.count];
        const sal_node_data data = graph->nodes.data[node];
        switch (data.op) {
        case SAL_OP_ADD:
        case SAL_OP_SUB:
            push(list, data.arg[0], negative);
            push(list, data.arg[1], negative != (data.op == SAL_OP_SUB));
            break;
        case SAL_OP_NEG: push(list, data.arg[0], !negative); break;
        default: add_term(list, graph, node, negative, cost);
        }
    }
}

/* Reverses the terms into the order of the script, in which consecutive addends usually have
 * consecutive leaves. */
static void turn_round(sal_term *first, int count)
{
    for (int i = 0; i < count / 2; i++) {
        const sal_term other = first[i];
        first[i] = first[count - 1 - i];
        first[count - 1 - i] = other;
    }
}

/* Whether a sum, whose addends are given as terms, gains from templates. */
static bool is_worth_it(saltus_system *system, const sal_term *terms, int count, sal_node sum)
{
    sal_graph       *graph = &system->model->graph;
    sal_template_set sorted;
    bool             worth = false;
    if (count < LONG_SUM || sal_depends(graph, sum, SAL_LEAF_MU)) return false;
    if (sal_templates_sort(system, terms, count, &sorted) && sal_graph_walk(graph, &sum, 1))
        worth = sorted.nodes <= MAX_SHARED * (long long)graph->walk.list.count &&
                sorted.templates <= count / FEWEST_ALIKE;
    sal_template_set_free(&sorted);
    return worth;
}

bool sal_long_sums_take(saltus_system *system, sal_node *integral, sal_arena *scratch)
{
    sal_graph  *graph = &system->model->graph;
    addend_list list = {.allocator = &scratch->allocator};
    for (int i = 0; i < system->nc && !system->flat && !list.failed; i++) {
        const int first = list.terms.count;
        if (!integral[i]) continue;
        take_apart(&list, graph, integral[i], i);
        if (list.failed) break;
        turn_round(list.terms.data + first, list.terms.count - first);
        if (is_worth_it(system, list.terms.data + first, list.terms.count - first, integral[i]))
            integral[i] = 0;
        else list.terms.count = first;
    }
    const bool ok = !list.failed && !graph->failed &&
                    sal_templates_sort(system, list.terms.data, list.terms.count, &system->addends);
    ARRAY_RELEASE(list.allocator, &list.terms);
    ARRAY_RELEASE(list.allocator, &list.stack);
    ARRAY_RELEASE(list.allocator, &list.negative);
    return ok;
}

bool sal_long_sums_add(saltus_system *system, sal_map *map)
{
    sal_instances *instances;
    if (!sal_template_set_instances(&system->addends, NULL, &system->arena, &instances))
        return false;
    for (int i = 0; i < system->addends.templates; i++) {
        sal_template    *t = &system->addends.template_[i];
        const int        cost = (int)t->kind;
        const sal_target sum = {.node = t->e[0], .kind = SAL_LEAF_T, .row = -1, .base = cost};
        if (!sal_map_add(map, &system->arena, &t->graph, sum,
                         sal_leaf(&t->graph, SAL_LEAF_BAR, cost), &system->layout, &instances[i]))
            return false;
    }
    return true;
}
