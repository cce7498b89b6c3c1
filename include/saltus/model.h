/* A model: a hybrid mechanical system written in expressions.
 *
 * Every builder takes the model first. Expressions, modes and events are small handles passed by
 * value. A builder that fails returns the null handle (id 0); so does one that is given a null
 * handle. The model keeps the first mistake and its place (saltus_model_at), and saltus_model_error
 * and saltus_system_compile report it. Texts are copied.
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

/* Creates an empty model; allocator NULL: malloc. Returns NULL on failure. Free it with
 * saltus_model_free. */
SALTUS_API saltus_model *saltus_model_new(const saltus_allocator *allocator, saltus_error *err);
SALTUS_API void          saltus_model_free(saltus_model *model); /* NULL is fine */

/* Sets and returns the title, which is `model "name"` in a script. */
SALTUS_API void        saltus_model_set_name(saltus_model *model, const char *name);
SALTUS_API const char *saltus_model_name(const saltus_model *model);

/* Sets the place (file and line of a script) to which the following builder calls belong. */
SALTUS_API void saltus_model_at(saltus_model *model, const char *file, int line);

/* Returns the first mistake so far; its status is SALTUS_OK if there is none, and
 * SALTUS_ERR_ARGUMENT if model is NULL. Borrowed until the model is freed. */
SALTUS_API const saltus_error *saltus_model_error(const saltus_model *model);

/* Notes a mistake at the current place, with a message formatted like printf. Only the first
 * mistake is kept. */
SALTUS_API void saltus_model_fail(saltus_model *model, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Limits the number of operations in all expressions of the model; 0, the default: no limit. */
SALTUS_API void saltus_model_set_limit(saltus_model *model, int operations);
/* Limits the resources for compiling the model: bytes of memory, and visits of operations (about
 * ten nanoseconds each); 0, the default: no limit. A model made by a script already has limits. */
SALTUS_API void saltus_model_set_compile_limits(saltus_model *model, size_t memory,
                                                long long visits);

/* Returns the number of bytes that the model uses now (for limits on scripts). */
SALTUS_API size_t saltus_model_bytes(const saltus_model *model);

/* Overrides a value from outside (`--set`): a parameter or setting that is declared later under
 * this name gets this value. text is for settings only; NULL: the value is a number. */
SALTUS_API void saltus_model_override(saltus_model *model, const char *name, double value,
                                      const char *text);
/* Looks up the override of a name and marks it as used. Returns 0 if there is none, 1 if it is a
 * number, 2 if it is a text. */
SALTUS_API int saltus_model_find_override(saltus_model *model, const char *name, double *value,
                                          const char **text);
/* Notes the final value of a setting, to be shown and written to JSON. */
SALTUS_API void saltus_model_note_setting(saltus_model *model, const char *name, double value,
                                          const char *text);
/* Fails (SALTUS_ERR_ARGUMENT) if an override was not used; suggests the nearest name. */
SALTUS_API saltus_status saltus_model_check_overrides(const saltus_model *model, saltus_error *err);

/* ---- symbols -------------------------------------------------------------------------------- */

/* Properties of a parameter besides its value. All may be zero; texts may be NULL. */
typedef struct saltus_param_def {
    int         fixed; /* 1: derivatives by it only where it is requested by name */
    int         has_lower, has_upper;
    double      lower, upper; /* checked when values are given */
    const char *unit, *doc;
} saltus_param_def;

typedef struct saltus_coordinate_def {
    saltus_expr start, speed; /* initial value and velocity, expressions of parameters; null: 0 */
    saltus_expr guess; /* instead of both: an approximate initial value, from which the constraints
                          determine value and velocity */
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
    saltus_expr start; /* initial value, an expression of parameters; null: 0 */
    saltus_expr rate;  /* its time derivative in all modes; null: saltus_state_rate gives it */
    const char *unit, *doc;
} saltus_state_def;

/* Declares a state s with dot(s) = rate. It may be used where velocities may, but not where only
 * positions may (in potentials, constraints, masses). Resets may set it. */
SALTUS_API saltus_expr saltus_state(saltus_model *model, const char *name,
                                    const saltus_state_def *def);
/* Declares a memory: constant between events, changed by resets. start is an expression of
 * parameters. */
SALTUS_API saltus_expr saltus_memory(saltus_model *model, const char *name, saltus_expr start);
/* dot(e): the total time derivative of an expression of t, q, v (memories are constant). */
SALTUS_API saltus_expr saltus_dot(saltus_model *model, saltus_expr e);
/* after(e): e with the state just after the event in place of the one before. Only in charges
 * and in resets of positions and memories. */
SALTUS_API saltus_expr saltus_after(saltus_model *model, saltus_expr e);
/* impulse(name), only in charges of an event: the contact impulse of the event's own restitution
 * law, if the event has this name, or the impulse of the constraint with this name. */
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
    SALTUS_ASINH,
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

/* Return the name of an operation ("SIN"), its name in scripts ("sin"), and its number of
 * arguments; "" and 0 if there is no such operation. */
SALTUS_API const char *saltus_op_name(saltus_op op);
SALTUS_API const char *saltus_op_text(saltus_op op);
SALTUS_API int         saltus_op_arguments(saltus_op op);

/* Applies an operation; b is ignored (pass the null handle) if it takes only one argument. */
SALTUS_API saltus_expr saltus_apply(saltus_model *model, saltus_op op, saltus_expr a,
                                    saltus_expr b);

/* Returns the value of an operation on numbers, computed exactly as at run time; NaN if there is no
 * such operation. */
SALTUS_API double saltus_apply_number(saltus_op op, double a, double b);

/* ---- steps and tables ----------------------------------------------------------------------- */

/* 0 for negative x, 1 for positive x. width null: it jumps, which is an event of its own. With a
 * width it is smooth: (1 + tanh(x / width)) / 2. */
SALTUS_API saltus_expr saltus_step(saltus_model *model, saltus_expr x, saltus_expr width);
/* 1 between from and to, 0 elsewhere. */
SALTUS_API saltus_expr saltus_pulse(saltus_model *model, saltus_expr x, saltus_expr from,
                                    saltus_expr to, saltus_expr width);
/* x modulo the period: between 0 and the period. With a width, its average over the neighbourhood
 * of x, with the weight width / (pi (width^2 + s^2)) at the distance s. */
SALTUS_API saltus_expr saltus_mod(saltus_model *model, saltus_expr x, saltus_expr period,
                                  saltus_expr width);

typedef enum saltus_curve_kind {
    SALTUS_CURVE_LINEAR,
    SALTUS_CURVE_CUBIC,   /* a natural cubic spline: its second derivative is continuous, and zero
                             at both ends */
    SALTUS_CURVE_PERIODIC /* a periodic cubic spline; the period is from the first place to the
                             last */
} saltus_curve_kind;

/* The value of a table beyond its ends, unless it is periodic. */
typedef enum saltus_curve_ends {
    SALTUS_ENDS_HOLD,        /* the value at the end */
    SALTUS_ENDS_EXTRAPOLATE, /* a straight line with the slope at the end */
    SALTUS_ENDS_STOP         /* an event ends the run there */
} saltus_curve_ends;

/* The largest number of places in a table. */
enum { SALTUS_CURVE_PLACES = 1000 };

/* A table of places x, which increase, and values y, numbers or expressions of parameters. Arrays
 * are borrowed during the call. */
typedef struct saltus_curve_def {
    const double      *x;
    const saltus_expr *y;
    int                count;
    saltus_curve_kind  kind;
    saltus_curve_ends  ends;
} saltus_curve_def;

/* The table as a function of x, which may be any expression. Each bend of it is an event. */
SALTUS_API saltus_expr saltus_curve(saltus_model *model, saltus_expr x,
                                    const saltus_curve_def *def);

/* Writes the expression as text, always terminated. Returns the length of the whole text, like
 * snprintf. */
SALTUS_API size_t saltus_expr_print(const saltus_model *model, saltus_expr e, char *text,
                                    size_t size);

/* Returns 1 and writes the value if e is a literal number, else returns 0. */
SALTUS_API int saltus_expr_number(const saltus_model *model, saltus_expr e, double *value);

/* ---- terms ---------------------------------------------------------------------------------- */

/* The modes in which a term or event is active; count 0: all modes. With modes of several groups,
 * one of the listed modes must be active in each of these groups. Borrowed during the call. */
typedef struct saltus_modes {
    const saltus_mode *mode;
    int                count;
} saltus_modes;

/* Adds a mode to a group; group NULL: the unnamed group. The first mode of each group is active at
 * the start. */
SALTUS_API saltus_mode saltus_mode_new(saltus_model *model, const char *name, const char *group);
/* Makes this mode active at the start, instead of the first one of its group. */
SALTUS_API void saltus_mode_initial(saltus_model *model, saltus_mode mode);

/* Gives the rate of a state (saltus_state) in some modes: an expression of time, positions,
 * velocities and states. Several rates that are active in one mode add up. */
SALTUS_API void saltus_state_rate(saltus_model *model, saltus_expr state, saltus_expr rate,
                                  saltus_modes modes);

SALTUS_API void saltus_kinetic(saltus_model *model, saltus_expr T, saltus_modes modes);
SALTUS_API void saltus_potential(saltus_model *model, saltus_expr U, saltus_modes modes);
SALTUS_API void saltus_dissipation(saltus_model *model, saltus_expr D, saltus_modes modes);
/* A force f along u, an expression of positions: the generalised force is f du/dq. */
SALTUS_API void saltus_force(saltus_model *model, saltus_expr u, saltus_expr f, saltus_modes modes);
/* The kinetic energy m dot(u)^2 / 2. */
SALTUS_API void saltus_mass(saltus_model *model, saltus_expr u, saltus_expr m, saltus_modes modes);

/* The constraint Phi(t, q, rho) = 0. The sign of its multiplier mu is that of
 * M a + Phi_q^T mu = F. */
SALTUS_API void saltus_constraint(saltus_model *model, const char *name, saltus_expr phi,
                                  saltus_modes modes);
/* The constraint Psi(t, q, v) = 0, linear in velocities: a knife edge, a wheel that rolls. */
SALTUS_API void saltus_rolling(saltus_model *model, const char *name, saltus_expr psi,
                               saltus_modes modes);
/* Gives an existing constraint a positive penalty factor of its own, instead of that of the
 * options. Only the penalty formulation uses it. */
SALTUS_API void saltus_constraint_alpha(saltus_model *model, const char *name, double alpha);
/* The multiplier of an existing constraint; 0 in modes where the constraint is not active. */
SALTUS_API saltus_expr saltus_multiplier(saltus_model *model, const char *name);

/* ---- planar elements ------------------------------------------------------------------------ */

/* Declares a point with two coordinates, "name.x" and "name.y". */
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
/* A massless rod: the constraint |Q - P|^2 = length^2. name NULL: a name is made up. */
SALTUS_API void saltus_rod(saltus_model *model, const char *name, saltus_point p, saltus_point q,
                           saltus_expr length, saltus_modes modes);
/* A uniform slender bar: a rod with its mass. */
SALTUS_API void saltus_bar(saltus_model *model, const char *name, saltus_point p, saltus_point q,
                           saltus_expr mass, saltus_expr length, saltus_modes modes);
/* Gravity on all point masses, bodies and bars, including those that are added later. Several calls
 * add up. */
SALTUS_API void saltus_gravity(saltus_model *model, saltus_expr gx, saltus_expr gy,
                               saltus_modes modes);

/* ---- bodies and joints ---------------------------------------------------------------------- */

typedef struct saltus_body_def {
    saltus_coordinate_def x, y, angle;
    saltus_expr mass, inertia; /* both required; the inertia is about the centre of mass */
} saltus_body_def;

/* Declares a body with three coordinates, "name.x", "name.y" and "name.angle". */
SALTUS_API saltus_body  saltus_body_new(saltus_model *model, const char *name,
                                        const saltus_body_def *def);
SALTUS_API saltus_point saltus_body_centre(saltus_body body);
/* The point that is fixed in the body at (u, v), relative to its centre when its angle is 0. */
SALTUS_API saltus_point saltus_body_point(saltus_model *model, saltus_body body, saltus_expr u,
                                          saltus_expr v);

/* Joints are constraints; their names are given below. name NULL: a name is made up. Lines go from
 * p to q; an offset (null: 0) is to the left of the line. */

/* The points coincide: constraints "name.x" and "name.y". */
SALTUS_API void saltus_revolute(saltus_model *model, const char *name, saltus_point p,
                                saltus_point q, saltus_modes modes);
/* The points stay at this distance, as with a rod: constraint "name". */
SALTUS_API void saltus_distance(saltus_model *model, const char *name, saltus_point p,
                                saltus_point q, saltus_expr length, saltus_modes modes);
/* The pin stays on the line: constraint "name". */
SALTUS_API void saltus_slot(saltus_model *model, const char *name, saltus_point pin, saltus_point p,
                            saltus_point q, saltus_expr offset, saltus_modes modes);
/* The body slides along the line and keeps its angle to it (null: 0): constraints "name.line",
 * whose multiplier is a force, and "name.angle", whose multiplier is a torque. The body may also
 * start turned by 180 degrees; it keeps the orientation that it starts with. */
SALTUS_API void saltus_prismatic(saltus_model *model, const char *name, saltus_body body,
                                 saltus_point p, saltus_point q, saltus_expr angle,
                                 saltus_expr offset, saltus_modes modes);
/* Body b stays at (x, y) in the frame of body a, turned by angle (each null: 0): constraints
 * "name.x", "name.y" and "name.angle". a with null handles only: the ground. */
SALTUS_API void saltus_weld(saltus_model *model, const char *name, saltus_body a, saltus_body b,
                            saltus_expr x, saltus_expr y, saltus_expr angle, saltus_modes modes);

/* ---- what turns ----------------------------------------------------------------------------- */

/* The angle between the x axis and the line from p to q. It is between -pi and pi, and jumps at the
 * cut. Forces along it are right everywhere, since they need its derivative only. */
SALTUS_API saltus_expr saltus_direction_angle(saltus_model *model, saltus_point p, saltus_point q);
/* The angle at q from qp to qr, minus rest (null: 0). It is between -pi and pi, and jumps where the
 * angle differs from rest by 180 degrees. */
SALTUS_API saltus_expr saltus_corner_angle(saltus_model *model, saltus_point p, saltus_point q,
                                           saltus_point r, saltus_expr rest);
/* The potential stiffness (angle - rest)^2 / 2; rest null: 0. */
SALTUS_API void saltus_torsion_spring(saltus_model *model, saltus_expr angle, saltus_expr stiffness,
                                      saltus_expr rest, saltus_modes modes);
/* The dissipation damping dot(angle)^2 / 2. */
SALTUS_API void saltus_torsion_damper(saltus_model *model, saltus_expr angle, saltus_expr damping,
                                      saltus_modes modes);

/* Prescribes the motion u = position (usually a function of time) by a constraint. Its multiplier
 * is the force of the motor along u, positive where it drives u up. name NULL: a name is made up.
 */
SALTUS_API void saltus_motor(saltus_model *model, const char *name, saltus_expr u,
                             saltus_expr position, saltus_modes modes);
/* Prescribes the angle of the line from p to q; the multiplier is the torque on the line. */
SALTUS_API void saltus_motor_direction(saltus_model *model, const char *name, saltus_point p,
                                       saltus_point q, saltus_expr angle, saltus_modes modes);
/* Couples the rotations of two bodies by a constraint: ratio * a.angle + b.angle = angle. angle
 * null: the value at the start; in some modes only, the value with which they are entered (a
 * constraint of velocities). Angles count relative to the carrier of both bodies; a carrier with
 * null handles only is the ground. The ratio is a number or an expression of parameters, and
 * positive if the bodies turn in opposite directions. The multiplier is the torque on b; that on a
 * is ratio times as large. name NULL: a name is made up. */
SALTUS_API void saltus_gear(saltus_model *model, const char *name, saltus_body a, saltus_body b,
                            saltus_body carrier, saltus_expr ratio, saltus_expr angle,
                            saltus_modes modes);

/* ---- events --------------------------------------------------------------------------------- */

typedef enum saltus_direction { SALTUS_ANY, SALTUS_RISING, SALTUS_FALLING } saltus_direction;

/* A new event: fires when the guard `when` (of t, q, v, a, c, rho) crosses zero in that direction,
 * in the modes `from`; then the modes `to` become active in their groups. Resets, conditions and
 * charges are added by the calls below. */
SALTUS_API saltus_event saltus_event_new(saltus_model *model, const char *name, saltus_expr when,
                                         saltus_direction direction, saltus_modes from,
                                         saltus_modes to);
/* Adds a condition: the event fires only if it is positive at the crossing. */
SALTUS_API void saltus_event_where(saltus_model *model, saltus_event event, saltus_expr condition);
/* Adds a reset: the event gives target (a coordinate, a velocity dot(coordinate) or a memory) the
 * value of an expression of the state before the event. */
SALTUS_API void saltus_event_set(saltus_model *model, saltus_event event, saltus_expr target,
                                 saltus_expr value);
/* Gives the event Newton's impact law with the coefficient e. The guard must be an expression of
 * positions, time, memories and parameters. */
SALTUS_API void saltus_event_restitution(saltus_model *model, saltus_event event, saltus_expr e);
/* Adds a charge to a cost each time the event happens; the cost may be declared later. */
SALTUS_API void saltus_event_charge(saltus_model *model, saltus_event event, const char *cost,
                                    saltus_expr charge);
/* Ends the run at this occurrence of the event (1: the first), before its jump. */
SALTUS_API void saltus_event_stop(saltus_model *model, saltus_event event, int occurrence);
/* What an event does if its guard is beyond zero without having crossed it, because its mode is
 * entered or because another event moved the guard: it fires at that instant, or it waits for a
 * crossing, with a warning. By default, events of contacts and events with accelerations or
 * multipliers in their guards fire; others wait. */
typedef enum saltus_enter {
    SALTUS_ENTER_DEFAULT,
    SALTUS_ENTER_FIRE,
    SALTUS_ENTER_WAIT
} saltus_enter;
SALTUS_API void saltus_event_enter(saltus_model *model, saltus_event event, saltus_enter enter);

/* A periodic event, at the times start + phase + k period, k = 0, 1, ..., within the horizon; phase
 * null: the period. Both are numbers or expressions of parameters; from and to are those of
 * saltus_event_new. */
SALTUS_API saltus_event saltus_event_every(saltus_model *model, const char *name,
                                           saltus_expr period, saltus_expr phase, saltus_modes from,
                                           saltus_modes to);
/* An event that follows the event `after`, which may be declared later, with a delay: a positive
 * number or an expression of parameters. If `after` happens again before the delay has passed, the
 * run ends with SALTUS_EVENT_LIMIT and a message. */
SALTUS_API saltus_event saltus_event_after(saltus_model *model, const char *name, const char *after,
                                           saltus_expr delay, saltus_modes from, saltus_modes to);

/* ---- controls ------------------------------------------------------------------------------- */

/* The interpolation of a control between its nodes: constant on each piece; linear; or cubic, with
 * the slope at a node of the parabola through the node and its neighbours (Catmull-Rom). */
typedef enum saltus_control_kind { SALTUS_HOLD, SALTUS_LINEAR, SALTUS_CUBIC } saltus_control_kind;

/* What a control is. Everything but nodes may be zero. */
typedef struct saltus_control_def {
    saltus_control_kind kind;
    int                 nodes; /* the number of pieces, which have equal lengths */
    int                 has_lower, has_upper;
    double              lower, upper; /* bounds of all its parameters */
    double              start;        /* value of all its parameters, unless values are given */
    const double       *values;       /* value of each of its parameters; NULL: start */
    const char         *from; /* the event with which it begins, which may be declared later; the
                                 control is zero before this event and after the duration. NULL:
                                 it covers the horizon */
    saltus_expr duration;     /* an expression of parameters; only together with from */
    const char *unit, *doc;
} saltus_control_def;

/* Declares a function of time with free parameters "name[0]", "name[1]", ...: one for each piece
 * (SALTUS_HOLD), or one for each end of a piece, which is one more. It may be used like a memory,
 * and is an output of this name. A step of the integration ends at each node; otherwise the cost of
 * a simulation does not grow with their number. */
SALTUS_API saltus_expr saltus_control(saltus_model *model, const char *name,
                                      const saltus_control_def *def);

/* ---- contacts ------------------------------------------------------------------------------- */

/* What a contact touches: the distance from it, and the position along it. */
typedef struct saltus_surface {
    saltus_expr  gap;    /* distance, >= 0, an expression of positions and time */
    saltus_expr  along;  /* position along the surface; null: a contact cannot stick to it */
    saltus_expr  radius; /* null: along is a length; else along is an angle on this radius */
    saltus_expr  slip;   /* sliding velocity, linear in velocities; null: the rate of along */
    saltus_point at;     /* place where the contact is drawn; null: it is not drawn */
    saltus_point normal, tangent; /* at this place, the directions in which gap and along grow */
} saltus_surface;

/* Coulomb friction: the force is at most mu_static times the normal reaction while the contact
 * sticks, and mu_kinetic times the reaction while it slides. mu_kinetic null: mu_static. */
typedef struct saltus_friction {
    saltus_expr mu_static, mu_kinetic;
} saltus_friction;

/* A surface given by any gap. It is drawn if the gap is the distance of a point from a line along x
 * or y. */
SALTUS_API saltus_surface saltus_surface_gap(saltus_model *model, saltus_expr gap);
/* The line through a and b for the point p; its free side is to the left of a -> b, and along is
 * measured from a. */
SALTUS_API saltus_surface saltus_surface_line(saltus_model *model, saltus_point p, saltus_point a,
                                              saltus_point b);
/* A circle that the point p touches from outside or from inside; turn is the angle of the body to
 * which the circle belongs, or null. */
SALTUS_API saltus_surface saltus_surface_circle(saltus_model *model, saltus_point p,
                                                saltus_point centre, saltus_expr turn,
                                                saltus_expr radius, int inside);

typedef struct saltus_contact_def {
    saltus_surface  surface;
    saltus_expr     restitution;   /* null: inelastic, closed from the first touch on */
    saltus_expr     settle;        /* impact speed below which it closes instead of bouncing */
    int             sticks;        /* 1: while closed, the contact stays where it closed */
    int             starts_closed; /* 1: closed at the start; 0: open */
    saltus_expr     place;    /* if it sticks and starts closed: its position along the surface */
    saltus_modes    modes;    /* the contact exists in these modes only */
    saltus_friction friction; /* both null: none; not together with sticks */
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

/* Declares a unilateral contact: events "name" (it touches), "name.settle" and "name.leave"; a
 * group "name" with the modes "name.open" and "name.closed". While it is closed, the constraint
 * "name" keeps the gap zero (its multiplier is negative while the contact pushes); if the contact
 * sticks, "name.hold" keeps its position along the surface at the memory "name.place". It opens
 * when it no longer pushes. name NULL: a name is made up. */
SALTUS_API saltus_contact saltus_contact_new(saltus_model *model, const char *name,
                                             const saltus_contact_def *def);
/* Adds a condition: the contact can touch only where it is positive. If the condition depends on
 * positions and time only, a closed contact opens when the condition falls through zero: event
 * "name.edge". */
SALTUS_API void saltus_contact_where(saltus_model *model, saltus_contact contact,
                                     saltus_expr condition);
/* Adds a charge to a cost when the contact touches or settles; impulse(name) is positive there. */
SALTUS_API void saltus_contact_charge(saltus_model *model, saltus_contact contact, const char *cost,
                                      saltus_expr charge);

/* Dry friction on a velocity, or on the rate of an expression of positions: the force is at most
 * limit.mu_static while it sticks, and limit.mu_kinetic while it slides. It has a group "name" with
 * the modes "name.stick", "name.slide+" and "name.slide-", of which the run finds the right one;
 * events "name.slip" and "name.stop"; and the constraint "name", whose multiplier is the force.
 * name NULL: a name is made up. */
SALTUS_API void saltus_friction_new(saltus_model *model, const char *name, saltus_expr of,
                                    saltus_friction limit, saltus_modes modes);

/* ---- what is measured ----------------------------------------------------------------------- */

/* Declares a cost: the integral of an expression of t, q, v, a, c and rho, plus the value of
 * another one at the end. Either may be null. */
SALTUS_API void saltus_cost(saltus_model *model, const char *name, saltus_expr integral,
                            saltus_expr final, const char *unit, const char *doc);
/* Adds to an existing cost the largest, or smallest, value of an expression (of t, q, v, a,
 * multipliers, c, rho) along the motion: between events, at the start or the end, just before or
 * just after an event. A cost may have one such value. */
SALTUS_API void saltus_cost_max(saltus_model *model, const char *cost, saltus_expr of);
SALTUS_API void saltus_cost_min(saltus_model *model, const char *cost, saltus_expr of);
/* Adds values[k], evaluated at times[k], to a cost, for all k < count; the cost may be declared
 * later. Times are numbers, in any order, or expressions of parameters, which must ascend. At an
 * event, values are those before it. Values that differ only in their numbers and parameters share
 * one program. */
SALTUS_API void saltus_cost_at(saltus_model *model, const char *cost, const saltus_expr *times,
                               const saltus_expr *values, int count);
/* Samples an expression at these times, which obey the rules of saltus_cost_at. saltus_run_samples
 * returns the values, saltus_run_sample_gradients their derivatives. */
SALTUS_API void saltus_samples(saltus_model *model, const char *name, saltus_expr of,
                               const saltus_expr *times, int count);
/* Measured data: values of an expression at given times, or the times of an event. Arrays are
 * copied. */
typedef struct saltus_measurement_def {
    saltus_expr   of;    /* the expression that was measured; null: event is given */
    const double *at;    /* the times of the values, which must not decrease */
    const char   *event; /* value[k] is the time of its occurrence number k, counted from 0; NULL:
                            `of` is given */
    const double *value;
    int           count;
    const double *sigma;       /* standard deviations of the values */
    int           sigma_count; /* count; 1: one for all values; 0: not known */
} saltus_measurement_def;

/* Declares a measurement, to which saltus_fit_find fits parameters; runs do not depend on it. */
SALTUS_API void saltus_measurement(saltus_model *model, const char *name,
                                   const saltus_measurement_def *def);

/* A measurement of the model. Everything is borrowed. */
typedef struct saltus_measurement_info {
    const char   *name;
    const char   *event; /* NULL: an expression was measured */
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
/* Adds a condition of a periodic motion, periodic{[start] = final} in a script: the motion repeats
 * itself if the parameter `start`, which occurs in start values, equals the value of `final` at the
 * end. Call it once for each such parameter; saltus_periodic_find searches for such a motion. */
SALTUS_API void saltus_repeats(saltus_model *model, saltus_expr start, saltus_expr final);
/* Sets the horizon: motions go from time start to time end, an expression of parameters. */
SALTUS_API void saltus_horizon(saltus_model *model, double start, saltus_expr end);

/* ---- what to optimise ----------------------------------------------------------------------- */

/* What an optimisation does where the sequence of events would change. */
typedef enum saltus_sequences {
    SALTUS_KEEP_SEQUENCE,   /* keep the sequence, and report how much a change of it would gain */
    SALTUS_FREE_SEQUENCE,   /* cross if the cost falls */
    SALTUS_SEARCH_SEQUENCES /* one optimum for each sequence that is found */
} saltus_sequences;

/* The admissible range of a cost. An infinite bound is no limit; equal bounds are an equation. */
typedef struct saltus_limit {
    const char *cost;
    double      lower, upper;
} saltus_limit;

/* The largest number of intervals of multiple shooting. */
enum { SALTUS_INTERVALS = 1000 };
/* The largest number of searches. */
enum { SALTUS_STARTS = 1000000 };

/* The optimiser. NLopt and IPOPT are external libraries, which may not be installed. */
typedef enum saltus_engine {
    SALTUS_ENGINE_SQP,
    SALTUS_ENGINE_NLOPT,
    SALTUS_ENGINE_IPOPT
} saltus_engine;

/* The goal of an optimisation: optimise{...} in a script. Names are looked up when the goal is
 * used. */
typedef struct saltus_goal {
    const char        *minimise; /* the name of a cost; NULL: not given */
    const char *const *over;     /* names of parameters, or patterns such as "u*"; none: all
                                    parameters that are not fixed */
    int                 over_count;
    const saltus_limit *limits;
    int                 limit_count;
    int                 starts; /* number of searches: the first starts from the given values, the
                                   others from points spread over the bounds; up to
                                   SALTUS_STARTS. 0: 1 */
    saltus_sequences sequences;
    int shooting; /* 0, 1: each motion is one run; up to SALTUS_INTERVALS: multiple shooting with
                     this many intervals, on options.threads threads */
    saltus_engine engine;
} saltus_goal;

/* Sets the goal of the model; texts and lists are copied. */
SALTUS_API void saltus_model_set_goal(saltus_model *model, const saltus_goal *goal);

/* ---- names ---------------------------------------------------------------------------------- */

/* Returns the one of `names` that is closest to `name`, or NULL if none is close. */
SALTUS_API const char *saltus_nearest(const char *name, const char *const *names, int count);
/* Whether the name matches the pattern, in which * stands for any characters: "u*". */
SALTUS_API int saltus_name_matches(const char *pattern, const char *name);

#ifdef __cplusplus
}
#endif
#endif
