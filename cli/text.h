/* Small tools of the program: memory that never fails quietly, text, reading files. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "saltus/saltus.h"

#if defined(__GNUC__)
#define CLI_PRINTF(text, rest) __attribute__((format(printf, text, rest)))
#define CLI_NO_RETURN __attribute__((noreturn))
#else
#define CLI_PRINTF(text, rest)
#define CLI_NO_RETURN
#endif

/* Memory for count items, zeroed. A program that only prints has no better answer to a lack of
 * memory than to say so and end: these never return NULL. Free with free. */
void *cli_alloc(size_t count, size_t size);
void *cli_bytes(size_t size); /* not zeroed */
/* Ends the program if the error is a lack of memory: an optional result must not be left out for
 * that reason. */
void cli_need_memory(const saltus_error *err);
void cli_out_of_memory(void) CLI_NO_RETURN;
/* Makes room for one more item in a block with count of them, which only this made: it has room for
 * 16, 32, 64 and so on. */
void *cli_grow(void *block, int count, size_t size);
/* The place of one more item at the end of an array, which is made longer and counted. */
#define CLI_PUSH(array, count)                                                                     \
    ((array) = cli_grow((array), (count), sizeof *(array)), &(array)[(count)++])
/* Before the declaration of a local variable: what it points to is freed at the end of its scope.
 */
#define CLI_OWNED __attribute__((cleanup(cli_release)))
void  cli_release(void *variable);
char *cli_copy(const char *text);
char *cli_copy_part(const char *text, size_t length);
/* Without the blanks around it. */
char *cli_trimmed(const char *text, size_t length);
char *cli_format(const char *format, ...) CLI_PRINTF(1, 2);
/* The text, which may be NULL and is freed, with more after it. */
char *cli_append(char *text, const char *format, ...) CLI_PRINTF(2, 3);
/* The part of a list up to a separator, without the blanks around it; the list goes on after it,
 * and is NULL after the last part. */
char *cli_next_part(const char **list, const char *separator);
/* The line at *text, which goes on to the next one; NULL at the end. */
char *cli_next_line(const char **text);
/* Whether it is one of the words of a list, which are separated by blanks. */
int cli_is_one_of(const char *word, const char *list);
/* What follows the last slash. */
const char *cli_base_name(const char *path);
/* A copy in which every mark has become the word. */
char *cli_replaced(const char *text, const char *mark, const char *word);
/* The text between two such quotes, with `inside` in place of those that it has. */
char *cli_quoted(const char *text, const char *quote, const char *inside);
/* The nearest of some names as a text, form with %s for it; otherwise, if none is near. */
char *cli_nearest(const char *name, const char *const *names, int count, const char *form,
                  const char *otherwise);
/* Whether something stands before that ending. */
int cli_ends_with(const char *text, const char *ending);

/* The fewest digits that give back the number: 0.7, not 0.69999999999999996. text: 32 bytes.
 * Returns text. */
char *cli_number_text(double value, char *text);
/* Writes a field of RFC 4180: in quotes if it holds a comma, a quote or the end of a line. */
void cli_csv_text(FILE *stream, const char *text);

/* A stream whose text is kept in memory, until it is closed and the caller frees the text. */
FILE *cli_memory_open(char **text, size_t *size);
void  cli_memory_close(FILE *stream, char *const *text);

/* Keeps the first failure, printf-style; returns 0 so that a parser can `return cli_fail(...)`. */
int cli_fail(saltus_error *err, saltus_status status, const char *format, ...) CLI_PRINTF(3, 4);
/* Keeps the first failure as a mistake of the user; returns 0. */
#define cli_misuse(err, ...) cli_fail(err, SALTUS_ERR_ARGUMENT, __VA_ARGS__)

/* "cannot VERB 'path': why", from errno. A lack of memory is one here too. Returns 0. */
int cli_fail_file(saltus_error *err, const char *verb, const char *path);

/* Of a file or a line that is read: larger than any script or table of values. /dev/zero must not
 * fill the memory. */
enum { CLI_FILE_LIMIT = 256 * 1024 * 1024 };

/* All of a file ("-": standard input) as NUL-terminated text. NULL on failure. */
char *cli_read_file(const char *path, size_t *length, saltus_error *err);

/* The code point at *text, which goes on to the next one; a byte that is not UTF-8 is one. */
unsigned cli_next_point(const char **text);
/* Columns a terminal needs to show this UTF-8 text. */
int cli_width(const char *text);
/* A copy in which bytes that are not UTF-8 are replaced by U+FFFD: JSON takes nothing else. */
char *cli_valid_utf8(const char *text);

/* What a terminal would obey instead of showing it: control characters, and marks that turn the
 * direction of writing. A model may have them in its names, texts and messages. */
typedef enum cli_shape { CLI_LINE, CLI_LINES } cli_shape;
/* A copy of valid UTF-8 for a terminal, with '?' in place of such characters. CLI_LINES: ends of
 * lines and tabs stay. The copy is NUL-terminated. */
char *cli_clean(const char *text, size_t length, cli_shape shape);
/* fprintf for people: everything that may hold a text of a model is printed by this, or by a table.
 * Cleaned as CLI_LINES. */
void cli_print(FILE *stream, const char *format, ...) CLI_PRINTF(2, 3);

/* Prints the text and the end of a line, folded at blanks so that no line is wider than width (0:
 * never folded); it begins at column indent, and so do its further lines. */
void cli_wrap(FILE *stream, const char *text, int indent, int width);

/* Seconds of a clock that only goes forward. */
double cli_seconds(void);
/* Seconds of processor time this program has used, all its threads together. */
double cli_cpu_seconds(void);

/* Writes out what standard output still holds. NULL, or why it (or an earlier call) failed. */
const char *cli_flush(void);

#endif
