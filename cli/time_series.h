/* Numbers over time, for -o: columns with names, rows with a time and a mode. */
#ifndef CLI_TIME_SERIES_H
#define CLI_TIME_SERIES_H

#include "session.h"

typedef struct cli_time_series {
    char  **names; /* of the columns after t and mode */
    int     columns, names_capacity;
    double *values; /* [row * (columns + 1)]: t, then the columns */
    char  **modes;  /* per row; NULL without modes */
    int     rows, values_capacity, modes_capacity;
} cli_time_series;

/* Takes over the name. */
void cli_time_series_column(cli_time_series *sheet, char *name);
/* Begins a row and returns the place of its numbers after t. */
double *cli_time_series_row(cli_time_series *sheet, double t, const char *mode);
/* The numbers after t of an existing row. */
double *cli_time_series_at(const cli_time_series *sheet, int row);
/* Turns the order of the rows around. */
void cli_time_series_reverse(cli_time_series *sheet);
/* Writes CSV or JSON to the session's output, by the ending of its name. For JSON, the members
 * "columns" and "rows" stand beside those of the session's result, which must be complete. */
void cli_time_series_write(cli_session *session, const cli_time_series *sheet);
void cli_time_series_free(cli_time_series *sheet);

/* The times of the rows, equally spaced over the run: by --every, or 501. NULL on failure. */
double *cli_time_series_times(cli_session *session, int *count);

#endif
