/* Guards of kinks that are nested in each other: abs(abs(abs(x) - 1) - 1), the least of many
 * distances. The n-th one contains all before it, so programs of their own would be n^2 / 2 long
 * together. They share one of each kind instead, of which every guard has its own outputs. */
#ifndef SAL_SYSTEM_GUARDS_H
#define SAL_SYSTEM_GUARDS_H

#include "system/system.h"

/* A guard and its time derivatives along the motion. */
typedef struct sal_along_nodes {
    sal_node guard, rate, bend; /* null bend: not asked for */
} sal_along_nodes;

/* Whether guards change no faster than the motion: polynomials in t, q, v, or roots of such. */
bool sal_guards_find_smooth(sal_graph *graph, const sal_node *guards, int count, bool *smooth);

/* Notes what r' and r'' tell of the guard; returns how many of r, r', r'' are of use. */
int sal_event_note_along(const sal_graph *graph, sal_event_system *event, const sal_along_nodes *r);

/* Whether the guards of kinks are to share programs. False also when out of memory. */
bool sal_guards_are_nested(saltus_system *system);
/* Compiles them so. */
bool sal_guards_share(saltus_system *system);

#endif
