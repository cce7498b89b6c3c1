/* What a model looks like: shapes, drawn by its elements and by the script, and how to compute
 * where they are. Drawings do not affect the motion. */
#ifndef SALTUS_DRAW_H
#define SALTUS_DRAW_H

#include "saltus/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is drawn, and what its numbers are. Points are pairs of numbers. */
typedef enum saltus_shape {
    SALTUS_SHAPE_POINT,   /* a point that has a name */
    SALTUS_SHAPE_FIXED,   /* a point of the ground that something is pinned to */
    SALTUS_SHAPE_PIN,     /* a joint */
    SALTUS_SHAPE_BODY,    /* the centre of a body, and its angle */
    SALTUS_SHAPE_ARM,     /* the centre of a body and a point of it */
    SALTUS_SHAPE_BAR,     /* its ends */
    SALTUS_SHAPE_ROD,     /* its ends */
    SALTUS_SHAPE_SPRING,  /* its ends */
    SALTUS_SHAPE_DAMPER,  /* its ends */
    SALTUS_SHAPE_SLOT,    /* two points of the line something slides on */
    SALTUS_SHAPE_FLOOR,   /* two points of a line that is touched; free to the left, without end */
    SALTUS_SHAPE_EDGE,    /* the ends of a line that moves and is touched; free to the left */
    SALTUS_SHAPE_RING,    /* centre and radius of a circle that is touched */
    SALTUS_SHAPE_GAP,     /* a point, and the one of a surface that it would touch */
    SALTUS_SHAPE_CONTACT, /* a point that may touch, called like its contact; the unit vectors
                           * normal to the surface and along it; the gap; the coefficient of
                           * friction, if there is one */
    SALTUS_SHAPE_COIL,    /* where a torsion spring is, and the angles of its two ends */
    SALTUS_SHAPE_MOTOR,   /* where a motor is, and the angle it has turned */
    SALTUS_SHAPE_LINE,    /* points, two or more */
    SALTUS_SHAPE_DASHED,  /* points, two or more */
    SALTUS_SHAPE_GROUND,  /* points, two or more, of the ground; free to the left */
    SALTUS_SHAPE_CIRCLE,  /* centre, radius, and the angle of a mark in it, if there is one */
    SALTUS_SHAPE_TRACE,   /* a point that leaves a trace */
    SALTUS_SHAPES         /* their number */
} saltus_shape;

/* "bar", "spring", ... */
SALTUS_API const char *saltus_shape_name(saltus_shape shape);

/* Draws one more shape of the model: its numbers are expressions of time, positions, velocities,
 * memories and parameters. name may be NULL. Elements draw themselves. */
SALTUS_API void saltus_draw(saltus_model *model, saltus_shape shape, const char *name,
                            const saltus_expr *numbers, int count, saltus_modes modes);

/* ---- computing a drawing -------------------------------------------------------------------- */

typedef struct saltus_drawing saltus_drawing;

/* The shapes of a system and the list of values that contains their numbers. It borrows the
 * system. NULL on failure. */
SALTUS_API saltus_drawing *saltus_drawing_new(const saltus_system *system, saltus_error *err);
SALTUS_API void            saltus_drawing_free(saltus_drawing *drawing); /* NULL is fine */

typedef struct saltus_shape_info {
    saltus_shape shape;
    const char  *name;  /* "" if it has none */
    int          line;  /* of the script, 0: none */
    const int   *value; /* its numbers: indices of values */
    int          count;
    const int   *mode; /* shown only if one of these is active in each of their groups */
    int          modes;
} saltus_shape_info;
SALTUS_API int saltus_drawing_shapes(const saltus_drawing *drawing);
/* Without such a shape the result has no name and no numbers, and its shape is SALTUS_SHAPES. */
SALTUS_API saltus_shape_info saltus_drawing_shape(const saltus_drawing *drawing, int index);

/* How a value is computed: it is a number, one of the symbols, or an operation on values before it.
 */
typedef enum saltus_draw_op_kind {
    SALTUS_DRAW_NUMBER,
    SALTUS_DRAW_TIME,
    SALTUS_DRAW_COORDINATE,
    SALTUS_DRAW_VELOCITY,
    SALTUS_DRAW_MEMORY,
    SALTUS_DRAW_PARAM,
    SALTUS_DRAW_OPERATION
} saltus_draw_op_kind;
typedef struct saltus_draw_op {
    saltus_draw_op_kind kind;
    double              number;
    int                 index; /* of the symbol */
    saltus_op           op;
    int                 a, b; /* of the operation; b: -1 if it has one argument */
} saltus_draw_op;
SALTUS_API int            saltus_drawing_ops(const saltus_drawing *drawing);
SALTUS_API saltus_draw_op saltus_drawing_op(const saltus_drawing *drawing, int index);

/* Computes all values; params NULL: those of the model. value: as many as saltus_drawing_ops says.
 * Values that need what the row does not have are NaN. */
SALTUS_API void saltus_drawing_compute(const saltus_drawing *drawing, const saltus_row *row,
                                       const double *params, double *value);

#ifdef __cplusplus
}
#endif
#endif
