/* Names, constraints and drawings of elements, for all files of this folder. */
#ifndef SAL_MECH_MECH_H
#define SAL_MECH_MECH_H

#include "saltus/draw.h"
#include "saltus/model.h"

/* Returns the given name. If there is none, writes "KIND 3", with the number that the next
 * constraint will have, to `made` and returns it. */
enum { SAL_MADE_NAME = 48 };
const char *sal_mech_name(const saltus_model *model, const char *name, const char *kind,
                          char made[SAL_MADE_NAME]);

/* Returns "name.part", in the model's memory; NULL if the model has failed or memory runs out. */
const char *sal_mech_part(saltus_model *model, const char *name, const char *part);

/* Adds a constraint called name.part. */
void sal_mech_constraint(saltus_model *model, const char *name, const char *part, saltus_expr phi,
                         saltus_modes modes);

/* Adds and draws the constraint |Q - P|^2 = length^2; without a name it is called "KIND 3". */
void sal_mech_rod(saltus_model *model, const char *name, const char *kind, saltus_shape shape,
                  saltus_point p, saltus_point q, saltus_expr length, saltus_modes modes);

/* Draws a line between two points, and the ground at an end that is fixed. */
void sal_mech_draw_line(saltus_model *model, saltus_shape shape, const char *name, saltus_point p,
                        saltus_point q, saltus_modes modes);
void sal_mech_draw_point(saltus_model *model, saltus_shape shape, const char *name, saltus_point p,
                         saltus_modes modes);
/* Whether the point is fixed to the ground: it does not depend on coordinates. */
int sal_mech_is_fixed(const saltus_model *model, saltus_point p);

#endif
