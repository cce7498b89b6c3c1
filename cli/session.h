/* One call of the program: the model it loads, the run it makes, what went wrong.
 *
 *     cli_session_open -> cli_session_simulate -> ... -> cli_session_close
 *
 * The first failure is kept in session->error, and later calls do nothing. cli_session_close
 * reports it, on stderr and in the JSON object, and turns it into the exit status. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include <stdio.h>

#include <jansson.h>

#include "options.h"
#include "output.h"
#include "progress.h"
#include "saltus/saltus.h"
#include "table.h"
#include "text.h"

typedef struct cli_session {
    const cli_arguments *arguments;
    saltus_error         error;        /* the first failure */
    int                  check_failed; /* 1: exit status 4 */
    char                *script;       /* its text; NULL: not read */
    char                 sha256[65];   /* hash value of the script */
    json_t *files; /* texts of the files that the script read, by name. NULL: not needed, or too
                      large for a page */
    char         **cost_names; /* names of all costs of the model */
    int            cost_name_count;
    saltus_model  *model; /* the model that was loaded */
    saltus_system *system;
    saltus_size    size;
    saltus_options options; /* options in force */
    saltus_run    *run;
    cli_choice     params;  /* requested parameters; the system has the requested costs only */
    double        *values;  /* values of all parameters; NULL: the model's */
    double        *cost;    /* value of every cost, once simulated; else NULL */
    int            events;  /* number of events, once simulated */
    double         forward; /* processor seconds of the last simulation */
    char         **warnings;
    int            warning_count;
    cli_progress   progress;
    cli_style      style; /* colours and width of standard output */
    cli_output     file;
    FILE          *output; /* the open file of -o; NULL: none, or closed */
    char          *kept;   /* name of the file that was written; NULL: none yet */
    json_t        *result; /* the object of --json; NULL: not requested */
    json_t        *stats;
} cli_session;

/* Loads and compiles the model, applies all options. */
int cli_session_open(cli_session *session, const cli_arguments *arguments);
/* Simulates with the session's run, which is made at the first call. It is a failure if the motion
 * does not reach its end. Returns 1 if it does. */
int cli_session_simulate(cli_session *session);
/* Adds new warnings of the run to those of the session. */
void cli_session_take_warnings(cli_session *session);
/* How a run or a search may end. */
typedef struct cli_end {
    const char   *name;   /* in JSON */
    saltus_status status; /* status with which the program fails */
} cli_end;
/* Fails if the end is a failure. message "": the text of its status. */
void cli_session_ends(cli_session *session, cli_end end, const char *message);
/* Takes over all parameters, as a search has found them; NULL: it found none. */
void cli_session_take_values(cli_session *session, const double *params);
/* Writes the result to the file of -o, if there is one; also if a search failed, as its best point
 * may be useful. */
void cli_session_write_result(cli_session *session);
/* Completes the file of session->output. If something failed before, the result is incomplete and
 * is named FILE.part.csv. Returns 1 if the file exists; its name is then session->kept. */
int cli_session_keep(cli_session *session);
/* Whether the command may write this file, which must not be one that it reads. */
int cli_session_may_write(const cli_session *session, const char *path, saltus_error *err);
/* Prints warnings and the error, frees everything, and returns the exit status. */
int cli_session_close(cli_session *session);

/* 1 if tables are printed. */
int  cli_session_prints(const cli_session *session);
void cli_session_warn(cli_session *session, const char *format, ...) CLI_PRINTF(2, 3);
/* Prints the first line: name and file of the model. */
void cli_session_title(const cli_session *session);
/* Prints a table on standard output and frees it. */
void cli_session_table(const cli_session *session, cli_table *table);
/* Prints the table if tables are printed, and adds the value ("name:j") to the JSON result if there
 * is one. Both are taken over, and may be NULL. */
void cli_session_tell(cli_session *session, cli_table *table, const char *member, json_t *value);

/* A function such as saltus_system_coordinate. */
typedef saltus_name_info cli_namer(const saltus_system *system, int index);
/* Names of the parameter and of the cost at a place in the requested lists. */
const char *cli_param_name(const cli_session *session, int place);
const char *cli_cost_name(const cli_session *session, int place);

/* Kinds of columns, in the order in which they take names: columns have the names of the script,
 * and no two have the same. */
typedef enum cli_column {
    CLI_COORDINATE,
    CLI_MEMORY,
    CLI_COST,
    CLI_OUTPUT,
    CLI_PARAM /* never in a table with outputs */
} cli_column;

/* The column name of number `index` of a kind in the system; "cost(x)" if t, mode, the state or an
 * earlier kind has that name. It does not depend on the request. The caller frees. */
char *cli_column_name(const cli_session *session, cli_column kind, int index);

/* The name of a position (order 0), a velocity (1) or an acceleration (2): of a first-order state
 * s they are integral(s), s and dot(s). The caller frees. */
char *cli_motion_name(const cli_session *session, int index, int order);

/* The names of the state: coordinates, velocities, memories, integrals of the costs. The caller
 * frees them with cli_names_free. */
char **cli_state_names(const cli_session *session, int *count);
void   cli_names_free(char **names, int count);

/* The time at which the motion starts. */
double      cli_session_start(const cli_session *session);
const char *cli_direction_name(saltus_direction direction);
/* The status with which the program fails after this outcome, or SALTUS_OK. */
saltus_status cli_outcome_status(saltus_outcome outcome);
/* "horizon", the event that ended the run, or the outcome, e.g. "zeno". */
const char *cli_run_end(const saltus_system *system, const saltus_run_info *info);
const char *cli_session_end(const cli_session *session);

/* "file:line: error: ...", or "saltus: error: ...". A closed pipe is not reported. */
void cli_error_print(FILE *stream, const saltus_error *error, int plain);
/* Prints the line that the error names, with a mark under the name in quotes that the message has,
 * if the line has it once; nothing if there is no such line, or if it came from standard input. */
void cli_excerpt_print(FILE *stream, const saltus_error *error, cli_style style);

#endif
