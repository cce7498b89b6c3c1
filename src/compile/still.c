/* Roots that contain coordinates which never move. A mass that moves along a line through the
 * anchor of its spring has the distance sqrt(x^2 + y^2) from it with y = 0 at all times, which is
 * abs(x). Where the mass passes the anchor, the force changes its direction suddenly: a kink, which
 * needs an event but is hidden in the root of two squares. Such roots are replaced by abs.
 *
 * A coordinate stands still if it starts at rest, no event sets it, no constraint and no contact
 * contains it, and no term accelerates it while all such coordinates have their start values. The
 * last condition is tested at random points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compile/random_points.h"
#include "compile/virtual_power.h"
#include "expr/derive.h"

enum { MAX_TERMS = 300, PASSES = 8, POINTS = 3 };

typedef struct stand {
    sal_point_sampler at;
    bool             *still; /* by coordinate: it may stand still */
    sal_node         *force; /* by coordinate: the force of the present term on it; null: none */
    sal_node_list     list;
} stand;

/* ---- candidates ---------------------------------------------------------------------------- */

static bool is_set(const saltus_model *model, int coordinate)
{
    for (int i = 0; i < model->events.count; i++)
        for (int k = 0; k < model->events.data[i].set.count; k++) {
            const sal_assignment *entry = &model->events.data[i].set.data[k];
            if (entry->kind != SAL_LEAF_C && entry->index == coordinate) return true;
        }
    return false;
}

/* Removes the coordinates in an expression of a constraint or of a guard from the candidates,
 * because it may move them. False when out of memory. */
static bool rule_out(stand *s, sal_node root)
{
    int kind, index;
    if (!root) return true;
    if (!sal_graph_walk(&s->at.graph, &root, 1)) return false;
    for (int i = 0; i < s->at.graph.walk.list.count; i++)
        if (sal_is_leaf(&s->at.graph, s->at.graph.walk.list.data[i], &kind, &index) &&
            kind == SAL_LEAF_Q)
            s->still[index] = false;
    return true;
}

static bool choose(stand *s)
{
    const saltus_model *model = s->at.system->model;
    bool                any = false;
    for (int i = 0; i < model->coordinates.count; i++) {
        const sal_coordinate *c = &model->coordinates.data[i];
        double                speed = 1.0;
        s->still[i] = !c->guessed && sal_is_const(&model->graph, c->speed, &speed) &&
                      speed == 0.0 && !is_set(model, i);
    }
    for (int i = 0; i < model->constraints.count; i++)
        if (!rule_out(s, model->constraints.data[i].phi)) return false;
    for (int i = 0; i < model->events.count; i++)
        if (model->events.data[i].restitution && !rule_out(s, model->events.data[i].when))
            return false;
    for (int i = 0; i < model->coordinates.count; i++) any = any || s->still[i];
    return any;
}

/* ---- whether candidates stand still -------------------------------------------------------- */

/* Replaces coordinates that stand still by their start values, and their velocities and
 * accelerations by zero. A difference of equal expressions then becomes zero. */
static sal_node stand_still(void *context, sal_graph *graph, sal_node node)
{
    const stand         *s = context;
    const sal_node_data *data = &graph->nodes.data[node];
    int                  kind, index;
    if (data->op == SAL_OP_SUB && data->arg[0] == data->arg[1]) return sal_const(graph, 0.0);
    if (!sal_is_leaf(graph, node, &kind, &index)) return 0;
    if (kind == SAL_LEAF_Q && s->still[index])
        return s->at.system->model->coordinates.data[index].start;
    const bool rests = (kind == SAL_LEAF_V || kind == SAL_LEAF_A) && s->still[index];
    return rests ? sal_const(graph, 0.0) : 0;
}

/* Whether a force vanishes for all values of the quantities that move. */
static bool is_nothing(stand *s, sal_node force)
{
    sal_substitute(&s->at.graph, &force, 1, stand_still, s, &force);
    if (!sal_sample_list(&s->at, force, &s->list)) return false;
    for (int i = 0; i < POINTS; i++) {
        sal_sample_leaves(&s->at, &s->list, s->at.value, i);
        if (sal_sample_all(&s->at, &s->list) != 0.0) return false;
    }
    return true;
}

static void note_force(void *context, int kind, int index, sal_node derivative)
{
    stand *s = context;
    if (kind == SAL_LEAF_WEIGHT) s->force[index] = derivative;
}

/* Removes the coordinates that the term accelerates from the candidates. Returns whether there were
 * any. */
static bool takes_out(stand *s, const sal_term *term)
{
    sal_virtual_power scalars = {0};
    bool              any = false;
    const int         n = s->at.system->model->coordinates.count;
    memset(s->force, 0, (size_t)n * sizeof *s->force);
    sal_virtual_power_add(&s->at.graph, term->kind, term->e, term->rows, 0, &scalars);
    const sal_node H = sal_sum(&s->at.graph, scalars.H0, scalars.HX);
    if (H) sal_derive_back(&s->at.graph, &H, NULL, 1, note_force, s);
    for (int i = 0; i < n && !s->at.failed; i++)
        if (s->still[i] && s->force[i] && !is_nothing(s, s->force[i])) {
            s->still[i] = false;
            any = true;
        }
    s->at.failed = s->at.failed || s->at.graph.failed;
    return any;
}

/* Repeats the removal until the remaining candidates stand still together: a coordinate that moves
 * may move others. False if that takes too many passes, or when out of memory. */
static bool settle(stand *s)
{
    for (int pass = 0; pass < PASSES; pass++) {
        bool changed = false;
        for (int i = 0; i < s->at.system->model->terms.count && !s->at.failed; i++)
            if (s->at.system->model->terms.data[i].kind != SAL_CONSTRAINT)
                changed = takes_out(s, &s->at.system->model->terms.data[i]) || changed;
        if (s->at.failed || !changed) return !s->at.failed;
    }
    return false;
}

/* ---- roots --------------------------------------------------------------------------------- */

/* Roots that can be replaced by abs. */
typedef struct root_list {
    SAL_ARRAY(sal_node) root;
    SAL_ARRAY(sal_node) plain; /* by root: the abs that replaces it */
} root_list;

static bool is_root(const sal_graph *graph, sal_node node)
{
    const int op = graph->nodes.data[node].op;
    return op == SAL_OP_SQRT || op == SAL_OP_HYPOT;
}

/* Finds all roots that can be replaced by abs. They are substituted in one walk, since roots may be
 * nested. False when out of memory. */
static bool find_roots(stand *s, sal_graph *graph, root_list *list)
{
    const int nodes = graph->nodes.count;
    for (sal_node node = 1; node < nodes; node++)
        if (is_root(graph, node) && (!ARRAY_PUSH(&graph->allocator, &list->root, node) ||
                                     !ARRAY_PUSH(&graph->allocator, &list->plain, node)))
            return false;
    sal_substitute(graph, list->root.data, list->root.count, stand_still, s, list->plain.data);
    if (graph->failed) return false;
    int kept = 0;
    for (int i = 0; i < list->root.count; i++) {
        if (graph->nodes.data[list->plain.data[i]].op != SAL_OP_ABS) continue;
        list->root.data[kept] = list->root.data[i];
        list->plain.data[kept++] = list->plain.data[i];
    }
    list->root.count = list->plain.count = kept;
    return true;
}

static int compare_nodes(const void *a, const void *b)
{
    const sal_node x = *(const sal_node *)a, y = *(const sal_node *)b;
    return (x > y) - (x < y);
}

/* Replaces a listed root; the list is in ascending order. */
static sal_node replace_root(void *context, sal_graph *graph, sal_node node)
{
    const root_list *list = context;
    (void)graph;
    const sal_node *found =
        bsearch(&node, list->root.data, (size_t)list->root.count, sizeof node, compare_nodes);
    return found ? list->plain.data[found - list->root.data] : 0;
}

static void replace_in(sal_graph *graph, root_list *list, sal_node *node)
{
    if (*node) sal_substitute(graph, node, 1, replace_root, list, node);
}

static bool replace_all(stand *s, saltus_model *model)
{
    sal_graph *graph = &model->graph;
    root_list  list = {0};
    bool       ok = find_roots(s, graph, &list);
    if (ok && list.root.count > 0) {
        for (int i = 0; i < model->terms.count; i++)
            for (int k = 0; k < 2; k++) replace_in(graph, &list, &model->terms.data[i].e[k]);
        for (int i = 0; i < model->costs.count; i++) {
            replace_in(graph, &list, &model->costs.data[i].integral);
            replace_in(graph, &list, &model->costs.data[i].peak);
        }
        for (int i = 0; i < model->events.count; i++)
            replace_in(graph, &list, &model->events.data[i].when);
    }
    ARRAY_RELEASE(&graph->allocator, &list.root);
    ARRAY_RELEASE(&graph->allocator, &list.plain);
    return ok && !graph->failed;
}

static bool has_roots(const sal_graph *graph)
{
    for (sal_node node = 1; node < graph->nodes.count; node++)
        if (is_root(graph, node)) return true;
    return false;
}

bool sal_square_roots_simplify(saltus_system *system)
{
    saltus_model *model = system->model;
    const int     n = model->coordinates.count;
    stand         s = {0};
    if (model->terms.count > MAX_TERMS || !has_roots(&model->graph)) return true;
    WORK_ARENA(scratch, &model->arena.allocator);
    s.still = ARENA_NEW(&scratch, n, bool);
    s.force = ARENA_NEW(&scratch, n, sal_node);
    bool ok = sal_point_sampler_init(&s.at, system) && !scratch.failed;
    if (ok && choose(&s) && settle(&s)) ok = replace_all(&s, model);
    ok = ok && !s.at.failed && !s.at.graph.failed;
    ARRAY_RELEASE(&s.at.graph.allocator, &s.list);
    sal_point_sampler_free(&s.at);
    return ok;
}
