/* Derivatives from both sides of each parameter's value, as tables and as JSON. */
#ifndef CLI_ONE_SIDED_H
#define CLI_ONE_SIDED_H

#include "session.h"

/* Computes them on the session's run, which has been simulated, by the first method that was asked
 * for, and prints them or adds them to the result. */
void cli_one_sided(cli_session *session);

#endif
