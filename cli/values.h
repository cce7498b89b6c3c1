/* Values from outside: `--set name=value`, `--params FILE`, numbers in options. All functions take
 * text and touch no file, so that they can be fuzzed. */
#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include "saltus/saltus.h"

/* The values in the order given; the last one of a name wins. Names and texts are owned. */
typedef struct cli_values {
    saltus_override   *value;
    struct cli_origin *origin; /* of each value */
    int                count;
} cli_values;

/* One "name=value". A value that reads as a finite number is one; everything else is text, for
 * settings. Quotes make a text of anything: name="2". Returns 1, or 0 with the error. */
int cli_values_add(cli_values *values, const char *text, saltus_error *err);

/* A JSON object of names and values, or an earlier output of --json, whose "parameters" and
 * "settings" are taken. `file` is for messages. Adds nothing on failure. */
int cli_values_add_json(cli_values *values, const char *file, const char *json, size_t length,
                        saltus_error *err);

/* Makes an error of the library about one of the values name the file it came from. */
void cli_values_explain(const cli_values *values, saltus_error *err);

void cli_values_free(cli_values *values);

/* The whole text as a finite number; a whole number, not negative; bytes (64k, 10M, 2G).
 * Return 0 and leave the result alone if it is not one. */
int cli_parse_real(const char *text, double *value);
int cli_parse_count(const char *text, long long *value);
int cli_parse_size(const char *text, long long *bytes);

#endif
