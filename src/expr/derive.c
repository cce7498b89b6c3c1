/* Symbolic derivatives, forward and reverse, from the partials in ops.def. */
#include "expr/derive.h"

#include <string.h>

/* Helpers that ops.def is written with: they need `graph` in scope. */
#define NONE 0
#define NUM(x) sal_const(graph, x)
#define Neg(x) sal_neg(graph, x)
#define Add(x, y) sal_add(graph, x, y)
#define Sub(x, y) sal_sub(graph, x, y)
#define Mul(x, y) sal_mul(graph, x, y)
#define Div(x, y) sal_apply(graph, SAL_OP_DIV, x, y, 0)
#define Pow(x, y) sal_apply(graph, SAL_OP_POW, x, y, 0)
#define Fun(op, x) sal_apply(graph, SAL_OP_##op, x, 0, 0)
#define Select(s, x, y) sal_apply(graph, SAL_OP_SELECT, s, x, y)

/* The partial derivative of node R by its argument. */
static sal_node partial(sal_graph *graph, sal_node R, int which)
{
    const sal_node_data data = graph->nodes.data[R];
    const sal_node      A = data.arg[0], B = data.arg[1];
    graph->line = sal_is_kink(data.op) ? (int)data.value : graph->line;
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

/* partial * d, keeping zeros structural. */
static sal_node chain(sal_graph *graph, sal_node node, int which, sal_node d)
{
    double         value;
    const sal_node p = partial(graph, node, which);
    if (sal_is_const(graph, p, &value) && value == 0.0) return 0;
    return sal_mul(graph, p, d);
}

/* Scratch: one node and one mark per node of the graph as it is now. */
typedef struct scratch {
    int            count;
    sal_node      *d;
    unsigned char *mark;
} scratch;

static bool scratch_get(sal_graph *graph, const sal_node *roots, int n, scratch *s)
{
    sal_node last = 0;
    for (int i = 0; i < n; i++) last = roots[i] > last ? roots[i] : last;
    s->count = last + 1;
    s->d = sal_resize(&graph->allocator, NULL, 0, (size_t)s->count * sizeof *s->d);
    s->mark = sal_resize(&graph->allocator, NULL, 0, (size_t)s->count);
    if (!s->d || !s->mark || graph->failed) {
        graph->failed = true;
        return false;
    }
    memset(s->d, 0, (size_t)s->count * sizeof *s->d);
    memset(s->mark, 0, (size_t)s->count);
    sal_reach(graph, roots, n, s->mark);
    return true;
}

static void scratch_release(sal_graph *graph, scratch *s)
{
    sal_resize(&graph->allocator, s->d, (size_t)s->count * sizeof *s->d, 0);
    sal_resize(&graph->allocator, s->mark, (size_t)s->count, 0);
}

void sal_derive_along(sal_graph *graph, const sal_node *roots, int count,
                      sal_node (*seed)(void *, sal_graph *, int, int), void *context,
                      sal_node *out)
{
    scratch s;
    if (scratch_get(graph, roots, count, &s)) {
        for (sal_node node = 1; node < s.count; node++) {
            if (!s.mark[node]) continue;
            const sal_node_data data = graph->nodes.data[node];
            if (data.op == SAL_OP_LEAF) s.d[node] = seed(context, graph, data.arg[0], data.arg[1]);
            for (int i = 0; i < sal_op_arguments(data.op); i++)
                if (s.d[data.arg[i]])
                    s.d[node] = sal_sum(graph, s.d[node], chain(graph, node, i, s.d[data.arg[i]]));
        }
    }
    for (int i = 0; i < count; i++) out[i] = graph->failed || !roots[i] ? 0 : s.d[roots[i]];
    scratch_release(graph, &s);
}

void sal_derive_back(sal_graph *graph, const sal_node *roots, const sal_node *weights, int count,
                     void (*found)(void *, int, int, sal_node), void *context)
{
    scratch s;
    if (scratch_get(graph, roots, count, &s)) {
        for (int i = 0; i < count; i++)
            if (roots[i])
                s.d[roots[i]] = sal_sum(graph, s.d[roots[i]],
                                        weights ? weights[i] : sal_const(graph, 1.0));
        for (sal_node node = s.count - 1; node > 0; node--) {
            if (!s.mark[node] || !s.d[node]) continue;
            const sal_node_data data = graph->nodes.data[node];
            for (int i = 0; i < sal_op_arguments(data.op); i++)
                if (data.arg[i] && graph->nodes.data[data.arg[i]].kinds)
                    s.d[data.arg[i]] =
                        sal_sum(graph, s.d[data.arg[i]], chain(graph, node, i, s.d[node]));
        }
        for (sal_node node = 1; node < s.count && !graph->failed; node++) {
            const sal_node_data data = graph->nodes.data[node];
            if (s.mark[node] && s.d[node] && data.op == SAL_OP_LEAF)
                found(context, data.arg[0], data.arg[1], s.d[node]);
        }
    }
    scratch_release(graph, &s);
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

sal_node sal_derive_time(sal_graph *graph, sal_node root)
{
    sal_node out = 0;
    sal_derive_along(graph, &root, 1, seed_time, NULL, &out);
    return out || graph->failed ? out : sal_const(graph, 0.0);
}
