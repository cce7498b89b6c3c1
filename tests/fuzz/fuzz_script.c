/* Fuzzing the script loader: any bytes are a script; it must end soon, with a model or an error.
 *
 *     SECONDS_EACH=600 make fuzz
 * or, without cmake:
 *     clang -g -O1 -std=c11 -fsanitize=fuzzer,address,undefined -Iinclude -Isrc \
 *         $(pkg-config --cflags lua5.4) tests/fuzz/fuzz_script.c $(find src -name '*.c') \
 *         $(pkg-config --libs lua5.4) -lm -o fuzz_script
 *     ./fuzz_script -max_total_time=60 -timeout=10 -max_len=2000 corpus models
 *
 * A new finding becomes a test in tests/sandbox. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "saltus/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void swallow(void *context, const char *text, size_t length)
{
    size_t *total = context;
    if (length > 0 && text[length - 1] != '\n') abort(); /* print writes whole lines */
    *total += length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    saltus_script_options options = saltus_script_options_default();
    saltus_error          err = {0};
    size_t                printed = 0;
    options.step_limit = 200000;
    options.memory_limit = (size_t)8 << 20;
    options.print = swallow;
    options.print_context = &printed;
    saltus_model *model =
        saltus_model_load_text("fuzz.lua", (const char *)data, size, &options, &err);
    if ((model == NULL) != (err.status != SALTUS_OK)) abort();
    if (!model && err.message[0] == '\0') abort();
    if (strlen(err.message) >= sizeof err.message) abort();
    saltus_model_free(model);
    return 0;
}
