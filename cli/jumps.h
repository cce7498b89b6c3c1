/* The jump matrix of an event, with the names of its rows and columns and its singular values. */
#ifndef CLI_JUMPS_H
#define CLI_JUMPS_H

#include <jansson.h>

#include "session.h"

typedef struct cli_jump {
    int     rows, columns;
    double *matrix;   /* [row * columns + column]; NULL: there is none */
    double *singular; /* rows of them, the largest first */
    char  **names;    /* of the columns; the first ones are those of the rows */
} cli_jump;

/* Of the event-th event of the run. An event that ended the run, or that grazes, has none. */
cli_jump cli_jump_of(cli_session *session, int event);
/* Whether the matrices of all events are little work. */
int     cli_jumps_are_small(const cli_session *session);
void    cli_jump_free(cli_jump *jump);
json_t *cli_jump_json(const cli_jump *jump); /* null if there is none */
void    cli_jump_print(const cli_session *session, const cli_jump *jump, int event);

#endif
