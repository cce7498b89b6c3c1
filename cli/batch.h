/* Several models on one command line. */
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include "options.h"

/* Does the command for each of the models, several at a time; what they print comes in the order of
 * the command line. Returns the largest of their exit statuses. */
int cli_batch_run(const cli_arguments *arguments);

#endif
