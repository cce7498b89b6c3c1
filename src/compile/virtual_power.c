/* Writes the virtual power of each kind of term, along the motion and in the law of impacts: see
 * virtual_power.h. */
#include "compile/virtual_power.h"

#include "expr/derive.h"

/* A seed that turns leaves of one kind into another and, if requested, time into 1. */
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

static void add_constraint(sal_graph *graph, const sal_node *e, int constraint, unsigned which,
                           sal_node *H0, sal_node *HX, sal_node *law)
{
    const sal_node phi = e[0];
    const sal_node mu = sal_leaf(graph, SAL_LEAF_MU, constraint);
    const sal_node y_mu = sal_leaf(graph, SAL_LEAF_WEIGHT_MU, constraint);
    const sal_node push = along(graph, phi, SAL_LEAF_Q, SAL_LEAF_WEIGHT, false);
    const sal_node rate = along(graph, phi, SAL_LEAF_Q, SAL_LEAF_V, true);
    sal_node       bend = along(graph, rate, SAL_LEAF_Q, SAL_LEAF_V, true);
    if (which & SAL_DAMPED_TERMS) {
        bend = sal_sum(graph, bend,
                       times(graph, sal_leaf(graph, SAL_LEAF_SOLVER, SAL_SOLVER_DAMPING), rate));
        bend = sal_sum(graph, bend,
                       times(graph, sal_leaf(graph, SAL_LEAF_SOLVER, SAL_SOLVER_STIFFNESS), phi));
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
    const sal_node before = along(graph, phi, SAL_LEAF_Q, SAL_LEAF_V_LAW, true);
    *law = sal_sum(graph, *law, times(graph, times(graph, y_mu, e[1]), before));
}

/* Psi with the velocities after an event. */
static sal_node leaf_after(void *context, sal_graph *graph, sal_node node)
{
    int kind, index;
    (void)context;
    if (!sal_is_leaf(graph, node, &kind, &index) || kind != SAL_LEAF_V) return 0;
    return sal_leaf(graph, SAL_LEAF_V_AFTER, index);
}

static void add_rolling(sal_graph *graph, sal_node psi, int own, unsigned which, sal_node *H0,
                        sal_node *HX, sal_node *law)
{
    const sal_node mu = sal_leaf(graph, SAL_LEAF_MU, own);
    const sal_node y_mu = sal_leaf(graph, SAL_LEAF_WEIGHT_MU, own);
    const sal_node push = along(graph, psi, SAL_LEAF_V, SAL_LEAF_WEIGHT, false);
    sal_node       bend = along(graph, psi, SAL_LEAF_Q, SAL_LEAF_V, true), after = psi;
    if (which & SAL_DAMPED_TERMS)
        bend = sal_sum(graph, bend,
                       times(graph, sal_leaf(graph, SAL_LEAF_SOLVER, SAL_SOLVER_DAMPING), psi));
    *H0 = times(graph, y_mu, bend);
    *HX = sal_sum(graph, times(graph, mu, push),
                  times(graph, y_mu, along(graph, psi, SAL_LEAF_V, SAL_LEAF_A, false)));
    if (which & SAL_SOFT_TERMS)
        *HX = sal_sub(
            graph, *HX,
            sal_mul(graph, sal_leaf(graph, SAL_LEAF_SOFTNESS, own), sal_mul(graph, mu, y_mu)));
    sal_substitute(graph, &psi, 1, leaf_after, NULL, &after);
    *law = sal_sum(graph, times(graph, sal_leaf(graph, SAL_LEAF_IMPULSE_MU, own), push),
                   times(graph, y_mu, after));
}

/* The virtual power of the multiplier of friction, mu (y s_v) + y_mu (mu + k mu_N). kind: the kind
 * of the multipliers, MU along the motion or IMPULSE_MU in an impact. */
static sal_node slide(sal_graph *graph, sal_rows rows, int kind, sal_node push, sal_node k)
{
    const sal_node own = sal_leaf(graph, kind, rows.own);
    const sal_node normal = rows.normal >= 0 ? sal_leaf(graph, kind, rows.normal) : 0;
    return sal_sum(graph, times(graph, own, push),
                   times(graph, sal_leaf(graph, SAL_LEAF_WEIGHT_MU, rows.own),
                         sal_sum(graph, own, times(graph, k, normal))));
}

/* Adds sliding or rubbing friction. In KX, the gradient of the slip is in the row of the friction
 * instead of its column, so that it is in the lower triangle. */
static void add_sliding(sal_graph *graph, const sal_node *e, sal_rows rows, sal_node *H0,
                        sal_node *HX, sal_node *KX, sal_node *law)
{
    const sal_node y_mu = sal_leaf(graph, SAL_LEAF_WEIGHT_MU, rows.own);
    const sal_node push = along(graph, e[0], SAL_LEAF_V, SAL_LEAF_WEIGHT, false);
    if (rows.normal < 0) *H0 = minus(graph, times(graph, y_mu, e[1]));
    *HX = slide(graph, rows, SAL_LEAF_MU, push, e[1]);
    *KX =
        sal_sum(graph, *HX, times(graph, y_mu, along(graph, e[0], SAL_LEAF_V, SAL_LEAF_A, false)));
    *law = slide(graph, rows, SAL_LEAF_IMPULSE_MU, push, e[1]);
}

void sal_virtual_power_add(sal_graph *graph, sal_term_kind kind, const sal_node *e, sal_rows rows,
                           unsigned which, sal_virtual_power *s)
{
    sal_node H0 = 0, HX = 0, KX = 0, law = 0;
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
    case SAL_CONSTRAINT: add_constraint(graph, e, rows.own, which, &H0, &HX, &law); break;
    case SAL_ROLLING: add_rolling(graph, e[0], rows.own, which, &H0, &HX, &law); break;
    case SAL_SLIDING:
    case SAL_RUBBING: add_sliding(graph, e, rows, &H0, &HX, &KX, &law); break;
    case SAL_FIRST_ORDER:
        HX = law = times(graph, along(graph, e[0], SAL_LEAF_Q, SAL_LEAF_WEIGHT, false),
                         along(graph, e[0], SAL_LEAF_Q, SAL_LEAF_A, false));
        break;
    }
    s->H0 = sal_sum(graph, s->H0, H0);
    s->HX = sal_sum(graph, s->HX, HX);
    s->KX = sal_sum(graph, s->KX, KX ? KX : HX);
    s->law = sal_sum(graph, s->law, law);
}
