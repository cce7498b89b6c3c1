/* Planar elements, rewritten as terms: the rest of the library never meets a point or a spring.
 *
 *     point mass   T = m (x'^2 + y'^2) / 2
 *     gravity      U = -m (gx x + gy y)            on point masses
 *     spring       U = k (d - L)^2 / 2,            d = |Q - P|
 *     damper       D = c (d')^2 / 2
 */
#include <stdio.h>

#include "mech/gravity.h"
#include "saltus/model.h"

saltus_point saltus_point_new(saltus_model *model, const char *name, const saltus_coordinate_def *x,
                              const saltus_coordinate_def *y)
{
    char         full[200];
    saltus_point point = {{0}, {0}};
    if (!name || !name[0]) {
        saltus_model_fail(model, "a point needs a name");
        return point;
    }
    snprintf(full, sizeof full, "%s.x", name);
    point.x = saltus_coordinate(model, full, x);
    snprintf(full, sizeof full, "%s.y", name);
    point.y = saltus_coordinate(model, full, y);
    return point;
}

void saltus_point_mass(saltus_model *model, saltus_point p, saltus_expr m, saltus_modes modes)
{
    saltus_mass(model, p.x, m, modes);
    saltus_mass(model, p.y, m, modes);
    sal_gravity_add_mass(model, p, m, modes);
}

void saltus_point_force(saltus_model *model, saltus_point p, saltus_expr fx, saltus_expr fy,
                        saltus_modes modes)
{
    saltus_force(model, p.x, fx, modes);
    saltus_force(model, p.y, fy, modes);
}

static saltus_expr distance(saltus_model *model, saltus_point p, saltus_point q)
{
    const saltus_expr dx = saltus_apply(model, SALTUS_SUB, q.x, p.x);
    const saltus_expr dy = saltus_apply(model, SALTUS_SUB, q.y, p.y);
    const saltus_expr sum = saltus_apply(model, SALTUS_ADD, saltus_apply(model, SALTUS_MUL, dx, dx),
                                         saltus_apply(model, SALTUS_MUL, dy, dy));
    return saltus_apply(model, SALTUS_SQRT, sum, (saltus_expr){0});
}

/* factor * e^2 / 2 */
static saltus_expr half_square(saltus_model *model, saltus_expr factor, saltus_expr e)
{
    const saltus_expr half = saltus_apply(model, SALTUS_MUL, saltus_number(model, 0.5), factor);
    return saltus_apply(model, SALTUS_MUL, half, saltus_apply(model, SALTUS_MUL, e, e));
}

void saltus_spring(saltus_model *model, saltus_point p, saltus_point q, saltus_expr stiffness,
                   saltus_expr length, saltus_modes modes)
{
    const saltus_expr d = distance(model, p, q);
    saltus_potential(
        model, half_square(model, stiffness, saltus_apply(model, SALTUS_SUB, d, length)), modes);
}

void saltus_damper(saltus_model *model, saltus_point p, saltus_point q, saltus_expr damping,
                   saltus_modes modes)
{
    const saltus_expr rate = saltus_dot(model, distance(model, p, q));
    saltus_dissipation(model, half_square(model, damping, rate), modes);
}
