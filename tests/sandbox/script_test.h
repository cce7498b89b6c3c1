/* Loading scripts in tests: the outcome, what was printed, and the time it took. */
#ifndef SCRIPT_TEST_H
#define SCRIPT_TEST_H

#include <time.h>

#include "saltus/script.h"
#include "test.h"

struct outcome {
    saltus_error err;
    double       seconds; /* of the processor */
    char         printed[4096];
    size_t       length;
};

static inline void note_print(void *context, const char *text, size_t length)
{
    struct outcome *outcome = context;
    const size_t    room = sizeof outcome->printed - 1 - outcome->length;
    if (length > room) length = room;
    memcpy(outcome->printed + outcome->length, text, length);
    outcome->length += length;
    outcome->printed[outcome->length] = '\0';
}

/* Loads and frees; script.lua stands for the file. Options may be NULL. */
static inline struct outcome load_bytes(const char *script, size_t length,
                                        const saltus_script_options *options)
{
    struct outcome        outcome = {0};
    saltus_script_options all = options ? *options : saltus_script_options_default();
    const clock_t         start = clock();
    all.print = note_print;
    all.print_context = &outcome;
    saltus_model *model = saltus_model_load_text("script.lua", script, length, &all, &outcome.err);
    saltus_model_free(model);
    outcome.seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if ((model == NULL) != (outcome.err.status != SALTUS_OK))
        fail_msg("a model %s, but the status is %s", model ? "came" : "did not come",
                 saltus_status_name(outcome.err.status));
    return outcome;
}

static inline struct outcome load(const char *script)
{
    return load_bytes(script, strlen(script), NULL);
}

/* The script must load, and print exactly this. */
static inline void expect_prints(const char *script, const char *expected)
{
    const struct outcome outcome = load(script);
    if (outcome.err.status != SALTUS_OK)
        fail_msg("line %d: %s\nin the script:\n%s", outcome.err.line, outcome.err.message, script);
    assert_string_equal(outcome.printed, expected);
}

/* The script must fail at this line with a message that has this part. */
static inline void expect_fails(const char *script, int line, const char *part)
{
    const struct outcome outcome = load(script);
    if (outcome.err.status != SALTUS_ERR_MODEL)
        fail_msg("status %s, message '%s', of the script:\n%s",
                 saltus_status_name(outcome.err.status), outcome.err.message, script);
    if (!strstr(outcome.err.message, part))
        fail_msg("'%s' is not in the message '%s' of the script:\n%s", part, outcome.err.message,
                 script);
    if (outcome.err.line != line)
        fail_msg("line %d, expected %d: '%s' of the script:\n%s", outcome.err.line, line,
                 outcome.err.message, script);
    assert_string_equal(outcome.err.file, "script.lua");
}

#endif
