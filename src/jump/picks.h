/* Elements of tables, for maps that are evaluated at an event: the memories before the event say
 * which ones. Each is a slot of u like any other (SAL_LEAF_PICK), and depends on its own element
 * only, so that tables may be long. */
#ifndef SAL_JUMP_PICKS_H
#define SAL_JUMP_PICKS_H

#include "motion/motion.h"

/* The value of one element, with the parameters in u. */
double sal_table_value(const saltus_system *system, int table, int element, const double *u,
                       double *work);

/* Puts the elements that the reset reads into the field. */
void sal_picks_value(sal_field *field, const sal_reset *reset);
/* Puts their tangents into du. */
void sal_picks_tangent(const sal_field *field, const sal_reset *reset, double *du, int lanes);
/* Moves their adjoints on to the parameters. */
void sal_picks_adjoint(const sal_field *field, const sal_reset *reset, double *u_bar, int lanes);

#endif
