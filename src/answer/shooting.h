/* Multiple shooting: finds an optimum of a task with the states at the nodes between intervals as
 * further unknowns, which are eliminated (condensed) in every step. A motion that a single run
 * would carry far from the intended one stays near it, as each interval is short. */
#ifndef SAL_ANSWER_SHOOTING_H
#define SAL_ANSWER_SHOOTING_H

#include "answer/local.h"

/* Searches from local->x with the intervals of the task. Writes x, y and the numbers of the search
 * to local. Fails if memory runs out, or if the requested engine is missing. */
saltus_status sal_shooting_search(sal_landscape *landscape, const sal_local_options *options,
                                  sal_local *local, saltus_error *err);

#endif
