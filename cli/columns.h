/* Names of columns: those of the script, and never two alike. */
#ifndef CLI_COLUMNS_H
#define CLI_COLUMNS_H

#include "session.h"

/* In the order in which names are taken. */
typedef enum cli_column {
    CLI_COORDINATE,
    CLI_MEMORY,
    CLI_COST,
    CLI_OUTPUT,
    CLI_PARAM /* not beside outputs in any table */
} cli_column;

/* The name of the index-th of its kind in the system; "cost(x)" if t, mode, the state or a kind
 * before it have that name already. It does not depend on what is asked for. The caller frees. */
char *cli_column_name(const cli_session *session, cli_column kind, int index);

#endif
