/* Models written as Lua scripts, run in a sandbox. */
#ifndef SALTUS_SCRIPT_H
#define SALTUS_SCRIPT_H

#include "saltus/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One value from outside: a parameter or a setting. text NULL: the number. */
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
    unsigned long long      seed;         /* of math.random */
    size_t                  memory_limit; /* bytes for the script and its model, and as many for
                                             compiling it; 0: 1 GiB */
    long long step_limit;                 /* virtual machine instructions, and as many visits of
                                             operations for compiling; 0: the default */
    void (*print)(void *context, const char *text, size_t length); /* NULL: print is silent */
    void *print_context;
    /* The folder of files that a script may read with data("name") and include "file.lua"; "": the
     * present one. NULL: that of the script's file; a script that is text in memory then reads
     * none. */
    const char             *folder;
    const saltus_data_file *data; /* files wherever they are, for data("name") */
    int                     data_count;
    /* Is told of each file that the script reads: what it would be called beside the model, and its
     * content, borrowed until the call returns. NULL: nobody is told. */
    void (*on_file)(void *context, const char *name, const char *text, size_t length);
    void *on_file_context;
} saltus_script_options;

SALTUS_API saltus_script_options saltus_script_options_default(void);

/* Loads a model from a file; options NULL: the defaults. NULL on failure, with file and line. */
SALTUS_API saltus_model *saltus_model_load(const char *file, saltus_error *err);
SALTUS_API saltus_model *
saltus_model_load_with(const char *file, const saltus_script_options *options, saltus_error *err);
/* Loads a model from text in memory; messages have `name` in place of the file. */
SALTUS_API saltus_model *saltus_model_load_text(const char *name, const char *text, size_t length,
                                                const saltus_script_options *options,
                                                saltus_error                *err);

/* The words of the model language, sorted, for completion and hints; NULL ends the list. */
SALTUS_API const char *const *saltus_script_words(void);

#ifdef __cplusplus
}
#endif
#endif
