/* The parts of a report: one JSON object that the page (web/) reads.
 *
 *     {"result": what --json prints, "model": names, units, formulas, "methods": gradients by each,
 *      "checks", "taylor", "truth": costs at places of the sliders, "drawing": shapes and steps,
 *      "motion": numbers over time, "other": a second motion, "comparison": what differs from it,
 *      "answer": the search that the second one is the result of, "live": how to simulate again}
 *
 * Numbers over time are base64 of little-endian floats, column by column; all others are in full.
 */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <jansson.h>

#include "check.h"
#include "session.h"

/* The whole object, for a session that has been simulated and checked. other: a second motion, or
 * null, which is taken over. */
json_t *cli_report_data(cli_session *session, const cli_certificate *certificate, json_t *other);
/* The members that change when the model runs again with other parameters: result, methods and
 * motion. The certificate has the discrete gradient only. */
json_t *cli_report_again(cli_session *session, const cli_certificate *certificate);

/* The member "model": what is known once the model is loaded. */
json_t *cli_report_model(const cli_session *session);
/* The member "drawing": shapes and steps. */
json_t *cli_report_drawing(cli_session *session);
/* {method: {"error", "gradient": [cost][param], "times": [event][param]}}; NULL: none. */
json_t *cli_report_methods(const cli_session *session, const cli_gradients *gradients);
json_t *cli_report_taylor(const cli_session *session, const cli_taylor *taylor);
/* The member "motion": the motion, tangents, adjoints, duality and, if requested, finite
 * differences. gradients: compared with duality; NULL: the motion alone. */
json_t *cli_report_motion(cli_session *session, const cli_gradients *gradients,
                          int with_differences);

/* The second motion, if the command line names two: {"result", "model", "drawing", "motion"}; null
 * if it names one; NULL if it could not be loaded. Errors are printed, and set the status. */
json_t *cli_report_other(const cli_arguments *arguments, int *status);

/* The page without its data, made when the program was built; size 0: there is none. */
extern const unsigned char cli_report_page[];
extern const unsigned long cli_report_page_size;
/* The page of a sweep without its data. */
extern const unsigned char cli_sweep_page[];
extern const unsigned long cli_sweep_page_size;

/* The library for WebAssembly, the script of the worker that runs it, and the licences of what it
 * contains, each compressed by gzip; size 0: the program has no engine (make live). */
extern const unsigned char cli_live_engine[], cli_live_worker[], cli_live_licences[];
extern const unsigned long cli_live_engine_size, cli_live_worker_size, cli_live_licences_size;

/* 1 if the page can simulate: the engine is there, and was not declined. */
int cli_report_is_live(const cli_arguments *arguments);

/* Writes the report with its title, its description and its data; live: with the engine. */
void cli_report_write(FILE *stream, const char *title, const char *about, const json_t *data,
                      int live);
/* Writes any page. */
void cli_page_write(FILE *stream, const unsigned char *page, unsigned long size, const char *title,
                    const char *about, const json_t *data, int live);

/* 1 if there is no file, or an empty one, or a page that saltus has written. */
int cli_report_may_replace(const char *path);

/* "sha256-...", by which the policy of a page names a script that it may run. The caller frees. */
char *cli_report_hash(const char *text, size_t length);

/* Bytes as text; the caller frees. */
char *cli_base64(const unsigned char *bytes, size_t count);
/* Base64 of numbers, as doubles and as floats. */
json_t *cli_report_doubles(const double *values, int count);
json_t *cli_report_floats(const double *values, int columns, int stride, int rows);

#endif
