/* Guards r(t, q, v, a, c, rho) at the state in a field, with total derivatives: accelerations in a
 * guard are functions of the state. */
#ifndef SAL_MOTION_GUARD_H
#define SAL_MOTION_GUARD_H

#include "motion/field.h"

/* Writes r and r' along the motion for a guard without accelerations, and r'' if the guard is
 * linear (system.h). */
static inline void sal_guard_along(const sal_field *field, const sal_compiled_event *event,
                                   const double *state, double out[3])
{
    sal_kernel_call(&event->along, field->u, state, NULL, 1, out, field->work);
}

/* Returns r of a guard with accelerations, at the state of the last evaluation, and writes r' if
 * rate is not NULL. du: scratch of layout.size numbers, zero at first and reserved for this
 * function. */
double sal_guard_with_a(sal_field *field, const sal_compiled_event *event, double *rate,
                        double *du);

/* Returns the guard at a state (kernel.h), and writes dr/dt along the motion if rate is not NULL.
 * If the guard contains accelerations, state must be field->u, evaluated. */
static inline double sal_guard_value(sal_field *field, const sal_compiled_event *event,
                                     const double *state, double *rate, double *du)
{
    double out[3];
    if (event->guard_needs_a) return sal_guard_with_a(field, event, rate, du);
    sal_guard_along(field, event, state, out);
    if (rate) *rate = out[1];
    return out[0];
}

/* Writes dr along du (t, q, v, c, rho in lanes); overwrites da in du. */
void sal_guard_tangent(sal_field *field, const sal_compiled_event *event, double *du, int lanes,
                       double *dr);

/* u_bar += r_bar dr/du at t, q, v, c, rho; scratch has n * lanes. */
void sal_guard_adjoint(sal_field *field, const sal_compiled_event *event, const double *r_bar,
                       int lanes, double *u_bar, double *scratch);

#endif
