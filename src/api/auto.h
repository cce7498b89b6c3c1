/* Which method is the cheapest for what is asked. */
#ifndef SAL_API_AUTO_H
#define SAL_API_AUTO_H

#include "saltus/saltus.h"

/* SALTUS_DIRECT or SALTUS_DISCRETE, for derivatives of `rows` quantities (costs, event times, the
 * end) by `columns` parameters. The same for the same numbers, whatever the machine is doing. */
saltus_method sal_cheapest_method(int columns, int rows);

#endif
