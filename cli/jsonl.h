/* --jsonl: one set of parameters per line of standard input, one result per line of standard
 * output. The system is compiled once, one run serves all lines. */
#ifndef CLI_JSONL_H
#define CLI_JSONL_H

#include "session.h"

/* Answers line by line until the input ends; with_gradient: by the method asked for. A line that
 * cannot be read or run is answered with an error, and the next one is read. In the end the first
 * failure is the session's. */
void cli_lines_answer(cli_session *session, int with_gradient);

#endif
