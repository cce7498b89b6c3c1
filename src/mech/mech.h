/* Shared by the files of this folder: names of elements, and the masses that gravity acts on
 * (gravity.h). */
#ifndef SAL_MECH_MECH_H
#define SAL_MECH_MECH_H

#include "saltus/draw.h"
#include "saltus/model.h"

/* The name that was given, or "kind 3", made of the number the next constraint will have. `made`
 * holds it. */
enum { SAL_MADE_NAME = 48 };
const char *sal_mech_name(const saltus_model *model, const char *name, const char *kind,
                          char made[SAL_MADE_NAME]);

/* "name.part", in the model's memory; NULL if the model has failed or its memory runs out. */
const char *sal_mech_part(saltus_model *model, const char *name, const char *part);

/* A constraint called name.part. */
void sal_mech_constraint(saltus_model *model, const char *name, const char *part, saltus_expr phi,
                         saltus_modes modes);

/* |Q - P|^2 = length^2, called "kind 3" without a name. */
void sal_mech_rod(saltus_model *model, const char *name, const char *kind, saltus_shape shape,
                  saltus_point p, saltus_point q, saltus_expr length, saltus_modes modes);

/* Draws a line between two points, and the ground where one of them is fixed to it. */
void sal_mech_draw_line(saltus_model *model, saltus_shape shape, const char *name, saltus_point p,
                        saltus_point q, saltus_modes modes);
void sal_mech_draw_point(saltus_model *model, saltus_shape shape, const char *name, saltus_point p,
                         saltus_modes modes);
/* Whether the point does not depend on coordinates: it belongs to the ground. */
int sal_mech_is_fixed(const saltus_model *model, saltus_point p);

#endif
