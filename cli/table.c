/* Aligned tables on a terminal or in a file. */
#define _POSIX_C_SOURCE 200809L
#include "table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "team.h"
#include "text.h"

enum { INDENT = 2, GAP = 2 };

typedef struct cell {
    char      *text;
    cli_colour colour;
} cell;

struct cli_table {
    char *title;
    int   keys;
    int   columns;
    char *right; /* per column: aligned at the right, for numbers */
    cell *cells; /* the names of the columns, then the rows */
    int   count;
};

cli_style cli_style_of(FILE *stream, int plain)
{
    cli_style   style = {0, 0};
    const char *off = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (!cli_team_is_terminal(fileno(stream))) return style;
    style.colour = !plain && !(off && *off) && !(terminal && strcmp(terminal, "dumb") == 0);
    struct winsize size;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0) style.width = size.ws_col;
    return style;
}

const char *cli_escape(cli_style style, cli_colour colour)
{
    static const char *const escapes[] = {"\033[0m",    "\033[1m",    "\033[31m",
                                          "\033[32m",   "\033[33m",   "\033[36m",
                                          "\033[1;36m", "\033[1;33m", "\033[2m"};
    return style.colour ? escapes[colour] : "";
}

void cli_table_cell_colour(cli_table *table, const char *text, cli_colour colour)
{
    char *shown = cli_clean(text, strlen(text), CLI_LINE); /* a name may hold anything */
    *CLI_PUSH(table->cells, table->count) = (cell){shown, colour};
}

void cli_table_cell(cli_table *table, const char *text)
{
    cli_table_cell_colour(table, text, CLI_PLAIN);
}

void cli_table_column(cli_table *table, const char *name, int right)
{
    *CLI_PUSH(table->right, table->columns) = (char)right;
    cli_table_cell_colour(table, name, CLI_BOLD);
}

cli_table *cli_table_of(const char *title, int keys, const char *columns)
{
    cli_table *table = cli_alloc(1, sizeof *table);
    table->title = cli_clean(title, strlen(title), CLI_LINE);
    table->keys = keys;
    while (columns) {
        CLI_OWNED char *name = cli_next_part(&columns, "|");
        const int       right = *name == '>';
        cli_table_column(table, name + right, right);
    }
    return table;
}

/* Digits of numbers in tables; set once, before any table is made. */
static int table_digits = CLI_TABLE_DIGITS;

void cli_table_set_digits(int digits) { table_digits = digits; }

/* Adds a number, or another text if it is not finite. */
static void format_coloured(cli_table *table, int digits, double value, const char *otherwise,
                            cli_colour colour)
{
    char text[40];
    snprintf(text, sizeof text, "%.*g", digits, value);
    cli_table_cell_colour(table, isnan(value) ? otherwise : text, colour);
}

static void format_cell(cli_table *table, int digits, double value, const char *otherwise)
{
    format_coloured(table, digits, value, otherwise, CLI_PLAIN);
}

/* The colour of a number, as close to the report's as terminals allow: positive is blue, negative
 * is orange. */
static cli_colour colour_of(double value, double part)
{
    static const double strong = 0.5, weak = 0.01;
    if (isnan(value)) return CLI_PLAIN;
    if (part < weak || value == 0.0) return CLI_FAINT;
    if (part >= strong) return value > 0.0 ? CLI_BOLD_CYAN : CLI_BOLD_YELLOW;
    return value > 0.0 ? CLI_CYAN : CLI_YELLOW;
}

void cli_table_signed(cli_table *table, double value, double part)
{
    format_coloured(table, table_digits, value, "-", colour_of(value, part));
}

void cli_table_number(cli_table *table, double value)
{
    format_cell(table, table_digits, value, "-");
}

void cli_table_number_or_nothing(cli_table *table, double value)
{
    format_cell(table, table_digits, isfinite(value) ? value : NAN, "");
}

void cli_table_integer(cli_table *table, long long value)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", value);
    cli_table_cell(table, text);
}

void cli_table_numbers(cli_table *table, const double *values, int count)
{
    for (int i = 0; i < count; i++) cli_table_number(table, values[i]);
}

static void cell_with_unit(cli_table *table, const char *name, const char *unit)
{
    CLI_OWNED char *text = cli_format(unit && *unit ? "%s [%s]" : "%s", name, unit);
    cli_table_cell(table, text);
}

void cli_table_row(cli_table *table, const char *kinds, ...)
{
    va_list     list;
    const char *text;
    va_start(list, kinds);
    for (; *kinds; kinds++) switch (*kinds) {
        case 's':
            text = va_arg(list, const char *);
            cli_table_cell(table, text ? text : "");
            break;
        case 'u':
            text = va_arg(list, const char *);
            cell_with_unit(table, text, va_arg(list, const char *));
            break;
        case 'n': cli_table_number(table, va_arg(list, double)); break;
        case 'o': cli_table_number_or_nothing(table, va_arg(list, double)); break;
        case 'k': format_cell(table, 3, va_arg(list, double), ""); break;
        case 'i': cli_table_integer(table, va_arg(list, int)); break;
        default: cli_table_integer(table, va_arg(list, long long)); break;
        }
    va_end(list);
}

/* ---- printing ------------------------------------------------------------------------------- */

/* Whether a column has no entry; it is not shown then. */
static int is_empty(const cli_table *table, int column)
{
    for (int i = table->columns + column; i < table->count; i += table->columns)
        if (*table->cells[i].text) return 0;
    return 1;
}

static int column_width(const cli_table *table, int column)
{
    int width = 0;
    if (is_empty(table, column)) return 0;
    for (int i = column; i < table->count; i += table->columns) {
        const int w = cli_width(table->cells[i].text);
        if (w > width) width = w;
    }
    return width;
}

/* Whether the columns have names. */
static int has_names(const cli_table *table)
{
    for (int k = 0; k < table->columns; k++)
        if (*table->cells[k].text) return 1;
    return 0;
}

/* Prints the last cell of a row on several lines, if it is a text that is too wide. Returns 0 if it
 * fits, or if there is no room for words. */
static int print_folded(const cli_table *table, int row, int column, int start, int spaces,
                        FILE *stream, cli_style style)
{
    enum { ROOM = 16 };
    const cell *c = &table->cells[row * table->columns + column];
    if (table->right[column] || c->colour || style.width == 0 || start + ROOM > style.width ||
        start + cli_width(c->text) <= style.width)
        return 0;
    fprintf(stream, "%*s", spaces, "");
    cli_wrap(stream, c->text, start, style.width);
    return 1;
}

/* Prints a cell. Returns the number of spaces before the next cell of the row; they are printed
 * with that cell, so that no line ends with spaces. */
static int print_cell(const cli_table *table, int row, int column, int width, int spaces,
                      FILE *stream, cli_style style)
{
    const cell *c = &table->cells[row * table->columns + column];
    const int   rest = width - cli_width(c->text), right = table->right[column];
    if (!*c->text) return spaces + width + GAP;
    fprintf(stream, "%*s%s%s%s", spaces + (right ? rest : 0), "",
            c->colour ? cli_escape(style, c->colour) : "", c->text,
            c->colour ? cli_escape(style, CLI_PLAIN) : "");
    return GAP + (right ? 0 : rest);
}

static int is_blank_row(const cli_table *table, int row, int first, int last)
{
    for (int k = first; k < last; k++)
        if (*table->cells[row * table->columns + k].text) return 0;
    return 1;
}

/* Prints the keys, then the columns from first to last - 1, without columns of width 0. Blocks
 * after the first have only rows with an entry, such as notes. */
static void print_block(const cli_table *table, const int *width, int first, int last, FILE *stream,
                        cli_style style)
{
    for (int row = has_names(table) ? 0 : 1; row < table->count / table->columns; row++) {
        int spaces = INDENT, start = INDENT, folded = 0;
        if (first > table->keys && is_blank_row(table, row, first, last)) continue;
        for (int k = 0; k < last; k++) {
            if (!width[k] || (k < first && k >= table->keys)) continue;
            folded = k == last - 1 && print_folded(table, row, k, start, spaces, stream, style);
            if (!folded) spaces = print_cell(table, row, k, width[k], spaces, stream, style);
            start += width[k] + GAP;
        }
        if (!folded) fputc('\n', stream);
    }
    fputc('\n', stream);
}

/* Returns the first column that does not fit into a block that begins with `first`. */
static int block_end(const cli_table *table, const int *width, int first, int room)
{
    int used = INDENT;
    for (int k = 0; k < table->keys && k < first; k++) used += width[k] + GAP;
    int last = first;
    while (last < table->columns &&
           (last == first || room == 0 || width[last] == 0 || used + width[last] <= room)) {
        used += width[last] ? width[last] + GAP : 0;
        last++;
    }
    return last;
}

void cli_table_free(cli_table *table)
{
    for (int i = 0; i < table->count; i++) free(table->cells[i].text);
    free(table->cells);
    free(table->right);
    free(table->title);
    free(table);
}

void cli_table_print(cli_table *table, FILE *stream, cli_style style)
{
    CLI_OWNED int *width = cli_alloc((size_t)table->columns, sizeof *width);
    for (int k = 0; k < table->columns; k++) width[k] = column_width(table, k);
    if (table->count > table->columns) {
        if (*table->title)
            fprintf(stream, "%s%s%s\n", cli_escape(style, CLI_BOLD), table->title,
                    cli_escape(style, CLI_PLAIN));
        for (int first = 0; first < table->columns;) {
            const int last = block_end(table, width, first, style.width);
            print_block(table, width, first, last, stream, style);
            first = last;
        }
    }
    cli_table_free(table);
}
