/* Aligned tables on a terminal or in a file. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdio.h>

/* The style of text for a stream. */
typedef struct cli_style {
    int colour; /* 1: with escape sequences */
    int width;  /* columns before a table is folded; 0: never */
} cli_style;

/* Colours and folding are for terminals only; no colours if NO_COLOR is in the environment, or with
 * `plain`. */
cli_style cli_style_of(FILE *stream, int plain);

typedef enum cli_colour {
    CLI_PLAIN,
    CLI_BOLD,
    CLI_RED,
    CLI_GREEN,
    CLI_YELLOW,
    CLI_CYAN,
    CLI_BOLD_CYAN,
    CLI_BOLD_YELLOW,
    CLI_FAINT
} cli_colour;
/* The sequence that begins a colour, "" if the style has none; CLI_PLAIN ends it. */
const char *cli_escape(cli_style style, cli_colour colour);

/* A table: columns are added first, then cells row by row. A column without any entry is not shown.
 * If the table is too wide, columns after the first `keys` are folded into further blocks, which
 * repeat the keys. */
typedef struct cli_table cli_table;

/* Makes a table. The names of the columns are separated by '|'; '>' before a name: numbers, aligned
 * at the right. cli_table_column adds more columns before the first cell. */
cli_table *cli_table_of(const char *title, int keys, const char *columns);

/* Digits of numbers in all tables, for --digits. */
enum { CLI_TABLE_DIGITS = 10 };
void cli_table_set_digits(int digits);

void cli_table_column(cli_table *table, const char *name, int right);
/* Adds cells of a row, with a letter for each: s: a text, NULL for ""; u: two texts, a name and its
 * unit, which may be "", as "x [m]"; n: a number (double), as cli_table_number; o: a number, or
 * nothing if it is not finite; k: three digits of a number, or nothing; i: an int; l: a long
 * long. */
void cli_table_row(cli_table *table, const char *kinds, ...);
void cli_table_cell(cli_table *table, const char *text);
void cli_table_cell_colour(cli_table *table, const char *text, cli_colour colour);
void cli_table_number(cli_table *table, double value); /* "-" if not a number */
void cli_table_numbers(cli_table *table, const double *values, int count);
/* Adds a number, coloured by its sign and by its size relative to the largest one that it is
 * compared with. */
void cli_table_signed(cli_table *table, double value, double part);
void cli_table_number_or_nothing(cli_table *table, double value); /* "" if not finite */
void cli_table_integer(cli_table *table, long long value);
/* Prints the table and an empty line (nothing if it has no rows), and frees it. */
void cli_table_print(cli_table *table, FILE *stream, cli_style style);
void cli_table_free(cli_table *table);

#endif
