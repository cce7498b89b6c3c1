/* Names and drawings of elements: see mech.h. */
#include "mech/mech.h"

#include <stdio.h>

#include "model/model.h"

const char *sal_mech_name(const saltus_model *model, const char *name, const char *kind,
                          char made[SAL_MADE_NAME])
{
    int number = model ? model->constraints.count + 1 : 0;
    if (name && name[0]) return name;
    for (int i = 0; model && i < model->found_contacts.count; i++)
        if (!model->found_contacts.data[i].closes) number--; /* its constraint is never active */
    snprintf(made, SAL_MADE_NAME, "%.20s %d", kind, number);
    return made;
}

const char *sal_mech_part(saltus_model *model, const char *name, const char *part)
{
    return sal_model_failed(model) ? NULL : sal_arena_format(&model->arena, "%s.%s", name, part);
}

void sal_mech_constraint(saltus_model *model, const char *name, const char *part, saltus_expr phi,
                         saltus_modes modes)
{
    saltus_constraint(model, sal_mech_part(model, name, part), phi, modes);
}

/* ---- drawing -------------------------------------------------------------------------------- */

int sal_mech_is_fixed(const saltus_model *model, saltus_point p)
{
    if (sal_model_failed(model) || !p.x.id || !p.y.id) return 0;
    return !sal_depends(&model->graph, p.x.id, SAL_LEAF_Q) &&
           !sal_depends(&model->graph, p.y.id, SAL_LEAF_Q);
}

void sal_mech_draw_point(saltus_model *model, saltus_shape shape, const char *name, saltus_point p,
                         saltus_modes modes)
{
    const saltus_expr numbers[] = {p.x, p.y};
    saltus_draw(model, shape, name, numbers, 2, modes);
}

void sal_mech_draw_line(saltus_model *model, saltus_shape shape, const char *name, saltus_point p,
                        saltus_point q, saltus_modes modes)
{
    const saltus_expr numbers[] = {p.x, p.y, q.x, q.y};
    saltus_draw(model, shape, name, numbers, 4, modes);
    if (sal_mech_is_fixed(model, p)) sal_mech_draw_point(model, SALTUS_SHAPE_FIXED, "", p, modes);
    if (sal_mech_is_fixed(model, q)) sal_mech_draw_point(model, SALTUS_SHAPE_FIXED, "", q, modes);
}
