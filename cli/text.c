/* Small tools of the program: memory, text, files. */
#define _POSIX_C_SOURCE 200809L
#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void cli_out_of_memory(void)
{
    fputs("saltus: error: out of memory\n", stderr);
    exit(saltus_status_exit_code(SALTUS_ERR_MEMORY));
}

void cli_need_memory(const saltus_error *err)
{
    if (err->status == SALTUS_ERR_MEMORY) cli_out_of_memory();
}

static void *check_memory(void *block)
{
    if (!block) cli_out_of_memory();
    return block;
}

void *cli_bytes(size_t size) { return check_memory(malloc(size ? size : 1)); }

void *cli_alloc(size_t count, size_t size)
{
    return check_memory(calloc(count ? count : 1, size ? size : 1));
}

void cli_release(void *variable)
{
    void *block;
    memcpy(&block, variable, sizeof block);
    free(block);
}

void *cli_grow(void *block, int count, size_t size)
{
    enum { LEAST = 16 };
    const int is_full = count == 0 || (count >= LEAST && (count & (count - 1)) == 0);
    const int capacity = count == 0 ? LEAST : 2 * count;
    return is_full ? check_memory(realloc(block, (size_t)capacity * size)) : block;
}

char *cli_copy_part(const char *text, size_t length)
{
    char *copy = cli_alloc(length + 1, 1);
    memcpy(copy, text, length);
    return copy;
}

char *cli_trimmed(const char *text, size_t length)
{
    while (length > 0 && isspace((unsigned char)*text)) text++, length--;
    while (length > 0 && isspace((unsigned char)text[length - 1])) length--;
    return cli_copy_part(text, length);
}

char *cli_copy(const char *text) { return cli_copy_part(text, strlen(text)); }

static char *format_list(const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    const int length = vsnprintf(NULL, 0, format, list);
    char     *text = cli_alloc((size_t)(length < 0 ? 0 : length) + 1, 1);
    if (length > 0) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char *cli_format(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *text = format_list(format, list);
    va_end(list);
    return text;
}

char *cli_append(char *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    CLI_OWNED char *more = format_list(format, list);
    va_end(list);
    char *longer = text ? cli_format("%s%s", text, more) : cli_copy(more);
    free(text);
    return longer;
}

char *cli_next_part(const char **list, const char *separator)
{
    const size_t length = strcspn(*list, separator);
    char        *part = cli_trimmed(*list, length);
    *list = (*list)[length] ? *list + length + 1 : NULL;
    return part;
}

char *cli_next_line(const char **text)
{
    if (!**text) return NULL;
    const size_t length = strcspn(*text, "\n");
    char        *line = cli_copy_part(*text, length);
    *text += length + ((*text)[length] == '\n');
    return line;
}

int cli_is_one_of(const char *word, const char *list)
{
    while (list) {
        CLI_OWNED char *one = cli_next_part(&list, " ");
        if (strcmp(one, word) == 0) return 1;
    }
    return 0;
}

const char *cli_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *cli_replaced(const char *text, const char *mark, const char *word)
{
    char  *copy = NULL;
    size_t size = 0;
    FILE  *stream = cli_memory_open(&copy, &size);
    for (const char *at; (at = strstr(text, mark)); text = at + strlen(mark))
        fprintf(stream, "%.*s%s", (int)(at - text), text, word);
    fputs(text, stream);
    cli_memory_close(stream, &copy);
    return copy;
}

char *cli_quoted(const char *text, const char *quote, const char *inside)
{
    CLI_OWNED char *safe = cli_replaced(text, quote, inside);
    return cli_format("%s%s%s", quote, safe, quote);
}

char *cli_nearest(const char *name, const char *const *names, int count, const char *form,
                  const char *otherwise)
{
    const char *near = saltus_nearest(name, names, count);
    return near ? cli_format(form, near) : cli_copy(otherwise);
}

int cli_ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), size = strlen(ending);
    return length > size && strcmp(text + length - size, ending) == 0;
}

char *cli_number_text(double value, char *text)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    return text;
}

void cli_csv_text(FILE *stream, const char *text)
{
    CLI_OWNED char *quoted = cli_quoted(text, "\"", "\"\"");
    fputs(strpbrk(text, ",\"\r\n") ? quoted : text, stream);
}

FILE *cli_memory_open(char **text, size_t *size)
{
    return check_memory(open_memstream(text, size));
}

/* Closes a memory stream. If memory runs out, fclose leaves NULL without an error, so this checks
 * for it. */
void cli_memory_close(FILE *stream, char *const *text)
{
    const int failed = ferror(stream);
    if (fclose(stream) != 0 || failed || !*text) cli_out_of_memory();
}

int cli_fail(saltus_error *err, saltus_status status, const char *format, ...)
{
    va_list list;
    if (err->status) return 0;
    va_start(list, format);
    vsnprintf(err->message, sizeof err->message, format, list);
    va_end(list);
    err->status = status;
    return 0;
}

int cli_fail_file(saltus_error *err, const char *verb, const char *path)
{
    const int reason = errno;
    return cli_fail(err, reason == ENOMEM ? SALTUS_ERR_MEMORY : SALTUS_ERR_FILE,
                    "cannot %s '%s': %s", verb, path, strerror(reason));
}

/* ---- files ---------------------------------------------------------------------------------- */

static char *read_stream(FILE *stream, const char *path, size_t *length, saltus_error *err)
{
    size_t size = 0, capacity = 1 << 16;
    char  *text = cli_bytes(capacity);
    for (;;) {
        size += fread(text + size, 1, capacity - size - 1, stream);
        if (size < capacity - 1) break;
        if (capacity >= CLI_FILE_LIMIT) {
            cli_fail(err, SALTUS_ERR_FILE, "'%s' is larger than %d MiB", path,
                     CLI_FILE_LIMIT >> 20);
            break;
        }
        capacity *= 2;
        text = check_memory(realloc(text, capacity));
    }
    if (ferror(stream)) cli_fail_file(err, "read", path);
    text[size] = '\0';
    *length = size;
    return text;
}

char *cli_read_file(const char *path, size_t *length, saltus_error *err)
{
    if (err->status) return NULL;
    const int standard = strcmp(path, "-") == 0;
    FILE     *stream = standard ? stdin : fopen(path, "rb");
    if (!stream) {
        cli_fail_file(err, "read", path);
        return NULL;
    }
    char *text = read_stream(stream, path, length, err);
    if (!standard) fclose(stream);
    if (!err->status) return text;
    free(text);
    return NULL;
}

/* ---- UTF-8 ---------------------------------------------------------------------------------- */

static int length_by_first(unsigned char byte)
{
    if (byte < 0x80) return 1;
    if (byte < 0xC0) return 0; /* a continuation byte */
    return byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : byte < 0xF8 ? 4 : 0;
}

/* Returns the number of bytes of the character at text, and its code point; 0 if it is not UTF-8,
 * or NUL. */
static int decode(const unsigned char *s, unsigned *point)
{
    static const unsigned lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    const int             bytes = length_by_first(s[0]);
    if (bytes == 0) return 0;
    unsigned c = bytes == 1 ? s[0] : s[0] & (0x7Fu >> bytes);
    for (int i = 1; i < bytes; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0; /* true for a NUL, too */
        c = c << 6 | (s[i] & 0x3Fu);
    }
    if (c < lowest[bytes] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return 0;
    *point = c;
    return bytes;
}

/* Columns of a character: combining marks take none, East Asian characters two. wcwidth would need
 * a locale, and a locale would change the decimal point. */
static int point_width(unsigned c)
{
    static const struct {
        unsigned first, last;
        int      width;
    } ranges[] = {
        {0x0300, 0x036F, 0},   {0x1AB0, 0x1AFF, 0}, {0x1DC0, 0x1DFF, 0}, {0x200B, 0x200F, 0},
        {0x20D0, 0x20FF, 0},   {0xFE00, 0xFE0F, 0}, {0xFE20, 0xFE2F, 0}, {0x1100, 0x115F, 2},
        {0x2E80, 0x303E, 2},   {0x3041, 0xA4CF, 2}, {0xAC00, 0xD7A3, 2}, {0xF900, 0xFAFF, 2},
        {0xFE30, 0xFE6F, 2},   {0xFF00, 0xFF60, 2}, {0xFFE0, 0xFFE6, 2}, {0x1F300, 0x1FAFF, 2},
        {0x20000, 0x3FFFD, 2},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i].first && c <= ranges[i].last) return ranges[i].width;
    return 1;
}

unsigned cli_next_point(const char **text)
{
    unsigned  point = (unsigned char)**text;
    const int bytes = decode((const unsigned char *)*text, &point);
    *text += bytes ? bytes : 1;
    return point;
}

int cli_width(const char *text)
{
    int width = 0;
    while (*text) width += point_width(cli_next_point(&text));
    return width;
}

static int is_obeyed(unsigned c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E || c == 0x200F ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

typedef enum wish { EVERYTHING, LINES_AND_TABS, NO_CONTROL } wish;

static int is_wanted(unsigned c, wish kept)
{
    return kept == EVERYTHING || !is_obeyed(c) ||
           (kept == LINES_AND_TABS && (c == '\n' || c == '\t'));
}

static char *mended(const char *text, size_t length, wish kept)
{
    char                *copy = cli_alloc(3 * length + 1, 1), *out = copy;
    const unsigned char *s = (const unsigned char *)text, *end = s + length;
    unsigned             point = 0;
    while (s < end) {
        const int   bytes = decode(s, &point);
        const int   wanted = bytes && is_wanted(point, kept);
        const char *shown = !bytes ? "\xEF\xBF\xBD" : wanted ? (const char *)s : "?";
        const int   size = !bytes ? 3 : wanted ? bytes : 1;
        memcpy(out, shown, (size_t)size);
        out += size;
        s += bytes ? bytes : 1;
    }
    return copy;
}

char *cli_valid_utf8(const char *text) { return mended(text, strlen(text), EVERYTHING); }

char *cli_clean(const char *text, size_t length, cli_shape shape)
{
    return mended(text, length, shape == CLI_LINES ? LINES_AND_TABS : NO_CONTROL);
}

void cli_print(FILE *stream, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    CLI_OWNED char *text = format_list(format, list);
    va_end(list);
    CLI_OWNED char *clean = cli_clean(text, strlen(text), CLI_LINES);
    fputs(clean, stream);
}

void cli_wrap(FILE *stream, const char *text, int indent, int width)
{
    int column = indent;
    while (*text) {
        const size_t    length = strcspn(text, " ");
        CLI_OWNED char *word = cli_copy_part(text, length);
        const int       wide = cli_width(word);
        if (column > indent && width && column + 1 + wide > width) {
            fprintf(stream, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', stream);
            column++;
        }
        fputs(word, stream);
        column += wide;
        text += length + strspn(text + length, " ");
    }
    fputc('\n', stream);
}

double cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double cli_cpu_seconds(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

const char *cli_flush(void)
{
    static int reason; /* errno of the first failure; later calls do not have it */
    errno = 0;
    if (fflush(stdout) != 0 && !reason) reason = errno;
    if (reason) return strerror(reason);
    return ferror(stdout) ? "an earlier write failed" : NULL;
}
