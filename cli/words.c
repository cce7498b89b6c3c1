/* Explains the words of the model language. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "library.h"
#include "text.h"

enum { WIDTH = 80, NAME_WIDTH = 18, INHERIT_MAX = 4 };

/* ---- reading saltus.d.lua ------------------------------------------------------------------- */

static const char *begins_with(const char *line, const char *start)
{
    const size_t length = strlen(start);
    return strncmp(line, start, length) == 0 ? line + length : NULL;
}

/* "event(name, options)" of "function event(name, options) end", "t" of "t = nil"; NULL: no word.
 * Methods of values and tables of words are none. The caller frees. */
static char *signature_of(const char *line)
{
    const char *function = begins_with(line, "function ");
    const char *variable = strstr(line, " = nil");
    if (variable) return cli_copy_part(line, (size_t)(variable - line));
    if (!function || strchr(function, ':')) return NULL;
    const char *end = strstr(function, " end");
    return end ? cli_copy_part(function, (size_t)(end - function)) : NULL;
}

static int is_of(const char *signature, const char *word)
{
    const size_t length = strcspn(signature, "(");
    return strlen(word) == length && strncmp(signature, word, length) == 0;
}

static const char *declarations(void) { return cli_editor_files[0].text; }

/* ---- types ---------------------------------------------------------------------------------- */

/* The length of a type at the start of a text: "number | saltus.Expression", "fun(k: integer):
 * saltus.Value"; "number[] {x, y}" has a text after the type. */
static size_t type_length(const char *type)
{
    size_t length = 0;
    for (;;) {
        if (type[length] == '"') length += 1 + strcspn(type + length + 1, "\"");
        length += strcspn(type + length, " <(");
        if (type[length] == '<') length += strcspn(type + length, ">"); /* table<string, value> */
        if (type[length] == '(') {
            length += strcspn(type + length, ")");
            if (strncmp(type + length, "): ", 3) == 0) length += 3;
        }
        length += strcspn(type + length, " ");
        if (strncmp(type + length, " | ", 3) != 0) return length;
        length += 3;
    }
}

/* "expression" of "saltus.Expression". The caller frees. */
static char *type_text(const char *type, size_t length)
{
    char *text = cli_alloc(length + 1, 1), *out = text;
    for (size_t i = 0; i < length;) {
        if (begins_with(type + i, "saltus.")) {
            i += 7;
            *out++ = (char)tolower((unsigned char)type[i++]);
        } else {
            *out++ = type[i++];
        }
    }
    return text;
}

/* ---- one word ------------------------------------------------------------------------------- */

static void print_row(FILE *stream, const char *name, const char *text)
{
    const int width = fprintf(stream, "  %s", name);
    fprintf(stream, "%*s", width < NAME_WIDTH ? NAME_WIDTH - width : 2, "");
    cli_wrap(stream, text, NAME_WIDTH > width + 2 ? NAME_WIDTH : width + 2, WIDTH);
}

/* "start? saltus.Value position at the start" */
static void print_field(FILE *stream, const char *field)
{
    const size_t    name_length = strcspn(field, " ");
    const int       optional = name_length > 0 && field[name_length - 1] == '?';
    const char     *type = field + name_length + (field[name_length] == ' ');
    const size_t    length = type_length(type);
    CLI_OWNED char *name = cli_copy_part(field, name_length - (size_t)optional);
    CLI_OWNED char *kind = type_text(type, length);
    const char     *doc = type + length + (type[length] == ' ');
    CLI_OWNED char *text = cli_format("%s%s%s%s%s", doc, *doc ? " (" : "", kind,
                                      optional ? "" : ", must be given", *doc ? ")" : "");
    print_row(stream, name, text);
}

/* Prints the fields of a class, and those it inherits. */
static void print_class(FILE *stream, const char *class, int depth)
{
    const char     *text = declarations();
    CLI_OWNED char *parent = NULL;
    int             inside = 0;
    for (char *line; (line = cli_next_line(&text)); free(line)) {
        const char  *name = begins_with(line, "---@class saltus.");
        const char  *field = begins_with(line, "---@field ");
        const size_t length = name ? strcspn(name, ": ") : 0;
        if (name) inside = strlen(class) == length && strncmp(name, class, length) == 0;
        else if (!field) inside = 0;
        const char *of = name && inside ? begins_with(name + length, ": saltus.") : NULL;
        if (of && !parent) parent = cli_copy_part(of, strcspn(of, " "));
        if (field && inside) print_field(stream, field);
    }
    if (parent && depth < INHERIT_MAX) print_class(stream, parent, depth + 1);
}

static int has_class(const char *class)
{
    CLI_OWNED char *mark = cli_format("---@class saltus.%s", class);
    return strstr(declarations(), mark) != NULL;
}

/* Prints a parameter: field by field if it is a table of options, else on one line. */
static void print_param(FILE *stream, const char *param)
{
    const size_t name_length = strcspn(param, " ");
    const char  *type = param + name_length + (param[name_length] == ' ');
    const char  *options = begins_with(type, "saltus.");
    CLI_OWNED char *class = options ? cli_copy_part(options, strcspn(options, " ")) : NULL;
    const int is_options = (begins_with(param, "options") || begins_with(param, "goal")) != 0;
    if (is_options && class && has_class(class)) {
        fputs("\nOptions:\n", stream);
        print_class(stream, class, 0);
    } else {
        print_field(stream, param);
    }
}

/* The comments above a word, and those on its arguments. */
typedef struct notes {
    char *doc, *params; /* one line each; NULL: none */
} notes;

static void clear_notes(notes *n)
{
    free(n->doc);
    free(n->params);
    *n = (notes){0};
}

static void take_note(notes *n, const char *line)
{
    const char *param = begins_with(line, "---@param "), *doc = begins_with(line, "---");
    if (param) n->params = cli_append(n->params, "%s\n", param);
    else if (doc && *doc != '@') n->doc = cli_append(n->doc, "%s%s", n->doc ? " " : "", doc);
    else if (!doc) clear_notes(n);
}

static void print_word(FILE *stream, const char *signature, const notes *n)
{
    fprintf(stream, "%s\n", signature);
    if (n->doc) cli_wrap(stream, n->doc, 0, WIDTH);
    const char *params = n->params;
    if (params && !begins_with(params, "options") && !begins_with(params, "goal"))
        fputc('\n', stream);
    for (char *line; params && (line = cli_next_line(&params)); free(line))
        print_param(stream, line);
}

int cli_word_explain(FILE *stream, const char *word)
{
    const char *text = declarations();
    notes       n = {0};
    int         found = 0;
    for (char *line; (line = cli_next_line(&text)); free(line)) {
        CLI_OWNED char *signature = signature_of(line);
        if (signature && is_of(signature, word)) {
            if (found++) fputc('\n', stream);
            print_word(stream, signature, &n);
        }
        if (signature) clear_notes(&n);
        else take_note(&n, line);
    }
    clear_notes(&n);
    return found > 0;
}

/* ---- all of them ---------------------------------------------------------------------------- */

/* Prints words without a comment, such as sin, together. */
static void print_plain(FILE *stream, char **plain)
{
    if (*plain) print_row(stream, "", *plain);
    free(*plain);
    *plain = NULL;
}

void cli_words_list(FILE *stream)
{
    const char *text = declarations();
    notes       n = {0};
    char       *plain = NULL;
    for (char *line; (line = cli_next_line(&text)); free(line)) {
        const char     *group = begins_with(line, "-- ---- ");
        CLI_OWNED char *signature = signature_of(line);
        if (group) {
            print_plain(stream, &plain);
            fprintf(stream, "\n%c%s:\n", toupper((unsigned char)*group), group + 1);
        }
        CLI_OWNED char *name = signature ? cli_copy_part(signature, strcspn(signature, "(")) : NULL;
        if (name && n.doc) print_row(stream, name, n.doc);
        else if (name) plain = cli_append(plain, "%s%s", plain ? ", " : "", name);
        if (name) clear_notes(&n);
        else take_note(&n, line);
    }
    print_plain(stream, &plain);
    clear_notes(&n);
}

char **cli_word_names(int *count)
{
    const char *text = declarations();
    char      **names = NULL;
    *count = 0;
    for (char *line; (line = cli_next_line(&text)); free(line)) {
        CLI_OWNED char *signature = signature_of(line);
        if (!signature) continue;
        *CLI_PUSH(names, *count) = cli_copy_part(signature, strcspn(signature, "("));
    }
    return names;
}
