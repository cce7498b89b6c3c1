/* Which method is the cheapest for a request. */
#ifndef SAL_API_AUTO_H
#define SAL_API_AUTO_H

#include <stdbool.h>

#include "saltus/saltus.h"

/* SALTUS_DIRECT or SALTUS_DISCRETE, for the derivatives of this many costs and times (of events, of
 * the end) by this many parameters. The result depends on these numbers only. */
saltus_method sal_cheapest_method(int params, int costs, int times);

/* Whether a method that walks backward should compute the times by a walk forward. */
bool sal_times_go_forward(int params, int costs, int times);

#endif
