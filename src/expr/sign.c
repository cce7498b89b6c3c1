/* Signs of expressions: see sign.h. */
#include "expr/sign.h"

enum { LOOKS = 400, FACTORS = 24 }; /* the most nodes visited, and factors of a product */

typedef struct look {
    const sal_graph       *graph;
    const sal_known_signs *known;
    int                    left;
} look;

static bool has_sign(look *l, sal_node node, double sign);

static bool listed(const sal_node *list, int count, sal_node node)
{
    for (int i = 0; i < count; i++)
        if (list[i] == node) return true;
    return false;
}

/* Whether the sign of the node, or of the reversed difference, is known. */
static bool is_known(const look *l, sal_node node, double sign)
{
    const sal_known_signs *known = l->known;
    if (!known) return false;
    const sal_node *same = sign > 0.0 ? known->nonnegative : known->nonpositive;
    const sal_node *other = sign > 0.0 ? known->nonpositive : known->nonnegative;
    const int       sames = sign > 0.0 ? known->nonnegatives : known->nonpositives;
    const int       others = sign > 0.0 ? known->nonpositives : known->nonnegatives;
    if (listed(same, sames, node)) return true;
    for (int i = 0; i < others; i++)
        if (sal_is_mirror(l->graph, other[i], node)) return true;
    return false;
}

/* The factors of a product; -1: too many. */
static int factors_of(const sal_graph *graph, sal_node node, sal_node *factor)
{
    int count = 1;
    factor[0] = node;
    for (int i = 0; i < count;) {
        const sal_node_data *data = &graph->nodes.data[factor[i]];
        if (data->op != SAL_OP_MUL) {
            i++;
            continue;
        }
        if (count == FACTORS) return -1;
        factor[i] = data->arg[0];
        factor[count++] = data->arg[1];
    }
    return count;
}

/* Whether a product has a sign: two equal factors are a square, and all other factors must have
 * known signs. */
static bool product_has_sign(look *l, sal_node node, double sign)
{
    sal_node  factor[FACTORS];
    const int count = factors_of(l->graph, node, factor);
    for (int i = 0; i < count; i++) {
        if (!factor[i]) continue;
        int k = i + 1;
        while (k < count && factor[k] != factor[i]) k++;
        if (k < count) {
            factor[k] = 0;
        } else if (has_sign(l, factor[i], -1.0)) {
            sign = -sign;
        } else if (!has_sign(l, factor[i], 1.0)) {
            return false;
        }
    }
    return count > 0 && sign > 0.0;
}

static bool kink_has_sign(look *l, const sal_node_data *data, double sign)
{
    if (!l->known || !l->known->kinks) return false;
    if (data->op == SAL_OP_ABS) return sign > 0.0;
    const bool one = (data->op == SAL_OP_MAX) == (sign > 0.0); /* one argument suffices */
    const bool first = has_sign(l, data->arg[0], sign);
    return one ? first || has_sign(l, data->arg[1], sign)
               : first && has_sign(l, data->arg[1], sign);
}

/* Whether sign * node is never negative. */
static bool has_sign(look *l, sal_node node, double sign)
{
    const sal_node_data *data = &l->graph->nodes.data[node];
    if (--l->left < 0) return false;
    if (is_known(l, node, sign)) return true;
    switch (data->op) {
    case SAL_OP_CONST: return sign * data->value >= 0.0;
    case SAL_OP_NEG: return has_sign(l, data->arg[0], -sign);
    case SAL_OP_ADD: return has_sign(l, data->arg[0], sign) && has_sign(l, data->arg[1], sign);
    case SAL_OP_SUB: return has_sign(l, data->arg[0], sign) && has_sign(l, data->arg[1], -sign);
    case SAL_OP_MUL: return product_has_sign(l, node, sign);
    case SAL_OP_DIV:
        return (has_sign(l, data->arg[0], sign) && has_sign(l, data->arg[1], 1.0)) ||
               (has_sign(l, data->arg[0], -sign) && has_sign(l, data->arg[1], -1.0));
    case SAL_OP_EXP:
    case SAL_OP_COSH:
    case SAL_OP_SQRT:
    case SAL_OP_HYPOT:
    case SAL_OP_SMOOTH_HYPOT:
    case SAL_OP_CLAMPED_POW:
    case SAL_OP_CLAMPED_SQRT: return sign > 0.0;
    case SAL_OP_POW: return sign > 0.0 && has_sign(l, data->arg[0], 1.0);
    case SAL_OP_ABS:
    case SAL_OP_MIN:
    case SAL_OP_MAX: return kink_has_sign(l, data, sign);
    default: return false;
    }
}

bool sal_never_negative(const sal_graph *graph, sal_node node, const sal_known_signs *known)
{
    look l = {graph, known, LOOKS};
    return node && has_sign(&l, node, 1.0);
}
