/* What a model looks like: shapes, drawn by its elements and by the script, and how to compute
 * where they are. Drawings do not affect the motion. */
#ifndef SALTUS_DRAW_H
#define SALTUS_DRAW_H

#include "saltus/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds of shapes, and the numbers that place them. Points are pairs of numbers. */
typedef enum saltus_shape {
    SALTUS_SHAPE_POINT,   /* a point that has a name */
    SALTUS_SHAPE_FIXED,   /* a point of the ground to which something is pinned */
    SALTUS_SHAPE_PIN,     /* a joint */
    SALTUS_SHAPE_BODY,    /* the centre of a body, and its angle */
    SALTUS_SHAPE_ARM,     /* the centre of a body and a point of it */
    SALTUS_SHAPE_BAR,     /* its ends */
    SALTUS_SHAPE_ROD,     /* its ends */
    SALTUS_SHAPE_SPRING,  /* its ends */
    SALTUS_SHAPE_DAMPER,  /* its ends */
    SALTUS_SHAPE_SLOT,    /* two points of the line on which something slides */
    SALTUS_SHAPE_FLOOR,   /* two points of an infinite line that contacts touch; free to the left */
    SALTUS_SHAPE_EDGE,    /* the ends of a moving line that contacts touch; free to the left */
    SALTUS_SHAPE_RING,    /* centre and radius of a circle that contacts touch */
    SALTUS_SHAPE_GAP,     /* a point, and the point of a surface that it would touch */
    SALTUS_SHAPE_CONTACT, /* a point that may touch, with the name of its contact; the unit vectors
                           * normal to the surface and along it; the gap; the coefficient of
                           * friction, if there is one */
    SALTUS_SHAPE_COIL,    /* the place of a torsion spring, and the angles of its two ends */
    SALTUS_SHAPE_MOTOR,   /* the place of a motor, and the angle that it has turned */
    SALTUS_SHAPE_GEAR,    /* the centre of a wheel, its pitch radius, and the angle it has turned */
    SALTUS_SHAPE_LINE,    /* points, two or more */
    SALTUS_SHAPE_DASHED,  /* points, two or more */
    SALTUS_SHAPE_GROUND,  /* points, two or more, of the ground; free to the left */
    SALTUS_SHAPE_CIRCLE,  /* centre, radius, and the angle of a mark in it, if there is one */
    SALTUS_SHAPE_TRACE,   /* a point that leaves a trace */
    SALTUS_SHAPES         /* their number */
} saltus_shape;

/* Returns the name of a kind of shape: "bar", "spring", ... */
SALTUS_API const char *saltus_shape_name(saltus_shape shape);

/* Adds a shape to the drawing of the model. Its numbers are expressions of time, positions,
 * velocities, memories and parameters; it is shown in these modes. name may be NULL. Elements add
 * their own shapes. */
SALTUS_API void saltus_draw(saltus_model *model, saltus_shape shape, const char *name,
                            const saltus_expr *numbers, int count, saltus_modes modes);

/* ---- computing a drawing -------------------------------------------------------------------- */

typedef struct saltus_drawing saltus_drawing;

/* Creates the drawing of a system: its shapes, and the list of values to which their numbers
 * belong. It borrows the system. Returns NULL on failure. Free it with saltus_drawing_free. */
SALTUS_API saltus_drawing *saltus_drawing_new(const saltus_system *system, saltus_error *err);
SALTUS_API void            saltus_drawing_free(saltus_drawing *drawing); /* NULL is fine */

typedef struct saltus_shape_info {
    saltus_shape shape;
    const char  *name;  /* "" if it has none */
    int          line;  /* of the script, 0: none */
    const int   *value; /* for each of its numbers, the index of the value */
    int          count; /* number of its numbers */
    const int   *mode;  /* the modes in which it is shown, as in saltus_modes */
    int          modes; /* number of these modes; 0: shown in all modes */
} saltus_shape_info;
/* Returns the number of shapes. */
SALTUS_API int saltus_drawing_shapes(const saltus_drawing *drawing);
/* Returns a shape. If there is no such shape, its kind is SALTUS_SHAPES, and it has no numbers. */
SALTUS_API saltus_shape_info saltus_drawing_shape(const saltus_drawing *drawing, int index);

/* How a value is computed: it is a number, a symbol of the model, or an operation on earlier
 * values. */
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
    int                 index; /* index of the symbol */
    saltus_op           op;
    int                 a, b; /* arguments: indices of values; b: -1 if there is only one */
} saltus_draw_op;
/* Returns the number of values. */
SALTUS_API int            saltus_drawing_ops(const saltus_drawing *drawing);
SALTUS_API saltus_draw_op saltus_drawing_op(const saltus_drawing *drawing, int index);

/* Computes all values, saltus_drawing_ops numbers, at the instant of the row; params NULL: those of
 * the model. A value is NaN if the array that it needs is NULL in the row; row NULL: all are. */
SALTUS_API void saltus_drawing_compute(const saltus_drawing *drawing, const saltus_row *row,
                                       const double *params, double *value);

#ifdef __cplusplus
}
#endif
#endif
