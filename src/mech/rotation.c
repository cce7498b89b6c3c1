/* Rotation: angles between points, torsion springs, motors, gears.
 *
 *     direction         atan2(dy, dx)                      of d = Q - P
 *     corner            atan2(a x b, a b), turned by -rest a = P - Q, b = R - Q
 *     torsion spring    U = k (angle - rest)^2 / 2,        D = c (angle')^2 / 2
 *     motor             Phi = f - u                        the multiplier is the force along u
 *     of a direction    Phi = (d x sin f - d y cos f) / |d| = sin(f - direction),
 *                       with cos(f - direction) > 0 at the start
 *     gear              Phi = angle - (i a + b)            the multiplier is the torque on b;
 *                       with a, b relative to the carrier, and angle that of the start
 *     in a mode         Psi = -(i a' + b')                 unless it has an angle
 */
#include "base/host.h"
#include "mech/algebra.h"
#include "mech/mech.h"
#include "model/model.h"

saltus_expr saltus_direction_angle(saltus_model *model, saltus_point p, saltus_point q)
{
    const saltus_point d = between(model, p, q);
    return saltus_apply(model, SALTUS_ATAN2, d.y, d.x);
}

/* The vector (a b, a x b), whose direction is the angle, is rotated by -rest before its angle is
 * taken, so that the cut is where the angle differs from rest by half a turn. */
saltus_expr saltus_corner_angle(saltus_model *model, saltus_point p, saltus_point q, saltus_point r,
                                saltus_expr rest)
{
    const saltus_point a = between(model, q, p), b = between(model, q, r);
    const saltus_point d = {inner(model, a, b), cross(model, a, b)};
    if (!rest.id) return saltus_apply(model, SALTUS_ATAN2, d.y, d.x);
    const saltus_point e = towards(model, rest);
    return saltus_apply(model, SALTUS_ATAN2, cross(model, e, d), inner(model, e, d));
}

void saltus_torsion_spring(saltus_model *model, saltus_expr angle, saltus_expr stiffness,
                           saltus_expr rest, saltus_modes modes)
{
    const saltus_expr turned = rest.id ? saltus_sub(model, angle, rest) : angle;
    saltus_potential(model, half_square(model, stiffness, turned), modes);
}

void saltus_torsion_damper(saltus_model *model, saltus_expr angle, saltus_expr damping,
                           saltus_modes modes)
{
    saltus_dissipation(model, half_square(model, damping, saltus_dot(model, angle)), modes);
}

/* ---- motors --------------------------------------------------------------------------------- */

void saltus_motor(saltus_model *model, const char *name, saltus_expr u, saltus_expr position,
                  saltus_modes modes)
{
    char made[SAL_MADE_NAME];
    saltus_constraint(model, sal_mech_name(model, name, "motor", made),
                      saltus_sub(model, position, u), modes);
}

void saltus_motor_direction(saltus_model *model, const char *name, saltus_point p, saltus_point q,
                            saltus_expr angle, saltus_modes modes)
{
    char               made[SAL_MADE_NAME];
    const saltus_point from = direction(model, p, q), to = towards(model, angle);
    const saltus_expr  ahead = inner(model, from, to);
    if (sal_model_failed(model)) return;
    const int count = model->constraints.count;
    saltus_constraint(model, sal_mech_name(model, name, "motor", made), cross(model, from, to),
                      modes);
    if (model->constraints.count > count) model->constraints.data[count].side = ahead.id;
}

/* ---- gears ---------------------------------------------------------------------------------- */

/* Whether the gear is possible; if not, a mistake is noted. */
static int is_possible(saltus_model *model, const char *name, saltus_body a, saltus_body b,
                       saltus_body carrier, saltus_expr ratio)
{
    const sal_node node = sal_model_node(model, ratio, "the ratio of a gear");
    const char    *mistake = NULL;
    double         value = 1.0;
    if (!sal_model_allow(model, node, SAL_KINDS_CONSTANT, "the ratio of a gear",
                         "it is a number or an expression of parameters; gears that are changed "
                         "are several gears, each in its mode"))
        return 0;
    saltus_expr_number(model, ratio, &value);
    if (a.angle.id == b.angle.id) mistake = "its two entries are the same body";
    else if (carrier.angle.id && (carrier.angle.id == a.angle.id || carrier.angle.id == b.angle.id))
        mistake = "its carrier is one of its two entries; it is the body that carries both of them";
    else if (value == 0.0)
        mistake = "its ratio is 0, so that the first body would not turn the second; it is the "
                  "number of turns of the second per turn of the first, positive if they turn in "
                  "opposite directions";
    if (mistake) saltus_model_fail(model, "gear '%s': %s", name, mistake);
    return !mistake;
}

/* The angle of a body relative to the carrier of the gear. */
static saltus_expr on_carrier(saltus_model *model, saltus_body body, saltus_body carrier)
{
    return carrier.angle.id ? saltus_sub(model, body.angle, carrier.angle) : body.angle;
}

static void draw_wheel(saltus_model *model, const char *name, saltus_body body, saltus_expr radius,
                       saltus_modes modes)
{
    const saltus_expr size = saltus_apply(model, SALTUS_ABS, radius, (saltus_expr){0});
    const saltus_expr numbers[] = {body.x, body.y, size, body.angle};
    saltus_draw(model, SALTUS_SHAPE_GEAR, name, numbers, 4, modes);
}

/* Draws the circles about both centres that roll on each other: their radii have the ratio i, and
 * their sum, or their difference if i < 0, is the distance. There are none for i = -1. */
static void draw_wheels(saltus_model *model, const char *name, saltus_body a, saltus_body b,
                        saltus_expr ratio, saltus_modes modes)
{
    double            value;
    const saltus_expr distance =
        length_of(model, between(model, saltus_body_centre(a), saltus_body_centre(b)));
    if (saltus_expr_number(model, ratio, &value) && value == -1.0) return;
    const saltus_expr radius =
        saltus_div(model, distance, saltus_add(model, saltus_number(model, 1.0), ratio));
    draw_wheel(model, name, a, saltus_mul(model, ratio, radius), modes);
    draw_wheel(model, name, b, radius, modes);
}

/* Replaces a coordinate by its start, and notes one that is guessed. */
typedef struct starting {
    const saltus_model *model;
    const char         *guessed; /* NULL: none */
} starting;

static sal_node start_of(void *context, sal_graph *graph, sal_node node)
{
    starting *seen = context;
    int       kind, index;
    if (!sal_is_leaf(graph, node, &kind, &index) || kind != SAL_LEAF_Q) return 0;
    const sal_coordinate *coordinate = &seen->model->coordinates.data[index];
    if (coordinate->guessed) seen->guessed = coordinate->label.name;
    return coordinate->start;
}

/* The value of an expression of coordinates at the start; null, and a mistake is noted, if one of
 * them is guessed. */
static saltus_expr at_start(saltus_model *model, const char *name, saltus_expr turned)
{
    starting       seen = {.model = model};
    sal_node       start = 0;
    const sal_node node = sal_model_node(model, turned, "the angle of a gear");
    if (!sal_model_allow(model, node, SAL_KIND(Q) | SAL_KINDS_CONSTANT, "the angle of a gear",
                         "give the angle that it keeps, which may contain them"))
        return (saltus_expr){0};
    sal_substitute(&model->graph, &node, 1, start_of, &seen, &start);
    if (!seen.guessed) return (saltus_expr){start};
    saltus_model_fail(model,
                      "gear '%s': '%s' is guessed, so that it is not known what the gear keeps; "
                      "give angle=, the value of ratio * A.angle + B.angle, or a start instead of "
                      "the guess",
                      name, seen.guessed);
    return (saltus_expr){0};
}

void saltus_gear(saltus_model *model, const char *name, saltus_body a, saltus_body b,
                 saltus_body carrier, saltus_expr ratio, saltus_expr angle, saltus_modes modes)
{
    HOLD_HOST;
    char made[SAL_MADE_NAME];
    name = sal_mech_name(model, name, "gear", made);
    if (!is_possible(model, name, a, b, carrier, ratio)) return;
    const saltus_expr turned =
        saltus_add(model, saltus_mul(model, ratio, on_carrier(model, a, carrier)),
                   on_carrier(model, b, carrier));
    if (!angle.id && modes.count == 0) angle = at_start(model, name, turned);
    if (angle.id) saltus_constraint(model, name, saltus_sub(model, angle, turned), modes);
    else saltus_rolling(model, name, saltus_neg(model, saltus_dot(model, turned)), modes);
    draw_wheels(model, name, a, b, ratio, modes);
}
