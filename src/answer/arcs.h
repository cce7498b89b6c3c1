/* Arcs: parts of a motion along which an expression stays at its limit.
 *
 * Rows for peaks do not suffice there: rounding decides where the peaks of a constant are, and a
 * few peaks do not keep the limit all along an arc. A piece between two instants (events, nodes of
 * controls, samples) along which the expression is at its limit therefore gets rows at some fixed
 * places. As the expression does not change along it, the times of these places do not matter to
 * first order. */
#ifndef SAL_ANSWER_ARCS_H
#define SAL_ANSWER_ARCS_H

#include "answer/landscape.h"

/* Finds the arcs of the last simulation and the places on them. Returns whether there are any;
 * false if memory runs out. */
bool sal_arcs_find(sal_landscape *landscape);
void sal_arcs_forget(sal_landscape *landscape);

/* Whether a peak belongs to an arc, so that it needs no row of its own. */
bool sal_arcs_have(const sal_landscape *landscape, const sal_task_row *row, const sal_peak *peak);

/* Locates the places of the arcs in the last simulation, and computes the values there. */
saltus_status sal_arcs_read(sal_landscape *landscape, saltus_error *err);

#endif
