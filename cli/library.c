/* The models that are inside the program. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json_result.h"
#include "library.h"
#include "output.h"
#include "text.h"

/* A longer sentence is cut where it pauses, as at a comma. */
enum { LINE_MAX_BYTES = 100 };

/* The name without .lua, which may be missing. The caller frees. */
static char *stem_of(const char *name)
{
    return cli_copy_part(name, strlen(name) - (cli_ends_with(name, ".lua") ? 4 : 0));
}

const cli_shipped *cli_library_find(const char *name)
{
    const cli_shipped *found = NULL;
    CLI_OWNED char    *stem = stem_of(name);
    for (int i = 0; i < cli_library_count && !found; i++)
        if (strcmp(cli_library[i].name, stem) == 0) found = &cli_library[i];
    return found;
}

/* ---- what a model is ------------------------------------------------------------------------ */

/* "ball.lua: a ball" begins with the name of its file. */
static const char *without_file_name(const char *comment)
{
    const char  *end = strstr(comment, ".lua: ");
    const size_t word = strcspn(comment, " ");
    return end && end + 5 == comment + word ? end + 6 : comment;
}

char *cli_script_comment(const char *script)
{
    char  *comment = cli_alloc(strlen(script) + 1, 1);
    size_t used = 0;
    while (strncmp(script, "--", 2) == 0) {
        const char  *text = script + 2 + (script[2] == ' ');
        const size_t length = strcspn(text, "\n");
        if (used) comment[used++] = ' ';
        memcpy(comment + used, text, length);
        used += length;
        script = text + length + (text[length] == '\n');
    }
    comment[used] = '\0';
    const char *text = without_file_name(comment);
    memmove(comment, text, strlen(text) + 1);
    return comment;
}

static size_t last_pause(const char *text, size_t limit)
{
    for (size_t i = limit; i > 0; i--)
        if (strchr(",:;", text[i]) && text[i + 1] == ' ') return i;
    return limit;
}

char *cli_library_line(const cli_shipped *model)
{
    char       *comment = cli_script_comment(model->text);
    const char *end = strstr(comment, ". ");
    size_t      length = end ? (size_t)(end - comment) : strlen(comment);
    if (length && comment[length - 1] == '.') length--;
    if (length > LINE_MAX_BYTES) length = last_pause(comment, LINE_MAX_BYTES);
    comment[length] = '\0';
    return comment;
}

/* ---- writing -------------------------------------------------------------------------------- */

int cli_library_write(const char *path, const char *text, saltus_error *err)
{
    if (strcmp(path, "-") == 0) {
        fputs(text, stdout); /* flushed and checked at the end */
        return 1;
    }
    cli_output output;
    if (!cli_output_open(&output, path, 1, err)) return 0; /* never replaces a file */
    fputs(text, output.stream);
    return cli_output_keep(&output, 0, err);
}

static void tell(const cli_arguments *a, const char *path)
{
    static const char *const next[][2] = {{"run", "simulate it"},
                                          {"gradient", "how its costs depend on its parameters"},
                                          {"report", "a page with plots and an animation"}};
    cli_print(a->out, "%s written. What to do with it:\n", path);
    for (size_t i = 0; i < sizeof next / sizeof *next; i++)
        cli_print(a->out, "  saltus %-8s %s   %s\n", next[i][0], path, next[i][1]);
}

int cli_library_close(const cli_arguments *a, const char *path, const saltus_error *err)
{
    if (err->status) return cli_refuse(a, err);
    if (a->json)
        cli_json_print(cli_json_object("saltus:s file:s", saltus_version(), path), a->out, 2);
    else if (!a->quiet && strcmp(path, "-") != 0) tell(a, path);
    return 0;
}

enum { FILES_MAX = 1000 };

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The stems of the models in a folder except this one, in alphabetical order, as folders have no
 * fixed order. */
static char **list_stems(DIR *directory, const char *but, int *count)
{
    char **stems = cli_alloc(FILES_MAX, sizeof *stems);
    *count = 0;
    for (const struct dirent *entry; *count < FILES_MAX && (entry = readdir(directory));)
        if (cli_ends_with(entry->d_name, ".lua") && strcmp(entry->d_name, but) != 0)
            stems[(*count)++] = stem_of(entry->d_name);
    qsort(stems, (size_t)*count, sizeof *stems, by_name);
    return stems;
}

static char *nearest_in(DIR *directory, const char *name)
{
    int              count = 0;
    CLI_OWNED char **stems = list_stems(directory, name, &count), *stem = stem_of(name);
    const char      *near = saltus_nearest(stem, (const char *const *)stems, count);
    char            *found = near ? cli_format("%s.lua", near) : NULL;
    for (int i = 0; i < count; i++) free(stems[i]);
    return found;
}

char *cli_nearest_model(const char *path)
{
    if (access(path, F_OK) == 0 || errno != ENOENT) return NULL;
    const char     *slash = strrchr(path, '/');
    CLI_OWNED char *folder = slash ? cli_copy_part(path, (size_t)(slash - path) + 1) : cli_copy("");
    DIR            *directory = opendir(slash ? folder : ".");
    char           *found = NULL;
    if (directory) {
        CLI_OWNED char *name = nearest_in(directory, slash ? slash + 1 : path);
        if (name) found = cli_format("%s%s", folder, name);
        closedir(directory);
    }
    return found;
}
