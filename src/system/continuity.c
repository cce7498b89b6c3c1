/* Which kinks are continuous: in everything that is evaluated along the motion, both branches agree
 * where the argument is zero.
 *
 * That an expression is the same for both branches is an identity between two expressions, and is
 * tested as such: at points drawn at random on which the argument is zero. There the argument
 * itself, and what is abs, min or max of it, has one value, exactly; what is left of the branch
 * must not change the result. Where that cannot be computed, or not in time, a kink counts as
 * discontinuous: it is then treated with more care than it needs.
 *
 * A kink is steep if a derivative has no bound near it, as that of sqrt(abs(x)): no step is short
 * enough for it. That is seen from derivatives at two places extremely near to the kink. */
#include <math.h>
#include <string.h>

#include "expr/derive.h"
#include "system/scalars.h"
#include "system/system.h"

enum { TRIALS = 300, AGREED = 4, AGREED_ANGLES = 24, REFINEMENTS = 60 };
#define BUDGET 200000000LL /* operations, for all kinks together */

typedef SAL_ARRAY(sal_node) node_list;

typedef struct judge {
    saltus_system     *system;
    sal_graph          graph; /* a copy: what is derived here is not part of the model */
    unsigned long long seed;
    long long          left;
    node_list          argument, root;    /* what they rest on, in the order of evaluation */
    node_list          slope;             /* the same of the derivative of the root */
    double            *value, *from, *to; /* by node: here, and at the ends of a line */
    int                room;
    bool               failed;
} judge;

/* The kink in question: its branch, its argument and the same difference the other way round. */
typedef struct suspect {
    sal_node branch, argument, mirror;
    int      enough; /* points: of the two rays of an angle, only one is its cut */
} suspect;

/* ---- points --------------------------------------------------------------------------------- */

static const sal_node_data *data_of(const judge *j, sal_node node)
{
    return &j->graph.nodes.data[node];
}

/* Between -1 and 1. */
static double draw(judge *j)
{
    j->seed = j->seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(j->seed >> 11) * 0x1p-52 - 1.0;
}

static bool is_branch(const judge *j, sal_node node)
{
    int kind, index;
    return sal_is_leaf(&j->graph, node, &kind, &index) && kind == SAL_LEAF_C &&
           index >= j->system->nm_user;
}

/* Parameters stay near their values, so that masses are positive; the rest may be anything. */
static double draw_leaf(judge *j, sal_node node, int trial)
{
    static const double sizes[] = {1.0, 0.1, 5.0, 30.0, 1000.0};
    const double        x = draw(j) * sizes[trial % 5];
    int                 kind, index;
    if (is_branch(j, node)) return x < 0.0 ? -1.0 : 1.0;
    sal_is_leaf(&j->graph, node, &kind, &index);
    if (kind != SAL_LEAF_P) return trial % 4 == 3 ? fabs(x) : x;
    const double value = j->system->model->params.data[index].value;
    return value != 0.0 ? value * (1.0 + 0.3 * draw(j)) : x;
}

static void draw_leaves(judge *j, const node_list *list, double *value, int trial)
{
    for (int i = 0; i < list->count; i++)
        if (sal_is_leaf(&j->graph, list->data[i], NULL, NULL))
            value[list->data[i]] = draw_leaf(j, list->data[i], trial);
}

/* ---- values --------------------------------------------------------------------------------- */

static double value_of(const judge *j, sal_node node)
{
    const sal_node_data *data = data_of(j, node);
    if (data->op == SAL_OP_LEAF) return j->value[node];
    if (data->op == SAL_OP_CONST) return data->value;
    return sal_op_value(data->op, j->value[data->arg[0]], j->value[data->arg[1]],
                        j->value[data->arg[2]]);
}

/* The argument at a place of the line between two points. */
static double argument_at(judge *j, double place)
{
    double result = NAN;
    for (int i = 0; i < j->argument.count; i++) {
        const sal_node node = j->argument.data[i];
        if (sal_is_leaf(&j->graph, node, NULL, NULL))
            j->value[node] = j->from[node] + place * (j->to[node] - j->from[node]);
        j->value[node] = result = value_of(j, node);
    }
    j->left -= j->argument.count;
    return result;
}

/* Moves the leaves of the argument to where it is zero: by false position. */
static bool find_zero(judge *j, int trial)
{
    double low = 0.0, high = 1.0;
    draw_leaves(j, &j->argument, j->from, trial);
    draw_leaves(j, &j->argument, j->to, trial);
    for (int i = 0; i < j->argument.count; i++)
        if (is_branch(j, j->argument.data[i]))
            j->to[j->argument.data[i]] = j->from[j->argument.data[i]];
    double a = argument_at(j, low), b = argument_at(j, high);
    if (!(a * b < 0.0)) return false;
    for (int k = 0; k < REFINEMENTS; k++) {
        const double place = low + (high - low) * a / (a - b), c = argument_at(j, place);
        if (c == 0.0 || place == low || place == high) return true;
        if (!isfinite(c)) return false;
        if (a * c > 0.0) {
            low = place;
            a = c;
            b *= 0.5;
        } else {
            high = place;
            b = c;
            a *= 0.5;
        }
    }
    return true;
}

/* abs, min or max of the argument: where it is zero, the same on both branches. */
static bool is_chosen(const judge *j, sal_node node, const suspect *s)
{
    const sal_node_data *data = data_of(j, node);
    return data->op == SAL_OP_SELECT && data->arg[0] == s->branch &&
           !(sal_is_const(&j->graph, data->arg[1], NULL) &&
             sal_is_const(&j->graph, data->arg[2], NULL));
}

/* How large the root is at the point drawn. */
static double size_of_root(judge *j)
{
    double result = 0.0;
    for (int i = 0; i < j->root.count; i++)
        j->value[j->root.data[i]] = result = value_of(j, j->root.data[i]);
    j->left -= j->root.count;
    return isfinite(result) ? fabs(result) : 0.0;
}

/* The root on one of the branches, where the argument is zero. */
static double root_on(judge *j, const suspect *s, double branch)
{
    double result = NAN;
    for (int i = 0; i < j->root.count; i++) {
        const sal_node node = j->root.data[i];
        if (node == s->branch) result = branch;
        else if (node == s->argument || node == s->mirror) result = 0.0;
        else if (is_chosen(j, node, s)) result = j->value[data_of(j, node)->arg[1]];
        else result = value_of(j, node);
        j->value[node] = result;
    }
    j->left -= j->root.count;
    return result;
}

/* A derivative of the root as near to the kink as the argument says, on the side of the branch. */
static double slope_near(judge *j, const suspect *s, double argument)
{
    double result = 0.0;
    for (int i = 0; i < j->slope.count; i++) {
        const sal_node node = j->slope.data[i];
        if (node == s->branch) result = argument < 0.0 ? -1.0 : 1.0;
        else if (node == s->argument) result = argument;
        else if (node == s->mirror) result = -argument;
        else result = value_of(j, node);
        j->value[node] = result;
    }
    j->left -= j->slope.count;
    return result;
}

/* ---- verdicts ------------------------------------------------------------------------------- */

/* Up to rounding. */
static bool equal(double a, double b, double size)
{
    return fabs(a - b) <= 1e-13 * (fabs(a) + fabs(b) + size);
}

/* Notes what a node rests on, and makes room for values. */
static bool list_nodes(judge *j, sal_node node, node_list *list)
{
    const saltus_allocator *allocator = &j->graph.allocator;
    if (!sal_graph_walk(&j->graph, &node, 1)) j->failed = true;
    list->count = 0;
    if (j->failed || !ARRAY_RESERVE(allocator, list, j->graph.walk.list.count)) return false;
    list->count = j->graph.walk.list.count;
    memcpy(list->data, j->graph.walk.list.data, (size_t)list->count * sizeof *list->data);
    if (j->graph.nodes.count <= j->room) return true;
    const int room = 2 * j->graph.nodes.count;
    double   *values = sal_resize(allocator, j->value, 3 * (size_t)j->room * sizeof *values,
                                  3 * (size_t)room * sizeof *values);
    if (!values) return false;
    memset(values, 0, 3 * (size_t)room * sizeof *values);
    j->value = values;
    j->from = values + room;
    j->to = values + 2 * room;
    j->room = room;
    return true;
}

/* Whether the root, which is listed, is the same on both branches. */
static bool agrees(judge *j, const suspect *s)
{
    int agreed = 0;
    if (!list_nodes(j, s->argument, &j->argument)) j->failed = true;
    for (int trial = 0; trial < TRIALS && agreed < s->enough && j->left > 0 && !j->failed;
         trial++) {
        draw_leaves(j, &j->root, j->value, trial);
        const double size = size_of_root(j);
        if (!find_zero(j, trial)) continue;
        const double up = root_on(j, s, 1.0), down = root_on(j, s, -1.0);
        if (!isfinite(up) || !isfinite(down)) continue;
        if (!equal(up, down, size)) return false;
        agreed++;
    }
    return agreed == s->enough;
}

/* Whether the derivative, which is listed, has no bound at the kink. */
static bool is_steep(judge *j, const suspect *s)
{
    int looked = 0;
    if (!list_nodes(j, s->argument, &j->argument)) j->failed = true;
    for (int trial = 0; trial < TRIALS && looked < AGREED && j->left > 0 && !j->failed; trial++) {
        draw_leaves(j, &j->slope, j->value, trial);
        if (!find_zero(j, trial)) continue;
        for (int side = -1; side <= 1; side += 2) {
            const double near = fabs(slope_near(j, s, side * 1e-60));
            const double nearer = fabs(slope_near(j, s, side * 1e-90));
            if (nearer > 1e6 && nearer > 1e3 * near) return true;
        }
        looked++;
    }
    return false;
}

/* All leaves move but branches. */
static sal_node seed_moving(void *context, sal_graph *graph, int kind, int index)
{
    const judge *j = context;
    if (kind == SAL_LEAF_C && index >= j->system->nm_user) return 0;
    return sal_leaf(graph, kind + SAL_LEAF_TANGENT, index);
}

static suspect suspect_of(judge *j, int kink)
{
    const sal_node       argument = j->system->kink[kink].argument;
    const sal_node_data *data = data_of(j, argument);
    const sal_node       a = data->arg[0], b = data->arg[1];
    const sal_node       branch = sal_leaf(&j->graph, SAL_LEAF_C, j->system->nm_user + kink);
    const sal_node       mirror =
        data->op == SAL_OP_SUB ? sal_raw(&j->graph, SAL_OP_SUB, b, a, 0) : argument;
    const bool angle = j->system->kink[kink].op == SAL_OP_ATAN2;
    return (suspect){branch, argument, mirror, angle ? AGREED_ANGLES : AGREED};
}

/* line: of what the root belongs to. Of a guard, the slope matters only where it is zero itself. */
static void judge_kink(judge *j, int index, int line, bool is_guard)
{
    sal_kink     *kink = &j->system->kink[index];
    const suspect s = suspect_of(j, index);
    if (j->graph.failed) j->failed = true;
    if (kink->continuous && !j->failed) kink->continuous = agrees(j, &s);
    if (kink->steep || is_guard || j->failed) return;
    kink->steep = is_steep(j, &s);
    kink->steep_line = line;
}

/* Asks for all kinks that the root contains. */
static void judge_root(judge *j, sal_node root, int line, bool is_guard)
{
    sal_node slope = 0;
    if (!root || !sal_depends(&j->graph, root, SAL_LEAF_C) || j->failed) return;
    sal_derive_along(&j->graph, &root, 1, seed_moving, j, &slope);
    if (!list_nodes(j, slope, &j->slope) || !list_nodes(j, root, &j->root)) j->failed = true;
    for (int i = 0; i < j->root.count && !j->failed; i++)
        if (is_branch(j, j->root.data[i]))
            judge_kink(j, data_of(j, j->root.data[i])->arg[1] - j->system->nm_user, line, is_guard);
}

static void judge_all(judge *j)
{
    const saltus_model *model = j->system->model;
    for (int i = 0; i < model->terms.count; i++) {
        const sal_term *term = &model->terms.data[i];
        sal_scalars     scalars = {0};
        if (!sal_depends(&j->graph, term->e[0], SAL_LEAF_C) &&
            !sal_depends(&j->graph, term->e[1], SAL_LEAF_C))
            continue;
        sal_scalars_add(&j->graph, term->kind, term->e, term->constraint, SAL_ALL_TERMS, &scalars);
        judge_root(j, sal_sum(&j->graph, scalars.H0, scalars.HX), term->place.line, false);
    }
    for (int i = 0; i < model->costs.count; i++)
        judge_root(j, model->costs.data[i].integral, model->costs.data[i].label.place.line, false);
    for (int i = 0; i < model->events.count; i++)
        judge_root(j, model->events.data[i].when, 0, true);
}

bool sal_kinks_judge(saltus_system *system)
{
    judge      j = {.system = system, .seed = 20240229, .left = BUDGET};
    const bool copied = sal_graph_copy(&j.graph, &system->model->graph);
    for (int i = 0; i < system->kinks; i++) system->kink[i].continuous = true;
    if (copied) judge_all(&j);
    const bool ok = copied && !j.failed && !j.graph.failed;
    sal_resize(&j.graph.allocator, j.value, 3 * (size_t)j.room * sizeof *j.value, 0);
    ARRAY_RELEASE(&j.graph.allocator, &j.argument);
    ARRAY_RELEASE(&j.graph.allocator, &j.root);
    ARRAY_RELEASE(&j.graph.allocator, &j.slope);
    sal_graph_free(&j.graph);
    return ok;
}
