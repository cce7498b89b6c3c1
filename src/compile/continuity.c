/* Finds which kinks are continuous: in everything that is evaluated along the motion, both branches
 * agree where the argument is zero.
 *
 * That is an identity between two expressions, and is tested numerically, at random points with an
 * argument of zero. There the argument, and its abs, min or max, are set to their exact values on
 * both branches; the other uses of the branch must not change the result. If that cannot be
 * computed, or not in time, the kink is taken to be discontinuous, which is always safe.
 *
 * A kink is steep if a derivative is unbounded near it, as that of sqrt(abs(x)): no step is short
 * enough there. Derivatives at two places extremely close to the kink show that.
 *
 * Most kinks need no such test: those whose branch only selects one of two values that are equal at
 * the kink, in expressions with bounded derivatives. */
#include <math.h>

#include "compile/random_points.h"
#include "compile/virtual_power.h"

enum { TRIALS = 300, AGREED = 4, AGREED_ANGLES = 24, REFINEMENTS = 60 };

typedef struct judge {
    sal_point_sampler at;
    sal_kink         *kink;
    sal_node_list     argument, root;
    sal_node_list     slope; /* the derivative of the root; empty: it is bounded */
    bool             *plain; /* by kink: its branch is used only to select one of two values */
} judge;

/* The kink under test: its branch, its argument a - b, and b - a. */
typedef struct suspect {
    sal_node branch, argument, mirror;
    int enough; /* points that must agree: more for an angle, whose argument is zero on two rays
                 * of which only one is the cut */
} suspect;

/* ---- values --------------------------------------------------------------------------------- */

/* The argument at a place (0 to 1) on the line between two points. */
static double argument_at(judge *j, double place)
{
    sal_point_sampler *at = &j->at;
    for (int i = 0; i < j->argument.count; i++) {
        const sal_node node = j->argument.data[i];
        if (sal_is_leaf(&at->graph, node, NULL, NULL))
            at->value[node] = at->from[node] + place * (at->to[node] - at->from[node]);
    }
    return sal_sample_all(at, &j->argument);
}

/* Finds values of leaves for which the argument is zero, by the method of false position. False if
 * its sign is the same at both ends of the line. */
static bool find_zero(judge *j, int trial)
{
    double low = 0.0, high = 1.0;
    sal_sample_leaves(&j->at, &j->argument, j->at.from, trial);
    sal_sample_leaves(&j->at, &j->argument, j->at.to, trial);
    for (int i = 0; i < j->argument.count; i++)
        if (sal_sample_is_branch(&j->at, j->argument.data[i]))
            j->at.to[j->argument.data[i]] = j->at.from[j->argument.data[i]];
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

/* Whether the node is an abs, min or max, whose branches are equal where the argument is zero. */
static bool is_choice(const sal_graph *graph, const sal_node_data *data)
{
    return data->op == SAL_OP_SELECT &&
           !(sal_is_const(graph, data->arg[1], NULL) && sal_is_const(graph, data->arg[2], NULL));
}

static bool is_chosen(const judge *j, sal_node node, const suspect *s)
{
    const sal_node_data *data = &j->at.graph.nodes.data[node];
    return is_choice(&j->at.graph, data) && data->arg[0] == s->branch;
}

/* The value of the root on one of the branches, where the argument is zero. */
static double root_on(judge *j, const suspect *s, double branch)
{
    double result = NAN;
    for (int i = 0; i < j->root.count; i++) {
        const sal_node node = j->root.data[i];
        if (node == s->branch) result = branch;
        else if (node == s->argument || node == s->mirror) result = 0.0;
        else if (is_chosen(j, node, s)) result = j->at.value[j->at.graph.nodes.data[node].arg[1]];
        else result = sal_sample_value(&j->at, node);
        j->at.value[node] = result;
    }
    j->at.left -= j->root.count;
    return result;
}

/* The derivative of the root close to the kink: the argument has this value, and the branch its
 * sign. */
static double slope_near(judge *j, const suspect *s, double argument)
{
    double result = 0.0;
    for (int i = 0; i < j->slope.count; i++) {
        const sal_node node = j->slope.data[i];
        if (node == s->branch) result = argument < 0.0 ? -1.0 : 1.0;
        else if (node == s->argument) result = argument;
        else if (node == s->mirror) result = -argument;
        else result = sal_sample_value(&j->at, node);
        j->at.value[node] = result;
    }
    j->at.left -= j->slope.count;
    return result;
}

/* ---- verdicts ------------------------------------------------------------------------------- */

/* Whether two values are equal up to rounding. */
static bool equal(double a, double b, double size)
{
    return fabs(a - b) <= 1e-13 * (fabs(a) + fabs(b) + size);
}

/* Whether the listed root is equal on both branches. */
static bool agrees(judge *j, const suspect *s)
{
    int  agreed = 0;
    bool found = false;
    if (j->at.left <= 0 || !sal_sample_list(&j->at, s->argument, &j->argument)) return false;
    for (int trial = 0; trial < TRIALS && agreed < s->enough && j->at.left > 0; trial++) {
        sal_sample_leaves(&j->at, &j->root, j->at.value, trial);
        const double drawn = fabs(sal_sample_all(&j->at, &j->root));
        const double size = isfinite(drawn) ? drawn : 0.0;
        const bool   zero = find_zero(j, trial);
        found = found || zero;
        /* Where the argument never seems to change its sign, any point is taken. */
        if (!zero && (found || trial < TRIALS / 2)) continue;
        const double up = root_on(j, s, 1.0), down = root_on(j, s, -1.0);
        if (!isfinite(up) || !isfinite(down)) continue;
        if (!equal(up, down, size)) return false;
        agreed++;
    }
    return agreed == s->enough;
}

/* Whether the listed derivative is unbounded at the kink. */
static bool is_steep(judge *j, const suspect *s)
{
    int looked = 0;
    if (j->at.left <= 0 || !sal_sample_list(&j->at, s->argument, &j->argument)) return false;
    for (int trial = 0; trial < TRIALS && looked < AGREED && j->at.left > 0; trial++) {
        sal_sample_leaves(&j->at, &j->slope, j->at.value, trial);
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

/* Nested clamps are examined to this depth. */
enum { CLAMPS = 8 };

/* Whether the branch of this kink clamps the node to 1 or -1. */
static bool is_clamped_by(const sal_graph *graph, sal_node node, sal_node branch, int depth)
{
    const sal_node_data *data = &graph->nodes.data[node];
    if (depth == CLAMPS) return false;
    if (data->op == SAL_OP_NEG) return is_clamped_by(graph, data->arg[0], branch, depth + 1);
    if (data->op != SAL_OP_SELECT) return false;
    for (int k = 1; k <= 2; k++) {
        double end = 0.0;
        sal_is_const(graph, data->arg[k], &end);
        if (data->arg[0] == branch && fabs(end) == 1.0) return true;
        if (is_clamped_by(graph, data->arg[k], branch, depth + 1)) return true;
    }
    return false;
}

/* Whether this branch clamps the argument of an asin or acos in the root, whose slope is infinite
 * at the end of the branch. Samples do not show that, because arguments so close to 1 are rounded
 * to 1. */
static bool ends_arc(const judge *j, const suspect *s)
{
    for (int i = 0; i < j->root.count; i++) {
        const sal_node_data *data = &j->at.graph.nodes.data[j->root.data[i]];
        if ((data->op == SAL_OP_CLAMPED_ASIN || data->op == SAL_OP_CLAMPED_ACOS) &&
            is_clamped_by(&j->at.graph, data->arg[0], s->branch, 0))
            return true;
    }
    return false;
}

static suspect suspect_of(judge *j, int index)
{
    sal_graph          *graph = &j->at.graph;
    const sal_kink     *kink = &j->kink[index];
    const sal_node_data data = graph->nodes.data[kink->argument];
    const sal_node      branch = sal_leaf(graph, SAL_LEAF_C, j->at.system->nm_user + index);
    const sal_node      mirror = data.op == SAL_OP_SUB
                                     ? sal_raw(graph, SAL_OP_SUB, data.arg[1], data.arg[0], 0)
                                     : kink->argument;
    const bool          angle = kink->op == SAL_OP_ATAN2;
    return (suspect){branch, kink->argument, mirror, angle ? AGREED_ANGLES : AGREED};
}

/* Judges one kink in the listed root. line: the script line of the term or cost. A guard is not
 * tested for steepness, because its slope matters only where the guard itself is zero. */
static void judge_kink(judge *j, int index, int line, bool is_guard)
{
    sal_kink     *kink = &j->kink[index];
    const suspect s = suspect_of(j, index);
    if (kink->continuous) kink->continuous = j->plain[index] || agrees(j, &s);
    if (kink->steep || is_guard || j->slope.count == 0) return;
    kink->steep = ends_arc(j, &s) || is_steep(j, &s);
    kink->steep_line = line;
}

/* ---- kinks that need no samples ------------------------------------------------------------- */

static int kink_of(const judge *j, sal_node branch)
{
    return j->at.graph.nodes.data[branch].arg[1] - j->at.system->nm_user;
}

/* Finds the kinks whose branches the root uses only to select one of two values. */
static void find_plain(judge *j)
{
    const sal_point_sampler *at = &j->at;
    for (int i = 0; i < j->root.count; i++)
        if (sal_sample_is_branch(at, j->root.data[i])) j->plain[kink_of(j, j->root.data[i])] = true;
    for (int i = 0; i < j->root.count; i++) {
        const sal_node_data *data = &at->graph.nodes.data[j->root.data[i]];
        for (int k = is_choice(&at->graph, data); k < sal_op_arguments(data->op); k++)
            if (sal_sample_is_branch(at, data->arg[k])) j->plain[kink_of(j, data->arg[k])] = false;
    }
    const sal_node last = j->root.data[j->root.count - 1];
    if (sal_sample_is_branch(at, last)) j->plain[kink_of(j, last)] = false;
}

/* Whether the derivatives of an operation are bounded wherever its arguments and its value are. */
static bool is_bounded(const sal_graph *graph, const sal_node_data *data)
{
    switch (data->op) {
    case SAL_OP_CONST:
    case SAL_OP_LEAF:
    case SAL_OP_NEG:
    case SAL_OP_ADD:
    case SAL_OP_SUB:
    case SAL_OP_MUL:
    case SAL_OP_SIN:
    case SAL_OP_COS:
    case SAL_OP_EXP:
    case SAL_OP_SINH:
    case SAL_OP_COSH:
    case SAL_OP_TANH:
    case SAL_OP_ERF:
    case SAL_OP_ATAN:
    case SAL_OP_ASINH:
    case SAL_OP_SELECT: return true;
    case SAL_OP_DIV: return sal_is_const(graph, data->arg[1], NULL);
    default: return false;
    }
}

/* Lists the derivative of the root, unless it is bounded. */
static bool list_slope(judge *j, sal_node root)
{
    sal_point_sampler *at = &j->at;
    bool               bounded = true;
    for (int i = 0; i < j->root.count; i++)
        bounded = bounded && is_bounded(&at->graph, &at->graph.nodes.data[j->root.data[i]]);
    j->slope.count = 0;
    return bounded || sal_sample_list(at, sal_sample_slope(at, root), &j->slope);
}

/* ---- all kinks ------------------------------------------------------------------------------ */

/* Judges all kinks that the root contains. */
static void judge_root(judge *j, sal_node root, int line, bool is_guard)
{
    sal_point_sampler *at = &j->at;
    if (!root || !sal_depends(&at->graph, root, SAL_LEAF_C)) return;
    if (!sal_sample_list(at, root, &j->root) || (!is_guard && !list_slope(j, root))) return;
    find_plain(j);
    for (int i = 0; i < j->root.count && !at->failed && !at->graph.failed; i++)
        if (sal_sample_is_branch(at, j->root.data[i]))
            judge_kink(j, kink_of(j, j->root.data[i]), line, is_guard);
}

static void judge_all(judge *j)
{
    const saltus_model *model = j->at.system->model;
    sal_graph          *graph = &j->at.graph;
    for (int i = 0; i < model->terms.count; i++) {
        const sal_term   *term = &model->terms.data[i];
        sal_virtual_power scalars = {0};
        if (!sal_depends(graph, term->e[0], SAL_LEAF_C) &&
            !sal_depends(graph, term->e[1], SAL_LEAF_C))
            continue;
        sal_virtual_power_add(graph, term->kind, term->e, term->rows, SAL_ALL_TERMS, &scalars);
        judge_root(j, sal_sum(graph, scalars.H0, scalars.HX), term->place.line, false);
    }
    for (int i = 0; i < model->costs.count; i++) {
        judge_root(j, model->costs.data[i].integral, model->costs.data[i].label.place.line, false);
        judge_root(j, model->costs.data[i].peak, model->costs.data[i].label.place.line, false);
    }
    for (int i = 0; i < model->events.count; i++)
        judge_root(j, model->events.data[i].when, 0, true);
}

bool sal_kinks_judge(saltus_system *system)
{
    judge j = {.kink = system->kink};
    WORK_ARENA(scratch, &system->arena.allocator);
    j.plain = ARENA_NEW(&scratch, system->kinks, bool);
    for (int i = 0; i < system->kinks; i++) system->kink[i].continuous = true;
    if (sal_point_sampler_init(&j.at, system) && j.plain) judge_all(&j);
    const bool ok = j.plain && !j.at.failed && !j.at.graph.failed;
    ARRAY_RELEASE(&j.at.graph.allocator, &j.argument);
    ARRAY_RELEASE(&j.at.graph.allocator, &j.root);
    ARRAY_RELEASE(&j.at.graph.allocator, &j.slope);
    sal_point_sampler_free(&j.at);
    return ok;
}
