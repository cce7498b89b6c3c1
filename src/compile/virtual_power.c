/* The scalars of terms: see virtual_power.h. */
#include "compile/virtual_power.h"

#include "expr/derive.h"

/* A seed that turns leaves of one kind into another and, if wanted, time into 1. */
typedef struct seed_rule {
    int  from, to;
    bool time;
} seed_rule;

static sal_node seed_by_rule(void *context, sal_graph *graph, int kind, int index)
{
    const seed_rule *rule = context;
    if (kind == rule->from) return sal_leaf(graph, rule->to, index);
    return rule->time && kind == SAL_LEAF_T ? sal_const(graph, 1.0) : 0;
}

static sal_node along(sal_graph *graph, sal_node root, int from, int to, bool time)
{
    seed_rule rule = {from, to, time};
    sal_node  out = 0;
    if (root) sal_derive_along(graph, &root, 1, seed_by_rule, &rule, &out);
    return out;
}

static sal_node minus(sal_graph *graph, sal_node node) { return node ? sal_neg(graph, node) : 0; }

static sal_node times(sal_graph *graph, sal_node a, sal_node b)
{
    return a && b ? sal_mul(graph, a, b) : 0;
}

/* constraint is the number of the term's constraint: local in a template. */
static void add_constraint(sal_graph *graph, sal_node phi, int constraint, unsigned which,
                           sal_node *H0, sal_node *HX, sal_node *law)
{
    const sal_node mu = sal_leaf(graph, SAL_LEAF_MU, constraint);
    const sal_node y_mu = sal_leaf(graph, SAL_LEAF_WEIGHT_MU, constraint);
    const sal_node push = along(graph, phi, SAL_LEAF_Q, SAL_LEAF_WEIGHT, false);
    const sal_node rate = along(graph, phi, SAL_LEAF_Q, SAL_LEAF_V, true);
    sal_node       bend = along(graph, rate, SAL_LEAF_Q, SAL_LEAF_V, true);
    if (which & SAL_DAMPED_TERMS) {
        bend = sal_sum(graph, bend, times(graph, sal_leaf(graph, SAL_LEAF_SOLVER, 0), rate));
        bend = sal_sum(graph, bend, times(graph, sal_leaf(graph, SAL_LEAF_SOLVER, 1), phi));
    }
    *H0 = times(graph, y_mu, bend);
    *HX = sal_sum(graph, times(graph, mu, push),
                  times(graph, y_mu, along(graph, phi, SAL_LEAF_Q, SAL_LEAF_A, false)));
    if (which & SAL_SOFT_TERMS)
        *HX = sal_sub(graph, *HX,
                      sal_mul(graph, sal_leaf(graph, SAL_LEAF_SOFTNESS, constraint),
                              sal_mul(graph, mu, y_mu)));
    *law = sal_sum(graph, times(graph, sal_leaf(graph, SAL_LEAF_IMPULSE_MU, constraint), push),
                   times(graph, y_mu, along(graph, phi, SAL_LEAF_Q, SAL_LEAF_V_AFTER, true)));
}

void sal_virtual_power_add(sal_graph *graph, sal_term_kind kind, const sal_node *e, int constraint,
                           unsigned which, sal_virtual_power *s)
{
    sal_node H0 = 0, HX = 0, law = 0;
    switch (kind) {
    case SAL_KINETIC: {
        const sal_node momentum = along(graph, e[0], SAL_LEAF_V, SAL_LEAF_WEIGHT, false);
        H0 = sal_sum(graph, along(graph, momentum, SAL_LEAF_Q, SAL_LEAF_V, true),
                     minus(graph, along(graph, e[0], SAL_LEAF_Q, SAL_LEAF_WEIGHT, false)));
        HX = law = along(graph, momentum, SAL_LEAF_V, SAL_LEAF_A, false);
        s->T = sal_sum(graph, s->T, e[0]);
        break;
    }
    case SAL_POTENTIAL:
        H0 = along(graph, e[0], SAL_LEAF_Q, SAL_LEAF_WEIGHT, false);
        s->U = sal_sum(graph, s->U, e[0]);
        break;
    case SAL_DISSIPATION: H0 = along(graph, e[0], SAL_LEAF_V, SAL_LEAF_WEIGHT, false); break;
    case SAL_FORCE: {
        const sal_node work = along(graph, e[0], SAL_LEAF_Q, SAL_LEAF_WEIGHT, false);
        H0 = work ? sal_neg(graph, sal_mul(graph, e[1], work)) : 0;
        break;
    }
    case SAL_CONSTRAINT: add_constraint(graph, e[0], constraint, which, &H0, &HX, &law); break;
    }
    s->H0 = sal_sum(graph, s->H0, H0);
    s->HX = sal_sum(graph, s->HX, HX);
    s->law = sal_sum(graph, s->law, law);
}
