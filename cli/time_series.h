/* Numbers over time, for -o: columns with names, rows with a time and a mode. */
#ifndef CLI_TIME_SERIES_H
#define CLI_TIME_SERIES_H

#include "session.h"

typedef struct cli_time_series {
    char  **names; /* of the columns after t and mode */
    int     columns;
    double *values; /* [row * (columns + 1)]: t, then the columns */
    char  **modes;  /* per row; NULL without modes */
    int     rows;
} cli_time_series;

/* Takes over the name. */
void cli_time_series_column(cli_time_series *series, char *name);
/* Begins a row and returns the place of its numbers after t. */
double *cli_time_series_row(cli_time_series *series, double t, const char *mode);
/* The numbers after t of an existing row. */
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

/* Calls row for each instant, once for each block of the requested parameters: the library takes
 * a limited number at once. first is the place of the block's first parameter, index counts the
 * rows of the block. Return nonzero to stop. */
typedef int (*cli_tangent_function)(void *context, const saltus_tangent_row *row, int first,
                                    int index);
int cli_tangents_walk(cli_session *session, const double *times, int count,
                      cli_tangent_function row, void *context);

/* Columns d(x)/d(p) of the state by the parameters asked for: coordinates, velocities, memories,
 * integrals of the costs asked for. */
int cli_tangents_read(cli_session *session, cli_time_series *series);
/* For each cost asked for, at these times, the columns d(cost)/d(x) of coordinates, velocities and
 * memories, d(cost)/d(p) of the parameters asked for (from that time on), and y(cost; x). So many
 * hidden memories follow the others. NULL for times: nothing is read. */
int cli_adjoints_read(cli_session *session, cli_time_series *series, int hidden,
                      const double *times, int count);

#endif
