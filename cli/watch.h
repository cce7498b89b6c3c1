/* `saltus report --watch` and --open. */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include "options.h"

/* Makes the report, serves it to this machine, and makes it again whenever a file of the model is
 * saved, until Ctrl-C. Returns the exit status. */
int cli_watch(const cli_arguments *arguments);
/* Shows a file or an address in the browser: $BROWSER, or the program with which the desktop opens
 * pages. Returns 0 with the error if there is none. */
int cli_browse(const char *target, saltus_error *err);

/* The script that the served page has besides the report; written by cmake/join-library.cmake. */
extern const char cli_watch_script[];

#endif
