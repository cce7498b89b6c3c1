/* Shared by the search for periodic motions and the continuation of families. */
#ifndef SAL_ANSWER_PERIODIC_H
#define SAL_ANSWER_PERIODIC_H

#include "answer/return_map.h"

struct saltus_periodic {
    sal_return_map         map;
    sal_arena              kept; /* memory of the result */
    saltus_periodic_result result;
};

/* Writes the scale of each unknown: its absolute value or, if that is (nearly) zero, the largest
 * one of the others. */
void sal_periodic_scales(const sal_return_map *map, double *scale);

/* Computes the eigenvalues of P_x, from the derivatives of the map (n x columns). Returns false if
 * that fails or memory runs out. */
bool sal_periodic_multipliers(const double *gradient, int n, int columns, double *re, double *im,
                              sal_arena *work);

/* saltus_periodic_find with one parameter (-1: none) at another value; without derivatives unless
 * `derives`. */
saltus_status sal_periodic_find(saltus_periodic *p, const double *params, int param, double value,
                                bool derives, saltus_error *err);

/* Returns the failure that ended a search. */
saltus_status sal_periodic_give_up(const sal_return_map *map, saltus_error *err);

#endif
