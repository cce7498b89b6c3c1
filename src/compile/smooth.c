/* Magnitudes of velocities where they vanish: a stone that starts from rest in quadratic drag,
 * c hypot(vx, vy) vx.
 *
 * hypot and the root of a sum of squares have no derivative at zero. A product with such a root
 * often has one, because the other factor vanishes as well; but it would be computed as 0/0 times
 * zero, which is not a number. Such a root is replaced by one whose partial derivatives are zero at
 * zero. Whether that is correct is tested numerically: extremely close to zero the derivatives of
 * the term must be equal in all directions, and equal to those that the replaced root gives exactly
 * at zero. If they are not, the root stays, and there is no gradient at zero. */
#include <math.h>

#include "compile/random_points.h"
#include "compile/virtual_power.h"

enum { MAX_SQUARES = 6, TRIALS = 40, AGREED = 4 };

/* A root of a sum of squares, and the expressions that are squared. */
typedef struct size {
    sal_node root, of[MAX_SQUARES];
    int      count;
} size;

typedef struct smoother {
    sal_point_sampler at;
    sal_node_list     list;
    size              now;   /* the root under test */
    sal_node_list     found; /* roots of the present term that may be replaced */
} smoother;

/* ---- roots --------------------------------------------------------------------------------- */

/* Lists the squares in a sum of squares or of positive multiples of squares. False: the node is
 * something else. */
static bool add_squares(const sal_graph *graph, sal_node node, size *s)
{
    const sal_node_data *data = &graph->nodes.data[node];
    double               factor;
    if (data->op == SAL_OP_MUL && sal_is_const(graph, data->arg[0], &factor) && factor > 0.0)
        return add_squares(graph, data->arg[1], s);
    if (data->op == SAL_OP_ADD)
        return add_squares(graph, data->arg[0], s) && add_squares(graph, data->arg[1], s);
    if (data->op != SAL_OP_MUL || data->arg[0] != data->arg[1] || s->count == MAX_SQUARES)
        return false;
    s->of[s->count++] = data->arg[0];
    return true;
}

static bool is_size(const sal_graph *graph, sal_node node, size *s)
{
    const sal_node_data *data = &graph->nodes.data[node];
    *s = (size){.root = node};
    if (!sal_depends(graph, node, SAL_LEAF_V)) return false;
    if (data->op == SAL_OP_SQRT) return add_squares(graph, data->arg[0], s);
    if (data->op != SAL_OP_HYPOT) return false;
    *s = (size){node, {data->arg[0], data->arg[1]}, 2};
    return true;
}

static sal_node replace_sizes(void *context, sal_graph *graph, sal_node node)
{
    const sal_node_list *list = context;
    const sal_node_data *data = &graph->nodes.data[node];
    for (int i = 0; i < list->count; i++)
        if (list->data[i] == node)
            return data->op == SAL_OP_SQRT
                       ? sal_apply(graph, SAL_OP_CLAMPED_SQRT, data->arg[0], 0, 0)
                       : sal_apply(graph, SAL_OP_SMOOTH_HYPOT, data->arg[0], data->arg[1], 0);
    return 0;
}

/* ---- the test ------------------------------------------------------------------------------- */

/* The listed derivative at velocities (under the root) of magnitude r in one direction. */
static double slope_at(smoother *m, double r, int direction)
{
    double result = 0.0;
    for (int i = 0; i < m->list.count; i++) {
        const sal_node node = m->list.data[i];
        result = sal_sample_value(&m->at, node);
        for (int k = 0; k < m->now.count; k++)
            if (node == m->now.of[k]) result = r * cos(1.0 + direction + 2.3 * k);
        m->at.value[node] = result;
    }
    m->at.left -= m->list.count;
    return result;
}

/* Whether an expression with the root replaced has one derivative at zero. */
static bool is_smooth(smoother *m, sal_node root)
{
    int agreed = 0;
    if (!sal_sample_list(&m->at, sal_sample_slope(&m->at, root), &m->list)) return false;
    for (int trial = 0; trial < TRIALS && agreed < AGREED && m->at.left > 0; trial++) {
        sal_sample_leaves(&m->at, &m->list, m->at.value, trial);
        const double away = fabs(slope_at(m, 1.0, 0)), none = slope_at(m, 0.0, 0);
        if (!isfinite(away) || !isfinite(none)) continue;
        for (int direction = 0; direction < 3; direction++) {
            const double off = fabs(slope_at(m, 1e-60, direction) - none);
            if (!(off <= 1e-13 * (away + fabs(none)))) return false;
        }
        agreed++;
    }
    return agreed == AGREED;
}

/* The virtual power of a term, which has all its effects on the equations of motion; without a term
 * the expression itself. */
static sal_node effect_of(sal_graph *graph, const sal_term *term, const sal_node *e)
{
    sal_virtual_power scalars = {0};
    if (!term) return e[0];
    sal_virtual_power_add(graph, term->kind, e, term->rows, SAL_ALL_TERMS, &scalars);
    return sal_sum(graph, scalars.H0, scalars.HX);
}

enum { COST = 50 }; /* what making a node costs, in operations */

/* Whether the root may be replaced in the term. Each trial evaluates the whole term and adds nodes
 * to the graph, so trials are limited: in a large term with many roots the last ones are not tried,
 * and stay as they are. */
static bool may_replace(smoother *m, const sal_term *term, const sal_node *e)
{
    sal_node            changed[2] = {0, 0};
    const sal_node_list one = {.data = &m->now.root, .count = 1, .capacity = 1};
    const int           before = m->at.graph.nodes.count;
    if (m->at.left <= 0) return false;
    sal_substitute(&m->at.graph, e, 2, replace_sizes, (void *)&one, changed);
    const bool smooth = is_smooth(m, effect_of(&m->at.graph, term, changed));
    m->at.left -= (long long)COST * (m->at.graph.nodes.count - before);
    return smooth;
}

/* ---- all roots ------------------------------------------------------------------------------ */

/* Replaces roots in the expressions e of a term, or of a cost (no term). Each root is tested alone,
 * in the original expressions. */
static bool smooth(smoother *m, sal_graph *graph, const sal_term *term, sal_node *e)
{
    sal_node_list *found = &m->found;
    found->count = 0;
    if (!sal_graph_walk(graph, e, 2)) return false;
    for (int i = 0; i < graph->walk.list.count; i++)
        if (is_size(graph, graph->walk.list.data[i], &m->now) && may_replace(m, term, e) &&
            !ARRAY_PUSH(&graph->allocator, found, m->now.root))
            return false;
    if (found->count > 0) sal_substitute(graph, e, 2, replace_sizes, found, e);
    return !graph->failed && !m->at.failed && !m->at.graph.failed;
}

static bool smooth_all(smoother *m, saltus_model *model)
{
    bool ok = true;
    for (int i = 0; i < model->terms.count && ok; i++)
        ok = smooth(m, &model->graph, &model->terms.data[i], model->terms.data[i].e);
    for (int i = 0; i < model->costs.count && ok; i++) {
        sal_node *parts[] = {&model->costs.data[i].integral, &model->costs.data[i].peak};
        for (int k = 0; k < 2 && ok; k++) {
            sal_node e[2] = {*parts[k], 0};
            ok = smooth(m, &model->graph, NULL, e);
            *parts[k] = e[0];
        }
    }
    return ok;
}

static bool has_sizes(const sal_graph *graph)
{
    size s;
    for (sal_node node = 1; node < graph->nodes.count; node++)
        if (is_size(graph, node, &s)) return true;
    return false;
}

bool sal_square_roots_smooth(saltus_system *system)
{
    saltus_model *model = system->model;
    smoother      m = {0};
    if (!has_sizes(&model->graph)) return true;
    const bool ok = sal_point_sampler_init(&m.at, system) && smooth_all(&m, model);
    ARRAY_RELEASE(&m.at.graph.allocator, &m.list);
    ARRAY_RELEASE(&model->graph.allocator, &m.found);
    sal_point_sampler_free(&m.at);
    return ok;
}
