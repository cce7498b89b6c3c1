/* Kinks: every abs, sign, min, max along the motion becomes a frozen branch,
 *     abs(x) -> select(s, x, -x)   sign(x) -> s   max(a, b) -> select(s, a, b),  s = sign(a - b)
 * with s a memory that an automatic event flips when the argument crosses zero. Each argument has
 * one branch, even if it occurs several times and in different functions of these four.
 *
 * atan2(y, x) jumps by a full turn across its cut, y = 0 with x < 0, which matters unless only its
 * sine or cosine is used. Its branch is the sign of r + x + (sqrt(2) - 1) y, with
 * r = sqrt(x^2 + y^2): that is zero on the cut and on one other ray, an eighth of a turn from the
 * cut, and negative between the two. On either branch the angle continues smoothly across the cut
 * (sal_angle); on the other ray both branches agree. A motion that does not come near the cut meets
 * neither. */
#include <math.h>
#include <string.h>

#include "compile/system.h"
#include "expr/derive.h"
#include "expr/sign.h"

typedef struct kink_list {
    saltus_system *system;
    SAL_ARRAY(sal_kink) found;
    bool has_angles;
    bool out_of_memory;
} kink_list;

/* Returns the kink that has this argument, or its negative (then flipped is set); the number of
 * kinks if there is none. */
static int find_kink(const kink_list *list, const sal_graph *graph, sal_node argument,
                     bool *flipped)
{
    int i = 0;
    *flipped = graph->nodes.data[argument].op == SAL_OP_NEG;
    if (*flipped) argument = graph->nodes.data[argument].arg[0];
    for (; i < list->found.count; i++) {
        const sal_node other = list->found.data[i].argument;
        if (other == argument) break;
        if (!sal_is_mirror(graph, other, argument)) continue;
        *flipped = !*flipped;
        break;
    }
    return i;
}

/* Returns the leaf of the branch for an argument, which is added as a kink if it is new. flipped:
 * the kink has the negative of this argument. */
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

/* The argument whose sign is the branch of a kink. */
static sal_node argument_of(sal_graph *graph, const sal_node_data *data)
{
    const bool two = data->op == SAL_OP_MIN || data->op == SAL_OP_MAX;
    return two ? sal_sub(graph, data->arg[0], data->arg[1]) : data->arg[0];
}

/* The argument of the kink of an angle, which is zero on its cut. */
static sal_node cut_of(sal_graph *graph, sal_node y, sal_node x)
{
    const sal_node square = sal_add(graph, sal_mul(graph, x, x), sal_mul(graph, y, y));
    const sal_node r = sal_apply(graph, SAL_OP_SQRT, square, 0, 0);
    return sal_add(graph, sal_add(graph, r, x),
                   sal_mul(graph, sal_const(graph, sqrt(2.0) - 1.0), y));
}

static sal_node replace_angle(kink_list *list, sal_graph *graph, const sal_node_data *data)
{
    bool           flipped;
    const sal_node y = data->arg[0], x = data->arg[1], cut = cut_of(graph, y, x);
    if (!cut || sal_is_const(graph, cut, NULL)) return sal_apply(graph, SAL_OP_ATAN2, y, x, 0);
    sal_node s = branch_of(list, graph, cut, SAL_OP_ATAN2, (int)data->value, &flipped);
    if (flipped) s = sal_neg(graph, s);
    return sal_apply(graph, SAL_OP_ANGLE, y, x, s);
}

static sal_node replace_kink(void *context, sal_graph *graph, sal_node node)
{
    kink_list          *list = context;
    const sal_node_data data = graph->nodes.data[node];
    bool                flipped;
    if (data.op == SAL_OP_ANGLE) return replace_angle(list, graph, &data);
    /* inner branches may reverse a difference, and sign(a - b) is then -sign(b - a) */
    if (data.op == SAL_OP_NEG && graph->nodes.data[data.arg[0]].op == SAL_OP_SIGN) {
        const sal_node inner = replace_kink(context, graph, data.arg[0]);
        return inner ? sal_neg(graph, inner) : 0;
    }
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

/* How an expression is used: not at all; only in ways that do not change if a whole turn is added
 * to it; or in any way. */
enum { UNUSED, TURNS_APART, IN_FULL };

static void use(sal_graph *graph, sal_node node, int how)
{
    if (graph->walk.image[node] < how) graph->walk.image[node] = how;
}

/* Notes for all nodes of the walk how the root uses them. */
static void note_uses(sal_graph *graph, sal_node root)
{
    use(graph, root, IN_FULL);
    for (int i = graph->walk.list.count - 1; i >= 0; i--) {
        const sal_node       node = graph->walk.list.data[i];
        const sal_node_data *data = &graph->nodes.data[node];
        int                  how = IN_FULL;
        switch (data->op) {
        case SAL_OP_SIN:
        case SAL_OP_COS:
        case SAL_OP_TAN: how = TURNS_APART; break;
        case SAL_OP_NEG:
        case SAL_OP_ADD:
        case SAL_OP_SUB: how = graph->walk.image[node]; break;
        default: break;
        }
        for (int k = 0; k < sal_op_arguments(data->op); k++) use(graph, data->arg[k], how);
    }
}

typedef struct angle_list {
    SAL_ARRAY(sal_node) safe; /* angles whose turns do not matter, or that never meet the cut */
} angle_list;

static bool list_angles(angle_list *list, sal_graph *graph, sal_node root)
{
    list->safe.count = 0;
    if (!sal_graph_walk(graph, &root, 1)) return false;
    note_uses(graph, root);
    for (int i = 0; i < graph->walk.list.count; i++) {
        const sal_node       node = graph->walk.list.data[i];
        const sal_node_data *data = &graph->nodes.data[node];
        if (data->op != SAL_OP_ATAN2) continue;
        if (graph->walk.image[node] != IN_FULL || sal_never_negative(graph, data->arg[1], NULL)) {
            if (!ARRAY_PUSH(&graph->allocator, &list->safe, node)) return false;
        }
    }
    return true;
}

/* Replaces an angle that needs a branch by SAL_OP_ANGLE; replace_angle adds the branch later. */
static sal_node mark_angle(void *context, sal_graph *graph, sal_node node)
{
    const angle_list   *list = context;
    const sal_node_data data = graph->nodes.data[node];
    if (data.op != SAL_OP_ATAN2) return 0;
    for (int i = 0; i < list->safe.count; i++)
        if (list->safe.data[i] == node) return 0;
    graph->line = (int)data.value;
    return sal_apply(graph, SAL_OP_ANGLE, data.arg[0], data.arg[1], sal_const(graph, 0.0));
}

static void replace_in(kink_list *list, sal_graph *graph, sal_node *node)
{
    angle_list angles = {0};
    if (!*node) return;
    if (list->has_angles) {
        if (!list_angles(&angles, graph, *node)) list->out_of_memory = true;
        sal_substitute(graph, node, 1, mark_angle, &angles, node);
        ARRAY_RELEASE(&graph->allocator, &angles.safe);
    }
    if (*node) sal_substitute(graph, node, 1, replace_kink, list, node);
}

/* Returns the name of a kink: sign@12, or sign@12#2 for the second one on that line. */
static const char *kink_name(saltus_system *system, const sal_kink *kinks, int index)
{
    int same = 1;
    for (int i = 0; i < index; i++)
        if (kinks[i].line == kinks[index].line && kinks[i].op == kinks[index].op) same++;
    const char *text = sal_op_text(kinks[index].op);
    return same == 1 ? sal_arena_format(&system->arena, "%s@%d", text, kinks[index].line)
                     : sal_arena_format(&system->arena, "%s@%d#%d", text, kinks[index].line, same);
}

/* Names kinks as the script does: a sign that comes from the derivative of an abs, min or max gets
 * the name of that function. */
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

static bool has_kinks(const sal_graph *graph, bool *angles)
{
    bool kinks = false;
    for (sal_node node = 1; node < graph->nodes.count; node++) {
        kinks = kinks || sal_is_kink(graph->nodes.data[node].op);
        *angles = *angles || graph->nodes.data[node].op == SAL_OP_ATAN2;
    }
    return kinks || *angles;
}

bool sal_kinks_replace(saltus_system *system)
{
    saltus_model *model = system->model;
    sal_graph    *graph = &model->graph;
    kink_list     list = {.system = system};
    if (has_kinks(graph, &list.has_angles)) {
        for (int i = 0; i < model->terms.count; i++)
            for (int k = 0; k < 2; k++) replace_in(&list, graph, &model->terms.data[i].e[k]);
        for (int i = 0; i < model->constraints.count; i++)
            replace_in(&list, graph, &model->constraints.data[i].phi);
        for (int i = 0; i < model->found_contacts.count; i++) {
            replace_in(&list, graph, &model->found_contacts.data[i].restitution);
            replace_in(&list, graph, &model->found_contacts.data[i].mu_static);
            replace_in(&list, graph, &model->found_contacts.data[i].mu_kinetic);
        }
        for (int i = 0; i < model->costs.count; i++) {
            replace_in(&list, graph, &model->costs.data[i].integral);
            replace_in(&list, graph, &model->costs.data[i].peak);
        }
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
    if (list.out_of_memory || graph->failed || system->arena.failed) return false;
    return system->kinks == 0 || sal_kinks_judge(system);
}

/* ---- at an instant -------------------------------------------------------------------------- */

/* With more kinks than this, the derivatives on their two sides are not compared. */
enum { MAX_LOOKED_AT = 64 };

/* A replacement of one node by another. */
typedef struct exchange {
    sal_node from, to;
} exchange;

static sal_node replace_one(void *context, sal_graph *graph, sal_node node)
{
    const exchange *x = context;
    (void)graph;
    return node == x->from ? x->to : 0;
}

/* A sum of the magnitudes of derivatives by leaves. */
typedef struct slopes {
    sal_graph *graph;
    int        kind; /* the kind of leaves to include; -1: all */
    sal_node   sum;
} slopes;

static void add_slope(void *context, int kind, int index, sal_node derivative)
{
    slopes *s = context;
    (void)index;
    if (s->kind < 0 || s->kind == kind)
        s->sum = sal_sum(s->graph, s->sum, sal_apply(s->graph, SAL_OP_ABS, derivative, 0, 0));
}

/* The sum of the magnitudes of all derivatives of the argument of a kink; null: it is constant. */
static sal_node slope_of_argument(sal_graph *graph, sal_node argument)
{
    slopes s = {graph, -1, 0};
    sal_derive_back(graph, &argument, NULL, 1, add_slope, &s);
    return s.sum;
}

/* The sum of the magnitudes of the derivatives of the roots by the value of a kink, which a leaf
 * represents meanwhile; null: they do not depend on it. */
static sal_node slope_by_kink(sal_graph *graph, const sal_node *roots, int count, sal_node kink)
{
    const exchange there = {kink, sal_leaf(graph, SAL_LEAF_LITERAL, 0)};
    const exchange back = {there.to, kink};
    slopes         s = {graph, SAL_LEAF_LITERAL, 0};
    for (int i = 0; i < count; i++) {
        sal_node root = roots[i];
        if (!root) continue;
        sal_substitute(graph, &root, 1, replace_one, (void *)&there, &root);
        sal_derive_back(graph, &root, NULL, 1, add_slope, &s);
    }
    if (s.sum) sal_substitute(graph, &s.sum, 1, replace_one, (void *)&back, &s.sum);
    return s.sum;
}

/* A number that is zero if the derivatives of the roots are equal on both sides of the kink,
 * provided that no other kink is met there: its argument does not move to first order, or the roots
 * do not depend on its value to first order, as in max(x, 0)^2. For a sign, which jumps, only an
 * argument that cannot move at all is harmless. Without `look`, the number is 1. */
static sal_node slope_over_kink(sal_graph *graph, const sal_node *roots, int count, sal_node kink,
                                bool look)
{
    const sal_node_data data = graph->nodes.data[kink];
    if (!look) return sal_const(graph, 1.0);
    const sal_node slope = slope_of_argument(graph, argument_of(graph, &data));
    if (!slope || data.op == SAL_OP_SIGN) return slope ? sal_const(graph, 1.0) : 0;
    return sal_mul(graph, slope, slope_by_kink(graph, roots, count, kink));
}

bool sal_kinks_instant(saltus_system *system, const sal_node *roots, int count,
                       sal_instant_kinks *kinks)
{
    sal_graph *graph = &system->model->graph;
    if (!sal_graph_walk(graph, roots, count)) return false;
    WORK_ARENA(scratch, &graph->allocator);
    const int    nodes = graph->walk.list.count;
    sal_node    *found = ARENA_NEW(&scratch, nodes, sal_node);
    sal_target  *targets = ARENA_NEW(&scratch, 2 * nodes, sal_target);
    const char **names = ARENA_NEW(&scratch, nodes, const char *);
    int          all = 0;
    for (int i = 0; i < nodes && !scratch.failed; i++)
        if (sal_is_kink(graph->nodes.data[graph->walk.list.data[i]].op))
            found[all++] = graph->walk.list.data[i];
    for (int i = 0; i < all; i++) {
        const sal_node_data data = graph->nodes.data[found[i]];
        const sal_node slope = slope_over_kink(graph, roots, count, found[i], all <= MAX_LOOKED_AT);
        if (!slope) continue;
        targets[2 * kinks->count] = SAL_OUTPUT(argument_of(graph, &data), 2 * kinks->count);
        targets[2 * kinks->count + 1] = SAL_OUTPUT(slope, 2 * kinks->count + 1);
        names[kinks->count++] =
            sal_arena_format(&system->arena, "%s@%d", sal_op_text(data.op), (int)data.value);
    }
    kinks->name = ARENA_NEW(&system->arena, kinks->count, const char *);
    if (kinks->name && kinks->count)
        memcpy(kinks->name, names, (size_t)kinks->count * sizeof *names);
    if (!scratch.failed) sal_system_kernel(system, &kinks->look, targets, 2 * kinks->count);
    return !scratch.failed && !system->arena.failed && !graph->failed;
}
