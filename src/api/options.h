/* Checks of options that callers hand in. */
#ifndef SAL_API_OPTIONS_H
#define SAL_API_OPTIONS_H

#include "saltus/sim.h"

/* Fails unless the options are those of this version of the library, with values that make sense.
 */
saltus_status sal_check_options(const saltus_options *options, saltus_error *err);

#endif
