/* What is known of the sign of an expression without computing it. */
#ifndef SAL_EXPR_SIGN_H
#define SAL_EXPR_SIGN_H

#include "expr/graph.h"

/* Nodes whose sign is known from elsewhere, and whether that of abs, min and max may be used: their
 * frozen branches have it only up to where the branch ends. */
typedef struct sal_known_signs {
    const sal_node *negative, *positive; /* never positive; never negative */
    int             negatives, positives;
    bool            kinks;
} sal_known_signs;

/* Whether the node is never below zero (where it has a value at all), as far as a quick test can
 * show. known may be NULL. */
bool sal_never_negative(const sal_graph *graph, sal_node node, const sal_known_signs *known);

#endif
