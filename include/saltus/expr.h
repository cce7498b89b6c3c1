/* Arithmetic on expressions: short names for saltus_apply.
 *
 *     saltus_expr energy = saltus_mul(m, mass, saltus_square(m, saltus_dot(m, x)));
 *
 * A null operand gives a null result. */
#ifndef SALTUS_EXPR_H
#define SALTUS_EXPR_H

#include "saltus/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* SALTUS_NONE stands for an expression that is left out, SALTUS_ALL_MODES for all modes. */
static const saltus_expr  SALTUS_NONE = {0};
static const saltus_modes SALTUS_ALL_MODES = {NULL, 0};

/* ---- operators ------------------------------------------------------------------------------ */

static inline saltus_expr saltus_add(saltus_model *model, saltus_expr a, saltus_expr b)
{
    return saltus_apply(model, SALTUS_ADD, a, b);
}

static inline saltus_expr saltus_sub(saltus_model *model, saltus_expr a, saltus_expr b)
{
    return saltus_apply(model, SALTUS_SUB, a, b);
}

static inline saltus_expr saltus_mul(saltus_model *model, saltus_expr a, saltus_expr b)
{
    return saltus_apply(model, SALTUS_MUL, a, b);
}

static inline saltus_expr saltus_div(saltus_model *model, saltus_expr a, saltus_expr b)
{
    return saltus_apply(model, SALTUS_DIV, a, b);
}

static inline saltus_expr saltus_pow(saltus_model *model, saltus_expr a, saltus_expr b)
{
    return saltus_apply(model, SALTUS_POW, a, b);
}

static inline saltus_expr saltus_neg(saltus_model *model, saltus_expr a)
{
    return saltus_apply(model, SALTUS_NEG, a, SALTUS_NONE);
}

static inline saltus_expr saltus_square(saltus_model *model, saltus_expr a)
{
    return saltus_mul(model, a, a);
}

/* factor * a, with a factor that is a plain number. */
static inline saltus_expr saltus_scale(saltus_model *model, double factor, saltus_expr a)
{
    return saltus_mul(model, saltus_number(model, factor), a);
}

/* ---- functions ------------------------------------------------------------------------------ */

static inline saltus_expr saltus_sin(saltus_model *model, saltus_expr a)
{
    return saltus_apply(model, SALTUS_SIN, a, SALTUS_NONE);
}

static inline saltus_expr saltus_cos(saltus_model *model, saltus_expr a)
{
    return saltus_apply(model, SALTUS_COS, a, SALTUS_NONE);
}

static inline saltus_expr saltus_tan(saltus_model *model, saltus_expr a)
{
    return saltus_apply(model, SALTUS_TAN, a, SALTUS_NONE);
}

static inline saltus_expr saltus_asin(saltus_model *model, saltus_expr a)
{
    return saltus_apply(model, SALTUS_ASIN, a, SALTUS_NONE);
}

static inline saltus_expr saltus_acos(saltus_model *model, saltus_expr a)
{
    return saltus_apply(model, SALTUS_ACOS, a, SALTUS_NONE);
}

static inline saltus_expr saltus_atan(saltus_model *model, saltus_expr a)
{
    return saltus_apply(model, SALTUS_ATAN, a, SALTUS_NONE);
}

static inline saltus_expr saltus_sinh(saltus_model *model, saltus_expr a)
{
    return saltus_apply(model, SALTUS_SINH, a, SALTUS_NONE);
}

static inline saltus_expr saltus_cosh(saltus_model *model, saltus_expr a)
{
    return saltus_apply(model, SALTUS_COSH, a, SALTUS_NONE);
}

static inline saltus_expr saltus_tanh(saltus_model *model, saltus_expr a)
{
    return saltus_apply(model, SALTUS_TANH, a, SALTUS_NONE);
}

static inline saltus_expr saltus_asinh(saltus_model *model, saltus_expr a)
{
    return saltus_apply(model, SALTUS_ASINH, a, SALTUS_NONE);
}

static inline saltus_expr saltus_erf(saltus_model *model, saltus_expr a)
{
    return saltus_apply(model, SALTUS_ERF, a, SALTUS_NONE);
}

static inline saltus_expr saltus_exp(saltus_model *model, saltus_expr a)
{
    return saltus_apply(model, SALTUS_EXP, a, SALTUS_NONE);
}

static inline saltus_expr saltus_log(saltus_model *model, saltus_expr a)
{
    return saltus_apply(model, SALTUS_LOG, a, SALTUS_NONE);
}

static inline saltus_expr saltus_sqrt(saltus_model *model, saltus_expr a)
{
    return saltus_apply(model, SALTUS_SQRT, a, SALTUS_NONE);
}

static inline saltus_expr saltus_abs(saltus_model *model, saltus_expr a)
{
    return saltus_apply(model, SALTUS_ABS, a, SALTUS_NONE);
}

static inline saltus_expr saltus_sign(saltus_model *model, saltus_expr a)
{
    return saltus_apply(model, SALTUS_SIGN, a, SALTUS_NONE);
}

static inline saltus_expr saltus_atan2(saltus_model *model, saltus_expr a, saltus_expr b)
{
    return saltus_apply(model, SALTUS_ATAN2, a, b);
}

static inline saltus_expr saltus_hypot(saltus_model *model, saltus_expr a, saltus_expr b)
{
    return saltus_apply(model, SALTUS_HYPOT, a, b);
}

static inline saltus_expr saltus_min(saltus_model *model, saltus_expr a, saltus_expr b)
{
    return saltus_apply(model, SALTUS_MIN, a, b);
}

static inline saltus_expr saltus_max(saltus_model *model, saltus_expr a, saltus_expr b)
{
    return saltus_apply(model, SALTUS_MAX, a, b);
}

#ifdef __cplusplus
}
#endif
#endif
