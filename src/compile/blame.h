/* Which part of a model has no value in a state: for messages. */
#ifndef SAL_COMPILE_BLAME_H
#define SAL_COMPILE_BLAME_H

#include "compile/system.h"

typedef struct sal_blame {
    int    line;
    char   text[80]; /* the operation */
    double argument; /* what it was given: the last of its arguments that varies */
    bool   slope;    /* it has a value, but no derivative */
} sal_blame;

/* Looks at all terms active in the regime, or at the integral of a cost (-1: none). state has t, q,
 * v, a, mu as u has, u the rest. False: nothing was found. */
bool sal_blame_find(const saltus_system *system, const sal_regime *regime, const double *state,
                    const double *u, int cost, sal_blame *blame);

#endif
