/* Files that may have been meant. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library.h"
#include "text.h"

enum { FILES_MAX = 1000, NAME_MAX_BYTES = 255 };

/* Letters to change, add or leave out to get from one name to the other. */
static int distance(const char *a, size_t na, const char *b, size_t nb)
{
    int row[NAME_MAX_BYTES + 1];
    for (size_t k = 0; k <= nb; k++) row[k] = (int)k;
    for (size_t i = 0; i < na; i++) {
        int diagonal = row[0];
        row[0] = (int)i + 1;
        for (size_t k = 0; k < nb; k++) {
            const int changed = diagonal + (a[i] != b[k]);
            const int shorter = (row[k] < row[k + 1] ? row[k] : row[k + 1]) + 1;
            diagonal = row[k + 1];
            row[k + 1] = changed < shorter ? changed : shorter;
        }
    }
    return row[nb];
}

/* Without the ending, which all have and which is often forgotten. */
static size_t stem_length(const char *name)
{
    return strlen(name) - (cli_ends_with(name, ".lua") ? 4 : 0);
}

/* The names of models in the folder that are near: a third of the letters may differ. */
static char *nearest_in(DIR *directory, const char *name)
{
    const size_t length = stem_length(name);
    int          least = (int)length / 3 + 1;
    char        *best = NULL;
    if (length > NAME_MAX_BYTES) return NULL;
    for (int i = 0; i < FILES_MAX; i++) {
        const struct dirent *entry = readdir(directory);
        if (!entry) break;
        const size_t other = stem_length(entry->d_name);
        if (!cli_ends_with(entry->d_name, ".lua") || other > NAME_MAX_BYTES ||
            strcmp(entry->d_name, name) == 0)
            continue;
        const int d = distance(name, length, entry->d_name, other);
        /* The order of a folder is not fixed: of equals the alphabetically first. */
        if (d > least || (d == least && (!best || strcmp(entry->d_name, best) > 0))) continue;
        least = d;
        free(best);
        best = cli_copy(entry->d_name);
    }
    return best;
}

char *cli_nearest_model(const char *path)
{
    if (access(path, F_OK) == 0 || errno != ENOENT) return NULL;
    const char *slash = strrchr(path, '/');
    char       *folder = slash ? cli_copy_part(path, (size_t)(slash - path) + 1) : cli_copy("");
    DIR        *directory = opendir(slash ? folder : ".");
    char       *found = NULL;
    if (directory) {
        char *name = nearest_in(directory, slash ? slash + 1 : path);
        if (name) found = cli_format("%s%s", folder, name);
        free(name);
        closedir(directory);
    }
    free(folder);
    return found;
}
