/* The expression graph: nodes are shared (equal expressions are one node), never change, and come
 * after their arguments, so that ascending numbers are a topological order. Node 0 is null.
 *
 * Running out of memory makes the graph fail for good; every builder then returns null, and null
 * arguments give null: check sal_graph_failed once, at the end. */
#ifndef SAL_EXPR_GRAPH_H
#define SAL_EXPR_GRAPH_H

#include <stdbool.h>

#include "base/memory.h"

typedef int sal_node;

typedef enum sal_op {
    SAL_OP_NULL,
    SAL_OP_CONST, /* value */
    SAL_OP_LEAF,  /* arg[0]: kind, arg[1]: index */
#define OP(name, ...) SAL_OP_##name,
#include "expr/ops.def"
#undef OP
    SAL_OP_COUNT
} sal_op;

/* What a leaf stands for: one row per kind, name and (for printing) symbol. The first block is the
 * state and what depends on it, the second belongs to jumps: the state after, impulses, elements of
 * tables. SOLVER and SOFTNESS are numbers of the formulation of constraints, RUN what is computed
 * once per run, WEIGHT and WEIGHT_MU the test vector. */
#define SAL_LEAF_LIST(X)                                                                           \
    X(T, "t")                                                                                      \
    X(Q, "q")                                                                                      \
    X(V, "v")                                                                                      \
    X(A, "a")                                                                                      \
    X(MU, "mu")                                                                                    \
    X(C, "c")                                                                                      \
    X(P, "rho")                                                                                    \
    X(Q_AFTER, "q+")                                                                               \
    X(V_AFTER, "v+")                                                                               \
    X(A_AFTER, "a+")                                                                               \
    X(MU_AFTER, "mu+")                                                                             \
    X(C_AFTER, "c+")                                                                               \
    X(V_LAW, "v*")                                                                                 \
    X(IMPULSE, "impulse")                                                                          \
    X(IMPULSE_MU, "impulse_mu")                                                                    \
    X(PICK, "pick")                                                                                \
    X(SOLVER, "solver")                                                                            \
    X(SOFTNESS, "softness")                                                                        \
    X(RUN, "run")                                                                                  \
    X(LITERAL, "literal")                                                                          \
    X(WEIGHT, "w")                                                                                 \
    X(WEIGHT_MU, "w_mu")                                                                           \
    X(BAR, "bar")

typedef enum sal_leaf_kind {
#define X(name, text) SAL_LEAF_##name,
    SAL_LEAF_LIST(X)
#undef X
        SAL_LEAF_KINDS,
    SAL_LEAF_STATE_KINDS = SAL_LEAF_SOLVER,    /* kinds that have a value and a tangent */
    SAL_LEAF_UNIFORM_KINDS = SAL_LEAF_LITERAL, /* kinds that have a value */
    SAL_LEAF_TANGENT = 32                      /* kind + this: the tangent of that leaf */
} sal_leaf_kind;

typedef struct sal_node_data {
    int      op;
    unsigned kinds; /* of leaves it rests on, one bit each (sal_kind_bit) */
    int      arg[3];
    double   value; /* CONST: the number; what sal_has_line names: the script's line */
} sal_node_data;

/* A walk over the nodes that some roots depend on, arguments first. Its memory stays with the
 * graph, and only visited nodes are touched: a walk over a small expression in a large graph is
 * short. */
typedef struct sal_walk {
    int *stamp, *image; /* by node: when it was walked last, and what an algorithm notes there */
    int  capacity, now;
    SAL_ARRAY(sal_node) list, stack;
} sal_walk;

typedef struct sal_graph {
    saltus_allocator allocator;
    SAL_ARRAY(sal_node_data) nodes;
    int     *table; /* open addressing, 0 is empty */
    int      table_size;
    int      line; /* the script's line, stored in new nodes whose operation has one */
    bool     failed;
    bool     loose;   /* builders may round differently: see canonical.h */
    int      limit;   /* largest number of nodes, 0: none */
    bool     limited; /* failed because of limit */
    sal_walk walk;
} sal_graph;

void sal_graph_init(sal_graph *graph, const saltus_allocator *allocator);
void sal_graph_free(sal_graph *graph);
/* Copies into an empty graph, which has its own allocator. */
bool sal_graph_copy(sal_graph *to, const sal_graph *from);
/* Leaves of this kind get other numbers, index[old] (a permutation), in a graph that was just
 * copied and that nothing refers to by these numbers yet. */
void sal_graph_renumber(sal_graph *graph, int kind, const int *index);
/* Bytes held. */
size_t sal_graph_bytes(const sal_graph *graph);

const char *sal_op_text(int op);
int         sal_op_arguments(int op);
/* The value of one operation. */
double sal_op_value(int op, double a, double b, double c);
/* a^b as Saltus computes it: small whole exponents by multiplication. */
double sal_power(double a, double b);
/* The angle of (x, y), from -7/8 to 9/8 of half a turn if the branch is positive, else from -15/8
 * to 1/8: both go smoothly over the cut of atan2, from either side. */
double sal_angle(double y, double x, double branch);

/* Builders. They simplify, but only in ways that leave every value (and every NaN) as it is; signs
 * of zeros apart. x/x stays x/x, and 0*x stays 0*x. */
sal_node sal_const(sal_graph *graph, double value);
sal_node sal_leaf(sal_graph *graph, int kind, int index);
sal_node sal_apply(sal_graph *graph, int op, sal_node a, sal_node b, sal_node c);
sal_node sal_add(sal_graph *graph, sal_node a, sal_node b);
sal_node sal_sub(sal_graph *graph, sal_node a, sal_node b);
sal_node sal_mul(sal_graph *graph, sal_node a, sal_node b);
sal_node sal_neg(sal_graph *graph, sal_node a);
/* The operation as it is, not simplified. */
sal_node sal_raw(sal_graph *graph, int op, sal_node a, sal_node b, sal_node c);
/* Adds b to a where null stands for a sum that is still empty (a structural zero). */
sal_node sal_sum(sal_graph *graph, sal_node a, sal_node b);

bool sal_is_const(const sal_graph *graph, sal_node node, double *value);
bool sal_is_leaf(const sal_graph *graph, sal_node node, int *kind, int *index);
bool sal_is_kink(int op);
/* Whether two nodes are a - b and b - a. */
bool sal_is_mirror(const sal_graph *graph, sal_node a, sal_node b);
/* Whether nodes with that operation know their line: kinks, and what has cuts or poles. Of equal
 * nodes, which are one, it is that of the first. */
bool sal_has_line(int op);

/* Walks from the roots (null ones are skipped): graph->walk.list, images zeroed. One walk at a
 * time. False when out of memory. */
bool sal_graph_walk(sal_graph *graph, const sal_node *roots, int count);
/* Whether the root rests on a leaf of that kind. */
bool sal_depends(const sal_graph *graph, sal_node root, int kind);
/* Whether it rests on leaves of these kinds (bits). */
bool sal_depends_on(const sal_graph *graph, sal_node root, unsigned kinds);
/* The bit of a kind; all tangents share one. */
unsigned sal_kind_bit(int kind);

/* The roots with leaves (and whatever else replace answers for) replaced; replace returns null to
 * keep a node, a null replace keeps all. In a loose graph every node is built again. out may be
 * roots. */
void sal_substitute(sal_graph *graph, const sal_node *roots, int count,
                    sal_node (*replace)(void *context, sal_graph *graph, sal_node node),
                    void *context, sal_node *out);

#endif
