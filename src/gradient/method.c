/* The direct method carries one direction per parameter through the motion, the discrete adjoint
 * one per quantity that is differentiated: per cost, and per event where the times of events are
 * requested. Both carry up to SALTUS_TANGENTS at once and go through the motion again for the rest.
 *
 * The numbers below are processor times of complete gradients in units of one forward run, measured
 * on chains of 2, 5 and 20 masses and on the five-bar, with 1 to 16 directions. They vary by a
 * third between mechanisms, and for the direct method also between the first request and a repeated
 * one (sal_sens_note_request). Walks with one direction have kernels of their own; other directions
 * are computed four at a time. The number for two forward directions was measured when these had
 * kernels of their own, too: now two cost as much as four; the difference is within the variation
 * between mechanisms. The numbers are constants on purpose: a choice by measured times would not be
 * the same in two equal runs. */
#include "gradient/gradients.h"

enum { VECTOR = 4 };

typedef struct walk_cost {
    double one, two;   /* cost of a walk with one direction, with two */
    double four, more; /* cost with three or four, and of each further four */
} walk_cost;

static const walk_cost forward = {2.0, 2.3, 2.6, 1.4}, backward = {1.9, 2.6, 2.6, 1.4};

static double block(walk_cost c, int lanes)
{
    if (lanes <= 2) return lanes == 0 ? 0.0 : lanes == 1 ? c.one : c.two;
    return c.four + c.more * ((lanes - 1) / VECTOR);
}

static double total(walk_cost c, int directions)
{
    return directions / SALTUS_TANGENTS * block(c, SALTUS_TANGENTS) +
           block(c, directions % SALTUS_TANGENTS);
}

/* The cost of backward walks. Lanes of times first fill up the blocks of costs. Further blocks
 * begin at their last event: on average they go through half of the motion. */
static double backward_total(int costs, int times)
{
    const int lanes = costs + times;
    const int blocks = (costs + SALTUS_TANGENTS - 1) / SALTUS_TANGENTS;
    const int whole = lanes < blocks * SALTUS_TANGENTS ? lanes : blocks * SALTUS_TANGENTS;
    return total(backward, whole) + 0.5 * total(backward, lanes - whole);
}

saltus_method sal_cheapest_method(int params, int costs, int times)
{
    return total(forward, params) < backward_total(costs, times) ? SALTUS_DIRECT : SALTUS_DISCRETE;
}

bool sal_times_go_forward(int params, int costs, int times)
{
    return total(forward, params) + backward_total(costs, 0) < backward_total(costs, times);
}
