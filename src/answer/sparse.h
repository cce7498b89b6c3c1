/* Multiple shooting by an engine for sparse problems: nodes are unknowns besides those of the task,
 * gaps are equations, and the derivatives of each interval are one block. */
#ifndef SAL_ANSWER_SPARSE_H
#define SAL_ANSWER_SPARSE_H

#include "answer/intervals.h"
#include "answer/local.h"

/* Searches from the nodes of the intervals and local->x, and replaces both by those of the best
 * point. Fails if the library of the engine is missing, or if memory runs out. */
saltus_status sal_sparse_search(sal_landscape *landscape, const sal_local_options *options,
                                sal_intervals *intervals, sal_local *local, bool is_kept,
                                saltus_error *err);

#endif
