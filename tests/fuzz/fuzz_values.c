/* Fuzz target: what the command line takes as `--set name=value` and as the text of `--params`.
 *
 *     SECONDS_EACH=600 make fuzz
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cli_values   values = {0};
    saltus_error err = {0};
    char        *text = malloc(size + 1);
    double       real;
    long long    count;
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    cli_values_add(&values, text, &err);
    memset(&err, 0, sizeof err);
    cli_values_add_json(&values, "fuzz.json", text, size, &err);
    cli_parse_real(text, &real);
    cli_parse_count(text, &count);
    cli_parse_size(text, &count);
    cli_values_free(&values);
    free(text);
    return 0;
}
