/* Vectors in the plane, for the elements. A vector is a saltus_point. */
#ifndef SAL_MECH_ALGEBRA_H
#define SAL_MECH_ALGEBRA_H

#include "saltus/expr.h"

/* e, or 0 where it is null. */
static inline saltus_expr or_zero(saltus_model *model, saltus_expr e)
{
    return e.id ? e : saltus_number(model, 0.0);
}

/* factor * e^2 / 2 */
static inline saltus_expr half_square(saltus_model *model, saltus_expr factor, saltus_expr e)
{
    return saltus_mul(model, saltus_mul(model, saltus_number(model, 0.5), factor),
                      saltus_mul(model, e, e));
}

/* ---- vectors -------------------------------------------------------------------------------- */

/* The vector from p to q. */
static inline saltus_point between(saltus_model *model, saltus_point p, saltus_point q)
{
    return (saltus_point){saltus_sub(model, q.x, p.x), saltus_sub(model, q.y, p.y)};
}

static inline saltus_expr inner(saltus_model *model, saltus_point a, saltus_point b)
{
    return saltus_add(model, saltus_mul(model, a.x, b.x), saltus_mul(model, a.y, b.y));
}

/* Positive if b is to the left of a. */
static inline saltus_expr cross(saltus_model *model, saltus_point a, saltus_point b)
{
    return saltus_sub(model, saltus_mul(model, a.x, b.y), saltus_mul(model, a.y, b.x));
}

static inline saltus_expr length_of(saltus_model *model, saltus_point a)
{
    return saltus_sqrt(model, inner(model, a, a));
}

/* The unit vector from p to q. */
static inline saltus_point direction(saltus_model *model, saltus_point p, saltus_point q)
{
    const saltus_point d = between(model, p, q);
    const saltus_expr  length = length_of(model, d);
    return (saltus_point){saltus_div(model, d.x, length), saltus_div(model, d.y, length)};
}

/* (cos angle, sin angle) */
static inline saltus_point towards(saltus_model *model, saltus_expr angle)
{
    return (saltus_point){saltus_cos(model, angle), saltus_sin(model, angle)};
}

#endif
