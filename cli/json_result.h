/* The JSON object that --json prints. Keys are in the order of the documentation; numbers that do
 * not exist are null; texts that are not UTF-8 are repaired. */
#ifndef CLI_JSON_RESULT_H
#define CLI_JSON_RESULT_H

#include <jansson.h>

#include "gradients.h"
#include "session.h"

json_t *cli_json_number(double value);
json_t *cli_json_text(const char *text); /* NULL: null */
/* Adds a member whose name may come from a model and need not be UTF-8. Takes over value. */
void cli_json_set(json_t *object, const char *name, json_t *value);
/* Adds members named in a text, each with a letter for the kind of its argument:
 *
 *     cli_json_add(object, "file:s bytes:l age:n", name, bytes, age)
 *
 * s: a text, NULL for null; e: a text, empty for null too; n: a number (double); i: an int; l: a
 * long long; b: an int as true or false; j: a value, which is taken over. Returns the object. */
json_t *cli_json_add(json_t *object, const char *members, ...);
json_t *cli_json_object(const char *members, ...);             /* a new object with such members */
void    cli_json_push(json_t *list, const char *members, ...); /* adds one at the end of a list */
/* A list of what entry returns for each index below count; NULL is left out. */
json_t *cli_json_list(const cli_session *session, int count,
                      json_t *(*entry)(const cli_session *session, int index));
/* {name: number} of parameters, by their indices (NULL: the first ones), or of what `info` names;
 * values are `stride` apart. NULL values: an empty object. */
json_t *cli_json_by_param(const cli_session *session, const int *params, int count,
                          const double *values, int stride);
json_t *cli_json_by_name(const cli_session *session, int count, cli_namer *info,
                         const double *values, int stride);
/* {name: {"re", "im"}} of parameters, by their indices. */
json_t *cli_json_complex(const cli_session *session, const int *params, int count, const double *re,
                         const double *im);
json_t *cli_json_numbers(const double *values, int count);
json_t *cli_json_matrix(const double *values, int rows, int columns); /* a list of rows */
json_t *cli_json_texts(char *const *texts, int count);
/* Writes the value with the fewest digits that give back each number. Returns 0 if writing failed,
 * or memory ran out. */
int cli_json_dump(const json_t *value, json_dump_callback_t write, void *context, size_t layout);
/* Prints the value and frees it. indent 0: on one line. Errors of writing stay in the stream. */
void cli_json_print(json_t *value, FILE *stream, int indent);

/* The members that are known once the model is loaded: saltus ... settings. */
void cli_result_head(cli_session *session);
/* Replaces "method" by the methods that were used, if auto chose them. */
void cli_result_method(cli_session *session, const saltus_method *method, int count);
/* The members that are known at the end: warnings, error, stats. May be called twice. */
void cli_result_tail(cli_session *session);
/* Adds costs, events, final, end, end_gradient to object; gradients may be NULL. */
void cli_result_run(cli_session *session, json_t *object, const cli_gradients *gradients,
                    int with_jumps);
/* {"status", "message", "file", "line"} */
json_t *cli_json_error(const saltus_error *error);
/* Usage errors have no session: {"saltus", "error"} on standard output. */
void cli_result_of_error(const saltus_error *error, int indent);
/* Prints the error, also as JSON if that was requested, and returns the exit status. */
int cli_refuse(const cli_arguments *arguments, const saltus_error *error);

/* The parameters, for --jsonl: {param: x}. */
json_t *cli_result_parameters(const cli_session *session);
/* Adds costs and the end of the run; all: also the other results of --json. */
void cli_result_line(cli_session *session, json_t *object, const cli_gradients *gradients, int all);
/* Reads one set of parameters per line of standard input and prints one result per line, until the
 * input ends; with_gradient: by the requested method. The system is compiled once, and one run
 * serves all lines. A line that cannot be read or run is answered with an error, and the next one
 * is read. At the end, the first failure becomes that of the session. */
void cli_lines_answer(cli_session *session, int with_gradient);

/* What differs between two results.
 *
 * {"same", "parameters": [{"name", "a", "b"}], "costs": [{"name", "a", "b", "change", "relative",
 * "same"}], "gradient": [{"cost", "by", "a", "b", "change"}], "events": [{"name", "occurrence",
 * "a", "b", "change"}], "unchanged": {"parameters", "gradient", "events"}}
 *
 * All costs are listed, and of the other entries those that differ; a or b is null where only the
 * other result has the entry. The n-th event of a name is compared with the n-th of the other
 * result. Numbers are the same if they agree to CLI_SAME_DIGITS digits; derivatives, to that many
 * digits of the largest one of their cost. */
enum { CLI_SAME_DIGITS = 7 };
json_t *cli_differences(const json_t *a, const json_t *b);

/* The jump matrix of an event, with the names of its rows and columns and its singular values. */
typedef struct cli_jump {
    int     rows, columns;
    double *matrix;   /* [row * columns + column]; NULL: there is none */
    double *singular; /* singular values, the largest first */
    char  **names;    /* names of the columns; rows have the first of them */
} cli_jump;

/* The jump matrix of an event of the run, by its number. An event that ended the run, or that
 * grazes, has none. */
cli_jump cli_jump_of(cli_session *session, int event);
/* Whether the jump matrices of all events are small enough to be computed always. */
int     cli_jumps_are_small(const cli_session *session);
void    cli_jump_free(cli_jump *jump);
json_t *cli_jump_json(const cli_jump *jump); /* null if there is none */
void    cli_jump_print(const cli_session *session, const cli_jump *jump, int event);

#endif
