/* What the methods of this folder share: how they ask for values, and how they end. */
#ifndef SAL_SOLVE_SOLVE_H
#define SAL_SOLVE_SOLVE_H

#include "saltus/status.h"

/* What a callback has to say about a point. */
typedef enum sal_evaluation {
    SAL_EVALUATED,
    SAL_NO_VALUE, /* there is none at this point: the step to it is rejected and a shorter one tried
                   */
    SAL_STOP      /* the search must end, with the best point so far */
} sal_evaluation;

/* What a failure says: lack of memory and an interruption end a search, every other one is a
 * failure of the point. */
static inline sal_evaluation sal_evaluation_of(saltus_status status)
{
    if (status == SALTUS_OK) return SAL_EVALUATED;
    return status == SALTUS_ERR_MEMORY || status == SALTUS_ERR_INTERRUPTED ? SAL_STOP
                                                                           : SAL_NO_VALUE;
}

typedef enum sal_solve_status {
    SAL_CONVERGED,
    SAL_LIMIT,      /* of iterations */
    SAL_STALLED,    /* no shorter step helps, but the conditions of an optimum are not met */
    SAL_INFEASIBLE, /* even the violation of the constraints has a minimum that is not zero */
    SAL_UNBOUNDED,
    SAL_NO_START, /* there is no value at the first point */
    SAL_STOPPED,
    SAL_OUT_OF_MEMORY
} sal_solve_status;

#endif
