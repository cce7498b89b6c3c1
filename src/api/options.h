/* Checks of options from callers. */
#ifndef SAL_API_OPTIONS_H
#define SAL_API_OPTIONS_H

#include "saltus/sim.h"

/* Fails unless the options were filled in by this version of the library and their values are
 * valid.
 */
saltus_status sal_check_options(const saltus_options *options, saltus_error *err);

#endif
