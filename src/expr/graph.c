/* The expression graph: shared nodes and exact simplification. */
#include "expr/graph.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/work.h"
#include "expr/canonical.h"
#include "expr/sign.h"

/* ---- the table of operations ---------------------------------------------------------------- */

static const struct {
    const char *text;
    int         arguments;
} ops[SAL_OP_COUNT] = {
    [SAL_OP_NULL] = {"null", 0},
    [SAL_OP_CONST] = {"const", 0},
    [SAL_OP_LEAF] = {"leaf", 0},
#define OP(name, n, txt, ...) [SAL_OP_##name] = {txt, n},
#include "expr/ops.def"
#undef OP
};

const char *sal_op_text(int op) { return ops[op].text; }
int         sal_op_arguments(int op) { return ops[op].arguments; }

enum { LARGEST_WHOLE_POWER = 16 };

static bool whole_power(double b) { return b == floor(b) && fabs(b) <= LARGEST_WHOLE_POWER; }

double sal_power(double a, double b)
{
    if (!whole_power(b)) return pow(a, b);
    double product = 1.0;
    for (int i = 0; i < (int)fabs(b); i++) product = i == 0 ? a : product * a;
    return b < 0.0 ? 1.0 / product : product;
}

double sal_angle(double y, double x, double branch)
{
    const double turn = 6.283185307179586, angle = atan2(y, x);
    if (branch > 0.0) return angle < -0.4375 * turn ? angle + turn : angle;
    return angle > 0.0625 * turn ? angle - turn : angle;
}

double sal_op_value(int op, double a, double b, double c)
{
    switch (op) {
#define OP(name, n, txt, value, ...)                                                               \
    case SAL_OP_##name:                                                                            \
        return value;
#include "expr/ops.def"
#undef OP
    default: return NAN;
    }
}

bool sal_is_kink(int op)
{
    return op == SAL_OP_ABS || op == SAL_OP_SIGN || op == SAL_OP_MIN || op == SAL_OP_MAX;
}

bool sal_has_line(int op)
{
    switch (op) {
    case SAL_OP_DIV:
    case SAL_OP_POW:
    case SAL_OP_ASIN:
    case SAL_OP_ACOS:
    case SAL_OP_ATAN2:
    case SAL_OP_ANGLE:
    case SAL_OP_LOG:
    case SAL_OP_SQRT:
    case SAL_OP_HYPOT: return true;
    default: return sal_is_kink(op);
    }
}

/* ---- storage -------------------------------------------------------------------------------- */

void sal_graph_init(sal_graph *graph, const saltus_allocator *allocator)
{
    memset(graph, 0, sizeof *graph);
    if (allocator) graph->allocator = *allocator;
}

void sal_graph_free(sal_graph *graph)
{
    ARRAY_RELEASE(&graph->allocator, &graph->nodes);
    sal_resize(&graph->allocator, graph->table, (size_t)graph->table_size * sizeof(int), 0);
    graph->table = NULL;
    graph->table_size = 0;
    sal_resize(&graph->allocator, graph->walk.stamp, 2 * (size_t)graph->walk.capacity * sizeof(int),
               0);
    ARRAY_RELEASE(&graph->allocator, &graph->walk.list);
    ARRAY_RELEASE(&graph->allocator, &graph->walk.stack);
    memset(&graph->walk, 0, sizeof graph->walk);
}

bool sal_graph_copy(sal_graph *to, const sal_graph *from)
{
    to->failed = from->failed;
    if (from->nodes.count == 0) return true;
    if (!ARRAY_RESERVE(&to->allocator, &to->nodes, from->nodes.count)) return false;
    const size_t bytes = (size_t)from->table_size * sizeof(int);
    to->table = sal_resize(&to->allocator, NULL, 0, bytes);
    if (!to->table) return false;
    memcpy(to->nodes.data, from->nodes.data, (size_t)from->nodes.count * sizeof(sal_node_data));
    to->nodes.count = from->nodes.count;
    memcpy(to->table, from->table, bytes);
    to->table_size = from->table_size;
    return true;
}

size_t sal_graph_bytes(const sal_graph *graph)
{
    return (size_t)graph->nodes.capacity * sizeof(sal_node_data) +
           ((size_t)graph->table_size + 2 * (size_t)graph->walk.capacity) * sizeof(int);
}

unsigned sal_kind_bit(int kind) { return kind >= SAL_LEAF_TANGENT ? 1u << 31 : 1u << kind; }

static uint64_t hash_of(const sal_node_data *node)
{
    uint64_t bits = 0, h = (uint64_t)node->op * 0x9e3779b97f4a7c15u;
    if (node->op == SAL_OP_CONST) memcpy(&bits, &node->value, sizeof bits);
    for (int i = 0; i < 3; i++) h = (h ^ (uint64_t)node->arg[i]) * 0xff51afd7ed558ccdu;
    h = (h ^ bits) * 0xc4ceb9fe1a85ec53u;
    return h ^ (h >> 29);
}

static bool same(const sal_node_data *a, const sal_node_data *b)
{
    return a->op == b->op && a->arg[0] == b->arg[0] && a->arg[1] == b->arg[1] &&
           a->arg[2] == b->arg[2] &&
           (a->op != SAL_OP_CONST || memcmp(&a->value, &b->value, sizeof a->value) == 0);
}

static void fill_table(sal_graph *graph)
{
    const uint64_t last = (uint64_t)(graph->table_size - 1);
    memset(graph->table, 0, (size_t)graph->table_size * sizeof(int));
    for (int node = 1; node < graph->nodes.count; node++) {
        uint64_t place = hash_of(&graph->nodes.data[node]) & last;
        while (graph->table[place]) place = (place + 1) & last;
        graph->table[place] = node;
    }
}

static bool grow_table(sal_graph *graph)
{
    const int size = graph->table_size ? 2 * graph->table_size : 64;
    int      *table = sal_resize(&graph->allocator, NULL, 0, (size_t)size * sizeof(int));
    if (!table) return false;
    sal_resize(&graph->allocator, graph->table, (size_t)graph->table_size * sizeof(int), 0);
    graph->table = table;
    graph->table_size = size;
    fill_table(graph);
    return true;
}

void sal_graph_renumber(sal_graph *graph, int kind, const int *index)
{
    for (int node = 1; node < graph->nodes.count; node++) {
        sal_node_data *leaf = &graph->nodes.data[node];
        if (leaf->op == SAL_OP_LEAF && leaf->arg[0] == kind) leaf->arg[1] = index[leaf->arg[1]];
    }
    if (graph->table) fill_table(graph);
}

/* The kinds of leaves that a node depends on. */
static unsigned kinds_of(const sal_graph *graph, const sal_node_data *node)
{
    unsigned kinds = 0;
    if (node->op == SAL_OP_LEAF) return sal_kind_bit(node->arg[0]);
    for (int i = 0; i < sal_op_arguments(node->op); i++)
        kinds |= graph->nodes.data[node->arg[i]].kinds;
    return kinds;
}

/* The node with this content, made if there is none yet. */
static sal_node intern(sal_graph *graph, const sal_node_data *content)
{
    if (graph->failed) return 0;
    if (2 * (graph->nodes.count + 1) >= graph->table_size && !grow_table(graph)) {
        graph->failed = true;
        return 0;
    }
    uint64_t place = hash_of(content) & (uint64_t)(graph->table_size - 1);
    while (graph->table[place]) {
        if (same(&graph->nodes.data[graph->table[place]], content)) return graph->table[place];
        place = (place + 1) & (uint64_t)(graph->table_size - 1);
    }
    graph->limited = graph->limit && graph->nodes.count >= graph->limit;
    if (graph->limited || !ARRAY_RESERVE(&graph->allocator, &graph->nodes, 2)) {
        graph->failed = true;
        return 0;
    }
    if (graph->nodes.count == 0) graph->nodes.data[graph->nodes.count++] = (sal_node_data){0};
    graph->nodes.data[graph->nodes.count] = *content;
    graph->nodes.data[graph->nodes.count].kinds = kinds_of(graph, content);
    graph->table[place] = graph->nodes.count;
    return graph->nodes.count++;
}

/* ---- builders ------------------------------------------------------------------------------- */

sal_node sal_const(sal_graph *graph, double value)
{
    const sal_node_data content = {.op = SAL_OP_CONST, .value = value == 0.0 ? 0.0 : value};
    return intern(graph, &content);
}

sal_node sal_leaf(sal_graph *graph, int kind, int index)
{
    const sal_node_data content = {.op = SAL_OP_LEAF, .arg = {kind, index, 0}};
    return intern(graph, &content);
}

bool sal_is_const(const sal_graph *graph, sal_node node, double *value)
{
    if (!node || graph->nodes.data[node].op != SAL_OP_CONST) return false;
    if (value) *value = graph->nodes.data[node].value;
    return true;
}

bool sal_is_leaf(const sal_graph *graph, sal_node node, int *kind, int *index)
{
    if (!node || graph->nodes.data[node].op != SAL_OP_LEAF) return false;
    if (kind) *kind = graph->nodes.data[node].arg[0];
    if (index) *index = graph->nodes.data[node].arg[1];
    return true;
}

static bool is_number(const sal_graph *graph, sal_node node, double number)
{
    double value;
    return sal_is_const(graph, node, &value) && value == number;
}

/* The argument of a node with that operation, else null. */
static sal_node argument(const sal_graph *graph, sal_node node, int op, int which)
{
    const sal_node_data *data = &graph->nodes.data[node];
    return data->op == op ? data->arg[which] : 0;
}

/* Splits a node c * rest, where c is a power of two, which can be moved without rounding; returns
 * rest, or null if the node has another form. */
static sal_node split_power_of_two(const sal_graph *graph, sal_node node, double *c)
{
    const sal_node_data *data = &graph->nodes.data[node];
    int                  exponent;
    if (data->op != SAL_OP_MUL || !sal_is_const(graph, data->arg[0], c)) return 0;
    if (fabs(*c) > 0x1p60 || fabs(*c) < 0x1p-60 || frexp(fabs(*c), &exponent) != 0.5) return 0;
    return data->arg[1];
}

sal_node sal_raw(sal_graph *graph, int op, sal_node a, sal_node b, sal_node c)
{
    const sal_node_data content = {
        .op = op, .arg = {a, b, c}, .value = sal_has_line(op) ? graph->line : 0.0};
    return intern(graph, &content);
}

static sal_node make_neg(sal_graph *graph, sal_node a)
{
    const sal_node inner = argument(graph, a, SAL_OP_NEG, 0);
    return inner ? inner : sal_raw(graph, SAL_OP_NEG, a, 0, 0);
}

static sal_node make_sub(sal_graph *graph, sal_node a, sal_node b)
{
    if (is_number(graph, b, 0.0)) return a;
    if (is_number(graph, a, 0.0)) return sal_neg(graph, b);
    const sal_node minus_b = argument(graph, b, SAL_OP_NEG, 0);
    if (minus_b) return sal_add(graph, a, minus_b);
    /* Differences have one orientation, so that x - y and y - x share a node, with the sign
     * outside. A difference with a number keeps the user's orientation, since nothing would be
     * shared. */
    const bool number = sal_is_const(graph, a, NULL) || sal_is_const(graph, b, NULL);
    if (a < b && !number) return sal_neg(graph, sal_raw(graph, SAL_OP_SUB, b, a, 0));
    return sal_raw(graph, SAL_OP_SUB, a, b, 0);
}

static sal_node make_add(sal_graph *graph, sal_node a, sal_node b)
{
    if (is_number(graph, a, 0.0)) return b;
    if (is_number(graph, b, 0.0)) return a;
    const sal_node minus_a = argument(graph, a, SAL_OP_NEG, 0);
    const sal_node minus_b = argument(graph, b, SAL_OP_NEG, 0);
    if (minus_a && minus_b) return sal_neg(graph, sal_add(graph, minus_a, minus_b));
    if (minus_b) return sal_sub(graph, a, minus_b);
    if (minus_a) return sal_sub(graph, b, minus_a);
    if (a == b) return sal_mul(graph, sal_const(graph, 2.0), a);
    return a < b ? sal_raw(graph, SAL_OP_ADD, a, b, 0) : sal_raw(graph, SAL_OP_ADD, b, a, 0);
}

static sal_node make_mul(sal_graph *graph, sal_node a, sal_node b)
{
    if (is_number(graph, a, 1.0)) return b;
    if (is_number(graph, b, 1.0)) return a;
    if (is_number(graph, a, -1.0)) return sal_neg(graph, b);
    if (is_number(graph, b, -1.0)) return sal_neg(graph, a);
    const sal_node minus_a = argument(graph, a, SAL_OP_NEG, 0);
    const sal_node minus_b = argument(graph, b, SAL_OP_NEG, 0);
    if (minus_a && minus_b) return sal_mul(graph, minus_a, minus_b);
    if (minus_a) return sal_neg(graph, sal_mul(graph, minus_a, b));
    if (minus_b) return sal_neg(graph, sal_mul(graph, a, minus_b));
    if (sal_is_const(graph, b, NULL)) { /* the number first */
        const sal_node other = a;
        a = b;
        b = other;
    }
    double         c, number;
    const sal_node rest = split_power_of_two(graph, b, &c);
    if (rest && sal_is_const(graph, a, &number)) {
        const double product = number * c;
        if (isfinite(product) && (product == 0.0) == (number == 0.0))
            return sal_mul(graph, sal_const(graph, product), rest);
    } else if (rest) {
        return sal_mul(graph, sal_const(graph, c), sal_mul(graph, a, rest));
    }
    double         d;
    const sal_node other = split_power_of_two(graph, a, &d);
    if (other) return sal_mul(graph, sal_const(graph, d), sal_mul(graph, other, b));
    if (sal_is_const(graph, a, NULL) || a < b) return sal_raw(graph, SAL_OP_MUL, a, b, 0);
    return sal_raw(graph, SAL_OP_MUL, b, a, 0);
}

static sal_node make_div(sal_graph *graph, sal_node a, sal_node b)
{
    if (is_number(graph, b, 1.0)) return a;
    if (is_number(graph, b, -1.0)) return sal_neg(graph, a);
    const sal_node minus_a = argument(graph, a, SAL_OP_NEG, 0);
    const sal_node minus_b = argument(graph, b, SAL_OP_NEG, 0);
    if (minus_a && minus_b) return sal_apply(graph, SAL_OP_DIV, minus_a, minus_b, 0);
    if (minus_a) return sal_neg(graph, sal_apply(graph, SAL_OP_DIV, minus_a, b, 0));
    if (minus_b) return sal_neg(graph, sal_apply(graph, SAL_OP_DIV, a, minus_b, 0));
    return sal_raw(graph, SAL_OP_DIV, a, b, 0);
}

/* Small integer powers become products, as in sal_power. */
static sal_node make_pow(sal_graph *graph, sal_node a, sal_node b)
{
    double exponent;
    if (!sal_is_const(graph, b, &exponent) || !whole_power(exponent))
        return sal_raw(graph, SAL_OP_POW, a, b, 0);
    sal_node       product = sal_const(graph, 1.0);
    const int      factors = (int)fabs(exponent);
    const sal_node inner = argument(graph, a, SAL_OP_ABS, 0);
    for (int i = 0; i < factors; i++) /* even powers of abs(x) are those of x, without a kink */
        product = sal_mul(graph, product, inner && i < factors - factors % 2 ? inner : a);
    if (exponent < 0.0) return sal_apply(graph, SAL_OP_DIV, sal_const(graph, 1.0), product, 0);
    return product;
}

/* abs(-x) becomes abs(x); the abs of an expression that is never negative is dropped. */
static sal_node make_abs(sal_graph *graph, sal_node a)
{
    const sal_node minus = argument(graph, a, SAL_OP_NEG, 0);
    if (minus) return sal_apply(graph, SAL_OP_ABS, minus, 0, 0);
    if (argument(graph, a, SAL_OP_ABS, 0) || sal_never_negative(graph, a, NULL)) return a;
    return sal_raw(graph, SAL_OP_ABS, a, 0, 0);
}

static sal_node make_sign(sal_graph *graph, sal_node a)
{
    const sal_node minus = argument(graph, a, SAL_OP_NEG, 0);
    return minus ? sal_neg(graph, sal_apply(graph, SAL_OP_SIGN, minus, 0, 0))
                 : sal_raw(graph, SAL_OP_SIGN, a, 0, 0);
}

/* The root of a square is an abs, so that its kink is known. */
static sal_node make_sqrt(sal_graph *graph, sal_node a)
{
    const sal_node u = argument(graph, a, SAL_OP_MUL, 0);
    return u && u == argument(graph, a, SAL_OP_MUL, 1) ? sal_apply(graph, SAL_OP_ABS, u, 0, 0)
                                                       : sal_raw(graph, SAL_OP_SQRT, a, 0, 0);
}

static sal_node make_hypot(sal_graph *graph, sal_node a, sal_node b)
{
    const sal_node minus_a = argument(graph, a, SAL_OP_NEG, 0);
    const sal_node minus_b = argument(graph, b, SAL_OP_NEG, 0);
    if (minus_a) a = minus_a;
    if (minus_b) b = minus_b;
    if (is_number(graph, a, 0.0)) return sal_apply(graph, SAL_OP_ABS, b, 0, 0);
    if (is_number(graph, b, 0.0)) return sal_apply(graph, SAL_OP_ABS, a, 0, 0);
    return sal_raw(graph, SAL_OP_HYPOT, a, b, 0);
}

static sal_node make_select(sal_graph *graph, sal_node a, sal_node b, sal_node c)
{
    return b == c ? b : sal_raw(graph, SAL_OP_SELECT, a, b, c);
}

/* Computes an operation whose arguments are all numbers; null otherwise. An operation whose result
 * is not finite is kept, so that the mistake appears where its value is used. */
static sal_node fold(sal_graph *graph, int op, const sal_node *arg)
{
    double value[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < sal_op_arguments(op); i++)
        if (!sal_is_const(graph, arg[i], &value[i])) return 0;
    const double result = sal_op_value(op, value[0], value[1], value[2]);
    return isfinite(result) ? sal_const(graph, result) : 0;
}

sal_node sal_apply(sal_graph *graph, int op, sal_node a, sal_node b, sal_node c)
{
    const sal_node arg[3] = {a, b, c};
    for (int i = 0; i < sal_op_arguments(op); i++)
        if (!arg[i]) return 0;
    const sal_node folded = fold(graph, op, arg);
    if (folded || graph->failed) return folded;
    if (graph->may_reround && op <= SAL_OP_DIV) return sal_canonical_apply(graph, op, a, b);
    switch (op) {
    case SAL_OP_NEG: return make_neg(graph, a);
    case SAL_OP_ADD: return make_add(graph, a, b);
    case SAL_OP_SUB: return make_sub(graph, a, b);
    case SAL_OP_MUL: return make_mul(graph, a, b);
    case SAL_OP_DIV: return make_div(graph, a, b);
    case SAL_OP_POW: return make_pow(graph, a, b);
    case SAL_OP_ABS: return make_abs(graph, a);
    case SAL_OP_SIGN: return make_sign(graph, a);
    case SAL_OP_MIN:
    case SAL_OP_MAX: return a == b ? a : sal_raw(graph, op, a, b, 0);
    case SAL_OP_SQRT: return make_sqrt(graph, a);
    case SAL_OP_HYPOT: return make_hypot(graph, a, b);
    case SAL_OP_SELECT: return make_select(graph, a, b, c);
    default: return sal_raw(graph, op, a, sal_op_arguments(op) > 1 ? b : 0, c);
    }
}

sal_node sal_add(sal_graph *g, sal_node a, sal_node b) { return sal_apply(g, SAL_OP_ADD, a, b, 0); }
sal_node sal_sub(sal_graph *g, sal_node a, sal_node b) { return sal_apply(g, SAL_OP_SUB, a, b, 0); }
sal_node sal_mul(sal_graph *g, sal_node a, sal_node b) { return sal_apply(g, SAL_OP_MUL, a, b, 0); }
sal_node sal_neg(sal_graph *g, sal_node a) { return sal_apply(g, SAL_OP_NEG, a, 0, 0); }

sal_node sal_sum(sal_graph *graph, sal_node a, sal_node b)
{
    if (!a) return b;
    return b ? sal_add(graph, a, b) : a;
}

/* ---- walking -------------------------------------------------------------------------------- */

/* Room for one stamp and one image per node. */
static bool walk_reserve(sal_walk *walk, const saltus_allocator *allocator, int nodes)
{
    if (nodes <= walk->capacity) return true;
    const int capacity = nodes < 64 ? 128 : nodes < 1 << 29 ? 2 * nodes : nodes;
    int      *both = sal_resize(allocator, NULL, 0, 2 * (size_t)capacity * sizeof(int));
    if (!both) return false;
    sal_resize(allocator, walk->stamp, 2 * (size_t)walk->capacity * sizeof(int), 0);
    memset(both, 0, 2 * (size_t)capacity * sizeof(int));
    walk->stamp = both;
    walk->image = both + capacity;
    walk->capacity = capacity;
    walk->now = 0;
    return true;
}

/* Pushes the arguments of a node that have not been visited; true if there are any. */
static bool push_arguments(sal_graph *graph, sal_node node)
{
    const sal_node_data *data = &graph->nodes.data[node];
    sal_walk            *walk = &graph->walk;
    bool                 waiting = false;
    for (int i = sal_op_arguments(data->op) - 1; i >= 0; i--)
        if (walk->stamp[data->arg[i]] != walk->now) {
            if (!ARRAY_PUSH(&graph->allocator, &walk->stack, data->arg[i])) graph->failed = true;
            waiting = true;
        }
    return waiting;
}

bool sal_graph_walk(sal_graph *graph, const sal_node *roots, int count)
{
    sal_walk *walk = &graph->walk;
    walk->list.count = walk->stack.count = 0;
    if (!walk_reserve(walk, &graph->allocator, graph->nodes.count)) graph->failed = true;
    walk->now++;
    for (int i = 0; i < count && !graph->failed; i++) {
        if (!roots[i]) continue;
        if (!ARRAY_PUSH(&graph->allocator, &walk->stack, roots[i])) graph->failed = true;
        while (walk->stack.count > 0 && !graph->failed) {
            const sal_node node = walk->stack.data[walk->stack.count - 1];
            if (walk->stamp[node] != walk->now && push_arguments(graph, node)) continue;
            walk->stack.count--;
            if (walk->stamp[node] == walk->now) continue;
            walk->stamp[node] = walk->now;
            walk->image[node] = 0;
            if (!ARRAY_PUSH(&graph->allocator, &walk->list, node)) graph->failed = true;
        }
    }
    if (!sal_work_done(&graph->allocator, walk->list.count + count / 32 + 1)) graph->failed = true;
    return !graph->failed;
}

bool sal_depends(const sal_graph *graph, sal_node root, int kind)
{
    return sal_depends_on(graph, root, sal_kind_bit(kind));
}

bool sal_depends_on(const sal_graph *graph, sal_node root, unsigned kinds)
{
    return root && (graph->nodes.data[root].kinds & kinds);
}

bool sal_is_mirror(const sal_graph *graph, sal_node a, sal_node b)
{
    const sal_node_data *x = &graph->nodes.data[a], *y = &graph->nodes.data[b];
    return x->op == SAL_OP_SUB && y->op == SAL_OP_SUB && x->arg[0] == y->arg[1] &&
           x->arg[1] == y->arg[0];
}

/* The node with its arguments replaced by their images. */
static sal_node rebuild(sal_graph *graph, sal_node node)
{
    const sal_node_data data = graph->nodes.data[node];
    sal_node            arg[3] = {0, 0, 0};
    bool                differs = false;
    for (int i = 0; i < sal_op_arguments(data.op); i++) {
        arg[i] = graph->walk.image[data.arg[i]];
        differs = differs || arg[i] != data.arg[i];
    }
    if (sal_op_arguments(data.op) == 0 || (!differs && !graph->may_reround)) return node;
    if (sal_has_line(data.op)) graph->line = (int)data.value;
    return sal_apply(graph, data.op, arg[0], arg[1], arg[2]);
}

void sal_substitute(sal_graph *graph, const sal_node *roots, int count,
                    sal_node (*replace)(void *, sal_graph *, sal_node), void *context,
                    sal_node *out)
{
    sal_graph_walk(graph, roots, count);
    for (int i = 0; i < graph->walk.list.count && !graph->failed; i++) {
        const sal_node node = graph->walk.list.data[i], changed = rebuild(graph, node);
        const sal_node other = changed && replace ? replace(context, graph, changed) : 0;
        graph->walk.image[node] = other ? other : changed;
    }
    for (int i = 0; i < count; i++)
        out[i] = graph->failed || !roots[i] ? 0 : graph->walk.image[roots[i]];
}
