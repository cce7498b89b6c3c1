/* Elements of tables, for the maps of an event: the memories before the event choose which element
 * of a table is read. Each element is a slot of u like any other (SAL_LEAF_PICK). It depends on its
 * own expression only, so tables may be long. */
#ifndef SAL_JUMP_TABLE_READS_H
#define SAL_JUMP_TABLE_READS_H

#include "motion/motion.h"

/* The value of one element, with the parameters in u. */
double sal_table_value(const saltus_system *system, int table, int element, const double *u,
                       double *work);

/* Puts the elements that the reset reads into the field. */
void sal_table_reads_value(sal_field *field, const sal_reset *reset);
/* Puts the tangents of these elements into du. */
void sal_table_reads_tangent(const sal_field *field, const sal_reset *reset, double *du, int lanes);
/* Moves the adjoints of these elements on to the parameters. */
void sal_table_reads_adjoint(const sal_field *field, const sal_reset *reset, double *u_bar,
                             int lanes);

#endif
