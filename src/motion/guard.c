/* Computes a guard with its rate, tangent and adjoint. Where the guard contains accelerations,
 * these are differentiated as well, with one more solve. See guard.h. */
#include "motion/guard.h"

#include <string.h>

/* Writes the direction of the motion: dt = 1, dq = v, dv = a. The rest of du is zero or unused. */
static void put_direction(const sal_field *field, double *du)
{
    const saltus_system *system = field->system;
    const size_t         bytes = (size_t)system->n * sizeof *du;
    du[system->layout.at[SAL_LEAF_T]] = 1.0;
    memcpy(du + system->layout.at[SAL_LEAF_Q], sal_u(field, SAL_LEAF_V), bytes);
    memcpy(du + system->layout.at[SAL_LEAF_V], sal_u(field, SAL_LEAF_A), bytes);
}

/* The event whose guard is added to that of this one; NULL: none. */
static const sal_compiled_event *joined(const sal_field *field, const sal_compiled_event *event)
{
    const int next = field->join ? field->join[event - field->system->event] : -1;
    return next < 0 ? NULL : &field->system->event[next];
}

double sal_guard_with_a(sal_field *field, const sal_compiled_event *event, double *rate, double *du)
{
    double sum = 0.0, r;
    for (const sal_compiled_event *e = event; e; e = joined(field, e)) {
        sal_map_value(&e->guard, field->u, &r, field->work);
        sum += r;
    }
    if (!rate) return sum;
    put_direction(field, du);
    sal_guard_tangent(field, event, du, 1, rate);
    return sum;
}

void sal_guard_tangent(sal_field *field, const sal_compiled_event *event, double *du, int lanes,
                       double *dr)
{
    if (event->guard_needs_a) sal_field_tangent(field, du, lanes, NULL);
    sal_map_tangent(&event->guard, field->u, du, lanes, dr, field->work);
    for (const sal_compiled_event *e = joined(field, event); e; e = joined(field, e)) {
        double more[SALTUS_TANGENTS];
        sal_map_tangent(&e->guard, field->u, du, lanes, more, field->work);
        for (int l = 0; l < lanes; l++) dr[l] += more[l];
    }
}

void sal_guard_adjoint(sal_field *field, const sal_compiled_event *event, const double *r_bar,
                       int lanes, double *u_bar, double *scratch)
{
    const size_t count = (size_t)(field->system->n * lanes);
    for (const sal_compiled_event *e = event; e; e = joined(field, e))
        sal_map_adjoint(&e->guard, field->u, r_bar, lanes, u_bar, field->work);
    if (event->guard_needs_a) {
        memset(scratch, 0, count * sizeof *scratch);
        sal_field_adjoint(field, scratch, NULL, lanes, u_bar);
    }
}
