/* Fuzz target: from the text of a script to gradients, jump matrices and emitted C.
 *
 *     SECONDS_EACH=600 make fuzz
 *
 * A new finding becomes a test, and its script a file of corpus_model. */
#include "drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    saltus_script_options options = saltus_script_options_default();
    saltus_error          err = {0};
    options.step_limit = 200000;
    options.memory_limit = (size_t)4 << 20;
    saltus_model *model =
        saltus_model_load_text("fuzz.lua", (const char *)data, size, &options, &err);
    if (model) drive_model(model);
    saltus_model_free(model);
    return 0;
}
