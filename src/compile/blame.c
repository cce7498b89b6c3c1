/* Evaluates the expressions of a model node by node, and names the first one without a finite value
 * or derivative: see blame.h. */
#include "compile/blame.h"

#include <math.h>
#include <string.h>

#include "expr/print.h"

/* What is known of a node: its value; the first node it depends on, itself included, that has no
 * finite value; and the first one without a finite derivative (0: none). */
typedef struct judged {
    double   value;
    sal_node no_value, no_slope;
} judged;

typedef struct judge {
    const saltus_system *system;
    const double        *state, *u;
    judged              *node;
} judge;

static double leaf_value(const judge *j, int kind, int index)
{
    const int at = j->system->layout.at[kind < SAL_LEAF_UNIFORM_KINDS ? kind : 0] + index;
    switch (kind) {
    case SAL_LEAF_T:
    case SAL_LEAF_Q:
    case SAL_LEAF_V:
    case SAL_LEAF_A:
    case SAL_LEAF_MU: return j->state[at];
    case SAL_LEAF_C:
    case SAL_LEAF_P: return j->u[at];
    default: return 0.0; /* terms contain no other leaves */
    }
}

/* Whether the derivative of an operation is not finite although its value is. */
static bool is_steep(const sal_node_data *node, double a, double b, double value)
{
    switch (node->op) {
    case SAL_OP_SQRT:
    case SAL_OP_HYPOT: return value == 0.0;
    case SAL_OP_POW: return a == 0.0 && b < 1.0 && b != 0.0;
    case SAL_OP_ASIN:
    case SAL_OP_ACOS: return fabs(a) == 1.0;
    case SAL_OP_ATAN2: return a == 0.0 && b == 0.0;
    default: return false;
    }
}

static void judge_operation(judge *j, sal_node i, const sal_node_data *node)
{
    static const int arguments[] = {
        0,
        0,
        0,
#define OP(name, count, ...) count,
#include "expr/ops.def"
#undef OP
    };
    judged   *own = &j->node[i];
    double    value[3] = {0.0, 0.0, 0.0};
    const int count = arguments[node->op];
    for (int k = 0; k < count; k++) value[k] = j->node[node->arg[k]].value;
    for (int k = 0; k < count; k++) {
        const judged *argument = &j->node[node->arg[k]];
        if (node->op == SAL_OP_SELECT && k != (value[0] > 0.0 ? 1 : 2)) continue;
        if (!own->no_value) own->no_value = argument->no_value;
        if (!own->no_slope) own->no_slope = argument->no_slope;
    }
    own->value = sal_op_value(node->op, value[0], value[1], value[2]);
    if (!isfinite(own->value) && !own->no_value) own->no_value = i;
    if (!own->no_slope && is_steep(node, value[0], value[1], own->value)) own->no_slope = i;
}

/* Judges all nodes in ascending order: a node comes after its arguments. */
static void judge_all(judge *j)
{
    const sal_graph *graph = &j->system->model->graph;
    for (sal_node i = 1; i < graph->nodes.count; i++) {
        const sal_node_data *node = &graph->nodes.data[i];
        if (node->op == SAL_OP_CONST) j->node[i].value = node->value;
        else if (node->op == SAL_OP_LEAF) {
            if (node->arg[0] < SAL_LEAF_TANGENT)
                j->node[i].value = leaf_value(j, node->arg[0], node->arg[1]);
        } else if (node->op != SAL_OP_NULL) judge_operation(j, i, node);
    }
}

static void describe(const judge *j, sal_node node, bool slope, int line, sal_blame *blame)
{
    saltus_model        *model = j->system->model;
    const sal_node_data *data = &model->graph.nodes.data[node];
    const bool           second = data->op == SAL_OP_DIV;
    blame->line = line;
    blame->slope = slope;
    blame->argument = j->node[data->arg[second]].value;
    sal_print(&model->graph, node, sal_model_leaf_name, model, blame->text, sizeof blame->text);
}

/* Judges one term: its value, or its derivative if slope is set. Energies and constraints are
 * differentiated, so they need finite derivatives. */
static bool judge_term(const judge *j, const sal_term *term, bool slope, sal_blame *blame)
{
    for (int k = 0; k < (term->kind == SAL_FORCE ? 2 : 1); k++) {
        const judged  *own = &j->node[term->e[k]];
        const sal_node guilty = slope ? own->no_slope : own->no_value;
        if (!guilty || (slope && term->kind == SAL_FORCE && k == 1)) continue;
        describe(j, guilty, slope, term->place.line, blame);
        return true;
    }
    return false;
}

static bool judge_terms(const judge *j, const sal_regime *regime, sal_blame *blame)
{
    const saltus_model *model = j->system->model;
    for (int slope = 0; slope < 2; slope++)
        for (int i = 0; i < model->terms.count; i++) {
            const sal_term *term = &model->terms.data[i];
            if (sal_modes_active(model, &term->modes, regime->active) &&
                judge_term(j, term, slope, blame))
                return true;
        }
    return false;
}

static bool judge_cost(const judge *j, int cost, sal_blame *blame)
{
    const sal_cost *own = &j->system->model->costs.data[cost];
    const sal_node  guilty = own->integral ? j->node[own->integral].no_value : 0;
    if (guilty) describe(j, guilty, false, own->label.place.line, blame);
    return guilty != 0;
}

bool sal_blame_find(const saltus_system *system, const sal_regime *regime, const double *state,
                    const double *u, int cost, sal_blame *blame)
{
    const size_t bytes = (size_t)system->model->graph.nodes.count * sizeof(judged);
    judge        j = {system, state, u, sal_resize(&system->allocator, NULL, 0, bytes)};
    if (!j.node) return false;
    memset(j.node, 0, bytes);
    judge_all(&j);
    const bool found = cost >= 0 ? judge_cost(&j, cost, blame) : judge_terms(&j, regime, blame);
    sal_resize(&system->allocator, j.node, bytes, 0);
    return found;
}
