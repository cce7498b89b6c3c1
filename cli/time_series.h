/* Numbers over time, for -o: columns with names, rows with a time and a mode. */
#ifndef CLI_TIME_SERIES_H
#define CLI_TIME_SERIES_H

#include "session.h"

typedef struct cli_time_series {
    char  **names; /* names of the columns after t and mode */
    int     columns;
    double *values; /* [row * (columns + 1)]: t, then the columns */
    char  **modes;  /* per row; NULL without modes */
    int     rows;
} cli_time_series;

/* Adds a column; takes over the name. */
void cli_time_series_column(cli_time_series *series, char *name);
/* Begins a row and returns the place of its numbers after t. */
double *cli_time_series_row(cli_time_series *series, double t, const char *mode);
/* Returns the numbers after t of an existing row. */
double *cli_time_series_at(const cli_time_series *series, int row);
/* Writes CSV or JSON to the session's output, by the ending of its name. For JSON, the members
 * "columns" and "rows" stand beside those of the session's result, which must be complete. */
void cli_time_series_write(cli_session *session, const cli_time_series *series);
void cli_time_series_free(cli_time_series *series);

/* The times of the rows, equally spaced over the run: by --every, or 501. NULL on failure. */
double *cli_time_series_times(cli_session *session, int *count);

/* Calls row for these times of a run of the session's system. Returns 0 on failure, which is the
 * session's. */
int cli_trajectory_walk(cli_session *session, saltus_run                       *run,
                        int (*row)(void *context, const saltus_row *row), void *context);

/* ---- sensitivities over time, for gradient -o ----------------------------------------------- */

/* A function that is called at each instant, once for each block of the requested parameters, as
 * the library takes a limited number at once. first is the place of the block's first parameter,
 * index the number of the row in the block. Returns nonzero to stop. */
typedef int (*cli_tangent_function)(void *context, const saltus_tangent_row *row, int first,
                                    int index);
int cli_tangents_walk(cli_session *session, const double *times, int count,
                      cli_tangent_function row, void *context);

/* Adds columns d(x)/d(p) of the state by the requested parameters: coordinates, velocities,
 * memories, integrals of the requested costs. */
int cli_tangents_read(cli_session *session, cli_time_series *series);
/* Adds, for each requested cost, the columns d(cost)/d(x) of coordinates, velocities and memories,
 * d(cost)/d(p) of the requested parameters (from the row's time on), and y(cost; x). `hidden`: the
 * number of hidden memories, which follow the others. times NULL: nothing is read. */
int cli_adjoints_read(cli_session *session, cli_time_series *series, int hidden,
                      const double *times, int count);

#endif
