/* Sensitivities over time, for gradient -o. */
#ifndef CLI_SENSITIVITIES_H
#define CLI_SENSITIVITIES_H

#include "time_series.h"

/* Calls row for each instant, once for each block of the requested parameters: the library takes
 * a limited number at once. first is the place of the block's first parameter, index counts the
 * rows of the block. Return nonzero to stop. */
typedef int (*cli_tangent_function)(void *context, const saltus_tangent_row *row, int first,
                                    int index);
int cli_tangents_walk(cli_session *session, const double *times, int count,
                      cli_tangent_function row, void *context);

/* Columns d(x)/d(p) of the state by the parameters asked for: coordinates, velocities, memories,
 * integrals of the costs asked for. */
int cli_tangents_read(cli_session *session, cli_time_series *sheet);
/* For each cost asked for, the columns d(cost)/d(x) of coordinates, velocities and memories,
 * d(cost)/d(p) of the parameters asked for (from that time on), and y(cost; x). */
int cli_adjoints_read(cli_session *session, cli_time_series *sheet);

#endif
