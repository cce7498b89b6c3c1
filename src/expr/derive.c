/* Symbolic derivatives, forward and reverse, from the partials in ops.def. */
#include "expr/derive.h"

/* Helpers for the rows of ops.def. The variable `graph` must be in scope. */
#define NONE 0
#define NUM(x) sal_const(graph, x)
#define Neg(x) sal_neg(graph, x)
#define Add(x, y) sal_add(graph, x, y)
#define Sub(x, y) sal_sub(graph, x, y)
#define Mul(x, y) sal_mul(graph, x, y)
#define Half(x) sal_mul(graph, NUM(0.5), x)
#define Div(x, y) sal_apply(graph, SAL_OP_DIV, x, y, 0)
#define Pow(x, y) sal_apply(graph, SAL_OP_POW, x, y, 0)
#define ClampedPow(x, y) sal_apply(graph, SAL_OP_CLAMPED_POW, x, y, 0)
#define Hypot(x, y) sal_apply(graph, SAL_OP_HYPOT, x, y, 0)
#define Over(x, y) sal_apply(graph, SAL_OP_OVER, x, y, 0)
#define Fun(op, x) sal_apply(graph, SAL_OP_##op, x, 0, 0)
#define Select(s, x, y) sal_apply(graph, SAL_OP_SELECT, s, x, y)

/* The partial derivative of node R by its argument. */
static sal_node partial(sal_graph *graph, sal_node R, int which)
{
    const sal_node_data data = graph->nodes.data[R];
    const sal_node      A = data.arg[0], B = data.arg[1];
    graph->line = sal_has_line(data.op) ? (int)data.value : graph->line;
    switch (data.op) {
#define OP(name, n, text, value, pa, pb, pc)                                                       \
    case SAL_OP_##name:                                                                            \
        if (which == 0) return pa;                                                                 \
        if (which == 1) return pb;                                                                 \
        return pc;
#include "expr/ops.def"
#undef OP
    default: return 0;
    }
}

/* Returns partial * d, or null if the partial derivative is zero. */
static sal_node chain(sal_graph *graph, sal_node node, int which, sal_node d)
{
    double         value;
    const sal_node p = partial(graph, node, which);
    if (sal_is_const(graph, p, &value) && value == 0.0) return 0;
    return sal_mul(graph, p, d);
}

/* ---- quotients whose divisor may overflow --------------------------------------------------- */

/* Where b overflows, a / b is zero, and so is its derivative. But b' overflows too, and zero times
 * infinity is not a number. So if b contains cosh or exp, the derivative by b is written as
 * -(a / b) (log b)', in which (log b)' is bounded. */

enum { MAX_PARTS = 8 };

/* A logarithmic derivative, (log b)', as a sum of factors times derivatives of nodes. */
typedef struct log_parts {
    int      count;                            /* number of addends; > MAX_PARTS: too many */
    bool     grows;                            /* b has a factor that may overflow */
    sal_node of[MAX_PARTS], factor[MAX_PARTS]; /* by addend: the node, and the factor */
} log_parts;

static void add_part(log_parts *parts, sal_node of, sal_node factor)
{
    if (parts->count < MAX_PARTS) {
        parts->of[parts->count] = of;
        parts->factor[parts->count] = factor;
    }
    parts->count++;
}

/* Returns y of an expression u + exp(y), where u is a number; null if it has another form. */
static sal_node shifted_exp(const sal_graph *graph, const sal_node_data *data, double *u)
{
    for (int k = 0; k < 2 && data->op == SAL_OP_ADD; k++) {
        const sal_node_data *other = &graph->nodes.data[data->arg[1 - k]];
        if (sal_is_const(graph, data->arg[k], u) && other->op == SAL_OP_EXP) return other->arg[0];
    }
    return 0;
}

/* Adds power * (log b)' to the parts. */
static void find_log_parts(sal_graph *graph, sal_node b, double power, log_parts *parts)
{
    const sal_node_data data = graph->nodes.data[b];
    double              number;
    const sal_node      y = shifted_exp(graph, &data, &number);
    if (parts->count > MAX_PARTS || !data.kinds) return;
    parts->grows = parts->grows || y || data.op == SAL_OP_COSH || data.op == SAL_OP_EXP;
    if (y) { /* exp(y) / (u + exp(y)) = 1 / (1 + u exp(-y)) */
        const sal_node rest = Add(NUM(1.0), Mul(NUM(number), Fun(EXP, Neg(y))));
        add_part(parts, y, Div(NUM(power), rest));
    } else if (data.op == SAL_OP_MUL) {
        find_log_parts(graph, data.arg[0], power, parts);
        find_log_parts(graph, data.arg[1], power, parts);
    } else if (data.op == SAL_OP_POW && sal_is_const(graph, data.arg[1], &number))
        find_log_parts(graph, data.arg[0], power * number, parts);
    else if (data.op == SAL_OP_COSH)
        add_part(parts, data.arg[0], Mul(NUM(power), Fun(TANH, data.arg[0])));
    else if (data.op == SAL_OP_EXP) add_part(parts, data.arg[0], NUM(power));
    else add_part(parts, b, Div(NUM(power), b));
}

/* Returns how many arguments of a node are derived by the chain rule. If the logarithmic derivative
 * is used for b, this is only the first argument of a quotient a / b, and none of a negative power
 * of b; parts then contains the rest. */
static int usual_arguments(sal_graph *graph, sal_node node, log_parts *parts)
{
    const sal_node_data data = graph->nodes.data[node];
    double              power;
    *parts = (log_parts){0};
    const bool quotient = data.op == SAL_OP_DIV;
    if (quotient) find_log_parts(graph, data.arg[1], -1.0, parts);
    else if (data.op == SAL_OP_POW && sal_is_const(graph, data.arg[1], &power) && power < 0.0)
        find_log_parts(graph, data.arg[0], power, parts);
    if (parts->grows && parts->count <= MAX_PARTS) return quotient ? 1 : 0;
    parts->count = 0;
    return sal_op_arguments(data.op);
}

/* ---- whole graphs --------------------------------------------------------------------------- */

void sal_derive_along(sal_graph *graph, const sal_node *roots, int count,
                      sal_node (*seed)(void *, sal_graph *, int, int), void *context, sal_node *out)
{
    sal_graph_walk(graph, roots, count);
    sal_node *d = graph->walk.image; /* by node walked: its derivative */
    for (int i = 0; i < graph->walk.list.count && !graph->failed; i++) {
        const sal_node      node = graph->walk.list.data[i];
        const sal_node_data data = graph->nodes.data[node];
        if (data.op == SAL_OP_LEAF) d[node] = seed(context, graph, data.arg[0], data.arg[1]);
        log_parts parts;
        const int arguments = usual_arguments(graph, node, &parts);
        for (int k = 0; k < arguments; k++)
            if (d[data.arg[k]])
                d[node] = sal_sum(graph, d[node], chain(graph, node, k, d[data.arg[k]]));
        for (int k = 0; k < parts.count; k++)
            if (d[parts.of[k]])
                d[node] = sal_sum(graph, d[node], Mul(Mul(node, parts.factor[k]), d[parts.of[k]]));
    }
    for (int i = 0; i < count; i++) out[i] = graph->failed || !roots[i] ? 0 : d[roots[i]];
}

void sal_derive_back(sal_graph *graph, const sal_node *roots, const sal_node *weights, int count,
                     void (*found)(void *, int, int, sal_node), void *context)
{
    if (!sal_graph_walk(graph, roots, count)) return;
    sal_node *bar = graph->walk.image;
    const int nodes = graph->walk.list.count;
    for (int i = 0; i < count; i++)
        if (roots[i])
            bar[roots[i]] =
                sal_sum(graph, bar[roots[i]], weights ? weights[i] : sal_const(graph, 1.0));
    for (int i = nodes - 1; i >= 0 && !graph->failed; i--) {
        const sal_node      node = graph->walk.list.data[i];
        const sal_node_data data = graph->nodes.data[node];
        log_parts           parts;
        if (!bar[node]) continue;
        const int arguments = usual_arguments(graph, node, &parts);
        for (int k = 0; k < arguments; k++)
            if (graph->nodes.data[data.arg[k]].kinds)
                bar[data.arg[k]] =
                    sal_sum(graph, bar[data.arg[k]], chain(graph, node, k, bar[node]));
        for (int k = 0; k < parts.count; k++)
            bar[parts.of[k]] =
                sal_sum(graph, bar[parts.of[k]], Mul(Mul(node, parts.factor[k]), bar[node]));
    }
    for (int i = 0; i < nodes && !graph->failed; i++) {
        const sal_node      node = graph->walk.list.data[i];
        const sal_node_data data = graph->nodes.data[node];
        if (bar[node] && data.op == SAL_OP_LEAF)
            found(context, data.arg[0], data.arg[1], bar[node]);
    }
}

static sal_node seed_time(void *context, sal_graph *graph, int kind, int index)
{
    (void)context;
    switch (kind) {
    case SAL_LEAF_T: return sal_const(graph, 1.0);
    case SAL_LEAF_Q: return sal_leaf(graph, SAL_LEAF_V, index);
    case SAL_LEAF_V: return sal_leaf(graph, SAL_LEAF_A, index);
    default: return 0;
    }
}

void sal_derive_times(sal_graph *graph, const sal_node *roots, int count, sal_node *out)
{
    sal_derive_along(graph, roots, count, seed_time, NULL, out);
    for (int i = 0; i < count; i++)
        if (!out[i] && !graph->failed) out[i] = sal_const(graph, 0.0);
}

sal_node sal_derive_time(sal_graph *graph, sal_node root)
{
    sal_node out = 0;
    sal_derive_times(graph, &root, 1, &out);
    return out;
}
