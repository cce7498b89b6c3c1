/* Values from outside: `--set name=value`, `--params FILE`, numbers in options. All functions take
 * text and touch no file, so that they can be fuzzed. */
#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include "saltus/saltus.h"

/* Values in the order given; the last one of a name is used. Names and texts are owned. */
typedef struct cli_values {
    saltus_override   *value;
    struct cli_origin *origin; /* by value: where it comes from */
    int                count;
} cli_values;

/* Adds one "name=value". A finite number becomes a number; everything else is text, for settings.
 * Quotes make anything a text: name="2". Returns 1, or 0 with the error. */
int cli_values_add(cli_values *values, const char *text, saltus_error *err);

/* Adds the values of a JSON object, or the "parameters" and "settings" of an earlier output of
 * --json. `file` is for messages. Adds nothing on failure. */
int cli_values_add_json(cli_values *values, const char *file, const char *json, size_t length,
                        saltus_error *err);

/* Adds the file that a value came from to an error of the library about this value. */
void cli_values_explain(const cli_values *values, saltus_error *err);

void cli_values_free(cli_values *values);

/* Parse the whole text as a finite number; as a whole number that is not negative; as bytes (64k,
 * 10M, 2G). Return 0 and leave the result alone if it is none. */
int cli_parse_real(const char *text, double *value);
int cli_parse_count(const char *text, long long *value);
int cli_parse_size(const char *text, long long *bytes);

#endif
