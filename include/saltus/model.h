/* A model: a hybrid mechanical system written in expressions.
 *
 * Every builder takes the model first. Expressions, modes and events are small handles passed by
 * value. A builder that failed returns the null handle (id 0), and one that is given it returns it.
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

/* A rigid body of the plane: its centre of mass and its angle, counter-clockwise. */
typedef struct saltus_body {
    saltus_expr x, y, angle;
} saltus_body;

/* ---- the model ------------------------------------------------------------------------------ */

/* A new, empty model; allocator NULL: malloc. NULL on failure. Free with saltus_model_free. */
SALTUS_API saltus_model *saltus_model_new(const saltus_allocator *allocator, saltus_error *err);
SALTUS_API void          saltus_model_free(saltus_model *model); /* NULL is fine */

/* The title, `model "name"` in a script. */
SALTUS_API void        saltus_model_set_name(saltus_model *model, const char *name);
SALTUS_API const char *saltus_model_name(const saltus_model *model);

/* The place (file and line of a script) that the following builder calls belong to. */
SALTUS_API void saltus_model_at(saltus_model *model, const char *file, int line);

/* The first mistake so far; its status is SALTUS_OK if there is none (SALTUS_ERR_ARGUMENT without a
 * model). Borrowed until the model is freed. */
SALTUS_API const saltus_error *saltus_model_error(const saltus_model *model);

/* Reports a mistake at the present place, printf-style. The first one is kept. */
SALTUS_API void saltus_model_fail(saltus_model *model, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Limits the number of operations in all expressions of the model; 0, the default: no limit. */
SALTUS_API void saltus_model_set_limit(saltus_model *model, int operations);
/* Limits what compiling the model may take, in bytes of memory and in visits of operations (some
 * ten nanoseconds each); 0, the default: no limit. A model made by a script has limits already. */
SALTUS_API void saltus_model_set_compile_limits(saltus_model *model, size_t memory,
                                                long long visits);

/* Bytes that the model uses at present (for limits on scripts). */
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
/* Fails (SALTUS_ERR_ARGUMENT) if an override was not used; suggests the nearest name. */
SALTUS_API saltus_status saltus_model_check_overrides(const saltus_model *model, saltus_error *err);

/* ---- symbols -------------------------------------------------------------------------------- */

/* Properties of a parameter besides its value. {0} is fine; texts may be NULL. */
typedef struct saltus_param_def {
    int         fixed; /* no gradient unless requested by name */
    int         has_lower, has_upper;
    double      lower, upper; /* checked when values are given */
    const char *unit, *doc;
} saltus_param_def;

typedef struct saltus_coordinate_def {
    saltus_expr start, speed; /* of parameters only; null: 0 */
    saltus_expr guess; /* instead of both: value and velocity are assembled from constraints */
    const char *unit, *doc;
} saltus_coordinate_def;

SALTUS_API saltus_expr saltus_number(saltus_model *model, double value);
SALTUS_API saltus_expr saltus_time(saltus_model *model);
SALTUS_API saltus_expr saltus_param(saltus_model *model, const char *name, double value,
                                    const saltus_param_def *def);
SALTUS_API saltus_expr saltus_coordinate(saltus_model *model, const char *name,
                                         const saltus_coordinate_def *def);
/* A first-order state: a filter, the integral of a controller, the current of a motor. */
typedef struct saltus_state_def {
    saltus_expr start; /* of parameters only; null: 0 */
    saltus_expr rate;  /* its time derivative in all modes; null: saltus_state_rate gives it */
    const char *unit, *doc;
} saltus_state_def;

/* A state s that moves with dot(s) = rate. It may stand where a velocity may, not where only
 * positions may (in potentials, constraints, masses); a reset may set it. */
SALTUS_API saltus_expr saltus_state(saltus_model *model, const char *name,
                                    const saltus_state_def *def);
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

/* The operations of expressions, with one argument or two. */
typedef enum saltus_op {
    SALTUS_NEG, /* -a */
    SALTUS_ADD, /* a + b */
    SALTUS_SUB, /* a - b */
    SALTUS_MUL, /* a * b */
    SALTUS_DIV, /* a / b */
    SALTUS_POW, /* a^b */
    SALTUS_SIN,
    SALTUS_COS,
    SALTUS_TAN,
    SALTUS_ASIN,
    SALTUS_ACOS,
    SALTUS_ATAN,
    SALTUS_ATAN2, /* the angle of (b, a), between -pi and pi */
    SALTUS_SINH,
    SALTUS_COSH,
    SALTUS_TANH,
    SALTUS_ERF,
    SALTUS_EXP,
    SALTUS_LOG,
    SALTUS_SQRT,
    SALTUS_HYPOT, /* sqrt(a^2 + b^2) */
    SALTUS_ABS,
    SALTUS_SIGN, /* -1, 0 or 1 */
    SALTUS_MIN,
    SALTUS_MAX,
    SALTUS_OPS /* their number */
} saltus_op;

/* Its name ("SIN"), what it is called in scripts ("sin"), how many arguments it takes; "" and 0 if
 * there is no such operation. */
SALTUS_API const char *saltus_op_name(saltus_op op);
SALTUS_API const char *saltus_op_text(saltus_op op);
SALTUS_API int         saltus_op_arguments(saltus_op op);

/* One operation; b is ignored (pass the null handle) where it takes one argument. */
SALTUS_API saltus_expr saltus_apply(saltus_model *model, saltus_op op, saltus_expr a,
                                    saltus_expr b);

/* The value of an operation on numbers, exactly as at run time; NaN if there is no such operation.
 */
SALTUS_API double saltus_apply_number(saltus_op op, double a, double b);

/* ---- steps and tables ----------------------------------------------------------------------- */

/* 0 for negative x, 1 for positive x. With a width, instead of a jump, (1 + tanh(x / width)) / 2;
 * null: a jump, which has an event of its own. */
SALTUS_API saltus_expr saltus_step(saltus_model *model, saltus_expr x, saltus_expr width);
/* 1 between from and to, 0 elsewhere. */
SALTUS_API saltus_expr saltus_pulse(saltus_model *model, saltus_expr x, saltus_expr from,
                                    saltus_expr to, saltus_expr width);
/* x less as many periods as make it lie between 0 and the period. With a width, the average of it
 * over the neighbourhood, with weights width / (pi (width^2 + s^2)) at the distance s. */
SALTUS_API saltus_expr saltus_mod(saltus_model *model, saltus_expr x, saltus_expr period,
                                  saltus_expr width);

typedef enum saltus_curve_kind {
    SALTUS_CURVE_LINEAR,
    SALTUS_CURVE_CUBIC, /* a spline whose second derivative is continuous, and zero at both ends */
    SALTUS_CURVE_PERIODIC /* a smooth spline around a period, from the first place to the last */
} saltus_curve_kind;

/* Beyond the ends of a table that is not periodic. */
typedef enum saltus_curve_ends {
    SALTUS_ENDS_HOLD,        /* the value at the end */
    SALTUS_ENDS_EXTRAPOLATE, /* a straight line with the slope at the end */
    SALTUS_ENDS_STOP         /* an event ends the run there */
} saltus_curve_ends;

/* The most places that a curve may have. */
enum { SALTUS_CURVE_PLACES = 1000 };

/* A table: its places increase; its values are numbers or expressions of parameters. Borrowed
 * during the call. */
typedef struct saltus_curve_def {
    const double      *x;
    const saltus_expr *y;
    int                count;
    saltus_curve_kind  kind;
    saltus_curve_ends  ends;
} saltus_curve_def;

/* The table as a function of x, any expression. Where it bends, there is an event. */
SALTUS_API saltus_expr saltus_curve(saltus_model *model, saltus_expr x,
                                    const saltus_curve_def *def);

/* Writes the expression as text, always terminated; returns the length it needs (like snprintf). */
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
/* This mode is active at the start instead of the first one of its group. */
SALTUS_API void saltus_mode_initial(saltus_model *model, saltus_mode mode);

/* The rate of a state declared before, of time, positions, velocities and states; those of several
 * modes add up. */
SALTUS_API void saltus_state_rate(saltus_model *model, saltus_expr state, saltus_expr rate,
                                  saltus_modes modes);

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
/* Psi(t, q, v) = 0, linear in velocities: a knife edge, a wheel that rolls. */
SALTUS_API void saltus_rolling(saltus_model *model, const char *name, saltus_expr psi,
                               saltus_modes modes);
/* Gives a constraint declared before its own positive penalty factor, instead of that of the
 * options. Only the penalty formulation uses it. */
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
/* Acts on all point masses, bodies and bars, also on those added later. Calls add up. */
SALTUS_API void saltus_gravity(saltus_model *model, saltus_expr gx, saltus_expr gy,
                               saltus_modes modes);

/* ---- bodies and joints ---------------------------------------------------------------------- */

typedef struct saltus_body_def {
    saltus_coordinate_def x, y, angle;
    saltus_expr           mass, inertia; /* both needed; the inertia is about the centre of mass */
} saltus_body_def;

/* Three coordinates, "name.x", "name.y" and "name.angle", with mass and inertia. */
SALTUS_API saltus_body  saltus_body_new(saltus_model *model, const char *name,
                                        const saltus_body_def *def);
SALTUS_API saltus_point saltus_body_centre(saltus_body body);
/* The point fixed in the body that is at (u, v) from its centre when its angle is 0. */
SALTUS_API saltus_point saltus_body_point(saltus_model *model, saltus_body body, saltus_expr u,
                                          saltus_expr v);

/* Joints are constraints; name NULL: made up. A line goes from p to q; its offset, null for 0, is
 * to the left. */

/* The points stay together: "name.x", "name.y". */
SALTUS_API void saltus_revolute(saltus_model *model, const char *name, saltus_point p,
                                saltus_point q, saltus_modes modes);
/* The points stay at that distance, as with a rod: "name". */
SALTUS_API void saltus_distance(saltus_model *model, const char *name, saltus_point p,
                                saltus_point q, saltus_expr length, saltus_modes modes);
/* The pin stays on the line: "name". */
SALTUS_API void saltus_slot(saltus_model *model, const char *name, saltus_point pin, saltus_point p,
                            saltus_point q, saltus_expr offset, saltus_modes modes);
/* The body slides along the line and keeps its angle to it, null for 0: "name.line" (its multiplier
 * is a force), "name.angle" (a torque). The body may also be turned by half a turn: it keeps the
 * orientation that it starts with. */
SALTUS_API void saltus_prismatic(saltus_model *model, const char *name, saltus_body body,
                                 saltus_point p, saltus_point q, saltus_expr angle,
                                 saltus_expr offset, saltus_modes modes);
/* b stays at (x, y) in the frame of a, turned by angle; each null for 0. a all null: the ground.
 * "name.x", "name.y", "name.angle". */
SALTUS_API void saltus_weld(saltus_model *model, const char *name, saltus_body a, saltus_body b,
                            saltus_expr x, saltus_expr y, saltus_expr angle, saltus_modes modes);

/* ---- what turns ----------------------------------------------------------------------------- */

/* The angle of the line from p to q to the x axis. Between -pi and pi: good for forces along it,
 * which only need its derivative, not for values across the cut. */
SALTUS_API saltus_expr saltus_direction_angle(saltus_model *model, saltus_point p, saltus_point q);
/* The angle at q from qp to qr, less rest (null for 0). Between -pi and pi: it jumps where the
 * angle differs from rest by half a turn. */
SALTUS_API saltus_expr saltus_corner_angle(saltus_model *model, saltus_point p, saltus_point q,
                                           saltus_point r, saltus_expr rest);
/* Potential stiffness (angle - rest)^2 / 2; rest null: 0. */
SALTUS_API void saltus_torsion_spring(saltus_model *model, saltus_expr angle, saltus_expr stiffness,
                                      saltus_expr rest, saltus_modes modes);
/* Dissipation damping dot(angle)^2 / 2. */
SALTUS_API void saltus_torsion_damper(saltus_model *model, saltus_expr angle, saltus_expr damping,
                                      saltus_modes modes);

/* Prescribed motion, u = position (usually a function of time), as a constraint. Its multiplier is
 * the force of the motor along u: positive where it drives u up. name NULL: made up. */
SALTUS_API void saltus_motor(saltus_model *model, const char *name, saltus_expr u,
                             saltus_expr position, saltus_modes modes);
/* The line from p to q has that angle; the multiplier is the torque on it. */
SALTUS_API void saltus_motor_direction(saltus_model *model, const char *name, saltus_point p,
                                       saltus_point q, saltus_expr angle, saltus_modes modes);

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
/* What happens if a guard is found beyond zero without having crossed it, where its mode is entered
 * or another event throws it there: the event fires at that instant, or waits for a crossing, with
 * a warning. By default events of contacts, and those with accelerations or multipliers in their
 * guards, fire; others wait. */
typedef enum saltus_enter {
    SALTUS_ENTER_DEFAULT,
    SALTUS_ENTER_FIRE,
    SALTUS_ENTER_WAIT
} saltus_enter;
SALTUS_API void saltus_event_enter(saltus_model *model, saltus_event event, saltus_enter enter);

/* An event of a clock: at start + phase + k period, k = 0, 1, ..., within the horizon; phase null:
 * the period. Both are numbers or expressions of parameters. It goes on like saltus_event_new. */
SALTUS_API saltus_event saltus_event_every(saltus_model *model, const char *name,
                                           saltus_expr period, saltus_expr phase, saltus_modes from,
                                           saltus_modes to);
/* An event that happens a delay after another one, which may be declared later; the delay is a
 * positive number or an expression of parameters. If the other one happens again before the delay
 * has passed, the run ends with SALTUS_EVENT_LIMIT and says so. */
SALTUS_API saltus_event saltus_event_after(saltus_model *model, const char *name, const char *after,
                                           saltus_expr delay, saltus_modes from, saltus_modes to);

/* ---- controls ------------------------------------------------------------------------------- */

/* How a control goes from node to node: constant on each piece; linear; a cubic, whose slope at a
 * node is that of the parabola through it and its neighbours (Catmull-Rom). */
typedef enum saltus_control_kind { SALTUS_HOLD, SALTUS_LINEAR, SALTUS_CUBIC } saltus_control_kind;

/* {0} but for nodes is fine. */
typedef struct saltus_control_def {
    saltus_control_kind kind;
    int                 nodes; /* how many pieces of equal length it has */
    int                 has_lower, has_upper;
    double              lower, upper; /* of all its parameters */
    double              start;        /* the value of all its parameters, */
    const double       *values;       /* or the value of each, if this is not NULL */
    const char         *from; /* the event that it begins with, which may be declared later; it
                                 is zero before that, and after its duration. NULL: it covers
                                 the horizon */
    saltus_expr duration;     /* an expression of parameters; with from only */
    const char *unit, *doc;
} saltus_control_def;

/* A function of time with free parameters: "name[0]", "name[1]", ..., one for each piece (HOLD), or
 * one for each node, of which there is one more. It may be used like a memory, and is an output of
 * that name. Nodes cost the end of a step each, and nothing that is evaluated along the motion
 * grows with their number. */
SALTUS_API saltus_expr saltus_control(saltus_model *model, const char *name,
                                      const saltus_control_def *def);

/* ---- contacts ------------------------------------------------------------------------------- */

/* What a contact touches: the distance from it, and the position along it. */
typedef struct saltus_surface {
    saltus_expr  gap;    /* of positions and time, >= 0 */
    saltus_expr  along;  /* null: nothing can be held on it */
    saltus_expr  radius; /* along is a length if this is null, else the angle on such a circle */
    saltus_expr  slip;   /* the velocity along it, linear in velocities; null: that of along */
    saltus_point at;     /* where the contact is drawn; null: nowhere */
    saltus_point normal, tangent; /* there: where the gap grows, and where along grows */
} saltus_surface;

/* Coulomb friction: the force is at most mu_static times the normal reaction while the contact
 * sticks, and mu_kinetic times the reaction while it slides. mu_kinetic null: the same. */
typedef struct saltus_friction {
    saltus_expr mu_static, mu_kinetic;
} saltus_friction;

/* Any gap. It is drawn if it is the distance of a point from a line along x or y. */
SALTUS_API saltus_surface saltus_surface_gap(saltus_model *model, saltus_expr gap);
/* The line through a and b, whose free side is to the left of a -> b; along is counted from a. */
SALTUS_API saltus_surface saltus_surface_line(saltus_model *model, saltus_point p, saltus_point a,
                                              saltus_point b);
/* A circle, from outside or from inside; turn is the angle of the body it belongs to, or null. */
SALTUS_API saltus_surface saltus_surface_circle(saltus_model *model, saltus_point p,
                                                saltus_point centre, saltus_expr turn,
                                                saltus_expr radius, int inside);

typedef struct saltus_contact_def {
    saltus_surface  surface;
    saltus_expr     restitution;   /* null: inelastic, closed from the first touch on */
    saltus_expr     settle;        /* a speed: slower than this it closes instead of bouncing */
    int             sticks;        /* 1: while closed, the contact stays where it closed */
    int             starts_closed; /* 1: closed at the start; 0: open */
    saltus_expr     place;         /* where it is held at the start, if it starts closed */
    saltus_modes    modes;         /* the contact exists in these modes only */
    saltus_friction friction;      /* both null: none; not together with sticks */
    int rests; /* with restitution: 1, it comes to rest after all its bounces; -1, it does not; 0,
                  it does if it has friction or starts closed, and has no settle */
} saltus_contact_def;

/* The modes and events of a contact; null where it has none (there are no modes with restitution
 * but without settle). */
typedef struct saltus_contact {
    const char  *name; /* borrowed until the model is freed */
    saltus_expr  gap;
    saltus_mode  open, closed;
    saltus_event touch, settle, leave;
} saltus_contact;

/* A unilateral contact. Events "name" (it touches), "name.settle", "name.leave"; a group "name" of
 * modes "name.open", "name.closed"; in the latter the constraints "name" (the gap, its multiplier
 * is negative while it pushes) and "name.hold", with the memory "name.place", if it sticks. It
 * opens where it no longer pushes. name NULL: made up. */
SALTUS_API saltus_contact saltus_contact_new(saltus_model *model, const char *name,
                                             const saltus_contact_def *def);
/* The contact touches only where the condition is positive. If the condition depends on positions
 * and time only, a closed contact opens where it falls through zero: event "name.edge". */
SALTUS_API void saltus_contact_where(saltus_model *model, saltus_contact contact,
                                     saltus_expr condition);
/* Adds to a cost when the contact touches or settles; impulse(name) is positive there. */
SALTUS_API void saltus_contact_charge(saltus_model *model, saltus_contact contact, const char *cost,
                                      saltus_expr charge);

/* Dry friction on a velocity, or on the rate of an expression of positions: the force is at most
 * limit.mu_static while it sticks, and limit.mu_kinetic while it slides. A group "name" of modes
 * "name.stick", "name.slide+", "name.slide-", of which the program finds the right one; events
 * "name.slip" and "name.stop"; the constraint "name", whose multiplier is the force. name NULL:
 * made up. */
SALTUS_API void saltus_friction_new(saltus_model *model, const char *name, saltus_expr of,
                                    saltus_friction limit, saltus_modes modes);

/* ---- what is measured ----------------------------------------------------------------------- */

/* integral (of t, q, v, a, c, rho) and final may each be null. */
SALTUS_API void saltus_cost(saltus_model *model, const char *name, saltus_expr integral,
                            saltus_expr final, const char *unit, const char *doc);
/* Adds the largest, or smallest, value that an expression (of t, q, v, a, multipliers, c, rho) has
 * anywhere along the motion to a cost, which is declared before: between events, at the start and
 * at the end, just before or just after an event. A cost has one such value. */
SALTUS_API void saltus_cost_max(saltus_model *model, const char *cost, saltus_expr of);
SALTUS_API void saltus_cost_min(saltus_model *model, const char *cost, saltus_expr of);
/* Adds values[k], of the motion at times[k], to a cost, for all k < count; the cost may be declared
 * later. Times are numbers, in any order, or expressions of parameters, which must ascend. At an
 * event the value is that before it. Values may differ from each other in numbers and parameters at
 * no cost: then they are one program. */
SALTUS_API void saltus_cost_at(saltus_model *model, const char *cost, const saltus_expr *times,
                               const saltus_expr *values, int count);
/* Keeps the value of an expression of the motion at these times, as in saltus_cost_at:
 * saltus_run_samples and saltus_run_sample_gradients return them. */
SALTUS_API void saltus_samples(saltus_model *model, const char *name, saltus_expr of,
                               const saltus_expr *times, int count);
/* Something that was measured: the value of an expression at times, or the times of an event.
 * Arrays are copied. */
typedef struct saltus_measurement_def {
    saltus_expr   of;    /* of the motion; null: an event */
    const double *at;    /* the times, which must not decrease */
    const char   *event; /* value[k] is the time of its occurrence number k, from 0 on; NULL: of */
    const double *value;
    int           count;
    const double *sigma;       /* standard deviations of the values */
    int           sigma_count; /* count, 1: the same for all, 0: not known */
} saltus_measurement_def;

/* What saltus_fit_find explains by parameters; a run does not depend on it. */
SALTUS_API void saltus_measurement(saltus_model *model, const char *name,
                                   const saltus_measurement_def *def);

/* The measurements so far. Everything is borrowed. */
typedef struct saltus_measurement_info {
    const char   *name;
    const char   *event; /* NULL: an expression */
    saltus_expr   of;
    const double *at, *value;
    const double *sigma; /* NULL: not known */
    int           count, line;
} saltus_measurement_info;
SALTUS_API int                     saltus_model_measurement_count(const saltus_model *model);
SALTUS_API saltus_measurement_info saltus_model_measurement(const saltus_model *model, int index);
/* The costs so far, in the order in which they were declared. Names are borrowed; "" if there is no
 * such cost. */
SALTUS_API int         saltus_model_cost_count(const saltus_model *model);
SALTUS_API const char *saltus_model_cost_name(const saltus_model *model, int index);
SALTUS_API void        saltus_output(saltus_model *model, const char *name, saltus_expr e,
                                     const char *unit, const char *doc);
/* periodic{[start] = final}: the motion repeats itself if the parameter `start`, which start values
 * are made of, has the value of `final` at the end. One call for each parameter; saltus/answer.h
 * finds such a motion. */
SALTUS_API void saltus_repeats(saltus_model *model, saltus_expr start, saltus_expr final);
/* From start to end (an expression of parameters). */
SALTUS_API void saltus_horizon(saltus_model *model, double start, saltus_expr end);

/* ---- what to optimise ----------------------------------------------------------------------- */

/* What an optimisation does where the sequence of events would change. */
typedef enum saltus_sequences {
    SALTUS_KEEP_SEQUENCE,   /* stay on this side, and tell what crossing is worth */
    SALTUS_FREE_SEQUENCE,   /* cross if the cost falls */
    SALTUS_SEARCH_SEQUENCES /* one optimum for each sequence that is found */
} saltus_sequences;

/* The range of a cost; infinite: no limit on that side; equal: an equation. */
typedef struct saltus_limit {
    const char *cost;
    double      lower, upper;
} saltus_limit;

enum { SALTUS_INTERVALS = 1000 };

/* Which method searches. NLopt and IPOPT are other programs' libraries, which may not be there. */
typedef enum saltus_engine {
    SALTUS_ENGINE_SQP,
    SALTUS_ENGINE_NLOPT,
    SALTUS_ENGINE_IPOPT
} saltus_engine;

/* What optimise{...} asks for. Names are looked up when it is used. */
typedef struct saltus_goal {
    const char        *minimise; /* the name of a cost; NULL: not said */
    const char *const *over;     /* names of parameters, or patterns such as "u*"; none: all that
                                    are not fixed */
    int                 over_count;
    const saltus_limit *limits;
    int                 limit_count;
    int                 starts; /* 0, 1: from the given values only; more: also from others,
                                   spread over the bounds */
    saltus_sequences sequences;
    int shooting; /* 0, 1: each motion is one run; more, up to SALTUS_INTERVALS: multiple shooting
                     with this many intervals, which options.threads share */
    saltus_engine engine;
} saltus_goal;

/* Sets the goal of the model; texts and lists are copied. */
SALTUS_API void saltus_model_set_goal(saltus_model *model, const saltus_goal *goal);

/* ---- names ---------------------------------------------------------------------------------- */

/* The name among `names` that is closest to `name`, or NULL if none is close. Borrowed from names.
 */
SALTUS_API const char *saltus_nearest(const char *name, const char *const *names, int count);
/* Whether the name matches the pattern, in which * stands for any characters: "u*". */
SALTUS_API int saltus_name_matches(const char *pattern, const char *name);

#ifdef __cplusplus
}
#endif
#endif
