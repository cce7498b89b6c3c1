/* Planar elements, rewritten as terms: no other folder has points or springs. Bodies, joints,
 * motors and contacts have files of their own.
 *
 *     point mass   T = m (x'^2 + y'^2) / 2
 *     gravity      U = -m (gx x + gy y)            on point masses
 *     spring       U = k (d - L)^2 / 2,            d = |Q - P|
 *     damper       D = c (d')^2 / 2
 *     rod          Phi = d^2 - L^2
 *     bar          a rod with T = m (P'^2 + P' Q' + Q'^2) / 6
 */
#include "mech/algebra.h"
#include "mech/gravity.h"
#include "mech/mech.h"
#include "model/model.h"

saltus_point saltus_point_new(saltus_model *model, const char *name, const saltus_coordinate_def *x,
                              const saltus_coordinate_def *y)
{
    saltus_point point = {{0}, {0}};
    if (!sal_model_named(model, name, "a point")) return point;
    point.x = saltus_coordinate(model, sal_mech_part(model, name, "x"), x);
    point.y = saltus_coordinate(model, sal_mech_part(model, name, "y"), y);
    sal_mech_draw_point(model, SALTUS_SHAPE_POINT, name, point, (saltus_modes){0});
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

void saltus_spring(saltus_model *model, saltus_point p, saltus_point q, saltus_expr stiffness,
                   saltus_expr length, saltus_modes modes)
{
    const saltus_expr d = length_of(model, between(model, p, q));
    saltus_potential(model, half_square(model, stiffness, saltus_sub(model, d, length)), modes);
    sal_mech_draw_line(model, SALTUS_SHAPE_SPRING, "", p, q, modes);
}

void saltus_damper(saltus_model *model, saltus_point p, saltus_point q, saltus_expr damping,
                   saltus_modes modes)
{
    const saltus_expr rate = saltus_dot(model, length_of(model, between(model, p, q)));
    saltus_dissipation(model, half_square(model, damping, rate), modes);
    sal_mech_draw_line(model, SALTUS_SHAPE_DAMPER, "", p, q, modes);
}

/* ---- bars ----------------------------------------------------------------------------------- */

void sal_mech_rod(saltus_model *model, const char *name, const char *kind, saltus_shape shape,
                  saltus_point p, saltus_point q, saltus_expr length, saltus_modes modes)
{
    char               made[SAL_MADE_NAME];
    const saltus_point d = between(model, p, q);
    name = sal_mech_name(model, name, kind, made);
    saltus_constraint(model, name,
                      saltus_sub(model, inner(model, d, d), saltus_mul(model, length, length)),
                      modes);
    sal_mech_draw_line(model, shape, name, p, q, modes);
}

void saltus_rod(saltus_model *model, const char *name, saltus_point p, saltus_point q,
                saltus_expr length, saltus_modes modes)
{
    sal_mech_rod(model, name, "rod", SALTUS_SHAPE_ROD, p, q, length, modes);
}

void saltus_bar(saltus_model *model, const char *name, saltus_point p, saltus_point q,
                saltus_expr mass, saltus_expr length, saltus_modes modes)
{
    const saltus_expr sixth = saltus_div(model, mass, saltus_number(model, 6.0));
    const saltus_expr half = saltus_mul(model, saltus_number(model, 0.5), mass);
    const saltus_expr axes[2][2] = {{p.x, q.x}, {p.y, q.y}};
    for (int i = 0; i < 2; i++) {
        const saltus_expr a = saltus_dot(model, axes[i][0]), b = saltus_dot(model, axes[i][1]);
        const saltus_expr mixed =
            saltus_add(model, saltus_mul(model, a, b), saltus_mul(model, b, b));
        const saltus_expr sum = saltus_add(model, saltus_mul(model, a, a), mixed);
        double            still;
        if (saltus_expr_number(model, a, &still) && saltus_expr_number(model, b, &still)) continue;
        saltus_kinetic(model, saltus_mul(model, sixth, sum), modes);
    }
    sal_gravity_add_mass(model, p, half, modes);
    sal_gravity_add_mass(model, q, half, modes);
    sal_mech_rod(model, name, "rod", SALTUS_SHAPE_BAR, p, q, length, modes);
}
