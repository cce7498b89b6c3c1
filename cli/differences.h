/* What differs between two results: objects as --json prints them. */
#ifndef CLI_DIFFERENCES_H
#define CLI_DIFFERENCES_H

#include <jansson.h>

/* {"same", "parameters": [{"name", "a", "b"}], "costs": [{"name", "a", "b", "change", "relative",
 * "same"}], "gradient": [{"cost", "by", "a", "b", "change"}], "events": [{"name", "occurrence",
 * "a", "b", "change"}], "unchanged": {"parameters", "gradient", "events"}}
 *
 * All costs are listed, and of the others those that differ; a or b is null where only the other
 * one has it. The n-th event of a name is compared with the n-th of the other result. Numbers are
 * the same if they agree to CLI_SAME_DIGITS digits; derivatives, to that many of the largest one of
 * their cost. */
enum { CLI_SAME_DIGITS = 7 };
json_t *cli_differences(const json_t *a, const json_t *b);

#endif
