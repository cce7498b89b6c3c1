/* Finds the sign of an expression without computing its value. */
#ifndef SAL_EXPR_SIGN_H
#define SAL_EXPR_SIGN_H

#include "expr/graph.h"

/* Additional knowledge about signs. */
typedef struct sal_known_signs {
    const sal_node *nonpositive;                /* nodes that are known to be never positive */
    const sal_node *nonnegative;                /* nodes that are known to be never negative */
    int             nonpositives, nonnegatives; /* how many there are of each */
    bool kinks; /* signs of abs, min, max may be used. Their frozen branches have these signs
                 * only up to the end of the branch */
} sal_known_signs;

/* Whether a quick test can show that the node is never negative (where it has a value). known may
 * be NULL. */
bool sal_never_negative(const sal_graph *graph, sal_node node, const sal_known_signs *known);

#endif
