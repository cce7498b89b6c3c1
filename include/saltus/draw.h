/* What a model looks like: shapes, drawn by its elements and by the script, and how to compute
 * where they are. Nothing of it takes part in the motion. */
#ifndef SALTUS_DRAW_H
#define SALTUS_DRAW_H

#include "saltus/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One row per shape: symbol, name, what its numbers are. Points are pairs of numbers. */
#define SALTUS_SHAPE_LIST(X)                                                                       \
    X(POINT, "point", "a point that has a name")                                                   \
    X(FIXED, "fixed", "a point of the ground that something is pinned to")                         \
    X(PIN, "pin", "a joint")                                                                       \
    X(BODY, "body", "the centre of a body, and its angle")                                         \
    X(ARM, "arm", "the centre of a body and a point of it")                                        \
    X(BAR, "bar", "its ends")                                                                      \
    X(ROD, "rod", "its ends")                                                                      \
    X(SPRING, "spring", "its ends")                                                                \
    X(DAMPER, "damper", "its ends")                                                                \
    X(SLOT, "slot", "two points of the line something slides on")                                  \
    X(FLOOR, "floor", "two points of a line that is touched; free to the left, without end")       \
    X(EDGE, "edge", "the ends of a line that moves and is touched; free to the left")              \
    X(RING, "ring", "centre and radius of a circle that is touched")                               \
    X(GAP, "gap", "a point, and the one of a surface that it would touch")                         \
    X(COIL, "coil", "where a torsion spring is, and the angles of its two ends")                   \
    X(MOTOR, "motor", "where a motor is, and the angle it has turned")                             \
    X(LINE, "line", "points, two or more")                                                         \
    X(DASHED, "dashed", "points, two or more")                                                     \
    X(GROUND, "ground", "points, two or more, of the ground; free to the left")                    \
    X(CIRCLE, "circle", "centre, radius, and the angle of a mark in it, if there is one")          \
    X(TRACE, "trace", "a point that leaves a trace")

typedef enum saltus_shape {
#define SALTUS_SHAPE_ROW(name, text, numbers) SALTUS_SHAPE_##name,
    SALTUS_SHAPE_LIST(SALTUS_SHAPE_ROW)
#undef SALTUS_SHAPE_ROW
        SALTUS_SHAPES
} saltus_shape;

/* "bar", "spring", ... */
SALTUS_API const char *saltus_shape_name(saltus_shape shape);

/* Draws one more shape of the model: its numbers are expressions of time, positions, velocities,
 * memories and parameters. name may be NULL. Elements draw themselves. */
SALTUS_API void saltus_draw(saltus_model *model, saltus_shape shape, const char *name,
                            const saltus_expr *numbers, int count, saltus_modes modes);

/* ---- computing a drawing -------------------------------------------------------------------- */

typedef struct saltus_drawing saltus_drawing;

/* The shapes of a system and the steps that compute their numbers. It borrows the system. NULL on
 * failure. */
SALTUS_API saltus_drawing *saltus_drawing_new(const saltus_system *system, saltus_error *err);
SALTUS_API void            saltus_drawing_free(saltus_drawing *drawing); /* NULL is fine */

typedef struct saltus_shape_info {
    saltus_shape shape;
    const char  *name; /* "" if it has none */
    int          line; /* of the script, 0: none */
    const int   *step; /* the steps that are its numbers */
    int          count;
    const int   *mode; /* it is there only if, of every group these belong to, one is active */
    int          modes;
} saltus_shape_info;
SALTUS_API int saltus_drawing_shapes(const saltus_drawing *drawing);
/* Where there is no such shape, it has no name and no numbers, and shape is SALTUS_SHAPES. */
SALTUS_API saltus_shape_info saltus_drawing_shape(const saltus_drawing *drawing, int index);

/* A step is a number, one of the symbols, or an operation on steps before it. */
typedef enum saltus_step_kind {
    SALTUS_STEP_NUMBER,
    SALTUS_STEP_TIME,
    SALTUS_STEP_COORDINATE,
    SALTUS_STEP_VELOCITY,
    SALTUS_STEP_MEMORY,
    SALTUS_STEP_PARAM,
    SALTUS_STEP_OPERATION
} saltus_step_kind;
typedef struct saltus_step {
    saltus_step_kind kind;
    double           number;
    int              index; /* of the symbol */
    saltus_op        op;
    int              a, b; /* of the operation; b: -1 if it has one argument */
} saltus_step;
SALTUS_API int         saltus_drawing_steps(const saltus_drawing *drawing);
SALTUS_API saltus_step saltus_drawing_step(const saltus_drawing *drawing, int index);

/* The values of all steps; params NULL: those of the model. value: steps. What the row does not
 * have is NaN. */
SALTUS_API void saltus_drawing_compute(const saltus_drawing *drawing, const saltus_row *row,
                                       const double *params, double *value);

#ifdef __cplusplus
}
#endif
#endif
