/* Joints: constraints between points and bodies. They are smooth, and the only angles in them are
 * those of bodies. With e = (Q - P) / |Q - P|:
 *
 *     revolute    P - Q                                           name.x, name.y
 *     distance    |Q - P|^2 - L^2                                 name
 *     slot        e x (C - P) - offset                            name
 *     prismatic   the slot of the body's centre                   name.line
 *                 e x (cos(angle - a), sin(angle - a))            name.angle
 *     weld        B - A.point(x, y)                               name.x, name.y
 *                 B.angle - A.angle - a                           name.angle
 */
#include "mech/algebra.h"
#include "mech/mech.h"

void saltus_revolute(saltus_model *model, const char *name, saltus_point p, saltus_point q,
                     saltus_modes modes)
{
    char               made[SAL_MADE_NAME];
    const saltus_point d = between(model, q, p);
    name = sal_mech_name(model, name, "revolute", made);
    sal_mech_constraint(model, name, "x", d.x, modes);
    sal_mech_constraint(model, name, "y", d.y, modes);
    sal_mech_draw_point(model, SALTUS_SHAPE_PIN, name, p, modes);
    if (sal_mech_is_fixed(model, p) || sal_mech_is_fixed(model, q))
        sal_mech_draw_point(model, SALTUS_SHAPE_FIXED, "", q, modes);
}

void saltus_distance(saltus_model *model, const char *name, saltus_point p, saltus_point q,
                     saltus_expr length, saltus_modes modes)
{
    sal_mech_rod(model, name, "distance", SALTUS_SHAPE_ROD, p, q, length, modes);
}

/* The distance of c to the left of the line from p to q, minus the offset. */
static saltus_expr off_line(saltus_model *model, saltus_point c, saltus_point p, saltus_point q,
                            saltus_expr offset)
{
    const saltus_expr side = cross(model, direction(model, p, q), between(model, p, c));
    return offset.id ? saltus_sub(model, side, offset) : side;
}

static void draw_slot(saltus_model *model, const char *name, saltus_point p, saltus_point q,
                      saltus_modes modes)
{
    const saltus_expr numbers[] = {p.x, p.y, q.x, q.y};
    saltus_draw(model, SALTUS_SHAPE_SLOT, name, numbers, 4, modes);
}

void saltus_slot(saltus_model *model, const char *name, saltus_point pin, saltus_point p,
                 saltus_point q, saltus_expr offset, saltus_modes modes)
{
    char made[SAL_MADE_NAME];
    name = sal_mech_name(model, name, "slot", made);
    saltus_constraint(model, name, off_line(model, pin, p, q, offset), modes);
    draw_slot(model, name, p, q, modes);
    sal_mech_draw_point(model, SALTUS_SHAPE_PIN, name, pin, modes);
}

void saltus_prismatic(saltus_model *model, const char *name, saltus_body body, saltus_point p,
                      saltus_point q, saltus_expr angle, saltus_expr offset, saltus_modes modes)
{
    char              made[SAL_MADE_NAME];
    const saltus_expr turned = angle.id ? saltus_sub(model, body.angle, angle) : body.angle;
    const saltus_expr slant = cross(model, direction(model, p, q), towards(model, turned));
    name = sal_mech_name(model, name, "prismatic", made);
    sal_mech_constraint(model, name, "line",
                        off_line(model, saltus_body_centre(body), p, q, offset), modes);
    sal_mech_constraint(model, name, "angle", slant, modes);
    draw_slot(model, name, p, q, modes);
}

void saltus_weld(saltus_model *model, const char *name, saltus_body a, saltus_body b, saltus_expr x,
                 saltus_expr y, saltus_expr angle, saltus_modes modes)
{
    char               made[SAL_MADE_NAME];
    const int          to_ground = !a.x.id && !a.y.id && !a.angle.id;
    const saltus_expr  u = or_zero(model, x), v = or_zero(model, y);
    const saltus_expr  turn = to_ground ? b.angle : saltus_sub(model, b.angle, a.angle);
    const saltus_point place = to_ground ? (saltus_point){u, v} : saltus_body_point(model, a, u, v);
    const saltus_point d = between(model, place, saltus_body_centre(b));
    name = sal_mech_name(model, name, "weld", made);
    sal_mech_constraint(model, name, "x", d.x, modes);
    sal_mech_constraint(model, name, "y", d.y, modes);
    sal_mech_constraint(model, name, "angle", saltus_sub(model, turn, or_zero(model, angle)),
                        modes);
}
