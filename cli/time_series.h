/* Numbers over time, for -o: columns with names, rows with a time and a mode. */
#ifndef CLI_TIME_SERIES_H
#define CLI_TIME_SERIES_H

#include "session.h"

typedef struct cli_sheet {
    char  **names; /* of the columns behind t and mode */
    int     columns, names_capacity;
    double *values; /* [row * (columns + 1)]: t, then the columns */
    char  **modes;  /* per row; NULL without modes */
    int     rows, values_capacity, modes_capacity;
} cli_sheet;

/* Takes over the name. */
void cli_sheet_column(cli_sheet *sheet, char *name);
/* Begins a row and returns the place of its numbers behind t. */
double *cli_sheet_row(cli_sheet *sheet, double t, const char *mode);
/* The numbers behind t of a row that exists. */
double *cli_sheet_at(const cli_sheet *sheet, int row);
/* Turns the order of the rows around. */
void cli_sheet_reverse(cli_sheet *sheet);
/* Writes CSV or JSON to the session's output, by the ending of its name. For JSON, the members
 * "columns" and "rows" stand beside those of the session's result, which must be complete. */
void cli_sheet_write(cli_session *session, const cli_sheet *sheet);
void cli_sheet_free(cli_sheet *sheet);

/* The times of the rows, equally spaced over the run: by --every, or 501. NULL on failure. */
double *cli_sheet_times(cli_session *session, int *count);

#endif
