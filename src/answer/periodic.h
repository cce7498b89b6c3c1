/* What the search for periodic motions and the continuation of them share. */
#ifndef SAL_ANSWER_PERIODIC_H
#define SAL_ANSWER_PERIODIC_H

#include "answer/return_map.h"

struct saltus_periodic {
    sal_return_map         map;
    sal_arena              kept; /* what the result borrows */
    saltus_periodic_result result;
};

/* What changes of a parameter are compared with: its value, or if that is 0, those of the others.
 */
void sal_periodic_scales(const sal_return_map *map, double *scale);

/* The eigenvalues of P_x, from the derivatives of the map (n * columns). */
bool sal_periodic_multipliers(const double *gradient, int n, int columns, double *re, double *im,
                              sal_arena *work);

/* saltus_periodic_find, perhaps without derivatives, with one parameter (-1: none) at another
 * value. */
saltus_status sal_periodic_find(saltus_periodic *p, const double *params, int param, double value,
                                bool derives, saltus_error *err);

/* Passes up what ended a search for good. */
saltus_status sal_periodic_give_up(const sal_return_map *map, saltus_error *err);

#endif
