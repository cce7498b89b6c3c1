/* Finds the part of a model that has no value in a state, for messages. */
#ifndef SAL_COMPILE_BLAME_H
#define SAL_COMPILE_BLAME_H

#include "compile/system.h"

typedef struct sal_blame {
    int    line;     /* the script's line of the term or cost */
    char   text[80]; /* the operation as text */
    double argument; /* value of the argument that caused it: of a quotient the divisor, of other
                      * operations the first argument */
    bool slope;      /* the operation has a value, but no derivative */
} sal_blame;

/* Searches all terms that are active in the regime, or the integral of a cost (cost >= 0), for an
 * operation without a finite value or, in a term, without a derivative. state has t, q, v, a, mu at
 * the places of u; u has the rest. False if nothing was found, or when out of memory. */
bool sal_blame_find(const saltus_system *system, const sal_regime *regime, const double *state,
                    const double *u, int cost, sal_blame *blame);

#endif
