/* Arithmetic on expressions and on vectors of the plane, for what the elements are made of. A
 * vector is a saltus_point. */
#ifndef SAL_MECH_ALGEBRA_H
#define SAL_MECH_ALGEBRA_H

#include "saltus/model.h"

static inline saltus_expr add(saltus_model *model, saltus_expr a, saltus_expr b)
{
    return saltus_apply(model, SALTUS_ADD, a, b);
}

static inline saltus_expr sub(saltus_model *model, saltus_expr a, saltus_expr b)
{
    return saltus_apply(model, SALTUS_SUB, a, b);
}

static inline saltus_expr mul(saltus_model *model, saltus_expr a, saltus_expr b)
{
    return saltus_apply(model, SALTUS_MUL, a, b);
}

static inline saltus_expr over(saltus_model *model, saltus_expr a, saltus_expr b)
{
    return saltus_apply(model, SALTUS_DIV, a, b);
}

static inline saltus_expr neg(saltus_model *model, saltus_expr a)
{
    return saltus_apply(model, SALTUS_NEG, a, (saltus_expr){0});
}

/* A function of one argument. */
static inline saltus_expr of(saltus_model *model, saltus_op op, saltus_expr a)
{
    return saltus_apply(model, op, a, (saltus_expr){0});
}

/* e, or 0 where it is null. */
static inline saltus_expr or_zero(saltus_model *model, saltus_expr e)
{
    return e.id ? e : saltus_number(model, 0.0);
}

/* factor * e^2 / 2 */
static inline saltus_expr half_square(saltus_model *model, saltus_expr factor, saltus_expr e)
{
    return mul(model, mul(model, saltus_number(model, 0.5), factor), mul(model, e, e));
}

/* ---- vectors -------------------------------------------------------------------------------- */

/* From p to q. */
static inline saltus_point between(saltus_model *model, saltus_point p, saltus_point q)
{
    return (saltus_point){sub(model, q.x, p.x), sub(model, q.y, p.y)};
}

static inline saltus_expr inner(saltus_model *model, saltus_point a, saltus_point b)
{
    return add(model, mul(model, a.x, b.x), mul(model, a.y, b.y));
}

/* Positive if b is to the left of a. */
static inline saltus_expr cross(saltus_model *model, saltus_point a, saltus_point b)
{
    return sub(model, mul(model, a.x, b.y), mul(model, a.y, b.x));
}

static inline saltus_expr length_of(saltus_model *model, saltus_point a)
{
    return of(model, SALTUS_SQRT, inner(model, a, a));
}

/* The unit vector from p to q. */
static inline saltus_point direction(saltus_model *model, saltus_point p, saltus_point q)
{
    const saltus_point d = between(model, p, q);
    const saltus_expr  length = length_of(model, d);
    return (saltus_point){over(model, d.x, length), over(model, d.y, length)};
}

/* (cos angle, sin angle) */
static inline saltus_point towards(saltus_model *model, saltus_expr angle)
{
    return (saltus_point){of(model, SALTUS_COS, angle), of(model, SALTUS_SIN, angle)};
}

#endif
