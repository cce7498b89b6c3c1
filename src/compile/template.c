/* Finding terms of equal shape: see template.h.
 *
 * A term's graph is walked depth first. Leaves get local numbers in the order of their first visit
 * (q and v of one coordinate share a number); the list of (operation, arguments) in local numbers
 * is the term's shape. Terms with equal shapes belong to one template. */
#include "compile/template.h"

#include <math.h>
#include <string.h>

typedef struct walker {
    const sal_graph        *graph;
    const saltus_allocator *allocator;
    int                    *local, *stamp; /* by node: its number, and the last walk that set it */
    unsigned long long     *look;  /* by node: a hash of its form, without indices of leaves */
    int                     term;  /* the stamp of this walk */
    int                     nodes; /* number of local nodes so far */
    SAL_ARRAY(int) shape;          /* four numbers per local node */
    SAL_ARRAY(sal_node) stack;
    SAL_ARRAY(int) coordinate, param, memory;
    SAL_ARRAY(double) literal;
    bool failed;
} walker;

static int number_of(const int *data, int count, int value)
{
    for (int i = 0; i < count; i++)
        if (data[i] == value) return i;
    return -1;
}

#define LOCAL_NUMBER(list, value)                                                                  \
    (found = number_of(w->list.data, w->list.count, value),                                        \
     found >= 0 ? found                                                                            \
                : (ARRAY_PUSH(w->allocator, &w->list, value) ? w->list.count - 1                   \
                                                             : (w->failed = true, 0)))

static int local_leaf(walker *w, int kind, int index)
{
    int found;
    switch (kind) {
    case SAL_LEAF_P: return LOCAL_NUMBER(param, index);
    case SAL_LEAF_C: return LOCAL_NUMBER(memory, index);
    case SAL_LEAF_T: return 0;
    default: return LOCAL_NUMBER(coordinate, index);
    }
}

/* Orders the arguments of sums and products by their form, so that the walk does not depend on
 * which argument happened to be made first. */
static void in_order(const walker *w, const sal_node_data *data, sal_node *arg)
{
    for (int i = 0; i < 3; i++) arg[i] = data->arg[i];
    const bool either = data->op == SAL_OP_ADD || data->op == SAL_OP_MUL;
    if (either && w->look[arg[0]] > w->look[arg[1]]) {
        arg[0] = data->arg[1];
        arg[1] = data->arg[0];
    }
}

static unsigned long long mix(unsigned long long h, unsigned long long value)
{
    h = (h ^ value) * 0xff51afd7ed558ccdu;
    return h ^ (h >> 31);
}

static void look_at_all(walker *w)
{
    for (sal_node node = 1; node < w->graph->nodes.count; node++) {
        const sal_node_data *data = &w->graph->nodes.data[node];
        sal_node             arg[3];
        unsigned long long   h = mix(0x9e3779b97f4a7c15u, (unsigned long long)data->op);
        if (data->op == SAL_OP_CONST) h = mix(h, SAL_LEAF_LITERAL);
        if (data->op == SAL_OP_LEAF) h = mix(h, (unsigned long long)data->arg[0] + 100);
        in_order(w, data, arg);
        for (int i = 0; i < sal_op_arguments(data->op); i++) h = mix(h, w->look[arg[i]]);
        w->look[node] = h;
    }
}

static void emit(walker *w, int op, int a, int b, int c)
{
    const int row[4] = {op, a, b, c};
    if (!ARRAY_RESERVE(w->allocator, &w->shape, 4)) {
        w->failed = true;
        return;
    }
    memcpy(w->shape.data + w->shape.count, row, sizeof row);
    w->shape.count += 4;
}

static void visit(walker *w, sal_node node)
{
    const sal_node_data *data = &w->graph->nodes.data[node];
    w->stamp[node] = w->term;
    w->local[node] = w->nodes++;
    if (data->op == SAL_OP_CONST) {
        emit(w, SAL_OP_LEAF, SAL_LEAF_LITERAL, w->literal.count, 0);
        if (!ARRAY_PUSH(w->allocator, &w->literal, data->value)) w->failed = true;
    } else if (data->op == SAL_OP_LEAF) {
        emit(w, SAL_OP_LEAF, data->arg[0], local_leaf(w, data->arg[0], data->arg[1]), 0);
    } else {
        const int n = sal_op_arguments(data->op);
        sal_node  arg[3];
        in_order(w, data, arg);
        emit(w, data->op, w->local[arg[0]], n > 1 ? w->local[arg[1]] : 0,
             n > 2 ? w->local[arg[2]] : 0);
    }
}

/* Walks an expression depth first, without recursion because expressions may be very deep. */
static void walk(walker *w, sal_node root)
{
    if (!root || w->failed) return;
    if (!ARRAY_PUSH(w->allocator, &w->stack, root)) w->failed = true;
    while (w->stack.count > 0 && !w->failed) {
        const sal_node       node = w->stack.data[w->stack.count - 1];
        const sal_node_data *data = &w->graph->nodes.data[node];
        bool                 waiting = false;
        sal_node             arg[3];
        in_order(w, data, arg);
        for (int i = sal_op_arguments(data->op) - 1; i >= 0; i--)
            if (w->stamp[arg[i]] != w->term) {
                if (!ARRAY_PUSH(w->allocator, &w->stack, arg[i])) w->failed = true;
                waiting = true;
            }
        if (waiting) continue;
        w->stack.count--;
        if (w->stamp[node] != w->term) visit(w, node);
    }
}

static void walk_term(walker *w, const sal_term *term, int number)
{
    w->term = number + 1;
    w->nodes = 0;
    w->shape.count = w->coordinate.count = w->param.count = w->memory.count = w->literal.count = 0;
    emit(w, -1, (int)term->kind, 0, 0);
    for (int k = 0; k < 2; k++) {
        walk(w, term->e[k]);
        if (term->e[k] && !w->failed) emit(w, -1, w->local[term->e[k]], 0, 0);
    }
}

static unsigned long long hash_of(const int *data, int count)
{
    unsigned long long h = 1469598103934665603u;
    for (int i = 0; i < count; i++) h = (h ^ (unsigned long long)data[i]) * 1099511628211u;
    return h;
}

/* Builds the template's own graph from its shape. value: by literal, its value, or NAN if it
 * differs from term to term; NULL: all differ. */
static void rebuild(sal_template *t, const double *value, sal_node *image)
{
    int roots = 0, node = 0;
    for (int i = 4; i < t->shape_size; i += 4) {
        const int *row = &t->shape[i];
        if (row[0] == -1) t->e[roots++] = image[row[1]];
        else if (value && row[0] == SAL_OP_LEAF && row[1] == SAL_LEAF_LITERAL &&
                 !isnan(value[row[2]]))
            image[node++] = sal_const(&t->graph, value[row[2]]);
        else if (row[0] == SAL_OP_LEAF) image[node++] = sal_leaf(&t->graph, row[1], row[2]);
        else {
            const int n = sal_op_arguments(row[0]);
            image[node++] = sal_apply(&t->graph, row[0], image[row[1]], n > 1 ? image[row[2]] : 0,
                                      n > 2 ? image[row[3]] : 0);
        }
    }
}

static bool make_template(saltus_system *system, sal_template_set *sorted, walker *w,
                          const sal_term *term, unsigned long long hash)
{
    sal_template *t = &sorted->template_[sorted->templates];
    *t = (sal_template){.kind = term->kind,
                        .coordinates = w->coordinate.count,
                        .params = w->param.count,
                        .memories = w->memory.count,
                        .literals = w->literal.count,
                        .shape = ARENA_NEW(&system->arena, w->shape.count, int),
                        .shape_size = w->shape.count,
                        .hash = hash,
                        .terms = 0};
    sal_graph_init(&t->graph, &system->arena.allocator);
    if (!t->shape) return false;
    memcpy(t->shape, w->shape.data, (size_t)w->shape.count * sizeof(int));
    WORK_ARENA(scratch, &system->arena.allocator);
    sal_node *image = ARENA_NEW(&scratch, w->nodes, sal_node);
    if (image) rebuild(t, NULL, image);
    sorted->templates++;
    return image && !t->graph.failed;
}

static bool keep_leaves(saltus_system *system, const walker *w, sal_term_leaves *leaves)
{
    const int c = w->coordinate.count, p = w->param.count, m = w->memory.count;
    int      *numbers = ARENA_NEW(&system->arena, c + p + m, int);
    leaves->literal = ARENA_NEW(&system->arena, w->literal.count, double);
    if (system->arena.failed) return false;
    leaves->coordinate = numbers;
    leaves->param = numbers + c;
    leaves->memory = numbers + c + p;
    for (int i = 0; i < c; i++) leaves->coordinate[i] = w->coordinate.data[i];
    for (int i = 0; i < p; i++) leaves->param[i] = w->param.data[i];
    for (int i = 0; i < m; i++) leaves->memory[i] = w->memory.data[i];
    for (int i = 0; i < w->literal.count; i++) leaves->literal[i] = w->literal.data[i];
    return true;
}

static int find_template(const sal_template_set *sorted, const walker *w, unsigned long long hash)
{
    for (int i = 0; i < sorted->templates; i++) {
        const sal_template *t = &sorted->template_[i];
        if (t->hash == hash && t->shape_size == w->shape.count &&
            memcmp(t->shape, w->shape.data, (size_t)w->shape.count * sizeof(int)) == 0)
            return i;
    }
    return -1;
}

static bool walker_init(walker *w, saltus_system *system, sal_arena *scratch)
{
    const int nodes = system->model->graph.nodes.count;
    *w = (walker){.graph = &system->model->graph, .allocator = &system->arena.allocator};
    w->local = ARENA_NEW(scratch, nodes, int);
    w->stamp = ARENA_NEW(scratch, nodes, int);
    w->look = ARENA_NEW(scratch, nodes, unsigned long long);
    if (scratch->failed) return false;
    look_at_all(w);
    return true;
}

static void walker_release(walker *w)
{
    ARRAY_RELEASE(w->allocator, &w->shape);
    ARRAY_RELEASE(w->allocator, &w->stack);
    ARRAY_RELEASE(w->allocator, &w->coordinate);
    ARRAY_RELEASE(w->allocator, &w->param);
    ARRAY_RELEASE(w->allocator, &w->memory);
    ARRAY_RELEASE(w->allocator, &w->literal);
}

/* Finds the literals that have the same value in all terms of a template; NAN for the others. */
static void common_literals(const sal_template_set *sorted, int template_, double *value)
{
    bool first = true;
    for (int i = 0; i < sorted->count; i++) {
        const double *literal = sorted->leaves[i].literal;
        if (sorted->number[i] != template_) continue;
        for (int k = 0; k < sorted->template_[template_].literals; k++)
            if (first) value[k] = literal[k];
            else if (literal[k] != value[k]) value[k] = NAN;
        first = false;
    }
}

/* Rebuilds the templates with the literals that all their terms have in common as constants, and in
 * canonical form. */
static bool settle(saltus_system *system, const sal_template_set *sorted, sal_arena *scratch)
{
    for (int i = 0; i < sorted->templates; i++) {
        sal_template *t = &sorted->template_[i];
        double       *value = ARENA_NEW(scratch, t->literals, double);
        sal_node     *image = ARENA_NEW(scratch, t->shape_size / 4, sal_node);
        if (scratch->failed) return false;
        common_literals(sorted, i, value);
        sal_graph_free(&t->graph);
        sal_graph_init(&t->graph, &system->arena.allocator);
        t->graph.may_reround = true;
        rebuild(t, value, image);
        if (t->graph.failed) return false;
    }
    return true;
}

bool sal_templates_sort(saltus_system *system, const sal_term *terms, int count,
                        sal_template_set *sorted)
{
    walker w;
    WORK_ARENA(scratch, &system->arena.allocator);
    *sorted = (sal_template_set){.count = count,
                                 .template_ = ARENA_NEW(&system->arena, count, sal_template),
                                 .number = ARENA_NEW(&system->arena, count, int),
                                 .leaves = ARENA_NEW(&system->arena, count, sal_term_leaves)};
    bool ok = walker_init(&w, system, &scratch) && !system->arena.failed;
    for (int i = 0; i < count && ok; i++) {
        walk_term(&w, &terms[i], i);
        const unsigned long long hash = hash_of(w.shape.data, w.shape.count);
        int                      found = w.failed ? -1 : find_template(sorted, &w, hash);
        if (found < 0 && !w.failed) {
            ok = make_template(system, sorted, &w, &terms[i], hash);
            found = sorted->templates - 1;
        }
        ok = ok && !w.failed;
        if (ok) {
            sorted->number[i] = found;
            sorted->template_[found].terms++;
            sorted->nodes += w.nodes;
            ok = keep_leaves(system, &w, &sorted->leaves[i]);
            sorted->leaves[i].rows = terms[i].rows;
        }
    }
    walker_release(&w);
    if (ok && !system->flat) ok = settle(system, sorted, &scratch);
    return ok;
}

/* Gathers the leaves of the listed terms of one template. */
static bool gather_leaves(const sal_template_set *sorted, const sal_template *t, const int *list,
                          sal_arena *arena, sal_instances *instances)
{
    const int count = instances->count;
    int      *coordinate = ARENA_NEW(arena, t->coordinates * count, int);
    int      *param = ARENA_NEW(arena, t->params * count, int);
    int      *memory = ARENA_NEW(arena, t->memories * count, int);
    int      *constraint = ARENA_NEW(arena, 2 * count, int);
    double   *literal = ARENA_NEW(arena, t->literals * count, double);
    if (arena->failed) return false;
    for (int k = 0; k < count; k++) {
        const sal_term_leaves *leaves = &sorted->leaves[list[k]];
        for (int i = 0; i < t->coordinates; i++) coordinate[i * count + k] = leaves->coordinate[i];
        for (int i = 0; i < t->params; i++) param[i * count + k] = leaves->param[i];
        for (int i = 0; i < t->memories; i++) memory[i * count + k] = leaves->memory[i];
        for (int i = 0; i < t->literals; i++) literal[i * count + k] = leaves->literal[i];
        const sal_rows local = sal_template_rows(t);
        constraint[local.own * count + k] = leaves->rows.own;
        if (local.normal >= 0) constraint[local.normal * count + k] = leaves->rows.normal;
    }
    *instances = (sal_instances){count, coordinate, param, memory, constraint, literal};
    return true;
}

bool sal_template_set_instances(const sal_template_set *sorted, const unsigned char *left_out,
                                sal_arena *arena, sal_instances **instances)
{
    int *first = ARENA_NEW(arena, sorted->templates + 1, int);
    int *list = ARENA_NEW(arena, sorted->count, int);
    *instances = ARENA_NEW(arena, sorted->templates, sal_instances);
    if (arena->failed) return false;
    for (int i = 0; i < sorted->templates; i++)
        first[i + 1] = first[i] + sorted->template_[i].terms;
    for (int i = 0; i < sorted->count; i++) {
        sal_instances *these = &(*instances)[sorted->number[i]];
        if (!left_out || !left_out[i]) list[first[sorted->number[i]] + these->count++] = i;
    }
    for (int i = 0; i < sorted->templates; i++)
        if (!gather_leaves(sorted, &sorted->template_[i], list + first[i], arena, &(*instances)[i]))
            return false;
    return true;
}

bool sal_template_instances(const saltus_system *system, const int *active, sal_arena *arena,
                            sal_instances **instances)
{
    const saltus_model *model = system->model;
    unsigned char      *left_out = ARENA_NEW(arena, model->terms.count, unsigned char);
    if (!left_out) return false;
    for (int i = 0; i < model->terms.count && active; i++)
        left_out[i] = !sal_modes_active(model, &model->terms.data[i].modes, active);
    return sal_template_set_instances(&system->terms, left_out, arena, instances);
}

void sal_template_set_free(sal_template_set *sorted)
{
    for (int i = 0; i < sorted->templates; i++) sal_graph_free(&sorted->template_[i].graph);
}
