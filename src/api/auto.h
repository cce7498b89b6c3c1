/* Which method is the cheapest for what is asked. */
#ifndef SAL_API_AUTO_H
#define SAL_API_AUTO_H

#include <stdbool.h>

#include "saltus/saltus.h"

/* SALTUS_DIRECT or SALTUS_DISCRETE, for derivatives of so many costs and times (of events, of the
 * end) by so many parameters. The same for the same numbers, whatever the machine is doing. */
saltus_method sal_cheapest_method(int params, int costs, int times);

/* Whether a method that walks backward does better to leave the times to a walk forward. */
bool sal_times_go_forward(int params, int costs, int times);

#endif
