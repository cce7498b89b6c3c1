/* Powers and roots of a clamped base: max(-y, 0)^1.5, sqrt(abs(v)), (-y)^1.5 in a mode that is left
 * where y rises through zero; asin and acos of a clamped argument: asin(max(-1, min(1, x))).
 *
 * A step that meets the end of a branch or of a mode is first taken beyond it, and at the event the
 * state is at the end only up to rounding. The base may then be slightly negative, where a power
 * has no value. If the script keeps the base from being negative, the power is replaced by one that
 * is zero for negative bases. Other bases stay as they are: if such a base is negative, that is a
 * mistake of the model, which the run reports. In the same way, asin and acos are replaced if the
 * script keeps their argument between -1 and 1. */
#include "compile/system.h"
#include "expr/sign.h"

typedef SAL_ARRAY(sal_node) node_list;

/* Whether the event can happen wherever a term is active: in each group that `from` mentions, the
 * modes of the term are among those of `from`. */
static bool is_within(const saltus_model *model, const sal_modes *modes, const sal_modes *from)
{
    for (int i = 0; i < from->count; i++) {
        const int group = model->modes.data[from->mode[i]].group;
        bool      mentioned = false;
        for (int k = 0; k < modes->count; k++) {
            bool in = false;
            if (model->modes.data[modes->mode[k]].group != group) continue;
            for (int l = 0; l < from->count; l++) in = in || from->mode[l] == modes->mode[k];
            if (!in) return false;
            mentioned = true;
        }
        if (!mentioned) return false;
    }
    return true;
}

/* Whether an event keeps its guard on one side in these modes: it leaves the mode, stops the run or
 * reverses the motion. */
static bool keeps_side(const saltus_model *model, const sal_event *event, const sal_modes *modes)
{
    if (event->direction == SALTUS_ANY || event->where.count > 0 || event->from.never) return false;
    if (!is_within(model, modes, &event->from)) return false;
    return event->restitution || event->stop || (event->to.count > 0 && event->from.count > 0);
}

/* Lists the guards whose sign is known in these modes: those never positive, and those never
 * negative. False when out of memory. */
static bool learn(const saltus_model *model, const sal_modes *modes, node_list *negative,
                  node_list *positive)
{
    const saltus_allocator *allocator = &model->arena.allocator;
    negative->count = positive->count = 0;
    for (int i = 0; i < model->events.count; i++) {
        const sal_event *event = &model->events.data[i];
        if (!keeps_side(model, event, modes)) continue;
        node_list *list = event->direction == SALTUS_RISING ? negative : positive;
        if (!ARRAY_PUSH(allocator, list, event->when)) return false;
    }
    return true;
}

/* Nested min and max are examined to this depth. */
enum { DEEPEST_CLAMP = 8 };

/* Whether sign * node is at most 1 because the script clamps it. */
static bool is_clamped(const sal_graph *graph, sal_node node, double sign, int depth)
{
    const sal_node_data *data = &graph->nodes.data[node];
    if (data->op == SAL_OP_CONST) return sign * data->value <= 1.0;
    if (depth == DEEPEST_CLAMP) return false;
    if (data->op == SAL_OP_NEG) return is_clamped(graph, data->arg[0], -sign, depth + 1);
    if (data->op != SAL_OP_MIN && data->op != SAL_OP_MAX) return false;
    const bool one = (data->op == SAL_OP_MIN) == (sign > 0.0); /* one clamped argument suffices */
    const bool first = is_clamped(graph, data->arg[0], sign, depth + 1);
    return one ? first || is_clamped(graph, data->arg[1], sign, depth + 1)
               : first && is_clamped(graph, data->arg[1], sign, depth + 1);
}

/* Replaces asin or acos of an argument that is clamped from above, and is clamped from below or
 * never negative; null for others. */
static sal_node replace_arc(sal_graph *graph, const sal_node_data *data,
                            const sal_known_signs *known)
{
    const sal_node a = data->arg[0];
    if (!is_clamped(graph, a, 1.0, 0)) return 0;
    if (!is_clamped(graph, a, -1.0, 0) && !sal_never_negative(graph, a, known)) return 0;
    return sal_apply(graph, data->op == SAL_OP_ASIN ? SAL_OP_CLAMPED_ASIN : SAL_OP_CLAMPED_ACOS, a,
                     0, 0);
}

static sal_node replace_power(void *context, sal_graph *graph, sal_node node)
{
    const sal_known_signs *known = context;
    const sal_node_data    data = graph->nodes.data[node];
    double                 exponent = 1.0;
    if (data.op == SAL_OP_ASIN || data.op == SAL_OP_ACOS) return replace_arc(graph, &data, known);
    if (data.op != SAL_OP_POW && data.op != SAL_OP_SQRT) return 0;
    if (data.op == SAL_OP_POW) sal_is_const(graph, data.arg[1], &exponent);
    if (exponent < 0.0 || sal_never_negative(graph, data.arg[0], NULL) ||
        !sal_never_negative(graph, data.arg[0], known))
        return 0;
    return data.op == SAL_OP_SQRT
               ? sal_apply(graph, SAL_OP_CLAMPED_SQRT, data.arg[0], 0, 0)
               : sal_apply(graph, SAL_OP_CLAMPED_POW, data.arg[0], data.arg[1], 0);
}

static bool clamp(sal_graph *graph, const node_list *negative, const node_list *positive,
                  sal_node *node)
{
    sal_known_signs known = {.nonpositive = negative->data,
                             .nonpositives = negative->count,
                             .nonnegative = positive->data,
                             .nonnegatives = positive->count,
                             .kinks = true};
    if (*node) sal_substitute(graph, node, 1, replace_power, &known, node);
    return !graph->failed;
}

static bool has_powers(const sal_graph *graph)
{
    for (sal_node node = 1; node < graph->nodes.count; node++) {
        const int op = graph->nodes.data[node].op;
        if (op == SAL_OP_POW || op == SAL_OP_SQRT || op == SAL_OP_ASIN || op == SAL_OP_ACOS)
            return true;
    }
    return false;
}

static bool clamp_all(saltus_model *model, node_list *negative, node_list *positive)
{
    const sal_modes everywhere = {0};
    sal_graph      *graph = &model->graph;
    bool            ok = true;
    for (int i = 0; ok && i < model->terms.count; i++) {
        sal_term *term = &model->terms.data[i];
        ok = learn(model, &term->modes, negative, positive);
        for (int k = 0; k < 2; k++) ok = ok && clamp(graph, negative, positive, &term->e[k]);
    }
    for (int i = 0; ok && i < model->constraints.count; i++) {
        sal_constraint *constraint = &model->constraints.data[i];
        ok = learn(model, &constraint->modes, negative, positive) &&
             clamp(graph, negative, positive, &constraint->phi);
    }
    ok = ok && learn(model, &everywhere, negative, positive);
    for (int i = 0; ok && i < model->costs.count; i++)
        ok = clamp(graph, negative, positive, &model->costs.data[i].integral) &&
             clamp(graph, negative, positive, &model->costs.data[i].peak);
    for (int i = 0; ok && i < model->events.count; i++) {
        sal_event *event = &model->events.data[i];
        ok = learn(model, &event->from, negative, positive) &&
             clamp(graph, negative, positive, &event->when);
    }
    return ok;
}

bool sal_powers_clamp(saltus_system *system)
{
    saltus_model           *model = system->model;
    const saltus_allocator *allocator = &model->arena.allocator;
    node_list               negative = {0}, positive = {0};
    const bool ok = !has_powers(&model->graph) || clamp_all(model, &negative, &positive);
    ARRAY_RELEASE(allocator, &negative);
    ARRAY_RELEASE(allocator, &positive);
    return ok;
}
