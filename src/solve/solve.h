/* What the methods of this folder share: what callbacks return about a point, and how a search
 * ends. */
#ifndef SAL_SOLVE_SOLVE_H
#define SAL_SOLVE_SOLVE_H

#include "saltus/status.h"

/* What a callback returns about a point. */
typedef enum sal_evaluation {
    SAL_EVALUATED,
    SAL_NO_VALUE, /* no value at this point: the method rejects the step and tries a shorter one */
    SAL_STOP      /* the search must end, with the best point so far */
} sal_evaluation;

/* The evaluation that a status stands for: running out of memory and interruptions end a search,
 * any other failure means that the point has no value. */
static inline sal_evaluation sal_evaluation_of(saltus_status status)
{
    if (status == SALTUS_OK) return SAL_EVALUATED;
    return status == SALTUS_ERR_MEMORY || status == SALTUS_ERR_INTERRUPTED ? SAL_STOP
                                                                           : SAL_NO_VALUE;
}

typedef enum sal_solve_status {
    SAL_CONVERGED,
    SAL_LIMIT,      /* the limit on iterations was reached */
    SAL_STALLED,    /* no shorter step helps, but the conditions of an optimum are not met */
    SAL_INFEASIBLE, /* the constraints cannot be met: their violation has a minimum above zero */
    SAL_UNBOUNDED,
    SAL_NO_START, /* the first point has no value */
    SAL_STOPPED,
    SAL_OUT_OF_MEMORY
} sal_solve_status;

#endif
