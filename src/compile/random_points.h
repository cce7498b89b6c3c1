/* Evaluates expressions of a model at random points, to test identities between them. The tests use
 * a copy of the graph, so that nodes derived for a test do not become part of the model. */
#ifndef SAL_COMPILE_RANDOM_POINTS_H
#define SAL_COMPILE_RANDOM_POINTS_H

#include "compile/system.h"

/* The nodes that an expression depends on, in the order of evaluation, with itself at the end. */
typedef SAL_ARRAY(sal_node) sal_node_list;

typedef struct sal_point_sampler {
    const saltus_system *system;
    sal_graph            graph;
    unsigned long long   seed;
    long long            left;              /* the operations that may still be computed */
    double              *value, *from, *to; /* by node: the present value, and those at both ends of
                                             * a line */
    int  room;                              /* capacity of value, from and to, in nodes */
    bool failed;                            /* out of memory */
} sal_point_sampler;

/* False when out of memory. Call sal_point_sampler_free even then. */
bool sal_point_sampler_init(sal_point_sampler *sampler, const saltus_system *system);
void sal_point_sampler_free(sal_point_sampler *sampler);

/* Lists the nodes that a node depends on (null: none), and makes room for their values. False when
 * out of memory. */
bool sal_sample_list(sal_point_sampler *sampler, sal_node node, sal_node_list *list);
/* Draws random values for the leaves of a list, whose magnitude depends on the trial's number. */
void sal_sample_leaves(sal_point_sampler *sampler, const sal_node_list *list, double *value,
                       int trial);
/* Computes the value of a node from the values of its arguments; for a leaf, returns the value that
 * was drawn. */
double sal_sample_value(const sal_point_sampler *sampler, sal_node node);
/* Computes the values of all listed nodes, and returns that of the last one. */
double sal_sample_all(sal_point_sampler *sampler, const sal_node_list *list);

/* Whether a leaf is the branch of a kink. */
bool sal_sample_is_branch(const sal_point_sampler *sampler, sal_node node);
/* Derives a node along a direction in which all leaves but branches move; null: the derivative is
 * zero. */
sal_node sal_sample_slope(sal_point_sampler *sampler, sal_node node);

#endif
