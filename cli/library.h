/* The models that are inside the program: those of models/, and the one a new model begins with. */
#ifndef CLI_LIBRARY_H
#define CLI_LIBRARY_H

#include "options.h"

typedef struct cli_shipped {
    const char *name; /* without .lua */
    const char *text; /* the script */
} cli_shipped;

/* In alphabetical order; written by cmake/join-library.cmake when the program is built. */
extern const cli_shipped cli_library[];
extern const int         cli_library_count;
/* The model for `saltus new`, with @NAME@ and @FILE@ in place of the names of the model and of its
 * file. */
extern const cli_shipped cli_starter;

/* Files with the words of the language, for editors and luacheck; name: name of the file. */
enum { CLI_EDITOR_FILES = 3 };
extern const cli_shipped cli_editor_files[CLI_EDITOR_FILES];

/* The model of this name, with or without .lua, or NULL. */
const cli_shipped *cli_library_find(const char *name);
/* The comment on top of a script as one line; "" if there is none. The caller frees. */
char *cli_script_comment(const char *script);
/* A line about a model, from the comment at its top. The caller frees. */
char *cli_library_line(const cli_shipped *model);

/* A model in the same folder whose name is close to that of a file that does not exist; NULL if
 * there is none, or if the file is there and cannot be read. The caller frees. */
char *cli_nearest_model(const char *path);

/* Writes a file that must not be there yet; "-": standard output. */
int cli_library_write(const char *path, const char *text, saltus_error *err);
/* Reports the file that was written, as text or as {"file": ...}, or the error. Returns the exit
 * status. */
int cli_library_close(const cli_arguments *arguments, const char *path, const saltus_error *err);

/* The words of the model language, from saltus.d.lua, the file that editors read. */

/* Prints all words, in groups, with a line about each. */
void cli_words_list(FILE *stream);
/* Prints how a word is written, what it means and its options. Returns 0 if there is no such
 * word. */
int cli_word_explain(FILE *stream, const char *word);
/* The names of all words, to be freed with cli_names_free. */
char **cli_word_names(int *count);

#endif
