/* Sums and products written again: see tidy.h. */
#include "expr/tidy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* c * k * x * y: a literal, what is constant during a run, and what is not; null k and y are 1. */
typedef struct term {
    double   c;
    sal_node k, x, y;
} term;

/* How a node is reached in an expression that is taken apart: as an argument of the sum or product
 * itself, through a literal factor or a sign, or through one that others use too. */
typedef enum reached { DIRECT, SCALED, SHARED } reached;

typedef struct item {
    double   c;
    sal_node node;
    reached  how;
} item;

typedef struct tidy {
    sal_graph *graph;
    sal_arena  scratch;
    unsigned   constant;
    int       *uses, *user; /* by node as it was: how often it is used, and by whom last */
    sal_node  *image;       /* the node as it is now */
    int        nodes;       /* that there were at first */
    SAL_ARRAY(int) depth;   /* by node as it is now: when it is known */
    SAL_ARRAY(term) terms;
    SAL_ARRAY(sal_node) factors;
    SAL_ARRAY(item) stack;
    bool failed;
} tidy;

/* ---- nodes ---------------------------------------------------------------------------------- */

static const sal_node_data *data_of(const tidy *t, sal_node node)
{
    return &t->graph->nodes.data[node];
}

/* A product with a literal. */
static bool is_scaled(const tidy *t, sal_node node, double *c)
{
    const sal_node_data *data = data_of(t, node);
    return data->op == SAL_OP_MUL && sal_is_const(t->graph, data->arg[0], c) && *c != 0.0;
}

static bool is_sum(const tidy *t, sal_node node)
{
    return data_of(t, node)->op == SAL_OP_ADD || data_of(t, node)->op == SAL_OP_SUB;
}

static bool is_product(const tidy *t, sal_node node)
{
    double c;
    return data_of(t, node)->op == SAL_OP_MUL && !is_scaled(t, node, &c);
}

static bool is_constant(const tidy *t, sal_node node)
{
    return !(data_of(t, node)->kinds & ~t->constant);
}

/* Ticks until a result is there, about. */
static int latency(int op)
{
    switch (op) {
    case SAL_OP_NEG: return 1;
    case SAL_OP_DIV: return 13;
    case SAL_OP_SQRT: return 20;
    default: return op <= SAL_OP_MUL ? 4 : 40;
    }
}

static int depth_of(const tidy *t, sal_node node)
{
    return node < t->depth.count ? t->depth.data[node] : 0;
}

/* Makes room for the depth of a node. */
static bool reach(tidy *t, sal_node node)
{
    const int missing = node + 1 - t->depth.count;
    if (t->failed || t->graph->failed) return false;
    if (missing <= 0) return true;
    t->failed = !ARRAY_RESERVE(&t->graph->allocator, &t->depth, missing);
    if (t->failed) return false;
    memset(t->depth.data + t->depth.count, 0, (size_t)missing * sizeof *t->depth.data);
    t->depth.count += missing;
    return true;
}

/* A node of the new form; a product in a sum takes no time of its own. */
static sal_node make(tidy *t, int op, sal_node a, sal_node b, sal_node c)
{
    const sal_node arg[3] = {a, b, c}, node = sal_raw(t->graph, op, a, b, c);
    int            depth = 0;
    if (!reach(t, node)) return 0;
    for (int i = 0; i < sal_op_arguments(op); i++)
        if (depth_of(t, arg[i]) > depth) depth = depth_of(t, arg[i]);
    t->depth.data[node] = is_constant(t, node) ? 0 : depth + latency(op);
    return node;
}

static sal_node product(tidy *t, sal_node a, sal_node b)
{
    if (!a) return b;
    if (!b) return a;
    return a < b ? make(t, SAL_OP_MUL, a, b, 0) : make(t, SAL_OP_MUL, b, a, 0);
}

/* ---- gathering ------------------------------------------------------------------------------ */

/* The image of a node, its sign apart. */
static sal_node unsigned_image(const tidy *t, sal_node node, double *c)
{
    const sal_node image = t->image[node];
    if (data_of(t, image)->op != SAL_OP_NEG) return image;
    *c = -*c;
    return data_of(t, image)->arg[0];
}

static int by_depth(const tidy *t, sal_node a, sal_node b)
{
    const int x = depth_of(t, a), y = depth_of(t, b);
    return x != y ? (x > y) - (x < y) : (a > b) - (a < b);
}

static void push(tidy *t, double c, sal_node node, reached how)
{
    const item next = {c, node, how};
    if (!ARRAY_PUSH(&t->graph->allocator, &t->stack, next)) t->failed = true;
}

/* What is reached through a product with a literal, or a sign. */
static reached through(const tidy *t, const item *from)
{
    return from->how == SHARED || t->uses[from->node] > 1 ? SHARED : SCALED;
}

/* Puts a factor among those that change, where those known first come first. */
static void add_factor(tidy *t, int first, sal_node factor)
{
    if (!ARRAY_PUSH(&t->graph->allocator, &t->factors, factor)) t->failed = true;
    for (int i = t->factors.count - 1;
         !t->failed && i > first && by_depth(t, t->factors.data[i - 1], factor) > 0; i--) {
        t->factors.data[i] = t->factors.data[i - 1];
        t->factors.data[i - 1] = factor;
    }
}

/* c times a product whose factors nobody else uses together. */
static term gather_product(tidy *t, double c, sal_node root)
{
    const int bottom = t->stack.count, first = t->factors.count;
    term      p = {c, 0, 0, 0};
    push(t, 1.0, root, DIRECT);
    while (t->stack.count > bottom && !t->failed) {
        const item          now = t->stack.data[--t->stack.count];
        const sal_node_data data = *data_of(t, now.node);
        double              literal;
        if (is_constant(t, now.node) && data.kinds) {
            p.k = product(t, p.k, now.node);
        } else if (data.op == SAL_OP_NEG) {
            p.c = -p.c;
            push(t, 1.0, data.arg[0], through(t, &now));
        } else if (is_scaled(t, now.node, &literal)) {
            p.c *= literal;
            push(t, 1.0, data.arg[1], through(t, &now));
        } else if (is_product(t, now.node) &&
                   (now.node == root || (t->uses[now.node] == 1 && now.how != SHARED))) {
            push(t, 1.0, data.arg[0], DIRECT);
            push(t, 1.0, data.arg[1], DIRECT);
        } else {
            add_factor(t, first, unsigned_image(t, now.node, &p.c));
        }
    }
    const int count = t->factors.count - first;
    t->factors.count = first;
    if (t->failed) return p;
    const sal_node *factor = t->factors.data + first;
    if (count > 0) p.x = factor[0];
    for (int i = 1; i + 1 < count; i++) p.x = product(t, p.x, factor[i]);
    if (count > 1) p.y = factor[count - 1];
    if (count > 0) return p;
    p.x = p.k;
    p.k = 0;
    return p;
}

static void add_term(tidy *t, term p)
{
    if (!ARRAY_PUSH(&t->graph->allocator, &t->terms, p)) t->failed = true;
}

/* A term that is not taken apart. */
static void add_whole(tidy *t, double c, sal_node node)
{
    double number;
    if (sal_is_const(t->graph, node, &number) && number != 0.0) {
        node = sal_const(t->graph, fabs(c * number));
        c = c * number < 0.0 ? -1.0 : 1.0;
    } else if (!is_constant(t, node)) {
        node = unsigned_image(t, node, &c);
    }
    add_term(t, (term){c, 0, node, 0});
}

static bool has_factor(const term *p, double c) { return p->k || fabs(c) != 1.0; }

static void gather_sum(tidy *t, double c, sal_node root, int nested);

enum { DEEPEST = 20 }; /* multiples of sums in multiples of sums */

/* Whether c times a sum is better written as a sum of multiples: products that have no factor yet
 * get one operation longer, and nothing is left to multiply at the end. */
static bool opens(tidy *t, double c, sal_node node, int nested)
{
    const int first = t->terms.count;
    int       longer = 0;
    bool      plain = false;
    if (t->uses[node] > 1 || nested > DEEPEST) return false;
    if (fabs(c) == 1.0) return true;
    gather_sum(t, 1.0, node, nested + 1);
    for (int i = first; i < t->terms.count; i++) {
        const term *p = &t->terms.data[i];
        if (p->y) longer += has_factor(p, c * p->c) - has_factor(p, p->c);
        plain = plain || (!p->y && !has_factor(p, p->c));
    }
    t->terms.count = first;
    return longer <= !plain;
}

/* Appends the terms of c times the sum; shared sums in it stay what they are. */
static void gather_sum(tidy *t, double c, sal_node root, int nested)
{
    const int bottom = t->stack.count;
    push(t, c, root, DIRECT);
    while (t->stack.count > bottom && !t->failed) {
        const item          now = t->stack.data[--t->stack.count];
        const sal_node_data data = *data_of(t, now.node);
        const bool          single = t->uses[now.node] == 1 && now.how != SHARED;
        double              literal;
        if (is_constant(t, now.node)) {
            add_whole(t, now.c, now.node);
        } else if (data.op == SAL_OP_NEG) {
            push(t, -now.c, data.arg[0], through(t, &now));
        } else if (is_scaled(t, now.node, &literal)) {
            push(t, literal * now.c, data.arg[1], through(t, &now));
        } else if (is_sum(t, now.node) &&
                   (now.node == root ||
                    (single && (now.how == DIRECT || opens(t, now.c, now.node, nested))))) {
            push(t, data.op == SAL_OP_SUB ? -now.c : now.c, data.arg[1], DIRECT);
            push(t, now.c, data.arg[0], DIRECT);
        } else if (is_product(t, now.node) && single) {
            add_term(t, gather_product(t, now.c, now.node));
        } else {
            add_whole(t, now.c, now.node);
        }
    }
}

/* ---- writing -------------------------------------------------------------------------------- */

/* The product without its sign: one factor is left for the sum to multiply with. */
static sal_node write_term(tidy *t, const term *p)
{
    const double c = fabs(p->c);
    sal_node     k = p->k;
    if (c != 1.0 && k) k = make(t, SAL_OP_MUL, sal_const(t->graph, c), k, 0);
    else if (c != 1.0) k = sal_const(t->graph, c);
    if (!k) return p->y ? product(t, p->x, p->y) : p->x;
    if (!p->y) return make(t, SAL_OP_MUL, k, p->x, 0);
    return product(t, make(t, SAL_OP_MUL, k, p->x, 0), p->y);
}

static bool is_plain(const term *p) { return !p->y && !has_factor(p, p->c); }

static int known(const tidy *t, const term *p)
{
    const int x = depth_of(t, p->x) + (p->y && has_factor(p, p->c) ? 4 : 0), y = depth_of(t, p->y);
    return x > y ? x : y;
}

/* Terms with the same product become one. */
static int merge(term *p, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        int j = 0;
        while (j < kept && !(p[j].x == p[i].x && p[j].y == p[i].y && p[j].k == p[i].k &&
                             p[j].c + p[i].c != 0.0))
            j++;
        if (j < kept) p[j].c += p[i].c;
        else p[kept++] = p[i];
    }
    return kept;
}

/* Ascending by when they are known; a term that needs no product begins. */
static void sort_terms(const tidy *t, term *p, int count)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && known(t, &p[j - 1]) > known(t, &p[j]); j--) {
            const term other = p[j];
            p[j] = p[j - 1];
            p[j - 1] = other;
        }
    for (int i = 0; i < count; i++)
        if (is_plain(&p[i])) {
            const term plain = p[i];
            memmove(p + 1, p, (size_t)i * sizeof *p);
            p[0] = plain;
            return;
        }
}

static sal_node write_sum(tidy *t, term *p, int count)
{
    sort_terms(t, p, count);
    sal_node sum = write_term(t, &p[0]);
    double   sign = p[0].c < 0.0 ? -1.0 : 1.0;
    for (int i = 1; i < count; i++) {
        const sal_node next = write_term(t, &p[i]);
        if (t->failed || !sum || !next) return 0;
        const int before = depth_of(t, sum) > known(t, &p[i]) ? depth_of(t, sum) : known(t, &p[i]);
        if ((p[i].c < 0.0) == (sign < 0.0)) {
            sum = make(t, SAL_OP_ADD, sum, next, 0);
        } else if (sign < 0.0) {
            sum = make(t, SAL_OP_SUB, next, sum, 0);
            sign = 1.0;
        } else {
            sum = make(t, SAL_OP_SUB, sum, next, 0);
        }
        if (sum && !t->failed) t->depth.data[sum] = before + 4;
    }
    return sum && sign < 0.0 ? make(t, SAL_OP_NEG, sum, 0, 0) : sum;
}

static sal_node write_node(tidy *t, sal_node node)
{
    const sal_node_data data = *data_of(t, node);
    double              c;
    if (sal_op_arguments(data.op) == 0 || is_constant(t, node)) return node;
    if (is_product(t, node)) {
        term p = gather_product(t, 1.0, node);
        return t->failed ? 0 : write_sum(t, &p, 1);
    }
    if (is_sum(t, node) || data.op == SAL_OP_NEG || is_scaled(t, node, &c)) {
        t->terms.count = 0;
        gather_sum(t, 1.0, node, 0);
        if (t->failed) return 0;
        return write_sum(t, t->terms.data, merge(t->terms.data, t->terms.count));
    }
    sal_node arg[3] = {0, 0, 0};
    for (int i = 0; i < sal_op_arguments(data.op); i++) arg[i] = t->image[data.arg[i]];
    if (sal_has_line(data.op)) t->graph->line = (int)data.value;
    return make(t, data.op, arg[0], arg[1], arg[2]);
}

/* Whether the one user of a node takes it apart and needs no image of it. */
static bool is_taken_apart(const tidy *t, sal_node node)
{
    if (t->uses[node] != 1 || !t->user[node]) return false;
    if (is_sum(t, node)) return is_sum(t, t->user[node]);
    return is_product(t, node) && (is_sum(t, t->user[node]) || is_product(t, t->user[node]));
}

static bool prepare(tidy *t, const sal_node *roots, int count)
{
    sal_graph *graph = t->graph;
    if (!sal_graph_walk(graph, roots, count)) return false;
    t->nodes = graph->nodes.count;
    t->uses = ARENA_NEW(&t->scratch, t->nodes, int);
    t->user = ARENA_NEW(&t->scratch, t->nodes, int);
    t->image = ARENA_NEW(&t->scratch, t->nodes, sal_node);
    if (t->scratch.failed) return false;
    for (int i = 0; i < graph->walk.list.count; i++) {
        const sal_node       node = graph->walk.list.data[i];
        const sal_node_data *data = data_of(t, node);
        for (int k = 0; k < sal_op_arguments(data->op); k++) {
            t->uses[data->arg[k]]++;
            t->user[data->arg[k]] = node;
        }
    }
    for (int i = 0; i < count; i++)
        if (roots[i]) {
            t->uses[roots[i]]++;
            t->user[roots[i]] = 0;
        }
    return true;
}

bool sal_tidy(sal_graph *graph, const sal_node *roots, int count, unsigned constant, sal_node *out)
{
    tidy t = {.graph = graph, .constant = constant};
    sal_arena_init(&t.scratch, &graph->allocator);
    t.failed = !prepare(&t, roots, count);
    for (int i = 0; i < graph->walk.list.count && !t.failed; i++) {
        const sal_node node = graph->walk.list.data[i];
        if (!is_taken_apart(&t, node)) t.image[node] = write_node(&t, node);
        t.failed = t.failed || graph->failed;
    }
    for (int i = 0; i < count; i++) out[i] = t.failed || !roots[i] ? 0 : t.image[roots[i]];
    sal_arena_free(&t.scratch);
    ARRAY_RELEASE(&graph->allocator, &t.depth);
    ARRAY_RELEASE(&graph->allocator, &t.terms);
    ARRAY_RELEASE(&graph->allocator, &t.factors);
    ARRAY_RELEASE(&graph->allocator, &t.stack);
    return !t.failed;
}
