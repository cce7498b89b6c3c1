/* The line of a script that a message is about. */
#ifndef CLI_EXCERPT_H
#define CLI_EXCERPT_H

#include <stdio.h>

#include "saltus/saltus.h"
#include "table.h"

/* Prints the line that the error names, with a mark under the name in quotes that the message has,
 * if the line has it once; nothing if there is no such line, or if it came from standard input. */
void cli_excerpt_print(FILE *stream, const saltus_error *error, cli_style style);

#endif
