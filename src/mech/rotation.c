/* Rotation: angles between points, torsion springs, motors.
 *
 *     direction         atan2(dy, dx)                      of d = Q - P
 *     corner            atan2(a x b, a b), turned by -rest a = P - Q, b = R - Q
 *     torsion spring    U = k (angle - rest)^2 / 2,        D = c (angle')^2 / 2
 *     motor             Phi = f - u                        the multiplier is the force along u
 *     of a direction    Phi = (d x sin f - d y cos f) / |d| = sin(f - direction),
 *                       with cos(f - direction) > 0 at the start
 */
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
