/* Names of elements: see mech.h. */
#include "mech/mech.h"

#include <stdio.h>

#include "model/model.h"

const char *sal_mech_name(const saltus_model *model, const char *name, const char *kind,
                          char made[SAL_MADE_NAME])
{
    if (name && name[0]) return name;
    snprintf(made, SAL_MADE_NAME, "%.20s %d", kind, model->constraints.count + 1);
    return made;
}

const char *sal_mech_part(saltus_model *model, const char *name, const char *part)
{
    return sal_arena_format(&model->arena, "%s.%s", name, part);
}

void sal_mech_constraint(saltus_model *model, const char *name, const char *part, saltus_expr phi,
                         saltus_modes modes)
{
    saltus_constraint(model, sal_mech_part(model, name, part), phi, modes);
}
