/* Small tools of the program: memory that ends the program if it runs out, text, reading files. */
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

/* Memory for count items, zeroed; free it with free. If memory runs out, the program ends with a
 * message, so these never return NULL. */
void *cli_alloc(size_t count, size_t size);
void *cli_bytes(size_t size); /* not zeroed */
/* Ends the program if the error is a lack of memory, as an optional result must not be left out for
 * that reason. */
void cli_need_memory(const saltus_error *err);
void cli_out_of_memory(void) CLI_NO_RETURN;
/* Makes room for one more item in a block of count items that was allocated by this function; its
 * capacity is 16, 32, 64 and so on. */
void *cli_grow(void *block, int count, size_t size);
/* Appends an item to an array, whose count is increased; a pointer to the place of the item. */
#define CLI_PUSH(array, count)                                                                     \
    ((array) = cli_grow((array), (count), sizeof *(array)), &(array)[(count)++])
/* Attribute of a local pointer: what it points to is freed at the end of its scope. */
#define CLI_OWNED __attribute__((cleanup(cli_release)))
void  cli_release(void *variable);
char *cli_copy(const char *text);
char *cli_copy_part(const char *text, size_t length);
/* A copy of a text without the blanks around it. */
char *cli_trimmed(const char *text, size_t length);
char *cli_format(const char *format, ...) CLI_PRINTF(1, 2);
/* Returns a text with more appended. The text may be NULL and is freed. */
char *cli_append(char *text, const char *format, ...) CLI_PRINTF(2, 3);
/* Returns the part of a list up to a separator, without the blanks around it, and moves the list
 * on; the list is NULL after the last part. */
char *cli_next_part(const char **list, const char *separator);
/* Returns the line at *text, which is moved to the next line; NULL at the end. */
char *cli_next_line(const char **text);
/* Whether the word is in a list of words, which are separated by blanks. */
int cli_is_one_of(const char *word, const char *list);
/* The part of a path after the last slash. */
const char *cli_base_name(const char *path);
/* A copy in which every mark is replaced by the word. */
char *cli_replaced(const char *text, const char *mark, const char *word);
/* The text in quotes, with `inside` in place of the quotes in it. */
char *cli_quoted(const char *text, const char *quote, const char *inside);
/* A text with the nearest name in place of %s in `form`; `otherwise` if no name is near. */
char *cli_nearest(const char *name, const char *const *names, int count, const char *form,
                  const char *otherwise);
/* Whether the text has this ending, and something before it. */
int cli_ends_with(const char *text, const char *ending);

/* Writes a number with the fewest digits that give it back: 0.7, not 0.69999999999999996. text: 32
 * bytes. Returns text. */
char *cli_number_text(double value, char *text);
/* Writes a field of RFC 4180: in quotes if it holds a comma, a quote or the end of a line. */
void cli_csv_text(FILE *stream, const char *text);

/* Opens a stream into memory. After it is closed, the caller frees the text. */
FILE *cli_memory_open(char **text, size_t *size);
void  cli_memory_close(FILE *stream, char *const *text);

/* Stores a failure if it is the first, printf-style. Returns 0, so that a parser can `return
 * cli_fail(...)`. */
int cli_fail(saltus_error *err, saltus_status status, const char *format, ...) CLI_PRINTF(3, 4);
/* Stores a failure as a mistake of the user, if it is the first. Returns 0. */
#define cli_misuse(err, ...) cli_fail(err, SALTUS_ERR_ARGUMENT, __VA_ARGS__)

/* Stores "cannot VERB 'path': why", from errno; a lack of memory remains one. Returns 0. */
int cli_fail_file(saltus_error *err, const char *verb, const char *path);

/* Limit on the bytes of a file or line, larger than any script or table of values: reading
 * /dev/zero must not fill the memory. */
enum { CLI_FILE_LIMIT = 256 * 1024 * 1024 };

/* Reads a file ("-": standard input) as NUL-terminated text. Returns NULL on failure. */
char *cli_read_file(const char *path, size_t *length, saltus_error *err);

/* Returns the code point at *text, which is moved to the next one; a byte that is not UTF-8 counts
 * as one. */
unsigned cli_next_point(const char **text);
/* The number of terminal columns of a UTF-8 text. */
int cli_width(const char *text);
/* A copy in which bytes that are not UTF-8 are replaced by U+FFFD: JSON takes nothing else. */
char *cli_valid_utf8(const char *text);

/* How text is cleaned of characters that a terminal would obey instead of showing: control
 * characters, and marks for the direction of writing. A model may have them in its names, texts and
 * messages. */
typedef enum cli_shape { CLI_LINE, CLI_LINES } cli_shape;
/* A copy of valid UTF-8 for a terminal, with '?' in place of such characters. CLI_LINES: ends of
 * lines and tabs stay. The copy is NUL-terminated. */
char *cli_clean(const char *text, size_t length, cli_shape shape);
/* fprintf for tables and messages: all output that may contain text of a model is printed by this
 * or by a table. Cleaned as CLI_LINES. */
void cli_print(FILE *stream, const char *format, ...) CLI_PRINTF(2, 3);

/* Prints the text and the end of a line, folded at blanks so that no line is wider than width (0:
 * never folded). Output starts at column indent, and further lines are indented to it. */
void cli_wrap(FILE *stream, const char *text, int indent, int width);

/* Seconds of a monotonic clock. */
double cli_seconds(void);
/* Seconds of processor time this program has used, all its threads together. */
double cli_cpu_seconds(void);

/* Flushes standard output. Returns NULL, or why this or an earlier call failed. */
const char *cli_flush(void);

#endif
