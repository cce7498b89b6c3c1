/* Expressions of a model at points drawn at random, to test identities between them: on a copy of
 * the graph, so that what is derived for a test does not become part of the model. */
#ifndef SAL_COMPILE_SAMPLE_H
#define SAL_COMPILE_SAMPLE_H

#include "compile/system.h"

/* What an expression rests on, in the order of evaluation; itself comes last. */
typedef SAL_ARRAY(sal_node) sal_node_list;

typedef struct sal_sampler {
    const saltus_system *system;
    sal_graph            graph;
    unsigned long long   seed;
    long long            left;              /* operations that may still be computed */
    double              *value, *from, *to; /* by node: here, and at the ends of a line */
    int                  room;
    bool                 failed; /* out of memory */
} sal_sampler;

/* False when out of memory; is to be freed in any case. */
bool sal_sampler_init(sal_sampler *sampler, const saltus_system *system);
void sal_sampler_free(sal_sampler *sampler);

/* Lists what a node (null: nothing) rests on, and makes room for its values. */
bool sal_sample_list(sal_sampler *sampler, sal_node node, sal_node_list *list);
/* Draws values for the leaves of a list. Their size depends on the number of the trial. */
void sal_sample_leaves(sal_sampler *sampler, const sal_node_list *list, double *value, int trial);
/* The value of a node, from the values of its arguments; of a leaf, the value that was drawn. */
double sal_sample_value(const sal_sampler *sampler, sal_node node);
/* The value of what is listed. */
double sal_sample_all(sal_sampler *sampler, const sal_node_list *list);

/* Whether a leaf is the branch of a kink. */
bool sal_sample_is_branch(const sal_sampler *sampler, sal_node node);
/* The derivative of a node along a direction in which all leaves move but branches; null: zero. */
sal_node sal_sample_slope(sal_sampler *sampler, sal_node node);

#endif
