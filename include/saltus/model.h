/* A model: a hybrid mechanical system written in expressions.
 *
 * Every builder takes the model first. Expressions, modes and events are small handles passed by
 * value; the null handle (id 0) goes in when something before failed, and a null handle comes out.
 * The first mistake is kept in the model, with the place it was made at (saltus_model_at), and is
 * reported by saltus_model_error and by saltus_system_compile. Texts are copied.
 *
 * Symbols as in docs/theory: coordinates q, velocities v = dot(q), accelerations a = ddot(q),
 * memories c, parameters rho, time t. */
#ifndef SALTUS_MODEL_H
#define SALTUS_MODEL_H

#include "saltus/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct saltus_model saltus_model;

/* Handles; id 0 is null. */
typedef struct saltus_expr {
    int id;
} saltus_expr;
typedef struct saltus_mode {
    int id;
} saltus_mode;
typedef struct saltus_event {
    int id;
} saltus_event;

/* A point of the plane: two expressions of positions. */
typedef struct saltus_point {
    saltus_expr x, y;
} saltus_point;

/* ---- the model ------------------------------------------------------------------------------ */

/* A new, empty model; allocator NULL: malloc. NULL on failure. Free with saltus_model_free. */
SALTUS_API saltus_model *saltus_model_new(const saltus_allocator *allocator, saltus_error *err);
SALTUS_API void          saltus_model_free(saltus_model *model); /* NULL is fine */

/* The title, `model "name"` in a script. */
SALTUS_API void        saltus_model_set_name(saltus_model *model, const char *name);
SALTUS_API const char *saltus_model_name(const saltus_model *model);

/* The place (file and line of a script) that the following builder calls belong to. */
SALTUS_API void saltus_model_at(saltus_model *model, const char *file, int line);

/* The first mistake so far; its status is SALTUS_OK if there is none. Borrowed until the model is
 * freed. */
SALTUS_API const saltus_error *saltus_model_error(const saltus_model *model);

/* Reports a mistake at the present place, printf-style. The first one is kept. */
SALTUS_API void saltus_model_fail(saltus_model *model, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* The operations that the model's expressions may have together; 0, as at first: any number. */
SALTUS_API void saltus_model_set_limit(saltus_model *model, int operations);

/* Bytes the model holds at present (for limits on scripts). */
SALTUS_API size_t saltus_model_bytes(const saltus_model *model);

/* Values given from outside (`--set`): parameters and settings declared later under this name start
 * with this value. Text is for settings only; pass text NULL for a number. */
SALTUS_API void saltus_model_override(saltus_model *model, const char *name, double value,
                                      const char *text);
/* The override of that name: 0 none, 1 a number, 2 a text. Marks it as used. */
SALTUS_API int saltus_model_find_override(saltus_model *model, const char *name, double *value,
                                          const char **text);
/* Notes a setting under its final value, for the record: shown, written to JSON. */
SALTUS_API void saltus_model_note_setting(saltus_model *model, const char *name, double value,
                                          const char *text);
/* Fails (SALTUS_ERR_ARGUMENT) if an override was used by nothing; offers the nearest name. */
SALTUS_API saltus_status saltus_model_check_overrides(const saltus_model *model, saltus_error *err);

/* ---- symbols -------------------------------------------------------------------------------- */

/* What is known of a name besides its value. {0} is fine; texts may be NULL. */
typedef struct saltus_param_def {
    int         fixed; /* no gradient unless asked for by name */
    int         has_lower, has_upper;
    double      lower, upper; /* checked when values are given */
    const char *unit, *doc;
} saltus_param_def;

typedef struct saltus_coordinate_def {
    saltus_expr start, speed; /* of parameters only; null: 0 */
    saltus_expr guess; /* assembled from constraints, with its velocity; not with the others */
    const char *unit, *doc;
} saltus_coordinate_def;

SALTUS_API saltus_expr saltus_number(saltus_model *model, double value);
SALTUS_API saltus_expr saltus_time(saltus_model *model);
SALTUS_API saltus_expr saltus_param(saltus_model *model, const char *name, double value,
                                    const saltus_param_def *def);
SALTUS_API saltus_expr saltus_coordinate(saltus_model *model, const char *name,
                                         const saltus_coordinate_def *def);
/* Constant between events, changed by a reset; start is of parameters only. */
SALTUS_API saltus_expr saltus_memory(saltus_model *model, const char *name, saltus_expr start);
/* dot(e): the total time derivative of an expression of t, q, v (memories are constant). */
SALTUS_API saltus_expr saltus_dot(saltus_model *model, saltus_expr e);
/* after(e): e with the state just after the event in place of the one before. Only in charges
 * and in resets of positions and memories. */
SALTUS_API saltus_expr saltus_after(saltus_model *model, saltus_expr e);
/* impulse(name): the contact impulse of the event's own restitution law. Only in charges. */
SALTUS_API saltus_expr saltus_impulse(saltus_model *model, const char *name);

/* ---- operations ----------------------------------------------------------------------------- */

/* One row per operation a user can write: symbol, arguments, name in scripts. */
#define SALTUS_OP_LIST(X)                                                                          \
    X(NEG, 1, "-")                                                                                 \
    X(ADD, 2, "+")                                                                                 \
    X(SUB, 2, "-")                                                                                 \
    X(MUL, 2, "*")                                                                                 \
    X(DIV, 2, "/")                                                                                 \
    X(POW, 2, "pow")                                                                               \
    X(SIN, 1, "sin")                                                                               \
    X(COS, 1, "cos")                                                                               \
    X(TAN, 1, "tan")                                                                               \
    X(ASIN, 1, "asin")                                                                             \
    X(ACOS, 1, "acos")                                                                             \
    X(ATAN, 1, "atan")                                                                             \
    X(ATAN2, 2, "atan2")                                                                           \
    X(SINH, 1, "sinh")                                                                             \
    X(COSH, 1, "cosh")                                                                             \
    X(TANH, 1, "tanh")                                                                             \
    X(EXP, 1, "exp")                                                                               \
    X(LOG, 1, "log")                                                                               \
    X(SQRT, 1, "sqrt")                                                                             \
    X(HYPOT, 2, "hypot")                                                                           \
    X(ABS, 1, "abs")                                                                               \
    X(SIGN, 1, "sign")                                                                             \
    X(MIN, 2, "min")                                                                               \
    X(MAX, 2, "max")

typedef enum saltus_op {
#define SALTUS_OP_ROW(name, args, text) SALTUS_##name,
    SALTUS_OP_LIST(SALTUS_OP_ROW)
#undef SALTUS_OP_ROW
} saltus_op;

/* One operation; b is ignored (pass the null handle) where it takes one argument. */
SALTUS_API saltus_expr saltus_apply(saltus_model *model, saltus_op op, saltus_expr a,
                                    saltus_expr b);

/* The same on numbers, exactly as expressions are computed at run time. */
SALTUS_API double saltus_apply_number(saltus_op op, double a, double b);

/* Writes the expression as text, always terminated; returns the length it wants (like snprintf). */
SALTUS_API size_t saltus_expr_print(const saltus_model *model, saltus_expr e, char *text,
                                    size_t size);

/* If e is a plain number (a literal), writes it and returns 1. */
SALTUS_API int saltus_expr_number(const saltus_model *model, saltus_expr e, double *value);

/* ---- terms ---------------------------------------------------------------------------------- */

/* A list of modes a term or event belongs to; count 0: all. In every group that the list mentions,
 * one of those mentioned must be active. Borrowed during the call. */
typedef struct saltus_modes {
    const saltus_mode *mode;
    int                count;
} saltus_modes;

/* The first mode of a group is active at the start; group NULL: the unnamed group. */
SALTUS_API saltus_mode saltus_mode_new(saltus_model *model, const char *name, const char *group);

SALTUS_API void saltus_kinetic(saltus_model *model, saltus_expr T, saltus_modes modes);
SALTUS_API void saltus_potential(saltus_model *model, saltus_expr U, saltus_modes modes);
SALTUS_API void saltus_dissipation(saltus_model *model, saltus_expr D, saltus_modes modes);
/* f works along u, an expression of positions: the generalised force is f du/dq. */
SALTUS_API void saltus_force(saltus_model *model, saltus_expr u, saltus_expr f, saltus_modes modes);
/* Kinetic energy m dot(u)^2 / 2. */
SALTUS_API void saltus_mass(saltus_model *model, saltus_expr u, saltus_expr m, saltus_modes modes);

/* Phi(t, q, rho) = 0; its multiplier has the sign of M a + Phi_q^T mu = F. */
SALTUS_API void saltus_constraint(saltus_model *model, const char *name, saltus_expr phi,
                                  saltus_modes modes);
/* A penalty factor of its own, positive, for a constraint declared before; otherwise it has that of
 * the options. Only the penalty formulation makes use of it. */
SALTUS_API void saltus_constraint_alpha(saltus_model *model, const char *name, double alpha);
/* The multiplier of a constraint declared before; 0 in modes where it is not active. */
SALTUS_API saltus_expr saltus_multiplier(saltus_model *model, const char *name);

/* ---- planar elements ------------------------------------------------------------------------ */

/* Two coordinates, "name.x" and "name.y". */
SALTUS_API saltus_point saltus_point_new(saltus_model *model, const char *name,
                                         const saltus_coordinate_def *x,
                                         const saltus_coordinate_def *y);
SALTUS_API void         saltus_point_mass(saltus_model *model, saltus_point p, saltus_expr m,
                                          saltus_modes modes);
SALTUS_API void         saltus_point_force(saltus_model *model, saltus_point p, saltus_expr fx,
                                           saltus_expr fy, saltus_modes modes);
SALTUS_API void         saltus_spring(saltus_model *model, saltus_point p, saltus_point q,
                                      saltus_expr stiffness, saltus_expr length, saltus_modes modes);
SALTUS_API void         saltus_damper(saltus_model *model, saltus_point p, saltus_point q,
                                      saltus_expr damping, saltus_modes modes);
/* A massless rod: |Q - P|^2 = length^2. name NULL: made up. */
SALTUS_API void saltus_rod(saltus_model *model, const char *name, saltus_point p, saltus_point q,
                           saltus_expr length, saltus_modes modes);
/* A uniform slender bar: a rod with its mass. */
SALTUS_API void saltus_bar(saltus_model *model, const char *name, saltus_point p, saltus_point q,
                           saltus_expr mass, saltus_expr length, saltus_modes modes);
/* Acts on all point masses and bars, also on those added later. Calls add up. */
SALTUS_API void saltus_gravity(saltus_model *model, saltus_expr gx, saltus_expr gy,
                               saltus_modes modes);

/* ---- events --------------------------------------------------------------------------------- */

typedef enum saltus_direction { SALTUS_ANY, SALTUS_RISING, SALTUS_FALLING } saltus_direction;

/* A new event: fires when the guard `when` (of t, q, v, a, c, rho) crosses zero in that direction,
 * in the modes `from`; then the modes `to` become active in their groups. Resets, conditions and
 * charges are added by the calls below. */
SALTUS_API saltus_event saltus_event_new(saltus_model *model, const char *name, saltus_expr when,
                                         saltus_direction direction, saltus_modes from,
                                         saltus_modes to);
/* A further condition: fires only if positive at the crossing. */
SALTUS_API void saltus_event_where(saltus_model *model, saltus_event event, saltus_expr condition);
/* target: a coordinate, a velocity dot(coordinate) or a memory; value: of the state before. */
SALTUS_API void saltus_event_set(saltus_model *model, saltus_event event, saltus_expr target,
                                 saltus_expr value);
/* Newton's impact law on the guard, which must be of positions, time, memories, parameters. */
SALTUS_API void saltus_event_restitution(saltus_model *model, saltus_event event, saltus_expr e);
/* Adds to a cost at the event; the cost may be declared later. */
SALTUS_API void saltus_event_charge(saltus_model *model, saltus_event event, const char *cost,
                                    saltus_expr charge);
/* Ends the run at the k-th occurrence, k >= 1, before its jump. */
SALTUS_API void saltus_event_stop(saltus_model *model, saltus_event event, int occurrence);

/* ---- what is measured ----------------------------------------------------------------------- */

/* integral (of t, q, v, a, c, rho) and final may each be null. */
SALTUS_API void saltus_cost(saltus_model *model, const char *name, saltus_expr integral,
                            saltus_expr final, const char *unit, const char *doc);
SALTUS_API void saltus_output(saltus_model *model, const char *name, saltus_expr e,
                              const char *unit, const char *doc);
/* From start to end (an expression of parameters). */
SALTUS_API void saltus_horizon(saltus_model *model, double start, saltus_expr end);

/* ---- names ---------------------------------------------------------------------------------- */

/* The name among `names` nearest to `name`, or NULL if none is near. Borrowed from names. */
SALTUS_API const char *saltus_nearest(const char *name, const char *const *names, int count);

#ifdef __cplusplus
}
#endif
#endif
