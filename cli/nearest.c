/* Files that may have been meant. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library.h"
#include "text.h"

enum { FILES_MAX = 1000 };

/* Without the ending, which all have and which is often forgotten. */
static char *stem_of(const char *name)
{
    return cli_copy_part(name, strlen(name) - (cli_ends_with(name, ".lua") ? 4 : 0));
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The stems of the models in a folder but this one, in alphabetical order: that of a folder is not
 * fixed. */
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
