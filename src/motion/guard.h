/* Guards r(t, q, v, a, c, rho) at the state in a field, with total derivatives: where a guard
 * contains accelerations they are functions of the state. */
#ifndef SAL_MOTION_GUARD_H
#define SAL_MOTION_GUARD_H

#include "motion/field.h"

/* r and r' along the motion, of a guard without accelerations; r'' too if it is linear (system.h).
 */
static inline void sal_guard_along(const sal_field *field, const sal_event_system *event,
                                   const double *state, double out[3])
{
    sal_kernel_call(&event->along, field->u, state, NULL, 1, out, field->work);
}

/* r of one with accelerations, which were evaluated, and r' if rate is not NULL. du has layout.size
 * numbers that are zero at first and used for nothing else. */
double sal_guard_with_a(sal_field *field, const sal_event_system *event, double *rate, double *du);

/* The guard at a state (kernel.h), and dr/dt along the motion if rate is not NULL. Where the guard
 * contains a, the field must have been evaluated there and the state is field->u. */
static inline double sal_guard_value(sal_field *field, const sal_event_system *event,
                                     const double *state, double *rate, double *du)
{
    double out[3];
    if (event->guard_needs_a) return sal_guard_with_a(field, event, rate, du);
    sal_guard_along(field, event, state, out);
    if (rate) *rate = out[1];
    return out[0];
}

/* dr along du (t, q, v, c, rho in lanes; its a is overwritten). */
void sal_guard_tangent(sal_field *field, const sal_event_system *event, double *du, int lanes,
                       double *dr);

/* u_bar += r_bar dr/du at t, q, v, c, rho; scratch has n * lanes. */
void sal_guard_adjoint(sal_field *field, const sal_event_system *event, const double *r_bar,
                       int lanes, double *u_bar, double *scratch);

#endif
