/* Choosing among names: --wrt a,b --cost 'e*'. */
#ifndef CLI_NAME_PATTERNS_H
#define CLI_NAME_PATTERNS_H

#include "saltus/saltus.h"

/* Indices, ascending: what is asked for is shown in the script's order. */
typedef struct cli_choice {
    int *index;
    int  count;
} cli_choice;

/* Adds to chosen[i] the names that a list "a,b*" mentions; `what` ("parameter") and `option`
 * ("--wrt") are for messages. A name that is not there is an error that offers the nearest. */
int cli_choose(const char *list, const char *const *names, int count, char *chosen,
               const char *what, const char *option, saltus_error *err);

/* The indices marked in chosen. */
cli_choice cli_choice_of(const char *chosen, int count);

#endif
