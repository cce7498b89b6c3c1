/* Rigid bodies in the plane.
 *
 *     T = m (x'^2 + y'^2) / 2 + J angle'^2 / 2       (x, y) is the centre of mass
 *     point(u, v) = (x, y) + R(angle) (u, v)         R rotates counter-clockwise
 */
#include "mech/algebra.h"
#include "mech/gravity.h"
#include "mech/mech.h"
#include "model/model.h"

static saltus_expr part(saltus_model *model, const char *name, const char *of_body,
                        const saltus_coordinate_def *def)
{
    return saltus_coordinate(model, sal_mech_part(model, name, of_body), def);
}

/* Checks that a number is positive. Expressions of parameters pass: their values are known only
 * when a run begins. */
static int is_positive(saltus_model *model, const char *name, const char *what, saltus_expr e)
{
    double value = 1.0;
    saltus_expr_number(model, e, &value);
    if (value > 0.0) return 1;
    saltus_model_fail(model, "body '%s': its %s is %g, and must be positive", name, what, value);
    return 0;
}

saltus_body saltus_body_new(saltus_model *model, const char *name, const saltus_body_def *def)
{
    static const saltus_body_def none = {0};
    const saltus_modes           always = {0};
    saltus_body                  body = {{0}, {0}, {0}};
    if (!def) def = &none;
    if (!sal_model_named(model, name, "a body")) return body;
    if (!def->mass.id || !def->inertia.id) {
        saltus_model_fail(model,
                          "body '%s': %s is missing: a body has a mass and an inertia (its moment "
                          "of inertia about the centre of mass)",
                          name, def->mass.id ? "inertia" : "mass");
        return body;
    }
    if (!is_positive(model, name, "mass", def->mass) ||
        !is_positive(model, name, "inertia", def->inertia))
        return body;
    body.x = part(model, name, "x", &def->x);
    body.y = part(model, name, "y", &def->y);
    body.angle = part(model, name, "angle", &def->angle);
    saltus_point_mass(model, saltus_body_centre(body), def->mass, always);
    saltus_mass(model, body.angle, def->inertia, always);
    const saltus_expr numbers[] = {body.x, body.y, body.angle};
    saltus_draw(model, SALTUS_SHAPE_BODY, name, numbers, 3, always);
    return body;
}

saltus_point saltus_body_centre(saltus_body body) { return (saltus_point){body.x, body.y}; }

saltus_point saltus_body_point(saltus_model *model, saltus_body body, saltus_expr u, saltus_expr v)
{
    const saltus_point e = towards(model, body.angle);
    const saltus_point p = {
        saltus_add(model, body.x,
                   saltus_sub(model, saltus_mul(model, u, e.x), saltus_mul(model, v, e.y))),
        saltus_add(model, body.y,
                   saltus_add(model, saltus_mul(model, u, e.y), saltus_mul(model, v, e.x)))};
    const saltus_expr numbers[] = {body.x, body.y, p.x, p.y};
    saltus_draw(model, SALTUS_SHAPE_ARM, "", numbers, 4, (saltus_modes){0});
    return p;
}
