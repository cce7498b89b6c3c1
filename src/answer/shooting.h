/* Multiple shooting: an optimum of a task, with the states at the nodes between intervals as
 * unknowns that are eliminated (condensed) in every step. A motion that one run would carry far
 * away from what was meant stays near it, since each interval is short. */
#ifndef SAL_ANSWER_SHOOTING_H
#define SAL_ANSWER_SHOOTING_H

#include "answer/local.h"

/* Searches from local->x with the intervals of the task; then x, y and the numbers of the search
 * are those of its end. Fails if memory runs out, or if
 * the engine that is asked for is not there. */
saltus_status sal_shooting_search(sal_landscape *landscape, const sal_local_options *options,
                                  sal_local *local, saltus_error *err);

#endif
