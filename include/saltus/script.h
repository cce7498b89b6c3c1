/* Models written as Lua scripts, run in a sandbox. */
#ifndef SALTUS_SCRIPT_H
#define SALTUS_SCRIPT_H

#include "saltus/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The value of a parameter or setting that overrides the one in the script. text NULL: value. */
typedef struct saltus_override {
    const char *name;
    double      value;
    const char *text;
} saltus_override;

/* A file that data("name") reads. */
typedef struct saltus_data_file {
    const char *name, *file;
} saltus_data_file;

typedef struct saltus_script_options {
    const saltus_allocator *allocator; /* NULL: malloc */
    const saltus_override  *overrides; /* in order: a later one replaces an earlier one */
    int                     override_count;
    unsigned long long      seed;         /* for math.random */
    size_t                  memory_limit; /* bytes for the script and its model, and as many for
                                             compiling it; 0: 1 GiB */
    long long step_limit;                 /* instructions of Lua's virtual machine, and as many
                                             visits of operations for compiling; 0: the default */
    void (*print)(void *context, const char *text, size_t length); /* NULL: print is silent */
    void *print_context;
    /* The folder of the files that the script may read with data("name") and include "file.lua";
     * "": the current folder. NULL: the folder of the script's file; a script that is text in
     * memory then cannot read files. */
    const char             *folder;
    const saltus_data_file *data; /* files for data("name") that may be in any folder */
    int                     data_count;
    /* Called for each file that the script reads, with the name that the file would have beside the
     * model, and its content, borrowed until the call returns. May be NULL. */
    void (*on_file)(void *context, const char *name, const char *text, size_t length);
    void *on_file_context;
} saltus_script_options;

SALTUS_API saltus_script_options saltus_script_options_default(void);

/* Loads a model from a file; options NULL: the defaults. Returns NULL on failure; err then has the
 * file and the line. */
SALTUS_API saltus_model *saltus_model_load(const char *file, saltus_error *err);
SALTUS_API saltus_model *
saltus_model_load_with(const char *file, const saltus_script_options *options, saltus_error *err);
/* Loads a model from text in memory; messages use `name` as the name of the file. */
SALTUS_API saltus_model *saltus_model_load_text(const char *name, const char *text, size_t length,
                                                const saltus_script_options *options,
                                                saltus_error                *err);

/* Returns the words of the model language, sorted, for completion and hints; NULL ends the list. */
SALTUS_API const char *const *saltus_script_words(void);

#ifdef __cplusplus
}
#endif
#endif
