/* The direct method carries one direction per parameter through the motion, the discrete adjoint
 * one per quantity that is differentiated; both carry up to SALTUS_TANGENTS at once and go through
 * the motion again for the rest.
 *
 * The numbers below are processor time in units of one forward run, measured with
 * `saltus gradient --repeat` on chains of 2, 5 and 20 masses and on the five-bar, with 1 to 16
 * directions; they differ by a third between mechanisms. A walk with one direction has kernels of
 * its own, those with more are computed eight at a time. They are constants on purpose: a choice by
 * the clock would not be the same in two equal runs. */
#include "api/auto.h"

typedef struct walk_cost {
    double one;           /* a walk with one direction */
    double several, each; /* with more: several + each * directions */
} walk_cost;

static const walk_cost forward = {2.3, 5.5, 0.45}, backward = {2.1, 5.4, 0.4};

static double block(walk_cost c, int lanes)
{
    return lanes == 0 ? 0.0 : lanes == 1 ? c.one : c.several + c.each * lanes;
}

static double total(walk_cost c, int directions)
{
    return directions / SALTUS_TANGENTS * block(c, SALTUS_TANGENTS) +
           block(c, directions % SALTUS_TANGENTS);
}

saltus_method sal_cheapest_method(int columns, int rows)
{
    return total(forward, columns) < total(backward, rows) ? SALTUS_DIRECT : SALTUS_DISCRETE;
}
