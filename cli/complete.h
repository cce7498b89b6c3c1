/* Completion of unfinished command lines, for the scripts of shells. */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include "options.h"

/* Prints what may stand in place of the last word, which may be empty; count > 0. The words are
 * those after the name of the program. */
void cli_complete(const char *const *words, int count, FILE *out);

#endif
