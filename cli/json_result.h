/* The JSON object that --json prints. Keys come in the order of docs; numbers that do not exist are
 * null; texts that are not UTF-8 are mended. */
#ifndef CLI_JSON_RESULT_H
#define CLI_JSON_RESULT_H

#include <jansson.h>

#include "gradients.h"
#include "session.h"

json_t *cli_json_number(double value);
json_t *cli_json_text(const char *text); /* NULL: null */
/* Adds a member; the name need not be UTF-8. Takes over value. */
void cli_json_set(json_t *object, const char *name, json_t *value);
/* indent 0: on one line. Errors of writing stay in the stream. */
void cli_json_print(const json_t *value, FILE *stream, int indent);

/* The members that are known once the model is loaded: saltus ... settings. */
void cli_result_head(cli_session *session);
/* Replaces "method" by those that were used, where auto chose. */
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

/* For --jsonl. {param: x} of the values in force. */
json_t *cli_result_parameters(const cli_session *session);
/* Costs and how the run ended; all: with what --json has. */
void cli_result_line(cli_session *session, json_t *object, const cli_gradients *gradients, int all);

#endif
