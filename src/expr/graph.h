/* The expression graph: nodes are shared (equal expressions are one node), never change, and come
 * after their arguments, so that ascending numbers are a topological order. Node 0 is null.
 *
 * Once memory has run out, the graph has failed permanently: every builder then returns null, and
 * null arguments give null. So graph->failed need only be checked once, at the end. */
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

/* The kinds of leaves, each with a name and a symbol for printing. T to P are the state,
 * accelerations, multipliers and parameters along the motion. Q_AFTER to PICK belong to events: the
 * state after the event, impulses, elements of tables. SOLVER and SOFTNESS are numbers of the
 * formulation of constraints, RUN are run constants, LITERAL numbers that differ between the terms
 * of a template, WEIGHT and WEIGHT_MU the test vector, BAR the weights of an adjoint. */
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

/* The numbers of the leaf SOLVER: 2 xi omega and omega^2 of the constraints, sensitivities.md (2),
 * and the speed below which contacts come to rest. */
enum { SAL_SOLVER_DAMPING, SAL_SOLVER_STIFFNESS, SAL_SOLVER_REST_SPEED, SAL_SOLVER_NUMBERS };

typedef struct sal_node_data {
    int      op;
    unsigned kinds; /* kinds of leaves that it depends on, one bit each (sal_kind_bit) */
    int      arg[3];
    double   value; /* CONST: the number; operations with sal_has_line: the script's line */
} sal_node_data;

/* A walk over the nodes that some roots depend on, arguments first. Its memory stays with the
 * graph, and only visited nodes are touched: a walk over a small expression in a large graph is
 * short. */
typedef struct sal_walk {
    int *stamp, *image; /* by node: the walk that visited it last; a number for the caller's use */
    int  capacity, now; /* room for nodes; number of the present walk */
    SAL_ARRAY(sal_node) list, stack; /* visited nodes, arguments first; nodes to be visited */
} sal_walk;

typedef struct sal_graph {
    saltus_allocator allocator;
    SAL_ARRAY(sal_node_data) nodes;
    int     *table; /* hash table of the nodes, with open addressing; 0 is empty */
    int      table_size;
    int      line; /* the script's line, stored in new nodes (sal_has_line) */
    bool     failed;
    bool     may_reround; /* builders may round differently: see canonical.h */
    int      limit;       /* largest number of nodes, 0: none */
    bool     limited;     /* failed because of limit */
    sal_walk walk;
} sal_graph;

void sal_graph_init(sal_graph *graph, const saltus_allocator *allocator);
void sal_graph_free(sal_graph *graph);
/* Copies a graph into an empty one, which has its own allocator. False when out of memory. */
bool sal_graph_copy(sal_graph *to, const sal_graph *from);
/* Changes the index of all leaves of a kind from i to index[i] (a permutation), in a graph that was
 * just copied. The caller must change all references to these leaves by index. */
void sal_graph_renumber(sal_graph *graph, int kind, const int *index);
/* Returns the number of allocated bytes. */
size_t sal_graph_bytes(const sal_graph *graph);

const char *sal_op_text(int op);
int         sal_op_arguments(int op);
/* Computes one operation. */
double sal_op_value(int op, double a, double b, double c);
/* Computes a^b as all of Saltus does: by multiplication for small integer exponents. */
double sal_power(double a, double b);
/* Computes the angle of (x, y), continued across the cut of atan2: from -7/8 to 9/8 of half a turn
 * if branch > 0, otherwise from -15/8 to 1/8. Both are smooth on both sides of the cut. */
double sal_angle(double y, double x, double branch);

/* Builders. They simplify only in ways that change no value (and no NaN), except for signs of
 * zeros: x/x remains x/x, and 0*x remains 0*x. */
sal_node sal_const(sal_graph *graph, double value);
sal_node sal_leaf(sal_graph *graph, int kind, int index);
sal_node sal_apply(sal_graph *graph, int op, sal_node a, sal_node b, sal_node c);
sal_node sal_add(sal_graph *graph, sal_node a, sal_node b);
sal_node sal_sub(sal_graph *graph, sal_node a, sal_node b);
sal_node sal_mul(sal_graph *graph, sal_node a, sal_node b);
sal_node sal_neg(sal_graph *graph, sal_node a);
/* Builds the operation without simplification. */
sal_node sal_raw(sal_graph *graph, int op, sal_node a, sal_node b, sal_node c);
/* Returns a + b, where null stands for a structural zero. */
sal_node sal_sum(sal_graph *graph, sal_node a, sal_node b);

bool sal_is_const(const sal_graph *graph, sal_node node, double *value);
bool sal_is_leaf(const sal_graph *graph, sal_node node, int *kind, int *index);
bool sal_is_kink(int op);
/* Whether two nodes are a - b and b - a. */
bool sal_is_mirror(const sal_graph *graph, sal_node a, sal_node b);
/* Whether nodes with this operation store their line: kinks, and operations with cuts or poles.
 * Equal expressions are one node, which has the line of the first. */
bool sal_has_line(int op);

/* Visits all nodes that the roots (null ones are skipped) depend on: lists them in
 * graph->walk.list, and sets their images to zero. Each walk replaces the previous one. False when
 * out of memory. */
bool sal_graph_walk(sal_graph *graph, const sal_node *roots, int count);
/* Whether the root depends on a leaf of this kind. */
bool sal_depends(const sal_graph *graph, sal_node root, int kind);
/* Whether the root depends on a leaf of any of these kinds (bits). */
bool sal_depends_on(const sal_graph *graph, sal_node root, unsigned kinds);
/* Returns the bit of a kind; all tangents share one bit. */
unsigned sal_kind_bit(int kind);

/* Rebuilds the roots with some nodes replaced. replace is called for each node with its arguments
 * already replaced, and returns its replacement, or null to keep it; a null replace keeps all. In a
 * graph that may reround, every node is built again. out may be roots. */
void sal_substitute(sal_graph *graph, const sal_node *roots, int count,
                    sal_node (*replace)(void *context, sal_graph *graph, sal_node node),
                    void *context, sal_node *out);

#endif
