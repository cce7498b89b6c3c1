/* Planar elements, rewritten as terms: the rest of the library never meets a point or a spring.
 *
 *     point mass   T = m (x'^2 + y'^2) / 2
 *     gravity      U = -m (gx x + gy y)            on point masses
 *     spring       U = k (d - L)^2 / 2,            d = |Q - P|
 *     damper       D = c (d')^2 / 2
 *     rod          Phi = d^2 - L^2
 *     bar          a rod with T = m (P'^2 + P' Q' + Q'^2) / 6
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

/* ---- bars ----------------------------------------------------------------------------------- */

static saltus_expr mul(saltus_model *model, saltus_expr a, saltus_expr b)
{
    return saltus_apply(model, SALTUS_MUL, a, b);
}

void saltus_rod(saltus_model *model, const char *name, saltus_point p, saltus_point q,
                saltus_expr length, saltus_modes modes)
{
    char              made[32];
    const saltus_expr dx = saltus_apply(model, SALTUS_SUB, q.x, p.x);
    const saltus_expr dy = saltus_apply(model, SALTUS_SUB, q.y, p.y);
    const saltus_expr sum = saltus_apply(model, SALTUS_ADD, mul(model, dx, dx), mul(model, dy, dy));
    snprintf(made, sizeof made, "rod %d", sal_mech_next_constraint(model));
    saltus_constraint(model, name && name[0] ? name : made,
                      saltus_apply(model, SALTUS_SUB, sum, mul(model, length, length)), modes);
}

void saltus_bar(saltus_model *model, const char *name, saltus_point p, saltus_point q,
                saltus_expr mass, saltus_expr length, saltus_modes modes)
{
    const saltus_expr sixth = saltus_apply(model, SALTUS_DIV, mass, saltus_number(model, 6.0));
    const saltus_expr half = mul(model, saltus_number(model, 0.5), mass);
    const saltus_expr axes[2][2] = {{p.x, q.x}, {p.y, q.y}};
    for (int i = 0; i < 2; i++) {
        const saltus_expr a = saltus_dot(model, axes[i][0]), b = saltus_dot(model, axes[i][1]);
        const saltus_expr mixed =
            saltus_apply(model, SALTUS_ADD, mul(model, a, b), mul(model, b, b));
        const saltus_expr sum = saltus_apply(model, SALTUS_ADD, mul(model, a, a), mixed);
        double            still;
        if (saltus_expr_number(model, a, &still) && saltus_expr_number(model, b, &still)) continue;
        saltus_kinetic(model, mul(model, sixth, sum), modes);
    }
    sal_gravity_add_mass(model, p, half, modes);
    sal_gravity_add_mass(model, q, half, modes);
    saltus_rod(model, name, p, q, length, modes);
}
