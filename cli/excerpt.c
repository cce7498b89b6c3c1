/* Shows the line of a script that a message is about. */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "session.h"

enum { LINE_MAX_BYTES = 160, FILE_MAX_BYTES = 16 << 20 };

/* Reads a line, without its end and cut if it is too long; NULL if there is none. The caller
 * frees. */
static char *line_of(const char *path, int number)
{
    struct stat about;
    char       *line = NULL;
    size_t      capacity = 0;
    ssize_t     length = -1;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size > FILE_MAX_BYTES)
        return NULL;
    FILE *stream = fopen(path, "rb");
    for (int i = 0; stream && i < number; i++) {
        length = getline(&line, &capacity, stream);
        if (length < 0) break;
    }
    if (stream) fclose(stream);
    char *clean = NULL;
    if (length > 0) {
        while (length > 0 && isspace((unsigned char)line[length - 1])) length--;
        if (length > LINE_MAX_BYTES) length = LINE_MAX_BYTES;
        for (ssize_t i = 0; i < length; i++)
            if (line[i] == '\t') line[i] = ' '; /* so that marks are in the right column */
        clean = cli_clean(line, (size_t)length, CLI_LINE);
    }
    free(line);
    return clean;
}

static int is_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Finds the word in the line, not as a part of another word; NULL if it is not there. */
static const char *find_word(const char *line, const char *word, size_t length)
{
    for (const char *at = line; *at; at++) {
        if (strncmp(at, word, length) != 0) continue;
        if (at > line && is_name(at[-1]) && is_name(*word)) continue;
        if (is_name(at[length]) && is_name(word[length - 1])) continue;
        return at;
    }
    return NULL;
}

/* Finds the last quoted text of the message that the line contains exactly once; NULL if there is
 * none. In "coordinate 'y': there is no option 'strat', did you mean 'start'?" this is strat. */
static const char *place_in(const char *line, const char *message, size_t *length)
{
    const char *hint = strstr(message, "did you mean"), *place = NULL;
    for (const char *open = strchr(message, '\''); open; open = strchr(open + 1, '\'')) {
        const char  *close = strchr(open + 1, '\'');
        const size_t size = close ? (size_t)(close - open) - 1 : 0;
        if (!close || (hint && open > hint)) break;
        const char *at = size ? find_word(line, open + 1, size) : NULL;
        if (at && !find_word(at + 1, open + 1, size)) {
            place = at;
            *length = size;
        }
        open = close;
    }
    return place;
}

static void print_mark(FILE *stream, const char *line, const char *at, size_t length,
                       cli_style style)
{
    CLI_OWNED char *before = cli_copy_part(line, (size_t)(at - line));
    CLI_OWNED char *marked = cli_copy_part(at, length);
    fprintf(stream, "      | %*s%s^", cli_width(before), "", cli_escape(style, CLI_RED));
    for (int i = 1; i < cli_width(marked); i++) fputc('~', stream);
    fprintf(stream, "%s\n", cli_escape(style, CLI_PLAIN));
}

void cli_excerpt_print(FILE *stream, const saltus_error *error, cli_style style)
{
    if (error->line < 1 || !*error->file) return;
    CLI_OWNED char *line = line_of(error->file, error->line);
    size_t          length = 0;
    if (line && *line) {
        const char *at = place_in(line, error->message, &length);
        fprintf(stream, "%5d | %s\n", error->line, line);
        if (at) print_mark(stream, line, at, length, style);
    }
}
